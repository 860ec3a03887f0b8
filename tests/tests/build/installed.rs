//! Toolkits of the per-user cache: components beside them, and damage to them.

use std::{fs, path::Path};

use cubin_build::{
    env::Env,
    toolkit::{self, Component, Origin, Toolkit},
};
use cubin_tests::Project;

use super::FILL;

/// The toolkit, when it lies in the cache, whose directory is the second; a chosen one is somebody else's.
fn installed() -> Option<(Toolkit, std::path::PathBuf)> {
    let env = Env::process();
    if env.peek("CUBIN_BUILD_TOOLKIT").is_some() {
        return None;
    }
    let toolkit = cubin_tests::toolkit()?;
    let cache = toolkit::cache_dir(&env)?;
    (toolkit.origin == Origin::Installed).then_some((toolkit, cache))
}

/// A project that takes its toolkit from the cache, which is named, as the tests' crates have another home.
fn project(name: &str, toolkit: &Toolkit, cache: &Path) -> Project {
    let mut project = Project::new(env!("CARGO_TARGET_TMPDIR"), name, toolkit);
    project.unset("CUBIN_BUILD_TOOLKIT");
    project.set("CUBIN_BUILD_CACHE", cache);
    project
}

const RANDOM: &str = "#include <curand_kernel.h>\n\
    extern \"C\" __global__ void noise(float *out, unsigned long long seed) {\n\
        curandStatePhilox4_32_10_t state;\n\
        curand_init(seed, threadIdx.x, 0, &state);\n\
        out[threadIdx.x] = curand_uniform(&state);\n\
    }\n";

fn config(toolkit: &Toolkit, more: &str) -> String {
    let version = toolkit.version;
    format!(
        "[toolkit]\nversion = \"{version}\"\ninstall = true\n{more}\n[build]\narch = [\"sm_90\"]\n"
    )
}

#[test]
fn a_kernel_includes_a_header_of_a_component() {
    let Some((toolkit, cache)) = installed() else {
        return;
    };
    let project = project("component", &toolkit, &cache);
    project.write("kernels/noise.cu", RANDOM);
    project.write("cubin.toml", &config(&toolkit, ""));
    project
        .build()
        .fails()
        .says("`curand_kernel.h` belongs to cuRAND")
        .says("`components = [\"curand\"]` under [toolkit] in cubin.toml");

    // About 80 MB, once per machine.
    let curand = Component::named("curand").expect("cuRAND");
    let installed =
        toolkit::install_component(&Env::process(), &toolkit, curand, false, &mut |line| {
            eprintln!("{line}");
        });
    if let Err(error) = installed {
        assert!(!cubin_tests::required(), "{error}");
        eprintln!("skipped: {error}");
        return;
    }
    project.write(
        "cubin.toml",
        &config(&toolkit, "components = [\"curand\"]\n"),
    );
    project.build().succeeds();
    let generated = project.generated().expect("wrappers");
    assert!(generated.contains("pub unsafe fn noise"), "{generated}");
    // cuRAND's tables are variables of device code, and nobody's but NVIDIA's.
    assert!(!generated.contains("precalc_xorwow"), "{generated}");
    project.build().succeeds().says("Fresh component");
}

/// A copy of the toolkit in a cache of its own, of links where the disk allows it.
fn copied(toolkit: &Toolkit, name: &str) -> std::path::PathBuf {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("caches")
        .join(name);
    let _ = fs::remove_dir_all(&cache);
    let home = toolkit.root.ancestors().nth(2).expect("a directory");
    let to = cache.join("toolkits").join(toolkit.version.to_string());
    fs::create_dir_all(&to).expect("a scratch directory");
    copy(home, &to);
    cache
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("a directory") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            fs::create_dir(&target).expect("a directory");
            copy(&entry.path(), &target);
        } else if fs::hard_link(entry.path(), &target).is_err() {
            fs::copy(entry.path(), &target).expect("a copy");
        }
    }
}

#[test]
fn a_damaged_toolkit_is_told_from_a_mistake_in_the_source() {
    let Some((toolkit, _)) = installed() else {
        return;
    };
    let cache = copied(&toolkit, "damaged");
    let version = toolkit.version;
    let root = cache.join(format!("toolkits/{version}/nvidia/cu13"));
    let project = project("damaged", &toolkit, &cache);
    project.write("kernels/fill.cu", FILL);
    project.write("cubin.toml", &config(&toolkit, ""));

    let header = root.join("include/crt/sm_70_rt.h");
    let text = fs::read(&header).expect("a header");
    fs::remove_file(&header).expect("a header");
    project
        .build()
        .fails()
        .says("error[toolkit-damaged]: the CUDA toolkit")
        .says("crt/sm_70_rt.h` is missing")
        .says(&format!("cargo cubin toolkit install --force {version}"));
    fs::write(&header, &text).expect("a header");

    let cicc = root.join("nvvm/bin/cicc");
    fs::remove_file(&cicc).expect("cicc");
    project
        .build()
        .fails()
        .says("nvvm/bin/cicc` is missing")
        .says("`cargo cubin toolkit verify`");
    fs::hard_link(toolkit.root.join("nvvm/bin/cicc"), &cicc).expect("cicc");

    // What is whole is not blamed.
    project.write("kernels/fill.cu", "__global__ void k() { nothing; }\n");
    project
        .build()
        .fails()
        .says("identifier \"nothing\" is undefined")
        .does_not_say("toolkit-damaged");
    fs::remove_dir_all(&cache).expect("the copy");
}
