//! What a user chooses of the generated code: asked for in cubin.toml or by the builder, done by `codegen`.

use crate::lists::AddAll;

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

/// When the kernels are those that `cargo cubin prebuild` kept in `prebuilt/`, instead of compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Prebuilt {
    /// Where there is no toolkit that fits, or no host compiler; and on docs.rs.
    #[default]
    WithoutToolkit,
    /// Always.
    Always,
    /// Never.
    Never,
    /// They are being made, for `cargo cubin prebuild`.
    #[doc(hidden)]
    Write,
}

impl Prebuilt {
    /// What users write.
    pub(crate) const WORDS: [(&'static str, Self); 3] = [
        ("without-toolkit", Self::WithoutToolkit),
        ("always", Self::Always),
        ("never", Self::Never),
    ];
}

/// How machine code lies in the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Embed {
    /// Each cubin by itself, so that linkers leave out those of modules that nobody loads.
    #[default]
    Cubin,
    /// A fatbin for each module, in the section where NVIDIA's own tools look for it.
    Fatbin,
}

/// How the images of a fatbin are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Compress {
    /// Not at all.
    #[default]
    None,
    /// As is loaded fastest.
    Speed,
    /// Between the two.
    Balance,
    /// As small as can be.
    Size,
}

impl Compress {
    /// What `fatbinary` calls it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Speed => "speed",
            Self::Balance => "balance",
            Self::Size => "size",
        }
    }
}

/// The CUDA runtime that a static library is linked with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Cudart {
    /// `libcudart_static.a` of the toolkit, and what it needs of the system: a program runs without a toolkit.
    #[default]
    Static,
    /// `libcudart.so`, which must be where the program runs.
    Shared,
    /// None: the crate links one itself.
    None,
}

/// What is found out where nobody says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Switch {
    /// As the source needs it.
    #[default]
    Auto,
    /// Always.
    On,
    /// Never.
    Off,
}

/// How modules of NVVM IR (`.ll`, `.bc`) are compiled; libnvvm's own defaults where nothing is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Nvvm {
    /// `-fma`: multiplications and additions are contracted.
    pub fma: Option<bool>,
    /// `-ftz`: single precision flushes denormals to zero.
    pub ftz: Option<bool>,
    /// `-prec-div`: single precision divides exactly rounded.
    pub prec_div: Option<bool>,
    /// `-prec-sqrt`: single precision takes roots exactly rounded.
    pub prec_sqrt: Option<bool>,
    /// `-opt`: 0 or 3.
    pub opt: Option<u8>,
    /// `-nvvm-latest`: modules are read by a current LLVM on targets below sm_100, too.
    pub latest: Switch,
    /// Whether data layout and version are made what libnvvm wants.
    pub normalize: bool,
    /// Whether libdevice is added.
    pub libdevice: Switch,
}

impl Nvvm {
    /// libnvvm's options but for `-arch` and what the module decides.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        let switches = [
            ("-fma", self.fma),
            ("-ftz", self.ftz),
            ("-prec-div", self.prec_div),
            ("-prec-sqrt", self.prec_sqrt),
        ];
        for (name, value) in switches {
            words.add_all(value.map(|value| format!("{name}={}", u8::from(value))));
        }
        words.add_all(self.opt.map(|level| format!("-opt={level}")));
        if self.latest == Switch::On {
            words.push("-nvvm-latest".to_owned());
        }
        words
    }
}
