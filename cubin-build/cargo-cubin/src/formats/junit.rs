//! JUnit's XML: one suite per package, one test case per kernel, which fails with its errors.

use std::collections::BTreeMap;

use cubin_core::escape::{visible, visible_lines};
use quick_junit::{NonSuccessKind, Report as Xml, TestCase, TestCaseStatus, TestSuite};

use super::found::{Found, details, place};
use crate::report::{Finding, Level, Report};

pub(super) fn write(found: &Found<'_>) -> anyhow::Result<String> {
    let mut xml = Xml::new("cargo cubin check");
    for report in found.reports {
        let mut suite = TestSuite::new(report.package.as_str());
        suite.add_test_cases(cases(found, report));
        xml.add_test_suite(suite);
    }
    Ok(xml.to_string()?)
}

fn cases(found: &Found<'_>, report: &Report) -> Vec<TestCase> {
    let mut kernels: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for facts in &report.kernels {
        kernels.entry(facts.name()).or_default();
    }
    let mut cases = Vec::new();
    for finding in &report.findings {
        match &finding.kernel {
            Some(kernel) => kernels.entry(kernel).or_default().push(finding),
            None => cases.push(case(found, report, &finding.code, &[finding])),
        }
    }
    cases.extend(
        kernels
            .iter()
            .map(|(kernel, findings)| case(found, report, kernel, findings)),
    );
    cases
}

fn case(found: &Found<'_>, report: &Report, name: &str, findings: &[&Finding]) -> TestCase {
    let (errors, others): (Vec<&&Finding>, Vec<&&Finding>) = findings
        .iter()
        .partition(|finding| finding.level == Level::Deny);
    let mut status = TestCaseStatus::success();
    if let Some(first) = errors.first() {
        status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status.set_type(first.code.as_str());
        status.set_message(visible(&first.message).into_owned());
        status.set_description(text(found, report, &errors));
    }
    let mut case = TestCase::new(visible(name).into_owned(), status);
    case.set_classname(report.package.as_str());
    if !others.is_empty() {
        case.set_system_out(text(found, report, &others));
    }
    case
}

fn text(found: &Found<'_>, report: &Report, findings: &[&&Finding]) -> String {
    let one = |finding: &&&Finding| {
        let mut text = format!("[{}] {}", finding.code, finding.message);
        if let Some(label) = place(finding) {
            let path = found.path(report, label);
            text.push_str(&format!("\n{path}:{}:{}", label.line, label.column));
        }
        let details = details(finding);
        if !details.is_empty() {
            text.push('\n');
            text.push_str(&details);
        }
        text
    };
    let all = findings.iter().map(one).collect::<Vec<_>>().join("\n\n");
    visible_lines(&all).into_owned()
}
