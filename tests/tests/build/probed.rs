//! When the front end is asked about a record, and that it is not asked again.

use std::fs;

use crate::incremental::{NOTHING, counted};

const OPEN: &str = "\
#include \"open.cuh\"
__global__ void take(Open a, int after) {}
";
const WIDE: &str = "struct Open { __int128 x; float4 v; };\n";

#[test]
fn a_record_is_asked_about_once_for_all_targets_and_after_every_change() {
    let Some((project, nvcc)) = counted("probed") else {
        return;
    };
    project.write("cubin.toml", "[build]\narch = [\"sm_90\", \"sm_100\"]\n");
    project.write("kernels/open.cuh", WIDE);
    project.write("kernels/open.cu", OPEN);
    project.build().succeeds().does_not_say("warning");
    let first = [
        "fill.cu sm_100",
        "fill.cu sm_90",
        "open.cu sm_100",
        "open.cu sm_90",
    ];
    assert_eq!(nvcc.compiled(), [&first[..], &["probe.cu sm_90"]].concat());
    let generated = project.generated().expect("the generated file");
    assert!(generated.contains("pub x: i128,"), "{generated}");

    // The script runs, but no compiler does.
    project.write("kernels/open.cu", OPEN);
    project.build().succeeds().says("Dirty probed");
    assert_eq!(nvcc.calls(), NOTHING);
    assert_eq!(project.generated().as_ref(), Some(&generated));

    // A member that prints the same: only the front end can tell.
    project.write("kernels/open.cuh", &WIDE.replace("__int128", "long long"));
    project.build().succeeds();
    // It makes the same PTX, so nothing is assembled.
    let again = [
        "cicc open compute_100",
        "cicc open compute_90",
        "probe sm_90",
    ];
    assert_eq!(nvcc.steps(), again);
    let generated = project.generated().expect("the generated file");
    assert!(generated.contains("pub x: i64,"), "{generated}");

    // What it answered is not believed when it was tampered with.
    let units = fs::read_dir(project.out_dir().join("kernels/cubin-build/units")).expect("units");
    let kept: Vec<_> = units
        .map(|unit| unit.expect("a unit").path().join("probe.1.sm_90"))
        .filter(|dir| dir.exists())
        .collect();
    let [kept] = kept.as_slice() else {
        panic!("{kept:?}");
    };
    fs::write(kept.join("probe.cudafe1.stub.c"), "").expect("an edit");
    // Where what was read of it is kept too, it is not even looked at.
    project.write("kernels/open.cu", OPEN);
    project.build().succeeds();
    assert_eq!(nvcc.compiled(), [""; 0]);
    for target in ["sm_90", "sm_100"] {
        let read = kept.with_file_name(target).join("read.bin");
        fs::remove_file(read).expect("what was read");
    }
    project.write("kernels/open.cu", OPEN);
    project.build().succeeds();
    assert_eq!(nvcc.compiled(), ["probe.cu sm_90"]);

    // Nothing to ask any more.
    project.write("kernels/open.cuh", &WIDE.replace("__int128", "long"));
    project.build().succeeds();
    assert_eq!(nvcc.steps(), again[..2]);
}

#[test]
fn a_question_that_failed_is_not_asked_again() {
    let Some((project, nvcc)) = counted("probe_failed") else {
        return;
    };
    project.write("kernels/open.cuh", WIDE);
    let guard = "#if __INCLUDE_LEVEL__\n#error \"no header\"\n#endif\n";
    project.write("kernels/open.cu", &format!("{guard}{OPEN}"));
    let refused = "[kernel-refused] no launch wrapper for `take`: `Open` has";
    project.build().succeeds().says(refused);
    assert_eq!(
        nvcc.compiled(),
        ["fill.cu sm_90", "open.cu sm_90", "probe.cu sm_90"]
    );
    project.write("kernels/open.cu", &format!("{guard}{OPEN}"));
    project.build().succeeds().says(refused);
    assert_eq!(nvcc.calls(), NOTHING);
}
