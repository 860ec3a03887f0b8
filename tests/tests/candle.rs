//! candle-kernels from crates.io through the builder, for two targets: every kernel gets an exact wrapper, every
//! figure equals what NVIDIA's tools print, the generated file compiles without a warning, and a second run compiles
//! nothing.
//!
//! `CUBIN_TEST_CANDLE=all` takes every source (16 CPU minutes once), `fast` leaves out the ten that take three quarters
//! of that. Results stay below `target`. `BLESS=1` rewrites `golden/candle`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
    time::{Duration, Instant},
};

use cubin_build::{Prebuilt, builder::Output, diag::codes, kernel::Facts};
use cubin_tests::{
    candle::{self, Subset},
    oracle, tools, user_crate,
};

/// Kernels that live in the headers of the toolkit (CUB, Thrust): checked against the policy, never wrapped.
fn in_toolkit_header(name: &str) -> bool {
    name.starts_with("cub::") || name.starts_with("thrust::")
}

/// The one build that all tests look at.
struct Built {
    root: PathBuf,
    out: PathBuf,
    subset: Subset,
    output: Output,
    generated: String,
    wall: Duration,
}

fn tmp() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// Builds once; `None`, with the reason printed, when toolkit or registry cannot be had and need not be.
fn built() -> Option<&'static Built> {
    static BUILT: OnceLock<Option<Built>> = OnceLock::new();
    BUILT
        .get_or_init(|| {
            cubin_tests::toolkit()?;
            let root = match candle::fetch(tmp()) {
                Ok(root) => root,
                Err(reason) => {
                    assert!(
                        !cubin_tests::required(),
                        "candle-kernels cannot be downloaded: {reason}"
                    );
                    eprintln!("skipped, candle-kernels cannot be downloaded: {reason}");
                    return None;
                }
            };
            let subset = Subset::chosen();
            let out = tmp().join("candle").join("out");
            let start = Instant::now();
            // What is kept for builds without a compiler is written, too.
            let output = candle::builder(&root, &out, subset)
                .prebuilt(Prebuilt::Write)
                .try_build()
                .unwrap_or_else(|error| panic!("{error}"));
            let wall = start.elapsed();
            println!(
                "candle-kernels {}: {} of {} units compiled now, {:.1} s",
                candle::VERSION,
                output.compiled,
                output.cubins.len(),
                wall.as_secs_f64()
            );
            let generated = fs::read_to_string(&output.generated).expect("the generated file");
            Some(Built {
                root,
                out,
                subset,
                output,
                generated,
                wall,
            })
        })
        .as_ref()
}

impl Built {
    /// Module and target of a cubin, from its name: `unary.sm_90.cubin`.
    fn cubin_name(path: &Path) -> (String, String) {
        let name = path.file_name().expect("a name").to_string_lossy();
        let mut parts = name.split('.');
        let mut next = || parts.next().expect("module.target.cubin").to_owned();
        (next(), next())
    }

    /// What the builder knows of a module's kernels on a target, by symbol. Symbols are unique within a cubin only.
    fn facts(&self, cubin: &[u8], target: &str) -> BTreeMap<String, &Facts> {
        let cubin = cubin_core::Cubin::parse(cubin).expect("a cubin");
        let own: BTreeSet<&str> = cubin
            .kernels()
            .expect("kernels")
            .iter()
            .map(|kernel| kernel.symbol)
            .collect();
        self.output
            .kernels
            .iter()
            .filter(|facts| facts.target.to_string() == target && own.contains(&*facts.symbol))
            .map(|facts| (facts.symbol.clone(), facts))
            .collect()
    }

    /// Symbols of the kernels that each module of the generated file wraps.
    fn wrapped(&self) -> BTreeMap<&str, BTreeSet<String>> {
        let modules = self.generated.split("\npub mod ").skip(1);
        modules
            .map(|text| {
                let name = text.split(" {").next().unwrap_or_default();
                (name, tools::wrapped_symbols(text))
            })
            .collect()
    }
}

#[test]
fn every_kernel_of_the_sources_has_a_wrapper() {
    let Some(built) = built() else { return };
    let refused: Vec<&str> = built
        .output
        .warnings
        .iter()
        .filter(|diag| diag.code == codes::KERNEL_REFUSED)
        .map(|diag| &*diag.message)
        .collect();
    assert_eq!(refused, [""; 0]);

    let wrapped = built.wrapped();
    // Per module: kernels on each target, wrapped, in toolkit headers; then kernels that not every target has.
    let mut table: BTreeMap<String, (BTreeMap<String, usize>, usize, usize)> = BTreeMap::new();
    let mut on_targets: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for path in &built.output.cubins {
        let (module, target) = Built::cubin_name(path);
        let facts = built.facts(&fs::read(path).expect("a cubin"), &target);
        let row = table.entry(module.clone()).or_default();
        row.0.insert(target.clone(), facts.len());
        for (symbol, facts) in facts {
            let name = if in_toolkit_header(&facts.name) {
                row.2 += 1;
                assert!(
                    wrapped
                        .get(&*module)
                        .is_none_or(|all| !all.contains(&*symbol)),
                    "{} is the toolkit's, but has a wrapper",
                    facts.name
                );
                continue;
            } else {
                facts.name.clone()
            };
            assert!(
                wrapped
                    .get(&*module)
                    .is_some_and(|all| all.contains(&*symbol)),
                "{module}: {name} ({symbol}) has no wrapper"
            );
            on_targets
                .entry((module.clone(), name))
                .or_default()
                .insert(target.clone());
        }
    }
    let mut text = String::from("# module: kernels per target, wrapped, of toolkit headers\n");
    let mut sums = [0_usize; 4];
    for (module, (targets, wrappers, toolkit)) in &mut table {
        *wrappers = wrapped.get(&**module).map_or(0, BTreeSet::len);
        let count = |target: &str| targets.get(target).copied().unwrap_or_default();
        let figures = [
            count(candle::TARGETS[0]),
            count(candle::TARGETS[1]),
            *wrappers,
            *toolkit,
        ];
        for (sum, figure) in sums.iter_mut().zip(figures) {
            *sum += figure;
        }
        let [first, second, wrappers, toolkit] = figures;
        writeln!(text, "{module}: {first} {second} {wrappers} {toolkit}").expect("a string");
    }
    let [first, second, wrappers, toolkit] = sums;
    writeln!(text, "total: {first} {second} {wrappers} {toolkit}").expect("a string");
    text.push_str("# on one target only\n");
    for ((module, name), targets) in &on_targets {
        if targets.len() < candle::TARGETS.len() {
            let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
            writeln!(text, "{module} {name}: {}", targets.join(" ")).expect("a string");
        }
    }
    let name = match built.subset {
        Subset::All => "all.txt",
        Subset::Fast => "fast.txt",
    };
    tools::same_as_recorded(&format!("candle/{name}"), &text);
}

#[test]
fn figures_equal_what_nvidias_tools_print() {
    let Some(built) = built() else { return };
    let toolkit = cubin_tests::toolkit().expect("the toolkit that compiled");
    let mut differences = Vec::new();
    let mut compared = oracle::Compared::default();
    let mut spilling = 0;
    for path in &built.output.cubins {
        let (module, target) = Built::cubin_name(path);
        let file = format!("{module}.{target}");
        let bytes = fs::read(path).expect("a cubin");
        let shown = oracle::cuobjdump(&toolkit, path);
        compared += oracle::compare(&file, &bytes, &shown, &mut differences);

        let verbose = oracle::ptxas_verbose(&log(&built.out, &module, &target));
        for (symbol, facts) in built.facts(&bytes, &target) {
            let mut same = |what: &str, ours: Option<u64>, theirs: Option<u64>| {
                if ours != theirs {
                    differences.push(format!(
                        "{file}: {}: {what} is {ours:?}, NVIDIA's tool shows {theirs:?}",
                        facts.name
                    ));
                }
            };
            let shown = &shown[&symbol];
            let verbose = &verbose[&symbol];
            same(
                "registers",
                Some(facts.resources.registers.into()),
                Some(shown.reg),
            );
            same(
                "registers",
                Some(facts.resources.registers.into()),
                verbose.registers,
            );
            same(
                "stack",
                facts.resources.stack.bytes().map(Into::into),
                shown.stack,
            );
            // From sm_90 on the system has 1,024 bytes of every block that uses shared memory at all.
            let reserved = if target == "sm_90" { 1024 } else { 0 };
            same(
                "shared memory",
                Some(facts.resources.static_shared),
                Some(shown.shared.saturating_sub(reserved)),
            );
            let spills = facts.spills.expect("spills of a kernel compiled here");
            same("spill stores", Some(spills.stores), Some(verbose.stores));
            same("spill loads", Some(spills.loads), Some(verbose.loads));
            spilling += usize::from(spills.total() > 0);
            let end = shown.params.iter().map(|(_, offset, size)| offset + size);
            same(
                "parameter bytes",
                facts.params_size().map(Into::into),
                Some(end.max().unwrap_or_default()),
            );
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    println!(
        "{} kernels and {} parameters equal; {spilling} of the kernels spill",
        compared.kernels, compared.params
    );
    assert_eq!(compared.kernels, built.output.kernels.len());
}

/// What nvcc printed for a unit, whose directories are named after module and target.
fn log(out: &Path, module: &str, target: &str) -> String {
    let logs = stamps(out)
        .into_keys()
        .filter(|path| path.ends_with("log.txt"));
    let mut found = logs.filter(|path| {
        let mut parents = path.ancestors().skip(1).filter_map(Path::file_name);
        let mut next = || parents.next().expect("a directory").to_string_lossy();
        let (on, unit) = (next(), next());
        on == target
            && unit
                .rsplit_once('-')
                .is_some_and(|(stem, _)| stem == module)
    });
    let path = found
        .next()
        .unwrap_or_else(|| panic!("{module} has no log for {target}"));
    fs::read_to_string(path).expect("a readable log")
}

#[test]
fn the_generated_file_compiles_without_a_warning() {
    let Some(built) = built() else { return };
    // A kernel that one target lacks is there for the user, and says on which target it is missing.
    let missing = "\nconst _: () = {\n    use kernels::runtime::Target;\n    \
        let kernel = &kernels::ternary::info::WHERE_I64_FP8_E4M3;\n    \
        assert!(kernel.resources(Target::new(80)).is_none());\n    \
        assert!(kernel.resources(Target::new(90)).is_some());\n};\n";
    let start = Instant::now();
    let files = [("kernels".to_owned(), built.output.generated.clone())];
    user_crate::check(&tmp().join("candle").join("user"), &files, missing);
    println!(
        "{} bytes of generated code checked in {:.1} s",
        built.generated.len(),
        start.elapsed().as_secs_f64()
    );
}

#[test]
fn a_second_run_starts_no_compiler_and_writes_the_same() {
    let Some(built) = built() else { return };
    let before = stamps(&built.out);
    let start = Instant::now();
    let output = candle::builder(&built.root, &built.out, built.subset)
        .try_build()
        .unwrap_or_else(|error| panic!("{error}"));
    let wall = start.elapsed();
    assert_eq!(output.compiled, 0);
    assert_eq!(output.kernels, built.output.kernels);
    // A file that a compiler or the builder had written again would have another time.
    assert_eq!(before, stamps(&built.out));
    println!(
        "no-op run: {:.2} s (the first one {:.1} s)",
        wall.as_secs_f64(),
        built.wall.as_secs_f64()
    );
}

/// Size and time of last change of every file below `dir`.
/// What was compiled once is what a build without a compiler makes, to the byte; in another folder, as it is downloaded.
#[test]
fn prebuilt_kernels_give_the_same_file() {
    let Some(built) = built() else { return };
    let root = tmp().join("candle").join("prebuilt");
    let _ = fs::remove_dir_all(&root);
    copy(&built.root.join("src"), &root.join("src"));
    let kept = built.out.join("kernels/cubin-build/prebuilt");
    copy(&kept, &root.join("prebuilt"));
    let out = root.join("out");
    fs::create_dir_all(&out).expect("a folder");
    let output = candle::builder(&root, &out, built.subset)
        .prebuilt(Prebuilt::Always)
        .try_build()
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((output.compiled, output.toolkit), (0, None));
    let text = fs::read_to_string(&output.generated).expect("the generated file");
    assert!(text == built.generated, "another generated file");
    assert_eq!(output.cubins.len(), built.output.cubins.len());
    for (one, other) in output.cubins.iter().zip(&built.output.cubins) {
        assert!(
            fs::read(one).ok() == fs::read(other).ok(),
            "{}",
            one.display()
        );
    }
    // Facts that no cubin has: what ptxas printed.
    assert_eq!(output.kernels.len(), built.output.kernels.len());
    for (one, other) in output.kernels.iter().zip(&built.output.kernels) {
        assert_eq!((&one.name, one.spills), (&other.name, other.spills));
        assert_eq!(one.resources, other.resources, "{}", one.name);
    }
    let here = built.root.to_string_lossy();
    let toolkit = cubin_tests::toolkit().expect("a toolkit").root;
    let toolkit = toolkit.to_string_lossy();
    for path in stamps(&kept).keys() {
        let bytes = fs::read(path).expect("a file");
        let text = String::from_utf8_lossy(&bytes);
        let names = text.contains(&*here) || text.contains(&*toolkit);
        assert!(!names, "{} names this machine", path.display());
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let to = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &to);
        } else {
            fs::copy(&path, &to).expect("a copy");
        }
    }
}

fn stamps(dir: &Path) -> BTreeMap<PathBuf, (u64, std::time::SystemTime)> {
    let mut stamps = BTreeMap::new();
    let mut dirs = vec![dir.to_owned()];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(&dir).expect("a readable directory") {
            let entry = entry.expect("an entry");
            let meta = entry.metadata().expect("metadata");
            if meta.is_dir() {
                dirs.push(entry.path());
            } else {
                let time = meta.modified().expect("a time of last change");
                stamps.insert(entry.path(), (meta.len(), time));
            }
        }
    }
    stamps
}
