//! What a launch must pass to a kernel, as one line: what a baseline locks.
//!
//! Names of parameters and of members are left out, and `__restrict__`, since no launch depends on them. The layout of a
//! record is a digest of its members' places and types.

use super::model::{Kernel, Record, Signatures, Type};
use crate::{cache::ContentHash, lists::CollectVec};

/// Digits of a layout's digest: two layouts of one type and size are told apart.
const DIGITS: usize = 12;

/// The types of the parameters: `(const float *, Params [24 bytes, layout 0f3a8b61c2d4], int)`. `None` when they are not
/// known.
pub(crate) fn of(kernel: &Kernel, signatures: &Signatures) -> Option<String> {
    if kernel.refusal.is_some() {
        return None;
    }
    let mut params = Vec::new();
    for param in &kernel.params {
        let mut text = plain(&param.c_type);
        match &param.ty {
            Type::Record(id) => {
                let record = signatures.records.get(id.0)?;
                let mut layout = String::new();
                write_layout(record, signatures, &mut layout);
                let digest = ContentHash::of(layout.as_bytes()).to_string();
                let digest = digest.get(..DIGITS).unwrap_or(&digest);
                text.push_str(&format!(" [{} bytes, layout {digest}]", param.size));
            }
            Type::Enum(_) | Type::Opaque(_) | Type::Array(..) => {
                text.push_str(&format!(" [{} bytes]", param.size));
            }
            _ => {}
        }
        params.push(text);
    }
    Some(format!("({})", params.join(", ")))
}

/// That of a kernel of which sizes alone are known.
pub(crate) fn of_sizes(params: &cubin_core::Params) -> Option<String> {
    let cubin_core::Params::Recorded { params, .. } = params else {
        return None;
    };
    let sizes = params.iter().map(|param| format!("{} bytes", param.size));
    Some(format!("({})", sizes.collect_vec().join(", ")))
}

/// A type as it is written without what no launch depends on.
fn plain(c_type: &str) -> String {
    let text = c_type.replace("__restrict__", "");
    let words = text.split_whitespace().collect_vec();
    words.join(" ")
}

/// Each member with its place; those of records in records in their stead.
fn write_layout(record: &Record, signatures: &Signatures, out: &mut String) {
    let union = if record.is_union { "union" } else { "struct" };
    out.push_str(&format!("{union} {} {} {{", record.size, record.align));
    for field in &record.fields {
        out.push_str(&format!("{} {} ", field.offset, field.size));
        if let Some((first, width)) = field.bits {
            out.push_str(&format!("bits {first} {width} "));
        }
        let mut ty = &field.ty;
        while let Type::Array(element, length) = ty {
            out.push_str(&format!("[{length}] "));
            ty = element;
        }
        let inner = match ty {
            Type::Record(id) => signatures.records.get(id.0),
            _ => None,
        };
        match inner {
            Some(inner) => write_layout(inner, signatures, out),
            None => out.push_str(&plain(&field.c_type)),
        }
        out.push(';');
    }
    out.push('}');
}
