//! Findings of what is wrong with the toolkit.

use super::{Error, Looked, Toolkit, error::Headline, record::recorded};
use crate::diag::{Diag, codes};
use crate::lists::{AddAll, CollectVec, Figures};
use crate::words::counted;

impl From<&Error> for Diag {
    fn from(error: &Error) -> Self {
        let code = match error {
            Error::NotFound { .. } | Error::Variable { .. } | Error::WrongVersion { .. } => {
                codes::TOOLKIT_NOT_FOUND
            }
            Error::ComponentMissing(..) => codes::TOOLKIT_NOT_FOUND,
            _ => codes::TOOLKIT_INSTALL_FAILED,
        };
        let mut diag = Self::error(code, Headline(error).to_string());
        diag.notes.add_all(error.note());
        diag.help.add_all(error.help());
        diag
    }
}

/// A warning for each variable that was to name a toolkit and names none.
pub(crate) fn unusable(toolkit: &Toolkit) -> Vec<Diag> {
    let warning = |Looked { place, result }: &Looked| {
        let name = place.split('=').next().unwrap_or(place);
        let headline = format!("`{place}` names no CUDA toolkit: {result}");
        let mut diag = Diag::warning(codes::TOOLKIT_VARIABLE, headline);
        diag.notes.push(format!("{toolkit} is used instead"));
        diag.help.push(match name {
            "NVCC" => "set NVCC to an nvcc, or unset it".to_owned(),
            _ => format!("set {name} to the directory that holds bin/nvcc, or unset it"),
        });
        diag
    };
    let mut all = toolkit.unusable.iter().map(warning).collect_vec();
    if !toolkit.launcher.is_empty() {
        let launcher = toolkit.launcher.join(" ");
        let headline = format!(
            "`{launcher}`, which NVCC names before nvcc, is put before cicc and ptxas instead"
        );
        let note =
            "what nvcc starts can be kept; a whole run of nvcc leaves too many files for that";
        let help = format!("say so: CUBIN_BUILD_LAUNCHER={launcher}, and NVCC for nvcc alone");
        let diag = Diag::warning(codes::TOOLKIT_VARIABLE, headline);
        all.push(diag.note(note).help(help));
    }
    all
}

/// What a compiler that failed may have failed for: files of an installed toolkit that are not as its wheels record them.
pub(crate) fn damaged(toolkit: &Toolkit) -> Option<Diag> {
    // A record that cannot be read is damage, too.
    let (what, others) = match recorded(toolkit) {
        Ok(files) => {
            let mut damaged = files.iter().filter_map(|file| Some((file, file.damage()?)));
            let (first, what) = damaged.next()?;
            (
                format!("`{}` {what}", first.path.display()),
                damaged.how_many(),
            )
        }
        Err(error) => (Headline(&error).to_string(), 0),
    };
    let version = toolkit.version;
    let headline = format!("the CUDA toolkit {version} in the per-user cache is damaged: {what}");
    let mut diag = Diag::error(codes::TOOLKIT_DAMAGED, headline);
    if others > 0 {
        let files = counted(others as u64, "more file");
        diag = diag.note(format!("{files} not as NVIDIA's wheels record them"));
    }
    Some(
        diag.help(format!(
            "`cargo cubin toolkit install --force {version}` installs it anew"
        ))
        .help("`cargo cubin toolkit verify` compares the content of every file"),
    )
}
