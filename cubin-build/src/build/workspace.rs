//! The workspace of a package, and what it says for all of its members: its cubin.toml, and `[workspace.metadata.cubin]` in
//! its Cargo.toml.
//!
//! No variable names the workspace to a build script, so it is looked for as cargo does: `package.workspace`, else the
//! closest Cargo.toml at or above the package that has a `[workspace]` which does not exclude the package. What cargo
//! unpacked from a registry, vendored or packaged is a member of nothing here.

use std::{
    io,
    path::{Path, PathBuf},
};

use toml::de::{DeTable, DeValue};

use crate::{
    config::Config,
    diag::Diag,
    lists::{AddAll, CollectVec},
    paths,
    source::SourceFile,
};

const MANIFEST: &str = "Cargo.toml";
const POLICY: &str = "cubin.toml";

/// Files that lie in packages that cargo did not find where they are written: registry, vendored, packaged.
const FOREIGN: [&str; 3] = [".cargo-ok", ".cargo-checksum.json", ".cargo_vcs_info.json"];

/// A file that was looked at, or looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consulted {
    /// Absolute.
    pub path: PathBuf,
    /// Whether it is there.
    pub exists: bool,
}

/// A package's policy: its own file, and what its workspace says.
#[derive(Debug, Default)]
pub struct Layers {
    /// All of it, as one.
    pub config: Config,
    /// What is wrong with any of the files.
    pub problems: Vec<Diag>,
    /// The files that were looked for.
    pub consulted: Vec<Consulted>,
    /// Whether there is any policy.
    pub said: bool,
}

/// Reads the policy of the package in `package` (absolute), whose own file is at `own`, relative to it or absolute. The
/// package need not have one.
///
/// # Errors
/// When its own file is there, or `wanted`, and cannot be read; the workspace's is a problem among the others.
#[cfg(feature = "artifact")]
pub fn read_policy(package: &Path, own: &Path, wanted: bool) -> io::Result<Layers> {
    let mut layers = read_own(package, own, wanted)?;
    inherit(package, own, &mut layers);
    Ok(layers)
}

/// The package's own file. Patterns of paths are as the package sees them; other paths are as the file has them.
pub(super) fn read_own(package: &Path, own: &Path, wanted: bool) -> io::Result<Layers> {
    let mut layers = Layers::default();
    let path = package.join(own);
    let name = paths::shown(package, own);
    match SourceFile::read(&path, &name) {
        Ok(file) => {
            let (mut config, problems) = Config::parse(&file);
            if let Some(dir) = Path::new(&name).parent() {
                config.rules.iter_mut().for_each(|rule| rule.rebase(dir));
            }
            layers.config = config;
            layers.problems = problems;
            layers.said = true;
            layers.consulted.push(Consulted { path, exists: true });
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound && !wanted => {
            let exists = false;
            layers.consulted.push(Consulted { path, exists });
        }
        Err(error) => return Err(error),
    }
    Ok(layers)
}

/// Adds what the workspace of a package says. `own` is the package's file, which is not taken twice.
pub(super) fn inherit(package: &Path, own: &Path, layers: &mut Layers) {
    let Some((root, manifest)) = root(package) else {
        return;
    };
    let path = root.join(MANIFEST);
    layers.consulted.push(Consulted { path, exists: true });
    let member = package.strip_prefix(&root).unwrap_or(Path::new(""));
    layers.config.member = member.to_string_lossy().replace('\\', "/");
    if root != package {
        let path = root.join(POLICY);
        let same = || path.canonicalize().ok() == package.join(own).canonicalize().ok();
        match SourceFile::read(&path, above(package, &path)) {
            Ok(_) if same() => {}
            Ok(file) => {
                let (outer, problems) = Config::parse(&file);
                layers.config.inherit(outer);
                layers.problems.add_all(problems);
                layers.said = true;
                layers.consulted.push(Consulted { path, exists: true });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let exists = false;
                layers.consulted.push(Consulted { path, exists });
            }
            Err(error) => {
                let problem = super::problem::Problem::CannotRead(
                    above(package, &path).to_string_lossy().into_owned(),
                    error.to_string(),
                );
                layers.problems.push(problem.into());
                layers.consulted.push(Consulted { path, exists: true });
            }
        }
    }
    if manifest.text().contains("cubin") {
        let (outer, problems) = Config::parse_metadata(&manifest);
        layers.said |= outer != Config::default() || !problems.is_empty();
        layers.config.inherit(outer);
        layers.problems.add_all(problems);
    }
}

/// A file of the workspace as the package sees it: `../../cubin.toml`.
fn above(package: &Path, path: &Path) -> PathBuf {
    let mut shown = PathBuf::new();
    for dir in package.ancestors() {
        if let Ok(rest) = path.strip_prefix(dir) {
            return shown.join(rest);
        }
        shown.push("..");
    }
    path.to_owned()
}

/// The directory of the workspace and its Cargo.toml.
fn root(package: &Path) -> Option<(PathBuf, SourceFile)> {
    if FOREIGN.iter().any(|mark| package.join(mark).exists()) {
        return None;
    }
    let own = manifest(package, package)?;
    let document = parse(&own)?;
    if document.contains_key("workspace") {
        return Some((package.to_owned(), own));
    }
    let said = document
        .get("package")
        .and_then(|table| table.get_ref().as_table());
    if let Some(path) = said.and_then(|table| table.get("workspace")?.get_ref().as_str()) {
        let dir = paths::normalize(&package.join(path));
        let manifest = manifest(package, &dir)?;
        return Some((dir, manifest));
    }
    for dir in package.ancestors().skip(1) {
        if let Some(manifest) = manifest(package, dir)
            && takes(&manifest, dir, package)
        {
            return Some((dir.to_owned(), manifest));
        }
        // A checkout of a git dependency ends here.
        if dir.join(FOREIGN[0]).exists() {
            break;
        }
    }
    None
}

fn manifest(package: &Path, dir: &Path) -> Option<SourceFile> {
    let path = dir.join(MANIFEST);
    SourceFile::read(&path, above(package, &path)).ok()
}

/// What cargo cannot read either is cargo's to complain of.
fn parse(manifest: &SourceFile) -> Option<DeTable<'_>> {
    let (document, errors) = DeTable::parse_recoverable(manifest.text());
    errors.is_empty().then(|| document.into_inner())
}

/// Whether a manifest in `dir` is that of a workspace with the package in it.
fn takes(manifest: &SourceFile, dir: &Path, package: &Path) -> bool {
    if !manifest.text().contains("workspace") {
        return false;
    }
    let Some(document) = parse(manifest) else {
        return false;
    };
    let table = document.get("workspace").map(|table| table.get_ref());
    let Some(table) = table.and_then(DeValue::as_table) else {
        return false;
    };
    let lists = |key: &str| {
        let list = table.get(key).and_then(|list| list.get_ref().as_array());
        let paths = list.into_iter().flat_map(|list| list.iter());
        let paths = paths.filter_map(|path| path.get_ref().as_str());
        let paths = paths.map(|path| paths::normalize(&dir.join(path)));
        paths.collect_vec()
    };
    let holds = |paths: Vec<PathBuf>| paths.iter().any(|path| package.starts_with(path));
    holds(lists("members")) || !holds(lists("exclude"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_workspace_is_the_one_that_cargo_finds() {
        let top = std::env::temp_dir().join(format!("cubin-workspace-{}", std::process::id()));
        let write = |path: &str, text: &str| {
            let path = top.join(path);
            fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
            fs::write(path, text).expect("a file");
        };
        let package = "[package]\nname = \"p\"\n";
        write(
            "Cargo.toml",
            "[workspace]\nmembers = [\"crates/*\", \"out/in\"]\nexclude = [\"out\"]\n",
        );
        for member in [
            "crates/a",
            "crates/nested/deep",
            "out/in",
            "out/no",
            "vendor/v",
            "own/w",
        ] {
            write(&format!("{member}/Cargo.toml"), package);
        }
        write("vendor/v/.cargo-checksum.json", "{}");
        write("own/Cargo.toml", "[workspace]\n");
        write("far/Cargo.toml", "[package]\nworkspace = \"../own\"\n");
        write("self/Cargo.toml", "[package]\n[workspace]\n");
        for (member, expected) in [
            ("crates/a", Some("")),
            ("crates/nested/deep", Some("")),
            ("out/in", Some("")),
            // Nothing above has a workspace with it.
            ("out/no", None),
            ("vendor/v", None),
            ("own/w", Some("own")),
            ("far", Some("own")),
            ("self", Some("self")),
            ("nothing", None),
        ] {
            let found = root(&top.join(member)).map(|(dir, _)| dir);
            let expected = expected.map(|dir| top.join(dir).components().collect::<PathBuf>());
            assert_eq!(found, expected, "{member}");
        }
        let shown = above(&top.join("crates/a"), &top.join("cubin.toml"));
        assert_eq!(shown, Path::new("../../cubin.toml"));
        fs::remove_dir_all(&top).expect("removed");
    }
}
