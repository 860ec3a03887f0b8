//! Sources that are machine code already: `.cubin` and `.fatbin` files.

use std::fs;

use cubin_core::{Cubin, Sm, consts::EntryKind, fatbin};

use super::{
    super::{
        problem::{BadCode, Problem},
        ptx,
        settings::Settings,
        sources::Prebuilt,
    },
    binary::Binary,
};
use crate::{compile::Container, diag::Sink};

/// The cubins of a prebuilt source, whatever it is called. A cubin is taken for the target that it was compiled for; of
/// a fatbin, those for one of the build's targets, with their PTX where it is asked for.
pub(super) fn read(
    settings: &Settings,
    file: &Prebuilt,
    shown: &str,
    sink: &mut Sink,
) -> Vec<Binary<'static>> {
    let bytes = match fs::read(settings.root.join(&file.path)) {
        Ok(bytes) => bytes,
        Err(error) => {
            sink.push(Problem::CannotRead(shown.to_owned(), error.to_string()).into());
            return Vec::new();
        }
    };
    match file.container {
        Container::Cubin => vec![Binary::prebuilt(None, bytes)],
        Container::Fatbin => {
            let targets = file.targets(&settings.targets);
            let wanted = Wanted {
                targets,
                ptx: settings.ptx.of(targets),
            };
            let mut fatbin = Fatbin::default();
            for entry in fatbin::entries(&bytes, 0) {
                let added = entry.and_then(|entry| fatbin.add(&entry, &wanted));
                if let Err(error) = added {
                    fatbin.problems.push(BadCode::Entry(error));
                }
            }
            fatbin.finish(&wanted, shown, sink)
        }
    }
}

/// What is asked of a fatbin.
struct Wanted<'a> {
    targets: &'a [Sm],
    ptx: Vec<Sm>,
}

/// What a fatbin holds.
#[derive(Default)]
struct Fatbin {
    cubins: Vec<(Sm, Binary<'static>)>,
    ptx: Vec<(Sm, Vec<u8>)>,
    /// Of targets that are not asked for.
    other_cubins: Vec<Sm>,
    other_ptx: Vec<Sm>,
    problems: Vec<BadCode>,
}

impl Fatbin {
    fn add(&mut self, entry: &fatbin::Entry<'_>, wanted: &Wanted<'_>) -> cubin_core::Result<()> {
        if entry.kind == EntryKind::PTX {
            match entry.target() {
                Some(target) if wanted.ptx.contains(&target) => {
                    self.ptx.push((target, entry.image()?.into_owned()));
                }
                other => self.other_ptx.extend(other),
            }
            return Ok(());
        }
        if !entry.is_cubin() {
            return Ok(());
        }
        let image = entry.image()?.into_owned();
        let target = match entry.target() {
            Some(target) => target,
            // Entries of old fatbins do not say it.
            None => Cubin::parse(&image)?.target()?,
        };
        if !wanted.targets.contains(&target) {
            self.other_cubins.push(target);
        } else if self.cubins.iter().any(|(known, _)| *known == target) {
            self.problems.push(BadCode::SeveralCubins(target));
        } else {
            let binary = Binary::prebuilt(Some(target), image);
            self.cubins.push((target, binary));
        }
        Ok(())
    }

    fn finish(mut self, wanted: &Wanted<'_>, shown: &str, sink: &mut Sink) -> Vec<Binary<'static>> {
        for (target, text) in self.ptx {
            match self.cubins.iter_mut().find(|(known, _)| *known == target) {
                Some((_, cubin)) => cubin.ptx = Some(ptx::terminated(text)),
                None => self.other_ptx.push(target),
            }
        }
        if self.cubins.is_empty() && self.problems.is_empty() {
            self.problems.push(BadCode::NoCubin {
                wanted: wanted.targets.to_vec(),
                held: self.other_cubins,
            });
        }
        let without_ptx = self.cubins.iter().all(|(_, cubin)| cubin.ptx.is_none());
        if !wanted.ptx.is_empty() && !self.cubins.is_empty() && without_ptx {
            self.problems.push(BadCode::NoPtx {
                wanted: wanted.ptx.clone(),
                held: self.other_ptx,
            });
        }
        for what in self.problems {
            let source = shown.to_owned();
            sink.push(Problem::Code { source, what }.into());
        }
        self.cubins.into_iter().map(|(_, cubin)| cubin).collect()
    }
}
