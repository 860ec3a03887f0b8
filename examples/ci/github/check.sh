#!/usr/bin/env bash
# What the action runs. Everything is shown before it fails: the exit status is the worst of all.
set -uo pipefail
status=0

# On GitHub Actions this prints annotations beside the findings.
cargo cubin check --workspace || status=1

# Nothing is compiled a second time.
cargo cubin check --workspace --format sarif --output "${CUBIN_SARIF:-kernels.sarif}" >/dev/null || status=1

if [ -n "${CUBIN_BASE:-}" ]; then
    fail_on=()
    if [ -n "${CUBIN_FAIL_ON:-}" ]; then
        fail_on=(--fail-on "$CUBIN_FAIL_ON")
    fi
    # Needs the history: `fetch-depth: 0` of actions/checkout.
    summary=$(mktemp)
    cargo cubin diff --workspace --rev "$CUBIN_BASE" --format markdown --output "$summary" ${fail_on[@]+"${fail_on[@]}"} || status=1
    cat "$summary" >>"${GITHUB_STEP_SUMMARY:-/dev/stdout}"
    rm -f "$summary"
fi
exit "$status"
