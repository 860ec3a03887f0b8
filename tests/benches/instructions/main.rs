//! What it costs to say what the instructions of cubins are, in three ways.
//!
//! * `mix`: counts per class, width and precision of every function (`Code::mix`);
//! * `instructions`: the same through the iterator (`Code::instructions`);
//! * `loops`: which instructions stand in a loop, and the mix of those.
//!
//! `cargo bench -p cubin-tests --bench instructions -- [FILE or DIRECTORY...]`: cubins, and files with cubins in them; without
//! arguments the recorded cubins of the tests. Files are read and unpacked before; parsing a cubin and listing its functions
//! is timed apart.

use std::{
    fs,
    hint::black_box,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use cubin_core::{
    Cubin, host,
    sass::{Code, Mix},
};

fn read(path: &Path, found: &mut Vec<Vec<u8>>) {
    if path.is_dir() {
        let mut entries: Vec<PathBuf> = fs::read_dir(path)
            .expect("a directory")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        entries.sort();
        entries.iter().for_each(|path| read(path, found));
        return;
    }
    let bytes = fs::read(path).expect("a file");
    for code in host::device_code(&bytes).flatten() {
        match code.code {
            host::Code::Cubin { bytes, .. } => found.push(bytes.to_vec()),
            host::Code::Entry(entry) if entry.is_cubin() => {
                found.extend(entry.image().ok().map(std::borrow::Cow::into_owned));
            }
            host::Code::Entry(_) | host::Code::Ptx { .. } => {}
        }
    }
}

/// The code of every function whose target is known.
fn codes<'a>(cubins: &'a [Vec<u8>]) -> Vec<Code<'a>> {
    let of_one = |data: &'a Vec<u8>| {
        let cubin = Cubin::parse(black_box(data)).ok()?;
        let functions = cubin.functions().ok()?;
        cubin.codes(&functions).ok()?
    };
    cubins.iter().filter_map(of_one).flatten().collect()
}

fn mix(codes: &[Code<'_>]) -> Mix {
    let mut all = Mix::default();
    for code in codes {
        all += &black_box(code.mix());
    }
    all
}

fn instructions(codes: &[Code<'_>]) -> Mix {
    let mut all = Mix::default();
    for code in codes {
        all += &black_box(code.instructions().collect::<Mix>());
    }
    all
}

fn loops(codes: &[Code<'_>]) -> Mix {
    let mut all = Mix::default();
    for code in codes {
        if let Some(loops) = code.loops() {
            let inside = code.instructions().filter(|one| loops.contains(one.offset));
            all.extend(inside);
        }
    }
    all
}

fn best<T>(turns: u32, mut run: impl FnMut() -> T) -> Duration {
    let once = |_| {
        let start = Instant::now();
        black_box(run());
        start.elapsed()
    };
    (0..turns).map(once).min().unwrap_or_default()
}

fn main() {
    let arguments = std::env::args().skip(1).filter(|one| one != "--bench");
    let mut paths: Vec<PathBuf> = arguments.map(PathBuf::from).collect();
    if paths.is_empty() {
        paths.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/cubins"));
    }
    let mut cubins = Vec::new();
    paths.iter().for_each(|path| read(path, &mut cubins));
    let codes = codes(&cubins);
    let bytes: usize = codes.iter().map(|code| code.bytes().len()).sum();
    let all = mix(&codes);
    let count: u64 = cubin_core::sass::Class::ALL
        .iter()
        .map(|class| all.count(*class))
        .sum();
    assert_eq!(all, instructions(&codes), "both ways count the same");
    println!(
        "{} cubins of {} bytes; {} functions, {bytes} bytes of code, {count} instructions, {} unknown",
        cubins.len(),
        cubins.iter().map(Vec::len).sum::<usize>(),
        codes.len(),
        all.count(cubin_core::sass::Class::Unknown),
    );
    let report = |name: &str, time: Duration| {
        let seconds = time.as_secs_f64();
        println!(
            "{name}: {:.1} ms, {:.0} million instructions/s, {:.2} GB/s",
            seconds * 1e3,
            count as f64 / seconds / 1e6,
            bytes as f64 / seconds / 1e9
        );
    };
    report(
        "parse and list functions",
        best(10, || self::codes(&cubins).len()),
    );
    report("mix", best(20, || mix(&codes)));
    report("instructions", best(10, || instructions(&codes)));
    report("loops", best(5, || loops(&codes)));
}
