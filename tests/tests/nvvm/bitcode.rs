//! Bitcode, written by three programs: which reader takes it, what its kernels become, and what is said of what cannot be
//! compiled.
//!
//! The files of `golden/nvvm/bitcode` and what wrote them, from the text of the same name beside them:
//!
//! | file | written by |
//! |---|---|
//! | `typed-llvm14.bc`, `by-value-llvm14.bc`, `short-layout-llvm14.bc` | `llvm-as` 14.0.6 of Debian 12 |
//! | `opaque-llvm14.bc` | the same with `-opaque-pointers` |
//! | `opaque-llvm22.bc` | LLVM 22.1 of llvmlite 0.50: `parse_assembly(text).as_bitcode()` |
//! | `rustc-1.95.bc` | `rustc --target nvptx64-nvidia-cuda --emit=llvm-bc -O` of `rustc-1.95.rs` |

use std::{fmt::Write as _, fs, path::Path};

use cubin_build::{Builder, Diag, Output, nvvm};
use cubin_core::{Cubin, Params};
use cubin_tests::{tools, user_crate};

use super::{scratch, show};

pub(super) const FILES: [&str; 6] = [
    "typed-llvm14",
    "short-layout-llvm14",
    "by-value-llvm14",
    "opaque-llvm14",
    "opaque-llvm22",
    "rustc-1.95",
];

pub(super) fn recorded(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/nvvm/bitcode");
    fs::read(folder.join(format!("{name}.bc"))).expect("recorded bitcode")
}

pub(super) fn build(
    dir: &Path,
    bytes: &[u8],
    targets: &[&str],
    config: &str,
) -> Result<Output, Vec<Diag>> {
    fs::write(dir.join("m.bc"), bytes).expect("a source");
    fs::write(dir.join("cubin.toml"), config).expect("cubin.toml");
    let mut builder = Builder::new()
        .root(dir)
        .out_dir(dir.join("out"))
        .toolkit(cubin_tests::TOOLKIT)
        .file("m.bc");
    for target in targets {
        builder = builder.arch(*target);
    }
    builder
        .try_build()
        .map_err(|error| error.findings().into_iter().cloned().collect())
}

/// Arguments of each wrapper, and where the cubins have them.
fn wrappers(output: &Output) -> String {
    let generated = fs::read_to_string(&output.generated).expect("the generated file");
    let mut text = String::new();
    for part in generated.split("pub unsafe fn ").skip(1) {
        let Some((name, rest)) = part.split_once('(') else {
            continue;
        };
        let Some((_, rest)) = rest.split_once("launch: impl Into<runtime::Launch>,") else {
            continue;
        };
        let arguments = rest.split(") ->").next().unwrap_or_default();
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        writeln!(text, "  {name}: {}", arguments.join(" ")).expect("text");
    }
    for path in &output.cubins {
        let data = fs::read(path).expect("a cubin");
        for kernel in Cubin::parse(&data)
            .expect("a cubin")
            .kernels()
            .expect("kernels")
        {
            let Params::Recorded { params, .. } = &kernel.params else {
                panic!("no parameters")
            };
            let places: Vec<String> = params
                .iter()
                .map(|param| format!("{}@{}", param.size, param.offset))
                .collect();
            let target = path.file_stem().expect("a name").to_string_lossy();
            writeln!(text, "  {target} {}: {}", kernel.symbol, places.join(" ")).expect("text");
        }
    }
    text + &show(&output.warnings)
}

#[test]
fn every_writer_of_bitcode_has_its_reader_and_its_wrappers() {
    if cubin_tests::toolkit().is_none() {
        return;
    }
    let mut text = String::new();
    let mut files = Vec::new();
    for name in FILES {
        writeln!(text, "## {name}").expect("text");
        for (what, targets, config) in [
            ("below sm_100", &["sm_75", "sm_90"][..], ""),
            ("from sm_100 on", &["sm_100", "sm_120"], ""),
            ("all", &["sm_75", "sm_90", "sm_100", "sm_120"], ""),
            (
                "the older reader alone",
                &["sm_90"],
                "[nvvm]\nlatest = false\n",
            ),
            (
                "the newer reader alone",
                &["sm_90"],
                "[nvvm]\nlatest = true\n",
            ),
        ] {
            let folder = format!("bitcode/{name}-{}", what.replace([' ', '_'], "-"));
            let dir = scratch(&folder);
            match build(&dir, &recorded(name), targets, config) {
                Ok(output) => {
                    writeln!(text, "{what}:\n{}", wrappers(&output)).expect("text");
                    if what == "all" {
                        let module = name.replace(['-', '.'], "_");
                        files.push((module, output.generated));
                    }
                }
                Err(findings) => writeln!(text, "{what}:\n{}", show(&findings)).expect("text"),
            }
        }
    }
    tools::same_as_recorded("nvvm/bitcode.txt", &text);
    user_crate::check(&scratch("bitcode/user"), &files, "");
}

/// A budget that no kernel keeps is a finding as for any source.
#[test]
fn kernels_of_bitcode_are_judged() {
    if cubin_tests::toolkit().is_none() {
        return;
    }
    let dir = scratch("bitcode-judged");
    let findings = build(
        &dir,
        &recorded("typed-llvm14"),
        &["sm_90"],
        "[[rule]]\nkernel = \"wave\"\nregisters = 4\n",
    )
    .expect_err("a budget");
    let shown = show(&findings);
    assert!(shown.contains("registers-over-budget: "), "{shown}");
    assert!(shown.contains("`wave`"), "{shown}");
}

/// Text in a `.bc` file, bitcode in a wrapper, and what is neither.
#[test]
fn what_a_file_holds_decides_and_not_its_name() {
    if cubin_tests::toolkit().is_none() {
        return;
    }
    let dir = scratch("bitcode-contents");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/nvvm/bitcode");
    let text = fs::read(folder.join("typed.ll")).expect("the text");
    let output = build(&dir, &text, &["sm_90"], "");
    let output = output.unwrap_or_else(|findings| panic!("{}", show(&findings)));
    let of_text = wrappers(&output);
    assert!(
        of_text.contains("x: &mut impl runtime::Out<f32>"),
        "{of_text}"
    );
    // Bitcode in a wrapper, as Apple's tools write it: magic, version, offset, size, kind of CPU.
    let inner = recorded("typed-llvm14");
    let mut wrapped = Vec::new();
    for word in [0x0b17_c0de, 0, 20, inner.len() as u32, 0] {
        wrapped.extend(u32::to_le_bytes(word));
    }
    wrapped.extend(&inner);
    assert!(nvvm::is_bitcode(&wrapped));
    let built = build(&dir, &wrapped, &["sm_90", "sm_100"], "");
    assert!(built.is_ok(), "{}", show(&built.expect_err("findings")));
    // Half of it, and nothing.
    for bytes in [&inner[..inner.len() / 2], &inner[..4], b""] {
        let findings = build(&dir, bytes, &["sm_90"], "").expect_err("no module");
        let shown = show(&findings);
        assert!(shown.contains("m.bc"), "{shown}");
    }
}
