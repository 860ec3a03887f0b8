//! How a toolkit was found.

use std::fmt;

/// How a toolkit was found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// An environment variable names it.
    Variable(&'static str),
    /// In the per-user cache, put there by [`install`](super::install()).
    Installed,
    /// `nvcc` is on `PATH`.
    Path,
    /// In one of the usual places.
    Usual,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => write!(f, "named by {name}"),
            Self::Installed => f.write_str("installed in the per-user cache"),
            Self::Path => f.write_str("found on PATH"),
            Self::Usual => f.write_str("found in a usual place"),
        }
    }
}
