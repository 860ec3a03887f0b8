//! What the file itself says: header, notes, sections, symbols, relocations, sizes.

use super::{Text, escaped, full, hex, line};
use crate::{
    Cubin, Result, compat,
    consts::{Compat, SymbolType},
    elf::{Class, Elf, Layout, Names, Place, Symbol},
    nvinfo::Value,
    reloc::{self, Relocation},
    sizes,
};

impl Text<'_> {
    pub(super) fn header(&mut self, cubin: &Cubin<'_>) -> Result<()> {
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

    pub(super) fn tools(&mut self, cubin: &Cubin<'_>) -> Result<()> {
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

    pub(super) fn compat(&mut self, cubin: &Cubin<'_>) -> Result<()> {
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

    pub(super) fn sections(&mut self, elf: &Elf<'_>) -> Result<()> {
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

    pub(super) fn symbols(&mut self, elf: &Elf<'_>) -> Result<()> {
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

    pub(super) fn relocations(&mut self, elf: &Elf<'_>) -> Result<()> {
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

    pub(super) fn sizes(&mut self, elf: &Elf<'_>) -> Result<()> {
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
