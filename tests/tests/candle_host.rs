//! The second half of candle-kernels, which candle compiles into a static library beside its cubins: launchers that Rust
//! calls by the hand-written declarations of `ffi.rs`. Every function gets a declaration from the compiler's own types,
//! all of them link, and a second run compiles nothing. Where a declaration is not the hand-written one is recorded in
//! `golden/candle`.
//!
//! `CUBIN_TEST_CANDLE` chooses sources as in `candle.rs`.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use cubin_build::{builder::Output, diag::codes};
use cubin_tests::{
    candle::{self, Subset},
    tools,
};

struct Built {
    root: PathBuf,
    out: PathBuf,
    subset: Subset,
    output: Output,
}

fn tmp() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

fn built() -> Option<&'static Built> {
    static BUILT: OnceLock<Option<Built>> = OnceLock::new();
    BUILT
        .get_or_init(|| {
            cubin_tests::toolkit()?;
            let root = match candle::fetch(tmp()) {
                Ok(root) => root,
                Err(reason) => {
                    assert!(
                        !cubin_tests::required(),
                        "candle-kernels cannot be downloaded: {reason}"
                    );
                    eprintln!("skipped, candle-kernels cannot be downloaded: {reason}");
                    return None;
                }
            };
            let subset = Subset::chosen();
            let out = tmp().join("candle").join("host");
            let output = candle::host_builder(&root, &out, subset)
                .try_build()
                .unwrap_or_else(|error| panic!("{error}"));
            Some(Built {
                root,
                out,
                subset,
                output,
            })
        })
        .as_ref()
}

/// Parameter types and result of each function that a Rust text declares, `c_void` by its last name.
fn declared(text: &str) -> BTreeMap<String, String> {
    let plain: String = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join(" ");
    let plain = plain.replace("::core::ffi::", "");
    let mut all = BTreeMap::new();
    for part in plain.split("pub fn ").skip(1) {
        let (name, rest) = part.split_once('(').expect("parameters");
        let (params, rest) = rest.split_once(')').expect("an end");
        let result = rest.split(';').next().unwrap_or_default();
        let types = params.split(',').filter_map(|param| {
            let (_, ty) = param.split_once(':')?;
            Some(ty.split_whitespace().collect::<Vec<_>>().join(" "))
        });
        let types: Vec<String> = types.collect();
        let signature = format!("({}){}", types.join(", "), result.trim_end());
        all.insert(name.to_owned(), signature);
    }
    all
}

/// The declarations that were generated.
fn generated(built: &Built) -> BTreeMap<String, String> {
    let text = fs::read_to_string(&built.output.generated).expect("the generated file");
    let start = text.find("/// Host functions of the static library `moe`");
    let block = &text[start.expect("a library")..];
    declared(&block[..block.find("\n}\n").expect("an end")])
}

#[test]
fn every_function_is_declared_as_candle_declares_it_by_hand() {
    let Some(built) = built() else { return };
    let warnings = &built.output.warnings;
    let refused: Vec<&str> = warnings
        .iter()
        .filter(|diag| diag.code == codes::HOST_FUNCTION_REFUSED)
        .map(|diag| &*diag.message)
        .collect();
    assert_eq!(refused, [""; 0]);
    let by_hand = fs::read_to_string(built.root.join("src/ffi.rs")).expect("ffi.rs");
    let by_hand = declared(&by_hand);
    let ours = generated(built);
    let mut text = format!("# functions of ffi.rs: {}, of the sources: ", by_hand.len());
    let same = ours
        .iter()
        .filter(|(name, ty)| by_hand.get(*name) == Some(ty))
        .count();
    writeln!(text, "{}, declared alike: {same}", ours.len()).expect("a string");
    for (name, ty) in &ours {
        match by_hand.get(name) {
            Some(known) if known == ty => {}
            Some(known) => {
                writeln!(text, "{name}\n  compiler: {ty}\n  by hand:  {known}").expect("a string");
            }
            None => writeln!(text, "{name} is not in ffi.rs: {ty}").expect("a string"),
        }
    }
    for name in by_hand.keys().filter(|name| !ours.contains_key(*name)) {
        writeln!(text, "{name} is in ffi.rs alone").expect("a string");
    }
    let name = match built.subset {
        Subset::All => "host-all.txt",
        Subset::Fast => "host-fast.txt",
    };
    tools::same_as_recorded(&format!("candle/{name}"), &text);
}

#[test]
fn all_functions_link_into_a_program() {
    let Some(built) = built() else { return };
    let [library] = &built.output.libraries[..] else {
        panic!("one library: {:?}", built.output.libraries);
    };
    let dir = tmp().join("candle").join("host-program");
    fs::create_dir_all(&dir).expect("a folder");
    let names = generated(built);
    let listed: Vec<String> = names
        .keys()
        .map(|name| format!("kernels::moe::{name} as *const ()"))
        .collect();
    let main = format!(
        "#[allow(dead_code)] mod kernels {{ include!({:?}); }}\nfn main() {{\n    let all = [{}];\n    \
         println!(\"{{}}\", std::hint::black_box(all).iter().filter(|function| !function.is_null()).count());\n}}\n",
        built.output.generated,
        listed.join(", ")
    );
    fs::write(dir.join("main.rs"), main).expect("a source");
    let mut rustc = Command::new("rustc");
    rustc
        .current_dir(&dir)
        .args(["--edition", "2024", "main.rs", "-o", "main"]);
    for line in &library.link {
        match line.split_once('=').expect("a directive") {
            ("rustc-link-search", path) => rustc.args(["-L", path]),
            ("rustc-link-lib", name) => rustc.args(["-l", name]),
            other => panic!("{other:?}"),
        };
    }
    let output = rustc.output().expect("rustc");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let run = Command::new(dir.join("main"))
        .output()
        .expect("the program");
    let printed = String::from_utf8_lossy(&run.stdout).into_owned();
    assert_eq!(printed, format!("{}\n", names.len()));
}

#[test]
fn a_second_run_compiles_no_host_code() {
    let Some(built) = built() else { return };
    let output = candle::host_builder(&built.root, &built.out, built.subset)
        .try_build()
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(output.compiled, 0);
    assert_eq!(output.libraries[0].compiled, 0);
}
