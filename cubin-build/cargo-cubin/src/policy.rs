//! `cargo cubin policy`: what the rules of cubin.toml decide.
//!
//! Which rule wins is what [`cubin_build::policy::resolve`] says; here it is shown: for each table the kernels whose
//! budgets it decides, or that it decides none (another rule shadows it, or it has expired), and with `--explain` for a
//! kernel each budget with the table that decides it and those that do not.

use std::{
    io::{BufWriter, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, bail};
use cubin_build::{
    artifact::read_policy,
    config::{Config, Glob, Rule},
    date,
    env::Env,
    policy::{Policy, Uses, budget::Key},
    source::Spanned,
    words::counted,
};
use cubin_core::{Sm, escape::visible};

use crate::{
    facts::Facts,
    files::shown,
    project::{self, Selection},
    report::Report,
};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Which table decides each budget of the kernels that match (C++ name or symbol; `*` and `?` are wildcards), and why
    #[arg(long, value_name = "KERNEL")]
    explain: Option<String>,
    /// The policy's file in each package, where the build script names another than cubin.toml
    #[arg(long, value_name = "PATH", default_value = "cubin.toml")]
    config: PathBuf,
    /// The day to hold `expires` against, instead of today
    #[arg(long, value_name = "YYYY-MM-DD")]
    today: Option<String>,
    #[command(flatten)]
    selection: Selection,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let today = match &args.today {
        Some(day) => day.clone(),
        None => date::today(&Env::process()),
    };
    let reports = project::reports(&args.selection)?.reports;
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut expired = 0;
    let mut explained = 0;
    for report in &reports {
        let Some(config) = read(&report.root, &args.config)? else {
            bail!(
                "{} has no {}, and its workspace has none",
                visible(&report.package),
                shown(&args.config)
            );
        };
        let tables = Tables {
            config: &config,
            today: &today,
        };
        match &args.explain {
            Some(pattern) => explained += tables.explain(report, pattern, &mut out)?,
            None => expired += tables.list(report, &mut out)?,
        }
    }
    if let Some(pattern) = args.explain.as_ref().filter(|_| explained == 0) {
        bail!("no kernel matches `{}`", visible(pattern));
    }
    out.flush()?;
    Ok(if expired > 0 {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// The policy of the package in `root`, with what its workspace says; `None` where neither has one.
pub(crate) fn read(root: &Path, own: &Path) -> anyhow::Result<Option<Config>> {
    let root = std::path::absolute(root)?;
    let layers =
        read_policy(&root, own, false).with_context(|| format!("cannot read {}", shown(own)))?;
    if let Some(problem) = layers.problems.first() {
        let file = problem.labels.first();
        let file = file.map_or(own, |label| label.span.file.path());
        bail!("{}: {}", shown(file), visible(&problem.message));
    }
    Ok(layers.said.then_some(layers.config))
}

/// `cubin.toml:9`, `../../cubin.toml:9` for a table of the workspace.
pub(crate) fn place(rule: &Rule) -> String {
    match &rule.span {
        Some(span) => format!("{}:{}", shown(span.file.path()), span.start().0),
        None => "nowhere".to_owned(),
    }
}

/// The tables of one package's policy.
struct Tables<'a> {
    config: &'a Config,
    today: &'a str,
}

/// The kernels of a report on targets that are known here.
fn kernels(report: &Report) -> impl Iterator<Item = (&Facts, Sm)> {
    let kernels = report.kernels.iter();
    kernels.filter_map(|facts| Some((facts, facts.target.parse().ok()?)))
}

impl Tables<'_> {
    /// One line per table; how many have expired.
    fn list(&self, report: &Report, out: &mut impl std::io::Write) -> anyhow::Result<usize> {
        let mut uses = Uses::new(self.config);
        for (facts, target) in kernels(report) {
            uses.add(facts.which(), target);
        }
        writeln!(out, "{}:", visible(&report.package))?;
        let mut expired = 0;
        for of in &uses.all {
            let rule = of.table;
            if rule.span.is_none() {
                continue;
            }
            writeln!(out, "  {}", self.title(rule))?;
            let images = counted(of.selected as u64, "kernel image");
            if !of.decides.is_empty() {
                let budgets = of.decides.iter();
                let budgets = budgets.map(|(key, images)| format!("{} of {images}", key.name()));
                let budgets: Vec<String> = budgets.collect();
                writeln!(out, "    selects {images}, decides {}", budgets.join(", "))?;
            } else if of.selected == 0 {
                writeln!(out, "    selects nothing")?;
            } else if of.shadowed() {
                let by = of
                    .beaten_by
                    .iter()
                    .map(|other| place(uses.all[*other].table));
                let by: Vec<String> = by.collect();
                writeln!(
                    out,
                    "    shadowed: it selects {images}, and {} decide all that it sets",
                    by.join(", ")
                )?;
            } else {
                writeln!(out, "    selects {images}, decides levels only")?;
            }
            if let Some(day) = self.expiry(rule) {
                expired += 1;
                writeln!(out, "    expired: it was meant to stand until {day}")?;
            }
        }
        Ok(expired)
    }

    /// The day until which a rule stood, where that is over.
    fn expiry<'r>(&self, rule: &'r Rule) -> Option<&'r str> {
        let day = rule.expires.as_ref().map(|day| day.value.as_str());
        // Days written year first are in the order of their letters.
        day.filter(|day| *day < self.today)
    }

    /// Every budget of the kernels that match; how many do.
    fn explain(
        &self,
        report: &Report,
        pattern: &str,
        out: &mut impl std::io::Write,
    ) -> anyhow::Result<usize> {
        let policy = Policy::new(self.config);
        let pattern = Glob::new(pattern);
        let all: Vec<&Rule> = self.config.tables().collect();
        let mut found = 0;
        for (facts, target) in kernels(report) {
            let which = facts.which();
            if !pattern.matches(which.name) && !pattern.matches(which.symbol) {
                continue;
            }
            found += 1;
            writeln!(out, "{} on {target}", visible(which.name))?;
            let rules = policy.rules_for(which);
            let selection = rules.on(target);
            let mut any = false;
            for key in Key::ALL {
                let Some(budget) = selection.budget(*key) else {
                    continue;
                };
                any = true;
                writeln!(
                    out,
                    "  {} = {} ({})",
                    key.name(),
                    visible(&budget.limit.value.to_toml()),
                    budget.level.name(),
                )?;
                writeln!(out, "    decided by {}", self.title(budget.table))?;
                if let Some(reason) = &budget.table.reason {
                    writeln!(out, "    because: {}", visible(&reason.value))?;
                }
                for other in &all {
                    let Some(limit) = other.budgets.get(*key) else {
                        continue;
                    };
                    if std::ptr::eq(*other, budget.table) || !selection.has(other) {
                        continue;
                    }
                    writeln!(
                        out,
                        "    not {} of {}: {}",
                        visible(&limit.value.to_toml()),
                        self.title(other),
                        selection.why(budget.table, other),
                    )?;
                }
            }
            if !any {
                writeln!(out, "  no table sets a budget for it")?;
            }
        }
        Ok(found)
    }

    /// `cubin.toml:9 [[rule]] kernel = gemm<*>, arch = sm_90`
    fn title(&self, rule: &Rule) -> String {
        let patterns = |globs: &[Spanned<Glob>]| {
            let each: Vec<&str> = globs.iter().map(|glob| glob.value.as_str()).collect();
            visible(&each.join(" | ")).into_owned()
        };
        let mut selectors = Vec::new();
        if !rule.kernels.is_empty() {
            selectors.push(format!("kernel = {}", patterns(&rule.kernels)));
        }
        if !rule.sources.is_empty() {
            selectors.push(format!("source = {}", patterns(&rule.sources)));
        }
        if !rule.archs.is_empty() {
            selectors.push(format!("arch = {}", patterns(&rule.archs)));
        }
        let name = if rule.is_defaults() {
            "[defaults]"
        } else {
            "[[rule]]"
        };
        format!("{} {name} {}", place(rule), selectors.join(", "))
            .trim_end()
            .to_owned()
    }
}
