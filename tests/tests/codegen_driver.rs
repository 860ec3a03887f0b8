//! The recorded generated file against a fake driver (`fake_driver/cuda.rs`): every argument reaches the
//! bytes that the cubin records for it, uses of memory are ordered between streams, and every check comes
//! before the launch.
//!
//! The driver library is found when a process starts, so each test runs itself again as a child.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use cubin_tests::fake_driver::{self, block};
use cudarc::driver::{CudaContext, CudaStream, LaunchConfig};

mod kernels {
    include!("../golden/codegen/both.rs");
}

use kernels::{
    families,
    kinds::{self, Module},
    more,
    runtime::{DeviceAddress, Launch, LaunchError, Reason, Target},
    types,
};

/// Counts what this program allocates; the driver library has an allocator of its own.
struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: passes everything on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static GLOBAL: Counting = Counting;

fn under_fake_driver(name: &str, device: &str, body: fn(), check: fn(&[String])) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fake_driver");
    fake_driver::run_under(&folder, name, device, body, check);
}

fn open() -> (Arc<CudaContext>, Arc<CudaStream>, Module) {
    let context = kernels::runtime::context(0).expect("the fake driver");
    let stream = context.default_stream();
    let module = Module::load(&context).expect("an image");
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

#[test]
fn scalars_arrive_byte_for_byte() {
    under_fake_driver(
        "scalars_arrive_byte_for_byte",
        "9.0",
        || {
            let (_context, stream, module) = open();
            let mut out = DeviceAddress::<f64>::new(0x1122_3344_5566_7788);
            // SAFETY: nothing runs.
            unsafe {
                module.scalars(
                    &stream,
                    config(1, 32),
                    true,
                    2,
                    -3,
                    4,
                    -5,
                    6,
                    -7,
                    8,
                    -9,
                    10,
                    -11,
                    12,
                    13,
                    1.5,
                    -2.5,
                    14,
                    15,
                    16,
                    -(1 << 100),
                    &mut out,
                )
            }
            .expect("a launch");
        },
        |log| {
            let block = block(log, "scalars");
            let at = offsets("sm_90a", "scalars");
            assert_bytes(&block, at[0], &[1]);
            assert_bytes(&block, at[1], &[2]);
            assert_bytes(&block, at[2], &(-3_i8).to_le_bytes());
            assert_bytes(&block, at[3], &[4]);
            assert_bytes(&block, at[4], &(-5_i16).to_le_bytes());
            assert_bytes(&block, at[5], &6_u16.to_le_bytes());
            assert_bytes(&block, at[6], &(-7_i32).to_le_bytes());
            assert_bytes(&block, at[7], &8_u32.to_le_bytes());
            assert_bytes(&block, at[8], &(-9_i64).to_le_bytes());
            assert_bytes(&block, at[9], &10_u64.to_le_bytes());
            assert_bytes(&block, at[10], &(-11_i64).to_le_bytes());
            assert_bytes(&block, at[11], &12_u64.to_le_bytes());
            assert_bytes(&block, at[12], &13_u64.to_le_bytes());
            assert_bytes(&block, at[13], &1.5_f32.to_le_bytes());
            assert_bytes(&block, at[14], &(-2.5_f64).to_le_bytes());
            assert_bytes(&block, at[15], &14_i32.to_le_bytes());
            assert_bytes(&block, at[16], &15_u16.to_le_bytes());
            assert_bytes(&block, at[17], &16_u32.to_le_bytes());
            assert_bytes(&block, at[18], &(-(1_i128 << 100)).to_le_bytes());
            assert_bytes(&block, at[19], &0x1122_3344_5566_7788_u64.to_le_bytes());
        },
    );
}

#[test]
fn halves_and_vectors_arrive_byte_for_byte() {
    under_fake_driver(
        "halves_and_vectors_arrive_byte_for_byte",
        "8.6",
        || {
            let (_context, stream, module) = open();
            let input = DeviceAddress::<types::Half>::new(1);
            let mut output = DeviceAddress::<types::BFloat16>::new(2);
            let half = types::Half2 {
                x: types::Half(0x1112),
                y: types::Half(0x1314),
            };
            let brain = types::BFloat16x2 {
                x: types::BFloat16(0x2122),
                y: types::BFloat16(0x2324),
            };
            // SAFETY: nothing runs.
            unsafe {
                module.halves(
                    &stream,
                    config(1, 32),
                    types::Half(0x3c00),
                    types::BFloat16(0x3f80),
                    types::Fp8E4M3(0x38),
                    types::Fp8E5M2(0x3c),
                    half,
                    brain,
                    &input,
                    &mut output,
                )
            }
            .expect("a launch");
            let mut output = DeviceAddress::null();
            // SAFETY: nothing runs.
            unsafe {
                module.vectors(
                    &stream,
                    config(1, 32),
                    types::Char3 { x: 1, y: 2, z: -3 },
                    types::UChar4 {
                        x: 4,
                        y: 5,
                        z: 6,
                        w: 7,
                    },
                    types::Short2 { x: -8, y: 9 },
                    types::Int3 {
                        x: 10,
                        y: 11,
                        z: 12,
                    },
                    types::Float2 { x: 1.0, y: 2.0 },
                    types::Float3 {
                        x: 3.0,
                        y: 4.0,
                        z: 5.0,
                    },
                    types::Float4 {
                        x: 6.0,
                        y: 7.0,
                        z: 8.0,
                        w: 9.0,
                    },
                    types::Double2 { x: 10.0, y: 11.0 },
                    types::ULongLong2 { x: 13, y: 14 },
                    types::Dim3 {
                        x: 15,
                        y: 16,
                        z: 17,
                    },
                    &mut output,
                )
            }
            .expect("a launch");
        },
        |log| {
            let halves = block(log, "halves");
            let at = offsets("sm_80", "halves");
            for (index, bytes) in [
                &[0x00, 0x3c][..],
                &[0x80, 0x3f],
                &[0x38],
                &[0x3c],
                &[0x12, 0x11, 0x14, 0x13],
            ]
            .iter()
            .enumerate()
            {
                assert_bytes(&halves, at[index], bytes);
            }
            assert_bytes(&halves, at[5], &[0x22, 0x21, 0x24, 0x23]);
            let vectors = block(log, "vectors");
            let at = offsets("sm_80", "vectors");
            assert_bytes(&vectors, at[0], &[1, 2, 0xfd]);
            assert_bytes(&vectors, at[1], &[4, 5, 6, 7]);
            assert_bytes(&vectors, at[2], &[0xf8, 0xff, 9, 0]);
            assert_bytes(&vectors, at[3] + 8, &12_i32.to_le_bytes());
            assert_bytes(&vectors, at[4] + 4, &2_f32.to_le_bytes());
            assert_bytes(&vectors, at[5] + 8, &5_f32.to_le_bytes());
            assert_bytes(&vectors, at[6] + 12, &9_f32.to_le_bytes());
            assert_bytes(&vectors, at[7] + 8, &11_f64.to_le_bytes());
            assert_bytes(&vectors, at[8] + 8, &14_u64.to_le_bytes());
            assert_bytes(&vectors, at[9] + 8, &17_u32.to_le_bytes());
            assert_bytes(&vectors, at[10], &[0; 8]);
        },
    );
}

#[test]
fn records_arrive_byte_for_byte() {
    under_fake_driver(
        "records_arrive_byte_for_byte",
        "9.0",
        || {
            let (_context, stream, module) = open();
            let shape = kinds::Shape {
                n: 0x0102_0304,
                flags: 5,
                scale: 1.25,
            };
            let vector = |x| types::Float3 {
                x,
                y: x + 1.0,
                z: x + 2.0,
            };
            let ray = kinds::geo::Ray {
                origin: vector(1.0),
                direction: vector(4.0),
                t: 7.0,
            };
            let aligned = kinds::Aligned::new(b'a'.cast_signed(), 0x1122_3344, b'z'.cast_signed());
            let packed = kinds::Packed {
                a: 1,
                b: 0x0203_0405,
                c: 0x0607,
            };
            let mut bits = kinds::Bits::new(0x0809_0a0b);
            bits.set_kind(5);
            bits.set_level(-7);
            bits.set_on(1);
            bits.set_wide(0xab_cdef_0123);
            assert_eq!(
                (bits.kind(), bits.level(), bits.on(), bits.wide()),
                (5, -7, 1, 0xab_cdef_0123)
            );
            let number = kinds::Number { f: 1.5 };
            let mut node = kinds::Node {
                next: DeviceAddress::new(0x1111),
                values: DeviceAddress::new(0x2222),
                number,
                mode: kinds::geo::Mode::r#type.0,
                shapes: [shape; 2],
            };
            node.shapes[1].n = 77;
            let vec = kinds::geo::Vec_f32_4 {
                v: [1.0, 2.0, 3.0, 4.0],
            };
            let mut out = DeviceAddress::new(0x3333);
            // SAFETY: nothing runs.
            unsafe {
                module.records(
                    &stream,
                    config(1, 32),
                    shape,
                    ray,
                    aligned,
                    packed,
                    bits,
                    number,
                    kinds::Empty::default(),
                    node,
                    vec,
                    &mut out,
                )
            }
            .expect("a launch");
            let mut big = kinds::Big::default();
            big.values[0] = 1.0;
            big.values[1499] = 2.0;
            // SAFETY: nothing runs.
            unsafe { module.big(&stream, config(1, 32), &big, &mut out) }.expect("a launch");
            // SAFETY: nothing runs.
            unsafe {
                module.enums(
                    &stream,
                    config(1, 32),
                    kinds::Level::Low,
                    kinds::geo::Mode(200),
                    &mut DeviceAddress::null(),
                )
            }
            .expect("a launch");
        },
        |log| {
            let block_of_records = block(log, "records");
            let at = offsets("sm_90a", "records");
            let here = |offset, bytes: &[u8]| assert_bytes(&block_of_records, offset, bytes);
            here(at[0], &0x0102_0304_i32.to_le_bytes());
            here(at[0] + 4, &[5]);
            here(at[0] + 8, &1.25_f64.to_le_bytes());
            here(at[1] + 8, &3_f32.to_le_bytes());
            here(at[1] + 12, &4_f32.to_le_bytes());
            here(at[1] + 24, &7_f32.to_le_bytes());
            here(at[2], b"a");
            here(at[2] + 16, &0x1122_3344_i32.to_le_bytes());
            here(at[2] + 20, b"z");
            here(at[3], &[1, 5, 4, 3, 2, 7, 6]);
            // kind 5, level -7 (0b11001), on: 0b1_11001_101; wide starts a new unit of eight bytes only if
            // it does not fit: it follows at bit 9.
            let first = 5_u64 | (0b11001 << 3) | (1 << 8) | (0xab_cdef_0123 << 9);
            here(at[4], &first.to_le_bytes()[..7]);
            here(at[4] + 8, &0x0809_0a0b_i32.to_le_bytes());
            here(at[5], &1.5_f32.to_le_bytes());
            here(at[7], &0x1111_u64.to_le_bytes());
            here(at[7] + 8, &0x2222_u64.to_le_bytes());
            here(at[7] + 16, &1.5_f32.to_le_bytes());
            here(at[7] + 24, &[7]);
            here(at[7] + 48, &77_i32.to_le_bytes());
            here(at[8] + 12, &4_f32.to_le_bytes());
            here(at[9], &0x3333_u64.to_le_bytes());
            let big = block(log, "big");
            assert_eq!(big.len(), 6008);
            assert_bytes(&big, 0, &1_f32.to_le_bytes());
            assert_bytes(&big, 5996, &2_f32.to_le_bytes());
            let enums = block(log, "enums");
            let at = offsets("sm_90a", "enums");
            assert_bytes(&enums, at[0], &(-1_i32).to_le_bytes());
            assert_bytes(&enums, at[1], &[200]);
        },
    );
}

#[test]
fn memory_is_ordered_between_streams() {
    under_fake_driver(
        "memory_is_ordered_between_streams",
        "9.0",
        || {
            let (context, stream, module) = open();
            let other = context.new_stream().expect("a stream");
            let x = stream.alloc_zeros::<f32>(8).expect("memory");
            let mut y = other.alloc_zeros::<f32>(8).expect("memory");
            // SAFETY: nothing runs.
            unsafe {
                module.saxpy(
                    &other,
                    LaunchConfig::for_num_elems(8).with_block(128),
                    8,
                    2.0,
                    &x,
                    &mut y,
                )
            }
            .expect("a launch");
        },
        |log| {
            let launch = log
                .iter()
                .position(|line| line.starts_with("launch saxpy"))
                .expect("a launch");
            // Before it: the write of x; the read and the write of y. After it: the read of x, the write of y.
            assert!(
                log[launch - 3..launch]
                    .iter()
                    .all(|line| line.starts_with("wait ")),
                "{log:#?}"
            );
            assert!(
                log[launch + 1..launch + 3]
                    .iter()
                    .all(|line| line.starts_with("record ")),
                "{log:#?}"
            );
        },
    );
}

/// cudarc's own helper always takes 1,024 threads.
trait WithBlock {
    fn with_block(self, threads: u32) -> Self;
}

impl WithBlock for LaunchConfig {
    fn with_block(mut self, threads: u32) -> Self {
        self.block_dim.0 = threads;
        self
    }
}

#[test]
fn limits_are_checked_before_the_launch() {
    under_fake_driver(
        "limits_are_checked_before_the_launch",
        "9.0",
        || {
            let (_context, stream, module) = open();
            let fails = |launch: Launch| {
                // SAFETY: nothing runs.
                let result = unsafe { module.nothing(&stream, launch) };
                let error = result.expect_err("a launch beyond the limits");
                assert_eq!(error.kernel, "nothing");
                assert!(
                    error.to_string().starts_with("cannot launch `nothing`: "),
                    "{error}"
                );
                error.reason
            };
            let with = |grid_dim, block_dim, shared_mem_bytes| {
                Launch::from(LaunchConfig {
                    grid_dim,
                    block_dim,
                    shared_mem_bytes,
                })
            };
            let plain = config(1, 32);
            assert!(matches!(
                fails(with((0, 1, 1), (32, 1, 1), 0)),
                Reason::Grid { .. }
            ));
            assert!(matches!(
                fails(with((1, 65_536, 1), (32, 1, 1), 0)),
                Reason::Grid { .. }
            ));
            assert!(matches!(
                fails(with((1, 1, 1), (32, 0, 1), 0)),
                Reason::Block { .. }
            ));
            assert!(matches!(
                fails(with((1, 1, 1), (1, 1, 65), 0)),
                Reason::Block { .. }
            ));
            let threads = fails(with((1, 1, 1), (32, 32, 2), 0));
            assert_eq!(
                threads,
                Reason::Threads {
                    threads: 2048,
                    limit: 1024
                }
            );
            // The driver's own count, which includes registers, is lower than the device's.
            let threads = fails(with((1, 1, 1), (1024, 1, 1), 0));
            assert_eq!(
                threads,
                Reason::Threads {
                    threads: 1024,
                    limit: 512
                }
            );
            let shared = fails(with((1, 1, 1), (32, 1, 1), 300_000));
            assert_eq!(
                shared,
                Reason::SharedMemory {
                    dynamic: 300_000,
                    fixed: 0,
                    limit: 232_448
                }
            );
            assert!(matches!(
                fails(Launch::clustered(plain, (0, 1, 1))),
                Reason::Cluster { .. }
            ));
            assert!(matches!(
                fails(Launch::clustered(plain, (32, 1, 1))),
                Reason::Cluster { .. }
            ));
            assert!(matches!(
                fails(Launch::clustered(config(3, 32), (2, 1, 1))),
                Reason::ClusterGrid { .. }
            ));
            // `__launch_bounds__(128)`
            // SAFETY: nothing runs.
            let bounds =
                unsafe { module.load_(&stream, config(1, 256), &mut DeviceAddress::null()) };
            let reason = bounds.expect_err("too many threads").reason;
            assert_eq!(
                reason,
                Reason::Threads {
                    threads: 256,
                    limit: 128
                }
            );
            let foreign = kernels::runtime::KernelInfo {
                symbol: "foreign",
                ..kinds::info::SAXPY
            };
            let error = module.cu_function(&foreign).expect_err("no such kernel");
            assert_eq!(error.reason, Reason::OtherModule("kinds"));
        },
        |log| {
            let launches: Vec<_> = log
                .iter()
                .filter(|line| line.starts_with("launch"))
                .collect();
            assert!(launches.is_empty(), "{launches:#?}");
        },
    );
}

#[test]
fn other_kinds_of_launches_reach_the_driver() {
    under_fake_driver(
        "other_kinds_of_launches_reach_the_driver",
        "9.0",
        || {
            let (_context, stream, module) = open();
            let mut config = config(4, 64);
            // SAFETY: nothing runs.
            unsafe {
                module
                    .nothing(&stream, Launch::cooperative(config))
                    .expect("a launch");
                module
                    .nothing(&stream, Launch::clustered(config, (2, 1, 1)))
                    .expect("a launch");
                config.shared_mem_bytes = 100_000;
                module.nothing(&stream, config).expect("a launch");
                module.nothing(&stream, config).expect("a launch");
            }
        },
        |log| {
            let calls: Vec<&str> = log
                .iter()
                .map(String::as_str)
                .filter(|line| line.contains(" _") || line.contains("nothing"))
                .collect();
            assert_eq!(
                calls,
                [
                    "function nothing",
                    "cooperative nothing grid 4,1,1 block 64,1,1 shared 0 params ",
                    "launch nothing grid [4, 1, 1] block [64, 1, 1] shared 0 cluster 2,1,1 params ",
                    "attribute nothing 8=232448",
                    "launch nothing grid 4,1,1 block 64,1,1 shared 100000 params ",
                    "launch nothing grid 4,1,1 block 64,1,1 shared 100000 params ",
                ]
            );
        },
    );
}

#[test]
fn the_image_that_fits_is_loaded() {
    under_fake_driver(
        "the_image_that_fits_is_loaded",
        "8.9",
        || {
            let (_context, _stream, module) = open();
            assert_eq!(module.image().target, Target::new(80));
            module.preload().expect("all kernels");
        },
        |log| {
            assert_eq!(log.iter().filter(|line| *line == "load ELF").count(), 1);
            assert_eq!(
                log.iter()
                    .filter(|line| line.starts_with("function"))
                    .count(),
                Module::KERNELS.len()
            );
        },
    );
}

#[test]
fn an_image_that_does_not_fit_is_an_error() {
    under_fake_driver(
        "an_image_that_does_not_fit_is_an_error",
        "10.0",
        || {
            let context = kernels::runtime::context(0).expect("the fake driver");
            let error = Module::load(&context).expect_err("no image");
            assert_eq!(
                error.to_string(),
                "module `kinds` holds no image for compute capability 10.0; embedded: sm_80, sm_90a"
            );
        },
        |log| assert!(!log.iter().any(|line| line.starts_with("load")), "{log:#?}"),
    );
}

fn open_more() -> (Arc<CudaContext>, Arc<CudaStream>, more::Module) {
    let context = kernels::runtime::context(0).expect("the fake driver");
    let stream = context.default_stream();
    let module = more::Module::load(&context).expect("an image");
    (context, stream, module)
}

#[test]
fn generic_functions_launch_the_instance_of_their_types() {
    /// What a user's own generic code looks like.
    fn fill_all<T: more::instances::Fill + Copy>(
        module: &more::Module,
        stream: &CudaStream,
        value: T,
    ) {
        let mut out = DeviceAddress::<T>::new(8);
        // SAFETY: nothing runs.
        unsafe { module.fill(stream, config(1, 32), 5, value, &mut out) }.expect("a launch");
    }
    under_fake_driver(
        "generic_functions_launch_the_instance_of_their_types",
        "9.0",
        || {
            let (_context, stream, module) = open_more();
            fill_all(&module, &stream, 1.5_f32);
            fill_all(&module, &stream, 7_i32);
            fill_all(&module, &stream, types::Half(0x3c00));
            let from = types::geo::Vec_f32_4 {
                v: [1.0, 2.0, 3.0, 4.0],
            };
            let input = DeviceAddress::<f64>::new(16);
            // SAFETY: nothing runs.
            unsafe {
                module
                    .gather::<f32>(&stream, config(1, 4), from, &mut DeviceAddress::null())
                    .expect("a launch");
                module
                    .cast::<f64, f32>(&stream, config(1, 4), 3, &input, &mut DeviceAddress::null())
                    .expect("a launch");
            }
        },
        |log| {
            assert_bytes(&block(log, "_Z4fillIfEviT_PS0_"), 4, &1.5_f32.to_le_bytes());
            assert_bytes(&block(log, "_Z4fillIiEviT_PS0_"), 4, &7_i32.to_le_bytes());
            assert_bytes(&block(log, "_Z4fillI6__halfEviT_PS1_"), 4, &[0x00, 0x3c]);
            assert_bytes(
                &block(log, "_Z6gatherIfEvN3geo3VecIT_Li4EEEPS2_"),
                12,
                &4_f32.to_le_bytes(),
            );
            assert_bytes(
                &block(log, "_Z4castIdfEviPKT_PT0_"),
                8,
                &16_u64.to_le_bytes(),
            );
        },
    );
}

fn open_families() -> (Arc<CudaContext>, Arc<CudaStream>, families::Module) {
    let context = kernels::runtime::context(0).expect("the fake driver");
    let stream = context.default_stream();
    let module = families::Module::load(&context).expect("an image");
    (context, stream, module)
}

#[test]
fn generic_functions_launch_the_instance_of_their_numbers() {
    use families::instances::quant_type;
    /// What a user's own generic code looks like.
    fn sums<T: families::instances::Sum<8>>(module: &families::Module, stream: &CudaStream) {
        let (input, mut out) = (DeviceAddress::<T>::new(8), DeviceAddress::<T>::new(16));
        // SAFETY: nothing runs.
        unsafe { module.sum::<T, 8>(stream, config(1, 32), &input, &mut out) }.expect("a launch");
    }
    under_fake_driver(
        "generic_functions_launch_the_instance_of_their_numbers",
        "9.0",
        || {
            let (_context, stream, module) = open_families();
            sums::<types::Half>(&module, &stream);
            let mut any = DeviceAddress::null();
            let config = config(1, 32);
            let mut out = DeviceAddress::<f32>::new(0x2122);
            let input = DeviceAddress::<f32>::new(0x1112);
            // SAFETY: nothing runs.
            let launched: Result<(), LaunchError> = (|| unsafe {
                // The type follows from the arguments, the number does not.
                module.sum::<_, 16>(&stream, config, &input, &mut out)?;
                module.tile::<32, 4_000_000_000>(&stream, config, 1.5, &mut out)?;
                module.mul_mat::<{ quant_type::QUANT_TYPE_Q2_K }, 48, true>(
                    &stream, config, &input, &mut out,
                )?;
                module.mul_mat::<5, 48, false>(&stream, config, &input, &mut out)?;
                let geo = module.geo();
                geo.reduce::<3, _>(&stream, config, 7, -2_i32, &mut DeviceAddress::new(8))?;
                let from = families::geo::Vec_f64_3 { v: [1.0, 2.0, 3.0] };
                let mut table = DeviceAddress::<[f64; 3]>::new(0x3132);
                geo.spread::<f64, 3>(&stream, config, from, &mut table, &mut any)?;
                module.convert::<i32, f32, false>(
                    &stream,
                    config,
                    9,
                    &DeviceAddress::null(),
                    &mut out,
                )?;
                module.clear::<i16, 2>(&stream, config, 3, &mut out)
            })();
            launched.expect("nine launches");
        },
        |log| {
            block(log, "_Z3sumI6__halfLi8EEvPKT_PS1_");
            let sum = block(log, "_Z3sumIfLi16EEvPKT_PS0_");
            assert_bytes(&sum, 0, &0x1112_u64.to_le_bytes());
            assert_bytes(&sum, 8, &0x2122_u64.to_le_bytes());
            let tile = block(log, "_Z4tileILi32ELj4000000000EEvfPf");
            assert_bytes(&tile, 0, &1.5_f32.to_le_bytes());
            block(log, "_Z7mul_matIL10quant_type10ELi48ELb1EEvPKvPf");
            block(log, "_Z7mul_matIL10quant_type5ELi48ELb0EEvPKvPf");
            let reduce = block(log, "_ZN3geo6reduceILNS_2OpE3EiEEviT0_PS2_");
            assert_bytes(&reduce, 0, &7_i32.to_le_bytes());
            assert_bytes(&reduce, 4, &(-2_i32).to_le_bytes());
            let spread = block(log, "_ZN3geo6spreadIdLi3EEEvNS_3VecIT_XT0_EEERAT0__S2_PS2_");
            assert_bytes(&spread, 16, &3_f64.to_le_bytes());
            assert_bytes(&spread, 24, &0x3132_u64.to_le_bytes());
            let convert = block(log, "_Z7convertIifLb0EEviPKT_PT0_");
            assert_bytes(&convert, 0, &9_i32.to_le_bytes());
            let clear = block(log, "_Z5clearIsLi2EEviPf");
            assert_bytes(&clear, 0, &3_i32.to_le_bytes());
            let launches = log.iter().filter(|line| line.starts_with("launch"));
            assert_eq!(launches.count(), 9);
        },
    );
}

/// Parameters of more than 4 KiB, by reference, through the generic function and through the named one.
#[test]
fn parameters_of_8_and_16_kib_arrive_byte_for_byte() {
    under_fake_driver(
        "parameters_of_8_and_16_kib_arrive_byte_for_byte",
        "9.0",
        || {
            let (_context, stream, module) = open_families();
            let (mut eight, mut sixteen) = (
                Box::<families::Wide_f32>::default(),
                Box::<families::Wide_f64>::default(),
            );
            for (index, (a, b)) in eight.values.iter_mut().zip(&mut sixteen.values).enumerate() {
                *a = index as f32 + 0.5;
                *b = -(index as f64);
            }
            let mut out = DeviceAddress::<f32>::new(0x1112);
            // SAFETY: nothing runs.
            unsafe { module.wide(&stream, config(1, 1), 7, &*eight, &mut out) }.expect("a launch");
            let mut out = DeviceAddress::new(0x2122);
            // SAFETY: nothing runs.
            unsafe { module.wide_f64(&stream, config(1, 1), 9, &sixteen, &mut out) }
                .expect("a launch");
        },
        |log| {
            let eight = block(log, "_Z4wideIfEvi4WideIT_EPS1_");
            assert_eq!(offsets("sm_90a", "_Z4wideIfEvi4WideIT_EPS1_"), [0, 4, 8200]);
            assert_bytes(&eight, 0, &7_i32.to_le_bytes());
            let values: Vec<u8> = (0..2048_u16)
                .flat_map(|index| (f32::from(index) + 0.5).to_le_bytes())
                .collect();
            assert_bytes(&eight, 4, &values);
            assert_bytes(&eight, 8200, &0x1112_u64.to_le_bytes());
            let sixteen = block(log, "_Z4wideIdEvi4WideIT_EPS1_");
            let values: Vec<u8> = (0..2048_u16)
                .flat_map(|index| (-f64::from(index)).to_le_bytes())
                .collect();
            assert_bytes(&sixteen, 8, &values);
            assert_bytes(&sixteen, 8 + 16_384, &0x2122_u64.to_le_bytes());
        },
    );
}

#[test]
fn over_aligned_parameters_lie_where_the_target_puts_them() {
    under_fake_driver(
        "over_aligned_parameters_lie_where_the_target_puts_them",
        "9.0",
        || {
            let (_context, stream, module) = open_more();
            let mut map = types::TensorMap { opaque: [0; 16] };
            map.opaque[0] = 0x0102_0304_0506_0708;
            map.opaque[15] = 0x1112_1314_1516_1718;
            let mut out = DeviceAddress::new(0x2122);
            // SAFETY: nothing runs.
            unsafe { module.tensor(&stream, config(1, 32), map, &mut out) }.expect("a launch");
        },
        |log| {
            let tensor = block(log, "tensor");
            // 128-byte alignment of the address in the constant bank, whose parameters start at 0x210.
            assert_eq!(offsets("sm_90a", "tensor"), [112, 240]);
            assert_bytes(&tensor, 112, &0x0102_0304_0506_0708_u64.to_le_bytes());
            assert_bytes(&tensor, 232, &0x1112_1314_1516_1718_u64.to_le_bytes());
            assert_bytes(&tensor, 240, &0x2122_u64.to_le_bytes());
        },
    );
}

#[test]
fn compiled_in_demands_are_checked() {
    under_fake_driver(
        "compiled_in_demands_are_checked",
        "9.0",
        || {
            let (_context, stream, module) = open_more();
            let mut out = DeviceAddress::<f32>::null();
            // SAFETY: nothing runs.
            let mut clustered = |launch: Launch| {
                unsafe { module.clustered(&stream, launch, &mut out) }.map_err(|error| error.reason)
            };
            assert_eq!(clustered(config(4, 32).into()), Ok(()));
            assert_eq!(
                clustered(Launch::clustered(config(4, 32), (2, 1, 1))),
                Ok(())
            );
            assert!(matches!(
                clustered(config(3, 32).into()),
                Err(Reason::ClusterGrid { .. })
            ));
            let other = clustered(Launch::clustered(config(4, 32), (4, 1, 1)));
            assert!(matches!(other, Err(Reason::RequiredCluster { .. })));
            let mut large = config(1, 64);
            large.shared_mem_bytes = 232_448 - 4096 + 1;
            // SAFETY: nothing runs.
            let error = unsafe { module.shared_memory(&stream, large, &mut DeviceAddress::null()) };
            let reason = error.expect_err("too much shared memory").reason;
            assert_eq!(
                reason,
                Reason::SharedMemory {
                    dynamic: 228_353,
                    fixed: 4096,
                    limit: 232_448
                }
            );
        },
        |log| {
            assert_eq!(
                log.iter().filter(|line| line.starts_with("launch")).count(),
                2,
                "{log:#?}"
            );
        },
    );
}

#[test]
fn a_kernel_that_the_image_lacks_is_an_error() {
    under_fake_driver(
        "a_kernel_that_the_image_lacks_is_an_error",
        "8.0",
        || {
            let (_context, stream, module) = open_more();
            // SAFETY: nothing runs.
            let error =
                unsafe { module.clustered(&stream, config(2, 32), &mut DeviceAddress::null()) };
            let error = error.expect_err("no such kernel on sm_80");
            assert_eq!(
                error.to_string(),
                "cannot launch `clustered`: the kernel was not compiled for sm_80"
            );
            // SAFETY: nothing runs.
            let error = unsafe {
                module.fill(
                    &stream,
                    Launch::clustered(config(2, 32), (2, 1, 1)),
                    1,
                    1,
                    &mut DeviceAddress::null(),
                )
            };
            assert_eq!(error.expect_err("no clusters").reason, Reason::NoClusters);
            module.preload().expect("all kernels that are there");
        },
        |log| {
            assert!(
                !log.iter().any(|line| line.contains("clustered")),
                "{log:#?}"
            );
        },
    );
}

#[test]
fn variables_are_copied_in_and_out() {
    under_fake_driver(
        "variables_are_copied_in_and_out",
        "9.0",
        || {
            let (_context, stream, module) = open_more();
            let coefficients = module.coefficients().expect("the variable");
            let shape = module.shape().expect("the variable");
            assert_ne!(coefficients.address().raw(), 0);
            let mut values = [0.0; 16];
            values[3] = 1.5;
            // SAFETY: nothing runs.
            unsafe {
                coefficients.write(&stream, &values).expect("a copy");
                assert_eq!(coefficients.read(&stream).expect("a copy"), values);
                let value = types::Shape {
                    n: 1,
                    flags: 2,
                    scale: 3.0,
                };
                shape.write(&stream, &value).expect("a copy");
                assert_eq!(shape.read(&stream).expect("a copy").scale, value.scale);
                assert_eq!(
                    module
                        .counter()
                        .expect("the variable")
                        .read(&stream)
                        .expect("a copy"),
                    0
                );
            }
            assert_eq!(
                size_of_val(&module.geo().origin().expect("the variable").address()),
                8
            );
        },
        |log| {
            let copies: Vec<_> = log.iter().filter(|line| line.starts_with("copy")).collect();
            assert_eq!(copies.len(), 5, "{log:#?}");
            assert!(
                copies[0].starts_with("copy in 0000000000000000000000000000c03f"),
                "{}",
                copies[0]
            );
        },
    );
}

#[test]
fn managed_variables_are_copied_like_others() {
    under_fake_driver(
        "managed_variables_are_copied_like_others",
        "9.0",
        || {
            let (_context, stream, module) = open_families();
            let geo = module.geo();
            let bounds = geo.bounds().expect("the variable");
            let value = families::geo::Vec_f32_2 { v: [1.5, 2.5] };
            // SAFETY: nothing runs.
            unsafe {
                bounds.write(&stream, &value).expect("a copy");
                assert_eq!(bounds.read(&stream).expect("a copy").v, value.v);
            }
            let listed = families::Module::GLOBALS.iter().map(|info| info.symbol);
            assert!(listed.eq(["progress", "_ZN3geo6boundsE"]));
        },
        |log| {
            let copies = log.iter().filter(|line| line.starts_with("copy"));
            assert_eq!(copies.count(), 2, "{log:#?}");
            // The host may look at managed memory once the copy is done.
            let write = log.iter().position(|line| line.starts_with("copy in"));
            let after = &log[write.expect("a copy") + 1];
            assert!(after.starts_with("synchronize"), "{log:#?}");
        },
    );
}

#[test]
fn a_launch_allocates_nothing() {
    under_fake_driver(
        "a_launch_allocates_nothing",
        "9.0",
        || {
            let (context, stream, module) = open();
            let other = context.new_stream().expect("a stream");
            let x = stream.alloc_zeros::<f32>(8).expect("memory");
            let mut y = other.alloc_zeros::<f32>(8).expect("memory");
            let mut launch = || {
                // SAFETY: nothing runs.
                unsafe { module.saxpy(&other, config(1, 128), 8, 2.0, &x, &mut y) }
                    .expect("a launch");
            };
            launch();
            // Other threads of the test harness allocate now and then: the least of several counts.
            let counts = (0..20).map(|_| {
                let before = ALLOCATIONS.load(Ordering::Relaxed);
                launch();
                ALLOCATIONS.load(Ordering::Relaxed) - before
            });
            assert_eq!(counts.min(), Some(0));
        },
        |log| {
            assert_eq!(
                log.iter().filter(|line| line.starts_with("launch")).count(),
                21
            );
        },
    );
}
