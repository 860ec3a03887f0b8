//! Findings of what is wrong with the toolkit.

use super::{Error, error::Headline};
use crate::diag::{Diag, codes};

impl From<&Error> for Diag {
    fn from(error: &Error) -> Self {
        let code = match error {
            Error::NotFound { .. } | Error::Variable { .. } | Error::WrongVersion { .. } => {
                codes::TOOLKIT_NOT_FOUND
            }
            _ => codes::TOOLKIT_INSTALL_FAILED,
        };
        let mut diag = Self::error(code, Headline(error).to_string());
        diag.notes.extend(error.note());
        diag.help.extend(error.help());
        diag
    }
}
