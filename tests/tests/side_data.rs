//! What is kept of nvcc's side files between builds, with the real compiler: an unchanged build reads none of them again,
//! and whatever is damaged, foreign or changed is read again alone. And what they tell of dynamic shared memory.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

use cubin_build::{Builder, Link, builder::Output};
use cubin_tests::tools;

const SCALE: &str = "#include <cstdint>\nstruct Pair { float a; uint32_t n; };\n\
                     __global__ void scale(float *y, Pair factor, int count) { y[count] = factor.a * factor.n; }\n";
const FILL: &str = "template <int N> __global__ void fill(float *out) { out[threadIdx.x * N] = N; }\n\
                    template __global__ void fill<4>(float *);\n";

fn scratch(name: &str) -> Option<PathBuf> {
    cubin_tests::toolkit()?;
    Some(tools::scratch(
        env!("CARGO_TARGET_TMPDIR"),
        &format!("side_data/{name}"),
    ))
}

fn builder(dir: &Path) -> Builder {
    Builder::new()
        .root(dir)
        .out_dir(dir.join("out"))
        .toolkit(cubin_tests::version())
        .arch("sm_90")
}

fn build(builder: Builder) -> Output {
    builder
        .try_build()
        .unwrap_or_else(|error| panic!("{error}"))
}

/// The files that end in `end` in the units' directories, with their times.
fn kept(dir: &Path, end: &str) -> BTreeMap<PathBuf, SystemTime> {
    let units = dir.join("out/kernels/cubin-build/units");
    let mut found = BTreeMap::new();
    let mut dirs = vec![units];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(dir).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                dirs.push(path);
            } else if path.to_string_lossy().ends_with(end) {
                let meta = fs::metadata(&path).expect("metadata");
                found.insert(path, meta.modified().expect("a time"));
            }
        }
    }
    found
}

/// The file of the unit whose directory is named after `stem`.
fn of(dir: &Path, stem: &str, end: &str) -> PathBuf {
    let all = kept(dir, end);
    let named = |path: &&PathBuf| path.to_string_lossy().contains(&format!("/{stem}-"));
    all.keys().find(named).expect("the unit's file").clone()
}

#[test]
fn what_was_read_is_kept_and_never_trusted_blindly() {
    let Some(dir) = scratch("kept") else { return };
    fs::write(dir.join("scale.cu"), SCALE).expect("a source");
    fs::write(dir.join("fill.cu"), FILL).expect("a source");
    let again = || build(builder(&dir).file("scale.cu").file("fill.cu"));
    let first = again();
    assert_eq!(first.compiled, 2);
    let text = fs::read_to_string(&first.generated).expect("the generated file");
    let files = kept(&dir, "read.bin");
    assert_eq!(files.len(), 2);

    // Nothing changed: nothing is written, and the same is known.
    let second = again();
    assert_eq!((second.compiled, &second.kernels), (0, &first.kernels));
    assert_eq!(kept(&dir, "read.bin"), files);

    // Damaged anywhere, cut short, or of somebody else: made anew, with the same content.
    let path = of(&dir, "scale", "read.bin");
    let bytes = fs::read(&path).expect("what is kept");
    let mut damages: Vec<Vec<u8>> = (0..bytes.len())
        .step_by(bytes.len() / 8)
        .map(|at| {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x41;
            damaged
        })
        .collect();
    damages.push(bytes[..bytes.len() / 2].to_vec());
    damages.push(Vec::new());
    damages.push(fs::read(of(&dir, "fill", "read.bin")).expect("what is kept"));
    for damaged in damages {
        fs::write(&path, &damaged).expect("a file");
        let output = again();
        assert_eq!((output.compiled, &output.kernels), (0, &first.kernels));
        let now = fs::read_to_string(&output.generated).expect("the generated file");
        assert_eq!(now, text);
        assert_eq!(fs::read(&path).expect("what is kept"), bytes);
    }
}

#[test]
fn a_changed_side_file_is_made_again_alone() {
    let Some(dir) = scratch("changed") else {
        return;
    };
    fs::write(dir.join("scale.cu"), SCALE).expect("a source");
    fs::write(dir.join("fill.cu"), FILL).expect("a source");
    let again = || build(builder(&dir).file("scale.cu").file("fill.cu"));
    again();
    let before = kept(&dir, "read.bin");
    // As long as it was: only its content tells.
    let gpu = of(&dir, "scale", ".cudafe1.gpu");
    let text = fs::read_to_string(&gpu).expect("the side file");
    assert!(text.contains("count"));
    fs::write(&gpu, text.replace("count", "index")).expect("the side file");
    let output = again();
    assert_eq!(output.compiled, 1);
    let generated = fs::read_to_string(&output.generated).expect("the generated file");
    assert!(generated.contains("count: i32"), "{generated}");
    assert_eq!(fs::read_to_string(&gpu).expect("the side file"), text);
    let after = kept(&dir, "read.bin");
    let fill = of(&dir, "fill", "read.bin");
    assert_eq!(before[&fill], after[&fill], "the other unit is left alone");
}

/// Who uses dynamic shared memory, by C++ name.
fn dynamic(output: &Output) -> BTreeMap<&str, Option<bool>> {
    let kernels = output.kernels.iter();
    kernels
        .map(|facts| (facts.name.as_str(), facts.resources.dynamic_shared))
        .collect()
}

#[test]
fn dynamic_shared_memory_is_told_per_kernel() {
    let Some(dir) = scratch("dynamic") else {
        return;
    };
    let source = "extern __shared__ float smem[];\n\
        __device__ __noinline__ float inner(int i) { return smem[i] * 2; }\n\
        __device__ __noinline__ float outer(int i) { return inner(i + 1) + 1; }\n\
        __global__ void body(float *o) { smem[threadIdx.x] = 1; __syncthreads(); o[0] = smem[3]; }\n\
        __global__ void through(float *o) { o[0] = outer((int)o[1]); }\n\
        __global__ void fixed(float *o) { __shared__ float t[32]; t[threadIdx.x] = o[1]; __syncthreads(); o[0] = t[3]; }\n";
    fs::write(dir.join("shared.cu"), source).expect("a source");
    fs::write(dir.join("fill.cu"), FILL).expect("a source");
    let again = || build(builder(&dir).file("shared.cu").file("fill.cu"));
    let expected = BTreeMap::from([
        ("body", Some(true)),
        ("fill<4>", Some(false)),
        ("fixed", Some(false)),
        ("through", Some(true)),
    ]);
    assert_eq!(dynamic(&again()), expected);
    assert_eq!(dynamic(&again()), expected, "what is kept says the same");

    // Machine code alone does not tell.
    let cubin = dir.join("out/shared.sm_90.cubin");
    fs::copy(cubin, dir.join("prebuilt.cubin")).expect("a cubin");
    fs::create_dir(dir.join("prebuilt")).expect("a directory");
    let output = build(
        builder(&dir)
            .out_dir(dir.join("prebuilt"))
            .file("prebuilt.cubin"),
    );
    assert!(
        output.kernels.len() == 3
            && output
                .kernels
                .iter()
                .all(|k| k.resources.dynamic_shared.is_none())
    );

    // Text that is assembled does.
    let ptx = of(&dir, "shared", ".ptx");
    fs::copy(ptx, dir.join("text.ptx")).expect("PTX");
    let output = build(builder(&dir).out_dir(dir.join("text")).file("text.ptx"));
    let uses: Vec<Option<bool>> = output
        .kernels
        .iter()
        .map(|k| k.resources.dynamic_shared)
        .collect();
    assert_eq!(
        uses.iter().filter(|uses| **uses == Some(true)).count(),
        2,
        "{uses:?}"
    );
    assert_eq!(
        uses.iter().filter(|uses| **uses == Some(false)).count(),
        1,
        "{uses:?}"
    );
}

#[test]
fn dynamic_shared_memory_of_linked_sources_is_followed() {
    let Some(dir) = scratch("linked") else { return };
    let caller = "extern __device__ float other(int);\n\
        __global__ void calls(float *o) { o[0] = other((int)o[1]); }\n\
        __global__ void alone(float *o) { o[0] = 1; }\n";
    let other =
        "extern __shared__ float smem[];\n__device__ float other(int i) { return smem[i]; }\n";
    fs::write(dir.join("caller.cu"), caller).expect("a source");
    fs::write(dir.join("other.cu"), other).expect("a source");
    let link = Link::new("both").file("caller.cu").file("other.cu");
    let output = build(builder(&dir).link(link));
    let expected = BTreeMap::from([("alone", Some(false)), ("calls", Some(true))]);
    assert_eq!(dynamic(&output), expected);
}
