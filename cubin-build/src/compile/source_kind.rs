//! What a source is, by the extension of its file; decided once, where sources are found.
//!
//! A new kind is one more row of [`KINDS`], and what is done with it: a [`Language`] is compiled by
//! `compile/unit.rs`, the sort of a [`Container`] is read by `build/image/prebuilt.rs`.

use std::{
    fmt,
    path::{Path, PathBuf},
};

/// What a source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceKind {
    /// Text that a tool of the toolkit compiles for each target.
    Text(Language),
    /// Machine code that is taken as it is.
    Prebuilt(Container),
}

/// What a source that is compiled is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Language {
    /// CUDA C++: nvcc compiles it, with the host compiler as its preprocessor, and leaves the kernels' signatures.
    Cuda,
    /// PTX: ptxas alone assembles it.
    Ptx,
    /// NVVM IR, as text or bitcode: libnvvm makes PTX of it.
    #[cfg(feature = "nvvm")]
    Nvvm,
}

/// What machine code lies in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Container {
    /// The code of one target.
    Cubin,
    /// That of several targets, and PTX.
    Fatbin,
}

/// Extensions, and what they stand for. nvcc by itself takes the last three of C++ for host code; as sources of this
/// crate they hold kernels, and it is told so.
const KINDS: &[(&str, SourceKind)] = &[
    ("cu", SourceKind::Text(Language::Cuda)),
    ("cc", SourceKind::Text(Language::Cuda)),
    ("cpp", SourceKind::Text(Language::Cuda)),
    ("cxx", SourceKind::Text(Language::Cuda)),
    ("ptx", SourceKind::Text(Language::Ptx)),
    #[cfg(feature = "nvvm")]
    ("ll", SourceKind::Text(Language::Nvvm)),
    #[cfg(feature = "nvvm")]
    ("bc", SourceKind::Text(Language::Nvvm)),
    ("cubin", SourceKind::Prebuilt(Container::Cubin)),
    ("fatbin", SourceKind::Prebuilt(Container::Fatbin)),
];

impl SourceKind {
    /// What the file of this name is.
    ///
    /// # Errors
    /// The extension is missing or stands for nothing that can be a source.
    pub fn of(path: &Path) -> Result<Self, UnknownKind> {
        let extension = path.extension().and_then(|extension| extension.to_str());
        KINDS
            .iter()
            .find(|(known, _)| Some(*known) == extension)
            .map(|(_, kind)| *kind)
            .ok_or_else(|| UnknownKind(path.to_owned()))
    }

    /// Whether the extension is the one that nvcc itself takes for CUDA C++. A search through a directory takes these
    /// alone: the other extensions are those of host code, too, and results of other builds lie beside sources.
    pub fn is_cu(path: &Path) -> bool {
        path.extension().is_some_and(|extension| extension == "cu")
    }
}

/// A file whose extension does not say what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownKind(pub PathBuf);

/// What makes modules of NVVM IR sources.
pub const NVVM_LINE: &str = concat!(
    "write `cubin-build = { version = \"",
    env!("CARGO_PKG_VERSION"),
    "\", features = [\"nvvm\"] }` under [build-dependencies] in Cargo.toml"
);

impl UnknownKind {
    /// Whether it is a module of NVVM IR, for which a feature is missing.
    #[must_use]
    pub fn is_nvvm(&self) -> bool {
        let extension = self.0.extension().and_then(|extension| extension.to_str());
        matches!(extension, Some("ll" | "bc"))
    }

    /// What to do instead.
    #[must_use]
    pub fn help(&self) -> String {
        let extension = self.0.extension().and_then(|extension| extension.to_str());
        match extension {
            Some("cuh" | "h" | "hh" | "hpp" | "hxx" | "inc") => {
                "a header is not a source of its own: include it in one".to_owned()
            }
            Some("ll" | "bc") => {
                format!("NVVM IR needs cubin-build's feature `nvvm`, which is off: {NVVM_LINE}")
            }
            Some("o" | "a" | "obj" | "lib") => {
                "objects and archives are named under `libraries` of a [[link]] in cubin.toml"
                    .to_owned()
            }
            _ => "give the file one of these extensions".to_owned(),
        }
    }
}

impl fmt::Display for UnknownKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.0.display();
        match self.0.extension() {
            None => write!(f, "`{path}` has no extension that says what it is")?,
            Some(extension) => {
                let extension = extension.to_string_lossy();
                write!(
                    f,
                    "`{path}` is not a source: `.{extension}` is none of the known extensions"
                )?;
            }
        }
        f.write_str(" (known are")?;
        for (index, (known, _)) in KINDS.iter().enumerate() {
            write!(f, "{} .{known}", if index == 0 { "" } else { "," })?;
        }
        f.write_str(")")
    }
}

impl std::error::Error for UnknownKind {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_decides() {
        let of = |path: &str| SourceKind::of(Path::new(path)).ok();
        let cuda = Some(SourceKind::Text(Language::Cuda));
        assert_eq!(of("kernels/a.cu"), cuda);
        assert_eq!(
            of("kernels/*.cu"),
            cuda,
            "whether it exists is another question"
        );
        assert_eq!(of("a.b.cpp"), cuda);
        assert_eq!(of("a.ptx"), Some(SourceKind::Text(Language::Ptx)));
        assert_eq!(
            of("a.fatbin"),
            Some(SourceKind::Prebuilt(Container::Fatbin))
        );
        for path in ["a", "a.CU", "cu", ".cu", "a.cu.bak", ""] {
            assert_eq!(of(path), None, "{path}");
        }
    }

    #[test]
    fn what_is_unknown_is_told_what_is_known() {
        let error = SourceKind::of(Path::new("k.hip")).unwrap_err();
        let more = if cfg!(feature = "nvvm") {
            ".ll, .bc, "
        } else {
            ""
        };
        assert_eq!(
            error.to_string(),
            format!(
                "`k.hip` is not a source: `.hip` is none of the known extensions (known are .cu, .cc, .cpp, .cxx, .ptx, \
                 {more}.cubin, .fatbin)"
            )
        );
        let error = SourceKind::of(Path::new("kernels")).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("`kernels` has no extension that says")
        );
        let module = SourceKind::of(Path::new("k.ll"));
        assert_eq!(module.is_ok(), cfg!(feature = "nvvm"));
        if let Err(error) = module {
            assert!(
                error.help().starts_with("NVVM IR needs"),
                "{}",
                error.help()
            );
        }
    }
}
