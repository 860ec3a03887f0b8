//! Spills of kernels with those of the functions that they call: a budget on a kernel that hides them in a function
//! which was not inlined would check nothing.

use cubin_core::{Cubin, Function};

use super::calls::Calls;
use crate::{
    compile::Unit,
    kernel::Spills,
    lists::Figures,
    signature,
    sorted::{self, Map},
};

/// What is known of the spills in one cubin.
pub(super) struct Spilled<'a> {
    units: &'a [&'a Unit],
    /// Symbols by index, and the calls between them: in linked code, where functions are shared. Empty otherwise.
    names: Map<u32, &'a str>,
    calls: Calls,
}

impl<'a> Spilled<'a> {
    /// # Errors
    /// The cubin's call graph is damaged.
    pub(super) fn new(
        cubin: &Cubin<'_>,
        units: &'a [&'a Unit],
        functions: &[Function<'a>],
    ) -> cubin_core::Result<Self> {
        let mut calls = Calls::default();
        let mut names = Map::new();
        // A whole program has copies for each kernel, which the compiler's log lists.
        if units.len() > 1 || units.iter().any(|unit| unit.callees.is_empty()) {
            names.extend(
                functions
                    .iter()
                    .map(|function| (function.symbol_index, function.symbol)),
            );
            calls = Calls::read(cubin)?;
        }
        Ok(Self {
            units,
            names,
            calls,
        })
    }

    /// The spills of a kernel, and the C++ names of the callees that spill. `None` for a cubin compiled elsewhere.
    pub(super) fn of(&self, kernel: &Function<'_>) -> (Option<Spills>, Vec<String>) {
        let Some(mut all) = self.own(kernel.symbol) else {
            return (None, Vec::new());
        };
        let mut callees = Vec::new();
        let mut add = |symbol: &str, spills: Spills| {
            all.stores = all.stores.saturating_add(spills.stores);
            all.loads = all.loads.saturating_add(spills.loads);
            if spills.total() > 0 {
                // `_Z1fi$1` is a copy that the compiler made for some callers.
                let plain = symbol.split('$').next().unwrap_or(symbol);
                callees.push(signature::cxx_name(plain).unwrap_or_else(|| symbol.to_owned()));
            }
        };
        let copies = self
            .units
            .iter()
            .filter_map(|unit| unit.callees.get(kernel.symbol));
        for (symbol, spills) in copies.flatten() {
            add(symbol, *spills);
        }
        for callee in self.calls.reached(kernel.symbol_index) {
            if let Some(symbol) = self.names.get(&callee)
                && let Some(spills) = self.own(symbol)
            {
                add(symbol, spills);
            }
        }
        sorted::sort(&mut callees);
        callees.dedup();
        (Some(all), callees)
    }

    /// The largest stack frame of a kernel and the functions that it calls, as ptxas printed them.
    pub(super) fn deepest_frame(&self, kernel: &Function<'_>) -> u64 {
        let of = |symbol: &str| {
            let units = self.units.iter();
            let frames = units.filter_map(|unit| unit.frames.get(symbol).copied());
            frames.largest().unwrap_or(0)
        };
        let reached = self.calls.reached(kernel.symbol_index);
        let symbols = reached.iter().filter_map(|callee| self.names.get(callee));
        let deepest = symbols.map(|symbol| of(symbol)).largest().unwrap_or(0);
        deepest.max(of(kernel.symbol))
    }

    fn own(&self, symbol: &str) -> Option<Spills> {
        let mut units = self.units.iter();
        units.find_map(|unit| unit.spills.get(symbol).copied())
    }
}
