//! Static libraries: the functions of their objects, and the archives that the crate is linked with.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{
    compile::Compiled,
    outcome::StaticLibrary,
    places::Places,
    problem::Problem,
    settings::Settings,
    sources::{Sources, library::Library},
};
use crate::{
    cache::{self, ContentHash, Stamp},
    codegen,
    compile::{HostFunction, Object},
    diag::{Diag, Level, Sink},
    env::Env,
    lists::{CollectSome, CollectVec, Figures},
    options::Cudart,
    signature::{
        self,
        host::{HostType, host_type},
    },
    sorted,
};

/// First line of an archive's record; another number is another way to make one.
const FORMAT: &str = "cubin-build library 1";
/// What the archiver is chosen by, besides the target.
const VARIABLES: [&str; 4] = ["AR", "ARFLAGS", "CROSS_COMPILE", "RANLIB"];

/// A library that was asked for, with its objects.
pub(super) struct Ready<'c> {
    library: &'c Library,
    objects: Vec<&'c Object>,
}

/// The libraries of which all objects are there.
pub(super) fn ready<'c>(sources: &'c Sources, compiled: &'c Compiled) -> Vec<Ready<'c>> {
    let mut all = Vec::new();
    for library in &sources.libraries {
        let of = |index: &usize| {
            let path = &sources.compiled[*index].path;
            compiled
                .objects
                .iter()
                .find(|object| object.source == *path)
        };
        let objects: Option<Vec<&Object>> = library.members.iter().map(of).collect_some();
        if let Some(objects) = objects {
            all.push(Ready { library, objects });
        }
    }
    all
}

/// Says which libraries are not made where nothing was compiled for a GPU: without their declarations, or their code, whoever
/// calls their functions would get an error of another tool.
pub(super) fn tell_absent(
    sources: &Sources,
    compiled: &Compiled,
    ready: &[Ready<'_>],
    sink: &mut Sink,
) {
    let is_ready = |name: &str| ready.iter().any(|ready| ready.library.name == name);
    for library in sources
        .libraries
        .iter()
        .filter(|library| !is_ready(&library.name))
    {
        let (name, span) = (library.name.clone(), library.span.clone());
        if compiled.front_end_only {
            let why = "is not made, and has no declarations: only signatures of kernels are wanted";
            let why = why.to_owned();
            let mut diag = Diag::from(Problem::Library { name, why, span });
            diag.level = Level::Warn;
            sink.push(diag);
        } else if !sink.has_errors() {
            let why = "is not made: host code takes a toolkit, and none compiled here".to_owned();
            sink.push(Problem::Library { name, why, span }.into());
        }
    }
}

/// The declarations of each library; what has none is told to `sink`.
pub(super) fn declarations(
    settings: &Settings,
    sources: &Sources,
    ready: &[Ready<'_>],
    places: &mut Places,
    sink: &mut Sink,
) -> Vec<codegen::HostModule> {
    let mut modules = Vec::new();
    for Ready { library, objects } in ready {
        let mut module = codegen::HostModule {
            name: library.name.clone(),
            sources: Vec::new(),
            functions: Vec::new(),
            refused: Vec::new(),
        };
        for object in objects {
            let source = sources.original(&object.source);
            module
                .sources
                .push(crate::paths::shown(&settings.root, source));
            for function in &object.functions {
                let ty = function.mangled.clone();
                match ty.and_then(|symbol| host_type(&symbol)) {
                    Ok(ty) => module.functions.push(declared(function, ty)),
                    Err(why) => {
                        let place = places.line(Path::new(&function.file), function.line);
                        let name = &function.name;
                        let diag = signature::diags::host_function(name, &why, place.as_ref());
                        sink.push(diag);
                        module.refused.push((function.text.clone(), why));
                    }
                }
            }
        }
        sorted::sort_by(&mut module.functions, |a, b| {
            (&a.file, a.line, &a.name).cmp(&(&b.file, b.line, &b.name))
        });
        modules.push(module);
    }
    modules
}

fn declared(function: &HostFunction, ty: HostType) -> codegen::HostFunction {
    let named = function.params.len() == ty.params.len();
    let names = function.params.iter();
    codegen::HostFunction {
        name: function.name.clone(),
        text: function.text.clone(),
        file: PathBuf::from(&function.file),
        line: function.line,
        names: if named {
            names.cloned().collect_vec()
        } else {
            ty.params.iter().map(|_| None).collect_vec()
        },
        ty,
    }
}

/// Archives every library where something has changed.
pub(super) fn write(
    settings: &Settings,
    compiled: &Compiled,
    ready: &[Ready<'_>],
    env: &Env,
) -> Result<Vec<StaticLibrary>, Problem> {
    let mut all = Vec::new();
    for ready in ready {
        let Ready { library, objects } = ready;
        let wrong = |why: String| Problem::Library {
            name: library.name.clone(),
            why,
            span: library.span.clone(),
        };
        let archive = settings.out_dir.join(format!("lib{}.a", library.name));
        ready.archive(settings, &archive, env).map_err(wrong)?;
        let made = objects.iter().filter(|object| object.remade.is_some());
        all.push(StaticLibrary {
            name: library.name.clone(),
            link: ready.link(settings, compiled).map_err(wrong)?,
            archive,
            compiled: made.how_many(),
        });
    }
    Ok(all)
}

impl Ready<'_> {
    /// Makes the archive, unless it is there, made of the same.
    fn archive(&self, settings: &Settings, archive: &Path, env: &Env) -> Result<(), String> {
        let name = &self.library.name;
        let dir = settings.work_dir.join("libraries").join(name);
        let target = triple(env, "TARGET");
        let host = triple(env, "HOST");
        let mut record = format!("{FORMAT}\ntarget {target}\n");
        for variable in VARIABLES {
            let names = [
                variable.to_owned(),
                format!("{variable}_{target}"),
                format!("{variable}_{}", target.replace(['-', '.'], "_")),
                format!("TARGET_{variable}"),
            ];
            for name in names {
                if let Some(value) = env.get(&name) {
                    record.push_str(&format!("env {name}={}\n", value.to_string_lossy()));
                }
            }
        }
        for object in &self.objects {
            let path = &object.path;
            let bytes = fs::read(path).map_err(|error| unreadable(path, &error))?;
            record.push_str(&format!("object {}\n", ContentHash::of(&bytes)));
        }
        let kept = dir.join("record.txt");
        let whole = |record: &str| {
            let stamp = Stamp::of(archive).ok()?;
            Some(format!("{record}archive {stamp}\n"))
        };
        let old = fs::read_to_string(&kept).ok();
        if old.is_some() && old == whole(&record) {
            return Ok(());
        }
        let work = dir.join("work");
        let _ = fs::remove_dir_all(&work);
        fs::create_dir_all(&work).map_err(|error| unreadable(&work, &error))?;
        let mut build = cc::Build::new();
        build.cargo_metadata(false).cargo_warnings(false);
        build.target(&target).host(&host).opt_level(0).debug(false);
        build.out_dir(&work);
        for object in &self.objects {
            build.object(&object.path);
        }
        build
            .try_compile(name)
            .map_err(|error| format!("cannot be archived: {error}"))?;
        let made = work.join(format!("lib{name}.a"));
        let bytes = fs::read(&made).map_err(|error| unreadable(&made, &error))?;
        cache::write_if_changed(archive, &bytes).map_err(|error| unreadable(archive, &error))?;
        let _ = fs::remove_dir_all(&work);
        // Without it the archive is made again next time.
        let _ = cache::write(&kept, whole(&record).unwrap_or_default().as_bytes());
        Ok(())
    }

    /// What cargo is told: the archive, the runtime, and what both need of the system.
    fn link(&self, settings: &Settings, compiled: &Compiled) -> Result<Vec<String>, String> {
        let mut lines = vec![
            format!("rustc-link-search=native={}", settings.out_dir.display()),
            format!("rustc-link-lib=static={}", self.library.name),
        ];
        let runtime = match self.library.cudart {
            Cudart::Static => Some(("cudart_static", "static:-bundle=")),
            Cudart::Shared => Some(("cudart", "dylib=")),
            Cudart::None => None,
        };
        if let Some((name, kind)) = runtime {
            let toolkit = compiled.toolkit.as_ref();
            let file = toolkit.and_then(|toolkit| toolkit.runtime(name));
            let dir = file.as_deref().and_then(Path::parent).ok_or_else(|| {
                let toolkit = toolkit.map(ToString::to_string).unwrap_or_default();
                format!(
                    "cannot be linked: {toolkit} has no {name}; `cudart = \"none\"` leaves it to the crate"
                )
            })?;
            lines.push(format!("rustc-link-search=native={}", dir.display()));
            let file_name = file.as_deref().and_then(Path::file_name);
            let file_name = file_name.unwrap_or_default().to_string_lossy();
            let plain = [format!("lib{name}.a"), format!("lib{name}.so")];
            lines.push(if plain.contains(&file_name.to_string()) {
                format!("rustc-link-lib={kind}{name}")
            } else {
                format!("rustc-link-lib=dylib:+verbatim={file_name}")
            });
        }
        let mut system = vec!["stdc++"];
        if self.library.cudart == Cudart::Static {
            // libcudart_static.a of Linux needs them; in newer C libraries they are empty.
            system.extend(["rt", "dl", "pthread"]);
        }
        for name in system {
            lines.push(format!("rustc-link-lib=dylib={name}"));
        }
        Ok(lines)
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> String {
    format!("cannot be made: {}: {error}", path.display())
}

/// The platform that cargo names; where nobody does, that of this program.
fn triple(env: &Env, variable: &str) -> String {
    match env.peek(variable) {
        Some(value) => value.to_string_lossy().into_owned(),
        None => format!("{}-unknown-linux-gnu", std::env::consts::ARCH),
    }
}
