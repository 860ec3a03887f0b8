//! Names that Rust, its lints or the generated file have for something else (`cases/torture/names.cu`): both backends
//! compile without a warning in a crate as users have them.

use std::{fs, path::Path};

use cubin_build::{Backend, Builder};
use cubin_tests::user_crate;

#[test]
fn no_name_breaks_a_generated_file() {
    if cubin_tests::toolkit().is_none() {
        return;
    }
    let tmp = Path::new(env!("CARGO_TARGET_TMPDIR")).join("codegen_names");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/torture/names.cu");
    let root = tmp.join("package");
    fs::create_dir_all(&root).expect("a scratch folder");
    fs::copy(&source, root.join("names.cu")).expect("a copy");
    // Files whose names are those of namespaces in them, and of a primitive.
    for name in ["flash", "u32", "runtime", "self", "größe²"] {
        let text = format!(
            "namespace {0} {{ __global__ void {0}(int {0}) {{}} }}\n",
            name.replace("self", "self_").replace("größe²", "size")
        );
        fs::write(root.join(format!("{name}.cu")), text).expect("a source");
    }
    let mut generated = Vec::new();
    for (name, backend) in [("cudarc", Backend::default()), ("core", Backend::Core)] {
        let output = Builder::new()
            .root(&root)
            .out_dir(tmp.join(name))
            .toolkit(cubin_tests::version())
            .dir(".")
            .backend(backend)
            .arch("sm_90")
            .try_build()
            .unwrap_or_else(|error| panic!("{error}"));
        let warnings: Vec<&str> = output.warnings.iter().map(|diag| &*diag.message).collect();
        assert_eq!(warnings, [""; 0]);
        generated.push((format!("of_{name}"), output.generated));
    }
    user_crate::check(&tmp.join("user"), &generated, "");
    let text = fs::read_to_string(&generated[0].1).expect("the generated file");
    for part in [
        // Not called like an enumeration, nor like a const generic.
        "mode_: mode,",
        "pub unsafe fn scaled<const N_: i32>(",
        // Nothing else is renamed without need.
        "pub unsafe fn len(",
        "pub unsafe fn scaled_4(",
        "foo: i32,",
        "pub mod u32 {",
        "pub mod u16_ {",
    ] {
        assert!(text.contains(part), "{part}");
    }
}
