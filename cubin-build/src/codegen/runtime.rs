//! What wrappers run on: the modules of `cubin-build/runtime`, embedded as they are, or that crate by its name.

use super::{
    input::{Backend, Runtime},
    planned::Plan,
    write::Writer,
};

/// A module of the crate: name and text.
type Part = (&'static str, &'static str);

macro_rules! part {
    ($name:literal, $file:literal) => {
        (
            $name,
            include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/embedded/",
                $file,
                ".rs"
            )),
        )
    };
    ($name:literal) => {
        part!($name, $name)
    };
}

/// What needs no driver.
const FACTS: &[Part] = &[
    part!("target"),
    part!("image"),
    part!("row"),
    part!("kernel"),
    part!("address"),
    part!("bits"),
    part!("variable"),
    part!("error"),
    part!("check"),
];

/// Where no driver crate is used.
const NO_DRIVER: &[Part] = &[part!("driver", "no_driver")];

/// Launches through the driver crate.
const DRIVER: &[Part] = &[
    part!("memory"),
    part!("arguments"),
    part!("launch"),
    part!("device"),
    part!("load_error"),
    part!("module"),
    part!("context"),
    part!("global"),
];

const CLUSTERS: Part = part!("clusters");
const NO_CLUSTERS: Part = part!("clusters", "no_clusters");

/// How a dependency on the driver crate reads that needs no CUDA where it is built.
const CUDARC: &str = "cudarc = { version = \"0.19\", features = [\"cuda-12080\"] }";

/// The modules without anything that generated files or users name.
const PRIVATE: &[&str] = &["row", "driver", "clusters", "device"];

/// Writes `pub mod runtime`, or the line that names the crate.
pub(super) fn write(out: &mut Writer, plan: &Plan<'_>) {
    match plan.input.runtime {
        Runtime::Embedded => embed(out, plan),
        Runtime::Crate => name(out, &plan.input.backend),
    }
}

// A comment on the line of an import that fails is part of what the compiler shows, unless the line is long. All else
// goes through that import, so that its error is the only one. That a feature is missing, the compiler says itself.

fn name(out: &mut Writer, backend: &Backend) {
    let version = env!("CARGO_PKG_VERSION");
    let (path, dependency) = match backend {
        Backend::Core => ("::cubin_runtime", format!("\"{version}\"")),
        Backend::Cudarc { .. } => (
            "::cubin_runtime::cudarc",
            format!("{{ version = \"{version}\", features = [\"cudarc\"] }}"),
        ),
    };
    out.doc("What all modules of this file and of others share.");
    out.line("#[allow(unreachable_pub, unused_imports)]");
    out.line(format!(
        "pub use {path} as runtime; // Cargo.toml: cubin-runtime = {dependency}"
    ));
}

fn embed(out: &mut Writer, plan: &Plan<'_>) {
    out.doc("What all modules of this file share: facts about kernels, launches, device memory as arguments, errors.");
    out.line("#[rustfmt::skip]");
    out.line("#[allow(dead_code, unreachable_pub, unused_imports)]");
    // As the crate that the modules are from allows them.
    out.line(
        "#[allow(clippy::inline_always, clippy::nursery, clippy::undocumented_unsafe_blocks)]",
    );
    out.open("pub mod runtime {");
    let mut parts = FACTS.to_vec();
    match &plan.input.backend {
        Backend::Core => parts.extend(NO_DRIVER),
        Backend::Cudarc { path } => {
            out.line(format!("use {path}::driver; // Cargo.toml: {CUDARC}"));
            out.line("");
            parts.extend(DRIVER);
            parts.push(if plan.clusters { CLUSTERS } else { NO_CLUSTERS });
        }
    }
    for (name, _) in parts.iter().filter(|(name, _)| !PRIVATE.contains(name)) {
        out.line(format!("pub use {name}::*;"));
    }
    for (name, text) in parts {
        out.line("");
        out.open(format!("mod {name} {{"));
        out.lines(text);
        out.close("}");
    }
    out.close("}");
}
