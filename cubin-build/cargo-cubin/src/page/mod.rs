//! `cargo cubin report -o FILE`: one page for reviewers, which needs nothing else.
//!
//! [`data`] is what it shows, [`curves`] the occupancy by block size, [`budgets`] what the policy allows, [`images`] reads
//! the instructions of a build's kernels, [`history`] keeps the findings of earlier runs, [`write`] puts all of it into
//! `page.html` with `page.css` and `page.js`. The page computes nothing that is known here.

mod budgets;
mod curves;
mod data;
mod history;
mod images;
mod write;

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
};

use anyhow::{Context as _, bail};
use cubin_build::{cache, words::counted};

use self::{
    data::{Data, Group, Input},
    history::History,
};
use crate::{
    artifact::{self, Judged, Rules, Sidecars},
    diff::{recorded, since::since},
    facts::Facts,
    files, inspect,
    project::{self, Selection},
    report::Report,
};

pub(crate) use self::write::html;

const EXAMPLES: &str = "Examples:
  cargo cubin report -o report.html
      the workspace's kernels, against cubin.toml and cubin-kernels.jsonl
  cargo cubin report -o report.html --baseline old.cubin new.cubin
      a file, and what differs from another one
  cargo cubin report -o report.html --previous report.html
      keep in the page which findings earlier runs had";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Files with cubins (.cubin, .fatbin, .o, .a, .so, executables); the kernels of the workspace otherwise
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The page
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Show what changed since then: a baseline, or whatever `diff` takes as OLD. Without it the workspace's
    /// `cubin-kernels.jsonl`, where there is one
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// An earlier page of this command: the findings of its runs are kept as history
    #[arg(long, value_name = "FILE")]
    previous: Option<PathBuf>,
    /// What this run is called in the history; the git revision otherwise
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
    /// The page's title
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// The policy's file: in each package, where the build script names another than cubin.toml. FILEs are judged by it, and
    /// by none without it
    #[arg(long, value_name = "PATH")]
    config: Option<PathBuf>,
    /// Bytes of dynamic shared memory per block, for the occupancy
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    dynamic_shared: u64,
    #[command(flatten)]
    selection: Selection,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    // What is asked for is read before anything is built.
    let history = match &args.previous {
        Some(path) => earlier(path)?,
        None => History::default(),
    };
    let found = match &args.config {
        _ if args.files.is_empty() => Found::of_workspace(args)?,
        Some(config) => Found::of_artifacts(args, config)?,
        None => Found::of_files(args)?,
    };
    let groups = found.groups(args)?;
    let since = match &found.baseline {
        None => None,
        Some(path) => {
            let kernels = groups.iter().flat_map(|group| {
                let package = args.files.is_empty().then_some(group.name.as_str());
                group.kernels.iter().map(move |facts| (package, *facts))
            });
            let mut since = since(path, &kernels.collect::<Vec<_>>())?;
            // Two checkouts give one page.
            let inside = path.strip_prefix(&found.root);
            since.title = files::shown(inside.unwrap_or(path));
            Some(since)
        }
    };
    let names: Vec<&str> = groups.iter().map(|group| group.name.as_str()).collect();
    let title = match (&args.title, names.as_slice()) {
        (Some(title), _) => title.clone(),
        (None, few @ ([_] | [_, _])) => format!("Kernels of {}", few.join(" and ")),
        (None, many) if args.files.is_empty() => format!("Kernels of {} packages", many.len()),
        (None, many) => format!("Kernels of {} files", many.len()),
    };
    let data = Data::new(Input {
        title: title.clone(),
        label: args.label.clone().unwrap_or_else(|| revision(&found.root)),
        workspace: args.files.is_empty(),
        dynamic_shared: args.dynamic_shared,
        groups,
        since,
        history,
    });
    let page = write::page(&title, &serde_json::to_string(&data)?);
    let changed = cache::write_if_changed(&args.output, page.as_bytes())
        .with_context(|| format!("cannot write {}", files::shown(&args.output)))?;
    let verb = if changed { "wrote" } else { "unchanged:" };
    let images = counted(data.kernels() as u64, "kernel image");
    println!("{verb} {} ({images})", files::shown(&args.output));
    Ok(ExitCode::SUCCESS)
}

/// The history that an earlier page holds.
fn earlier(path: &Path) -> anyhow::Result<History> {
    let bytes = files::open(path).with_context(|| files::shown(path))?;
    let text = std::str::from_utf8(&bytes).with_context(|| files::shown(path))?;
    write::history(text).with_context(|| files::shown(path))
}

/// The kernels that the page is about.
struct Found {
    /// Of a workspace.
    reports: Vec<Report>,
    /// Of files, by their names.
    files: Vec<(String, Vec<Facts>)>,
    baseline: Option<PathBuf>,
    /// Whose revision it is.
    root: PathBuf,
}

impl Found {
    fn of_workspace(args: &Args) -> anyhow::Result<Self> {
        let project::Reports {
            workspace,
            mut reports,
        } = project::reports(&args.selection)?;
        for report in &mut reports {
            images::add_instructions(report)?;
        }
        let usual = workspace.join(recorded::FILE);
        let baseline = args
            .baseline
            .clone()
            .or_else(|| usual.is_file().then_some(usual));
        Ok(Self {
            reports,
            files: Vec::new(),
            baseline,
            root: workspace,
        })
    }

    /// Files, judged as `check --artifact` does.
    fn of_artifacts(args: &Args, config: &Path) -> anyhow::Result<Self> {
        let rules = Rules::read(config)?;
        let mut sidecars = Sidecars::default();
        let mut reports = Vec::new();
        for path in &args.files {
            let bytes = files::open(path).with_context(|| files::shown(path))?;
            sidecars.add_near(path);
            match artifact::judge(&rules, path, &bytes, &mut sidecars)? {
                Judged::Report(mut report) => {
                    images::add_instructions(&mut report)?;
                    report.package = file_name(path);
                    reports.push(*report);
                }
                Judged::Nothing(why) => bail!("{}: {why}", files::shown(path)),
            }
        }
        Ok(Self {
            reports,
            files: Vec::new(),
            baseline: args.baseline.clone(),
            root: PathBuf::from("."),
        })
    }

    fn of_files(args: &Args) -> anyhow::Result<Self> {
        let mut found = Vec::new();
        // A build leaves a cubin in several places.
        let mut seen = HashSet::new();
        for path in &args.files {
            let bytes = files::open(path).with_context(|| files::shown(path))?;
            let mut kernels = inspect::facts(path, &bytes)?;
            kernels
                .retain(|facts| facts.kernel && seen.insert((facts.sha256.clone(), facts.section)));
            found.push((file_name(path), kernels));
        }
        if found.iter().all(|(_, kernels)| kernels.is_empty()) {
            let names: Vec<String> = args.files.iter().map(|path| files::shown(path)).collect();
            bail!("no kernel in {}", names.join(", "));
        }
        Ok(Self {
            reports: Vec::new(),
            files: found,
            baseline: args.baseline.clone(),
            root: PathBuf::from("."),
        })
    }

    /// By package or file.
    fn groups(&self, args: &Args) -> anyhow::Result<Vec<Group<'_>>> {
        let mut groups = Vec::new();
        let name = args.config.as_deref().unwrap_or(Path::new("cubin.toml"));
        for report in &self.reports {
            // Files are judged by one policy, which lies in the directory that the report begins at.
            let name = match report.artifact {
                Some(_) => Path::new(name.file_name().unwrap_or(name.as_os_str())),
                None => name,
            };
            groups.push(Group {
                name: report.package.clone(),
                kernels: report.kernels.iter().collect(),
                findings: &report.findings,
                policy: budgets::File::read(&report.root, name)?,
            });
        }
        groups.extend(self.files.iter().map(|(name, kernels)| Group {
            name: name.clone(),
            kernels: kernels.iter().collect(),
            findings: &[],
            policy: None,
        }));
        Ok(groups)
    }
}

fn file_name(path: &Path) -> String {
    files::shown(Path::new(path.file_name().unwrap_or(path.as_os_str())))
}

/// What git calls the revision in a directory; `now` without git.
fn revision(root: &Path) -> String {
    let output = Command::new("git")
        .arg("-C")
        .arg(root)
        .args(["describe", "--always", "--dirty"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    let text = output.ok().filter(|output| output.status.success());
    let text = text.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    text.filter(|text| !text.is_empty())
        .unwrap_or_else(|| "now".to_owned())
}
