//! Sources, and targets, that have options of their own: `[[source]]`, `Builder::source` and `[[target]]`.

use cubin_tests::Project;

/// Compiles for sm_90a alone, and there only with the header that lies in `hopper`.
const HOPPER: &str = "#include \"fence.cuh\"
extern \"C\" __global__ void wgmma(float *out) { FENCE; out[threadIdx.x] = 1.0f; }
template <class T> concept Small = sizeof(T) < 8;
";
const FENCE: &str = "#define FENCE asm volatile(\"wgmma.fence.sync.aligned;\")\n";
const SOME: &str =
    "extern \"C\" __global__ void everywhere(float *out) { out[threadIdx.x] = 1.0f; }
#if __CUDA_ARCH__ >= 900
extern \"C\" __global__ void newer(float *out) { out[threadIdx.x] = VALUE; }
#endif
";

/// A crate with files for one architecture, as people have them.
fn mixed(name: &str, toml: &str) -> Option<Project> {
    let project = super::project(name)?;
    project.write("hopper/wgmma.cu", HOPPER);
    project.write("hopper/include/fence.cuh", FENCE);
    project.write("kernels/some.cu", SOME);
    project.write("cubin.toml", toml);
    // The generated code is compiled, too.
    let include = "pub mod kernels { include!(concat!(env!(\"OUT_DIR\"), \"/kernels.rs\")); }\n";
    if toml.contains("core") {
        project.write("src/lib.rs", include);
    }
    Some(project)
}

const TOML: &str = "[build]
arch = [\"sm_80\", \"sm_90\"]
ptx = true
[[source]]
path = \"hopper/*.cu\"
arch = \"sm_90a\"
include = \"hopper/include\"
std = \"c++20\"
[[target]]
arch = \"sm_9*\"
flags = \"-DVALUE=2.0f\"
[defaults]
registers = 64
[generate]
backend = \"core\"
";

#[test]
fn files_for_one_architecture_are_compiled_for_it_alone() {
    let Some(project) = mixed("selected", TOML) else {
        return;
    };
    project.build().succeeds();
    assert_eq!(
        project.cubins(),
        [
            "fill.sm_80.cubin",
            "fill.sm_90.cubin",
            "some.sm_80.cubin",
            "some.sm_90.cubin",
            "wgmma.sm_90a.cubin"
        ]
    );
    let generated = project.generated().expect("a generated file");
    let module = |name: &str| -> String {
        let start = generated.find(&format!("pub mod {name} {{")).expect(name);
        let rest = &generated[start..];
        rest[..rest.find("\n}\n").unwrap_or(rest.len())].to_owned()
    };
    let images = |name: &str| -> Vec<String> {
        let module = module(name);
        let files = module.split("include_bytes").skip(1);
        let files = files.filter_map(|rest| {
            rest.split('"')
                .find(|part| part.contains(".sm_") || part.contains(".compute_"))
        });
        files
            .map(|file| file.trim_start_matches('/').to_owned())
            .collect()
    };
    assert_eq!(
        images("wgmma"),
        ["wgmma.sm_90a.cubin"],
        "no PTX: that of sm_90a runs nowhere else"
    );
    assert_eq!(
        images("some"),
        [
            "some.sm_80.cubin",
            "some.sm_90.cubin",
            "some.compute_90.ptx"
        ]
    );
    // A header beside the source is seen, and only the source that it belongs to is compiled again.
    project.write(
        "hopper/include/fence.cuh",
        &FENCE.replace(";\"", "; wgmma.fence.sync.aligned;\""),
    );
    project.build().succeeds();
    let output = project.out_dir().with_file_name("output");
    let output = std::fs::read_to_string(output).expect("what the build script printed");
    let compiled: Vec<&str> = output
        .lines()
        .filter_map(|line| line.strip_prefix("cubin-build: compiled "))
        .filter_map(|line| line.split(':').next())
        .collect();
    assert_eq!(compiled, ["hopper/wgmma.cu for sm_90a"]);
}

#[test]
fn the_policy_judges_each_source_on_its_own_targets() {
    let toml = TOML.replace("registers = 64", "registers = 2");
    let Some(project) = mixed("selected-policy", &toml) else {
        return;
    };
    project
        .build()
        .fails()
        .says("kernel `wgmma`")
        .says("on sm_90a, budget is 2")
        .says("kernel `everywhere`");
}

#[test]
fn the_environment_takes_targets_for_the_same_gpu() {
    let Some(mut project) = mixed("selected-environment", TOML) else {
        return;
    };
    project.set("CUBIN_BUILD_ARCH", "sm_90");
    project.build().succeeds();
    assert_eq!(
        project.cubins(),
        ["fill.sm_90.cubin", "some.sm_90.cubin", "wgmma.sm_90a.cubin"]
    );
    // Nothing of it runs there, but the module must be there.
    project.set("CUBIN_BUILD_ARCH", "sm_80");
    project.build().succeeds();
    assert_eq!(
        project.cubins(),
        ["fill.sm_80.cubin", "some.sm_80.cubin", "wgmma.sm_90a.cubin"]
    );
}

#[test]
fn the_closest_pattern_gives_targets_and_all_give_flags() {
    let toml = "[build]
arch = \"sm_80\"
[[source]]
path = \"kernels/a_*.cu\"
arch = \"sm_90\"
flags = \"-DFIRST\"
[[source]]
path = \"*.cu\"
arch = \"sm_75\"
flags = \"-DSECOND\"
[[source]]
path = \"gone/*.cu\"
std = \"c++20\"
";
    let Some(project) = super::project("selected-closest") else {
        return;
    };
    let needs = |name: &str, macros: &str| {
        format!(
            "#if !({macros})\n#error {name}\n#endif\nextern \"C\" __global__ void {name}(int *p) {{ *p = 1; }}\n"
        )
    };
    project.write(
        "kernels/a_x.cu",
        &needs(
            "a_x",
            "defined(FIRST) && defined(SECOND) && __cplusplus == 201703L",
        ),
    );
    project.write(
        "kernels/fill.cu",
        &needs("fill", "!defined(FIRST) && defined(SECOND)"),
    );
    project.write("cubin.toml", toml);
    project
        .build()
        .succeeds()
        .says("no source matches `gone/*.cu`");
    assert_eq!(project.cubins(), ["a_x.sm_90.cubin", "fill.sm_75.cubin"]);
}

#[test]
fn the_build_script_says_the_same() {
    let Some(project) = mixed("selected-script", "") else {
        return;
    };
    project.write(
        "build.rs",
        "fn main() {
    let hopper = cubin_build::Source::new(\"hopper/*.cu\").arch(\"sm_90a\").include(\"hopper/include\").std(\"c++20\");
    let some = cubin_build::Source::new(\"some.cu\").flag(\"-DVALUE=1.0f\");
    cubin_build::Builder::new().arch(\"sm_90\").source(hopper).source(some).build();
}
",
    );
    project.build().succeeds();
    assert_eq!(
        project.cubins(),
        ["fill.sm_90.cubin", "some.sm_90.cubin", "wgmma.sm_90a.cubin"]
    );
    project.write(
        "build.rs",
        "fn main() {
    let bad = cubin_build::Source::new(\"some.cu\").arch(\"compute_90\");
    cubin_build::Builder::new().arch(\"sm_90\").source(bad).build();
}
",
    );
    project
        .build()
        .fails()
        .says("`compute_90` is not a target")
        .says("given to `Builder::source` in build.rs");
}

#[test]
fn sources_that_are_linked_have_the_same_targets() {
    let toml = "[build]
arch = \"sm_80\"
[[source]]
path = \"kernels/fill.cu\"
arch = \"sm_90\"
[[link]]
name = \"both\"
sources = [\"kernels/fill.cu\", \"more.cu\"]
";
    let Some(project) = super::project("selected-link") else {
        return;
    };
    project.write(
        "more.cu",
        "extern \"C\" __global__ void more(int *p) { *p = 1; }\n",
    );
    project.write("cubin.toml", toml);
    project
        .build()
        .fails()
        .says("linked module `both` has sources for different targets: kernels/fill.cu and more.cu")
        .says("give all of them the same `arch`");
    let toml = toml.replace(
        "\"kernels/fill.cu\"\narch",
        "[\"kernels/fill.cu\", \"more.cu\"]\narch",
    );
    project.write("cubin.toml", &toml);
    project.build().succeeds();
    assert_eq!(project.cubins(), ["both.sm_90.cubin"]);
}

#[test]
fn a_target_that_is_not_built_for_is_told_of() {
    let toml = "[build]
arch = \"sm_80\"
[[target]]
arch = [\"sm_80\", \"sm_9*\"]
flags = \"-DX\"
";
    let Some(project) = super::project("selected-target") else {
        return;
    };
    project.write("cubin.toml", toml);
    project
        .build()
        .succeeds()
        .says("`sm_9*` matches no target of this build");
}

#[test]
fn a_file_that_takes_long_is_compiled_by_several_threads() {
    let Some((project, tools)) = super::incremental::counted("split") else {
        return;
    };
    let split = |threads: &str| {
        let build = "[build]\narch = \"sm_90\"\ndirs = \"kernels\"\n";
        format!("{build}[[source]]\npath = \"more.cu\"\nsplit-compile = {threads}\n")
    };
    project.write(
        "kernels/more.cu",
        "__global__ void more(int *p) { *p = 1; }\n",
    );
    project.write("cubin.toml", &split("3"));
    project.build().succeeds();
    let calls = tools.calls();
    let call = |tool: &str, file: &str| {
        let found = calls.iter().find(|call| {
            call.starts_with(tool) && call.contains(file) && !call.contains("--dryrun")
        });
        found
            .unwrap_or_else(|| panic!("{tool} {file}: {calls:?}"))
            .clone()
    };
    assert!(call("cicc", "more.ptx").contains("-split-compile 3"));
    assert!(call("ptxas", "more.ptx").contains("-split-compile=3"));
    assert!(!call("cicc", "fill.ptx").contains("-split-compile"));
    let made = || std::fs::read(project.out_dir().join("more.sm_90.cubin")).unwrap();
    let expected = project.dir.join("expected.cubin");
    let status = std::process::Command::new(&cubin_tests::toolkit().unwrap().nvcc)
        .args([
            "-cubin",
            "-arch=sm_90",
            "-std=c++17",
            "-Xptxas",
            "-v",
            "--split-compile=3",
        ])
        .args(["-o", expected.to_str().unwrap(), "kernels/more.cu"])
        .current_dir(&project.dir)
        .status();
    assert!(status.unwrap().success());
    assert!(made() == std::fs::read(&expected).unwrap());

    // Another number is another result, and the other file is left alone.
    project.write("cubin.toml", &split("2"));
    project.build().succeeds();
    assert_eq!(tools.steps(), ["cicc more compute_90", "ptxas more sm_90"]);
    for threads in ["0", "1", "65"] {
        project.write("cubin.toml", &split(threads));
        let message = format!("`split-compile` cannot be {threads}");
        let run = project.build();
        run.fails().says(&message).says("from 2 to 64");
    }
}
