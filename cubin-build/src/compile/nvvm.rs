//! NVVM IR to PTX: libnvvm, in a process of its own.
//!
//! libnvvm crashes on some inputs, and loading it takes unsafe code, so neither happens here: the program that does it is a
//! text of this crate (`nvvm/worker/main.rs`), which cargo's rustc compiles the first time that a source needs it, into
//!
//! ```text
//! OUT_DIR/nvvm/worker-3fa19c04     named by the text and by the compiler, so that another of either is another program
//! ```
//!
//! A module is verified first, always: compiling alone accepts what no kernel can be. PTX goes the way of every `.ptx`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use cubin_core::Sm;

use super::{
    Cause, CompileRequest, Failure, Level, Message, Source, Tool, command,
    inputs::Inputs,
    record::{self, CompileRecord},
    step::{self, Earlier, LOG, Ran, Step},
    times::Timed,
    unit::{Common, Parts, tame_stem},
};
use crate::{
    cache::{self, ContentHash, encode_path},
    env::Env,
    lists::{AddAll, CollectVec},
    nvvm::{self, log::Said},
    options::Switch,
};

/// What a unit's module is called in its directory where it is not the source itself.
const NORMALIZED: &str = "normalized.ll";

/// A module for one target.
pub(super) struct Plan<'a> {
    source: &'a Source,
    target: Sm,
    pub(super) dir: PathBuf,
    words: Vec<String>,
    head: Vec<String>,
}

impl<'a> Plan<'a> {
    pub(super) fn new(common: &Common<'_>, source: &'a Source, target: Sm, dir: PathBuf) -> Self {
        let request = common.request;
        let words = command::ptxas_words(request.options, source, target);
        let options = &request.options.nvvm;
        let mut head = vec![record::FORMAT.to_owned()];
        head.add_all(common.toolkit_lines().iter().cloned());
        head.push(format!("source {}", encode_path(&source.path)));
        head.push(format!("target {target}"));
        let flags = words.iter().map(|word| encode_path(Path::new(word)));
        head.add_all(flags.map(|word| format!("flag {word}")));
        let worker = ContentHash::of(nvvm::WORKER.as_bytes());
        head.push(format!("nvvm worker {worker}"));
        head.add_all(options.words().iter().map(|word| format!("nvvm {word}")));
        // Which reader is taken where nothing is said: for bitcode the newer one first.
        head.push(format!("nvvm latest {:?}, newer first", options.latest));
        head.push(format!("nvvm libdevice {:?}", options.libdevice));
        head.push(format!("nvvm normalize {}", options.normalize));
        Self {
            source,
            target,
            dir,
            words,
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

    fn inputs(&self) -> Inputs {
        Inputs::of_file(&self.source.path)
    }

    fn outputs(&self) -> [PathBuf; 2] {
        let stem = tame_stem(&self.source.path);
        ["cubin", "ptx"].map(|end| self.dir.join(format!("{stem}.{end}")))
    }

    /// The earlier result, when it still holds; else why not.
    pub(super) fn up_to_date(&self, common: &Common<'_>) -> Result<Parts, String> {
        let step = self.step();
        let (old, identity) = step.record()?;
        let now = common.input_lines(&self.inputs(), &[], &[]);
        let Earlier { log, .. } = step.earlier(&old, &self.head, &now)?;
        Ok(self.parts((log, identity), None))
    }

    /// Compiles and assembles.
    pub(super) fn build(&self, common: &Common<'_>, reason: &str) -> Result<Parts, Box<Failure>> {
        let request = common.request;
        let step = self.step();
        step.begin()?;
        step.keep_log("")?;
        let log = self.dir.join(LOG);
        let began = cache::changed(&log).map_err(step.io(&log))?;
        let [cubin, ptx] = self.outputs();
        let timed = Timed::start();
        to_ptx(common.env, request, &step, &ptx)?;
        timed.end(&self.dir, "libnvvm", reason);
        let ptxas = request.toolkit.tool("ptxas");
        let ptxas = ptxas.ok_or_else(|| missing(request, &step, "ptxas"))?;
        let mut command = common.env.command(ptxas);
        command.args(&self.words).arg("-o").arg(&cubin).arg(&ptx);
        let timed = Timed::start();
        let ran = step.run(common.env, &mut command, request.root)?;
        timed.end(&self.dir, "ptxas", reason);
        step.keep_log(&ran.log)?;
        if !ran.status.success() {
            return Err(self.in_module(common, step.failed(&ran, Cause::Exit(ran.status))));
        }
        if !step::is_there(&cubin) {
            return Err(step.failed(&ran, Cause::NoOutput("cubin")));
        }
        let source = request.root.join(&self.source.path);
        common.files.content_now(&source);
        let mut record = CompileRecord {
            head: self.head.clone(),
            inputs: common.input_lines(&self.inputs(), &[], &[]),
            ..CompileRecord::default()
        };
        // A file that was written meanwhile may have been read before: never trust this result again.
        if cache::changed(&source).map_or(true, |changed| changed > began) {
            let name = encode_path(&self.source.path);
            record.inputs = vec![format!("content written-meanwhile {name}")];
        }
        let identity = step.finish(record, &self.outputs())?;
        Ok(self.parts((ran.log, identity), Some(reason.to_owned())))
    }

    /// A failure of ptxas, whose PTX nobody wrote: what it names has its place in the module.
    fn in_module(&self, common: &Common<'_>, mut failure: Box<Failure>) -> Box<Failure> {
        let text = fs::read_to_string(common.request.root.join(&self.source.path));
        for message in &mut failure.messages {
            let text = text.as_ref().ok();
            let place = text.and_then(|text| nvvm::log::named(&message.text, text));
            message.file = place.map(|_| self.source.path.clone());
            message.line = place.map(|(line, _)| line);
            message.column = place.map(|(_, column)| column);
            message.tool = Tool::Libnvvm;
        }
        failure
    }

    fn parts(&self, (log, identity): (String, ContentHash), ran: Option<String>) -> Parts {
        let [cubin, ptx] = self.outputs();
        Parts {
            cubin,
            side_files: None,
            ptx,
            inputs: self.inputs(),
            includes: Vec::new(),
            log,
            identity,
            ran,
        }
    }
}

fn missing(request: &CompileRequest<'_>, step: &Step<'_>, what: &str) -> Box<Failure> {
    let root = request.toolkit.root.display();
    step.failure(Cause::Spawn(format!("the toolkit in {root} has no {what}")))
}

/// A module as it is compiled.
struct Input {
    /// Its text; none of bitcode.
    text: Option<String>,
    /// What the worker reads.
    path: PathBuf,
    /// Only the newer reader takes it.
    newer: bool,
    libdevice: bool,
}

/// Makes PTX of the source of a step.
///
/// # Errors
/// What libnvvm says, with places; or that it crashed; or that it could not be run.
fn to_ptx(
    env: &Env,
    request: &CompileRequest<'_>,
    step: &Step<'_>,
    ptx: &Path,
) -> Result<(), Box<Failure>> {
    let input = input(request, step)?;
    let worker = worker(env, request, step)?;
    let options = &request.options.nvvm;
    // PTX of the newer reader says which parameters are pointers, and bitcode gets its types from there: the same reader for
    // all targets is the same wrapper for all of them.
    let is_tried = input.text.is_none() && options.latest == Switch::Auto;
    let newer = input.newer || is_tried;
    let ran = run(env, request, step, (&worker, &input, newer), ptx)?;
    if ran.status.success() {
        return Ok(());
    }
    if is_tried && !nvvm::has_newer_reader(step.target) {
        let again = run(env, request, step, (&worker, &input, false), ptx)?;
        if again.status.success() {
            return Ok(());
        }
    }
    Err(failure(step, &ran, &input))
}

fn input(request: &CompileRequest<'_>, step: &Step<'_>) -> Result<Input, Box<Failure>> {
    let source = request.root.join(step.name);
    let options = &request.options.nvvm;
    let bytes =
        fs::read(&source).map_err(|error| step.failure(Cause::Source(error.to_string())))?;
    let mut input = Input {
        text: None,
        path: source,
        newer: false,
        libdevice: options.libdevice == Switch::On,
    };
    if nvvm::is_bitcode(&bytes) {
        if options.libdevice == Switch::Auto {
            // Names stand in the bitcode as they are, or in the table of strings at its end.
            input.libdevice = bytes.windows(5).any(|window| window == b"__nv_");
        }
        return Ok(input);
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let module = nvvm::read(&text);
    input.newer = module.opaque.is_some() || module.newer.is_some();
    if options.libdevice == Switch::Auto {
        input.libdevice = module.needs_libdevice();
    }
    if options.normalize {
        input.path = step.dir.join(NORMALIZED);
        let normal = nvvm::normalized(&text, &module);
        fs::write(&input.path, normal).map_err(step.io(&input.path))?;
    }
    input.text = Some(text);
    Ok(input)
}

fn run(
    env: &Env,
    request: &CompileRequest<'_>,
    step: &Step<'_>,
    (worker, input, newer): (&Path, &Input, bool),
    ptx: &Path,
) -> Result<Ran, Box<Failure>> {
    let toolkit = request.toolkit;
    let options = &request.options.nvvm;
    let missing = |what: &str| missing(request, step, what);
    let library = toolkit.libnvvm().ok_or_else(|| missing("libnvvm"))?;
    let mut command = env.command(worker);
    command.arg(library).arg("compile").arg(&input.path);
    command.arg(shown(step)).arg(ptx);
    if input.libdevice {
        let libdevice = toolkit.libdevice().ok_or_else(|| missing("libdevice"))?;
        command.arg("--libdevice").arg(libdevice);
    }
    if newer {
        command.arg(match options.latest {
            Switch::Off => "--newer-refused",
            Switch::Auto | Switch::On => "--newer",
        });
    }
    let target = step.target.to_string();
    let target = target.strip_prefix("sm_").unwrap_or(&target);
    command.arg("--").arg(format!("-arch=compute_{target}"));
    command.args(options.words());
    step.run(env, &mut command, request.root)
}

/// The module's name in messages.
fn shown(step: &Step<'_>) -> String {
    step.name.to_string_lossy().into_owned()
}

fn failure(step: &Step<'_>, ran: &Ran, input: &Input) -> Box<Failure> {
    // What was started last is what it died in.
    let mut steps = ran
        .log
        .lines()
        .rev()
        .filter_map(|line| line.strip_prefix("step "));
    let during = steps.next().unwrap_or("start").to_owned();
    let failed = ran
        .log
        .lines()
        .find_map(|line| line.strip_prefix("failed "));
    let Some(failed) = failed else {
        return step.failed(
            ran,
            Cause::Crashed {
                library: "libnvvm",
                during,
                status: ran.status,
            },
        );
    };
    let code = failed.split(' ').nth(1).and_then(|code| code.parse().ok());
    let (_, log) = ran.log.split_once(failed).unwrap_or_default();
    let said = nvvm::log::read(log, &shown(step), input.text.as_deref());
    let mut failure = step.failed(
        ran,
        Cause::Refused {
            library: "libnvvm",
            code: code.unwrap_or(0),
            help: match said.as_slice() {
                [] => Some(SILENT),
                said => said.iter().find_map(|said| said.help),
            },
        },
    );
    failure.output = log.trim().to_owned();
    failure.messages = said
        .into_iter()
        .map(|said| message(said, step))
        .collect_vec();
    failure
}

/// libnvvm knows more than it says: some rules of its verifier print nothing.
const SILENT: &str = "libnvvm gave no reason: remove half of the module until it compiles; it is silent for example where an intrinsic \
                      function is called with more arguments than its LLVM has";

fn message(said: Said, step: &Step<'_>) -> Message {
    Message {
        level: Level::Error,
        tool: Tool::Libnvvm,
        file: said.line.map(|_| step.name.to_owned()),
        line: said.line,
        column: said.column,
        code: None,
        whole: String::new(),
        undefined: None,
        text: said.text,
    }
}

/// The program that runs libnvvm, compiled when it is not there yet.
fn worker(
    env: &Env,
    request: &CompileRequest<'_>,
    step: &Step<'_>,
) -> Result<PathBuf, Box<Failure>> {
    let suffix = std::env::consts::EXE_SUFFIX;
    let made = step.dir.join(format!("worker{suffix}"));
    let dir = request.out_dir.join("nvvm");
    let source = dir.join("worker.rs");
    // Units are compiled side by side: each under a name of its own, and the last one that is done is kept.
    let mut command = nvvm::compiler(env, &source, &made);
    let rustc = command.get_program().to_string_lossy().into_owned();
    let key = format!("{}\n{rustc}\n{}", env!("CARGO_PKG_VERSION"), nvvm::WORKER);
    let hash = ContentHash::of(key.as_bytes()).to_string();
    let program = dir.join(format!("worker-{}{suffix}", &hash[..8]));
    if program.is_file() {
        return Ok(program);
    }
    fs::create_dir_all(&dir).map_err(step.io(&dir))?;
    cache::write_if_changed(&source, nvvm::WORKER.as_bytes()).map_err(step.io(&source))?;
    // A linker that is configured for what is built is right here when that is this machine.
    if env.peek("HOST") == env.peek("TARGET")
        && let Some(linker) = env.peek("RUSTC_LINKER")
    {
        let mut word = std::ffi::OsString::from("-Clinker=");
        word.push(linker);
        command.arg(word);
    }
    let ran = step.run(env, &mut command, &dir)?;
    if !ran.status.success() {
        return Err(step.failed(&ran, Cause::Exit(ran.status)));
    }
    fs::rename(&made, &program).map_err(step.io(&program))?;
    Ok(program)
}
