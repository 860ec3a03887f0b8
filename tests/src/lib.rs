//! What the integration tests share: recorded files, the toolkit, NVIDIA's tools.

pub mod candle;
pub mod oracle;
pub mod recorded;
mod toolkit;
pub mod tools;
pub mod user_crate;

pub use toolkit::{TOOLKIT, required, toolkit};
