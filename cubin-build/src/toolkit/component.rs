//! Libraries beside the compiler whose headers kernels include: cuRAND, CUTLASS and others, each in a directory of its own
//! beside the toolkit that it goes with.
//!
//! ```text
//! <cache>/toolkits/13.5.37-curand/cubin-build-wheels.txt
//!                                 nvidia/cu13/{include,lib}
//! ```

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{receipt::RECEIPT, version::Version};

/// A library that can be installed beside the compiler.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Component {
    /// As in `components` of cubin.toml, and as the extra of NVIDIA's metapackage.
    pub name: &'static str,
    /// As people call it.
    pub library: &'static str,
    /// A header by which it is known to be there.
    pub(super) header: &'static str,
    /// Where its wheels have their headers.
    include: &'static str,
}

const fn component(name: &'static str, library: &'static str, header: &'static str) -> Component {
    Component {
        name,
        library,
        header,
        include: "",
    }
}

/// What can be asked for.
pub static COMPONENTS: &[Component] = &[
    component("cublas", "cuBLAS", "cublas_v2.h"),
    component("cufft", "cuFFT", "cufft.h"),
    component("curand", "cuRAND", "curand_kernel.h"),
    component("cusparse", "cuSPARSE", "cusparse.h"),
    Component {
        include: "cutlass_library/source/include",
        ..component("cutlass", "CUTLASS", "cutlass/cutlass.h")
    },
    component("nvtx", "NVTX", "nvtx3/nvToolsExt.h"),
];

impl Component {
    /// By its name in cubin.toml.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        COMPONENTS.iter().find(|known| known.name == name)
    }

    /// The directory of headers in an installed one.
    pub(super) fn headers(&self, home: &Path) -> Option<PathBuf> {
        let dir = match self.include {
            "" => {
                let releases = fs::read_dir(home.join("nvidia")).ok()?.flatten();
                let mut dirs = releases.map(|entry| entry.path().join("include"));
                dirs.find(|dir| dir.join(self.header).is_file())?
            }
            dir => home.join(dir),
        };
        let whole = dir.join(self.header).is_file() && home.join(RECEIPT).is_file();
        whole.then_some(dir)
    }
}

/// The name of its directory in the cache.
pub(super) fn directory(version: Version, component: &Component) -> String {
    format!("{version}-{}", component.name)
}
