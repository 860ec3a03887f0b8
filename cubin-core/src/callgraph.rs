//! Who calls whom: `.nv.callgraph`, `.nv.prototype` and `.nv.rel.action`.
//!
//! `.nv.callgraph` has calls between functions with symbols of their own. Whole-program builds place non-inlined
//! callees inside the kernel's section, and calls of these are not listed. Measured on CUDA 11.7 to 13.5.

#[cfg(feature = "views")]
use alloc::vec::Vec;

use crate::{
    Error, Result,
    consts::{CallgraphMark, RelAction},
    elf::Elf,
    reader::Reader,
};

/// One entry of `.nv.callgraph`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Call<'a> {
    /// A direct call, both by symbol index.
    Direct {
        /// The function that calls.
        caller: u32,
        /// The function that is called.
        callee: u32,
    },
    /// A function whose address is taken.
    AddressTaken {
        /// Symbol index.
        function: u32,
        /// Its encoded prototype, from the string table.
        prototype: &'a [u8],
    },
    /// A function that calls through a pointer.
    IndirectCaller {
        /// Symbol index.
        caller: u32,
        /// Encoded prototype of what it calls.
        prototype: &'a [u8],
    },
    /// A possible target of an indirect call, both by symbol index. From CUDA 12.0 on.
    Indirect {
        /// The function that calls.
        caller: u32,
        /// The function that may be called.
        target: u32,
    },
    /// An entry of a list that is not known.
    Unknown {
        /// The mark that opened the list; `None` when none did.
        mark: Option<CallgraphMark>,
        /// The two words.
        words: [u32; 2],
    },
}

/// The entries of `.nv.callgraph`, list marks taken out; after an error it ends.
#[derive(Debug, Clone)]
pub struct Calls<'a> {
    elf: Elf<'a>,
    reader: Reader<'a>,
    mark: Option<CallgraphMark>,
}

/// The call graph of a file; empty when it has none.
///
/// # Errors
/// When the section lies outside the file.
pub fn calls<'a>(elf: &Elf<'a>) -> Result<Calls<'a>> {
    Ok(Calls {
        elf: elf.clone(),
        reader: reader(elf, b".nv.callgraph")?,
        mark: None,
    })
}

fn reader<'a>(elf: &Elf<'a>, name: &[u8]) -> Result<Reader<'a>> {
    match elf.section_named(name) {
        Some(section) => elf.reader(&section),
        None => Ok(Reader::new(&[], 0)),
    }
}

impl<'a> Calls<'a> {
    fn entry(&mut self) -> Result<Option<Call<'a>>> {
        while !self.reader.is_empty() {
            let first = self.reader.u32()?;
            let second = self.reader.u32()?;
            let mark = CallgraphMark(second.cast_signed());
            if first == 0 && mark.0 < 0 {
                self.mark = Some(mark);
                continue;
            }
            return self.call(first, second).map(Some);
        }
        Ok(None)
    }

    fn call(&self, first: u32, second: u32) -> Result<Call<'a>> {
        Ok(match self.mark {
            Some(CallgraphMark::DIRECT_CALLS) => Call::Direct {
                caller: first,
                callee: second,
            },
            Some(CallgraphMark::ADDRESS_TAKEN) => Call::AddressTaken {
                function: first,
                prototype: self.elf.symbol_names().get(second)?,
            },
            Some(CallgraphMark::INDIRECT_CALLERS) => Call::IndirectCaller {
                caller: first,
                prototype: self.elf.symbol_names().get(second)?,
            },
            Some(CallgraphMark::INDIRECT_CALLS) => Call::Indirect {
                caller: first,
                target: second,
            },
            mark => Call::Unknown {
                mark,
                words: [first, second],
            },
        })
    }
}

impl<'a> Iterator for Calls<'a> {
    type Item = Result<Call<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.entry() {
            Ok(call) => call.map(Ok),
            Err(error) => {
                self.reader.clear();
                Some(Err(error.in_section(".nv.callgraph")))
            }
        }
    }
}

/// A function declared in `.nv.prototype`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prototype<'a> {
    /// Symbol index.
    pub function: u32,
    /// Its encoded prototype, from the string table.
    pub prototype: &'a [u8],
}

/// The entries of `.nv.prototype`; relocatable and linked objects have it.
///
/// # Errors
/// The call fails when the section lies outside the file, an item when it is damaged.
pub fn prototypes<'a>(
    elf: &Elf<'a>,
) -> Result<impl Iterator<Item = Result<Prototype<'a>>> + use<'a>> {
    let names = elf.symbol_names();
    let mut reader = reader(elf, b".nv.prototype")?;
    Ok(core::iter::from_fn(move || {
        if reader.is_empty() {
            return None;
        }
        let mut entry = || {
            Ok(Prototype {
                function: reader.u32()?,
                prototype: names.get(reader.u32()?)?,
            })
        };
        let entry = entry().map_err(|error: Error| error.in_section(".nv.prototype"));
        if entry.is_err() {
            reader.clear();
        }
        Some(entry)
    }))
}

/// Contents of `.nv.rel.action`: what a loader does for each relocation type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RelActions<'a> {
    /// The relocation type that the first descriptor is for.
    pub first: u32,
    descriptors: &'a [u8],
}

impl RelActions<'_> {
    /// The descriptors, one per relocation type from [`first`](Self::first) on.
    pub fn descriptors(&self) -> impl Iterator<Item = RelAction> + '_ {
        self.descriptors
            .as_chunks::<8>()
            .0
            .iter()
            .map(|bytes| RelAction(u64::from_le_bytes(*bytes)))
    }
}

/// Reads `.nv.rel.action`: in executables below sm_90 (not those of 12.0 and 12.1) and in nvlink output.
///
/// # Errors
/// When the section lies outside the file or is shorter than its first 8 bytes.
pub fn rel_actions<'a>(elf: &Elf<'a>) -> Result<Option<RelActions<'a>>> {
    let Some(section) = elf.section_named(b".nv.rel.action") else {
        return Ok(None);
    };
    let mut reader = elf.reader(&section)?;
    let base = reader
        .u64()
        .map_err(|error| error.in_section(".nv.rel.action"))?;
    Ok(Some(RelActions {
        first: (base & 0xffff_ffff) as u32,
        descriptors: reader.rest(),
    }))
}

/// Symbol indices of the functions from which a cycle of calls can be reached, in order: they can recurse.
///
/// Direct calls and known targets of indirect calls count. That a function is not listed does not prove that it cannot
/// recurse: see the module header.
///
/// # Errors
/// When the call graph is damaged.
#[cfg(feature = "views")]
pub fn recursive(elf: &Elf<'_>) -> Result<Vec<u32>> {
    let mut edges = Vec::new();
    for call in calls(elf)? {
        if let Call::Direct {
            caller,
            callee: target,
        }
        | Call::Indirect { caller, target } = call?
        {
            edges.push((target, caller));
        }
    }
    edges.sort_unstable();
    edges.dedup();
    // Functions that call nobody left cannot reach a cycle. Take them away until all that is left calls somebody.
    let mut left: Vec<(u32, u32)> = Vec::new();
    for &(_, caller) in &edges {
        left.push((caller, 0));
    }
    left.sort_unstable();
    left.dedup();
    for &(_, caller) in &edges {
        if let Some(count) = count_of(&mut left, caller) {
            *count = count.saturating_add(1);
        }
    }
    let mut done: Vec<u32> = edges
        .iter()
        .map(|&(callee, _)| callee)
        .filter(|callee| left.binary_search_by_key(callee, |entry| entry.0).is_err())
        .collect();
    done.dedup();
    while let Some(callee) = done.pop() {
        let start = edges.partition_point(|edge| edge.0 < callee);
        for &(_, caller) in edges
            .get(start..)
            .unwrap_or_default()
            .iter()
            .take_while(|edge| edge.0 == callee)
        {
            if let Some(count) = count_of(&mut left, caller) {
                *count = count.saturating_sub(1);
                if *count == 0 {
                    done.push(caller);
                }
            }
        }
    }
    left.retain(|entry| entry.1 != 0);
    Ok(left.into_iter().map(|entry| entry.0).collect())
}

#[cfg(feature = "views")]
fn count_of(list: &mut [(u32, u32)], symbol: u32) -> Option<&mut u32> {
    let at = list.binary_search_by_key(&symbol, |entry| entry.0).ok()?;
    list.get_mut(at).map(|entry| &mut entry.1)
}
