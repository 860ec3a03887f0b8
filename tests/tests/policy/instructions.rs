//! Budgets over instructions, on made-up counts. Real code is counted in `build/instructions.rs`.

use cubin_build::{
    kernel::{CodeLine, Counted, Facts, Instructions},
    source::{SourceFile, Span},
};

use crate::support::{SOURCE, config, expect, kernel, pictures};

fn counts(of: &[(Counted, u64)]) -> [u64; Counted::COUNT] {
    let mut counts = [0; Counted::COUNT];
    for (what, count) in of {
        counts[*what as usize] = *count;
    }
    counts
}

/// `gemm<float>` with code of these counts.
fn gemm(target: &str, of: &[(Counted, u64)]) -> Facts {
    let mut facts = kernel("gemm<float>", 4, target);
    facts.instructions = Some(Instructions {
        counts: counts(of),
        ..Instructions::default()
    });
    facts
}

fn code(facts: &mut Facts) -> &mut Instructions {
    facts.instructions.as_mut().expect("instructions")
}

const ALL: [(Counted, u64); 7] = [
    (Counted::All, 5000),
    (Counted::Fp64, 12),
    (Counted::Fp64InLoops, 1),
    (Counted::LocalLoads, 3),
    (Counted::Global, 40),
    (Counted::NarrowGlobal, 25),
    (Counted::Atomics, 1),
];

const BUDGETS: &str = "[defaults]
fp64 = 0
fp64-in-loops = 0
local-loads = 2
unvectorised-global = '25%'
tensor-core = { min = 1 }
atomics = 0
instructions = 4096
";

#[test]
fn every_budget_over_instructions() {
    let kernels = ["sm_80", "sm_90"].map(|target| gemm(target, &ALL));
    expect("check/instructions", BUDGETS, None, &kernels);
    let kept = BUDGETS
        .replace("fp64 = 0", "fp64 = 12")
        .replace("loops = 0", "loops = 1")
        .replace("loads = 2", "loads = 3")
        .replace("25%", "62.5%")
        .replace("tensor-core = { min = 1 }\n", "")
        .replace("atomics = 0", "atomics = 1")
        .replace("4096", "5000");
    expect("check/instructions_kept", &kept, None, &kernels);
}

#[test]
fn a_baseline_records_them() {
    let mut better = gemm("sm_90", &ALL);
    let recorded = "format = 1
[kernel.'gemm<float>'.sm_80]
instructions = 5000
fp64 = 12
fp64-in-loops = 1
local-loads = 3
unvectorised-global = '62.5%'
atomics = 1
tensor-core = 0
[kernel.'gemm<float>'.sm_90]
instructions = 5000
fp64 = 12
fp64-in-loops = 1
local-loads = 3
unvectorised-global = '62.6%'
atomics = 1
tensor-core = 1
";
    code(&mut better).counts[Counted::Fp64 as usize] = 2;
    let kernels = [gemm("sm_80", &ALL), better];
    expect(
        "check/instructions_baseline",
        BUDGETS,
        Some(recorded),
        &kernels,
    );
}

/// What is not known is never counted as 0, and what is known to break a budget breaks it.
#[test]
fn what_is_not_known_is_a_finding() {
    let mut old = kernel("gemm<float>", 4, "sm_35");
    old.instructions = None;
    expect("check/instructions_no_target", BUDGETS, None, &[old]);
    let mut some = gemm(
        "sm_90",
        &[
            (Counted::All, 100),
            (Counted::Fp64, 1),
            (Counted::Global, 2),
        ],
    );
    code(&mut some).unknown = 1;
    expect("check/instructions_some_unknown", BUDGETS, None, &[some]);
    // Enough is known.
    let toml = "[defaults]\ntensor-core = { min = 1 }\nfp64-in-loops = 1\n";
    let mut some = gemm("sm_90", &[(Counted::Tensor, 1), (Counted::Fp64, 1)]);
    code(&mut some).more_in_loops = true;
    expect("check/instructions_enough_known", toml, None, &[some]);
    let mut some = gemm("sm_90", &[(Counted::Global, 2), (Counted::Fp64, 2)]);
    code(&mut some).more_in_loops = true;
    code(&mut some).unknown_width = 1;
    let toml = "[defaults]\nunvectorised-global = '0%'\nfp64-in-loops = 1\n";
    expect("check/instructions_widths_and_loops", toml, None, &[some]);
}

#[test]
fn the_lines_with_most_are_shown() {
    let file = SourceFile::new("kernels/kernels.cu", SOURCE);
    let mut facts = gemm("sm_90", &[(Counted::Fp64, 11)]);
    let line = |line: u32, count: u64, known: bool| CodeLine {
        file: "kernels/kernels.cu".into(),
        line,
        counts: counts(&[(Counted::Fp64, count)]),
        place: known.then(|| Span::line(&file, line)),
    };
    code(&mut facts).lines = vec![
        line(5, 1, true),
        line(6, 3, true),
        line(9, 6, false),
        line(7, 1, true),
        line(8, 0, true),
    ];
    expect(
        "check/instructions_lines",
        "[defaults]\nfp64 = 0\n",
        None,
        &[facts.clone()],
    );
    code(&mut facts).lines.clear();
    code(&mut facts).no_lines = Some("a program is damaged (section .debug_line)".to_owned());
    expect(
        "check/instructions_no_lines",
        "[defaults]\nfp64 = 0\n",
        None,
        &[facts],
    );
}

#[test]
fn limits_that_make_no_sense() {
    let mut text = String::new();
    for toml in [
        "unvectorised-global = 0.25",
        "unvectorised-global = '25'",
        "unvectorised-global = '101%'",
        "unvectorised-global = '1.25%'",
        "unvectorised-global = '-1%'",
        "tensor-core = 1",
        "tensor-core = {}",
        "tensor-core = { min = 0 }",
        "tensor-core = { max = 1 }",
        "fp64 = -1",
    ] {
        let file = SourceFile::new("cubin.toml", format!("[defaults]\n{toml}\n"));
        let (_, problems) = cubin_build::config::Config::parse(&file);
        assert_eq!(
            problems.len(),
            if toml.contains("max") { 2 } else { 1 },
            "{toml}"
        );
        text.push_str(&pictures(&problems));
    }
    crate::support::golden("config/instructions.txt", &text);
    for toml in ["'0%'", "'100%'", "'2.5 %'"] {
        config(&format!("[defaults]\nunvectorised-global = {toml}\n"));
    }
}
