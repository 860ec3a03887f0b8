//! The text view of every recorded cubin, compared with what is checked in. `BLESS=1` rewrites the recordings.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::PathBuf,
};

use cubin_core::{Cubin, Params, Stack, text};
use cubin_tests::schema;
use serde_json::{Value, json};

fn golden(directory: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("golden")
        .join(directory)
}

/// The recorded cubins, by name.
fn cubins() -> Vec<(String, Vec<u8>)> {
    let mut cubins: Vec<_> = fs::read_dir(golden("cubins"))
        .expect("the recorded cubins")
        .map(|entry| entry.expect("an entry").path())
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy().into();
            (name, fs::read(&path).expect("a cubin"))
        })
        .collect();
    cubins.sort();
    cubins
}

#[test]
fn the_text_view_says_what_is_recorded() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (name, data) in cubins() {
        let mut now = String::new();
        let cubin = Cubin::parse(&data).unwrap_or_else(|error| panic!("{name}: {error}"));
        text::write(&cubin, &mut now).expect("a string takes everything");
        let path = golden("text").join(format!("{name}.txt"));
        if bless {
            fs::create_dir_all(golden("text")).expect("a directory");
            fs::write(&path, &now).expect("a recording");
        }
        let before = fs::read_to_string(&path).unwrap_or_default();
        if let Some(line) = first_difference(&before, &now) {
            wrong.push(format!("{name}: line {line}"));
        }
        // A valid file has nothing that cannot be read.
        assert!(!now.contains("\n  ! "), "{name} has an unreadable part");
        seen += 1;
    }
    assert!(seen >= 50, "only {seen} recorded cubins found");
    assert!(
        wrong.is_empty(),
        "the text view changed; look at it, then run again with BLESS=1:\n{}",
        wrong.join("\n")
    );
}

fn first_difference(before: &str, now: &str) -> Option<usize> {
    if before == now {
        return None;
    }
    let same = before
        .lines()
        .zip(now.lines())
        .take_while(|(before, now)| before == now)
        .count();
    Some(same + 1)
}

/// What `cuobjdump` 13.5 (`-res-usage` and `-elf`) printed of every function of the recorded cubins that it reads.
fn oracle() -> Vec<Value> {
    let path = golden("corpus").join("fixtures.jsonl");
    fs::read_to_string(path)
        .expect("the recorded answers")
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// `0x100 0x1 0x1` as the tool prints it.
fn hex(words: &[u32]) -> Value {
    let words: Vec<_> = words.iter().map(|word| format!("{word:#x}")).collect();
    words.join(" ").into()
}

#[test]
fn recorded_cubins_equal_what_cuobjdump_prints() {
    let oracle = oracle();
    let mut compared = 0;
    for (name, data) in cubins() {
        let file = format!("{name}.cubin");
        let mut theirs = oracle.iter().filter(|line| line["file"] == file).peekable();
        if theirs.peek().is_none() {
            continue;
        }
        let cubin = Cubin::parse(&data).expect("a cubin");
        let functions = cubin.functions().expect("functions");
        let figures = cubin.cuobjdump(&functions).expect("figures");
        for (function, raw) in functions.iter().zip(figures) {
            let at = format!("{file}: {}", function.symbol);
            // The tool prints the functions in the same order.
            let theirs = theirs.next().unwrap_or_else(|| panic!("{at}: not printed"));
            let banks = &function.resources.constant;
            assert_eq!(theirs["fn"], function.symbol, "{at}");
            assert_eq!(theirs["reg"], raw.reg, "{at}");
            assert_eq!(theirs["stack"], json!(raw.stack), "{at}");
            assert_eq!(theirs["shared"], raw.shared, "{at}");
            assert_eq!(theirs["local"], raw.local, "{at}");
            let constant = theirs["const"].as_object().expect("banks");
            assert_eq!(constant.len(), banks.len(), "{at}");
            for (bank, bytes) in banks {
                assert_eq!(constant[&bank.to_string()], *bytes, "{at}: bank {bank}");
            }
            if let Some(frame) = theirs.get("frame") {
                assert_eq!(*frame, json!(function.resources.frame), "{at}");
            }
            if let Params::Recorded { base, size, params } = &function.params {
                let params: Vec<_> = params
                    .iter()
                    .map(|param| json!([param.ordinal, param.offset, param.size]))
                    .collect();
                assert_eq!(theirs["params"], Value::from(params), "{at}");
                if let Some(bank) = theirs.get("cbank").and_then(Value::as_str) {
                    let (_, place) = bank.split_once(' ').expect("symbol and place");
                    assert_eq!(place, format!("{:#x}", (size << 16) | base), "{at}");
                }
            }
            let launch = &function.launch;
            let bounds = |key: &str| theirs.get(key).cloned();
            assert_eq!(
                bounds("maxntid"),
                launch.max_threads.map(|b| hex(&b)),
                "{at}"
            );
            assert_eq!(
                bounds("reqntid"),
                launch.required_threads.map(|b| hex(&b)),
                "{at}"
            );
            let cap = bounds("maxreg").filter(|cap| cap != "0xff");
            assert_eq!(cap, launch.max_registers.map(|cap| hex(&[cap])), "{at}");
            if let Some(barriers) = bounds("nbar") {
                let ours = function.resources.barriers.expect("barriers");
                assert_eq!(barriers, hex(&[ours.into()]), "{at}");
            }
            compared += 1;
        }
        assert!(theirs.next().is_none(), "{file}: functions missing");
    }
    assert_eq!(compared, oracle.len());
}

/// Facts of single fixtures that cuobjdump does not print, or prints otherwise.
#[test]
fn what_cuobjdump_does_not_say() {
    let cubins = cubins();
    let data = |name: &str| {
        let found = cubins.iter().find(|(file, _)| file == name);
        &found.unwrap_or_else(|| panic!("{name}")).1
    };
    for (name, target, toolkit) in [
        ("min-12.8-sm_100a", "sm_100a", (12, 8)),
        ("min-12.9-sm_100f", "sm_100f", (12, 9)),
        ("min-12.9-sm_100", "sm_100", (12, 9)),
        ("min-13.0-sm_90a", "sm_90a", (13, 0)),
        ("min-13.4-sm_107f", "sm_107f", (13, 4)),
        ("min-13.5-sm_121f", "sm_121f", (13, 5)),
        ("basic-13.5-sm_121a", "sm_121a", (13, 5)),
        ("basic-11.7-sm_35", "sm_35", (11, 7)),
        ("h90a-13.5", "sm_90a", (13, 5)),
        ("nvl-12.4-90", "sm_90", (12, 4)),
        ("m32-11.8-sm_52", "sm_52", (11, 8)),
    ] {
        let cubin = Cubin::parse(data(name)).expect("a cubin");
        assert_eq!(
            cubin.target().expect("a target").to_string(),
            target,
            "{name}"
        );
        assert_eq!(cubin.toolkit().expect("a toolkit"), Some(toolkit), "{name}");
    }

    // Two MIN_STACK_SIZE records that disagree: the tool takes the last, 0; the larger is true.
    let cubin = Cubin::parse(data("basic-12.4-sm_75")).expect("a cubin");
    let functions = cubin.functions().expect("functions");
    let indirect = functions
        .iter()
        .position(|f| f.symbol == "_Z8indirectPii")
        .expect("a kernel");
    let figures = cubin.cuobjdump(&functions).expect("figures");
    assert_eq!(figures[indirect].stack, Some(0));
    assert_eq!(functions[indirect].resources.stack, Stack::Known(104));

    // Relocatable: the stack is not final, and a device function's registers are in its record only.
    let cubin = Cubin::parse(data("basic-13.5-sm_90-rdc")).expect("a cubin");
    let functions = cubin.functions().expect("functions");
    assert!(
        functions
            .iter()
            .all(|f| f.resources.stack == Stack::NotLinked)
    );
    let device = functions
        .iter()
        .position(|f| !f.kernel)
        .expect("a device function");
    let figures = cubin.cuobjdump(&functions).expect("figures");
    assert_eq!(figures[device].reg, 0);
    assert_ne!(functions[device].resources.registers, 0);
    let printing = functions
        .iter()
        .find(|f| f.symbol == "_Z3prki")
        .expect("a kernel");
    assert_eq!(cubin.externs(printing).expect("externs"), ["vprintf"]);
    let recursive = cubin_core::callgraph::recursive(cubin.elf()).expect("a call graph");
    let mut names: Vec<_> = functions
        .iter()
        .filter(|f| recursive.contains(&f.symbol_index))
        .map(|f| f.symbol)
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["_Z5recuri", "_Z9recursionPi"]);

    // Texture references count per function; code since CUDA 12 has none.
    let cubin = Cubin::parse(data("legacy-11.8")).expect("a cubin");
    let functions = cubin.functions().expect("functions");
    let references = cubin.references(&functions).expect("references");
    assert_eq!(
        (
            references[0].textures,
            references[0].surfaces,
            references[0].samplers
        ),
        (1, 1, 1)
    );
}

/// The object has exactly the documented keys, and objects in it only keys that their row names.
fn has_keys<'k>(
    object: &Value,
    tables: &[&BTreeMap<String, Vec<String>>],
    also: impl IntoIterator<Item = &'k str>,
) {
    let object = object.as_object().expect("an object");
    let written: BTreeSet<&str> = object.keys().map(String::as_str).collect();
    let mut documented: BTreeSet<&str> = also.into_iter().collect();
    documented.extend(
        tables
            .iter()
            .flat_map(|table| table.keys())
            .map(String::as_str),
    );
    assert_eq!(written, documented);
    for (key, value) in object {
        let Some(words) = tables.iter().find_map(|table| table.get(key)) else {
            continue;
        };
        let items = value
            .as_array()
            .map_or(std::slice::from_ref(value), |all| all);
        for nested in items.iter().filter_map(Value::as_object) {
            // Numbers of constant banks and labels of sizes are data.
            let names = nested
                .keys()
                .filter(|name| !words.is_empty() && name.parse::<u8>().is_err());
            for name in names.filter(|_| key != "sizes" && key != "functions") {
                assert!(
                    words.contains(name),
                    "`{name}` of `{key}` is not documented"
                );
            }
        }
    }
}

#[test]
fn the_json_view_is_json_and_says_the_same() {
    let file = schema::documented("A whole cubin");
    let facts = schema::documented("Facts of a function");
    for (name, data) in cubins() {
        let cubin = Cubin::parse(&data).expect("a cubin");
        let mut view = String::new();
        cubin_core::json::write(&cubin, &mut view).expect("a string takes everything");
        assert!(!view.contains('\n'), "{name}: one line");
        let view: Value = serde_json::from_str(&view).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(view["schema"], cubin_core::json::SCHEMA);
        assert_eq!(view["bytes"], data.len());
        let target = cubin.target().expect("a target").to_string();
        assert_eq!(view["target"], target);
        has_keys(&view, &[&file], []);
        let labels = view["sizes"].as_object().expect("sizes");
        let sum: u64 = labels.values().filter_map(Value::as_u64).sum();
        assert_eq!(sum, data.len() as u64, "{name}");
        let functions = cubin.functions().expect("functions");
        let shown = view["functions"].as_array().expect("functions");
        assert_eq!(shown.len(), functions.len(), "{name}");
        let figures = cubin.cuobjdump(&functions).expect("figures");
        for ((shown, function), figures) in shown.iter().zip(&functions).zip(figures) {
            has_keys(shown, &[&facts], ["section", "cuobjdump"]);
            let resources = &function.resources;
            assert_eq!(shown["function"], function.symbol);
            assert_eq!(shown["target"], target);
            assert_eq!(shown["kernel"], function.kernel);
            assert_eq!(shown["registers"], resources.registers);
            let status = match resources.stack {
                Stack::Known(_) => "known",
                Stack::Unbounded => "unbounded",
                Stack::NotLinked => "not-linked",
                Stack::NotRecorded => "not-recorded",
            };
            assert_eq!(shown["stack"], json!(resources.stack.bytes()));
            assert_eq!(shown["stack_status"], status);
            let externs = cubin.externs(function).expect("externs");
            assert_eq!(shown["externs"], json!(externs));
            let spills = cubin.spills(function).expect("spills").map(|spills| {
                json!({"stores": spills.store_bytes, "loads": spills.load_bytes, "source": "cubin"})
            });
            assert_eq!(shown["spill_bytes"], json!(spills));
            let launch = &function.launch;
            assert_eq!(shown["required_threads"], json!(launch.required_threads));
            assert_eq!(shown["cluster"], json!(launch.cluster));
            assert_eq!(shown["dynamic_shared"], json!(resources.dynamic_shared));
            assert_eq!(shown["static_shared"], resources.static_shared);
            assert_eq!(shown["cuobjdump"]["shared"], figures.shared);
            let params = match &function.params {
                // A device function with records has no parameters.
                Params::NotRecorded => json!(function.attributes.map(|_| 0)),
                Params::Recorded { params, .. } => params.len().into(),
            };
            assert_eq!(json!(shown["params"].as_array().map(Vec::len)), params);
        }
    }
}
