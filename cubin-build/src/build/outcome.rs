//! What a run found and made.

use std::path::PathBuf;

use super::problem::Problem;
use crate::{
    compile::Watch,
    diag::{Diag, Sink},
    kernel::Facts,
    report,
    toolkit::Toolkit,
};

/// What a successful build made.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Output {
    /// The generated file.
    pub generated: PathBuf,
    /// The cubins beside it.
    pub cubins: Vec<PathBuf>,
    /// The PTX beside it, where some is embedded; each ends in a zero byte.
    pub ptx: Vec<PathBuf>,
    /// What is known of every kernel on every target, by name.
    pub kernels: Vec<Facts>,
    /// The static libraries, in the order that they were asked for.
    pub libraries: Vec<StaticLibrary>,
    /// The toolkit that compiled; absent when all sources are machine code.
    pub toolkit: Option<Toolkit>,
    /// How many (source, target) pairs were compiled now; the others were up to date.
    pub compiled: usize,
    /// Findings that did not fail the build.
    pub warnings: Vec<Diag>,
}

/// A static library of sources with host code.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StaticLibrary {
    /// Its name.
    pub name: String,
    /// `libNAME.a` in the directory of results.
    pub archive: PathBuf,
    /// What a build script tells cargo, each behind `cargo::`: `rustc-link-lib=static=moe`. [`Builder::build`](crate::Builder::build)
    /// has told it.
    pub link: Vec<String>,
    /// How many of its objects were made now; the others were up to date.
    pub compiled: usize,
}

/// All that one run found and made.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) sink: Sink,
    /// Absent when something failed, or when the policy failed outside report mode.
    pub(crate) output: Option<Output>,
    pub(crate) watch: Watch,
    pub(crate) facts: Vec<Facts>,
    pub(crate) baseline: Option<report::BaselineFile>,
    /// The prebuilt files that were written, and where they belong.
    pub(crate) prebuilt: Option<(PathBuf, PathBuf)>,
    /// Something that took long and that the user should know of even when all went well.
    pub(crate) announcement: Option<String>,
    /// Whether cargo is told what was compiled, and why, as soon as it is.
    pub(crate) telling: bool,
    /// Set in report mode.
    pub(crate) report: Option<report::Destination>,
}

impl Outcome {
    /// The findings as rustc would show them, and the summary line; empty when there are none.
    pub(crate) fn rendered(&self, colour: bool) -> String {
        self.sink.rendered(colour)
    }

    /// Whether the build must end with an error: in report mode a policy violation alone does not count.
    pub(crate) fn failed(&self) -> bool {
        match &self.report {
            Some(_) => self.output.is_none(),
            None => self.sink.has_errors(),
        }
    }

    /// Takes note that the report could not be written: nobody would learn what was built.
    pub(crate) fn without_report(&mut self, why: String) {
        self.sink.push(Problem::NoReport(why).into());
        self.output = None;
    }

    /// Writes the report that was asked for, if any; the error says what failed.
    pub(crate) fn write_report(&self) -> Result<(), String> {
        let Some(request) = &self.report else {
            return Ok(());
        };
        let findings = report::Findings {
            sink: &self.sink,
            kernels: &self.facts,
            images: self.output.as_ref().map_or(&[], |output| &output.cubins),
            baseline: self.baseline.as_ref(),
            prebuilt: self.prebuilt.as_ref(),
            rendered: &self.rendered(false),
            coloured: &self.rendered(true),
        };
        report::write(request, &findings).map_err(|error| {
            let dir = request.dir.display();
            format!("cannot write the report into {dir}: {error}")
        })
    }
}
