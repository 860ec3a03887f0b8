//! The compile step with NVIDIA's own nvcc: what is compiled again, what is not, and what is said when it fails.

use std::{
    fs,
    path::{Path, PathBuf},
};

use cubin_build::{
    compile::{self, Options, Outcome, Request, Source, Unit},
    env::Env,
    toolkit::Toolkit,
};

/// A package directory of its own for a test.
struct Package {
    root: PathBuf,
    toolkit: Toolkit,
    options: Options,
    targets: Vec<&'static str>,
}

impl Package {
    fn new(name: &str) -> Option<Self> {
        let toolkit = cubin_tests::toolkit()?;
        let root = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("compile_real")
            .join(name);
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(root.join("kernels")).unwrap();
        Some(Self {
            root,
            toolkit,
            options: Options::default(),
            targets: vec!["sm_90"],
        })
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn compile(&self, sources: &[&str]) -> Outcome {
        let sources: Vec<Source> = sources.iter().map(Source::from).collect();
        let targets: Vec<_> = self
            .targets
            .iter()
            .map(|target| compile::target(target).unwrap())
            .collect();
        let env = Env::process();
        compile::compile(
            &env,
            &Request {
                toolkit: &self.toolkit,
                root: &self.root,
                out_dir: &self.root.join("out"),
                sources: &sources,
                targets: &targets,
                options: &self.options,
            },
        )
        .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Compiles without failures; which units were compiled now, and why.
    fn reasons(&self, sources: &[&str]) -> Vec<String> {
        let outcome = self.compile(sources);
        assert!(outcome.failures.is_empty(), "{}", outcome.failures[0]);
        outcome
            .units
            .iter()
            .filter_map(|unit| {
                let reason = unit.recompiled.as_ref()?;
                Some(format!(
                    "{} {}: {reason}",
                    unit.source.display(),
                    unit.target
                ))
            })
            .collect()
    }
}

const NOTHING: [&str; 0] = [];
const SAXPY: &str = "#include \"common.cuh\"\n__global__ void saxpy(int n, float a, const float *x, float *y) {\n\
                     int i = blockIdx.x * blockDim.x + threadIdx.x;\n if (i < n) y[i] = SCALE * a * x[i] + y[i];\n}\n";

fn names(unit: &Unit) -> Vec<String> {
    unit.dependencies
        .iter()
        .filter(|path| path.is_relative())
        .map(|path| path.display().to_string())
        .collect()
}

#[test]
fn only_what_includes_a_changed_header_is_compiled_again() {
    let Some(package) = Package::new("headers") else {
        return;
    };
    package.write("kernels/common.cuh", "#define SCALE 1\n");
    package.write("kernels/saxpy.cu", SAXPY);
    package.write(
        "kernels/fill.cu",
        "__global__ void fill(int *p) { p[threadIdx.x] = 1; }\n",
    );
    let sources = ["kernels/saxpy.cu", "kernels/fill.cu"];

    let outcome = package.compile(&sources);
    assert_eq!(outcome.units.len(), 2);
    let unit = &outcome.units[0];
    assert_eq!(names(unit), ["kernels/saxpy.cu", "kernels/common.cuh"]);
    assert!(
        unit.cubin.exists()
            && unit.stub.as_ref().unwrap().exists()
            && unit.gpu.as_ref().unwrap().exists()
    );
    assert_eq!(unit.spills.len(), 1);
    assert_eq!(unit.spills["_Z5saxpyifPKfPf"].total(), 0);
    assert!(unit.messages.is_empty(), "{:?}", unit.messages);

    assert_eq!(package.reasons(&sources), NOTHING);
    package.write("kernels/common.cuh", "#define SCALE 2\n");
    assert_eq!(
        package.reasons(&sources),
        ["kernels/saxpy.cu sm_90: kernels/common.cuh changed"]
    );
    // The same text written again is no change.
    package.write("kernels/common.cuh", "#define SCALE 2\n");
    assert_eq!(package.reasons(&sources), NOTHING);
}
