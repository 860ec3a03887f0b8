//! Every kernel of the torture files, compiled by the real nvcc for two targets: exact or refused with a reason, and
//! in agreement with the cubin.

use std::fs;
use std::path::{Path, PathBuf};

use cubin_build::signature::{self, model::Signatures};
use cubin_build::toolkit::Toolkit;
use cubin_core::{Cubin, Sm};
use cubin_tests::toolkit;
use cubin_tests::tools::{same_as_recorded, scratch, tool};

use crate::dump::{case, dump};

/// What nvcc leaves for one source and target.
pub(crate) struct Compiled {
    pub(crate) dir: PathBuf,
    pub(crate) stub: Vec<u8>,
    pub(crate) gpu: Vec<u8>,
    pub(crate) cubin: Vec<u8>,
}

impl Compiled {
    pub(crate) fn preprocessed(&self, name: &str) -> Vec<u8> {
        fs::read(self.dir.join(format!("{name}.cpp1.ii"))).expect("preprocessed text")
    }
}

/// A copy of the case in a folder of its own. Symbols in anonymous namespaces depend on the path of the source, so
/// all targets must be compiled from the same one.
pub(crate) fn source(folder: &str, case: &Path) -> PathBuf {
    let dir = scratch(env!("CARGO_TARGET_TMPDIR"), &format!("signature-{folder}"));
    let copy = dir.join(case.file_name().expect("a name"));
    fs::copy(case, &copy).expect("a copy of the source");
    copy
}

pub(crate) fn compile(toolkit: &Toolkit, source: &Path, arch: &str) -> Compiled {
    let folder = source.parent().expect("a folder");
    let name = source.file_stem().expect("a name").to_string_lossy();
    let dir = folder.join(arch);
    fs::create_dir_all(&dir).expect("a folder per target");
    tool(
        toolkit,
        "nvcc",
        &[
            "-std=c++17",
            &format!("-arch={arch}"),
            "--extended-lambda",
            "--expt-relaxed-constexpr",
            "-w",
            "-cubin",
            "--keep",
            "--keep-dir",
            arch,
            "-o",
            &format!("{arch}/out.cubin"),
            &format!("{name}.cu"),
        ],
        folder,
    );
    let read =
        |file: &str| fs::read(dir.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    Compiled {
        stub: read(&format!("{name}.cudafe1.stub.c")),
        gpu: read(&format!("{name}.cudafe1.gpu")),
        cubin: read("out.cubin"),
        dir,
    }
}

/// Reads and checks; no finding may remain.
pub(crate) fn checked(
    toolkit: &Toolkit,
    name: &str,
    arch: &str,
    compiled: &Compiled,
) -> Signatures {
    let includes = [toolkit.root.join("include")];
    let mut signatures = signature::read(&compiled.stub, compiled.gpu.as_slice(), &includes)
        .expect("readable files");
    let cubin = Cubin::parse(&compiled.cubin).expect("a cubin");
    let functions = cubin.functions().expect("functions");
    let target: Sm = arch.parse().expect("a target");
    let findings = signature::check(&mut signatures, &functions, target);
    assert!(
        findings.is_empty(),
        "{name} on {arch}: {}",
        findings
            .iter()
            .map(|finding| format!("\n{} {}", finding.kernel, finding.problem))
            .collect::<String>()
    );
    let kernels = functions.iter().filter(|function| function.kernel).count();
    assert_eq!(signatures.kernels.len(), kernels, "{name} on {arch}");
    signatures
}

fn exact_or_refused(name: &str, targets: [&str; 2], refused: &[&str]) {
    let Some(toolkit) = toolkit() else { return };
    let mut all = Vec::new();
    let source = source(name, &case(name));
    for arch in targets {
        let compiled = compile(&toolkit, &source, arch);
        let signatures = checked(&toolkit, name, arch, &compiled);
        let actual: Vec<&str> = signatures
            .kernels
            .iter()
            .filter(|kernel| kernel.refusal.is_some())
            .map(|kernel| kernel.base_name.as_str())
            .collect();
        assert_eq!(actual, refused, "{name} on {arch}");
        same_as_recorded(
            &format!("signatures/recorded/{name}.txt"),
            &dump(&signatures),
        );
        all.push((arch.parse::<Sm>().expect("a target"), signatures));
    }
    let kernels = all[0].1.kernels.len();
    let (merged, findings) = signature::same_on_every_target(&all);
    assert!(findings.is_empty(), "{findings:?}");
    assert_eq!(merged.kernels.len(), kernels);
    assert_eq!(dump(&merged), dump(&all[0].1));
}

#[test]
fn small() {
    exact_or_refused("small", ["sm_80", "sm_90"], &[]);
}

#[test]
fn parameters() {
    exact_or_refused(
        "parameters",
        // Cluster dimensions need sm_90; sm_100 places parameters at another base.
        ["sm_90", "sm_100"],
        &["k_structs2", "k_tma", "k_lambda", "k_vt", "k_memptr"],
    );
}

#[test]
fn parameters_2() {
    exact_or_refused(
        "parameters_2",
        ["sm_80", "sm_120"],
        &["k_S_ld", "k_S_i128", "k_S_mp", "k_S_vb"],
    );
}

#[test]
fn parameters_3() {
    exact_or_refused("parameters_3", ["sm_80", "sm_90"], &["k_i128", "k_gap"]);
}
