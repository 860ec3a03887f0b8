//! `cargo cubin timings`: how long each step of the last build took, as a table or as a chart in a file of its own.
//!
//! Read from what builds keep beside their results (`OUT_DIR/…/units/*/*/times.txt`); nothing is built.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, bail};
use cubin_core::escape::visible;

use crate::{
    page::html,
    project::{self, Selection},
};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    selection: Selection,
    /// Write a chart into this file, instead of the table
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// A step that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Step {
    /// `cicc`
    name: String,
    /// The source, by the name of its results.
    source: String,
    /// `compute_90`, `sm_90`
    target: String,
    /// Milliseconds from the start of the build.
    start: u64,
    /// Milliseconds.
    took: u64,
    /// Why it ran.
    reason: String,
}

/// The last build of a package.
#[derive(Debug, Default)]
struct Build {
    /// Milliseconds since 1970.
    began: u64,
    /// By start.
    steps: Vec<Step>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (target, packages) = project::built(&args.selection)?;
    let mut builds: BTreeMap<&str, Build> = BTreeMap::new();
    for package in &packages {
        let build = last_build(&out_dirs(&target, package));
        if !build.steps.is_empty() {
            builds.insert(package, build);
        }
    }
    if builds.is_empty() {
        bail!(
            "no build of {} has kept times below {}; run `cargo build` first",
            packages.join(", "),
            target.display()
        );
    }
    match &args.html {
        Some(file) => {
            fs::write(file, chart(&builds))
                .with_context(|| format!("cannot write {}", file.display()))?;
        }
        None => std::io::stdout()
            .lock()
            .write_all(table(&builds).as_bytes())?,
    }
    Ok(ExitCode::SUCCESS)
}

fn dirs_in(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut dirs: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    dirs.sort();
    dirs
}

fn name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// Where build scripts of a package wrote, in all profiles and for all targets.
fn out_dirs(target: &Path, package: &str) -> Vec<PathBuf> {
    let profiles = dirs_in(target);
    let nested = profiles.iter().flat_map(|dir| dirs_in(dir));
    let all: Vec<PathBuf> = profiles.iter().cloned().chain(nested).collect();
    let own = |dir: &PathBuf| {
        let name = name(dir);
        let hash = name
            .strip_prefix(package)
            .and_then(|rest| rest.strip_prefix('-'));
        hash.is_some_and(|hash| hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    let builds = all
        .iter()
        .flat_map(|profile| dirs_in(&profile.join("build")));
    builds.filter(own).map(|dir| dir.join("out")).collect()
}

/// The steps of the newest build of all.
fn last_build(out_dirs: &[PathBuf]) -> Build {
    let mut last = Build::default();
    let builders = out_dirs.iter().flat_map(|out| dirs_in(out));
    let folders = builders.flat_map(|dir| {
        // A linked module has its own name, a source one with a hash behind it.
        ["units", "linked"].map(|folder| dir.join("cubin-build").join(folder))
    });
    let units = folders.flat_map(|dir| dirs_in(&dir));
    for unit in units {
        let linked = unit.parent().is_some_and(|dir| dir.ends_with("linked"));
        let mut source = name(&unit);
        if let Some((stem, _)) = source.rsplit_once('-').filter(|_| !linked) {
            source = stem.to_owned();
        }
        for dir in dirs_in(&unit) {
            let text = fs::read_to_string(dir.join("times.txt")).unwrap_or_default();
            for line in text.lines() {
                let Some((step, began)) = read(line, &source, &name(&dir)) else {
                    continue;
                };
                if began > last.began {
                    last = Build {
                        began,
                        steps: Vec::new(),
                    };
                }
                if began == last.began {
                    last.steps.push(step);
                }
            }
        }
    }
    last.steps
        .sort_by_key(|step| (step.start, step.source.clone(), step.target.clone()));
    last
}

/// `cicc 1834 212 1796095180558 kernels/common.cuh changed`, and when the build began.
fn read(line: &str, source: &str, target: &str) -> Option<(Step, u64)> {
    let mut words = line.split(' ');
    let name = words.next()?.to_owned();
    let mut number = || words.next()?.parse::<u64>().ok();
    let (took, start, began) = (number()?, number()?, number()?);
    let reason = words.collect::<Vec<_>>().join(" ");
    let step = Step {
        name,
        source: source.to_owned(),
        target: target.to_owned(),
        start,
        took,
        reason,
    };
    Some((step, began))
}

impl Build {
    /// Milliseconds of all steps, and from the first to the end of the last.
    fn sums(&self) -> (u64, u64) {
        let work = self.steps.iter().map(|step| step.took).sum();
        let end = self.steps.iter().map(|step| step.start + step.took).max();
        let start = self.steps.iter().map(|step| step.start).min();
        (work, end.unwrap_or(0) - start.unwrap_or(0))
    }

    fn headline(&self) -> String {
        let (work, wall) = self.sums();
        let plural = if self.steps.len() == 1 { "" } else { "s" };
        format!(
            "{} step{plural}, {} of work in {}",
            self.steps.len(),
            seconds(work),
            seconds(wall)
        )
    }
}

fn seconds(milliseconds: u64) -> String {
    format!("{}.{:02} s", milliseconds / 1000, milliseconds % 1000 / 10)
}

fn table(builds: &BTreeMap<&str, Build>) -> String {
    let mut text = String::new();
    for (package, build) in builds {
        let _ = writeln!(text, "{}: {}", visible(package), build.headline());
        let _ = writeln!(
            text,
            "  {:>9}  {:>9}  {:<11} {:<12} {:<20} why",
            "start", "time", "step", "target", "source"
        );
        for step in &build.steps {
            let (start, took) = (seconds(step.start), seconds(step.took));
            let (target, source) = (visible(&step.target), visible(&step.source));
            let _ = writeln!(
                text,
                "  {start:>9}  {took:>9}  {:<11} {target:<12} {source:<20} {}",
                visible(&step.name),
                visible(&step.reason)
            );
        }
    }
    text
}

/// One line per step on a common axis, in a page that needs nothing else.
fn chart(builds: &BTreeMap<&str, Build>) -> String {
    let mut page = String::from(
        "<!doctype html>\n<meta charset=\"utf-8\">\n<title>cargo cubin timings</title>\n<style>\n\
         body { font: 14px system-ui, sans-serif; margin: 2em; background: #fff; color: #222; }\n\
         .row { display: flex; line-height: 1.5; }\n.label { width: 24em; overflow: hidden; white-space: nowrap; }\n\
         .axis { flex: 1; position: relative; }\n.bar { position: absolute; height: 1.2em; min-width: 2px; }\n\
         .preprocess { background: #8bb; } .cicc { background: #47a; } .ptxas { background: #c73; } .nvcc, .libnvvm { background: #777; } .nvlink { background: #593; }\n\
         </style>\n<h1>cargo cubin timings</h1>\n\
         <p><span class=\"preprocess\">&nbsp;preprocess&nbsp;</span> <span class=\"cicc\">&nbsp;cicc&nbsp;</span> \
         <span class=\"ptxas\">&nbsp;ptxas&nbsp;</span> <span class=\"nvlink\">&nbsp;nvlink&nbsp;</span></p>\n",
    );
    for (package, build) in builds {
        let end = build.steps.iter().map(|step| step.start + step.took).max();
        let end = end.unwrap_or(1).max(1);
        let _ = writeln!(
            page,
            "<h2>{}</h2>\n<p>{}</p>",
            html(package),
            build.headline()
        );
        for step in &build.steps {
            // Hundredths of a percent, so that no rounding depends on the machine.
            let part = |milliseconds: u64| {
                let parts = milliseconds * 10_000 / end;
                format!("{}.{:02}%", parts / 100, parts % 100)
            };
            let label = html(&format!("{} {} {}", step.source, step.target, step.name));
            let _ = writeln!(
                page,
                "<div class=\"row\"><span class=\"label\">{label}</span><span class=\"axis\"><span class=\"bar {}\" \
                 style=\"left: {}; width: {}\" title=\"{label}: {}, {}\"></span></span></div>",
                html(&step.name),
                part(step.start),
                part(step.took),
                seconds(step.took),
                html(&step.reason)
            );
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    fn builds() -> BTreeMap<&'static str, Build> {
        let line = |line, source| read(line, source, "sm_90").expect("a line").0;
        let steps = vec![
            line("cicc 1834 0 9 a.cuh changed", "a<b"),
            line("ptxas 166 1834 9 a.cuh changed", "a<b"),
        ];
        BTreeMap::from([("app", Build { began: 9, steps })])
    }

    #[test]
    fn a_table_and_a_chart() {
        let expected = "app: 2 steps, 2.00 s of work in 2.00 s\n      start       time  step        target       source               why\n     \
                        0.00 s     1.83 s  cicc        sm_90        a<b                  a.cuh changed\n     \
                        1.83 s     0.16 s  ptxas       sm_90        a<b                  a.cuh changed\n";
        assert_eq!(table(&builds()), expected);
        let page = chart(&builds());
        assert!(
            page.contains("class=\"bar ptxas\" style=\"left: 91.70%; width: 8.30%\""),
            "{page}"
        );
        assert!(
            page.contains("a&lt;b sm_90 cicc") && !page.contains("a<b"),
            "{page}"
        );
        assert!(page.contains("1.83 s, a.cuh changed"), "{page}");
        assert!(!page.contains("http"), "it needs nothing else");
    }

    #[test]
    fn a_line_of_another_form_is_passed_over() {
        for line in ["", "cicc", "cicc 12", "cicc 12 0", "cicc x 0 9"] {
            assert_eq!(read(line, "a", "sm_90"), None, "{line}");
        }
    }
}
