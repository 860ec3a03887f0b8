//! The fatbin of a module: all its cubins and its PTX in one file, as NVIDIA's `fatbinary` makes it.
//!
//! ```text
//! OUT_DIR/saxpy.fatbin         what the program holds
//! OUT_DIR/saxpy.fatbin.key     what it was made of; while that is the same, nothing is made anew
//! ```

use std::{fs, path::Path};

use cubin_core::Sm;

use super::{kernels::Embedded, problem::Problem, settings::Settings};
use crate::{
    cache::{self, ContentHash},
    codegen,
    env::Env,
    lists::CollectVec,
    options::Compress,
    toolkit::Toolkit,
};

/// How the names of files end that say what a fatbin was made of.
pub(super) const KEY: &str = ".fatbin.key";

/// A fatbin that is to be made.
pub(super) struct Fatbin {
    name: String,
    images: Vec<Image>,
}

struct Image {
    target: Sm,
    file: String,
    is_ptx: bool,
}

impl Fatbin {
    /// That of a module, if it has one.
    pub(super) fn of(module: &codegen::Module) -> Option<Self> {
        let name = module.fatbin.clone()?;
        let images = module.images.iter().map(|image| Image {
            target: image.target,
            file: image.file.clone(),
            is_ptx: image.assembled_for.is_some(),
        });
        Some(Self {
            name,
            images: images.collect_vec(),
        })
    }

    /// Names of the files that there are for it.
    pub(super) fn files(&self) -> [String; 2] {
        [self.name.clone(), format!("{}.key", self.name)]
    }

    /// Makes it of the files that were written, unless it is there.
    pub(super) fn make(
        &self,
        settings: &Settings,
        env: &Env,
        toolkit: Option<&Toolkit>,
        files: &[Embedded<'_>],
    ) -> Result<(), Problem> {
        let problem = |why: String| Problem::NoFatbin(self.name.clone(), why);
        let (Some(toolkit), Some(compress)) = (toolkit, settings.fatbins) else {
            return Err(problem("no toolkit is known".to_owned()));
        };
        let dir = &settings.out_dir;
        let [name, key] = self.files();
        let now = self.key(toolkit, compress, files);
        let is_there = dir.join(&name).is_file();
        if is_there && fs::read_to_string(dir.join(&key)).is_ok_and(|known| known == now) {
            return Ok(());
        }
        let fatbinary = toolkit.tool("fatbinary").ok_or_else(|| {
            problem(format!(
                "the toolkit in {} has no fatbinary",
                toolkit.root.display()
            ))
        })?;
        // Whoever is interrupted leaves no key, and no half of a fatbin under its name.
        let _ = fs::remove_file(dir.join(&key));
        let made = format!("{name}.new");
        let mut command = env.command(fatbinary);
        command
            .current_dir(dir)
            .arg("-64")
            .arg(format!("--create={made}"));
        if compress == Compress::None {
            command.arg("--compress=false");
        } else {
            command
                .arg("--compress-all")
                .arg(format!("--compress-mode={}", compress.word()));
        }
        for image in &self.images {
            let kind = if image.is_ptx { "ptx" } else { "elf" };
            let target = image.target.to_string();
            let target = target.strip_prefix("sm_").unwrap_or(&target);
            let file = &image.file;
            command.arg(format!("--image3=kind={kind},sm={target},file={file}"));
        }
        let output = command
            .output()
            .map_err(|error| problem(format!("cannot run fatbinary: {error}")))?;
        if !output.status.success() || !dir.join(&made).is_file() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(problem(format!(
                "fatbinary failed ({}): {}",
                output.status,
                said.trim()
            )));
        }
        let io = |path: &Path, error: std::io::Error| {
            Problem::CannotWrite(path.to_owned(), error.to_string())
        };
        let path = dir.join(&name);
        fs::rename(dir.join(&made), &path).map_err(|error| io(&path, error))?;
        let path = dir.join(&key);
        cache::write_if_changed(&path, now.as_bytes()).map_err(|error| io(&path, error))?;
        Ok(())
    }

    /// What it depends on.
    fn key(&self, toolkit: &Toolkit, compress: Compress, files: &[Embedded<'_>]) -> String {
        let mut key = format!("cubin-build fatbin 1\ncompress {}\n", compress.word());
        for line in toolkit.identity() {
            key.push_str(&format!("toolkit {line}\n"));
        }
        for image in &self.images {
            let file = files.iter().find(|file| file.name == image.file);
            let hash = file.map(|file| ContentHash::of(file.bytes).to_string());
            let hash = hash.unwrap_or_default();
            key.push_str(&format!("{hash} {} {}\n", image.target, image.file));
        }
        key
    }
}
