//! What nvcc says of itself.

use std::path::Path;

use super::{
    layout::Layout,
    memo::{self, Known},
    receipt::receipt_of,
    version::Version,
};
use crate::env::Env;

/// The version and the layout of a toolkit by its nvcc: from the memo, else by asking it.
pub(super) fn ask(env: &Env, nvcc: &Path, memo: Option<&Path>) -> Result<Known, String> {
    let memo = memo.and_then(|memo| Some((memo, memo::key(env, nvcc)?)));
    if let Some((memo, key)) = &memo
        && let Some(known) = memo::recall(memo, key)
    {
        return Ok(known);
    }
    let version = version_of(env, nvcc)?;
    let here = nvcc.parent().unwrap_or(nvcc);
    let direct = here.join("nvcc.profile").exists();
    let installed = direct && here.parent().and_then(receipt_of).is_some();
    let asked = if installed {
        None
    } else {
        Layout::ask(env, nvcc)
    };
    // Where no host compiler is, the next build may have one, and a wrapper hides where the parts are.
    let certain = asked.is_some() || direct;
    let layout = asked.unwrap_or_else(|| Layout::usual(env, here));
    let known = Known { version, layout };
    if let Some((memo, key)) = &memo
        && certain
    {
        memo::keep(memo, nvcc, key, &known);
    }
    Ok(known)
}

/// What `nvcc --version` says.
pub(super) fn version_of(env: &Env, nvcc: &Path) -> Result<Version, String> {
    let output = env
        .command(nvcc)
        .arg("--version")
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let version = Version::from_nvcc(&text).filter(|_| output.status.success());
    version.ok_or_else(|| {
        let all = format!("{text}{}", String::from_utf8_lossy(&output.stderr));
        let all = match all.trim() {
            "" => "and printed nothing".to_owned(),
            all => format!("and printed:\n{all}"),
        };
        format!("`--version` ended with {} {all}", output.status)
    })
}
