//! The checks. Inputs differ from element to element, so that a wrong offset shows, and all results are exact in
//! their type, so that they can be compared for equality.

use std::{error::Error, fmt::Debug, sync::Arc};

use cudarc::driver::{
    CudaStream, LaunchConfig,
    sys::{CUdevice_attribute, CUgraphInstantiate_flags, CUstreamCaptureMode},
};

use crate::{
    Gpu, Outcome,
    kernels::{
        arguments::{self, Affine, Table},
        linked,
        runtime::{Launch, LaunchError, Reason},
        types::Float3,
    },
};

type Check = fn(&Gpu) -> Result<Outcome, Box<dyn Error>>;

/// Name and check, in the order of running.
pub(crate) const ALL: &[(&str, Check)] = &[
    ("saxpy", saxpy),
    ("struct", structure),
    ("template", template),
    ("template-numbers", template_numbers),
    ("large-parameter", large_parameter),
    ("constant-memory", constant_memory),
    ("device-variable", device_variable),
    ("managed-variable", managed_variable),
    ("dynamic-shared-memory", dynamic_shared_memory),
    ("cooperative", cooperative),
    ("cluster", cluster),
    ("cluster-of-launch", cluster_of_launch),
    ("launch-checks", launch_checks),
    ("occupancy", occupancy),
    ("streams", streams),
    ("graph", graph),
    ("linked", linked_sources),
    ("launched-by-a-kernel", launched_by_a_kernel),
];

/// Elements of most arrays; no multiple of a block, so that the last one is not full.
const N: usize = 100_003;

fn saxpy(gpu: &Gpu) -> Result<Outcome, Box<dyn Error>> {
    let x = gpu.stream.clone_htod(&floats(N))?;
    let mut y = gpu.stream.clone_htod(&vec![1.0_f32; N])?;
    let n = i32::try_from(N)?;
    // SAFETY: x and y have n elements, and nothing else uses them.
    unsafe {
        gpu.arguments
            .saxpy(&gpu.stream, elements(N, 256), n, 3.0, &x, &mut y)?;
    }
    same(&gpu.stream.clone_dtoh(&y)?, |i| 3.0 * float(i) + 1.0)
}

fn structure(gpu: &Gpu) -> Result<Outcome, Box<dyn Error>> {
    const POINTS: usize = 3000;
    let point = |i| Float3 {
        x: float(i),
        y: float(i + 1),
        z: float(i + 2),
    };
    let by = Affine {
        negate: 1,
        scale: 2.5,
        n: i16::try_from(POINTS)?,
        offset: Float3 {
            x: 10.0,
            y: 20.0,
            z: 30.0,
        },
    };
    let points: Vec<Float3> = (0..POINTS).map(point).collect();
    let points = gpu.stream.clone_htod(&points)?;
    // More than `by.n`: the rest must stay as it is.
    let mut out = gpu.stream.alloc_zeros::<Float3>(POINTS + 100)?;
    let launch = elements(POINTS + 100, 128);
    // SAFETY: the kernel stops at `by.n`, and both slices are at least as long.
    unsafe {
        gpu.arguments
            .affine(&gpu.stream, launch, by, &points, &mut out)?;
    }
    same(&gpu.stream.clone_dtoh(&out)?, |i| {
        if i >= POINTS {
            return Float3::default();
        }
        let from = point(i);
        Float3 {
            x: -2.5 * from.x + 10.0,
            y: -2.5 * from.y + 20.0,
            z: -2.5 * from.z + 30.0,
        }
    })
}

fn template(gpu: &Gpu) -> Result<Outcome, Box<dyn Error>> {
    let (stream, module, n) = (&gpu.stream, &gpu.arguments, i32::try_from(N)?);
    let mut single = stream.clone_htod(&floats(N))?;
    let doubles: Vec<f64> = (0..N).map(|i| f64::from(float(i)) + 1e-9).collect();
    let mut double = stream.clone_htod(&doubles)?;
    // SAFETY: both have n elements.
    unsafe {
        module.scale::<f32>(stream, elements(N, 256), &mut single, 4.0, n)?;
        module.scale::<f64>(stream, elements(N, 256), &mut double, -8.0, n)?;
    }
    same(&stream.clone_dtoh(&single)?, |i| 4.0 * float(i))?;
    // Powers of two only shift the exponent; a single-precision kernel would lose the 1e-9.
    same(&stream.clone_dtoh(&double)?, |i| -8.0 * doubles[i])
}

fn template_numbers(gpu: &Gpu) -> Result<Outcome, Box<dyn Error>> {
    use crate::kernels::arguments::instances::window::{Largest, Sum};
    let (stream, module, n) = (&gpu.stream, &gpu.arguments, i32::try_from(N)?);
    let values: Vec<i32> = (0..n).map(|i| i * 7919 % 1009 - 500).collect();
    let x = stream.clone_htod(&values)?;
    let mut sums = stream.alloc_zeros::<i32>(N)?;
    let mut largest = stream.alloc_zeros::<i32>(N)?;
    let singles = stream.clone_htod(&floats(N))?;
    let mut pairs = stream.alloc_zeros::<f32>(N)?;
    // SAFETY: all have n elements.
    unsafe {
        module.window::<_, 4, Sum>(stream, elements(N, 256), &x, &mut sums, n)?;
        module.window::<_, 4, Largest>(stream, elements(N, 256), &x, &mut largest, n)?;
        module.window::<_, 2, Sum>(stream, elements(N, 256), &singles, &mut pairs, n)?;
    }
    let window = |i: usize, width: usize| i..(i + width).min(N);
    same(&stream.clone_dtoh(&sums)?, |i| {
        values[window(i, 4)].iter().sum::<i32>()
    })?;
    same(&stream.clone_dtoh(&largest)?, |i| {
        values[window(i, 4)].iter().copied().max().unwrap_or(0)
    })?;
    same(&stream.clone_dtoh(&pairs)?, |i| {
        window(i, 2).map(float).fold(0.0, |sum, value| sum + value)
    })
}

fn large_parameter(gpu: &Gpu) -> Result<Outcome, Box<dyn Error>> {
    let mut table = Table {
        n: 1500,
        ..Table::default()
    };
    for (i, value) in table.values.iter_mut().enumerate() {
        *value = float(i) + 0.25 * (i % 4) as f32;
    }
    // 7 and 1500 have no common factor: every value of the table is read once.
    let index = |i: usize| i * 7 % 1500;
    let indices: Vec<i32> = (0..1500).map(|i| index(i) as i32).collect();
    let indices = gpu.stream.clone_htod(&indices)?;
    let mut out = gpu.stream.alloc_zeros::<f32>(1500)?;
    // SAFETY: `table.n` elements, and no index beyond the table.
    unsafe {
        gpu.arguments
            .lookup(&gpu.stream, elements(1500, 128), &table, &indices, &mut out)?;
    }
    same(&gpu.stream.clone_dtoh(&out)?, |i| table.values[index(i)])
}

fn constant_memory(gpu: &Gpu) -> Result<Outcome, Box<dyn Error>> {
    let (stream, module) = (&gpu.stream, &gpu.memory);
    let coefficients = module.coefficients()?;
    let values: Vec<f32> = (0..N).map(|i| (i % 17) as f32 - 8.0).collect();
    let x = stream.clone_htod(&values)?;
    let mut y = stream.alloc_zeros::<f32>(N)?;
    for [a, b, c, d] in [[1.0, -2.0, 3.0, 0.5], [-7.0, 0.0, 0.25, 2.0]] {
        // SAFETY: nothing else uses the variable; x and y have n elements.
        unsafe {
            coefficients.write(stream, &[a, b, c, d])?;
            module.polynomial(stream, elements(N, 256), &x, &mut y, N as i32)?;
            equal("coefficients", coefficients.read(stream)?, [a, b, c, d])?;
        }
        same(&stream.clone_dtoh(&y)?, |i| {
            let x = values[i];
            a + b * x + c * x * x + d * x * x * x
        })?;
    }
    Ok(Outcome::Right)
}

fn device_variable(gpu: &Gpu) -> Result<Outcome, Box<dyn Error>> {
    let (stream, module) = (&gpu.stream, &gpu.memory);
    let evaluations = module.evaluations()?;
    let x = stream.alloc_zeros::<f32>(N)?;
    let mut y = stream.alloc_zeros::<f32>(N)?;
    // SAFETY: nothing else uses the variable; x and y have n elements.
    unsafe {
        evaluations.write(stream, &(1 << 40))?;
        for _ in 0..3 {
            module.polynomial(stream, elements(N, 256), &x, &mut y, N as i32)?;
        }
        let found = evaluations.read(stream)?;
        equal("evaluations", found, (1 << 40) + 3 * N as u64)
    }
}

fn managed_variable(gpu: &Gpu) -> Result<Outcome, Box<dyn Error>> {
    let (stream, module) = (&gpu.stream, &gpu.memory);
    let progress = module.progress()?;
    // SAFETY: nothing else uses the variable.
    unsafe {
        equal("the initial value", progress.read(stream)?, 5)?;
        module.advance(stream, elements(64, 32), 2)?;
        equal("progress", progress.read(stream)?, 5 + 64 * 2)?;
        progress.write(stream, &-1000)?;
        module.advance(stream, elements(32, 32), 3)?;
        equal("progress", progress.read(stream)?, -1000 + 32 * 3)
    }
}

fn dynamic_shared_memory(gpu: &Gpu) -> Result<Outcome, Box<dyn Error>> {
    // 64 KiB per block: more than the 48 KiB that need no opting in.
    const PER_BLOCK: usize = 16 * 1024;
    const BLOCKS: usize = 3;
    let values: Vec<i32> = (0..PER_BLOCK * BLOCKS).map(|i| i as i32).collect();
    let input = gpu.stream.clone_htod(&values)?;
    let mut out = gpu.stream.alloc_zeros::<i32>(PER_BLOCK * BLOCKS)?;
    let launch = LaunchConfig {
        grid_dim: (BLOCKS as u32, 1, 1),
        block_dim: (256, 1, 1),
        shared_mem_bytes: (PER_BLOCK * size_of::<i32>()) as u32,
    };
    let n = PER_BLOCK as i32;
    // SAFETY: n elements per block, in both slices and in shared memory.
    unsafe {
        gpu.memory
            .reverse(&gpu.stream, launch, &input, &mut out, n)?;
    }
    same(&gpu.stream.clone_dtoh(&out)?, |i| {
        let (block, at) = (i / PER_BLOCK, i % PER_BLOCK);
        values[block * PER_BLOCK + PER_BLOCK - 1 - at]
    })
}

fn cooperative(gpu: &Gpu) -> Result<Outcome, Box<dyn Error>> {
    const THREADS: usize = 4 * 128;
    let mut squares = gpu.stream.alloc_zeros::<i32>(THREADS)?;
    let mut out = gpu.stream.alloc_zeros::<i32>(THREADS)?;
    let launch = Launch::cooperative(elements(THREADS, 128));
    // SAFETY: one element per thread.
    unsafe {
        gpu.groups
            .mirror(&gpu.stream, launch, &mut squares, &mut out)?;
    }
    same(&gpu.stream.clone_dtoh(&out)?, |i| {
        let opposite = (THREADS - 1 - i) as i32;
        opposite * opposite
    })
}

/// A cluster shape that is compiled in: launched without naming it, and naming it.
fn cluster(gpu: &Gpu) -> Result<Outcome, Box<dyn Error>> {
    let config = elements(8 * 64, 64);
    ring_check(gpu, config.into(), 4)?;
    ring_check(gpu, Launch::clustered(config, (4, 1, 1)), 4)
}

/// A cluster shape that only the launch knows.
fn cluster_of_launch(gpu: &Gpu) -> Result<Outcome, Box<dyn Error>> {
    ring_check(gpu, Launch::clustered(elements(8 * 64, 64), (2, 1, 1)), 2)
}

fn ring_check(gpu: &Gpu, launch: Launch, blocks: usize) -> Result<Outcome, Box<dyn Error>> {
    const THREADS: usize = 8 * 64;
    let mut out = gpu.stream.alloc_zeros::<i32>(THREADS)?;
    // SAFETY: one element per thread.
    let launched = unsafe {
        if blocks == 4 {
            gpu.groups.ring_of_four(&gpu.stream, launch, &mut out)
        } else {
            gpu.groups.ring(&gpu.stream, launch, &mut out)
        }
    };
    let (major, minor) = gpu.context.compute_capability()?;
    if major < 9 {
        // The wrapper has to know.
        return match launched.map_err(|error| error.reason) {
            Err(Reason::NotInImage(_)) => Ok(Outcome::Skipped(format!(
                "compute capability {major}.{minor} has no clusters, 9.0 is the first with them"
            ))),
            other => {
                Err(format!("no clusters on this device, but the launch gave {other:?}").into())
            }
        };
    }
    launched?;
    same(&gpu.stream.clone_dtoh(&out)?, |i| {
        let (block, thread) = (i / 64, i % 64);
        let first = block / blocks * blocks;
        let next = first + (block - first + 1) % blocks;
        (next * 64 + thread) as i32
    })
}

/// Launches that no driver may see: each is refused, says why, and leaves the device as it is.
fn launch_checks(gpu: &Gpu) -> Result<Outcome, Box<dyn Error>> {
    let stream = &gpu.stream;
    let x = stream.clone_htod(&floats(N))?;
    let mut y = stream.clone_htod(&floats(N))?;
    let mut integers = stream.alloc_zeros::<i32>(512)?;
    let mut saxpy = |config: LaunchConfig| {
        // SAFETY: x and y have n elements.
        unsafe {
            gpu.arguments
                .saxpy(stream, config, N as i32, 1.0, &x, &mut y)
        }
    };
    refused(
        saxpy(elements(N, 512)),
        "cannot launch `saxpy`: 512 threads per block, the kernel allows 256",
    )?;
    let mut empty = elements(N, 256);
    empty.grid_dim.0 = 0;
    refused(saxpy(empty), "cannot launch `saxpy`: grid (0, 1, 1), ")?;
    let mut large = elements(512, 256);
    large.shared_mem_bytes = 1 << 20;
    let input = stream.alloc_zeros::<i32>(512)?;
    // SAFETY: 256 elements per block.
    let launched = unsafe {
        gpu.memory
            .reverse(stream, large, &input, &mut integers, 256)
    };
    refused(
        launched,
        "cannot launch `reverse`: 1048576 bytes of dynamic and 0 of static shared memory, ",
    )?;
    if gpu.context.compute_capability()?.0 >= 9 {
        // SAFETY: one element per thread.
        let launched = unsafe {
            gpu.groups
                .ring_of_four(stream, elements(3 * 64, 64), &mut integers)
        };
        refused(
            launched,
            "cannot launch `ring_of_four`: grid (3, 1, 1) is not a multiple of cluster (4, 1, 1)",
        )?;
    }
    gpu.context.synchronize()?;
    same(&stream.clone_dtoh(&integers)?, |_| 0)?;
    same(&stream.clone_dtoh(&y)?, float)
}

fn occupancy(gpu: &Gpu) -> Result<Outcome, Box<dyn Error>> {
    let info = &arguments::info::SAXPY;
    let attribute = |attribute| -> Result<u32, Box<dyn Error>> {
        Ok(u32::try_from(gpu.context.attribute(attribute)?)?)
    };
    let per_sm = attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?;
    let sms = attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
    // So few registers and no shared memory: threads are what fills a multiprocessor.
    let blocks = gpu.arguments.active_blocks_per_sm(info, 256, 0)?;
    equal("active blocks of 256 threads", blocks, per_sm / 256)?;
    let (blocks, threads) = gpu.arguments.suggested_block_size(info, 0)?;
    if !(32..=256).contains(&threads) || !threads.is_multiple_of(32) || blocks < sms {
        return Err(format!("suggested {blocks} blocks of {threads} threads").into());
    }
    let x = gpu.stream.clone_htod(&floats(N))?;
    let mut y = gpu.stream.alloc_zeros::<f32>(N)?;
    let launch = elements(N, threads);
    // SAFETY: x and y have n elements.
    unsafe {
        gpu.arguments
            .saxpy(&gpu.stream, launch, N as i32, 2.0, &x, &mut y)?;
    }
    same(&gpu.stream.clone_dtoh(&y)?, |i| 2.0 * float(i))
}

/// The wrappers order uses of the same memory on different streams.
fn streams(gpu: &Gpu) -> Result<Outcome, Box<dyn Error>> {
    let (first, second) = (gpu.context.new_stream()?, gpu.context.new_stream()?);
    let x = first.clone_htod(&floats(N))?;
    let mut y = first.alloc_zeros::<f32>(N)?;
    let mut z = second.alloc_zeros::<f32>(N)?;
    for _ in 0..20 {
        // SAFETY: all have n elements. Each launch waits for the one before, whose output it reads.
        unsafe {
            gpu.arguments
                .saxpy(&first, elements(N, 256), N as i32, 1.0, &x, &mut y)?;
            gpu.arguments
                .saxpy(&second, elements(N, 256), N as i32, 1.0, &y, &mut z)?;
        }
    }
    // 1 + 2 + … + 20 times x.
    same(&second.clone_dtoh(&z)?, |i| 210.0 * float(i))
}

/// A launch on a stream that is being captured becomes a node, and runs when the graph does.
fn graph(gpu: &Gpu) -> Result<Outcome, Box<dyn Error>> {
    let stream = gpu.context.new_stream()?;
    // SAFETY: all that follows uses one stream. A capture cannot wait for events from outside of it, so the slices
    // must have none.
    unsafe { gpu.context.disable_event_tracking() };
    let outcome = captured(gpu, &stream);
    // SAFETY: slices with events and without are not used together.
    unsafe { gpu.context.enable_event_tracking() };
    outcome
}

fn captured(gpu: &Gpu, stream: &Arc<CudaStream>) -> Result<Outcome, Box<dyn Error>> {
    let x = stream.clone_htod(&floats(N))?;
    let mut y = stream.clone_htod(&vec![5.0_f32; N])?;
    // Looking a kernel up may load code, which a capture forbids.
    gpu.arguments.preload()?;
    stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
    // SAFETY: x and y have n elements, and live until the graph has run.
    let launched = unsafe {
        gpu.arguments
            .saxpy(stream, elements(N, 256), N as i32, 2.0, &x, &mut y)
    };
    let graph = stream.end_capture(CUgraphInstantiate_flags(0));
    launched?;
    let graph = graph?.ok_or("the capture gave no graph")?;
    same(&stream.clone_dtoh(&y)?, |_| 5.0)?;
    for _ in 0..3 {
        graph.launch()?;
    }
    same(&stream.clone_dtoh(&y)?, |i| 3.0 * 2.0 * float(i) + 5.0)
}

/// A value for element `i`, small enough for exact arithmetic.
fn float(i: usize) -> f32 {
    (i % 1009) as f32
}

fn floats(n: usize) -> Vec<f32> {
    (0..n).map(float).collect()
}

/// One thread per element, in blocks of `threads`.
fn elements(n: usize, threads: u32) -> LaunchConfig {
    LaunchConfig {
        grid_dim: (n.div_ceil(threads as usize) as u32, 1, 1),
        block_dim: (threads, 1, 1),
        shared_mem_bytes: 0,
    }
}

/// Every element must be what `wanted` gives for its index.
fn same<T: PartialEq + Debug>(
    found: &[T],
    wanted: impl Fn(usize) -> T,
) -> Result<Outcome, Box<dyn Error>> {
    for (i, found) in found.iter().enumerate() {
        let wanted = wanted(i);
        if *found != wanted {
            return Err(format!("element {i} is {found:?}, not {wanted:?}").into());
        }
    }
    Ok(Outcome::Right)
}

fn equal<T: PartialEq + Debug>(what: &str, found: T, wanted: T) -> Result<Outcome, Box<dyn Error>> {
    if found == wanted {
        return Ok(Outcome::Right);
    }
    Err(format!("{what}: {found:?}, not {wanted:?}").into())
}

/// The launch must have been refused by the wrapper, with this message.
fn refused(launched: Result<(), LaunchError>, message: &str) -> Result<(), Box<dyn Error>> {
    match launched {
        Ok(()) => Err(format!("launched, instead of: {message}").into()),
        Err(error) if error.to_string().starts_with(message) => Ok(()),
        Err(error) => Err(format!("refused with `{error}`, instead of: {message}").into()),
    }
}

fn linked_sources(gpu: &Gpu) -> Result<Outcome, Box<dyn Error>> {
    const COUNT: usize = 1000;
    let (stream, n) = (&gpu.stream, i32::try_from(COUNT)?);
    let module = linked::Module::load(&gpu.context)?;
    let factor = module.factor()?;
    let mut out = stream.alloc_zeros::<i32>(COUNT)?;
    let launch = elements(COUNT, 128);
    // SAFETY: no other stream uses the constant, and `out` has n elements.
    unsafe {
        factor.write(stream, &3)?;
        module.sequences(stream, launch, &mut out, n)?;
    }
    same(&stream.clone_dtoh(&out)?, |i| {
        let (mut from, mut steps) = (i + 1, 0);
        while from != 1 {
            from = match from % 2 {
                1 => 3 * from + 1,
                _ => from / 2,
            };
            steps += 3;
        }
        steps
    })
}

fn launched_by_a_kernel(gpu: &Gpu) -> Result<Outcome, Box<dyn Error>> {
    let stream = &gpu.stream;
    let module = linked::Module::load(&gpu.context)?;
    let before: Vec<i32> = (0..256).collect();
    let mut out = stream.clone_htod(&before)?;
    let launch = LaunchConfig {
        grid_dim: (1, 1, 1),
        block_dim: (7, 1, 1),
        shared_mem_bytes: 0,
    };
    // SAFETY: seven times 32 elements are inside of `out`.
    unsafe { module.parent(stream, launch, &mut out)? };
    same(&stream.clone_dtoh(&out)?, |i| {
        before[i] + i32::from(i < 7 * 32)
    })
}
