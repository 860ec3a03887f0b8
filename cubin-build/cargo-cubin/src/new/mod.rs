//! `cargo cubin new PATH`: a package with a kernel, a policy, a launch and tests.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use anyhow::{Context as _, bail};
use cubin_build::env::Env;

use crate::files::shown;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The package's directory, which must not be there yet
    #[arg(value_name = "PATH")]
    path: PathBuf,
    /// Name of the package; that of the directory without it
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

/// What cargo's own new package gets besides.
const FILES: [(&str, &str); 4] = [
    ("build.rs", include_str!("build.rs")),
    ("cubin.toml", include_str!("cubin.toml")),
    ("kernels/saxpy.cu", include_str!("kernel.cu")),
    ("src/main.rs", include_str!("main.rs")),
];

/// The dependencies that the generated code and the build script have.
const CUDARC: &str = "cudarc = { version = \"0.19\", default-features = false, features = [\"std\", \"driver\", \"dynamic-loading\", \"cuda-12080\"] }";

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let path = &args.path;
    if path.exists() {
        bail!("{} is there already; name a new directory", shown(path));
    }
    let program = Env::process()
        .peek("CARGO")
        .unwrap_or_else(|| "cargo".into());
    let mut cargo = Command::new(&program);
    cargo.arg("new").arg("--bin");
    if let Some(name) = &args.name {
        cargo.args(["--name", name]);
    }
    let status = cargo
        .arg("--")
        .arg(path)
        .status()
        .with_context(|| format!("cannot run {}", shown(Path::new(&program))))?;
    if !status.success() {
        return Ok(ExitCode::FAILURE);
    }
    for (file, text) in FILES {
        let file = path.join(file);
        if let Some(dir) = file.parent() {
            fs::create_dir_all(dir).with_context(|| format!("cannot create {}", shown(dir)))?;
        }
        fs::write(&file, text).with_context(|| format!("cannot write {}", shown(&file)))?;
    }
    let manifest = path.join("Cargo.toml");
    let text = fs::read_to_string(&manifest)
        .with_context(|| format!("cannot read {}", shown(&manifest)))?;
    fs::write(&manifest, depend(&text))
        .with_context(|| format!("cannot write {}", shown(&manifest)))?;
    eprintln!(
        "      Added a kernel with its policy; next: `cargo run`, and `cargo cubin check` for what it uses"
    );
    Ok(ExitCode::SUCCESS)
}

/// The manifest with what the files need.
fn depend(manifest: &str) -> String {
    let build = format!(
        "\n[build-dependencies]\ncubin-build = \"{}\"\n",
        env!("CARGO_PKG_VERSION")
    );
    let line = "[dependencies]\n";
    let text = match manifest.split_once(line) {
        Some((before, after)) => format!("{before}{line}{CUDARC}\n{after}"),
        None => format!("{manifest}\n{line}{CUDARC}\n"),
    };
    text + &build
}

#[cfg(test)]
mod tests {
    use super::depend;

    #[test]
    fn dependencies_stand_in_their_tables() {
        for manifest in [
            "[package]\nname = \"x\"\n\n[dependencies]\n",
            "[package]\nname = \"x\"\n",
        ] {
            let text = depend(manifest);
            let table: toml::Table = text.parse().expect("a manifest");
            assert!(table["dependencies"].get("cudarc").is_some(), "{text}");
            assert!(
                table["build-dependencies"].get("cubin-build").is_some(),
                "{text}"
            );
        }
    }
}
