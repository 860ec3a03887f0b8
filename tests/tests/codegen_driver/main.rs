//! The recorded generated file against a fake driver (`fake_driver/cuda.rs`): every argument reaches the
//! bytes that the cubin records for it, uses of memory are ordered between streams, and every check comes
//! before the launch.
//!
//! The driver library is found when a process starts, so each test runs itself again as a child, by its full name.

mod allocation;
mod arguments;
mod generics;
mod graphs;
mod images;
mod launches;
mod unified;
mod variables;

use std::{path::Path, sync::Arc};

use cubin_tests::fake_driver;
use cudarc::driver::{CudaContext, CudaStream, LaunchConfig};

mod kernels {
    include!("../../golden/codegen/both.rs");
}

use kernels::{families, kinds, more, runtime};

/// Runs `body` in a child, the test `name` itself, whose device has compute capability `device`.
fn under_fake_driver(name: &str, device: &str, body: impl Fn(), check: fn(&[String])) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fake_driver");
    fake_driver::run_under(&folder, name, device, body, check);
}

fn context() -> (Arc<CudaContext>, Arc<CudaStream>) {
    let context = runtime::context(0).expect("the fake driver");
    let stream = context.default_stream();
    (context, stream)
}

fn open() -> (Arc<CudaContext>, Arc<CudaStream>, kinds::Module) {
    let (context, stream) = context();
    let module = kinds::Module::load(&context).expect("an image");
    (context, stream, module)
}

fn open_more() -> (Arc<CudaContext>, Arc<CudaStream>, more::Module) {
    let (context, stream) = context();
    let module = more::Module::load(&context).expect("an image");
    (context, stream, module)
}

fn open_families() -> (Arc<CudaContext>, Arc<CudaStream>, families::Module) {
    let (context, stream) = context();
    let module = families::Module::load(&context).expect("an image");
    (context, stream, module)
}

fn config(grid: u32, block: u32) -> LaunchConfig {
    LaunchConfig {
        grid_dim: (grid, 1, 1),
        block_dim: (block, 1, 1),
        shared_mem_bytes: 0,
    }
}

/// Asserts that `bytes` lie at `offset` of a parameter block.
#[track_caller]
fn assert_bytes(block: &[Option<u8>], offset: usize, bytes: &[u8]) {
    let found: Option<Vec<u8>> = block[offset..offset + bytes.len()]
        .iter()
        .copied()
        .collect();
    assert_eq!(found.as_deref(), Some(bytes), "at byte {offset}");
}

/// Offsets of a kernel's parameters on `target`, as the cubin records them.
fn offsets(target: &str, symbol: &str) -> Vec<usize> {
    let table = fake_driver::param_table(target);
    let line = table
        .lines()
        .find(|line| line.split(' ').next() == Some(symbol))
        .expect("the kernel");
    let words = line.split(' ').skip(1);
    words
        .map(|word| {
            word.split(':')
                .next()
                .expect("an offset")
                .parse()
                .expect("a number")
        })
        .collect()
}
