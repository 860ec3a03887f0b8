//! The writer of JSON that all of the project's views and reports share: members in the order they are given, strings
//! escaped, nothing between them.

use alloc::{format, string::ToString};
use core::fmt::{self, Display, Write};

use crate::{Error, ErrorKind, Result, escape};

/// An object that is being written, on one line.
///
/// ```
/// # use cubin_core::json::Object;
/// let mut text = String::new();
/// let mut object = Object::open(&mut text)?;
/// object.string("kernel", "saxpy")?;
/// object.number("registers", &10)?;
/// object.optional("spills", None::<u64>)?;
/// object.close()?;
/// assert_eq!(text, r#"{"kernel":"saxpy","registers":10,"spills":null}"#);
/// # Ok::<(), cubin_core::Error>(())
/// ```
///
/// All its methods fail when the writer takes no more, which a `String` never does.
pub struct Object<'w> {
    out: &'w mut dyn Write,
    first: bool,
}

impl fmt::Debug for Object<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Object").finish_non_exhaustive()
    }
}

impl<'w> Object<'w> {
    /// Begins an object without members.
    ///
    /// # Errors
    /// The writer takes no more.
    pub fn open(out: &'w mut dyn Write) -> Result<Self> {
        out.write_char('{').map_err(full)?;
        Ok(Self { out, first: true })
    }

    /// Ends it.
    ///
    /// # Errors
    /// The writer takes no more.
    pub fn close(self) -> Result<()> {
        self.out.write_char('}').map_err(full)
    }

    fn key(&mut self, key: &str) -> Result<()> {
        let comma = if self.first { "" } else { "," };
        self.first = false;
        write!(self.out, "{comma}\"{key}\":").map_err(full)
    }

    /// A number or a bool: what is the same in JSON as [`Display`] writes it.
    ///
    /// # Errors
    /// The writer takes no more.
    pub fn number(&mut self, key: &str, value: &dyn Display) -> Result<()> {
        self.key(key)?;
        write!(self.out, "{value}").map_err(full)
    }

    /// What is not known.
    ///
    /// # Errors
    /// The writer takes no more.
    pub fn null(&mut self, key: &str) -> Result<()> {
        self.number(key, &"null")
    }

    /// A number or a bool, or null.
    ///
    /// # Errors
    /// The writer takes no more.
    pub fn optional(&mut self, key: &str, value: Option<impl Display>) -> Result<()> {
        match value {
            Some(value) => self.number(key, &value),
            None => self.null(key),
        }
    }

    /// A string.
    ///
    /// # Errors
    /// The writer takes no more.
    pub fn string(&mut self, key: &str, value: &str) -> Result<()> {
        self.key(key)?;
        quoted(self.out, value)
    }

    /// A string, or null.
    ///
    /// # Errors
    /// The writer takes no more.
    pub fn optional_string(&mut self, key: &str, value: Option<&str>) -> Result<()> {
        match value {
            Some(value) => self.string(key, value),
            None => self.null(key),
        }
    }

    /// A string without characters that need an escape.
    pub(super) fn display(&mut self, key: &str, value: &dyn Display) -> Result<()> {
        self.key(key)?;
        write!(self.out, "\"{value}\"").map_err(full)
    }

    #[cfg(feature = "views")]
    pub(super) fn bytes(&mut self, key: &str, value: &[u8]) -> Result<()> {
        self.string(key, &alloc::string::String::from_utf8_lossy(value))
    }

    /// An object within the object.
    ///
    /// # Errors
    /// The writer takes no more, or `fill` fails.
    pub fn object(
        &mut self,
        key: &str,
        fill: &mut dyn FnMut(&mut Object<'_>) -> Result<()>,
    ) -> Result<()> {
        self.key(key)?;
        let mut object = Object::open(self.out)?;
        fill(&mut object)?;
        object.close()
    }

    /// An array, whose items `write` writes.
    ///
    /// # Errors
    /// The writer takes no more, or `write` fails.
    pub fn array<T>(
        &mut self,
        key: &str,
        items: impl IntoIterator<Item = T>,
        write: impl Fn(&mut dyn Write, T) -> Result<()>,
    ) -> Result<()> {
        self.key(key)?;
        let mut comma = "[";
        for item in items {
            self.out.write_str(comma).map_err(full)?;
            write(self.out, item)?;
            comma = ",";
        }
        let end = if comma == "[" { "[]" } else { "]" };
        self.out.write_str(end).map_err(full)
    }

    /// An array of strings.
    ///
    /// # Errors
    /// The writer takes no more.
    pub fn strings(&mut self, key: &str, items: &[impl AsRef<str>]) -> Result<()> {
        self.array(key, items, |out, item| quoted(out, item.as_ref()))
    }

    pub(super) fn banks(&mut self, key: &str, banks: &[(u8, u64)]) -> Result<()> {
        self.object(key, &mut |object| {
            // In order, and no key twice: a function has one section per bank, but a damaged file can have more.
            for bank in 0..=u8::MAX {
                if let Some((_, bytes)) = banks.iter().find(|(number, _)| *number == bank) {
                    object.number(&bank.to_string(), bytes)?;
                }
            }
            Ok(())
        })
    }

    pub(super) fn dimensions(&mut self, key: &str, value: Option<[u32; 3]>) -> Result<()> {
        self.optional(key, value.map(|[x, y, z]| format!("[{x},{y},{z}]")))
    }
}

fn quoted(out: &mut dyn Write, text: &str) -> Result<()> {
    escape::json_string(out, text).map_err(full)
}

#[cold]
fn full(_: fmt::Error) -> Error {
    Error::new(
        ErrorKind::Output,
        "the view could not be written: the writer takes no more",
        0,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped() {
        let mut text = String::new();
        quoted(&mut text, "a\"b\\c\n\u{1f}é\u{7f}\u{2028}").unwrap();
        assert_eq!(text, r#""a\"b\\c\n\u001fé\u007f\u2028""#);
    }

    #[test]
    fn a_writer_that_is_full_is_an_error() {
        struct Full;
        impl Write for Full {
            fn write_str(&mut self, _: &str) -> fmt::Result {
                Err(fmt::Error)
            }
        }
        assert!(quoted(&mut Full, "x").is_err());
    }
}
