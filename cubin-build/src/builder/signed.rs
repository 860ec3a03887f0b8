//! The signatures of all compiled units, and what nvcc's front end answers where its side files leave a layout open.

use std::{
    collections::{HashMap, HashSet},
    fs,
    io::BufReader,
    path::{Path, PathBuf},
};

use crate::sorted::Map;
use cubin_core::Cubin;

use crate::{
    compile::{FrontEnd, Request, SideFiles, Unit},
    env::Env,
    jobs,
    signature::{self, Answers, Problem, Questions, Reading, model::Signatures},
};

/// Signatures by unit, to be taken once each.
#[derive(Default)]
pub(super) struct Signed {
    signatures: HashMap<PathBuf, Result<Signatures, String>>,
    remarks: Map<String, String>,
}

impl Signed {
    /// Those of the unit whose cubin lies at `cubin`.
    pub(super) fn take(&mut self, cubin: &Path) -> Result<Signatures, String> {
        self.signatures
            .remove(cubin)
            .unwrap_or_else(|| Err("they were not read".to_owned()))
    }

    /// What the compiler said of a kernel's parameters, where that did not help.
    pub(super) fn remark(&self, symbol: &str) -> Option<&str> {
        self.remarks.get(symbol).map(String::as_str)
    }
}

/// Questions about one source, and the units that have them.
struct Asked<'u> {
    questions: Questions,
    units: Vec<&'u Unit>,
}

/// Reads the side files of `units`, and asks the compiler where they leave a kernel without a wrapper: at most one run
/// of the front end per source, unless its targets differ in what they ask or a record cannot be asked about.
pub(super) fn read(env: &Env, request: &Request<'_>, units: &[Unit]) -> Signed {
    let includes = [request.toolkit.root.clone()];
    let signed: Vec<&Unit> = units
        .iter()
        .filter(|unit| unit.side_files.is_some())
        .collect();
    let nothing = Answers::default();
    let readings = jobs::run(env, signed, |unit| {
        (unit, reading(unit, &includes, &nothing))
    });
    let mut found = Signed::default();
    let mut asked: Vec<Asked<'_>> = Vec::new();
    for (unit, reading) in readings {
        match reading {
            Ok(reading) if !reading.questions.is_empty() => {
                let same = asked.iter_mut().find(|asked| {
                    asked.questions == reading.questions && asked.units[0].source == unit.source
                });
                match same {
                    Some(same) => same.units.push(unit),
                    None => asked.push(Asked {
                        questions: reading.questions,
                        units: vec![unit],
                    }),
                }
            }
            other => found.add(unit, other),
        }
    }
    let answered = jobs::run(env, asked, |asked| {
        let answers = ask(env, request, &asked);
        let again = |unit| (unit, reading(unit, &includes, &answers));
        asked.units.into_iter().map(again).collect::<Vec<_>>()
    });
    for (unit, reading) in answered.into_iter().flatten() {
        found.add(unit, reading);
    }
    found
}

impl Signed {
    fn add(&mut self, unit: &Unit, reading: Result<Reading, String>) {
        let signatures = reading.map(|reading| {
            self.remarks.extend(reading.remarks);
            reading.signatures
        });
        self.signatures.insert(unit.cubin.clone(), signatures);
    }
}

fn reading(unit: &Unit, includes: &[PathBuf], answers: &Answers) -> Result<Reading, String> {
    let Some(SideFiles { stub, gpu }) = &unit.side_files else {
        return Err("the compiler left no signatures".to_owned());
    };
    let failed = |path: &Path, error| format!("cannot read {}: {error}", path.display());
    let text = fs::read(stub).map_err(|error| failed(stub, error))?;
    let file = fs::File::open(gpu).map_err(|error| failed(gpu, error))?;
    Reading::new(
        &text,
        BufReader::new(file),
        includes,
        answers,
        |signatures| contradicted(unit, signatures),
    )
    .map_err(|error| error.to_string())
}

/// Kernels whose parameters have other sizes or places in the cubin. A cubin that cannot be read is reported elsewhere.
fn contradicted(unit: &Unit, signatures: &Signatures) -> HashSet<String> {
    let Ok(bytes) = fs::read(&unit.cubin) else {
        return HashSet::new();
    };
    let Ok(functions) = Cubin::parse(&bytes).and_then(|cubin| cubin.functions()) else {
        return HashSet::new();
    };
    signature::check(&mut signatures.clone(), &functions, unit.target)
        .into_iter()
        .filter(|finding| {
            matches!(
                finding.problem,
                Problem::Size { .. } | Problem::Offset { .. }
            )
        })
        .map(|finding| finding.symbol)
        .collect()
}

/// Asks once, and once more without the records that the compiler could not be asked about.
fn ask(env: &Env, request: &Request<'_>, asked: &Asked<'_>) -> Answers {
    let mut questions = asked.questions.clone();
    let mut answers = Answers::default();
    let unit = asked.units[0];
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
