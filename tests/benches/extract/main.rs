//! What reading costs: resources and parameters of every function, three ways.
//!
//! * `ours`: `Cubin::parse` and `Cubin::functions`.
//! * `floor`: the same facts by a reader written for this purpose that trusts the file and checks nothing.
//! * `eager`: `goblin::elf::Elf::parse`, which decodes every header, symbol, relocation and name, and then the same facts.
//!
//! `cargo bench -p cubin-tests --bench extract -- [FILE or DIRECTORY...]` checks that all three agree and prints times
//! side by side; without arguments it reads the recorded cubins of the tests. Instructions are counted by
//!
//! ```sh
//! valgrind --tool=callgrind --toggle-collect='*measured_ours*' --callgrind-out-file=/dev/null BENCH --once ours FILES
//! ```
//!
//! and the same with `floor` and `eager`, where BENCH is the program that `cargo bench --no-run` names.

mod eager;
mod floor;

use std::{
    fs,
    hint::black_box,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use cubin_core::{Cubin, Function, Params};

/// Base, size, and (ordinal, offset, size) of each parameter.
pub(crate) type Block = (u32, u32, Vec<(u16, u32, u32)>);

/// What all three readers give for one function.
#[derive(Debug, PartialEq, Eq, Default)]
pub(crate) struct Facts<'a> {
    pub(crate) symbol: &'a str,
    pub(crate) section: u32,
    pub(crate) kernel: bool,
    pub(crate) registers: u32,
    pub(crate) stack: Option<u32>,
    pub(crate) frame: Option<u32>,
    pub(crate) spills: Option<u32>,
    pub(crate) shared: u64,
    pub(crate) reserved: u64,
    pub(crate) local: u64,
    pub(crate) constant: Vec<(u8, u64)>,
    pub(crate) barriers: Option<u8>,
    pub(crate) code: u64,
    pub(crate) params: Option<Block>,
    pub(crate) max_threads: Option<[u32; 3]>,
    pub(crate) required_threads: Option<[u32; 3]>,
    pub(crate) cluster: Option<[u32; 3]>,
    pub(crate) max_registers: Option<u32>,
}

impl<'a> From<&Function<'a>> for Facts<'a> {
    fn from(function: &Function<'a>) -> Self {
        let resources = &function.resources;
        Self {
            symbol: function.symbol,
            section: function.section,
            kernel: function.kernel,
            registers: resources.registers,
            stack: resources.stack.bytes(),
            frame: resources.frame,
            spills: resources.spill_instructions,
            shared: resources.static_shared,
            reserved: resources.reserved_shared,
            local: resources.local,
            constant: resources.constant.clone(),
            barriers: resources.barriers,
            code: resources.code_bytes,
            params: match &function.params {
                Params::NotRecorded => None,
                Params::Recorded { base, size, params } => Some((
                    *base,
                    *size,
                    params
                        .iter()
                        .map(|param| (param.ordinal, param.offset, param.size))
                        .collect(),
                )),
            },
            max_threads: function.launch.max_threads,
            required_threads: function.launch.required_threads,
            cluster: function.launch.cluster,
            max_registers: function.launch.max_registers,
        }
    }
}

#[inline(never)]
fn measured_ours(files: &[Vec<u8>]) -> usize {
    files
        .iter()
        .map(|data| {
            let cubin = Cubin::parse(black_box(data)).expect("a cubin");
            black_box(cubin.functions().expect("functions")).len()
        })
        .sum()
}

#[inline(never)]
fn measured_floor(files: &[Vec<u8>]) -> usize {
    files
        .iter()
        .map(|data| black_box(floor::functions(black_box(data))).len())
        .sum()
}

#[inline(never)]
fn measured_eager(files: &[Vec<u8>]) -> usize {
    files
        .iter()
        .map(|data| black_box(eager::functions(black_box(data))).len())
        .sum()
}

type Reader = fn(&[Vec<u8>]) -> usize;

fn main() {
    let mut once = None;
    let mut paths = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--once" => once = arguments.next(),
            // Cargo adds this.
            "--bench" => {}
            path => paths.push(PathBuf::from(path)),
        }
    }
    if paths.is_empty() {
        paths.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/cubins"));
    }
    // The floor reader knows 64-bit files without extended numbering only.
    let all = once.as_deref() == Some("ours");
    let files: Vec<_> = read(&paths)
        .into_iter()
        .filter(|data| all || (data[4] == 2 && data[60..62] != [0, 0]))
        .collect();
    let bytes: usize = files.iter().map(Vec::len).sum();
    let readers: [(&str, Reader); 3] = [
        ("ours", measured_ours),
        ("floor", measured_floor),
        ("eager", measured_eager),
    ];
    if let Some(name) = once {
        let (_, reader) = readers
            .iter()
            .find(|(reader, _)| *reader == name)
            .expect("--once takes ours, floor or eager");
        let start = Instant::now();
        let functions = reader(&files);
        println!("{name}: {functions} functions, {:?}", start.elapsed());
        return;
    }
    let functions = agree(&files);
    println!(
        "{} files, {bytes} bytes, {functions} functions",
        files.len()
    );
    let times = compare(&files, &readers);
    for ((name, _), time) in readers.iter().zip(&times) {
        println!(
            "{name}: {time:?}, {:.2} of the floor",
            time.as_secs_f64() / times[1].as_secs_f64()
        );
    }
}

/// Best time of each reader, with their turns interleaved so that a busy machine strikes all alike.
fn compare(files: &[Vec<u8>], readers: &[(&str, Reader)]) -> Vec<Duration> {
    let mut best = vec![Duration::MAX; readers.len()];
    for _ in 0..30 {
        for ((_, reader), best) in readers.iter().zip(&mut best) {
            let start = Instant::now();
            black_box(reader(files));
            *best = start.elapsed().min(*best);
        }
    }
    best
}

/// Checks that the three readers give the same facts; gives the number of functions.
fn agree(files: &[Vec<u8>]) -> usize {
    let mut count = 0;
    for data in files {
        let cubin = Cubin::parse(data).expect("a cubin");
        let functions = cubin.functions().expect("functions");
        let ours: Vec<Facts<'_>> = functions.iter().map(Facts::from).collect();
        assert_eq!(ours, floor::functions(data), "the floor reader disagrees");
        assert_eq!(ours, eager::functions(data), "the eager reader disagrees");
        count += ours.len();
    }
    count
}

fn read(paths: &[PathBuf]) -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            let mut entries: Vec<_> = fs::read_dir(path)
                .expect("a directory")
                .map(|entry| entry.expect("an entry").path())
                .filter(|path| path.is_dir() || path.extension().is_some_and(|end| end == "cubin"))
                .collect();
            entries.sort();
            files.extend(read(&entries));
        } else {
            files.push(fs::read(path).expect("a file"));
        }
    }
    files
}
