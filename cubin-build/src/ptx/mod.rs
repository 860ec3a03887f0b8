//! The text of PTX: its tokens, and what it declares of its kernels.

mod body;
mod entry;
mod model;
pub(crate) mod store;
mod text;

pub use entry::entries;
pub use model::{Class, Directives, Entry, Extent, Param, Pointee, Space};
pub(crate) use text::{Text, Token, not_ptx};
