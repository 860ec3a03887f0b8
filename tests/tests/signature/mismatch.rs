//! Signatures that the cubin, or another target, contradicts: each difference is found and named, and the kernel is
//! refused.

use cubin_build::signature::model::{Scalar, Signatures, Type};
use cubin_build::signature::{self, Finding, Problem};
use cubin_core::{Cubin, Sm};
use cubin_tests::recorded::file;

const TARGET: Sm = Sm::new(90);

fn read() -> Signatures {
    let stub = file("signatures/recorded", "small.stub.c");
    let gpu = file("signatures/recorded", "small.gpu");
    signature::read(&stub, gpu.as_slice(), &[]).expect("readable files")
}

fn saxpy(signatures: &mut Signatures) -> &mut signature::model::Kernel {
    let found = signatures
        .kernels
        .iter_mut()
        .find(|kernel| kernel.name == "saxpy");
    found.expect("saxpy")
}

fn check(signatures: &mut Signatures) -> Vec<Finding> {
    let bytes = file("signatures/recorded", "small.cubin");
    let cubin = Cubin::parse(&bytes).expect("a cubin");
    let functions = cubin.functions().expect("functions");
    signature::check(signatures, &functions, TARGET)
}

/// The one finding after `change`, which must be about saxpy.
fn only_finding(change: impl Fn(&mut signature::model::Kernel)) -> Problem {
    let mut signatures = read();
    change(saxpy(&mut signatures));
    let mut findings = check(&mut signatures);
    let refusal = saxpy(&mut signatures).refusal.clone();
    assert!(refusal.is_some(), "a kernel in doubt is refused");
    assert_eq!(findings.len(), 1, "{findings:?}");
    let finding = findings.remove(0);
    assert_eq!((finding.kernel.as_str(), finding.target), ("saxpy", TARGET));
    finding.problem
}

#[test]
fn nothing_is_found_where_all_agree() {
    assert_eq!(check(&mut read()), []);
}

#[test]
fn a_size() {
    let problem = only_finding(|kernel| kernel.params[2].size = 4);
    assert_eq!(
        problem.to_string(),
        "parameter 2 `x` of type `const float *` has 4 bytes by its type, 8 in the cubin"
    );
}

#[test]
fn an_offset() {
    let problem = only_finding(|kernel| kernel.params[1].align = 64);
    let Problem::Offset {
        param,
        expected,
        actual,
    } = problem
    else {
        panic!("{problem:?}");
    };
    // The block starts at 0x210 of the constant bank, 48 bytes below the next multiple of 64.
    assert_eq!((param.ordinal, expected, actual), (1, 48, 4));
}

#[test]
fn a_count() {
    let problem = only_finding(|kernel| _ = kernel.params.pop());
    assert_eq!(
        problem,
        Problem::Count {
            expected: 3,
            actual: 4
        }
    );
}

#[test]
fn kernels_of_one_side_only() {
    let mut signatures = read();
    saxpy(&mut signatures).symbol = "daxpy".into();
    let problems: Vec<(String, Problem)> = check(&mut signatures)
        .into_iter()
        .map(|finding| (finding.symbol, finding.problem))
        .collect();
    assert_eq!(
        problems,
        [
            ("daxpy".into(), Problem::NotInCubin),
            ("saxpy".into(), Problem::NotRegistered)
        ]
    );
}

#[test]
fn a_record_of_another_size_is_trusted_nowhere() {
    let mut signatures = read();
    for kernel in &mut signatures.kernels {
        if kernel.base_name == "apply" {
            kernel.params[0].size = 32;
        }
    }
    let findings = check(&mut signatures);
    assert_eq!(findings.len(), 2, "{findings:?}");
    let refused: Vec<&str> = signatures
        .kernels
        .iter()
        .filter(|kernel| kernel.refusal.is_some())
        .map(|kernel| kernel.name.as_str())
        .collect();
    assert_eq!(refused, ["app::apply<float>", "app::apply<__half>"]);
}

#[test]
fn targets_that_differ() {
    let mut other = read();
    saxpy(&mut other).params[1].ty = Type::Scalar(Scalar::UInt);
    other.kernels.retain(|kernel| {
        kernel
            .template_args
            .first()
            .is_none_or(|arg| arg.text != "float")
    });
    let (mut merged, findings) =
        signature::same_on_every_target(&[(Sm::new(80), read()), (TARGET, other)]);
    assert_eq!(merged.kernels.len(), 3, "a kernel of one target only stays");
    let [finding] = findings.as_slice() else {
        panic!("one finding: {findings:?}");
    };
    assert_eq!(finding.kernel, "saxpy");
    assert!(matches!(finding.problem, Problem::Differs { other, .. } if other == Sm::new(80)));
    assert!(saxpy(&mut merged).refusal.is_some());
}

#[test]
fn records_are_one_across_targets_or_two_when_they_differ() {
    let (same, findings) =
        signature::same_on_every_target(&[(Sm::new(80), read()), (TARGET, read())]);
    assert_eq!((same.records.len(), findings.len()), (1, 0));
    let mut other = read();
    other.records[0].fields[3].name = "renamed".into();
    let (both, findings) =
        signature::same_on_every_target(&[(Sm::new(80), read()), (TARGET, other)]);
    assert_eq!(both.records.len(), 2);
    assert_eq!(findings.len(), 2, "both instances take it");
}
