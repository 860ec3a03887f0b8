//! Tests of cubin-core over recorded files, as one program.

// What these files know from other packages.
extern crate cubin_mutants as cubin_build;
extern crate cubin_mutants as cubin_tests;

#[path = "../../tests/attributes.rs"]
mod attributes;
#[path = "../../tests/core_golden.rs"]
mod core_golden;
#[path = "../../tests/core_patched.rs"]
mod core_patched;
#[path = "../../tests/core_robust.rs"]
mod core_robust;
#[path = "../../tests/core_targets.rs"]
mod core_targets;
#[path = "../../tests/diff.rs"]
mod diff;
#[path = "../../tests/fatbin.rs"]
mod fatbin;
#[path = "../../tests/host.rs"]
mod host;
#[path = "../../tests/image.rs"]
mod image;
#[path = "../../tests/lines.rs"]
mod lines;
#[path = "../../tests/occupancy.rs"]
mod occupancy;
#[path = "../../tests/recorded_views.rs"]
mod recorded_views;
#[path = "../../tests/sass.rs"]
mod sass;
#[path = "../../tests/sass_bits.rs"]
mod sass_bits;
