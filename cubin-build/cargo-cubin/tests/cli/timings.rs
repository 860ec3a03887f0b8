//! `timings` on a small crate, built by cargo.

use std::{fs, path::Path};

use cubin_tests::Project;

#[test]
fn the_steps_of_the_last_build_are_shown() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let project = Project::new(env!("CARGO_TARGET_TMPDIR"), "cli-timings", &toolkit);
    project.write(
        "kernels/fill.cu",
        "__global__ void fill(int *p) { *p = 1; }\n",
    );
    project.write(
        "kernels/half.cu",
        "__global__ void halve(float *p) { *p *= 0.5f; }\n",
    );
    project.write("cubin.toml", "[build]\narch = [\"sm_80\", \"sm_90\"]\n");
    let timings = |more: &[&str]| {
        let words = [&["cubin", "timings"][..], more].concat();
        project.run(Path::new(crate::PROGRAM), &words)
    };
    timings(&[])
        .fails()
        .says("no build of cli-timings has kept times");
    project.build().succeeds();
    let run = timings(&[]).succeeds();
    let rows = |text: &str, step: &str| {
        let words = text
            .lines()
            .map(|line| line.split_whitespace().nth(4) == Some(step));
        words.filter(|found| *found).count()
    };
    assert!(
        run.stdout.starts_with("cli-timings: 12 steps, "),
        "{}",
        run.stdout
    );
    for step in ["preprocess", "cicc", "ptxas"] {
        assert_eq!(rows(&run.stdout, step), 4, "{step} in {}", run.stdout);
    }
    // One source was changed: only its steps are of the last build.
    project.write(
        "kernels/half.cu",
        "__global__ void halve(float *p) { *p *= 0.25f; }\n",
    );
    project.build().succeeds();
    let run = timings(&["--package", "cli-timings"]).succeeds();
    assert!(
        run.stdout.starts_with("cli-timings: 6 steps, "),
        "{}",
        run.stdout
    );
    assert!(!run.stdout.contains("fill"), "{}", run.stdout);
    let why = run.stdout.matches("kernels/half.cu changed\n");
    assert_eq!(why.count(), 6, "{}", run.stdout);
    timings(&["--html", "times.html"]).succeeds();
    let page = fs::read_to_string(project.dir.join("times.html")).unwrap();
    assert_eq!(page.matches("class=\"bar ").count(), 6, "{page}");
    assert!(page.contains("half compute_90 cicc"), "{page}");
    assert_eq!(
        page.matches(", kernels/half.cu changed\"").count(),
        6,
        "{page}"
    );
    // Links are steps, too.
    project.write(
        "linked/rest.cu",
        "__device__ int rest(int x) { return x; }\n",
    );
    project.write(
        "cubin.toml",
        "[build]\narch = [\"sm_80\", \"sm_90\"]\n[[link]]\nname = \"joined\"\nsources = [\"linked/rest.cu\", \"linked/all.cu\"]\n",
    );
    project.write(
        "linked/all.cu",
        "extern __device__ int rest(int);\n__global__ void all(int *p) { *p = rest(*p); }\n",
    );
    project.build().succeeds();
    let run = timings(&[]).succeeds();
    assert_eq!(rows(&run.stdout, "nvlink"), 2, "{}", run.stdout);
    let link = run.stdout.lines().find(|line| line.contains("nvlink"));
    let link = link.unwrap();
    assert!(
        link.contains("joined") && link.ends_with("there is no earlier result"),
        "{link}"
    );
}
