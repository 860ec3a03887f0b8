//! Asks nvcc's front end about the records that its side files leave in doubt.
//!
//! The files print a member of type `__int128` as `long long`, and leave out what only the toolkit's own headers
//! define. [`Questions`] are a translation unit that includes the user's source and instantiates one empty kernel per
//! fact, with the fact as template argument: `cubin_build_record<0, sizeof(::S), alignof(::S)>`. The front end
//! registers each with the argument's value in the same file of kernel registrations that [`read`](super::read) reads,
//! so the numbers are the compiler's own and not a guess confirmed. No back end is needed
//! (`-fdevice-syntax-only`), and names in an explicit instantiation are not checked for access (C++11,
//! [temp.spec] paragraph 6), so private members can be asked about.
//!
//! Cannot be asked about: types that the source cannot name, bit fields, members that are references.

use std::fmt::Write as _;

use super::error::Error;
use super::{names, stub};
use crate::lists::{CollectSome, CollectText};
use crate::sorted::{Map, Set};

/// Name that the statements' lines go by in the compiler's messages, and the namespace that they stand in.
const PROBE: &str = "cubin_build_probe";
const RECORD: &str = "cubin_build_record";
const MEMBER: &str = "cubin_build_member";

/// Names are long, since the user's macros reach to here.
const HELPERS: &str = "\
template <class cubin_build_t> struct cubin_build_element { typedef cubin_build_t cubin_build_type; };
template <class cubin_build_t> struct cubin_build_element<cubin_build_t[]> : cubin_build_element<cubin_build_t> {};
template <class cubin_build_t, decltype(sizeof(0)) cubin_build_n> struct cubin_build_element<cubin_build_t[cubin_build_n]> : cubin_build_element<cubin_build_t> {};
template <class cubin_build_t> struct cubin_build_wide { static const int cubin_build_value = 0; };
template <> struct cubin_build_wide<__int128> { static const int cubin_build_value = 1; };
template <> struct cubin_build_wide<unsigned __int128> { static const int cubin_build_value = 1; };
template <class cubin_build_t> struct cubin_build_wide<const cubin_build_t> : cubin_build_wide<cubin_build_t> {};
template <class cubin_build_t> struct cubin_build_wide<volatile cubin_build_t> : cubin_build_wide<cubin_build_t> {};
template <class cubin_build_t> struct cubin_build_wide<const volatile cubin_build_t> : cubin_build_wide<cubin_build_t> {};
template <class cubin_build_t> struct cubin_build_bytes { static const unsigned long long cubin_build_value = sizeof(cubin_build_t); };
template <class cubin_build_t> struct cubin_build_bytes<cubin_build_t[]> { static const unsigned long long cubin_build_value = 0; };
template <int, unsigned long long, unsigned long long> __global__ void cubin_build_record() {}
template <int, int, unsigned long long, unsigned long long, int> __global__ void cubin_build_member() {}
";

/// Facts to ask the compiler for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Questions {
    pub(super) records: Vec<Question>,
}

/// All about one record.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Question {
    pub tag: String,
    /// C++ name, from anywhere in the translation unit.
    pub name: String,
    pub members: Vec<Ask>,
    /// Printed members.
    pub count: usize,
}

/// All about one member.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ask {
    pub name: String,
    pub kind: AskKind,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum AskKind {
    /// The printed member of this index.
    Member(usize),
    /// A member of the printed member of this index, which has no name itself: a base, or an anonymous union.
    Through(usize, Vec<(String, usize)>),
    /// A `long long` within a member without a name must be one.
    LongLong(u64),
}

/// What the compiler says of records.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answers {
    records: Map<String, Answer>,
    /// Why nothing is known, by tag.
    unseen: Map<String, (String, String)>,
}

/// The layout of one record.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answer {
    pub size: u64,
    pub align: u64,
    /// By printed member; nothing for padding and empty bases.
    pub places: Vec<Option<MemberOffset>>,
}

/// The place of one member.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MemberOffset {
    pub name: String,
    pub offset: u64,
    /// Absent when a member of the member was asked about.
    pub size: Option<u64>,
    pub int128: bool,
    /// Records and their members that `offset` leads through.
    pub through: Vec<(String, usize)>,
}

impl Answers {
    pub(super) fn of(&self, tag: &str) -> Option<&Answer> {
        self.records.get(tag)
    }

    /// Whether the compiler was asked about a record, with or without success.
    pub(super) fn tried(&self, tag: &str) -> bool {
        self.records.contains_key(tag) || self.unseen.contains_key(tag)
    }

    /// Takes over what `other` knows.
    pub fn extend(&mut self, other: Self) {
        self.records.extend(other.records);
        self.unseen.extend(other.unseen);
    }

    /// Notes of all `questions` that nobody knows, and why.
    pub fn unanswered(&mut self, questions: &Questions, why: &str) {
        for question in &questions.records {
            self.note(question, why);
        }
    }

    pub(super) fn note(&mut self, question: &Question, why: &str) {
        let entry = (question.name.clone(), why.to_owned());
        self.unseen.insert(question.tag.clone(), entry);
    }

    /// What to tell of a kernel about whose records nothing was learned.
    pub(super) fn remark(&self, tags: &[String]) -> Option<String> {
        let found: Set<String> = tags
            .iter()
            .filter_map(|tag| self.unseen.get(tag))
            .map(|(name, why)| {
                let name = name.trim_start_matches("::");
                format!("the compiler was asked for the layout of `{name}`, without success: {why}")
            })
            .collect();
        (!found.is_empty()).then(|| found.into_vec().join("\n"))
    }
}

impl Questions {
    /// Nothing is in doubt.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The probe for the source that `include` names, as `#include` needs it.
    #[must_use]
    pub fn source(&self, include: &str) -> String {
        let mut text = format!("#include \"{include}\"\nnamespace {PROBE} {{\n{HELPERS}");
        _ = writeln!(text, "#line 1 \"{PROBE}\"");
        for (_, statement) in self.statements() {
            _ = writeln!(text, "{statement}");
        }
        text.push_str("}\n");
        text
    }

    /// One per line, each with the question it belongs to.
    fn statements(&self) -> Vec<(usize, String)> {
        let mut found = Vec::new();
        for (number, question) in self.records.iter().enumerate() {
            let name = &question.name;
            found.push((
                number,
                format!("template __global__ void {RECORD}<{number}, sizeof({name}), alignof({name})>();"),
            ));
            for (index, ask) in question.members.iter().enumerate() {
                let member = &ask.name;
                let ty = format!("decltype({name}::{member})");
                found.push((
                    number,
                    format!(
                        "template __global__ void {MEMBER}<{number}, {index}, __builtin_offsetof({name}, {member}), \
                         cubin_build_bytes<{ty}>::cubin_build_value, \
                         cubin_build_wide<cubin_build_element<{ty}>::cubin_build_type>::cubin_build_value>();"
                    ),
                ));
            }
        }
        found
    }

    /// Takes out the questions that the compiler's messages complain about, and says of each why. None are taken out
    /// when the messages are about something else.
    pub fn at_fault(&mut self, output: &str) -> Answers {
        let mut complaints: Map<usize, &str> = Map::new();
        let statements = self.statements();
        for line in output.lines() {
            let Some(rest) = line.strip_prefix(PROBE) else {
                continue;
            };
            // The front end writes `NAME(7): error: …`, the preprocessor `NAME:7:42: error: …`.
            let digits: String = rest
                .chars()
                .skip(1)
                .take_while(char::is_ascii_digit)
                .collect_text();
            let message = rest
                .split_once(": error: ")
                .or_else(|| rest.split_once(": error ")?.1.split_once(": "))
                .map(|(_, message)| message);
            let statement = digits
                .parse::<usize>()
                .ok()
                .and_then(|line| statements.get(line.checked_sub(1)?));
            if let (Some(message), Some((number, _))) = (message, statement) {
                complaints.or_insert_with(*number, || message);
            }
        }
        let mut answers = Answers::default();
        let mut rest = Vec::new();
        for (number, question) in self.records.drain(..).enumerate() {
            match complaints.get(&number) {
                Some(message) => answers.note(&question, message),
                None => rest.push(question),
            }
        }
        self.records = rest;
        answers
    }

    /// The answers in the file of kernel registrations that the probe left.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(&self, registrations: &[u8]) -> Result<Answers, Error> {
        let stub = stub::read(registrations)?;
        let mut records: Map<u64, (u64, u64)> = Map::new();
        let mut members: Map<(u64, u64), MemberFacts> = Map::new();
        for entry in &stub.entries {
            let split = names::split(&entry.name, &|_, _| None);
            if split.namespaces != [PROBE] {
                continue;
            }
            let numbers: Option<Vec<u64>> = split
                .template_args
                .iter()
                .map(|argument| u64::try_from(argument.value.as_ref()?.number).ok())
                .collect_some();
            match (split.base.as_str(), numbers.as_deref()) {
                (RECORD, Some(&[record, size, align])) => {
                    records.insert(record, (size, align));
                }
                (MEMBER, Some(&[record, member, offset, size, wide])) => {
                    members.insert((record, member), (offset, size, wide != 0));
                }
                _ => {}
            }
        }
        let mut answers = Answers::default();
        for (number, question) in (0_u64..).zip(&self.records) {
            let record = records.get(&number).copied();
            let members = (0_u64..)
                .zip(&question.members)
                .map(|(index, ask)| Some((ask, *members.get(&(number, index))?)));
            match question.answer(record, members.collect_some()) {
                Ok(answer) => _ = answers.records.insert(question.tag.clone(), answer),
                Err(why) => answers.note(question, &why),
            }
        }
        Ok(answers)
    }
}

/// Offset, size, and whether it is an `__int128` or an array of them.
type MemberFacts = (u64, u64, bool);

impl Question {
    fn answer(
        &self,
        record: Option<(u64, u64)>,
        members: Option<Vec<(&Ask, MemberFacts)>>,
    ) -> Result<Answer, String> {
        let (Some((size, align)), Some(members)) = (record, members) else {
            return Err("its answer lacks facts that were asked for".into());
        };
        if !align.is_power_of_two() || size == 0 || size % align != 0 {
            return Err(format!(
                "its answer is {size} bytes with an alignment of {align}"
            ));
        }
        let mut places = vec![None; self.count];
        for (ask, (offset, size, int128)) in members {
            let (index, size, through) = match &ask.kind {
                AskKind::Member(index) => (*index, Some(size), Vec::new()),
                AskKind::Through(index, through) => (*index, None, through.clone()),
                AskKind::LongLong(expected) if int128 || *expected != size => {
                    return Err(format!(
                        "`{}`, which lies in a member without a name, has {size} bytes and not {expected}",
                        ask.name
                    ));
                }
                AskKind::LongLong(_) => continue,
            };
            if let Some(place) = places.get_mut(index) {
                *place = Some(MemberOffset {
                    name: ask.name.clone(),
                    offset,
                    int128: int128 && size.is_some(),
                    size,
                    through,
                });
            }
        }
        Ok(Answer {
            size,
            align,
            places,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn questions() -> Questions {
        let question = |tag: &str, members: &[&str]| Question {
            tag: tag.into(),
            name: format!("::{tag}"),
            members: members
                .iter()
                .enumerate()
                .map(|(index, name)| Ask {
                    name: (*name).into(),
                    kind: AskKind::Member(index),
                })
                .collect(),
            count: members.len(),
        };
        Questions {
            records: vec![question("A", &["x"]), question("B", &["y", "z"])],
        }
    }

    fn registered(kernels: &[&str]) -> String {
        kernels
            .iter()
            .map(|kernel| {
                format!("__cudaRegisterEntry(__T0, ((void ( *)(void))cubin_build_probe::{kernel}), _Zx, (-1)); ")
            })
            .collect()
    }

    #[test]
    fn values_are_read_back() {
        let text = registered(&[
            "cubin_build_member<(int)0, (int)0, (unsigned long long)0ull, (unsigned long long)16ull, (int)1> ",
            "cubin_build_record<(int)0, (unsigned long long)32ull, (unsigned long long)16ull> ",
            "cubin_build_record<(int)1, (unsigned long long)8ull, (unsigned long long)4ull> ",
        ]);
        let answers = questions().read(text.as_bytes()).expect("readable");
        let a = answers.of("A").expect("an answer");
        assert_eq!((a.size, a.align), (32, 16));
        let place = a.places[0].as_ref().expect("a place");
        assert_eq!(
            (place.offset, place.size, place.int128),
            (0, Some(16), true)
        );
        assert_eq!(answers.of("B"), None);
        let remark = answers.remark(&["A".into(), "B".into()]).expect("a remark");
        assert_eq!(
            remark,
            "the compiler was asked for the layout of `B`, without success: its answer lacks facts that were asked for"
        );
    }

    #[test]
    fn layouts_that_cannot_be_are_no_answers() {
        for (size, align) in [(0, 1), (8, 3), (12, 8), (8, 0)] {
            let text = registered(&[&format!(
                "cubin_build_record<(int)0, (unsigned long long){size}ull, (unsigned long long){align}ull> "
            )]);
            let mut asked = questions();
            asked.records.truncate(1);
            asked.records[0].members.clear();
            let answers = asked.read(text.as_bytes()).expect("readable");
            assert_eq!(answers.of("A"), None, "{size} {align}");
        }
    }

    #[test]
    fn complaints_find_their_record() {
        for message in [
            "cubin_build_probe(4): error: class \"B\" has no member \"y\"",
            "cubin_build_probe(4): error #135: class \"B\" has no member \"y\"",
            "cubin_build_probe:4:42: error: class \"B\" has no member \"y\"",
        ] {
            let mut asked = questions();
            let answers = asked.at_fault(&format!("a.cu(4): error: something else\n{message}\n"));
            assert_eq!(asked.records.len(), 1, "{message}");
            assert_eq!(asked.records[0].tag, "A");
            assert!(
                answers
                    .remark(&["B".into()])
                    .is_some_and(|remark| remark.ends_with("class \"B\" has no member \"y\"")),
                "{answers:?}"
            );
        }
        let mut asked = questions();
        asked.at_fault("a.cu(4): error: something else\ncubin_build_probe(99): error: x\n");
        assert_eq!(asked, questions(), "nothing to take out");
    }
}
