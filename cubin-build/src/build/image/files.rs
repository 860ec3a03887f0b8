//! Names of files in signatures: as the package's files are called, not as line markers print them.

use std::path::{Path, PathBuf};

use crate::{lists::CollectText, paths, signature::model::Signatures, sorted::Map};

/// Gives files with letters beyond ASCII their names back.
///
/// In the line markers of `X.cudafe1.gpu` every such byte is three octal digits, without the backslash that would tell
/// them from digits (nvcc 13.5): `\xc3\xbc.cu` is `303274.cu`. The preprocessor's own list of files has the right names.
pub(in super::super) fn restore_names(
    signatures: &mut Signatures,
    dependencies: &mut dyn Iterator<Item = &PathBuf>,
) {
    let renamed: Map<PathBuf, &PathBuf> = dependencies
        .filter_map(|path| {
            if path.as_os_str().as_encoded_bytes().is_ascii() {
                return None;
            }
            let name = path.to_str()?;
            let printed: String = name
                .bytes()
                .map(|byte| match byte {
                    0x80.. => format!("{byte:03o}"),
                    _ => char::from(byte).to_string(),
                })
                .collect_text();
            Some((PathBuf::from(printed), path))
        })
        .collect();
    if renamed.is_empty() {
        return;
    }
    let Signatures {
        kernels,
        records,
        enums,
        ..
    } = signatures;
    let kernels = kernels.iter_mut().map(|kernel| &mut kernel.definition);
    let records = records.iter_mut().map(|record| &mut record.definition);
    let enums = enums.iter_mut().map(|item| &mut item.definition);
    for definition in kernels.chain(records).chain(enums).flatten() {
        if let Some(path) = renamed.get(&definition.file) {
            definition.file.clone_from(path);
        }
    }
}

/// Names files of the package by their place in it, as generated code may not hold a path of this machine.
pub(in super::super) fn relative(signatures: &mut Signatures, root: &Path) {
    let kernels = signatures
        .kernels
        .iter_mut()
        .map(|kernel| &mut kernel.definition);
    let records = signatures
        .records
        .iter_mut()
        .map(|record| &mut record.definition);
    let enums = signatures.enums.iter_mut().map(|item| &mut item.definition);
    for definition in kernels.chain(records).chain(enums).flatten() {
        let full = paths::plain(&root.join(&definition.file));
        match full.strip_prefix(root) {
            Ok(inside) => definition.file = inside.to_owned(),
            Err(_) if definition.file.is_absolute() => definition.file = full,
            Err(_) => {}
        }
    }
}

/// Leaves files outside the package their names alone: that is all that generated code says of them. Others get the
/// separators that every system reads.
pub(in super::super) fn without_dirs(signatures: &mut Signatures) {
    let kernels = signatures
        .kernels
        .iter_mut()
        .flat_map(|kernel| [&mut kernel.definition, &mut kernel.entry]);
    let records = signatures
        .records
        .iter_mut()
        .map(|record| &mut record.definition);
    let enums = signatures.enums.iter_mut().map(|item| &mut item.definition);
    for definition in kernels.chain(records).chain(enums).flatten() {
        if definition.file.is_absolute() {
            let name = definition.file.file_name().map(PathBuf::from);
            definition.file = name.unwrap_or_default();
        } else if cfg!(windows) {
            let path = definition.file.to_string_lossy();
            definition.file = path.replace('\\', "/").into();
        }
    }
}
