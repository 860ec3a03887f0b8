//! Findings about artefacts that the policy has no words for.

use std::path::Path;

use cubin_build::{Diag, Span, diag::codes, source::Spanned, words::counted};

use crate::files::shown;

/// The baseline that cubin.toml names cannot be read.
pub(super) fn no_baseline(named: &Spanned<String>, error: &std::io::Error) -> Diag {
    let message = format!("cannot read the baseline {}: {error}", named.value);
    Diag::error(codes::BASELINE_INVALID, message)
        .at(Span::clone(&named.span), "named here")
        .help("run `cargo cubin baseline write` to make it, or take the [baseline] table out")
}

/// Device code that is damaged.
pub(super) fn unreadable(path: &Path, why: &str) -> Diag {
    let message = format!(
        "{} holds device code that cannot be read: {why}",
        shown(path)
    );
    Diag::error(codes::ARTIFACT_UNREADABLE, message)
        .help("build the file again; `cargo cubin inspect` shows what of it can be read")
}

/// Kernels that nvlink is still to link.
pub(super) fn relocatable(path: &Path, cubins: usize) -> Diag {
    let what = counted(cubins as u64, "relocatable cubin");
    let message = format!("{} holds {what}, whose figures are not final", shown(path));
    Diag::warning(codes::ARTIFACT_NOT_JUDGED, message)
        .note("nvlink adds the stack and the registers of the functions that their kernels call")
        .help("judge the executable or library that they are linked into")
}

/// Code without machine code beside it.
pub(super) fn no_machine_code(path: &Path, kinds: &[String]) -> Diag {
    let message = format!(
        "{} holds device code without a cubin: {}",
        shown(path),
        kinds.join(", ")
    );
    Diag::warning(codes::ARTIFACT_NOT_JUDGED, message)
        .note(
            "the driver or the linker compiles it, and only then is it known what its kernels use",
        )
        .help("compile it for a target as well: `-gencode arch=compute_90,code=sm_90`")
}
