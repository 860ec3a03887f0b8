//! `policy`: what each rule decides, and why.

use std::path::Path;

use cubin_tests::Project;

const POLICY: &str = "[build]
arch = [\"sm_80\", \"sm_90\"]

[defaults]
registers = 200

[[rule]]
kernel = \"scale<*>\"
registers = 100
reason = \"it is short\"

[[rule]]
kernel = \"scale<float>\"
arch = \"sm_9*\"
registers = 90
stack = 0
expires = \"2027-01-31\"

[[rule]]
kernel = \"scale<floa?>\"
registers = 80

[[rule]]
kernel = \"scale<float>\"
registers = 120
";

#[test]
fn rules_that_decide_nothing_or_have_expired_are_told() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let project = Project::new(env!("CARGO_TARGET_TMPDIR"), "cli-policy", &toolkit);
    project.write(
        "kernels/scale.cu",
        "template <typename T> __global__ void scale(T *x) { x[threadIdx.x] *= 2; }
template __global__ void scale<float>(float *);
template __global__ void scale<int>(int *);
extern \"C\" __global__ void fill(int *x) { x[threadIdx.x] = 1; }
",
    );
    project.write("cubin.toml", POLICY);
    let policy = |args: &[&str]| {
        let all: Vec<&str> = ["cubin", "policy"]
            .into_iter()
            .chain(args.iter().copied())
            .collect();
        project.run(Path::new(crate::PROGRAM), &all)
    };
    let listed = policy(&["--today", "2027-01-31"]).succeeds();
    let expected = "cli-policy: cubin.toml
  cubin.toml:4 [defaults]
    selects 6 kernel images, decides registers of 2
  cubin.toml:7 [[rule]] kernel = scale<*>
    selects 4 kernel images, decides registers of 2
  cubin.toml:12 [[rule]] kernel = scale<float>, arch = sm_9*
    selects 1 kernel image, decides registers of 1, stack of 1
  cubin.toml:19 [[rule]] kernel = scale<floa?>
    shadowed: it selects 2 kernel images, and cubin.toml:23, cubin.toml:12 decide all that it sets
  cubin.toml:23 [[rule]] kernel = scale<float>
    selects 2 kernel images, decides registers of 1
";
    assert_eq!(listed.stdout, expected);
    let expired = policy(&["--today", "2027-02-01"]);
    assert_eq!(expired.status, Some(1), "{}", expired.stderr);
    assert!(
        expired
            .stdout
            .contains("    expired: it was meant to stand until 2027-01-31\n"),
        "{}",
        expired.stdout
    );

    let explained = policy(&["--explain", "scale<float>"]).succeeds();
    let on = explained
        .stdout
        .find("scale<float> on sm_90")
        .expect("the target");
    let expected = "scale<float> on sm_90
  registers = 90 (deny)
    decided by cubin.toml:12 [[rule]] kernel = scale<float>, arch = sm_9*
    not 200 of cubin.toml:4 [defaults]: [defaults] stand below every rule
    not 100 of cubin.toml:7 [[rule]] kernel = scale<*>: its `kernel` describes the kernel less closely
    not 80 of cubin.toml:19 [[rule]] kernel = scale<floa?>: its `kernel` describes the kernel less closely
    not 120 of cubin.toml:23 [[rule]] kernel = scale<float>: its `arch` describes the target less closely
  stack = 0 (deny)
    decided by cubin.toml:12 [[rule]] kernel = scale<float>, arch = sm_9*
";
    assert_eq!(&explained.stdout[on..], expected);
    let explained = policy(&["--explain", "_Z5scaleIiEvPT_"]).succeeds();
    assert!(
        explained.stdout.contains("    because: it is short\n"),
        "{}",
        explained.stdout
    );
    policy(&["--explain", "gone"])
        .fails()
        .says("no kernel matches `gone`");

    project.write("cubin.toml", &POLICY.replace("01-31", "02-30"));
    let wrong = policy(&[]).fails();
    assert!(
        wrong.stderr.contains("`2027-02-30` is not a date"),
        "{}",
        wrong.stderr
    );
}
