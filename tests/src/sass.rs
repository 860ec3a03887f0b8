//! What nvdisasm says of every instruction of a cubin, and what the reader says, in one form.
//!
//! nvdisasm's side is read from the text that it prints; nothing is computed from the file's bytes.
//!
//! What it said of files that take long, or that the toolkit's nvdisasm refuses (13.5 knows nothing before sm_75), is
//! recorded: per file the number of instructions and a digest of everything that is compared. `BLESS=1` records again;
//! `CUBIN_TEST_OLD_NVDISASM` names an nvdisasm up to 13.0 for the older targets (12.4 stands in the wheel of triton 3.1.0).

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use cubin_build::env::Env;
use cubin_core::{
    Cubin,
    sass::{Class, Code},
};

use crate::{recorded, tools};

/// One instruction.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shown {
    /// Bytes from the start of the section.
    pub offset: u64,
    /// Before the first dot; empty for what the reader does not know.
    pub mnemonic: String,
    /// Bytes per thread of loads and stores; 0 for everything else, and for loads and stores of unknown width.
    pub bytes: u8,
    /// Whether it works in double precision.
    pub fp64: bool,
    /// Whether its predicate is `!PT`.
    pub never: bool,
}

/// The instructions of each section with code, by the section's name. Names repeat in valid files.
pub type Listing = BTreeMap<String, Vec<Vec<Shown>>>;

/// Asks nvdisasm; `None` when it refuses the file, as it does for targets that it does not know.
///
/// # Panics
/// When it cannot be run, or prints a line that is not understood.
pub fn nvdisasm(program: &Path, cubin: &Path) -> Option<Listing> {
    // The text is many times the cubin's size: never held at once.
    let mut child = Command::new(program)
        .args(["-c", "-novliw", "-ndf"])
        .arg(cubin)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    let output = child.stdout.take().expect("a pipe");
    let mut listing = Listing::new();
    let mut section = String::new();
    for line in BufReader::new(output).lines() {
        let line = line.expect("text");
        let line = line.trim();
        if let Some(rest) = line.strip_prefix(".section\t") {
            let (name, _) = rest.trim().split_once(",\"").expect("a section's flags");
            name.clone_into(&mut section);
            listing.entry(section.clone()).or_default().push(Vec::new());
        } else if let Some(shown) = instruction(line) {
            let of_name = listing.get_mut(&section).expect("a section");
            of_name.last_mut().expect("a section").push(shown);
        }
    }
    let success = child.wait().expect("an exit status").success();
    sort(&mut listing);
    success.then_some(listing)
}

/// `/*0070*/ @P0 EXIT ;`
fn instruction(line: &str) -> Option<Shown> {
    let (offset, rest) = line.strip_prefix("/*")?.split_once("*/")?;
    let mut words = rest.trim_start_matches([' ', '\t', '{']).split_whitespace();
    let mut word = words.next()?;
    let never = matches!(word, "@!PT" | "@!UPT");
    if word.starts_with('@') {
        word = words.next().expect("an instruction behind its predicate");
    }
    let mut parts = word.trim_end_matches(';').split('.');
    let mnemonic = parts.next().expect("a mnemonic").to_owned();
    let modifiers: Vec<&str> = parts.collect();
    Some(Shown {
        offset: u64::from_str_radix(offset, 16).expect("an offset"),
        bytes: width(&mnemonic, &modifiers),
        fp64: fp64(&mnemonic, &modifiers),
        mnemonic,
        never,
    })
}

fn width(mnemonic: &str, modifiers: &[&str]) -> u8 {
    const ACCESSES: &[&str] = &[
        "LD", "LDC", "LDCU", "LDG", "LDL", "LDS", "ULDC", "ST", "STG", "STL", "STS",
    ];
    let has = |any: &[&str]| modifiers.iter().any(|modifier| any.contains(modifier));
    if matches!(mnemonic, "LDSM" | "STSM") {
        return match modifiers.last() {
            Some(&"4") => 16,
            Some(&"2") => 8,
            _ => 4,
        };
    }
    if !ACCESSES.contains(&mnemonic) {
        return 0;
    }
    match () {
        () if has(&["U8", "S8"]) => 1,
        () if has(&["U16", "S16"]) => 2,
        () if has(&["64"]) => 8,
        () if has(&["128"]) => 16,
        () if has(&["256"]) => 32,
        () => 4,
    }
}

fn fp64(mnemonic: &str, modifiers: &[&str]) -> bool {
    const ALWAYS: &[&str] = &["DADD", "DFMA", "DMMA", "DMNMX", "DMUL", "DSET", "DSETP"];
    let has = |modifier| modifiers.contains(&modifier);
    ALWAYS.contains(&mnemonic)
        || has("F64")
        || (mnemonic == "MUFU" && (has("RCP64H") || has("RSQ64H")))
}

/// What the reader says; `None` for targets that it does not know.
///
/// # Panics
/// When the file is damaged.
pub fn ours(cubin: &Cubin<'_>) -> Option<Listing> {
    let functions = cubin.functions().expect("functions");
    let codes = cubin.codes(&functions).expect("code")?;
    let mut listing = Listing::new();
    for (function, code) in functions.iter().zip(codes) {
        let section = cubin.elf().section(function.section).expect("its section");
        let name = cubin.elf().section_name(&section).expect("its name");
        let name = String::from_utf8_lossy(name).into_owned();
        listing.entry(name).or_default().push(of_code(&code));
    }
    sort(&mut listing);
    Some(listing)
}

fn of_code(code: &Code<'_>) -> Vec<Shown> {
    let shown = code.instructions().map(|one| Shown {
        offset: one.offset,
        mnemonic: one
            .mnemonic
            .map_or_else(String::new, |mnemonic| mnemonic.name().to_owned()),
        bytes: one.access.and_then(|access| access.bytes).unwrap_or(0),
        fp64: one.fp64,
        never: one.class == Class::Never,
    });
    shown.collect()
}

/// Sections of one name in an order that does not depend on the file's.
fn sort(listing: &mut Listing) {
    listing.retain(|_, sections| {
        sections.retain(|section| !section.is_empty());
        sections.sort();
        !sections.is_empty()
    });
}

/// How two listings of a cubin compare.
#[derive(Debug, Clone, Default)]
pub struct Comparison {
    /// Instructions compared.
    pub instructions: u64,
    /// Of these, unknown to the reader.
    pub unknown: u64,
    /// What differs, apart from unknown instructions, in words.
    pub wrong: Vec<String>,
}

impl Comparison {
    /// Adds the comparison of a cubin, `name`.
    pub fn add(&mut self, name: &str, ours: &Listing, theirs: &Listing) {
        let names = |listing: &Listing| -> Vec<(String, usize)> {
            let sections = listing.iter();
            sections
                .map(|(section, all)| (section.clone(), all.len()))
                .collect()
        };
        if names(ours) != names(theirs) {
            let (ours, theirs) = (names(ours), names(theirs));
            self.wrong
                .push(format!("{name}: sections {ours:?}, nvdisasm {theirs:?}"));
            return;
        }
        for ((section, ours), theirs) in ours.iter().zip(theirs.values()) {
            for (ours, theirs) in ours.iter().zip(theirs) {
                self.section(&format!("{name}, {section}"), ours, theirs);
            }
        }
    }

    fn section(&mut self, name: &str, ours: &[Shown], theirs: &[Shown]) {
        if ours.len() != theirs.len() {
            let (ours, theirs) = (ours.len(), theirs.len());
            self.wrong.push(format!(
                "{name}: {ours} instructions, nvdisasm has {theirs}"
            ));
        }
        self.instructions += ours.len() as u64;
        for (ours, theirs) in ours.iter().zip(theirs) {
            if ours.mnemonic.is_empty() {
                self.unknown += 1;
            } else if ours != theirs {
                self.wrong
                    .push(format!("{name}: {ours:?}\n    nvdisasm: {theirs:?}"));
            }
        }
    }

    /// # Panics
    /// When an instruction differs.
    pub fn check(&self) {
        let first: Vec<&String> = self.wrong.iter().take(20).collect();
        assert!(
            self.wrong.is_empty(),
            "{} differences, the first of them:\n{first:#?}",
            self.wrong.len()
        );
    }
}

/// Number of instructions, and FNV-1a over everything that is known of each: two listings of 64 equal bits are the same.
pub fn digest(listing: &Listing) -> (u64, u64) {
    let (mut count, mut hash) = (0, 0xcbf2_9ce4_8422_2325_u64);
    for (section, all) in listing {
        for shown in all {
            let mut text = format!("{section}\n");
            for one in shown {
                let Shown {
                    offset,
                    mnemonic,
                    bytes,
                    fp64,
                    never,
                } = one;
                text.push_str(&format!("{offset:x} {mnemonic} {bytes} {fp64} {never}\n"));
            }
            count += shown.len() as u64;
            for byte in text.bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
    }
    (count, hash)
}

/// What nvdisasm said of a set of files, in `tests/golden/sass/<name>`.
#[derive(Debug)]
pub struct Recording {
    name: &'static str,
    /// Instructions and digest by file.
    rows: BTreeMap<String, (u64, u64)>,
    /// Of a run that records: the programs to ask, in turn, and what they say otherwise than the reader.
    programs: Vec<PathBuf>,
    scratch: PathBuf,
    compared: Comparison,
}

impl Recording {
    /// Reads a recording, or starts a new one under `BLESS=1`; `scratch` is a folder for files that nvdisasm reads.
    ///
    /// # Panics
    /// When there is none, or none can be made for want of a toolkit.
    pub fn open(name: &'static str, scratch: PathBuf) -> Self {
        let env = Env::process();
        let mut recording = Self {
            name,
            rows: BTreeMap::new(),
            programs: Vec::new(),
            scratch,
            compared: Comparison::default(),
        };
        if env.peek("BLESS").is_some() {
            let toolkit = crate::toolkit().expect("a toolkit to record with");
            recording.programs = toolkit.tool("nvdisasm").into_iter().collect();
            let old = env.peek("CUBIN_TEST_OLD_NVDISASM").map(PathBuf::from);
            recording.programs.extend(old);
            return recording;
        }
        let text = String::from_utf8(recorded::file("sass", name)).expect("text");
        for row in text.lines() {
            let columns: Vec<&str> = row.split('\t').collect();
            let [file, count, digest] = columns[..] else {
                panic!("{name}: {row:?}");
            };
            let count = count.parse().expect("a count");
            let digest = u64::from_str_radix(digest, 16).expect("a digest");
            recording.rows.insert(file.to_owned(), (count, digest));
        }
        recording
    }

    /// Compares a file's listing with the recording; gives the number of its instructions, and `None` for files that no
    /// nvdisasm read.
    ///
    /// # Panics
    /// When they differ.
    pub fn check(&mut self, file: &str, data: &[u8]) -> Option<u64> {
        let cubin = Cubin::parse(data).expect("a cubin");
        if !self.programs.is_empty() {
            let path = self.scratch.join("asked.cubin");
            std::fs::write(&path, data).expect("a writable scratch folder");
            let mut asked = self.programs.iter();
            let theirs = asked.find_map(|program| nvdisasm(program, &path))?;
            let ours = ours(&cubin).unwrap_or_default();
            self.compared.add(file, &ours, &theirs);
            let (count, digest) = digest(&theirs);
            self.rows.insert(file.to_owned(), (count, digest));
            return Some(count);
        }
        let theirs = self.rows.get(file)?;
        let ours = ours(&cubin).unwrap_or_else(|| panic!("{file}: nvdisasm knows its target"));
        assert_eq!(digest(&ours), *theirs, "{file}: count, digest");
        Some(theirs.0)
    }

    /// Writes a new recording.
    pub fn close(self) {
        if self.programs.is_empty() {
            return;
        }
        let Comparison {
            instructions,
            unknown,
            ..
        } = self.compared;
        println!("{instructions} instructions, {unknown} unknown");
        self.compared.check();
        let rows = self.rows.iter();
        let text: String = rows
            .map(|(file, (count, digest))| format!("{file}\t{count}\t{digest:016x}\n"))
            .collect();
        tools::same_as_recorded(&format!("sass/{}", self.name), &text);
    }
}
