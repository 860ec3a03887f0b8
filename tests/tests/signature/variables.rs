//! Module variables that the cubin contradicts.

use cubin_build::signature::{
    VariableProblem, check_variables,
    model::{Signatures, Space},
    read,
};
use cubin_core::{Cubin, Sm};
use cubin_tests::recorded::file;

const TARGET: Sm = Sm::new(80);

/// What is found in `families.cu` after `change`, and the variables that are left.
fn found(change: impl Fn(&mut Signatures)) -> (Vec<(String, VariableProblem)>, Vec<String>) {
    let stub = file("codegen", "families.sm_80.cudafe1.stub.c");
    let gpu = file("codegen", "families.sm_80.cudafe1.gpu");
    let bytes = file("codegen", "families.sm_80.cubin");
    let mut signatures = read(&stub, gpu.as_slice(), &[]).expect("readable files");
    change(&mut signatures);
    let cubin = Cubin::parse(&bytes).expect("a cubin");
    let variables = cubin.variables().expect("variables");
    let findings = check_variables(&mut signatures, &variables, TARGET);
    let findings = findings.into_iter().map(|finding| {
        assert_eq!(finding.target, TARGET);
        (finding.name, finding.problem)
    });
    let left = signatures.globals.into_iter().map(|global| global.name);
    (findings.collect(), left.collect())
}

#[test]
fn nothing_is_found_where_both_agree() {
    let (findings, left) = found(|_| ());
    assert_eq!(findings, []);
    assert!(!left.is_empty());
}

#[test]
fn each_difference_is_found_and_takes_the_variable_out() {
    let first = |signatures: &Signatures| signatures.globals[0].clone();
    let (_, all) = found(|_| ());
    let size = |signatures: &mut Signatures| signatures.globals[0].size += 4;
    let (findings, left) = found(size);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].0, all[0]);
    assert!(
        matches!(findings[0].1, VariableProblem::Size { expected, actual } if expected == actual + 4)
    );
    assert_eq!(left, all[1..]);
    let memory = |signatures: &mut Signatures| {
        signatures.globals[0].space = match first(signatures).space {
            Space::Constant => Space::Device,
            Space::Device => Space::Managed,
            Space::Managed => Space::Constant,
        };
    };
    let (findings, left) = found(memory);
    assert!(matches!(
        findings[..],
        [(_, VariableProblem::Memory { .. })]
    ));
    assert_eq!(left, all[1..]);
    let (findings, left) = found(|signatures| signatures.globals[0].symbol.push('x'));
    assert!(matches!(findings[..], [(_, VariableProblem::NotInCubin)]));
    assert_eq!(left, all[1..]);
}
