//! What nvlink is given, read before it runs: it leaves out what it cannot link without a word, and reports success.
//!
//! Left out by nvlink 13.5 with exit status 0: whole-program cubins, alone or in objects; cubins that are cut off, that
//! have section headers of another size or another byte order; cubins in archives; archives without code for the target.

use std::path::{Path, PathBuf};

use cubin_core::{
    Cubin, Error, ErrorKind, Result as Read, Sm,
    cubin::ObjectKind,
    fatbin::{Budget, Entry},
    host::{self, Code, DeviceCode, FileKind},
};

use crate::compile::Cause;
use crate::lists::{CollectVec, Figures};

/// A kernel that the linked cubin must have, with the file that it comes from.
pub(super) struct Wanted {
    pub(super) symbol: String,
    pub(super) file: PathBuf,
}

/// Why an input cannot be linked.
enum Refused {
    Damaged(Error),
    /// `is`, or what holds it.
    WholeProgram(String),
    CubinInArchive(String),
    Target(Vec<Sm>),
    Nothing,
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self::Damaged(error)
    }
}

impl Refused {
    fn text(&self, target: Sm) -> String {
        match self {
            Self::Damaged(error) => format!("cannot be read: {error}"),
            Self::WholeProgram(holds) => {
                format!(
                    "{holds} a whole program, which nvlink leaves out: make it with `-rdc=true`"
                )
            }
            Self::CubinInArchive(member) => format!(
                "holds the cubin {member}, which nvlink leaves out: name the cubin itself, or put objects into archives"
            ),
            Self::Target(held) => {
                let held: Vec<String> = held.iter().map(Sm::to_string).collect_vec();
                format!("holds no code for {target}, only for {}", held.join(", "))
            }
            Self::Nothing => "holds no device code".to_owned(),
        }
    }
}

/// Kernels of the file `shown` with these bytes, as nvlink links it for `target`.
pub(super) fn kernels(bytes: &[u8], shown: &Path, target: Sm) -> Result<Vec<Wanted>, Cause> {
    let mut symbols = Vec::new();
    match read(bytes, target, &mut symbols) {
        Ok(()) => Ok(symbols
            .into_iter()
            .map(|symbol| Wanted {
                symbol,
                file: shown.to_owned(),
            })
            .collect_vec()),
        Err(refused) => Err(Cause::Input {
            path: shown.to_owned(),
            why: refused.text(target),
        }),
    }
}

/// The symbols of the kernels of a linked cubin.
pub(super) fn linked(bytes: &[u8]) -> Read<Vec<String>> {
    let mut symbols = Vec::new();
    add(&Cubin::parse(bytes)?, &mut symbols)?;
    Ok(symbols)
}

fn add(cubin: &Cubin<'_>, symbols: &mut Vec<String>) -> Read<()> {
    for kernel in cubin.kernels()? {
        symbols.push(kernel.symbol.to_owned());
    }
    Ok(())
}

fn read(bytes: &[u8], target: Sm, symbols: &mut Vec<String>) -> Result<(), Refused> {
    let kind = FileKind::of(bytes);
    if kind == FileKind::Cubin {
        let cubin = linkable(bytes, "is")?;
        let recorded = cubin.target()?;
        if !recorded.runs_on(target) {
            return Err(Refused::Target(vec![recorded]));
        }
        return Ok(add(&cubin, symbols)?);
    }
    // PTX as text, and what nvlink itself complains of.
    if kind == FileKind::Other {
        return Ok(());
    }
    let mut objects: Vec<Object<'_>> = Vec::new();
    for code in host::device_code(bytes) {
        let DeviceCode {
            member,
            section,
            code,
            ..
        } = code?;
        // nvlink looks into nvcc's sections, and takes files that are device code themselves.
        if section.is_some_and(|section| !host::FATBIN_SECTIONS.contains(&section)) {
            continue;
        }
        let name = member.unwrap_or_default().into_owned();
        let entry = match code {
            Code::Entry(entry) => entry,
            Code::Cubin { .. } => return Err(Refused::CubinInArchive(name)),
            Code::Ptx { .. } => continue,
        };
        // Where nvcc puts device code that is linked already.
        if section == Some(".nv_fatbin") {
            return Err(Refused::WholeProgram(match name.as_str() {
                "" => "holds".to_owned(),
                member => format!("holds, in its member {member},"),
            }));
        }
        match objects.iter_mut().find(|object| object.name == name) {
            Some(object) => object.entries.push(entry),
            None => objects.push(Object {
                name,
                entries: vec![entry],
                told: section.is_some(),
            }),
        }
    }
    if objects.is_empty() {
        return Err(Refused::Nothing);
    }
    let mut budget = Budget::new(bytes.len());
    for object in &objects {
        object.read(target, &mut budget, symbols)?;
    }
    Ok(())
}

/// The device code of an object, of a member of an archive, or of a fatbin.
struct Object<'a> {
    name: String,
    entries: Vec<Entry<'a>>,
    /// The section says that it is relocatable.
    told: bool,
}

impl Object<'_> {
    fn read(
        &self,
        target: Sm,
        budget: &mut Budget,
        symbols: &mut Vec<String>,
    ) -> Result<(), Refused> {
        let cubins = || self.entries.iter().filter(|entry| entry.is_cubin());
        let held = |entry: &Entry<'_>| entry.target().filter(|held| held.runs_on(target));
        let best = cubins().filter_map(held).largest();
        let Some(best) = best else {
            let is_made = |entry: &Entry<'_>| {
                let held = entry.target();
                !entry.is_cubin() && held.is_some_and(|held| held.compiles_for(target))
            };
            // nvlink makes code of PTX, and of the compiler's own form.
            if self.entries.iter().any(is_made) {
                return Ok(());
            }
            let all = self.entries.iter();
            return Err(Refused::Target(all.filter_map(Entry::target).collect_vec()));
        };
        for entry in cubins().filter(|entry| entry.target() == Some(best)) {
            match budget.image(entry) {
                Ok(image) => add(&linkable(&image, "holds")?, symbols)?,
                // Without the feature that unpacks it its section must do.
                Err(error) if self.told && error.kind() == ErrorKind::Unsupported => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

/// A cubin that nvlink does not leave out.
fn linkable<'a>(bytes: &'a [u8], holds: &str) -> Result<Cubin<'a>, Refused> {
    let cubin = Cubin::parse(bytes)?;
    match cubin.kind() {
        ObjectKind::Executable => Err(Refused::WholeProgram(holds.to_owned())),
        _ => Ok(cubin),
    }
}
