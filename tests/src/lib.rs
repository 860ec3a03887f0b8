//! What the integration tests share: recorded files, the toolkit, NVIDIA's tools.

pub mod candle;
mod fake;
pub mod fake_driver;
pub mod heap;
pub mod oracle;
mod project;
pub mod recorded;
mod toolkit;
pub mod tools;
pub mod user_crate;

pub use fake::{FakeMachine, FakeProject};
#[cfg(unix)]
pub use project::Wrapper;
pub use project::{BUILD, Project, Run, workspace};
pub use toolkit::{TOOLKIT, required, toolkit};
