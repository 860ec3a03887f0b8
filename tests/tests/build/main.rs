//! Real `cargo build`s of small crates: what is compiled again, what fails and how it is said.
//!
//! Every test is a crate of its own in a scratch directory; see `cubin_tests::Project`.

mod budget_fails;
mod embed;
mod errors;
#[cfg(unix)]
mod files;
#[cfg(unix)]
mod incremental;
#[cfg(unix)]
mod installed;
mod instructions;
#[cfg(target_os = "linux")]
mod interrupted;
#[cfg(unix)]
mod library;
#[cfg(unix)]
mod link;
mod messages;
#[cfg(unix)]
mod named;
#[cfg(unix)]
mod prebuilt;
#[cfg(unix)]
mod probed;
mod ptx;
#[cfg(unix)]
mod refused;
#[cfg(target_os = "linux")]
mod reproducible;
#[cfg(unix)]
mod selected;
#[cfg(unix)]
mod signatures;
mod sources;
#[cfg(unix)]
mod typed;
mod verdict;
#[cfg(unix)]
mod virtuals;
#[cfg(unix)]
mod workspace;

use cubin_tests::Project;

/// A kernel without anything special.
const FILL: &str =
    "extern \"C\" __global__ void fill(int *p, int value) { p[threadIdx.x] = value; }\n";

/// A crate with one kernel, built for sm_90; `None` without a toolkit.
fn project(name: &str) -> Option<Project> {
    let toolkit = cubin_tests::toolkit()?;
    let project = Project::new(env!("CARGO_TARGET_TMPDIR"), name, &toolkit);
    project.write("kernels/fill.cu", FILL);
    project.write("cubin.toml", "[build]\narch = [\"sm_90\"]\n");
    Some(project)
}
