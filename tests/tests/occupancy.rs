//! Occupancy against NVIDIA's own headers, compiled here: `cuda_occupancy.h` for every combination of a grid, and
//! `cuda/__device/arch_traits.h` for the figures of the table.

use std::{fmt::Write as _, fs, path::Path};

use cubin_build::toolkit::Toolkit;
use cubin_core::occupancy::{Block, Limiter, Limits, Occupancy, occupancy};
use cubin_tests::{toolkit, tools};

const THREADS: &[u32] = &[
    1, 31, 32, 33, 64, 96, 128, 160, 192, 256, 320, 384, 512, 640, 768, 1000, 1024, 1025,
];
const REGISTERS: &[u32] = &[
    0, 1, 16, 24, 32, 33, 40, 48, 64, 65, 80, 96, 128, 168, 200, 240, 254, 255,
];
const SHARED: &[(u64, u64)] = &[
    (0, 0),
    (1, 0),
    (1024, 0),
    (4000, 100),
    (0, 16 << 10),
    (47 << 10, 0),
    (48 << 10, 0),
    (0, 48 << 10),
    ((48 << 10) - 1023, 0),
    (1 << 10, 48 << 10),
    (0, 63 << 10),
    (0, 64 << 10),
    (16 << 10, 83 << 10),
    (0, 99 << 10),
    ((32 << 10) + 1, 131 << 10),
    (0, 163 << 10),
    (0, (227 << 10) - 127),
    (0, 227 << 10),
    (0, 327 << 10),
];
const BARRIERS: &[u32] = &[0, 1, 2, 5, 16];

/// A part of the grid that is kept in `tests/golden/occupancy.txt`, for machines without a toolkit.
fn recorded_grid() -> impl Iterator<Item = (&'static Limits, Block)> {
    let blocks = [128, 320, 1024].into_iter().flat_map(|threads| {
        [0, 33, 64, 168].into_iter().flat_map(move |registers| {
            [(0, 0), (4000, 100), (1 << 10, 48 << 10), (0, 99 << 10)]
                .into_iter()
                .map(move |(static_shared, dynamic_shared)| Block {
                    threads,
                    registers,
                    static_shared,
                    dynamic_shared,
                    barriers: 5,
                })
        })
    });
    Limits::all()
        .iter()
        .flat_map(move |limits| blocks.clone().map(move |block| (limits, block)))
}

/// One line per combination, in the order of the constants.
const PROBE: &str = r#"
#include <cstdio>
#include <climits>
#include <cuda_occupancy.h>

struct Device { int major, minor, threads, shared, optin, reserved; };
static const Device devices[] = { DEVICES };
static const int threads[] = { THREADS };
static const int registers[] = { REGISTERS };
static const size_t shared[][2] = { SHARED };
static const int barriers[] = { BARRIERS };

int main() {
    for (const Device &d : devices)
    for (int t : threads)
    for (int r : registers)
    for (const size_t *s : shared)
    for (int b : barriers) {
        cudaOccDeviceProp p;
        p.computeMajor = d.major; p.computeMinor = d.minor;
        p.maxThreadsPerBlock = 1024; p.maxThreadsPerMultiprocessor = d.threads;
        p.regsPerBlock = 65536; p.regsPerMultiprocessor = 65536; p.warpSize = 32;
        p.sharedMemPerBlock = 49152; p.sharedMemPerMultiprocessor = d.shared; p.numSms = 1;
        p.sharedMemPerBlockOptin = d.optin; p.reservedSharedMemPerBlock = d.reserved;
        cudaOccFuncAttributes a;
        a.maxThreadsPerBlock = INT_MAX; a.numRegs = r; a.sharedSizeBytes = s[0];
        a.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN; a.maxDynamicSharedSizeBytes = s[1];
        a.numBlockBarriers = b;
        cudaOccDeviceState state;
        cudaOccResult o;
        cudaOccError e = cudaOccMaxActiveBlocksPerMultiprocessor(&o, &p, &a, &state, t, s[1]);
        if (e) { printf("error %d\n", e); continue; }
        printf("%d %d %d %d %d %d %d %zu\n", o.activeBlocksPerMultiprocessor, o.blockLimitWarps, o.blockLimitRegs,
               o.blockLimitSharedMem, o.blockLimitBlocks, o.blockLimitBarriers, o.allocatedRegistersPerBlock,
               o.allocatedSharedMemPerBlock);
    }
}
"#;

fn list<T>(items: &[T], show: impl Fn(&T) -> String) -> String {
    items.iter().map(show).collect::<Vec<_>>().join(", ")
}

/// Compiles `source` against the toolkit's headers and gives back what it prints.
fn probe(toolkit: &Toolkit, dir: &Path, source: &str) -> String {
    fs::write(dir.join("probe.cpp"), source).expect("a source file");
    let include = toolkit.root.join("include");
    let (cuda, cccl) = (
        include.display().to_string(),
        include.join("cccl").display().to_string(),
    );
    let compiler = Path::new("g++");
    tools::run(
        compiler,
        &[
            "-std=c++17",
            "-O1",
            "-w",
            "-I",
            &cuda,
            "-I",
            &cccl,
            "probe.cpp",
            "-o",
            "probe",
        ],
        dir,
    );
    tools::run(&dir.join("probe"), &[], dir)
}

/// The line of `PROBE` for what we compute.
fn line(found: &Occupancy) -> String {
    let unlimited = |limit: Option<u32>| limit.unwrap_or(i32::MAX as u32);
    format!(
        "{} {} {} {} {} {} {} {}",
        found.blocks,
        found.by_warps,
        unlimited(found.by_registers),
        unlimited(found.by_shared),
        found.by_blocks,
        unlimited(found.by_barriers),
        found.block_registers,
        found.block_shared,
    )
}

/// The recording was compared with `cuda_occupancy.h` when it was made: the other test proves what it is made of.
#[test]
fn equal_to_the_recording() {
    let mut text = String::from(
        "sm threads registers static dynamic barriers: blocks by-warps by-registers by-shared by-blocks by-barriers block-registers block-shared\n",
    );
    for (limits, block) in recorded_grid() {
        let _ = writeln!(
            text,
            "{} {} {} {} {} {}: {}",
            limits.sm,
            block.threads,
            block.registers,
            block.static_shared,
            block.dynamic_shared,
            block.barriers,
            line(&occupancy(limits, &block))
        );
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/occupancy.txt");
    if std::env::var_os("BLESS").is_some_and(|value| value == "1") {
        fs::write(&path, &text).expect("a writable recording");
    }
    let recorded = fs::read_to_string(&path).expect("the recording; BLESS=1 writes it");
    for (ours, recorded) in text.lines().zip(recorded.lines()) {
        assert_eq!(ours, recorded);
    }
    assert_eq!(text.len(), recorded.len());
}

/// Every combination of these, on every compute capability.
struct Grid<'a> {
    threads: &'a [u32],
    registers: &'a [u32],
    /// Static and dynamic bytes.
    shared: &'a [(u64, u64)],
    barriers: &'a [u32],
}

#[test]
fn equal_to_cuda_occupancy_h_over_a_grid() {
    let grid = Grid {
        threads: THREADS,
        registers: REGISTERS,
        shared: SHARED,
        barriers: BARRIERS,
    };
    compare("occupancy-grid", &grid);
}

/// The curves that are drawn from it.
#[test]
fn equal_to_cuda_occupancy_h_at_every_block_size() {
    let threads: Vec<u32> = (1..=1025).collect();
    let grid = Grid {
        threads: &threads,
        registers: &[16, 40, 64, 96, 168, 255],
        shared: &[(0, 0), (9000, 0), (1024, 64 << 10)],
        barriers: &[1],
    };
    compare("occupancy-curves", &grid);
}

/// Holds what we compute against `cuda_occupancy.h`.
fn compare(name: &str, grid: &Grid<'_>) {
    let Some(toolkit) = toolkit() else {
        return;
    };
    let dir = tools::scratch(env!("CARGO_TARGET_TMPDIR"), name);
    let devices = list(Limits::all(), |limits| {
        format!(
            "{{ {}, {}, {}, {}, {}, {} }}",
            limits.sm / 10,
            limits.sm % 10,
            limits.threads,
            limits.shared,
            limits.block_shared_optin,
            limits.block_shared_reserved
        )
    });
    let source = PROBE
        .replace("DEVICES", &devices)
        .replace(
            "{ THREADS }",
            &format!("{{ {} }}", list(grid.threads, u32::to_string)),
        )
        .replace(
            "{ REGISTERS }",
            &format!("{{ {} }}", list(grid.registers, u32::to_string)),
        )
        .replace(
            "{ SHARED }",
            &format!(
                "{{ {} }}",
                list(grid.shared, |(fixed, dynamic)| format!(
                    "{{ {fixed}, {dynamic} }}"
                ))
            ),
        )
        .replace(
            "{ BARRIERS }",
            &format!("{{ {} }}", list(grid.barriers, u32::to_string)),
        );
    let theirs = probe(&toolkit, &dir, &source);
    let mut theirs = theirs.lines();
    let mut compared = 0;
    for limits in Limits::all() {
        for &threads in grid.threads {
            for &registers in grid.registers {
                for &(static_shared, dynamic_shared) in grid.shared {
                    for &barriers in grid.barriers {
                        let block = Block {
                            threads,
                            registers,
                            static_shared,
                            dynamic_shared,
                            barriers,
                        };
                        let found = occupancy(limits, &block);
                        let wanted = theirs.next().expect("a line per combination");
                        assert_eq!(line(&found), wanted, "sm_{} {block:?}", limits.sm);
                        let limiters: Vec<Limiter> = found.limiters().collect();
                        assert!(!limiters.is_empty(), "sm_{} {block:?}", limits.sm);
                        compared += 1;
                    }
                }
            }
        }
    }
    assert_eq!(theirs.next(), None);
    let all = Limits::all().len()
        * grid.threads.len()
        * grid.registers.len()
        * grid.shared.len()
        * grid.barriers.len();
    assert_eq!(compared, all);
}

#[test]
fn the_table_equals_the_traits_that_nvidia_ships() {
    let Some(toolkit) = toolkit() else {
        return;
    };
    let traits = toolkit
        .root
        .join("include/cccl/cuda/__device/arch_traits.h");
    let Ok(text) = fs::read_to_string(traits) else {
        eprintln!("skipped: this toolkit ships no arch_traits.h");
        return;
    };
    let known: Vec<&Limits> = Limits::all()
        .iter()
        .filter(|limits| text.contains(&format!("arch_traits<arch_id::sm_{}>", limits.sm)))
        .collect();
    assert!(known.len() >= 8, "{known:?}");
    let mut source =
        String::from("#include <cstdio>\n#include <cuda/__device/arch_traits.h>\nint main() {\n");
    for limits in &known {
        let _ = writeln!(
            source,
            "{{ constexpr auto t = cuda::arch_traits<cuda::arch_id::sm_{sm}>(); \
             printf(\"{sm} %d %d %d %d %d %d %d %zu %zu %zu %zu\\n\", \
             t.max_threads_per_multiprocessor, t.max_warps_per_multiprocessor, t.max_blocks_per_multiprocessor, \
             t.max_registers_per_multiprocessor, t.max_registers_per_block, t.max_registers_per_thread, \
             t.max_threads_per_block, t.max_shared_memory_per_block, t.reserved_shared_memory_per_block, \
             t.max_shared_memory_per_multiprocessor, t.max_shared_memory_per_block_optin); }}",
            sm = limits.sm
        );
    }
    source.push_str("}\n");
    let dir = tools::scratch(env!("CARGO_TARGET_TMPDIR"), "occupancy-traits");
    let theirs = probe(&toolkit, &dir, &source);
    for (limits, theirs) in known.iter().zip(theirs.lines()) {
        let mut ours = format!(
            "{} {} {} {} {} {} {} {} {} {}",
            limits.sm,
            limits.threads,
            limits.warps,
            limits.blocks,
            limits.registers,
            limits.block_registers,
            limits.thread_registers,
            limits.block_threads,
            limits.block_shared,
            limits.block_shared_reserved,
        );
        // The guide of 13.4 gives 10.7 more shared memory than this header of 13.5 does.
        if limits.sm == 107 {
            assert!(theirs.starts_with(&ours), "{ours} but {theirs}");
            continue;
        }
        let _ = write!(ours, " {} {}", limits.shared, limits.block_shared_optin);
        assert_eq!(ours, theirs);
    }
    assert_eq!(theirs.lines().count(), known.len());
}
