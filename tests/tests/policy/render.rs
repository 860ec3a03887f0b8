//! Order, summary and picture, apart from any policy.

use cubin_build::{
    diag::{Diag, Level, Sink, codes, help_line, json, render, summary_line},
    source::{SourceFile, Span},
};

use crate::support::golden;

#[test]
fn codes_are_stable() {
    let codes: Vec<String> = codes::ALL
        .iter()
        .filter_map(|entry| codes::explain(entry.code.0))
        .collect();
    golden("codes.txt", &codes.join("\n"));
}

/// Each code has a paragraph and an example of its own, which begins as its message does.
#[test]
fn every_code_is_explained_with_an_example_of_its_own() {
    let mut seen = std::collections::BTreeSet::new();
    for entry in codes::ALL {
        let code = entry.code.0;
        assert!(seen.insert(code), "{code} stands twice");
        assert!(seen.insert(entry.example), "{code}: another's example");
        assert!(seen.insert(entry.doc), "{code}: another's paragraph");
        let good = entry.doc.ends_with('.') && entry.doc.split_whitespace().count() >= 8;
        assert!(good, "{code}: {}", entry.doc);
        let levels = ["error", "warning", "note", "help"];
        let begins = |level: &str| entry.example.starts_with(&format!("{level}[{code}]: "));
        assert!(levels.into_iter().any(begins), "{code}: {}", entry.example);
        let page = codes::explain(code).expect("a page");
        let parts = [
            code,
            entry.doc,
            entry.example.lines().next().unwrap_or_default(),
        ];
        assert!(parts.iter().all(|part| page.contains(part)), "{page}");
    }
    assert!(codes::ALL.len() >= 64, "{}", codes::ALL.len());
}

#[test]
fn reading_order() {
    let file = SourceFile::new("b.cu", "one\ntwo\nthree\n");
    let at = |line| Span::line(&file, line);
    let mut sink = Sink::new();
    sink.extend([
        Diag::warning(codes::STACK_OVER_BUDGET, "3")
            .kernel("k1")
            .at(at(3), ""),
        Diag::warning(codes::UNMATCHED_RULE, "5").at(at(1), ""),
        Diag::error(codes::SPILLS_OVER_BUDGET, "2")
            .kernel("k1")
            .at(at(3), ""),
        Diag::error(codes::REGISTERS_OVER_BUDGET, "4").kernel("k2"),
        Diag::error(codes::TOOLKIT_NOT_FOUND, "0"),
        Diag::error(codes::CONFIG_INVALID, "1").at(at(2), ""),
        Diag::error(codes::CONFIG_INVALID, "1").at(at(2), ""),
        Diag::new(codes::STACK_OVER_BUDGET, Level::Allow, "hidden"),
    ]);
    let order: Vec<&str> = sink
        .shown()
        .iter()
        .map(|diag| diag.message.as_str())
        .collect();
    assert_eq!(order, ["0", "1", "4", "2", "3", "5"]);
    assert_eq!(
        sink.summary().as_deref(),
        Some(
            "error: 2 kernels over budget, 1 problem in cubin.toml, 1 problem with the CUDA toolkit; 2 warnings; \
             1 finding allowed by cubin.toml"
        )
    );
    assert!(sink.has_errors());
}

#[test]
fn summaries() {
    let mut sink = Sink::new();
    assert_eq!(sink.summary(), None);
    sink.push(Diag::new(codes::BASELINE_ACCEPTED, Level::Allow, "a"));
    assert_eq!(
        sink.summary().as_deref(),
        Some("1 finding accepted by the baseline")
    );
    assert!(!sink.has_errors() && sink.shown().is_empty());
    sink.push(Diag::warning(codes::NVCC_WARNING, "w"));
    assert_eq!(
        sink.summary().as_deref(),
        Some("warning: 1 message of the compiler; 1 finding accepted by the baseline")
    );
}

#[test]
fn one_line_stays_one_line() {
    let file = SourceFile::new("a\nb.cu", "x");
    let diag = Diag::error(codes::COMPILE_FAILED, "bad\ncargo::rustc-cfg=x\r")
        .at(Span::line(&file, 1), "");
    assert_eq!(
        summary_line(&diag),
        "a\\nb.cu:1:1: [compile-failed] bad\\ncargo::rustc-cfg=x\\r"
    );
}

#[test]
fn text_from_outside_is_escaped_in_pictures_and_in_json() {
    const TEXT: &str = "x\u{1b}[31m\u{202e}\u{7}\u{9b}y\r\u{200f}";
    let file = SourceFile::new(format!("a{TEXT}.cu"), format!("int {TEXT};\nint b;\n"));
    let span = Span::new(&file, 0..3);
    let diag = Diag::error(codes::COMPILE_FAILED, TEXT)
        .at(span.clone(), TEXT)
        .because(span, TEXT)
        .note(TEXT)
        .help(TEXT)
        .kernel(TEXT);
    let acts = |text: &str| text.contains(|c: char| c != '\n' && cubin_core::escape::is_unseen(c));
    for text in [
        render(&diag, false),
        summary_line(&diag),
        help_line(&diag).expect("a help"),
        json::to_json(&diag),
    ] {
        assert!(!acts(&text), "{text:?}");
    }
    assert!(summary_line(&diag).contains("x\\u{1b}[31m\\u{202e}\\u{7}\\u{9b}y\\r\\u{200f}"));
}

#[test]
fn colour_only_when_asked() {
    let file = SourceFile::new("a.cu", "__global__ void k() {}\n");
    let diag = Diag::error(codes::REGISTERS_OVER_BUDGET, "m").at(Span::new(&file, 16..17), "here");
    assert!(!render(&diag, false).contains('\u{1b}'));
    assert!(render(&diag, true).contains("\u{1b}["));
}

#[test]
fn places_outside_the_text_do_not_panic() {
    let long = format!("{}\n{}x", "\t=".repeat(4_000), "é".repeat(4_000));
    for text in ["", "é", "a\r\nb\n", "\t\tx\u{1}\u{202e}", &long] {
        let file = SourceFile::new("a.cu", text);
        for start in [0, 1, 2, 3, 4, 5, 7_999, 8_001, 16_001, 99_999] {
            for end in [0, 1, 2, 3, 4, 5, 8_000, 8_004, 16_002, usize::MAX] {
                let span = Span::new(&file, start..end);
                let diag = Diag::error(codes::IO_ERROR, "m\u{1b}[0m\nn")
                    .at(span.clone(), "a")
                    .because(span, "b")
                    .note("n\u{1b}[31m\nsecond")
                    .help("h");
                assert!(!render(&diag, false).contains('\u{1b}'));
                let _ = (
                    render(&diag, true),
                    summary_line(&diag),
                    json::to_json(&diag),
                );
            }
        }
    }
}
