//! What is known of a kernel on a target: one type, from the cubin to generated code, policy, baseline and reports.

use cubin_core::{
    Cubin, Function, LaunchBounds, Params, Resources, Sm,
    variable::{Space, Variable},
};

mod instructions;

pub use instructions::{CodeLine, Counted, Instructions};

use crate::{lists::CollectVec, source::Span};

/// What is known of one kernel on one target.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Facts {
    /// Qualified C++ name with template arguments, without parameter types: `ns::scale<float>`.
    pub name: String,
    /// Symbol in the cubin.
    pub symbol: String,
    /// What it was compiled for, exactly as asked for.
    pub target: Sm,
    /// The CUDA toolkit that wrote the cubin, as (major, minor); `None` when not recorded.
    pub toolkit: Option<(u16, u16)>,
    /// The kernel's name at its definition.
    pub place: Option<Span>,
    /// Paths of the file that is compiled (none where several are linked) and of the one that holds its definition, each
    /// once, as messages show them: what `source` in a `[[rule]]` is compared with.
    pub sources: Vec<String>,
    /// What a launch passes, on one line, as a baseline records it; `None` where types and sizes are not known.
    pub signature: Option<String>,
    /// What it needs of a multiprocessor, as the cubin records it.
    pub resources: Resources,
    /// What the source demands of a launch.
    pub launch: LaunchBounds,
    /// The parameter records of the cubin.
    pub params: Params,
    /// Spilled bytes as ptxas printed them, those of functions that it calls included; `None` for a cubin compiled
    /// elsewhere.
    pub spills: Option<Spills>,
    /// C++ names of the functions that it calls and that spill, sorted: those that were not inlined.
    pub spilling_callees: Vec<String>,
    /// Symbols of functions outside the cubin that it needs, sorted: `vprintf`, `malloc`, `__assertfail`. Those that
    /// functions need which it calls are among them, in whole programs and in linked code (13.5).
    pub externs: Vec<String>,
    /// What its machine code is made of, with that of the functions that it calls. `None` where no budget asks for it, and
    /// on targets whose instructions are not known.
    pub instructions: Option<Instructions>,
    /// (bank, bytes) of the constant banks of the whole cubin, which its kernels share: bank 3 holds the `__constant__`
    /// variables. Empty until it is set.
    pub module_constant: Vec<(u8, u64)>,
}

/// Bytes that ptxas moves between registers and local memory because it ran out of registers, per thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Spills {
    /// Bytes of spill stores.
    pub stores: u64,
    /// Bytes of spill loads.
    pub loads: u64,
}

impl Spills {
    /// Stores and loads together: what a `spills` budget limits.
    pub const fn total(self) -> u64 {
        self.stores.saturating_add(self.loads)
    }
}

/// (bank, bytes) of the constant banks that a cubin's variables lie in, by bank: each is as long as its last variable
/// reaches.
pub fn constant_banks(variables: &[Variable<'_>]) -> Vec<(u8, u64)> {
    let mut banks: Vec<(u8, u64)> = Vec::new();
    for variable in variables {
        let Space::Constant(bank) = variable.space else {
            continue;
        };
        let end = variable.offset.saturating_add(variable.size);
        match banks.iter_mut().find(|(known, _)| *known == bank) {
            Some((_, bytes)) => *bytes = end.max(*bytes),
            None => banks.push((bank, end)),
        }
    }
    crate::sorted::sort(&mut banks);
    banks
}

impl Facts {
    /// What the figures of `function` say of a kernel whose C++ name is `name`.
    ///
    /// What they do not hold (spilled bytes, dynamic shared memory, functions outside, the place in the source) is not
    /// known until it is set.
    pub fn new(name: impl Into<String>, target: Sm, function: &Function<'_>) -> Self {
        Self {
            name: name.into(),
            symbol: function.symbol.to_owned(),
            target,
            toolkit: None,
            place: None,
            sources: Vec::new(),
            signature: None,
            resources: function.resources.clone(),
            launch: function.launch,
            params: function.params.clone(),
            spills: None,
            spilling_callees: Vec::new(),
            externs: Vec::new(),
            instructions: None,
            module_constant: Vec::new(),
        }
    }

    /// As [`new`](Self::new), with all that the cubin it stands in knows besides.
    ///
    /// # Errors
    /// The kernel's attribute records are damaged.
    pub fn of(
        name: impl Into<String>,
        target: Sm,
        cubin: &Cubin<'_>,
        function: &Function<'_>,
    ) -> cubin_core::Result<Self> {
        let mut facts = Self::new(name, target, function);
        facts.toolkit = cubin.toolkit()?;
        let externs = cubin.externs(function)?;
        facts.externs = externs.into_iter().map(str::to_owned).collect_vec();
        crate::sorted::sort(&mut facts.externs);
        facts.externs.dedup();
        Ok(facts)
    }

    /// Adds a path to its [`sources`](Self::sources), with `/` between directories.
    pub fn add_source(&mut self, path: &std::path::Path) {
        let path = path.to_string_lossy().replace('\\', "/");
        if !self.sources.contains(&path) {
            self.sources.push(path);
        }
    }

    /// Bytes of the parameter block; `None` when not recorded.
    pub const fn params_size(&self) -> Option<u32> {
        match self.params {
            Params::NotRecorded => None,
            Params::Recorded { size, .. } => Some(size),
        }
    }

    /// Threads per block that the source allows at most, or demands: x times y times z.
    pub fn block_threads(&self) -> Option<u32> {
        let threads = self.launch.max_threads.or(self.launch.required_threads);
        threads.map(|[x, y, z]| x.saturating_mul(y).saturating_mul(z))
    }
}
