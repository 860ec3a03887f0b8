//! Findings of rules that modules break, and of properties that leave no trace.

use cubin_core::Sm;

use super::rules::{Broken, Rule, Unpassable};
use crate::{
    diag::{Diag, codes},
    lists::{AddAll, CollectVec},
    source::{SourceFile, Span},
};

const NORMALIZE: &str = "`normalize = true` under [nvvm] in cubin.toml";

/// A rule that a module breaks.
#[must_use]
pub fn broken(broken: &Broken, file: &SourceFile) -> Diag {
    let source = file.path().display();
    let targets: Vec<String> = broken.targets.iter().map(Sm::to_string).collect_vec();
    let on = if targets.is_empty() {
        String::new()
    } else {
        format!(" for {}", targets.join(", "))
    };
    let (what, help) = words(&broken.rule);
    let mut diag = Diag::error(
        codes::NVVM_INVALID,
        format!("{source} cannot be compiled{on}: {what}"),
    );
    if let Some(range) = &broken.place {
        diag = diag.at(Span::new(file, range.clone()), "");
    }
    if let Some(kernel) = kernel(&broken.rule) {
        diag = diag.kernel(kernel);
    }
    diag.help(help)
}

fn kernel(rule: &Rule) -> Option<&str> {
    match rule {
        Rule::Linkage { kernel, .. }
        | Rule::Returns { kernel, .. }
        | Rule::Variadic(kernel)
        | Rule::Param { kernel, .. }
        | Rule::Property { kernel, .. }
        | Rule::Conflict { kernel, .. } => Some(kernel),
        _ => None,
    }
}

/// What is wrong, and what to do.
fn words(rule: &Rule) -> (String, String) {
    match rule {
        Rule::Old => (
            "it is written in the syntax of LLVM 3, as NVIDIA's specification still is, and no libnvvm of today reads that"
                .to_owned(),
            "write metadata without its word (`!{i32 2}`), and the type twice where something is loaded (`load float, \
             float* %p`)"
                .to_owned(),
        ),
        Rule::NoTriple => (
            "it has no target triple".to_owned(),
            "write `target triple = \"nvptx64-nvidia-cuda\"`".to_owned(),
        ),
        Rule::Triple(triple) => (
            format!("its target triple is `{triple}`"),
            "write `target triple = \"nvptx64-nvidia-cuda\"`".to_owned(),
        ),
        Rule::NoLayout => (
            "it has no data layout".to_owned(),
            format!(
                "write `target datalayout = \"{}\"`, or {NORMALIZE}",
                super::normal::LAYOUT
            ),
        ),
        Rule::Layout(layout) => (
            format!("its data layout `{layout}` is not that of 64-bit CUDA"),
            format!("write `target datalayout = \"{}\"`", super::normal::LAYOUT),
        ),
        Rule::ShortLayout => (
            "its data layout is LLVM's, which libnvvm's newer reader does not take".to_owned(),
            format!("write the long form `{}`, or {NORMALIZE}", super::normal::LAYOUT),
        ),
        Rule::NoVersion => (
            "it has no `!nvvmir.version`, which stands for version 1.0".to_owned(),
            format!("write `!nvvmir.version = !{{!0}}` and `!0 = !{{i32 2, i32 0}}`, or {NORMALIZE}"),
        ),
        Rule::Version(version) => {
            let numbers: Vec<String> = version.iter().map(i64::to_string).collect_vec();
            (
                format!(
                    "its `!nvvmir.version` is {}, and libnvvm reads 2.0 with debug information up to 3.2",
                    numbers.join(", ")
                ),
                "write `!{i32 2, i32 0}`, or `!{i32 2, i32 0, i32 3, i32 2}` with debug information".to_owned(),
            )
        }
        Rule::Dialect(word) => (
            format!("`{word}` is read by LLVM's newer reader alone, which `latest = false` switches off"),
            "leave `latest` out of [nvvm]: a module that needs the newer reader gets it".to_owned(),
        ),
        Rule::Space { name, space } => (
            format!("variable `{name}` lies in address space {space}"),
            "variables lie in 0 (generic), 1 (global), 3 (shared) or 4 (constant)".to_owned(),
        ),
        Rule::ConstantStore => (
            "it stores to constant memory, which ptxas refuses below sm_100 and nothing notices above".to_owned(),
            "store through a pointer to global memory, `addrspace(1)`".to_owned(),
        ),
        Rule::Name(name) => (
            format!("PTX cannot have the name `{name}`"),
            "names are of letters, digits, `_` and `$`, and begin with no digit".to_owned(),
        ),
        Rule::NoKernel => (
            "none of its functions is a kernel".to_owned(),
            "give a function the calling convention `ptx_kernel`, or an entry of `!nvvm.annotations`: \
             `!{ptr @name, !\"kernel\", i32 1}`"
                .to_owned(),
        ),
        Rule::Linkage { kernel, linkage } => (
            format!("kernel `{kernel}` is `{linkage}`, and libnvvm drops such kernels without a word"),
            format!("define it without `{linkage}`"),
        ),
        Rule::Returns { kernel, ty } => (
            format!("kernel `{kernel}` returns `{ty}`"),
            "a kernel returns `void`; results go through a pointer".to_owned(),
        ),
        Rule::Variadic(kernel) => (
            format!("kernel `{kernel}` takes any number of arguments"),
            "write its parameters out: a launch passes those alone".to_owned(),
        ),
        Rule::Param {
            kernel,
            ordinal,
            ty,
            why,
        } => {
            let (what, help) = unpassable(*why);
            (
                format!("parameter {ordinal} of kernel `{kernel}` has the type `{ty}`, {what}"),
                help.to_owned(),
            )
        }
        Rule::Property { kernel, name } => (
            format!("`{name}` of kernel `{kernel}` has no number, which libnvvm crashes on"),
            "write for example `i32 128` behind it".to_owned(),
        ),
        Rule::Conflict { kernel, names } => (
            format!("kernel `{kernel}` has both `{}` and `{}`, which exclude each other", names[0], names[1]),
            "keep one: a block has at most so many threads, or exactly".to_owned(),
        ),
    }
}

fn unpassable(why: Unpassable) -> (String, &'static str) {
    match why {
        Unpassable::Integer => (
            "and parameters are integers of 1, 8, 16, 32, 64 or 128 bits".to_owned(),
            "take the next larger one; `trunc` it in the kernel",
        ),
        Unpassable::Empty => ("which has no bytes".to_owned(), "leave the parameter out"),
        Unpassable::Space(space) => (
            format!("and there is no address space {space}"),
            "pointers lead to 0 (generic), 1 (global), 3 (shared), 4 (constant) or 5 (local)",
        ),
        Unpassable::Unknown => (
            "whose layout is not known".to_owned(),
            "pass a pointer to it",
        ),
    }
}

/// A property of a kernel of which the cubins for these targets show nothing.
#[must_use]
pub fn dropped(
    kernel: &str,
    property: &str,
    targets: &[Sm],
    place: Option<&Span>,
    help: Option<&str>,
) -> Diag {
    let targets: Vec<String> = targets.iter().map(Sm::to_string).collect_vec();
    let message = format!(
        "`{property}` of kernel `{kernel}` has no effect on {}: nothing in the cubin shows it",
        targets.join(", ")
    );
    let mut diag = Diag::warning(codes::NVVM_DROPPED, message)
        .kernel(kernel)
        .at_place(place, "");
    diag.help.add_all(help.map(str::to_owned));
    diag
}
