//! Messages of the tools that are said again in our words: what they mean, as data.

use super::{Level, Message, Tool, host_code};

/// What a message means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known<'m> {
    /// ptxas misses a function, by its symbol: another source defines it.
    Unresolved(&'m str),
    /// A variable is declared `extern` and defined here nevertheless, by its name: nvcc gives each source that is compiled
    /// by itself a copy.
    Copied(&'m str),
    /// Host functions that are not part of the build, by their names with commas between.
    HostCode(&'m str),
    /// PTX that is written for a target which the one that is compiled for does not include.
    OtherTarget,
    /// PTX of a version that this ptxas does not know.
    NewerPtx,
    /// A flag, or the value of one, as the tool quotes it.
    Refused {
        /// The flag, a part of it, or the value.
        text: &'m str,
        /// The option that the value was given to, without dashes.
        option: Option<&'m str>,
    },
}

impl Message {
    /// What the message means, where that is known.
    #[must_use]
    pub fn known(&self) -> Option<Known<'_>> {
        let text = self.text.as_str();
        let (first, second) = quoted(text);
        match self.tool {
            Tool::FrontEnd if self.code.as_deref() == Some(host_code::CODE) => {
                Some(Known::HostCode(text))
            }
            Tool::FrontEnd if self.code.as_deref() == Some("#20044-D") => {
                let rest = text.strip_prefix("extern declaration of the entity ")?;
                Some(Known::Copied(rest.split(' ').next()?))
            }
            Tool::Ptxas if text.starts_with("Unresolved extern function '") => {
                Some(Known::Unresolved(first?))
            }
            Tool::Ptxas
                if text.starts_with("SM version specified by .target is higher")
                    || text.starts_with("PTX with .target ") =>
            {
                Some(Known::OtherTarget)
            }
            Tool::Ptxas if text.starts_with("Unsupported .version ") => Some(Known::NewerPtx),
            Tool::Ptxas | Tool::Nvcc | Tool::Host if self.level == Level::Error => {
                let is_option = |word: &str| text.starts_with(word);
                let refused = is_option("Unknown option '")
                    || is_option("unrecognized command-line option ")
                    || is_option("unrecognized command line option ")
                    || is_option("unknown argument: ")
                    || is_option("Don't know what to do with '")
                    || text.ends_with("': expected a number")
                    || text.contains("' is not defined for option '");
                let option = second.filter(|_| text.contains(" for option '"));
                let text = first.filter(|text| refused && !text.is_empty())?;
                Some(Known::Refused { text, option })
            }
            _ => None,
        }
    }
}

/// The first two texts between quotes; gcc writes curly ones where the language allows.
fn quoted(text: &str) -> (Option<&str>, Option<&str>) {
    // The apostrophe of a word is no quote.
    let text = text.strip_prefix("Don't").unwrap_or(text);
    let mut parts = text
        .split(['\'', '\u{2018}', '\u{2019}'])
        .skip(1)
        .step_by(2);
    (parts.next(), parts.next())
}

#[cfg(test)]
mod tests {
    use super::{super::message::parse, *};

    /// As nvcc 11.8, 12.4 and 13.5, ptxas and gcc 12 printed them.
    #[test]
    fn what_the_tools_print_is_known() {
        let refused = |text, option| Some(Known::Refused { text, option });
        for (line, known) in [
            (
                "ptxas fatal   : Unresolved extern function '_Z6helperf'",
                Some(Known::Unresolved("_Z6helperf")),
            ),
            (
                "k/a.cu(1): warning #20044-D: extern declaration of the entity n::lut is treated as a static definition",
                Some(Known::Copied("n::lut")),
            ),
            (
                "ptxas fatal   : SM version specified by .target is higher than default SM version assumed",
                Some(Known::OtherTarget),
            ),
            (
                "ptxas fatal   : PTX with .target 'sm_100a' cannot be compiled for architecture 'sm_100f'",
                Some(Known::OtherTarget),
            ),
            (
                "ptxas v.ptx, line 1; fatal   : Unsupported .version 9.9; current version is '9.5'",
                Some(Known::NewerPtx),
            ),
            (
                "nvcc fatal   : Unknown option '--use-fast-math'",
                refused("--use-fast-math", None),
            ),
            (
                "nvcc fatal   : Value 'c++99' is not defined for option 'std'",
                refused("c++99", Some("std")),
            ),
            (
                "nvcc fatal   : 'abc': expected a number",
                refused("abc", None),
            ),
            (
                "nvcc fatal   : Don't know what to do with 'O3'",
                refused("O3", None),
            ),
            ("ptxas fatal   : Unknown option 'foo'", refused("foo", None)),
            (
                "gcc: error: unrecognized command-line option '-foo'",
                refused("-foo", None),
            ),
            (
                "gcc: error: unrecognized command-line option \u{2018}-foo\u{2019}",
                refused("-foo", None),
            ),
            (
                "nvcc error   : 'cicc' died due to signal 9 (Kill signal)",
                None,
            ),
            ("nvcc fatal   : Could not open input file 'a.cu'", None),
            (
                "nvlink error   : Undefined reference to '_Z4stepf' in 'a.cu'",
                None,
            ),
            ("a.cu(1): error: identifier \"x\" is undefined", None),
        ] {
            let messages = parse(line);
            assert_eq!(messages[0].known(), known, "{line}");
        }
    }
}
