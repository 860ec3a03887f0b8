//! PTX of real packages, each text assembled by ptxas: parameters by their `.entry` against KPARAM_INFO.
//!
//! `CUBIN_TEST_PTX=all` does that, with the wheels of `golden/corpus/packages.tsv`; with `BLESS=1` it also records one
//! kernel of each form in `golden/typed_ptx.tsv`, which every test run holds the reader to.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use cubin_build::{
    env::Env,
    ptx,
    signature::{
        model::{Kernel, Type},
        typed::{self, Typed},
    },
};
use cubin_core::{Cubin, Function, Param, Params, Sm, consts::EntryKind, host};
use cubin_tests::{tools, wheels};

/// Longer texts take ptxas minutes.
const LONGEST: usize = 1 << 20;
/// Longer heads of kernels are not recorded.
const LONGEST_HEAD: usize = 1200;

fn recorded() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/typed_ptx.tsv")
}

fn says(variable: &str, word: &str) -> bool {
    Env::process()
        .peek(variable)
        .is_some_and(|value| value == word)
}

/// Every text of PTX in the wheels, by what it is called in messages.
fn texts(store: &Path) -> Result<Vec<(String, Sm, Vec<u8>)>, String> {
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/corpus/packages.tsv");
    let packages: BTreeMap<_, _> = wheels::unpack(store, &list)?.into_iter().collect();
    let mut found: Vec<(String, Sm, Vec<u8>)> = Vec::new();
    for (package, root) in packages {
        let mut folders = vec![root];
        while let Some(folder) = folders.pop() {
            let mut entries: Vec<_> = fs::read_dir(&folder)
                .expect("a folder")
                .map(|entry| entry.expect("an entry").path())
                .collect();
            entries.sort();
            for path in entries {
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let bytes = fs::read(&path).expect("a file");
                for code in host::device_code(&bytes).flatten() {
                    let host::Code::Entry(entry) = &code.code else {
                        continue;
                    };
                    if entry.kind != EntryKind::PTX {
                        continue;
                    }
                    let (Ok(image), Some(target)) = (entry.image(), entry.target()) else {
                        continue;
                    };
                    let end = image.iter().rposition(|byte| *byte != 0);
                    let text = image[..end.map_or(0, |at| at + 1)].to_vec();
                    // Targets and host files repeat the same text.
                    if text.len() <= LONGEST && found.iter().all(|(.., known)| *known != text) {
                        found.push((package.clone(), target, text));
                    }
                }
            }
        }
    }
    Ok(found)
}

fn typed(entries: &[ptx::Entry], functions: &[Function<'_>], target: Sm) -> Typed {
    let text = typed::Text::new(entries, Path::new("t.ptx"));
    typed::from_ptx(text, functions, target, |_| None)
}

/// A kernel's parameters in one line.
fn types(kernel: &Kernel) -> String {
    let params = kernel.params.iter();
    let types: Vec<String> = params
        .map(|param| format!("{} {} {}", param.size, param.align, param.c_type))
        .collect();
    types.join("; ")
}

/// From `.entry` to the parenthesis that closes the list, with single spaces.
fn heads(text: &str) -> BTreeMap<String, String> {
    let mut heads = BTreeMap::new();
    for part in text.split(".entry ").skip(1) {
        let Some((name, rest)) = part.split_once('(') else {
            continue;
        };
        let Some((params, _)) = rest.split_once(')') else {
            continue;
        };
        let words: Vec<&str> = params.split_whitespace().collect();
        let head = format!(".entry {}({})", name.trim(), words.join(" "));
        heads.insert(name.trim().to_owned(), head);
    }
    heads
}

/// A line of the record.
fn line(
    package: &str,
    target: Sm,
    head: &str,
    function: &Function<'_>,
) -> Option<(String, String)> {
    let Params::Recorded { base, params, .. } = &function.params else {
        return None;
    };
    let places: Vec<String> = params
        .iter()
        .map(|param| format!("{}:{}", param.offset, param.size))
        .collect();
    let entries = ptx::entries(format!("{head} {{ ret; }}").as_bytes()).expect("a head");
    let found = typed(&entries, std::slice::from_ref(function), target);
    let types = types(found.signatures.kernels.first()?);
    let line = format!(
        "{package}\t{target}\t{base}\t{}\t{types}\t{head}",
        places.join(" ")
    );
    Some((types, line))
}

#[test]
fn kernels_of_real_packages_have_the_parameters_of_their_cubins() {
    if !says("CUBIN_TEST_PTX", "all") {
        eprintln!("not run: CUBIN_TEST_PTX=all assembles the PTX of real packages");
        return;
    }
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let store = Path::new(env!("CARGO_TARGET_TMPDIR")).join("corpus");
    fs::create_dir_all(&store).expect("a scratch folder");
    let texts =
        texts(&store).unwrap_or_else(|error| panic!("the wheels cannot be fetched: {error}"));
    let scratch = tools::scratch(env!("CARGO_TARGET_TMPDIR"), "typed-ptx-corpus");
    let ptxas = toolkit.tool("ptxas").expect("ptxas");
    let (mut kernels, mut params, mut pointers, mut bytes) = (0, 0, 0, 0);
    let mut wrong: Vec<String> = Vec::new();
    let mut lines = String::new();
    let mut forms = BTreeSet::new();
    for (index, (package, target, text)) in texts.iter().enumerate() {
        let what = format!("{package}, {target}, text {index}");
        let entries =
            ptx::entries(text.as_slice()).unwrap_or_else(|error| panic!("{what}: {error}"));
        if entries.is_empty() {
            continue;
        }
        let (source, cubin) = (scratch.join("t.ptx"), scratch.join("t.cubin"));
        fs::write(&source, text).expect("a scratch file");
        let target = (*target).max(Sm::new(75));
        // What is compared needs no optimisation.
        let output = Command::new(&ptxas)
            .args([&format!("-arch={target}"), "-O0", "-c", "-o"])
            .args([&cubin, &source])
            .output()
            .expect("ptxas runs");
        assert!(
            output.status.success(),
            "{what}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let data = fs::read(&cubin).expect("a cubin");
        let cubin = Cubin::parse(&data).expect("a cubin");
        let functions = cubin.functions().expect("functions");
        let found = typed(&entries, &functions, target);
        wrong.extend(
            found
                .findings
                .iter()
                .map(|finding| format!("{what}: {} {}", finding.kernel, finding.problem)),
        );
        let recorded: Vec<_> = functions
            .iter()
            .filter(|function| function.kernel)
            .collect();
        if found.signatures.kernels.len() != recorded.len() {
            wrong.push(format!("{what}: {} kernels in the cubin", recorded.len()));
        }
        for kernel in &found.signatures.kernels {
            kernels += 1;
            params += kernel.params.len();
            let of = |like: fn(&Type) -> bool| {
                kernel.params.iter().filter(|param| like(&param.ty)).count()
            };
            pointers += of(|ty| matches!(ty, Type::Pointer(_)));
            bytes += of(|ty| matches!(ty, Type::Record(_) | Type::Array(..)));
            if let Some(refusal) = &kernel.refusal {
                wrong.push(format!("{what}: {}: {}", kernel.name, refusal.reason));
            }
        }
        let heads = heads(&String::from_utf8_lossy(text));
        for function in recorded {
            let head = &heads[function.symbol];
            let found = line(package, target, head, function);
            if let Some((form, line)) = found
                && head.len() <= LONGEST_HEAD
                && forms.insert(form)
            {
                lines.push_str(&line);
                lines.push('\n');
            }
        }
    }
    println!(
        "{} texts: {kernels} kernels with {params} parameters, of these {pointers} pointers, {bytes} records and arrays",
        texts.len(),
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(kernels >= 200, "only {kernels} kernels");
    if says("BLESS", "1") {
        fs::write(recorded(), lines).expect("the record");
    }
}

#[test]
fn recorded_kernels_of_real_packages_are_read_as_then() {
    let text = fs::read_to_string(recorded()).expect("the record");
    let mut count = 0;
    for row in text.lines() {
        let columns: Vec<&str> = row.split('\t').collect();
        let [package, target, base, places, types_then, head] = columns.as_slice() else {
            panic!("{row}");
        };
        let target: Sm = target.parse().expect("a target");
        let entries = ptx::entries(format!("{head} {{ ret; }}").as_bytes()).expect("a head");
        let mut function = Function::default();
        function.symbol = &entries[0].symbol;
        function.kernel = true;
        let params = places
            .split(' ')
            .enumerate()
            .filter(|(_, place)| !place.is_empty());
        function.params = Params::Recorded {
            base: base.parse().expect("a base"),
            size: 0,
            params: params
                .map(|(ordinal, place)| {
                    let (offset, size) = place.split_once(':').expect("offset and size");
                    Param::new(
                        ordinal as u16,
                        offset.parse().expect("an offset"),
                        size.parse().expect("a size"),
                    )
                })
                .collect(),
        };
        let found = typed(&entries, std::slice::from_ref(&function), target);
        assert!(
            found.findings.is_empty(),
            "{package}: {head}: {:?}",
            found.findings
        );
        let kernel = &found.signatures.kernels[0];
        assert_eq!(types(kernel), *types_then, "{package}: {head}");
        assert!(kernel.refusal.is_none(), "{package}: {head}");
        count += 1;
    }
    assert!(count >= 50, "only {count} kernels are recorded");
}
