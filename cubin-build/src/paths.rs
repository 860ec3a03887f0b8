//! Paths by name, and as messages show them.

use std::path::{Component, Path, PathBuf};

/// The path without `.` and with `..` resolved by name alone.
pub(crate) fn normalize(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir
                if normal
                    .components()
                    .next_back()
                    .is_some_and(|last| matches!(last, Component::Normal(_))) =>
            {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

/// `path` as messages show it: relative to the package where it lies inside, with `/`.
pub(crate) fn shown(root: &Path, path: &Path) -> String {
    let full = plain(&root.join(path));
    let shown = full.strip_prefix(root).unwrap_or(&full);
    shown.to_string_lossy().replace('\\', "/")
}

/// `a/../b.cuh` as `b.cuh`. Where `a` is a symbolic link, `..` may lead elsewhere: such a path stays as it is.
pub(crate) fn plain(path: &Path) -> PathBuf {
    let plain = normalize(path);
    let steps_up = path.components().any(|part| part == Component::ParentDir);
    if steps_up
        && let Ok(file) = path.canonicalize()
        && plain.canonicalize().ok() != Some(file)
    {
        return path.to_owned();
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_resolved_by_name() {
        for (path, expected) in [
            ("/a/bin/../include/x.h", "/a/include/x.h"),
            ("./a/./b", "a/b"),
            ("/a/../b", "/b"),
            ("../a", "../a"),
            ("a/../../b", "../b"),
        ] {
            assert_eq!(normalize(Path::new(path)), Path::new(expected));
        }
    }

    #[test]
    fn files_of_the_package_are_shown_relative_to_it() {
        let root = Path::new("/package");
        assert_eq!(shown(root, Path::new("kernels/../a.cu")), "a.cu");
        assert_eq!(shown(root, Path::new("/elsewhere/a.cu")), "/elsewhere/a.cu");
    }
}
