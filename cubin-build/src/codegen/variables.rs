//! Constants about module variables: symbol, type, size, memory.

use super::{
    docs, layout,
    planned::PlannedGlobal,
    scope::Scope,
    write::{Writer, number, string},
};
use crate::{
    signature::model::{Global, Space},
    words::counted,
};

/// How C++ declares it.
fn keyword(global: &Global) -> &'static str {
    match global.space {
        Space::Constant => "__constant__",
        Space::Device => "__device__",
        Space::Managed => "__managed__",
    }
}

/// The variable's type in Rust.
pub(super) fn ty(scope: Scope<'_>, planned: &PlannedGlobal<'_>) -> String {
    match planned.ty {
        Some(ty) => scope.value(ty),
        None => format!("[u8; {}]", number(i128::from(planned.global.size))),
    }
}

/// What it is, in a sentence.
pub(super) fn describe(planned: &PlannedGlobal<'_>) -> String {
    let global = planned.global;
    let c_type = global
        .c_type
        .as_deref()
        .map_or_else(String::new, |text| format!(" of type {}", docs::code(text)));
    let bytes = counted(global.size, "byte");
    format!(
        "`{}` variable {}{c_type}, {bytes}.",
        keyword(global),
        docs::code(&global.name)
    )
}

/// Writes `pub mod globals`; `scope` stands in it.
pub(super) fn write(out: &mut Writer, scope: Scope<'_>, globals: &[&PlannedGlobal<'_>]) {
    let up = "super::".repeat(scope.here.len());
    out.doc("The variables with their types, usable in `const` context.");
    out.open("pub mod globals {");
    out.line(format!("use {up}runtime;"));
    out.line(format!("use {up}types;"));
    for planned in globals {
        out.line("");
        write_one(out, scope, planned);
    }
    out.close("}");
}

fn write_one(out: &mut Writer, scope: Scope<'_>, planned: &PlannedGlobal<'_>) {
    let global = planned.global;
    let signatures = &scope.module.input.signatures;
    let align = planned
        .ty
        .and_then(|ty| layout::size_align(ty, signatures))
        .map_or(1, |(_, align)| align);
    let space = match global.space {
        Space::Constant => "Constant",
        Space::Device => "Device",
        Space::Managed => "Managed",
    };
    out.doc(&describe(planned));
    out.open(format!(
        "pub const {}: runtime::Variable<{}> = runtime::Variable::new(runtime::GlobalInfo {{",
        planned.constant,
        ty(scope, planned)
    ));
    out.line(format!("symbol: {},", string(&global.symbol)));
    out.line(format!("name: {},", string(&global.name)));
    let c_type = global.c_type.as_deref().unwrap_or_default();
    out.line(format!("c_type: {},", string(c_type)));
    out.line(format!("size: {},", number(i128::from(global.size))));
    out.line(format!("align: {},", number(i128::from(align))));
    out.line(format!("space: runtime::Space::{space},"));
    out.close("});");
}
