//! Relocatable units to one cubin: nvlink, once per (linked module, target), only where something changed.
//!
//! Yields [`Linked`] cubins and what nvlink said. Does not look into cubins, and does not know what kernels are.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
};

use cubin_core::Sm;

use super::{
    Cause, Failure, Level, Message, Request, Unit, command, message,
    record::{self, Record},
    unit::{LOG, RECORD, shown},
};
use crate::{
    cache::{self, ContentHash, Stamp, encode_path},
    env::Env,
    jobs,
};

/// First line of a record; another number is another way to link.
const FORMAT: &str = "cubin-build link 1";

/// What becomes one cubin.
#[derive(Debug, Clone)]
pub struct Group<'a> {
    /// Name of the cubin, without target and extension.
    pub name: &'a str,
    /// Sources among those of the request, in the order that nvlink is given them.
    pub sources: Vec<&'a Path>,
    /// Archives and objects that are linked too, after the sources; absolute, or relative to [`Request::root`].
    pub libraries: &'a [PathBuf],
}

/// The cubin of a group for one target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linked {
    /// Name of the group.
    pub name: String,
    /// The target.
    pub target: Sm,
    /// The cubin.
    pub cubin: PathBuf,
    /// What nvlink said, without errors; the same whether it ran now or earlier.
    pub messages: Vec<Message>,
    /// Why it was linked now; `None` when the earlier result still holds.
    pub relinked: Option<String>,
}

/// What came of linking.
#[derive(Debug, Clone, Default)]
pub struct Linkage {
    /// By group in the order given, then by target.
    pub linked: Vec<Linked>,
    /// The groups that cannot be linked, each once with all targets that failed the same way; the failure's source is
    /// the group's name.
    pub failures: Vec<Failure>,
}

/// Links every group for every target for which all of its sources have a unit.
pub fn link(env: &Env, request: &Request<'_>, groups: &[Group<'_>], units: &[Unit]) -> Linkage {
    let mut steps = Vec::new();
    for group in groups {
        for &target in request.targets {
            let members: Option<Vec<&Unit>> = group
                .sources
                .iter()
                .map(|source| {
                    units
                        .iter()
                        .find(|unit| unit.source == **source && unit.target == target)
                })
                .collect();
            // Failures of sources are reported by those who compiled.
            if let Some(members) = members {
                steps.push(Step::new(request, group, target, members));
            }
        }
    }
    let results = jobs::run(env, steps, |step| step.result(env));
    let mut linkage = Linkage::default();
    for result in results {
        match result {
            Ok(linked) => linkage.linked.push(linked),
            Err(failure) => match linkage
                .failures
                .iter_mut()
                .find(|known| known.same(&failure))
            {
                Some(known) => known.targets.extend(failure.targets),
                None => linkage.failures.push(*failure),
            },
        }
    }
    linkage
}

/// One run of nvlink.
struct Step<'a> {
    request: &'a Request<'a>,
    group: &'a Group<'a>,
    target: Sm,
    members: Vec<&'a Unit>,
    words: Vec<String>,
    dir: PathBuf,
}

impl<'a> Step<'a> {
    fn new(
        request: &'a Request<'a>,
        group: &'a Group<'a>,
        target: Sm,
        members: Vec<&'a Unit>,
    ) -> Self {
        let mut words = vec![format!("-arch={target}")];
        words.extend(command::nvlink_words(request.options));
        Self {
            request,
            group,
            target,
            members,
            words,
            dir: request
                .out_dir
                .join("linked")
                .join(group.name)
                .join(target.to_string()),
        }
    }

    fn result(&self, env: &Env) -> Result<Linked, Box<Failure>> {
        let now = self.record();
        match self.up_to_date(&now) {
            Ok(linked) => Ok(linked),
            Err(reason) => self.run(env, now, reason),
        }
    }

    fn cubin(&self) -> PathBuf {
        self.dir.join(format!("{}.cubin", self.group.name))
    }

    /// What the result depends on, as it is now, without results.
    fn record(&self) -> Record {
        let toolkit = self.request.toolkit;
        let mut head = vec![FORMAT.to_owned()];
        let identity = toolkit.identity();
        head.extend(
            identity
                .iter()
                .map(|line| format!("nvcc {}", encode_path(Path::new(line)))),
        );
        head.push(format!("target {}", self.target));
        head.extend(
            self.words
                .iter()
                .map(|word| format!("flag {}", encode_path(Path::new(word)))),
        );
        let content = |path: &Path, shown: &Path| {
            let hash = fs::read(path).map_or_else(
                |_| "missing".to_owned(),
                |bytes| ContentHash::of(&bytes).to_string(),
            );
            format!("content {hash} {}", encode_path(shown))
        };
        let members = self
            .members
            .iter()
            .map(|unit| content(&unit.cubin, &unit.source));
        let libraries = self.group.libraries.iter().map(|library| {
            let path = self.request.root.join(library);
            let name = encode_path(library);
            if !toolkit.owns(&path) {
                return content(&path, library);
            }
            match Stamp::of(&path) {
                _ if toolkit.is_immutable() => format!("toolkit {name}"),
                Ok(stamp) => format!("stamp {stamp} {name}"),
                Err(_) => format!("stamp missing missing {name}"),
            }
        });
        Record {
            head,
            inputs: members.chain(libraries).collect(),
            outputs: Vec::new(),
        }
    }

    /// The earlier result, when it still holds; else why not.
    fn up_to_date(&self, now: &Record) -> Result<Linked, String> {
        let old = Record::read(&self.dir.join(RECORD)).ok_or("there is no earlier result")?;
        let changed = record::difference(&old.head, &now.head)
            .or_else(|| record::difference(&old.inputs, &now.inputs));
        if let Some(reason) = changed {
            return Err(reason);
        }
        let cubin = self.cubin();
        if old.outputs.first() != record::output_line(&cubin).as_ref() {
            return Err(format!(
                "its result {} is gone or was changed",
                cubin.display()
            ));
        }
        let log = fs::read(self.dir.join(LOG)).map_err(|_| "its record is damaged".to_owned())?;
        Ok(self.linked(&String::from_utf8_lossy(&log), None))
    }

    /// Links; the record is written last, so that a build that is killed leaves nothing that looks whole.
    fn run(&self, env: &Env, mut now: Record, reason: String) -> Result<Linked, Box<Failure>> {
        let io = |path: &Path| {
            let path = path.to_owned();
            move |error: std::io::Error| {
                self.failure(Cause::Io {
                    path,
                    why: error.to_string(),
                })
            }
        };
        let record_path = self.dir.join(RECORD);
        if self.dir.exists() {
            // First what makes the old result valid, then the rest.
            let _ = fs::remove_file(&record_path);
            fs::remove_dir_all(&self.dir).map_err(io(&self.dir))?;
        }
        fs::create_dir_all(&self.dir).map_err(io(&self.dir))?;
        let nvlink = self.request.toolkit.tool("nvlink").ok_or_else(|| {
            self.failure(Cause::Spawn(format!(
                "the toolkit in {} has no nvlink",
                self.request.toolkit.root.display()
            )))
        })?;
        let cubin = self.cubin();
        let mut command = env.command(nvlink);
        command
            .args(&self.words)
            .args(self.members.iter().map(|unit| &unit.cubin))
            .args(
                self.group
                    .libraries
                    .iter()
                    .map(|library| self.request.root.join(library)),
            )
            .arg("-o")
            .arg(&cubin)
            .current_dir(self.request.root)
            .stdin(Stdio::null())
            .env("LC_ALL", "C")
            .env("TMPDIR", &self.dir);
        let words = shown(&command);
        let output = command.output().map_err(|error| {
            let mut failure = self.failure(Cause::Spawn(error.to_string()));
            failure.command.clone_from(&words);
            failure
        })?;
        let mut log = String::from_utf8_lossy(&output.stderr).into_owned();
        log.push_str(&String::from_utf8_lossy(&output.stdout));
        let log = self.with_sources(&log);
        let fail = |cause: Cause| {
            let mut failure = self.failure(cause);
            failure.messages = message::parse(&log);
            failure.output = message::readable(&log);
            failure.command.clone_from(&words);
            failure
        };
        if !output.status.success() {
            return Err(fail(Cause::Exit(output.status.to_string())));
        }
        if !fs::metadata(&cubin).is_ok_and(|meta| meta.len() > 0) {
            return Err(fail(Cause::NoOutput("cubin")));
        }
        let log_path = self.dir.join(LOG);
        fs::write(&log_path, &log).map_err(io(&log_path))?;
        now.outputs.extend(record::output_line(&cubin));
        cache::write(&record_path, now.text().as_bytes()).map_err(io(&record_path))?;
        Ok(self.linked(&log, Some(reason)))
    }

    /// nvlink names cubins in our directories; users know their sources.
    fn with_sources(&self, log: &str) -> String {
        let mut log = log.to_owned();
        for unit in &self.members {
            let cubin = unit.cubin.to_string_lossy();
            log = log.replace(&*cubin, &unit.source.to_string_lossy());
        }
        log
    }

    fn linked(&self, log: &str, relinked: Option<String>) -> Linked {
        let mut messages = message::parse(log);
        messages.retain(|message| message.level != Level::Note);
        Linked {
            name: self.group.name.to_owned(),
            target: self.target,
            cubin: self.cubin(),
            messages,
            relinked,
        }
    }

    fn failure(&self, cause: Cause) -> Box<Failure> {
        Box::new(Failure {
            source: PathBuf::from(self.group.name),
            targets: vec![self.target],
            cause,
            messages: Vec::new(),
            output: String::new(),
            command: String::new(),
            dir: self.dir.display().to_string(),
        })
    }
}
