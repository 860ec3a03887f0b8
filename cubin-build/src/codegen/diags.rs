//! Findings of what cannot be generated.

use super::Finding;
use crate::diag::{Diag, codes};

impl From<Finding> for Diag {
    fn from(finding: Finding) -> Self {
        match finding {
            Finding::NameCollision {
                module,
                name,
                items: [first, second],
            } => {
                let place = if module.is_empty() {
                    String::new()
                } else {
                    format!(" in module `{module}`")
                };
                let message = format!("`{first}` and `{second}` would both become `{name}`{place}");
                Self::error(codes::NAME_COLLISION, message).help("rename one of them in the source")
            }
            Finding::Unsupported { kernel, reason, .. } => Self::warning(
                codes::KERNEL_REFUSED,
                format!("no launch wrapper for `{kernel}`: {reason}"),
            )
            .kernel(kernel),
        }
    }
}
