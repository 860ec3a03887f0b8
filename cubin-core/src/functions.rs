//! Functions with a `.text` section of their own, and what the file says of each.
//!
//! Two passes over the section headers: the first finds the `.text.<f>` sections, the second gives every section that
//! belongs to one (its `sh_info` is the index of the `.text` section) and every per-symbol record of `.nv.info` to its
//! function. Names repeat in valid files, so the section index is the key throughout.

use alloc::{format, vec::Vec};

use crate::{
    Error, ErrorKind, Function, Params, Result,
    arch::Flags,
    attr::{Annotation, Annotations, ParamRecord, Payload, dimensions, of_symbol},
    consts::{Eiattr, ElfType, SectionType, SymbolType},
    elf::{Elf, Layout, Names, Place, Section, utf8_part},
    kernel::{LaunchBounds, Param, Resources, Stack},
    limits,
    nvinfo::{Attribute, Attributes, Value},
    reader::Reader,
};

/// `sh_flags` bit of sections with machine code.
const SHF_EXECINSTR: u64 = 4;
/// MIN_STACK_SIZE when the stack is not statically known.
pub(crate) const STACK_UNKNOWN: u32 = u32::MAX;
/// The first toolkit that records spill instructions, as CUDA_API_VERSION writes it.
const SPILLS_RECORDED_SINCE: u32 = 126;
/// The first toolkit of which it was measured that each kernel that uses dynamic shared memory has a `.nv.shared.<f>`.
const DYNAMIC_SHARED_SHOWN_SINCE: u32 = 118;

/// Reads every function that has a `.text` section of its own, in section order.
///
/// `toolkit` is the file's, as ten times major plus minor: it decides whether spills are recorded for functions that
/// do not say which toolkit compiled them.
pub(crate) fn read<'a>(elf: &Elf<'a>, toolkit: Option<u32>) -> Result<Vec<Function<'a>>> {
    let mut functions = find(elf)?;
    if toolkit.is_some_and(|toolkit| toolkit >= DYNAMIC_SHARED_SHOWN_SINCE)
        && elf.header().kind != ElfType::REL
    {
        // Until a section says that there may be some.
        for function in functions.iter_mut().filter(|function| function.kernel) {
            function.resources.dynamic_shared = Some(false);
        }
    }
    // Overlapping attribute sections would be read over and over: together they cannot be longer than the file.
    let mut left = elf.bytes().len() as u64;
    for section in elf.sections() {
        let Some(kind) = Kind::of(elf, &section) else {
            continue;
        };
        if matches!(kind, Kind::ModuleAttributes | Kind::Attributes) {
            left = left
                .checked_sub(section.size)
                .ok_or_else(|| overlapping(elf, &section))?;
        }
        if matches!(kind, Kind::ModuleAttributes) {
            read_symbol_records(elf, &section, &mut functions)
                .map_err(|error| elf.place(error, &section))?;
            continue;
        }
        let Some(slot) = slot(&functions, section.info) else {
            continue;
        };
        let Some(function) = functions.get_mut(slot) else {
            continue;
        };
        match kind {
            Kind::Attributes => {
                function.attributes = Some(section.index);
                read_attributes(elf, &section, function, toolkit)
                    .map_err(|error| elf.place(error, &section))?;
            }
            // With the reserved bytes, which `finish` takes out.
            Kind::Shared => {
                function.resources.static_shared = section.size;
                function.resources.dynamic_shared = None;
            }
            Kind::Local => function.resources.local = section.size,
            Kind::Constant(bank) => function.resources.constant.push((bank, section.size)),
            Kind::ModuleAttributes => {}
        }
    }
    let flags = Flags::of(elf.header());
    let relocatable = elf.header().kind == ElfType::REL;
    for function in &mut functions {
        finish(
            function,
            flags.sm,
            relocatable,
            elf.header().layout,
            toolkit,
        );
    }
    Ok(functions)
}

/// What a section holds, as far as resources go; found by name, since types differ between toolkits and modes.
enum Kind {
    ModuleAttributes,
    Attributes,
    Shared,
    Local,
    Constant(u8),
}

impl Kind {
    #[inline]
    fn of(elf: &Elf<'_>, section: &Section) -> Option<Self> {
        let name = elf
            .section_names()
            .tail(section.name)
            .strip_prefix(b".nv.")?;
        if section.ty == SectionType::CUDA_INFO {
            return match name.strip_prefix(b"info")?.first()? {
                b'.' => Some(Self::Attributes),
                0 => Some(Self::ModuleAttributes),
                _ => None,
            };
        }
        // Module-wide sections, among them `.nv.shared.reserved.0`, belong to no function.
        if section.info == 0 {
            return None;
        }
        if let Some(rest) = name.strip_prefix(b"constant") {
            return bank(rest).map(Self::Constant);
        }
        if name.starts_with(b"shared.") {
            return Some(Self::Shared);
        }
        name.starts_with(b"local.").then_some(Self::Local)
    }
}

/// The bank number of `.nv.constant<n>.<f>`, given what follows `constant`.
#[inline]
fn bank(rest: &[u8]) -> Option<u8> {
    match *rest {
        [digit @ b'0'..=b'9', b'.', ..] => Some(digit & 0xf),
        [tens @ b'1'..=b'9', digit @ b'0'..=b'9', b'.', ..] => {
            Some((tens & 0xf).wrapping_mul(10).wrapping_add(digit & 0xf))
        }
        _ => None,
    }
}

fn find<'a>(elf: &Elf<'a>) -> Result<Vec<Function<'a>>> {
    let is_text = |section: &Section| {
        section.flags & SHF_EXECINSTR != 0
            && elf
                .section_names()
                .tail(section.name)
                .starts_with(b".text.")
    };
    // Every function has a symbol of its own, so a table of mere headers cannot make us reserve much.
    let count = elf.executable_sections().min(elf.symbol_count());
    let mut functions = Vec::with_capacity(count as usize);
    let mut names = Names::new(elf.symbol_names(), elf.bytes().len());
    let texts = elf.sections().filter(is_text);
    // No need to look further than the last one.
    for section in texts.take(elf.executable_sections() as usize) {
        let function = function(elf, &section, &mut names);
        functions.push(function.map_err(|error| elf.place(error, &section))?);
    }
    Ok(functions)
}

/// A function with what its section header and its symbol say.
fn function<'a>(elf: &Elf<'a>, section: &Section, names: &mut Names<'a>) -> Result<Function<'a>> {
    let symbol = elf.symbol(section.info & 0x00ff_ffff)?;
    if symbol.place != Place::Section(section.index) || symbol.ty() != SymbolType::FUNC {
        return Err(Error::malformed(
            format!(
                "sh_info names symbol {} as the function of this section, but that symbol is none or lies elsewhere",
                symbol.index
            ),
            section.offset,
        ));
    }
    let old = elf.header().layout == Layout::Old;
    Ok(Function {
        symbol: utf8_part(names.get(symbol.name)?),
        symbol_index: symbol.index,
        section: section.index,
        attributes: None,
        kernel: symbol.other.entry(),
        resources: Resources {
            registers: section.info >> 24,
            barriers: old.then_some(((section.flags >> 20) & 0x7f) as u8),
            code_bytes: section.size,
            ..Resources::default()
        },
        params: Params::NotRecorded,
        launch: LaunchBounds::default(),
    })
}

/// Position of the function of a `.text` section. `functions` is sorted by section index, mostly without gaps.
#[inline]
pub(crate) fn slot(functions: &[Function<'_>], section: u32) -> Option<usize> {
    let first = functions.first()?.section;
    let guess = section.checked_sub(first)? as usize;
    if functions
        .get(guess)
        .is_some_and(|function| function.section == section)
    {
        return Some(guess);
    }
    functions
        .binary_search_by_key(&section, |function| function.section)
        .ok()
}

/// The records of `.nv.info` that start with a symbol index.
fn read_symbol_records(
    elf: &Elf<'_>,
    section: &Section,
    functions: &mut [Function<'_>],
) -> Result<()> {
    for attribute in Attributes::new(elf.reader(section)?) {
        let attribute = attribute?;
        if !matches!(
            Eiattr(attribute.code),
            Eiattr::REGCOUNT | Eiattr::FRAME_SIZE | Eiattr::MIN_STACK_SIZE
        ) {
            continue;
        }
        let (index, value) = of_symbol(&attribute)?;
        // Functions that live inside a kernel's section have records of their own: the symbol must be the kernel's.
        let Place::Section(place) = elf.symbol(index)?.place else {
            continue;
        };
        let Some(function) = slot(functions, place).and_then(|slot| functions.get_mut(slot)) else {
            continue;
        };
        if function.symbol_index != index {
            continue;
        }
        match Eiattr(attribute.code) {
            Eiattr::REGCOUNT => function.resources.registers = value,
            Eiattr::FRAME_SIZE => function.resources.frame = Some(value),
            // Unknown is the largest number, so that it wins here too; `finish` tells it apart.
            _ => {
                let largest = function.resources.stack.bytes().unwrap_or(0).max(value);
                function.resources.stack = Stack::Known(largest);
            }
        }
    }
    Ok(())
}

/// The records of `.nv.info.<f>`; `toolkit` is the file's, which the function's own record overrides.
fn read_attributes(
    elf: &Elf<'_>,
    section: &Section,
    function: &mut Function<'_>,
    mut toolkit: Option<u32>,
) -> Result<()> {
    let reader = elf.reader(section)?;
    let mut block = Block::within(reader.len());
    let launch = &mut function.launch;
    let resources = &mut function.resources;
    for attribute in Attributes::new(reader) {
        let attribute = attribute?;
        match Eiattr(attribute.code) {
            Eiattr::KPARAM_INFO | Eiattr::KPARAM_INFO_V2 => block.push(&attribute)?,
            Eiattr::PARAM_CBANK => {
                let &[_, _, _, _, a, b, c, d] = attribute.array()?;
                block.base = u16::from_le_bytes([a, b]).into();
                block.size = u16::from_le_bytes([c, d]).into();
            }
            Eiattr::CBANK_PARAM_SIZE if block.size == 0 => {
                block.size = attribute.number().unwrap_or(0);
            }
            Eiattr::MAX_THREADS => launch.max_threads = Some(dimensions(&attribute)?),
            Eiattr::REQNTID => launch.required_threads = Some(dimensions(&attribute)?),
            Eiattr::CTA_PER_CLUSTER => launch.cluster = Some(dimensions(&attribute)?),
            Eiattr::EXPLICIT_CLUSTER => launch.explicit_cluster = true,
            Eiattr::MAX_CLUSTER_RANK => launch.max_cluster_rank = attribute.number(),
            Eiattr::MAXREG_COUNT => {
                launch.max_registers = attribute.number().filter(|&cap| cap != 255);
            }
            Eiattr::NUM_BARRIERS => {
                if let Value::Byte(count) = attribute.value {
                    resources.barriers = Some(count);
                }
            }
            Eiattr::CUDA_API_VERSION => toolkit = attribute.number(),
            Eiattr::ANNOTATIONS => {
                let spills = Annotations::new(&attribute)
                    .filter(|annotation| matches!(annotation, Annotation::Spill(_)));
                let count = u32::try_from(spills.count()).unwrap_or(u32::MAX);
                let sum = resources.spill_instructions.unwrap_or(0);
                resources.spill_instructions = Some(sum.saturating_add(count));
            }
            _ => {}
        }
    }
    if spills_recorded(toolkit) {
        resources.spill_instructions.get_or_insert(0);
    }
    if function.kernel {
        function.params = block.params();
    }
    Ok(())
}

/// The parameter block as its records come in.
#[derive(Default)]
struct Block {
    base: u32,
    size: u32,
    params: Vec<Param>,
    /// As many records as the section can hold: bounds what an ordinal makes us reserve.
    most: usize,
}

impl Block {
    /// Of a section of so many bytes: the shortest record has 16.
    fn within(bytes: usize) -> Self {
        let most = bytes / 16;
        let (base, size, params) = (0, 0, Vec::new());
        Self {
            base,
            size,
            params,
            most,
        }
    }

    #[inline]
    fn push(&mut self, attribute: &Attribute<'_>) -> Result<()> {
        let record = ParamRecord::read(attribute)?;
        let param = Param {
            ordinal: record.ordinal,
            offset: record.offset.into(),
            size: record.size,
            pointee_align_log2: record.pointee_align_log2,
            pointee_space: record.pointee_space,
        };
        if self.params.is_empty() {
            // Most toolkits write the highest ordinal first, which is the count; nvlink 13.5 the lowest.
            let count = usize::from(record.ordinal).saturating_add(1).max(8);
            self.params.reserve_exact(count.min(self.most));
        }
        self.params.push(param);
        Ok(())
    }

    fn params(mut self) -> Params {
        if !self.params.is_sorted_by_key(|param| param.ordinal) {
            self.params.reverse();
            if !self.params.is_sorted_by_key(|param| param.ordinal) {
                self.params.sort_by_key(|param| param.ordinal);
            }
        }
        Params::Recorded {
            base: self.base,
            size: self.size,
            params: self.params,
        }
    }
}

fn spills_recorded(toolkit: Option<u32>) -> bool {
    toolkit.is_some_and(|toolkit| toolkit >= SPILLS_RECORDED_SINCE)
}

/// From the records to what is true of the function.
fn finish(
    function: &mut Function<'_>,
    sm: u16,
    relocatable: bool,
    layout: Layout,
    toolkit: Option<u32>,
) {
    let resources = &mut function.resources;
    resources.stack = match resources.stack {
        Stack::Known(STACK_UNKNOWN) => Stack::Unbounded,
        // nvlink adds the stack of callees, so what a relocatable object says, if anything, is not final.
        _ if relocatable => Stack::NotLinked,
        stack => stack,
    };
    let shared = resources.static_shared;
    resources.reserved_shared = if sm >= 90 && !relocatable {
        shared.min(limits::RESERVED_SHARED)
    } else {
        0
    };
    resources.static_shared = shared.saturating_sub(resources.reserved_shared);
    if layout == Layout::New && function.attributes.is_some() {
        resources.barriers.get_or_insert(0);
    }
    if function.attributes.is_none() && spills_recorded(toolkit) {
        resources.spill_instructions = Some(0);
    }
}

/// Reads the attribute records of a function; none when it has no such section.
pub(crate) fn attributes<'a>(elf: &Elf<'a>, function: &Function<'_>) -> Result<Attributes<'a>> {
    Ok(Attributes::new(match function.attributes {
        Some(index) => elf.reader(&elf.section(index)?)?,
        None => Reader::new(&[], 0),
    }))
}

/// Names of the functions that a function needs from outside the file (EXTERNS): `vprintf`, `malloc`, `__assertfail`.
pub(crate) fn externs<'a>(elf: &Elf<'a>, function: &Function<'_>) -> Result<Vec<&'a str>> {
    let mut names = Names::new(elf.symbol_names(), elf.bytes().len());
    let mut externs = Vec::new();
    for attribute in attributes(elf, function)? {
        let attribute = attribute?;
        if Eiattr(attribute.code) != Eiattr::EXTERNS {
            continue;
        }
        if let Payload::Symbols(symbols) = Payload::of(&attribute)? {
            for index in symbols {
                externs.push(utf8_part(names.get(elf.symbol(index)?.name)?));
            }
        }
    }
    externs.sort_unstable();
    externs.dedup();
    Ok(externs)
}

#[cold]
fn overlapping(elf: &Elf<'_>, section: &Section) -> Error {
    let error = Error::new(
        ErrorKind::Limit,
        "the attribute sections together are longer than the file: they overlap as no tool writes them",
        section.offset,
    );
    elf.place(error, section)
}

#[cfg(test)]
mod tests {
    use super::{Block, bank, slot};
    use crate::{Function, LaunchBounds, Param, Params, Resources};

    fn function(section: u32) -> Function<'static> {
        Function {
            symbol: "k",
            symbol_index: 1,
            section,
            attributes: None,
            kernel: true,
            resources: Resources::default(),
            params: Params::NotRecorded,
            launch: LaunchBounds::default(),
        }
    }

    #[test]
    fn functions_are_found_by_section_with_gaps_between() {
        let functions = [3, 5, 6, 9].map(function);
        for (section, found) in [
            (2, None),
            (3, Some(0)),
            (4, None),
            (5, Some(1)),
            (6, Some(2)),
            (9, Some(3)),
            (10, None),
        ] {
            assert_eq!(slot(&functions, section), found, "{section}");
        }
        assert_eq!(slot(&[], 3), None);
    }

    #[test]
    fn parameters_are_in_order_whatever_the_order_of_their_records() {
        for ordinals in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1]] {
            let block = Block {
                params: ordinals.map(|ordinal| Param::new(ordinal, 0, 4)).into(),
                ..Block::default()
            };
            let Params::Recorded { params, .. } = block.params() else {
                panic!("not recorded");
            };
            assert!(
                params.iter().map(|param| param.ordinal).eq(0..3),
                "{params:?}"
            );
        }
    }

    #[test]
    fn banks_have_one_digit_or_two() {
        for (name, number) in [
            ("0.k", Some(0)),
            ("3.k", Some(3)),
            ("9.", Some(9)),
            ("10.k", Some(10)),
            ("17.k", Some(17)),
            ("3", None),
            ("03.k", None),
            ("123.k", None),
            ("x.k", None),
            (".k", None),
        ] {
            assert_eq!(bank(name.as_bytes()), number, "{name}");
        }
    }
}
