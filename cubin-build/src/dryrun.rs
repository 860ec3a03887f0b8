//! What nvcc would run, by `nvcc --dryrun`: variables, and commands as words.
//!
//! nvcc prints one line each behind `#$ `: `NAME=value`, or a command as it gives it to `sh`. Words are taken apart by the
//! shell's rules (quotes, backslashes, `$NAME`), and what only a shell can do (pipes, substitution, patterns) is refused:
//! who needs the commands then runs nvcc whole. What stands on other lines are nvcc's messages.
//!
//! Does not start nvcc, and does not know what is compiled.

use std::fmt;

/// What stands before each line that is not a message.
const MARK: &str = "#$ ";

/// The output of a dry run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dryrun {
    /// In the order printed; of one that is printed twice the last value holds.
    variables: Vec<(String, String)>,
    /// In the order printed.
    calls: Vec<Call>,
    /// What nvcc said besides, such as warnings about the request.
    pub messages: String,
}

/// A command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Call {
    /// The program and its arguments, without quotes.
    pub words: Vec<String>,
    /// The file that its standard output goes to, where the command says so.
    pub stdout: Option<String>,
}

/// The commands that make a cubin of one source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pipeline {
    /// The host compiler's preprocessor, the text it makes, and the source.
    pub preprocess: Step,
    /// NVIDIA's front end and optimizer: preprocessed text to PTX.
    pub cicc: Step,
    /// PTX to machine code.
    pub ptxas: Step,
}

/// The commands that make an object with host code, without those for its cubins.
#[cfg(feature = "library")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectPipeline {
    /// The host compiler's preprocessor.
    pub preprocess: Step,
    /// NVIDIA's front end for host code: preprocessed text to C++ with calls of the runtime.
    pub cudafe: Step,
    /// What that includes: registers the kernels of the last target.
    pub stub: String,
    /// Cubins to one text that is included.
    pub fatbinary: Call,
    /// The host compiler.
    pub compile: Step,
}

/// A command of a [`Pipeline`]. `input` and `output` are words of the command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// What it reads.
    pub input: String,
    /// What it makes.
    pub output: String,
}

/// Why the output of a dry run is of no use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotUnderstood(pub String);

impl fmt::Display for NotUnderstood {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn not_understood<T>(why: String) -> Result<T, NotUnderstood> {
    Err(NotUnderstood(why))
}

impl Dryrun {
    /// Reads what `nvcc --dryrun` printed on its standard error.
    ///
    /// # Errors
    /// A line needs a shell, or names a variable that no line before it sets, or there is no marked line at all.
    pub fn parse(text: &str) -> Result<Self, NotUnderstood> {
        let mut dryrun = Self::default();
        let mut marked = false;
        for line in text.lines() {
            let Some(line) = line.strip_prefix(MARK) else {
                if !line.trim().is_empty() {
                    dryrun.messages.push_str(line);
                    dryrun.messages.push('\n');
                }
                continue;
            };
            marked = true;
            if let Some((name, value)) = assignment(line) {
                dryrun.variables.push((name.to_owned(), value.to_owned()));
                continue;
            }
            // `-- Filter Dependencies -- > file`: work of nvcc itself.
            if line.starts_with("-- ") {
                continue;
            }
            let call = dryrun.split(line)?;
            if !call.words.is_empty() {
                dryrun.calls.push(call);
            }
        }
        if !marked {
            return not_understood("nvcc --dryrun printed no commands".to_owned());
        }
        Ok(dryrun)
    }

    /// The value of a variable: `TOP` is the toolkit, `_HERE_` the directory of the real nvcc, `CICC_PATH` that of cicc,
    /// `PATH` what commands are looked up in.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&str> {
        let mut known = self.variables.iter().rev();
        known
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// All variables in the order printed.
    #[must_use]
    pub fn variables(&self) -> &[(String, String)] {
        &self.variables
    }

    /// All commands.
    #[must_use]
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// The words of a variable that holds flags, such as `INCLUDES`.
    ///
    /// # Errors
    /// The value needs a shell.
    pub fn words_of(&self, name: &str) -> Result<Vec<String>, NotUnderstood> {
        Ok(self.split(self.variable(name).unwrap_or_default())?.words)
    }

    /// The commands that make one cubin, each by the file that the next one reads.
    ///
    /// # Errors
    /// There is not exactly one chain of preprocessor, cicc and ptxas.
    pub fn pipeline(&self) -> Result<Pipeline, NotUnderstood> {
        let ptxas = self.only("ptxas")?;
        let cicc = self.only("cicc")?;
        let (Some(cubin), Some(ptx)) = (output(ptxas), output(cicc)) else {
            return not_understood("cicc or ptxas has no `-o`".to_owned());
        };
        if !ptxas.words.iter().any(|word| word == ptx) {
            return not_understood(format!("ptxas does not read `{ptx}`"));
        }
        // Where nvcc also preprocesses for the host, that text goes elsewhere.
        let mut preprocessors = self.calls.iter().filter_map(|call| {
            let text = output(call)?;
            let reads = cicc.words.iter().any(|word| word == text);
            let preprocesses = call.words.iter().any(|word| word == "-E");
            (reads && preprocesses).then_some((call, text))
        });
        let (Some((preprocess, text)), None) = (preprocessors.next(), preprocessors.next()) else {
            return not_understood("no command makes what cicc reads".to_owned());
        };
        let arguments = preprocess.words.get(1..).unwrap_or_default();
        let Some(source) = arguments
            .iter()
            .rev()
            .find(|word| !word.starts_with('-') && *word != text)
        else {
            return not_understood("the preprocessor has no input".to_owned());
        };
        let step = |call: &Call, input: &str, output: &str| Step {
            words: call.words.clone(),
            input: input.to_owned(),
            output: output.to_owned(),
        };
        Ok(Pipeline {
            preprocess: step(preprocess, source, text),
            cicc: step(cicc, text, ptx),
            ptxas: step(ptxas, ptx, cubin),
        })
    }

    /// The commands that make an object of one source, those for its cubins left out.
    ///
    /// # Errors
    /// There is not exactly one chain of preprocessor, cudafe++ and compiler.
    #[cfg(feature = "library")]
    pub fn object(&self) -> Result<ObjectPipeline, NotUnderstood> {
        let cudafe = self.only("cudafe++")?;
        let fatbinary = self.only("fatbinary")?;
        let (Some(made), Some(stub)) = (
            value(cudafe, "--gen_c_file_name"),
            value(cudafe, "--stub_file_name"),
        ) else {
            return not_understood("cudafe++ is not told what to make".to_owned());
        };
        let reads = |call: &Call, file: &str| call.words.iter().any(|word| word == file);
        let preprocess = self.calls.iter().find_map(|call| {
            let text = output(call)?;
            let preprocesses = call.words.iter().any(|word| word == "-E");
            (preprocesses && reads(cudafe, text)).then_some((call, text))
        });
        let compile = self.calls.iter().find_map(|call| {
            let compiles = call.words.iter().any(|word| word == "-c");
            (compiles && reads(call, made)).then_some((call, output(call)?))
        });
        let (Some((preprocess, text)), Some((compile, object))) = (preprocess, compile) else {
            return not_understood("no command compiles what cudafe++ makes".to_owned());
        };
        let step = |call: &Call, input: &str, output: &str| Step {
            words: call.words.clone(),
            input: input.to_owned(),
            output: output.to_owned(),
        };
        Ok(ObjectPipeline {
            preprocess: step(preprocess, "", text),
            cudafe: step(cudafe, text, made),
            stub: stub.to_owned(),
            fatbinary: fatbinary.clone(),
            compile: step(compile, made, object),
        })
    }

    fn only(&self, program: &str) -> Result<&Call, NotUnderstood> {
        let mut calls = self.calls.iter().filter(|call| call.program() == program);
        match (calls.next(), calls.next()) {
            (Some(call), None) => Ok(call),
            (None, _) => not_understood(format!("{program} is not run")),
            (Some(_), Some(_)) => not_understood(format!("{program} is run more than once")),
        }
    }

    /// Takes a command apart as `sh` does.
    fn split(&self, line: &str) -> Result<Call, NotUnderstood> {
        let refuse = |c: char| not_understood(format!("`{c}` in `{line}` needs a shell"));
        let mut call = Call::default();
        let mut word = String::new();
        // An empty pair of quotes is a word, too.
        let mut begun = false;
        // The descriptor that the next word is the file of.
        let mut redirect: Option<u8> = None;
        let mut rest = line;
        let mut take = |word: &mut String, begun: &mut bool, redirect: &mut Option<u8>| {
            if std::mem::take(begun) {
                let word = std::mem::take(word);
                match redirect.take() {
                    None => call.words.push(word),
                    Some(b'1') => call.stdout = Some(word),
                    Some(_) => {}
                }
            }
        };
        while let Some(c) = rest.chars().next() {
            rest = &rest[c.len_utf8()..];
            match c {
                ' ' | '\t' => take(&mut word, &mut begun, &mut redirect),
                '\'' => {
                    let Some((quoted, after)) = rest.split_once('\'') else {
                        return refuse(c);
                    };
                    word.push_str(quoted);
                    (begun, rest) = (true, after);
                }
                '"' => {
                    rest = self
                        .quoted(rest, &mut word)
                        .map_err(|why| NotUnderstood(format!("{why} in `{line}`")))?;
                    begun = true;
                }
                '\\' => {
                    let Some(next) = rest.chars().next() else {
                        return refuse(c);
                    };
                    word.push(next);
                    (begun, rest) = (true, &rest[next.len_utf8()..]);
                }
                '$' => {
                    let value;
                    (value, rest) = self.expand(rest).map_err(NotUnderstood)?;
                    // The shell would look for blanks and patterns in it.
                    if value.contains([' ', '\t', '*', '?', '[']) {
                        return refuse(c);
                    }
                    word.push_str(value);
                    begun |= !value.is_empty();
                }
                '>' => {
                    let number = std::mem::take(&mut word);
                    let descriptor = match number.as_str() {
                        "" | "1" => b'1',
                        "2" => b'2',
                        _ => return refuse(c),
                    };
                    if redirect.is_some() || rest.starts_with(['>', '&']) {
                        return refuse(c);
                    }
                    (begun, redirect) = (false, Some(descriptor));
                }
                '|' | '&' | ';' | '<' | '(' | ')' | '`' | '*' | '?' | '[' | '#' | '~'
                    if !(begun && matches!(c, '#' | '~')) =>
                {
                    return refuse(c);
                }
                c => {
                    word.push(c);
                    begun = true;
                }
            }
        }
        take(&mut word, &mut begun, &mut redirect);
        Ok(call)
    }

    /// What stands between double quotes, from behind the first; gives what follows the second.
    fn quoted<'t>(&self, mut rest: &'t str, word: &mut String) -> Result<&'t str, String> {
        loop {
            let Some(c) = rest.chars().next() else {
                return Err("an open quote".to_owned());
            };
            rest = &rest[c.len_utf8()..];
            match c {
                '"' => return Ok(rest),
                '`' => return Err("a command within a command".to_owned()),
                '\\' => match rest.chars().next() {
                    Some(next @ ('"' | '\\' | '$' | '`')) => {
                        word.push(next);
                        rest = &rest[1..];
                    }
                    _ => word.push('\\'),
                },
                '$' => {
                    let value;
                    (value, rest) = self.expand(rest)?;
                    word.push_str(value);
                }
                c => word.push(c),
            }
        }
    }

    /// The value of the variable whose name begins `text`, and what follows.
    fn expand<'t>(&self, text: &'t str) -> Result<(&str, &'t str), String> {
        let braced = text.strip_prefix('{');
        let text = braced.unwrap_or(text);
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
        let (name, mut rest) = text.split_at(end);
        if braced.is_some() {
            rest = rest
                .strip_prefix('}')
                .ok_or_else(|| format!("`${{{name}` needs a shell"))?;
        }
        match self.variable(name) {
            Some(value) => Ok((value, rest)),
            None => Err(format!("nvcc does not say what `${name}` is")),
        }
    }
}

impl Call {
    /// Name of the program without directory and `.exe`.
    #[must_use]
    pub fn program(&self) -> &str {
        let program = self.words.first().map_or("", String::as_str);
        let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
        name.strip_suffix(".exe").unwrap_or(name)
    }
}

/// The file that a command makes.
fn output(call: &Call) -> Option<&str> {
    let at = call.words.iter().rposition(|word| word == "-o");
    match at {
        Some(at) => call.words.get(at + 1).map(String::as_str),
        None => call.stdout.as_deref(),
    }
}

/// The word behind a flag.
#[cfg(feature = "library")]
fn value<'c>(call: &'c Call, flag: &str) -> Option<&'c str> {
    let at = call.words.iter().position(|word| word == flag)?;
    call.words.get(at + 1).map(String::as_str)
}

/// `NAME=value`; a command may hold `=` too, but not right behind its first word.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (!name.is_empty()
        && name.chars().all(is_name)
        && !name.starts_with(|c: char| c.is_ascii_digit()))
    .then_some((name, value))
}

#[cfg(test)]
#[path = "dryrun/tests.rs"]
mod tests;
