//! The last step of a source for one target: ptxas, from PTX that cicc made or that a user wrote.
//!
//! ```text
//! OUT_DIR/units/saxpy-3fa19c04/sm_90a/
//!     saxpy.cubin
//!     log.txt                            what ptxas printed
//!     record.txt                         everything the result depends on, one item per line; written last
//!     work/                              while it runs, and after a failure
//!     read.bin                           what the build read of side files and PTX; another phase's
//! ```

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
};

use cubin_core::Sm;

use super::{
    Cause, Failure, Source, command,
    front::Translated,
    kind::{Names, Steps},
    record::{self, CompileRecord},
    step::{self, LOG, Step},
    times::Timed,
    unit::{Common, tame_stem},
};
use crate::{
    cache::{self, ContentHash, encode_path},
    lists::AddAll,
    source::open_file,
};

/// Where files are while they are made.
const WORK: &str = "work";

/// The last step of a source.
pub(super) struct Back<'a> {
    pub(super) source: &'a Source,
    pub(super) target: Sm,
    pub(super) dir: PathBuf,
    /// Its commands, where it comes behind a front, which may be another target's.
    steps: Option<&'a Steps>,
    stem: String,
    head: Vec<String>,
}

/// Where the PTX comes from.
#[derive(Clone, Copy)]
pub(super) enum Ptx<'a> {
    /// The steps before.
    Made(&'a Translated),
    /// It is the source.
    Source,
}

/// A cubin, made now or earlier.
#[derive(Clone)]
pub(super) struct Assembled {
    pub(super) cubin: PathBuf,
    pub(super) log: String,
    /// Of all that it depends on, and of what it is.
    pub(super) identity: ContentHash,
    /// Why ptxas ran.
    pub(super) ran: Option<String>,
}

impl<'a> Back<'a> {
    /// `words` decide what ptxas makes; those of a source in PTX, or of a kind.
    pub(super) fn new(
        common: &Common<'_>,
        source: &'a Source,
        target: Sm,
        words: &[String],
        (steps, dir): (Option<&'a Steps>, PathBuf),
    ) -> Self {
        let mut head = vec![record::FORMAT.to_owned()];
        head.add_all(common.toolkit_lines().iter().cloned());
        head.push(format!("source {}", encode_path(&source.path)));
        head.push(format!("target {target}"));
        let flags = words.iter().map(|word| encode_path(Path::new(word)));
        head.add_all(flags.map(|word| format!("flag {word}")));
        Self {
            source,
            target,
            dir,
            steps,
            stem: tame_stem(&source.path),
            head,
        }
    }

    fn step(&self) -> Step<'_> {
        Step {
            name: &self.source.path,
            target: self.target,
            dir: &self.dir,
        }
    }

    fn outputs(&self) -> [PathBuf; 2] {
        [
            self.dir.join(format!("{}.cubin", self.stem)),
            self.dir.join(LOG),
        ]
    }

    /// A line for the PTX.
    fn input(&self, common: &Common<'_>, ptx: Ptx<'_>, now: bool) -> String {
        match ptx {
            Ptx::Made(made) => format!("content {}", made.ptx_line),
            Ptx::Source => {
                let path = common.request.root.join(&self.source.path);
                let content = if now {
                    common.files.content_now(&path)
                } else {
                    common.files.content(&path)
                };
                let hash = content.map_or("missing".to_owned(), |content| content.hash.to_string());
                format!("content {hash} {}", encode_path(&self.source.path))
            }
        }
    }

    /// The earlier result, when all that it depends on stands as it was; else why not.
    pub(super) fn check(&self, common: &Common<'_>, ptx: Ptx<'_>) -> Result<Assembled, String> {
        let step = self.step();
        let (old, identity) = step.record()?;
        let earlier = step.earlier(&old, &self.head, &[self.input(common, ptx, false)])?;
        Ok(Assembled {
            cubin: self.outputs()[0].clone(),
            log: earlier.log,
            identity,
            ran: None,
        })
    }

    /// All that decides what ptxas makes, for PTX that cicc made: the same of two sources is run once.
    pub(super) fn key(&self, made: &Translated) -> ContentHash {
        let mut text = String::new();
        for line in self.head.iter().filter(|line| !line.starts_with("source ")) {
            text.push_str(line);
            text.push('\n');
        }
        // `output BYTES HASH NAME`
        for word in made.ptx_line.split(' ').take(3) {
            text.push_str(word);
        }
        ContentHash::of(text.as_bytes())
    }

    /// Takes what ptxas has just made for another source of the same PTX; `None` where it said something that names the
    /// file.
    pub(super) fn adopt(
        &self,
        common: &Common<'_>,
        (other, made_of): (&Self, &Path),
        made: &Translated,
        reason: &str,
    ) -> Option<Assembled> {
        let [cubin, log] = other.outputs();
        let (bytes, log) = (fs::read(cubin).ok()?, fs::read_to_string(log).ok()?);
        if log.contains(made_of.to_str()?) {
            return None;
        }
        fs::create_dir_all(&self.dir).ok()?;
        let outputs = self.outputs();
        for (path, bytes) in outputs.iter().zip([&bytes[..], log.as_bytes()]) {
            cache::write_if_changed(path, bytes).ok()?;
        }
        let mut record = CompileRecord {
            head: self.head.clone(),
            inputs: vec![self.input(common, Ptx::Made(made), true)],
            ..CompileRecord::default()
        };
        let identity = self.step().finish_in_place(&mut record, &outputs).ok()?;
        let [cubin, _] = outputs;
        Some(Assembled {
            cubin,
            log,
            identity,
            ran: Some(reason.to_owned()),
        })
    }

    /// Runs ptxas.
    pub(super) fn assemble(
        &self,
        common: &Common<'_>,
        ptx: Ptx<'_>,
        reason: &str,
    ) -> Result<Assembled, Box<Failure>> {
        let work = self.dir.join(WORK);
        let step = Step {
            dir: &work,
            ..self.step()
        };
        let root = common.request.root;
        if matches!(ptx, Ptx::Source)
            && let Err(error) = open_file(&root.join(&self.source.path))
        {
            return Err(self.step().failure(Cause::Source(error.to_string())));
        }
        step.begin()?;
        let began = || cache::changed(&work).map_err(step.io(&work));
        let is_new = |began| record::written_since(&self.source.path, root, began);
        let mut since = began()?;
        if matches!(ptx, Ptx::Source) && is_new(since) {
            // It was written a moment ago, or so it seems.
            thread::sleep(step::TICK);
            step.begin()?;
            since = began()?;
        }
        let cubin = work.join(format!("{}.cubin", self.stem));
        let command = self.command(common, ptx, &work, &cubin)?;
        let (mut command, root) = common.launched(command, root);
        let timed = Timed::start();
        let ran = step.run(common.env, &mut command, root)?;
        timed.end(&self.dir, "ptxas", reason);
        if !ran.status.success() {
            return Err(step.failed(&ran, Cause::Exit(ran.status)));
        }
        let bytes = fs::read(&cubin).unwrap_or_default();
        if bytes.is_empty() {
            return Err(step.failed(&ran, Cause::NoOutput("cubin")));
        }
        let [path, log] = self.outputs();
        for (path, bytes) in [(&path, &bytes[..]), (&log, ran.log.as_bytes())] {
            cache::write_if_changed(path, bytes).map_err(step.io(path))?;
        }
        let _ = fs::remove_dir_all(&work);
        let mut input = self.input(common, ptx, true);
        if matches!(ptx, Ptx::Source) && is_new(since) {
            // The source was changed while ptxas ran: nobody knows what it read.
            input = format!(
                "content written-meanwhile {}",
                encode_path(&self.source.path)
            );
        }
        let mut record = CompileRecord {
            head: self.head.clone(),
            inputs: vec![input],
            ..CompileRecord::default()
        };
        let identity = self
            .step()
            .finish_in_place(&mut record, &[path.clone(), log])?;
        Ok(Assembled {
            cubin: path,
            log: ran.log,
            identity,
            ran: Some(reason.to_owned()),
        })
    }

    fn command(
        &self,
        common: &Common<'_>,
        ptx: Ptx<'_>,
        work: &Path,
        cubin: &Path,
    ) -> Result<Command, Box<Failure>> {
        let operand = command::operand(&self.source.path);
        match (ptx, self.steps) {
            (Ptx::Made(made), Some(steps)) => {
                let names = Names {
                    source: &operand,
                    stable: "",
                    stem: &self.stem,
                    dir: work,
                };
                Ok(steps.ptxas(common, &names, &made.ptx))
            }
            _ => {
                let request = common.request;
                let ptxas = request.toolkit.tool("ptxas").ok_or_else(|| {
                    let root = request.toolkit.root.display();
                    let why = format!("the toolkit in {root} has no ptxas");
                    self.step().failure(Cause::Spawn(why))
                })?;
                let mut command = common.env.command(ptxas);
                command
                    .args(command::ptxas_words(
                        request.options,
                        self.source,
                        self.target,
                    ))
                    .arg("-o")
                    .arg(cubin)
                    .arg(operand);
                Ok(command)
            }
        }
    }
}
