//! Wrappers that call no driver and depend on no crate: images, facts, launch checks, and for each kernel a
//! struct of its arguments that yields the `kernelParams` array of `cuLaunchKernel`, for any driver binding.

use super::{Methods, Write, globals, images, kernels, param_names};
use crate::codegen::{
    docs,
    families::Family,
    generics::{self, Enumerators, Generics},
    names::{self, Kind},
    plan::PlannedKernel,
    types::Scope,
    write::{self, Expr, Writer},
};

pub(super) struct Core;

const RUNTIME: &str = include_str!("core/runtime.rs");

impl Write for Core {
    fn has_driver(&self) -> bool {
        false
    }

    fn runtime(&self) -> &str {
        RUNTIME
    }

    fn finish(&self, text: String) -> String {
        text
    }

    fn impls(&self, _out: &mut Writer, _ident: &str) {}

    fn module(&self, out: &mut Writer, scope: Scope<'_>, methods: &Methods<'_>) {
        out.doc(&format!(
            "The cubins and kernels of `{}`.",
            scope.module.input.source
        ));
        out.line("#[derive(Clone, Copy, Debug)]");
        out.line("pub struct Module;");
        out.line("");
        out.open("impl Module {");
        images(out, scope);
        out.line("");
        kernels(out, scope);
        out.line("");
        globals(out, scope);
        out.line("");
        out.doc(
            "The image for a device of compute capability `device`: the exact cubin, or else that of the closest
lower minor revision of the same major one, or else the newest embedded PTX.",
        );
        out.line("#[must_use]");
        out.open("pub fn choose(device: (u16, u16)) -> Option<&'static runtime::Image> {");
        out.line("runtime::choose(Self::IMAGES, device)");
        out.close("}");
        out.close("}");
        if !methods.kernels.is_empty() {
            out.line("");
            arguments(out, scope, methods);
        }
    }

    fn namespace(&self, out: &mut Writer, scope: Scope<'_>, methods: &Methods<'_>) {
        if !methods.kernels.is_empty() {
            arguments(out, scope, methods);
        }
    }
}

/// `pub mod args`: one struct per kernel.
fn arguments(out: &mut Writer, scope: Scope<'_>, methods: &Methods<'_>) {
    let mut here = scope.here.to_vec();
    here.push("args".to_owned());
    let scope = Scope {
        here: &here,
        ..scope
    };
    let up = "super::".repeat(here.len());
    out.doc("Arguments of the kernels, by name, with their exact types.");
    out.open("pub mod args {");
    out.line(format!("use {up}runtime;"));
    out.line(format!("use {up}types;"));
    if !methods.families.is_empty() {
        out.line("use super::instances;");
    }
    for kernel in methods.kernels {
        out.line("");
        write_arguments(out, scope, kernel);
    }
    let enumerators = generics::enumerators(methods.families);
    // No parameter may be called like a struct without members.
    let structs = methods.kernels.iter().map(|kernel| kernel.method.clone());
    let formatter = names::fresh("f", &structs.collect::<Vec<_>>());
    for family in methods.families {
        out.line("");
        write_family(out, scope, family, &enumerators, &formatter);
    }
    out.close("}");
}

fn write_arguments(out: &mut Writer, scope: Scope<'_>, planned: &PlannedKernel<'_>) {
    let kernel = planned.kernel;
    let ident = names::ident(planned.method.trim_start_matches("r#"), Kind::Type);
    let names = param_names(&kernel.params, Vec::new());
    out.doc(&docs::facts(scope.module.input, planned));
    let start = out.item();
    out.line("#[derive(Clone, Copy, Debug)]");
    if names.is_empty() {
        out.line(format!("pub struct {ident};"));
    } else {
        out.open_struct(&format!("pub struct {ident}"));
        for (param, name) in kernel.params.iter().zip(&names) {
            out.doc(&docs::code(&param.c_type));
            out.field(&format!("pub {name}"), &scope.value(&param.ty));
        }
        out.close("}");
    }
    out.end_item(start);
    out.line("");
    out.open(format!("impl {ident} {{"));
    out.doc("Facts about the kernel.");
    let start = out.item();
    let value = format!("&super::info::{}", planned.constant);
    out.expr(
        "pub const INFO: &'static runtime::KernelInfo = ",
        &Expr::atom(value),
        ";",
    );
    out.end_item(start);
    out.line("");
    kernel_params(out, &names);
    out.close("}");
}

fn kernel_params(out: &mut Writer, names: &[String]) {
    out.doc("One pointer per parameter, as `cuLaunchKernel` takes them; they point into `self`.");
    let start = out.item();
    // rustfmt has a rule of its own for what has a dot in it.
    let dotted = |name: &String| !write::fits_in_list(&format!("&self.{name}"));
    if names.iter().any(dotted) {
        out.unlike_rustfmt();
    }
    out.line("#[must_use]");
    let count = names.len();
    out.open(format!(
        "pub fn kernel_params(&self) -> [*mut ::core::ffi::c_void; {count}] {{"
    ));
    let pointers = names
        .iter()
        .map(|name| {
            Expr::Call(
                "runtime::param".to_owned(),
                vec![Expr::atom(format!("&self.{name}"))],
            )
        })
        .collect();
    out.expr("", &Expr::Array(pointers), "");
    out.close("}");
    out.end_item(start);
}

/// One struct for the arguments of all instances of a template.
fn write_family(
    out: &mut Writer,
    scope: Scope<'_>,
    family: &Family,
    enumerators: &[Enumerators],
    formatter: &str,
) {
    let generics = Generics::new(scope, family);
    let Some(first) = family
        .instances
        .first()
        .and_then(|instance| scope.module.kernels.get(instance.kernel))
    else {
        return;
    };
    let ident = names::ident(family.method.trim_start_matches("r#"), Kind::Type);
    let names = param_names(&first.kernel.params, Vec::new());
    let (declared, clause) = generics.declared();
    let clause = clause.map_or_else(String::new, |clause| format!("where\n    {clause},"));
    let applied = format!("{ident}<{}>", generics.applied());
    let item = |out: &mut Writer, start: &str, end: &str| {
        // rustfmt lets the brace of a struct stand outside.
        let opening = if start == "impl" {
            format!("{end} {{")
        } else {
            String::new()
        };
        let head = out.generics(start, &declared, &opening);
        if clause.is_empty() {
            out.open(format!("{head}{end} {{"));
        } else {
            out.line(format!("{head}{end}"));
            out.clause(&clause);
            out.open("{");
        }
    };
    out.doc(&docs::family(scope, family, &generics, enumerators, ""));
    let start = out.item();
    out.line("#[derive(Clone, Copy)]");
    item(out, &format!("pub struct {ident}"), "");
    for ((pattern, name), param) in family.params.iter().zip(&names).zip(&first.kernel.params) {
        out.doc(&format!(
            "{} in {}",
            docs::code(&param.c_type),
            docs::code(&first.kernel.name)
        ));
        out.field(&format!("pub {name}"), &generics.spell(scope, pattern));
    }
    let hidden = generics.hidden_types();
    if !hidden.is_empty() {
        let name = names::fresh("instance", &names);
        out.doc("Tells the instance by the types that no parameter has.");
        let types = match hidden.as_slice() {
            [one] => format!("{one},"),
            several => several.join(", "),
        };
        out.line(format!(
            "pub {name}: ::core::marker::PhantomData<fn() -> ({types})>,"
        ));
    }
    out.close("}");
    out.end_item(start);
    out.line("");
    let methods = out.item();
    item(out, "impl", &format!(" {applied}"));
    out.doc("Facts about the instance.");
    let start = out.item();
    let info = Expr::atom(format!("{}::INFO", generics.this()));
    out.expr(
        "pub const INFO: &'static runtime::KernelInfo = ",
        &info,
        ";",
    );
    out.end_item(start);
    out.line("");
    kernel_params(out, &names);
    out.close("}");
    out.end_item(methods);
    out.line("");
    let start = out.item();
    item(out, "impl", &format!(" ::core::fmt::Debug for {applied}"));
    out.open(format!(
        "fn fmt(&self, {formatter}: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {{"
    ));
    out.line(format!(
        "{formatter}.debug_struct(Self::INFO.name).finish_non_exhaustive()"
    ));
    out.close("}");
    out.close("}");
    out.end_item(start);
}
