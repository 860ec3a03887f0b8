//! `inspect --instructions`: recorded tables, and source lines as nvdisasm has them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use cubin_core::sass::Class;
use cubin_tests::{
    schema,
    tools::{self, same_as_recorded},
};
use serde_json::Value;

use crate::{cubin, scratch};

#[test]
fn tables_of_instructions() {
    let run = cubin(&[
        "inspect",
        "--instructions",
        "cubins/basic-13.5-sm_75.cubin",
        "cubins/basic-13.5-sm_90-rdc.cubin",
        "cubins/basic-11.8-sm_52.cubin",
        "cubins/basic-11.7-sm_35.cubin",
        "cubins/min-13.5-sm_121f.cubin",
        "fatbins/x3.fatbin",
    ])
    .ends_with(0);
    assert_eq!(run.stderr, "");
    same_as_recorded("cli/instructions.txt", &run.stdout);
}

#[test]
fn tables_by_line() {
    let run = cubin(&[
        "inspect",
        "--instructions",
        "--lines",
        "sass/lines-13.5-sm_90.cubin",
        "cubins/min-13.5-sm_90.cubin",
    ])
    .ends_with(0);
    assert_eq!(run.stderr, "");
    same_as_recorded("cli/lines.txt", &run.stdout);
}

#[test]
fn lines_are_of_instructions() {
    let run = cubin(&["inspect", "--lines", "cubins/min-13.5-sm_90.cubin"]).ends_with(2);
    run.says("--instructions");
    let run = cubin(&["inspect", "--instructions", "--text", "cubins/annot.cubin"]).ends_with(2);
    run.says("cannot be used with");
}

#[test]
fn json_has_the_keys_that_are_documented() {
    let documented = schema::documented("Instructions");
    let run = cubin(&[
        "inspect",
        "--json",
        "--instructions",
        "cubins/basic-13.5-sm_90-debug.cubin",
        "cubins/basic-11.8-sm_52.cubin",
        "cubins/basic-11.7-sm_35.cubin",
    ])
    .ends_with(0);
    let mut targets = BTreeSet::new();
    for line in run.stdout.lines() {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let target = line["target"].as_str().expect("a target");
        targets.insert(target.to_owned());
        let Some(counts) = line.get("instructions") else {
            assert_eq!(target, "sm_35", "known to the reader");
            continue;
        };
        let all = &counts["all"];
        let keys = |value: &Value| -> BTreeSet<String> {
            value
                .as_object()
                .expect("an object")
                .keys()
                .cloned()
                .collect()
        };
        let mut found = keys(counts);
        found.append(&mut keys(all));
        assert_eq!(found, documented.keys().cloned().collect());
        assert_eq!(counts["in_loops"].is_null(), target == "sm_52");
        let classes = all["classes"].as_object().expect("classes");
        assert_eq!(classes.len(), Class::ALL.len());
        let executed = Class::ALL.iter().filter(|class| class.executes());
        let sum: u64 = executed
            .map(|class| classes[class.name()].as_u64().expect("a count"))
            .sum();
        assert_eq!(all["total"].as_u64(), Some(sum));
        let of = |store: bool| -> u64 {
            let accesses = all["accesses"].as_array().expect("an array");
            let same = accesses.iter().filter(|access| access["store"] == store);
            same.map(|access| access["count"].as_u64().expect("a count"))
                .sum()
        };
        assert_eq!(classes["load"].as_u64(), Some(of(false)));
        assert_eq!(classes["store"].as_u64(), Some(of(true)));
    }
    assert_eq!(targets.len(), 3);
    // Without the flag the lines are as they were.
    let plain = cubin(&["inspect", "--json", "cubins/annot.cubin"]).ends_with(0);
    assert!(!plain.stdout.contains("\"instructions\""));
}

/// Inlined twice over, in a loop, beside a function that is not inlined, a macro, and a header.
const SOURCE: &str = "\
#include \"inner.h\"
#define TWICE(x) ((x) + (x))
__device__ __forceinline__ float middle(float x) {
    return (float)inner(x) + 3.0f;
}
__device__ __noinline__ float apart(float x, int n) {
    for (int i = 0; i < n; ++i) x = middle(x) / 3.0f;
    return x;
}
extern \"C\" __global__ void outer(float *p, int n) {
    for (int i = 0; i < n; ++i)
        p[i] = middle(p[i]);
    p[n] = TWICE(
        p[n + 1]);
}
extern \"C\" __global__ void second(float *p, int n) {
    p[0] = apart(p[1], n) * sinf(p[2]);
}
template <int N> __global__ void third(double *p) {
    p[0] = inner(inner(p[N]));
}
template __global__ void third<3>(double *);
";
const HEADER: &str = "\
__device__ __forceinline__ double inner(double x) {
    return x * 2.5
        + 1.0;
}
";

/// Instructions by place, as `nvdisasm -gi` prints them: the line, and the calls by which it was inlined.
fn nvdisasm(program: &Path, path: &Path, dir: &Path) -> BTreeMap<String, u64> {
    let text = tools::run(program, &["-c", "-gi", &path.to_string_lossy()], dir);
    let mut found = BTreeMap::new();
    for section in text.split("\t.section\t").skip(1) {
        let (mut place, mut fresh) = ("no line".to_owned(), true);
        let mut instructions: Vec<(String, String)> = Vec::new();
        for line in section.lines().map(str::trim) {
            if let Some(rest) = line.strip_prefix("//## File ") {
                let words: Vec<&str> = rest
                    .split(['"', ' ', ','])
                    .filter(|w| !w.is_empty())
                    .collect();
                let at = |file: usize| format!("{}:{}", words[file], words[file + 2]);
                // `"x.cu", line 3 inlined at "y.cu", line 6`, then one more such line for each further call.
                if fresh {
                    place = at(0);
                }
                fresh = false;
                if words.get(3) == Some(&"inlined") {
                    place.push_str(&format!(", inlined at {}", at(5)));
                }
            } else if let Some((_, rest)) = line.strip_prefix("/*").and_then(|l| l.split_once("*/"))
            {
                instructions.push((place.clone(), rest.trim().to_owned()));
                fresh = true;
            }
        }
        // The branch to itself and what fills the section.
        while instructions
            .pop_if(|(_, text)| text.starts_with("NOP"))
            .is_some()
        {}
        instructions.pop();
        for (place, text) in instructions {
            if !text.starts_with("@!PT") {
                *found.entry(place).or_default() += 1;
            }
        }
    }
    found
}

#[test]
fn lines_are_those_of_nvdisasm() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let program = toolkit.tool("nvdisasm").expect("nvdisasm");
    let dir = scratch("lines");
    fs::write(dir.join("outer.cu"), SOURCE).expect("a writable scratch folder");
    fs::write(dir.join("inner.h"), HEADER).expect("a writable scratch folder");
    for (target, mode) in [
        ("sm_75", "-lineinfo"),
        ("sm_90", "-lineinfo"),
        ("sm_100", "-lineinfo"),
        ("sm_120", "-lineinfo"),
        ("sm_90", "-rdc=true"),
        ("sm_90", "-G"),
    ] {
        let path = dir.join(format!("{target}{mode}.cubin"));
        let name = path.to_string_lossy();
        let arch = format!("-arch={target}");
        let lines = if mode == "-G" { "-G" } else { "-lineinfo" };
        let mut arguments = vec!["-cubin", &arch, lines, "-o", &name, "outer.cu"];
        if mode == "-rdc=true" {
            arguments.push(mode);
        }
        tools::tool(&toolkit, "nvcc", &arguments, &dir);
        let run = cubin(&["inspect", "--instructions", "--lines", &name]).ends_with(0);
        assert_eq!(run.stderr, "");
        let mut ours: BTreeMap<String, u64> = BTreeMap::new();
        for row in run.stdout.lines() {
            let words: Vec<&str> = row.split_whitespace().collect();
            // 15 figures, then the line.
            let Some((figures, place)) = words.split_at_checked(15) else {
                continue;
            };
            let place = place.join(" ");
            if place.starts_with('/') || place == "no line" {
                *ours.entry(place).or_default() += figures[0].parse::<u64>().expect("a count");
            }
        }
        let theirs = nvdisasm(&program, &path, &dir);
        assert!(theirs.len() > 10, "{target} {mode}: {theirs:?}");
        let inlined = theirs.keys().filter(|place| place.contains("inlined at"));
        assert_eq!(
            inlined.count() > 2,
            mode != "-G",
            "{target} {mode}: {theirs:?}"
        );
        assert_eq!(ours, theirs, "{target} {mode}");
    }
}
