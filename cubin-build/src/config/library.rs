//! `[[library]]`: sources whose host code becomes a static library.

use super::{
    keys::{Doc, Key, REQUIRED, Table},
    model::{Config, Library},
    read::{CONFIG, Item, TableReader},
    values::module_name,
};
use crate::{
    lists::{AddAll, CollectVec},
    options::Cudart,
    source::Spanned,
};

/// The values of a table: its name, sources and folders, and the runtime.
#[derive(Default)]
pub(super) struct Values {
    name: Option<Spanned<String>>,
    sources: Vec<Spanned<String>>,
    dirs: Vec<Spanned<String>>,
    cudart: Option<Spanned<Cudart>>,
}

const SOURCES: &str = "sources = [\"src/moe/moe_gguf.cu\"]";

pub(super) static LIBRARY: Table<Values> = Table {
    name: "[[library]]",
    code: CONFIG,
    keys: &[
        Key {
            name: "name",
            doc: Doc {
                value: "identifier",
                default: REQUIRED,
                meaning: "Name of the library, and of the module with the declarations of its functions.",
                example: "name = \"moe\"",
            },
            read: |r, item, values| values.name = module_name(r, item),
        },
        Key {
            name: "sources",
            doc: Doc {
                value: "path or array of paths",
                default: "required, unless there are `dirs`",
                meaning: "Source files, whose host code is compiled too.",
                example: SOURCES,
            },
            read: |r, item, values| values.sources = r.unique_strings(item, "source"),
        },
        Key {
            name: "dirs",
            doc: Doc {
                value: "path or array of paths",
                default: "none",
                meaning: "Folders; every `.cu` file below is a source.",
                example: "dirs = [\"src/mmq_gguf\"]",
            },
            read: |r, item, values| values.dirs = r.unique_strings(item, "directory"),
        },
        Key {
            name: "cudart",
            doc: Doc {
                value: "`\"static\"`, `\"shared\"` or `\"none\"`",
                default: "`\"static\"`",
                meaning: "The CUDA runtime that the library is linked with; with `\"none\"` the crate links one itself.",
                example: "cudart = \"shared\"",
            },
            read: |r, item, values| {
                let words = [
                    ("static", Cudart::Static),
                    ("shared", Cudart::Shared),
                    ("none", Cudart::None),
                ];
                values.cudart = r.word(item, &words);
            },
        },
    ],
};

pub(super) fn read(r: &mut TableReader<'_>, item: Item<'_, '_>, config: &mut Config) {
    for (toml, span) in r.tables(item) {
        let mut read = Values::default();
        LIBRARY.read(r, toml, &span, &mut read);
        if !toml.contains_key("sources") && !toml.contains_key("dirs") {
            r.missing(LIBRARY.toml_name(), "sources", SOURCES, &span);
        }
        config.libraries.add_all(read.name.map(|name| Library {
            name,
            sources: read.sources,
            dirs: read.dirs,
            cudart: read.cudart,
        }));
    }
    let names = config.libraries.iter().map(|library| library.name.clone());
    r.unique(CONFIG, names.collect_vec(), |name| {
        format!("library `{name}`")
    });
}
