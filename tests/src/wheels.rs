//! Wheels of PyPI, for tests over device code of real packages.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Runs a command to its end.
///
/// # Errors
/// What it said.
pub fn run(command: &mut Command) -> Result<(), String> {
    let output = command
        .output()
        .map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    ))
}

/// Fetches and unpacks into `store` the wheels of a list (package==version, tag for pip) that are not there yet; gives the
/// directory of each package by its wheel's name.
///
/// # Errors
/// What pip, Python or the file system said.
pub fn unpack(store: &Path, list: &Path) -> Result<HashMap<String, PathBuf>, String> {
    let text = |error: std::io::Error| error.to_string();
    let rows = fs::read_to_string(list).map_err(text)?;
    let mut packages = HashMap::new();
    for row in rows.lines().skip(1) {
        let mut columns = row.split('\t');
        let (Some(package), Some(tag)) = (columns.next(), columns.next()) else {
            return Err(format!("bad row of the list: {row:?}"));
        };
        let (name, version) = package
            .split_once("==")
            .ok_or("a package without a version")?;
        let key = format!("{}-{version}", name.replace('-', "_"));
        let target = store.join(&key);
        if !target.is_dir() {
            let wheels = store.join(format!("{key}.part"));
            let _ = fs::remove_dir_all(&wheels);
            let mut pip = Command::new("python3");
            pip.args([
                "-m",
                "pip",
                "download",
                "--quiet",
                "--no-deps",
                "--only-binary=:all:",
            ]);
            if tag != "-" {
                pip.args(tag.split(' '));
            }
            run(pip.arg(package).arg("-d").arg(&wheels))?;
            let wheel = fs::read_dir(&wheels)
                .map_err(text)?
                .filter_map(Result::ok)
                .map(|entry| entry.path())
                .find(|path| path.extension().is_some_and(|end| end == "whl"))
                .ok_or("pip left no wheel")?;
            let unpacked = wheels.join("unpacked");
            run(Command::new("python3")
                .args(["-m", "zipfile", "-e"])
                .arg(&wheel)
                .arg(&unpacked))?;
            // Only a whole package gets the final name.
            fs::rename(&unpacked, &target).map_err(text)?;
            fs::remove_dir_all(&wheels).map_err(text)?;
        }
        packages.insert(key, target);
    }
    Ok(packages)
}
