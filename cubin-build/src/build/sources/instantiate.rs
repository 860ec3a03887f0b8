//! Instances of templates that no source asks for: `[[instantiate]]` and
//! [`Builder::instantiate`](crate::Builder::instantiate).
//!
//! A source with such requests is compiled through a generated file that includes it and takes the address of each
//! instance, which makes the front end instantiate and register the kernel; no signature is needed.

use std::path::{Path, PathBuf};

use super::super::{
    problem::{Mistake, NoSource, Origin, Problem},
    request::BuildRequest,
    settings::Settings,
};
use crate::{
    cache,
    compile::{Language, Source},
    config::Config,
    diag::Sink,
    lists::CollectVec,
    paths::{self, normalize},
    sorted::Map,
    source::{MOST_BYTES, Span, read_file},
};

/// The method that an instance without a place in `cubin.toml` was given to.
pub(in super::super) const METHOD: &str = "instantiate";

/// An instance as it was asked for.
struct Wish<'a> {
    /// `scale<float>`, perhaps qualified.
    kernel: &'a str,
    file: Option<&'a Path>,
    span: Option<&'a Span>,
}

impl Wish<'_> {
    /// The kernel, for a line of its own in the generated file.
    fn on_one_line(&self) -> String {
        self.kernel.replace(['\n', '\r'], " ")
    }
}

/// Where an instance stands in a generated file, and where the user asked for it.
#[derive(Debug)]
pub(in super::super) struct Instance {
    /// The generated file.
    pub(in super::super) file: PathBuf,
    /// The line there, from 1.
    pub(in super::super) line: u32,
    pub(in super::super) kernel: String,
    /// In `cubin.toml`; `None` for one of `Builder::instantiate`.
    pub(in super::super) span: Option<Span>,
}

/// Replaces each source that has instances asked for by a generated file.
pub(super) fn apply(
    request: &BuildRequest,
    settings: &Settings,
    sources: &mut [Source],
    sink: &mut Sink,
) -> Vec<Instance> {
    let root = &settings.root;
    let mut wanted: Map<usize, Vec<Wish<'_>>> = Map::new();
    for wish in wishes(request, &settings.config) {
        match find(&wish, root, sources) {
            Ok(index) => wanted.or_default(index).push(wish),
            Err(why) => {
                let kernel = wish.kernel.to_owned();
                let origin = Origin::new(wish.span, METHOD);
                sink.push(Problem::Asked(Mistake::Instance { kernel, why }, origin).into());
            }
        }
    }
    let mut all = Vec::new();
    for (index, wishes) in wanted {
        let original = &sources[index].path;
        let kernels: Vec<String> = wishes.iter().map(Wish::on_one_line).collect_vec();
        let text = unit(&root.join(original), &kernels);
        let stem = original.file_stem().unwrap_or_default();
        // The index keeps files of the same name apart; nvcc names what it keeps after the stem.
        let path = settings
            .work_dir
            .join("instantiate")
            .join(index.to_string())
            .join(stem)
            .with_extension("cu");
        let dir = path.parent().unwrap_or(&settings.work_dir);
        let written = std::fs::create_dir_all(dir)
            .and_then(|()| cache::write_if_changed(&path, text.as_bytes()));
        if let Err(error) = written {
            sink.push(Problem::CannotWrite(path.clone(), error.to_string()).into());
        }
        let lines = FIRST_LINE..;
        for ((wish, kernel), line) in wishes.iter().zip(kernels).zip(lines) {
            all.push(Instance {
                file: path.clone(),
                line,
                kernel,
                span: wish.span.cloned(),
            });
        }
        sources[index].path = path;
    }
    all
}

fn wishes<'a>(request: &'a BuildRequest, config: &'a Config) -> Vec<Wish<'a>> {
    let from_file = config.instantiate.iter().map(|entry| Wish {
        kernel: &entry.kernel.value,
        file: entry.file.as_ref().map(|file| Path::new(&file.value)),
        span: Some(&entry.kernel.span),
    });
    let from_script = request.instances.iter().map(|(file, kernel)| Wish {
        kernel,
        file: Some(file),
        span: None,
    });
    from_file.chain(from_script).collect_vec()
}

/// The source that a wish is for: the one named, else the only one whose text has the template's name.
fn find(wish: &Wish<'_>, root: &Path, sources: &[Source]) -> Result<usize, NoSource> {
    let name = wish.kernel.split('<').next().unwrap_or_default();
    let name = name.rsplit("::").next().unwrap_or_default().trim();
    if let Some(file) = wish.file {
        let full = normalize(&root.join(file));
        let mut sources = sources.iter();
        return sources
            .position(|source| normalize(&root.join(&source.path)) == full)
            .ok_or_else(|| NoSource::Unknown(file.to_owned()));
    }
    let mut found = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        if source.language != Language::Cuda {
            continue;
        }
        let text = read_file(&root.join(&source.path), MOST_BYTES).unwrap_or_default();
        if has_word(&String::from_utf8_lossy(&text), name) {
            found.push(index);
        }
    }
    match found[..] {
        [one] => Ok(one),
        [] => Err(NoSource::Nowhere(name.to_owned())),
        _ => {
            let shown = found
                .iter()
                .map(|index| paths::shown(root, &sources[*index].path));
            Err(NoSource::Several {
                word: name.to_owned(),
                sources: shown.collect_vec(),
            })
        }
    }
}

fn has_word(text: &str, word: &str) -> bool {
    let inside = |letter: char| letter.is_alphanumeric() || letter == '_';
    !word.is_empty()
        && text.match_indices(word).any(|(at, _)| {
            !text[..at].ends_with(inside) && !text[at + word.len()..].starts_with(inside)
        })
}

/// The line of the first instance in the generated file, from 1; each has one.
const FIRST_LINE: u32 = 4;

/// The generated translation unit.
fn unit(source: &Path, kernels: &[String]) -> String {
    let path = source.to_string_lossy().replace('\\', "/");
    let mut text = format!(
        "// Generated by cubin-build from [[instantiate]].\n#include \"{path}\"\nnamespace {{\n"
    );
    for (index, kernel) in kernels.iter().enumerate() {
        text.push_str(&format!(
            "[[maybe_unused]] auto *cubin_build_instance_{index} = &{kernel};\n"
        ));
    }
    text.push_str("}\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_whole() {
        assert!(has_word(
            "template <class T> __global__ void scale(T *x)",
            "scale"
        ));
        assert!(!has_word("void upscale(); int scale_2;", "scale"));
        assert!(!has_word("anything", ""));
    }

    #[test]
    fn the_unit_takes_each_address() {
        let text = unit(
            Path::new("/p/kernels/scale.cu"),
            &["scale<float>".to_owned(), "ns::scale<double, 8>".to_owned()],
        );
        let first = text.lines().nth(FIRST_LINE as usize - 1).unwrap();
        assert!(first.ends_with("= &scale<float>;"), "{text}");
        assert!(text.contains("#include \"/p/kernels/scale.cu\"\n"));
        assert!(text.contains("cubin_build_instance_1 = &ns::scale<double, 8>;\n"));
    }
}
