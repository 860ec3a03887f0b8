//! Facts about kernels, as constants of the program.

use core::fmt;

use super::row;
use super::target::Target;

/// What is known of a kernel from its source and its machine code.
///
/// A constant of a generated file's module `info`; everything it tells can be asked in `const` context.
#[derive(Clone, Copy)]
pub struct KernelInfo {
    /// Name in the machine code.
    pub symbol: &'static str,
    /// Name in C++, template arguments included.
    pub name: &'static str,
    pub(super) module: &'static ModuleInfo,
    /// Position among the kernels of its module.
    pub(super) index: usize,
    params: &'static str,
    resources: &'static str,
}

/// What all kernels of a module have in common.
#[doc(hidden)]
#[derive(Debug, PartialEq, Eq)]
pub struct ModuleInfo {
    /// Name of the module.
    pub name: &'static str,
    /// What its kernels were compiled for, in the order of their resources.
    pub targets: &'static [Target],
    /// How many there are.
    pub kernels: usize,
}

/// A kernel's symbol, its C++ name where that differs, its parameters, its resources.
#[doc(hidden)]
pub type Row = (&'static str, &'static str, &'static str, &'static str);

impl ModuleInfo {
    /// The kernels of the module.
    ///
    /// # Panics
    /// When there are more or fewer than it says, which a generated file finds when it is compiled.
    #[must_use]
    pub const fn kernels<const N: usize>(&'static self, rows: [Row; N]) -> [KernelInfo; N] {
        assert!(N == self.kernels);
        let mut kernels = [KernelInfo {
            symbol: "",
            name: "",
            module: self,
            index: 0,
            params: "",
            resources: "",
        }; N];
        let mut index = 0;
        while index < N {
            let (symbol, name, params, resources) = rows[index];
            kernels[index] = KernelInfo {
                symbol,
                name: if name.is_empty() { symbol } else { name },
                module: self,
                index,
                params,
                resources,
            };
            index += 1;
        }
        kernels
    }
}

impl KernelInfo {
    /// The parameter at `index`, in the order of the call; nothing behind the last one.
    #[must_use]
    pub const fn param(&self, index: usize) -> Option<ParamInfo> {
        row::param(self.params, index)
    }

    /// All parameters, in the order of the call.
    pub fn params(&self) -> impl Iterator<Item = ParamInfo> + use<> {
        let params = self.params;
        (0..).map_while(move |index| row::param(params, index))
    }

    /// What the kernel needs when compiled for `target`; nothing when it was not.
    #[must_use]
    pub const fn resources(&self, target: Target) -> Option<Resources> {
        let targets = self.module.targets;
        let mut index = 0;
        while index < targets.len() {
            if targets[index].is(target) {
                return row::resources(self.resources, index, target);
            }
            index += 1;
        }
        None
    }

    /// What the kernel needs on each target that it was compiled for.
    pub fn per_target(&self) -> impl Iterator<Item = Resources> + use<> {
        let info = *self;
        let targets = self.module.targets.iter();
        targets.filter_map(move |&target| info.resources(target))
    }

    /// Whether the kernel uses dynamic shared memory (`extern __shared__`) on any target, so that a launch must give
    /// it some; nothing when it is not known, as of a cubin that was compiled elsewhere.
    #[must_use]
    pub fn dynamic_shared(&self) -> Option<bool> {
        self.per_target()
            .map(|resources| resources.dynamic_shared)
            .reduce(|one, other| match (one, other) {
                (Some(one), Some(other)) => Some(one || other),
                (Some(true), None) | (None, Some(true)) => Some(true),
                _ => None,
            })?
    }
}

/// Two kernels are equal when all that is known of them is.
impl PartialEq for KernelInfo {
    fn eq(&self, other: &Self) -> bool {
        let facts = |info: &Self| {
            let module = (info.module, info.index);
            (info.symbol, info.name, module, info.params, info.resources)
        };
        facts(self) == facts(other)
    }
}

impl Eq for KernelInfo {}

impl fmt::Debug for KernelInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KernelInfo")
            .field("symbol", &self.symbol)
            .field("name", &self.name)
            .field("module", &self.module.name)
            .field("index", &self.index)
            .finish_non_exhaustive()
    }
}

/// A kernel parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamInfo {
    /// Name in the source; empty when it has none.
    pub name: &'static str,
    /// C++ type.
    pub c_type: &'static str,
    /// Bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
}

/// What a kernel needs on one target, and what its source demands of the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// The target.
    pub target: Target,
    /// Registers per thread.
    pub registers: u32,
    /// Stack bytes per thread; absent when not known statically.
    pub stack: Option<u32>,
    /// Bytes of spill stores and of spill loads per thread, where the compiler was asked.
    pub spills: Option<(u64, u64)>,
    /// Static shared memory in bytes per block.
    pub static_shared: u64,
    /// Whether it uses dynamic shared memory (`extern __shared__`); absent when not known, as of a cubin that was
    /// compiled elsewhere.
    pub dynamic_shared: Option<bool>,
    /// Named barriers, where recorded.
    pub barriers: Option<u8>,
    /// Bytes of machine code.
    pub code_bytes: u64,
    /// The largest block, as x, y and z of which only the product counts.
    pub max_threads: Option<[u32; 3]>,
    /// The only block shape.
    pub required_threads: Option<[u32; 3]>,
    /// The only cluster shape.
    pub cluster: Option<[u32; 3]>,
    /// The launch must give a cluster shape.
    pub explicit_cluster: bool,
    /// The most blocks per cluster.
    pub max_cluster_rank: Option<u32>,
}

impl Resources {
    /// Nothing, and no bounds.
    #[doc(hidden)]
    #[must_use]
    pub const fn none(target: Target) -> Self {
        Self {
            target,
            registers: 0,
            stack: None,
            spills: None,
            static_shared: 0,
            dynamic_shared: None,
            barriers: None,
            code_bytes: 0,
            max_threads: None,
            required_threads: None,
            cluster: None,
            explicit_cluster: false,
            max_cluster_rank: None,
        }
    }

    /// The most threads per block that the source allows; `u32::MAX` when it sets no bound.
    #[must_use]
    pub const fn max_threads_total(&self) -> u32 {
        match self.max_threads {
            Some([x, y, z]) => x.saturating_mul(y).saturating_mul(z),
            None => u32::MAX,
        }
    }
}
