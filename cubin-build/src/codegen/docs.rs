//! Documentation of the generated items.

use std::fmt::Write as _;

use super::{
    Facts, Module,
    families::Family,
    generics::{self, Enumerators, Generics},
    plan::{PlannedKernel, PlannedModule},
    types::Scope,
    write::count,
};
use crate::{
    kernel::Spills,
    signature::model::{Definition, Type},
    sorted,
};

/// Text as inline code, on one line.
pub(super) fn code(text: &str) -> String {
    let text: String = text
        .chars()
        .map(|character| {
            if character.is_control() {
                ' '
            } else {
                character
            }
        })
        .collect();
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
    format!("`{text}:{}`", definition.line)
}

/// The kernel as C++ declares it.
pub(super) fn declaration(planned: &PlannedKernel<'_>) -> String {
    let kernel = planned.kernel;
    let params: Vec<String> = kernel
        .params
        .iter()
        .map(|param| match &param.name {
            Some(name) if param.c_type.ends_with(['*', '&']) => format!("{}{name}", param.c_type),
            Some(name) => format!("{} {name}", param.c_type),
            None => param.c_type.clone(),
        })
        .collect();
    let text = format!("__global__ void {}({})", kernel.name, params.join(", "));
    text.chars()
        .map(|character| {
            if character.is_control() {
                ' '
            } else {
                character
            }
        })
        .collect()
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
        None => format!("Kernel {} of `{}`.", code(&kernel.name), module.source),
    };
    let _ = write!(doc, "\n\n```cpp\n{}\n```\n", declaration(planned));
    table(&mut doc, module, planned);
    doc.truncate(doc.trim_end().len());
    doc
}

/// Documentation of a wrapper.
pub(super) fn kernel(module: &Module, planned: &PlannedKernel<'_>) -> String {
    let mut doc = facts(module, planned);
    doc.push('\n');
    doc.push_str(&contract(&[planned]));
    doc
}

/// What a launch of any of `kernels` asks of the caller, and how it can fail.
fn contract(kernels: &[&PlannedKernel<'_>]) -> String {
    format!(
        "
# Safety
{}

# Errors
When the launch breaks a limit of the device or of the kernel, which is found before the driver is
called, or the driver refuses. Errors of the kernel itself show at a later synchronization.",
        safety(kernels)
    )
}

/// The same for the function that stands for all instances of a template.
pub(super) fn family_contract(scope: Scope<'_>, family: &Family) -> String {
    let instances = family.instances.iter();
    let kernels = instances.filter_map(|instance| scope.module.kernels.get(instance.kernel));
    contract(&kernels.collect::<Vec<_>>())
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

fn safety(kernels: &[&PlannedKernel<'_>]) -> String {
    let any = |wanted: &dyn Fn(&Type) -> bool| {
        let mut params = kernels.iter().flat_map(|planned| &planned.kernel.params);
        params.any(|param| wanted(&param.ty))
    };
    let pointers = any(&|ty| matches!(ty, Type::Pointer(_)));
    let raw = any(&holds_addresses);
    let mut text = String::from(
        "With these arguments and this launch configuration the kernel must not access memory out of bounds",
    );
    if pointers {
        text.push_str(",\nmust not write through pointers that C++ declares `const`, and must find the memory behind every\npointer initialized as it expects");
    }
    text.push_str(".\nIt must not race with other work on the same memory.");
    match (pointers, raw) {
        (true, true) => text.push_str(
            " A `DeviceAddress`, and addresses\nwithin structs, must stay valid until the kernel has finished.",
        ),
        (true, false) => text.push_str(
            " A `DeviceAddress` must stay\nvalid until the kernel has finished.",
        ),
        (false, true) => text.push_str(
            " Addresses within structs must stay valid\nuntil the kernel has finished.",
        ),
        (false, false) => {}
    }
    text
}

fn holds_addresses(ty: &Type) -> bool {
    matches!(
        ty,
        Type::Record(_) | Type::TensorMap { .. } | Type::Function
    )
}

fn table(doc: &mut String, module: &Module, planned: &PlannedKernel<'_>) {
    let Some(facts) = module.facts.get(&planned.kernel.symbol) else {
        return;
    };
    if facts.is_empty() {
        return;
    }
    doc.push_str(
        "\n| target | registers | stack | spills | static shared | parameters | barriers |\n",
    );
    doc.push_str("|---|---|---|---|---|---|---|\n");
    let param_bytes: u64 = planned.kernel.params.iter().fold(0, |end, param| {
        let aligned = end
            .checked_next_multiple_of(param.align.max(1))
            .unwrap_or(end);
        aligned.saturating_add(param.size)
    });
    for (target, facts) in facts {
        let resources = &facts.resources;
        let stack = resources
            .stack
            .bytes()
            .map_or_else(|| "unknown".to_owned(), |bytes| format!("{bytes} B"));
        let barriers = resources
            .barriers
            .map_or_else(|| "unknown".to_owned(), |barriers| barriers.to_string());
        let params = match &facts.params {
            cubin_core::Params::Recorded { size, .. } => u64::from(*size),
            cubin_core::Params::NotRecorded => param_bytes,
        };
        let _ = writeln!(
            doc,
            "| `{target}` | {} | {stack} | {} | {} B | {params} B | {barriers} |",
            resources.registers,
            spills(facts),
            resources.static_shared,
        );
    }
    bounds(doc, facts.values());
}

fn spills(facts: &Facts) -> String {
    match (facts.spills, facts.resources.spill_instructions) {
        (Some(Spills { stores, loads }), _) => format!("{stores} B stored, {loads} B loaded"),
        (None, Some(instructions)) => count(u64::from(instructions), "instruction"),
        (None, None) => "unknown".to_owned(),
    }
}

fn bounds<'f>(doc: &mut String, facts: impl Iterator<Item = &'f Facts>) {
    let mut sentences: Vec<String> = Vec::new();
    for facts in facts {
        let launch = &facts.launch;
        if let Some([x, y, z]) = launch.required_threads {
            sentences.push(format!(
                "The block must be exactly {x} x {y} x {z} threads."
            ));
        } else if let Some([x, y, z]) = launch.max_threads {
            let threads = u64::from(x) * u64::from(y) * u64::from(z);
            sentences.push(format!("At most {} per block.", count(threads, "thread")));
        }
        if let Some([x, y, z]) = launch.cluster {
            sentences.push(format!("Runs in clusters of {x} x {y} x {z} blocks."));
        } else if launch.explicit_cluster {
            sentences.push("The launch must give a cluster shape.".to_owned());
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
        names.collect::<Vec<_>>().join(", ")
    };
    let mut doc = format!(
        "Kernels of `{}`, compiled for {}",
        module.source,
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
        let reason: String = reason
            .chars()
            .map(|character| {
                if character.is_control() {
                    ' '
                } else {
                    character
                }
            })
            .collect();
        let _ = write!(doc, "\n- {}: {reason}", code(name));
    }
}
