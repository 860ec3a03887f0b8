//! What the integration tests share: recorded files, the toolkit, NVIDIA's tools.

pub mod recorded;
mod toolkit;
pub mod tools;

pub use toolkit::toolkit;
