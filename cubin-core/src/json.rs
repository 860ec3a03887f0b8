//! JSON: the facts of functions, in one schema wherever this project writes them.
//!
//! `cargo cubin inspect --json` prints one object per line and function, the report that `cargo cubin check` reads has
//! one per kernel and target (`kernels`), and [`write()`] lists them for a whole cubin. All are written by
//! [`write_function`].
//!
//! # Schema, version 2
//!
//! The version, `schema`, grows when a key changes its meaning or goes away. Keys may be added within a version, so
//! ignore those that you do not know. `null` means that the fact is not known. Strings are Unicode; a name that is not
//! UTF-8 is cut before the first bad byte.
//!
//! ## Facts of a function
//!
//! | Key | Value |
//! |---|---|
//! | `target` | what it was compiled for: `sm_90a` |
//! | `toolkit` | the CUDA toolkit that wrote the cubin: `13.5`; null when not recorded |
//! | `function` | the symbol |
//! | `name` | the C++ name. `inspect`: the symbol demangled, with parameter types, or the symbol itself. Reports: as the rules of `cubin.toml` match it, without parameter types. Null where neither is known |
//! | `kernel` | whether it can be launched; false for device functions with code of their own |
//! | `registers` | per thread |
//! | `stack` | bytes per thread, called functions included; null when not known |
//! | `stack_status` | `known`; why it is not: `unbounded` (recursion, `alloca`), `not-linked` (a relocatable file), `not-recorded` |
//! | `frame` | bytes of its own stack frame, or null |
//! | `spill_instructions` | spill stores and reloads that the cubin records; null before CUDA 12.6 |
//! | `spill_bytes` | bytes that spills move per thread: `stores`, `loads`, and `source`: `ptxas` (printed by the build, called functions included) or `cubin` (decoded from its record, a lower bound); null when neither is there |
//! | `static_shared` | bytes of shared memory per block, without the reserved ones |
//! | `reserved_shared` | bytes of shared memory per block that the system takes |
//! | `dynamic_shared` | whether it, or a function that it calls, uses `extern __shared__` memory; null when there was no PTX to tell, and the cubin does not rule it out |
//! | `local` | bytes of its local memory section |
//! | `constant` | object: bytes per constant bank |
//! | `barriers` | named barriers, or null |
//! | `code_bytes` | bytes of machine code |
//! | `param_base`, `param_bytes` | place and size in bytes of the parameter block in constant bank 0; null when not recorded |
//! | `params` | array of `ordinal`, `offset`, `size`, `pointee_space`, `pointee_align`: bytes, bytes, a number of [`PointeeSpace`](crate::consts::PointeeSpace), bytes or null; null when not recorded |
//! | `max_threads` | largest block, x, y, z (`__launch_bounds__`), or null |
//! | `required_threads` | the only block shape allowed, x, y, z (`.reqntid`, `__block_size__`), or null |
//! | `cluster` | cluster shape in blocks, x, y, z (`__cluster_dims__`), or null |
//! | `explicit_cluster` | whether only a cluster launch is allowed |
//! | `max_cluster_rank` | most blocks per cluster, or null |
//! | `max_registers` | register cap in force when it was compiled, or null |
//! | `externs` | array of functions outside the cubin that it needs: `vprintf` (for `printf`), `malloc`, `free`, `__assertfail` |
//! | `source` | object: `file` and `line` (from 1) of its definition, where a build knows it, else null |
//! | `sources` | array of paths, where a build knows them: the file that it was compiled from, and the one that holds its definition |
//!
//! ## Where a function was found
//!
//! Besides, the lines of `inspect` have `schema` and these; functions of [`write()`] have `section` and `cuobjdump` only.
//!
//! | Key | Value |
//! |---|---|
//! | `file` | the path that was given |
//! | `member` | member of the archive; absent when the file is none |
//! | `place` | `entry`: number of the entry in a fatbin, library, archive or executable, from 1, other kinds such as PTX counted too, null for a cubin by itself; `offset`: where the entry or the cubin starts in the file, in bytes; `section` and `symbol`: section of the host object that holds it, and the symbol whose data it is part of, or null |
//! | `sha256` | of the cubin, unpacked |
//! | `section` | index of the function's `.text` section: symbols can repeat |
//! | `cuobjdump` | what `cuobjdump -res-usage` prints: `reg`, `stack` (null for UNKNOWN), `shared`, `local`, `const` (bytes per bank) |
//!
//! ## Instructions
//!
//! The key `instructions`, with `cargo cubin inspect --json --instructions` only, and only where the target's instructions
//! are known (feature `sass`). Counts are static.
//!
//! | Key | Value |
//! |---|---|
//! | `all` | object: the counts below, of the whole function |
//! | `in_loops` | object: the same of the instructions that stand in loops; null before sm_70 |
//! | `lower_bound` | whether more may stand in loops: a branch goes to a computed address |
//! | `total` | instructions that can be executed: neither padding nor those whose predicate is never true |
//! | `fp64` | those that compute or convert in double precision, whatever their class |
//! | `classes` | object: instructions of each class of `sass::Class`, all classes in every object |
//! | `accesses` | array of `space`, `store`, `bytes` (per thread, null when not known), `count`: loads and stores |
//!
//! ## A whole cubin
//!
//! [`write()`] writes one object without line breaks:
//!
//! | Key | Value |
//! |---|---|
//! | `schema` | 2 |
//! | `target`, `toolkit` | as above |
//! | `virtual_sm` | number of the PTX target, or null |
//! | `kind` | `relocatable`, `executable`, `extensible-whole-program`, or `e_type` as a number |
//! | `class`, `layout`, `abi_version`, `flags` | 64 or 32; `old` or `new`; `EI_ABIVERSION`; `e_flags` |
//! | `mercury`, `lto` | whether the object carries a Mercury capsule, LTO intermediate code |
//! | `bytes` | length of the file |
//! | `sizes` | object: bytes per label of [`crate::sizes`], adding up to `bytes` |
//! | `tools` | array of `name`, `release`, `build`, `command_line` |
//! | `variables` | array of `symbol`, `space` (`global`, `constant`), `bank`, `bytes`, `initialized`, `managed` |
//! | `functions` | array of the objects above |

use alloc::{string::String, vec::Vec};

mod object;

use core::fmt::Write;

pub use self::object::Object;
#[cfg(feature = "sass")]
use crate::sass::{self, Mix};
#[cfg(feature = "views")]
use crate::{
    Cubin, Cuobjdump, Function,
    cubin::ObjectKind,
    elf::{Class, Layout},
    sizes,
    variable::Space,
};
use crate::{LaunchBounds, Params, Resources, Result, Sm, Stack};

/// Version of the schema in the module header.
pub const SCHEMA: u32 = 2;

/// What is known of one function, ready to be written.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Facts<'a> {
    /// What it was compiled for.
    pub target: Sm,
    /// The toolkit that wrote the cubin, as (major, minor).
    pub toolkit: Option<(u16, u16)>,
    /// Its symbol.
    pub symbol: &'a str,
    /// Its C++ name.
    pub name: Option<String>,
    /// Whether it can be launched.
    pub kernel: bool,
    /// What it needs of a multiprocessor.
    pub resources: &'a Resources,
    /// Limits on the block that the source declared.
    pub launch: &'a LaunchBounds,
    /// Its parameters.
    pub params: &'a Params,
    /// Whether the file has records that would list parameters: a function without any in them has none.
    pub recorded: bool,
    /// Bytes that spills move, and who says so.
    pub spills: Option<SpillBytes>,
    /// Functions outside the cubin that it needs.
    pub externs: Vec<&'a str>,
    /// File and line, from 1, of its definition.
    pub source: Option<(String, usize)>,
    /// Paths of the file that is compiled and of the one that holds its definition.
    pub sources: &'a [String],
    /// Index of its `.text` section.
    pub section: Option<u32>,
    /// What `cuobjdump` prints of it.
    #[cfg(feature = "views")]
    pub cuobjdump: Option<Cuobjdump>,
    /// Its instructions; [`of`](Self::of) leaves them out.
    #[cfg(feature = "sass")]
    pub instructions: Option<sass::Counts>,
}

/// Bytes that spill stores and loads move per thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpillBytes {
    /// Bytes of spill stores.
    pub stores: u64,
    /// Bytes of spill loads.
    pub loads: u64,
    /// Who says so.
    pub source: SpillSource,
}

/// Where a figure of spilled bytes is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpillSource {
    /// `ptxas -v`, with what called functions spill.
    Ptxas,
    /// The instructions that the cubin lists: a lower bound.
    Cubin,
}

/// Where a tool found a cubin.
#[derive(Debug, Clone, Copy)]
pub struct Found<'a> {
    /// The path that was given.
    pub file: &'a str,
    /// Member of the archive.
    pub member: Option<&'a str>,
    /// Number of the entry in the container, from 1; `None` for a cubin by itself.
    pub entry: Option<u32>,
    /// Where the entry or the cubin starts in the file, in bytes.
    pub offset: u64,
    /// Section of the host object.
    pub section: Option<&'a str>,
    /// Symbol of the host object whose data it is, or is part of.
    pub symbol: Option<&'a str>,
    /// SHA-256 of the cubin in hexadecimal digits.
    pub sha256: &'a str,
}

impl<'a> Facts<'a> {
    /// The figures of a function; what they do not hold is not known until it is set.
    #[must_use]
    pub fn new(
        target: Sm,
        symbol: &'a str,
        resources: &'a Resources,
        launch: &'a LaunchBounds,
        params: &'a Params,
    ) -> Self {
        Self {
            target,
            toolkit: None,
            symbol,
            name: None,
            kernel: true,
            resources,
            launch,
            params,
            recorded: false,
            spills: None,
            externs: Vec::new(),
            source: None,
            sources: &[],
            section: None,
            #[cfg(feature = "views")]
            cuobjdump: None,
            #[cfg(feature = "sass")]
            instructions: None,
        }
    }

    /// What `cubin` says of each of `functions`, which are its own, in their order. One at a time, since C++ names can be
    /// long.
    ///
    /// # Errors
    /// When a record is damaged; the iterator yields an error for a function whose own records are.
    #[cfg(feature = "views")]
    pub fn of(
        cubin: &Cubin<'a>,
        functions: &'a [Function<'a>],
    ) -> Result<impl Iterator<Item = Result<Self>>> {
        let target = cubin.target()?;
        let toolkit = cubin.toolkit()?;
        let figures = cubin.cuobjdump(functions)?;
        Ok(functions
            .iter()
            .zip(figures)
            .map(move |(function, cuobjdump)| {
                Ok(Self {
                    toolkit,
                    name: demangled(function.symbol),
                    kernel: function.kernel,
                    recorded: function.attributes.is_some(),
                    spills: cubin.spills(function)?.map(|spills| SpillBytes {
                        stores: spills.store_bytes.into(),
                        loads: spills.load_bytes.into(),
                        source: SpillSource::Cubin,
                    }),
                    externs: cubin.externs(function)?,
                    section: Some(function.section),
                    cuobjdump: Some(cuobjdump),
                    ..Self::new(
                        target,
                        function.symbol,
                        &function.resources,
                        &function.launch,
                        &function.params,
                    )
                })
            }))
    }
}

/// Writes the object of a whole file.
///
/// # Errors
/// When a record is damaged, or `out` does not take more.
#[cfg(feature = "views")]
pub fn write(cubin: &Cubin<'_>, out: &mut dyn Write) -> Result<()> {
    let header = cubin.elf().header();
    let flags = cubin.flags();
    let parts = sizes::parts(cubin.elf())?;
    let mut object = Object::open(out)?;
    object.number("schema", &SCHEMA)?;
    object.display("target", &cubin.target()?)?;
    toolkit(&mut object, cubin.toolkit()?)?;
    object.optional("virtual_sm", cubin.virtual_sm()?)?;
    match cubin.kind() {
        ObjectKind::Relocatable => object.string("kind", "relocatable")?,
        ObjectKind::Executable => object.string("kind", "executable")?,
        ObjectKind::ExtensibleWholeProgram => object.string("kind", "extensible-whole-program")?,
        ObjectKind::Other(kind) => object.number("kind", &kind)?,
    }
    let class = match header.class {
        Class::Elf32 => 32,
        Class::Elf64 => 64,
    };
    object.number("class", &class)?;
    let layout = match header.layout {
        Layout::Old => "old",
        Layout::New => "new",
    };
    object.string("layout", layout)?;
    object.number("abi_version", &header.abi_version)?;
    object.number("flags", &header.flags)?;
    object.number("mercury", &flags.mercury)?;
    object.number("lto", &flags.lto)?;
    object.number("bytes", &cubin.elf().bytes().len())?;
    object.object("sizes", &mut |object| {
        sizes::totals(&parts)
            .into_iter()
            .try_for_each(|(label, bytes)| object.number(label.name(), &bytes))
    })?;
    object.array("tools", cubin.tools(), |out, tool| {
        let tool = tool?;
        let mut object = Object::open(out)?;
        object.bytes("name", tool.name)?;
        object.bytes("release", tool.release)?;
        object.bytes("build", tool.build)?;
        object.bytes("command_line", tool.command_line)?;
        object.close()
    })?;
    object.array("variables", cubin.variables()?, |out, variable| {
        let mut object = Object::open(out)?;
        object.string("symbol", variable.symbol)?;
        let (space, bank) = match variable.space {
            Space::Global => ("global", None),
            Space::Constant(bank) => ("constant", Some(bank)),
        };
        object.string("space", space)?;
        object.optional("bank", bank)?;
        object.number("bytes", &variable.size)?;
        object.number("initialized", &variable.initial.is_some())?;
        object.number("managed", &variable.managed)?;
        object.close()
    })?;
    let functions = cubin.functions()?;
    object.array("functions", Facts::of(cubin, &functions)?, |out, facts| {
        write_function(&facts?, None, out)
    })?;
    object.close()
}

/// Writes the object of one function; with the version of the schema and its place where it was `found` by a tool.
///
/// # Errors
/// When `out` does not take more.
pub fn write_function(
    facts: &Facts<'_>,
    found: Option<&Found<'_>>,
    out: &mut dyn Write,
) -> Result<()> {
    let mut object = Object::open(out)?;
    if let Some(found) = found {
        write_found(found, &mut object)?;
    }
    let resources = facts.resources;
    object.display("target", &facts.target)?;
    toolkit(&mut object, facts.toolkit)?;
    object.string("function", facts.symbol)?;
    object.optional_string("name", facts.name.as_deref())?;
    object.number("kernel", &facts.kernel)?;
    object.number("registers", &resources.registers)?;
    object.optional("stack", resources.stack.bytes())?;
    let status = match resources.stack {
        Stack::Known(_) => "known",
        Stack::Unbounded => "unbounded",
        Stack::NotLinked => "not-linked",
        Stack::NotRecorded => "not-recorded",
    };
    object.string("stack_status", status)?;
    object.optional("frame", resources.frame)?;
    object.optional("spill_instructions", resources.spill_instructions)?;
    write_spills(facts.spills, &mut object)?;
    object.number("static_shared", &resources.static_shared)?;
    object.number("reserved_shared", &resources.reserved_shared)?;
    object.optional("dynamic_shared", facts.resources.dynamic_shared)?;
    object.number("local", &resources.local)?;
    object.banks("constant", &resources.constant)?;
    object.optional("barriers", resources.barriers)?;
    object.number("code_bytes", &resources.code_bytes)?;
    write_params(facts, &mut object)?;
    write_launch(facts.launch, &mut object)?;
    object.strings("externs", &facts.externs)?;
    match &facts.source {
        None => object.null("source")?,
        Some((file, line)) => object.object("source", &mut |object| {
            object.string("file", file)?;
            object.number("line", line)
        })?,
    }
    object.strings("sources", facts.sources)?;
    if let Some(section) = facts.section {
        object.number("section", &section)?;
    }
    #[cfg(feature = "views")]
    if let Some(figures) = &facts.cuobjdump {
        object.object("cuobjdump", &mut |object| {
            object.number("reg", &figures.reg)?;
            object.optional("stack", figures.stack)?;
            object.number("shared", &figures.shared)?;
            object.number("local", &figures.local)?;
            object.banks("const", &resources.constant)
        })?;
    }
    #[cfg(feature = "sass")]
    if let Some(counts) = &facts.instructions {
        object.object("instructions", &mut |object| {
            object.object("all", &mut |object| write_mix(&counts.all, object))?;
            match &counts.in_loops {
                Some(mix) => object.object("in_loops", &mut |object| write_mix(mix, object))?,
                None => object.null("in_loops")?,
            }
            object.number("lower_bound", &counts.lower_bound)
        })?;
    }
    object.close()
}

#[cfg(feature = "sass")]
fn write_mix(mix: &Mix, object: &mut Object<'_>) -> Result<()> {
    object.number("total", &mix.instructions())?;
    object.number("fp64", &mix.fp64())?;
    object.object("classes", &mut |object| {
        let mut classes = sass::Class::ALL.iter();
        classes.try_for_each(|class| object.number(class.name(), &mix.count(*class)))
    })?;
    object.array("accesses", mix.accesses(), |out, (access, count)| {
        let mut object = Object::open(out)?;
        object.string("space", access.space.name())?;
        object.number("store", &access.store)?;
        object.optional("bytes", access.bytes)?;
        object.number("count", &count)?;
        object.close()
    })
}

fn write_found(found: &Found<'_>, object: &mut Object<'_>) -> Result<()> {
    object.number("schema", &SCHEMA)?;
    object.string("file", found.file)?;
    if let Some(member) = found.member {
        object.string("member", member)?;
    }
    object.object("place", &mut |object| {
        object.optional("entry", found.entry)?;
        object.number("offset", &found.offset)?;
        object.optional_string("section", found.section)?;
        object.optional_string("symbol", found.symbol)
    })?;
    object.string("sha256", found.sha256)
}

fn write_spills(spills: Option<SpillBytes>, object: &mut Object<'_>) -> Result<()> {
    let Some(spills) = spills else {
        return object.null("spill_bytes");
    };
    object.object("spill_bytes", &mut |object| {
        object.number("stores", &spills.stores)?;
        object.number("loads", &spills.loads)?;
        let source = match spills.source {
            SpillSource::Ptxas => "ptxas",
            SpillSource::Cubin => "cubin",
        };
        object.string("source", source)
    })
}

fn write_params(facts: &Facts<'_>, object: &mut Object<'_>) -> Result<()> {
    let Params::Recorded { base, size, params } = facts.params else {
        object.null("param_base")?;
        object.null("param_bytes")?;
        return if facts.recorded {
            // Of a device function: the records say that there are none.
            object.number("params", &"[]")
        } else {
            object.null("params")
        };
    };
    object.number("param_base", &base)?;
    object.number("param_bytes", &size)?;
    object.array("params", params, |out, param| {
        let mut object = Object::open(out)?;
        object.number("ordinal", &param.ordinal)?;
        object.number("offset", &param.offset)?;
        object.number("size", &param.size)?;
        object.number("pointee_space", &param.pointee_space.0)?;
        let align = 1_u64
            .checked_shl(param.pointee_align_log2.into())
            .filter(|&align| align > 1);
        object.optional("pointee_align", align)?;
        object.close()
    })
}

fn write_launch(launch: &LaunchBounds, object: &mut Object<'_>) -> Result<()> {
    object.dimensions("max_threads", launch.max_threads)?;
    object.dimensions("required_threads", launch.required_threads)?;
    object.dimensions("cluster", launch.cluster)?;
    object.number("explicit_cluster", &launch.explicit_cluster)?;
    object.optional("max_cluster_rank", launch.max_cluster_rank)?;
    object.optional("max_registers", launch.max_registers)
}

fn toolkit(object: &mut Object<'_>, toolkit: Option<(u16, u16)>) -> Result<()> {
    match toolkit {
        Some((major, minor)) => object.display("toolkit", &format_args!("{major}.{minor}")),
        None => object.null("toolkit"),
    }
}

#[cfg(feature = "views")]
fn demangled(symbol: &str) -> Option<String> {
    #[cfg(feature = "demangle")]
    let name = crate::demangle::demangle(symbol);
    #[cfg(not(feature = "demangle"))]
    let name = Some(symbol).and(None);
    name
}
