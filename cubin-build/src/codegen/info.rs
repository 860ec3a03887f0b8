//! What a module knows of its kernels: one table, a row of text each, and a constant for each row.
//!
//! The compiler of a user's crate reads all of it whenever it checks that crate, so a row is four literals;
//! `cubin-build/embedded/row.rs` says what stands in them.

use std::fmt::Write as _;

use cubin_core::{Sm, arch::Suffix};

use super::{
    docs,
    planned::{PlannedKernel, PlannedModule},
    write::{Writer, on_one_line, string},
};
use crate::{kernel::Facts, lists::CollectVec, sorted, sorted::Map, sorted::Set};

/// A target as an expression.
pub(super) fn target(sm: Sm) -> String {
    let constructor = match sm.suffix {
        Suffix::None => "new",
        Suffix::Accelerated => "accelerated",
        Suffix::Family => "family",
    };
    format!("runtime::Target::{constructor}({})", sm.number)
}

/// Writes `mod table` of a source file's module.
pub(super) fn write_table(out: &mut Writer, module: &PlannedModule<'_>) {
    let targets = targets(module);
    let listed: Vec<String> = targets.iter().map(|sm| target(*sm)).collect_vec();
    let count = module.kernels.len();
    out.line("// Read through `info` and `Module::KERNELS`.");
    out.open("mod table {");
    out.line("use super::super::runtime;");
    out.line("");
    out.open("pub(super) static MODULE: runtime::ModuleInfo = runtime::ModuleInfo {");
    out.line(format!("name: {},", string(&module.input.name)));
    out.line(format!("targets: &[{}],", listed.join(", ")));
    out.line(format!("kernels: {count},"));
    out.close("};");
    out.line("");
    out.line("// Symbol, C++ name where it differs, parameters, resources on each target.");
    out.open(format!(
        "pub(super) static KERNELS: [runtime::KernelInfo; {count}] = MODULE.kernels(["
    ));
    for planned in &module.kernels {
        let kernel = planned.kernel;
        let name = if kernel.name == kernel.symbol {
            ""
        } else {
            &kernel.name
        };
        let facts = module.input.facts.get(&kernel.symbol);
        out.line(format!(
            "({}, {}, {}, {}),",
            string(&kernel.symbol),
            string(name),
            string(&params(planned)),
            string(&resources(&targets, facts))
        ));
    }
    out.close("]);");
    out.close("}");
}

/// What the module's kernels were compiled for.
fn targets(module: &PlannedModule<'_>) -> Vec<Sm> {
    let mut targets: Set<Sm> = Set::new();
    for image in &module.input.images {
        targets.insert(image.assembled_for.unwrap_or(image.target));
    }
    for planned in &module.kernels {
        let facts = module.input.facts.get(&planned.kernel.symbol);
        for facts in facts.into_iter().flat_map(|facts| facts.keys()) {
            targets.insert(*facts);
        }
    }
    let mut targets: Vec<Sm> = targets.into_iter().collect_vec();
    sorted::sort(&mut targets);
    targets
}

/// The parameters of a row.
fn params(planned: &PlannedKernel<'_>) -> String {
    let mut text = String::new();
    for (index, param) in planned.kernel.params.iter().enumerate() {
        if index > 0 {
            text.push(';');
        }
        let name = param.name.as_deref().unwrap_or_default();
        // `;` ends a parameter; no type that a compiler prints has one.
        let c_type = on_one_line(&param.c_type).replace(';', ",");
        let _ = write!(text, "{} {} {name} {c_type}", param.size, param.align);
    }
    text
}

/// The resources of a row.
fn resources(targets: &[Sm], facts: Option<&Map<Sm, Facts>>) -> String {
    let entries = targets.iter().map(|target| {
        let facts = facts.and_then(|facts| facts.get(target));
        facts.map_or_else(String::new, entry)
    });
    entries.collect_vec().join(";")
}

fn entry(facts: &Facts) -> String {
    let resources = &facts.resources;
    let launch = &facts.launch;
    let mut text = format!("r{}", resources.registers);
    let mut word = |letter: char, value: Option<String>| {
        if let Some(value) = value {
            let _ = write!(text, " {letter}{value}");
        }
    };
    let some = |value: u64| (value > 0).then(|| value.to_string());
    let shape = |shape: Option<[u32; 3]>| shape.map(|[x, y, z]| format!("{x}/{y}/{z}"));
    word('s', resources.stack.bytes().map(|bytes| bytes.to_string()));
    let spills = facts.spills;
    word(
        'p',
        spills.map(|spills| format!("{}/{}", spills.stores, spills.loads)),
    );
    word('m', some(resources.static_shared));
    let dynamic = facts.resources.dynamic_shared;
    word('d', dynamic.map(|uses| u8::from(uses).to_string()));
    let barriers = resources.barriers;
    word('b', barriers.map(|barriers| barriers.to_string()));
    word('c', some(resources.code_bytes));
    word('t', shape(launch.max_threads));
    word('q', shape(launch.required_threads));
    word('l', shape(launch.cluster));
    word('x', launch.explicit_cluster.then(String::new));
    word('k', launch.max_cluster_rank.map(|rank| rank.to_string()));
    text
}

/// Writes `pub mod info`, which stands `depth` modules below the file.
pub(super) fn write_constants(out: &mut Writer, depth: usize, kernels: &[&PlannedKernel<'_>]) {
    out.doc("Facts about the kernels, usable in `const` context.");
    out.open("pub mod info {");
    out.line(format!(
        "use {}runtime::KernelInfo;",
        "super::".repeat(depth)
    ));
    out.line(format!("use {}table;", "super::".repeat(depth - 1)));
    for planned in kernels {
        out.line("");
        out.doc(&docs::code(&planned.kernel.name));
        out.line(format!(
            "pub const {}: KernelInfo = table::KERNELS[{}];",
            planned.constant, planned.index
        ));
    }
    out.close("}");
}
