//! Runs nvcc's front end alone (`-fdevice-syntax-only`) over a text of ours that includes a source, with all that the
//! source itself is compiled with; and keeps the result beside the unit's.
//!
//! The result holds as long as the unit's record and the text do: whatever recompiles the unit asks again. A failure is
//! a result too, so that an unchanged build starts nothing.
//!
//! Yields the file of kernel registrations, or what the compiler said. Does not know what is asked.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{
    CompileRequest, Source, Unit, command, message,
    run::{self, Stopped, TIMEOUT},
    step::{self, LOG, RECORD},
    whole::{ending, files_in},
};
use crate::{
    cache::{self, ContentHash},
    env::Env,
};

/// First line of a result's record; another number is another format.
const FORMAT: &str = "cubin-build probe 1";
const TEXT: &str = "probe.cu";
const KEPT: &str = "probe.cudafe1.stub.c";

/// The `X.cudafe1.stub.c` of a text, or what the compiler said instead.
pub type Registrations = Result<Vec<u8>, String>;

/// One run of the front end.
#[derive(Debug, Clone)]
pub struct FrontEnd<'a> {
    /// The compiled source that the text includes.
    pub unit: &'a Unit,
    /// The translation unit.
    pub text: String,
    /// Tells texts about the same unit apart that are asked one after the other.
    pub round: u32,
}

impl FrontEnd<'_> {
    /// How an `#include` in the text names the unit's source.
    pub fn include(request: &CompileRequest<'_>, unit: &Unit) -> String {
        let path = request.root.join(&unit.source);
        path.to_string_lossy().replace('\\', "/")
    }

    /// Compiles the text, or takes what an earlier build kept.
    pub fn registrations(&self, env: &Env, request: &CompileRequest<'_>) -> Registrations {
        let unit_dir = self.unit.cubin.parent().unwrap_or(Path::new(""));
        let dir = unit_dir.with_file_name(format!("probe.{}.{}", self.round, self.unit.target));
        let key = format!(
            "{FORMAT}\nunit {}\ntext {}\n",
            self.unit.identity,
            ContentHash::of(self.text.as_bytes())
        );
        if !self.unit.compiled()
            && let Some(known) = kept(&dir, &key)
        {
            return known;
        }
        self.run(env, request, &dir, &key)
            .unwrap_or_else(|error| Err(format!("cannot use {}: {error}", dir.display())))
    }

    fn run(
        &self,
        env: &Env,
        request: &CompileRequest<'_>,
        dir: &Path,
        key: &str,
    ) -> std::io::Result<Registrations> {
        step::fresh(dir)?;
        let text = dir.join(TEXT);
        fs::write(&text, &self.text)?;
        let source = request
            .sources
            .iter()
            .find(|source| source.path == self.unit.source)
            .cloned()
            .unwrap_or_else(|| Source::cuda(self.unit.source.clone()));
        let host = request
            .toolkit
            .host_compiler(env, command::ccbin(request.options).as_deref())
            .ok();
        let words = command::nvcc_words(request, &source, self.unit.target, host.as_ref());
        let alone = request.toolkit.version.major >= 12 && !request.options.front_end_only;
        let mut command = env.command(&request.toolkit.nvcc);
        command
            .args(["--keep", "--keep-dir"])
            .arg(dir)
            .args(command::anchor_words(request))
            .args(words)
            // Warnings about the source have been shown.
            .arg("-w")
            // Before CUDA 12 the back end has to run, too; the file is the same.
            .args(alone.then_some(command::FRONT_END_ONLY))
            .arg("-o")
            .arg(dir.join("probe.cubin"))
            .arg(&text);
        step::prepare(&mut command, request.root, dir);
        if let Some(host) = &host {
            command.envs(host.variables.iter().cloned());
        }
        let what = format!(
            "nvcc's front end of {} for {}",
            self.unit.source.display(),
            self.unit.target
        );
        let ran = match run::run(&mut command, &what, run::limit(env)) {
            Ok(ran) => ran,
            Err(Stopped::Spawn(why)) => return Err(std::io::Error::other(why)),
            // Not kept: it may end in time next time.
            Err(Stopped::Timeout { limit, .. }) => {
                let limit = run::words(limit);
                return Ok(Err(format!("{what} was ended after {limit} ({TIMEOUT})")));
            }
        };
        let made = files_in(dir);
        let found = match (ran.status.success(), ending(&made, ".cudafe1.stub.c")) {
            (true, Some(path)) => Ok(fs::read(path)?),
            (true, None) => Err("nvcc left no file of kernel registrations".to_owned()),
            (false, _) => Err(match message::readable(&ran.log).trim() {
                "" => format!("nvcc failed without a message ({})", ran.status),
                log => log.to_owned(),
            }),
        };
        for path in made.iter().filter(|path| **path != text) {
            fs::remove_file(path).or_else(|_| fs::remove_dir_all(path))?;
        }
        let (name, bytes) = match &found {
            Ok(bytes) => (KEPT, bytes.as_slice()),
            Err(log) => (LOG, log.as_bytes()),
        };
        fs::write(dir.join(name), bytes)?;
        let lines = format!("{key}{}\n", result_line(name, bytes));
        cache::write(&dir.join(RECORD), lines.as_bytes())?;
        Ok(found)
    }
}

fn result_line(name: &str, bytes: &[u8]) -> String {
    format!("result {} {} {name}", bytes.len(), ContentHash::of(bytes))
}

/// The result in `dir`, when it is whole and belongs to `key`.
fn kept(dir: &Path, key: &str) -> Option<Registrations> {
    let record = fs::read_to_string(dir.join(RECORD)).ok()?;
    let line = record.strip_prefix(key)?.trim_end();
    let read = |name: &str| {
        let path: PathBuf = dir.join(name);
        fs::read(path)
            .ok()
            .filter(|bytes| result_line(name, bytes) == line)
    };
    if let Some(bytes) = read(KEPT) {
        return Some(Ok(bytes));
    }
    Some(Err(String::from_utf8_lossy(&read(LOG)?).into_owned()))
}
