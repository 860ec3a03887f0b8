//! Budgets over instructions in whole builds: the line of an accidental `double`, functions of other sources, the feature.

use std::{fs, path::Path};

use cubin_build::Builder;
use cubin_tests::{Project, candle, tools};

use crate::project;

/// The project with cubin-build's feature `instructions`.
fn counting(name: &str) -> Option<Project> {
    let project = project(name)?;
    let manifest = fs::read_to_string(project.dir.join("Cargo.toml")).expect("the manifest");
    let with = manifest.replace(
        "cubin-build\" }",
        "cubin-build\", features = [\"instructions\"] }",
    );
    assert_ne!(with, manifest);
    project.write("Cargo.toml", &with);
    Some(project)
}

#[test]
fn without_its_feature_a_budget_is_refused() {
    let Some(project) = project("no-instructions") else {
        return;
    };
    project.write(
        "cubin.toml",
        "[build]\narch = [\"sm_90\"]\n[defaults]\nfp64 = 0\n[[rule]]\nkernel = \"fill\"\ntensor-core = { min = 1 }\n",
    );
    let run = project.build().fails();
    run.says("[policy-invalid] `fp64` needs cubin-build's feature `instructions`, which is off")
        .says("[policy-invalid] `tensor-core` needs")
        .says("write `features = [\"instructions\"]` for cubin-build under [build-dependencies]");
}

/// Where a linked kernel calls a function of another source, what that function does counts for the kernel.
#[test]
fn the_line_of_a_double_in_a_header_and_in_another_source() {
    let Some(project) = counting("instructions") else {
        return;
    };
    project.write(
        "kernels/scale.cuh",
        "__device__ inline float scale(float x) {\n    return x * 1.1;\n}\n",
    );
    project.write(
        "kernels/scale.cu",
        "#include \"scale.cuh\"\nextern \"C\" __global__ void scaled(float *x, int n) {\n    for (int i = 0; i < n; ++i)\n        \
         x[i] = scale(x[i]) + 1.0f;\n}\n",
    );
    project.write(
        "kernels/calls.cu",
        "__device__ float far(float);\nextern \"C\" __global__ void calls(float *x) { x[0] = far(x[0]); }\n",
    );
    project.write(
        "kernels/far.cu",
        "__device__ __noinline__ float far(float x) {\n    return x * 3.3;\n}\n",
    );
    project.write(
        "cubin.toml",
        "[build]\narch = [\"sm_90\"]\nlineinfo = true\n[defaults]\nfp64 = 0\n[[link]]\nname = \"linked\"\n\
         sources = [\"kernels/calls.cu\", \"kernels/far.cu\"]\n",
    );
    let run = project.build().fails();
    run.says("kernels/scale.cuh:2:5: [fp64-over-budget] kernel `scaled` has ")
        .says("kernels/far.cu:2:5: [fp64-over-budget] kernel `calls` has ")
        .says("    return x * 1.1;")
        .says("    return x * 3.3;");
    project.write(
        "kernels/scale.cuh",
        "__device__ inline float scale(float x) { return x * 1.1f; }\n",
    );
    project.write(
        "kernels/far.cu",
        "__device__ __noinline__ float far(float x) {\n    return x * 3.3f;\n}\n",
    );
    project.build().succeeds();
}

/// One kernel of candle with a `double` that somebody forgot: found at its line, and nowhere else.
#[test]
fn an_accidental_double_in_a_kernel_of_candle() {
    if cubin_tests::toolkit().is_none() {
        return;
    }
    let tmp = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let candle = match candle::fetch(tmp) {
        Ok(root) => root,
        Err(why) => {
            assert!(
                !cubin_tests::required(),
                "candle-kernels cannot be had: {why}"
            );
            return;
        }
    };
    let root = tools::scratch(env!("CARGO_TARGET_TMPDIR"), "candle-double");
    for name in ["fill.cu", "cuda_utils.cuh", "compatibility.cuh"] {
        fs::copy(candle.join("src").join(name), root.join(name)).expect("a file of candle");
    }
    let config = "[build]\nlineinfo = true\n[[rule]]\nkernel = [\"fill_*\", \"copy2d_*\", \"const_set_*\"]\nfp64 = 0\n\
                  [[rule]]\nkernel = \"*_f64\"\nfp64 = 100\n";
    fs::write(root.join("cubin.toml"), config).expect("a policy");
    let build = || {
        Builder::new()
            .root(&root)
            .out_dir(root.join("out"))
            .toolkit(cubin_tests::TOOLKIT)
            .file("fill.cu")
            .arch("sm_90")
            .try_build()
    };
    fs::create_dir_all(root.join("out")).expect("a scratch folder");
    build().expect("candle's own kernel has no double");
    let text = fs::read_to_string(root.join("fill.cu")).expect("a source");
    let (before, after) = (
        "fill_f32(float *buf, float value, const size_t numel) { fill_with(buf, value",
        "fill_f32(float *buf, float value, const size_t numel) { fill_with<float>(buf, value * 0.1",
    );
    let line = 1 + text
        .lines()
        .position(|line| line.contains(before))
        .expect("the line");
    fs::write(root.join("fill.cu"), text.replace(before, after)).expect("a source");
    let error = build().expect_err("a budget is broken");
    let found = error
        .findings()
        .into_iter()
        .filter(|diag| diag.code.0 == "fp64-over-budget");
    let found: Vec<_> = found.collect();
    let [diag] = found.as_slice() else {
        panic!("{error}");
    };
    assert_eq!(diag.kernel.as_deref(), Some("fill_f32"), "{error}");
    let place = diag.place().expect("a place");
    assert_eq!(
        (place.file.path(), place.start().0),
        (Path::new("fill.cu"), line),
        "{error}"
    );
    assert!(
        diag.labels[0]
            .text
            .ends_with("double-precision instructions"),
        "{error}"
    );
}
