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
    /// The compiler of NVVM IR.
    Libnvvm,
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
    /// The symbol that nvlink finds in none of its inputs.
    pub undefined: Option<String>,
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
            undefined: None,
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
        undefined: undefined(text),
    })
}

/// The symbol of `Undefined reference to '_Z4stepf' in 'kernels/a.cu'`.
fn undefined(text: &str) -> Option<String> {
    let named = text.strip_prefix("Undefined reference to '")?;
    let (symbol, _) = named.split_once('\'')?;
    Some(symbol.to_owned())
}

/// What a tool printed, with other names for what stands between quotes in it, where `name` knows one.
pub(super) fn renamed(printed: &str, name: &dyn Fn(&str) -> Option<String>) -> String {
    let mut parts = printed.split('\'');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push('\'');
        out.push_str(name(part).as_deref().unwrap_or(part));
    }
    out
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
            undefined: None,
        });
    }
    None
}

fn level_and_text(rest: &str) -> Option<(Level, Option<String>, &str)> {
    const WORDS: [(&str, Level); 10] = [
        ("error", Level::Error),
        // The back end of cicc begins its own with a capital.
        ("Error", Level::Error),
        ("Warning", Level::Warning),
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
        // Which of FILE:LINE:COL, FILE:LINE and FILE it is; a drive letter is not a line.
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
            undefined: None,
        });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As nvcc 13.5 printed it for a file with an error, a warning and an error in a template.
    const FRONT_END: &str = "\
e/err.cu(2): error: identifier \"undefined_thing\" is undefined
  __attribute__((global)) void k(float*p){ undefined_thing(); }
                                           ^

e/err.cu(2): warning #177-D: variable \"unused\" was declared but never referenced
  __attribute__((global)) void k(float*p){ int unused = 3; }
                                               ^

Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"

e/err (1).cu(1): error: expression must have class type but it has type \"float\"
  template<class T> struct B { };
                             ^
          detected during instantiation of \"T B<T>::f(T) [with T=float]\" at line 2

2 errors detected in the compilation of \"e/err.cu\".
";

    #[test]
    fn front_end_messages_keep_their_context() {
        let messages = parse(FRONT_END);
        let heads: Vec<_> = messages
            .iter()
            .map(|message| (message.level, message.line, message.text.as_str()))
            .collect();
        assert_eq!(
            heads,
            [
                (
                    Level::Error,
                    Some(2),
                    "identifier \"undefined_thing\" is undefined"
                ),
                (
                    Level::Warning,
                    Some(2),
                    "variable \"unused\" was declared but never referenced"
                ),
                (
                    Level::Note,
                    None,
                    "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\""
                ),
                (
                    Level::Error,
                    Some(1),
                    "expression must have class type but it has type \"float\""
                ),
                (
                    Level::Note,
                    None,
                    "2 errors detected in the compilation of \"e/err.cu\"."
                ),
            ]
        );
        assert_eq!(messages[1].code.as_deref(), Some("#177-D"));
        assert_eq!(
            messages[3].file.as_deref(),
            Some(std::path::Path::new("e/err (1).cu"))
        );
        assert!(
            messages[3].whole.ends_with("[with T=float]\" at line 2"),
            "{:?}",
            messages[3]
        );
        assert!(messages[0].whole.ends_with('^'));
    }

    #[test]
    fn host_messages_keep_what_leads_to_them() {
        let log = "In file included from k.cu:3:\n                 from a.h:1:\n\
                   k/a b.cuh:7:10: fatal error: missing.h: No such file or directory\n    7 | #include \"missing.h\"\n\
                   \x20     |          ^~~~~~~~~~~\ncompilation terminated.\n\
                   cc1plus: fatal error: cuda_runtime.h: No such file or directory\n";
        let messages = parse(log);
        assert_eq!(messages.len(), 3);
        assert_eq!(messages[0].tool, Tool::Host);
        assert_eq!(
            messages[0].file.as_deref(),
            Some(std::path::Path::new("k/a b.cuh"))
        );
        assert_eq!((messages[0].line, messages[0].column), (Some(7), Some(10)));
        assert!(
            messages[0]
                .whole
                .starts_with("In file included from k.cu:3:")
        );
        assert!(messages[0].whole.ends_with("^~~~~~~~~~~"));
        assert_eq!(messages[2].file, None);
        assert_eq!(messages[2].level, Level::Error);
        assert_eq!(readable(log), log.trim_end());
    }

    #[test]
    fn tool_messages_and_resource_lines() {
        let log = "ptxas k2/p.ptx, line 26; error   : Not a name of any known instruction: 'bogus'\n\
                   ptxas fatal   : Ptx assembly aborted due to errors\n\
                   ptxas info    : 0 bytes gmem\nptxas info    : Function properties for k\n    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
                   ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored\n\
                   nvcc warning : Support for offline compilation will be removed\n\
                   nvcc fatal   : Unsupported gpu architecture 'sm_35'\n";
        let messages = parse(log);
        let seen: Vec<_> = messages
            .iter()
            .map(|message| (message.tool, message.level))
            .collect();
        assert_eq!(
            seen,
            [
                (Tool::Ptxas, Level::Error),
                (Tool::Ptxas, Level::Error),
                (Tool::Ptxas, Level::Warning),
                (Tool::Nvcc, Level::Warning),
                (Tool::Nvcc, Level::Error),
            ]
        );
        assert_eq!(messages[0].line, Some(26));
        assert_eq!(
            messages[0].file.as_deref(),
            Some(std::path::Path::new("k2/p.ptx"))
        );
        assert_eq!(messages[2].code.as_deref(), Some("C7508"));
        let text = readable(log);
        assert!(
            !text.contains("gmem") && !text.contains("stack frame"),
            "{text}"
        );
        assert_eq!(text.lines().count(), 5);
    }

    /// As nvcc 13.5 printed it.
    #[test]
    fn errors_of_the_back_end_have_their_place() {
        let log = "kernels/p.cu(2): Error: Formal parameter space overflowed (33608 bytes required, max 32764 bytes allowed) \
                   in function huge\n\n";
        let [message] = &parse(log)[..] else {
            panic!("one message")
        };
        assert_eq!((message.level, message.line), (Level::Error, Some(2)));
        assert!(
            message
                .text
                .starts_with("Formal parameter space overflowed (33608")
        );
    }

    #[test]
    fn garbage_is_kept_and_does_not_panic() {
        for log in [
            "",
            "\n\n",
            "(: error: x",
            "ü(1): \n",
            "ptxas",
            "ptxas info",
            "x(99999999999): error: y",
            ": error: z",
            "a): (b): (",
        ] {
            let kept: String = parse(log)
                .iter()
                .map(|message| message.whole.as_str())
                .collect();
            assert_eq!(kept.trim(), log.trim(), "{log:?}");
        }
    }
}
