//! Files that a directory holds and that are left out: `exclude` and [`Builder::exclude`](crate::Builder::exclude).

use super::super::{problem::Problem, request::BuildRequest};
use crate::{
    config::{Config, Glob},
    diag::Sink,
    lists::CollectVec,
    source::Span,
};

/// Patterns of files that are not sources, and which of them have left out any.
pub(super) struct Excludes<'a> {
    patterns: Vec<(Glob, Option<&'a Span>, bool)>,
}

impl<'a> Excludes<'a> {
    pub(super) fn new(request: &BuildRequest, config: &'a Config) -> Self {
        let from_file = config.build.exclude.iter();
        let from_file = from_file.map(|pattern| (&pattern.value, Some(&pattern.span)));
        let from_script = request.excludes.iter().map(|pattern| (pattern, None));
        let all = from_file.chain(from_script).map(|(pattern, span)| {
            let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
            (Glob::new(pattern), span, false)
        });
        Self {
            patterns: all.collect_vec(),
        }
    }

    /// Whether the file of this path is left out.
    pub(super) fn exclude(&mut self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let mut excluded = false;
        for (pattern, _, used) in &mut self.patterns {
            let text = if pattern.as_str().contains('/') {
                path
            } else {
                name
            };
            if pattern.matches(text) {
                *used = true;
                excluded = true;
            }
        }
        excluded
    }

    pub(super) fn report_unmatched(&self, sink: &mut Sink) {
        for (pattern, span, _) in self.patterns.iter().filter(|(_, _, used)| !used) {
            let problem = Problem::UnmatchedExclude {
                pattern: pattern.as_str().to_owned(),
                span: span.cloned(),
            };
            sink.push(problem.into());
        }
    }
}
