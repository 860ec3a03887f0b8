//! What NVIDIA's own tools say of a cubin, and where the reader says otherwise.
//!
//! Everything here is read from the text that `cuobjdump` and `ptxas -v` print; nothing is computed from the file's
//! bytes, so that the comparison is between two independent readers.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Debug,
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, Stdio},
};

use cubin_build::toolkit::Toolkit;
use cubin_core::{Cubin, Function, Params, Stack};

/// One function as `cuobjdump -res-usage` and `cuobjdump -elf` print it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shown {
    /// REG
    pub reg: u64,
    /// STACK in bytes; `None` where it prints UNKNOWN.
    pub stack: Option<u64>,
    /// SHARED in bytes, with what the system reserves.
    pub shared: u64,
    /// LOCAL in bytes.
    pub local: u64,
    /// `CONSTANT[bank]` in bytes.
    pub constant: BTreeMap<u8, u64>,
    /// EIATTR_KPARAM_INFO, or its second version: (ordinal, offset, size), by ordinal.
    pub params: Vec<(u64, u64, u64)>,
    /// EIATTR_REGCOUNT
    pub regcount: Option<u64>,
    /// EIATTR_FRAME_SIZE in bytes.
    pub frame: Option<u64>,
    /// EIATTR_MAX_THREADS
    pub max_threads: Option<Vec<u64>>,
    /// EIATTR_REQNTID
    pub required_threads: Option<Vec<u64>>,
    /// EIATTR_CTA_PER_CLUSTER
    pub cluster: Option<Vec<u64>>,
    /// EIATTR_NUM_BARRIERS
    pub barriers: Option<u64>,
    /// EIATTR_MAXREG_COUNT; `None` for 255, which is how a cubin says that there was no cap.
    pub max_registers: Option<u64>,
}

/// Asks cuobjdump about every function of a cubin, by symbol.
///
/// # Panics
/// When cuobjdump cannot be run, fails, or prints something that is not understood.
pub fn cuobjdump(toolkit: &Toolkit, cubin: &Path) -> BTreeMap<String, Shown> {
    let dir = cubin.parent().expect("a file in a directory");
    let path = cubin.to_string_lossy();
    let text = crate::tools::tool(toolkit, "cuobjdump", &["-res-usage", &path], dir);
    let mut functions = res_usage(&text);
    let program = crate::tools::program(toolkit, "cuobjdump");
    // Many times the cubin's size, most of it hexadecimal: never held at once.
    let mut child = Command::new(&program)
        .arg("-elf")
        .arg(cubin)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    let output = child.stdout.take().expect("a pipe");
    elf(&mut BufReader::new(output), &mut functions);
    assert!(
        child.wait().expect("an exit status").success(),
        "cuobjdump -elf {path}"
    );
    functions
}

/// Reads what `cuobjdump -res-usage` printed.
///
/// # Panics
/// When a line does not look as it should.
pub fn res_usage(text: &str) -> BTreeMap<String, Shown> {
    let mut functions = BTreeMap::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(name) = line.trim().strip_prefix("Function ") else {
            continue;
        };
        let name = name.strip_suffix(':').unwrap_or(name);
        let figures = lines.next().unwrap_or_default();
        let mut shown = Shown::default();
        for word in figures.split_whitespace() {
            let (key, value) = word
                .split_once(':')
                .unwrap_or_else(|| panic!("`{word}` in `{figures}`"));
            let number = value.parse().ok();
            let whole = || number.unwrap_or_else(|| panic!("`{word}` in `{figures}`"));
            match key {
                "REG" => shown.reg = whole(),
                "STACK" => {
                    shown.stack = if value == "UNKNOWN" {
                        None
                    } else {
                        Some(whole())
                    }
                }
                "SHARED" => shown.shared = whole(),
                "LOCAL" => shown.local = whole(),
                _ => {
                    if let Some(bank) = key
                        .strip_prefix("CONSTANT[")
                        .and_then(|rest| rest.strip_suffix(']'))
                    {
                        shown
                            .constant
                            .insert(bank.parse().expect("a bank"), whole());
                    }
                }
            }
        }
        assert!(
            functions.insert(name.to_owned(), shown).is_none(),
            "two functions are called {name}"
        );
    }
    functions
}

/// Adds what `cuobjdump -elf` printed to the functions of `-res-usage`.
fn elf(input: &mut impl BufRead, functions: &mut BTreeMap<String, Shown>) {
    let mut section = String::new();
    let mut attribute = String::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line).expect("readable output") == 0 {
            break;
        }
        // Code and data, the bulk of it, begin with an address.
        if line.starts_with(b"0x") {
            continue;
        }
        let text = String::from_utf8_lossy(&line);
        if text.starts_with('.') {
            text.trim_end().clone_into(&mut section);
            continue;
        }
        let text = text.trim();
        if let Some(name) = text.strip_prefix("Attribute:") {
            name.trim().clone_into(&mut attribute);
        } else if let Some(value) = text.strip_prefix("Value:") {
            if section == ".nv.info" {
                module_attribute(&attribute, value, functions);
            } else if let Some(shown) = section
                .strip_prefix(".nv.info.")
                .and_then(|name| functions.get_mut(name))
            {
                function_attribute(&attribute, value, shown);
            }
        }
    }
    for shown in functions.values_mut() {
        shown.params.sort_unstable();
    }
}

/// `function: NAME(0x11)`, a tab, `register count: 24`
fn module_attribute(attribute: &str, value: &str, functions: &mut BTreeMap<String, Shown>) {
    let Some((_, rest)) = value.split_once("function: ") else {
        return;
    };
    let (name, figure) = rest.split_once('\t').unwrap_or_else(|| panic!("`{value}`"));
    let name = name.rsplit_once('(').map_or(name, |(name, _)| name);
    let Some(shown) = functions.get_mut(name) else {
        return;
    };
    let number = figure.rsplit_once(": ").map(|(_, number)| whole(number));
    match attribute {
        "EIATTR_REGCOUNT" => shown.regcount = number,
        "EIATTR_FRAME_SIZE" => shown.frame = number,
        _ => {}
    }
}

fn function_attribute(attribute: &str, value: &str, shown: &mut Shown) {
    let numbers = || value.split_whitespace().map(whole).collect::<Vec<u64>>();
    match attribute {
        "EIATTR_KPARAM_INFO" | "EIATTR_KPARAM_INFO_V2" => {
            let after = |key: &str| {
                let (_, rest) = value
                    .split_once(key)
                    .unwrap_or_else(|| panic!("no {key} in `{value}`"));
                let rest = rest.trim_start().trim_start_matches(':');
                whole(rest.split_whitespace().next().unwrap_or_default())
            };
            shown
                .params
                .push((after("Ordinal"), after("Offset"), after("Size")));
        }
        "EIATTR_MAX_THREADS" => shown.max_threads = Some(numbers()),
        "EIATTR_REQNTID" => shown.required_threads = Some(numbers()),
        "EIATTR_CTA_PER_CLUSTER" => shown.cluster = Some(numbers()),
        "EIATTR_NUM_BARRIERS" => shown.barriers = numbers().first().copied(),
        "EIATTR_MAXREG_COUNT" => {
            shown.max_registers = numbers().first().copied().filter(|cap| *cap != 0xff);
        }
        _ => {}
    }
}

/// A number as cuobjdump writes it: `0x1f48` or `24`.
fn whole(text: &str) -> u64 {
    let text = text.trim();
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    }
    .unwrap_or_else(|error| panic!("`{text}`: {error}"))
}

/// What `ptxas -v` says of one function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Verbose {
    /// Bytes of the stack frame.
    pub frame: u64,
    /// Bytes of spill stores.
    pub stores: u64,
    /// Bytes of spill loads.
    pub loads: u64,
    /// `Used N registers`; only for kernels.
    pub registers: Option<u64>,
}

/// Reads the messages of `ptxas -v`, by symbol. Lines of other tools may stand between them.
///
/// # Panics
/// When a line does not look as it should.
pub fn ptxas_verbose(log: &str) -> BTreeMap<String, Verbose> {
    let mut functions: BTreeMap<String, Verbose> = BTreeMap::new();
    let mut name = String::new();
    for line in log.lines() {
        if let Some((_, found)) = line.split_once("Function properties for ") {
            found.trim().clone_into(&mut name);
        } else if line.contains(" bytes stack frame, ") {
            let numbers: Vec<u64> = line
                .split(|c: char| !c.is_ascii_digit())
                .filter(|word| !word.is_empty())
                .map(whole)
                .collect();
            let [frame, stores, loads] = numbers[..] else {
                panic!("`{line}`");
            };
            let verbose = functions.entry(name.clone()).or_default();
            (verbose.frame, verbose.stores, verbose.loads) = (frame, stores, loads);
        } else if let Some((_, rest)) = line.split_once(": Used ")
            && let Some((number, _)) = rest.split_once(" registers")
        {
            functions.entry(name.clone()).or_default().registers = Some(whole(number));
        }
    }
    functions
}

/// How much was compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Compared {
    /// Kernels and device functions.
    pub functions: usize,
    /// Kernels.
    pub kernels: usize,
    /// Parameters of kernels.
    pub params: usize,
}

impl std::ops::AddAssign for Compared {
    fn add_assign(&mut self, other: Self) {
        self.functions += other.functions;
        self.kernels += other.kernels;
        self.params += other.params;
    }
}

/// Compares what the reader finds in `bytes` with what the tools showed; a line per difference goes to `differences`.
pub fn compare(
    file: &str,
    bytes: &[u8],
    shown: &BTreeMap<String, Shown>,
    differences: &mut Vec<String>,
) -> Compared {
    let read = Cubin::parse(bytes).and_then(|cubin| {
        let functions = cubin.functions()?;
        let figures = cubin.cuobjdump(&functions)?;
        Ok((cubin.toolkit()?, functions, figures))
    });
    let (version, functions, figures) = match read {
        Ok(read) => read,
        Err(error) => {
            differences.push(format!("{file}: {error}"));
            return Compared::default();
        }
    };
    let mut compared = Compared::default();
    let read: BTreeSet<&str> = functions.iter().map(|function| function.symbol).collect();
    for name in shown.keys().filter(|name| !read.contains(name.as_str())) {
        differences.push(format!("{file}: {name} was not read"));
    }
    for (function, printed) in functions.iter().zip(figures) {
        let Some(shown) = shown.get(function.symbol) else {
            differences.push(format!("{file}: cuobjdump shows no {}", function.symbol));
            continue;
        };
        compared.functions += 1;
        compared.kernels += usize::from(function.kernel);
        compared.params += shown.params.len();
        let mut differ = |what: &str, ours: &dyn Debug, theirs: &dyn Debug| {
            differences.push(format!(
                "{file}: {}: {what} is {ours:?}, NVIDIA's tool shows {theirs:?}",
                function.symbol
            ));
        };
        macro_rules! same {
            ($what:literal, $ours:expr, $theirs:expr) => {
                let (ours, theirs) = (&$ours, &$theirs);
                if ours != theirs {
                    differ($what, ours, theirs);
                }
            };
        }
        let resources = &function.resources;
        same!("REG", u64::from(printed.reg), shown.reg);
        same!("STACK", printed.stack.map(u64::from), shown.stack);
        same!("SHARED", printed.shared, shown.shared);
        same!("LOCAL", printed.local, shown.local);
        let constant: BTreeMap<u8, u64> = resources.constant.iter().copied().collect();
        same!("constant banks", constant, shown.constant);
        let banks: BTreeMap<u8, u64> = function.resources.constant.iter().copied().collect();
        same!("CONSTANT", banks, shown.constant);
        same!("local memory", resources.local, shown.local);
        same!(
            "shared memory",
            resources.static_shared + resources.reserved_shared,
            shown.shared
        );
        same!("frame", resources.frame.map(u64::from), shown.frame);
        same!("parameters", params(function), shown.params);
        if function.kernel {
            same!("registers", u64::from(resources.registers), shown.reg);
            // Of a relocatable object cuobjdump shows 0, which is not true: what the callees need is not known.
            if matches!(resources.stack, Stack::Known(_) | Stack::Unbounded) {
                same!("stack", resources.stack.bytes().map(u64::from), shown.stack);
            }
            // Up to CUDA 12.9 the count stands in the section's flags, which cuobjdump does not explain.
            let in_flags = version < Some((13, 0));
            if !in_flags || shown.barriers.is_some() {
                same!(
                    "barriers",
                    resources.barriers.map(u64::from).unwrap_or_default(),
                    shown.barriers.unwrap_or_default()
                );
            }
            let launch = &function.launch;
            let wide = |shape: Option<[u32; 3]>| shape.map(|shape| shape.map(u64::from).to_vec());
            same!("most threads", wide(launch.max_threads), shown.max_threads);
            same!(
                "required threads",
                wide(launch.required_threads),
                shown.required_threads
            );
            same!("cluster", wide(launch.cluster), shown.cluster);
            same!(
                "register cap",
                launch.max_registers.map(u64::from),
                shown.max_registers
            );
        } else if let Some(count) = shown.regcount {
            same!("registers", u64::from(resources.registers), count);
        }
    }
    compared
}

fn params(function: &Function<'_>) -> Vec<(u64, u64, u64)> {
    match &function.params {
        Params::NotRecorded => Vec::new(),
        Params::Recorded { params, .. } => params
            .iter()
            .map(|param| (param.ordinal.into(), param.offset.into(), param.size.into()))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_outputs_of_cuobjdump_are_joined_by_symbol() {
        let usage = "\nResource usage:\n Common:\n  GLOBAL:3 CONSTANT[4]:16\n Function _Z1kPii:\n  \
                     REG:24 STACK:UNKNOWN SHARED:1024 LOCAL:0 CONSTANT[0]:540 TEXTURE:0 SURFACE:0 SAMPLER:0\n";
        let mut functions = res_usage(usage);
        let dump = ".nv.info\n\t<0x1>\n\tAttribute:\tEIATTR_REGCOUNT\n\tFormat:\tEIFMT_SVAL\n\
            \tValue:\tfunction: _Z1kPii(0x11)\tregister count: 24\n\n.nv.info._Z1kPii\n\
            \tAttribute:\tEIATTR_KPARAM_INFO\n\tFormat:\tEIFMT_SVAL\n\
            \tValue:\tIndex : 0x0\tOrdinal : 0x1\tOffset  : 0x8\tSize    : 0x4\n\
            \t\tPointee's logAlignment : 0x0\tSpace : 0x0\tcbank : 0x1f\tParameter Space : CBANK\t\n\
            \tAttribute:\tEIATTR_KPARAM_INFO\n\
            \tValue:\tIndex : 0x0\tOrdinal : 0x0\tOffset  : 0x0\tSize    : 0x8\n\
            \tAttribute:\tEIATTR_MAXREG_COUNT\n\tValue:\t0xff\n\
            \tAttribute:\tEIATTR_CTA_PER_CLUSTER\n\tValue:\t0x2 0x1 0x1 \n";
        elf(&mut dump.as_bytes(), &mut functions);
        let expected = Shown {
            reg: 24,
            shared: 1024,
            constant: BTreeMap::from([(0, 540)]),
            params: vec![(0, 0, 8), (1, 8, 4)],
            regcount: Some(24),
            cluster: Some(vec![2, 1, 1]),
            ..Shown::default()
        };
        assert_eq!(
            functions,
            BTreeMap::from([("_Z1kPii".to_owned(), expected)])
        );
    }

    #[test]
    fn ptxas_figures_belong_to_the_function_named_before() {
        let log = "ptxas info    : 3 bytes gmem\n\
                   ptxas info    : Compiling entry function 'k' for 'sm_90'\n\
                   ptxas info    : Function properties for k\n    \
                   8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads\n\
                   ptxas info    : Used 24 registers, used 0 barriers, 8 bytes cumulative stack size\n\
                   ptxas info    : Function properties for _Z3reci\n    \
                   24 bytes stack frame, 20 bytes spill stores, 20 bytes spill loads\n";
        let kernel = Verbose {
            frame: 8,
            stores: 4,
            loads: 12,
            registers: Some(24),
        };
        let device = Verbose {
            frame: 24,
            stores: 20,
            loads: 20,
            registers: None,
        };
        assert_eq!(
            ptxas_verbose(log),
            BTreeMap::from([("k".to_owned(), kernel), ("_Z3reci".to_owned(), device)])
        );
    }
}
