//! What a launch costs the host: generated wrappers beside calls of the driver written by hand, under the quiet fake
//! driver (`fake_driver/cuda.rs`), whose launch does nothing but copy the arguments into a parameter block.
//!
//! * `wrapper`: the generated wrapper with all its checks.
//! * `direct`: `cuLaunchKernel` alone, with addresses, function and stream at hand and the context current. Where
//!   memory is ordered between streams, also the same waits and records of events, by the bare calls.
//! * `careful`: what a program on cudarc's low level does: makes the context current, takes the addresses from the
//!   slices with their guards, calls `result::launch_kernel`. No check of the launch.
//! * `builder`: cudarc's `launch_builder`; with `--features launch-builder`.
//!
//! ```sh
//! cargo bench -p cubin-tests --bench launch
//! cargo bench -p cubin-tests --bench launch -- --instructions
//! ```
//!
//! First all ways are held against each other: each must hand the driver the same calls with the same parameter
//! bytes. Then come nanoseconds per launch, medians of turns taken side by side, and their ratio to `direct`. With
//! `--instructions` they are counted instead, per launch and with those of the fake driver, by
//!
//! ```sh
//! valgrind --tool=callgrind --toggle-collect='*measured*' --callgrind-out-file=/dev/null BENCH --once CASE WAY COUNT
//! ```
//!
//! What a wrapper adds to the driver's call does not depend on how long that takes, so the first table also says from
//! what duration of a launch on the wrapper is within 1.05 of it. The quiet driver's launch takes some 20 ns, and no
//! real one's does: a profile of CUDA.jl (its pull request 2162) has `cuLaunchKernel` at 3.1 to 15 µs. The second table
//! is measured with a driver whose launch takes a microsecond.
//!
//! The driver library is found when a process starts, so the program runs itself again for each case.

mod cases;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use cases::{CASES, Case, Fixture, WAYS, Way};
use cubin_tests::fake_driver;

/// Compute capability 9.0 takes the images for `sm_90a`.
const TARGET: &str = "sm_90a";
/// Turns of each way, and launches per turn.
const TURNS: usize = 41;
const LAUNCHES: u32 = 10_000;
/// Nanoseconds of a launch by the slow driver.
const SLOW_NS: &str = "1000";
/// The goal: cost of a wrapper over that of the driver's call.
const WITHIN: f64 = 1.05;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["--log", case] => {
            let mut fixture = Fixture::new(find(case));
            for way in WAYS {
                fixture.launch(way, 1);
            }
        }
        ["--time", case] => time(find(case)),
        ["--once", case, way, count] => {
            let way = *WAYS
                .iter()
                .find(|known| known.name() == way)
                .expect("a way");
            let mut fixture = Fixture::new(find(case));
            fixture.launch(way, count.parse().expect("a number of launches"));
        }
        _ => report(arguments.contains(&"--instructions")),
    }
}

fn find(name: &str) -> Case {
    let found = CASES.iter().find(|case| case.name() == name);
    *found.expect("a case")
}

/// This program as a child under the fake driver.
fn child(folder: &Path, program: &mut Command) {
    program
        .env("LD_LIBRARY_PATH", folder)
        .env("FAKE_DRIVER_PARAMS", folder.join("params"))
        .env("FAKE_DRIVER_DEVICE", "9.0")
        .env_remove("FAKE_DRIVER_LOG");
}

/// What a child printed on both streams.
fn output(command: &mut Command) -> String {
    let output = command.output().expect("a child");
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    text.into_owned()
}

fn report(instructions: bool) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("launch");
    fake_driver::build(&folder, &["-Copt-level=3"]);
    fs::write(folder.join("params"), fake_driver::param_table(TARGET)).expect("a writable folder");
    let itself = std::env::current_exe().expect("a path");
    let unit = if instructions { "instructions" } else { "ns" };
    heading("case", unit);
    println!("{:>9} {:>14}", "added", "within 1.05");
    for case in CASES {
        agree(&folder, &itself, case);
        let costs: Vec<f64> = if instructions {
            WAYS.iter()
                .map(|way| count(&folder, &itself, case, *way))
                .collect()
        } else {
            times(Command::new(&itself), &folder, case)
        };
        let added = row(case, &costs);
        println!("{added:>9.1} {:>11.0} up", added / (WITHIN - 1.0));
    }
    if instructions {
        return;
    }
    heading("slow", unit);
    println!();
    for case in CASES {
        let mut command = Command::new(&itself);
        command.env("FAKE_DRIVER_LAUNCH_NS", SLOW_NS);
        row(case, &times(command, &folder, case));
        println!();
    }
}

fn heading(first: &str, unit: &str) {
    print!("{first:<10}");
    for way in WAYS {
        print!("{:>9} {unit:<12} {:<6}", way.name(), "ratio");
    }
}

/// Prints what each way costs; yields what the wrapper adds to the direct call.
fn row(case: Case, costs: &[f64]) -> f64 {
    let of = |wanted: Way| {
        let index = WAYS.iter().position(|way| *way == wanted);
        costs[index.expect("one of the ways")]
    };
    let direct = of(Way::Direct);
    print!("{:<10}", case.name());
    for cost in costs {
        print!("{cost:>9.1} {:<12} {:<6.3}", "", cost / direct);
    }
    of(Way::Wrapper) - direct
}

/// The median nanoseconds per launch of every way, measured by a child.
fn times(mut command: Command, folder: &Path, case: Case) -> Vec<f64> {
    child(folder, command.args(["--time", case.name()]));
    let text = output(&mut command);
    text.split_whitespace()
        .map(|word| word.parse().expect("nanoseconds"))
        .collect()
}

/// Asserts that all ways call the driver alike, up to the names of events.
fn agree(folder: &Path, itself: &Path, case: Case) {
    let log = folder.join("log");
    let _ = fs::remove_file(&log);
    let mut command = Command::new(itself);
    child(folder, command.args(["--log", case.name()]));
    output(command.env("FAKE_DRIVER_LOG", &log));
    let text = fs::read_to_string(&log).expect("the driver's log");
    let calls: Vec<&str> = text
        .lines()
        .filter_map(|line| {
            let first = line.split(' ').next()?;
            match first {
                "launch" => Some(line),
                "wait" | "record" => Some(first),
                _ => None,
            }
        })
        .collect();
    // What the fixture itself records while it allocates comes before the first way's calls.
    let launches = calls
        .iter()
        .filter(|call| call.starts_with("launch"))
        .count();
    assert_eq!(launches, WAYS.len(), "{calls:#?}");
    let per_way = case.driver_calls();
    let own = calls
        .len()
        .checked_sub(per_way * WAYS.len() + case.last_calls());
    let own = own.unwrap_or_else(|| panic!("too few calls: {calls:#?}"));
    let ways: Vec<&[&str]> = calls[own..].chunks(per_way).take(WAYS.len()).collect();
    for way in &ways[1..] {
        assert_eq!(*way, ways[0], "{}: the ways differ", case.name());
    }
}

/// Prints the median nanoseconds per launch of every way.
fn time(case: Case) {
    let mut fixture = Fixture::new(case);
    let mut times = vec![Vec::new(); WAYS.len()];
    for way in WAYS {
        // What only the first launch pays.
        fixture.launch(way, 1);
    }
    for turn in 0..TURNS {
        for step in 0..WAYS.len() {
            // Another order in each turn, so that a busy machine strikes all alike.
            let index = (turn + step) % WAYS.len();
            let start = Instant::now();
            fixture.launch(WAYS[index], LAUNCHES);
            times[index].push(start.elapsed().as_secs_f64() * 1e9 / f64::from(LAUNCHES));
        }
    }
    for times in &mut times {
        times.sort_by(f64::total_cmp);
        println!("{}", times[times.len() / 2]);
    }
}

/// Instructions per launch, by callgrind: what the second thousand adds, since the first launch looks up more.
fn count(folder: &Path, itself: &Path, case: Case, way: Way) -> f64 {
    let collect = |launches: &str| -> f64 {
        let mut command = Command::new("valgrind");
        command
            .args(["--tool=callgrind", "--toggle-collect=*measured*"])
            .arg("--callgrind-out-file=/dev/null")
            .arg(itself)
            .args(["--once", case.name(), way.name(), launches]);
        child(folder, &mut command);
        let text = output(&mut command);
        let found = text
            .lines()
            .find_map(|line| line.split_once("Collected : "));
        let (_, count) = found.unwrap_or_else(|| panic!("no count of callgrind: {text}"));
        count.trim().parse().expect("a count")
    };
    (collect("2000") - collect("1000")) / 1000.0
}
