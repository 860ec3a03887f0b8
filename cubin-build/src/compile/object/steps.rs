//! The commands that `nvcc -c` would run, with names of our own.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
};

use cubin_core::Sm;

use super::{
    super::{Cause, Failure, command, step::Step},
    plan::Plan,
};
use crate::{
    dryrun::{Call, Dryrun, ObjectPipeline},
    lists::CollectVec,
};

/// Stands for a source's name.
const NAME: &str = "cubin_build_source";

/// The commands of one source.
pub(super) struct Steps {
    pipeline: ObjectPipeline,
    /// Where files of the dry run would be, with the name.
    prefix: String,
    /// What nvcc puts behind the name of files of the last target, where there are several.
    infix: String,
}

/// The copy of a cubin that fatbinary reads.
pub(super) fn cubin_name(target: Sm) -> String {
    format!("{target}.cubin")
}

impl Steps {
    /// Asks nvcc, which starts nothing for it.
    pub(super) fn ask(plan: &Plan<'_>, step: &Step<'_>) -> Result<Self, Box<Failure>> {
        let request = plan.common.request;
        let prefix = step.dir.join(NAME);
        let mut command = plan.common.env.command(&request.toolkit.nvcc);
        command
            .args(["--dryrun", "--keep", "--keep-dir"])
            .arg(step.dir)
            .args(&plan.words)
            .arg("-o")
            .arg(step.dir.join(format!("{NAME}.o")))
            .arg(format!("{NAME}.cu"));
        let ran = step.run(plan.common.env, &mut command, request.root)?;
        if !ran.status.success() {
            return Err(step.failed(&ran, Cause::Exit(ran.status)));
        }
        let not_understood = |why: String| {
            let why = format!("nvcc's commands for host code are not understood: {why}");
            step.failed(&ran, Cause::Spawn(why))
        };
        let dryrun = Dryrun::parse(&ran.log).map_err(|why| not_understood(why.0))?;
        let pipeline = dryrun.object().map_err(|why| not_understood(why.0))?;
        let infix = pipeline
            .stub
            .strip_prefix(NAME)
            .and_then(|rest| rest.strip_suffix(".cudafe1.stub.c"))
            .map(str::to_owned);
        let last = plan.common.request.options.virtual_arch(plan.target);
        let last = format!(".{}", command::compute(last.unwrap_or(plan.target)));
        let infix = infix.filter(|infix| infix.is_empty() || *infix == last);
        let infix = infix
            .ok_or_else(|| not_understood(format!("cudafe++ is to include `{}`", pipeline.stub)))?;
        Ok(Self {
            pipeline,
            prefix: prefix.to_string_lossy().into_owned(),
            infix,
        })
    }

    pub(super) fn preprocess(&self, plan: &Plan<'_>, work: &Path) -> Command {
        self.command(plan, &self.pipeline.preprocess.words, work)
    }

    pub(super) fn cudafe(&self, plan: &Plan<'_>, work: &Path) -> Command {
        self.command(plan, &self.pipeline.cudafe.words, work)
    }

    /// Compiles what cudafe++ made.
    pub(super) fn compile(&self, plan: &Plan<'_>, work: &Path) -> Command {
        self.command(plan, &self.pipeline.compile.words, work)
    }

    /// Compiles `input` to assembly for its symbols alone.
    pub(super) fn assembly(&self, plan: &Plan<'_>, input: &Path, output: &Path) -> Command {
        let compile = &self.pipeline.compile;
        let mut command = plan.device.bare(plan.common, &compile.words[0]);
        for word in &compile.words[1..] {
            if *word == compile.input {
                command.arg(input);
            } else if *word == compile.output {
                command.arg(output);
            } else if word == "-c" {
                command.args(["-S", "-w"]);
            } else {
                command.arg(self.replaced(word, plan, input.parent().unwrap_or(input)));
            }
        }
        // The last one holds.
        command.arg("-O0");
        command
    }

    /// Puts the cubins into a text; runs in the directory of its files, since it splits paths at commas.
    pub(super) fn fatbinary(&self, plan: &Plan<'_>) -> Command {
        let Call { words, .. } = &self.pipeline.fatbinary;
        let mut command = plan.device.bare(plan.common, &words[0]);
        for word in &words[1..] {
            let cubin = plan.units.iter().find_map(|unit| image(word, unit.target));
            command.arg(cubin.unwrap_or_else(|| word.replace(&self.prefix, &plan.stem)));
        }
        command
    }

    fn command(&self, plan: &Plan<'_>, words: &[String], work: &Path) -> Command {
        let mut command = plan.device.bare(plan.common, &words[0]);
        let mut words = words[1..].iter();
        while let Some(word) = words.next() {
            if matches!(
                word.as_str(),
                "--orig_src_file_name" | "--orig_src_path_name"
            ) {
                command.arg(word).arg(&plan.stable);
                words.next();
                continue;
            }
            command.arg(self.replaced(word, plan, work));
        }
        command
    }

    fn replaced(&self, word: &str, plan: &Plan<'_>, work: &Path) -> OsString {
        let plain = |rest: &str| {
            let rest = rest.strip_prefix(&self.infix).unwrap_or(rest);
            format!("{}{rest}", plan.stem)
        };
        if let Some(rest) = word.strip_prefix(&self.prefix) {
            return work.join(plain(rest)).into();
        }
        match word.strip_prefix(NAME) {
            Some(".cu") => command::operand(&plan.source.path),
            Some(rest) => plain(rest).into(),
            None => word.into(),
        }
    }

    /// What cudafe++ makes.
    pub(super) fn made(&self, plan: &Plan<'_>, work: &Path) -> PathBuf {
        PathBuf::from(self.replaced(&self.pipeline.cudafe.output, plan, work))
    }
}

/// fatbinary's word for a cubin (`--image3=kind=elf,sm=90a,file=…`, in older toolkits `--image=profile=sm_90a,file=…`), when it is
/// that of this target, with its copy.
fn image(word: &str, target: Sm) -> Option<String> {
    let (what, _) = word.split_once(",file=")?;
    let short = target.to_string();
    let short = short.strip_prefix("sm_").unwrap_or(&short);
    let is_it = what
        .split([',', '='])
        .collect_vec()
        .windows(2)
        .any(|pair| match pair {
            ["sm", number] => *number == short,
            ["profile", name] => name.strip_prefix("sm_") == Some(short),
            _ => false,
        });
    is_it.then(|| format!("{what},file={}", cubin_name(target)))
}
