//! What tests of recorded files share, without cubin-build and without a toolkit: a mutant of cubin-core then costs the
//! compilation of cubin-core and of one program of tests.
//!
//! The tests are those of `cubin-tests`, file by file (`tests/core.rs`). Those among them that run NVIDIA's tools are
//! skipped here, as on a machine without a toolkit.

use std::path::{Path, PathBuf};

// The name under which shared files import what stands in for it below.
extern crate self as cubin_build;

#[path = "../src/recorded.rs"]
pub mod recorded;
// Where there is no toolkit, what follows one is never reached.
#[allow(unreachable_code, unused_variables)]
#[path = "../src/sass.rs"]
pub mod sass;
#[path = "../src/schema.rs"]
pub mod schema;

/// The root of the workspace.
///
/// # Panics
/// When this package is not in its place.
pub fn workspace() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    root.expect("a workspace").to_owned()
}

/// No toolkit: of a type that has no value.
pub fn toolkit() -> Option<toolkit::Toolkit> {
    None
}

/// Whether a missing tool is a failure.
pub fn required() -> bool {
    false
}

/// In the place of `cubin_build::toolkit`.
pub mod toolkit {
    use std::{convert::Infallible, path::PathBuf};

    /// There is none.
    #[derive(Debug)]
    pub struct Toolkit {
        /// Never read.
        pub root: PathBuf,
        pub(crate) never: Infallible,
    }

    impl Toolkit {
        /// Never called.
        pub fn tool(&self, _name: &str) -> Option<PathBuf> {
            match self.never {}
        }
    }
}

/// In the place of `cubin_build::env`.
pub mod env {
    use std::ffi::OsString;

    /// Nothing is recorded anew here, so no variable is set.
    #[derive(Debug)]
    pub struct Env;

    impl Env {
        /// As cubin-build's.
        pub fn process() -> Self {
            Self
        }

        /// Never set.
        pub fn peek(&self, _name: &str) -> Option<OsString> {
            None
        }
    }
}

/// In the place of what runs NVIDIA's tools.
pub mod tools {
    use std::{
        fs,
        path::{Path, PathBuf},
    };

    use super::toolkit::Toolkit;

    /// Never called.
    pub fn tool(toolkit: &Toolkit, _name: &str, _args: &[&str], _dir: &Path) -> String {
        match toolkit.never {}
    }

    /// Never called, as what it would run is compiled with a toolkit first.
    ///
    /// # Panics
    /// Always.
    pub fn run(program: &Path, _args: &[&str], _dir: &Path) -> String {
        panic!("there is no {}", program.display())
    }

    /// Never called: nothing is recorded anew.
    ///
    /// # Panics
    /// Always.
    pub fn same_as_recorded(name: &str, _text: &str) {
        panic!("{name} is not recorded here")
    }

    /// An empty folder below `tmp`, named after the test.
    ///
    /// # Panics
    /// When it cannot be made.
    pub fn scratch(tmp: &str, name: &str) -> PathBuf {
        let dir = Path::new(tmp).join(name);
        if dir.exists() {
            fs::remove_dir_all(&dir).expect("an old scratch folder goes");
        }
        fs::create_dir_all(&dir).expect("a scratch folder");
        dir
    }
}
