//! The compile step with NVIDIA's own nvcc: what is compiled again, what is not, and what is said when it fails.

use std::{
    fs,
    path::{Path, PathBuf},
};

use cubin_build::{
    compile::{self, CompileRequest, Options, Outcome, SideFiles, Source, SourceKind, Unit},
    env::Env,
    toolkit::Toolkit,
};

/// What nvcc's front end left of a unit of CUDA C++.
fn side_files(unit: &Unit) -> &SideFiles {
    unit.side_files.as_ref().expect("side files")
}

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
        let sources: Vec<Source> = sources
            .iter()
            .map(|path| match SourceKind::of(Path::new(path)) {
                Ok(SourceKind::Text(language)) => Source::new(path, language),
                other => panic!("{path} is not compiled: {other:?}"),
            })
            .collect();
        self.compile_all(&sources)
    }

    fn compile_all(&self, sources: &[Source]) -> Outcome {
        let targets: Vec<_> = self
            .targets
            .iter()
            .map(|target| compile::target(target).unwrap())
            .collect();
        let env = Env::process();
        compile::compile(
            &env,
            &CompileRequest {
                toolkit: &self.toolkit,
                root: &self.root,
                out_dir: &self.root.join("out"),
                sources,
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
    assert!(unit.cubin.exists() && side_files(unit).stub.exists() && side_files(unit).gpu.exists());
    assert_eq!(unit.spills.len(), 1);
    assert_eq!(unit.spills["_Z5saxpyifPKfPf"].total(), 0);
    assert!(unit.messages.is_empty(), "{:?}", unit.messages);

    // The system's headers are dependencies too, the toolkit's are known by the toolkit.
    let toolkit = |path: &PathBuf| path.ends_with("include/cuda_runtime.h");
    assert!(!unit.files().any(toolkit));
    assert!(unit.files().count() > 10);

    assert_eq!(package.reasons(&sources), NOTHING);
    package.write("kernels/common.cuh", "#define SCALE 2\n");
    assert_eq!(
        package.reasons(&sources),
        ["kernels/saxpy.cu sm_90: kernels/common.cuh changed"]
    );
    // The same text written again is no change.
    package.write("kernels/common.cuh", "#define SCALE 2\n");
    assert_eq!(package.reasons(&sources), NOTHING);

    // A comment compiles nothing, and what names lines is as a clean build makes it.
    package.write("kernels/common.cuh", "// Twice.\n\n#define SCALE 2\n");
    package.write("kernels/saxpy.cu", &format!("/* a\n   b */\n{SAXPY}"));
    assert_eq!(package.reasons(&sources), NOTHING);
    let kept = results(&package.compile(&sources));
    fs::remove_dir_all(package.root.join("out")).unwrap();
    for ((path, kept), (_, clean)) in kept.iter().zip(results(&package.compile(&sources))) {
        let [kept, clean] = [kept, &clean].map(|bytes| String::from_utf8_lossy(bytes));
        assert!(kept == clean, "{}:\n{kept}\n{clean}", path.display());
    }
}

/// What was made of all units.
fn results(outcome: &Outcome) -> Vec<(PathBuf, Vec<u8>)> {
    let mut made = Vec::new();
    for unit in &outcome.units {
        for path in unit.results().chain([unit.ptx.as_path()]) {
            made.push((path.to_owned(), fs::read(path).unwrap()));
        }
    }
    made
}

#[test]
fn every_way_a_header_can_come_in() {
    let Some(mut package) = Package::new("shadow") else {
        return;
    };
    package.write("first/readme.txt", "");
    package.write("second/gpu/scale.cuh", "#define SCALE 1\n");
    package.write(
        "kernels/k.cu",
        "#include <gpu/scale.cuh>\n#if __has_include(\"extra.cuh\")\n#include \"extra.cuh\"\n#endif\n\
         #ifdef __CUDA_ARCH__\n#include \"device_only.cuh\"\n#endif\n\
         __global__ void k(int *p) { *p = SCALE; }\n",
    );
    package.write("kernels/device_only.cuh", "");
    package.options.includes = vec![PathBuf::from("first"), PathBuf::from("second")];
    let sources = ["kernels/k.cu"];
    let outcome = package.compile(&sources);
    assert!(outcome.failures.is_empty(), "{}", outcome.failures[0]);
    assert_eq!(
        names(&outcome.units[0]),
        [
            "kernels/k.cu",
            "second/gpu/scale.cuh",
            "kernels/device_only.cuh"
        ]
    );
    let before = fs::read(&outcome.units[0].cubin).unwrap();

    package.write("first/gpu/scale.cuh", "#define SCALE 2\n");
    let outcome = package.compile(&sources);
    let unit = &outcome.units[0];
    assert!(
        unit.recompiled
            .as_ref()
            .unwrap()
            .contains("first/gpu/scale.cuh appeared"),
        "{:?}",
        unit.recompiled
    );
    assert_ne!(
        fs::read(&unit.cubin).unwrap(),
        before,
        "the header that comes first now is in the result"
    );
    package.write("kernels/extra.cuh", "#undef SCALE\n#define SCALE 3\n");
    let reasons = package.reasons(&sources);
    assert!(
        reasons[0].contains("kernels/extra.cuh appeared"),
        "{reasons:?}"
    );
    assert_eq!(package.reasons(&sources), NOTHING);
}

#[test]
fn flags_and_targets_are_part_of_the_result() {
    let Some(mut package) = Package::new("flags") else {
        return;
    };
    package.write(
        "kernels/k.cu",
        "__global__ void k(float *p) { *p = __fdividef(*p, VALUE); }\n",
    );
    package.options.defines = vec![("VALUE".to_owned(), Some("3.0f".to_owned()))];
    let sources = ["kernels/k.cu"];
    package.reasons(&sources);
    package.options.defines = vec![("VALUE".to_owned(), Some("4.0f".to_owned()))];
    assert_eq!(
        package.reasons(&sources),
        ["kernels/k.cu sm_90: flag `-DVALUE=4.0f` is new"]
    );
    package.targets = vec!["sm_90", "sm_90a", "sm_100f"];
    let outcome = package.compile(&sources);
    let compiled: Vec<_> = outcome
        .units
        .iter()
        .map(|unit| (unit.target.to_string(), unit.compiled()))
        .collect();
    assert_eq!(
        compiled,
        [
            ("sm_90".to_owned(), false),
            ("sm_90a".to_owned(), true),
            ("sm_100f".to_owned(), true)
        ]
    );
    package.targets = vec!["sm_35"];
    let targets = [compile::target("sm_35").unwrap()];
    let error = compile::compile(
        &Env::process(),
        &CompileRequest {
            toolkit: &package.toolkit,
            root: &package.root,
            out_dir: &package.root.join("out"),
            sources: &[Source::cuda("kernels/k.cu")],
            targets: &targets,
            options: &package.options,
        },
    )
    .unwrap_err()
    .to_string();
    assert!(
        error.contains("cannot compile for sm_35; it knows sm_"),
        "{error}"
    );
}

#[test]
fn names_that_are_no_plain_words() {
    let Some(mut package) = Package::new("na mé, (1)") else {
        return;
    };
    let dirs = ["a dir", "dir, comma", "größe", "it's", "a&b;c", "-dash"];
    for dir in dirs {
        package.write(&format!("{dir}/k.cu"), "#include <inc.cuh>\n#include \"own.cuh\"\n__global__ void k(int *p) { *p = INC + OWN; }\n");
        package.write(&format!("{dir}/own.cuh"), "#define OWN 1\n");
    }
    package.write("inc, dir/inc.cuh", "#define INC 1\n");
    package.options.includes = vec![PathBuf::from("inc, dir")];
    package.options.defines = vec![
        ("TEXT".to_owned(), Some("\"a b, c\"".to_owned())),
        ("MIN(a,b)".to_owned(), Some("((a)<(b)?(a):(b))".to_owned())),
    ];
    let sources: Vec<String> = dirs.iter().map(|dir| format!("{dir}/k.cu")).collect();
    let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
    let outcome = package.compile(&sources);
    assert!(outcome.failures.is_empty(), "{}", outcome.failures[0]);
    for (unit, dir) in outcome.units.iter().zip(dirs) {
        let source = if dir.starts_with('-') {
            format!("./{dir}/k.cu")
        } else {
            format!("{dir}/k.cu")
        };
        assert_eq!(names(unit)[0], source);
        assert_eq!(names(unit).len(), 3, "{:?}", names(unit));
    }
    assert_eq!(package.reasons(&sources), NOTHING);
    package.write("größe/own.cuh", "#define OWN 2\n");
    assert_eq!(
        package.reasons(&sources),
        ["größe/k.cu sm_90: größe/own.cuh changed"]
    );
    package.write("inc, dir/inc.cuh", "#define INC 2\n");
    assert_eq!(package.reasons(&sources).len(), dirs.len());
}

#[test]
fn macros_reach_the_compiler_as_they_are() {
    let Some(mut package) = Package::new("macros") else {
        return;
    };
    let values = [
        r#""say \"hi\", then\tleave""#,
        r#""C:\\dir\n""#,
        "\"$HOME `id`\"",
        r"'\''",
        "\"it's a&b;c|d\"",
        "{1, 2}",
    ];
    let mut source = "constexpr bool same(const char *a, const char *b) {\n\
                      return *a == *b && (*a == 0 || same(a + 1, b + 1)); }\n\
                      #define SHOW_(...) #__VA_ARGS__\n#define SHOW(x) SHOW_(x)\n"
        .to_owned();
    for (index, value) in values.iter().enumerate() {
        let name = format!("V{index}");
        source += &format!("static_assert(same(SHOW({name}), R\"_({value})_\"), \"{name}\");\n");
        package
            .options
            .defines
            .push((name, Some((*value).to_owned())));
    }
    source += "__global__ void k(int *p) { *p = 1; }\n";
    package.write("k.cu", &source);
    let outcome = package.compile(&["k.cu"]);
    assert!(outcome.failures.is_empty(), "{}", outcome.failures[0]);
    let next = package.reasons(&["k.cu"]);
    assert_eq!(next, NOTHING);
}

#[test]
fn two_files_of_one_name() {
    let Some(package) = Package::new("stems") else {
        return;
    };
    package.write("one/k.cu", "__global__ void first(int *p) { *p = 1; }\n");
    package.write("two/k.cu", "__global__ void second(int *p) { *p = 2; }\n");
    let outcome = package.compile(&["one/k.cu", "two/k.cu"]);
    let stubs: Vec<String> = outcome
        .units
        .iter()
        .map(|unit| fs::read_to_string(&side_files(unit).stub).unwrap())
        .collect();
    assert!(stubs[0].contains("first") && !stubs[0].contains("second"));
    assert!(stubs[1].contains("second") && !stubs[1].contains("first"));
}

#[test]
fn errors_of_every_tool_are_shown_whole() {
    let Some(package) = Package::new("errors") else {
        return;
    };
    package.write(
        "kernels/front.cu",
        "template <class T> struct B { __device__ static T f(T x) { return x.nope(); } };\n\
         __global__ void k(float *p) { p[0] = B<float>::f(p[1]); undefined_thing(); }\n",
    );
    package.write("kernels/include.cu", "#include \"missing.h\"\n");
    package.write(
        "kernels/asm.cu",
        "__global__ void k(int *p) { asm volatile(\"bogus.u32 %0, 1;\" : \"=r\"(p[0])); }\n",
    );
    package.write("kernels/shared.cu", "__global__ void k(int *p) { __shared__ int a[100000]; a[threadIdx.x] = *p; __syncthreads(); *p = a[threadIdx.x ^ 1]; }\n");
    package.write(
        "kernels/fine.cu",
        "__global__ void k(int *p) { int unused = 4; *p = 1; }\n",
    );
    let sources = [
        "kernels/front.cu",
        "kernels/include.cu",
        "kernels/asm.cu",
        "kernels/shared.cu",
        "kernels/fine.cu",
    ];
    let outcome = package.compile(&sources);
    assert_eq!(outcome.failures.len(), 4);
    assert_eq!(outcome.units.len(), 1, "what compiles is kept");
    assert_eq!(outcome.units[0].messages[0].line, Some(1));
    let parts: [&[&str]; 4] = [
        &[
            "kernels/front.cu for sm_90: cicc failed (exit status: ",
            "kernels/front.cu(2): error: identifier \"undefined_thing\" is undefined",
            "kernels/front.cu(1): error: expression must have class type",
            "detected during instantiation of \"T B<T>::f(T) [with T=float]\" at line 2",
            "2 errors detected in the compilation of",
        ],
        &[
            "kernels/include.cu:1:10: fatal error: missing.h: No such file or directory",
            "compilation terminated.",
            "help: name the directory that holds the header",
        ],
        &[
            "Not a name of any known instruction: 'bogus'",
            "Ptx assembly aborted due to errors",
        ],
        &["uses too much shared data"],
    ];
    for (failure, parts) in outcome.failures.iter().zip(parts) {
        let text = failure.to_string();
        for part in parts {
            assert!(text.contains(part), "{part} is not in:\n{text}");
        }
        assert!(!text.contains("ptxas info"), "{text}");
        assert!(failure.first_error().is_some());
    }
    let front = outcome.failures[0].first_error().unwrap();
    assert_eq!(
        (front.file.as_deref(), front.line),
        (Some(Path::new("kernels/front.cu")), Some(2))
    );
    assert_eq!(outcome.failures[1].first_error().unwrap().column, Some(10));
    // The fix of one compiles one.
    package.write("kernels/include.cu", "__global__ void k() {}\n");
    let outcome = package.compile(&sources);
    assert_eq!(outcome.failures.len(), 3);
    let compiled: Vec<_> = outcome.units.iter().map(|unit| unit.compiled()).collect();
    assert_eq!(compiled, [true, false]);
}

#[test]
fn spills_are_those_that_ptxas_counts() {
    let Some(mut package) = Package::new("spills") else {
        return;
    };
    package.write(
        "kernels/spill.cu",
        "extern \"C\" __global__ void __launch_bounds__(1024, 2) spill(float *p) {\n  float a[64];\n\
         \x20 for (int i = 0; i < 64; i++) a[i] = p[i * threadIdx.x];\n  __syncthreads();\n\
         \x20 for (int j = 0; j < 64; j++) for (int i = 0; i < 64; i++) a[i] = a[i] * a[(i + j) % 64] + p[j];\n\
         \x20 for (int i = 0; i < 64; i++) p[i + threadIdx.x] = a[i];\n}\n\
         extern \"C\" __global__ void none(float *p) { *p = 1; }\n",
    );
    package.targets = vec!["sm_80"];
    let unit = package.compile(&["kernels/spill.cu"]).units.remove(0);
    assert_eq!(unit.spills.len(), 2);
    assert!(
        unit.spills["spill"].stores > 0 && unit.spills["spill"].loads > 0,
        "{:?}",
        unit.spills
    );
    assert_eq!(unit.spills["none"].total(), 0);

    // The PTX that nvcc made, assembled by ptxas alone, is the same code.
    let ptx = fs::read_to_string(&unit.ptx).unwrap();
    package.write("kernels/spill.ptx", &ptx);
    let assembled = package.compile(&["kernels/spill.ptx"]).units.remove(0);
    assert_eq!(assembled.spills, unit.spills);
    assert_eq!(assembled.side_files, None);
    assert_eq!(assembled.ptx, package.root.join("kernels/spill.ptx"));
}

#[test]
fn an_older_toolkit_recompiles_everything() {
    let Some(mut package) = Package::new("toolkit") else {
        return;
    };
    package.write("kernels/k.cu", "__global__ void k(int *p) { *p = 1; }\n");
    package.reasons(&["kernels/k.cu"]);
    // The same program under another root is another toolkit, since paths of its headers are in the results.
    let links = package.root.join("links");
    fs::create_dir_all(links.join("bin")).unwrap();
    package.toolkit.root = links;
    let reasons = package.reasons(&["kernels/k.cu"]);
    assert_eq!(reasons, ["kernels/k.cu sm_90: the CUDA toolkit changed"]);
}

/// What has internal linkage gets its symbols from the name of its source.
const INTERNAL: &str = "namespace { __device__ int hidden; __global__ void own(int *p) { *p = hidden; } struct Local { int x; }; }\n\
                        static __device__ int counter[4];\n\
                        template <const int *P> __global__ void at(int *p) { *p = *P; }\n\
                        template <class T> __global__ void of(T *p) { p->x = counter[p->x]; }\n\
                        template __global__ void of<Local>(Local *);\n\
                        static __device__ const int fixed = 7;\n\
                        template __global__ void at<&fixed>(int *);\n";

#[test]
fn results_are_the_same_in_every_folder() {
    let mut made: Vec<Vec<Vec<u8>>> = Vec::new();
    for folder in ["same/one", "same/another/and deeper"] {
        let Some(mut package) = Package::new(folder) else {
            return;
        };
        package.write("kernels/internal.cu", INTERNAL);
        package.write("relocatable/internal.cu", INTERNAL);
        // Includes, so that line information has files to name.
        package.write("kernels/common.cuh", "#define SCALE 2\n");
        package.write("kernels/saxpy.cu", SAXPY);
        let relocatable = Source {
            relocatable: true,
            ..Source::cuda("relocatable/internal.cu")
        };
        let sources = [
            Source::cuda("kernels/internal.cu"),
            Source::cuda("kernels/saxpy.cu"),
            relocatable,
        ];
        package.targets = vec!["sm_90", "sm_100"];
        let outcome = package.compile_all(&sources);
        assert!(outcome.failures.is_empty(), "{}", outcome.failures[0]);
        assert_eq!(outcome.units.len(), 6);
        made.push(
            results(&outcome)
                .into_iter()
                .map(|(_, bytes)| bytes)
                .collect(),
        );
    }
    assert!(made[0] == made[1]);
}

#[test]
fn cubins_are_those_that_nvcc_makes() {
    let Some(mut package) = Package::new("nvcc") else {
        return;
    };
    package.write("kernels/common.cuh", "#define SCALE 2\n");
    package.write("kernels/saxpy.cu", SAXPY);
    package.write(
        "kernels/shared.cu",
        "__constant__ float table[8];\ntemplate <int N> __global__ void sum(float *p) {\n\
         __shared__ float s[N]; s[threadIdx.x] = p[threadIdx.x] * table[threadIdx.x & 7]; __syncthreads();\n\
         if (threadIdx.x == 0) { float t = 0; for (int i = 0; i < N; i++) t += s[i]; *p = t; } }\n\
         template __global__ void sum<64>(float *);\ntemplate __global__ void sum<128>(float *);\n",
    );
    package.options.flags = vec!["--use_fast_math".to_owned()];
    let sources = ["kernels/saxpy.cu", "kernels/shared.cu"];
    let outcome = package.compile(&sources);
    for (unit, source) in outcome.units.iter().zip(sources) {
        let expected = package.root.join("expected.cubin");
        let status = std::process::Command::new(&package.toolkit.nvcc)
            .args([
                "-cubin",
                "-arch=sm_90",
                "-std=c++17",
                "--use_fast_math",
                // The cubin says how ptxas was called.
                "-Xptxas",
                "-v",
                "-o",
            ])
            .arg(&expected)
            .arg(source)
            .current_dir(&package.root)
            .status();
        assert!(status.unwrap().success());
        assert!(
            fs::read(&unit.cubin).unwrap() == fs::read(&expected).unwrap(),
            "{source}"
        );
    }
}
