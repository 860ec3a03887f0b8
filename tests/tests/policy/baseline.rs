//! The ratchet: what passes, what fails, what is written.

use cubin_build::{
    kernel::{Facts, Spills},
    policy::{Baseline, Policy, baseline_from, check},
    source::SourceFile,
};
use cubin_core::Stack;

use crate::support::{baseline, config, expect, expect_diags, golden, kernel};

const TOML: &str = "[defaults]\nregisters = 64\nstack = 0\nspills = 0\n";

fn kernels() -> Vec<Facts> {
    let mut kernels = vec![
        kernel("walk", 14, "sm_80"),
        kernel("gemm<float>", 4, "sm_100a"),
        kernel("gemm<float>", 4, "sm_80"),
        kernel("ns::scale", 9, "sm_80"),
    ];
    kernels[0].resources.stack = Stack::Unbounded;
    kernels[1].resources.registers = 168;
    kernels[2].resources.registers = 128;
    kernels[2].spills = Some(Spills {
        stores: 4,
        loads: 12,
    });
    kernels
}

fn written(kernels: &[Facts], toml: &str) -> String {
    let config = config(toml);
    baseline_from(kernels, &Policy::new(&config)).to_toml()
}

#[test]
fn what_is_written() {
    let text = written(&kernels(), TOML);
    golden("baseline/written.toml", &text);
    let mut reversed = kernels();
    reversed.reverse();
    assert_eq!(written(&reversed, TOML), text, "order of the kernels shows");
}

#[test]
fn what_is_written_is_accepted_and_stays_the_same() {
    let text = written(&kernels(), TOML);
    let read = baseline(&text);
    assert_eq!(read.to_toml(), text);
    assert_eq!(read.len(), 4);
    expect("baseline/accepted", TOML, Some(&text), &kernels());
}

#[test]
fn names_survive() {
    let mut kernel = kernel("f<'\\n', \"a\", (char)0, é>", 4, "sm_80");
    kernel.resources.registers = 100;
    let kernels = [kernel];
    let text = written(&kernels, TOML);
    assert_eq!(baseline(&text).to_toml(), text);
    let config = config(TOML);
    let diags = check(&config, Some(&baseline(&text)), &kernels);
    assert_eq!(diags.len(), 1);
    assert_eq!(diags[0].code.0, "baseline-accepted");
}

#[test]
fn worse_fails() {
    let text = written(&kernels(), TOML);
    let mut worse = kernels();
    worse[2].resources.registers = 130;
    worse[3].resources.registers = 65;
    worse[1].resources.stack = Stack::Unbounded;
    expect("baseline/worse", TOML, Some(&text), &worse);
}

#[test]
fn better_is_told() {
    let text = written(&kernels(), TOML);
    let mut better = kernels();
    better[0].resources.stack = Stack::Known(16);
    better[1].resources.registers = 160;
    better[2].resources.registers = 64;
    expect("baseline/better", TOML, Some(&text), &better);
}

#[test]
fn a_raised_budget_is_told() {
    let text = written(&kernels(), TOML);
    let toml = "[defaults]\nregisters = 128\nstack = 0\nspills = 0\n";
    expect("baseline/raised_budget", toml, Some(&text), &kernels());
}

#[test]
fn gone_is_told() {
    let text = written(&kernels(), TOML);
    let left: Vec<Facts> = kernels()
        .into_iter()
        .filter(|facts| facts.target.number == 80 && facts.name != "gemm<float>")
        .collect();
    expect("baseline/gone", TOML, Some(&text), &left);
}

#[test]
fn allowed_kernels_are_not_recorded() {
    let toml = format!("{TOML}[[rule]]\nkernel = '*'\nlevel = 'allow'\n");
    let text = written(&kernels(), &toml);
    assert!(baseline(&text).is_empty(), "{text}");
}

#[test]
fn kernels_that_share_a_name_share_the_worst() {
    let mut twins = [
        kernel("gemm<float>", 4, "sm_80"),
        kernel("gemm<float>", 4, "sm_80"),
    ];
    twins[0].resources.registers = 80;
    twins[1].resources.registers = 90;
    twins[1].symbol = "_ZN_INTERNAL_gemm".to_owned();
    let text = written(&twins, TOML);
    assert!(
        text.contains("registers = 90") && !text.contains("80\n"),
        "{text}"
    );
    let config = config(TOML);
    let diags = check(&config, Some(&baseline(&text)), &twins);
    assert!(
        diags.iter().all(|diag| diag.code.0 == "baseline-accepted"),
        "{diags:?}"
    );
}

const OCCUPANCY: &str = "[defaults]\noccupancy = { block = 320, min = 0.5 }\n";

/// 10 and 20 of 64 warps, and a target of which no limits are known.
fn low_occupancy() -> Vec<Facts> {
    let mut kernels: Vec<Facts> = ["sm_60", "sm_80", "sm_90"]
        .map(|target| kernel("gemm<float>", 4, target))
        .into();
    kernels[1].resources.registers = 96;
    kernels[2].resources.registers = 168;
    kernels
}

#[test]
fn occupancy_is_recorded() {
    let text = written(&low_occupancy(), OCCUPANCY);
    golden("baseline/occupancy.toml", &text);
    assert_eq!(baseline(&text).to_toml(), text);
    expect(
        "baseline/occupancy_accepted",
        OCCUPANCY,
        Some(&text),
        &low_occupancy(),
    );
    let mut changed = low_occupancy();
    changed[1].resources.registers = 97;
    changed[2].resources.registers = 96;
    expect(
        "baseline/occupancy_changed",
        OCCUPANCY,
        Some(&text),
        &changed,
    );
}

const SETS: &str = "[defaults]\nbarriers = 1\ncode-size = 4096\nlocal = 0\nconstant = { 0 = 512, 3 = 0 }\n\
                    externs = ['*']\n";

/// Figures that are sets, and the other new ones.
fn over_in_sets() -> Vec<Facts> {
    let mut kernels: Vec<Facts> = ["sm_80", "sm_90"]
        .map(|target| kernel("gemm<float>", 4, target))
        .into();
    for kernel in &mut kernels {
        kernel.resources.barriers = Some(3);
        kernel.resources.code_bytes = 5000;
        kernel.resources.stack = Stack::Known(16);
        kernel.resources.constant = vec![(2, 48), (0, 536)];
        kernel.module_constant = vec![(3, 1200)];
        kernel.externs = vec!["malloc".to_owned(), "vprintf".to_owned()];
    }
    kernels[1].resources.barriers = None;
    kernels
}

#[test]
fn banks_and_functions_are_recorded() {
    let text = written(&over_in_sets(), SETS);
    golden("baseline/sets.toml", &text);
    assert_eq!(baseline(&text).to_toml(), text);
    expect("baseline/sets_accepted", SETS, Some(&text), &over_in_sets());
    let mut changed = over_in_sets();
    // One more function, and one more bank above its limit than recorded.
    changed[0].externs.push("__assertfail".to_owned());
    changed[0].resources.constant[1].1 = 540;
    changed[1].externs.remove(0);
    changed[1].module_constant[0].1 = 1000;
    expect("baseline/sets_changed", SETS, Some(&text), &changed);
}

#[test]
fn malformed() {
    let text = r#"
format = 2
version = 1

[kernel."gemm<float>".sm_90b]
registers = 1

[kernel."gemm<float>".sm_80]
registers = "many"
register = 3
stack = "unknown"
spills = -1
occupancy = 1.5
constant = 48
externs = [3]

[kernel."gemm<float>".sm_90]
constant = { 3 = 48, x = 1 }
externs = "a b"

[kernel.walk]
sm_80 = 3
"#;
    let file = SourceFile::new("cubin-baseline.toml", text);
    let (read, problems) = Baseline::parse(&file);
    assert_eq!(read.len(), 1);
    expect_diags("baseline/malformed", problems);

    let file = SourceFile::new("cubin-baseline.toml", "format = 1\n[kernel\n");
    expect_diags("baseline/syntax", Baseline::parse(&file).1);
}

/// What is no text is not half read: the figures before it would look as if they were all.
#[test]
fn bytes_that_are_no_text_are_an_error_with_their_place() {
    let dir = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("baseline-utf8");
    std::fs::create_dir_all(&dir).expect("a folder");
    let path = dir.join("cubin-baseline.toml");
    let bytes = b"format = 1\n[kernel.\"gemm\".sm_80]\nregisters = 1\n# \xff\xfe\n";
    std::fs::write(&path, bytes).expect("a file");
    let file = SourceFile::read(&path, "cubin-baseline.toml").expect("a file");
    let (read, problems) = Baseline::parse(&file);
    assert_eq!((read.len(), problems.len()), (0, 1));
    let shown = cubin_build::diag::render(&problems[0], false);
    assert!(shown.contains("these bytes are not UTF-8"), "{shown}");
    assert!(shown.contains("cubin-baseline.toml:4:3"), "{shown}");
}

/// With `signatures = true`.
const LOCKED: &str =
    "[baseline]\nfile = \"cubin-baseline.toml\"\nsignatures = true\n[defaults]\nregisters = 64\n";

fn takes(name: &str, line: u32, signature: &str) -> Facts {
    let mut facts = kernel(name, line, "sm_80");
    facts.signature = Some(signature.to_owned());
    facts
}

fn locked(kernels: &[Facts]) -> String {
    let config = config(LOCKED);
    let mut baseline = baseline_from(kernels, &Policy::new(&config));
    baseline.lock_signatures(kernels);
    baseline.to_toml()
}

const PARAMS: &str = "(const Params [24 bytes, layout 0f3a8b61c2d4], int)";

#[test]
fn signatures_are_locked_a_line_each() {
    let kernels = [
        takes("walk", 14, "()"),
        takes("ns::scale", 9, "(int *, int)"),
        takes("ns::scale", 9, "(float *, float)"),
        takes("gemm<float>", 4, PARAMS),
    ];
    let text = locked(&kernels);
    golden("baseline/signatures.toml", &text);
    let read = baseline(&text);
    assert_eq!(read.to_toml(), text);
    expect("baseline/signatures_same", LOCKED, Some(&text), &kernels);
    // A build for fewer targets may lack some.
    expect(
        "baseline/signatures_same",
        LOCKED,
        Some(&text),
        &kernels[1..],
    );
    // Without the key nothing is compared.
    let other = [takes("walk", 14, "(int)")];
    assert!(check(&config("[defaults]\nregisters = 64\n"), Some(&read), &other).is_empty());
}

#[test]
fn another_signature_fails() {
    let text = locked(&[
        takes("walk", 14, "()"),
        takes("ns::scale", 9, "(int *, int)"),
        takes("ns::scale", 9, "(float *, float)"),
        takes("gemm<float>", 4, PARAMS),
    ]);
    let layout = PARAMS.replace("0f3a8b61c2d4", "77aa00bb11cc");
    expect(
        "baseline/signatures_changed",
        LOCKED,
        Some(&text),
        &[
            takes("walk", 14, "(int)"),
            takes("ns::scale", 9, "(int *, int)"),
            takes("ns::scale", 9, "(float *, double)"),
            takes("gemm<float>", 4, &layout),
        ],
    );
}

#[test]
fn what_is_not_locked_is_told_once() {
    let text = locked(&[
        takes("old", 14, "(float *, long long)"),
        takes("ns::scale", 9, "(int *, int)"),
    ]);
    // One was renamed, one is new, one has another function of its name.
    let kernels = [
        takes("walk", 14, "(float *, long long)"),
        takes("gemm<float>", 4, PARAMS),
        takes("ns::scale", 9, "(int *, int)"),
        takes("ns::scale", 9, "(float *, float)"),
    ];
    expect("baseline/signatures_new", LOCKED, Some(&text), &kernels);
    // Two that could be it are not told apart.
    let twins = [
        takes("walk", 14, "(float *, long long)"),
        takes("gemm<float>", 4, "(float *, long long)"),
    ];
    let found = check(&config(LOCKED), Some(&baseline(&text)), &twins);
    assert_eq!(found.len(), 1);
    let labels: Vec<&str> = found[0]
        .labels
        .iter()
        .map(|label| label.text.as_str())
        .collect();
    assert!(
        labels.iter().all(|label| !label.contains("was it")),
        "{labels:?}"
    );
}

#[test]
fn damaged_locks_are_told() {
    let file = SourceFile::new(
        "cubin-baseline.toml",
        "format = 1\n[signature]\n\"walk\" = 3\n",
    );
    let (_, problems) = Baseline::parse(&file);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].code.0, "baseline-invalid");
}
