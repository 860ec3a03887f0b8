//! What is wrong with cubin.toml, or another file that is read like it, in words.

use super::{
    nearest::nearest,
    problem::{Problem, What},
};
use crate::{
    diag::{Code, Diag, codes},
    lists::CollectVec,
    source::{SourceFile, Span},
    words::quoted,
};

/// Most problems shown of one file: a file that is something else entirely would have one per line.
pub(crate) const MOST_PROBLEMS: usize = 50;

/// The first problems of `file`, in its order, and how many there are besides. `places` tells for a key that its table
/// does not have which other table has it.
pub(crate) fn diags(
    file: &SourceFile,
    mut problems: Vec<Problem>,
    places: &dyn Fn(&str) -> Option<&'static str>,
) -> Vec<Diag> {
    crate::sorted::sort_by_key(&mut problems, |problem| problem.span.range.start);
    let left_out = problems.len().saturating_sub(MOST_PROBLEMS);
    // Words are found for what is shown only: to look for the key that was meant takes time.
    problems.truncate(MOST_PROBLEMS);
    let mut diags: Vec<Diag> = problems
        .into_iter()
        .map(|problem| diag(problem, places))
        .collect_vec();
    if left_out > 0 {
        diags.push(too_many(file, left_out));
    }
    diags
}

fn diag(problem: Problem, places: &dyn Fn(&str) -> Option<&'static str>) -> Diag {
    let span = problem.span;
    match problem.what {
        What::Syntax(message) => syntax(&message, span),
        What::UnknownKey { key, table, known } => unknown_key(&key, &table, &known, places, span),
        What::WrongType {
            code,
            subject,
            expected,
            found,
            help,
        } => {
            let message = format!("{subject} must be {expected}, this is {found}");
            let diag = Diag::error(code, message).at(span, format!("expected {expected}"));
            with_help(diag, help)
        }
        What::BadValue {
            code,
            message,
            help,
        } => with_help(Diag::error(code, message).at(span, ""), help),
        What::Missing {
            code,
            table,
            key,
            example,
        } => Diag::error(code, format!("{table} needs `{key}`"))
            .at(span, "")
            .help(format!("for example `{example}`")),
        What::Duplicate { code, what, first } => {
            Diag::error(code, format!("{what} is listed twice"))
                .at(span, "listed again here")
                .because(first, "first here")
        }
    }
}

fn with_help(diag: Diag, help: Option<String>) -> Diag {
    match help {
        Some(help) => diag.help(help),
        None => diag,
    }
}

fn syntax(message: &str, span: Span) -> Diag {
    let file = span.file.path().display().to_string();
    let line = Span::line(&span.file, span.start().0 as u32);
    let conflict = ["<<<<<<<", "=======", ">>>>>>>"]
        .iter()
        .any(|marker| line.text().starts_with(marker));
    if conflict {
        let message = format!("{file} is not valid TOML: it holds a merge conflict");
        return Diag::error(codes::CONFIG_SYNTAX, message).at(line, "marker of the conflict");
    }
    let message = format!("{file} is not valid TOML: {message}");
    Diag::error(codes::CONFIG_SYNTAX, message).at(span, "")
}

fn unknown_key(
    key: &str,
    table: &str,
    known: &[&'static str],
    places: &dyn Fn(&str) -> Option<&'static str>,
    span: Span,
) -> Diag {
    let shown = if key.contains(char::is_control) {
        key.escape_debug().to_string()
    } else {
        key.to_owned()
    };
    let message = if table.is_empty() {
        format!("unknown table or key `{shown}`")
    } else {
        format!("unknown key `{shown}` in {table}")
    };
    let diag = Diag::error(codes::UNKNOWN_KEY, message).at(span, "");
    if let Some(near) = nearest(key, known.iter().copied()) {
        return diag.help(format!("did you mean `{near}`?"));
    }
    if let Some(elsewhere) = places(key) {
        return diag.help(format!("`{shown}` belongs in {elsewhere}"));
    }
    diag.help(format!("known here: {}", quoted(known)))
}

fn too_many(file: &SourceFile, left_out: usize) -> Diag {
    let file = file.path().display();
    let more = if left_out == 1 {
        "1 more problem that is not shown".to_owned()
    } else {
        format!("{left_out} more problems that are not shown")
    };
    Diag::error(codes::CONFIG_INVALID, format!("{file} has {more}"))
}

/// A problem of a file that is read like cubin.toml, under the code that speaks of it.
pub(crate) fn under(code: Code, mut diag: Diag, help: &str) -> Diag {
    diag.code = code;
    diag.help(help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, nearest, tables};

    #[test]
    fn only_what_is_shown_is_put_in_words() {
        let text: String = (0..20_000)
            .map(|number| format!("k{number} = 1\n"))
            .collect();
        let before = nearest::compared();
        let (_, diags) = Config::parse(&SourceFile::new("cubin.toml", text));
        assert_eq!(diags.len(), MOST_PROBLEMS + 1);
        let last = diags.last().map(|diag| diag.message.as_str());
        assert_eq!(
            last,
            Some("cubin.toml has 19950 more problems that are not shown")
        );
        // Each that is shown, with the tables of the file.
        assert!(nearest::compared() - before <= MOST_PROBLEMS * tables::documented().len());
    }
}
