//! One run of a tool whose results lie in a directory of their own, beside a record of all that they depend on.
//!
//! What compiling and linking share: when earlier results still hold, how a directory is made anew, how a tool runs in
//! it, and how its failure becomes data. The record is written last, so that a build that is killed leaves nothing that
//! looks whole.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitStatus},
    time::Duration,
};

use cubin_core::Sm;

use super::{
    Cause, Failure,
    record::{self, CompileRecord},
    run::{self, Stopped},
};
use crate::{
    cache::{self, ContentHash},
    env::Env,
    lists::{AddAll, CollectVec},
};

/// The file with all that results depend on.
pub(super) const RECORD: &str = "record.txt";
/// The file with what the tool printed.
pub(super) const LOG: &str = "log.txt";

/// More than the steps in which a file system counts time (a hundredth of a second at most): what was written before is older
/// than what is written after.
pub(super) const TICK: Duration = Duration::from_millis(11);

/// What runs, for messages, and where.
#[derive(Clone, Copy)]
pub(super) struct Step<'a> {
    /// A source, or the name of a linked module.
    pub(super) name: &'a Path,
    pub(super) target: Sm,
    pub(super) dir: &'a Path,
}

/// Results that still hold.
pub(super) struct Earlier {
    pub(super) outputs: Vec<PathBuf>,
    pub(super) log: String,
}

/// A tool that has run.
pub(super) struct Ran {
    pub(super) status: ExitStatus,
    /// All that it printed.
    pub(super) log: String,
    shown: Shown,
}

/// A command as one could type it.
struct Shown {
    program: String,
    text: String,
}

impl<'a> Step<'a> {
    /// The record of the earlier results.
    pub(super) fn record(&self) -> Result<(CompileRecord, ContentHash), String> {
        let text = fs::read_to_string(self.dir.join(RECORD)).ok();
        let text = text.ok_or("there is no earlier result")?;
        let record = CompileRecord::parse(&text).ok_or("there is no earlier result")?;
        Ok((record, ContentHash::of(text.as_bytes())))
    }

    /// The earlier results, when nothing that they depend on differs now, and they are what they were; else why not.
    pub(super) fn earlier(
        &self,
        old: &CompileRecord,
        head: &[String],
        inputs: &[String],
    ) -> Result<Earlier, String> {
        let changed = record::difference(&old.head, head);
        if let Some(reason) = changed.or_else(|| record::difference(&old.inputs, inputs)) {
            return Err(reason);
        }
        self.kept(old)
    }

    /// The earlier results, when they are what they were; else which is not.
    pub(super) fn kept(&self, old: &CompileRecord) -> Result<Earlier, String> {
        let mut outputs = Vec::new();
        for line in &old.outputs {
            let name = record::output_name(line).ok_or_else(damaged)?;
            let path = self.dir.join(name);
            if record::output_line(&path).as_ref() != Some(line) {
                let path = path.display();
                return Err(format!("its result {path} is gone or was changed"));
            }
            outputs.push(path);
        }
        if outputs.is_empty() {
            return Err(damaged());
        }
        let log = fs::read(self.dir.join(LOG)).map_err(|_| damaged())?;
        let log = String::from_utf8_lossy(&log).into_owned();
        Ok(Earlier { outputs, log })
    }

    /// Empties the directory.
    pub(super) fn begin(&self) -> Result<(), Box<Failure>> {
        fresh(self.dir).map_err(self.io(self.dir))
    }

    /// Runs a tool in `root`, with temporary files in the directory.
    pub(super) fn run(
        &self,
        env: &Env,
        command: &mut Command,
        root: &Path,
    ) -> Result<Ran, Box<Failure>> {
        prepare(command, root, self.dir);
        let shown = Shown::of(command);
        let what = format!(
            "{} of {} for {}",
            shown.program,
            self.name.display(),
            self.target
        );
        let cause = match run::run(command, &what, run::limit(env)) {
            Ok(ended) => {
                return Ok(Ran {
                    status: ended.status,
                    log: ended.log,
                    shown,
                });
            }
            Err(Stopped::Spawn(why)) => Cause::Spawn(why),
            Err(Stopped::Timeout { limit, log }) => {
                let mut failure = self.failure(Cause::Timeout(limit));
                failure.tell(&log);
                shown.tell(&mut failure);
                return Err(failure);
            }
        };
        let mut failure = self.failure(cause);
        shown.tell(&mut failure);
        Err(failure)
    }

    /// The failure of a tool that has run.
    pub(super) fn failed(&self, ran: &Ran, cause: Cause) -> Box<Failure> {
        let mut failure = self.failure(cause);
        failure.tell(&ran.log);
        ran.shown.tell(&mut failure);
        failure
    }

    /// Keeps what a tool printed.
    pub(super) fn keep_log(&self, log: &str) -> Result<(), Box<Failure>> {
        let path = self.dir.join(LOG);
        fs::write(&path, log).map_err(self.io(&path))
    }

    /// Writes the record with a line for each result: from now on they hold. Gives the hash of its text.
    pub(super) fn finish(
        &self,
        mut record: CompileRecord,
        outputs: &[PathBuf],
    ) -> Result<ContentHash, Box<Failure>> {
        self.finish_in_place(&mut record, outputs)
    }

    /// As [`Step::finish`]; the record has the lines then.
    pub(super) fn finish_in_place(
        &self,
        record: &mut CompileRecord,
        outputs: &[PathBuf],
    ) -> Result<ContentHash, Box<Failure>> {
        record.outputs.clear();
        for path in outputs {
            record.outputs.add_all(record::output_line(path));
        }
        let path = self.dir.join(RECORD);
        let text = record.text();
        cache::write(&path, text.as_bytes()).map_err(self.io(&path))?;
        Ok(ContentHash::of(text.as_bytes()))
    }

    /// A failure with nothing run.
    pub(super) fn failure(&self, cause: Cause) -> Box<Failure> {
        Box::new(Failure::new(self.name, self.target, cause, self.dir))
    }

    /// The failure of reading or writing a file of ours.
    pub(super) fn io(&self, path: &Path) -> impl Fn(std::io::Error) -> Box<Failure> + use<'a> {
        let (step, path) = (*self, path.to_owned());
        move |error| {
            step.failure(Cause::Io {
                path: path.clone(),
                why: error.to_string(),
            })
        }
    }
}

/// Said of a record that does not fit its results.
pub(super) fn damaged() -> String {
    "its record is damaged".to_owned()
}

/// Makes a directory empty: first what makes the old results valid goes, then the rest.
pub(super) fn fresh(dir: &Path) -> std::io::Result<()> {
    if dir.exists() {
        let _ = fs::remove_file(dir.join(RECORD));
        fs::remove_dir_all(dir)?;
    }
    fs::create_dir_all(dir)
}

/// Messages in English, temporary files in `dir`, unless the command has another place for them.
pub(super) fn prepare(command: &mut Command, root: &Path, dir: &Path) {
    command.current_dir(root).env("LC_ALL", "C");
    if !command.get_envs().any(|(name, _)| name == "TMPDIR") {
        command.env("TMPDIR", dir);
    }
}

/// Whether a tool left a file with something in it.
pub(super) fn is_there(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.len() > 0)
}

/// A command as one could type it.
pub(super) fn shown(command: &Command) -> String {
    Shown::of(command).text
}

impl Shown {
    fn of(command: &Command) -> Self {
        let program = command.get_program();
        let name = Path::new(program).file_stem().unwrap_or(program);
        let words = std::iter::once(program).chain(command.get_args());
        let words: Vec<String> = words.map(quoted).collect_vec();
        Self {
            program: name.to_string_lossy().into_owned(),
            text: words.join(" "),
        }
    }

    fn tell(&self, failure: &mut Failure) {
        failure.program.clone_from(&self.program);
        failure.command.clone_from(&self.text);
    }
}

/// A word as a shell takes it.
fn quoted(word: &std::ffi::OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_alphanumeric() || "-_=./+:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
