//! What changed between two builds of the same kernels: a reviewer's view.
//!
//! [`functions`] pairs functions by symbol and lists every figure that differs, [`cubins`] also tells whether the machine
//! code did. Compare cubins for one target: across targets every figure may differ. Nothing is judged here: whether more
//! registers are worse is for the policy.
//!
//! ```
//! # fn main() -> cubin_core::Result<()> {
//! # let file = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/saxpy.sm_90.cubin"));
//! # let (before, after) = (file, file);
//! let (before, after) = (cubin_core::Cubin::parse(before)?, cubin_core::Cubin::parse(after)?);
//! let diff = cubin_core::diff::cubins(&before, &after)?;
//! for function in &diff.changed {
//!     for change in &function.changes {
//!         println!("{}: {change}", function.after.symbol);
//!     }
//! }
//! # assert!(diff.is_empty());
//! # Ok(())
//! # }
//! ```

use alloc::{borrow::ToOwned, string::ToString, vec, vec::Vec};
use core::fmt;

use crate::{Cubin, Function, Params, Result};

/// A figure of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Figure {
    /// Registers per thread.
    Registers,
    /// Stack bytes per thread, calls included.
    Stack,
    /// Stack frame bytes of the function alone.
    Frame,
    /// Spill store and reload instructions.
    SpillInstructions,
    /// Static shared memory in bytes per block.
    StaticShared,
    /// Local memory section in bytes.
    Local,
    /// Bytes of a constant bank.
    Constant(u8),
    /// Named barriers.
    Barriers,
    /// Machine code in bytes.
    Code,
    /// Number of parameters.
    Params,
    /// Bytes of the parameter block.
    ParamBytes,
    /// Bytes of the parameter of an ordinal.
    Param(u16),
    /// Threads of the largest block that the source allows.
    MaxThreads,
    /// Threads of the block that the source requires.
    RequiredThreads,
    /// Blocks of the cluster that the source declares.
    ClusterBlocks,
    /// Blocks of the largest cluster that the source allows.
    MaxClusterRank,
    /// Register cap in force at compile time.
    MaxRegisters,
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Registers => f.pad("registers"),
            Self::Stack => f.pad("stack bytes"),
            Self::Frame => f.pad("frame bytes"),
            Self::SpillInstructions => f.pad("spill instructions"),
            Self::StaticShared => f.pad("static shared bytes"),
            Self::Local => f.pad("local bytes"),
            Self::Constant(bank) => write!(f, "constant[{bank}] bytes"),
            Self::Barriers => f.pad("barriers"),
            Self::Code => f.pad("code bytes"),
            Self::Params => f.pad("parameters"),
            Self::ParamBytes => f.pad("parameter bytes"),
            Self::Param(ordinal) => write!(f, "parameter {ordinal} bytes"),
            Self::MaxThreads => f.pad("max threads"),
            Self::RequiredThreads => f.pad("required threads"),
            Self::ClusterBlocks => f.pad("cluster blocks"),
            Self::MaxClusterRank => f.pad("max cluster rank"),
            Self::MaxRegisters => f.pad("register cap"),
        }
    }
}

/// A figure that differs. `None` means that the file does not record it, or that it is not statically known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// Which one.
    pub figure: Figure,
    /// Before.
    pub before: Option<u64>,
    /// After.
    pub after: Option<u64>,
}

impl Change {
    /// After minus before, when both are known.
    #[must_use]
    pub fn delta(&self) -> Option<i64> {
        let delta = i128::from(self.after?).saturating_sub(i128::from(self.before?));
        i64::try_from(delta.clamp(i64::MIN.into(), i64::MAX.into())).ok()
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text =
            |value: Option<u64>| value.map_or("unknown".to_owned(), |value| value.to_string());
        write!(
            f,
            "{}: {} -> {}",
            self.figure,
            text(self.before),
            text(self.after)
        )?;
        match self.delta() {
            Some(delta) => write!(f, " ({delta:+})"),
            None => Ok(()),
        }
    }
}

/// A function that is on both sides and differs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Changed<'a> {
    /// Before.
    pub before: Function<'a>,
    /// After.
    pub after: Function<'a>,
    /// The figures that differ, in the order of [`Figure`]; empty when only the code does.
    pub changes: Vec<Change>,
    /// Whether the bytes of the machine code differ; `None` when only figures were compared.
    pub code: Option<bool>,
}

/// The differences between two sets of functions. Functions that equal each other are only counted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Diff<'a> {
    /// Only after, in section order.
    pub added: Vec<Function<'a>>,
    /// Only before, in section order.
    pub removed: Vec<Function<'a>>,
    /// On both sides and different, in section order of `after`.
    pub changed: Vec<Changed<'a>>,
    /// On both sides and equal.
    pub equal: usize,
}

impl Diff<'_> {
    /// Whether nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }
}

/// What differs between the functions of two cubins, their machine code included.
///
/// # Errors
/// When a record of either is damaged.
pub fn cubins<'a>(before: &Cubin<'a>, after: &Cubin<'a>) -> Result<Diff<'a>> {
    let code = |cubin: &Cubin<'a>, function: &Function<'_>| {
        let elf = cubin.elf();
        elf.data(&elf.section(function.section)?)
    };
    pair(before.functions()?, after.functions()?, |old, new| {
        Ok(Some(code(before, old)? != code(after, new)?))
    })
}

/// What differs between two sets of functions, by their figures. Symbols that repeat are paired in order.
#[must_use]
pub fn functions<'a>(before: Vec<Function<'a>>, after: Vec<Function<'a>>) -> Diff<'a> {
    // The comparison of code cannot fail when there is none.
    pair(before, after, |_, _| Ok(None)).unwrap_or_default()
}

fn pair<'a>(
    before: Vec<Function<'a>>,
    after: Vec<Function<'a>>,
    code: impl Fn(&Function<'a>, &Function<'a>) -> Result<Option<bool>>,
) -> Result<Diff<'a>> {
    let partners = partners(&before, &after);
    let pairs = || {
        let old = partners.iter().map(|at| before.get((*at)?));
        after.iter().zip(old)
    };
    // Seen first, so that the lists take what they need: growing ones would take twice that.
    let mut fates = Vec::with_capacity(after.len());
    for (new, old) in pairs() {
        fates.push(match old {
            None => Fate::Added,
            Some(old) => match code(old, new)? {
                Some(true) => Fate::Changed(Some(true)),
                _ if changes(old, new).is_empty() => Fate::Equal,
                code => Fate::Changed(code),
            },
        });
    }
    let count = |wanted: fn(&Fate) -> bool| fates.iter().filter(|fate| wanted(fate)).count();
    let added = count(|fate| matches!(fate, Fate::Added));
    let equal = count(|fate| matches!(fate, Fate::Equal));
    let changed = after.len().saturating_sub(added).saturating_sub(equal);
    let mut diff = Diff {
        added: Vec::with_capacity(added),
        removed: Vec::new(),
        changed: Vec::with_capacity(changed),
        equal,
    };
    let mut before: Vec<Option<Function<'a>>> = before.into_iter().map(Some).collect();
    for ((after, partner), fate) in after.into_iter().zip(partners).zip(fates) {
        let old = partner.and_then(|at| before.get_mut(at)?.take());
        match (fate, old) {
            (Fate::Equal, _) => {}
            (Fate::Changed(code), Some(before)) => {
                let changes = changes(&before, &after);
                diff.changed.push(Changed {
                    before,
                    after,
                    changes,
                    code,
                });
            }
            _ => diff.added.push(after),
        }
    }
    diff.removed = before.into_iter().flatten().collect();
    Ok(diff)
}

/// What becomes of a function that is there after.
enum Fate {
    Added,
    Equal,
    /// With whether its code differs.
    Changed(Option<bool>),
}

/// For each function of `after` the position of the one of `before` that it is compared with: the first of a symbol with
/// the first, the second with the second.
fn partners(before: &[Function<'_>], after: &[Function<'_>]) -> Vec<Option<usize>> {
    let sorted = |functions: &[Function<'_>]| {
        let mut order: Vec<usize> = (0..functions.len()).collect();
        // Stable: equal symbols stay in order.
        order.sort_by_key(|at| functions.get(*at).map(|function| function.symbol));
        order
    };
    let mut old = sorted(before).into_iter().peekable();
    let mut found = vec![None; after.len()];
    for at in sorted(after) {
        let symbol = after.get(at).map(|function| function.symbol);
        let of = |at: &usize| before.get(*at).map(|function| function.symbol);
        while old.next_if(|at| of(at) < symbol).is_some() {}
        if let Some(slot) = found.get_mut(at) {
            *slot = old.next_if(|at| of(at) == symbol);
        }
    }
    found
}

/// The figures that differ, in the order of [`Figure`].
fn changes(before: &Function<'_>, after: &Function<'_>) -> Vec<Change> {
    let mut old = figures(before);
    let mut new = figures(after);
    old.sort_by_key(|(figure, _)| *figure);
    new.sort_by_key(|(figure, _)| *figure);
    let mut changes = Vec::new();
    let (mut old, mut new) = (old.into_iter().peekable(), new.into_iter().peekable());
    loop {
        let (figure, before, after) = match (old.peek(), new.peek()) {
            (None, None) => return changes,
            (Some(&(figure, before)), other) if other.is_none_or(|(other, _)| figure < *other) => {
                old.next();
                (figure, before, None)
            }
            (Some(&(figure, before)), Some(&(other, after))) if figure == other => {
                old.next();
                new.next();
                (figure, before, after)
            }
            (_, Some(&(figure, after))) => {
                new.next();
                (figure, None, after)
            }
            (Some(_), None) => return changes,
        };
        if before != after {
            changes.push(Change {
                figure,
                before,
                after,
            });
        }
    }
}

/// Every figure of a function. Banks of one number are added up: a function has one section per bank.
fn figures(function: &Function<'_>) -> Vec<(Figure, Option<u64>)> {
    let resources = &function.resources;
    let launch = &function.launch;
    let threads = |shape: Option<[u32; 3]>| {
        shape.map(|shape| {
            shape
                .into_iter()
                .fold(1_u64, |product, side| product.saturating_mul(side.into()))
        })
    };
    let mut figures = vec![
        (Figure::Registers, Some(resources.registers.into())),
        (Figure::Stack, resources.stack.bytes().map(u64::from)),
        (Figure::Frame, resources.frame.map(u64::from)),
        (
            Figure::SpillInstructions,
            resources.spill_instructions.map(u64::from),
        ),
        (Figure::StaticShared, Some(resources.static_shared)),
        (Figure::Local, Some(resources.local)),
        (Figure::Barriers, resources.barriers.map(u64::from)),
        (Figure::Code, Some(resources.code_bytes)),
        (Figure::MaxThreads, threads(launch.max_threads)),
        (Figure::RequiredThreads, threads(launch.required_threads)),
        (Figure::ClusterBlocks, threads(launch.cluster)),
        (
            Figure::MaxClusterRank,
            launch.max_cluster_rank.map(u64::from),
        ),
        (Figure::MaxRegisters, launch.max_registers.map(u64::from)),
    ];
    let mut banks = resources.constant.clone();
    banks.sort_unstable();
    banks.dedup_by_key(|(bank, _)| *bank);
    figures.extend(
        banks
            .into_iter()
            .map(|(bank, bytes)| (Figure::Constant(bank), Some(bytes))),
    );
    if let Params::Recorded { size, params, .. } = &function.params {
        figures.push((Figure::Params, Some(params.len() as u64)));
        figures.push((Figure::ParamBytes, Some((*size).into())));
        figures.extend(
            params
                .iter()
                .map(|param| (Figure::Param(param.ordinal), Some(param.size.into()))),
        );
    }
    figures
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LaunchBounds, Param, Resources, Stack};

    fn function(symbol: &'static str, section: u32) -> Function<'static> {
        Function {
            symbol,
            symbol_index: section,
            section,
            attributes: None,
            kernel: true,
            resources: Resources {
                registers: 32,
                stack: Stack::Known(0),
                constant: vec![(0, 0x380), (2, 16)],
                code_bytes: 256,
                ..Resources::default()
            },
            params: Params::Recorded {
                base: 0x210,
                size: 12,
                params: vec![Param::new(0, 0, 8), Param::new(1, 8, 4)],
            },
            launch: LaunchBounds::default(),
        }
    }

    #[test]
    fn equal_functions_are_counted() {
        let set = || vec![function("a", 1), function("b", 2)];
        let diff = functions(set(), set());
        assert!(diff.is_empty());
        assert_eq!(diff.equal, 2);
        // Moving to another section is no difference.
        let diff = functions(vec![function("a", 1)], vec![function("a", 7)]);
        assert!(diff.is_empty());
    }

    #[test]
    fn a_difference_on_any_side_is_one() {
        let (one, two) = (|| function("a", 1), || function("b", 2));
        let mut larger = one();
        larger.resources.registers = 64;
        for (before, after) in [
            (vec![one()], vec![one(), two()]),
            (vec![one(), two()], vec![two()]),
            (vec![one()], vec![larger]),
        ] {
            let diff = functions(before, after);
            assert!(!diff.is_empty(), "{diff:?}");
            let all = diff.added.len() + diff.removed.len() + diff.changed.len();
            assert_eq!(all, 1, "{diff:?}");
        }
    }

    #[test]
    fn other_code_with_the_same_figures_is_a_change() {
        let set = || vec![function("a", 1)];
        for (code, changed) in [(Some(true), 1), (Some(false), 0), (None, 0)] {
            let diff = pair(set(), set(), |_, _| Ok(code)).unwrap();
            assert_eq!((diff.changed.len(), diff.equal), (changed, 1 - changed));
            assert!(
                diff.changed
                    .iter()
                    .all(|one| one.code == code && one.changes.is_empty())
            );
        }
    }

    #[test]
    fn a_delta_is_the_nearest_number_that_it_can_be() {
        for (before, after, delta) in [
            (Some(0), Some(u64::MAX), Some(i64::MAX)),
            (Some(u64::MAX), Some(0), Some(i64::MIN)),
            (Some(u64::MAX), Some(u64::MAX - 1), Some(-1)),
            (Some(7), Some(9), Some(2)),
            (None, Some(1), None),
            (Some(1), None, None),
        ] {
            let change = Change {
                figure: Figure::Code,
                before,
                after,
            };
            assert_eq!(change.delta(), delta);
        }
    }

    #[test]
    fn every_figure_that_differs_is_listed_in_order() {
        let mut after = function("a", 1);
        after.resources.registers = 40;
        after.resources.stack = Stack::Unbounded;
        after.resources.static_shared = 1024;
        after.resources.constant = vec![(3, 4), (0, 0x384)];
        after.launch.max_threads = Some([16, 16, 1]);
        if let Params::Recorded { size, params, .. } = &mut after.params {
            *size = 8;
            params.pop();
        }
        let diff = functions(vec![function("a", 1)], vec![after]);
        let lines: Vec<String> = diff.changed[0]
            .changes
            .iter()
            .map(Change::to_string)
            .collect();
        assert_eq!(
            lines,
            [
                "registers: 32 -> 40 (+8)",
                "stack bytes: 0 -> unknown",
                "static shared bytes: 0 -> 1024 (+1024)",
                "constant[0] bytes: 896 -> 900 (+4)",
                "constant[2] bytes: 16 -> unknown",
                "constant[3] bytes: unknown -> 4",
                "parameters: 2 -> 1 (-1)",
                "parameter bytes: 12 -> 8 (-4)",
                "parameter 1 bytes: 4 -> unknown",
                "max threads: unknown -> 256",
            ]
        );
        assert_eq!(diff.changed[0].code, None);
    }

    #[test]
    fn added_and_removed_functions_and_repeated_symbols() {
        let mut second = function("a", 3);
        second.resources.registers = 64;
        let before = vec![function("a", 1), function("gone", 2), second.clone()];
        let mut third = function("a", 5);
        third.resources.registers = 65;
        let after = vec![
            function("new", 1),
            function("a", 2),
            third,
            function("a", 6),
        ];
        let diff = functions(before, after);
        let symbols = |list: &[Function<'_>]| -> Vec<(String, u32)> {
            list.iter()
                .map(|function| (function.symbol.to_owned(), function.section))
                .collect()
        };
        assert_eq!(symbols(&diff.added), [("new".into(), 1), ("a".into(), 6)]);
        assert_eq!(symbols(&diff.removed), [("gone".into(), 2)]);
        assert_eq!(diff.changed.len(), 1);
        assert_eq!(diff.changed[0].changes[0].delta(), Some(1));
        assert_eq!(diff.equal, 1);
    }
}
