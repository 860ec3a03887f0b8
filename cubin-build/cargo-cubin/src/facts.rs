//! The facts of a function as values: what is read of an object of the schema of [`cubin_core::json`].
//!
//! Keys that later releases add are left out, and those that may be missing are unknown.

use std::collections::BTreeMap;

use anyhow::Context as _;
use cubin_build::policy::Which;
use cubin_core::{
    Sm,
    occupancy::{Block, Limits, Occupancy, occupancy},
};
use serde::Deserialize;

/// One function on one target.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Facts {
    pub(crate) target: String,
    /// Its symbol.
    pub(crate) function: String,
    /// C++ name: with parameter types from `inspect`, without from a build.
    pub(crate) name: Option<String>,
    pub(crate) kernel: bool,
    pub(crate) registers: u32,
    pub(crate) stack: Option<u32>,
    pub(crate) stack_status: String,
    pub(crate) spill_bytes: Option<SpillBytes>,
    pub(crate) static_shared: u64,
    pub(crate) dynamic_shared: Option<bool>,
    #[serde(default)]
    pub(crate) local: u64,
    /// Bytes by constant bank.
    #[serde(default)]
    pub(crate) constant: BTreeMap<String, u64>,
    pub(crate) barriers: Option<u32>,
    pub(crate) code_bytes: u64,
    pub(crate) param_bytes: Option<u32>,
    pub(crate) params: Option<Vec<Param>>,
    pub(crate) max_threads: Option<[u32; 3]>,
    pub(crate) required_threads: Option<[u32; 3]>,
    pub(crate) cluster: Option<[u32; 3]>,
    pub(crate) max_cluster_rank: Option<u32>,
    pub(crate) max_registers: Option<u32>,
    #[serde(default)]
    pub(crate) externs: Vec<String>,
    pub(crate) toolkit: Option<String>,
    /// Where it is defined, from a build.
    pub(crate) source: Option<Source>,
    /// Paths of the file that was compiled and of the one that holds the definition, from a build.
    #[serde(default)]
    pub(crate) sources: Vec<String>,
    pub(crate) instructions: Option<Instructions>,
    /// Of the cubin that holds it, where a file was read.
    pub(crate) sha256: Option<String>,
    pub(crate) section: Option<u32>,
}

/// The line of a definition.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Source {
    pub(crate) file: String,
    pub(crate) line: u64,
}

/// Bytes that spills move per thread.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(crate) struct SpillBytes {
    stores: u64,
    loads: u64,
}

impl SpillBytes {
    /// What the `spills` budget limits.
    pub(crate) fn total(self) -> u64 {
        self.stores.saturating_add(self.loads)
    }
}

/// A parameter's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
pub(crate) struct Param {
    pub(crate) ordinal: u32,
    pub(crate) offset: u32,
    pub(crate) size: u32,
}

/// What the code is made of.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Instructions {
    pub(crate) all: Mix,
    pub(crate) in_loops: Option<Mix>,
}

/// Counts of instructions.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Mix {
    pub(crate) total: u64,
    pub(crate) fp64: u64,
    pub(crate) classes: BTreeMap<String, u64>,
    pub(crate) accesses: Vec<Access>,
}

/// Loads or stores of one space and width.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Access {
    pub(crate) space: String,
    pub(crate) store: bool,
    /// Per thread; `None` where it is not known.
    pub(crate) bytes: Option<u8>,
    pub(crate) count: u64,
}

/// Threads of the block at which kernels without launch bounds are compared.
pub(crate) const USUAL_BLOCK: u32 = 256;

impl Facts {
    /// What `cargo cubin inspect --json` printed.
    pub(crate) fn lines(text: &[u8]) -> anyhow::Result<Vec<Self>> {
        let mut all = Vec::new();
        for (at, line) in text.split(|byte| *byte == b'\n').enumerate() {
            if line.is_empty() {
                continue;
            }
            let number = at.saturating_add(1);
            let facts = serde_json::from_slice(line).with_context(|| {
                format!("line {number} is none of `cargo cubin inspect --json`")
            })?;
            all.push(facts);
        }
        Ok(all)
    }

    /// The C++ name, else the symbol.
    pub(crate) fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.function)
    }

    /// What rules select it by.
    pub(crate) fn which(&self) -> Which<'_> {
        Which {
            name: bare(self.name()),
            symbol: &self.function,
            sources: &self.sources,
        }
    }

    /// Threads of the block that the source asks for, or allows at most.
    pub(crate) fn declared_block(&self) -> Option<u32> {
        let shape = self.required_threads.or(self.max_threads)?;
        Some(shape.into_iter().fold(1, u32::saturating_mul))
    }

    /// The multiprocessor's limits, where the target is known.
    pub(crate) fn limits(&self) -> Option<&'static Limits> {
        Limits::of(self.target.parse::<Sm>().ok()?)
    }

    /// What one block of `threads` threads takes, without dynamic shared memory.
    pub(crate) fn block(&self, threads: u32) -> Block {
        Block {
            threads,
            registers: self.registers,
            static_shared: self.static_shared,
            dynamic_shared: 0,
            barriers: self.barriers.unwrap_or_default(),
        }
    }

    /// The occupancy at the declared block, else at [`USUAL_BLOCK`], without dynamic shared memory.
    pub(crate) fn occupancy(&self) -> Option<Occupancy> {
        let threads = self.declared_block().unwrap_or(USUAL_BLOCK);
        Some(occupancy(self.limits()?, &self.block(threads)))
    }
}

/// The name of a kernel without its parameters and the return type that templates have: how rules and baselines name it.
pub(crate) fn bare(name: &str) -> &str {
    let name = name.strip_prefix("void ").unwrap_or(name);
    if !name.ends_with(')') {
        return name;
    }
    let mut depth = 0_usize;
    for (at, character) in name.char_indices().rev() {
        match character {
            ')' => depth += 1,
            '(' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return name[..at].trim_end();
                }
            }
            _ => {}
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_as_rules_have_them() {
        for (name, expected) in [
            ("saxpy", "saxpy"),
            ("add(float*, int)", "add"),
            (
                "void scale<float>(float*, float, long long)",
                "scale<float>",
            ),
            (
                "(anonymous namespace)::f(void (*)(int))",
                "(anonymous namespace)::f",
            ),
            ("void apply<op(2)>(int)", "apply<op(2)>"),
            (")", ")"),
        ] {
            assert_eq!(bare(name), expected);
        }
    }
}
