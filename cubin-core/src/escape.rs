//! Text from outside, shown to people: characters that act on a terminal or on how the text around them is read, made
//! visible. Names in files, and names of files, can hold any of them.

use alloc::{borrow::Cow, string::String};
use core::fmt::{self, Write};

/// Whether a character has no shape of its own, or moves what stands around it: control characters (ESC, BEL, line ends,
/// C1), directional marks and overrides, separators of lines, invisible operators, tags.
///
/// Joiners (U+200C, U+200D) are left alone: scripts and emoji need them.
#[must_use]
pub fn is_unseen(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// The text with such characters as Rust escapes them: `\n`, `\u{1b}`, `\u{202e}`. All else stays as it is, a backslash
/// too: this is for eyes, not to be read back.
///
/// ```
/// assert_eq!(cubin_core::escape::visible("a\u{1b}[2Jb\n"), "a\\u{1b}[2Jb\\n");
/// assert_eq!(cubin_core::escape::visible("größe\\"), "größe\\");
/// ```
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unseen) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if is_unseen(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// As [`visible`], for text of several lines: line ends and tabs stay.
#[must_use]
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    let acts = |character: char| is_unseen(character) && !matches!(character, '\n' | '\t');
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if acts(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// Writes `text` as a JSON string, quotes included (RFC 8259, section 7). What [`is_unseen`] is escaped too, by UTF-16
/// unit, so that JSON can be looked at; a reader gets the text as it was.
///
/// # Errors
/// When `out` takes no more.
pub fn json_string(out: &mut dyn Write, text: &str) -> fmt::Result {
    out.write_char('"')?;
    for character in text.chars() {
        match character {
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '\t' => out.write_str("\\t")?,
            _ => json_character(out, character)?,
        }
    }
    out.write_char('"')
}

/// JSON that another writer made, as [`json_string`] would have escaped its strings: outside of these, JSON has no such
/// characters but line ends and tabs.
#[must_use]
pub fn visible_json(json: &str) -> Cow<'_, str> {
    if !json.contains(is_unseen) {
        return Cow::Borrowed(json);
    }
    let mut shown = String::with_capacity(json.len());
    for character in json.chars() {
        if matches!(character, '\n' | '\r' | '\t') {
            shown.push(character);
        } else {
            // Writing to a string does not fail.
            let _ = json_character(&mut shown, character);
        }
    }
    Cow::Owned(shown)
}

fn json_character(out: &mut dyn Write, character: char) -> fmt::Result {
    if !is_unseen(character) {
        return out.write_char(character);
    }
    for unit in character.encode_utf16(&mut [0; 2]) {
        write!(out, "\\u{unit:04x}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_on_a_terminal_is_visible() {
        for (text, shown) in [
            ("plain größe имя 名 👩‍👩‍👧", "plain größe имя 名 👩‍👩‍👧"),
            ("\u{1b}]0;x\u{7}\r\n\t", "\\u{1b}]0;x\\u{7}\\r\\n\\t"),
            (
                "a\u{202e}b\u{2066}c\u{200f}",
                "a\\u{202e}b\\u{2066}c\\u{200f}",
            ),
            (
                "\u{9b}31m\u{7f}\u{2028}\u{feff}",
                "\\u{9b}31m\\u{7f}\\u{2028}\\u{feff}",
            ),
            ("\u{e0041}", "\\u{e0041}"),
        ] {
            assert_eq!(visible(text), shown);
            assert_eq!(visible(&visible(text)), shown, "once is enough");
        }
    }

    #[test]
    fn json_is_read_back_as_it_was() {
        let text = "a\"b\\c\n\r\t\u{1f}é\u{7f}\u{2028}\u{202e}\u{e0041}😀";
        let mut json = String::new();
        json_string(&mut json, text).expect("a string");
        assert_eq!(
            json,
            r#""a\"b\\c\n\r\t\u001fé\u007f\u2028\u202e\udb40\udc41😀""#
        );
        assert_eq!(visible_json(&json), json);
        assert_eq!(
            visible_json("{\n\t\"a\": \"\u{202e}\"}"),
            "{\n\t\"a\": \"\\u202e\"}"
        );
    }

    #[test]
    fn lines_stay_lines() {
        assert_eq!(visible_lines("a\n\tb\u{1b}\r\n"), "a\n\tb\\u{1b}\\r\n");
        assert!(matches!(visible_lines("a\nb"), Cow::Borrowed(_)));
    }
}
