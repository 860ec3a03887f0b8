//! `cargo cubin toolkit install|list|path|verify|remove`: CUDA toolkits in the per-user cache, and the one that a build
//! would use.

use std::{
    fs::File,
    io::{self, Write as _},
    process::ExitCode,
};

use anyhow::bail;
use cubin_build::{
    env::Env,
    toolkit::{self, Component, Recorded, Toolkit, ToolkitRequest, Wanted},
};
use sha2::Digest as _;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Install NVIDIA's wheels of a toolkit into the per-user cache, with uv or pip
    Install {
        /// For example 13.5 (the newest 13.5.x) or 13.5.37
        version: Wanted,
        /// Also these libraries, whose headers kernels include: cublas, cufft, curand, cusparse, cutlass, nvtx
        #[arg(long, value_name = "COMPONENT", value_delimiter = ',', value_parser = component)]
        with: Vec<&'static Component>,
        /// Install it anew, in place of the one that is there
        #[arg(long)]
        force: bool,
    },
    /// Compare every file of the toolkits in the per-user cache with what NVIDIA's wheels record: size and SHA-256
    Verify {
        /// Only this version; all otherwise
        version: Option<Wanted>,
    },
    /// Remove a toolkit from the per-user cache
    Remove {
        /// For example 13.5 (every 13.5.x) or 13.5.37
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
        Command::Install {
            version,
            with,
            force,
        } => {
            let install = if *force {
                toolkit::reinstall
            } else {
                toolkit::install
            };
            let progress = &mut |line: &str| eprintln!("{line}");
            let toolkit = install(&env, *version, progress)?;
            writeln!(
                out,
                "CUDA {} is in {}",
                toolkit.version,
                toolkit.root.display()
            )?;
            for component in with {
                let home = toolkit::install_component(&env, &toolkit, component, *force, progress)?;
                writeln!(out, "{} is in {}", component.library, home.display())?;
            }
        }
        Command::Verify { version } => return verify(&env, *version, &mut out),
        Command::Remove { version } => {
            let gone = toolkit::remove(&env, *version)?;
            if gone.is_empty() {
                bail!("no toolkit {version} is in the per-user cache");
            }
            for path in gone {
                writeln!(out, "removed {}", path.display())?;
            }
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
                &ToolkitRequest {
                    version: *version,
                    ..ToolkitRequest::default()
                },
            )?;
            writeln!(out, "{}", toolkit.root.display())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A component by its name.
fn component(name: &str) -> Result<&'static Component, String> {
    Component::named(name).ok_or_else(|| {
        let known: Vec<&str> = toolkit::COMPONENTS.iter().map(|known| known.name).collect();
        format!("there are {}", known.join(", "))
    })
}

/// More damaged files of a toolkit are counted, not listed.
const MOST_SHOWN: usize = 20;

fn verify(env: &Env, wanted: Option<Wanted>, out: &mut impl io::Write) -> anyhow::Result<ExitCode> {
    let toolkits: Vec<Toolkit> = toolkit::installed(env)?
        .into_iter()
        .filter(|toolkit| wanted.is_none_or(|wanted| wanted.matches(toolkit.version)))
        .collect();
    if toolkits.is_empty() {
        match wanted {
            Some(wanted) => bail!(
                "no whole toolkit {wanted} is in the per-user cache; `cargo cubin toolkit install --force {wanted}` installs \
                 it anew"
            ),
            None => bail!("no toolkit is in the per-user cache"),
        }
    }
    let mut status = ExitCode::SUCCESS;
    for toolkit in toolkits {
        let files = toolkit::recorded(&toolkit)?;
        let damaged: Vec<(&Recorded, String)> = files
            .iter()
            .filter_map(|file| Some((file, damage(file)?)))
            .collect();
        if damaged.is_empty() {
            writeln!(
                out,
                "CUDA {}: {} files are as NVIDIA's wheels record them",
                toolkit.version,
                files.len()
            )?;
            continue;
        }
        status = ExitCode::FAILURE;
        writeln!(
            out,
            "CUDA {}: {} of {} files are not as NVIDIA's wheels record them",
            toolkit.version,
            damaged.len(),
            files.len()
        )?;
        for (file, what) in damaged.iter().take(MOST_SHOWN) {
            writeln!(out, "  {} {what} ({})", file.path.display(), file.wheel)?;
        }
        if damaged.len() > MOST_SHOWN {
            writeln!(out, "  and {} more", damaged.len() - MOST_SHOWN)?;
        }
        writeln!(
            out,
            "  `cargo cubin toolkit install --force {}` installs it anew",
            toolkit.version
        )?;
    }
    Ok(status)
}

/// What is wrong with a file, its content included.
fn damage(file: &Recorded) -> Option<String> {
    if let Some(damage) = file.damage() {
        return Some(damage.to_string());
    }
    let recorded = file.sha256.as_ref()?;
    let mut hasher = sha2::Sha256::new();
    let read = File::open(&file.path).and_then(|mut file| io::copy(&mut file, &mut hasher));
    if let Err(error) = read {
        return Some(format!("cannot be read: {error}"));
    }
    (base64(&hasher.finalize()) != *recorded).then(|| "has another content".to_owned())
}

/// URL-safe base64 without padding (RFC 4648, section 5).
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let mut word = [0_u8; 4];
        word[1..=chunk.len()].copy_from_slice(chunk);
        let word = u32::from_be_bytes(word);
        for index in 0..=chunk.len() {
            let six = word >> (18 - 6 * index) & 63;
            text.push(char::from(LETTERS[six as usize]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_rfc_4648() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg"),
            ("fo", "Zm8"),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(base64(&[0xfb, 0xff]), "-_8");
    }
}
