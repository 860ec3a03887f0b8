//! The search for a toolkit, in the order that the module above documents.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{
    added, cached,
    error::{Error, Looked},
    found::Toolkit,
    install,
    layout::nvcc_below,
    memo::Known,
    origin::Origin,
    receipt::receipt_of,
    request::ToolkitRequest,
    said,
    version::Version,
};
use crate::env::{self, Env};
use crate::lists::CollectVec;

/// Finds the toolkit that a project asks for; installs it when the project asks for that. Progress of an
/// installation goes to stderr.
///
/// # Errors
/// Nothing fits, or the installation failed; see [`Error`].
pub fn find(env: &Env, request: &ToolkitRequest) -> Result<Toolkit, Error> {
    find_with(env, request, &mut |line| eprintln!("{line}"))
}

/// As [`find`], with progress lines given to `progress`.
///
/// # Errors
/// As [`find`].
pub fn find_with(
    env: &Env,
    request: &ToolkitRequest,
    progress: &mut dyn FnMut(&str),
) -> Result<Toolkit, Error> {
    let mut toolkit = compiler(env, request, progress)?;
    for component in &request.components {
        added::add(env, &mut toolkit, component, request.install, progress)?;
    }
    Ok(toolkit)
}

/// What [`find_with`] would find if nothing were to be installed; why there is nothing does not matter.
pub(crate) fn present(env: &Env, request: &ToolkitRequest) -> Option<Toolkit> {
    let quiet = ToolkitRequest {
        install: false,
        ..request.clone()
    };
    let mut toolkit = if request.install && env.get(EXPLICIT).is_none() {
        cached::installed_as(env, request.version?).ok()??
    } else {
        compiler(env, &quiet, &mut |_| {}).ok()?
    };
    for component in &quiet.components {
        added::add(env, &mut toolkit, component, false, &mut |_| {}).ok()?;
    }
    Some(toolkit)
}

/// Names the toolkit, whatever else is there.
const EXPLICIT: &str = "CUBIN_BUILD_TOOLKIT";

fn compiler(
    env: &Env,
    request: &ToolkitRequest,
    progress: &mut dyn FnMut(&str),
) -> Result<Toolkit, Error> {
    let mut search = Search {
        env,
        request,
        looked: Vec::new(),
        unusable: Vec::new(),
    };
    if let Some(value) = env.get(EXPLICIT) {
        return search.explicit(EXPLICIT, PathBuf::from(value));
    }
    search.miss(EXPLICIT, "not set");
    if request.install {
        let wanted = request.version.ok_or(Error::VersionMissing)?;
        return install::ensure(env, wanted, progress);
    }
    for name in ["CUDA_PATH", "CUDA_HOME"] {
        match env.get(name) {
            Some(value) => {
                let root = PathBuf::from(value);
                let place = format!("{name}={}", root.display());
                if let Some(toolkit) = search.root(&place, &root, Origin::Variable(name)) {
                    return Ok(toolkit);
                }
            }
            None => search.miss(name, "not set"),
        }
    }
    if let Some(value) = env.get("NVCC") {
        let place = format!("NVCC={}", value.display());
        let (launcher, named) = launched(PathBuf::from(value));
        let nvcc = match named.to_str() {
            Some(name) if named.components().count() == 1 => env.find_program(name),
            _ => Some(named).filter(|named| env::is_executable(named)),
        };
        match nvcc {
            Some(nvcc) => {
                if let Some(mut toolkit) = search.nvcc(&place, &nvcc, Origin::Variable("NVCC")) {
                    toolkit.launcher = launcher;
                    return Ok(toolkit);
                }
            }
            None => search.leads_nowhere(&place, "no such program"),
        }
    } else {
        search.miss("NVCC", "not set");
    }
    match env.find_program("nvcc") {
        Some(nvcc) => {
            let place = format!("PATH ({})", nvcc.display());
            if let Some(toolkit) = search.nvcc(&place, &nvcc, Origin::Path) {
                return Ok(toolkit);
            }
        }
        None => search.miss("PATH", "no nvcc"),
    }
    for root in request.places() {
        let place = root.display().to_string();
        if let Some(toolkit) = search.root(&place, &root, Origin::Usual) {
            return Ok(toolkit);
        }
    }
    search.installed()
}

struct Search<'a> {
    env: &'a Env,
    request: &'a ToolkitRequest,
    looked: Vec<Looked>,
    /// Variables among them that lead nowhere.
    unusable: Vec<Looked>,
}

impl Search<'_> {
    fn miss(&mut self, place: &str, result: &str) {
        self.looked.push(Looked {
            place: place.to_owned(),
            result: result.to_owned(),
        });
    }

    /// A variable that names no toolkit: passed over, and told of.
    fn leads_nowhere(&mut self, place: &str, result: &str) {
        self.miss(place, result);
        self.unusable.push(Looked {
            place: place.to_owned(),
            result: result.to_owned(),
        });
    }

    /// What the user named must be it.
    fn explicit(&self, name: &'static str, value: PathBuf) -> Result<Toolkit, Error> {
        let origin = Origin::Variable(name);
        let nvcc = if value.is_dir() {
            nvcc_below(&value).ok_or_else(|| format!("there is no {} in it", nvcc_in_bin()))
        } else if env::is_executable(&value) {
            Ok(value.clone())
        } else if value.exists() {
            Err("it is neither a directory nor a program".to_owned())
        } else {
            Err("there is no such directory".to_owned())
        };
        let found = nvcc.and_then(|nvcc| self.open(&nvcc, origin.clone()));
        let toolkit = found.map_err(|why| Error::Variable { name, value, why })?;
        match self.request.version {
            Some(wanted) if !wanted.matches(toolkit.version) => Err(Error::WrongVersion {
                wanted,
                found: toolkit.version,
                nvcc: toolkit.nvcc,
                origin,
            }),
            _ => Ok(toolkit),
        }
    }

    fn root(&mut self, place: &str, root: &Path, origin: Origin) -> Option<Toolkit> {
        match nvcc_below(root) {
            Some(nvcc) => self.nvcc(place, &nvcc, origin),
            None => {
                let result = if root.is_dir() {
                    format!("no {} there", nvcc_in_bin())
                } else {
                    "no such directory".to_owned()
                };
                match origin {
                    Origin::Variable(_) => self.leads_nowhere(place, &result),
                    _ => self.miss(place, &result),
                }
                None
            }
        }
    }

    fn nvcc(&mut self, place: &str, nvcc: &Path, origin: Origin) -> Option<Toolkit> {
        let named = matches!(origin, Origin::Variable(_));
        match self.open(nvcc, origin) {
            Ok(toolkit) if self.wants(toolkit.version) => Some(toolkit),
            Ok(toolkit) => {
                self.miss(place, &format!("is CUDA {}", toolkit.version));
                None
            }
            Err(why) => {
                let why = why.replace('\n', "\n    ");
                if named {
                    self.leads_nowhere(place, &why);
                } else {
                    self.miss(place, &why);
                }
                None
            }
        }
    }

    fn wants(&self, version: Version) -> bool {
        self.request
            .version
            .is_none_or(|wanted| wanted.matches(version))
    }

    fn open(&self, nvcc: &Path, origin: Origin) -> Result<Toolkit, String> {
        let program = resolve(nvcc);
        let Known {
            version,
            mut layout,
        } = said::ask(self.env, &program, self.request.memo.as_deref())
            .map_err(|why| format!("`{}` does not work: {why}", program.display()))?;
        if let Some(given) = nvcc.parent().and_then(Path::parent) {
            layout.known_as(self.env, given);
        }
        // Behind a wrapper, which may do anything, nothing is sure to stay as it is.
        let direct = program.parent() == Some(&layout.here);
        let wheels = receipt_of(&layout.root).filter(|_| direct);
        Ok(Toolkit {
            root: layout.root.clone(),
            nvcc: program,
            version,
            origin,
            unusable: self.unusable.clone(),
            launcher: Vec::new(),
            wheels: wheels.unwrap_or_default(),
            includes: Vec::new(),
            added: Vec::new(),
            layout,
        })
    }

    /// The last resort: what was installed into the cache by hand.
    fn installed(mut self) -> Result<Toolkit, Error> {
        match cached::cache_dir(self.env) {
            Some(cache) => {
                let found = cached::installed(self.env)?;
                let versions: Vec<String> = found
                    .iter()
                    .map(|toolkit| toolkit.version.to_string())
                    .collect_vec();
                if let Some(mut toolkit) = found
                    .into_iter()
                    .rev()
                    .find(|toolkit| self.wants(toolkit.version))
                {
                    toolkit.unusable = self.unusable;
                    return Ok(toolkit);
                }
                let result = if versions.is_empty() {
                    "nothing installed".to_owned()
                } else {
                    format!("holds {}", versions.join(", "))
                };
                self.miss(&cache.display().to_string(), &result);
            }
            None => self.miss("per-user cache", "no home directory"),
        }
        Err(Error::NotFound {
            wanted: self.request.version,
            looked: self.looked,
        })
    }
}

/// Takes `sccache /opt/cuda/bin/nvcc` apart, as people write it who have a launcher; a path with blanks is no such thing.
fn launched(value: PathBuf) -> (Vec<String>, PathBuf) {
    let words: Vec<String> = match value.to_str() {
        Some(text) if !value.exists() => text.split_whitespace().map(str::to_owned).collect_vec(),
        _ => Vec::new(),
    };
    match words.split_last() {
        Some((nvcc, launcher)) if !launcher.is_empty() => (launcher.to_vec(), PathBuf::from(nvcc)),
        _ => (Vec::new(), value),
    }
}

fn nvcc_in_bin() -> String {
    format!("bin/nvcc{}", std::env::consts::EXE_SUFFIX)
}

/// The program to run.
///
/// nvcc looks for its parts beside the name it was started by, so a link to it does not work and is followed to the
/// end; but a link to something else (ccache, a distribution's wrapper) is run by the link's own name.
fn resolve(nvcc: &Path) -> PathBuf {
    let real = fs::canonicalize(nvcc).unwrap_or_else(|_| nvcc.to_owned());
    let profile = real.with_file_name("nvcc.profile");
    if profile.exists() {
        return real;
    }
    std::path::absolute(nvcc).unwrap_or_else(|_| nvcc.to_owned())
}
