//! The traits that say which types a template kernel is instantiated for.

use super::{
    docs,
    families::{self, Family, Pattern},
    types::Scope,
    write::Writer,
};

/// Writes `pub mod instances`; `scope` stands in it.
pub(super) fn write(out: &mut Writer, scope: Scope<'_>, families: &[&Family]) {
    let up = "super::".repeat(scope.here.len());
    out.doc("Which types template kernels are instantiated for.");
    out.open("pub mod instances {");
    out.line(format!("use {up}runtime;"));
    out.line(format!("use {up}types;"));
    for family in families {
        out.line("");
        write_trait(out, scope, family);
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

fn write_trait(out: &mut Writer, scope: Scope<'_>, family: &Family) {
    let name = &family.trait_name;
    let plain = family.name.replace('"', "");
    out.doc(&format!(
        "Template arguments that {} is instantiated for{}.\n",
        docs::code(&family.name),
        if family.arguments > 1 {
            ", as a tuple"
        } else {
            ""
        }
    ));
    out.doc("# Safety\nIndex and facts must be those of one kernel of the module.");
    out.open("#[diagnostic::on_unimplemented(");
    out.line(format!(
        "message = \"kernel template `{plain}` is not instantiated for `{{Self}}`\","
    ));
    out.line("label = \"no instance for this type\",");
    out.line(
        "note = \"instantiate it in the CUDA source, or with `[[instantiate]]` in cubin.toml\"",
    );
    out.close(")]");
    out.open(format!("pub unsafe trait {name} {{"));
    out.doc("Position in the module's `KERNELS`.");
    out.line("const INDEX: usize;");
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
        let arguments: Vec<String> = instance
            .arguments
            .iter()
            .map(|ty| scope.value(ty))
            .collect();
        let implementor = match arguments.as_slice() {
            [only] => only.clone(),
            several => format!("({})", several.join(", ")),
        };
        out.line("");
        out.line("// SAFETY: both are those of this instance.");
        out.open(format!("unsafe impl {name} for {implementor} {{"));
        out.line(format!("const INDEX: usize = {};", instance.kernel));
        out.line(format!(
            "const INFO: &'static runtime::KernelInfo = &super::info::{};",
            planned.constant
        ));
        for (ordinal, (pattern, ty)) in family.params.iter().zip(&instance.params).enumerate() {
            if let Some(ty) = families::associated(pattern, ty) {
                out.line(format!("type P{ordinal} = {};", scope.value(ty)));
            }
        }
        out.close("}");
    }
}
