//! The CUDA toolkit that tests compile with.

use std::{
    path::PathBuf,
    sync::{Once, OnceLock},
};

use cubin_build::{
    env::Env,
    toolkit::{self, Toolkit, ToolkitRequest},
};

/// Version that the tests are written for.
pub const TOOLKIT: &str = "13.5";

/// A toolkit to test with instead: its root or its nvcc, of any version ([`knows`] tells which targets it has).
const CHOSEN: &str = "CUBIN_BUILD_TOOLKIT";

/// The version that tests ask the builder for: of the toolkit chosen by `CUBIN_BUILD_TOOLKIT`, else [`TOOLKIT`].
pub fn version() -> String {
    match Env::process().peek(CHOSEN) {
        Some(_) => toolkit().map_or(TOOLKIT.to_owned(), |found| found.version.to_string()),
        None => TOOLKIT.to_owned(),
    }
}

/// Those of `targets` that the toolkit can compile for; of the others the test's output says that they are skipped.
///
/// # Panics
/// When nvcc cannot be started.
pub fn known<'t>(toolkit: &Toolkit, targets: &[&'t str]) -> Vec<&'t str> {
    let knows = |target: &&&str| {
        let knows = knows(toolkit, target);
        if !knows {
            println!("skipped: CUDA {} has no {target}", toolkit.version);
        }
        knows
    };
    targets.iter().filter(knows).copied().collect()
}

/// Whether the toolkit can compile for a target.
///
/// # Panics
/// When nvcc cannot be started.
pub fn knows(toolkit: &Toolkit, target: &str) -> bool {
    let mut command = std::process::Command::new(&toolkit.nvcc);
    command.args(["--dryrun", "-cubin", "-o", "x.cubin", "x.cu"]);
    command.arg(format!("-arch={target}")).args(ccbin());
    let output = command.output().expect("nvcc");
    output.status.success()
}

/// The flag that names the host compiler, where a variable does: not every nvcc reads it.
pub fn ccbin() -> Vec<String> {
    let named = Env::process().peek("NVCC_CCBIN");
    let named = named.map(|name| name.to_string_lossy().into_owned());
    named
        .into_iter()
        .flat_map(|name| ["-ccbin".to_owned(), name])
        .collect()
}

/// Whether a missing toolkit, or another missing tool, is a failure: `CUBIN_TEST_REQUIRE_TOOLKIT=1`, which CI sets.
pub fn required() -> bool {
    Env::process()
        .peek("CUBIN_TEST_REQUIRE_TOOLKIT")
        .is_some_and(|value| value != "0")
}

/// The toolkit: one found on the machine, else one installed into the per-user cache (uv or pip, about 130 MB, once).
///
/// `None`, with the reason on stderr, when there is none and none can be installed: a test that needs it then returns
/// early. Under `CUBIN_TEST_REQUIRE_TOOLKIT=1`, which CI sets, that is a panic instead. `CUBIN_TEST_TOOLKIT=none` makes
/// it `None` at once, to see what the tests do on a machine without.
pub fn toolkit() -> Option<Toolkit> {
    static FOUND: OnceLock<Result<Toolkit, String>> = OnceLock::new();
    let env = Env::process();
    if env
        .peek("CUBIN_TEST_TOOLKIT")
        .is_some_and(|value| value == "none")
    {
        eprintln!("skipped: CUBIN_TEST_TOOLKIT=none");
        return None;
    }
    let found = FOUND.get_or_init(|| {
        let env = Env::process();
        if env.peek(CHOSEN).is_some() {
            let request = ToolkitRequest::default();
            return toolkit::find(&env, &request).map_err(|error| error.to_string());
        }
        let version = TOOLKIT.parse().map_err(|error| format!("{error}"))?;
        let request = ToolkitRequest {
            version: Some(version),
            ..ToolkitRequest::default()
        };
        // The tests also want the tools that show a cubin, which not every installation has.
        if let Ok(found) = toolkit::find(&env, &request)
            && ["ptxas", "cuobjdump", "nvdisasm"]
                .iter()
                .all(|tool| found.tool(tool).is_some())
        {
            return Ok(found);
        }
        toolkit::install(&env, version, &mut |line| eprintln!("{line}"))
            .map_err(|error| error.to_string())
    });
    match found {
        Ok(toolkit) => Some(toolkit.clone()),
        Err(reason) => {
            assert!(
                !required(),
                "CUBIN_TEST_REQUIRE_TOOLKIT is set, but: {reason}"
            );
            eprintln!("skipped, no CUDA toolkit: {reason}");
            None
        }
    }
}

/// A program of the installed [`TOOLKIT`], whatever toolkit is tested.
pub(crate) fn reader(name: &str) -> Option<PathBuf> {
    let env = Env::process();
    let names = ["HOME", "PATH", "XDG_CACHE_HOME", "CUBIN_BUILD_CACHE"];
    let variables = names.into_iter().filter_map(|name| {
        let value = env.peek(name)?.to_str()?.to_owned();
        Some((name.to_owned(), value))
    });
    let request = ToolkitRequest {
        version: Some(TOOLKIT.parse().ok()?),
        ..ToolkitRequest::default()
    };
    let found = toolkit::find(&Env::from_map(variables), &request).ok()?;
    let program = found.tool(name)?;
    static SAID: Once = Once::new();
    SAID.call_once(|| println!("what shows cubins is that of {found}"));
    Some(program)
}
