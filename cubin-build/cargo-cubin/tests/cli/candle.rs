//! `diff` of candle-kernels by two toolkits: as Markdown, and each difference as cuobjdump has it.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use cubin_build::{env::Env, toolkit::Toolkit};
use cubin_tests::{candle, tools};
use serde_json::Value;

use crate::{PROGRAM, command, run, scratch};

/// What compiles in some seconds each.
const QUICK: &[&str] = &["affine", "conv", "fill", "sort"];
/// What takes half a minute, by `CUBIN_TEST_CANDLE=fast` or `all`.
const MORE: &[&str] = &["mmvq_gguf", "ternary"];
const TARGET: &str = "sm_90";
const OLDER: &str = "13.0";

/// The root of the older toolkit, installed where it is not there yet.
fn older() -> Option<PathBuf> {
    let output = Command::new(PROGRAM)
        .args(["cubin", "toolkit", "install", OLDER])
        .output()
        .expect("the command starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let place = text.lines().find_map(|line| {
        let (version, root) = line.strip_prefix("CUDA ")?.split_once(" is in ")?;
        version.starts_with(OLDER).then(|| PathBuf::from(root))
    });
    if place.is_none() {
        let why = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!cubin_tests::required(), "CUDA {OLDER}: {why}");
        eprintln!("skipped: CUDA {OLDER} cannot be had: {why}");
    }
    place
}

/// Registers, stack and shared memory by symbol, as cuobjdump prints them of all cubins in `dir`.
fn cuobjdump(toolkit: &Toolkit, dir: &Path, sources: &[&str]) -> BTreeMap<String, [u64; 3]> {
    let mut all = BTreeMap::new();
    for source in sources {
        let file = format!("{source}.cubin");
        let text = tools::tool(toolkit, "cuobjdump", &["-res-usage", &file], dir);
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let Some(symbol) = line.trim().strip_prefix("Function ") else {
                continue;
            };
            let figures = lines.next().expect("figures");
            let figure = |key: &str| {
                let mut words = figures.split_whitespace();
                let text = words.find_map(|word| word.strip_prefix(key));
                text.expect("a figure").parse().expect("a number")
            };
            let shared: u64 = figure("SHARED:");
            // From sm_90 on the system has 1,024 bytes of every block that uses shared memory at all.
            let own = [
                figure("REG:"),
                figure("STACK:"),
                shared.saturating_sub(1024),
            ];
            let symbol = symbol.trim_end_matches(':').to_owned();
            assert!(
                all.insert(symbol, own).is_none(),
                "{source}: a symbol twice"
            );
        }
    }
    all
}

#[test]
fn candle_by_two_toolkits() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let Some(older) = older() else { return };
    let root = match candle::fetch(Path::new(env!("CARGO_TARGET_TMPDIR"))) {
        Ok(root) => root,
        Err(why) => {
            assert!(
                !cubin_tests::required(),
                "candle-kernels cannot be had: {why}"
            );
            eprintln!("skipped: candle-kernels cannot be had: {why}");
            return;
        }
    };
    let more = Env::process().peek(candle::VARIABLE).is_some();
    let mut sources = QUICK.to_vec();
    if more {
        sources.extend(MORE);
    }
    let dir = scratch("candle-diff");
    let arch = format!("-arch={TARGET}");
    for (name, root_of_toolkit) in [("old", &older), ("new", &toolkit.root)] {
        fs::create_dir_all(dir.join(name)).expect("a directory");
        for source in &sources {
            let cubin = dir.join(name).join(format!("{source}.cubin"));
            let cubin = cubin.to_string_lossy();
            let file = format!("{source}.cu");
            let flags = ["-std=c++17", "-O3", "--expt-relaxed-constexpr", &arch];
            let arguments = [&flags[..], &["-cubin", "-o", &cubin, &file]].concat();
            tools::run(
                &root_of_toolkit.join("bin/nvcc"),
                &arguments,
                &root.join("src"),
            );
        }
    }
    let diff = |format: &str| {
        let arguments = ["diff", "--format", format, "old", "new"];
        run(command(&arguments).current_dir(&dir))
            .ends_with(0)
            .stdout
    };
    if toolkit.version.to_string().starts_with("13.5") {
        let golden = if more { "candle-more.md" } else { "candle.md" };
        tools::same_as_recorded(&format!("cli/{golden}"), &diff("markdown"));
    }

    let document: Value = serde_json::from_str(&diff("json")).expect("JSON");
    let rows = document["kernels"].as_array().expect("kernels");
    let before = cuobjdump(&toolkit, &dir.join("old"), &sources);
    let after = cuobjdump(&toolkit, &dir.join("new"), &sources);
    let mut differ = 0;
    for (symbol, new) in &after {
        let old = &before[symbol];
        let row = rows.iter().find(|row| row["symbol"] == **symbol);
        for (at, figure) in ["registers", "stack", "static shared"]
            .into_iter()
            .enumerate()
        {
            let changes = row.map(|row| row["changes"].as_array().expect("changes"));
            let mut changes = changes.into_iter().flatten();
            let told = changes.find(|change| change["figure"] == figure);
            let told = told.map(|told| (told["before"].as_u64(), told["after"].as_u64()));
            let expected = (old[at] != new[at]).then(|| (Some(old[at]), Some(new[at])));
            assert_eq!(told, expected, "{symbol}: {figure}");
            differ += usize::from(told.is_some());
        }
    }
    // Nothing is told of a kernel that is not there, and both sides have the same ones.
    assert_eq!(before.len(), after.len());
    for row in rows {
        let symbol = row["symbol"].as_str().expect("a symbol");
        assert!(after.contains_key(symbol), "{row}");
    }
    println!(
        "{} kernels, {} rows, {differ} differences in registers, stack and shared memory",
        after.len(),
        rows.len()
    );
}
