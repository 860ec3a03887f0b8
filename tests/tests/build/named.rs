//! Whatever sources, kernels, types and variables are called, the build succeeds and its file compiles without a warning.

use cubin_tests::Project;

/// Files by what they are called, each with a kernel.
const SOURCES: &[(&str, &str)] = &[
    // A kernel, a method of every module, and a variable called as that kernel would be.
    (
        "load_and_constant.cu",
        "extern \"C\" __global__ void load(int *o) { o[0] = 1; }\n__constant__ float load_;\n\
         extern \"C\" __global__ void use(float *o) { o[0] = load_; }\n",
    ),
    (
        "module_and_namespace.cu",
        "struct Module { int v; };\nnamespace Module_ { __global__ void k(int *o) { o[0] = 1; } }\n\
         __global__ void use(Module m, int *o) { o[0] = m.v; }\n",
    ),
    // A constant of every module.
    (
        "kernel_images.cu",
        "extern \"C\" __global__ void IMAGES(int *o) { o[0] = 1; }\n",
    ),
    ("a-b.cu", TYPES),
    ("a_b.cu", TYPES),
    ("type.cu", KERNEL),
    ("self.cu", KERNEL),
    ("runtime.cu", KERNEL),
    ("1 größe {x}.cu", KERNEL),
    // In the name of a file, and in one that only the preprocessor hears of.
    ("side\u{202e}ways.cu", KERNEL),
    (
        "bidi.cu",
        "#line 1 \"kernels/a\u{202e}b.cu\"\nextern \"C\" __global__ void k(int *out) { out[0] = 1; }\n",
    ),
];

const KERNEL: &str = "extern \"C\" __global__ void k(int *o) { o[0] = 1; }\n";
const TYPES: &str = "extern \"C\" __global__ void k(int *o) { o[0] = 1; }\nstruct types { int v; };\n\
    extern \"C\" __global__ void k2(types t, int *o) { o[0] = t.v; }\n";

const LIB: &str = "\
#![allow(dead_code)]
mod kernels { include!(concat!(env!(\"OUT_DIR\"), \"/kernels.rs\")); }
";

fn project(name: &str) -> Option<Project> {
    let project = super::project(name)?;
    project.write("src/lib.rs", LIB);
    project.write(
        "cubin.toml",
        "[build]\narch = [\"sm_90\"]\n[generate]\nbackend = \"core\"\n",
    );
    Some(project)
}

/// The modules of the generated file, its own left out.
fn modules(project: &Project) -> Vec<String> {
    let generated = project.generated().expect("a generated file");
    let modules = generated
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(" {"))
        .filter(|name| !matches!(*name, "runtime" | "types"));
    modules.map(str::to_owned).collect()
}

#[test]
fn no_name_ends_a_build_or_breaks_its_file() {
    let Some(project) = project("named") else {
        return;
    };
    for (name, text) in SOURCES {
        project.write(&format!("kernels/{name}"), text);
    }
    let run = project.build().succeeds();
    // nvcc's own, of the file with the control character.
    assert_eq!(run.cargo_lines("warning").len(), 1);
    run.does_not_say("(lib) generated");
    assert_eq!(
        modules(&project),
        [
            "_1_größe__x_",
            "a_b",
            "bidi",
            "fill",
            "kernel_images",
            "kernels_a_b",
            "load_and_constant",
            "module_and_namespace",
            "runtime_",
            "self_",
            "side_ways",
            "r#type",
        ]
    );
    let generated = project.generated().expect("a generated file");
    assert!(
        generated.contains("a\\u{202e}b.cu"),
        "the name that `#line` gives"
    );
    assert!(!generated.contains('\u{202e}'));
}

#[test]
fn a_file_that_is_added_renames_no_module() {
    let Some(project) = project("named-added") else {
        return;
    };
    project.write("kernels/vecadd.cu", KERNEL);
    project.build().succeeds();
    assert_eq!(modules(&project), ["fill", "vecadd"]);
    project.write("kernels/more/vecadd.cu", KERNEL);
    project.write("kernels/vec-add.cu", KERNEL);
    project.write("kernels/more/vec_add.cu", KERNEL);
    project.build().succeeds().does_not_say("warning");
    assert_eq!(
        modules(&project),
        ["fill", "more_vec_add", "more_vecadd", "vec_add", "vecadd"]
    );
}

#[test]
fn a_module_that_only_a_hash_tells_apart_is_said() {
    let Some(project) = project("named-hash") else {
        return;
    };
    project.write("kernels/x-y.cu", KERNEL);
    project.write("kernels/x.y.cu", KERNEL);
    let run = project.build().succeeds();
    run.says("name-collision");
    assert_eq!(modules(&project).len(), 3);
}
