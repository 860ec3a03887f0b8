//! The signatures of all compiled units, and what nvcc's front end answers where its side files leave a layout open.

use std::{
    collections::{HashMap, HashSet},
    fs,
    io::BufReader,
    path::{Path, PathBuf},
};

use cubin_core::{Cubin, Function, Sm};

use crate::{
    compile::{FrontEnd, Request, SideFiles, Unit},
    env::Env,
    jobs,
    signature::{self, Answers, Problem, Questions, Reading, model::Signatures},
    sorted::Map,
};

/// A unit with side files.
#[derive(Clone, Copy)]
pub(super) struct Part<'u> {
    pub(super) unit: &'u Unit,
    pub(super) side_files: &'u SideFiles,
    /// The functions of its cubin; `None` where that is linked into another and is not read otherwise.
    pub(super) functions: Option<&'u [Function<'u>]>,
}

/// What the side files of a unit say.
pub(super) struct Signature {
    pub(super) signatures: Signatures,
    /// What the compiler said of a kernel's parameters, by symbol, where that did not help.
    pub(super) remarks: Map<String, String>,
}

/// Signatures by unit, to be taken once each.
#[derive(Default)]
pub(super) struct Signed {
    root: PathBuf,
    includes: Vec<PathBuf>,
    found: HashMap<PathBuf, Result<Signature, String>>,
    /// Which files name a 128-bit integer.
    int128: HashMap<PathBuf, bool>,
}

impl Signed {
    /// Those of the unit whose cubin lies at `cubin`.
    pub(super) fn take(&mut self, cubin: &Path) -> Result<Signature, String> {
        self.found
            .remove(cubin)
            .unwrap_or_else(|| Err("they were not read".to_owned()))
    }

    /// What the files that were compiled say of types that the compiler's side files cannot show.
    pub(super) fn doubtful<'p>(
        &mut self,
        dependencies: impl Iterator<Item = &'p PathBuf>,
    ) -> signature::SourceFacts {
        let mut facts = signature::SourceFacts::default();
        for path in dependencies {
            // Other targets and other sources include it too.
            let known = self.int128.get(path).copied();
            let int128 = known.unwrap_or_else(|| {
                // The compiler has just read it; what cannot be read now is taken for doubtful.
                let found = fs::File::open(self.root.join(path))
                    .and_then(|file| signature::scan_source(path, file, &self.includes));
                found.map_or(true, |found| found.int128)
            });
            if known.is_none() {
                self.int128.insert(path.clone(), int128);
            }
            facts.int128 |= int128;
        }
        facts
    }

    fn add(&mut self, unit: &Unit, reading: Result<Reading, String>) {
        let signature = reading.map(|reading| Signature {
            signatures: reading.signatures,
            remarks: reading.remarks,
        });
        self.found.insert(unit.cubin.clone(), signature);
    }
}

/// Questions about one source, and the units that have them.
struct Asked<'u> {
    questions: Questions,
    parts: Vec<Part<'u>>,
}

/// Reads the side files of units, and asks the compiler where they leave a kernel without a wrapper: at most one run of
/// the front end per source, unless its targets differ in what they ask or a record cannot be asked about.
pub(super) fn read(env: &Env, request: &Request<'_>, parts: Vec<Part<'_>>) -> Signed {
    let mut found = Signed {
        root: request.root.to_owned(),
        // Kernels and types below it are the toolkit's.
        includes: vec![request.toolkit.root.clone()],
        ..Signed::default()
    };
    let includes = found.includes.clone();
    let nothing = Answers::default();
    let readings = jobs::run(env, parts, |part| {
        (part, reading(&part, &includes, &nothing))
    });
    let mut asked: Vec<Asked<'_>> = Vec::new();
    for (part, reading) in readings {
        match reading {
            Ok(reading) if !reading.questions.is_empty() => {
                let same = asked.iter_mut().find(|asked| {
                    asked.questions == reading.questions
                        && asked.parts[0].unit.source == part.unit.source
                });
                match same {
                    Some(same) => same.parts.push(part),
                    None => asked.push(Asked {
                        questions: reading.questions,
                        parts: vec![part],
                    }),
                }
            }
            other => found.add(part.unit, other),
        }
    }
    let answered = jobs::run(env, asked, |asked| {
        let answers = ask(env, request, &asked);
        let again = |part: Part<'_>| (part.unit.clone(), reading(&part, &includes, &answers));
        asked.parts.into_iter().map(again).collect::<Vec<_>>()
    });
    for (unit, reading) in answered.into_iter().flatten() {
        found.add(&unit, reading);
    }
    found
}

fn reading(part: &Part<'_>, includes: &[PathBuf], answers: &Answers) -> Result<Reading, String> {
    let SideFiles { stub, gpu } = part.side_files;
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
    .map_err(|error| error.to_string())
}

/// Kernels whose parameters have other sizes or places in the cubin. A cubin that cannot be read is reported elsewhere.
fn contradicted(part: &Part<'_>, signatures: &Signatures) -> HashSet<String> {
    let target = part.unit.target;
    if let Some(functions) = part.functions {
        return wrong(signatures, functions, target);
    }
    let Ok(bytes) = fs::read(&part.unit.cubin) else {
        return HashSet::new();
    };
    let functions = Cubin::parse(&bytes).and_then(|cubin| cubin.functions());
    functions.map_or_else(
        |_| HashSet::new(),
        |functions| wrong(signatures, &functions, target),
    )
}

fn wrong(signatures: &Signatures, functions: &[Function<'_>], target: Sm) -> HashSet<String> {
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
fn ask(env: &Env, request: &Request<'_>, asked: &Asked<'_>) -> Answers {
    let mut questions = asked.questions.clone();
    let mut answers = Answers::default();
    let unit = asked.parts[0].unit;
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
