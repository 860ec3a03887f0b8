//! `cargo cubin policy`: what the rules of cubin.toml decide.
//!
//! Which rule wins is what [`cubin_build::policy::resolve`] says; here it is shown: for each table the kernels whose
//! budgets it decides, or that it decides none (another rule shadows it, or it has expired), and with `--explain` for a
//! kernel each budget with the table that decides it and those that do not.

use std::{
    io::{BufWriter, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
    time::SystemTime,
};

use anyhow::{Context as _, bail};
use cubin_build::{
    config::{Config, Glob, Rule},
    policy::{Budget, Policy, budget::Key},
    source::{SourceFile, Span, Spanned},
    words::counted,
};
use cubin_core::{Sm, escape::visible};

use crate::{
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
        None => today(),
    };
    let reports = project::reports(&args.selection)?.reports;
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut expired = 0;
    let mut explained = 0;
    for report in &reports {
        let path = report.root.join(&args.config);
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", shown(&path)))?;
        let file = SourceFile::new(&args.config, text);
        let (config, problems) = Config::parse(&file);
        if let Some(problem) = problems.first() {
            bail!("{}: {}", shown(&path), visible(&problem.message));
        }
        let tables = Tables {
            config: &config,
            file: &args.config,
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

/// The tables of one cubin.toml.
struct Tables<'a> {
    config: &'a Config,
    file: &'a Path,
    today: &'a str,
}

/// A kernel of a report on a target that is known here.
struct Kernel<'r> {
    name: &'r str,
    symbol: &'r str,
    target: Sm,
}

fn kernels(report: &Report) -> impl Iterator<Item = Kernel<'_>> {
    report.kernels.iter().filter_map(|facts| {
        Some(Kernel {
            name: facts.name(),
            symbol: &facts.function,
            target: facts.target.parse().ok()?,
        })
    })
}

impl Tables<'_> {
    /// `[defaults]` first.
    fn all(&self) -> impl Iterator<Item = &Rule> {
        std::iter::once(&self.config.defaults).chain(&self.config.rules)
    }

    /// One line per table; how many have expired.
    fn list(&self, report: &Report, out: &mut impl std::io::Write) -> anyhow::Result<usize> {
        let policy = Policy::new(self.config);
        let all: Vec<&Rule> = self.all().collect();
        // For each table: kernel images that it selects, budgets that it decides, tables that decide what it sets.
        let mut selected = vec![0_usize; all.len()];
        let mut decides: Vec<Vec<(Key, usize)>> = vec![Vec::new(); all.len()];
        let mut beaten_by: Vec<Vec<usize>> = vec![Vec::new(); all.len()];
        for kernel in kernels(report) {
            let selection = policy
                .rules_for(kernel.name, kernel.symbol)
                .on(kernel.target);
            let selecting: Vec<usize> = (0..all.len())
                .filter(|at| selects(all[*at], &kernel))
                .collect();
            for at in &selecting {
                selected[*at] += 1;
            }
            for key in Key::ALL {
                let Some(budget) = selection.budget(*key) else {
                    continue;
                };
                let Some(winner) = position(&all, &budget) else {
                    continue;
                };
                match decides[winner].iter_mut().find(|(known, _)| known == key) {
                    Some((_, images)) => *images += 1,
                    None => decides[winner].push((*key, 1)),
                }
                for at in &selecting {
                    let sets = all[*at].budgets.get(*key).is_some();
                    if sets && *at != winner && !beaten_by[*at].contains(&winner) {
                        beaten_by[*at].push(winner);
                    }
                }
            }
        }
        writeln!(out, "{}: {}", visible(&report.package), shown(self.file))?;
        let mut expired = 0;
        for (at, rule) in all.iter().enumerate() {
            if at == 0 && rule.budgets.is_empty() {
                continue;
            }
            writeln!(out, "  {}", self.title(rule))?;
            let images = counted(selected[at] as u64, "kernel image");
            if !decides[at].is_empty() {
                let budgets = decides[at]
                    .iter()
                    .map(|(key, images)| format!("{} of {images}", key.name()));
                let budgets: Vec<String> = budgets.collect();
                writeln!(out, "    selects {images}, decides {}", budgets.join(", "))?;
            } else if rule.budgets.is_empty() {
                writeln!(out, "    selects {images}, sets a level only")?;
            } else if selected[at] == 0 {
                writeln!(out, "    selects nothing")?;
            } else {
                let by = beaten_by[at].iter().map(|other| self.place(all[*other]));
                let by: Vec<String> = by.collect();
                writeln!(
                    out,
                    "    shadowed: it selects {images}, and {} decide all that it sets",
                    by.join(", ")
                )?;
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
        let all: Vec<&Rule> = self.all().collect();
        let mut found = 0;
        for kernel in kernels(report) {
            if !pattern.matches(kernel.name) && !pattern.matches(kernel.symbol) {
                continue;
            }
            found += 1;
            writeln!(out, "{} on {}", visible(kernel.name), kernel.target)?;
            let selection = policy
                .rules_for(kernel.name, kernel.symbol)
                .on(kernel.target);
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
                    if std::ptr::eq(*other, budget.table) || !selects(other, &kernel) {
                        continue;
                    }
                    writeln!(
                        out,
                        "    not {} of {}: {}",
                        visible(&limit.value.to_toml()),
                        self.title(other),
                        why(budget.table, other, &kernel),
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
        if !rule.archs.is_empty() {
            selectors.push(format!("arch = {}", patterns(&rule.archs)));
        }
        let name = if std::ptr::eq(rule, &self.config.defaults) {
            "[defaults]"
        } else {
            "[[rule]]"
        };
        format!("{} {name} {}", self.place(rule), selectors.join(", "))
            .trim_end()
            .to_owned()
    }

    /// `cubin.toml:9`
    fn place(&self, rule: &Rule) -> String {
        let line = rule.span.as_ref().map(|span: &Span| span.start().0);
        match line {
            Some(line) => format!("{}:{line}", shown(self.file)),
            None => shown(self.file),
        }
    }
}

/// Where the table that decides a budget stands among all.
fn position(all: &[&Rule], budget: &Budget<'_>) -> Option<usize> {
    all.iter()
        .position(|rule| std::ptr::eq(*rule, budget.table))
}

/// Whether a table is for a kernel on its target.
fn selects(rule: &Rule, kernel: &Kernel<'_>) -> bool {
    let any = |globs: &[Spanned<Glob>], texts: &[&str]| {
        let fits = |glob: &Spanned<Glob>| texts.iter().any(|text| glob.value.matches(text));
        globs.is_empty() || globs.iter().any(fits)
    };
    any(&rule.kernels, &[kernel.name, kernel.symbol])
        && any(&rule.archs, &[&kernel.target.to_string()])
}

/// Why a table goes before another: the first of the three things that are compared in which they differ.
fn why(winner: &Rule, other: &Rule, kernel: &Kernel<'_>) -> &'static str {
    if other.kernels.is_empty() && other.archs.is_empty() {
        return "[defaults] stand below every rule";
    }
    let closest = |globs: &[Spanned<Glob>], texts: &[&str]| {
        let each = globs
            .iter()
            .flat_map(|glob| texts.iter().filter_map(|text| glob.value.specificity(text)));
        each.max()
    };
    let names = [kernel.name, kernel.symbol];
    if closest(&winner.kernels, &names) != closest(&other.kernels, &names) {
        return "its `kernel` describes the kernel less closely";
    }
    let target = kernel.target.to_string();
    if closest(&winner.archs, &[&target]) != closest(&other.archs, &[&target]) {
        return "its `arch` describes the target less closely";
    }
    "it stands earlier in the file"
}

/// The day by UTC.
fn today() -> String {
    let seconds = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    date(seconds / 86_400)
}

/// The date of a day since 1970, by the Gregorian calendar (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
fn date(days: u64) -> String {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn days_since_1970() {
        for (days, expected) in [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (20_847, "2027-01-29"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(date(days), expected);
        }
    }
}
