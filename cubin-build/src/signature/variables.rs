//! Checks module variables against the symbols of a cubin: each that the host code registers is there, in the same
//! memory and of the same size.
//!
//! A finding is data; the variable concerned is taken out of the signatures, so that nothing is generated for it.

use std::fmt;

use cubin_core::{
    Sm,
    variable::{Space as Memory, Variable},
};

use super::model::{Signatures, Space};
use crate::words::counted;

/// A variable that the compiler's host code and the cubin do not agree on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableFinding {
    /// Target whose cubin showed it.
    pub target: Sm,
    /// Qualified C++ name.
    pub name: String,
    /// What is wrong.
    pub problem: VariableProblem,
}

/// What [`VariableFinding`] is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableProblem {
    /// The host code registers it, and the cubin has no such symbol.
    NotInCubin,
    /// The size differs, in bytes.
    Size {
        /// In the host code.
        expected: u64,
        /// In the cubin.
        actual: u64,
    },
    /// It lies in other memory than it is declared for.
    Memory {
        /// In the host code.
        expected: Space,
    },
}

impl fmt::Display for VariableProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotInCubin => f.write_str("is registered by the host code but not in the cubin"),
            Self::Size { expected, actual } => {
                let expected = counted(*expected, "byte");
                write!(f, "has {expected} in the host code, {actual} in the cubin")
            }
            Self::Memory { expected } => {
                let declared = match expected {
                    Space::Constant => "__constant__",
                    Space::Device => "__device__",
                    Space::Managed => "__managed__",
                };
                write!(
                    f,
                    "is `{declared}` in the host code and other memory in the cubin"
                )
            }
        }
    }
}

/// Compares the variables of signatures with those of the cubin made from the same translation unit for `target`, and
/// takes out each that differs. Variables that only the cubin has do not concern the host: nvcc 13.5 registers every
/// variable of the source, also unused and internal ones.
#[must_use]
pub fn check_variables(
    signatures: &mut Signatures,
    variables: &[Variable<'_>],
    target: Sm,
) -> Vec<VariableFinding> {
    let mut findings = Vec::new();
    signatures.globals.retain(|global| {
        // Few sources have more than a handful.
        let found = variables
            .iter()
            .find(|variable| variable.symbol == global.symbol);
        let problem = match found {
            None => Some(VariableProblem::NotInCubin),
            Some(variable) => {
                let managed = variable.managed;
                let constant = matches!(variable.space, Memory::Constant(_));
                let same = match global.space {
                    Space::Constant => constant,
                    Space::Device => !constant && !managed,
                    Space::Managed => managed,
                };
                if variable.size != global.size {
                    Some(VariableProblem::Size {
                        expected: global.size,
                        actual: variable.size,
                    })
                } else if same {
                    None
                } else {
                    Some(VariableProblem::Memory {
                        expected: global.space,
                    })
                }
            }
        };
        if let Some(problem) = problem {
            findings.push(VariableFinding {
                target,
                name: global.name.clone(),
                problem,
            });
        }
        problem.is_none()
    });
    findings
}
