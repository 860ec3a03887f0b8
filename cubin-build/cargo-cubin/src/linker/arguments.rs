//! What a linker driver is asked to write: `-o` among its arguments, and in the files that they name by `@`.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};

use crate::files::shown;

/// Files that name others by `@`, one in the other.
const MOST_NESTED: usize = 8;

/// The file that is written: that of the last `-o`; `None` when the driver was asked for something else.
///
/// # Errors
/// When a file of arguments cannot be read.
pub(super) fn output(arguments: &[OsString]) -> anyhow::Result<Option<PathBuf>> {
    let mut all = Vec::new();
    for argument in arguments {
        expand(argument.clone(), 0, &mut all)?;
    }
    let mut found = None;
    let mut all = all.into_iter();
    while let Some(argument) = all.next() {
        if argument == "-o" || argument == "--output" {
            found = all.next().map(PathBuf::from);
        } else if let Some(path) = argument.to_str().and_then(joined) {
            found = Some(path.into());
        }
    }
    Ok(found)
}

/// `-oFILE` and `--output=FILE`. Other options of a driver begin with `-o` too, but rustc passes none of them.
fn joined(argument: &str) -> Option<&str> {
    let long = argument.strip_prefix("--output=");
    long.or_else(|| argument.strip_prefix("-o"))
        .filter(|path| !path.is_empty())
}

fn expand(argument: OsString, depth: usize, all: &mut Vec<OsString>) -> anyhow::Result<()> {
    let Some(file) = argument.to_str().and_then(|text| text.strip_prefix('@')) else {
        all.push(argument);
        return Ok(());
    };
    let file = Path::new(file);
    if depth == MOST_NESTED {
        bail!(
            "{}: more than {MOST_NESTED} files of arguments name each other",
            shown(file)
        );
    }
    // As gcc has it, `@` before what is no file is an argument like others.
    if !file.is_file() {
        all.push(argument.clone());
        return Ok(());
    }
    let text = fs::read_to_string(file)
        .with_context(|| format!("cannot read the arguments in {}", shown(file)))?;
    for argument in split(&text) {
        expand(argument.into(), depth + 1, all)?;
    }
    Ok(())
}

/// The arguments in a file, as gcc reads them: parted by white space outside of quotes; a backslash takes the next
/// character as it is.
fn split(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut current: Option<String> = None;
    let mut quote = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => current.get_or_insert_default().extend(letters.next()),
            '"' | '\'' if quote.is_none() => {
                quote = Some(letter);
                current.get_or_insert_default();
            }
            _ if quote == Some(letter) => quote = None,
            _ if quote.is_none() && letter.is_whitespace() => all.extend(current.take()),
            _ => current.get_or_insert_default().push(letter),
        }
    }
    all.extend(current);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(arguments: &[&str]) -> Option<PathBuf> {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        output(&arguments).expect("arguments")
    }

    #[test]
    fn the_last_output_counts() {
        assert_eq!(of(&["-m64", "a.o", "-o", "x", "-lc"]), Some("x".into()));
        assert_eq!(of(&["-ox", "-o", "y z"]), Some("y z".into()));
        assert_eq!(of(&["--output=x"]), Some("x".into()));
        assert_eq!(of(&["-v"]), None);
        assert_eq!(of(&["-o"]), None);
        assert_eq!(of(&["@no such file", "-o", "x"]), Some("x".into()));
    }

    #[test]
    fn files_of_arguments_are_read_as_gcc_reads_them() {
        let dir = std::env::temp_dir().join(format!("cubin-cc-{}", std::process::id()));
        fs::create_dir_all(&dir).expect("a directory");
        let inner = dir.join("inner");
        fs::write(&inner, "\"-o\"\n'a \"b'\\ c\\\\d\n").expect("a file");
        let outer = dir.join("outer");
        fs::write(&outer, format!("-m64\n@{}\n", inner.display())).expect("a file");
        assert_eq!(
            of(&[&format!("@{}", outer.display())]),
            Some("a \"b c\\d".into())
        );
        fs::write(&inner, format!("@{}", inner.display())).expect("a file");
        let error = output(&[format!("@{}", inner.display()).into()]).expect_err("a circle");
        assert!(error.to_string().contains("name each other"), "{error}");
        fs::remove_dir_all(&dir).expect("removed");
    }

    #[test]
    fn arguments_of_a_file() {
        assert_eq!(split(""), [""; 0]);
        assert_eq!(split(" a\t''\n\"b c\" d\\ e "), ["a", "", "b c", "d e"]);
        assert_eq!(split("\"a\\\"b\" 'it''s'"), ["a\"b", "its"]);
        assert_eq!(split("open \"quote"), ["open", "quote"]);
    }
}
