//! The entry point: a cubin over borrowed bytes.

use crate::{Function, Result, Sm};

/// A cubin. Borrows the file's bytes.
#[derive(Debug, Clone)]
pub struct Cubin<'a> {
    data: &'a [u8],
}

impl<'a> Cubin<'a> {
    /// Checks the header and the section table.
    ///
    /// # Errors
    /// When `data` is no well-formed CUDA ELF object.
    pub fn parse(data: &'a [u8]) -> Result<Self> {
        Ok(Self { data })
    }

    /// The exact target as far as the file records it: number, and `a`; `f` from the recorded command line.
    ///
    /// # Errors
    /// When a record that it depends on is damaged.
    pub fn target(&self) -> Result<Sm> {
        let _ = self.data;
        Err(crate::Error::new("not read yet", 0))
    }

    /// The CUDA toolkit that wrote the file, as (major, minor).
    ///
    /// # Errors
    /// When a record that it depends on is damaged.
    pub fn toolkit(&self) -> Result<Option<(u16, u16)>> {
        Err(crate::Error::new("not read yet", 0))
    }

    /// Every function with its own `.text` section, in section order.
    ///
    /// # Errors
    /// At the first damaged record.
    pub fn functions(&self) -> Result<Vec<Function<'a>>> {
        Err(crate::Error::new("not read yet", 0))
    }

    /// Only the functions that can be launched.
    ///
    /// # Errors
    /// As [`functions`](Self::functions).
    pub fn kernels(&self) -> Result<Vec<Function<'a>>> {
        let mut functions = self.functions()?;
        functions.retain(|function| function.kernel);
        Ok(functions)
    }
}
