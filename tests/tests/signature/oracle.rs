//! The compiler itself as the oracle: every record's size and alignment and every member's offset, as static
//! assertions in a translation unit that includes the case.

use std::fmt::Write as _;
use std::process::Command;

use cubin_build::signature::model::Signatures;
use cubin_tests::toolkit;

use crate::dump::case;
use crate::torture::{checked, compile, source};

/// Records whose printed members are known to mislead; kernels that take them are refused.
const REFUSED: [&str; 3] = ["S_i128", "I128Mid", "I128One"];

fn assertions(signatures: &Signatures) -> String {
    let mut text = String::new();
    for record in &signatures.records {
        if record.unnamed || REFUSED.contains(&record.name.as_str()) {
            continue;
        }
        let name = format!("::{}", record.name.replace("(anonymous namespace)::", ""));
        _ = writeln!(text, "static_assert(sizeof({name}) == {});", record.size);
        _ = writeln!(text, "static_assert(alignof({name}) == {});", record.align);
        for field in &record.fields {
            if field.name.is_empty() || field.name.starts_with("base_") || field.bits.is_some() {
                continue;
            }
            _ = writeln!(
                text,
                "static_assert(__builtin_offsetof({name}, {}) == {});",
                field.name, field.offset
            );
        }
    }
    text
}

#[test]
fn layouts_are_the_compilers() {
    let Some(toolkit) = toolkit() else { return };
    let mut stated = 0;
    for name in ["parameters", "parameters_2", "parameters_3"] {
        let source = source(&format!("oracle-{name}"), &case(name));
        let compiled = compile(&toolkit, &source, "sm_90");
        let signatures = checked(&toolkit, name, "sm_90", &compiled);
        let text = assertions(&signatures);
        stated += text.lines().count();
        let folder = source.parent().expect("a folder");
        std::fs::write(
            folder.join("oracle.cu"),
            format!("#include \"{name}.cu\"\n#line 1 \"oracle\"\n{text}static_assert(sizeof(int) == 5, \"the oracle works\");\n"),
        )
        .expect("the translation unit");
        let output = Command::new(&toolkit.nvcc)
            .args([
                "-std=c++17",
                "-arch=sm_90",
                "--extended-lambda",
                "-w",
                "-ptx",
            ])
            .args(["-fdevice-syntax-only", "-o", "oracle.ptx", "oracle.cu"])
            .args([
                "--expt-relaxed-constexpr",
                "-Xcudafe",
                "--error_limit=10000",
            ])
            .current_dir(folder)
            .output()
            .expect("nvcc runs");
        let messages = String::from_utf8_lossy(&output.stderr);
        assert!(messages.contains("the oracle works"), "{name}:\n{messages}");
        // Private members and references cannot be asked for; nothing else may be wrong.
        let wrong: Vec<&str> = messages
            .lines()
            .filter(|line| line.contains("error") && !line.contains("inaccessible"))
            .filter(|line| !line.contains("field with reference type"))
            .filter(|line| !line.contains("the oracle works"))
            .filter(|line| !line.contains("errors detected") && !line.contains("error detected"))
            .collect();
        assert!(
            wrong.is_empty(),
            "{name}:\n{}\n{messages}",
            wrong.join("\n")
        );
    }
    assert!(stated > 200, "only {stated} facts");
}
