//! SARIF 2.1.0 (OASIS, errata 01): one run, a rule for each code that was found.

use cubin_build::diag::codes;
use serde_json::{Value, json};

use super::found::{Found, details, document, fingerprinted, place};
use crate::report::{Finding, Label, Level, Report};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// What paths are relative to: whoever reads the file knows where the repository is.
const BASE: &str = "SRCROOT";

pub(super) fn write(found: &Found<'_>) -> anyhow::Result<String> {
    let mut rules: Vec<&str> = found
        .findings()
        .map(|(_, finding)| finding.code.as_str())
        .collect();
    rules.sort_unstable();
    rules.dedup();
    let mut results = Vec::new();
    for (report, finding, fingerprint) in fingerprinted(found) {
        results.push(result(found, (report, finding), &rules, &fingerprint));
    }
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "cargo-cubin",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules.iter().map(|code| rule(code)).collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": { BASE: { "description": { "text": "The root of the repository." } } },
            "results": results,
        }],
    });
    document(&log)
}

fn rule(code: &str) -> Value {
    let Some(entry) = codes::find(code) else {
        // A code of a later cubin-build.
        return json!({ "id": code });
    };
    let short = entry
        .doc
        .split_inclusive(". ")
        .next()
        .unwrap_or(entry.doc)
        .trim_end();
    json!({
        "id": code,
        "shortDescription": { "text": short },
        "fullDescription": { "text": entry.doc },
        "help": { "text": format!("{}\n\nExample:\n\n{}", entry.doc, entry.example) },
        "properties": { "tags": ["cuda"] },
    })
}

fn result(
    found: &Found<'_>,
    (report, finding): (&Report, &Finding),
    rules: &[&str],
    fingerprint: &str,
) -> Value {
    let mut message = finding.message.clone();
    let details = details(finding);
    if !details.is_empty() {
        message.push_str("\n\n");
        message.push_str(&details);
    }
    let mut result = json!({
        "ruleId": finding.code,
        "ruleIndex": rules.binary_search(&finding.code.as_str()).unwrap_or_default(),
        "level": match finding.level {
            Level::Deny => "error",
            Level::Warn => "warning",
            Level::Allow => "note",
        },
        "message": { "text": message },
        "partialFingerprints": { "cubinFinding/v1": fingerprint },
    });
    let lead = place(finding);
    if let Some(lead) = lead {
        let mut location = location(found, report, lead);
        if let Some(kernel) = &finding.kernel {
            location["logicalLocations"] =
                json!([{ "fullyQualifiedName": kernel, "kind": "function" }]);
        }
        result["locations"] = json!([location]);
    }
    let others = finding.labels.iter();
    let others = others.filter(|label| lead.is_none_or(|lead| !std::ptr::eq(*label, lead)));
    let related: Vec<Value> = others
        .map(|label| location(found, report, label))
        .enumerate()
        .map(|(id, mut location)| {
            location["id"] = json!(id);
            location
        })
        .collect();
    if !related.is_empty() {
        result["relatedLocations"] = json!(related);
    }
    result
}

fn location(found: &Found<'_>, report: &Report, label: &Label) -> Value {
    let path = found.path(report, label);
    let file = if std::path::Path::new(&path).is_absolute() {
        json!({ "uri": format!("file://{}", uri(&path)) })
    } else {
        json!({ "uri": uri(&path), "uriBaseId": BASE })
    };
    let mut location = json!({ "physicalLocation": {
        "artifactLocation": file,
        "region": {
            "startLine": label.line,
            "startColumn": label.column,
            "endLine": label.end_line,
            "endColumn": label.end_column,
        },
    } });
    if !label.text.is_empty() {
        location["message"] = json!({ "text": label.text });
    }
    location
}

/// A path as part of a URI (RFC 3986): all but what needs no escape there.
pub(crate) fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_in_uris() {
        assert_eq!(uri("kernels/a b%ü.cu"), "kernels/a%20b%25%C3%BC.cu");
    }
}
