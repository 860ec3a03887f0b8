//! The functions with C linkage that an object defines, with their types.
//!
//! cudafe++ leaves the host code as C++ (`X.cudafe1.cpp`), from which names come: of functions, and of their parameters. Their
//! types are the host compiler's answer, which is who decides how they are called. To that text is added, for each function,
//! one of ours that takes a pointer to it, `void cubin_build_function_0(decltype(::run) *)`, and the symbol of ours spells
//! the type out, without any typedef: `_Z22cubin_build_function_0PFiifPfP11CUstream_stE`. Enumerations are replaced by the
//! integers that they are. The same assembly shows which functions have C linkage: those whose symbol is their name.

use std::{fs, path::Path};

use super::{
    super::{
        Failure,
        host_code::{self, Function},
        outcome::HostFunction,
        step::Step,
    },
    plan::Plan,
    steps::Steps,
};
use crate::{
    cache::{decode_path, encode_path},
    lists::{AddAll, CollectVec},
    sorted::Set,
};

/// What stands before the functions of ours.
const HELPERS: &str = "
namespace cubin_build {
template <class T, bool = __is_enum(T)> struct one { using type = T; };
template <class T> struct one<T, true> { using type = __underlying_type(T); };
template <class T> struct one<const T, true> { using type = const typename one<T>::type; };
template <class T> struct one<T *, false> { using type = typename one<T>::type *; };
template <class T> struct one<T &, false> { using type = typename one<T>::type &; };
template <class F> struct all;
template <class R, class... A> struct all<R(A...)> {
  using type = typename one<R>::type (*)(typename one<A>::type...);
};
template <class R, class... A> struct all<R(A...) noexcept> {
  using type = typename one<R>::type (*)(typename one<A>::type...);
};
}
";
/// In C++ before 17, `noexcept` is no part of a type, and the second specialisation would be the first.
const NOEXCEPT: &str = "template <class R, class... A> struct all<R(A...) noexcept>";
/// Name of the file that the functions of ours seem to stand in.
const FILE: &str = "cubin_build_functions";
const OURS: &str = "cubin_build_function_";

/// Asks for all functions.
pub(super) fn read(
    plan: &Plan<'_>,
    steps: &Steps,
    step: &Step<'_>,
) -> Result<Vec<HostFunction>, Box<Failure>> {
    let made = steps.made(plan, step.dir);
    let text = fs::read(&made).map_err(step.io(&made))?;
    let request = plan.common.request;
    // Files of the package have relative names.
    let own = |name: &[u8]| {
        let text = std::str::from_utf8(name).unwrap_or("/");
        let is_own = !text.starts_with(['/', '<']);
        is_own && !request.toolkit.owns(&request.root.join(text))
    };
    let found = host_code::functions(&text, &own);
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let text = String::from_utf8_lossy(&text);
    let mut refused: Vec<(usize, String)> = Vec::new();
    let mut assembly = ask(plan, steps, step, &text, &found, &refused)?;
    if let Err(log) = assembly {
        refused = problems(&log);
        assembly = ask(plan, steps, step, &text, &found, &refused)?;
    }
    Ok(answers(found, assembly.ok().as_deref(), &refused))
}

/// What the host compiler makes of the text with functions of ours, but for those that are `refused`; else what it says.
fn ask(
    plan: &Plan<'_>,
    steps: &Steps,
    step: &Step<'_>,
    text: &str,
    found: &[Function],
    refused: &[(usize, String)],
) -> Result<Result<String, String>, Box<Failure>> {
    let mut asked = String::with_capacity(text.len() + HELPERS.len());
    for line in text.lines() {
        // What registers the kernels holds all device code.
        if !(line.starts_with("#include") && line.contains(".cudafe1.stub.c")) {
            asked.push_str(line);
            asked.push('\n');
        }
    }
    asked.push_str(&helpers());
    asked.push_str(&format!("# 1 \"{FILE}\"\n"));
    for (number, function) in found.iter().enumerate() {
        if !refused.iter().any(|(of, _)| *of == number) {
            let path = &function.path;
            asked.push_str(&format!(
                "void {OURS}{number}(cubin_build::all<decltype({path})>::type) {{}}"
            ));
        }
        asked.push('\n');
    }
    let input = step.dir.join("functions.cpp");
    let output = step.dir.join("functions.s");
    fs::write(&input, asked).map_err(step.io(&input))?;
    let mut command = steps.assembly(plan, &input, &output);
    let ran = step.run(plan.common.env, &mut command, plan.common.request.root)?;
    if ran.status.success() {
        let assembly = fs::read(&output).map_err(step.io(&output))?;
        return Ok(Ok(String::from_utf8_lossy(&assembly).into_owned()));
    }
    Ok(Err(ran.log))
}

/// The helpers, also for C++ before 17.
fn helpers() -> String {
    let (first, second) = HELPERS.split_once(NOEXCEPT).unwrap_or((HELPERS, ""));
    let (second, rest) = second.split_once("};\n").unwrap_or((second, ""));
    format!("{first}#if __cpp_noexcept_function_type\n{NOEXCEPT}{second}}};\n#endif\n{rest}")
}

/// The functions that a log complains of, with the first that it says of each.
fn problems(log: &str) -> Vec<(usize, String)> {
    let mut all: Vec<(usize, String)> = Vec::new();
    for line in log.lines() {
        let place = line
            .strip_prefix(FILE)
            .and_then(|rest| rest.strip_prefix(':'));
        let Some((number, said)) = place.and_then(|rest| rest.split_once(':')) else {
            continue;
        };
        let Some((_, said)) = said.split_once("error: ") else {
            continue;
        };
        if let Ok(number) = number.parse::<usize>()
            && let Some(index) = number.checked_sub(1)
            && !all.iter().any(|(of, _)| *of == index)
        {
            all.push((index, said.trim().to_owned()));
        }
    }
    all
}

/// Brings functions and symbols together.
fn answers(
    found: Vec<Function>,
    assembly: Option<&str>,
    refused: &[(usize, String)],
) -> Vec<HostFunction> {
    let mut global: Set<&str> = Set::new();
    let mut ours: Vec<(usize, &str)> = Vec::new();
    for line in assembly.unwrap_or_default().lines() {
        let mut words = line.split_ascii_whitespace();
        if let (Some(".globl" | ".weak"), Some(symbol)) = (words.next(), words.next()) {
            global.insert(symbol);
            let number = symbol.split_once(OURS).map(|(_, rest)| rest);
            let end = number.and_then(|rest| rest.find(|c: char| !c.is_ascii_digit()));
            if let (Some(rest), Some(end)) = (number, end)
                && let Ok(number) = rest[..end].parse()
            {
                ours.push((number, symbol));
            }
        }
    }
    let mut all: Vec<HostFunction> = Vec::new();
    for (number, function) in found.into_iter().enumerate() {
        let known = all.iter().any(|known| known.name == function.name);
        // Without assembly nobody knows which they are.
        if known || (assembly.is_some() && !global.contains(function.name.as_str())) {
            continue;
        }
        let mangled = ours.iter().find(|(of, _)| *of == number);
        let mangled = mangled.map(|(_, symbol)| (*symbol).to_owned());
        let why = || {
            if function.text.contains("...") {
                return "it takes a variable number of arguments".to_owned();
            }
            let mut said = refused.iter();
            match said.find(|(of, _)| *of == number) {
                Some((_, said)) => format!("the host compiler cannot tell its type: {said}"),
                None => "the host compiler could not be asked for its type".to_owned(),
            }
        };
        all.push(HostFunction {
            mangled: mangled.ok_or_else(why),
            name: function.name,
            text: function.text,
            file: function.file,
            line: u32::try_from(function.line).unwrap_or(u32::MAX),
            params: function.params,
        });
    }
    all
}

/// As lines, which [`parse`] reads.
pub(super) fn text(functions: &[HostFunction]) -> String {
    let word = |text: &str| encode_path(Path::new(text)).replace(' ', "%20");
    let mut all = String::new();
    for function in functions {
        let (kind, mangled) = match &function.mangled {
            Ok(symbol) => ("typed", symbol),
            Err(why) => ("refused", why),
        };
        let mut words = vec![
            kind.to_owned(),
            word(&function.name),
            word(mangled),
            function.line.to_string(),
            word(&function.file),
            word(&function.text),
        ];
        let names = function.params.iter();
        words.add_all(names.map(|name| name.as_deref().map_or("-".to_owned(), &word)));
        all.push_str(&words.join(" "));
        all.push('\n');
    }
    all
}

pub(super) fn parse(text: &str) -> Option<Vec<HostFunction>> {
    let word = |text: &str| decode_path(text)?.to_str().map(str::to_owned);
    let mut all = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect_vec();
        let [kind, name, mangled, number, file, declared, params @ ..] = words.as_slice() else {
            return None;
        };
        let mangled = word(mangled)?;
        let mut names = Vec::new();
        for param in params {
            names.push(if *param == "-" {
                None
            } else {
                Some(word(param)?)
            });
        }
        all.push(HostFunction {
            name: word(name)?,
            text: word(declared)?,
            file: word(file)?,
            line: number.parse().ok()?,
            params: names,
            mangled: match *kind {
                "typed" => Ok(mangled),
                "refused" => Err(mangled),
                _ => return None,
            },
        });
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(name: &str, text: &str) -> Function {
        Function {
            file: "a b.cu".to_owned(),
            line: 3,
            name: name.to_owned(),
            path: format!("::{name}"),
            text: text.to_owned(),
            params: vec![Some("n".to_owned()), None],
        }
    }

    #[test]
    fn functions_with_c_linkage_are_those_whose_symbol_is_their_name() {
        let found = vec![
            function("run", "int run(int n, float *)"),
            function("cxx", "void cxx(int n)"),
            function("many", "void many(int n, ...)"),
            function("lost", "void lost(int n)"),
        ];
        let assembly = "\t.globl\trun\nrun:\n\t.globl\t_Z3cxxi\n\t.globl many\n\t.globl\tlost\n\
                        \t.globl\t_Z22cubin_build_function_0PFiiPfE\n\t.globl\t_Z22cubin_build_function_1PFviE\n";
        let log = "x.cu: In function\ncubin_build_functions:4:9: error: `lost` is ambiguous\n";
        let all = answers(found, Some(assembly), &problems(log));
        let told: Vec<(&str, Result<&str, &str>)> = all
            .iter()
            .map(|one| {
                (
                    one.name.as_str(),
                    one.mangled.as_deref().map_err(|why| &**why),
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                ("run", Ok("_Z22cubin_build_function_0PFiiPfE")),
                ("many", Err("it takes a variable number of arguments")),
                (
                    "lost",
                    Err("the host compiler cannot tell its type: `lost` is ambiguous")
                ),
            ]
        );
        assert_eq!(parse(&text(&all)), Some(all));
    }
}
