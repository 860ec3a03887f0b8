//! The figures and parameters of every kernel as somebody accepted them, in a file that is committed.
//!
//! JSON, one line per kernel and target, sorted: two branches that change different kernels merge. The first line has the
//! version and what is allowed:
//!
//! ```json
//! {"cubin-kernels":1,"allow":{"registers":"+2","code-size":"+5%"}}
//! {"package":"gemm","name":"gemm<float>","target":"sm_90","parameters":[[0,8],[8,4]],"types":"(float*, int)","registers":40,"stack":0}
//! ```
//!
//! Kernels are known by package, C++ name and target; symbols of internal kernels hold a hash of a path. Of kernels that
//! share these, what is worse in either is recorded. Code size is recorded only where something is allowed of it: it
//! differs with every change of the source.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, bail, ensure};
use cubin_core::escape::visible_json;
use serde_json::{Map, Value, json};

use super::{
    allow::{Allowance, Allowances},
    figures::{Better, FIGURES, Figure, UNBOUNDED},
    kernels::{Kernel, Side},
};

/// The key of the first line, and its value.
const KEY: &str = "cubin-kernels";
const VERSION: u64 = 1;

/// What stands in the file.
pub(super) struct Snapshot {
    pub(super) allowed: Allowances,
    kernels: Vec<Kernel>,
}

/// Whether a file is one.
pub(super) fn is(bytes: &[u8]) -> bool {
    bytes.starts_with(format!("{{\"{KEY}\":").as_bytes())
}

impl Snapshot {
    /// All kernels of a build, each name once per package and target.
    pub(super) fn of(side: &Side, allowed: Allowances) -> Self {
        let mut merged: BTreeMap<(Option<String>, String, String), Kernel> = BTreeMap::new();
        for kernel in &side.kernels {
            let key = (
                kernel.package.clone(),
                kernel.plain.clone(),
                kernel.target.clone(),
            );
            let mut own = kernel.clone();
            own.symbol = None;
            own.name.clone_from(&own.plain);
            match merged.get_mut(&key) {
                Some(known) => known.worsen(&own),
                None => {
                    merged.insert(key, own);
                }
            }
        }
        Self {
            allowed,
            kernels: merged.into_values().collect(),
        }
    }

    /// Adds what another one has of packages that are not in this one.
    pub(super) fn keep_others(&mut self, other: Self) {
        let own: BTreeSet<Option<String>> = self.packages();
        let others = other.kernels.into_iter();
        self.kernels
            .extend(others.filter(|kernel| !own.contains(&kernel.package)));
    }

    fn packages(&self) -> BTreeSet<Option<String>> {
        let packages = self.kernels.iter().map(|kernel| kernel.package.clone());
        packages.collect()
    }

    /// Leaves out packages that `built` does not have, and targets that it was not built for.
    pub(super) fn retain_what_is_built(&mut self, built: &Side) {
        let known: BTreeSet<(&Option<String>, &String)> = built
            .kernels
            .iter()
            .map(|kernel| (&kernel.package, &kernel.target))
            .collect();
        self.kernels
            .retain(|kernel| known.contains(&(&kernel.package, &kernel.target)));
    }

    pub(super) fn side(self, title: String) -> Side {
        Side {
            title,
            kernels: self.kernels,
            partial: false,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.kernels.len()
    }

    /// The file's text.
    pub(super) fn text(&self) -> anyhow::Result<String> {
        let allow: BTreeMap<&str, String> = self
            .allowed
            .iter()
            .map(|(key, slack)| (key, slack.to_string()))
            .collect();
        let mut lines = Vec::new();
        for kernel in &self.kernels {
            // In this order, so that sorted lines are sorted by package and name.
            let mut line = vec![
                ("package", json!(kernel.package)),
                ("name", json!(kernel.name)),
                ("target", json!(kernel.target)),
            ];
            line.extend(
                kernel
                    .params
                    .as_ref()
                    .map(|params| ("parameters", json!(params))),
            );
            line.extend(kernel.types.as_ref().map(|types| ("types", json!(types))));
            for (figure, value) in FIGURES.iter().zip(&kernel.figures) {
                let left_out = figure.key == "code-size" && !allow.contains_key("code-size");
                line.extend(value.filter(|_| !left_out).map(|value| match value {
                    UNBOUNDED => (figure.key, json!("unbounded")),
                    value => (figure.key, json!(value)),
                }));
            }
            let members: Vec<String> = line
                .iter()
                .map(|(key, value)| format!("\"{key}\":{value}"))
                .collect();
            lines.push(visible_json(&format!("{{{}}}", members.join(","))).into_owned());
        }
        lines.sort();
        let mut text = format!(
            "{{\"{KEY}\":{VERSION},\"allow\":{}}}\n",
            serde_json::to_string(&allow)?
        );
        for line in lines {
            text.push_str(&line);
            text.push('\n');
        }
        Ok(text)
    }

    /// Reads the file's text; what is wrong is named with its line.
    pub(super) fn parse(text: &str) -> anyhow::Result<Self> {
        let mut snapshot = Self {
            allowed: Allowances::default(),
            kernels: Vec::new(),
        };
        for (at, line) in text.lines().enumerate() {
            let number = at.saturating_add(1);
            if line.trim().is_empty() {
                continue;
            }
            let conflict = ["<<<<<<<", "=======", ">>>>>>>"];
            ensure!(
                !conflict.iter().any(|mark| line.starts_with(mark)),
                "line {number} is the mark of a merge conflict; \
                 take the lines of both sides, then run `cargo cubin baseline record`"
            );
            let line: Map<String, Value> = serde_json::from_str(line)
                .with_context(|| format!("line {number} is no JSON object"))?;
            let read = if at == 0 {
                head(&line).map(|allowed| snapshot.allowed = allowed)
            } else {
                kernel(&line).map(|kernel| snapshot.kernels.push(kernel))
            };
            read.with_context(|| format!("line {number}"))?;
        }
        Ok(snapshot)
    }
}

fn head(line: &Map<String, Value>) -> anyhow::Result<Allowances> {
    ensure!(
        line.get(KEY) == Some(&json!(VERSION)),
        "`{KEY}` is not {VERSION}: another release wrote this file"
    );
    let mut allowed = Allowances::default();
    for (key, slack) in line
        .get("allow")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        let Some(slack) = slack.as_str() else {
            bail!("`{key}` is no text such as \"+2\"");
        };
        let one = Allowance::new(key, slack).map_err(anyhow::Error::msg)?;
        allowed.extend(&[one]);
    }
    Ok(allowed)
}

fn kernel(line: &Map<String, Value>) -> anyhow::Result<Kernel> {
    let text = |key: &str| line.get(key).and_then(Value::as_str).map(str::to_owned);
    let name = text("name").context("it has no `name`")?;
    let params = line.get("parameters").map(|params| {
        serde_json::from_value(params.clone()).context("`parameters` is no list of [offset, size]")
    });
    let mut figures = vec![None; FIGURES.len()];
    for (key, value) in line {
        if let Some(figure) = Figure::named(key) {
            let value = match value.as_str() {
                Some("unbounded") => Some(UNBOUNDED),
                _ => value.as_u64(),
            };
            figures[figure.position()] =
                Some(value.with_context(|| format!("`{key}` is no number"))?);
        }
    }
    Ok(Kernel {
        package: text("package"),
        plain: name.clone(),
        name,
        symbol: None,
        types: text("types"),
        target: text("target").context("it has no `target`")?,
        params: params.transpose()?,
        figures,
    })
}

impl Kernel {
    /// Takes over what is worse in another kernel, and forgets parameters that are not the same.
    fn worsen(&mut self, other: &Self) {
        for (figure, (own, others)) in FIGURES
            .iter()
            .zip(self.figures.iter_mut().zip(&other.figures))
        {
            *own = match (*own, *others) {
                (Some(own), Some(others)) if figure.better == Better::More => Some(own.min(others)),
                (Some(own), Some(others)) => Some(own.max(others)),
                _ => None,
            };
        }
        if self.params != other.params || self.types != other.types {
            self.params = None;
            self.types = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "{\"cubin-kernels\":1,\"allow\":{\"registers\":\"+2\"}}\n\
        {\"package\":\"p\",\"name\":\"k\",\"target\":\"sm_90\",\"parameters\":[[0,8]],\"registers\":9,\"stack\":\"unbounded\"}\n";

    #[test]
    fn what_is_written_is_read() {
        let read = Snapshot::parse(TEXT).expect("a snapshot");
        assert!(is(TEXT.as_bytes()));
        assert_eq!(read.kernels.len(), 1);
        let again = read.text().expect("text");
        let twice = Snapshot::parse(&again).expect("a snapshot");
        assert_eq!(twice.allowed, read.allowed);
        assert_eq!(twice.text().expect("text"), again);
        assert!(again.contains("\"stack\":\"unbounded\""), "{again}");
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (from, to, part) in [
            ("\"registers\":9", "\"registers\":\"x\"", "line 2"),
            ("\"name\":\"k\",", "", "line 2"),
            ("kernels\":1", "kernels\":2", "line 1"),
            ("+2", "2x", "line 1"),
            ("{\"package", "<<<<<<< HEAD\n{\"package", "merge conflict"),
            ("{\"package", "package", "line 2 is no JSON"),
        ] {
            let Err(error) = Snapshot::parse(&TEXT.replacen(from, to, 1)) else {
                panic!("{to}");
            };
            let error = format!("{error:#}");
            assert!(error.contains(part), "{error}");
        }
    }
}
