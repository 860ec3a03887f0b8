//! What the integration tests share: recorded files, the toolkit, NVIDIA's tools.

mod fake;
pub mod recorded;
mod toolkit;
pub mod tools;

pub use fake::FakeMachine;
pub use toolkit::toolkit;
