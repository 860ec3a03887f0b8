//! The commands of one kind of compilation: what nvcc would run for one set of flags on one target.
//!
//! nvcc is asked once per kind, not per file, by a dry run with a name that no file has; where that name stands, each
//! file's own is put ([`Steps`]). The host compiler is asked once per kind, too, which directories it searches and which
//! programs do its work behind the one that nvcc starts. Both answers are kept in `OUT_DIR/kinds`, so that a build in
//! which nothing changed starts nothing.
//!
//! An answer holds as long as the toolkit, the host compiler and the programs behind both are the same, and so are the
//! flags and the variables that nvcc reads.

use std::{
    ffi::{OsStr, OsString},
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitStatus},
};

use super::{
    command,
    run::{self, Stopped},
    step,
    unit::Common,
};
use crate::{
    cache::{self, ContentHash, Stamp, decode_path, encode_path},
    dryrun::{Dryrun, Step},
    env,
    lists::{AddAll, CollectVec},
};

/// First line of a kept answer; another number is another format, or another way to ask.
const FORMAT: &str = "cubin-build kind 1";
/// Stands for a source's name.
const NAME: &str = "cubin_build_source";
/// Variables whose value nvcc puts something before.
const PREFIXED: [&str; 2] = ["PATH", "LD_LIBRARY_PATH"];

/// How sources of one kind are compiled.
pub(super) enum Kind {
    /// Step by step.
    Steps(Box<Steps>),
    /// By nvcc, as its commands are not understood: why.
    Whole(String),
    /// Not at all: nvcc refuses the flags.
    Refused {
        status: ExitStatus,
        log: String,
        shown: String,
    },
    /// nvcc cannot be run.
    Stopped(String),
}

/// The three commands of a kind.
pub(super) struct Steps {
    preprocess: Step,
    cicc: Step,
    ptxas: Step,
    /// What nvcc gives to the programs that it starts.
    variables: Vec<(String, String)>,
    /// Directories that the preprocessor searches, in order.
    pub(super) search: Vec<PathBuf>,
    /// The virtual architecture that PTX is made for.
    pub(super) virtual_arch: String,
    /// Debug information names lines, so that a comment changes the result.
    pub(super) lines_matter: bool,
    /// What nvcc said of the flags and the target.
    pub(super) messages: String,
    /// Line of a record for all that is not a flag.
    pub(super) line: String,
    /// Where the name stands that is replaced.
    prefix: String,
}

/// What is put in the place of the name that no file has.
pub(super) struct Names<'a> {
    /// The source as it is given to the preprocessor.
    pub(super) source: &'a OsStr,
    /// The source as symbols and messages know it: the same in every folder.
    pub(super) stable: &'a str,
    /// What files between the steps are called, without extension.
    pub(super) stem: &'a str,
    /// Where they are.
    pub(super) dir: &'a Path,
}

impl Kind {
    /// Takes what an earlier build was told, else asks. `words` are nvcc's, without source and output.
    pub(super) fn of(common: &Common<'_>, words: &[OsString]) -> Self {
        let dir = common.request.out_dir.join("kinds");
        let key = key(common, words);
        let path = dir.join(format!("{}.txt", &key.to_string()[..16]));
        if let Some(kept) = Answer::kept(&path, key) {
            return Self::from(kept.steps(&dir));
        }
        Self::ask(common, words, &dir, key, &path)
    }

    fn ask(
        common: &Common<'_>,
        words: &[OsString],
        dir: &Path,
        key: ContentHash,
        path: &Path,
    ) -> Self {
        if let Err(error) = fs::create_dir_all(dir) {
            return Self::Stopped(format!("cannot use `{}`: {error}", dir.display()));
        }
        let mut command = common.env.command(&common.request.toolkit.nvcc);
        command
            .args(["--dryrun", "--keep", "--keep-dir"])
            .arg(dir)
            .args(words)
            .arg("-o")
            .arg(dir.join(format!("{NAME}.cubin")))
            .arg(format!("{NAME}.cu"));
        step::prepare(&mut command, common.request.root, dir);
        let shown = step::shown(&command);
        let ran = match run::run(&mut command, "nvcc --dryrun", run::limit(common.env)) {
            Ok(ran) => ran,
            Err(Stopped::Spawn(why)) => return Self::Stopped(why),
            Err(Stopped::Timeout { limit, .. }) => {
                let limit = run::words(limit);
                return Self::Stopped(format!("nvcc --dryrun was ended after {limit}"));
            }
        };
        if !ran.status.success() {
            return Self::Refused {
                status: ran.status,
                log: ran.log,
                shown,
            };
        }
        let mut answer = Answer {
            printed: without_inherited(common, &ran.log),
            ..Answer::default()
        };
        let mut tools = Vec::new();
        if let Ok(steps) = answer.steps(dir) {
            (answer.search, tools) = steps.ask_host(common, dir);
            for program in [&steps.cicc.words[0], &steps.ptxas.words[0]] {
                tools.add_all(steps.find(common, program));
            }
        }
        if let Ok(dryrun) = Dryrun::parse(&answer.printed) {
            let in_dir =
                |name: &str, file: &str| Some(PathBuf::from(dryrun.variable(name)?).join(file));
            // nvcc itself, also behind a wrapper, and what cicc links in.
            tools.add_all(in_dir("_HERE_", "nvcc"));
            tools.add_all(in_dir("_HERE_", "nvcc.profile"));
            tools.add_all(in_dir("NVVMIR_LIBRARY_DIR", "libdevice.10.bc"));
        }
        if common.request.toolkit.is_immutable() {
            tools.retain(|tool| !common.request.toolkit.owns(tool));
        }
        answer.tools = tools.iter().filter_map(|tool| stamped(tool)).collect_vec();
        // What cannot be kept is asked for again.
        let _ = cache::write(path, answer.text(key).as_bytes());
        Self::from(answer.steps(dir))
    }
}

impl From<Result<Steps, String>> for Kind {
    fn from(steps: Result<Steps, String>) -> Self {
        match steps {
            Ok(steps) => Self::Steps(Box::new(steps)),
            Err(why) => Self::Whole(why),
        }
    }
}

/// All that an answer depends on, but for the programs behind others.
fn key(common: &Common<'_>, words: &[OsString]) -> ContentHash {
    let mut text = String::new();
    let mut line = |kind: &str, value: &Path| {
        text.push_str(&format!("{kind} {}\n", encode_path(value)));
    };
    for fixed in common.fixed_lines() {
        line("", Path::new(fixed));
    }
    line("root", common.request.root);
    line("out", common.request.out_dir);
    for word in words {
        line("word", Path::new(word));
    }
    for file in command::response_files(common.env) {
        let bytes = fs::read(common.request.root.join(&file)).unwrap_or_default();
        line(&ContentHash::of(&bytes).to_string(), &file);
    }
    ContentHash::of(text.as_bytes())
}

fn stamped(tool: &Path) -> Option<String> {
    let mut stamp = Stamp::of(tool).ok()?;
    // One that was copied or moved over another keeps its own time.
    stamp.modified = cache::changed(tool).ok()?;
    Some(format!("tool {stamp} {}", encode_path(tool)))
}

/// Takes from the variables what this build inherited: the next one may inherit something else.
fn without_inherited(common: &Common<'_>, printed: &str) -> String {
    let mut text = String::with_capacity(printed.len());
    for line in printed.lines() {
        let mut kept = line;
        for name in PREFIXED {
            let is_it = line
                .strip_prefix("#$ ")
                .and_then(|line| line.strip_prefix(name))
                .is_some_and(|rest| rest.starts_with('='));
            let inherited = common.env.peek(name);
            let inherited = inherited.as_deref().and_then(OsStr::to_str);
            if let (true, Some(inherited)) = (is_it, inherited) {
                kept = line.strip_suffix(inherited).unwrap_or(line);
            }
        }
        text.push_str(kept);
        text.push('\n');
    }
    text
}

/// What is kept of a kind.
#[derive(Default)]
struct Answer {
    /// What the dry run printed.
    printed: String,
    search: Vec<PathBuf>,
    /// Programs with their stamps, as lines.
    tools: Vec<String>,
}

impl Answer {
    fn text(&self, key: ContentHash) -> String {
        let mut text = format!("{FORMAT}\nkey {key}\n");
        for tool in &self.tools {
            text.push_str(&format!("{tool}\n"));
        }
        for dir in &self.search {
            text.push_str(&format!("search {}\n", encode_path(dir)));
        }
        for line in self.printed.lines() {
            text.push_str(&format!("print {}\n", encode_path(Path::new(line))));
        }
        text.push_str(&format!("end {}\n", ContentHash::of(text.as_bytes())));
        text
    }

    /// Reads what [`Answer::text`] wrote, when it is whole and its programs are what they were.
    fn kept(path: &Path, key: ContentHash) -> Option<Self> {
        let text = fs::read_to_string(path).ok()?;
        let (body, end) = text.trim_end().rsplit_once('\n')?;
        let hash = ContentHash::of(format!("{body}\n").as_bytes());
        if end != format!("end {hash}") {
            return None;
        }
        let body = body.strip_prefix(&format!("{FORMAT}\nkey {key}"))?;
        let body = body.trim_start_matches('\n');
        let mut answer = Self::default();
        for line in body.lines() {
            let (kind, rest) = line.split_once(' ')?;
            match kind {
                "tool" => {
                    let path = decode_path(rest.splitn(3, ' ').nth(2)?)?;
                    if stamped(&path).as_deref() != Some(line) {
                        return None;
                    }
                    answer.tools.push(line.to_owned());
                }
                "search" => answer.search.push(decode_path(rest)?),
                "print" => {
                    answer.printed.push_str(decode_path(rest)?.to_str()?);
                    answer.printed.push('\n');
                }
                _ => return None,
            }
        }
        Some(answer)
    }

    /// The commands in it.
    fn steps(&self, dir: &Path) -> Result<Steps, String> {
        if cfg!(windows) {
            return Err("its commands are read on Unix systems only".to_owned());
        }
        let dryrun = Dryrun::parse(&self.printed).map_err(|why| why.to_string())?;
        let pipeline = dryrun.pipeline().map_err(|why| why.to_string())?;
        let variables = dryrun.variables().to_vec();
        let prefix = dir.join(NAME);
        let prefix = prefix.to_str().ok_or("a path is no text")?.to_owned();
        let mut cicc = pipeline.cicc;
        input_behind_flags(&mut cicc);
        let virtual_arch = match cicc.words.iter().position(|word| word == "-arch") {
            Some(at) => cicc.words.get(at + 1).cloned(),
            None => None,
        };
        let virtual_arch = virtual_arch
            .filter(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
            .ok_or("cicc is given no architecture")?;
        let of_debugger = ["-g", "-G", "-generate-line-info", "--generate-line-info"];
        let lines_matter = cicc
            .words
            .iter()
            .any(|word| of_debugger.contains(&word.as_str()) || word.contains("src-in-ptx"));
        let mut text = self.tools.join("\n");
        for words in [&cicc.words, &pipeline.preprocess.words] {
            text.push_str(&words.join("\n").replace(&prefix, ""));
        }
        for dir in &self.search {
            text.push_str(&encode_path(dir));
        }
        Ok(Steps {
            preprocess: pipeline.preprocess,
            ptxas: pipeline.ptxas,
            cicc,
            variables,
            search: self.search.clone(),
            virtual_arch,
            lines_matter,
            messages: dryrun.messages,
            line: format!("commands {}", ContentHash::of(text.as_bytes())),
            prefix,
        })
    }
}

/// Puts the input behind all flags but `-o`: sccache takes the third word from the end for it.
fn input_behind_flags(cicc: &mut Step) {
    let Some(at) = cicc.words.iter().position(|word| *word == cicc.input) else {
        return;
    };
    if let Some(flag) = cicc.words[at..]
        .iter()
        .position(|word| word == "--simt-only")
    {
        let flag = cicc.words.remove(at + flag);
        cicc.words.insert(at, flag);
    }
}

impl Steps {
    /// Preprocesses.
    pub(super) fn preprocess(&self, common: &Common<'_>, names: &Names<'_>) -> Command {
        self.command(common, &self.preprocess, names)
    }

    /// Where the preprocessor writes.
    pub(super) fn preprocessed(&self, names: &Names<'_>) -> PathBuf {
        PathBuf::from(self.replaced(&self.preprocess.output, names))
    }

    /// Makes PTX and the front end's files.
    pub(super) fn cicc(&self, common: &Common<'_>, names: &Names<'_>) -> Command {
        self.command(common, &self.cicc, names)
    }

    /// Makes machine code of `ptx`.
    pub(super) fn ptxas(&self, common: &Common<'_>, names: &Names<'_>, ptx: &Path) -> Command {
        let mut command = self.bare(common, &self.ptxas.words[0]);
        for word in &self.ptxas.words[1..] {
            if *word == self.ptxas.input {
                command.arg(ptx);
            } else {
                command.arg(self.replaced(word, names));
            }
        }
        command
    }

    /// All that decides what cicc makes of a text.
    pub(super) fn cicc_key(&self, common: &Common<'_>, stable: &str, stem: &str) -> ContentHash {
        let mut text = common.toolkit_lines().join("\n");
        for word in &self.cicc.words {
            text.push('\n');
            text.push_str(&word.replace(&self.prefix, NAME));
        }
        text.push_str(&format!("\n{stable}\n{stem}\n"));
        if self.lines_matter {
            text.push_str(&encode_path(common.request.root));
        }
        ContentHash::of(text.as_bytes())
    }

    /// Threads that cicc and ptxas take each.
    pub(super) fn threads(&self) -> usize {
        let words = &self.cicc.words;
        let at = words.iter().position(|word| word == "-split-compile");
        let threads = at.and_then(|at| words.get(at + 1)?.parse().ok());
        threads.unwrap_or(1)
    }

    /// The words that decide what ptxas makes of PTX.
    pub(super) fn ptxas_words(&self) -> Vec<String> {
        let words = self.ptxas.words[1..].iter();
        let flags = words.filter(|word| !word.starts_with(&self.prefix));
        flags.cloned().collect_vec()
    }

    /// Whether a directory that the preprocessor searches is one that flags name, and not the host compiler's own.
    pub(super) fn names(&self, dir: &Path) -> bool {
        let ends = |word: &String| dir.to_str().is_some_and(|dir| word.ends_with(dir));
        self.preprocess.words.iter().any(ends)
    }

    /// Whether the first two steps are the same.
    pub(super) fn same_front(&self, other: &Self) -> bool {
        self.preprocess == other.preprocess && self.cicc == other.cicc
    }

    fn command(&self, common: &Common<'_>, step: &Step, names: &Names<'_>) -> Command {
        let mut command = self.bare(common, &step.words[0]);
        let mut words = step.words[1..].iter();
        while let Some(word) = words.next() {
            if matches!(
                word.as_str(),
                "--orig_src_file_name" | "--orig_src_path_name"
            ) {
                command.arg(word).arg(names.stable);
                words.next();
                continue;
            }
            command.arg(self.replaced(word, names));
        }
        command
    }

    fn replaced(&self, word: &str, names: &Names<'_>) -> OsString {
        if let Some(rest) = word.strip_prefix(&self.prefix) {
            return names.dir.join(format!("{}{rest}", names.stem)).into();
        }
        match word.strip_prefix(NAME) {
            Some(".cu") => names.source.to_owned(),
            Some(rest) => format!("{}{rest}", names.stem).into(),
            None => word.into(),
        }
    }

    /// A program with the variables that nvcc gives it.
    pub(super) fn bare(&self, common: &Common<'_>, program: &str) -> Command {
        let found = self.find(common, program);
        let program = found.unwrap_or_else(|| PathBuf::from(program));
        let mut command = common.env.command(program);
        for (name, value) in &self.variables {
            let mut value = OsString::from(value);
            if PREFIXED.contains(&name.as_str()) {
                value.push(common.env.peek(name).unwrap_or_default());
            }
            command.env(name, value);
        }
        if let Some(host) = common.host {
            command.envs(host.variables.iter().cloned());
        }
        command
    }

    /// A program as nvcc finds it: the host compiler by what the build has found, others on nvcc's own `PATH`.
    fn find(&self, common: &Common<'_>, program: &str) -> Option<PathBuf> {
        if program.contains('/') {
            return Some(PathBuf::from(program));
        }
        if let Some(host) = common.host
            && host.program.file_name() == Some(OsStr::new(program))
        {
            return Some(host.program.clone());
        }
        let mut known = self.variables.iter().rev();
        let own = known.find(|(name, _)| name == "PATH");
        let mut path = own.map_or_else(OsString::new, |(_, path)| OsString::from(path));
        path.push(common.env.peek("PATH").unwrap_or_default());
        std::env::split_paths(&path)
            .filter(|dir| !dir.as_os_str().is_empty())
            .find_map(|dir| env::program_in(&dir, program))
    }

    /// Directories that the host compiler searches, and the programs that do its work.
    fn ask_host(&self, common: &Common<'_>, dir: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let mut command = self.bare(common, &self.preprocess.words[0]);
        command.arg("-v");
        let mut words = self.preprocess.words[1..].iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                // What is always included need not be read for this question.
                "-include" | "-imacros" => {
                    words.next();
                }
                word if word == self.preprocess.input => {
                    command.arg("/dev/null");
                }
                word if word == self.preprocess.output => {
                    command.arg(dir.join("nothing.ii"));
                }
                word => {
                    command.arg(word);
                }
            }
        }
        step::prepare(&mut command, common.request.root, dir);
        let ran = run::run(&mut command, "the host compiler", run::limit(common.env));
        let _ = fs::remove_file(dir.join("nothing.ii"));
        let log = ran.map(|ran| ran.log).unwrap_or_default();
        let (search, mut tools) = told_by_host(&log);
        // Files of the host compiler's own flags.
        let root = common.request.root;
        let files = self.preprocess.words.iter();
        let files = files.filter_map(|word| word.strip_prefix('@'));
        tools.add_all(files.map(|file| root.join(file)));
        (search, tools)
    }
}

/// Reads what gcc or clang print with `-v`.
fn told_by_host(log: &str) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let (mut search, mut tools) = (Vec::new(), Vec::new());
    let mut listing = false;
    for line in log.lines() {
        if line.ends_with(" search starts here:") {
            listing = true;
        } else if line == "End of search list." {
            listing = false;
        } else if let (true, Some(dir)) = (listing, line.strip_prefix(' ')) {
            search.push(PathBuf::from(
                dir.trim_end_matches(" (framework directory)"),
            ));
        } else if let Some(dir) = line.strip_prefix("ignoring nonexistent directory \"") {
            // It will be searched once it is there.
            search.push(PathBuf::from(dir.trim_end_matches('"')));
        } else if let Some(program) = line.strip_prefix("COLLECT_GCC=") {
            tools.push(PathBuf::from(program));
        } else if let Some(rest) = line.strip_prefix(" ") {
            // The program that reads the source: ` /usr/lib/gcc/…/cc1plus -E …`, ` "/usr/lib/llvm/bin/clang" -cc1 …`.
            let quoted = rest
                .strip_prefix('"')
                .and_then(|rest| rest.split('"').next());
            let program = quoted.or_else(|| rest.split(' ').next());
            if let Some(program) = program.filter(|program| program.starts_with('/')) {
                tools.push(PathBuf::from(program));
            }
        }
    }
    tools.retain(|tool| tool.is_absolute());
    (search, tools)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_tell_where_they_search_and_who_works_for_them() {
        let gcc = "Using built-in specs.\nCOLLECT_GCC=/opt/gcc/bin/gcc\n\
                   COLLECT_GCC_OPTIONS='-v' '-E'\n /usr/lib/gcc/12/cc1plus -E -quiet -v /dev/null\n\
                   ignoring nonexistent directory \"nope\"\n#include \"...\" search starts here:\n lm\n\
                   #include <...> search starts here:\n .\n /usr/include/c++/12\nEnd of search list.\n\
                   COMPILER_PATH=/usr/lib/gcc\n";
        let (search, tools) = told_by_host(gcc);
        assert_eq!(
            search,
            ["nope", "lm", ".", "/usr/include/c++/12"].map(PathBuf::from)
        );
        let expected = ["/opt/gcc/bin/gcc", "/usr/lib/gcc/12/cc1plus"];
        assert_eq!(tools, expected.map(PathBuf::from));
        let clang = "clang version 14\n \"/usr/lib/llvm-14/bin/clang\" -cc1 -E\n\
                     #include \"...\" search starts here:\n#include <...> search starts here:\n /usr/include\n\
                     End of search list.\n";
        let (search, tools) = told_by_host(clang);
        assert_eq!(search, [PathBuf::from("/usr/include")]);
        assert_eq!(tools, [PathBuf::from("/usr/lib/llvm-14/bin/clang")]);
        assert_eq!(told_by_host(""), (Vec::new(), Vec::new()));
    }

    #[test]
    fn an_answer_reads_back_whole_or_not_at_all() {
        let dir = std::env::temp_dir().join(format!("cubin-build-kind-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let tool = dir.join("cc");
        fs::write(&tool, "x").unwrap();
        let answer = Answer {
            printed: "#$ A=b\n#$ c d\n".to_owned(),
            search: vec![PathBuf::from("a b")],
            tools: vec![stamped(&tool).unwrap()],
        };
        let key = ContentHash::of(b"key");
        let path = dir.join("answer.txt");
        let text = answer.text(key);
        fs::write(&path, &text).unwrap();
        let kept = Answer::kept(&path, key).unwrap();
        assert_eq!(kept.text(key), text);
        assert!(Answer::kept(&path, ContentHash::of(b"other")).is_none());
        for length in (0..text.len() - 1).step_by(7) {
            fs::write(&path, &text[..length]).unwrap();
            assert!(Answer::kept(&path, key).is_none(), "{length}");
        }
        fs::write(&path, &text).unwrap();
        fs::write(&tool, "another").unwrap();
        assert!(Answer::kept(&path, key).is_none(), "a program was replaced");
        fs::remove_dir_all(dir).unwrap();
    }
}
