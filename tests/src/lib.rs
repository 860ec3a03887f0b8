//! What the integration tests share: recorded files, the toolkit, scratch crates.

pub mod recorded;
pub mod toolkit;
