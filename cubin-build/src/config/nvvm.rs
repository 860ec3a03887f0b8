//! `[nvvm]`: how modules of NVVM IR are compiled.

use super::{
    keys::{Doc, Key, Table},
    read::{CONFIG, Item, TableReader},
};
use crate::{
    compile::NVVM_LINE,
    options::{Nvvm, Switch},
};

pub(super) static NVVM: Table<Nvvm> = Table {
    name: "[nvvm]",
    code: CONFIG,
    keys: &[
        Key {
            name: "fma",
            doc: Doc {
                value: "`true` or `false`",
                default: "libnvvm's: `true`",
                meaning: "Contract multiplications and additions.",
                example: "fma = false",
            },
            read: |r, item, nvvm| nvvm.fma = switch(r, item),
        },
        Key {
            name: "ftz",
            doc: Doc {
                value: "`true` or `false`",
                default: "libnvvm's: `false`",
                meaning: "Flush denormals of single precision to zero.",
                example: "ftz = true",
            },
            read: |r, item, nvvm| nvvm.ftz = switch(r, item),
        },
        Key {
            name: "prec-div",
            doc: Doc {
                value: "`true` or `false`",
                default: "libnvvm's: `true`",
                meaning: "Round divisions of single precision exactly.",
                example: "prec-div = false",
            },
            read: |r, item, nvvm| nvvm.prec_div = switch(r, item),
        },
        Key {
            name: "prec-sqrt",
            doc: Doc {
                value: "`true` or `false`",
                default: "libnvvm's: `true`",
                meaning: "Round square roots of single precision exactly.",
                example: "prec-sqrt = false",
            },
            read: |r, item, nvvm| nvvm.prec_sqrt = switch(r, item),
        },
        Key {
            name: "opt",
            doc: Doc {
                value: "`0` or `3`",
                default: "libnvvm's: `3`",
                meaning: "How much is optimised.",
                example: "opt = 3",
            },
            read: |r, item, nvvm| {
                let level = r.count(item).map(|level| level.value);
                match level {
                    Some(level @ (0 | 3)) => nvvm.opt = u8::try_from(level).ok(),
                    Some(level) => {
                        let help = "libnvvm knows 0 and 3".to_owned();
                        r.bad(item, format!("`opt` cannot be {level}"), Some(help));
                    }
                    None => {}
                }
            },
        },
        Key {
            name: "latest",
            doc: Doc {
                value: "`true`, `false` or `\"auto\"`",
                default: "`\"auto\"`",
                meaning: "Read modules by LLVM's newer reader on targets below sm_100, too (`-nvvm-latest`), which takes \
                          opaque pointers; `\"auto\"` does so for text that needs it, and for bitcode, whose pointers only \
                          that reader's PTX shows, unless it refuses that.",
                example: "latest = \"auto\"",
            },
            read: |r, item, nvvm| nvvm.latest = automatic(r, item),
        },
        Key {
            name: "normalize",
            doc: Doc {
                value: "`true` or `false`",
                default: "`false`",
                meaning: "Put NVIDIA's data layout in place of LLVM's own, and a version where there is none, so that `.ll` \
                          files of rustc and clang can be compiled.",
                example: "normalize = true",
            },
            read: |r, item, nvvm| nvvm.normalize = switch(r, item).unwrap_or(false),
        },
        Key {
            name: "libdevice",
            doc: Doc {
                value: "`true`, `false` or `\"auto\"`",
                default: "`\"auto\"`",
                meaning: "Add NVIDIA's functions of mathematics; `\"auto\"` does so for modules that declare `__nv_…`.",
                example: "libdevice = \"auto\"",
            },
            read: |r, item, nvvm| nvvm.libdevice = automatic(r, item),
        },
    ],
};

/// A table that this build of cubin-build cannot follow must not look as if it were followed.
pub(super) fn refuse(r: &mut TableReader<'_>, item: Item<'_, '_>) {
    let message = "`[nvvm]` needs cubin-build's feature `nvvm`, which is off".to_owned();
    let help = NVVM_LINE;
    let span = r.key_span(item);
    r.bad_at(CONFIG, span, message, Some(help.to_owned()));
}

fn switch(r: &mut TableReader<'_>, item: Item<'_, '_>) -> Option<bool> {
    r.bool(item).map(|value| value.value)
}

fn automatic(r: &mut TableReader<'_>, item: Item<'_, '_>) -> Switch {
    if TableReader::text(item).is_some() {
        let read = r.word(item, &[("auto", Switch::Auto)]);
        return read.map_or(Switch::Auto, |read| read.value);
    }
    match switch(r, item) {
        Some(true) => Switch::On,
        Some(false) => Switch::Off,
        None => Switch::Auto,
    }
}
