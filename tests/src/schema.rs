//! The JSON schema as the documentation of `cubin_core::json` has it, to be held against what is written.

use std::{collections::BTreeMap, fs};

/// The keys of the table below `heading` (`Facts of a function`), each with the words in backticks of its row: keys of
/// nested objects and fixed strings.
///
/// # Panics
/// When there is no such table.
pub fn documented(heading: &str) -> BTreeMap<String, Vec<String>> {
    let path = crate::workspace().join("cubin-core/src/json.rs");
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut table = BTreeMap::new();
    let rows = text
        .lines()
        .skip_while(|line| line.strip_prefix("//! ## ") != Some(heading))
        .skip(1)
        .take_while(|line| !line.starts_with("//! ## ") && line.starts_with("//!"));
    for row in rows {
        let Some((keys, value)) = row
            .strip_prefix("//! | `")
            .and_then(|row| row.split_once(" | "))
        else {
            continue;
        };
        // Every second part stands between backticks.
        let words: Vec<String> = value
            .split('`')
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .collect();
        for key in keys.split(['`', ',', ' ']).filter(|key| !key.is_empty()) {
            table.insert(key.to_owned(), words.clone());
        }
    }
    assert!(!table.is_empty(), "no table below `{heading}`");
    table
}
