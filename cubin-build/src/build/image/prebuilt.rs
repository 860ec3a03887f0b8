//! Sources that are machine code already: `.cubin` and `.fatbin` files.

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
use crate::{
    compile::Container,
    diag::Sink,
    lists::{AddAll, CollectVec, Figures},
    source::{MOST_BYTES, read_file},
};

/// The cubins of a prebuilt source, whatever it is called. A cubin is taken for the target that it was compiled for; of
/// a fatbin, those that a driver would choose on the build's targets (the exact one, or else the closest that runs there),
/// with their PTX where it is asked for.
pub(super) fn read(
    settings: &Settings,
    file: &Prebuilt,
    shown: &str,
    sink: &mut Sink,
) -> Vec<Binary<'static>> {
    let bytes = match read_file(&settings.root.join(&file.path), MOST_BYTES) {
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
            let mut fatbin = Fatbin::of(&bytes);
            for entry in fatbin::entries(&bytes, 0) {
                let added = entry.and_then(|entry| fatbin.add(&entry));
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
struct Fatbin<'a> {
    /// What its entries may be unpacked to together.
    budget: fatbin::Budget,
    cubins: Vec<(Sm, fatbin::Entry<'a>)>,
    ptx: Vec<(Sm, fatbin::Entry<'a>)>,
    problems: Vec<BadCode>,
}

impl<'a> Fatbin<'a> {
    fn of(bytes: &[u8]) -> Self {
        Self {
            budget: fatbin::Budget::new(bytes.len()),
            cubins: Vec::new(),
            ptx: Vec::new(),
            problems: Vec::new(),
        }
    }

    fn add(&mut self, entry: &fatbin::Entry<'a>) -> cubin_core::Result<()> {
        if entry.kind == EntryKind::PTX {
            self.ptx
                .add_all(entry.target().map(|target| (target, *entry)));
        } else if entry.is_cubin() {
            let target = match entry.target() {
                Some(target) => target,
                // Entries of old fatbins do not say it.
                None => Cubin::parse(&self.budget.image(entry)?)?.target()?,
            };
            self.cubins.push((target, *entry));
        }
        Ok(())
    }

    /// Takes out the cubins that a driver would choose on the build's targets: the exact one, or else the closest.
    fn choose(&mut self, targets: &[Sm]) -> Vec<(Sm, fatbin::Entry<'a>)> {
        let mut wanted: Vec<Sm> = Vec::new();
        for target in targets {
            let held = self.cubins.iter().map(|(held, _)| *held);
            let exact = held.clone().find(|held| held == target);
            wanted.add_all(exact.or_else(|| held.filter(|held| held.runs_on(*target)).largest()));
        }
        let cubins = std::mem::take(&mut self.cubins);
        let (chosen, others) = cubins
            .into_iter()
            .partition(|(target, _)| wanted.contains(target));
        self.cubins = others;
        chosen
    }

    fn finish(mut self, wanted: &Wanted<'_>, shown: &str, sink: &mut Sink) -> Vec<Binary<'static>> {
        let mut binaries: Vec<(Sm, Binary<'static>)> = Vec::new();
        for (target, entry) in self.choose(wanted.targets) {
            if binaries.iter().any(|(known, _)| *known == target) {
                self.problems.push(BadCode::SeveralCubins(target));
                continue;
            }
            match self.budget.image(&entry) {
                Ok(image) => {
                    let binary = Binary::prebuilt(Some(target), image.into_owned());
                    binaries.push((target, binary));
                }
                Err(error) => self.problems.push(BadCode::Entry(error)),
            }
        }
        let mut other_ptx = Vec::new();
        for (target, entry) in &self.ptx {
            let asked = wanted.ptx.contains(target);
            let mut cubins = binaries.iter_mut();
            match cubins.find(|(known, _)| asked && known == target) {
                Some((_, cubin)) => match self.budget.image(entry) {
                    Ok(text) => cubin.ptx = Some(ptx::terminated(text.into_owned())),
                    Err(error) => self.problems.push(BadCode::Entry(error)),
                },
                None => other_ptx.push(*target),
            }
        }
        if binaries.is_empty() && self.problems.is_empty() {
            self.problems.push(BadCode::NoCubin {
                wanted: wanted.targets.to_vec(),
                held: self.cubins.iter().map(|(target, _)| *target).collect_vec(),
            });
        }
        let without_ptx = binaries.iter().all(|(_, cubin)| cubin.ptx.is_none());
        if !wanted.ptx.is_empty() && !binaries.is_empty() && without_ptx {
            self.problems.push(BadCode::NoPtx {
                wanted: wanted.ptx.clone(),
                held: other_ptx,
            });
        }
        for what in self.problems {
            let source = shown.to_owned();
            sink.push(Problem::Code { source, what }.into());
        }
        binaries.into_iter().map(|(_, cubin)| cubin).collect_vec()
    }
}
