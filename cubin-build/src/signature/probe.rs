//! A translation unit that makes the compiler itself vouch for record layouts that its side files leave in doubt.
//!
//! [`probe_source`] includes the user's source and states, one per line, every fact that a doubtful record's layout
//! rests on: sizes, alignments, offsets, and the size of each `long long` member (an `__int128` has 16). The builder
//! compiles it with the same flags and `-fdevice-syntax-only` (front end only); [`read_probe_output`] turns the
//! messages into verdicts, [`apply_verdicts`] lifts or hardens the refusals. Private members and types without a name
//! cannot be asked about: such records stay refused.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

use super::guard::{by_value, withdraw};
use super::model::{RecordId, Scalar, Signatures, Type};
use super::names::ANONYMOUS_NAMESPACE;
use super::resolve::gap_reason;

/// Name that the facts' lines go by in the compiler's messages.
const FILE: &str = "cubin_build_probe";

/// What the compiler said of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Every fact holds.
    Proved(RecordId),
    /// A fact does not hold; the condition that failed.
    Wrong(RecordId, String),
    /// A fact could not be asked: the compiler's message, or that the type has no name.
    Unseen(RecordId, String),
}

/// Records that a kernel takes by value and is refused for, because `long long` members may be `__int128`.
#[must_use]
pub fn doubtful_records(signatures: &Signatures) -> Vec<RecordId> {
    let mut found: Vec<RecordId> = signatures
        .kernels
        .iter()
        .filter(|kernel| kernel.refusal.is_some())
        .flat_map(|kernel| &kernel.params)
        .filter_map(|param| match param.ty {
            Type::Record(id) if in_doubt(signatures, id) => Some(id),
            _ => None,
        })
        .collect();
    found.sort();
    found.dedup();
    found
}

/// Some kernel is refused for the gap in this very record.
fn in_doubt(signatures: &Signatures, id: RecordId) -> bool {
    let Some(record) = signatures.records.get(id.0) else {
        return false;
    };
    let reason = gap_reason(&record.name);
    signatures
        .kernels
        .iter()
        .filter_map(|kernel| kernel.refusal.as_ref())
        .any(|refusal| refusal.reason == reason)
        || refused_elsewhere(signatures, id)
}

/// A kernel names only its first refusal; a record behind it may be in the same doubt.
fn refused_elsewhere(signatures: &Signatures, id: RecordId) -> bool {
    let within = by_value(signatures, id);
    within.iter().any(|id| {
        signatures
            .records
            .get(id.0)
            .is_some_and(|record| record.fields.iter().any(|field| is_wide(&field.ty)))
    })
}

fn is_wide(ty: &Type) -> bool {
    match ty {
        Type::Scalar(Scalar::LongLong | Scalar::ULongLong) => true,
        Type::Array(of, _) => is_wide(of),
        _ => false,
    }
}

/// One line of the probe: the condition, and the record it speaks for.
struct Fact {
    record: RecordId,
    condition: String,
}

/// The C++ spelling of a record from anywhere in its translation unit.
fn spelled(signatures: &Signatures, id: RecordId) -> Option<String> {
    let record = signatures.records.get(id.0)?;
    if record.unnamed {
        return None;
    }
    let plain = record.name.replace(&format!("{ANONYMOUS_NAMESPACE}::"), "");
    Some(format!("::{plain}"))
}

/// Facts in a fixed order, so that a line number names one; and records that cannot be named.
fn facts(signatures: &Signatures) -> (Vec<Fact>, Vec<RecordId>) {
    let (mut facts, mut nameless) = (Vec::new(), Vec::new());
    for doubtful in doubtful_records(signatures) {
        let mut within: Vec<RecordId> = by_value(signatures, doubtful).into_iter().collect();
        within.sort();
        for id in within {
            let (Some(name), Some(record)) =
                (spelled(signatures, id), signatures.records.get(id.0))
            else {
                nameless.push(doubtful);
                continue;
            };
            let mut state = |condition: String| {
                facts.push(Fact {
                    record: doubtful,
                    condition,
                });
            };
            state(format!("sizeof({name}) == {}", record.size));
            state(format!("alignof({name}) == {}", record.align));
            for field in &record.fields {
                let known = !field.name.is_empty() && !field.name.starts_with("base_");
                if !known || field.bits.is_some() {
                    continue;
                }
                state(format!(
                    "__builtin_offsetof({name}, {}) == {}",
                    field.name, field.offset
                ));
                state(format!("sizeof({name}::{}) == {}", field.name, field.size));
            }
        }
    }
    (facts, nameless)
}

/// The text of the probe for the source that `include` names, as `#include` needs it. `None` when nothing is in doubt.
#[must_use]
pub fn probe_source(include: &str, signatures: &Signatures) -> Option<String> {
    let (facts, _) = facts(signatures);
    if facts.is_empty() {
        return None;
    }
    let mut text = format!("#include \"{include}\"\n#line 1 \"{FILE}\"\n");
    for fact in &facts {
        _ = writeln!(text, "static_assert({}, \"layout\");", fact.condition);
    }
    Some(text)
}

/// Reads the compiler's messages about the probe of the same signatures. `success`: it ended with status 0.
///
/// A failure without a message about a line of the probe (a broken include, say) proves nothing: every record is
/// [`Verdict::Unseen`].
#[must_use]
pub fn read_probe_output(signatures: &Signatures, output: &str, success: bool) -> Vec<Verdict> {
    let (facts, nameless) = facts(signatures);
    let mut failed: BTreeMap<usize, &str> = BTreeMap::new();
    let mut elsewhere = None;
    for line in output.lines() {
        let Some((place, message)) = line.split_once(": error: ").or_else(|| {
            let (place, rest) = line.split_once(": error ")?;
            Some((place, rest.split_once(": ")?.1))
        }) else {
            continue;
        };
        let number = place
            .rsplit_once('(')
            .filter(|(file, _)| file.ends_with(FILE))
            .and_then(|(_, number)| number.strip_suffix(')')?.parse::<usize>().ok());
        match number {
            Some(number) => _ = failed.entry(number).or_insert(message),
            None => elsewhere = Some(message),
        }
    }
    let mut verdicts = Vec::new();
    for id in doubtful_records(signatures) {
        if nameless.contains(&id) {
            verdicts.push(Verdict::Unseen(id, "it has no name to ask by".into()));
            continue;
        }
        let lines = facts
            .iter()
            .enumerate()
            .filter(|(_, fact)| fact.record == id);
        let complaint = lines
            .filter_map(|(index, fact)| {
                let message = failed.get(&(index + 1))?;
                Some((fact, *message))
            })
            // A false statement says more than one that could not be made.
            .min_by_key(|(_, message)| !message.contains("static assertion"));
        verdicts.push(match (complaint, success, elsewhere) {
            (Some((fact, message)), ..) if message.contains("static assertion") => {
                Verdict::Wrong(id, fact.condition.clone())
            }
            (Some((_, message)), ..) => Verdict::Unseen(id, message.to_owned()),
            (None, true, None) => Verdict::Proved(id),
            (None, false, None) if !failed.is_empty() => Verdict::Proved(id),
            (None, _, Some(message)) => Verdict::Unseen(id, message.to_owned()),
            (None, false, None) => {
                Verdict::Unseen(id, "the compiler failed without a message".into())
            }
        });
    }
    verdicts
}

/// Lifts the refusal of kernels whose doubtful records are all proved; records found wrong are trusted nowhere.
pub fn apply_verdicts(signatures: &mut Signatures, verdicts: &[Verdict]) {
    let mut proved = HashSet::new();
    let mut wrong = HashSet::new();
    for verdict in verdicts {
        match verdict {
            Verdict::Proved(id) => _ = proved.insert(*id),
            Verdict::Wrong(id, _) => _ = wrong.insert(*id),
            Verdict::Unseen(..) => {}
        }
    }
    let reasons: HashSet<String> = proved
        .iter()
        .filter_map(|id| signatures.records.get(id.0))
        .map(|record| gap_reason(&record.name))
        .collect();
    for kernel in &mut signatures.kernels {
        let lifted = kernel
            .refusal
            .as_ref()
            .is_some_and(|refusal| reasons.contains(&refusal.reason));
        // Behind the named refusal there may be others: a type that stayed unknown, another record in doubt.
        let rest_known = kernel.params.iter().all(|param| match &param.ty {
            Type::Opaque(_) => false,
            Type::Record(id) => {
                proved.contains(id) || !verdicts.iter().any(|verdict| verdict.record() == *id)
            }
            _ => true,
        });
        if lifted && rest_known {
            kernel.refusal = None;
        }
    }
    withdraw(
        signatures,
        &wrong,
        "is laid out otherwise by the compiler than its printed members say",
    );
}

impl Verdict {
    /// The record it is about.
    #[must_use]
    pub fn record(&self) -> RecordId {
        match self {
            Self::Proved(id) | Self::Wrong(id, _) | Self::Unseen(id, _) => *id,
        }
    }
}
