//! What a tool made and nobody could use is not up to date: the next build makes it anew.

use std::fs;

use cubin_tests::{Project, Wrapper, recorded};

use crate::incremental::{NOTHING, counted};

/// A project whose `tool` spoils what it made, by a script, while the file `spoil` is there. The script finds the value of
/// the tool's argument `option` as `$made`.
fn spoiled(name: &str, tool: &str, option: &str, script: &str) -> Option<(Project, Wrapper)> {
    let (project, nvcc) = counted(name)?;
    let path = nvcc.root.join("driver").join(tool);
    let text = fs::read_to_string(&path).expect("the wrapped tool");
    let (log, real) = text.split_once("exec ").expect("the tool itself");
    let dir = project.dir.display();
    let text = format!(
        "{log}{} || exit $?\n[ -e '{dir}/spoil' ] || exit 0\nfor word in \"$@\"; do\n\
         [ \"$before\" = {option} ] && made=$word\nbefore=$word\ndone\n[ -n \"$made\" ] || exit 0\n{script}\n",
        real.trim_end()
    );
    fs::write(path, text).expect("a tool");
    Some((project, nvcc))
}

/// Fails with these words as long as the tool spoils what it makes, which it is asked for each time, and not after that.
fn fails_until_it_is_right(project: &Project, nvcc: &Wrapper, step: &str, words: &[&str]) {
    for _ in 0..2 {
        project.write("spoil", "");
        // Cargo runs a script that failed again by itself.
        let mut run = project.build().fails();
        for word in words {
            run = run.says(word);
        }
        let steps = nvcc.steps();
        assert!(steps.iter().any(|known| known == step), "{steps:?}");
    }
    fs::remove_file(project.dir.join("spoil")).expect("the file");
    project.build().succeeds();
    assert!(nvcc.steps().iter().any(|known| known == step));
    project.write("kernels/fill.cu", crate::FILL);
    project.build().succeeds();
    assert_eq!(nvcc.calls(), NOTHING);
}

#[test]
fn a_cut_cubin() {
    let cut = "head -c 900 \"$made\" > \"$made.cut\" && mv \"$made.cut\" \"$made\"";
    let Some((project, nvcc)) = spoiled("refused-cut", "bin/ptxas", "-o", cut) else {
        return;
    };
    let words = ["error[", "fill", "do not fit into the file of 0x384 bytes"];
    fails_until_it_is_right(&project, &nvcc, "ptxas fill sm_90", &words);
}

#[test]
fn a_cubin_of_another_target() {
    let script = "cp \"$0.other\" \"$made\"";
    let Some((project, nvcc)) = spoiled("refused-target", "bin/ptxas", "-o", script) else {
        return;
    };
    let other = recorded::file("cubins", "min-13.5-sm_75.cubin");
    fs::write(nvcc.root.join("driver/bin/ptxas.other"), other).expect("a file");
    let words = ["error[", "fill", "sm_75", "sm_90"];
    fails_until_it_is_right(&project, &nvcc, "ptxas fill sm_90", &words);
}

#[test]
fn a_side_file_that_says_nothing() {
    let script = "printf '\\377\\376 not C++' > \"$made\"";
    let Some((project, nvcc)) =
        spoiled("refused-side", "nvvm/bin/cicc", "--stub_file_name", script)
    else {
        return;
    };
    let words = ["error[kernel-set-mismatch]", "`fill` on sm_90"];
    fails_until_it_is_right(&project, &nvcc, "cicc fill compute_90", &words);
}
