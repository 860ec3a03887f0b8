//! Every code of the project, each with a paragraph and an example: what `cargo cubin explain CODE` prints.
//!
//! Codes are stable: a new one is a minor release, a renamed or removed one a major release. A snapshot test holds
//! the list.

use super::Code;

/// What a code is about; the summary line counts findings by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topic {
    /// A kernel breaks a budget.
    Budget,
    /// cubin.toml.
    Config,
    /// What build.rs passes to the builder.
    Script,
    /// Environment variables.
    Environment,
    /// The baseline file.
    Baseline,
    /// Finding or installing the CUDA toolkit.
    Toolkit,
    /// nvcc, ptxas and their messages.
    Compile,
    /// Reading what the compiler wrote.
    Cubin,
    /// C++ types and names of kernels.
    Signature,
    /// Kernels that were compiled before.
    Prebuilt,
    /// Writing generated files.
    Output,
    /// A code that is not in the table.
    Other,
}

impl Topic {
    /// Singular and plural for the summary line.
    #[must_use]
    pub const fn nouns(self) -> (&'static str, &'static str) {
        match self {
            Self::Budget => ("kernel over budget", "kernels over budget"),
            Self::Config => ("problem in cubin.toml", "problems in cubin.toml"),
            Self::Script => ("problem in build.rs", "problems in build.rs"),
            Self::Environment => (
                "problem with an environment variable",
                "problems with environment variables",
            ),
            Self::Baseline => ("problem in the baseline", "problems in the baseline"),
            Self::Toolkit => (
                "problem with the CUDA toolkit",
                "problems with the CUDA toolkit",
            ),
            Self::Compile => ("message of the compiler", "messages of the compiler"),
            Self::Cubin => ("problem in a cubin", "problems in cubins"),
            Self::Signature => ("problem with a signature", "problems with signatures"),
            Self::Prebuilt => (
                "problem with prebuilt kernels",
                "problems with prebuilt kernels",
            ),
            Self::Output => ("problem writing output", "problems writing output"),
            Self::Other => ("problem", "problems"),
        }
    }
}

/// A code and what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Documented {
    /// The code.
    pub code: Code,
    /// What it is about.
    pub topic: Topic,
    /// One paragraph: what was found, why it matters, what to do.
    pub doc: &'static str,
    /// A message with this code, or the input that gives it.
    pub example: &'static str,
}

/// The entry of `code`, if there is one.
#[must_use]
pub fn find(code: &str) -> Option<&'static Documented> {
    ALL.iter().find(|entry| entry.code.0 == code)
}

/// Position of `code` in [`ALL`]: findings about one thing are shown in this order.
pub(super) fn position(code: Code) -> usize {
    ALL.iter()
        .position(|entry| entry.code == code)
        .unwrap_or(ALL.len())
}

/// The code's documentation as `cargo cubin explain` prints it.
#[must_use]
pub fn explain(code: &str) -> Option<String> {
    let entry = find(code)?;
    let mut text = format!("{}\n\n{}\n\nExample:\n", entry.code, entry.doc);
    for line in entry.example.lines() {
        text.push_str(&format!("\n    {line}"));
    }
    text.push('\n');
    Some(text)
}

macro_rules! codes {
    ($($name:ident = $code:literal, $topic:ident, $doc:literal, $example:literal;)+) => {
        $(
            #[doc = concat!("`", $code, "`\n\n", $doc, "\n\n```text\n", $example, "\n```")]
            // The paragraphs name tables of cubin.toml.
            #[allow(rustdoc::broken_intra_doc_links)]
            pub const $name: Code = Code($code);
        )+

        /// Every code, in the order of the stages of a build.
        pub const ALL: &[Documented] = &[
            $(Documented { code: $name, topic: Topic::$topic, doc: $doc, example: $example },)+
        ];
    };
}

codes! {
    // cubin.toml
    CONFIG_SYNTAX = "config-syntax", Config,
        "cubin.toml is not valid TOML, or a key stands in it twice. Nothing is built until it can be read.",
        "error[config-syntax]: cubin.toml is not valid TOML: `registers` is defined twice";
    UNKNOWN_KEY = "unknown-key", Config,
        "A table of cubin.toml holds a key that cubin-build does not know. A misspelt budget would otherwise check nothing, so this is an error. The nearest known key is suggested.",
        "error[unknown-key]: unknown key `register` in [defaults]\n  = help: did you mean `registers`?";
    CONFIG_INVALID = "config-invalid", Config,
        "A value of cubin.toml has the wrong type or cannot be understood (a target or a version that does not exist), or values contradict each other. The message says what is expected there.",
        "error[config-invalid]: `90a` is not a GPU target; expected for example `sm_90`, `sm_90a` or `sm_100f`";
    BUILDER_INVALID = "builder-invalid", Script,
        "An argument that build.rs passes to a method of the builder cannot be used: a target or a version that does not exist, an nvcc flag that would undo what cubin-build relies on, an include directory that does not exist, a file that is not one of the sources. The message names the method; the same value in cubin.toml is `config-invalid`.",
        "error[builder-invalid]: nvcc flag `-o` cannot be used: cubin-build itself chooses what is made and where\n  = note: given to `Builder::flag` or `Builder::flags` in build.rs";
    ENVIRONMENT_INVALID = "environment-invalid", Environment,
        "An environment variable that cubin-build reads holds a value that cannot be used. The message names the variable.",
        "error[environment-invalid]: `native` is not a target: it means the GPU of the machine that builds, which may have none (from the environment variable CUBIN_BUILD_ARCH)";
    POLICY_INVALID = "policy-invalid", Config,
        "A budget or rule cannot be understood: a size with an unknown unit, a negative count, a level other than `allow`, `warn` or `deny`, a rule that selects nothing or sets nothing. Sizes are integers (bytes) or strings with one of the units B, kB, MB, GB (powers of 1000), KiB, MiB, GiB (powers of 1024).",
        "error[policy-invalid]: `static-shared` in [defaults] is not a size: its unit is ambiguous\n  = help: write `KiB` for 1024 bytes or `kB` for 1000";
    UNMATCHED_RULE = "unmatched-rule", Config,
        "A kernel or arch pattern of a [[rule]] matches nothing that was compiled. The kernel was perhaps renamed or removed, and the rule guards nothing any more. Likewise a pattern of `exclude` that leaves out no file. Patterns are matched against the whole C++ name (`ns::gemm<float>`) and against the symbol; `*` stands for any characters, `?` for one. A warning.",
        "warning[unmatched-rule]: no kernel matches `gemm`\n  = help: `gemm<float>` is an instance of a template: write `gemm<*>`";
    SHADOWED_RULE = "shadowed-rule", Config,
        "A `[[rule]]` of cubin.toml selects kernels, but decides nothing: for each of them, other rules that describe it more closely, or stand later, set every budget and the level that it sets. Whoever wrote it believes that it holds. `cargo cubin policy` lists what each rule decides, and `--explain KERNEL` says why another goes before it. Rules of a workspace that its members go before are no finding.",
        "warning[shadowed-rule]: this [[rule]] decides nothing: closer ones set all that it sets";
    EXPIRED_RULE = "expired-rule", Config,
        "A table of cubin.toml says by `expires` until which day it was meant to stand, and that day is over: an exception that was granted for a while is still there. Builds keep it, with this warning, so that an old commit builds as it did; in `cargo cubin check` it is an error. The day is that of UTC, or of `SOURCE_DATE_EPOCH` where that is set.",
        "warning[expired-rule]: this [[rule]] was meant to stand until 2027-01-31";
    BASELINE_INVALID = "baseline-invalid", Baseline,
        "The baseline file cannot be read: it is missing, is not valid TOML, or holds something that `cargo cubin baseline write` does not write. Nothing is accepted on the strength of such a file.",
        "error[baseline-invalid]: unknown budget `register` in the baseline of `gemm<float>`\n  = help: `cargo cubin baseline write` makes the file anew";
    SIGNATURE_CHANGED = "signature-changed", Baseline,
        "With `signatures = true` in `[baseline]`, the baseline locks what every kernel takes, and this kernel takes something else now: another number of parameters, another type, or a record of another size or layout. Whoever launches the kernel otherwise than by the wrapper that this build writes, from C++, from a cubin that was shipped, or by its symbol, would pass what it no longer takes. Accept it with `cargo cubin baseline write`.",
        "error[signature-changed]: kernel `scale<float>` takes other parameters than the baseline records";
    SIGNATURE_UNRECORDED = "signature-unrecorded", Baseline,
        "With `signatures = true` in `[baseline]`, the baseline locks what every kernel takes, and does not have these kernels: they are new, or were renamed. Until `cargo cubin baseline write` records them, nothing tells when their parameters change.",
        "warning[signature-unrecorded]: cubin-baseline.toml does not record what 2 kernels take";
    BASELINE_UNMATCHED = "baseline-unmatched", Baseline,
        "The baseline records a kernel that is no longer there for a target that was compiled. Writing the baseline again drops the entry, so that a later kernel of the same name does not inherit its allowance. A warning.",
        "warning[baseline-unmatched]: 1 entry of cubin-baseline.toml is for a kernel that no longer exists\n  = help: run `cargo cubin baseline write`";
    BASELINE_IMPROVED = "baseline-improved", Baseline,
        "A kernel is better than its baseline records, perhaps even within its budget. Writing the baseline again keeps the gain: from then on a step back fails. A warning.",
        "warning[baseline-improved]: baseline cubin-baseline.toml can be tightened: 1 figure in it is worse than the kernel\n  = help: run `cargo cubin baseline write`";
    BASELINE_ACCEPTED = "baseline-accepted", Budget,
        "A kernel is over its budget but not worse than the baseline records. It passes; the summary line counts it.",
        "note[baseline-accepted]: kernel `gemm<float>` uses 168 registers per thread on sm_90a, budget is 128, baseline is 168";

    // toolkit
    TOOLKIT_NOT_FOUND = "toolkit-not-found", Toolkit,
        "No CUDA toolkit was found where cubin-build looks for one, or none of the version that [toolkit] asks for. The message lists the places. Set `CUDA_PATH`, put nvcc on PATH, or let cubin-build install one with `[toolkit] version = \"13.5\", install = true`.",
        "error[toolkit-not-found]: no CUDA toolkit found\n  = help: run `cargo cubin toolkit install 13.5`";
    TOOLKIT_VARIABLE = "toolkit-variable", Environment,
        "`CUDA_PATH`, `CUDA_HOME` or `NVCC` is set and leads to no toolkit: there is no such directory, no nvcc in it, or an nvcc that does not run. The toolkit that is found next is used, which may be another than the one that was meant. Set the variable to a toolkit, or unset it.",
        "warning[toolkit-variable]: `CUDA_HOME=/usr/local/cuda` names no CUDA toolkit: no such directory";
    TOOLKIT_INSTALL_FAILED = "toolkit-install-failed", Toolkit,
        "Installing the CUDA toolkit from NVIDIA's PyPI packages failed. The message of pip or uv is shown. Nothing half-installed is left behind; running the build again tries again.",
        "error[toolkit-install-failed]: cannot install CUDA toolkit 13.5: neither pip nor uv was found";
    TOOLKIT_DAMAGED = "toolkit-damaged", Toolkit,
        "A compiler failed, and files of the toolkit in the per-user cache are not there or have another size than NVIDIA's wheels record. What was compiled with it cannot be trusted. Installing the toolkit anew repairs it; `cargo cubin toolkit verify` also compares contents.",
        "error[toolkit-damaged]: the CUDA toolkit 13.5.37 in the per-user cache is damaged: `nvvm/bin/cicc` is missing\n  = help: `cargo cubin toolkit install --force 13.5.37` installs it anew";
    TARGET_UNSUPPORTED = "target-unsupported", Toolkit,
        "The toolkit in use cannot compile for a target that was asked for. Each toolkit supports a range of targets, `nvcc --list-gpu-code` prints it. Another name is never substituted: sm_90 and sm_90a are different targets.",
        "error[target-unsupported]: nvcc 12.4 does not support sm_100a";

    // compile
    NO_SOURCES = "no-sources", Compile,
        "The build script named no source file, or a directory without `.cu` files. Paths are relative to the package's directory.",
        "error[no-sources]: there is no .cu file below `kernels`";
    COMPILE_FAILED = "compile-failed", Compile,
        "nvcc, ptxas or nvlink refused a source file. Their messages are shown whole, for every failing file and target.",
        "error[compile-failed]: identifier \"blockIdx_x\" is undefined";
    LINK_INPUT = "link-input", Compile,
        "A source or library of a [[link]] table holds nothing that nvlink would link for a target, or not all of it. nvlink leaves out whole-program cubins, damaged ones, cubins in archives and archives for other targets without a word and reports success; the kernels in them would be missing. Compile the code with `-rdc=true` for the target, and give cubins by themselves. Kernels of an input that the linked cubin lacks are found too.",
        "error[link-input]: `solver` cannot be linked for sm_90: lib/heavy.cubin is a whole program, which nvlink leaves out";
    NVVM_INVALID = "nvvm-invalid", Compile,
        "A module of NVVM IR breaks a rule of libnvvm or ptxas, or has what libnvvm would drop or crash on: no target triple, another data layout, a version that is not read, a kernel that is internal, a parameter that cannot be passed. The message names the place and what to write there.",
        "error[nvvm-invalid]: kernels/saxpy.ll cannot be compiled: kernel `saxpy` is `internal`, and libnvvm drops such kernels without a word";
    NVVM_DROPPED = "nvvm-dropped", Compile,
        "A property of a kernel in a module of NVVM IR (`!nvvm.annotations`, or an attribute) has left no trace in the cubin: it is misspelt, or the target's reader does not know it. libnvvm says nothing then.",
        "warning[nvvm-dropped]: `maxclusterrank` of kernel `saxpy` has no effect on sm_90: nothing in the cubin shows it";
    NVCC_WARNING = "nvcc-warning", Compile,
        "A warning of nvcc, ptxas or nvlink, passed on with its place. It does not fail the build.",
        "warning[nvcc-warning]: variable \"n\" was declared but never referenced";
    EXTERN_COPIED = "extern-copied", Compile,
        "A `__constant__` or `__device__` variable is declared `extern`, in a source that is compiled by itself. nvcc then makes a variable of it, so each such source has its own, and what is written to one is not seen by the others. Sources that share variables are named under [[link]]. A warning.",
        "warning[extern-copied]: `lut` is declared `extern`, and this source has a variable of its own\n  = help: name the sources that share it under [[link]] in cubin.toml";
    HOST_CODE_DROPPED = "host-code-dropped", Compile,
        "A source defines host functions that are `extern \"C\"` or launch kernels. cubin-build compiles device code only, so they are not there for whoever calls them, and the linker says \"undefined symbol\". Launch the kernels by their generated wrappers, or name the file under [[library]], so that its host code becomes a static library. A warning.",
        "warning[host-code-dropped]: host code is not part of the build: `run_attn`";
    LIBRARY_FAILED = "library-failed", Compile,
        "A static library of a [[library]] could not be made of its objects, or lacks something that it must be linked with. The archiver's words are shown.",
        "error[library-failed]: `moe` cannot be archived: ar ended with exit status 1";
    NO_KERNELS = "no-kernels", Compile,
        "A source file was compiled and holds no kernel. Often its kernels are templates that nothing instantiates: name the instances under [[instantiate]], or in the source with an explicit instantiation. A file that only holds device functions belongs in the include path instead of the sources. Of a file that was found in a directory and does not say `__global__` it is only a warning: `exclude` leaves it out.",
        "error[no-kernels]: kernels/scale.cu yields no kernel\n  = help: instantiate its templates: [[instantiate]] kernel = \"scale<float>\"";

    // cubin
    CUBIN_UNREADABLE = "cubin-unreadable", Cubin,
        "A cubin is malformed or cut short. Section and offset of the first violation are named. For a cubin that was just compiled this is a bug in cubin-build: please report it with the file.",
        "error[cubin-unreadable]: saxpy.sm_90.cubin: section .nv.info at offset 0x4c0: record of 12 bytes reaches past the end";
    TARGET_MISMATCH = "target-mismatch", Cubin,
        "A cubin is for another target than the one asked for. A wrapper around it would fail to load on the GPUs it was meant for.",
        "error[target-mismatch]: saxpy.sm_90.cubin is for sm_80";
    TARGET_UNSERVED = "target-unserved", Cubin,
        "A prebuilt cubin or fatbin has no image that runs on one of the targets asked for, so its kernels will not load on those GPUs. A cubin runs on GPUs of its own major compute capability from its own minor one on (sm_80's also on sm_89), with `a` on exactly its own; PTX serves later GPUs, where it is embedded. A warning; where not one of the targets is served, an error.",
        "warning[target-unserved]: no image of attention.cubin runs on sm_80 or sm_120; it holds sm_90";
    CUBIN_RELOCATABLE = "cubin-relocatable", Cubin,
        "A cubin was compiled to relocatable code (`-rdc=true`, `-dc`, `ptxas -c`). Drivers do not load it, and registers and stack of its kernels are not final before nvlink has run: a budget could be met here and broken there. Name its sources, or the file itself as a library, in a [[link]] table, or compile it as a whole program. For a source the flag may come from NVCC_PREPEND_FLAGS or NVCC_APPEND_FLAGS.",
        "error[cubin-relocatable]: heavy.cubin is relocatable code: it must be linked before it can be loaded";
    PTX_MISSING = "ptx-missing", Cubin,
        "PTX is to be embedded, and a .fatbin source holds none that belongs to one of its cubins taken into the build. Its kernels will not load on GPUs that none of the cubins runs on. A warning. Sources that are .cubin files never have PTX.",
        "warning[ptx-missing]: many.fatbin has no PTX for compute_90 beside a cubin; it holds PTX for compute_80\n  = help: make it again with `-gencode arch=compute_90,code=[sm_90,compute_90]`";
    KERNEL_SET_MISMATCH = "kernel-set-mismatch", Cubin,
        "The kernels that nvcc's host code registers differ from those in the cubin. This is a bug in cubin-build, or a new nvcc: please report it with the source. A kernel that exists for some targets only (through `#if __CUDA_ARCH__`) is not a finding: its wrapper says so when the loaded image does not hold it.",
        "error[kernel-set-mismatch]: kernel `gemm_tma` on sm_90a: is in the cubin but not registered by the host code";

    ARTIFACT_UNREADABLE = "artifact-unreadable", Cubin,
        "Device code in an executable, library or object cannot be read: the file is cut, or damaged, or holds a record that no tool writes. Its kernels were not judged, so this is an error.",
        "error[artifact-unreadable]: libsolver.so holds device code that cannot be read: entry 3: the frame of zstd is cut";
    ARTIFACT_NOT_JUDGED = "artifact-not-judged", Cubin,
        "An executable, library or object holds kernels that cannot be judged yet: relocatable cubins, whose figures are final only where nvlink has linked them, or PTX and IR without a cubin beside them, which the driver or the linker compiles. Judge the file that they end up in, or build them for a target. A warning.",
        "warning[artifact-not-judged]: libheavy.a holds 2 relocatable cubins, whose figures are not final";

    // signature
    HOST_FUNCTION_REFUSED = "host-function-refused", Signature,
        "A host function with C linkage in a source of a [[library]] gets no declaration in Rust: a type of its has no exact counterpart there (a class by value, `long double`, `...`), or the host compiler cannot tell its type. The function is in the library all the same. The message says why. A warning.",
        "warning[host-function-refused]: host function `by_value` gets no declaration: parameter 1 is `P` by value, whose layout nobody has proved; a pointer to it can be passed";
    SIGNATURE_MISMATCH = "signature-mismatch", Signature,
        "The C++ types found for a kernel's parameters do not agree in number, size or offset with what its cubin records, or a module variable has another size or other memory there than in nvcc's host code. One of the two was misread, so nothing is generated for it. Please report it with the source.",
        "error[signature-mismatch]: parameter 2 of `saxpy` is 8 bytes in the source and 4 in the cubin";
    SIGNATURE_DIFFERS = "signature-differs-between-targets", Signature,
        "A kernel has different parameter types on different targets, for example through `#if __CUDA_ARCH__`. One wrapper cannot serve both.",
        "error[signature-differs-between-targets]: parameter 1 of `reduce` is `float` on sm_80 and `double` on sm_90";
    KERNEL_REFUSED = "kernel-refused", Signature,
        "No exact wrapper can be made for a kernel: a parameter's type is not visible in the compiler's files, or has no Rust counterpart. Where the files leave a layout open (an `__int128` member prints as `long long`), the compiler's front end has been asked, and a note says what it said. The kernel is compiled and its budgets are checked, but the generated module has no method for it. A warning; a [[rule]] with a `level` and no budget makes it an error, or silence.",
        "warning[kernel-refused]: no wrapper for `apply<lambda>`: parameter 0 is a lambda, whose type has no name";
    NAME_COLLISION = "name-collision", Signature,
        "Two sources, or a source and a [[link]], would be modules of the same Rust name, and no folder tells them apart: `a-b.cu` and `a.b.cu` side by side. The generated file holds both; the module of one ends in a hash of its path. Rename one of them for a name that reads better. Names of kernels, types and variables that Rust cannot tell apart grow until they differ, by rules that the documentation gives, and are no finding.",
        "warning[name-collision]: the module of kernels/a-b.cu is called `kernels_a-b_1d0c5f3a`: another module has its name in Rust, and no folder tells them apart";

    // budgets
    REGISTERS_OVER_BUDGET = "registers-over-budget", Budget,
        "A kernel uses more registers per thread than its budget allows. Registers bound how many threads fit on a multiprocessor at once. `__launch_bounds__` or `__maxnreg__` make ptxas stay below a number, at the price of spills; a [[rule]] gives one kernel its own budget.",
        "error[registers-over-budget]: kernel `gemm<float>` uses 168 registers per thread on sm_90a, budget is 128";
    STACK_OVER_BUDGET = "stack-over-budget", Budget,
        "A kernel needs more stack per thread than its budget allows. The stack lies in local memory, which is device memory behind the caches. Usual causes are arrays indexed at run time, spills, and calls that are not inlined.",
        "error[stack-over-budget]: kernel `sort` needs 256 bytes of stack per thread on sm_80, budget is 0 bytes";
    STACK_UNKNOWN = "stack-unknown", Budget,
        "A kernel has a stack budget, but how much stack it needs is not statically known: it recurses, calls through a pointer, or uses `alloca`. The budget can thus not be checked. Such a kernel runs on what the driver gives each thread, 1 KiB unless the program raises the context's limit before the launch (`cuCtxSetLimit` with `CU_LIMIT_STACK_SIZE`, `CudaContext::set_limit` in cudarc); beyond it the launch fails, or memory is overwritten. Remove the cause, or allow it for this kernel with a [[rule]].",
        "error[stack-unknown]: stack of kernel `walk` is not statically known on sm_90, budget is 0 bytes";
    SPILLS_OVER_BUDGET = "spills-over-budget", Budget,
        "ptxas ran out of registers for a kernel and moves more bytes to and from local memory than the budget allows. Counted are the bytes of spill stores plus spill loads, as `ptxas -v` prints them, for the kernel and for the functions that it calls and that were not inlined. Usual causes are a tight `__launch_bounds__` and unrolled loops.",
        "error[spills-over-budget]: kernel `gemm<float>` spills 16 bytes (8 stored, 8 loaded) on sm_90a, budget is 0 bytes";
    SPILLS_UNKNOWN = "spills-unknown", Budget,
        "A kernel has a spills budget, but its spilled bytes are not known: they are printed by ptxas while compiling and are not recorded in the cubin, so a cubin that was compiled elsewhere does not tell.",
        "error[spills-unknown]: spills of kernel `gemm` are not known on sm_90a, budget is 0 bytes";
    PARAMS_OVER_BUDGET = "params-over-budget", Budget,
        "A kernel's parameters take more bytes than its budget allows. They are copied for every launch; up to 4 KiB before CUDA 12.1 or compute capability 7.0, up to 32764 bytes since.",
        "error[params-over-budget]: kernel `conv` takes 5120 bytes (5 KiB) of parameters on sm_90, budget is 4096 bytes (4 KiB)";
    PARAMS_UNKNOWN = "params-unknown", Budget,
        "A kernel has a params budget, but its cubin does not record the parameters.",
        "error[params-unknown]: size of the parameters of kernel `conv` is not recorded on sm_90, budget is 4096 bytes (4 KiB)";
    STATIC_SHARED_OVER_BUDGET = "static-shared-over-budget", Budget,
        "A kernel declares more static shared memory per block than its budget allows. The 1024 bytes that the system reserves from sm_90 on are not counted. Shared memory bounds how many blocks fit on a multiprocessor at once.",
        "error[static-shared-over-budget]: kernel `transpose` uses 33792 bytes (33 KiB) of static shared memory per block on sm_80, budget is 32768 bytes (32 KiB)";
    LOCAL_OVER_BUDGET = "local-over-budget", Budget,
        "A kernel takes more local memory per thread than its budget allows: the stack, and what a section `.nv.local` of the cubin reserves besides. Local memory is device memory behind the caches. Usual causes are arrays indexed at run time and spills.",
        "error[local-over-budget]: kernel `sort` takes 1024 bytes (1 KiB) of local memory per thread on sm_80, budget is 0 bytes";
    LOCAL_UNKNOWN = "local-unknown", Budget,
        "A kernel has a budget for local memory, but its stack, which is part of it, is not statically known: it recurses, calls through a pointer, or uses `alloca`. Remove the cause, or allow it for this kernel with a [[rule]].",
        "error[local-unknown]: local memory of kernel `walk` is not statically known on sm_90, budget is 0 bytes";
    CONSTANT_OVER_BUDGET = "constant-over-budget", Budget,
        "A kernel has more bytes in a constant bank than its budget allows. Bank 0 holds the parameters behind what the driver puts there, bank 2 what the compiler keeps out of the code (tables of `switch`, large constants), bank 3 the `__constant__` variables of the whole file, whichever of its kernels reads them. The hardware allows 64 KiB of each.",
        "error[constant-over-budget]: kernel `conv` has 50000 bytes of constant bank 3 on sm_90, budget is 49152 bytes (48 KiB)";
    BARRIERS_OVER_BUDGET = "barriers-over-budget", Budget,
        "A kernel uses more named barriers per block than its budget allows. A multiprocessor has 16 for each block. The highest one that is named counts with all below it, and a barrier whose number is only known at run time counts as all 16.",
        "error[barriers-over-budget]: kernel `handshake` uses 5 barriers per block on sm_90, budget is 1";
    BARRIERS_UNKNOWN = "barriers-unknown", Budget,
        "A kernel has a barriers budget, but its cubin has no records that would tell how many it uses.",
        "error[barriers-unknown]: number of barriers of kernel `handshake` is not recorded on sm_90, budget is 1";
    CODE_SIZE_OVER_BUDGET = "code-size-over-budget", Budget,
        "The machine code of a kernel is larger than its budget allows. Padding counts, and so do the copies of called functions that a whole program has for each kernel; functions that linked kernels share do not. Large code misses the instruction cache and makes the library larger. Usual causes are unrolled loops and inlined functions.",
        "error[code-size-over-budget]: kernel `gemm<float>` has 147456 bytes (144 KiB) of machine code on sm_90a, budget is 131072 bytes (128 KiB)";
    EXTERNS_FORBIDDEN = "externs-forbidden", Budget,
        "A kernel calls a function outside its cubin that its `externs` budget forbids, itself or through a function that it calls. Such functions come from the driver: `printf` (`vprintf` in the cubin), the end of a failed `assert` (`__assertfail`), `malloc` and `free`, launches from the device. They cost registers, stack and time, and a forgotten `printf` is seldom meant to ship.",
        "error[externs-forbidden]: kernel `step` calls `printf` on sm_90, budget forbids `printf`";
    OCCUPANCY_BELOW_BUDGET = "occupancy-below-budget", Budget,
        "Too few warps of a kernel fit on a multiprocessor at once, for the block size (and dynamic shared memory) that the budget names. A note says what is the limit; where a smaller figure or another block size would do, the help says which. Computed as `cuda_occupancy.h` does, with the largest shared memory carveout.",
        "error[occupancy-below-budget]: kernel `gemm<float>` reaches 18.8 % occupancy with blocks of 320 threads on sm_90a, budget is 25 %";
    OCCUPANCY_UNKNOWN = "occupancy-unknown", Budget,
        "A kernel has an occupancy budget, but this version of cubin-build does not know what a multiprocessor of the target has. No figure is guessed.",
        "error[occupancy-unknown]: occupancy of kernel `gemm` is not known on sm_60, budget is 25 %";

    INSTRUCTIONS_OVER_BUDGET = "instructions-over-budget", Budget,
        "A kernel has more instructions than its budget allows, those of the functions that it calls included; padding and what is never executed are not. The count is static: it says how much code there is, not how long it runs. Large code misses the instruction cache. Usual causes are unrolled loops and inlined functions.",
        "error[instructions-over-budget]: kernel `gemm<float>` has 9216 instructions on sm_90a, budget is 4096";
    INSTRUCTIONS_UNKNOWN = "instructions-unknown", Budget,
        "A kernel has a budget over its instructions (`fp64`, `local-loads`, `tensor-core` and others), but whether it keeps it is not known: this version of cubin-build does not know the target's instructions, or some of the kernel's; or it is not known which of them stand in loops, or how many bytes they move. What is not known is never counted as 0. A note says what it is.",
        "error[instructions-unknown]: number of double-precision instructions of kernel `gemm` is not known on sm_35, budget is 0";
    FP64_OVER_BUDGET = "fp64-over-budget", Budget,
        "A kernel has more instructions in double precision than its budget allows: arithmetic, comparisons, conversions from and to `double`, matrix instructions. Most GPUs have one unit for double precision for every 32 or 64 for single precision, so that one forgotten `f` (`0.5` for `0.5f`) can make a kernel many times slower. With `lineinfo = true` in [build] the message points at the lines that they come from.",
        "error[fp64-over-budget]: kernel `scale` has 4 double-precision instructions on sm_90, budget is 0";
    FP64_IN_LOOPS_OVER_BUDGET = "fp64-in-loops-over-budget", Budget,
        "More instructions in double precision than the budget allows stand in loops of a kernel: branches can lead from them back to them, so each may be executed many times. Before a loop, a few of them seldom matter.",
        "error[fp64-in-loops-over-budget]: kernel `softmax` has 2 double-precision instructions in loops on sm_90, budget is 0";
    LOCAL_LOADS_OVER_BUDGET = "local-loads-over-budget", Budget,
        "A kernel has more loads from local memory than its budget allows. Local memory is device memory behind the caches; it holds spilled registers, arrays that are indexed at run time, and what calls keep. Unlike the budgets `spills` and `stack`, which count bytes, this one counts instructions, also in cubins that were compiled elsewhere.",
        "error[local-loads-over-budget]: kernel `sort` has 12 loads from local memory on sm_90, budget is 0";
    UNVECTORISED_GLOBAL_OVER_BUDGET = "unvectorised-global-over-budget", Budget,
        "A larger share of a kernel's loads from and stores to global memory than its budget allows move at most 4 bytes per thread. Fewer and wider accesses (`float4`) move the same data with fewer instructions and more of it in flight.",
        "error[unvectorised-global-over-budget]: kernel `copy` moves at most 4 bytes by 2 of 2 global loads and stores (100 %) on sm_90, budget is 25 %";
    ATOMICS_OVER_BUDGET = "atomics-over-budget", Budget,
        "A kernel has more atomics and reductions in memory than its budget allows. Threads that meet at one address wait for each other; adding up within the warp and the block first leaves few.",
        "error[atomics-over-budget]: kernel `histogram` has 8 atomic instructions on sm_90, budget is 2";
    TENSOR_CORE_BELOW_BUDGET = "tensor-core-below-budget", Budget,
        "A kernel has fewer matrix multiplications on tensor cores than its budget asks for: the compiler did not use them, often after a change of types, shapes or targets. The kernel then computes the same and is many times slower.",
        "error[tensor-core-below-budget]: kernel `attention` has 0 tensor core instructions on sm_90, budget is at least 1";

    // prebuilt
    PREBUILT_MISSING = "prebuilt-missing", Prebuilt,
        "A build takes the kernels that `cargo cubin prebuild` kept in `prebuilt/`, because no toolkit is there or because it was told to, and there are none, or none of a source for a target. Run `cargo cubin prebuild` where there is a toolkit and commit what it writes, or ask for targets that it has.",
        "error[prebuilt-missing]: there is no prebuilt machine code of kernels/saxpy.cu for sm_120";
    PREBUILT_DAMAGED = "prebuilt-damaged", Prebuilt,
        "The manifest in `prebuilt/`, or a file beside it, is not what `cargo cubin prebuild` wrote: a merge left its marks, a file is missing or is another one, or a release of another format wrote it. Every file is held against its hash in the manifest. Run `cargo cubin prebuild` again.",
        "error[prebuilt-damaged]: prebuilt/kernels.manifest is damaged: two versions of the manifest were not merged";
    PREBUILT_STALE = "prebuilt-stale", Prebuilt,
        "The kernels in `prebuilt/` were made of other sources or headers, or with other flags, than those of this build, so wrappers and machine code would not be those of the sources. Run `cargo cubin prebuild` where there is a toolkit and commit what it writes. `stale = \"warn\"` under [prebuilt] makes it a warning; the old kernels are then used.",
        "error[prebuilt-stale]: the prebuilt kernels are not those of these sources: `kernels/saxpy.cu` changed";
    PREBUILT_OUTSIDE = "prebuilt-outside", Prebuilt,
        "Headers that lie outside the package, by an absolute path, went into the kernels that `cargo cubin prebuild` writes. They are not part of the package, so a build that takes these kernels cannot see whether they changed. Copy them into the package, or let CI run `cargo cubin prebuild --check`, which compiles and compares.",
        "warning[prebuilt-outside]: 1 file outside the package went into the prebuilt kernels";

    // output
    OUTPUT_UNWRITABLE = "output-unwritable", Output,
        "A generated file cannot be written: the directory is missing or read-only, or the disk is full. Files are written under a temporary name and renamed, so no half-written file is left.",
        "error[output-unwritable]: cannot write kernels.rs: No space left on device";
    IO_ERROR = "io-error", Output,
        "A file or program that the build needs cannot be read or started. The system's own message is shown.",
        "error[io-error]: cannot read kernels/saxpy.cu: No such file or directory";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_kebab_case() {
        for (index, entry) in ALL.iter().enumerate() {
            let code = entry.code.0;
            assert!(
                code.split('-').all(|word| !word.is_empty()
                    && word
                        .bytes()
                        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())),
                "{code}"
            );
            assert!(
                ALL[index + 1..].iter().all(|other| other.code.0 != code),
                "{code} twice"
            );
            assert!(entry.example.contains(&format!("[{code}]")), "{code}");
            assert!(entry.doc.ends_with('.') && entry.doc.len() > 60, "{code}");
        }
    }

    #[test]
    fn explanations() {
        let text = explain("unknown-key").unwrap_or_default();
        assert!(text.starts_with("unknown-key\n\nA table of"), "{text}");
        assert!(
            text.ends_with("\n      = help: did you mean `registers`?\n"),
            "{text}"
        );
        assert_eq!(explain("no-such-code"), None);
    }
}
