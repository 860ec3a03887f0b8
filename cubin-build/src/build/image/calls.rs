//! Which functions of a cubin call which: in linked code, where functions with symbols of their own are shared.

use cubin_core::{
    Cubin,
    callgraph::{self, Call},
};

use crate::sorted::{Map, Set};

/// Calls between functions, by symbol index.
#[derive(Default)]
pub(super) struct Calls(Map<u32, Vec<u32>>);

impl Calls {
    /// # Errors
    /// The cubin's call graph is damaged.
    pub(super) fn read(cubin: &Cubin<'_>) -> cubin_core::Result<Self> {
        let mut calls: Map<u32, Vec<u32>> = Map::new();
        for call in callgraph::calls(cubin.elf())? {
            if let Call::Direct { caller, callee: to } | Call::Indirect { caller, target: to } =
                call?
            {
                calls.or_default(caller).push(to);
            }
        }
        Ok(Self(calls))
    }

    /// The functions that are called from `start`, through others too, each once, without itself.
    pub(super) fn reached(&self, start: u32) -> Vec<u32> {
        let mut seen = Set::new();
        seen.insert(start);
        let mut pending = vec![start];
        let mut found = Vec::new();
        while let Some(caller) = pending.pop() {
            for callee in self.0.get(&caller).into_iter().flatten() {
                if seen.insert(*callee) {
                    pending.push(*callee);
                    found.push(*callee);
                }
            }
        }
        found
    }
}
