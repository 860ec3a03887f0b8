//! Declarations of host functions: one module for each static library.

use super::{
    docs,
    input::{HostFunction, HostModule},
    names::{self, NameKind},
    scalars,
    write::{Writer, on_one_line},
};
use crate::{
    lists::CollectVec,
    signature::{
        host::{HostType, Target, Value},
        model::Definition,
    },
};

/// Lints that names from C++ set off.
const LINTS: &str = "#[rustfmt::skip]
#[allow(dead_code, non_snake_case, unreachable_pub)]
#[allow(clippy::all, clippy::pedantic, clippy::nursery)]";

/// What a library's module is called.
pub(super) fn ident(module: &HostModule) -> String {
    names::ident(&module.name, NameKind::Source)
}

/// Writes the module of a library.
pub(super) fn write(out: &mut Writer, module: &HostModule) {
    out.doc(&doc(module));
    out.lines(LINTS);
    out.open(format!("pub mod {} {{", ident(module)));
    out.open("unsafe extern \"C\" {");
    for (index, function) in module.functions.iter().enumerate() {
        if index > 0 {
            out.line("");
        }
        declare(out, function);
    }
    out.close("}");
    out.close("}");
}

fn doc(module: &HostModule) -> String {
    let sources: Vec<String> = module
        .sources
        .iter()
        .map(|path| docs::code(path))
        .collect_vec();
    let mut text = format!(
        "Host functions of the static library {}: {}.\n\nThey are C++: what they need of their arguments, the sources say. A \
         pointer to what only C++ knows is one to `c_void`.",
        docs::code(&module.name),
        sources.join(", ")
    );
    for (index, (declaration, why)) in module.refused.iter().enumerate() {
        if index == 0 {
            text.push_str("\n\nWithout a declaration:");
        }
        let why = on_one_line(why);
        text.push_str(&format!("\n- {}: {why}", docs::code(declaration)));
    }
    text
}

fn declare(out: &mut Writer, function: &HostFunction) {
    let definition = Definition {
        file: function.file.clone(),
        line: function.line,
    };
    out.doc(&format!(
        "{}, {}",
        docs::code(&function.text),
        docs::location(&definition)
    ));
    let mut taken: Vec<String> = Vec::new();
    let mut params = Vec::new();
    for (index, (name, ty)) in function.names.iter().zip(&function.ty.params).enumerate() {
        let name = match name {
            Some(name) => names::ident(name, NameKind::Value),
            None => format!("arg{index}"),
        };
        let name = names::fresh(&name, &taken);
        params.push(format!("{name}: {}", value(ty)));
        taken.push(name);
    }
    let result = result(&function.ty);
    let ident = names::ident(&function.name, NameKind::Value);
    let plain = ident.strip_prefix("r#").unwrap_or(&ident);
    if plain != function.name {
        out.line(format!("#[link_name = {:?}]", function.name));
    }
    out.line(format!("pub fn {ident}({}){result};", params.join(", ")));
}

fn result(ty: &HostType) -> String {
    match &ty.result {
        Some(result) => format!(" -> {}", value(result)),
        None => String::new(),
    }
}

fn value(ty: &Value) -> String {
    match ty {
        // Scalars without a primitive are classes in C++, which are none.
        Value::Scalar(scalar) => scalars::primitive(*scalar).unwrap_or("()").to_owned(),
        Value::Pointer { to, is_const } => {
            let word = if *is_const { "const" } else { "mut" };
            format!("*{word} {}", target(to))
        }
        Value::Function(ty) => {
            let params: Vec<String> = ty.params.iter().map(value).collect_vec();
            format!(
                "Option<unsafe extern \"C\" fn({}){}>",
                params.join(", "),
                result(ty)
            )
        }
    }
}

fn target(ty: &Target) -> String {
    match ty {
        Target::Value(ty) => value(ty),
        Target::Array(of, length) => format!("[{}; {length}]", target(of)),
        Target::Unknown => "::core::ffi::c_void".to_owned(),
    }
}
