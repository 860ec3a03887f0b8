//! Names of functions as people read them.

use cubin_core::escape::visible;

/// The C++ name of a symbol, or the symbol itself when it is not mangled, for eyes.
pub(super) fn name_of(symbol: &str) -> String {
    match cubin_core::demangle::demangle(symbol) {
        Some(name) => visible(&name).into_owned(),
        None => visible(symbol).into_owned(),
    }
}
