//! The page's text: the template with the style, the script and the data in it, and nothing from elsewhere.

use anyhow::{Context as _, ensure};
use cubin_core::escape::{visible, visible_json};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::history::History;

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// What stands before the data, which has no `<` of its own.
const BEFORE: &str = "id=\"data\">";
const BEHIND: &str = "</script>";

/// The page.
pub(super) fn page(title: &str, json: &str) -> String {
    let data = script_json(json);
    // What runs must carry it, and no text in the page can know it: a hash of that very text.
    let nonce: String = Sha256::digest(data.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let title = html(title);
    let mut page = String::with_capacity(TEMPLATE.len() + STYLE.len() + SCRIPT.len() + data.len());
    // Piece by piece: what is put in is not looked at again.
    for piece in TEMPLATE.split("{{") {
        match piece.split_once("}}") {
            None => page.push_str(piece),
            Some((name, rest)) => {
                page.push_str(match name {
                    "title" => &title,
                    "nonce" => &nonce,
                    "style" => STYLE,
                    "script" => SCRIPT,
                    "data" => &data,
                    _ => name,
                });
                page.push_str(rest);
            }
        }
    }
    page
}

/// JSON that ends no script element and begins no comment in it, and in which no character is unseen. These occur in
/// strings only, so an escape means the same.
fn script_json(json: &str) -> String {
    let json = visible_json(json);
    let mut text = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '<' => text.push_str("\\u003c"),
            '>' => text.push_str("\\u003e"),
            '&' => text.push_str("\\u0026"),
            character => text.push(character),
        }
    }
    text
}

/// Text as HTML shows it, unseen characters as escapes.
pub(crate) fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in visible(text).chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            character => out.push(character),
        }
    }
    out
}

/// The history that an earlier page holds.
pub(super) fn history(page: &str) -> anyhow::Result<History> {
    #[derive(Deserialize)]
    struct Data {
        history: History,
    }
    let data = page.split_once(BEFORE).and_then(|(_, rest)| {
        let (data, _) = rest.split_once(BEHIND)?;
        Some(data)
    });
    let data = data.context("it is no page of `cargo cubin report`")?;
    let data: Data = serde_json::from_str(data).context("its data cannot be read")?;
    ensure!(data.history.is_whole(), "its history is damaged");
    Ok(data.history)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What could end the script element, open a comment, or be read as a line end.
    const HOSTILE: &str =
        "</script><script>alert(1)</script><!-- <![CDATA[ & \u{2028}\u{202e}\u{0} {{data}} ' \"";

    #[test]
    fn hostile_text_stays_text() {
        let json = serde_json::json!({ "history": { "runs": [HOSTILE], "stretches": [] } });
        let page = page(HOSTILE, &json.to_string());
        assert_eq!(page.matches("<script").count(), 2);
        assert_eq!(page.matches("</script").count(), 2);
        assert!(!page.contains("<!--") && !page.contains("<![CDATA["));
        assert!(!page.contains(['\u{2028}', '\u{202e}', '\u{0}']));
        assert!(page.contains("<title>&lt;/script&gt;&lt;script&gt;alert(1)"));
        let read = history(&page).expect("a history");
        assert_eq!(read.runs, [HOSTILE]);
    }

    #[test]
    fn the_page_asks_for_nothing_from_elsewhere() {
        let page = page("t", "{}");
        assert!(page.contains("default-src 'none'"));
        // The name of a namespace is no address that anything fetches.
        let page = page.replace("http://www.w3.org/2000/svg", "");
        for part in [
            "http:", "https:", "//cdn", "@import", "url(", "fetch(", "src=", "<link",
        ] {
            assert!(!page.contains(part), "{part}");
        }
        assert!(!page.contains("{{") && !page.contains("}}"));
        for text in [STYLE, SCRIPT] {
            assert!(!text.contains("</") && !text.contains("{{"));
        }
        // Text goes in as text.
        for part in ["innerHTML", "insertAdjacentHTML", "document.write", "eval("] {
            assert!(!SCRIPT.contains(part), "{part}");
        }
    }

    #[test]
    fn what_is_no_page_is_refused() {
        for (text, part) in [
            ("", "no page of `cargo cubin report`"),
            ("id=\"data\">{}</script>", "cannot be read"),
            (
                "id=\"data\">{\"history\":{\"runs\":[],\"stretches\":[{\"package\":\"\",\"kernel\":\"\",\"code\":\"\",\
                 \"first\":0,\"last\":0}]}}</script>",
                "damaged",
            ),
        ] {
            let error = format!("{:#}", history(text).expect_err("refused"));
            assert!(error.contains(part), "{error}");
        }
    }
}
