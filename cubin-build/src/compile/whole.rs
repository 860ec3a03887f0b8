//! One source for one target by one run of nvcc: how every source is compiled where the commands that nvcc would run are not
//! understood, as on Windows.
//!
//! All files lie in `OUT_DIR/units/<source>/<target>`, and symbols of internal linkage hold the folder of the package.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
};

use crate::sorted;
use cubin_core::Sm;

use super::{
    Cause, Failure, Source, command, depfile,
    front::{GPU, PTX, STUB},
    inputs::Inputs,
    record::{self, Input},
    step::{self, Earlier, LOG, Step},
    times::Timed,
    unit::{Common, Parts, tame_stem},
};
use crate::{
    cache::{self, ContentHash, encode_path},
    lists::{AddAll, CollectVec},
    source::open_file,
};

/// A unit before it is looked up or made.
pub(super) struct Plan<'a> {
    source: &'a Source,
    target: Sm,
    pub(super) dir: PathBuf,
    includes: Vec<PathBuf>,
    pub(super) words: Vec<OsString>,
    head: Vec<String>,
}

impl<'a> Plan<'a> {
    pub(super) fn new(common: &Common<'_>, source: &'a Source, target: Sm, dir: PathBuf) -> Self {
        let words = command::nvcc_words(common.request, source, target, common.host);
        let includes = common.includes(source, target);
        let mut head = vec![record::FORMAT.to_owned()];
        head.add_all(common.fixed_lines().cloned());
        head.push(format!("source {}", encode_path(&source.path)));
        head.push(format!("target {target}"));
        head.push(format!("directory {}", encode_path(common.request.root)));
        head.add_all(
            words
                .iter()
                .map(|word| format!("flag {}", encode_path(Path::new(word)))),
        );
        Self {
            source,
            target,
            dir,
            includes,
            words,
            head,
        }
    }

    /// The earlier result, when it still holds; else why not.
    pub(super) fn up_to_date(&self, common: &Common<'_>) -> Result<Parts, String> {
        let step = self.step();
        let (old, identity) = step.record()?;
        // Before the inputs are looked at: what names them may have another format.
        if let Some(reason) = record::difference(&old.head, &self.head) {
            return Err(reason);
        }
        let inputs = common.unchanged(&old, &self.includes)?;
        let Earlier { outputs, log } = step.kept(&old)?;
        self.parts(&outputs, inputs, (log, identity), None)
            .ok_or_else(step::damaged)
    }

    /// Compiles.
    pub(super) fn build(&self, common: &Common<'_>, reason: &str) -> Result<Parts, Box<Failure>> {
        let request = common.request;
        let step = self.step();
        let source = request.root.join(&self.source.path);
        // A pipe or a device would keep nvcc waiting.
        if let Err(error) = open_file(&source) {
            return Err(step.failure(Cause::Source(error.to_string())));
        }
        step.begin()?;
        // Its time tells which files were written while the compiler ran.
        thread::sleep(step::TICK);
        step.keep_log("")?;
        let log_path = self.dir.join(LOG);
        let began = cache::changed(&log_path).map_err(step.io(&log_path))?;

        let stem = tame_stem(&self.source.path);
        let cubin = self.dir.join(format!("{stem}.cubin"));
        let mut command = self.command(common, &cubin);
        let timed = Timed::start();
        let ran = step.run(common.env, &mut command, request.root)?;
        timed.end(&self.dir, "nvcc", reason);
        step.keep_log(&ran.log)?;
        let made = files_in(&self.dir);
        let inputs = self.inputs(common, &made);
        self.clean(&made);
        if !ran.status.success() {
            return Err(step.failed(&ran, Cause::Exit(ran.status)));
        }
        let outputs = self
            .outputs(cubin, &made)
            .map_err(|what| step.failed(&ran, Cause::NoOutput(what)))?;
        let Some(inputs) = inputs else {
            let what = "preprocessed text (.cpp1.ii)";
            return Err(step.failed(&ran, Cause::NoOutput(what)));
        };
        let (record, inputs, _) = common.settled(&self.head, inputs, &self.includes, began);
        let identity = step.finish(record, &outputs)?;
        let why = Some(reason.to_owned());
        self.parts(&outputs, inputs, (ran.log.clone(), identity), why)
            .ok_or_else(|| step.failed(&ran, Cause::NoOutput("cubin")))
    }

    fn step(&self) -> Step<'_> {
        Step {
            name: &self.source.path,
            target: self.target,
            dir: &self.dir,
        }
    }

    /// The files that are results, or what one of them is that a tool did not leave.
    fn outputs(&self, cubin: PathBuf, made: &[PathBuf]) -> Result<Vec<PathBuf>, &'static str> {
        if !step::is_there(&cubin) {
            return Err("cubin");
        }
        let mut outputs = vec![cubin];
        let kept: [(&str, &'static str); 3] = [
            (STUB, "file of kernel signatures (.cudafe1.stub.c)"),
            (GPU, "file of kernel declarations (.cudafe1.gpu)"),
            (PTX, "PTX"),
        ];
        for (end, what) in kept {
            outputs.push(ending(made, end).ok_or(what)?.to_owned());
        }
        Ok(outputs)
    }

    fn command(&self, common: &Common<'_>, cubin: &Path) -> Command {
        let request = common.request;
        let mut command = common.env.command(&request.toolkit.nvcc);
        command
            .args(["--keep", "--keep-dir"])
            .arg(&self.dir)
            .args(command::anchor_words(request))
            .args(&self.words)
            .arg("-o")
            .arg(cubin)
            .arg(command::operand(&self.source.path));
        if let Some(host) = common.host {
            command.envs(host.variables.iter().cloned());
        }
        command
    }

    /// What went in; `None` when nothing tells.
    fn inputs(&self, common: &Common<'_>, made: &[PathBuf]) -> Option<Vec<Input>> {
        let request = common.request;
        let mut dependencies = depfile::read(ending(made, ".cpp1.ii")?).ok()?;
        // Ours, and part of the words.
        let anchor = command::anchor(request);
        dependencies.retain(|dependency| dependency.path != anchor);
        if dependencies.is_empty() {
            return None;
        }
        Some(Input::classify(
            dependencies,
            request.toolkit,
            request.root,
            &self.includes,
        ))
    }

    /// Removes what is large and read already.
    fn clean(&self, made: &[PathBuf]) {
        for path in made {
            let name = path.as_os_str().as_encoded_bytes();
            if [&b".ii"[..], b".cudafe1.c", b".module_id"]
                .iter()
                .any(|end| name.ends_with(end))
            {
                let _ = fs::remove_file(path);
            }
        }
    }

    fn parts(
        &self,
        outputs: &[PathBuf],
        inputs: Inputs,
        (log, identity): (String, ContentHash),
        ran: Option<String>,
    ) -> Option<Parts> {
        let find = |end: &str| ending(outputs, end).map(Path::to_owned);
        Some(Parts {
            cubin: find(".cubin")?,
            side_files: Some((find(STUB)?, find(GPU)?)),
            ptx: find(PTX)?,
            inputs,
            includes: self.includes.clone(),
            log,
            identity,
            ran,
        })
    }
}

/// What stands in a directory, sorted.
pub(super) fn files_in(dir: &Path) -> Vec<PathBuf> {
    let mut made: Vec<PathBuf> = fs::read_dir(dir)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect_vec();
    sorted::sort(&mut made);
    made
}

pub(super) fn ending<'a>(paths: &'a [PathBuf], end: &str) -> Option<&'a Path> {
    paths
        .iter()
        .find(|path| {
            path.as_os_str()
                .as_encoded_bytes()
                .ends_with(end.as_bytes())
        })
        .map(PathBuf::as_path)
}
