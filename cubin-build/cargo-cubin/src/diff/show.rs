//! A comparison as a table, as Markdown for a pull request, as JSON.

use std::fmt::Write as _;

use cubin_core::escape::{visible, visible_json};
use serde_json::{Value, json};

use super::{
    compare::{Change, Diff, Row, Status, by_targets},
    figures::{UNBOUNDED, Unit},
    kernels::Side,
};

/// Version of the JSON document. It grows when a key changes its meaning or goes away.
const SCHEMA: u32 = 1;

/// Rows of Markdown that are not folded.
const OPEN: usize = 10;

/// Bytes of a comment that GitHub takes are 65,536; the rest of the rows is only counted.
const LONGEST: usize = 60_000;

/// What is being shown.
pub(super) struct Shown<'a> {
    pub(super) old: &'a Side,
    pub(super) new: &'a Side,
    pub(super) diff: &'a Diff,
    /// Whether all classes of instructions are listed.
    pub(super) instructions: bool,
}

impl Shown<'_> {
    fn listed(&self, change: &Change) -> bool {
        self.instructions || !change.figure.instructions || change.worse().is_some()
    }

    /// What differs, in one line: what got worse first.
    fn says(&self, row: &Row) -> String {
        let mut parts = Vec::new();
        if let Some(from) = &row.renamed_from {
            parts.push(format!("was {}", visible(from)));
        }
        parts.extend(
            row.signature
                .as_deref()
                .map(|text| visible(text).into_owned()),
        );
        for lead in [Some(true), Some(false), None] {
            let these = row.changes.iter().filter(|change| change.worse() == lead);
            parts.extend(these.filter(|change| self.listed(change)).map(says));
        }
        if parts.is_empty() && !row.changes.is_empty() {
            parts.push("other instructions".to_owned());
        }
        parts.join(", ")
    }

    /// `2 worse, 1 gone, 12 the same`.
    fn summary(&self) -> String {
        let mut parts = Vec::new();
        for status in Status::ALL {
            let word = match status {
                Status::Signature => "with another signature",
                Status::Changed => "changed otherwise",
                _ => status.word(),
            };
            match self.diff.count(status) {
                0 => {}
                count => parts.push(format!("{count} {word}")),
            }
        }
        if self.diff.same > 0 || parts.is_empty() {
            parts.push(format!("{} the same", self.diff.same));
        }
        parts.join(", ")
    }

    pub(super) fn table(&self) -> String {
        let rows: Vec<&Row> = self.diff.rows.iter().collect();
        let groups = by_targets(&rows, |row| self.says(row));
        let cells: Vec<[String; 4]> = groups
            .into_iter()
            .map(|(row, targets, says)| {
                [
                    row.status().word().to_owned(),
                    targets.join(","),
                    visible(&row.name).into_owned(),
                    says,
                ]
            })
            .collect();
        let mut text = String::new();
        let width = |at: usize| {
            let widths = cells.iter().map(|cells| cells[at].chars().count());
            widths.max().unwrap_or_default()
        };
        let (statuses, targets) = (width(0), width(1));
        for [status, target, name, says] in &cells {
            let _ = writeln!(text, "{status:<statuses$}  {target:<targets$}  {name}");
            if !says.is_empty() {
                let _ = writeln!(text, "{:statuses$}  {:targets$}    {says}", "", "");
            }
        }
        let _ = writeln!(
            text,
            "{} -> {}: {}",
            self.old.title,
            self.new.title,
            self.summary()
        );
        text
    }

    /// Short, what got worse first; the rest folded.
    pub(super) fn markdown(&self) -> String {
        let mut text = format!(
            "### CUDA kernels: {}\n\n`{}` → `{}`, kernels counted once per target.\n",
            self.summary(),
            code(&self.old.title),
            code(&self.new.title),
        );
        let (open, folded): (Vec<&Row>, Vec<&Row>) = self
            .diff
            .rows
            .iter()
            .partition(|row| matches!(row.status(), Status::Worse | Status::Signature));
        let mut left = LONGEST;
        let open = by_targets(&open, |row| self.says(row));
        let (first, more) = open.split_at(open.len().min(OPEN));
        if !first.is_empty() {
            text.push('\n');
            text.push_str(&rows(first, &mut left));
        }
        fold(
            &mut text,
            &format!("{} more of them", more.len()),
            more,
            &mut left,
        );
        for status in Status::ALL {
            let these: Vec<&Row> = folded
                .iter()
                .copied()
                .filter(|row| row.status() == status)
                .collect();
            let groups = by_targets(&these, |row| self.says(row));
            let title = format!(
                "{} {}",
                these.len(),
                match status {
                    Status::Changed => "changed in what is neither better nor worse",
                    _ => status.word(),
                }
            );
            fold(&mut text, &title, &groups, &mut left);
        }
        text
    }

    pub(super) fn json(&self) -> anyhow::Result<String> {
        let rows: Vec<Value> = self.diff.rows.iter().map(json_row).collect();
        let mut counts: serde_json::Map<String, Value> = Status::ALL
            .iter()
            .map(|status| (status.word().to_owned(), self.diff.count(*status).into()))
            .collect();
        counts.insert("same".to_owned(), self.diff.same.into());
        let document = json!({
            "schema": SCHEMA,
            "old": self.old.title,
            "new": self.new.title,
            "counts": counts,
            "kernels": rows,
        });
        let text = serde_json::to_string_pretty(&document)?;
        Ok(format!("{}\n", visible_json(&text)))
    }
}

fn says(change: &Change) -> String {
    let figure = change.figure;
    let (before, after) = (figure.show(change.before), figure.show(change.after));
    let mut text = format!("{} {before} -> {after}", figure.name);
    if change.before != UNBOUNDED && change.after != UNBOUNDED && figure.unit != Unit::Share {
        let delta = i128::from(change.after) - i128::from(change.before);
        let _ = write!(text, " ({delta:+})");
    }
    text
}

type Group<'a> = (&'a Row, Vec<&'a str>, String);

fn fold(text: &mut String, title: &str, groups: &[Group<'_>], left: &mut usize) {
    if groups.is_empty() {
        return;
    }
    let rows = rows(groups, left);
    let _ = write!(
        text,
        "\n<details><summary>{title}</summary>\n\n{rows}\n</details>\n"
    );
}

fn rows(groups: &[Group<'_>], left: &mut usize) -> String {
    let mut text = "| | kernel | targets | what differs |\n|---|---|---|---|\n".to_owned();
    for (at, (row, targets, says)) in groups.iter().enumerate() {
        let line = format!(
            "| {} | `{}` | {} | {} |\n",
            row.status().word(),
            code(&row.name),
            targets.join(", "),
            cell(says),
        );
        if line.len() > *left {
            let _ = writeln!(text, "| | and {} more | | |", groups.len() - at);
            break;
        }
        *left -= line.len();
        text.push_str(&line);
    }
    text
}

/// Text between back ticks in a cell.
fn code(text: &str) -> String {
    visible(text).replace('`', "'").replace('|', "\\|")
}

/// Other text in a cell: names hold what Markdown and HTML would read.
fn cell(text: &str) -> String {
    let mut cell = String::new();
    for character in text.chars() {
        match character {
            '<' => cell.push_str("&lt;"),
            '&' => cell.push_str("&amp;"),
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' | '@' | '#' | '~' => {
                cell.push('\\');
                cell.push(character);
            }
            _ => cell.push(character),
        }
    }
    cell.replace("->", "→")
}

fn json_row(row: &Row) -> Value {
    let value = |value: u64| match value {
        UNBOUNDED => json!("unbounded"),
        value => json!(value),
    };
    let changes: Vec<Value> = row
        .changes
        .iter()
        .map(|change| {
            json!({
                "figure": change.figure.name,
                "unit": match change.figure.unit {
                    Unit::Count => "count",
                    Unit::Bytes => "bytes",
                    Unit::Share => "per mille",
                },
                "before": value(change.before),
                "after": value(change.after),
                "worse": change.worse(),
            })
        })
        .collect();
    json!({
        "status": row.status().word(),
        "name": row.name,
        "symbol": row.symbol,
        "target": row.target,
        "renamed_from": row.renamed_from,
        "signature": row.signature,
        "changes": changes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_no_markup() {
        assert_eq!(cell("a<b>*_|`@x -> y"), "a&lt;b>\\*\\_\\|\\`\\@x → y");
        assert_eq!(code("f<a|b>`\u{1b}"), "f<a\\|b>'\\u{1b}");
    }
}
