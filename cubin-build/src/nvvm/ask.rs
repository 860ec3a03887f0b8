//! What a libnvvm says of itself: versions, and which LLVM reads modules for a target.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{self, Command},
};

use super::WORKER;
use crate::env::Env;

/// What libnvvm answers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Versions {
    /// libnvvm's own version: major and minor.
    pub own: [u32; 2],
    /// Of NVVM IR, and of its debug information: major and minor each.
    pub ir: [u32; 4],
    /// The targets that were asked about and that it knows, each with the version of the LLVM that reads modules for it;
    /// libraries before CUDA 13 cannot be asked, and the answer is what is known of them.
    pub llvm: Vec<(u32, u32)>,
}

/// The command that makes the program which runs libnvvm: `program` of the text at `source`.
pub fn compiler(env: &Env, source: &Path, program: &Path) -> Command {
    // Cargo says which compiler it uses; by hand it is the one on PATH.
    let rustc = env
        .peek("RUSTC")
        .map_or_else(|| PathBuf::from("rustc"), PathBuf::from);
    let mut command = env.command(rustc);
    command
        .args([
            "--edition=2024",
            "--crate-name=cubin_build_worker",
            "-Copt-level=1",
            "-o",
        ])
        .arg(program)
        .arg(source);
    command
}

/// Asks a library about itself and about targets (`90` for `compute_90`), in a process of its own, which is compiled in the
/// system's folder for temporary files.
///
/// # Errors
/// When the program cannot be compiled, or the library cannot be loaded; the text says why.
pub fn ask(env: &Env, library: &Path, targets: &[u32]) -> Result<Versions, String> {
    let dir = std::env::temp_dir().join(format!("cubin-build-nvvm-{}", process::id()));
    let answer = fs::create_dir_all(&dir)
        .map_err(|error| format!("cannot use {}: {error}", dir.display()))
        .and_then(|()| ask_in(env, library, targets, &dir));
    // What is left there is the system's to remove.
    let _ = fs::remove_dir_all(&dir);
    answer
}

fn ask_in(env: &Env, library: &Path, targets: &[u32], dir: &Path) -> Result<Versions, String> {
    let source = dir.join("worker.rs");
    let program = dir.join(format!("worker{}", std::env::consts::EXE_SUFFIX));
    fs::write(&source, WORKER)
        .map_err(|error| format!("cannot write {}: {error}", source.display()))?;
    let mut rustc = compiler(env, &source, &program);
    let made = output(&mut rustc)?;
    if !made.0 {
        return Err(format!("rustc cannot compile what asks it: {}", made.1));
    }
    let mut asks = env.command(&program);
    asks.arg(library).arg("ask");
    for target in targets {
        asks.arg(format!("compute_{target}"));
    }
    match output(&mut asks)? {
        (true, said) => {
            read(&said).ok_or_else(|| format!("its answer is not understood: {}", said.trim()))
        }
        (false, said) => {
            let why = said.split_once('\n').map_or(said.as_str(), |(_, why)| why);
            Err(why.trim().to_owned())
        }
    }
}

/// Whether a command succeeded, and what it printed.
fn output(command: &mut Command) -> Result<(bool, String), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .map_err(|error| format!("cannot run {program}: {error}"))?;
    let said = if output.stdout.is_empty() {
        output.stderr
    } else {
        output.stdout
    };
    let said = String::from_utf8_lossy(&said).into_owned();
    Ok((output.status.success(), said))
}

fn read(said: &str) -> Option<Versions> {
    let mut versions = Versions::default();
    for line in said.lines() {
        let mut words = line.split(' ');
        let what = words.next()?;
        let mut next = || words.next()?.parse::<u32>().ok();
        match what {
            "version" => versions.own = [next()?, next()?],
            "ir" => versions.ir = [next()?, next()?, next()?, next()?],
            "llvm" => {
                let (target, version) = line.strip_prefix("llvm compute_")?.split_once(' ')?;
                let read = (target.parse().ok()?, version.parse().ok()?);
                versions.llvm.push(read);
            }
            _ => {}
        }
    }
    (versions.own != [0, 0]).then_some(versions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read() {
        let said = "version 2 0\nir 2 0 3 2\nllvm compute_90 7\nllvm compute_100 22\n";
        let versions = read(said).unwrap();
        assert_eq!((versions.own, versions.ir), ([2, 0], [2, 0, 3, 2]));
        assert_eq!(versions.llvm, [(90, 7), (100, 22)]);
        for damaged in [
            "",
            "version 2\n",
            "version 2 0\nllvm compute_x 7\n",
            "ir 2 0 3\n",
        ] {
            assert_eq!(read(damaged), None, "{damaged}");
        }
    }
}
