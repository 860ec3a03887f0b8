//! What the integration tests share: recorded files, the toolkit, NVIDIA's tools.

use std::{
    fs,
    path::{Path, PathBuf},
};

pub mod candle;
mod fake;
pub mod fake_driver;
pub mod heap;
pub mod oracle;
#[cfg(target_os = "linux")]
pub mod processes;
mod project;
pub mod recorded;
pub mod sass;
pub mod schema;
mod toolkit;
pub mod tools;
pub mod user_crate;
pub mod wheels;

pub use fake::{FakeMachine, FakeProject};
#[cfg(unix)]
pub use project::Wrapper;
pub use project::{BUILD, Project, Run, workspace};
pub use toolkit::{TOOLKIT, ccbin, known, knows, required, toolkit, version};

/// The `.cu` files in the folder `tests/<folder>`, by name.
///
/// # Panics
/// When there are none: a test over nothing proves nothing.
pub fn sources(folder: &str) -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut found: Vec<PathBuf> = fs::read_dir(&dir)
        .unwrap_or_else(|error| panic!("{}: {error}", dir.display()))
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "cu"))
        .collect();
    found.sort();
    assert!(!found.is_empty(), "{} holds no sources", dir.display());
    found
}
