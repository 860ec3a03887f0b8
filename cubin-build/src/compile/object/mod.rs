//! Objects with host code, for static libraries: what nvcc does with a source besides its cubins.
//!
//! ```text
//! OUT_DIR/units/attn-3fa19c04/host/
//!     attn.o                 host code, and the cubins of all targets as a fatbin
//!     functions.txt          functions with C linkage that it defines, with their types ([`functions`])
//!     log.txt, record.txt
//! ```
//!
//! The device code is not compiled again: the cubins are those of the source's units, which are read and judged, so what is
//! judged is what is linked. Around them stand the commands that `nvcc -c` would run: the host's preprocessor, cudafe++,
//! which makes calls of the runtime of `<<<>>>` and includes what registers the kernels (the stub of the last target),
//! fatbinary, and the host compiler. A finished object is read again: its device code must be those cubins, byte for byte.

mod functions;
mod plan;
mod steps;

use std::{
    fs,
    path::{Path, PathBuf},
};

use cubin_core::{Sm, host};

use self::{plan::Plan, steps::Steps};
use super::{
    Cause, Failure, Level, Source, Unit,
    graph::Kinds,
    inputs::Inputs,
    kind::Kind,
    message,
    outcome::Object,
    record::{self, CompileRecord, Input},
    step::{self, LOG, Ran, Step},
    text::Text,
    times::Timed,
    unit::Common,
};
use crate::{
    cache::{self, ContentHash},
    jobs,
    lists::{CollectSome, CollectVec, Figures},
    source::open_file,
};

const FUNCTIONS: &str = "functions.txt";
/// Where files are while they are made.
const WORK: &str = "work";
/// How often a source is preprocessed whose files change meanwhile.
const ATTEMPTS: usize = 3;

/// What came of the objects of a request.
#[derive(Default)]
pub(super) struct Objects {
    pub(super) made: Vec<Object>,
    pub(super) failures: Vec<Failure>,
}

/// Makes the objects of all sources whose host code is wanted and that compiled for every target.
pub(super) fn make(
    common: &Common<'_>,
    kinds: &Kinds,
    sources: &[&Source],
    units: &[Unit],
) -> Objects {
    let mut objects = Objects::default();
    let mut plans = Vec::new();
    // Without machine code there is nothing to put in.
    if common.request.options.front_end_only {
        return objects;
    }
    for source in sources.iter().filter(|source| source.host) {
        let targets = source.targets(common.request.targets);
        let of = |target: &Sm| {
            let mut all = units.iter();
            all.find(|unit| unit.source == source.path && unit.target == *target)
        };
        let own: Option<Vec<&Unit>> = targets.iter().map(of).collect_some();
        // Failures of units are reported by those who compiled.
        let (Some(own), Some(&last)) = (own, targets.last()) else {
            continue;
        };
        match kinds.get(&common.nvcc_words(source, last)) {
            Some(Kind::Steps(steps)) => plans.push(Plan::new(common, source, last, own, steps)),
            _ => {
                let dir = common.request.out_dir.to_owned();
                let why = "nvcc's commands are not understood, and by itself it makes no object of what was judged";
                let cause = Cause::Spawn(why.to_owned());
                let failure = Failure::new(&source.path, last, cause, &dir);
                objects.failures.push(failure);
            }
        }
    }
    for result in jobs::run(common.env, plans, |plan| plan.result()) {
        match result {
            Ok(object) => objects.made.push(object),
            Err(failure) => objects.failures.push(*failure),
        }
    }
    objects
}

impl Plan<'_> {
    fn step(&self) -> Step<'_> {
        Step {
            name: &self.source.path,
            target: self.target,
            dir: &self.dir,
        }
    }

    /// Of the cubins, and of what registers their kernels.
    fn device_line(&self) -> Result<String, Box<Failure>> {
        let step = self.step();
        let mut text = String::new();
        for path in self.units.iter().map(|unit| &unit.cubin) {
            let bytes = fs::read(path).map_err(step.io(path))?;
            text.push_str(&format!("{}\n", ContentHash::of(&bytes)));
        }
        text.push_str(&format!("{}", ContentHash::of(&self.stub()?)));
        Ok(format!("device {}", ContentHash::of(text.as_bytes())))
    }

    fn stub(&self) -> Result<Vec<u8>, Box<Failure>> {
        let step = self.step();
        let sides = self.units.last().and_then(|unit| unit.side_files.as_ref());
        let what = "file of kernel signatures (.cudafe1.stub.c)";
        let path = &sides
            .ok_or_else(|| step.failure(Cause::NoOutput(what)))?
            .stub;
        fs::read(path).map_err(step.io(path))
    }

    fn outputs(&self) -> [PathBuf; 3] {
        [
            self.dir.join(format!("{}.o", self.stem)),
            self.dir.join(FUNCTIONS),
            self.dir.join(LOG),
        ]
    }

    /// The earlier result, when it still holds, else a new one.
    fn result(&self) -> Result<Object, Box<Failure>> {
        let device = self.device_line()?;
        match self.check(&device) {
            Ok(object) => Ok(object),
            Err(reason) => self.build(&device, &reason),
        }
    }

    fn check(&self, device: &str) -> Result<Object, String> {
        let step = self.step();
        let (old, _) = step.record()?;
        if let Some(reason) = record::difference(&old.head, &self.head) {
            return Err(reason);
        }
        let inputs = self.common.unchanged(&old, &self.includes)?;
        if old.made.get(1).map(String::as_str) != Some(device) {
            return Err("its device code changed".to_owned());
        }
        step.kept(&old)?;
        self.object(&inputs, None).ok_or_else(step::damaged)
    }

    /// What lies in the directory.
    fn object(&self, inputs: &Inputs, remade: Option<String>) -> Option<Object> {
        let [path, functions, log] = self.outputs();
        let functions = functions::parse(&fs::read_to_string(functions).ok()?)?;
        let log = fs::read(log).ok()?;
        let mut messages = message::parse(&String::from_utf8_lossy(&log));
        if !messages.iter().any(|message| message.level != Level::Note) {
            messages.clear();
        }
        let own = inputs.own.iter();
        Some(Object {
            source: self.source.path.clone(),
            path,
            functions,
            messages,
            remade,
            dependencies: own.map(|input| input.path.clone()).collect_vec(),
        })
    }

    fn build(&self, device: &str, reason: &str) -> Result<Object, Box<Failure>> {
        let source = self.common.request.root.join(&self.source.path);
        if let Err(error) = open_file(&source) {
            return Err(self.step().failure(Cause::Source(error.to_string())));
        }
        let work = self.dir.join(WORK);
        let step = Step {
            dir: &work,
            ..self.step()
        };
        fs::create_dir_all(&self.dir).map_err(step.io(&self.dir))?;
        step.begin()?;
        let steps = Steps::ask(self, &step)?;
        let (text, mut record, inputs, mut log) = self.preprocess(&steps, &step, reason)?;
        record.made = vec![format!("text {}", text.exact), device.to_owned()];
        if let Some(kept) = self.keep(&mut record, &inputs) {
            let _ = fs::remove_dir_all(&work);
            return Ok(kept);
        }
        let timed = Timed::start();
        let input = work.join(format!("{}.cpp4.ii", self.stem));
        fs::write(&input, &text.bytes).map_err(step.io(&input))?;
        log += &self.run(&step, steps.cudafe(self, &work), &work)?.log;
        let stub = work.join(format!("{}.cudafe1.stub.c", self.stem));
        fs::write(&stub, self.stub()?).map_err(step.io(&stub))?;
        for unit in &self.units {
            let copy = work.join(steps::cubin_name(unit.target));
            fs::copy(&unit.cubin, &copy).map_err(step.io(&copy))?;
        }
        log += &self.run(&step, steps.fatbinary(self), &work)?.log;
        let root = self.common.request.root;
        let compiled = self.run(&step, steps.compile(self, &work), root)?;
        let object = work.join(format!("{}.o", self.stem));
        let bytes = fs::read(&object).unwrap_or_default();
        if bytes.is_empty() {
            return Err(step.failed(&compiled, Cause::NoOutput("object")));
        }
        log += &compiled.log;
        timed.end(&self.dir, "host", reason);
        self.verify(&bytes)?;
        let functions = functions::read(self, &steps, &step)?;
        let _ = fs::remove_file(self.dir.join(step::RECORD));
        let outputs = self.outputs();
        let functions = functions::text(&functions);
        let made = [bytes, functions.into_bytes(), log.into_bytes()];
        for (path, bytes) in outputs.iter().zip(&made) {
            cache::write_if_changed(path, bytes).map_err(step.io(path))?;
        }
        let _ = fs::remove_dir_all(&work);
        self.step().finish_in_place(&mut record, &outputs)?;
        self.object(&inputs, Some(reason.to_owned()))
            .ok_or_else(|| self.step().failure(Cause::NoOutput("object")))
    }

    fn preprocess(
        &self,
        steps: &Steps,
        step: &Step<'_>,
        reason: &str,
    ) -> Result<(Text, CompileRecord, Inputs, String), Box<Failure>> {
        let common = self.common;
        let root = common.request.root;
        let began = step.dir.join("began");
        let mut prefix = root.to_string_lossy().into_owned();
        if !prefix.ends_with('/') {
            prefix.push('/');
        }
        let mut attempt = 0;
        loop {
            attempt += 1;
            fs::write(&began, "").map_err(step.io(&began))?;
            let began = cache::changed(&began).map_err(step.io(&began))?;
            let timed = Timed::start();
            let ran = self.run(step, steps.preprocess(self, step.dir), root)?;
            timed.end(&self.dir, "preprocess", reason);
            let path = step.dir.join(format!("{}.cpp4.ii", self.stem));
            let raw = fs::read(&path).unwrap_or_default();
            let text = Text::new(&raw, "", &prefix);
            let inputs = Input::classify(
                text.dependencies.clone(),
                common.request.toolkit,
                root,
                &common.includes(self.source, self.target),
            );
            if inputs.is_empty() {
                let what = "preprocessed text (.cpp4.ii)";
                return Err(step.failed(&ran, Cause::NoOutput(what)));
            }
            let (record, inputs, settled) =
                common.settled(&self.head, inputs, &self.includes, began);
            if settled || attempt == ATTEMPTS {
                return Ok((text, record, inputs, ran.log));
            }
        }
    }

    /// The earlier object, when it would be made again of the same.
    fn keep(&self, record: &mut CompileRecord, inputs: &Inputs) -> Option<Object> {
        let (old, _) = self.step().record().ok()?;
        if old.head != record.head || old.made != record.made {
            return None;
        }
        self.step().kept(&old).ok()?;
        self.step().finish_in_place(record, &self.outputs()).ok()?;
        self.object(inputs, None)
    }

    /// Runs a command in `dir`.
    fn run(
        &self,
        step: &Step<'_>,
        mut command: std::process::Command,
        dir: &Path,
    ) -> Result<Ran, Box<Failure>> {
        let ran = step.run(self.common.env, &mut command, dir)?;
        if ran.status.success() {
            return Ok(ran);
        }
        Err(step.failed(&ran, Cause::Exit(ran.status)))
    }

    /// Whether the object holds the cubins that are judged, and no other device code.
    fn verify(&self, object: &[u8]) -> Result<(), Box<Failure>> {
        let wrong = |why: String| {
            self.step().failure(Cause::Input {
                path: self.source.path.clone(),
                why,
            })
        };
        let mut wanted = Vec::new();
        for unit in &self.units {
            wanted.push(fs::read(&unit.cubin).map_err(self.step().io(&unit.cubin))?);
        }
        for code in host::device_code(object) {
            let code = code.map_err(|error| {
                wrong(format!(
                    "became an object whose device code cannot be read: {error}"
                ))
            })?;
            let Some(cubin) = code.cubin() else {
                return Err(wrong(
                    "became an object with PTX, which no budget has judged".to_owned(),
                ));
            };
            let cubin = cubin.map_err(|error| {
                wrong(format!(
                    "became an object whose device code cannot be read: {error}"
                ))
            })?;
            match wanted.iter().position(|wanted| wanted[..] == cubin[..]) {
                Some(at) => drop(wanted.swap_remove(at)),
                None => {
                    return Err(wrong(
                        "became an object with other device code than its cubins".to_owned(),
                    ));
                }
            }
        }
        match wanted.iter().how_many() {
            0 => Ok(()),
            left => Err(wrong(format!(
                "became an object that lacks {left} of its cubins"
            ))),
        }
    }
}
