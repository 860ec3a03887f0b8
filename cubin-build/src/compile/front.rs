//! The first two steps of a source for one virtual architecture: preprocess, and cicc (NVIDIA's front end and optimizer).
//!
//! ```text
//! OUT_DIR/units/saxpy-3fa19c04/compute_90a/
//!     saxpy.cudafe1.stub.c               kernel types and names (registration calls)
//!     saxpy.cudafe1.gpu                  parameter names, records
//!     saxpy.ptx
//!     places.txt                         which lines of the source the two files name ([`super::text`])
//!     preprocess.txt, log.txt            what the host compiler and cicc printed
//!     record.txt                         everything the results depend on, one item per line; written last
//!     work/                              while it runs, and after a failure
//! ```
//!
//! Whether a step runs is decided in three questions, each cheaper than what its answer saves. Do flags, files, listings
//! and results stand as the record says? Then nothing runs ([`Front::check`]). Else the source is preprocessed: does its
//! text, and cicc's command, say the same as the record's? Then cicc does not run ([`Front::prepare`]). Else it runs: a
//! file that it makes as it was is not touched ([`Front::translate`]).
//!
//! What a text was made of is looked at after the preprocessor has ended: a file that was changed, or put in place, while
//! it ran may have been read before or after, so the source is preprocessed again.

use std::{
    fs,
    path::{Path, PathBuf},
};

use cubin_core::Sm;

use super::{
    Cause, Failure, Source, command, host_code,
    inputs::Inputs,
    kind::{Names, Steps},
    record::{self, CompileRecord, Input},
    step::{self, LOG, Ran, Step},
    text::{self, Places, Text},
    times::Timed,
    unit::Common,
};
use crate::{
    cache::{self, ContentHash, encode_path},
    lists::{AddAll, CollectSome, CollectVec, Figures},
    paths::normalize,
    source::open_file,
};

/// Endings of the files that nvcc's front end leaves, and of the PTX between.
pub(super) const STUB: &str = ".cudafe1.stub.c";
pub(super) const GPU: &str = ".cudafe1.gpu";
pub(super) const PTX: &str = ".ptx";
const PLACES: &str = "places.txt";
/// What the preprocessor printed.
const PREPROCESS_LOG: &str = "preprocess.txt";
/// Where files are while they are made.
const WORK: &str = "work";
/// How often a source is preprocessed whose files change meanwhile, before the result counts as unsettled.
const ATTEMPTS: usize = 3;

/// The first two steps of a source.
pub(super) struct Front<'a> {
    pub(super) source: &'a Source,
    /// The first of the targets that share it.
    pub(super) target: Sm,
    pub(super) steps: &'a Steps,
    pub(super) dir: PathBuf,
    includes: Vec<PathBuf>,
    /// Those of them that flags and environment name.
    named: Vec<PathBuf>,
    head: Vec<String>,
    stem: String,
    /// The source's name in symbols.
    stable: String,
}

/// What the two steps made, now or earlier.
#[derive(Clone)]
pub(super) struct Translated {
    pub(super) stub: PathBuf,
    pub(super) gpu: PathBuf,
    pub(super) ptx: PathBuf,
    /// A line for the PTX as a record of what is made of it has it.
    pub(super) ptx_line: String,
    pub(super) inputs: Inputs,
    /// What nvcc, the host compiler and cicc printed.
    pub(super) log: String,
    /// Of the text, and of all that was made of it.
    pub(super) identity: ContentHash,
    /// Why cicc ran.
    pub(super) ran: Option<String>,
}

/// A source that was preprocessed, and that cicc has to work on.
pub(super) struct Prepared {
    record: CompileRecord,
    inputs: Inputs,
    log: String,
    /// Bytes of the text that are not of system headers.
    pub(super) own: usize,
    reason: String,
}

/// What preprocessing leaves to do.
pub(super) enum Next {
    /// Nothing: the results of earlier are those of this text.
    Keep(Box<Translated>),
    /// All the rest.
    Translate(Box<Prepared>),
}

impl<'a> Front<'a> {
    /// `words` are nvcc's, for the reasons that a user is told.
    pub(super) fn new(
        common: &Common<'_>,
        source: &'a Source,
        target: Sm,
        steps: &'a Steps,
        (words, dir): (&[std::ffi::OsString], PathBuf),
    ) -> Self {
        let mut includes = steps.search.clone();
        // A directory that is not there yet is searched once it is.
        let named = common.includes(source, target);
        for dir in &named {
            if !includes.contains(dir) {
                includes.push(dir.clone());
            }
        }
        let mut head = vec![record::FORMAT.to_owned()];
        head.add_all(common.fixed_lines().cloned());
        head.push(format!("source {}", encode_path(&source.path)));
        head.push(format!("directory {}", encode_path(common.request.root)));
        let flags = words.iter().map(|word| encode_path(Path::new(word)));
        head.add_all(flags.map(|word| format!("flag {word}")));
        head.push(steps.line.clone());
        Self {
            source,
            target,
            steps,
            dir,
            includes,
            named,
            head,
            stem: super::unit::tame_stem(&source.path),
            stable: stable_name(common.request.root, common.request.out_dir, &source.path),
        }
    }

    pub(super) fn step(&self) -> Step<'_> {
        Step {
            name: &self.source.path,
            target: self.target,
            dir: &self.dir,
        }
    }

    /// Directories where files are looked for that are included, without the host compiler's own: cargo would look
    /// through all of /usr/include each time.
    pub(super) fn watched_dirs(&self) -> Vec<PathBuf> {
        let dirs = self.includes.iter();
        let own = dirs.filter(|dir| self.named.contains(dir) || self.steps.names(dir));
        own.cloned().collect_vec()
    }

    fn work(&self) -> PathBuf {
        self.dir.join(WORK)
    }

    fn file(&self, dir: &Path, end: &str) -> PathBuf {
        dir.join(format!("{}{end}", self.stem))
    }

    fn outputs(&self) -> Vec<PathBuf> {
        let dir = &self.dir;
        let mut outputs = vec![
            self.file(dir, PTX),
            self.file(dir, STUB),
            self.file(dir, GPU),
        ];
        outputs.add_all([PLACES, PREPROCESS_LOG, LOG].map(|name| dir.join(name)));
        outputs
    }

    fn key_line(&self, common: &Common<'_>) -> String {
        let key = self.steps.cicc_key(common, &self.stable, &self.stem);
        format!("key {key}")
    }

    /// The earlier results, when all stands as it was; else why not.
    pub(super) fn check(&self, common: &Common<'_>) -> Result<Translated, String> {
        let step = self.step();
        let (old, _) = step.record()?;
        // Before the inputs are looked at: what names them may have another format.
        if let Some(reason) = record::difference(&old.head, &self.head) {
            return Err(reason);
        }
        let inputs = common.unchanged(&old, &self.includes)?;
        step.kept(&old)?;
        self.translated(&old, inputs, None)
            .ok_or_else(step::damaged)
    }

    /// What lies in the directory, with its record.
    fn translated(
        &self,
        record: &CompileRecord,
        inputs: Inputs,
        ran: Option<String>,
    ) -> Option<Translated> {
        let mut of_all = record.made.join("\n");
        of_all.push_str(&record.outputs.join("\n"));
        let read = |name: &str| fs::read(self.dir.join(name)).ok();
        let mut log = self.steps.messages.clone();
        log.push_str(&String::from_utf8_lossy(&read(PREPROCESS_LOG)?));
        log.push_str(&String::from_utf8_lossy(&read(LOG)?));
        Some(Translated {
            stub: self.file(&self.dir, STUB),
            gpu: self.file(&self.dir, GPU),
            ptx: self.file(&self.dir, PTX),
            ptx_line: record.outputs.first()?.clone(),
            inputs,
            log,
            identity: ContentHash::of(of_all.as_bytes()),
            ran,
        })
    }

    /// Preprocesses, and keeps the earlier results where they are those of the text.
    pub(super) fn prepare(&self, common: &Common<'_>, reason: &str) -> Result<Next, Box<Failure>> {
        let root = common.request.root;
        let source = root.join(&self.source.path);
        // A pipe or a device would keep nvcc waiting.
        if let Err(error) = open_file(&source) {
            return Err(self.step().failure(Cause::Source(error.to_string())));
        }
        let work = self.work();
        let step = Step {
            dir: &work,
            ..self.step()
        };
        let operand = command::operand(&self.source.path);
        let names = Names {
            source: &operand,
            stable: &self.stable,
            stem: &self.stem,
            dir: &work,
        };
        let began = work.join("began");
        let mut prefix = root.to_string_lossy().into_owned();
        if !prefix.ends_with('/') {
            prefix.push('/');
        }
        let mut attempt = 0;
        let (text, record, inputs, log) = loop {
            attempt += 1;
            step.begin()?;
            // Its time tells which files were changed while the preprocessor ran.
            fs::write(&began, "").map_err(step.io(&began))?;
            let began = cache::changed(&began).map_err(step.io(&began))?;
            let timed = Timed::start();
            let mut command = self.steps.preprocess(common, &names);
            let ran = step.run(common.env, &mut command, root)?;
            timed.end(&self.dir, "preprocess", reason);
            if !ran.status.success() {
                return Err(self.failed(&step, &ran, Cause::Exit(ran.status)));
            }
            let path = self.steps.preprocessed(&names);
            let raw = fs::read(&path).unwrap_or_default();
            let _ = fs::remove_file(&path);
            let before = format!("# 1 \"anchor.h\" 1\n{}", command::ANCHOR);
            let text = Text::new(&raw, &before, &prefix);
            let inputs = Input::classify(
                text.dependencies.clone(),
                common.request.toolkit,
                root,
                &common.includes(self.source, self.target),
            );
            if inputs.is_empty() {
                let what = "preprocessed text (.cpp1.ii)";
                return Err(self.failed(&step, &ran, Cause::NoOutput(what)));
            }
            let (record, inputs, settled) =
                common.settled(&self.head, inputs, &self.includes, began);
            if settled || attempt == ATTEMPTS {
                break (text, record, inputs, ran.log);
            }
        };
        let named = operand.to_string_lossy();
        let named = named.strip_prefix(&prefix).unwrap_or(&named);
        let dropped = if self.source.host {
            String::new()
        } else {
            host_code::warning(&text.bytes, named)
        };
        let log = log + &dropped;
        let mut record = record;
        let content = match text.content {
            Some(content) if !self.steps.lines_matter => content.to_string(),
            _ => "-".to_owned(),
        };
        record.made = vec![
            format!("text {content} {}", text.exact),
            self.key_line(common),
        ];
        if let Some(kept) = self.keep(&mut record, &text, &inputs, &log) {
            let _ = fs::remove_dir_all(&work);
            return Ok(Next::Keep(Box::new(kept)));
        }
        let path = self.input(&work);
        fs::write(&path, &text.bytes).map_err(step.io(&path))?;
        Ok(Next::Translate(Box::new(Prepared {
            record,
            inputs,
            log,
            own: text.own,
            reason: reason.to_owned(),
        })))
    }

    /// The text as cicc reads it.
    fn input(&self, work: &Path) -> PathBuf {
        self.file(work, ".cpp1.ii")
    }

    /// The earlier results, when `text` would give the same.
    fn keep(
        &self,
        record: &mut CompileRecord,
        text: &Text,
        inputs: &Inputs,
        log: &str,
    ) -> Option<Translated> {
        let (old, _) = self.step().record().ok()?;
        let (of_text, key) = (old.made.first()?, old.made.get(1)?);
        let now = &record.made;
        let same_content = {
            let content = |line: &str| line.split(' ').nth(1).map(str::to_owned);
            content(of_text) == content(&now[0]) && content(of_text).as_deref() != Some("-")
        };
        if *key != now[1] || !(of_text == &now[0] || same_content) {
            return None;
        }
        // Also without a result all lines must be there: one that is gone would be missing in the new record.
        let intact = |line: &String| {
            let path = self.dir.join(record::output_name(line)?);
            (record::output_line(&path).as_ref() == Some(line)).then_some(path)
        };
        let outputs: Option<Vec<PathBuf>> = old.outputs.iter().map(intact).collect_some();
        let outputs = outputs.filter(|outputs| *outputs == self.outputs())?;
        let moved = if of_text == &now[0] {
            Vec::new()
        } else {
            self.moved(text)?
        };
        for (path, bytes) in &moved {
            cache::write_if_changed(path, bytes).ok()?;
        }
        let path = self.dir.join(PREPROCESS_LOG);
        cache::write_if_changed(&path, log.as_bytes()).ok()?;
        self.step().finish_in_place(record, &outputs).ok()?;
        self.translated(record, inputs.clone(), None)
    }

    /// The front end's files with the places of `text`; `None` where they cannot be told.
    fn moved(&self, text: &Text) -> Option<Vec<(PathBuf, Vec<u8>)>> {
        // A message names places, too.
        let log = fs::read(self.dir.join(LOG)).ok()?;
        if !log.trim_ascii().is_empty() {
            return None;
        }
        let places = Places::parse(&fs::read(self.dir.join(PLACES)).ok()?)?;
        let moved = places.moved(&text.bytes);
        let mut files = Vec::new();
        let mut written: Vec<Vec<u8>> = Vec::new();
        for end in [STUB, GPU] {
            let path = self.file(&self.dir, end);
            let bytes = moved.apply(&fs::read(&path).ok()?)?;
            written.push(bytes.clone());
            files.push((path, bytes));
        }
        let written: Vec<&[u8]> = written.iter().map(Vec::as_slice).collect_vec();
        let places = Places::of(&text.bytes, &written)?;
        files.push((self.dir.join(PLACES), places.text()));
        Some(files)
    }

    /// Runs cicc.
    pub(super) fn translate(
        &self,
        common: &Common<'_>,
        prepared: Prepared,
    ) -> Result<Translated, Box<Failure>> {
        let work = self.work();
        let step = Step {
            dir: &work,
            ..self.step()
        };
        let operand = command::operand(&self.source.path);
        let names = Names {
            source: &operand,
            stable: &self.stable,
            stem: &self.stem,
            dir: &work,
        };
        let (mut command, dir) = common.launched(self.steps.cicc(common, &names), &work);
        let timed = Timed::start();
        let ran = step.run(common.env, &mut command, dir)?;
        timed.end(&self.dir, "cicc", &prepared.reason);
        let input = self.input(&work);
        let text = fs::read(&input).map_err(step.io(&input))?;
        let _ = fs::remove_file(&input);
        if !ran.status.success() {
            return Err(self.failed(&step, &ran, Cause::Exit(ran.status)));
        }
        let mut made = Vec::new();
        for (end, what) in [
            (PTX, "PTX"),
            (STUB, "file of kernel signatures (.cudafe1.stub.c)"),
            (GPU, "file of kernel declarations (.cudafe1.gpu)"),
        ] {
            let bytes = fs::read(self.file(&work, end)).unwrap_or_default();
            // The front end alone makes no PTX.
            let needed = end != PTX || !common.request.options.front_end_only;
            if bytes.is_empty() && needed {
                return Err(self.failed(&step, &ran, Cause::NoOutput(what)));
            }
            made.push(bytes);
        }
        let folder = work.to_string_lossy();
        for file in &mut made[1..] {
            *file = text::lasting(file, &folder);
        }
        let places = Places::of(&text, &[&made[1], &made[2]]);
        made.push(places.map(|places| places.text()).unwrap_or_default());
        made.push(prepared.log.into_bytes());
        made.push(ran.log.into_bytes());
        let outputs = self.outputs();
        for (path, bytes) in outputs.iter().zip(&made) {
            cache::write_if_changed(path, bytes).map_err(step.io(path))?;
        }
        let _ = fs::remove_dir_all(&work);
        let mut record = prepared.record;
        self.step().finish_in_place(&mut record, &outputs)?;
        self.translated(&record, prepared.inputs, Some(prepared.reason))
            .ok_or_else(|| self.step().failure(Cause::NoOutput("record")))
    }

    fn failed(&self, step: &Step<'_>, ran: &Ran, cause: Cause) -> Box<Failure> {
        step.failed(ran, cause)
    }
}

/// The name of a source in symbols, the same in every folder: relative to the package, also where that leads out of it.
/// What the build itself writes below `OUT_DIR` is called `out/…`; a source that has nothing but the root of the file
/// system in common with the package keeps its whole path.
pub(super) fn stable_name(root: &Path, out_dir: &Path, source: &Path) -> String {
    let (root, full) = (normalize(root), normalize(&root.join(source)));
    let name = |path: PathBuf| path.to_string_lossy().replace('\\', "/");
    if let Ok(rest) = full.strip_prefix(&root) {
        let in_out_dir = normalize(out_dir);
        return match full.strip_prefix(&in_out_dir) {
            Ok(rest) => name(Path::new("out").join(rest)),
            Err(_) => name(rest.to_owned()),
        };
    }
    if let Ok(rest) = full.strip_prefix(normalize(out_dir)) {
        return name(Path::new("out").join(rest));
    }
    let shared = root
        .components()
        .zip(full.components())
        .take_while(|(one, other)| one == other)
        .how_many();
    if shared <= 1 {
        return name(full);
    }
    let up = root.components().skip(shared).map(|_| Path::new(".."));
    let down = full
        .components()
        .skip(shared)
        .map(|part| Path::new(part.as_os_str()));
    name(up.chain(down).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_same_in_every_folder() {
        for folder in ["/home/a/work", "/srv/b"] {
            let root = PathBuf::from(folder).join("app");
            let out = root.join("target/debug/build/app-1f/out");
            let name = |path: &str| stable_name(&root, &out, Path::new(path));
            assert_eq!(name("kernels/./a.cu"), "kernels/a.cu");
            assert_eq!(name(&format!("{folder}/app/kernels/a.cu")), "kernels/a.cu");
            assert_eq!(name("../shared/a.cu"), "../shared/a.cu");
            assert_eq!(name(&format!("{folder}/shared/a.cu")), "../shared/a.cu");
            assert_eq!(name(&format!("{}/i/a.cu", out.display())), "out/i/a.cu");
            assert_eq!(name("/opt/kernels/a.cu"), "/opt/kernels/a.cu");
        }
        let apart = stable_name(
            Path::new("/a/b"),
            Path::new("/target/out"),
            Path::new("/target/out/x.cu"),
        );
        assert_eq!(apart, "out/x.cu");
    }
}
