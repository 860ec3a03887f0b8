//! Looks for sources in directories.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::exclude::Excludes;
use crate::{compile::SourceKind, paths, sorted};

/// What all searches of a build share.
pub(super) struct Search<'a> {
    /// The package's directory.
    pub(super) root: &'a Path,
    pub(super) excludes: Excludes<'a>,
    /// Files and directories that were consulted.
    pub(super) watched: Vec<PathBuf>,
}

/// What lies below a directory.
pub(super) struct Below {
    /// There was no `.cu` file at all.
    pub(super) empty: bool,
    /// Those that are not left out.
    pub(super) files: Vec<PathBuf>,
}

impl Search<'_> {
    /// The `.cu` files below `dir`, sorted; the error is what the system says.
    pub(super) fn below(&mut self, dir: &Path) -> Result<Below, String> {
        self.watched.push(dir.to_owned());
        let mut walk = Walk {
            root: self.root,
            entered: Vec::new(),
            files: Vec::new(),
        };
        walk.directory(dir)?;
        let mut files = walk.files;
        let empty = files.is_empty();
        files.retain(|path| !self.excludes.exclude(&paths::shown(self.root, path)));
        Ok(Below { empty, files })
    }
}

/// A walk through a directory, depth first, in the order of names, through symbolic links too.
struct Walk<'a> {
    root: &'a Path,
    /// The real paths of the directories that lead to the current one: a link back to one of them has no end.
    entered: Vec<PathBuf>,
    files: Vec<PathBuf>,
}

impl Walk<'_> {
    /// Finds the `.cu` files below `dir`; the error names the path.
    fn directory(&mut self, dir: &Path) -> Result<(), String> {
        let path = self.root.join(dir);
        let real = path.canonicalize().map_err(|error| at(&path, &error))?;
        if self.entered.contains(&real) {
            let (path, real) = (path.display(), real.display());
            return Err(format!("{path}: a link to {real}, inside which it lies"));
        }
        self.entered.push(real);
        let mut names = Vec::new();
        for entry in fs::read_dir(&path).map_err(|error| at(&path, &error))? {
            names.push(entry.map_err(|error| at(&path, &error))?.file_name());
        }
        sorted::sort(&mut names);
        for name in names {
            let inside = dir.join(name);
            let path = self.root.join(&inside);
            let kind = fs::metadata(&path).map_err(|error| at(&path, &error))?;
            if kind.is_dir() {
                self.directory(&inside)?;
            } else if kind.is_file() && SourceKind::is_cu(&inside) {
                self.files.push(inside);
            }
        }
        self.entered.pop();
        Ok(())
    }
}

fn at(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    #[test]
    fn links_are_followed_but_not_in_circles() {
        use super::*;
        use std::os::unix::fs::symlink;

        let root = std::env::temp_dir().join(format!("cubin-build-walk-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(root.join("k/b")).expect("a directory");
        fs::create_dir_all(root.join("other")).expect("a directory");
        for file in ["k/c.cu", "k/b/x.cu", "k/b/x.h", "other/o.cu"] {
            fs::write(root.join(file), "").expect("a file");
        }
        symlink(root.join("other"), root.join("k/a")).expect("a link");
        symlink(root.join("other"), root.join("k/z")).expect("a link");
        let walk = || {
            let mut walk = Walk {
                root: &root,
                entered: Vec::new(),
                files: Vec::new(),
            };
            walk.directory(Path::new("k")).map(|()| walk.files)
        };
        let expected = ["k/a/o.cu", "k/b/x.cu", "k/c.cu", "k/z/o.cu"];
        assert_eq!(walk().expect("no circle"), expected.map(PathBuf::from));
        symlink("..", root.join("k/b/up")).expect("a link");
        let why = walk().expect_err("a circle");
        assert!(why.contains("k/b/up: a link to "), "{why}");
        fs::remove_file(root.join("k/b/up")).expect("removed");
        symlink("nowhere", root.join("k/b/broken.cu")).expect("a link");
        let why = walk().expect_err("a broken link");
        assert!(why.contains("k/b/broken.cu: "), "{why}");
        fs::remove_dir_all(&root).expect("removed");
    }
}
