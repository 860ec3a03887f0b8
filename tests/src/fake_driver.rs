//! Builds the stand-in for the driver library, `fake_driver/cuda.rs`, and tells it what the recorded cubins of
//! `golden/codegen` hold.

use std::{fmt::Write as _, fs, path::Path, process::Command, sync::OnceLock};

use cubin_core::{Cubin, Params};

use crate::recorded;

/// Compiles it to `libcuda.so` in `folder`, with these further arguments of rustc.
pub fn build(folder: &Path, arguments: &[&str]) {
    fs::create_dir_all(folder).expect("a writable folder");
    let library = folder.join("libcuda.so");
    let built = folder.join(format!("libcuda.{}.so", std::process::id()));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("fake_driver/cuda.rs");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let status = Command::new(rustc)
        .args(["--edition", "2024", "--crate-name", "cuda", "-o"])
        .arg(&built)
        .args(arguments)
        .arg(&source)
        .status()
        .expect("rustc, which built this");
    assert!(status.success(), "the fake driver does not compile");
    fs::rename(built, library).expect("a writable folder");
}

/// What the cubins record of each kernel's parameters, and of each variable its size.
#[must_use]
pub fn param_table(target: &str) -> String {
    let mut table = String::new();
    for stem in ["families", "kinds", "more"] {
        let bytes = recorded::file("codegen", &format!("{stem}.{target}.cubin"));
        let cubin = Cubin::parse(&bytes).expect("a recorded cubin");
        for kernel in cubin.kernels().expect("readable kernels") {
            table.push_str(kernel.symbol);
            if let Params::Recorded { params, .. } = &kernel.params {
                for param in params {
                    let _ = write!(table, " {}:{}", param.offset, param.size);
                }
            }
            table.push('\n');
        }
        for variable in cubin.variables().expect("readable variables") {
            let _ = writeln!(table, "global:{} 0:{}", variable.symbol, variable.size);
        }
    }
    table
}

/// Runs `body` in a child of this test under the fake driver of a device of compute capability `device`, and gives
/// the child's calls of the driver to `check`. `folder` is for the driver library and its files; `name` is that of
/// the test with its modules, which runs itself again: the library is found when a process starts.
pub fn run_under(
    folder: &Path,
    name: &str,
    device: &str,
    body: impl Fn(),
    check: impl Fn(&[String]),
) {
    let target = if device.starts_with('9') {
        "sm_90a"
    } else {
        "sm_80"
    };
    run_with(folder, name, device, target, &[], body, check);
}

/// The same with the parameters that the cubins for `target` record, and further variables for the driver.
#[allow(clippy::disallowed_methods)] // A test talks to its child through the environment.
pub fn run_with(
    folder: &Path,
    name: &str,
    device: &str,
    target: &str,
    variables: &[(&str, &str)],
    body: impl Fn(),
    check: impl Fn(&[String]),
) {
    if std::env::var_os("FAKE_DRIVER_LOG").is_some() {
        body();
        return;
    }
    static BUILT: OnceLock<()> = OnceLock::new();
    BUILT.get_or_init(|| build(folder, &[]));
    let file = name.replace("::", ".");
    let log = folder.join(format!("log.{file}.{device}"));
    let _ = fs::remove_file(&log);
    let params = folder.join(format!("params.{file}.{device}"));
    fs::write(&params, param_table(target)).expect("a writable folder");
    let output = Command::new(std::env::current_exe().expect("a path"))
        .args(["--exact", name, "--nocapture"])
        .env("LD_LIBRARY_PATH", folder)
        .env("FAKE_DRIVER_LOG", &log)
        .env("FAKE_DRIVER_PARAMS", &params)
        .env("FAKE_DRIVER_DEVICE", device)
        .envs(variables.iter().copied())
        .output()
        .expect("the test itself");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    let harness = String::from_utf8_lossy(&output.stdout);
    assert!(
        harness.contains("running 1 test"),
        "no test is named {name}"
    );
    let log = fs::read_to_string(log).unwrap_or_default();
    check(&log.lines().map(str::to_owned).collect::<Vec<_>>());
}

/// The parameter block of the only launch of `symbol` in a log; `None` for bytes that no parameter covers.
///
/// # Panics
/// When the log does not hold exactly one launch of it.
#[allow(clippy::must_use_candidate)] // That there is one launch is all that some tests ask.
pub fn block(log: &[String], symbol: &str) -> Vec<Option<u8>> {
    let mut lines = log
        .iter()
        .filter(|line| line.split_whitespace().nth(1) == Some(symbol));
    let mut launches = lines
        .by_ref()
        .filter(|line| line.starts_with("launch") || line.starts_with("cooperative"));
    let line = launches
        .next()
        .unwrap_or_else(|| panic!("no launch of {symbol} in {log:#?}"));
    assert!(launches.next().is_none(), "{symbol} was launched twice");
    let hex = line.rsplit(' ').next().expect("a last word");
    let pairs = hex
        .as_bytes()
        .chunks(2)
        .map(|pair| std::str::from_utf8(pair).expect("ASCII"));
    pairs
        .map(|pair| u8::from_str_radix(pair, 16).ok())
        .collect()
}
