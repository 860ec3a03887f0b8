//! Which PTX is embedded beside the cubins, and its text as drivers take it.

use std::fmt;

use crate::sorted;
use cubin_core::{Sm, arch::Suffix};

use super::{
    problem::{Mistake, Origin, Problem},
    request::{BuildRequest, Ptx},
};
use crate::{
    config::{self, Config},
    diag::Sink,
    lists::{AddAll, Figures},
    source::Span,
};

/// A virtual architecture as nvcc names it, by the target that stands for it.
pub(super) struct Compute(pub(super) Sm);

impl fmt::Display for Compute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_string().replacen("sm", "compute", 1))
    }
}

/// Which PTX is embedded.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    /// Targets by name.
    named: Vec<Sm>,
    /// That of the newest target without a suffix, too.
    newest: bool,
}

impl Wanted {
    /// Those whose PTX is embedded, of the targets of a source; sorted.
    pub(super) fn of(&self, targets: &[Sm]) -> Vec<Sm> {
        let mut chosen: Vec<Sm> = targets.to_vec();
        chosen.retain(|target| self.named.contains(target));
        if self.newest {
            chosen.add_all(newest_plain(targets));
        }
        sorted::sort(&mut chosen);
        chosen.dedup();
        chosen
    }
}

fn newest_plain(targets: &[Sm]) -> Option<Sm> {
    let plain = targets
        .iter()
        .filter(|target| target.suffix == Suffix::None);
    plain.largest().copied()
}

/// What is asked for; `targets` are those of all sources, with the virtual architectures of those that have not their own.
/// What names a target that the environment took out of the build is left out.
pub(super) fn resolve(
    request: &BuildRequest,
    config: &Config,
    (targets, virtuals): (&[Sm], &[(Sm, Sm)]),
    from_environment: bool,
    sink: &mut Sink,
) -> Wanted {
    let made_for = |target: Sm| {
        let mut shared = virtuals.iter();
        shared
            .find(|(of, _)| *of == target)
            .map_or(target, |(_, arch)| *arch)
    };
    let mut wanted = Vec::new();
    let mut newest: Option<Option<&Span>> = None;
    if request.ptx.is_empty() {
        match config.build.ptx.as_ref().map(|ptx| (&ptx.value, &ptx.span)) {
            None | Some((config::Ptx::None, _)) => {}
            Some((config::Ptx::Newest, span)) => newest = Some(Some(span)),
            Some((config::Ptx::Of(names), _)) => {
                wanted.add_all(names.iter().map(|name| (name.value, Some(&name.span))));
            }
        }
    }
    for ptx in &request.ptx {
        match ptx {
            Ptx::None => {
                wanted.clear();
                newest = None;
            }
            Ptx::Newest => newest = Some(None),
            Ptx::Of(name) => match config::virtual_architecture(name) {
                Ok(target) => wanted.push((target, None)),
                Err((message, help)) => wrong(None, Mistake::PtxName { message, help }, sink),
            },
        }
    }
    let mut chosen = Vec::new();
    for (target, span) in wanted {
        let before = chosen.len();
        let made = targets.iter().copied();
        chosen.add_all(made.filter(|of| made_for(*of) == target));
        if chosen.len() > before || from_environment || targets.is_empty() {
            continue;
        }
        let mistake = if targets.contains(&target) {
            Mistake::PtxVirtual(target, made_for(target))
        } else {
            Mistake::PtxTarget(target)
        };
        wrong(span, mistake, sink);
    }
    if let Some(span) = newest
        && newest_plain(targets).is_none()
        && !from_environment
        && !targets.is_empty()
    {
        wrong(span, Mistake::PtxNewest, sink);
    }
    Wanted {
        named: chosen,
        newest: newest.is_some(),
    }
}

/// A mistake in `cubin.toml`, or, without a place there, in the build script.
fn wrong(span: Option<&Span>, mistake: Mistake, sink: &mut Sink) {
    sink.push(Problem::Asked(mistake, Origin::new(span, "ptx")).into());
}

/// The virtual architecture that PTX is written for, from its `.target` directive.
pub(super) fn architecture(text: &[u8]) -> Option<Sm> {
    // A directive stands on a line of its own, and comes before all code.
    let line = text
        .split(|&byte| byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .find_map(|line| line.strip_prefix(b".target"))?;
    let line = std::str::from_utf8(line).ok()?;
    let name = line.split([',', '/']).next()?;
    name.trim().parse().ok()
}

/// The text with the one zero byte at its end by which drivers find it.
pub(super) fn terminated(mut text: Vec<u8>) -> Vec<u8> {
    while text.last() == Some(&0) {
        text.pop();
    }
    text.push(0);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directive_names_the_architecture() {
        let of = |text: &str| architecture(text.as_bytes()).map(|sm| Compute(sm).to_string());
        let text = "//\n// .target sm_10\n.version 9.5\n.target sm_90a, debug\n.address_size 64\n";
        assert_eq!(of(text).as_deref(), Some("compute_90a"));
        assert_eq!(
            of("\t.target  sm_100f // x\r\n").as_deref(),
            Some("compute_100f")
        );
        assert_eq!(of(".version 9.5\n"), None);
        assert_eq!(of(".target texmode_unified\n"), None);
    }

    #[test]
    fn one_zero_byte_ends_the_text() {
        assert_eq!(terminated(b"x\n".to_vec()), b"x\n\0");
        assert_eq!(terminated(b"x\n\0\0".to_vec()), b"x\n\0");
        assert_eq!(terminated(Vec::new()), b"\0");
    }
}
