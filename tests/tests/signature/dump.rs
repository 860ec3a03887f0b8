//! Signatures as text, for golden files: no machine paths, no hashes of paths.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use cubin_build::signature::model::{Pointer, Signatures, Space, Type};

/// Everything in `signatures`, one line per kernel, parameter, record, member, enum and variable.
pub(crate) fn dump(signatures: &Signatures) -> String {
    let mut out = String::new();
    for kernel in &signatures.kernels {
        _ = write!(out, "kernel {} = {}", kernel.name, mask(&kernel.symbol));
        _ = write!(
            out,
            " [{}] {}",
            kernel.namespaces.join("/"),
            kernel.base_name
        );
        if !kernel.template_args.is_empty() {
            let args = kernel.template_args.iter();
            let args: Vec<&str> = args.map(|arg| arg.text.as_str()).collect();
            _ = write!(out, " <{}>", args.join(" | "));
        }
        if let Some(threads) = kernel.max_threads {
            _ = write!(out, " max_threads={threads}");
        }
        if let Some(definition) = &kernel.definition {
            let file = definition.file.file_name().unwrap_or_default();
            _ = write!(out, " {}:{}", file.display(), definition.line);
        }
        if kernel.in_toolkit_header {
            out.push_str(" toolkit");
        }
        out.push('\n');
        for param in &kernel.params {
            _ = writeln!(
                out,
                "  {}{}: {} = {} size {} align {}",
                param.name.as_deref().unwrap_or("-"),
                if param.pack { "..." } else { "" },
                param.c_type,
                ty(signatures, &param.ty),
                param.size,
                param.align
            );
        }
        if let Some(refusal) = &kernel.refusal {
            let at = refusal
                .param
                .as_ref()
                .map(|(ordinal, _)| format!(" parameter {ordinal}"))
                .unwrap_or_default();
            _ = writeln!(out, "  refused{at}: {}", refusal.reason);
            if let Some(help) = &refusal.help {
                _ = writeln!(out, "  help: {help}");
            }
        }
    }
    for record in &signatures.records {
        _ = write!(
            out,
            "{} {} size {} align {}",
            if record.is_union { "union" } else { "struct" },
            record.name,
            record.size,
            record.align
        );
        if record.unnamed {
            out.push_str(" unnamed");
        }
        if let Some(packed) = record.packed {
            _ = write!(out, " packed({packed})");
        }
        out.push('\n');
        for field in &record.fields {
            _ = write!(
                out,
                "  {:>3} +{} {}: {} = {}",
                field.offset,
                field.size,
                field.name,
                field.c_type,
                ty(signatures, &field.ty)
            );
            if let Some((bit, width)) = field.bits {
                _ = write!(out, " bits {bit}..{}", bit + u64::from(width));
            }
            out.push('\n');
        }
    }
    for found in &signatures.enums {
        _ = writeln!(
            out,
            "enum {} {:?} {:?}",
            found.name, found.repr, found.values
        );
    }
    for global in &signatures.globals {
        _ = writeln!(
            out,
            "{} {} = {} size {}: {}",
            match global.space {
                Space::Constant => "__constant__",
                Space::Device => "__device__",
                Space::Managed => "__managed__",
            },
            global.name,
            mask(&global.symbol),
            global.size,
            global.c_type.as_deref().unwrap_or("?")
        );
    }
    out
}

fn ty(signatures: &Signatures, found: &Type) -> String {
    match found {
        Type::Void => "void".into(),
        Type::Scalar(scalar) => format!("{scalar:?}"),
        Type::Vector(vector) if vector.dim3 => "dim3".into(),
        Type::Vector(vector) => {
            format!("{:?}x{}:{}", vector.element, vector.lanes, vector.align)
        }
        Type::Pointer(Pointer {
            pointee,
            is_const,
            is_volatile,
            reference,
            restrict,
        }) => format!(
            "{}{}{}{} {}",
            if *reference { "&" } else { "*" },
            if *restrict { "restrict " } else { "" },
            if *is_const { "const" } else { "mut" },
            if *is_volatile { " volatile" } else { "" },
            ty(signatures, pointee)
        ),
        Type::Array(of, count) => format!("[{}; {count}]", ty(signatures, of)),
        Type::Record(id) => signatures.records[id.0].name.clone(),
        Type::Enum(id) => format!("enum {}", signatures.enums[id.0].name),
        Type::Function => "function".into(),
        Type::Opaque(name) => format!("opaque {name}"),
        Type::TensorMap { align } => format!("tensormap:{align}"),
    }
}

/// Hides the hashes in symbols of anonymous namespaces and internal variables; they depend on the file's path.
fn mask(symbol: &str) -> String {
    let mut out = symbol.to_owned();
    for mark in ["_GLOBAL__N__", "_INTERNAL_"] {
        let mut from = 0;
        while let Some(at) = out[from..].find(mark).map(|at| from + at + mark.len()) {
            let end = (at + 8).min(out.len());
            out.replace_range(at..end, "HASH");
            from = at;
        }
    }
    if let Some(at) = out.find("_cu_").filter(|_| out.contains("HASH")) {
        let at = at + 4;
        if out.len() >= at + 8 && out[at..at + 8].bytes().all(|byte| byte.is_ascii_hexdigit()) {
            out.replace_range(at..at + 8, "HASH");
        }
    }
    out
}

/// The torture case `<name>.cu`.
pub(crate) fn case(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("cases/torture")
        .join(format!("{name}.cu"))
}
