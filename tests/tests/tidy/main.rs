//! House rules as a test: which file may name what, and how long it may be. The layers stand in ARCHITECTURE.md.

mod circles;

use std::{
    fs,
    path::{Path, PathBuf},
};

/// (text, the only files that may contain it), paths from the workspace root.
const ONLY_IN: &[(&str, &[&str])] = &[
    ("goblin::", &["cubin-core/src/elf/raw.rs"]),
    ("annotate_snippets", &["cubin-build/src/diag/render.rs"]),
    ("println!(\"cargo", &["cubin-build/src/cargo.rs"]),
    ("std::env::var", &["cubin-build/src/env.rs"]),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the tests lie in the workspace")
        .to_owned()
}

fn sources(dir: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut pending = vec![dir.to_owned()];
    while let Some(dir) = pending.pop() {
        for entry in fs::read_dir(&dir).expect("a source directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path
                    .strip_prefix(root())
                    .expect("below the root")
                    .to_string_lossy()
                    .replace('\\', "/");
                found.push((name, fs::read_to_string(&path).expect("a source file")));
            }
        }
    }
    found.sort();
    found
}

/// The layers of a crate, lowest first, as ARCHITECTURE.md lists them: `crate:` at the start of a line, its layers below,
/// indented; a module may name those of its own layer and below.
fn layers(krate: &str) -> Vec<Vec<String>> {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the page");
    let mut lines = page.lines();
    let header = format!("{krate}:");
    lines
        .find(|line| *line == header)
        .unwrap_or_else(|| panic!("ARCHITECTURE.md lists no layers of {krate}"));
    lines
        .take_while(|line| line.starts_with("  "))
        .map(|line| line.split_whitespace().map(str::to_owned).collect())
        .collect()
}

fn rank(layers: &[Vec<String>], module: &str) -> Option<usize> {
    layers
        .iter()
        .position(|layer| layer.iter().any(|known| known == module))
}

/// The first path segments that follow `crate::` in code lines, `{a, b::c}` groups included.
fn named_modules(text: &str) -> Vec<String> {
    let code: String = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n");
    let mut names = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        if code[..at]
            .ends_with(|before: char| before.is_alphanumeric() || before == '_' || before == '$')
        {
            continue;
        }
        let rest = &code[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(group) => names.extend(group_items(group).iter().map(|item| leading_name(item))),
            None => names.push(leading_name(rest)),
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// The comma-separated items up to the brace that closes the group.
fn group_items(group: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    let mut depth = 0_usize;
    for letter in group.chars() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => items.push(String::new()),
            _ => {}
        }
        if let Some(item) = items.last_mut().filter(|_| letter != ',' || depth > 0) {
            item.push(letter);
        }
    }
    items
}

fn leading_name(path: &str) -> String {
    path.trim_start()
        .chars()
        .take_while(|letter| letter.is_alphanumeric() || *letter == '_')
        .collect()
}

fn check_layers(krate: &str) {
    let layers = layers(krate);
    let prefix = format!("{krate}/src/");
    let mut wrong = Vec::new();
    for (file, text) in sources(&root().join(&prefix)) {
        let inside = &file[prefix.len()..];
        let module = inside.split(['/', '.']).next().unwrap_or_default();
        if module == "lib" {
            continue;
        }
        let Some(own) = rank(&layers, module) else {
            wrong.push(format!(
                "{file}: `{module}` stands in no layer of ARCHITECTURE.md"
            ));
            continue;
        };
        // Tests at the end of a file may reach anywhere.
        let code = text
            .split("#[cfg(test)]\nmod tests")
            .next()
            .unwrap_or_default();
        for name in named_modules(code) {
            if rank(&layers, &name).is_some_and(|other| other > own) {
                wrong.push(format!(
                    "{file} names `crate::{name}`, which stands above `{module}`"
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "layers of {krate} are violated:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn files_form_no_circles() {
    let mut wrong = Vec::new();
    for krate in ["cubin-core", "cubin-build", "cubin-build/cargo-cubin"] {
        let prefix = format!("{krate}/src/");
        let files: Vec<(String, String)> = sources(&root().join(&prefix))
            .into_iter()
            .map(|(file, text)| (file[prefix.len()..].to_owned(), text))
            .collect();
        for circle in circles::circles(&files) {
            wrong.push(format!("{krate}: {}", circle.join(", ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn core_layers_hold() {
    check_layers("cubin-core");
}

#[test]
fn build_layers_hold() {
    check_layers("cubin-build");
}

#[test]
fn each_library_is_named_in_one_place() {
    let mut wrong = Vec::new();
    for krate in ["cubin-core", "cubin-build"] {
        for (file, text) in sources(&root().join(krate).join("src")) {
            for (needle, allowed) in ONLY_IN {
                let named = text.lines().any(|line| {
                    let code = line.trim_start();
                    !code.starts_with("//") && code.contains(needle)
                });
                if named && !allowed.contains(&file.as_str()) {
                    wrong.push(format!(
                        "{file} contains `{needle}`, which belongs to {allowed:?}"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The compiler holds each file to what its crate's root says; what may say otherwise is named here.
#[test]
fn unsafe_code_stands_where_it_is_explained() {
    const EXCEPTIONS: &[&str] = &["cubin-build/cargo-cubin/src/files.rs"];
    let mut wrong = Vec::new();
    for (file, rule) in [
        ("cubin-core/src/lib.rs", "#![forbid(unsafe_code)]"),
        ("cubin-build/src/lib.rs", "#![forbid(unsafe_code)]"),
        (
            "cubin-build/cargo-cubin/src/lib.rs",
            "#![deny(unsafe_code)]",
        ),
    ] {
        let text = fs::read_to_string(root().join(file)).expect("a crate's root");
        if !text.lines().any(|line| line == rule) {
            wrong.push(format!("{file} does not say {rule}"));
        }
    }
    for (file, text) in sources(&root().join("cubin-build/cargo-cubin/src")) {
        if text.contains("allow(unsafe_code)") && !EXCEPTIONS.contains(&file.as_str()) {
            wrong.push(format!("{file} allows unsafe code"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn booleans_are_asked_by_if() {
    let mut wrong = Vec::new();
    for krate in ["cubin-core", "cubin-build"] {
        for (file, text) in sources(&root().join(krate)) {
            let mut lines = text.lines().map(str::trim_start);
            if !file.contains("/target/") && lines.any(|line| line.starts_with("true => ")) {
                wrong.push(file);
            }
        }
    }
    assert!(wrong.is_empty(), "`match` on a boolean: {wrong:?}");
}

/// Recorded files are not written by hand.
#[test]
fn no_file_is_a_burden() {
    const MOST: usize = 650;
    let folders = [
        "cubin-core",
        "cubin-build",
        "examples",
        "tests/src",
        "tests/tests",
        "tests/benches",
        "tests/fake_driver",
    ];
    let long: Vec<String> = folders
        .iter()
        .flat_map(|folder| sources(&root().join(folder)))
        .filter(|(file, _)| !file.contains("/target/"))
        .map(|(file, text)| (file, text.lines().count()))
        .filter(|(_, lines)| *lines > MOST)
        .map(|(file, lines)| format!("{file}: {lines} lines"))
        .collect();
    assert!(
        long.is_empty(),
        "more than {MOST} lines; split along a natural seam: {long:#?}"
    );
}

#[test]
fn the_reader_of_crate_paths_sees_groups() {
    let text = "use crate::{a, b::{c, d}, e as f};\nfn x() { crate::g::h(); mycrate::no(); }";
    assert_eq!(named_modules(text), ["a", "b", "e", "g"]);
}

/// Each test that `tests/CASES.md` names is there.
#[test]
fn inputs_of_users_have_their_tests() {
    let tests = root().join("tests");
    let page = fs::read_to_string(tests.join("CASES.md")).expect("a page");
    let rows = page.lines().filter(|line| line.starts_with("| ")).skip(1);
    let mut named = 0;
    for row in rows {
        let in_row = row.split('`').filter(|word| word.contains(".rs::"));
        let mut of_row = 0;
        for test in in_row {
            let (file, function) = test.split_once("::").expect("a test");
            let path = tests.join("tests").join(file);
            let path = match file.strip_prefix("../") {
                Some(elsewhere) => root().join(elsewhere),
                None => path,
            };
            let text = fs::read_to_string(&path)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let test = format!("\nfn {function}() {{");
            let (before, _) = text
                .split_once(&test)
                .unwrap_or_else(|| panic!("{file} has no {function}"));
            let attributes = before.rsplit("\n\n").next().unwrap_or_default();
            assert!(attributes.contains("#[test]"), "{file}: {function}");
            of_row += 1;
        }
        assert!(of_row > 0, "no test: {row}");
        named += of_row;
    }
    assert!(named >= 25, "{named}");
}
