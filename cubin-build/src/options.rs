//! What a user chooses of the generated code: asked for in cubin.toml or by the builder, done by `codegen`.

/// A driver binding.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Backend {
    /// The `cudarc` crate, 0.17 to 0.19, with its features `std`, `driver`, one way of linking,
    /// and one CUDA version (12.0 or later when a target is `sm_90` or later).
    Cudarc {
        /// How the generated file names the crate: `::cudarc` unless it is renamed or re-exported. With
        /// [`Runtime::Crate`] no file names it.
        path: String,
    },
    /// No crate and no driver: bytes, facts, launch checks, and the `kernelParams` array of each kernel for
    /// any driver binding.
    Core,
}

impl Default for Backend {
    fn default() -> Self {
        Self::Cudarc {
            path: "::cudarc".to_owned(),
        }
    }
}

/// How 16-bit floating point types appear in the generated file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum HalfTypes {
    /// `types::Half` and `types::BFloat16`: two bytes each, no dependency.
    #[default]
    Generated,
    /// `half::f16` and `half::bf16` of the `half` crate, which the user's crate must then depend on.
    HalfCrate,
}

/// Where what the wrappers run on stands: launch checks, device memory as arguments, errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Runtime {
    /// In the generated file itself: no further dependency.
    #[default]
    Embedded,
    /// In the crate `cubin-runtime`, which the user's crate must then depend on, with its feature `cudarc` unless the
    /// backend is [`Backend::Core`]: crates that name it share its types.
    Crate,
}
