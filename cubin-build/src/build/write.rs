//! The last phase: the generated file, and the images beside it.

use std::path::{Path, PathBuf};

use cubin_core::json::Object;

use super::{
    fatbin::{self, Fatbin},
    kernels::{Embedded, Module},
    problem::Problem,
    settings::Settings,
};
use crate::{
    cache, codegen,
    diag::Sink,
    env::Env,
    lists::{AddAll, CollectText},
    sorted::Set,
    toolkit::Toolkit,
};

/// All that is written.
pub(super) struct Generated<'b> {
    text: String,
    /// What the machine code does not say of its kernels.
    sidecar: String,
    files: Vec<Embedded<'b>>,
    fatbins: Vec<Fatbin>,
}

/// What was written.
pub(super) struct Written {
    /// The generated file.
    pub(super) generated: PathBuf,
    pub(super) cubins: Vec<PathBuf>,
    pub(super) ptx: Vec<PathBuf>,
}

/// The text of the generated file; what cannot be generated goes into `sink`.
pub(super) fn generate<'b>(
    settings: &Settings,
    modules: Vec<Module<'b>>,
    #[cfg(feature = "library")] host: Vec<codegen::HostModule>,
    sink: &mut Sink,
) -> Generated<'b> {
    let mut files = Vec::new();
    let mut fatbins = Vec::new();
    let mut sidecar = String::new();
    let mut input = codegen::Input {
        modules: Vec::new(),
        #[cfg(feature = "library")]
        host,
        backend: settings.backend.clone(),
        half: settings.half,
        runtime: settings.runtime,
    };
    for module in modules {
        files.add_all(module.files);
        fatbins.add_all(Fatbin::of(&module.module));
        // A writer that takes everything has no errors.
        let _ = describe(settings, &module.module, &mut sidecar);
        input.modules.push(module.module);
    }
    let generated = codegen::generate(&input);
    for finding in generated.findings {
        sink.push(finding.into());
    }
    Generated {
        text: generated.text,
        sidecar,
        files,
        fatbins,
    }
}

/// A line of JSON for each cubin of a module: where its kernels stand in the sources, and what the compiler said of them.
/// Whoever finds the cubin in an executable looks it up by its bytes (`cargo cubin check --artifact`).
fn describe(
    settings: &Settings,
    module: &codegen::Module,
    out: &mut String,
) -> cubin_core::Result<()> {
    let images = module.images.iter();
    for image in images.filter(|image| image.assembled_for.is_none()) {
        let mut object = Object::open(out)?;
        object.string("image", &image.file)?;
        object.string("root", &settings.root.to_string_lossy())?;
        let kernels = module.facts.iter();
        let kernels = kernels.filter_map(|(_, targets)| targets.get(&image.target));
        object.array("kernels", kernels, |out, facts| {
            let mut object = Object::open(out)?;
            object.string("symbol", &facts.symbol)?;
            object.string("name", &facts.name)?;
            object.strings("sources", &facts.sources)?;
            if let Some(place) = &facts.place {
                object.string("file", &place.file.path().to_string_lossy())?;
                object.number("line", &place.start().0)?;
            }
            if let Some(spills) = facts.spills {
                object.number("spill_stores", &spills.stores)?;
                object.number("spill_loads", &spills.loads)?;
            }
            object.optional("dynamic_shared", facts.resources.dynamic_shared)?;
            object.close()
        })?;
        object.close()?;
        out.push('\n');
    }
    Ok(())
}

/// Writes cubins and PTX first, then the file that includes them; then those of earlier builds go.
pub(super) fn run(
    settings: &Settings,
    env: &Env,
    toolkit: Option<&Toolkit>,
    generated: &Generated<'_>,
) -> Result<Written, Problem> {
    let mut written = Written {
        generated: settings.out_dir.join(&settings.out_file),
        cubins: Vec::new(),
        ptx: Vec::new(),
    };
    for file in &generated.files {
        let path = settings.out_dir.join(&file.name);
        write(&path, file.bytes)?;
        if file.is_ptx {
            written.ptx.push(path);
        } else {
            written.cubins.push(path);
        }
    }
    for fatbin in &generated.fatbins {
        fatbin.make(settings, env, toolkit, &generated.files)?;
    }
    let sidecar = format!("{}.kernels.jsonl", settings.out_file);
    write(
        &settings.out_dir.join(sidecar),
        generated.sidecar.as_bytes(),
    )?;
    write(&written.generated, generated.text.as_bytes())?;
    forget_others(settings, generated);
    Ok(written)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Problem> {
    cache::write_if_changed(path, bytes)
        .map(|_| ())
        .map_err(|error| Problem::CannotWrite(path.to_owned(), error.to_string()))
}

/// Removes cubins and PTX that an earlier run of the same builder wrote and this one did not.
fn forget_others(settings: &Settings, generated: &Generated<'_>) {
    let list = format!("{}.images.txt", settings.out_file);
    let list = settings.out_dir.join(list);
    let files = generated.files.iter().map(|file| file.name.clone());
    let fatbins = generated.fatbins.iter().flat_map(Fatbin::files);
    let now: Set<String> = files.chain(fatbins).collect();
    let before = std::fs::read_to_string(&list).unwrap_or_default();
    for name in before.lines().filter(|name| !now.contains(*name)) {
        // Only plain names in our own directory; leftovers do no harm, so a failure does not concern the user.
        if Path::new(name).components().count() == 1
            && [".cubin", ".ptx", ".fatbin", fatbin::KEY]
                .iter()
                .any(|end| name.ends_with(end))
        {
            let _ = std::fs::remove_file(settings.out_dir.join(name));
        }
    }
    let lines: String = now.iter().map(|name| format!("{name}\n")).collect_text();
    let _ = cache::write_if_changed(&list, lines.as_bytes());
}
