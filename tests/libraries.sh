#!/usr/bin/env bash
# Holds `cargo cubin inspect` against NVIDIA's cuobjdump on shared libraries of PyPI's wheels, old and new, compressed and not.
#
#   tests/libraries.sh DIR [WHEEL...]        wheels into DIR (about 1.2 GB; kept), each of their libraries by both tools
#
# Prints a row per library: bytes, cubins by both, whether all figures are the same, CPU seconds of both. Needs python3 with
# pip, and cuobjdump of a toolkit: CUOBJDUMP, else the one on PATH. Ends with 1 when anything differs.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=${1:?a folder for the wheels}
shift
wheels=("$@")
if [ ${#wheels[@]} = 0 ]; then
    wheels=(nvidia-nvjpeg-cu11==11.9.0.86 nvidia-npp-cu11==11.8.0.86 nvidia-nvjpeg-cu12==12.3.1.117 nvidia-curand-cu12==10.3.5.147
        nvidia-npp-cu12==12.2.5.30 nvidia-nvjpeg==13.0.4.44 nvidia-curand==10.4.1.81 nvidia-npp==13.0.3.3)
fi
cuobjdump=${CUOBJDUMP:-cuobjdump}
cargo build --quiet --release --package cargo-cubin
inspect=target/release/cargo-cubin
mkdir -p "$dir"
for wheel in "${wheels[@]}"; do
    [ -e "$dir/$wheel.done" ] && continue
    python3 -m pip install --quiet --root-user-action=ignore --no-deps --only-binary :all: --target "$dir/$wheel" "$wheel"
    touch "$dir/$wheel.done"
done
seconds() { # command; its output goes to standard output, user and system seconds to $dir/time
    local TIMEFORMAT='%U %S'
    { time "$@" 2>"$dir/stderr" ; } 2>"$dir/time"
}
cpu() { awk '{ printf "%.2f", $1 + $2 }' "$dir/time"; }
printf '| library | MB | cubins: cuobjdump, inspect | figures | CPU s: cuobjdump -res-usage, inspect |\n|---|---|---|---|---|\n'
wrong=0 count=0
while read -r library; do
    listed=$("$cuobjdump" -lelf "$library" 2>/dev/null | grep -c '^ELF file' || true)
    found=$("$inspect" inspect "$library" 2>/dev/null | grep -c "entry [0-9]*: sm_" || true)
    if [ "$listed" = 0 ]; then
        [ "$found" = 0 ] || printf '| %s | %d | refused, %s | | |\n' "${library#"$dir"/}" "$(($(stat -c %s "$library") / 1000000))" "$found"
        continue
    fi
    seconds "$cuobjdump" -res-usage "$library" >"$dir/theirs" || true
    theirs=$(cpu)
    seconds "$inspect" inspect --like-cuobjdump "$library" >"$dir/ours" || true
    ours=$(cpu)
    # cuobjdump takes an entry after the other, and so do we; where a library has copies of one, both show each.
    if cmp -s <(sort "$dir/theirs") <(sort "$dir/ours"); then same=same; else same=DIFFER; wrong=$((wrong + 1)); fi
    count=$((count + 1))
    printf '| %s | %d | %s, %s | %s | %s, %s |\n' "${library#"$dir"/}" "$(($(stat -c %s "$library") / 1000000))" "$listed" "$found" \
        "$same" "$theirs" "$ours"
done < <(find "$dir" -name '*.so*' -type f | sort)
echo "$count libraries, $wrong with other figures"
[ "$wrong" = 0 ]
