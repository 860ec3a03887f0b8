//! Headers that kernels' sources often include and that do not come with the compiler: whose they are.
//!
//! Knows names only; whether a header is there is what the compiler says.

use crate::toolkit::COMPONENTS;

/// What a header belongs to, and the PyPI package that has it.
struct Owner {
    /// The start of the header's name, or all of it.
    start: &'static str,
    library: &'static str,
    package: &'static str,
}

const fn owner(start: &'static str, library: &'static str, package: &'static str) -> Owner {
    Owner {
        start,
        library,
        package,
    }
}

/// Names of packages are those of CUDA 13, where `nvidia-<library>` has no version in its name.
const OWNERS: &[Owner] = &[
    owner("cublas", "cuBLAS", "nvidia-cublas"),
    owner(
        "cuda_profiler_api.h",
        "the profiler API",
        "nvidia-cuda-profiler-api",
    ),
    owner(
        "cudaProfiler.h",
        "the profiler API",
        "nvidia-cuda-profiler-api",
    ),
    owner("cudnn", "cuDNN", "nvidia-cudnn-cu13"),
    owner("cufft", "cuFFT", "nvidia-cufft"),
    owner("cufile.h", "cuFile", "nvidia-cufile"),
    owner("cupti", "CUPTI", "nvidia-cuda-cupti"),
    owner("curand", "cuRAND", "nvidia-curand"),
    owner("cusolver", "cuSOLVER", "nvidia-cusolver"),
    owner("cusparse", "cuSPARSE", "nvidia-cusparse"),
    owner("cute/", "CUTLASS", "nvidia-cutlass"),
    owner("cutlass/", "CUTLASS", "nvidia-cutlass"),
    owner("nccl", "NCCL", "nvidia-nccl-cu13"),
    owner("npp", "NPP", "nvidia-npp"),
    owner("nvToolsExt", "NVTX", "nvidia-nvtx"),
    owner("nvjpeg", "nvJPEG", "nvidia-nvjpeg"),
    owner("nvrtc.h", "NVRTC", "nvidia-cuda-nvrtc"),
    owner("nvtx3/", "NVTX", "nvidia-nvtx"),
];

/// What to do about a header that the compiler did not find.
pub(super) fn help(header: &str) -> String {
    let known = OWNERS.iter().find(|known| header.starts_with(known.start));
    let Some(Owner {
        library, package, ..
    }) = known
    else {
        return "name the directory that holds the header: `include = [\"dir\"]` under [build] in cubin.toml".to_owned();
    };
    let component = COMPONENTS.iter().find(|known| known.library == *library);
    if let Some(component) = component {
        return format!(
            "`{header}` belongs to {library}, which is not part of the compiler: `components = [\"{}\"]` under [toolkit] in cubin.toml \
             installs it beside the toolkit; or name a directory that holds it with `include = [\"dir\"]` under [build]",
            component.name
        );
    }
    format!(
        "`{header}` belongs to {library}, which is not part of the compiler and is not installed with it: move host code that \
         needs it out of the kernels' source, or name a directory that holds it with `include = [\"dir\"]` under [build] in \
         cubin.toml (the PyPI package {package} has it in `nvidia/cu13/include`)"
    )
}

/// The header in a message of gcc (`cublas_v2.h: No such file or directory`), clang (`'cublas_v2.h' file not found`) or
/// nvcc's front end (`could not open source file "cublas_v2.h" (no directories in search list)`).
pub(super) fn missing(message: &str) -> Option<&str> {
    if let Some(header) = message.strip_suffix(": No such file or directory") {
        return Some(header);
    }
    if let Some(rest) = message.strip_suffix("' file not found") {
        return rest.strip_prefix('\'');
    }
    let rest = message.strip_prefix("could not open source file \"")?;
    Some(rest.split('"').next().unwrap_or(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_found_in_each_tools_words() {
        for (message, header) in [
            (
                "nvtx3/nvToolsExt.h: No such file or directory",
                "nvtx3/nvToolsExt.h",
            ),
            ("'cublas_v2.h' file not found", "cublas_v2.h"),
            (
                "could not open source file \"a.h\" (no directories in search list)",
                "a.h",
            ),
        ] {
            assert_eq!(missing(message), Some(header));
        }
        assert_eq!(missing("identifier \"x\" is undefined"), None);
    }

    #[test]
    fn headers_of_libraries_are_told_from_the_users_own() {
        assert!(help("curand_kernel.h").contains("belongs to cuRAND"));
        assert!(help("curand_kernel.h").contains("`components = [\"curand\"]` under [toolkit]"));
        assert!(help("cute/tensor.hpp").contains("`components = [\"cutlass\"]`"));
        assert!(help("cudnn.h").contains("package nvidia-cudnn-cu13 "));
        assert!(help("my/gemm.cuh").starts_with("name the directory"));
    }
}
