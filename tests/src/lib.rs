//! What the integration tests share: recorded files, the toolkit, scratch crates.

mod toolkit;

pub use toolkit::toolkit;
