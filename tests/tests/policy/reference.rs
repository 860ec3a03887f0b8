//! The reference of cubin.toml in the documentation of `cubin_build::config`: made of the tables that read the file.

use std::path::Path;

use cubin_build::{
    config::{Config, Doc, TableDoc, documented},
    source::SourceFile,
};

use crate::support::{config, golden_at, pictures};

const FILE: &str = "../cubin-build/src/config/reference.md";

/// The keys that a table has for itself: a `[[rule]]` also has those of `[defaults]`.
fn own_keys<'t>(table: &'t TableDoc, all: &[TableDoc]) -> Vec<&'t (&'static str, Doc)> {
    let shared = all.iter().find(|other| other.title == "[defaults]");
    let shared = shared.filter(|_| table.title == "[[rule]]");
    let is_own = |key: &&(&str, Doc)| !shared.is_some_and(|shared| shared.keys.contains(key));
    table.keys.iter().filter(is_own).collect()
}

fn written() -> String {
    let mut text = String::from(
        "# Every key\n\nA key that is not listed here is an error, so that a misspelt budget never checks nothing.\n",
    );
    let all = documented();
    for table in &all {
        let keys = own_keys(table, &all);
        text.push_str(&format!("\n## `{}`\n\n{}", table.title, table.meaning));
        if keys.len() < table.keys.len() {
            text.push_str(" It may have every key of `[defaults]` as well.");
        }
        text.push_str("\n\n| key | value | default | meaning |\n|---|---|---|---|\n");
        for (name, doc) in &keys {
            text.push_str(&format!(
                "| `{name}` | {} | {} | {} |\n",
                doc.value, doc.default, doc.meaning
            ));
        }
        text.push_str(&format!("\n```toml\n{}\n", table.title));
        for (_, doc) in &keys {
            text.push_str(&format!("{}\n", doc.example));
        }
        if keys.len() < table.keys.len() {
            // A rule without a budget would say nothing.
            text.push_str("registers = 168\nreason = \"wgmma accumulators\"\n");
        }
        text.push_str("```\n");
    }
    text
}

#[test]
fn the_reference_is_what_the_tables_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    golden_at(&path, &written());
}

#[test]
fn every_key_is_explained() {
    for table in documented() {
        assert!(table.meaning.ends_with('.'), "{}", table.title);
        for (name, doc) in &table.keys {
            let place = format!("`{name}` in {}", table.title);
            let example = doc.example.strip_prefix(&format!("{name} = "));
            assert!(example.is_some(), "the example of {place} sets another key");
            assert!(doc.meaning.ends_with('.'), "{place}");
            assert!(!doc.value.is_empty() && !doc.default.is_empty(), "{place}");
            let cell = format!("{}{}{}", doc.value, doc.default, doc.meaning);
            assert!(!cell.contains(['|', '\n']), "{place} breaks its table");
        }
    }
}

/// Each example alone, and all of them as one file.
#[test]
fn every_example_is_understood() {
    let text = written();
    let mut whole = String::new();
    let mut examples = 0;
    for block in text.split("```toml\n").skip(1) {
        let (example, _) = block.split_once("```").expect("the block ends");
        config(example);
        whole.push_str(example);
        examples += 1;
    }
    assert_eq!(examples, documented().len());
    let read = config(&whole);
    assert!(read.build.ptx.is_some() && read.rules.len() == 1 && read.kernels.len() == 1);
}

/// A key is read by the line that explains it: without its line in the table it would be unknown.
#[test]
fn every_key_is_read_where_it_is_explained() {
    for table in documented() {
        for (name, doc) in &table.keys {
            let text = format!("{}\n{}\n", table.title, doc.example);
            let file = SourceFile::new("cubin.toml", text);
            let (_, problems) = Config::parse(&file);
            let unknown = problems.iter().find(|diag| diag.code.0 == "unknown-key");
            assert!(unknown.is_none(), "{name}: {}", pictures(&problems));
        }
    }
}

/// What is shown of cubin.toml elsewhere; blocks for Cargo.toml and .cargo/config.toml are cargo's affair.
#[test]
fn every_example_of_readme_and_documentation_is_understood() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (file, least) in [
        ("README.md", 4),
        ("cubin-build/src/lib.rs", 1),
        ("cubin-build/src/guide/start.md", 1),
        ("cubin-build/src/guide/targets.md", 4),
        ("cubin-build/src/guide/policy.md", 8),
        ("cubin-build/src/guide/fleets.md", 2),
    ] {
        let text = std::fs::read_to_string(root.join(file)).expect("a file of the repository");
        let lines = text
            .lines()
            .map(|line| line.strip_prefix("//!").unwrap_or(line));
        let text: String = lines
            .map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line)))
            .collect();
        let mut shown = 0;
        for block in text.split("```toml\n").skip(1) {
            let (example, _) = block.split_once("```").expect("the block ends");
            let of_cargo = example.contains("dependencies]\n")
                || example.starts_with("# .cargo/config.toml\n");
            if !of_cargo {
                config(example);
                shown += 1;
            }
        }
        assert!(shown >= least, "{file} shows {shown}");
    }
}
