//! Instances of templates that no source asks for: `[[instantiate]]` and [`Builder::instantiate`](super::Builder).
//!
//! A source with such requests is compiled through a generated file that includes it and takes the address of each
//! instance, which makes the front end instantiate and register the kernel; no signature is needed.

use std::path::{Path, PathBuf};

use super::{Builder, shown_path};
use crate::sorted::Map;
use crate::{
    cache,
    compile::{Language, Source},
    config::Config,
    diag::{Diag, Sink, codes},
    source::Span,
};

/// Said of a request that has no place in `cubin.toml`.
pub(super) const BY_SCRIPT: &str = "given to `Builder::instantiate` in build.rs";

/// An instance that was asked for.
struct Request<'a> {
    /// `scale<float>`, perhaps qualified.
    kernel: &'a str,
    file: Option<&'a Path>,
    span: Option<&'a Span>,
}

impl Request<'_> {
    /// The kernel, for a line of its own in the generated file.
    fn on_one_line(&self) -> String {
        self.kernel.replace(['\n', '\r'], " ")
    }
}

/// Where a request stands in a generated file, and where the user made it.
#[derive(Debug)]
pub(super) struct Asked {
    /// The generated file.
    pub(super) file: PathBuf,
    /// The line there, from 1.
    pub(super) line: u32,
    pub(super) kernel: String,
    /// In `cubin.toml`; `None` for one of [`Builder::instantiate`](super::Builder::instantiate).
    pub(super) span: Option<Span>,
}

/// Replaces each source that has requests by a generated file. Returns the sources as they were, by index, and what
/// was asked for.
pub(super) fn apply(
    builder: &Builder,
    config: &Config,
    root: &Path,
    work_dir: &Path,
    sources: &mut [Source],
    sink: &mut Sink,
) -> (Vec<PathBuf>, Vec<Asked>) {
    let originals: Vec<PathBuf> = sources.iter().map(|source| source.path.clone()).collect();
    let mut wanted: Map<usize, Vec<Request<'_>>> = Map::new();
    for request in requests(builder, config) {
        match find(&request, root, sources) {
            Ok(index) => wanted.or_default(index).push(request),
            Err(why) => {
                let message = format!("cannot instantiate `{}`: {why}", request.kernel);
                sink.push(match request.span {
                    Some(_) => Diag::error(codes::CONFIG_INVALID, message)
                        .at_place(request.span, "asked for here"),
                    None => Diag::error(codes::BUILDER_INVALID, message).note(BY_SCRIPT),
                });
            }
        }
    }
    let mut all = Vec::new();
    for (index, requests) in wanted {
        let original = &originals[index];
        let kernels: Vec<String> = requests.iter().map(Request::on_one_line).collect();
        let text = unit(&root.join(original), &kernels);
        let stem = original.file_stem().unwrap_or_default();
        // The index keeps files of the same name apart; nvcc names what it keeps after the stem.
        let path = work_dir
            .join("instantiate")
            .join(index.to_string())
            .join(stem)
            .with_extension("cu");
        let dir = path.parent().unwrap_or(work_dir);
        let written = std::fs::create_dir_all(dir)
            .and_then(|()| cache::write_if_changed(&path, text.as_bytes()));
        if let Err(error) = written {
            sink.push(Diag::error(
                codes::OUTPUT_UNWRITABLE,
                format!("cannot write {}: {error}", path.display()),
            ));
        }
        let lines = FIRST_LINE..;
        for ((request, kernel), line) in requests.iter().zip(kernels).zip(lines) {
            all.push(Asked {
                file: path.clone(),
                line,
                kernel,
                span: request.span.cloned(),
            });
        }
        sources[index].path = path;
    }
    (originals, all)
}

fn requests<'a>(builder: &'a Builder, config: &'a Config) -> Vec<Request<'a>> {
    let from_file = config.instantiate.iter().map(|entry| Request {
        kernel: &entry.kernel.value,
        file: entry.file.as_ref().map(|file| Path::new(&file.value)),
        span: Some(&entry.kernel.span),
    });
    let from_script = builder.instances.iter().map(|(file, kernel)| Request {
        kernel,
        file: Some(file),
        span: None,
    });
    from_file.chain(from_script).collect()
}

/// The source that a request is for: the one named, else the only one whose text has the template's name.
fn find(request: &Request<'_>, root: &Path, sources: &[Source]) -> Result<usize, String> {
    let name = request.kernel.split('<').next().unwrap_or_default();
    let name = name.rsplit("::").next().unwrap_or_default().trim();
    if let Some(file) = request.file {
        let full = crate::toolkit::normalize(&root.join(file));
        return sources
            .iter()
            .position(|source| crate::toolkit::normalize(&root.join(&source.path)) == full)
            .ok_or_else(|| format!("`{}` is none of the sources", file.display()));
    }
    let mut found = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        if source.language != Language::Cuda {
            continue;
        }
        let text = std::fs::read(root.join(&source.path)).unwrap_or_default();
        if has_word(&String::from_utf8_lossy(&text), name) {
            found.push(index);
        }
    }
    match found[..] {
        [one] => Ok(one),
        [] => Err(format!(
            "no source has the word `{name}`; write `file = \"…\"` beside it when a header defines it"
        )),
        _ => {
            let names: Vec<String> = found
                .iter()
                .map(|index| format!("`{}`", shown_path(root, &sources[*index].path)))
                .collect();
            Err(format!(
                "{} all have the word `{name}`; write `file = \"…\"` beside it",
                names.join(", ")
            ))
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
