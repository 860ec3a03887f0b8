//! What the tools print, cut into messages.
//!
//! Four programs write to one stderr: the host preprocessor (`FILE:LINE:COL: fatal error: …`), the CUDA front end
//! (`FILE(LINE): error: …`), ptxas (`ptxas FILE, line N; error   : …`, `ptxas warning : …`) and nvcc itself
//! (`nvcc fatal   : …`). A message keeps every line that belongs to it; nothing that was printed is dropped, except
//! ptxas's resource lines, which other code reads.

use std::path::PathBuf;

/// How bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// A remark, or text that belongs to no message.
    Note,
    /// A warning.
    Warning,
    /// An error.
    Error,
}

/// Which program said it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tool {
    /// The host compiler, as preprocessor.
    Host,
    /// The CUDA C++ front end (cicc, cudafe++).
    FrontEnd,
    /// The assembler.
    Ptxas,
    /// The driver.
    Nvcc,
    /// Not known.
    Other,
}

/// One message of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// How bad.
    pub level: Level,
    /// Who said it.
    pub tool: Tool,
    /// The file that it is about, as printed.
    pub file: Option<PathBuf>,
    /// The line there, from 1.
    pub line: Option<u32>,
    /// The column there, from 1.
    pub column: Option<u32>,
    /// The message's number, to suppress it by: `#177-D`.
    pub code: Option<String>,
    /// The message alone: `variable "unused" was declared but never referenced`.
    pub text: String,
    /// Every line that was printed for it, with source excerpt, caret and instantiation context.
    pub whole: String,
}

/// Cuts the stderr of a compilation into messages.
pub(super) fn parse(log: &str) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::new();
    // Lines of context ("In file included from …") come before the message that they belong to.
    let mut before = String::new();
    let mut in_resources = false;
    for line in log.lines() {
        if is_resource_line(line) || (in_resources && line.starts_with("    ")) {
            in_resources = true;
            continue;
        }
        in_resources = false;
        if let Some(mut message) = head(line) {
            message.whole = std::mem::take(&mut before) + line + "\n";
            messages.push(message);
        } else if is_context(line) || !before.is_empty() {
            before.push_str(line);
            before.push('\n');
        } else if is_closing(line) || messages.is_empty() {
            if !line.trim().is_empty() {
                messages.push(Message::plain(line));
            }
        } else if let Some(last) = messages.last_mut() {
            last.whole.push_str(line);
            last.whole.push('\n');
        }
    }
    if !before.is_empty() {
        messages.push(Message::plain(before.trim_end()));
    }
    for message in &mut messages {
        message.whole.truncate(message.whole.trim_end().len());
    }
    messages
}

/// The log without ptxas's resource lines: what a person wants to see, whole and in order.
pub(super) fn readable(log: &str) -> String {
    let mut text = String::with_capacity(log.len());
    let mut in_resources = false;
    for line in log.lines() {
        in_resources = is_resource_line(line) || (in_resources && line.starts_with("    "));
        if !in_resources {
            text.push_str(line);
            text.push('\n');
        }
    }
    text.truncate(text.trim_end().len());
    text
}

impl Message {
    fn plain(line: &str) -> Self {
        Self {
            level: Level::Note,
            tool: Tool::Other,
            file: None,
            line: None,
            column: None,
            code: None,
            text: line.trim().to_owned(),
            whole: line.to_owned(),
        }
    }
}

/// `ptxas info    : Used 14 registers` and its like, but not its notes about performance, which have a number.
fn is_resource_line(line: &str) -> bool {
    ptxas_info(line).is_some_and(|text| !text.starts_with('('))
}

/// The text behind `ptxas info    : `.
pub(super) fn ptxas_info(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("ptxas")?.trim_start();
    let rest = rest.strip_prefix("info")?.trim_start();
    Some(rest.strip_prefix(':')?.trim_start())
}

fn is_context(line: &str) -> bool {
    line.starts_with("In file included from ")
        || line.starts_with("                 from ")
        || line.contains(": In function '")
        || line.contains(": In instantiation of ")
}

/// Lines that close a compilation and belong to no single message.
fn is_closing(line: &str) -> bool {
    line.starts_with("Remark: ")
        || line.starts_with("compilation terminated")
        || line.contains(" detected in the compilation of \"")
        || line.starts_with("Error limit reached")
        || line.starts_with("Compilation terminated")
}

fn head(line: &str) -> Option<Message> {
    tool_head(line)
        .or_else(|| front_end_head(line))
        .or_else(|| host_head(line))
}

/// `ptxas warning : …`, `ptxas FILE, line N; error   : …`, `nvcc fatal   : …`, `nvlink error   : …`.
fn tool_head(line: &str) -> Option<Message> {
    let (name, rest) = line.split_once(' ')?;
    let tool = match name {
        "ptxas" => Tool::Ptxas,
        "nvcc" | "nvlink" | "fatbinary" => Tool::Nvcc,
        _ => return None,
    };
    let (file, number, rest) = match rest.split_once("; ") {
        Some((place, rest)) if tool == Tool::Ptxas => {
            let (file, number) = place.rsplit_once(", line ")?;
            (Some(PathBuf::from(file)), number.parse().ok(), rest)
        }
        _ => (None, None, rest),
    };
    let (word, text) = rest.split_once(':')?;
    let level = match word.trim() {
        "error" | "fatal" => Level::Error,
        "warning" => Level::Warning,
        "info" => Level::Note,
        _ => return None,
    };
    let text = text.trim();
    let code = text
        .strip_prefix('(')
        .and_then(|text| text.split_once(") "))
        .map(|(code, _)| code.to_owned());
    Some(Message {
        // ptxas calls its notes about lost performance "info", yet they are what a user wants to be warned of.
        level: if level == Level::Note && code.is_some() {
            Level::Warning
        } else {
            level
        },
        tool,
        file,
        line: number,
        column: None,
        code,
        text: text.to_owned(),
        whole: String::new(),
    })
}

/// `FILE(LINE): warning #177-D: …`, `FILE(LINE): error: …`, `FILE(LINE): catastrophic error: …`.
fn front_end_head(line: &str) -> Option<Message> {
    if line.starts_with([' ', '\t']) {
        return None;
    }
    let mut from = 0;
    while let Some(at) = line[from..].find("): ") {
        let close = from + at;
        from = close + 3;
        let Some(open) = line[..close].rfind('(') else {
            continue;
        };
        let Ok(number) = line[open + 1..close].parse::<u32>() else {
            continue;
        };
        let Some((level, code, text)) = level_and_text(&line[close + 3..]) else {
            continue;
        };
        return Some(Message {
            level,
            tool: Tool::FrontEnd,
            file: Some(PathBuf::from(&line[..open])),
            line: Some(number),
            column: None,
            code,
            text: text.to_owned(),
            whole: String::new(),
        });
    }
    None
}

fn level_and_text(rest: &str) -> Option<(Level, Option<String>, &str)> {
    const WORDS: [(&str, Level); 8] = [
        ("error", Level::Error),
        ("catastrophic error", Level::Error),
        ("fatal error", Level::Error),
        ("internal error", Level::Error),
        ("command-line error", Level::Error),
        ("warning", Level::Warning),
        ("remark", Level::Note),
        ("note", Level::Note),
    ];
    for (word, level) in WORDS {
        let Some(rest) = rest.strip_prefix(word) else {
            continue;
        };
        if let Some(text) = rest.strip_prefix(": ") {
            return Some((level, None, text));
        }
        if let Some((code, text)) = rest
            .strip_prefix(' ')
            .and_then(|rest| rest.split_once(": "))
            && code.starts_with('#')
            && !code.contains(' ')
        {
            return Some((level, Some(code.to_owned()), text));
        }
    }
    None
}

/// `FILE:LINE:COL: fatal error: …`, `FILE:LINE: error: …`, `cc1plus: fatal error: …`, `gcc: error: …`.
fn host_head(line: &str) -> Option<Message> {
    if line.starts_with([' ', '\t']) {
        return None;
    }
    let mut from = 0;
    while let Some(at) = line[from..].find(": ") {
        let end = from + at;
        from = end + 2;
        let Some((level, code, text)) = level_and_text(&line[end + 2..]) else {
            continue;
        };
        let place = &line[..end];
        // Which of FILE:LINE:COL, FILE:LINE and FILE it is; a drive letter is no line.
        let (mut file, mut number, mut column) = (place, None, None);
        if let Some((before, last)) = place.rsplit_once(':')
            && let Ok(last) = last.parse::<u32>()
        {
            (file, number) = (before, Some(last));
            if let Some((before, first)) = before.rsplit_once(':')
                && let Ok(first) = first.parse::<u32>()
            {
                (file, number, column) = (before, Some(first), Some(last));
            }
        }
        let is_file = number.is_some();
        if !is_file && (file.contains(' ') || file.is_empty()) {
            continue;
        }
        return Some(Message {
            level,
            tool: Tool::Host,
            file: is_file.then(|| PathBuf::from(file)),
            line: number,
            column,
            code,
            text: text.to_owned(),
            whole: String::new(),
        });
    }
    None
}
