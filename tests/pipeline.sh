#!/usr/bin/env bash
# What a build of real device code costs beside the tools that people use instead: candle-kernels' eleven PTX sources for
# sm_90, through cubin-build, through nvcc alone (`xargs`, largest source first), and through bindgen_cuda and cudaforge,
# which stop at PTX. All take turns, since seconds of a shared machine count only side by side; medians are printed.
#
#     tests/pipeline.sh [TURNS] [PART...]
#
#     cold        from nothing
#     edits       what is compiled after an edit: nothing, a comment in the header of all, a header with one user
#     targets     three targets of one virtual architecture beside three runs of nvcc
#     small       200 small sources, nothing changed
#
# Needs cargo with its registry, and a toolkit that cubin-build finds. `SOURCES="fill affine"` takes fewer sources, `JOBS`
# another number of processes than this machine has cores.
set -euo pipefail

turns=${1:-3}
shift || true
parts=${*:-cold edits targets small}
root=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
jobs=${JOBS:-$(nproc)}
sources=${SOURCES:-affine binary cast conv fill indexing quantized reduce sort ternary unary}
version=0.11.1

# The programs: what a build script would do, in the folder that it is started in, unoptimised as build scripts are.
mkdir -p "$work/crate/src/bin"
cat >"$work/crate/Cargo.toml" <<TOML
[package]
name = "pipeline"
version = "0.0.0"
edition = "2024"

[dependencies]
cubin-build = { path = "$root/cubin-build" }
bindgen_cuda = "=0.1.6"
cudaforge = "=0.1.6"

[target.'cfg(any())'.dependencies]
candle-kernels = "=$version"

[workspace]
TOML
: >"$work/crate/src/lib.rs"
cat >"$work/crate/src/bin/ours.rs" <<'RUST'
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut builder = cubin_build::Builder::new().root(".").out_dir(std::env::var("OUT_DIR").unwrap());
    let (targets, sources) = arguments.split_first().unwrap();
    for target in targets.split(',') {
        builder = builder.arch(target);
    }
    let output = builder.files(sources).flags(["--expt-relaxed-constexpr", "-O3"]).try_build();
    match output {
        Ok(output) => eprintln!("{} compiled", output.compiled),
        Err(error) => panic!("{error}"),
    }
}
RUST
cat >"$work/crate/src/bin/bindgen.rs" <<'RUST'
fn main() {
    let sources: Vec<String> = std::env::args().skip(1).collect();
    bindgen_cuda::Builder::default().kernel_paths(sources).arg("--expt-relaxed-constexpr").arg("-std=c++17").arg("-O3").build_ptx().unwrap();
}
RUST
cat >"$work/crate/src/bin/forge.rs" <<'RUST'
fn main() {
    let sources: Vec<String> = std::env::args().skip(1).collect();
    cudaforge::KernelBuilder::new().source_files(sources).arg("--expt-relaxed-constexpr").arg("-std=c++17").arg("-O3").build_ptx().unwrap();
}
RUST
(cd "$work/crate" && cargo build --quiet --bins --target-dir "$root/target/pipeline")
bin="$root/target/pipeline/debug"
package=$(cd "$work/crate" && cargo metadata --offline --format-version=1 | python3 -c '
import json, os, sys
packages = json.load(sys.stdin)["packages"]
print(next(os.path.dirname(p["manifest_path"]) for p in packages if p["name"] == "candle-kernels"))')
toolkit=$(cd "$root" && cargo run --quiet -p cargo-cubin --target-dir "$root/target/pipeline" -- cubin toolkit path)
nvcc=${NVCC:-$toolkit/bin/nvcc}
export CUDA_PATH="$toolkit" CUDA_HOME="$toolkit" CUDA_ROOT="$toolkit"
export NVCC="$nvcc" CUDA_COMPUTE_CAP=90 RAYON_NUM_THREADS="$jobs" NUM_JOBS="$jobs" HOST=x86_64-unknown-linux-gnu
export TARGET=$HOST PROFILE=debug CARGO_MANIFEST_DIR=. CUBIN_BUILD_JOBS="$jobs"
export PATH="$(dirname "$nvcc"):$PATH"

fresh() { rm -rf "$work/$1"; mkdir -p "$work/$1/out"; cp -r "$package/src" "$work/$1/src"; chmod -R u+w "$work/$1"; }
files() { (cd "$work/$1" && for name in $sources; do ls -l "src/$name.cu"; done | sort -k5 -rn | awk '{ print $NF }'); }
# Runs the words from $3 on in folder $1, and appends wall seconds, CPU seconds and the largest process in MB to row $2.
timed() {
    local dir=$1 row=$2
    shift 2
    (cd "$work/$dir" && OUT_DIR="$work/$dir/out" /usr/bin/time -o "$work/time" -f '%e %U %S %M' "$@" >"$work/log" 2>&1) || { cat "$work/log" >&2; exit 1; }
    awk '{ printf "%.3f %.3f %.0f\n", $1, $2 + $3, $4 / 1024 }' "$work/time" >>"$work/row.$row"
}
raw() {
    local dir=$1 row=$2 arch=$3
    shift 3
    printf '%s\n' "$@" >"$work/list"
    timed "$dir" "$row" sh -c 'xargs -P"$1" -I{} sh -c "$2 -cubin -arch=$3 -std=c++17 --expt-relaxed-constexpr -O3 {} -o out/\$(basename {}).$3.cubin" <"$4"' _ "$jobs" "$nvcc" "$arch" "$work/list"
}
median() { sort -n "$1" | awk -v c="$2" '{ v[NR] = $c } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
show() {
    printf '\n%-44s %9s %9s %9s\n' "$1" wall CPU 'MB (1)'
    shift
    for row in "$@"; do
        [ -e "$work/row.$row" ] || continue
        sort -n "$work/row.$row" >"$work/sorted"
        awk '{ print $2 }' "$work/row.$row" >"$work/cpu"
        awk '{ print $3 }' "$work/row.$row" >"$work/mb"
        printf '%-44s %9.2f %9.2f %9.0f\n' "$row" "$(median "$work/sorted" 1)" "$(median "$work/cpu" 1)" "$(median "$work/mb" 1)"
    done
}

for part in $parts; do
    case $part in
        cold)
            for _ in $(seq "$turns"); do
                fresh raw; raw raw 'nvcc-xargs' sm_90 $(files raw)
                fresh ours; timed ours 'cubin-build' "$bin/ours" sm_90 $(files ours)
                fresh bindgen; timed bindgen 'bindgen_cuda-ptx' "$bin/bindgen" $(files bindgen)
                fresh forge; timed forge 'cudaforge-ptx' "$bin/forge" $(files forge)
            done
            show "cold, $jobs processes, $turns turns" nvcc-xargs cubin-build bindgen_cuda-ptx cudaforge-ptx
            ;;
        edits)
            fresh edits; timed edits first "$bin/ours" sm_90 $(files edits)
            for turn in $(seq "$turns"); do
                timed edits nothing-changed "$bin/ours" sm_90 $(files edits)
                printf '// A comment, %s.\n' "$turn" >>"$work/edits/src/cuda_utils.cuh"
                timed edits comment-in-header-of-all "$bin/ours" sm_90 $(files edits)
                files edits >"$work/list"
                timed edits nvcc-E-of-all sh -c 'xargs -P"$1" -I{} sh -c "$2 -E -arch=sm_90 -std=c++17 --expt-relaxed-constexpr {} -o out/x.\$(basename {}).ii" <"$3"' _ "$jobs" "$nvcc" "$work/list"
                printf '#define EDIT_%s 1\n__device__ int edit_%s() { return %s; }\n' "$turn" "$turn" "$turn" >>"$work/edits/src/binary_op_macros.cuh"
                timed edits header-of-one "$bin/ours" sm_90 $(files edits)
                raw edits nvcc-of-that-one sm_90 src/binary.cu
            done
            show "after an edit, $jobs processes" nothing-changed comment-in-header-of-all nvcc-E-of-all header-of-one nvcc-of-that-one
            ;;
        targets)
            for _ in $(seq "$turns"); do
                fresh raw
                for arch in sm_80 sm_86 sm_89; do raw raw "nvcc-$arch" $arch src/unary.cu; done
                fresh ours
                printf '[build]\narch = ["sm_80", "sm_86", "sm_89"]\nvirtual = "compute_80"\n' >"$work/ours/cubin.toml"
                timed ours one-virtual-architecture "$bin/ours" sm_80,sm_86,sm_89 src/unary.cu
            done
            show 'unary.cu for three targets (one after the other for nvcc)' nvcc-sm_80 nvcc-sm_86 nvcc-sm_89 one-virtual-architecture
            ;;
        small)
            rm -rf "$work/small"; mkdir -p "$work/small/src" "$work/small/out"
            for i in $(seq 200); do
                printf 'extern "C" __global__ void k%s(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= %s; }\n' "$i" "$i" >"$work/small/src/k$i.cu"
            done
            list=$(cd "$work/small" && ls src/*.cu)
            timed small first-build-of-200 "$bin/ours" sm_90 $list
            for _ in $(seq "$turns"); do timed small nothing-changed-of-200 "$bin/ours" sm_90 $list; done
            show '200 small sources' first-build-of-200 nothing-changed-of-200
            ;;
        *) echo "unknown part $part" >&2; exit 2 ;;
    esac
done
printf '\n(1) the largest single process.\n'
