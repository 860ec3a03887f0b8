//! `[generate]`: what the generated Rust code is like.

use super::{
    keys::{Doc, Key, Table},
    model::Generate,
    read::CONFIG,
    values::file_name,
};
use crate::options::{Backend, Compress, Embed, HalfTypes, Runtime};

pub(super) static GENERATE: Table<Generate> = Table {
    name: "[generate]",
    code: CONFIG,
    keys: &[
        Key {
            name: "backend",
            doc: Doc {
                value: "`\"cudarc\"` or `\"core\"`",
                default: "`\"cudarc\"`",
                meaning: "What the generated code launches through: the cudarc crate, or whatever you bring.",
                example: "backend = \"cudarc\"",
            },
            read: |r, item, generate| {
                let words = [("cudarc", Backend::default()), ("core", Backend::Core)];
                generate.backend = r.word(item, &words);
            },
        },
        Key {
            name: "half",
            doc: Doc {
                value: "`\"newtype\"` or `\"half\"`",
                default: "`\"newtype\"`",
                meaning: "What `__half` and `__nv_bfloat16` become: generated types of two bytes, or those of the half \
                          crate.",
                example: "half = \"newtype\"",
            },
            read: |r, item, generate| {
                let words = [
                    ("newtype", HalfTypes::Generated),
                    ("half", HalfTypes::HalfCrate),
                ];
                generate.half = r.word(item, &words);
            },
        },
        Key {
            name: "runtime",
            doc: Doc {
                value: "`\"embedded\"` or `\"crate\"`",
                default: "`\"embedded\"`",
                meaning: "Where what the wrappers run on stands: in the generated file, or in the crate `cubin-runtime`, so \
                          that several crates share its types.",
                example: "runtime = \"embedded\"",
            },
            read: |r, item, generate| {
                let words = [("embedded", Runtime::Embedded), ("crate", Runtime::Crate)];
                generate.runtime = r.word(item, &words);
            },
        },
        Key {
            name: "embed",
            doc: Doc {
                value: "`\"cubin\"` or `\"fatbin\"`",
                default: "`\"cubin\"`",
                meaning: "How machine code lies in the program: each cubin by itself, or a fatbin for each module in the section \
                          `.nv_fatbin`, where NVIDIA's own tools find it (`cuobjdump -lelf`) and of which the driver chooses. \
                          Linkers leave out cubins of modules that nobody loads; of fatbins those of whole codegen units alone. Where \
                          there is no toolkit, and prebuilt kernels are used, each cubin lies by itself.",
                example: "embed = \"fatbin\"",
            },
            read: |r, item, generate| {
                let words = [("cubin", Embed::Cubin), ("fatbin", Embed::Fatbin)];
                generate.embed = r.word(item, &words);
            },
        },
        Key {
            name: "compress",
            doc: Doc {
                value: "`\"none\"`, `\"speed\"`, `\"balance\"` or `\"size\"`",
                default: "`\"none\"`",
                meaning: "How the images of fatbins are compressed, as `fatbinary --compress-mode` calls it (CUDA 12.8 or later); the \
                          driver unpacks them when a module is loaded, and one older than the toolkit may not know how.",
                example: "compress = \"balance\"",
            },
            read: |r, item, generate| {
                let words = [
                    Compress::None,
                    Compress::Speed,
                    Compress::Balance,
                    Compress::Size,
                ];
                generate.compress = r.word(item, &words.map(|word| (word.word(), word)));
            },
        },
        Key {
            name: "file",
            doc: Doc {
                value: "file name that ends in `.rs`",
                default: "`\"kernels.rs\"`",
                meaning: "Name of the generated file in `OUT_DIR`.",
                example: "file = \"kernels.rs\"",
            },
            read: |r, item, generate| generate.file = file_name(r, item),
        },
    ],
};
