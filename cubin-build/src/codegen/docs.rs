//! Documentation of the generated items.

use std::fmt::Write as _;

use cubin_core::Sm;

use super::{
    generics::{self, Enumerators, Generics},
    input::Module,
    planned::{Family, PlannedKernel, PlannedModule},
    scope::Scope,
    write::on_one_line,
};
use crate::{
    kernel::Facts,
    lists::{AddAll, CollectVec},
    signature::model::Definition,
    sorted::{self, Map},
    words::counted,
};

/// Text as inline code, on one line.
pub(super) fn code(text: &str) -> String {
    let text = on_one_line(text);
    let text = text.trim();
    if text.is_empty() {
        return "an unnamed item".to_owned();
    }
    if text.contains('`') {
        format!("`` {text} ``")
    } else {
        format!("`{text}`")
    }
}

/// File and line. Directories above the package are this machine's and are left out.
pub(super) fn location(definition: &Definition) -> String {
    let path = &definition.file;
    let relative = if path.is_absolute() {
        path.file_name().map(std::path::Path::new)
    } else {
        Some(path.as_path())
    };
    let text = relative
        .unwrap_or(path)
        .to_string_lossy()
        .replace('\\', "/");
    code(&format!("{text}:{}", definition.line))
}

/// The kernel as C++ declares it, or PTX.
pub(super) fn declaration(planned: &PlannedKernel<'_>) -> String {
    let kernel = planned.kernel;
    let params: Vec<String> = kernel
        .params
        .iter()
        .map(|param| match (&param.name, param.c_type.split_once('[')) {
            (name, Some((element, length))) if element.starts_with('.') => {
                let name = name.as_deref().unwrap_or_default();
                format!(".param {element} {name}[{length}")
            }
            (Some(name), _) if param.c_type.starts_with('.') => {
                format!(".param {} {name}", param.c_type)
            }
            (None, _) if param.c_type.starts_with('.') => format!(".param {}", param.c_type),
            (Some(name), _) if param.c_type.ends_with(['*', '&']) => {
                format!("{}{name}", param.c_type)
            }
            (Some(name), _) => format!("{} {name}", param.c_type),
            (None, _) => param.c_type.clone(),
        })
        .collect_vec();
    let is_ir = |place: &Definition| place.file.extension().is_some_and(|end| end == "ll");
    let head = match &kernel.entry {
        Some(place) if is_ir(place) => "define void @",
        // Its parameters are PTX's.
        Some(_) if kernel.name == kernel.symbol => ".entry ",
        _ => "__global__ void ",
    };
    on_one_line(&format!("{head}{}({})", kernel.name, params.join(", ")))
}

/// What is known of a kernel: declaration, place, resources.
pub(super) fn facts(module: &Module, planned: &PlannedKernel<'_>) -> String {
    let kernel = planned.kernel;
    let mut doc = match &kernel.definition {
        Some(definition) => format!(
            "Kernel {}, defined at {}.",
            code(&kernel.name),
            location(definition)
        ),
        None => format!("Kernel {} of {}.", code(&kernel.name), code(&module.source)),
    };
    let declaration = declaration(planned);
    let language = if declaration.starts_with(['.', 'd']) {
        "text"
    } else {
        "cpp"
    };
    let _ = write!(doc, "\n\n```{language}\n{declaration}\n```");
    if let Some(facts) = module.facts.get(&kernel.symbol) {
        resources(&mut doc, planned, facts);
    }
    doc
}

/// What a launch asks of the caller, and how it can fail: said once, in the runtime.
pub(super) const CONTRACT: &str = "
# Safety
[That of every launch](runtime::Launch#safety), and [its errors](runtime::Launch#errors).";

/// Documentation of a wrapper.
pub(super) fn kernel(module: &Module, planned: &PlannedKernel<'_>) -> String {
    let mut doc = facts(module, planned);
    doc.push('\n');
    doc.push_str(CONTRACT);
    doc
}

/// Documentation of what stands for all instances of a template; `prefix` leads to the instances' own items, where
/// they are not in scope.
pub(super) fn family(
    scope: Scope<'_>,
    family: &Family,
    generics: &Generics<'_>,
    known: &[Enumerators],
    prefix: &str,
) -> String {
    let mut doc = format!(
        "The instances of kernel template {}.\n\n| C++ | arguments | by name |\n|---|---|---|",
        code(&family.name)
    );
    for instance in &family.instances {
        if let Some(planned) = scope.module.kernels.get(instance.kernel) {
            let name = in_table(&code(&planned.kernel.name));
            let arguments = in_table(&code(&generics.written(scope, instance, known)));
            let method = planned.method.trim_start_matches("r#");
            let _ = write!(doc, "\n| {name} | {arguments} | [`{method}`]");
            if !prefix.is_empty() {
                let _ = write!(doc, "({prefix}{method})");
            }
            doc.push_str(" |");
        }
    }
    let own = generics::enumerators(&[family]);
    let mut modules: Vec<String> = Vec::new();
    for known in known {
        if own.iter().any(|own| own.is_of(known)) {
            modules.push(format!("[`instances::{0}`]", known.module));
        }
    }
    if !modules.is_empty() {
        let _ = write!(
            doc,
            "\n\nEnumerators are constants in {}.",
            modules.join(" and ")
        );
    }
    doc
}

/// Code within a table.
fn in_table(code: &str) -> String {
    code.replace('|', "\\|")
}

/// One line for each target: registers and parameters, and of all else what is there or not known.
fn resources(doc: &mut String, planned: &PlannedKernel<'_>, facts: &Map<Sm, Facts>) {
    if facts.is_empty() {
        return;
    }
    doc.push_str("\n\n");
    let param_bytes: u64 = planned.kernel.params.iter().fold(0, |end, param| {
        let aligned = end
            .checked_next_multiple_of(param.align.max(1))
            .unwrap_or(end);
        aligned.saturating_add(param.size)
    });
    // Targets that need the same share a line.
    let mut lines: Vec<(String, String)> = Vec::new();
    for (target, facts) in facts {
        let needs = needs(param_bytes, facts);
        match lines.last_mut() {
            Some((targets, known)) if *known == needs => {
                let _ = write!(targets, ", `{target}`");
            }
            _ => lines.push((format!("`{target}`"), needs)),
        }
    }
    for (targets, needs) in lines {
        let _ = writeln!(doc, "- {targets}: {needs}");
    }
    demands(doc, facts.values());
    doc.truncate(doc.trim_end().len());
}

fn needs(param_bytes: u64, facts: &Facts) -> String {
    let resources = &facts.resources;
    let params = facts.params_size().map_or(param_bytes, u64::from);
    let mut parts = vec![
        counted(u64::from(resources.registers), "register"),
        format!("{params} B of parameters"),
    ];
    match resources.stack.bytes() {
        Some(0) => {}
        Some(bytes) => parts.push(format!("{bytes} B of stack")),
        None => parts.push("stack of unknown size".to_owned()),
    }
    parts.add_all(spills(facts));
    if resources.static_shared > 0 {
        parts.push(format!("{} B of shared memory", resources.static_shared));
    }
    if let Some(barriers) = resources.barriers.filter(|&barriers| barriers > 0) {
        parts.push(counted(u64::from(barriers), "barrier"));
    }
    parts.join(", ")
}

fn spills(facts: &Facts) -> Option<String> {
    match (facts.spills, facts.resources.spill_instructions) {
        (Some(spills), _) if spills.total() > 0 => Some(format!(
            "spills of {} B stored and {} B loaded",
            spills.stores, spills.loads
        )),
        (None, Some(instructions)) if instructions > 0 => {
            Some(counted(u64::from(instructions), "spill instruction"))
        }
        _ => None,
    }
}

/// What the source demands of a launch.
fn demands<'f>(doc: &mut String, facts: impl Iterator<Item = &'f Facts>) {
    let mut sentences: Vec<String> = Vec::new();
    for facts in facts {
        let launch = &facts.launch;
        if let Some([x, y, z]) = launch.required_threads {
            sentences.push(format!(
                "The block must be exactly {x} x {y} x {z} threads."
            ));
        } else if let Some([x, y, z]) = launch.max_threads {
            let threads = u64::from(x) * u64::from(y) * u64::from(z);
            sentences.push(format!("At most {} per block.", counted(threads, "thread")));
        }
        if let Some([x, y, z]) = launch.cluster {
            sentences.push(format!("Runs in clusters of {x} x {y} x {z} blocks."));
        } else if launch.explicit_cluster {
            sentences.push("The launch must give a cluster shape.".to_owned());
        }
        if facts.resources.dynamic_shared == Some(true) {
            sentences.push(
                "Uses dynamic shared memory (`extern __shared__`): the launch must say how much."
                    .to_owned(),
            );
        }
    }
    sorted::sort(&mut sentences);
    sentences.dedup();
    if !sentences.is_empty() {
        let _ = writeln!(doc, "\n{}", sentences.join(" "));
    }
}

/// Documentation of a source file's module.
pub(super) fn module(planned: &PlannedModule<'_>) -> String {
    let module = planned.input;
    let list = |ptx: bool| {
        let images = module.images.iter();
        let images = images.filter(|image| image.assembled_for.is_some() == ptx);
        let names = images.map(|image| {
            let name = image.target.to_string();
            let name = if ptx {
                name.replacen("sm", "compute", 1)
            } else {
                name
            };
            format!("`{name}`")
        });
        names.collect_vec().join(", ")
    };
    let mut doc = format!(
        "Kernels of {}, compiled for {}",
        code(&module.source),
        list(false)
    );
    let ptx = list(true);
    if !ptx.is_empty() {
        let _ = write!(doc, ", with PTX for {ptx}");
    }
    doc.push('.');
    let named_only = planned.named_only.iter();
    let named_only = named_only.map(|template| (template.name.as_str(), &*template.reason));
    list_with_reasons(
        &mut doc,
        "Templates whose instances have wrappers by name alone, and no generic one:",
        named_only,
    );
    let refused = planned.refused.iter();
    let refused = refused.map(|(name, reason)| (name.as_str(), &**reason));
    list_with_reasons(&mut doc, "Without a wrapper:", refused);
    doc
}

fn list_with_reasons<'r>(
    doc: &mut String,
    title: &str,
    all: impl ExactSizeIterator<Item = (&'r str, &'r str)>,
) {
    if all.len() == 0 {
        return;
    }
    let _ = write!(doc, "\n\n{title}\n");
    for (name, reason) in all {
        let _ = write!(doc, "\n- {}: {}", code(name), on_one_line(reason));
    }
}
