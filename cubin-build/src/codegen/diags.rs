//! Findings of what cannot be generated.

use super::Finding;
use crate::diag::{Diag, codes};

impl From<Finding> for Diag {
    fn from(finding: Finding) -> Self {
        match finding {
            Finding::Unsupported { kernel, reason, .. } => Self::warning(
                codes::KERNEL_REFUSED,
                format!("no launch wrapper for `{kernel}`: {reason}"),
            )
            .kernel(kernel),
        }
    }
}
