//! Names of generated modules, and of the files beside the generated one.

use std::path::{Component, Path};

use crate::sorted::Map;

/// The name of a module's files, without target: cubins of two builders of one build script lie side by side.
pub(super) fn file_stem(out_file: &str, module: &str) -> String {
    match out_file.strip_suffix(".rs") {
        Some("kernels") => module.to_owned(),
        other => format!("{}.{module}", other.unwrap_or(out_file)),
    }
}

/// A module's name is the stem of its source; where two sources share one, the directories that tell them apart
/// come before it.
pub(super) fn modules(sources: &[&Path]) -> Vec<String> {
    let parts: Vec<Vec<String>> = sources
        .iter()
        .map(|path| {
            let stem = path.with_extension("");
            stem.components()
                .filter_map(|component| match component {
                    Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
                    _ => None,
                })
                .collect()
        })
        .collect();
    let tail = |index: usize, length: usize| {
        let parts: &[String] = &parts[index];
        parts[parts.len().saturating_sub(length)..].join("_")
    };
    let mut lengths = vec![1_usize; sources.len()];
    loop {
        let names: Vec<String> = lengths
            .iter()
            .enumerate()
            .map(|(index, length)| tail(index, *length))
            .collect();
        let mut seen: Map<&str, usize> = Map::new();
        for name in &names {
            *seen.or_default(name) += 1;
        }
        let mut longer = false;
        for (index, name) in names.iter().enumerate() {
            if seen[name.as_str()] > 1 && lengths[index] < parts[index].len() {
                lengths[index] += 1;
                longer = true;
            }
        }
        if !longer {
            return names;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(paths: &[&str]) -> Vec<String> {
        let paths: Vec<&Path> = paths.iter().map(Path::new).collect();
        modules(&paths)
    }

    #[test]
    fn modules_are_named_after_the_stem_and_told_apart_by_directories() {
        assert_eq!(names(&["kernels/saxpy.cu"]), ["saxpy"]);
        assert_eq!(
            names(&["a/gemm.cu", "b/gemm.cu", "c/other.cu"]),
            ["a_gemm", "b_gemm", "other"]
        );
        assert_eq!(names(&["x/a/k.cu", "y/a/k.cu"]), ["x_a_k", "y_a_k"]);
        assert_eq!(names(&["k.cu", "a/k.cu"]), ["k", "a_k"]);
    }
}
