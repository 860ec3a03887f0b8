//! The options that an nvcc knows, as `nvcc --help` lists them; asked only when it has refused one.

use crate::{
    env::Env,
    lists::{AddAll, CollectVec},
    toolkit::Toolkit,
};

/// What `nvcc --help` says.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Help {
    /// Names with their dashes, long and short: `--use_fast_math`, `-use_fast_math`.
    pub options: Vec<String>,
    /// What an option takes, where it is one of a few words, by its name without dashes.
    values: Vec<(String, Vec<String>)>,
}

/// Asks nvcc; nothing where it does not say.
#[must_use]
pub fn help(env: &Env, toolkit: &Toolkit) -> Help {
    let output = env.command(&toolkit.nvcc).arg("--help").output();
    output.map_or_else(
        |_| Help::default(),
        |output| Help::parse(&String::from_utf8_lossy(&output.stdout)),
    )
}

impl Help {
    /// `--std {c++03|c++11}   (-std)`, with an explanation below that begins with blanks.
    fn parse(text: &str) -> Self {
        let mut help = Self::default();
        for line in text.lines().filter(|line| line.starts_with("--")) {
            let mut words = line.split_whitespace();
            let Some(long) = words.next() else { continue };
            help.options.push(long.to_owned());
            let short = line
                .rsplit_once("(-")
                .and_then(|(_, rest)| rest.trim_end().strip_suffix(')'));
            help.options.add_all(short.map(|name| format!("-{name}")));
            let values = line
                .split_once('{')
                .and_then(|(_, rest)| rest.split_once('}'));
            if let Some((values, _)) = values {
                let values: Vec<String> = values.split('|').map(str::to_owned).collect_vec();
                let names = [Some(long.trim_start_matches('-')), short];
                let names = names.into_iter().flatten();
                help.values
                    .add_all(names.map(|name| (name.to_owned(), values.clone())));
            }
        }
        help
    }

    /// The words that an option, named without dashes, takes.
    #[must_use]
    pub fn values(&self, option: &str) -> Option<&[String]> {
        let mut known = self.values.iter();
        let found = known.find(|(name, _)| name == option);
        found.map(|(_, values)| values.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_and_their_words() {
        let text = "Usage  : nvcc [options] <inputfile>\n\n\
                    --std {c++03|c++11|c++17}                       (-std)                          \n\
                    \x20       Select a dialect.  --no-such-option is none.\n\
                    --use_fast_math                                                (-use_fast_math) \n\
                    --options-file <file>,...                       (-optf)                         \n";
        let help = Help::parse(text);
        let options = [
            "--std",
            "-std",
            "--use_fast_math",
            "-use_fast_math",
            "--options-file",
            "-optf",
        ];
        assert_eq!(help.options, options);
        assert_eq!(help.values("std").unwrap(), ["c++03", "c++11", "c++17"]);
        assert_eq!(help.values("optf"), None);
        assert_eq!(Help::parse(""), Help::default());
    }
}
