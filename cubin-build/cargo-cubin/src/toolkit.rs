//! `cargo cubin toolkit install|list|path`: CUDA toolkits in the per-user cache, and the one that a build would use.

use std::{io::Write as _, process::ExitCode};

use anyhow::bail;
use cubin_build::{
    env::Env,
    toolkit::{self, Request, Wanted},
};

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Install NVIDIA's wheels of a toolkit into the per-user cache, with uv or pip
    Install {
        /// For example 13.5 (the newest 13.5.x) or 13.5.37
        version: Wanted,
    },
    /// List the toolkits in the per-user cache
    List,
    /// Print the root directory of the toolkit that a build would use
    Path {
        /// Of this version; of any otherwise
        version: Option<Wanted>,
    },
}

pub(crate) fn run(command: &Command) -> anyhow::Result<ExitCode> {
    let env = Env::process();
    let mut out = std::io::stdout().lock();
    match command {
        Command::Install { version } => {
            let toolkit = toolkit::install(&env, *version, &mut |line| eprintln!("{line}"))?;
            writeln!(
                out,
                "CUDA {} is in {}",
                toolkit.version,
                toolkit.root.display()
            )?;
        }
        Command::List => {
            let installed = toolkit::installed(&env)?;
            if installed.is_empty() {
                let Some(cache) = toolkit::cache_dir(&env) else {
                    bail!(toolkit::Error::NoCacheDir)
                };
                // Nothing on stdout, for scripts.
                eprintln!(
                    "no toolkit is installed in {}; `cargo cubin toolkit install 13.5` installs one",
                    cache.display()
                );
            }
            for toolkit in installed {
                writeln!(
                    out,
                    "{:<10} {}",
                    toolkit.version.to_string(),
                    toolkit.root.display()
                )?;
            }
        }
        Command::Path { version } => {
            let toolkit = toolkit::find(
                &env,
                &Request {
                    version: *version,
                    ..Request::default()
                },
            )?;
            writeln!(out, "{}", toolkit.root.display())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
