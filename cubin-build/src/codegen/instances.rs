//! The traits that say which types a template kernel is instantiated for.

use super::{
    docs,
    generics::{self, Enumerators, Generics},
    names,
    planned::{self, Family, Pattern},
    scope::Scope,
    write::{self, Writer, number as literal, on_one_line},
};
use crate::lists::CollectVec;

/// Instances that the compiler's message names before it counts the rest.
const MOST_NAMED: usize = 8;

/// Writes `pub mod instances`; `scope` stands in it.
pub(super) fn write(out: &mut Writer, scope: Scope<'_>, families: &[&Family]) {
    let up = "super::".repeat(scope.here.len());
    out.doc("What template kernels are instantiated for.");
    out.open("pub mod instances {");
    out.line(format!("use {up}runtime;"));
    out.line(format!("use {up}types;"));
    let enumerators = generics::enumerators(families);
    for family in families {
        out.line("");
        write_trait(out, scope, family, &enumerators);
    }
    for known in enumerators {
        out.line("");
        out.doc(&format!(
            "Enumerators of {} as template arguments.",
            docs::code(&known.enumeration)
        ));
        out.open(format!("pub mod {} {{", known.module));
        for (index, constant) in known.constants.iter().enumerate() {
            if index > 0 {
                out.line("");
            }
            out.doc(&docs::code(&constant.enumerator));
            out.line(format!(
                "pub const {}: {} = {};",
                constant.ident,
                known.ty,
                literal(constant.value)
            ));
        }
        out.close("}");
    }
    out.close("}");
}

/// The number of the associated type in a pattern.
fn number(pattern: &Pattern) -> Option<usize> {
    match pattern {
        Pattern::Associated(number) => Some(*number),
        Pattern::Pointer { pointee, .. } => number(pointee),
        Pattern::Array(element, _) => number(element),
        Pattern::Fixed(_) | Pattern::Argument(_) => None,
    }
}

fn write_trait(out: &mut Writer, scope: Scope<'_>, family: &Family, enumerators: &[Enumerators]) {
    let generics = Generics::new(scope, family);
    let name = &family.trait_name;
    let plain = escaped(&family.name);
    let parameters = generics.trait_parameters();
    out.doc(&format!(
        "Template arguments that {} is instantiated for{}.\n",
        docs::code(&family.name),
        if family.generics.len() > parameters.len() + 1 {
            ", its types as a tuple"
        } else {
            ""
        }
    ));
    out.doc("Implemented here alone: a launch takes the kernel that `INFO` tells of.");
    out.open("#[diagnostic::on_unimplemented(");
    let asked = generics.asked();
    out.line(format!(
        "message = \"kernel template `{plain}` is not instantiated for `{asked}`\","
    ));
    out.line(if parameters.is_empty() {
        "label = \"no instance for this type\","
    } else {
        "label = \"no instance for these arguments\","
    });
    out.line(format!(
        "note = \"it is instantiated for {}\",",
        existing(scope, &generics, family)
    ));
    for known in generics::enumerators(&[family]) {
        out.line(format!("note = \"{}\",", numbers(&known, enumerators)));
    }
    out.line(
        "note = \"instantiate it in the CUDA source, or with `[[instantiate]]` in cubin.toml\"",
    );
    out.close(")]");
    out.open(format!(
        "{} {{",
        write::generics(&format!("pub trait {name}"), &parameters)
    ));
    out.doc("Facts about the instance.");
    out.line("const INFO: &'static runtime::KernelInfo;");
    for (ordinal, pattern) in family.params.iter().enumerate() {
        if number(pattern).is_some() {
            out.doc(&format!("What parameter {ordinal} depends on."));
            out.line(format!("type P{ordinal}: Copy;"));
        }
    }
    out.close("}");
    for instance in &family.instances {
        let Some(planned) = scope.module.kernels.get(instance.kernel) else {
            continue;
        };
        out.line("");
        let (implemented, implementor) = generics.implementation(scope, instance, enumerators);
        out.open(format!("impl {implemented} for {implementor} {{"));
        out.line(format!(
            "const INFO: &'static runtime::KernelInfo = &super::info::{};",
            planned.constant
        ));
        for (ordinal, (pattern, ty)) in family.params.iter().zip(&instance.params).enumerate() {
            if let Some(ty) = planned::associated(pattern, ty) {
                out.line(format!("type P{ordinal} = {};", scope.value(ty)));
            }
        }
        out.close("}");
    }
}

/// The instances, for the compiler's message.
fn existing(scope: Scope<'_>, generics: &Generics<'_>, family: &Family) -> String {
    let shown = family
        .instances
        .iter()
        .map(|instance| format!("`{}`", escaped(&generics.shown(scope, instance))));
    enumerate(shown)
}

/// What the numbers of enumerators are, which is how the compiler shows them.
fn numbers(known: &Enumerators, all: &[Enumerators]) -> String {
    let module = all.iter().find(|other| known.is_of(other));
    let module = module.map_or("", |known| &known.module);
    let shown = known.constants.iter().map(|constant| {
        let name = names::enumerator(&known.enumeration, &constant.enumerator);
        format!("`{}` is {}", escaped(&name), constant.value)
    });
    format!("{}: constants in `instances::{module}`", enumerate(shown))
}

/// The first few, and how many there are besides.
fn enumerate(all: impl ExactSizeIterator<Item = String>) -> String {
    let more = all.len().saturating_sub(MOST_NAMED);
    let mut shown: Vec<String> = all.take(MOST_NAMED).collect_vec();
    if more > 0 {
        return format!("{} and {more} more", shown.join(", "));
    }
    match (shown.pop(), shown.is_empty()) {
        (Some(last), false) => format!("{} and {last}", shown.join(", ")),
        (last, _) => last.unwrap_or_default(),
    }
}

/// Text within a message of `on_unimplemented`, where braces stand for parameters.
fn escaped(text: &str) -> String {
    on_one_line(text).replace(['"', '\\', '{', '}'], "")
}
