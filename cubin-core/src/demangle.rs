//! C++ names of symbols (feature `demangle`).

use alloc::string::String;

use cpp_demangle::{DemangleOptions, DemangleWrite, Symbol};

use crate::limits;

/// The C++ name of a mangled symbol, for example `gemm<float>(float const*, int)`.
///
/// `None` when the symbol is not mangled, when its encoding is not understood, or when the name would be longer than
/// [`limits::DEMANGLED`] bytes: back references make names whose length doubles with every few bytes.
#[must_use]
pub fn demangle(symbol: &str) -> Option<String> {
    if !symbol.starts_with("_Z") || symbol.len() > limits::MANGLED {
        return None;
    }
    let parsed = Symbol::new(symbol.as_bytes()).ok()?;
    let mut name = Bounded(String::new());
    parsed
        .structured_demangle(&mut name, &DemangleOptions::default())
        .ok()?;
    Some(name.0)
}

/// Takes text up to the bound.
struct Bounded(String);

impl DemangleWrite for Bounded {
    fn write_string(&mut self, text: &str) -> core::fmt::Result {
        if self.0.len().saturating_add(text.len()) > limits::DEMANGLED {
            return Err(core::fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_have_all_bytes_of_the_limit() {
        let mut name = Bounded("a".repeat(limits::DEMANGLED - 1));
        assert!(name.write_string("b").is_ok());
        assert!(name.write_string("").is_ok());
        assert!(name.write_string("c").is_err());
        assert_eq!(name.0.len(), limits::DEMANGLED);
    }

    #[test]
    fn templates_and_plain_names() {
        assert_eq!(
            demangle("_Z5scaleIfEvPT_S0_x").as_deref(),
            Some("void scale<float>(float*, float, long long)")
        );
        assert_eq!(demangle("saxpy"), None);
        assert_eq!(demangle("_Z"), None);
    }

    #[test]
    fn long_names_are_demangled_up_to_the_limit() {
        let name = |length: usize| format!("_Z{length}{}v", "a".repeat(length));
        let longest = limits::MANGLED - "_Z16000v".len();
        for length in [3000, longest] {
            let shown = demangle(&name(length)).map(|shown| shown.len());
            assert_eq!(shown, Some(length + "()".len()));
        }
        assert_eq!(demangle(&name(longest + 1)), None);
    }

    /// A function of `count` arguments, each a pair of two of the one before.
    fn doubling(count: usize) -> String {
        let digits = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        let arguments: String = digits[..count]
            .iter()
            .map(|&digit| format!("S_IS{0}_S{0}_E", char::from(digit)))
            .collect();
        format!("_Z1fSt4pairIiiE{arguments}")
    }

    #[test]
    fn names_that_double_are_refused_before_they_fill_memory() {
        assert_eq!(
            demangle(&doubling(1)).as_deref(),
            Some("f(std::pair<int, int>, std::pair<std::pair<int, int>, std::pair<int, int> >)")
        );
        assert_eq!(demangle(&doubling(30)), None);
    }
}
