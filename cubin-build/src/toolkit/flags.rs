//! The host compiler among the flags that nvcc takes from the environment.

use std::{ffi::OsStr, path::PathBuf};

use crate::env::Env;

/// The host compiler that variables name, without being remembered as consulted.
pub(super) fn named_host(env: &Env) -> Option<PathBuf> {
    let flags = FLAGS.iter().find_map(|name| ccbin_in(&env.peek(name)?));
    flags.or_else(|| env.peek("NVCC_CCBIN").map(PathBuf::from))
}

/// Flags that nvcc takes from the environment.
const FLAGS: [&str; 2] = ["NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS"];

/// The host compiler among the flags that nvcc takes from the environment.
pub(super) fn ccbin_in_variables(env: &Env) -> Option<PathBuf> {
    FLAGS.iter().find_map(|name| ccbin_in(&env.get(name)?))
}

fn ccbin_in(flags: &OsStr) -> Option<PathBuf> {
    let mut words = flags.to_str()?.split_whitespace();
    while let Some(word) = words.next() {
        let option = word.trim_start_matches('-');
        let (option, value) = match option.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (option, None),
        };
        if word.starts_with('-') && matches!(option, "ccbin" | "compiler-bindir") {
            return value.or_else(|| words.next()).map(PathBuf::from);
        }
    }
    None
}
