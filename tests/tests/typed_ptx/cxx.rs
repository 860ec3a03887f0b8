//! Kernels of C++ sources, and of the PTX that nvcc made of these: the wrappers of both are the same, as far as PTX tells.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use cubin_build::{Builder, Output, env::Env};
use cubin_tests::candle::{self, Subset};

const SOURCE: &str = "\
#include <cuda_fp16.h>
#include <cuda_bf16.h>
namespace ns { struct Pair { double a; int b; }; template <class T> struct View { T *data; long n; }; }
enum Mode { A, B };
__global__ void integers(signed char a, unsigned char b, short c, unsigned short d, int e, unsigned f, long g, unsigned long h, long long i, bool j, char k) {}
__global__ void floats(float a, double b, __half c, __nv_bfloat16 d, float2 e, float4 f, int3 g) {}
__global__ void pointers(float *a, const double *b, int **c, void *d, const __half *e, const float4 *f, ns::Pair *g) { *a = *b + **c; }
__global__ void records(ns::Pair a, ns::View<float> b, Mode c, const ns::View<const float> d, unsigned char e) { *b.data = *d.data; }
template <class T, int N> __global__ void scale(T *x, T by, int n) { if (n > N) x[threadIdx.x] *= by; }
template __global__ void scale<float, 4>(float *, float, int);
template __global__ void scale<double, 8>(double *, double, int);
template __global__ void scale<unsigned char, 8>(unsigned char *, unsigned char, int);
extern \"C\" __global__ void plain(int n, float a, const float *x, double *y, long m, unsigned char c) { y[n] = a * *x + m + c; }
";

/// Each launch method with its arguments, by module and name.
fn wrappers(generated: &str) -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    for part in generated.split("pub unsafe fn ").skip(1) {
        let Some((name, rest)) = part.split_once('(') else {
            continue;
        };
        let Some((params, _)) = rest.split_once(") ->") else {
            continue;
        };
        let Some((_, params)) = params.split_once("impl Into<runtime::Launch>,") else {
            continue;
        };
        let params = params
            .split('\n')
            .map(|line| line.trim().trim_end_matches(','));
        let types = params.filter_map(|param| param.split_once(": "));
        // The one method for all instances of a template has the types of none.
        if !name.contains('<') {
            found.insert(
                name.to_owned(),
                types.map(|(_, ty)| ty.to_owned()).collect(),
            );
        }
    }
    found
}

/// The PTX that the compilations for a target left below `dir`, in folders that begin with its virtual architecture.
fn ptx_files(dir: &Path, target: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "ptx")
                && folder.file_name().is_some_and(|name| {
                    let name = name.to_string_lossy();
                    let name = name.split('-').next().unwrap_or_default();
                    name == target || name == target.replace("sm_", "compute_")
                })
            {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Builds the PTX that a build of C++ left.
fn rebuilt(ptx: &[PathBuf], dir: &Path, target: &str) -> Output {
    let _ = fs::remove_dir_all(dir);
    fs::create_dir_all(dir.join("out")).expect("a scratch folder");
    let mut builder = Builder::new()
        .root(dir)
        .out_dir(dir.join("out"))
        .toolkit(cubin_tests::TOOLKIT)
        .arch(target);
    for file in ptx {
        let name = file.file_name().expect("a name");
        fs::copy(file, dir.join(name)).expect("a copy");
        builder = builder.file(name);
    }
    builder
        .try_build()
        .unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_mangled_symbol_gives_the_types_of_the_source() {
    if cubin_tests::toolkit().is_none() {
        return;
    }
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("typed_ptx_cxx");
    for target in ["sm_90", "sm_100"] {
        let of_source = dir.join(target).join("cxx");
        fs::create_dir_all(of_source.join("out")).expect("a scratch folder");
        fs::write(of_source.join("kernels.cu"), SOURCE).expect("a source");
        let cxx = Builder::new()
            .root(&of_source)
            .out_dir(of_source.join("out"))
            .toolkit(cubin_tests::TOOLKIT)
            .arch(target)
            .file("kernels.cu")
            .try_build()
            .unwrap_or_else(|error| panic!("{error}"));
        let files = ptx_files(&of_source.join("out"), target);
        assert_eq!(files.len(), 1, "{files:?}");
        let ptx = rebuilt(&files, &dir.join(target).join("ptx"), target);
        let read =
            |output: &Output| wrappers(&fs::read_to_string(&output.generated).expect("a file"));
        let (cxx, ptx) = (read(&cxx), read(&ptx));
        assert!(cxx.len() >= 5, "{cxx:?}");
        for (name, cxx) in &cxx {
            let ptx = ptx
                .get(name)
                .unwrap_or_else(|| panic!("{name} in {:?}", ptx.keys()));
            assert_eq!(cxx.len(), ptx.len(), "{name}");
            for (cxx, ptx) in cxx.iter().zip(ptx) {
                if name == "plain" {
                    assert!(fits(cxx, ptx), "{name}: {cxx} and {ptx}");
                } else {
                    assert_eq!(spelt(cxx), spelt(ptx), "{name} for {target}");
                }
            }
        }
    }
}

/// What a mangled symbol cannot tell apart: `long` and `long long` are as wide, an unnamed element is none.
fn spelt(ty: &str) -> String {
    ty.replace("super::types", "types")
}

/// Whether PTX without types in its symbol says the same as far as it can: class and size.
fn fits(cxx: &str, ptx: &str) -> bool {
    let bytes = |ty: &str| match ty.rsplit("::").next().unwrap_or(ty) {
        "i8" | "u8" | "bool" | "c_char" => Some(1),
        "i16" | "u16" => Some(2),
        "i32" | "u32" => Some(4),
        "i64" | "u64" | "usize" | "isize" => Some(8),
        "Half" | "BFloat16" | "[u8; 2]" | "Bytes2Align2" => Some(-2),
        _ => None,
    };
    if cxx.starts_with('&') {
        // A pointer that the kernel never follows is a number to it.
        return ptx.starts_with('&') || ptx == "u64";
    }
    cxx == ptx || bytes(cxx).is_some() && bytes(cxx) == bytes(ptx)
}

#[test]
fn kernels_of_candle_have_the_types_of_their_sources() {
    if Env::process()
        .peek("CUBIN_TEST_PTX")
        .is_none_or(|value| value != "all")
    {
        eprintln!("not run: CUBIN_TEST_PTX=all builds candle-kernels, and again from their PTX");
        return;
    }
    if cubin_tests::toolkit().is_none() {
        return;
    }
    let tmp = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let root = candle::fetch(tmp).unwrap_or_else(|error| panic!("candle-kernels: {error}"));
    let out = tmp.join("candle").join("out");
    let cxx = candle::builder(&root, &out, Subset::Fast)
        .try_build()
        .unwrap_or_else(|error| panic!("{error}"));
    let files = ptx_files(&out, "sm_90");
    let files: Vec<PathBuf> = files
        .into_iter()
        .filter(|file| !file.to_string_lossy().contains("mmq_"))
        .collect();
    let ptx = rebuilt(&files, &tmp.join("typed_ptx_candle"), "sm_90");
    let read = |output: &Output| wrappers(&fs::read_to_string(&output.generated).expect("a file"));
    let (cxx, ptx) = (read(&cxx), read(&ptx));
    let (mut params, mut pointers, mut numbers, mut exact) = (0, 0, 0, 0);
    let mut wrong = Vec::new();
    let mut kernels = 0;
    for (name, cxx) in &cxx {
        let Some(ptx) = ptx.get(name) else {
            wrong.push(format!("{name} has no wrapper"));
            continue;
        };
        kernels += 1;
        if cxx.len() != ptx.len() {
            wrong.push(format!("{name}: {cxx:?} and {ptx:?}"));
        }
        for (cxx, ptx) in cxx.iter().zip(ptx) {
            params += 1;
            exact += usize::from(cxx == ptx);
            pointers += usize::from(cxx.starts_with('&') && ptx.starts_with('&'));
            numbers += usize::from(cxx.starts_with('&') && !ptx.starts_with('&'));
            if !fits(cxx, ptx) {
                wrong.push(format!("{name}: {cxx} and {ptx}"));
            }
        }
    }
    println!(
        "{kernels} kernels of candle: {params} parameters, {exact} with the very type, {pointers} pointers known as \
         such, {numbers} taken for numbers"
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(kernels >= 200, "only {kernels} kernels");
}
