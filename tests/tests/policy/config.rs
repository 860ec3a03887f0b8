//! Malformed files: every `golden/diag/config/*.toml` is one, its findings stand beside it.

use std::fs;

use cubin_build::{
    config::{Backend, Banks, Config, Define, HalfTypes, Key, Limit, Occupancy, Ptx},
    diag::Level,
    source::SourceFile,
};

use crate::support::{config, expect_diags, golden_dir};

#[test]
fn malformed_files() {
    let mut names: Vec<String> = fs::read_dir(golden_dir().join("config"))
        .expect("golden directory")
        .map(|entry| {
            entry
                .expect("entry")
                .file_name()
                .into_string()
                .expect("UTF-8")
        })
        .filter_map(|name| Some(name.strip_suffix(".toml")?.to_owned()))
        .collect();
    names.sort();
    assert!(names.len() > 10, "{names:?}");
    for name in names {
        let path = golden_dir().join(format!("config/{name}.toml"));
        let file = SourceFile::read(&path, "cubin.toml").expect("readable");
        let (_, problems) = Config::parse(&file);
        assert!(!problems.is_empty(), "{name} has no problem");
        assert!(problems.iter().all(|diag| diag.level == Level::Deny));
        expect_diags(&format!("config/{name}"), problems);
    }
}

#[test]
fn everything_a_file_can_say() {
    let text = r#"
[toolkit]
version = "13.5.37"
install = true

[build]
arch = ["sm_80", "sm_90a"]
sources = "kernels/a.cu"
dirs = ["kernels"]
include = ["include", "../common"]
define = { TILE = 32, FAST = true, NAME = "\"x\"" }
flags = ["--use_fast_math", "-Xptxas", "-O3", "-optix"]
std = "c++17"
lineinfo = false
ptx = ["compute_80", "compute_90"]

[generate]
backend = "core"
half = "half"
file = "gpu.rs"

[defaults]
registers = 0x80
stack = 1_024
spills = "0 B"
params = "4 KiB"
static-shared = "48kB"
local = 512
barriers = 1
code-size = "128 KiB"
constant = { 3 = "48 KiB", other = "1 KiB" }
externs = ["printf", "cuda*"]
level = "warn"

[[rule]]
kernel = "gemm<*>"
arch = ["sm_90a", "sm_1*"]
registers = 168
occupancy = { block = 256, min = 0.25, dynamic-shared = "16 KiB" }
reason = "wgmma accumulators"
level = "deny"

[[rule]]
kernel = ["a", "b*"]
level = "allow"

[baseline]
file = "cubin-baseline.toml"

[[instantiate]]
kernel = "scale<float>"
file = "kernels/a.cu"

[[kernel]]
symbol = "saxpy"
params = ["u32", "*mut f32"]

[[kernel]]
symbol = "empty"
params = []
"#;
    let config = config(text);
    let texts = |list: &[cubin_build::source::Spanned<String>]| -> Vec<String> {
        list.iter().map(|item| item.value.clone()).collect()
    };
    assert_eq!(
        config.toolkit.version.map(|v| v.value).as_deref(),
        Some("13.5.37")
    );
    assert_eq!(config.toolkit.install.map(|v| v.value), Some(true));
    let build = &config.build;
    let arch: Vec<String> = build.arch.iter().map(|sm| sm.value.to_string()).collect();
    assert_eq!(arch, ["sm_80", "sm_90a"]);
    assert_eq!(build.arch[1].span.start(), (7, 18));
    assert_eq!(build.arch[1].span.text(), "\"sm_90a\"");
    assert_eq!(texts(&build.sources), ["kernels/a.cu"]);
    assert_eq!(texts(&build.dirs), ["kernels"]);
    assert_eq!(texts(&build.include), ["include", "../common"]);
    let defines: Vec<Define> = build.define.iter().map(|d| d.value.clone()).collect();
    let define = |name: &str, value: Option<&str>| Define {
        name: name.into(),
        value: value.map(Into::into),
    };
    assert_eq!(
        defines,
        [
            define("TILE", Some("32")),
            define("FAST", None),
            define("NAME", Some("\"x\""))
        ]
    );
    assert_eq!(texts(&build.flags).len(), 4);
    assert_eq!(build.std.as_ref().map(|v| v.value.as_str()), Some("c++17"));
    assert_eq!(build.lineinfo.as_ref().map(|v| v.value), Some(false));
    let Some(Ptx::Of(ptx)) = build.ptx.as_ref().map(|ptx| &ptx.value) else {
        panic!("{:?}", build.ptx);
    };
    let ptx: Vec<String> = ptx.iter().map(|sm| sm.value.to_string()).collect();
    assert_eq!(ptx, ["sm_80", "sm_90"]);
    assert_eq!(
        config.generate.backend.map(|v| v.value),
        Some(Backend::Core)
    );
    assert_eq!(
        config.generate.half.map(|v| v.value),
        Some(HalfTypes::HalfCrate)
    );
    assert_eq!(
        config.generate.file.map(|v| v.value).as_deref(),
        Some("gpu.rs")
    );
    let limit = |key: Key| {
        let limit = config.defaults.budgets.get(key);
        limit.map(|limit| limit.value.clone())
    };
    assert_eq!(limit(Key::Registers), Some(Limit::Most(128)));
    assert_eq!(limit(Key::Stack), Some(Limit::Most(1024)));
    assert_eq!(limit(Key::Spills), Some(Limit::Most(0)));
    assert_eq!(limit(Key::Local), Some(Limit::Most(512)));
    assert_eq!(limit(Key::Params), Some(Limit::Most(4096)));
    assert_eq!(limit(Key::StaticShared), Some(Limit::Most(48_000)));
    assert_eq!(limit(Key::Barriers), Some(Limit::Most(1)));
    assert_eq!(limit(Key::CodeSize), Some(Limit::Most(131_072)));
    let banks = Banks {
        own: vec![(3, 49_152)],
        other: Some(1024),
    };
    assert_eq!(limit(Key::Constant), Some(Limit::Banks(banks)));
    let Some(Limit::Not(names)) = limit(Key::Externs) else {
        panic!("{:?}", config.defaults)
    };
    let names: Vec<&str> = names.iter().map(|name| name.value.as_str()).collect();
    assert_eq!(names, ["printf", "cuda*"]);
    assert_eq!(limit(Key::Occupancy), None);
    assert_eq!(
        config.defaults.level.as_ref().map(|v| v.value),
        Some(Level::Warn)
    );
    let [first, second] = config.rules.as_slice() else {
        panic!("{:?}", config.rules)
    };
    assert_eq!(first.archs.len(), 2);
    let occupancy = Occupancy {
        block: 256,
        min: 0.25,
        dynamic_shared: 16 << 10,
    };
    let limit = first.budgets.get(Key::Occupancy);
    assert_eq!(
        limit.map(|limit| limit.value.clone()),
        Some(Limit::Occupancy(occupancy))
    );
    assert_eq!(first.span.as_ref().map(|span| span.start()), Some((35, 1)));
    assert_eq!(second.kernels[1].value.as_str(), "b*");
    assert!(second.budgets.is_empty());
    assert_eq!(
        config.baseline.map(|v| v.value).as_deref(),
        Some("cubin-baseline.toml")
    );
    assert_eq!(config.instantiate[0].kernel.value, "scale<float>");
    assert_eq!(texts(&config.kernels[0].params), ["u32", "*mut f32"]);
    assert!(config.kernels[1].params.is_empty());
}

#[test]
fn an_empty_file_says_nothing() {
    assert_eq!(config(""), Config::default());
    assert_eq!(config("# only a comment\n"), Config::default());
}

#[test]
fn defines_as_strings() {
    let config = config("[build]\ndefine = [\"A\", \"B=2=3\", \"C=\"]\n");
    let defines: Vec<(String, Option<String>)> = config
        .build
        .define
        .into_iter()
        .map(|define| (define.value.name, define.value.value))
        .collect();
    assert_eq!(
        defines,
        [
            ("A".into(), None),
            ("B".into(), Some("2=3".into())),
            ("C".into(), Some(String::new()))
        ]
    );
}

#[test]
fn bytes_that_are_no_text_are_an_error_with_their_place() {
    let dir = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("config-utf8");
    std::fs::create_dir_all(&dir).expect("a folder");
    let path = dir.join("cubin.toml");
    std::fs::write(&path, b"[build]\narch = [\"sm_90\"]\nstd = \"\xff\"\n").expect("a file");
    let file = SourceFile::read(&path, "cubin.toml").expect("a file");
    let (config, problems) = Config::parse(&file);
    assert_eq!((config, problems.len()), (Config::default(), 1));
    let shown = cubin_build::diag::render(&problems[0], false);
    assert!(shown.contains("these bytes are not UTF-8"), "{shown}");
    assert!(shown.contains("cubin.toml:3:8"), "{shown}");
}
