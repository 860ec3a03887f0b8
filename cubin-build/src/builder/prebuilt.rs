//! Sources that are machine code already: `.cubin` and `.fatbin` files.

use std::{fs, path::Path};

use cubin_core::{Cubin, Sm, consts::EntryKind, fatbin};

use super::{images::Image, ptx::Compute, shown_path};
use crate::{
    compile::Container,
    diag::{Diag, Sink, codes},
};

/// The cubins of a prebuilt source, whatever it is called. A cubin is taken for the target that it was compiled for; of
/// a fatbin, those for one of `targets`, with the PTX for those of `ptx`.
pub(super) fn read(
    root: &Path,
    (path, container): (&Path, Container),
    targets: &[Sm],
    ptx: &[Sm],
    sink: &mut Sink,
) -> Vec<Image<'static>> {
    let shown = shown_path(root, path);
    let bytes = match fs::read(root.join(path)) {
        Ok(bytes) => bytes,
        Err(error) => {
            sink.push(Diag::error(
                codes::IO_ERROR,
                format!("cannot read {shown}: {error}"),
            ));
            return Vec::new();
        }
    };
    let target = match container {
        Container::Fatbin => return of_fatbin(&shown, &bytes, targets, ptx, sink),
        Container::Cubin => Cubin::parse(&bytes).and_then(|cubin| cubin.target()),
    };
    match target {
        Ok(target) => vec![Image {
            target,
            bytes,
            units: Vec::new(),
            libraries: false,
            ptx: None,
        }],
        Err(error) => {
            sink.push(Diag::error(
                codes::CUBIN_UNREADABLE,
                format!("{shown} cannot be read: {error}"),
            ));
            Vec::new()
        }
    }
}

fn of_fatbin(
    shown: &str,
    bytes: &[u8],
    targets: &[Sm],
    wanted_ptx: &[Sm],
    sink: &mut Sink,
) -> Vec<Image<'static>> {
    let mut images: Vec<Image<'static>> = Vec::new();
    let mut texts: Vec<(Sm, Vec<u8>)> = Vec::new();
    let mut other_texts = Vec::new();
    let mut others = Vec::new();
    for entry in fatbin::entries(bytes, 0) {
        let read = entry.and_then(|entry| {
            if entry.kind == EntryKind::PTX {
                match entry.target() {
                    Some(target) if wanted_ptx.contains(&target) => {
                        texts.push((target, entry.image()?.into_owned()));
                    }
                    Some(target) => other_texts.push(target),
                    None => {}
                }
                return Ok(None);
            }
            if !entry.is_cubin() {
                return Ok(None);
            }
            let image = entry.image()?.into_owned();
            let target = match entry.target() {
                Some(target) => target,
                None => Cubin::parse(&image)?.target()?,
            };
            Ok(Some((target, image)))
        });
        match read {
            Ok(None) => {}
            Ok(Some((target, bytes))) if targets.contains(&target) => {
                if images.iter().any(|image| image.target == target) {
                    sink.push(
                        Diag::error(codes::CUBIN_UNREADABLE, format!("{shown} holds several cubins for {target}"))
                            .help("link them into one (`nvcc -dlink -cubin`), or name the .cubin files instead"),
                    );
                } else {
                    images.push(Image {
                        target,
                        bytes,
                        units: Vec::new(),
                        libraries: false,
                        ptx: None,
                    });
                }
            }
            Ok(Some((target, _))) => others.push(target.to_string()),
            Err(error) => {
                let mut diag = Diag::error(
                    codes::CUBIN_UNREADABLE,
                    format!("an entry of {shown} cannot be read: {error}"),
                );
                if cfg!(not(feature = "fatbin")) {
                    diag = diag.help("compressed entries need the feature `fatbin` of cubin-build, or `nvcc -fatbin --compress-mode=none`");
                }
                sink.push(diag);
            }
        }
    }
    for (target, text) in texts {
        match images.iter_mut().find(|image| image.target == target) {
            Some(image) => image.ptx = Some(text),
            None => other_texts.push(target),
        }
    }
    if images.is_empty() && !sink.has_errors() {
        let wanted: Vec<String> = targets.iter().map(Sm::to_string).collect();
        let holds = if others.is_empty() {
            "no cubin at all".to_owned()
        } else {
            others.join(", ")
        };
        sink.push(Diag::error(
            codes::TARGET_MISMATCH,
            format!(
                "{shown} has no cubin for {}; it holds {holds}",
                wanted.join(" or ")
            ),
        ));
    }
    if !wanted_ptx.is_empty() && !images.is_empty() && images.iter().all(|i| i.ptx.is_none()) {
        sink.push(without_ptx(shown, wanted_ptx, &other_texts));
    }
    images
}

/// No image of a fatbin has its PTX, though some was asked for.
fn without_ptx(shown: &str, wanted: &[Sm], held: &[Sm]) -> Diag {
    let list = |targets: &[Sm], word: &str| {
        let names: Vec<String> = targets.iter().map(|sm| Compute(*sm).to_string()).collect();
        names.join(word)
    };
    let holds = match held {
        [] => "no PTX at all".to_owned(),
        held => format!("PTX for {}", list(held, ", ")),
    };
    let mut diag = Diag::warning(
        codes::PTX_MISSING,
        format!(
            "{shown} has no PTX for {} beside a cubin; it holds {holds}",
            list(wanted, " or ")
        ),
    )
    .note("its kernels load only on GPUs that one of its cubins runs on");
    if let Some(target) = wanted.last() {
        let compute = Compute(*target);
        diag = diag.help(format!(
            "make it again with `-gencode arch={compute},code=[{target},{compute}]`"
        ));
    }
    diag
}
