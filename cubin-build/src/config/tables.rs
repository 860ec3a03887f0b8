//! The tables of cubin.toml: every key once, with what it means and the function that reads it.
//!
//! The reference in the documentation of [`crate::config`] is made of this file (`tests/tests/policy/reference.rs`), and
//! so is what messages know of keys.

use toml::de::DeTable;

use super::{
    generate,
    keys::{Doc, Key, REQUIRED, Table},
    library,
    model::{Build, Config, DeclaredKernel, Instantiate, Link},
    nvvm,
    prebuilt::PREBUILT,
    problem::Problem,
    read::{CONFIG, Item, TableReader},
    rules::{self, DEFAULTS, RULE, rule},
    selected::{self, SOURCE, TARGET},
    targets::{ptx, targets, virtual_arch},
    toolkit::TOOLKIT,
    values::{FlagTable, POLICY_LEVELS, defines, flags, language, module_name},
};
use crate::{
    diag::Level,
    lists::{AddAll, CollectVec},
    source::{SourceFile, Span, Spanned},
};

pub(super) const ARCH: Doc = Doc {
    value: "target or array of targets",
    default: "required here, in the workspace's file, in build.rs or in `CUBIN_BUILD_ARCH`",
    meaning: "Targets, taken exactly as written: `sm_90` never becomes `sm_90a`.",
    example: "arch = [\"sm_80\", \"sm_90a\"]",
};

static BUILD: Table<Build> = Table {
    name: "[build]",
    code: CONFIG,
    keys: &[
        Key {
            name: "arch",
            doc: ARCH,
            read: |r, item, build| build.arch = targets(r, item),
        },
        Key {
            name: "virtual",
            doc: Doc {
                value: "virtual architecture",
                default: "that of each target",
                meaning: "One virtual architecture for all targets, as nvcc's `-gencode arch=compute_80,code=sm_86`: each source \
                          is preprocessed and compiled to PTX once, and assembled for each target. Its code sees the \
                          `__CUDA_ARCH__` of this architecture (800), and has no instruction that is newer; targets must \
                          not be older.",
                example: "virtual = \"compute_80\"",
            },
            read: |r, item, build| build.virtual_arch = virtual_arch(r, item),
        },
        Key {
            name: "sources",
            doc: Doc {
                value: "path or array of paths",
                default: "none",
                meaning: "Source files. This and every other path is relative to the folder of cubin.toml.",
                example: "sources = [\"kernels/a.cu\"]",
            },
            read: |r, item, build| build.sources = r.unique_strings(item, "source"),
        },
        Key {
            name: "dirs",
            doc: Doc {
                value: "path or array of paths",
                default: "none",
                meaning: "Folders; every `.cu` file below is a source.",
                example: "dirs = [\"kernels\"]",
            },
            read: |r, item, build| build.dirs = r.unique_strings(item, "directory"),
        },
        Key {
            name: "exclude",
            doc: Doc {
                value: "pattern or array of patterns",
                default: "none",
                meaning: "Files below `dirs` that are not sources, by path or by name; `*` and `?` match as in rules.",
                example: "exclude = [\"*_dummy.cu\"]",
            },
            read: |r, item, build| build.exclude = r.unique_strings(item, "pattern"),
        },
        Key {
            name: "include",
            doc: Doc {
                value: "path or array of paths",
                default: "none",
                meaning: "Folders that are searched for headers (`-I`).",
                example: "include = [\"include\"]",
            },
            read: |r, item, build| build.include = r.unique_strings(item, "include directory"),
        },
        Key {
            name: "define",
            doc: Doc {
                value: "table, or array of `\"NAME\"` and `\"NAME=VALUE\"`",
                default: "none",
                meaning: "Macros (`-D`). `true` defines one without a value, which nvcc takes for 1.",
                example: "define = { TILE = 32, FAST = true }",
            },
            read: |r, item, build| build.define = defines(r, item),
        },
        Key {
            name: "flags",
            doc: Doc {
                value: "argument or array of arguments",
                default: "none",
                meaning: "Further arguments of nvcc, but for those that cubin-build sets itself.",
                example: "flags = [\"--use_fast_math\"]",
            },
            read: |r, item, build| build.flags = flags(r, item, FlagTable::Build),
        },
        Key {
            name: "std",
            doc: Doc {
                value: "C++ standard",
                default: "`\"c++17\"`",
                meaning: "The C++ standard.",
                example: "std = \"c++17\"",
            },
            read: |r, item, build| build.std = language(r, item),
        },
        Key {
            name: "lineinfo",
            doc: Doc {
                value: "`true` or `false`",
                default: "`false`",
                meaning: "Keep source lines in the machine code, for profilers.",
                example: "lineinfo = true",
            },
            read: |r, item, build| build.lineinfo = r.bool(item),
        },
        Key {
            name: "ptx",
            doc: Doc {
                value: "`true`, `false`, virtual architecture or array of them",
                default: "`false`",
                meaning: "PTX to embed for GPUs newer than all targets. `true` is that of the newest target without a \
                          suffix.",
                example: "ptx = \"compute_80\"",
            },
            read: |r, item, build| build.ptx = ptx(r, item),
        },
    ],
};

static POLICY: Table<Option<Spanned<Level>>> = Table {
    name: "[policy]",
    code: CONFIG,
    keys: &[Key {
        name: "level",
        doc: Doc {
            value: "`\"deny\"` or `\"warn\"`",
            default: "`\"deny\"`: as the tables above say",
            meaning: "With `\"warn\"`, no violation of a budget fails the build: all are warnings, and wrappers are written. \
                      The environment variable `CUBIN_BUILD_POLICY` goes before this: `warn` in an editor, `deny` in CI.",
            example: "level = \"warn\"",
        },
        read: |r, item, level| {
            *level = r.word(item, &POLICY_LEVELS.map(|level| (level.name(), level)));
        },
    }],
};

static BASELINE: Table<Config> = Table {
    name: "[baseline]",
    code: CONFIG,
    keys: &[
        Key {
            name: "file",
            doc: Doc {
                value: "path",
                default: REQUIRED,
                meaning: "What `cargo cubin baseline write` writes: kernels that were over budget then, and may stay so.",
                example: "file = \"cubin-baseline.toml\"",
            },
            read: |r, item, config| config.baseline = r.string(item),
        },
        Key {
            name: "signatures",
            doc: Doc {
                value: "`true` or `false`",
                default: "`false`",
                meaning: "Whether the file also locks what every kernel takes: other parameters then fail the build.",
                example: "signatures = true",
            },
            read: |r, item, config| config.signatures = r.bool(item),
        },
    ],
};

/// The values of an `[[instantiate]]`: kernel and file.
type InstantiateValues = (Option<Spanned<String>>, Option<Spanned<String>>);

static INSTANTIATE: Table<InstantiateValues> = Table {
    name: "[[instantiate]]",
    code: CONFIG,
    keys: &[
        Key {
            name: "kernel",
            doc: Doc {
                value: "C++",
                default: REQUIRED,
                meaning: "The instance of a template.",
                example: "kernel = \"scale<float>\"",
            },
            read: |r, item, (kernel, _)| *kernel = r.string(item),
        },
        Key {
            name: "file",
            doc: Doc {
                value: "path",
                default: "the only source that can make it",
                meaning: "The source that defines the template.",
                example: "file = \"kernels/scale.cu\"",
            },
            read: |r, item, (_, file)| *file = r.string(item),
        },
    ],
};

/// The values of a `[[link]]`: its name, sources, folders and libraries.
type LinkValues = (Option<Spanned<String>>, [Vec<Spanned<String>>; 3]);

static LINK: Table<LinkValues> = Table {
    name: "[[link]]",
    code: CONFIG,
    keys: &[
        Key {
            name: "name",
            doc: Doc {
                value: "identifier",
                default: REQUIRED,
                meaning: "Name of the module that the sources become together, by nvlink.",
                example: "name = \"solver\"",
            },
            read: |r, item, (name, _)| *name = module_name(r, item),
        },
        Key {
            name: "sources",
            doc: Doc {
                value: "path or array of paths",
                default: "required, unless there are `dirs`",
                meaning: "Source files, which are compiled as relocatable code.",
                example: LINK_SOURCES,
            },
            read: |r, item, (_, [sources, ..])| *sources = r.unique_strings(item, "source"),
        },
        Key {
            name: "dirs",
            doc: Doc {
                value: "path or array of paths",
                default: "none",
                meaning: "Folders; every `.cu` file below is a source.",
                example: "dirs = [\"solver/common\"]",
            },
            read: |r, item, (_, [_, dirs, _])| *dirs = r.unique_strings(item, "directory"),
        },
        Key {
            name: "libraries",
            doc: Doc {
                value: "name or path, or array of them",
                default: "none",
                meaning: "What is linked in: a library of the toolkit by name, or an archive, object or cubin by path.",
                example: "libraries = [\"cudadevrt\"]",
            },
            read: |r, item, (_, [.., libraries])| *libraries = r.unique_strings(item, "library"),
        },
    ],
};

const LINK_SOURCES: &str = "sources = [\"solver/step.cu\", \"solver/residual.cu\"]";

/// The values of a `[[kernel]]`: symbol, parameters and where these stand.
type KernelValues = (Option<Spanned<String>>, Vec<Spanned<String>>, Option<Span>);

static KERNEL: Table<KernelValues> = Table {
    name: "[[kernel]]",
    code: CONFIG,
    keys: &[
        Key {
            name: "symbol",
            doc: Doc {
                value: "symbol",
                default: REQUIRED,
                meaning: "A kernel without C++ source, in PTX or a cubin.",
                example: "symbol = \"saxpy\"",
            },
            read: |r, item, (symbol, ..)| *symbol = r.string(item),
        },
        Key {
            name: "params",
            doc: Doc {
                value: "array of Rust types",
                default: REQUIRED,
                meaning: "The types of its parameters.",
                example: "params = [\"u32\", \"f32\", \"*const f32\", \"*mut f32\"]",
            },
            read: |r, item, (_, params, span)| {
                *params = r.strings(item);
                *span = Some(r.value_span(item));
            },
        },
    ],
};

/// What a part of cubin.toml is for, and the function that reads it.
pub(super) struct Part {
    pub(super) name: &'static str,
    /// As the reference calls it.
    title: &'static str,
    meaning: &'static str,
    pub(super) read: fn(&mut TableReader<'_>, Item<'_, '_>, &mut Config),
    docs: fn() -> Vec<(&'static str, Doc)>,
}

pub(super) static PARTS: [Part; 15] = [
    Part {
        name: "toolkit",
        title: "[toolkit]",
        meaning: "Which CUDA toolkit.",
        read: toolkit,
        docs: || TOOLKIT.docs(),
    },
    Part {
        name: "build",
        title: "[build]",
        meaning: "What is compiled, and how.",
        read: |r, item, config| table(r, item, None, &BUILD, &mut config.build),
        docs: || BUILD.docs(),
    },
    Part {
        name: "source",
        title: "[[source]]",
        meaning: "How some of the sources are compiled. Of several tables that match a source, `flags` and `include` add up, in \
                  the order of the file; of `arch` and `std`, that of the table whose pattern describes the source most \
                  closely holds, as with rules, then the later one.",
        read: selected::sources,
        docs: || SOURCE.docs(),
    },
    Part {
        name: "target",
        title: "[[target]]",
        meaning: "How all sources are compiled for some targets.",
        read: selected::target_tables,
        docs: || TARGET.docs(),
    },
    Part {
        name: "nvvm",
        title: "[nvvm]",
        meaning: "How modules of NVVM IR (`.ll`, `.bc`) are compiled. Needs cubin-build's feature `nvvm`.",
        read: |r, item, config| {
            if cfg!(feature = "nvvm") {
                table(r, item, None, &nvvm::NVVM, &mut config.nvvm);
            } else {
                nvvm::refuse(r, item);
            }
        },
        docs: || nvvm::NVVM.docs(),
    },
    Part {
        name: "generate",
        title: "[generate]",
        meaning: "What the generated Rust code is like.",
        read: |r, item, config| table(r, item, None, &generate::GENERATE, &mut config.generate),
        docs: || generate::GENERATE.docs(),
    },
    Part {
        name: "prebuilt",
        title: "[prebuilt]",
        meaning: "Kernels that were compiled before, by `cargo cubin prebuild`, and lie in `prebuilt/` beside Cargo.toml.",
        read: |r, item, config| table(r, item, None, &PREBUILT, &mut config.prebuilt),
        docs: || PREBUILT.docs(),
    },
    Part {
        name: "defaults",
        title: "[defaults]",
        meaning: "Budgets of every kernel. Sizes are bytes as an integer, or a string with one of the units B, kB, MB, GB \
                  (powers of 1000), KiB, MiB, GiB (powers of 1024).",
        read: |r, item, config| {
            if let Some(table) = r.table(item, Some("write [defaults], there is only one")) {
                config.defaults = rule(r, DEFAULTS, table, r.value_span(item));
            }
        },
        docs: || rules::docs(false),
    },
    Part {
        name: "rule",
        title: "[[rule]]",
        meaning: "Budgets of some kernels, which go before `[defaults]`. Each key is decided on its own, by the rule that \
                  describes the kernel most closely ([`crate::policy::resolve`]).",
        read: |r, item, config| {
            for (table, span) in r.tables(item) {
                let rule = rule(r, RULE, table, span);
                config.rules.push(rule);
            }
        },
        docs: || rules::docs(true),
    },
    Part {
        name: "policy",
        title: "[policy]",
        meaning: "How much the budgets above matter altogether.",
        read: |r, item, config| {
            let help = Some("write [policy]\nlevel = \"warn\"");
            table(r, item, help, &POLICY, &mut config.policy);
        },
        docs: || POLICY.docs(),
    },
    Part {
        name: "baseline",
        title: "[baseline]",
        meaning: "What was over budget already, and what kernels take ([`crate::policy::baseline`]).",
        read: |r, item, config| {
            let help = Some("write [baseline]\nfile = \"...\"");
            table(r, item, help, &BASELINE, config);
        },
        docs: || BASELINE.docs(),
    },
    Part {
        name: "instantiate",
        title: "[[instantiate]]",
        meaning: "Makes an instance of a template that no source instantiates.",
        read: |r, item, config| {
            for (toml, span) in r.tables(item) {
                let mut read = (None, None);
                INSTANTIATE.read(r, toml, &span, &mut read);
                let (kernel, file) = read;
                let instance = kernel.map(|kernel| Instantiate { kernel, file });
                config.instantiate.add_all(instance);
            }
        },
        docs: || INSTANTIATE.docs(),
    },
    Part {
        name: "link",
        title: "[[link]]",
        meaning: "Relocatable code: sources that nvlink makes one cubin of, and one module.",
        read: links,
        docs: || LINK.docs(),
    },
    Part {
        name: "library",
        title: "[[library]]",
        meaning: "Host code: sources that become a static library, which the crate is linked with.",
        read: library::read,
        docs: || library::LIBRARY.docs(),
    },
    Part {
        name: "kernel",
        title: "[[kernel]]",
        meaning: "What no C++ source says of a kernel.",
        read: kernels,
        docs: || KERNEL.docs(),
    },
];

fn part_names() -> Vec<&'static str> {
    let mut names = Vec::new();
    for part in &PARTS {
        names.push(part.name);
    }
    names
}

fn toolkit(r: &mut TableReader<'_>, item: Item<'_, '_>, config: &mut Config) {
    table(r, item, None, &TOOLKIT, &mut config.toolkit);
    let install = config.toolkit.install.as_ref();
    let has_version = TableReader::as_table(item).is_some_and(|toml| toml.contains_key("version"));
    if let Some(install) = install.filter(|install| install.value && !has_version) {
        let message = "`install` in [toolkit] needs a `version`".to_owned();
        let help = "for example `version = \"13.5\"`".to_owned();
        r.bad_at(CONFIG, install.span.clone(), message, Some(help));
    }
}

/// Reads a table of which there is one.
fn table<T>(
    r: &mut TableReader<'_>,
    item: Item<'_, '_>,
    help: Option<&str>,
    table: &Table<T>,
    out: &mut T,
) {
    if let Some(toml) = r.table(item, help) {
        table.read(r, toml, &r.value_span(item), out);
    }
}

fn links(r: &mut TableReader<'_>, item: Item<'_, '_>, config: &mut Config) {
    for (toml, span) in r.tables(item) {
        let mut read = LinkValues::default();
        LINK.read(r, toml, &span, &mut read);
        if !toml.contains_key("sources") && !toml.contains_key("dirs") {
            r.missing(LINK.toml_name(), "sources", LINK_SOURCES, &span);
        }
        let (name, [sources, dirs, libraries]) = read;
        config.links.add_all(name.map(|name| Link {
            name,
            sources,
            dirs,
            libraries,
        }));
    }
    let names = config.links.iter().map(|link| link.name.clone());
    r.unique(CONFIG, names.collect_vec(), |name| {
        format!("linked module `{name}`")
    });
}

fn kernels(r: &mut TableReader<'_>, item: Item<'_, '_>, config: &mut Config) {
    for (toml, span) in r.tables(item) {
        let mut read = KernelValues::default();
        KERNEL.read(r, toml, &span, &mut read);
        let (symbol, params, params_span) = read;
        config.kernels.add_all(symbol.map(|symbol| DeclaredKernel {
            symbol,
            params,
            params_span,
        }));
    }
    let symbols = config.kernels.iter().map(|kernel| kernel.symbol.clone());
    r.unique(CONFIG, symbols.collect_vec(), |symbol| {
        format!("kernel `{symbol}`")
    });
}

/// What could be understood of a cubin.toml, and what is wrong with it.
pub(super) fn parse(file: &SourceFile) -> (Config, Vec<Problem>) {
    let mut reader = TableReader::new(file);
    let mut config = Config::default();
    if let Some(document) = reader.parse() {
        top(&mut reader, &document, &mut config);
    }
    (config, reader.finish())
}

fn top(r: &mut TableReader<'_>, document: &DeTable<'_>, config: &mut Config) {
    let name = super::read::TableName {
        name: "",
        code: CONFIG,
    };
    for item in r.entries(name, document) {
        match PARTS.iter().find(|part| part.name == item.key) {
            Some(part) => (part.read)(r, item, config),
            None => r.unknown(item, part_names()),
        }
    }
}

/// Which tables have a key, for the message about one in the wrong place.
pub(super) fn place_of(key: &str) -> Option<&'static str> {
    let part = PARTS
        .iter()
        .find(|part| (part.docs)().iter().any(|(name, _)| *name == key))?;
    Some(match part.title {
        "[defaults]" => "[defaults] or a [[rule]]",
        title => title,
    })
}

/// What the reference says of a table.
#[derive(Debug, Clone)]
pub struct TableDoc {
    /// As it stands in the file: `[build]`, `[[rule]]`.
    pub title: &'static str,
    /// What it is for.
    pub meaning: &'static str,
    /// Every key, in the order of the reference.
    pub keys: Vec<(&'static str, Doc)>,
}

/// Every table of cubin.toml with every key: what the reference is made of.
pub fn documented() -> Vec<TableDoc> {
    let doc = |part: &Part| TableDoc {
        title: part.title,
        meaning: part.meaning,
        keys: (part.docs)(),
    };
    PARTS.iter().map(doc).collect_vec()
}
