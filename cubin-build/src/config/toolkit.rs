//! `[toolkit]`: its keys.

use super::{
    keys::{Doc, Key, Table},
    model::Toolkit,
    read::CONFIG,
    values::{components, version},
};

pub(super) static TOOLKIT: Table<Toolkit> = Table {
    name: "[toolkit]",
    code: CONFIG,
    keys: &[
        Key {
            name: "version",
            doc: Doc {
                value: "two or three numbers",
                default: "any version that is found",
                meaning: "Version of the CUDA toolkit. `13.5` is any 13.5.x.",
                example: "version = \"13.5\"",
            },
            read: |r, item, toolkit| toolkit.version = version(r, item),
        },
        Key {
            name: "install",
            doc: Doc {
                value: "`true` or `false`",
                default: "`false`",
                meaning: "Install the toolkit into a cache of the user when it is missing. Needs `version`.",
                example: "install = true",
            },
            read: |r, item, toolkit| toolkit.install = r.bool(item),
        },
        Key {
            name: "components",
            doc: Doc {
                value: "name or array of names",
                default: "none",
                meaning: "Libraries whose headers kernels include: `cublas`, `cufft`, `curand`, `cusparse`, `cutlass`, `nvtx`. With `install` they are installed beside the toolkit, of the same release.",
                example: "components = [\"curand\", \"cutlass\"]",
            },
            read: |r, item, toolkit| toolkit.components = components(r, item),
        },
    ],
};
