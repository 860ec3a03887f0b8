//! The attribute records, by the layout of their codes.

use super::{Text, escaped, full, hex, line};
use crate::{
    Result,
    attr::{Annotation, Payload, Words},
    consts::{Eiattr, SectionType},
    elf::{Elf, Names, Section},
    nvinfo::{Attribute, Attributes},
};

impl Text<'_> {
    pub(super) fn attributes(&mut self, elf: &Elf<'_>) -> Result<()> {
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
}
