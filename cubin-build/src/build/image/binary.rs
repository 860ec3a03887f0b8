//! Machine code in memory, not parsed yet.

use cubin_core::Sm;

use crate::compile::Unit;

/// What becomes one generated module, as it lies on disk.
pub(in super::super) struct Loaded<'c> {
    pub(in super::super) names: Names,
    /// The targets that it is asked for.
    pub(in super::super) targets: Vec<Sm>,
    pub(in super::super) binaries: Vec<Binary<'c>>,
}

/// What a module is called.
pub(in super::super) struct Names {
    /// Its sources as messages show them.
    pub(in super::super) source: String,
    /// It is made of several sources.
    pub(in super::super) linked: bool,
    /// Of the generated module.
    pub(in super::super) module: String,
    /// Of its files, without target.
    pub(in super::super) files: String,
    /// It was found in a directory, not named.
    pub(in super::super) found: bool,
    /// Its host code is wanted, so it need not hold kernels.
    pub(in super::super) host: bool,
}

/// The machine code of one module for one target.
pub(in super::super) struct Binary<'c> {
    /// What it was made for; `None` where only the cubin itself says it.
    pub(in super::super) target: Option<Sm>,
    /// Empty where nothing was made but what the front end says of the units.
    pub(in super::super) bytes: Vec<u8>,
    /// What it was made of, with what the compiler left beside it: nothing for prebuilt files, several units where they
    /// were linked.
    pub(in super::super) units: Vec<&'c Unit>,
    /// Whether something without a source may be linked into it.
    pub(in super::super) libraries: bool,
    /// The PTX that it was assembled from, as drivers take it, where that is embedded too.
    pub(in super::super) ptx: Option<Vec<u8>>,
}

impl Binary<'_> {
    /// Whether there is no machine code, only what the front end says: for which target.
    pub(super) fn declared(&self) -> Option<Sm> {
        let none = self.bytes.is_empty() && !self.units.is_empty();
        self.target.filter(|_| none)
    }

    /// Machine code of a file that nothing is known of.
    pub(super) fn prebuilt(target: Option<Sm>, bytes: Vec<u8>) -> Self {
        Self {
            target,
            bytes,
            units: Vec::new(),
            libraries: false,
            ptx: None,
        }
    }
}
