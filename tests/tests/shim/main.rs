//! The compile step with fake tools, which write down how they are called and fail as they are told.
#![cfg(unix)]

mod compile;
mod failures;

use std::path::Path;

use cubin_tests::FakeProject;

const NOTHING: [&str; 0] = [];
const BOTH: [&str; 2] = ["kernels/a.cu", "kernels/b.cu"];

fn project(name: &str) -> FakeProject {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("shim")
        .join(name);
    FakeProject::new(&dir, env!("CARGO_BIN_EXE_fake-tool"))
}
