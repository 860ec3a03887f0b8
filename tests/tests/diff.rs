//! What changed between recorded cubins of one source.

use cubin_core::{
    Cubin,
    diff::{self, Figure},
};
use cubin_tests::recorded;

#[test]
fn a_register_cap_shows_as_registers_and_spills() {
    let (before, after) = (
        recorded::file("cubins", "basic-13.5-sm_90-lineinfo.cubin"),
        recorded::file("cubins", "basic-13.5-sm_90-maxreg32.cubin"),
    );
    let (before, after) = (
        Cubin::parse(&before).expect("a cubin"),
        Cubin::parse(&after).expect("a cubin"),
    );
    let diff = diff::cubins(&before, &after).expect("readable cubins");
    assert!(diff.added.is_empty() && diff.removed.is_empty());
    let spilling: Vec<&diff::Changed<'_>> = diff
        .changed
        .iter()
        .filter(|changed| {
            changed
                .changes
                .iter()
                .any(|change| change.figure == Figure::SpillInstructions)
        })
        .collect();
    assert!(!spilling.is_empty());
    for changed in spilling {
        assert_eq!(changed.code, Some(true));
        let registers = changed
            .changes
            .iter()
            .find(|change| change.figure == Figure::Registers)
            .expect("fewer registers");
        assert!(registers.delta().expect("known") < 0, "{registers}");
        assert!(changed.after.resources.registers <= 32);
    }
}

#[test]
fn a_cubin_equals_itself() {
    for (name, data) in recorded::files("cubins") {
        let cubin = Cubin::parse(&data).expect("a cubin");
        let diff = diff::cubins(&cubin, &cubin).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(diff.is_empty(), "{name}");
        assert_eq!(
            diff.equal,
            cubin.functions().expect("functions").len(),
            "{name}"
        );
    }
}
