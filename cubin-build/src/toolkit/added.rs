//! Components with a toolkit: those that are there, and those that a project asks for.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{
    cached,
    component::{COMPONENTS, Component, directory},
    error::Error,
    found::Toolkit,
    install::{self, Part},
    receipt::RECEIPT,
};
use crate::{env::Env, lists::CollectVec};

/// The directories of the components that were installed with a toolkit of the cache.
pub(super) fn homes(toolkit: &Toolkit) -> Vec<PathBuf> {
    let home = toolkit.root.parent().and_then(Path::parent);
    let Some(home) = home.filter(|_| toolkit.is_immutable()) else {
        return Vec::new();
    };
    let beside = COMPONENTS.iter().map(|component| {
        let name = directory(toolkit.version, component);
        home.with_file_name(name)
    });
    beside.filter(|home| home.is_dir()).collect_vec()
}

/// The components whose headers are there: in the toolkit, or installed beside it.
#[must_use]
pub fn components(toolkit: &Toolkit) -> Vec<&'static Component> {
    let beside = homes(toolkit);
    let mut found = Vec::new();
    for component in COMPONENTS {
        let mut own = toolkit.layout.headers.iter();
        let name = directory(toolkit.version, component);
        let mut homes = beside.iter().filter(|home| home.ends_with(&name));
        if own.any(|dir| dir.join(component.header).is_file())
            || homes.any(|home| component.headers(home).is_some())
        {
            found.push(component);
        }
    }
    found
}

/// Makes a component's headers those of the toolkit, unless it has them; installs it where `install` says so.
///
/// # Errors
/// It is not there, or cannot be installed.
pub(super) fn add(
    env: &Env,
    toolkit: &mut Toolkit,
    component: &'static Component,
    install: bool,
    progress: &mut dyn FnMut(&str),
) -> Result<(), Error> {
    let mut own = toolkit.layout.headers.iter();
    if own.any(|dir| dir.join(component.header).is_file()) {
        return Ok(());
    }
    let known = cached::toolkits_dir(env).and_then(|dir| {
        let home = dir.join(directory(toolkit.version, component));
        Some((component.headers(&home)?, home))
    });
    let (headers, home) = match known {
        Some(found) => {
            cached::trust(env, found.1.parent().unwrap_or(&found.1))?;
            found
        }
        None if install => {
            let part = Part::Component(component, toolkit.version);
            let home = install::provide(env, part, false, progress)?;
            let broken = || Error::ComponentBroken(component);
            (component.headers(&home).ok_or_else(broken)?, home)
        }
        None => return Err(Error::ComponentMissing(component, toolkit.version)),
    };
    let receipt = fs::read_to_string(home.join(RECEIPT)).unwrap_or_default();
    toolkit
        .added
        .push(format!("{} {}", headers.display(), receipt.trim_end()));
    toolkit.layout.headers.push(headers.clone());
    toolkit.includes.push(headers);
    Ok(())
}

/// Installs a component for a toolkit, in place of one that is there where `anew` says so; yields its directory.
///
/// # Errors
/// As [`super::install()`].
pub fn install_component(
    env: &Env,
    toolkit: &Toolkit,
    component: &'static Component,
    anew: bool,
    progress: &mut dyn FnMut(&str),
) -> Result<PathBuf, Error> {
    let part = Part::Component(component, toolkit.version);
    install::provide(env, part, anew, progress)
}
