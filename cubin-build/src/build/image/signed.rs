//! The signatures of all compiled units, and what nvcc's front end answers where its side files leave a layout open.

use std::{
    fs,
    io::BufReader,
    path::{Path, PathBuf},
};

use cubin_core::{Cubin, Function, Sm};

use super::super::side::{self, Side, Signature};
use crate::{
    compile::{CompileRequest, FrontEnd, SharedUse, SideFiles, Unit},
    env::Env,
    jobs,
    lists::{AddAll, CollectVec},
    ptx,
    signature::{self, Answers, Problem, Questions, Reading, SourceFacts, model::Signatures},
    sorted::{Map, Set},
    source::open_file,
};

/// A unit whose side files are read.
#[derive(Clone, Copy)]
pub(super) struct Part<'u> {
    pub(super) unit: &'u Unit,
    /// The functions of its cubin; `None` where that is linked into another and is not read otherwise.
    pub(super) functions: Option<&'u [Function<'u>]>,
}

/// Questions about one source, and the units that have them.
struct Asked<'u> {
    questions: Questions,
    parts: Vec<(Part<'u>, Option<SharedUse>)>,
}

impl Asked<'_> {
    fn source(&self) -> &Path {
        &self.parts[0].0.unit.source
    }
}

/// What lies beside the cubins of units, by the cubin's path, until it is taken; the errors say what could not be read.
pub(super) type Sides = Map<PathBuf, Option<Result<Side, String>>>;

/// Reads what lies beside the cubins of units, and asks the compiler where it leaves a kernel without a wrapper: at most
/// one run of the front end per source, unless its targets differ in what they ask or a record cannot be asked about.
/// What an earlier build read is taken where it still holds.
pub(super) fn read(env: &Env, request: &CompileRequest<'_>, parts: Vec<Part<'_>>) -> Sides {
    // Kernels and types below them are the toolkit's.
    let includes = request.toolkit.headers();
    let nothing = Answers::default();
    let all = jobs::run(env, parts, |part| match side::load(part.unit) {
        Some(side) => (part, Found::Kept(side)),
        None => {
            let shared = shared_use(part.unit, request);
            let reading = reading(&part, includes, &nothing);
            (part, Found::Read(reading, shared))
        }
    });
    let mut found = Sides::new();
    let mut fresh = Vec::new();
    let mut asked: Vec<Asked<'_>> = Vec::new();
    for (part, read) in all {
        match read {
            Found::Kept(side) => {
                found.insert(part.unit.cubin.clone(), Some(Ok(side)));
            }
            Found::Read(Ok(Some(reading)), shared) if !reading.questions.is_empty() => {
                let same = asked.iter_mut().find(|asked| {
                    asked.questions == reading.questions && asked.source() == part.unit.source
                });
                match same {
                    Some(same) => same.parts.push((part, shared)),
                    None => asked.push(Asked {
                        questions: reading.questions,
                        parts: vec![(part, shared)],
                    }),
                }
            }
            Found::Read(reading, shared) => fresh.push((part, reading, shared)),
        }
    }
    let answered = jobs::run(env, asked, |asked| {
        let answers = ask(env, request, &asked);
        let again = |(part, shared)| (part, reading(&part, includes, &answers), shared);
        asked.parts.into_iter().map(again).collect_vec()
    });
    fresh.add_all(answered.into_iter().flatten());
    let mut texts = SourceTexts {
        root: request.root,
        includes,
        facts: Map::new(),
    };
    for (part, reading, shared) in fresh {
        let side = reading.and_then(|reading| {
            Ok(Side {
                entries: match reading {
                    None => entries(part.unit)?,
                    Some(_) => Vec::new(),
                },
                signature: reading.map(|reading| Signature {
                    signatures: reading.signatures,
                    remarks: reading.remarks,
                }),
                source: texts.facts(part.unit.files()),
                shared,
            })
        });
        if let Ok(side) = &side {
            side::keep(part.unit, side);
        }
        found.insert(part.unit.cubin.clone(), Some(side));
    }
    found
}

/// Where what is known of a unit comes from.
enum Found {
    Kept(Side),
    Read(Result<Option<Reading>, String>, Option<SharedUse>),
}

/// What the files that were compiled say of types that nvcc's side files cannot show; each is read once.
struct SourceTexts<'a> {
    root: &'a Path,
    includes: &'a [PathBuf],
    facts: Map<PathBuf, SourceFacts>,
}

impl SourceTexts<'_> {
    fn facts<'f>(&mut self, dependencies: impl Iterator<Item = &'f PathBuf>) -> SourceFacts {
        let mut all = SourceFacts::default();
        for path in dependencies {
            // Other targets and other sources include it too.
            if !self.facts.contains_key(path) {
                // The compiler has just read it; what cannot be read now is taken for doubtful.
                let found = open_file(&self.root.join(path))
                    .and_then(|file| signature::scan_source(path, file, self.includes));
                let found = found.unwrap_or_else(|_| SourceFacts::doubtful());
                self.facts.insert(path.clone(), found);
            }
            if let Some(found) = self.facts.get(path) {
                all.extend(found);
            }
        }
        all
    }
}

/// Who uses dynamic shared memory; `None` when the PTX cannot be read.
fn shared_use(unit: &Unit, request: &CompileRequest<'_>) -> Option<SharedUse> {
    let mut sources = request.sources.iter();
    let source = sources.find(|source| source.path == unit.source)?;
    SharedUse::read(|| fs::File::open(&unit.ptx), source.relocatable).ok()
}

/// The kernels of a source that is PTX.
fn entries(unit: &Unit) -> Result<Vec<ptx::Entry>, String> {
    let read = fs::File::open(&unit.ptx).and_then(ptx::entries);
    read.map_err(|error| format!("cannot read {}: {error}", unit.ptx.display()))
}

/// Nothing where the source is PTX.
fn reading(
    part: &Part<'_>,
    includes: &[PathBuf],
    answers: &Answers,
) -> Result<Option<Reading>, String> {
    let Some(SideFiles { stub, gpu }) = &part.unit.side_files else {
        return Ok(None);
    };
    let failed = |path: &Path, error| format!("cannot read {}: {error}", path.display());
    let text = fs::read(stub).map_err(|error| failed(stub, error))?;
    let file = fs::File::open(gpu).map_err(|error| failed(gpu, error))?;
    Reading::new(
        &text,
        BufReader::new(file),
        includes,
        answers,
        |signatures| contradicted(part, signatures),
    )
    .map(Some)
    .map_err(|error| error.to_string())
}

/// Kernels whose parameters have other sizes or places in the cubin. A cubin that cannot be read is reported elsewhere.
fn contradicted(part: &Part<'_>, signatures: &Signatures) -> Set<String> {
    let target = part.unit.target;
    if let Some(functions) = part.functions {
        return wrong(signatures, functions, target);
    }
    let Ok(bytes) = fs::read(&part.unit.cubin) else {
        return Set::new();
    };
    let functions = Cubin::parse(&bytes).and_then(|cubin| cubin.functions());
    functions.map_or_else(
        |_| Set::new(),
        |functions| wrong(signatures, &functions, target),
    )
}

fn wrong(signatures: &Signatures, functions: &[Function<'_>], target: Sm) -> Set<String> {
    let findings = signature::check(&mut signatures.clone(), functions, target);
    let of_layout = findings.into_iter().filter(|finding| {
        matches!(
            finding.problem,
            Problem::Size { .. } | Problem::Offset { .. }
        )
    });
    of_layout.map(|finding| finding.symbol).collect()
}

/// Asks once, and once more without the records that the compiler could not be asked about.
fn ask(env: &Env, request: &CompileRequest<'_>, asked: &Asked<'_>) -> Answers {
    let mut questions = asked.questions.clone();
    let mut answers = Answers::default();
    let unit = asked.parts[0].0.unit;
    let include = FrontEnd::include(request, unit);
    for round in 1..=2 {
        let run = FrontEnd {
            unit,
            text: questions.source(&include),
            round,
        };
        match run.registrations(env, request) {
            Ok(text) => {
                match questions.read(&text) {
                    Ok(read) => answers.extend(read),
                    Err(error) => answers.unanswered(&questions, &error.to_string()),
                }
                return answers;
            }
            Err(output) => {
                let before = questions.clone();
                answers.extend(questions.at_fault(&output));
                if questions == before {
                    answers.unanswered(&questions, &first_error(&output, request.root));
                    return answers;
                }
                if questions.is_empty() {
                    return answers;
                }
            }
        }
    }
    answers.unanswered(&questions, "its errors have no end");
    answers
}

/// The first error among the compiler's messages, with paths of the package as messages show them.
fn first_error(output: &str, root: &Path) -> String {
    let line = output
        .lines()
        .find(|line| line.contains("error"))
        .or_else(|| output.lines().next())
        .unwrap_or_default();
    line.replace(&format!("{}/", root.display()), "")
}
