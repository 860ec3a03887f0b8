//! What makes a module of another front end one that libnvvm takes: rustc and clang write a shorter data layout and no
//! version.

use super::module::Module;

/// The data layout that every reader takes.
pub(super) const LAYOUT: &str = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-\
                                 v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64";

/// Whether a data layout is one of those that LLVM itself has for 64-bit NVPTX: it lays out every type that a kernel can take
/// as NVIDIA's does.
pub(super) fn is_llvms(layout: &str) -> bool {
    let mut parts = layout.split('-');
    parts.next() == Some("e")
        && parts.all(|part| {
            matches!(
                part,
                "p3:32:32"
                    | "p4:32:32"
                    | "p5:32:32"
                    | "p6:32:32"
                    | "p7:32:32"
                    | "i64:64"
                    | "i128:128"
                    | "i256:256"
                    | "v16:16"
                    | "v32:32"
                    | "n16:32:64"
            )
        })
}

/// The text with NVIDIA's data layout in place of LLVM's own, and with a version where there is none. Every line but the
/// first keeps its columns.
#[must_use]
pub fn normalized(text: &str, module: &Module) -> String {
    let mut out = String::with_capacity(text.len() + 512);
    match &module.layout {
        Some(layout) if is_llvms(&layout.value) => {
            out.push_str(text.get(..layout.range.start).unwrap_or_default());
            out.push_str(&format!("\"{LAYOUT}\""));
            out.push_str(text.get(layout.range.end..).unwrap_or_default());
        }
        Some(_) => out.push_str(text),
        None => {
            out.push_str(&format!("target datalayout = \"{LAYOUT}\" "));
            out.push_str(text);
        }
    }
    if module.version.is_none() {
        let free = module
            .nodes
            .keys()
            .last()
            .map_or(0, |last| last.saturating_add(1));
        out.push_str(&format!(
            "\n!nvvmir.version = !{{!{free}}}\n!{free} = !{{i32 2, i32 0}}\n"
        ));
    }
    out
}
