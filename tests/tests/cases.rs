//! Every `cases/*.cu`, compiled by the builder with the real nvcc and compared with what its directives say; each of
//! its cubins with what cuobjdump shows.
//!
//! A directive is a line `//@ key: value`:
//!
//! | key | value |
//! |---|---|
//! | `arch` | targets, exactly as written; those that the toolkit does not know are left out |
//! | `since` | the first toolkit that compiles it, `12.3`; earlier ones skip it |
//! | `flags` | arguments for nvcc |
//! | `policy` | a line of `[defaults]` in cubin.toml; the case then also ends with the finding that `error` names |
//! | `nvcc` | compile by nvcc alone with these arguments, for cubins that the builder does not make |
//! | `expect` | a kernel's C++ name, then figures that hold on every target: `registers<=24 params=24 stack=unknown` |
//! | `expect sm_90` | the same for one target |
//! | `expect before 13.0` | the same for toolkits before that one, `expect sm_90 since 12.4 before 12.6` |
//! | `wrapper` | the launch method, without stream and launch configuration: `saxpy(n: i32, x: &In<f32>)` |
//! | `error` | a code that the build must fail with |
//! | `message` | a text that the findings must contain, where no target is left out |
//!
//! Figures: `registers`, `stack` (bytes or `unknown`), `spills` (bytes, from `ptxas -v`), `static-shared`, `params`
//! (bytes), `barriers`, `code-size` (bytes), `constant0`, `constant2` and `constant3` (bytes, or `none`), `max-threads`,
//! `required-threads`, `cluster` (`2x1x1` or `none`); compared by `=`, `<=`, `>=`, `<` or `>`. `externs=vprintf,malloc` or
//! `externs=none` are the symbols that a kernel calls outside the cubin.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use cubin_build::{
    Builder,
    builder::{Error, Output},
    env::Env,
    kernel::Facts,
};
use cubin_core::Cubin;
use cubin_tests::{oracle, tools, user_crate};

#[derive(Debug, Default)]
struct Case {
    archs: Vec<String>,
    since: Option<String>,
    flags: Vec<String>,
    policy: Vec<String>,
    nvcc: Option<Vec<String>>,
    /// (target, or none for all; kernel and figures).
    expects: Vec<(Option<String>, String)>,
    wrappers: Vec<String>,
    errors: Vec<String>,
    messages: Vec<String>,
}

impl Case {
    fn read(text: &str) -> Result<Self, String> {
        let mut case = Self::default();
        for line in text.lines().filter_map(|line| line.strip_prefix("//@")) {
            let (key, value) = line
                .split_once(':')
                .ok_or_else(|| format!("`//@{line}` is no `//@ key: value`"))?;
            let value = value.trim();
            let words = || value.split_whitespace().map(str::to_owned);
            match key.trim() {
                "arch" => case.archs.extend(words()),
                "since" => case.since = Some(value.to_owned()),
                "flags" => case.flags.extend(words()),
                "policy" => case.policy.push(value.to_owned()),
                "nvcc" => case.nvcc = Some(words().collect()),
                "expect" => case.expects.push((None, value.to_owned())),
                "wrapper" => case.wrappers.push(value.to_owned()),
                "error" => case.errors.push(value.to_owned()),
                "message" => case.messages.push(value.to_owned()),
                other => match other.strip_prefix("expect ") {
                    Some(rest) => {
                        if let Some(target) = holds_here(rest)? {
                            case.expects.push((target, value.to_owned()));
                        }
                    }
                    None => return Err(format!("there is no directive `{other}`")),
                },
            }
        }
        if case.archs.is_empty() {
            return Err("no `//@ arch:`".to_owned());
        }
        if case.expects.is_empty() && case.errors.is_empty() {
            return Err("neither `//@ expect:` nor `//@ error:`, so it cannot fail".to_owned());
        }
        Ok(case)
    }
}

/// Whether the toolkit at hand is older than a version, `12.3`.
fn older_than(version: &str) -> bool {
    let toolkit = cubin_tests::toolkit().expect("a toolkit, which was asked for before");
    let (major, minor) = version.split_once('.').expect("two numbers");
    let version: (u32, u32) = (
        major.parse().expect("a number"),
        minor.parse().expect("a number"),
    );
    (toolkit.version.major, toolkit.version.minor) < version
}

/// What stands behind `expect`: a target, and `since` or `before` with a version of the toolkit. The target where it holds
/// for the toolkit at hand.
fn holds_here(rest: &str) -> Result<Option<Option<String>>, String> {
    let mut words = rest.split_whitespace().peekable();
    let target = words.next_if(|word| word.starts_with("sm_"));
    let mut holds = true;
    while let Some(word) = words.next() {
        holds &= match (word, words.next()) {
            ("since", Some(version)) => !older_than(version),
            ("before", Some(version)) => older_than(version),
            _ => return Err(format!("there is no directive `expect {rest}`")),
        };
    }
    Ok(holds.then(|| target.map(str::to_owned)))
}

impl Case {
    /// Leaves out what the toolkit at hand does not have; why nothing is left.
    fn skipped(&mut self) -> Option<String> {
        let toolkit = cubin_tests::toolkit().expect("a toolkit, which was asked for before");
        let version = toolkit.version;
        if let Some(since) = &self.since
            && older_than(since)
        {
            return Some(format!("CUDA {version} is older than {since}"));
        }
        // That nvcc does not know one is what such a case is about.
        if self.errors.iter().any(|code| code == "target-unsupported") {
            return None;
        }
        let all: Vec<&str> = self.archs.iter().map(String::as_str).collect();
        let known = cubin_tests::known(&toolkit, &all);
        let known: Vec<String> = known.into_iter().map(str::to_owned).collect();
        self.expects
            .retain(|(target, _)| target.as_ref().is_none_or(|target| known.contains(target)));
        if known.len() < self.archs.len() {
            self.messages.clear();
        }
        self.archs = known;
        (self.archs.is_empty()).then(|| format!("CUDA {version} has none of its targets"))
    }
}

#[test]
fn every_case_is_as_its_directives_say() {
    if cubin_tests::toolkit().is_none() {
        return;
    }
    let mut paths = cubin_tests::sources("cases");
    if let Some(only) = Env::process().peek("CUBIN_TEST_CASES") {
        let only = only.to_string_lossy().into_owned();
        let wanted = |path: &PathBuf| {
            let name = path.file_stem().expect("a name").to_string_lossy();
            only.split(',').any(|wanted| wanted == name)
        };
        paths.retain(wanted);
    }
    let mut wrong = Vec::new();
    let mut compared = oracle::Compared::default();
    let mut targets = BTreeSet::new();
    let mut generated = Vec::new();
    for path in &paths {
        let name = path.file_stem().expect("a name").to_string_lossy();
        let mut problems = Vec::new();
        match Case::read(&fs::read_to_string(path).expect("a case")) {
            Ok(mut case) => {
                if let Some(why) = case.skipped() {
                    println!("skipped {name}: {why}");
                    continue;
                }
                targets.extend(case.archs.iter().cloned());
                compared += run(path, &name, &case, &mut generated, &mut problems);
            }
            Err(problem) => problems.push(problem),
        }
        wrong.extend(problems.iter().map(|problem| format!("{name}: {problem}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let user = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cases_user");
    user_crate::check(&user, &generated, "");
    println!(
        "{} cases for {} targets: {} functions ({} kernels, {} parameters) equal to cuobjdump",
        paths.len(),
        targets.len(),
        compared.functions,
        compared.kernels,
        compared.params
    );
}

fn run(
    path: &Path,
    name: &str,
    case: &Case,
    generated: &mut Vec<(String, PathBuf)>,
    problems: &mut Vec<String>,
) -> oracle::Compared {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("cases")
        .join(name);
    fs::create_dir_all(&out).expect("a scratch folder");
    if let Some(args) = &case.nvcc {
        let cubins = nvcc(path, &out, case, args);
        return figures(&cubins, &[], case, problems);
    }
    // Without a policy first: figures and wrappers are there whatever a budget says of them.
    let plain = build(path, &out, case, None);
    let mut compared = oracle::Compared::default();
    match &plain {
        Ok(output) => {
            compared = figures(&output.cubins, &output.kernels, case, problems);
            let text = fs::read_to_string(&output.generated).expect("the generated file");
            wrappers(&text, case, problems);
            generated.push((format!("of_{name}"), output.generated.clone()));
        }
        Err(error) if case.policy.is_empty() && !case.errors.is_empty() => {
            failed(error, case, problems);
            return compared;
        }
        Err(error) => {
            problems.push(format!("does not build:\n{error}"));
            return compared;
        }
    }
    let judged = if case.policy.is_empty() {
        plain
    } else {
        let file = out.join("cubin.toml");
        let text = format!("[defaults]\n{}\n", case.policy.join("\n"));
        fs::write(&file, text).expect("a policy");
        build(path, &out, case, Some(&file))
    };
    match judged {
        Ok(_) if case.errors.is_empty() => {}
        Ok(_) => problems.push(format!("builds, but should fail with {:?}", case.errors)),
        Err(error) if case.errors.is_empty() => problems.push(format!("does not build:\n{error}")),
        Err(error) => failed(&error, case, problems),
    }
    compared
}

fn build(path: &Path, out: &Path, case: &Case, policy: Option<&Path>) -> Result<Output, Error> {
    let mut builder = Builder::new()
        .root(path.parent().expect("tests/cases"))
        .out_dir(out)
        .toolkit(cubin_tests::version())
        .file(path.file_name().expect("a name"))
        .flags(case.flags.iter().cloned());
    for arch in &case.archs {
        builder = builder.arch(arch);
    }
    if let Some(policy) = policy {
        builder = builder.config(policy);
    }
    builder.try_build()
}

fn failed(error: &Error, case: &Case, problems: &mut Vec<String>) {
    let codes: BTreeSet<String> = error
        .findings()
        .iter()
        .map(|diag| diag.code.to_string())
        .collect();
    for code in case.errors.iter().filter(|code| !codes.contains(*code)) {
        problems.push(format!("fails, but not with {code}:\n{error}"));
    }
    let text = error.to_string();
    for message in &case.messages {
        if !text.contains(message) {
            problems.push(format!("does not say `{message}`:\n{text}"));
        }
    }
}

/// The cubin of every target, by nvcc alone.
fn nvcc(path: &Path, out: &Path, case: &Case, args: &[String]) -> Vec<PathBuf> {
    let toolkit = cubin_tests::toolkit().expect("a toolkit, which was asked for before");
    let source = path.to_string_lossy();
    let compile = |target: &String| {
        let cubin = out.join(format!("nvcc.{target}.cubin"));
        let arch = format!("-arch={target}");
        let name = cubin.to_string_lossy();
        let mut all = vec!["-std=c++17", &arch, "-cubin", "-o", &name, &source];
        all.extend(args.iter().map(String::as_str));
        tools::run(&toolkit.nvcc, &all, out);
        cubin
    };
    case.archs.iter().map(compile).collect()
}

/// The figures of a kernel on a target, as `expect` names them; `None` is `none` or `unknown`.
type Figures = BTreeMap<&'static str, Option<Vec<u64>>>;

/// Compares the cubins with cuobjdump and with what the case expects. `known` is what the builder knows of the kernels;
/// nothing where it did not make the cubins.
fn figures(
    cubins: &[PathBuf],
    known: &[Facts],
    case: &Case,
    problems: &mut Vec<String>,
) -> oracle::Compared {
    let toolkit = cubin_tests::toolkit().expect("a toolkit, which was asked for before");
    let mut compared = oracle::Compared::default();
    let mut seen = BTreeSet::new();
    let mut names = BTreeSet::new();
    for path in cubins {
        let file = path.file_name().expect("a name").to_string_lossy();
        let bytes = fs::read(path).expect("a cubin");
        let shown = oracle::cuobjdump(&toolkit, path);
        let mut differences = Vec::new();
        compared += oracle::compare(&file, &bytes, &shown, &mut differences);
        // Of two records that contradict each other, cuobjdump shows the last.
        let contradicts = matches!((toolkit.version.major, toolkit.version.minor), (12, 4 | 5));
        differences.retain(|text| !(contradicts && text.contains(": stack is Some(")));
        problems.append(&mut differences);
        let cubin = Cubin::parse(&bytes).expect("a cubin");
        let target = cubin.target().expect("a target");
        for kernel in cubin.kernels().expect("kernels") {
            let facts = known
                .iter()
                .find(|facts| facts.symbol == kernel.symbol && facts.target == target);
            let facts = match facts {
                Some(facts) => facts.clone(),
                None if known.is_empty() => Facts::new(kernel.symbol, target, &kernel),
                None => {
                    problems.push(format!("{file}: nothing is known of {}", kernel.symbol));
                    continue;
                }
            };
            names.insert(facts.name.clone());
            let figures = figures_of(&facts, &kernel);
            for expect in &case.expects {
                let mut words = expect.1.split_whitespace();
                if words.next() != Some(&*facts.name)
                    || expect
                        .0
                        .as_ref()
                        .is_some_and(|on| *on != target.to_string())
                {
                    continue;
                }
                seen.insert(expect);
                for word in words {
                    let externs = word.strip_prefix("externs=");
                    let held = match externs {
                        Some(wanted) => calls(wanted, &facts.externs),
                        None => holds(word, &figures),
                    };
                    if let Err(problem) = held {
                        problems.push(format!("{file}: {}: {problem}", facts.name));
                    }
                }
            }
        }
    }
    for expect in case.expects.iter().filter(|expect| !seen.contains(expect)) {
        problems.push(format!("no kernel of `{}`; there are {names:?}", expect.1));
    }
    compared
}

fn figures_of(facts: &Facts, kernel: &cubin_core::Function<'_>) -> Figures {
    let one = |value: Option<u64>| value.map(|value| vec![value]);
    let shape = |shape: Option<[u32; 3]>| shape.map(|shape| shape.map(u64::from).to_vec());
    let product = |value: Option<[u32; 3]>| {
        value.map(|value| vec![value.map(u64::from).iter().product::<u64>()])
    };
    let bank = |number: u8| {
        let own = facts.resources.constant.iter();
        let mut banks = own.chain(&facts.module_constant);
        one(banks
            .find(|(bank, _)| *bank == number)
            .map(|(_, bytes)| *bytes))
    };
    BTreeMap::from([
        ("registers", one(Some(facts.resources.registers.into()))),
        ("stack", one(facts.resources.stack.bytes().map(Into::into))),
        ("spills", one(facts.spills.map(|spills| spills.total()))),
        ("static-shared", one(Some(facts.resources.static_shared))),
        ("params", one(facts.params_size().map(Into::into))),
        ("barriers", one(kernel.resources.barriers.map(Into::into))),
        ("code-size", one(Some(kernel.resources.code_bytes))),
        ("constant0", bank(0)),
        ("constant2", bank(2)),
        ("constant3", bank(3)),
        ("max-threads", product(kernel.launch.max_threads)),
        ("required-threads", product(kernel.launch.required_threads)),
        ("cluster", shape(kernel.launch.cluster)),
    ])
}

/// `vprintf,malloc`, `none`
fn calls(wanted: &str, externs: &[String]) -> Result<(), String> {
    let mut symbols: Vec<&str> = wanted.split(',').filter(|name| *name != "none").collect();
    symbols.sort_unstable();
    if symbols == externs {
        Ok(())
    } else {
        Err(format!("expected calls of {wanted}, found {externs:?}"))
    }
}

/// `registers<=24`, `stack=unknown`, `cluster=2x1x1`
fn holds(word: &str, figures: &Figures) -> Result<(), String> {
    let at = word
        .find(['<', '>', '='])
        .ok_or_else(|| format!("`{word}` compares nothing"))?;
    let (key, rest) = word.split_at(at);
    let value = rest.trim_start_matches(['<', '>', '=']);
    let operator = &rest[..rest.len() - value.len()];
    let figure = figures
        .get(key)
        .ok_or_else(|| format!("there is no figure `{key}`"))?;
    let wanted = match value {
        "none" | "unknown" => None,
        _ => Some(
            value
                .split('x')
                .map(str::parse)
                .collect::<Result<Vec<u64>, _>>()
                .map_err(|error| format!("`{word}`: {error}"))?,
        ),
    };
    let ordering = match (figure, &wanted) {
        (Some(figure), Some(wanted)) => Some(figure.cmp(wanted)),
        (None, None) => Some(std::cmp::Ordering::Equal),
        _ => None,
    };
    let good = ordering.is_some_and(|ordering| match operator {
        "=" => ordering.is_eq(),
        "<=" => ordering.is_le(),
        ">=" => ordering.is_ge(),
        "<" => ordering.is_lt(),
        ">" => ordering.is_gt(),
        _ => false,
    });
    if good {
        Ok(())
    } else {
        Err(format!("expected {word}, found {figure:?}"))
    }
}

/// The launch methods of a generated file, as `wrapper` writes them.
fn methods(generated: &str) -> Vec<String> {
    let mut methods = Vec::new();
    for text in generated.split("pub unsafe fn ").skip(1) {
        let Some((head, _)) = text.split_once(") -> ") else {
            continue;
        };
        let Some((name, args)) = head.split_once('(') else {
            continue;
        };
        let args: Vec<String> = args
            .split(",\n")
            .flat_map(|line| line.split(", "))
            .map(|arg| arg.trim().trim_end_matches(',').to_owned())
            .filter(|arg| !arg.is_empty())
            .skip_while(|arg| !arg.starts_with("launch:"))
            .skip(1)
            .map(|arg| arg.replace("impl runtime::", ""))
            .collect();
        methods.push(format!("{name}({})", args.join(", ")));
    }
    methods
}

fn wrappers(generated: &str, case: &Case, problems: &mut Vec<String>) {
    let methods = methods(generated);
    for wrapper in case.wrappers.iter().filter(|text| !methods.contains(text)) {
        problems.push(format!(
            "no wrapper `{wrapper}`; there are\n{}",
            methods.join("\n")
        ));
    }
}

#[test]
fn a_directive_that_is_not_understood_is_refused() {
    let read = |text: &str| Case::read(text).expect_err("it is wrong");
    assert_eq!(
        read("//@ arch sm_90"),
        "`//@ arch sm_90` is no `//@ key: value`"
    );
    assert_eq!(read("//@ archs: sm_90"), "there is no directive `archs`");
    assert_eq!(read("//@ expect: k registers=1"), "no `//@ arch:`");
    assert_eq!(
        read("//@ arch: sm_90"),
        "neither `//@ expect:` nor `//@ error:`, so it cannot fail"
    );
}

#[test]
fn figures_are_compared_as_written() {
    let figures: Figures = BTreeMap::from([
        ("registers", Some(vec![24])),
        ("stack", None),
        ("cluster", Some(vec![2, 1, 1])),
    ]);
    for good in [
        "registers=24",
        "registers<=24",
        "registers>23",
        "stack=unknown",
        "cluster=2x1x1",
    ] {
        assert_eq!(holds(good, &figures), Ok(()), "{good}");
    }
    for bad in [
        "registers=25",
        "registers<24",
        "registers>=25",
        "registers=none",
        "registers==24",
        "stack=0",
        "stack>0",
        "cluster=2x2x1",
        "regs=24",
        "registers",
    ] {
        assert!(holds(bad, &figures).is_err(), "{bad}");
    }
}
