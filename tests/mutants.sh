#!/usr/bin/env bash
# Mutants of a crate: tests/mutants.sh core|build SHARD/OF
#
#   tests/mutants.sh core 0/48      cubin-core, every 48th mutant: none may live on
#   tests/mutants.sh build 0/120    the parts of cubin-build that decide: at most 5 of 100 may
#
# Needs `cargo install cargo-mutants --locked`. The tests that are asked, and what lives on with a reason, stand in
# .cargo/mutants.toml and .cargo/mutants-build.toml. The lists of mutants stay in target/mutants-core and -build.
set -euo pipefail
cd "$(dirname "$0")/.."

which="${1:?core or build}"
shard="${2:?SHARD/OF}"
case "$which" in
core) package=cubin-core config=.cargo/mutants.toml most=0 ;;
build) package=cubin-build config=.cargo/mutants-build.toml most=5 ;;
*) echo "core or build" >&2 && exit 2 ;;
esac

out="target/mutants-$which"
rm -rf "$out"
mkdir -p "$out"
status=0
cargo mutants --config "$config" --package "$package" --shard "$shard" --sharding round-robin --output "$out" ||
    status=$?
# 2: some live on; 3: some did not end in time, which is as good as a failed test.
case "$status" in 0 | 2 | 3) ;; *) exit "$status" ;; esac

count() { wc -l <"$out/mutants.out/$1.txt"; }
caught=$(($(count caught) + $(count timeout)))
alive=$(count missed)
echo "mutants of $package, shard $shard: $caught noticed, $alive alive, $(count unviable) that do not compile"
((alive * 100 <= most * (caught + alive)))
