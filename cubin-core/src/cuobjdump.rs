//! What `cuobjdump -res-usage` prints of a function, by its own rules.

use alloc::vec::Vec;

use crate::{
    Function, Result,
    attr::of_symbol,
    consts::{Eiattr, SectionType},
    elf::{Elf, Place, Section},
    functions::{STACK_UNKNOWN, slot},
    nvinfo::Attributes,
};

/// The figures of `cuobjdump -res-usage`, where they are not those of [`Resources`](crate::Resources); misleading values
/// included. Made by [`Cubin::cuobjdump`](crate::Cubin::cuobjdump).
///
/// CONSTANT\[bank] is [`Resources::constant`](crate::Resources::constant).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Cuobjdump {
    /// REG: of a device function what its section header says, which is 0 in relocatable objects.
    pub reg: u32,
    /// STACK: the last record counts, and 0 where there is none; `None` prints as UNKNOWN.
    pub stack: Option<u32>,
    /// SHARED: with the bytes that the system reserves.
    pub shared: u64,
    /// LOCAL
    pub local: u64,
}

/// The figures of each of `functions`, which are sorted by section. One pass over the records for all of them.
pub(crate) fn read(elf: &Elf<'_>, functions: &[Function<'_>]) -> Result<Vec<Cuobjdump>> {
    let mut all = Vec::with_capacity(functions.len());
    for function in functions {
        let resources = &function.resources;
        all.push(Cuobjdump {
            reg: if function.kernel {
                resources.registers
            } else {
                elf.section(function.section)?.info >> 24
            },
            stack: Some(0),
            shared: resources
                .static_shared
                .saturating_add(resources.reserved_shared),
            local: resources.local,
        });
    }
    for section in elf.sections() {
        if section.ty == SectionType::CUDA_INFO && elf.is_named(&section, b".nv.info") {
            read_stack(elf, &section, functions, &mut all)
                .map_err(|error| elf.place(error, &section))?;
        }
    }
    Ok(all)
}

fn read_stack(
    elf: &Elf<'_>,
    section: &Section,
    functions: &[Function<'_>],
    all: &mut [Cuobjdump],
) -> Result<()> {
    for attribute in Attributes::new(elf.reader(section)?) {
        let attribute = attribute?;
        if Eiattr(attribute.code) != Eiattr::MIN_STACK_SIZE {
            continue;
        }
        let (index, value) = of_symbol(&attribute)?;
        let Place::Section(place) = elf.symbol(index)?.place else {
            continue;
        };
        let Some(slot) = slot(functions, place) else {
            continue;
        };
        // Functions inside a kernel's section have records of their own.
        if functions
            .get(slot)
            .is_some_and(|function| function.symbol_index == index)
            && let Some(figures) = all.get_mut(slot)
        {
            figures.stack = (value != STACK_UNKNOWN).then_some(value);
        }
    }
    Ok(())
}
