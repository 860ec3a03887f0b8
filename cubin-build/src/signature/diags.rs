//! Findings of what signatures, cubins and targets do not agree on, and of kernels that get no wrapper.

use super::{
    Finding, Problem, VariableFinding,
    declared::Wrong,
    model::{Kernel, Refusal},
};
use crate::{
    diag::{Diag, codes},
    lists::AddAll,
    source::Span,
};

const REPORT: &str = "this is a bug in cubin-build or a new nvcc: please report it with the source";

/// Signature and cubin, or two targets, do not agree. `place` is that of the kernel; `remark` is what came of asking the
/// compiler.
#[must_use]
pub fn mismatch(finding: &Finding, place: Option<&Span>, remark: Option<&str>) -> Diag {
    let (code, help) = match finding.problem {
        Problem::NotInCubin | Problem::NotRegistered => (codes::KERNEL_SET_MISMATCH, REPORT),
        Problem::Differs { .. } => (
            codes::SIGNATURE_DIFFERS,
            "give the kernels different names, or the same parameters on every target",
        ),
        _ => (
            codes::SIGNATURE_MISMATCH,
            "a type with a `long double`, or one that the compiler could not be asked about, cannot be laid out from what \
             it prints; pass such data through a pointer",
        ),
    };
    let message = format!(
        "kernel `{}` on {}: {}",
        finding.kernel, finding.target, finding.problem
    );
    let diag = Diag::error(code, message)
        .kernel(finding.kernel.clone())
        .help(help)
        .at_place(place, "");
    remarked(diag, remark)
}

/// Host code and cubin do not agree on a module variable of `source`.
#[must_use]
pub fn variable(source: &str, finding: &VariableFinding) -> Diag {
    let message = format!(
        "variable `{}` of {source} on {}: {}",
        finding.name, finding.target, finding.problem
    );
    Diag::error(codes::SIGNATURE_MISMATCH, message).help(REPORT)
}

/// A kernel that is compiled and checked, but gets no wrapper.
#[must_use]
pub fn refused(
    kernel: &Kernel,
    refusal: &Refusal,
    place: Option<&Span>,
    remark: Option<&str>,
) -> Diag {
    let message = format!(
        "no launch wrapper for `{}`: {}",
        kernel.name, refusal.reason
    );
    no_wrapper(message, kernel, refusal, place, remark)
}

/// `count` instances of one template of `source` that get no wrapper; `kernel` is the first.
#[must_use]
pub fn refused_many(
    (template, source, count): (&str, &str, usize),
    kernel: &Kernel,
    refusal: &Refusal,
    place: Option<&Span>,
    remark: Option<&str>,
) -> Diag {
    let message = format!(
        "no launch wrapper for {count} instances of `{template}` in {source}: {}",
        refusal.reason
    );
    let first = format!("the first is `{}`", kernel.name);
    let mut diag = no_wrapper(message, kernel, refusal, place, remark);
    diag.notes.insert(0, first);
    diag
}

fn no_wrapper(
    message: String,
    kernel: &Kernel,
    refusal: &Refusal,
    place: Option<&Span>,
    remark: Option<&str>,
) -> Diag {
    let mut diag = Diag::warning(codes::KERNEL_REFUSED, message)
        .kernel(kernel.name.clone())
        .at_place(place, "");
    diag.help.add_all(refusal.help.clone());
    remarked(diag, remark)
}

fn remarked(diag: Diag, remark: Option<&str>) -> Diag {
    match remark {
        Some(remark) => diag.note(remark),
        None => diag,
    }
}

/// Parameters that are declared in `cubin.toml`, at `place`, and that the cubin does not have.
#[must_use]
pub fn declared(wrong: &Wrong, place: Option<&Span>) -> Diag {
    let message = format!(
        "the declared parameters of `{}` do not fit: {}",
        wrong.symbol, wrong.why
    );
    Diag::error(codes::SIGNATURE_MISMATCH, message).at_place(place, "")
}

/// A host function of a static library that gets no declaration.
#[cfg(feature = "library")]
#[must_use]
pub fn host_function(name: &str, why: &str, place: Option<&Span>) -> Diag {
    let message = format!("host function `{name}` gets no declaration: {why}");
    Diag::warning(codes::HOST_FUNCTION_REFUSED, message)
        .at_place(place, "")
        .help("declare it by hand in an `unsafe extern \"C\"` block, or give it parameters that C has")
}
