//! The text view: everything known about a file, for people and for golden tests.
//!
//! One line per fact, in file order, without anything that depends on the machine. What cannot be read is written as
//! the error it gives, in its place, and the rest goes on: a damaged file is what this view is looked at for.

use core::fmt::{Display, Write};

use crate::{
    Cubin, Error, Function, Params, Result,
    attr::{Annotation, Payload, Words},
    callgraph::{self, Call},
    compat,
    consts::{Compat, Eiattr, SectionType, SymbolType},
    elf::{Class, Elf, Layout, Names, Place, Section, Symbol},
    nvinfo::{Attribute, Attributes, Value},
    reloc::{self, Relocation},
    sizes,
    uses::References,
    variable::Space,
};

/// Writes everything that is known about a cubin.
///
/// # Errors
/// Only when `out` does not take more; damaged records are written as their errors.
pub fn write(cubin: &Cubin<'_>, out: &mut dyn Write) -> Result<()> {
    let mut text = Text { out };
    text.header(cubin)?;
    text.tools(cubin)?;
    text.compat(cubin)?;
    text.sections(cubin.elf())?;
    text.symbols(cubin.elf())?;
    text.relocations(cubin.elf())?;
    text.attributes(cubin.elf())?;
    text.functions(cubin)?;
    text.variables(cubin)?;
    text.calls(cubin.elf())?;
    text.sizes(cubin.elf())
}

struct Text<'w> {
    out: &'w mut dyn Write,
}

/// One line.
macro_rules! line {
    ($text:expr, $($format:tt)*) => {
        writeln!($text.out, $($format)*).map_err(full)
    };
}

#[cold]
fn full(_: core::fmt::Error) -> Error {
    Error::new("the view could not be written: the writer takes no more", 0)
}

impl Text<'_> {
    fn error(&mut self, error: &Error) -> Result<()> {
        line!(self, "  ! {error}")
    }

    fn header(&mut self, cubin: &Cubin<'_>) -> Result<()> {
        let header = cubin.elf().header();
        let flags = cubin.flags();
        line!(self, "file")?;
        line!(self, "  bytes {}", cubin.elf().bytes().len())?;
        let class = match header.class {
            Class::Elf32 => 32,
            Class::Elf64 => 64,
        };
        let layout = match header.layout {
            Layout::Old => "old",
            Layout::New => "new",
        };
        line!(
            self,
            "  ELF{class}, {layout} layout, ABI version {}, {}, e_version {:#x}, e_flags {:#010x}",
            header.abi_version,
            header.kind,
            header.version,
            header.flags
        )?;
        match cubin.target() {
            Ok(target) => line!(self, "  target {target}")?,
            Err(error) => self.error(&error)?,
        }
        match cubin.virtual_sm() {
            Ok(Some(number)) => line!(self, "  virtual sm {number}")?,
            Ok(None) => {}
            Err(error) => self.error(&error)?,
        }
        match cubin.toolkit() {
            Ok(Some((major, minor))) => line!(self, "  toolkit {major}.{minor}")?,
            Ok(None) => {}
            Err(error) => self.error(&error)?,
        }
        for (set, words) in [
            (flags.accelerated, "accelerated flag"),
            (flags.mercury, "Mercury capsule"),
            (flags.lto, "LTO object"),
            (!flags.address64, "32-bit addresses"),
        ] {
            if set {
                line!(self, "  {words}")?;
            }
        }
        line!(
            self,
            "  {} sections, {} program headers, {} symbols",
            header.section_count,
            header.program_header_count,
            cubin.elf().symbol_count()
        )
    }

    fn tools(&mut self, cubin: &Cubin<'_>) -> Result<()> {
        for tool in cubin.tools() {
            match tool {
                Ok(tool) => {
                    line!(self, "tool {}", escaped(tool.name))?;
                    line!(self, "  release {}", escaped(tool.release))?;
                    line!(self, "  build {}", escaped(tool.build))?;
                    line!(self, "  command line {}", escaped(tool.command_line))?;
                }
                Err(error) => self.error(&error)?,
            }
        }
        Ok(())
    }

    fn compat(&mut self, cubin: &Cubin<'_>) -> Result<()> {
        let records = match compat::records(cubin.elf()) {
            Ok(records) => records,
            Err(error) => return self.error(&error),
        };
        let mut title = Some("compat");
        for record in records {
            if let Some(title) = title.take() {
                line!(self, "{title}")?;
            }
            let record = match record {
                Ok(record) => record,
                Err(error) => return self.error(&error),
            };
            write!(self.out, "  {} ", Compat(record.code)).map_err(full)?;
            match (compat::finalizer_version(&record), record.value) {
                (Some((major, minor, patch)), _) => line!(self, "{major}.{minor}.{patch}")?,
                (None, Value::Flag) => line!(self, "set")?,
                (None, Value::Byte(value)) => line!(self, "{value}")?,
                (None, Value::Half(value)) => line!(self, "{value:#06x}")?,
                (None, Value::Bytes(bytes)) => line!(self, "{}", hex(bytes))?,
            }
        }
        Ok(())
    }

    fn sections(&mut self, elf: &Elf<'_>) -> Result<()> {
        line!(self, "sections")?;
        let mut names = Names::new(elf.section_names(), elf.bytes().len());
        for section in elf.sections() {
            let name = match names.get(section.name) {
                Ok(name) => name,
                Err(error) => {
                    self.error(&error)?;
                    b"?"
                }
            };
            line!(
                self,
                "  {} {} {} at {:#x} size {:#x} flags {:#x} link {} info {:#x} align {} entry {}",
                section.index,
                section.ty,
                escaped(name),
                section.offset,
                section.size,
                section.flags,
                section.link,
                section.info,
                section.align,
                section.entsize
            )?;
        }
        Ok(())
    }

    fn symbols(&mut self, elf: &Elf<'_>) -> Result<()> {
        line!(self, "symbols")?;
        let mut names = Names::new(elf.symbol_names(), elf.bytes().len());
        for symbol in elf.symbols() {
            match symbol {
                Ok(symbol) => match names.get(symbol.name) {
                    Ok(name) => self.symbol(&symbol, name)?,
                    Err(error) => self.error(&error)?,
                },
                Err(error) => self.error(&error)?,
            }
        }
        Ok(())
    }

    fn symbol(&mut self, symbol: &Symbol, name: &[u8]) -> Result<()> {
        write!(
            self.out,
            "  {} {} {} ",
            symbol.index,
            symbol.binding(),
            symbol.ty()
        )
        .map_err(full)?;
        match symbol.place {
            Place::Undefined => write!(self.out, "undefined"),
            Place::Section(index) => write!(self.out, "section {index}"),
            Place::Reserved(index) => write!(self.out, "reserved {index:#x}"),
        }
        .map_err(full)?;
        write!(
            self.out,
            " value {:#x} size {:#x} {}",
            symbol.value,
            symbol.size,
            escaped(name)
        )
        .map_err(full)?;
        let function = symbol.ty() == SymbolType::FUNC;
        let other = symbol.other;
        for (set, words) in [
            (function && other.entry(), "kernel"),
            (!function && other.entry(), "unified object"),
            (function && other.0 & 4 != 0, "unified function"),
            (!function && other.0 & 4 != 0, "managed"),
            (other.obscure(), "obscure"),
        ] {
            if set {
                write!(self.out, ", {words}").map_err(full)?;
            }
        }
        if other.visibility() != 0 {
            write!(self.out, ", visibility {}", other.visibility()).map_err(full)?;
        }
        if let Some(space) = other.space() {
            write!(self.out, ", space {space}").map_err(full)?;
        }
        line!(self, "")
    }

    fn relocations(&mut self, elf: &Elf<'_>) -> Result<()> {
        for table in reloc::tables(elf) {
            let table = match table {
                Ok(table) => table,
                Err(error) => return self.error(&error),
            };
            line!(
                self,
                "relocations in section {} of section {}",
                table.section.index,
                table.section.info
            )?;
            for relocation in table.entries {
                match relocation {
                    Ok(Relocation {
                        offset,
                        ty,
                        symbol,
                        addend: Some(addend),
                        ..
                    }) => line!(
                        self,
                        "  {offset:#x} {ty} symbol {symbol} addend {addend:#x}"
                    )?,
                    Ok(relocation) => line!(
                        self,
                        "  {:#x} {} symbol {}",
                        relocation.offset,
                        relocation.ty,
                        relocation.symbol
                    )?,
                    Err(error) => self.error(&error)?,
                }
            }
        }
        Ok(())
    }

    fn attributes(&mut self, elf: &Elf<'_>) -> Result<()> {
        let mut names = Names::new(elf.section_names(), elf.bytes().len());
        // Sections that share their bytes would be written over and over.
        let mut left = elf.bytes().len() as u64;
        for section in elf.sections() {
            if section.ty != SectionType::CUDA_INFO && section.ty != SectionType::MERCURY_INFO {
                continue;
            }
            match names.get(section.name) {
                Ok(name) => line!(self, "attributes {}", escaped(name))?,
                Err(error) => self.error(&error)?,
            }
            let Some(rest) = left.checked_sub(section.size) else {
                return line!(
                    self,
                    "  ! attribute sections longer than the file: they overlap"
                );
            };
            left = rest;
            self.records(elf, &section)?;
        }
        Ok(())
    }

    fn records(&mut self, elf: &Elf<'_>, section: &Section) -> Result<()> {
        let reader = match elf.reader(section) {
            Ok(reader) => reader,
            Err(error) => return self.error(&error),
        };
        for attribute in Attributes::new(reader) {
            match attribute {
                Ok(attribute) => self.record(&attribute)?,
                Err(error) => self.error(&error)?,
            }
        }
        Ok(())
    }

    fn record(&mut self, attribute: &Attribute<'_>) -> Result<()> {
        let payload = match Payload::of(attribute) {
            Ok(payload) => payload,
            Err(error) => return self.error(&error),
        };
        write!(self.out, "  {} ", Eiattr(attribute.code)).map_err(full)?;
        match payload {
            Payload::Flag => line!(self, "set"),
            Payload::Number(value) => line!(self, "{value}"),
            Payload::Toolkit(version) => line!(self, "{version}"),
            Payload::Language(language) => line!(self, "{language}"),
            Payload::StackBytes(Some(bytes)) => line!(self, "{bytes} bytes"),
            Payload::StackBytes(None) => line!(self, "unknown"),
            Payload::Dimensions([x, y, z]) => line!(self, "{x} {y} {z}"),
            Payload::OfSymbol { symbol, value } => line!(self, "symbol {symbol} value {value:#x}"),
            Payload::ParamBank {
                symbol,
                offset,
                size,
            } => line!(self, "symbol {symbol} offset {offset:#x} size {size}"),
            Payload::Param(param) => {
                write!(
                    self.out,
                    "ordinal {} offset {:#x} size {} pointee {} align {}",
                    param.ordinal,
                    param.offset,
                    param.size,
                    param.pointee_space,
                    param.pointee_align_log2
                )
                .map_err(full)?;
                if param.symbol != 0 {
                    write!(self.out, " symbol {}", param.symbol).map_err(full)?;
                }
                match param.bank {
                    Some(bank) => line!(self, " bank {bank:#x} in {}", param.space),
                    None => line!(self, ""),
                }
            }
            Payload::QueryCounts(counts) => line!(self, "{}", hex(&counts)),
            Payload::Scratch { start, size } => line!(self, "start {start:#x} size {size}"),
            Payload::Symbols(list) => self.list("symbols", list, ""),
            Payload::CodeOffsets(list) => self.list("at", list, "0x"),
            Payload::MaskRegisters(list) => self.list("registers", list, "0x"),
            Payload::Fragments(list) => self.list("fragments", list, ""),
            Payload::Words(list) => self.list("words", list, "0x"),
            Payload::InstructionsOfKind { kind, offsets } => {
                write!(self.out, "kind {kind} ").map_err(full)?;
                self.list("at", offsets, "0x")
            }
            Payload::RegisterMap(list) => {
                for at in list {
                    write!(self.out, "{:#x}: R{} ", at.offset, at.register).map_err(full)?;
                }
                line!(self, "")
            }
            Payload::Mbarriers(list) => {
                for at in list {
                    write!(
                        self.out,
                        "{:#x}: R{} +{:#x} {} ",
                        at.offset,
                        at.register,
                        at.constant,
                        hex(&at.tail)
                    )
                    .map_err(full)?;
                }
                line!(self, "")
            }
            Payload::Coroutines(list) => {
                for (id, offset) in list {
                    write!(self.out, "{id}: {offset:#x} ").map_err(full)?;
                }
                line!(self, "")
            }
            Payload::IndirectBranches(branches) => {
                line!(self, "")?;
                for branch in branches {
                    match branch {
                        Ok(branch) => {
                            write!(self.out, "    {:#x} ", branch.offset).map_err(full)?;
                            self.list("to", branch.targets, "0x")?;
                        }
                        Err(error) => self.error(&error)?,
                    }
                }
                Ok(())
            }
            Payload::Annotations(annotations) => {
                line!(self, "")?;
                for annotation in annotations {
                    match annotation {
                        Annotation::Spill(offset) => line!(self, "    spill {offset:#x}")?,
                        Annotation::Instruction { offset, text } => {
                            line!(self, "    {offset:#x} {}", escaped(text))?;
                        }
                        Annotation::Function(text) => line!(self, "    {}", escaped(text))?,
                        Annotation::Unknown(kind, rest) => {
                            line!(self, "    kind {kind} {}", hex(rest))?;
                        }
                    }
                }
                Ok(())
            }
            Payload::Bytes(bytes) => line!(self, "{}", hex(bytes)),
        }
    }

    fn list(&mut self, words: &str, list: Words<'_>, prefix: &str) -> Result<()> {
        write!(self.out, "{words}").map_err(full)?;
        for word in list {
            if prefix.is_empty() {
                write!(self.out, " {word}")
            } else {
                write!(self.out, " {word:#x}")
            }
            .map_err(full)?;
        }
        line!(self, "")
    }

    fn functions(&mut self, cubin: &Cubin<'_>) -> Result<()> {
        let functions = match cubin.functions() {
            Ok(functions) => functions,
            Err(error) => return self.error(&error),
        };
        for function in &functions {
            self.function(cubin, function)?;
        }
        match cubin.references(&functions) {
            Ok(references) => {
                for (function, uses) in functions.iter().zip(references) {
                    if uses != References::default() {
                        line!(
                            self,
                            "references of {}: {} textures, {} surfaces, {} samplers",
                            escaped(function.symbol.as_bytes()),
                            uses.textures,
                            uses.surfaces,
                            uses.samplers
                        )?;
                    }
                }
                Ok(())
            }
            Err(error) => self.error(&error),
        }
    }

    fn function(&mut self, cubin: &Cubin<'_>, function: &Function<'_>) -> Result<()> {
        let kind = if function.kernel {
            "kernel"
        } else {
            "function"
        };
        line!(self, "{kind} {}", escaped(function.symbol.as_bytes()))?;
        let resources = &function.resources;
        line!(
            self,
            "  section {} symbol {} code {} bytes",
            function.section,
            function.symbol_index,
            resources.code_bytes
        )?;
        let unbounded = if resources.stack_unbounded {
            " (not statically known)"
        } else {
            ""
        };
        line!(
            self,
            "  registers {} stack {}{unbounded} frame {} barriers {}",
            resources.registers,
            maybe(resources.stack),
            maybe(resources.frame),
            maybe(resources.barriers)
        )?;
        line!(
            self,
            "  shared {} + {} reserved, local {}, constant {}",
            resources.static_shared,
            resources.reserved_shared,
            resources.local,
            banks(&resources.constant)
        )?;
        match cubin.spills(function) {
            Ok(Some(spills)) => line!(
                self,
                "  spills {}: {} stores of {} bytes, {} loads of {} bytes, {} other",
                maybe(resources.spill_instructions),
                spills.stores,
                spills.store_bytes,
                spills.loads,
                spills.load_bytes,
                spills.other
            )?,
            Ok(None) => line!(self, "  spills {}", maybe(resources.spill_instructions))?,
            Err(error) => self.error(&error)?,
        }
        match &function.params {
            Params::NotRecorded => line!(self, "  parameters not recorded")?,
            Params::Recorded { base, size, params } => {
                line!(
                    self,
                    "  {} parameters, {size} bytes at {base:#x}",
                    params.len()
                )?;
            }
        }
        let launch = &function.launch;
        for (name, value) in [
            ("max threads", launch.max_threads),
            ("required threads", launch.required_threads),
            ("cluster", launch.cluster),
        ] {
            if let Some([x, y, z]) = value {
                line!(self, "  {name} {x} {y} {z}")?;
            }
        }
        if launch.explicit_cluster {
            line!(self, "  explicit cluster")?;
        }
        if let Some(rank) = launch.max_cluster_rank {
            line!(self, "  max cluster rank {rank}")?;
        }
        if let Some(cap) = launch.max_registers {
            line!(self, "  register cap {cap}")?;
        }
        match cubin.externs(function) {
            Ok(externs) if externs.is_empty() => {}
            Ok(externs) => line!(self, "  externs {}", externs.join(" "))?,
            Err(error) => self.error(&error)?,
        }
        let raw = &function.cuobjdump;
        let stack = match raw.stack {
            Some(stack) => stack.to_string(),
            None => "UNKNOWN".to_owned(),
        };
        line!(
            self,
            "  cuobjdump REG:{} STACK:{stack} SHARED:{} LOCAL:{} CONSTANT {}",
            raw.reg,
            raw.shared,
            raw.local,
            banks(&resources.constant)
        )
    }

    fn variables(&mut self, cubin: &Cubin<'_>) -> Result<()> {
        let variables = match cubin.variables() {
            Ok(variables) => variables,
            Err(error) => return self.error(&error),
        };
        for variable in variables {
            write!(
                self.out,
                "variable {} {} section {} offset {:#x} size {} ",
                escaped(variable.symbol.as_bytes()),
                variable.binding,
                variable.section,
                variable.offset,
                variable.size
            )
            .map_err(full)?;
            match variable.space {
                Space::Global => write!(self.out, "global"),
                Space::Constant(bank) => write!(self.out, "constant {bank}"),
            }
            .map_err(full)?;
            if variable.managed {
                write!(self.out, " managed").map_err(full)?;
            }
            match variable.initial {
                // Enough to recognise it by.
                Some(bytes) => line!(self, " = {}", hex(bytes.get(..32).unwrap_or(bytes)))?,
                None => line!(self, " = zeros")?,
            }
        }
        Ok(())
    }

    fn calls(&mut self, elf: &Elf<'_>) -> Result<()> {
        match callgraph::calls(elf) {
            Ok(calls) => {
                for call in calls {
                    match call {
                        Ok(call) => self.call(&call)?,
                        Err(error) => self.error(&error)?,
                    }
                }
            }
            Err(error) => self.error(&error)?,
        }
        match callgraph::prototypes(elf) {
            Ok(prototypes) => {
                for prototype in prototypes {
                    match prototype {
                        Ok(prototype) => line!(
                            self,
                            "prototype {} {}",
                            prototype.function,
                            escaped(prototype.prototype)
                        )?,
                        Err(error) => self.error(&error)?,
                    }
                }
            }
            Err(error) => self.error(&error)?,
        }
        match callgraph::recursive(elf) {
            Ok(symbols) => {
                for symbol in symbols {
                    line!(self, "recursive {symbol}")?;
                }
            }
            Err(error) => self.error(&error)?,
        }
        match callgraph::rel_actions(elf) {
            Ok(Some(actions)) => {
                line!(self, "relocation actions from {:#x}", actions.first)?;
                for action in actions.descriptors() {
                    line!(self, "  {:#018x}", action.0)?;
                }
                Ok(())
            }
            Ok(None) => Ok(()),
            Err(error) => self.error(&error),
        }
    }

    fn call(&mut self, call: &Call<'_>) -> Result<()> {
        match call {
            Call::Direct { caller, callee } => line!(self, "call {caller} -> {callee}"),
            Call::Indirect { caller, target } => {
                line!(self, "indirect call {caller} -> {target}")
            }
            Call::AddressTaken {
                function,
                prototype,
            } => line!(self, "address taken {function} {}", escaped(prototype)),
            Call::IndirectCaller { caller, prototype } => {
                line!(self, "indirect caller {caller} {}", escaped(prototype))
            }
            Call::Unknown { mark, words } => {
                let mark = mark.map_or("none".to_owned(), |mark| mark.0.to_string());
                let [first, second] = words;
                line!(self, "call list {mark}: {first:#x} {second:#x}")
            }
        }
    }

    fn sizes(&mut self, elf: &Elf<'_>) -> Result<()> {
        let parts = match sizes::parts(elf) {
            Ok(parts) => parts,
            Err(error) => return self.error(&error),
        };
        line!(self, "sizes")?;
        for (label, bytes) in sizes::totals(&parts) {
            line!(self, "  {label} {bytes}")?;
        }
        Ok(())
    }
}

fn maybe(value: Option<impl Display>) -> String {
    value.map_or("unknown".to_owned(), |value| value.to_string())
}

fn banks(banks: &[(u8, u64)]) -> String {
    if banks.is_empty() {
        return "none".to_owned();
    }
    let list: Vec<_> = banks
        .iter()
        .map(|(bank, bytes)| format!("[{bank}]:{bytes}"))
        .collect();
    list.join(" ")
}

/// Text of the file with everything but printable ASCII escaped, so that a name cannot fake another line.
fn escaped(text: &[u8]) -> impl Display + '_ {
    text.escape_ascii()
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().saturating_mul(2));
    for byte in bytes {
        // Writing to a `String` does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
