//! The JSON view: what is true of each function and what cuobjdump prints, side by side.
//!
//! # Schema, version 1
//!
//! [`write()`] writes one object without line breaks:
//!
//! | Key | Value |
//! |---|---|
//! | `schema` | 1; grows when a key changes its meaning or goes away, not when keys are added |
//! | `target` | `sm_90a` |
//! | `virtual_sm` | number of the PTX target, or null |
//! | `toolkit` | `13.5`, or null |
//! | `kind` | `relocatable`, `executable`, `extensible-whole-program`, or `e_type` as a number |
//! | `class`, `layout`, `abi_version`, `flags` | 64 or 32; `old` or `new`; `EI_ABIVERSION`; `e_flags` |
//! | `mercury`, `lto` | whether the object carries a Mercury capsule, LTO intermediate code |
//! | `bytes` | length of the file |
//! | `sizes` | object: bytes per label of [`sizes`], adding up to `bytes` |
//! | `tools` | array of `name`, `release`, `build`, `command_line` |
//! | `variables` | array of `symbol`, `space` (`global`, `constant`), `bank`, `bytes`, `initialized`, `managed` |
//! | `functions` | array of the objects below |
//!
//! [`write_function`] writes one function:
//!
//! | Key | Value |
//! |---|---|
//! | `target`, `toolkit` | as above |
//! | `function` | the symbol |
//! | `name` | the demangled name; null without the feature `demangle`, or when the symbol is not mangled |
//! | `section` | index of its `.text` section: symbols can repeat |
//! | `kernel` | whether it can be launched |
//! | `registers` | per thread |
//! | `stack` | bytes per thread; null when not known |
//! | `stack_unbounded` | true when the file says that it is not statically known |
//! | `frame` | bytes of its own stack frame, or null |
//! | `spill_instructions` | number, or null when not recorded |
//! | `spills` | `stores`, `loads`, `store_bytes`, `load_bytes`, or null when not recorded or below sm_70 |
//! | `static_shared`, `reserved_shared`, `local` | bytes |
//! | `constant` | object: bytes per bank |
//! | `barriers` | number, or null |
//! | `code_bytes` | bytes |
//! | `param_base`, `param_bytes` | place and size of the parameter block in constant bank 0, or null |
//! | `params` | array of `ordinal`, `offset`, `size`, `pointee_space`, `pointee_align` (bytes, null when not declared); null when not recorded |
//! | `max_threads`, `required_threads`, `cluster` | array x, y, z, or null |
//! | `explicit_cluster`, `max_cluster_rank`, `max_registers` | bool; number or null; number or null |
//! | `externs` | array of symbols that it needs from outside the file |
//! | `cuobjdump` | `reg`, `stack` (number or `UNKNOWN`), `shared`, `local`, `const` (bytes per bank) |
//!
//! Strings are Unicode; a name that is not UTF-8 is cut before the first bad byte.

use core::fmt::{self, Display, Write};

use crate::{
    Cubin, Cuobjdump, Error, ErrorKind, Function, Params, Result, Sm,
    cubin::ObjectKind,
    elf::{Class, Layout},
    sizes,
    variable::Space,
};

/// Version of the schema in the module header.
pub const SCHEMA: u32 = 1;

/// What every function object repeats from its file.
#[derive(Debug, Clone, Copy)]
pub struct Origin {
    target: Sm,
    toolkit: Option<(u16, u16)>,
}

impl Origin {
    /// Target and toolkit of a file.
    ///
    /// # Errors
    /// When a record that they depend on is damaged.
    pub fn of(cubin: &Cubin<'_>) -> Result<Self> {
        Ok(Self {
            target: cubin.target()?,
            toolkit: cubin.toolkit()?,
        })
    }
}

/// Writes the object of a whole file.
///
/// # Errors
/// When a record is damaged, or `out` does not take more.
pub fn write(cubin: &Cubin<'_>, out: &mut dyn Write) -> Result<()> {
    let origin = Origin::of(cubin)?;
    let header = cubin.elf().header();
    let flags = cubin.flags();
    let parts = sizes::parts(cubin.elf())?;
    let mut object = Object::open(out)?;
    object.number("schema", SCHEMA)?;
    origin.write(&mut object)?;
    object.optional("virtual_sm", cubin.virtual_sm()?)?;
    match cubin.kind() {
        ObjectKind::Relocatable => object.string("kind", "relocatable")?,
        ObjectKind::Executable => object.string("kind", "executable")?,
        ObjectKind::ExtensibleWholeProgram => object.string("kind", "extensible-whole-program")?,
        ObjectKind::Other(kind) => object.number("kind", kind)?,
    }
    let class = match header.class {
        Class::Elf32 => 32,
        Class::Elf64 => 64,
    };
    object.number("class", class)?;
    let layout = match header.layout {
        Layout::Old => "old",
        Layout::New => "new",
    };
    object.string("layout", layout)?;
    object.number("abi_version", header.abi_version)?;
    object.number("flags", header.flags)?;
    object.number("mercury", flags.mercury)?;
    object.number("lto", flags.lto)?;
    object.number("bytes", cubin.elf().bytes().len())?;
    object.object("sizes", |object| {
        sizes::totals(&parts)
            .into_iter()
            .try_for_each(|(label, bytes)| object.number(label.name(), bytes))
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
        object.number("bytes", variable.size)?;
        object.number("initialized", variable.initial.is_some())?;
        object.number("managed", variable.managed)?;
        object.close()
    })?;
    let functions = cubin.functions()?;
    let shown = cubin.cuobjdump(&functions)?;
    object.array(
        "functions",
        functions.iter().zip(shown),
        |out, (function, shown)| write_function(cubin, &origin, function, &shown, out),
    )?;
    object.close()
}

impl Origin {
    fn write(&self, object: &mut Object<'_>) -> Result<()> {
        object.display("target", self.target)?;
        match self.toolkit {
            Some((major, minor)) => object.display("toolkit", format_args!("{major}.{minor}")),
            None => object.null("toolkit"),
        }
    }
}

/// Writes the object of one function.
///
/// # Errors
/// When a record is damaged, or `out` does not take more.
pub fn write_function(
    cubin: &Cubin<'_>,
    origin: &Origin,
    function: &Function<'_>,
    shown: &Cuobjdump,
    out: &mut dyn Write,
) -> Result<()> {
    let resources = &function.resources;
    let launch = &function.launch;
    let mut object = Object::open(out)?;
    origin.write(&mut object)?;
    object.string("function", function.symbol)?;
    match demangled(function.symbol) {
        Some(name) => object.string("name", &name)?,
        None => object.null("name")?,
    }
    object.number("section", function.section)?;
    object.number("kernel", function.kernel)?;
    object.number("registers", resources.registers)?;
    object.optional("stack", resources.stack.bytes())?;
    object.number("stack_unbounded", resources.stack.is_unbounded())?;
    object.optional("frame", resources.frame)?;
    object.optional("spill_instructions", resources.spill_instructions)?;
    match cubin.spills(function)? {
        None => object.null("spills")?,
        Some(spills) => object.object("spills", |object| {
            object.number("stores", spills.stores)?;
            object.number("loads", spills.loads)?;
            object.number("store_bytes", spills.store_bytes)?;
            object.number("load_bytes", spills.load_bytes)
        })?,
    }
    object.number("static_shared", resources.static_shared)?;
    object.number("reserved_shared", resources.reserved_shared)?;
    object.number("local", resources.local)?;
    object.banks("constant", &resources.constant)?;
    object.optional("barriers", resources.barriers)?;
    object.number("code_bytes", resources.code_bytes)?;
    match &function.params {
        Params::NotRecorded => {
            object.null("param_base")?;
            object.null("param_bytes")?;
            object.null("params")?;
        }
        Params::Recorded { base, size, params } => {
            object.number("param_base", base)?;
            object.number("param_bytes", size)?;
            object.array("params", params, |out, param| {
                let mut object = Object::open(out)?;
                object.number("ordinal", param.ordinal)?;
                object.number("offset", param.offset)?;
                object.number("size", param.size)?;
                object.number("pointee_space", param.pointee_space.0)?;
                let align = 1_u64
                    .checked_shl(param.pointee_align_log2.into())
                    .filter(|&align| align > 1);
                object.optional("pointee_align", align)?;
                object.close()
            })?;
        }
    }
    object.dimensions("max_threads", launch.max_threads)?;
    object.dimensions("required_threads", launch.required_threads)?;
    object.dimensions("cluster", launch.cluster)?;
    object.number("explicit_cluster", launch.explicit_cluster)?;
    object.optional("max_cluster_rank", launch.max_cluster_rank)?;
    object.optional("max_registers", launch.max_registers)?;
    object.array("externs", cubin.externs(function)?, |out, name| {
        quoted(out, name)
    })?;
    object.object("cuobjdump", |object| {
        object.number("reg", shown.reg)?;
        match shown.stack {
            Some(stack) => object.number("stack", stack)?,
            None => object.string("stack", "UNKNOWN")?,
        }
        object.number("shared", shown.shared)?;
        object.number("local", shown.local)?;
        object.banks("const", &resources.constant)
    })?;
    object.close()
}

#[cfg(feature = "demangle")]
fn demangled(symbol: &str) -> Option<String> {
    crate::demangle::demangle(symbol)
}

#[cfg(not(feature = "demangle"))]
fn demangled(_symbol: &str) -> Option<String> {
    None
}

/// An object that is being written.
struct Object<'w> {
    out: &'w mut dyn Write,
    first: bool,
}

impl<'w> Object<'w> {
    fn open(out: &'w mut dyn Write) -> Result<Self> {
        out.write_char('{').map_err(full)?;
        Ok(Self { out, first: true })
    }

    fn close(self) -> Result<()> {
        self.out.write_char('}').map_err(full)
    }

    fn key(&mut self, key: &str) -> Result<()> {
        let comma = if self.first { "" } else { "," };
        self.first = false;
        write!(self.out, "{comma}\"{key}\":").map_err(full)
    }

    /// A number or a bool.
    fn number(&mut self, key: &str, value: impl Display) -> Result<()> {
        self.key(key)?;
        write!(self.out, "{value}").map_err(full)
    }

    fn null(&mut self, key: &str) -> Result<()> {
        self.number(key, "null")
    }

    fn optional(&mut self, key: &str, value: Option<impl Display>) -> Result<()> {
        match value {
            Some(value) => self.number(key, value),
            None => self.null(key),
        }
    }

    fn string(&mut self, key: &str, value: &str) -> Result<()> {
        self.key(key)?;
        quoted(self.out, value)
    }

    /// A string without characters that need an escape.
    fn display(&mut self, key: &str, value: impl Display) -> Result<()> {
        self.key(key)?;
        write!(self.out, "\"{value}\"").map_err(full)
    }

    fn bytes(&mut self, key: &str, value: &[u8]) -> Result<()> {
        self.string(key, &String::from_utf8_lossy(value))
    }

    fn object(
        &mut self,
        key: &str,
        fill: impl FnOnce(&mut Object<'_>) -> Result<()>,
    ) -> Result<()> {
        self.key(key)?;
        let mut object = Object::open(self.out)?;
        fill(&mut object)?;
        object.close()
    }

    fn array<T>(
        &mut self,
        key: &str,
        items: impl IntoIterator<Item = T>,
        write: impl Fn(&mut dyn Write, T) -> Result<()>,
    ) -> Result<()> {
        self.key(key)?;
        let mut comma = "[";
        for item in items {
            self.out.write_str(comma).map_err(full)?;
            write(self.out, item)?;
            comma = ",";
        }
        let end = if comma == "[" { "[]" } else { "]" };
        self.out.write_str(end).map_err(full)
    }

    fn banks(&mut self, key: &str, banks: &[(u8, u64)]) -> Result<()> {
        self.object(key, |object| {
            banks
                .iter()
                .try_for_each(|(bank, bytes)| object.number(&bank.to_string(), bytes))
        })
    }

    fn dimensions(&mut self, key: &str, value: Option<[u32; 3]>) -> Result<()> {
        self.optional(key, value.map(|[x, y, z]| format!("[{x},{y},{z}]")))
    }
}

fn quoted(out: &mut dyn Write, text: &str) -> Result<()> {
    let mut write = || -> fmt::Result {
        out.write_char('"')?;
        for character in text.chars() {
            match character {
                '"' => out.write_str("\\\"")?,
                '\\' => out.write_str("\\\\")?,
                '\u{0}'..='\u{1f}' => write!(out, "\\u{:04x}", u32::from(character))?,
                _ => out.write_char(character)?,
            }
        }
        out.write_char('"')
    };
    write().map_err(full)
}

#[cold]
fn full(_: fmt::Error) -> Error {
    Error::new(
        ErrorKind::Output,
        "the view could not be written: the writer takes no more",
        0,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped() {
        let mut text = String::new();
        quoted(&mut text, "a\"b\\c\n\u{1f}é").unwrap();
        assert_eq!(text, r#""a\"b\\c\u000a\u001fé""#);
    }

    #[test]
    fn a_writer_that_is_full_is_an_error() {
        struct Full;
        impl Write for Full {
            fn write_str(&mut self, _: &str) -> fmt::Result {
                Err(fmt::Error)
            }
        }
        assert!(quoted(&mut Full, "x").is_err());
    }
}
