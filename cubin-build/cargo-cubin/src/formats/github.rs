//! Workflow commands of GitHub Actions: `::error file=…,line=…::message`, which the log shows as annotations.
//!
//! GitHub shows ten errors and ten warnings of a step; findings come with the worst first.

use cubin_core::escape::visible_lines;

use super::found::{Found, details, place};
use crate::report::Level;

pub(super) fn write(found: &Found<'_>) -> String {
    let mut text = String::new();
    for (report, finding) in found.findings() {
        let command = match finding.level {
            Level::Deny => "error",
            Level::Warn => "warning",
            Level::Allow => "notice",
        };
        let mut properties = Vec::new();
        if let Some(label) = place(finding) {
            properties.push(("file", found.path(report, label)));
            properties.push(("line", label.line.to_string()));
            properties.push(("endLine", label.end_line.to_string()));
            // Columns count within one line only.
            if label.line == label.end_line {
                properties.push(("col", label.column.to_string()));
                properties.push(("endColumn", label.end_column.to_string()));
            }
        }
        properties.push(("title", finding.code.clone()));
        let properties: Vec<String> = properties
            .into_iter()
            .map(|(name, value)| format!("{name}={}", property(&value)))
            .collect();
        let mut message = finding.message.clone();
        let details = details(finding);
        if !details.is_empty() {
            message.push('\n');
            message.push_str(&details);
        }
        text.push_str(&format!(
            "::{command} {}::{}\n",
            properties.join(","),
            data(&message)
        ));
    }
    text
}

/// A command is one line.
fn data(text: &str) -> String {
    visible_lines(text).replace('%', "%25").replace('\n', "%0A")
}

/// Besides, properties end at commas, and names at colons.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_command_is_escaped() {
        assert_eq!(data("100 %\r\nnext::error"), "100 %25\\r%0Anext::error");
        assert_eq!(data("\u{1b}[2J"), "\\u{1b}[2J");
        assert_eq!(property("a,b:c%"), "a%2Cb%3Ac%25");
    }
}
