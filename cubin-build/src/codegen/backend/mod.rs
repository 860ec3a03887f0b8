//! Driver bindings. A backend is one file that says how a module is loaded and a kernel launched.

mod core;
mod cudarc;

use super::{input, parts::Binding};

/// What writes for this backend.
pub(super) fn of(backend: &input::Backend) -> &'static dyn Binding {
    match backend {
        input::Backend::Cudarc { .. } => &cudarc::Cudarc,
        input::Backend::Core => &core::Core,
    }
}
