//! The kernels of one side of a comparison.

use std::collections::HashSet;

use super::figures::FIGURES;
use crate::{
    facts::{Facts, bare},
    report::Report,
};

/// Kernels, and what they are the kernels of.
pub(super) struct Side {
    /// For people.
    pub(super) title: String,
    pub(super) kernels: Vec<Kernel>,
    /// Whether there may be kernels that it does not list.
    pub(super) partial: bool,
}

/// One kernel on one target.
#[derive(Clone)]
pub(super) struct Kernel {
    /// The package that builds it, where a workspace was built.
    pub(super) package: Option<String>,
    /// C++ name, with parameter types where they are known.
    pub(super) name: String,
    /// Without them.
    pub(super) plain: String,
    pub(super) symbol: Option<String>,
    pub(super) target: String,
    /// C++ types of its parameters in parentheses, where its symbol tells them.
    pub(super) types: Option<String>,
    /// Offset and size in bytes of each parameter.
    pub(super) params: Option<Vec<(u32, u32)>>,
    /// In the order of [`FIGURES`]; `None` where it is not known.
    pub(super) figures: Vec<Option<u64>>,
}

impl Side {
    /// The kernels of a build.
    pub(super) fn of(title: String, facts: impl IntoIterator<Item = Facts>) -> Self {
        // A build leaves a cubin in several places.
        let mut seen = HashSet::new();
        let mut kernels = Vec::new();
        for facts in facts {
            let new = match (&facts.sha256, facts.section) {
                (Some(sha256), Some(section)) => seen.insert((sha256.clone(), section)),
                _ => true,
            };
            if facts.kernel && new {
                kernels.push(Kernel::from(facts));
            }
        }
        Self {
            title,
            kernels,
            partial: false,
        }
    }

    /// The kernels that the builders of a workspace report.
    pub(super) fn of_reports(title: String, reports: Vec<Report>) -> Self {
        let mut kernels = Vec::new();
        for report in reports {
            let side = Self::of(String::new(), report.kernels);
            kernels.extend(side.kernels.into_iter().map(|kernel| Kernel {
                package: Some(report.package.clone()),
                ..kernel
            }));
        }
        Self {
            title,
            kernels,
            partial: false,
        }
    }
}

impl From<Facts> for Kernel {
    fn from(facts: Facts) -> Self {
        let figures = FIGURES.iter().map(|figure| (figure.of)(&facts)).collect();
        let params = facts.params.as_ref().map(|params| {
            let places = params.iter().map(|param| (param.offset, param.size));
            places.collect()
        });
        let full = cubin_core::demangle::demangle(&facts.function);
        let types = full.and_then(|full| {
            let plain = bare(&full);
            let (_, types) = full.split_once(plain)?;
            (!types.is_empty()).then(|| types.to_owned())
        });
        Self {
            package: None,
            types,
            name: facts.name().to_owned(),
            plain: bare(facts.name()).to_owned(),
            params,
            figures,
            target: facts.target,
            symbol: Some(facts.function),
        }
    }
}
