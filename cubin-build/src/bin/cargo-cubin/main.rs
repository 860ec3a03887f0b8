//! `cargo cubin`: the command line over `cubin-build`.
fn main() {}
