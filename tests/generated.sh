#!/usr/bin/env bash
# What generated code costs the crate that includes it: bytes of text, and CPU seconds and memory of `cargo check`, from
# nothing and after a change of one line elsewhere in the crate. The code is that of candle-kernels without its ten
# longest sources, for two targets, as the test `candle` builds it; this checkout's is held against that of another
# revision, turn by turn, since seconds of a shared machine count only side by side.
#
#     tests/generated.sh REVISION [TURNS]
#
# Takes a toolkit, and five CPU minutes of nvcc the first time; what it compiled stays below `target`.
set -euo pipefail

revision=${1:?a revision to compare with, such as v0.1.0 or main}
turns=${2:-7}
root=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
work="$root/target/generated"
mkdir -p "$work"

# The other revision in a checkout of its own, with what was compiled for candle so far.
other="$work/checkout"
[ -e "$other/.git" ] || git -C "$root" worktree add --quiet --detach "$other" "$revision"
git -C "$other" checkout --quiet --detach "$revision"
if [ ! -e "$other/target/tmp/candle" ] && [ -e "$root/target/tmp/candle" ]; then
    mkdir -p "$other/target/tmp"
    cp -a "$root/target/tmp/candle" "$other/target/tmp/"
fi

# Writes `kernels.rs` of the checkout in $1.
generate() {
    local log="$work/generate.log"
    # The test may judge what it built; only the file is asked for.
    (cd "$1" && CUBIN_TEST_CANDLE=fast cargo test --quiet -p cubin-tests --test candle every_kernel) >"$log" 2>&1 || true
    local file="$1/target/tmp/candle/out/kernels.rs"
    [ -s "$file" ] || { cat "$log" >&2; exit 1; }
    echo "$file"
}

# A crate called $1 that does nothing but include the file $2.
crate() {
    local dir="$work/$1"
    mkdir -p "$dir/src"
    local cudarc
    cudarc=$(grep '^cudarc = .*"dynamic-loading"' "$root/tests/Cargo.toml" | head -1)
    printf '[package]\nname = "includes"\nversion = "0.0.0"\nedition = "2024"\n\n[dependencies]\n%s\n\n[workspace]\n' \
        "$cudarc" >"$dir/Cargo.toml"
    cp "$root/Cargo.lock" "$dir/Cargo.lock"
    printf '//! Includes generated code.\n\n/// Kernels.\npub mod kernels {\n    include!("%s");\n}\n' "$2" >"$dir/src/lib.rs"
}

# Appends user CPU seconds, all CPU seconds and peak memory in MB of `cargo check` in $1 to $1.$2.
measure() {
    local dir="$work/$1"
    (cd "$dir" && /usr/bin/time -o "$work/time" -f '%U %S %M' cargo check --offline --quiet)
    awk '{ printf "%.2f %.2f %.0f\n", $1, $1 + $2, $3 / 1024 }' "$work/time" >>"$work/$1.$2"
}

# The median of column $2 of the file $1.
median() {
    awk -v column="$2" '{ print $column }' "$1" | sort -n | awk '
        { value[NR] = $1 }
        END { print NR % 2 ? value[(NR + 1) / 2] : (value[NR / 2] + value[NR / 2 + 1]) / 2 }'
}

before=$(generate "$other")
after=$(generate "$root")
crate before "$before"
crate after "$after"
rm -f "$work"/{before,after}.{clean,edit}
for name in before after; do
    # Dependencies are not what is measured.
    (cd "$work/$name" && cargo check --quiet)
done
for turn in $(seq "$turns"); do
    for name in before after; do
        rm -rf "$work/$name"/target/debug/incremental/includes-*
        touch "$work/$name/src/lib.rs"
        measure "$name" clean
        printf '\n/// A change.\npub const TURN_%s: u32 = %s;\n' "$turn" "$turn" >>"$work/$name/src/lib.rs"
        measure "$name" edit
    done
done

printf '%-8s %10s  %-28s  %-28s\n' '' bytes 'from nothing: user, all, MB' 'one line: user, all, MB'
for name in before after; do
    file=${!name}
    printf '%-8s %10s  ' "$name" "$(wc -c <"$file")"
    for kind in clean edit; do
        printf '%8.2f %8.2f %8.0f    ' "$(median "$work/$name.$kind" 1)" "$(median "$work/$name.$kind" 2)" \
            "$(median "$work/$name.$kind" 3)"
    done
    printf '\n'
done
printf 'medians of %s turns; before is %s; ' "$turns" "$(git -C "$other" rev-parse --short HEAD)"
rustc --version
