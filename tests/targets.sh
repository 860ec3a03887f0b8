#!/usr/bin/env bash
# Other systems: what can be checked without one.
#
#   tests/targets.sh            cubin-core without a standard library; all crates on Windows, macOS and Linux on aarch64
#
# Needs the standard library of each target: `rustup target add` fetches it where it can. One that is not to be had is said
# and left out; CUBIN_TEST_TARGETS=required makes that a failure. C is not compiled, nothing is linked, nothing runs.
set -euo pipefail
cd "$(dirname "$0")/.."

status=0
have() {
    rustup target list --installed 2>/dev/null | grep -qx "$1" && return
    timeout 120 rustup target add "$1" >/dev/null 2>&1 && return
    echo "$1: its standard library is not installed and cannot be fetched here; left out"
    if [ "${CUBIN_TEST_TARGETS:-}" = required ]; then status=1; fi
    return 1
}
check() {
    local target=$1
    shift
    have "$target" || return 0
    echo "$target: $*"
    cargo clippy --quiet --target "$target" "$@" -- -D warnings
}

check thumbv7em-none-eabi --package cubin-core --no-default-features
check thumbv7em-none-eabi --package cubin-core --no-default-features --features views,demangle
check x86_64-pc-windows-gnu --package cubin-core --package cubin-build --package cubin-runtime --package cargo-cubin
check aarch64-unknown-linux-gnu --package cubin-core --package cubin-build --package cubin-runtime
check aarch64-apple-darwin --package cubin-core --package cubin-build --package cubin-runtime
exit "$status"
