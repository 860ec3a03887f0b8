//! What the integration tests share: recorded files, the toolkit, scratch crates.

mod fake;
mod toolkit;

pub use fake::FakeMachine;
pub use toolkit::toolkit;
