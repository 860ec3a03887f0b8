//! The list of its wheels that an installed toolkit or component has.

use std::{fs, path::Path};

use crate::lists::CollectVec;

/// Its name.
pub(super) const RECEIPT: &str = "cubin-build-wheels.txt";

/// The receipt of a toolkit that was installed here, on one line; `root` is `…/nvidia/cu13`.
pub(super) fn receipt_of(root: &Path) -> Option<String> {
    let text = fs::read_to_string(root.parent()?.parent()?.join(RECEIPT)).ok()?;
    let line = text.lines().collect_vec().join(", ");
    (!line.is_empty()).then_some(line)
}
