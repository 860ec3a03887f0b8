//! `--entry`, `--arch`, `--kernel`: a part of what a file holds. Entries that are not asked for are not unpacked.

use std::str::FromStr;

use cubin_build::config::Glob;
use cubin_core::{
    Cubin, Function, Sm,
    arch::Suffix,
    consts::EntryKind,
    demangle::demangle,
    host::{Code, DeviceCode},
};

#[derive(Debug, Default, clap::Args)]
pub(crate) struct Selection {
    /// Only the entry of this number in each file: those of fatbins, objects, libraries and executables are numbered from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    entry: Option<u32>,
    /// Only code for exactly this target: sm_90, sm_90a, or compute_90 for PTX
    #[arg(long, value_name = "TARGET")]
    arch: Option<Arch>,
    /// Only functions whose symbol or C++ name, with parameters or without, matches: `*` stands for any characters, `?` for one
    #[arg(long, value_name = "GLOB", value_parser = |text: &str| Ok::<_, String>(Glob::new(text)))]
    #[arg(conflicts_with_all = ["like_cuobjdump", "text"])]
    kernel: Option<Glob>,
}

/// A target as people write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Arch {
    sm: Sm,
    /// `compute_NN`: what PTX and IR are for.
    virtual_one: bool,
}

impl FromStr for Arch {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.strip_prefix("compute_");
        let real = number.map(|number| format!("sm_{number}"));
        let sm = real.as_deref().unwrap_or(text).parse::<Sm>();
        Ok(Self {
            sm: sm.map_err(|_| {
                format!(
                    "`{text}` is not a GPU target; expected for example sm_90, sm_90a or compute_90"
                )
            })?,
            virtual_one: number.is_some(),
        })
    }
}

impl std::fmt::Display for Arch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.virtual_one {
            return self.sm.fmt(f);
        }
        let suffix = match self.sm.suffix {
            Suffix::None => "",
            Suffix::Accelerated => "a",
            Suffix::Family => "f",
        };
        write!(f, "compute_{}{suffix}", self.sm.number)
    }
}

impl Arch {
    /// What a piece of device code is for; `None` where it does not say or cannot be read.
    pub(crate) fn of(code: &DeviceCode<'_>) -> Option<Self> {
        let (sm, virtual_one) = match &code.code {
            Code::Cubin { bytes, .. } => (Cubin::parse(bytes).ok()?.target().ok()?, false),
            Code::Entry(entry) => (
                entry.target()?,
                matches!(entry.kind, EntryKind::PTX | EntryKind::NVVM_LTO),
            ),
            Code::Ptx { bytes, .. } => (of_ptx(bytes)?, true),
        };
        Some(Self { sm, virtual_one })
    }
}

/// What the first `.target` of PTX says.
fn of_ptx(bytes: &[u8]) -> Option<Sm> {
    /// Comments of the compiler stand before it.
    const HEAD: usize = 64 * 1024;
    let head = String::from_utf8_lossy(bytes.get(..HEAD).unwrap_or(bytes));
    let words = |line: &str| line.trim().strip_prefix(".target").map(str::to_owned);
    let words = head.lines().find_map(words)?;
    let mut words = words
        .split([',', ' ', '\t'])
        .filter(|word| !word.is_empty());
    words.next()?.parse().ok()
}

impl Selection {
    /// Whether an entry is to be shown.
    pub(crate) fn takes(&self, code: &DeviceCode<'_>, number: Option<u32>) -> bool {
        (self.entry.is_none() || self.entry == number)
            && (self.arch.is_none() || self.arch == Arch::of(code))
    }

    /// Whether a function is to be shown.
    pub(crate) fn takes_function(&self, function: &Function<'_>) -> bool {
        self.kernel.as_ref().is_none_or(|glob| {
            let name = demangle(function.symbol).unwrap_or_default();
            glob.matches(function.symbol) || glob.matches(&name) || glob.matches(bare(&name))
        })
    }

    /// Whether functions are chosen by name.
    pub(crate) fn by_name(&self) -> bool {
        self.kernel.is_some()
    }

    /// Why nothing of a file was shown, which has `entries` entries for `held`.
    pub(crate) fn missed(&self, entries: u32, held: &mut Vec<Arch>) -> String {
        held.sort();
        held.dedup();
        let held: Vec<String> = held.iter().map(ToString::to_string).collect();
        match (self.entry, self.arch) {
            (Some(number), _) if number > entries => match entries {
                0 => format!(
                    "there is no entry {number}: it is a cubin by itself, or holds only such"
                ),
                1 => format!("there is no entry {number}, only entry 1"),
                _ => format!("there is no entry {number}; they are numbered from 1 to {entries}"),
            },
            (Some(number), Some(arch)) => format!("entry {number} is not for {arch}"),
            (_, Some(arch)) => format!("it holds no code for {arch}, only for {}", held.join(", ")),
            _ => "nothing was chosen".to_owned(),
        }
    }

    /// Why no function of a file was shown.
    pub(crate) fn no_function(&self) -> Option<String> {
        let glob = self.kernel.as_ref()?;
        Some(format!("no function that is called `{glob}` is in it"))
    }
}

/// `ns::scale<float>` of `void ns::scale<float>(float*, int)`.
fn bare(name: &str) -> &str {
    let mut depth = 0_usize;
    let mut start = 0;
    for (at, letter) in name.char_indices() {
        match letter {
            '<' => depth += 1,
            // `operator->` and the like do not name kernels.
            '>' => depth = depth.saturating_sub(1),
            '(' if depth == 0 && !name[at..].starts_with("(anonymous") => return &name[start..at],
            ' ' if depth == 0 && !name[at..].starts_with(" namespace)") => start = at + 1,
            _ => {}
        }
    }
    &name[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_without_return_types_and_parameters() {
        for (name, wanted) in [
            ("saxpy", "saxpy"),
            ("prk(int)", "prk"),
            (
                "void ns::scale<float, (E)1>(float*, int)",
                "ns::scale<float, (E)1>",
            ),
            (
                "(anonymous namespace)::fill(int*)",
                "(anonymous namespace)::fill",
            ),
            (
                "void (anonymous namespace)::fill<int>(int*)",
                "(anonymous namespace)::fill<int>",
            ),
            ("", ""),
        ] {
            assert_eq!(bare(name), wanted);
        }
    }

    #[test]
    fn targets_are_shown_as_they_are_written() {
        for text in ["sm_75", "sm_90a", "sm_120f", "compute_90", "compute_100f"] {
            assert_eq!(text.parse::<Arch>().unwrap().to_string(), text);
        }
        let error = "compute90".parse::<Arch>().unwrap_err();
        assert!(
            error.starts_with("`compute90` is not a GPU target"),
            "{error}"
        );
    }
}
