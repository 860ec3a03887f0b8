//! What units have in common: the toolkit, the host compiler and the environment that they are made with, and how the
//! parts that steps made become a [`Unit`].

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use cubin_core::Sm;

use super::{
    CompileRequest, Level, SideFiles, Source, Unit, command,
    inputs::{Headers, Inputs, Lists},
    launcher::Launcher,
    message, ptxas_log,
    record::{self, Class, CompileRecord, Input},
    shadow::Listings,
    step,
};
use crate::{
    cache::{self, ContentHash, Files, encode_path},
    env::Env,
    lists::{AddAll, CollectText, CollectVec},
    toolkit::HostCompiler,
};

/// Variables that nvcc or the host compiler read by themselves and that change what comes out.
const VARIABLES: [&str; 16] = [
    "NVCC_PREPEND_FLAGS",
    "NVCC_APPEND_FLAGS",
    "NVCC_CCBIN",
    // nvcc.profile appends to these.
    "INCLUDES",
    "SYSTEM_INCLUDES",
    "CUDAFE_FLAGS",
    "NVVM_FLAGS",
    "OCG_FLAGS",
    "PTXAS_FLAGS",
    // gcc and clang.
    "CPATH",
    "CPLUS_INCLUDE_PATH",
    "C_INCLUDE_PATH",
    "GCC_EXEC_PREFIX",
    "COMPILER_PATH",
    "CCC_OVERRIDE_OPTIONS",
    "SOURCE_DATE_EPOCH",
];
/// What all units of a request share.
pub(super) struct Common<'a> {
    pub(super) env: &'a Env,
    pub(super) request: &'a CompileRequest<'a>,
    pub(super) host: Option<&'a HostCompiler>,
    pub(super) files: &'a Files,
    listings: Listings,
    lists: Lists,
    toolkit_lines: Vec<String>,
    host_line: String,
    env_lines: Vec<String>,
    /// Directories of `CPATH` and `CPLUS_INCLUDE_PATH`.
    env_includes: Vec<PathBuf>,
    notes: Vec<String>,
    launcher: Option<Launcher>,
}

impl<'a> Common<'a> {
    pub(super) fn new(
        env: &'a Env,
        request: &'a CompileRequest<'a>,
        host: Option<&'a HostCompiler>,
        files: &'a Files,
    ) -> Self {
        let mut env_lines = Vec::new();
        let mut env_includes = Vec::new();
        let mut notes = Vec::new();
        for name in VARIABLES {
            let Some(value) = env.get(name) else { continue };
            env_lines.push(format!("env {name}={}", encode_path(Path::new(&value))));
            if matches!(name, "CPATH" | "CPLUS_INCLUDE_PATH") {
                env_includes.add_all(std::env::split_paths(&value));
            }
            if matches!(name, "NVCC_PREPEND_FLAGS" | "NVCC_APPEND_FLAGS") {
                notes.push(format!(
                    "{name} is set to `{}`: nvcc adds these flags to every compilation of this build",
                    value.to_string_lossy()
                ));
            }
        }
        Self {
            env,
            request,
            host,
            files,
            listings: Listings::default(),
            lists: Lists::default(),
            toolkit_lines: request
                .toolkit
                .identity()
                .into_iter()
                .map(|line| format!("nvcc {}", encode_path(Path::new(&line))))
                .collect_vec(),
            host_line: match host {
                Some(host) => format!("host {}", encode_path(Path::new(&host.identity()))),
                None => "host none".to_owned(),
            },
            env_lines,
            env_includes,
            notes,
            // One that is not there has been told of.
            launcher: Launcher::find(env, Some(request.toolkit)).ok().flatten(),
        }
    }

    /// A compiler's command with the launcher before it, where there is one, and the directory that it is to run in: `dir`,
    /// which holds its results, with a launcher.
    pub(super) fn launched<'d>(&self, command: Command, dir: &'d Path) -> (Command, &'d Path)
    where
        'a: 'd,
    {
        match &self.launcher {
            Some(launcher) => (launcher.before(self.env, &command, dir), dir),
            None => (command, self.request.root),
        }
    }

    /// Lines of records for the toolkit.
    pub(super) fn toolkit_lines(&self) -> &[String] {
        &self.toolkit_lines
    }

    /// Lines of records for all that is the same for every source in C++: toolkit, host compiler, environment.
    pub(super) fn fixed_lines(&self) -> impl Iterator<Item = &String> {
        let of_host = std::iter::once(&self.host_line).chain(&self.env_lines);
        self.toolkit_lines.iter().chain(of_host)
    }

    /// Directories that flags and environment name for includes.
    pub(super) fn includes(&self, source: &Source, target: Sm) -> Vec<PathBuf> {
        let mut includes = command::include_dirs(self.request.options, source, target);
        includes.add_all(self.env_includes.iter().cloned());
        includes
    }

    /// Lines of records for files that went in, as they are now, without those of headers: one for each file, then one for
    /// each that they ask about (`asked`, as lines hold paths), then one for each that shadows.
    pub(super) fn input_lines(
        &self,
        inputs: &Inputs,
        asked: &[String],
        includes: &[PathBuf],
    ) -> Vec<String> {
        let root = self.request.root;
        let mut lines = Vec::with_capacity(inputs.own.len());
        for input in &inputs.own {
            lines.push(record::input_line(input, root, self.files));
        }
        lines.add_all(asked.iter().map(|name| format!("asked {name}")));
        let shadows = self
            .listings
            .shadows(inputs, asked, root, includes, self.files);
        lines.add_all(shadows);
        lines
    }

    /// What went into an earlier result, when all of it stands as its record says; else what does not.
    pub(super) fn unchanged(
        &self,
        old: &CompileRecord,
        includes: &[PathBuf],
    ) -> Result<Inputs, String> {
        let own = old.inputs().ok_or_else(step::damaged)?;
        let headers = self.headers(&old.headers).ok_or_else(step::damaged)?;
        let inputs = Inputs { own, headers };
        let now = self.input_lines(&inputs, &old.asked(), includes);
        if let Some(reason) = record::difference(&old.inputs, &now) {
            return Err(reason);
        }
        if old.headers == inputs.headers.lines {
            return Ok(inputs);
        }
        let lines = |text: &str| text.lines().map(str::to_owned).collect_vec();
        let reason = record::difference(&lines(&old.headers), &lines(&inputs.headers.lines));
        Err(reason.unwrap_or_else(step::damaged))
    }

    fn headers(&self, lines: &str) -> Option<Arc<Headers>> {
        let CompileRequest { root, toolkit, .. } = self.request;
        self.lists.of(lines, root, toolkit, self.files)
    }

    /// A record of files that a tool has read, as they are after it has ended, with what they are; and whether all of them
    /// are what it read. A file that was written, or put in its place, since `began` may have been read before: then its
    /// line says so, and fits nothing.
    pub(super) fn settled(
        &self,
        head: &[String],
        files: Vec<Input>,
        includes: &[PathBuf],
        began: u128,
    ) -> (CompileRecord, Inputs, bool) {
        let root = self.request.root;
        let mut own = Vec::new();
        let (mut headers, mut recorded) = (String::new(), String::new());
        let mut settled = true;
        for input in files {
            let is_new = || record::written_since(&input.path, root, began);
            if input.class == Class::Content {
                self.files.content_now(&root.join(&input.path));
                own.push(input);
                continue;
            }
            let line = record::input_line(&input, root, self.files);
            headers.push_str(&format!("{line}\n"));
            if input.class != Class::Fixed && is_new() {
                settled = false;
                recorded.push_str(&format!("stamp written meanwhile {}\n", input.name));
            } else {
                recorded.push_str(&format!("{line}\n"));
            }
        }
        let headers = self.headers(&headers).unwrap_or_default();
        let inputs = Inputs { own, headers };
        let (asked, unsure) = record::asked(inputs.iter(), root, self.files);
        let mut lines = self.input_lines(&inputs, &asked, includes);
        for (line, input) in lines.iter_mut().zip(&inputs.own) {
            if record::written_since(&input.path, root, began) {
                settled = false;
                *line = format!("content written-meanwhile {}", input.name);
            }
        }
        // What could have come first may have come, or gone, meanwhile.
        for line in &mut lines[inputs.own.len()..] {
            let shadow = line.strip_prefix("shadow ").and_then(cache::decode_path);
            if shadow.is_some_and(|path| record::written_since(&path, root, began)) {
                settled = false;
                line.push_str(" written-meanwhile");
            }
        }
        lines.add_all(unsure);
        let record = CompileRecord {
            head: head.to_vec(),
            inputs: lines,
            headers: recorded,
            ..CompileRecord::default()
        };
        (record, inputs, settled)
    }

    /// nvcc's words for a source, without names of files.
    pub(super) fn nvcc_words(&self, source: &Source, target: Sm) -> Vec<OsString> {
        command::nvcc_words(self.request, source, target, self.host)
    }

    pub(super) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    pub(super) fn notes(self) -> Vec<String> {
        self.notes
    }
}

/// What a unit is made of.
pub(super) struct Parts {
    pub(super) cubin: PathBuf,
    /// What registers kernels, and what declares them.
    pub(super) side_files: Option<(PathBuf, PathBuf)>,
    pub(super) ptx: PathBuf,
    pub(super) inputs: Inputs,
    /// Directories where files are looked for that are included.
    pub(super) includes: Vec<PathBuf>,
    /// What all tools printed.
    pub(super) log: String,
    pub(super) identity: ContentHash,
    /// Why a compiler ran.
    pub(super) ran: Option<String>,
}

impl Parts {
    pub(super) fn unit(self, source: &Source, target: Sm) -> Unit {
        let mut messages = message::parse(&self.log);
        // Closing remarks say how to silence a warning; without one there is nothing to show.
        if !messages.iter().any(|message| message.level != Level::Note) {
            messages.clear();
        }
        let own = &self.inputs.own;
        let ptxas_log::Log {
            spills,
            callees,
            frames,
        } = ptxas_log::parse(&self.log, source.relocatable);
        Unit {
            source: source.path.clone(),
            target,
            cubin: self.cubin,
            side_files: self.side_files.map(|(stub, gpu)| SideFiles { stub, gpu }),
            ptx: self.ptx,
            spills,
            callees,
            frames,
            dependencies: own.iter().map(|input| input.path.clone()).collect_vec(),
            messages,
            recompiled: self.ran,
            identity: self.identity,
            shadowing: record::search_dirs(own, &self.includes),
            headers: self.inputs.headers,
        }
    }
}

/// Directory of a source's units: its stem to be readable, a hash of its path to be unique.
pub(super) fn unit_name(path: &Path) -> String {
    let hash = ContentHash::of(path.as_os_str().as_encoded_bytes()).to_string();
    format!("{}-{}", tame_stem(path), &hash[..8])
}

/// The stem of a file in characters that need no quoting anywhere.
pub(crate) fn tame_stem(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let tame: String = stem
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || matches!(c, '_' | '.') {
                c
            } else {
                '_'
            }
        })
        .take(40)
        .collect_text();
    match tame.trim_start_matches('.') {
        "" => "unit".to_owned(),
        tame => tame.to_owned(),
    }
}
