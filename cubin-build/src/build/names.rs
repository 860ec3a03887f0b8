//! Names of generated modules, and of the files beside the generated one.

use std::path::{Component, Path};

use crate::{
    cache::ContentHash,
    codegen::module_ident,
    lists::{CollectText, CollectVec, Figures},
    sorted::Map,
};

/// The name of a module's files, without target: cubins of two builders of one build script lie side by side.
pub(super) fn file_stem(out_file: &str, module: &str) -> String {
    let plain = |character: char| {
        if character.is_alphanumeric() || "_-.".contains(character) {
            character
        } else {
            '_'
        }
    };
    let module: String = module.chars().map(plain).collect_text();
    match out_file.strip_suffix(".rs") {
        Some("kernels") => module,
        other => format!("{}.{module}", other.unwrap_or(out_file)),
    }
}

/// The module of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ModuleName {
    pub(super) name: String,
    /// Neither stem nor directories tell it from the module of another source: it ends in a hash.
    pub(super) hashed: bool,
}

/// One source's name while it grows.
struct Growing {
    /// Directories and stem.
    parts: Vec<String>,
    /// How many of them, from the end, are the name.
    length: usize,
}

impl Growing {
    fn name(&self) -> String {
        self.parts[self.parts.len() - self.length..].join("_")
    }

    /// What comes first keeps a name: a file that is less deep than others, or one that Rust need not respell.
    fn rank(&self) -> (usize, bool) {
        let name = self.name();
        (
            self.parts.len(),
            name != module_ident(&name).trim_start_matches("r#"),
        )
    }
}

/// A module's name is the stem of its source; where sources share one, the directories that tell them apart come before
/// it. The file that lies less deep than the others keeps its stem, so that one added in a folder below it renames
/// nothing. `taken` are names that users chose: no source gets one of these.
pub(super) fn modules(sources: &[&Path], taken: &[&str]) -> Vec<ModuleName> {
    let mut all: Vec<Growing> = Vec::new();
    for path in sources {
        let mut parts = Vec::new();
        for component in path.with_extension("").components() {
            if let Component::Normal(name) = component {
                parts.push(name.to_string_lossy().into_owned());
            }
        }
        let length = parts.len().min(1);
        all.push(Growing { parts, length });
    }
    loop {
        let mut longer = false;
        for group in groups(&all) {
            let kept = keeper(&all, &group, taken);
            for index in group {
                let source = &mut all[index];
                if Some(index) != kept && source.length < source.parts.len() {
                    source.length += 1;
                    longer = true;
                }
            }
        }
        if !longer {
            break;
        }
    }
    let mut names: Vec<ModuleName> = Vec::new();
    for source in &all {
        let (name, hashed) = (source.name(), false);
        names.push(ModuleName { name, hashed });
    }
    for group in groups(&all) {
        let kept = keeper(&all, &group, taken);
        let alone = group.len() == 1 && kept.is_some();
        for index in group
            .into_iter()
            .filter(|index| !alone && Some(*index) != kept)
        {
            let path = sources[index].to_string_lossy();
            let hash = ContentHash::of(path.as_bytes()).to_string();
            let name = &mut names[index];
            name.name = format!("{}_{}", name.name, hash.get(..8).unwrap_or(&hash));
            name.hashed = true;
        }
    }
    names
}

/// The sources by what their names are in Rust.
fn groups(all: &[Growing]) -> Vec<Vec<usize>> {
    let mut groups: Map<String, Vec<usize>> = Map::new();
    for (index, source) in all.iter().enumerate() {
        groups.or_default(module_ident(&source.name())).push(index);
    }
    groups.values().cloned().collect_vec()
}

/// Which of a group keeps its name, if one comes before all others.
fn keeper(all: &[Growing], group: &[usize], taken: &[&str]) -> Option<usize> {
    let name = module_ident(&all[*group.first()?].name());
    if taken.iter().any(|taken| module_ident(taken) == name) {
        return None;
    }
    let first = group.iter().map(|index| all[*index].rank()).smallest()?;
    let mut firsts = group.iter().filter(|index| all[**index].rank() == first);
    let found = firsts.next().copied();
    found.filter(|_| firsts.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(paths: &[&str]) -> Vec<String> {
        beside(paths, &[])
    }

    fn beside(paths: &[&str], taken: &[&str]) -> Vec<String> {
        let paths: Vec<&Path> = paths.iter().map(Path::new).collect();
        let names = modules(&paths, taken).into_iter();
        names.map(|module| module.name).collect()
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

    #[test]
    fn a_file_added_in_a_folder_renames_nothing() {
        assert_eq!(
            names(&["kernels/vecadd.cu", "kernels/more/vecadd.cu"]),
            ["vecadd", "more_vecadd"]
        );
        // The folders' names may be those of a file, too.
        assert_eq!(
            names(&["k/a_b.cu", "k/b.cu", "k/a/b.cu"]),
            ["a_b", "b", "k_a_b"]
        );
    }

    #[test]
    fn what_rust_cannot_tell_apart_is_told_apart() {
        assert_eq!(
            names(&["kernels/a-b.cu", "kernels/a_b.cu"]),
            ["kernels_a-b", "a_b"]
        );
        // No folder is left to tell them apart.
        let paths = ["a-b.cu", "a.b.cu", "a_b.cu"].map(Path::new);
        let named = modules(&paths, &[]);
        assert_eq!(named[2].name, "a_b");
        assert!(named[0].hashed && named[1].hashed && !named[2].hashed);
        assert!(named[0].name.starts_with("a-b_") && named[1].name.starts_with("a.b_"));
    }

    #[test]
    fn names_that_users_chose_are_theirs() {
        assert_eq!(beside(&["kernels/step.cu"], &["step"]), ["kernels_step"]);
        assert!(beside(&["step.cu"], &["step"])[0].starts_with("step_"));
    }

    #[test]
    fn files_have_names_that_every_system_has() {
        assert_eq!(file_stem("kernels.rs", "a-b.c"), "a-b.c");
        assert_eq!(file_stem("kernels.rs", "a b\n\"größe"), "a_b__größe");
        assert_eq!(file_stem("other.rs", "k"), "other.k");
    }
}
