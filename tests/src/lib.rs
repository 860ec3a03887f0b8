//! What the integration tests share: recorded files, the toolkit, NVIDIA's tools.

mod fake;
mod project;
pub mod candle;
pub mod oracle;
pub mod recorded;
mod toolkit;
pub mod tools;

pub use fake::FakeMachine;
#[cfg(unix)]
pub use project::Wrapper;
pub use project::{BUILD, Project, Run, workspace};
pub use toolkit::toolkit;
pub use toolkit::{TOOLKIT, required, toolkit};
