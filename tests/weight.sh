#!/bin/sh
# What a build-dependency costs: crates and CPU seconds (user + system) of a clean debug build of an empty crate whose
# build script uses it, with everything downloaded before. The candidates take turns, so that a busy machine is busy
# for all of them; medians are printed.
#
#   tests/weight.sh [RUNS]          RUNS defaults to 5
#
# Needs cargo, and the network or cargo's cache for the others.
set -eu

runs=${1:-5}
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

candidates='cubin-build bindgen_cuda cudaforge'
requirement() {
    case $1 in
        cubin-build) echo "{ path = \"$here/cubin-build\" }" ;;
        bindgen_cuda) echo '"=0.1.6"' ;;
        cudaforge) echo '"=0.1.6"' ;;
    esac
}

for name in $candidates; do
    dir=$work/$name
    mkdir -p "$dir/src"
    printf '[package]\nname = "weighed"\nversion = "0.0.0"\nedition = "2024"\n\n[build-dependencies]\n%s = %s\n\n[workspace]\n' \
        "$name" "$(requirement "$name")" >"$dir/Cargo.toml"
    printf 'fn main() {}\n' >"$dir/build.rs"
    : >"$dir/src/lib.rs"
    (cd "$dir" && cargo fetch --quiet)
done

# The shell's `times` counts children that ended: the difference before and after is the build's.
cpu() {
    (
        cd "$work/$1"
        rm -rf target
        # As it comes from a registry: cargo compiles path dependencies incrementally, which costs more.
        CARGO_INCREMENTAL=0 cargo build --quiet --offline --target-dir target
        times >times.txt; tail -n 1 times.txt
    ) | awk '{ for (i = 1; i <= 2; i++) { split($i, t, "m"); sub("s", "", t[2]); sum += t[1] * 60 + t[2] } printf "%.2f\n", sum }'
}

i=0
while [ "$i" -lt "$runs" ]; do
    for name in $candidates; do
        cpu "$name" >>"$work/$name.times"
    done
    i=$((i + 1))
done

printf '%-14s %-9s %7s %13s %15s\n' crate version crates 'CPU s, median' 'least to most'
for name in $candidates; do
    cd "$work/$name"
    tree=$(cargo tree --offline --edges build,normal --prefix none --no-dedupe | sed 's/ (.*//' | sort -u)
    crates=$(($(printf '%s\n' "$tree" | wc -l) - 1))
    version=$(printf '%s\n' "$tree" | sed -n "s/^$name v//p")
    sort -n "$work/$name.times" | awk -v name="$name" -v version="$version" -v crates="$crates" '
        { t[NR] = $1 }
        END {
            m = NR % 2 ? t[(NR + 1) / 2] : (t[NR / 2] + t[NR / 2 + 1]) / 2
            printf "%-14s %-9s %7d %13.1f %7.1f to %4.1f\n", name, version, crates, m, t[1], t[NR]
        }'
done
cargo --version
