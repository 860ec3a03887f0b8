//! Relocatable units to one cubin: nvlink, once per (linked module, target), only where something changed.
//!
//! Yields [`Linked`] cubins and what nvlink said. What it looks into inputs for is that none of them is lost (`inputs`).

mod inputs;

use std::{
    fs,
    path::{Path, PathBuf},
};

use cubin_core::Sm;

use super::{
    Cause, CompileRequest, Failure, Level, Message, Unit, command, message,
    record::{self, CompileRecord},
    step::{self, LOG, Step},
    times::Timed,
};
use crate::{
    cache::{self, ContentHash, Stamp, encode_path},
    env::Env,
    jobs,
    lists::{AddAll, CollectSome, CollectVec},
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
    /// Archives and objects that are linked too, after the sources; absolute, or relative to [`CompileRequest::root`].
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
pub fn link(
    env: &Env,
    request: &CompileRequest<'_>,
    groups: &[Group<'_>],
    units: &[Unit],
) -> Linkage {
    let mut steps = Vec::new();
    for group in groups {
        // Those of its first source, which are those of all.
        let first = group.sources.first();
        let first = units
            .iter()
            .filter(|unit| first.is_some_and(|first| unit.source == **first));
        for target in first.map(|unit| unit.target) {
            let members: Option<Vec<&Unit>> = group
                .sources
                .iter()
                .map(|source| {
                    units
                        .iter()
                        .find(|unit| unit.source == **source && unit.target == target)
                })
                .collect_some();
            // Failures of sources are reported by those who compiled.
            if let Some(members) = members {
                steps.push(Run::new(request, group, target, members));
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
                Some(known) => known.targets.add_all(failure.targets),
                None => linkage.failures.push(*failure),
            },
        }
    }
    linkage
}

/// One run of nvlink.
struct Run<'a> {
    request: &'a CompileRequest<'a>,
    group: &'a Group<'a>,
    target: Sm,
    members: Vec<&'a Unit>,
    words: Vec<String>,
    dir: PathBuf,
}

impl<'a> Run<'a> {
    fn new(
        request: &'a CompileRequest<'a>,
        group: &'a Group<'a>,
        target: Sm,
        members: Vec<&'a Unit>,
    ) -> Self {
        let mut words = vec![format!("-arch={target}")];
        words.add_all(command::nvlink_words(request.options, target));
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

    /// The earlier result, when it still holds, else a new one.
    fn result(&self, env: &Env) -> Result<Linked, Box<Failure>> {
        let now = self.record();
        let step = self.step();
        let earlier = step.record();
        match earlier.and_then(|(old, _)| step.earlier(&old, &now.head, &now.inputs)) {
            Ok(earlier) => Ok(self.linked(&earlier.log, None)),
            Err(reason) => self.link(env, now, reason),
        }
    }

    fn step(&self) -> Step<'_> {
        Step {
            name: Path::new(self.group.name),
            target: self.target,
            dir: &self.dir,
        }
    }

    fn cubin(&self) -> PathBuf {
        self.dir.join(format!("{}.cubin", self.group.name))
    }

    /// What the result depends on, as it is now, without results.
    fn record(&self) -> CompileRecord {
        let toolkit = self.request.toolkit;
        let mut head = vec![FORMAT.to_owned()];
        let identity = toolkit.identity();
        head.add_all(
            identity
                .iter()
                .map(|line| format!("nvcc {}", encode_path(Path::new(line)))),
        );
        head.push(format!("target {}", self.target));
        head.add_all(
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
        CompileRecord {
            head,
            inputs: members.chain(libraries).collect_vec(),
            ..CompileRecord::default()
        }
    }

    /// The kernels of all inputs; an input that nvlink would leave out, or a part of it, is an error. The toolkit's own
    /// libraries are taken as they are.
    fn kernels(&self) -> Result<Vec<inputs::Wanted>, Box<Failure>> {
        let step = self.step();
        let toolkit = self.request.toolkit;
        let mut files: Vec<(PathBuf, &Path)> = Vec::new();
        for unit in &self.members {
            files.push((unit.cubin.clone(), &unit.source));
        }
        for library in self.group.libraries {
            let path = self.request.root.join(library);
            if !toolkit.owns(&path) {
                files.push((path, library));
            }
        }
        let mut all = Vec::new();
        for (path, shown) in files {
            let bytes = fs::read(&path).map_err(step.io(&path))?;
            let kernels = inputs::kernels(&bytes, shown, self.target);
            all.add_all(kernels.map_err(|cause| step.failure(cause))?);
        }
        Ok(all)
    }

    /// The first kernel of the inputs that the linked cubin lacks.
    fn lost(&self, wanted: Vec<inputs::Wanted>, cubin: &Path) -> Result<(), Box<Failure>> {
        // These options leave kernels out on purpose.
        let chosen = |word: &String| {
            ["kernels-used", "use-host-info"]
                .iter()
                .any(|name| word.contains(name))
        };
        if self.words.iter().any(chosen) {
            return Ok(());
        }
        let step = self.step();
        let bytes = fs::read(cubin).map_err(step.io(cubin))?;
        // A cubin that cannot be read is reported where it is read for its facts.
        let Ok(linked) = inputs::linked(&bytes) else {
            return Ok(());
        };
        let is_lost = |wanted: &inputs::Wanted| !linked.contains(&wanted.symbol);
        match wanted.into_iter().find(is_lost) {
            None => Ok(()),
            Some(inputs::Wanted { symbol, file }) => Err(step.failure(Cause::Input {
                path: file,
                why: format!("has the kernel '{symbol}', which nvlink left out"),
            })),
        }
    }

    /// Runs nvlink.
    fn link(&self, env: &Env, now: CompileRecord, reason: String) -> Result<Linked, Box<Failure>> {
        let step = self.step();
        let CompileRequest { toolkit, root, .. } = self.request;
        step.begin()?;
        let wanted = self.kernels()?;
        let nvlink = toolkit.tool("nvlink").ok_or_else(|| {
            let why = format!("the toolkit in {} has no nvlink", toolkit.root.display());
            step.failure(Cause::Spawn(why))
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
                    .map(|library| root.join(library)),
            )
            .arg("-o")
            .arg(&cubin);
        let began = cache::changed(&self.dir).map_err(step.io(&self.dir))?;
        let timed = Timed::start();
        let mut ran = step.run(env, &mut command, root)?;
        timed.end(&self.dir, "nvlink", &reason);
        ran.log = self.with_sources(&ran.log);
        if !ran.status.success() {
            return Err(step.failed(&ran, Cause::Exit(ran.status)));
        }
        if !step::is_there(&cubin) {
            return Err(step.failed(&ran, Cause::NoOutput("cubin")));
        }
        self.lost(wanted, &cubin)?;
        step.keep_log(&ran.log)?;
        let mut now = now;
        for library in self.group.libraries {
            // Nobody knows what nvlink read of one that was changed meanwhile.
            if record::written_since(library, root, began) {
                let name = encode_path(library);
                now.inputs.push(format!("content written-meanwhile {name}"));
            }
        }
        step.finish(now, &[cubin, self.dir.join(LOG)])?;
        Ok(self.linked(&ran.log, Some(reason)))
    }

    /// nvlink names cubins in our directories; users know their sources.
    fn with_sources(&self, log: &str) -> String {
        message::renamed(log, &|quoted| {
            let mut members = self.members.iter();
            let member = members.find(|unit| unit.cubin.as_os_str() == quoted)?;
            Some(member.source.to_string_lossy().into_owned())
        })
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
}
