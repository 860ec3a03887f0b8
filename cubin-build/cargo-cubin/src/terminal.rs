//! What the terminal can show: colours, and links to files.

use std::{io::IsTerminal as _, path::Path};

use crate::{
    formats::{found::without_dots, sarif::uri},
    report::Report,
};

/// The findings of a report, coloured and with links where standard output shows them. `anstream` takes colours out again
/// where they are not wanted (`NO_COLOR`, a file, a pipe).
pub(crate) fn findings(report: &Report) -> String {
    if report.coloured.is_empty() {
        return report.rendered.clone();
    }
    let has_links = std::io::stdout().is_terminal()
        && supports_hyperlinks::on(supports_hyperlinks::Stream::Stdout);
    if has_links {
        linked(&report.coloured, report)
    } else {
        report.coloured.clone()
    }
}

/// `text` with a link (OSC 8) around each place that a finding points at.
fn linked(text: &str, report: &Report) -> String {
    let labels = report.findings.iter().flat_map(|finding| &finding.labels);
    let mut places: Vec<(String, &str)> = labels
        .map(|label| {
            let place = format!("{}:{}:{}", label.file, label.line, label.column);
            (place, label.file.as_str())
        })
        .collect();
    places.sort();
    places.dedup();
    let mut lines = Vec::new();
    for line in text.split('\n') {
        // Only the line of the picture that names the place: source text may hold the same letters.
        let is_place = line.contains("-->") || line.contains(":::");
        let place = places
            .iter()
            .rev()
            .find(|(place, _)| is_place && line.contains(place.as_str()));
        lines.push(match place {
            Some((place, file)) => line.replacen(
                place.as_str(),
                &link(place, &without_dots(&report.root.join(file))),
                1,
            ),
            None => line.to_owned(),
        });
    }
    lines.join("\n")
}

/// Terminals that follow links open the file; the line is for those that know it.
fn link(text: &str, file: &Path) -> String {
    let target = uri(&file.to_string_lossy().replace('\\', "/"));
    format!("\x1b]8;;file://{target}\x1b\\{text}\x1b]8;;\x1b\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_become_links_and_source_text_does_not() {
        let finding = serde_json::json!({"code":"c","level":"warn","message":"m","kernel":null,"labels":[{"file":"k u.cu",
            "line":1,"column":2,"end_line":1,"end_column":3,"text":"t","primary":true}],"notes":[],"help":[]});
        let report = serde_json::json!({"package":"p","errors":0,"warnings":1,"rendered":"","findings":[finding],
            "kernels":[],"baseline":null});
        let mut report: Report = serde_json::from_value(report).expect("a report");
        report.root = "/p".into();
        let text = "warning\n \x1b[1m--> \x1b[0mk u.cu:1:2\n1 | // k u.cu:1:2";
        let expected = "warning\n \x1b[1m--> \x1b[0m\x1b]8;;file:///p/k%20u.cu\x1b\\k u.cu:1:2\x1b]8;;\x1b\\\n1 | // k u.cu:1:2";
        assert_eq!(linked(text, &report), expected);
    }
}
