//! Names at random, near those that Rust, its lints and the generated file have for something else: whatever a source
//! calls its kernels, types, variables and namespaces, and whatever its file is called, the generated file compiles
//! without a warning, and every kernel has a wrapper of its own.
//!
//! `CUBIN_TEST_NAMES` is how many sources are made (40), `CUBIN_TEST_NAMES_SEED` which.

mod made;
mod words;

use std::{fs, path::Path};

use cubin_build::codegen::{self, Backend, HalfTypes, Input, Runtime};
use cubin_tests::user_crate;

use crate::{made::Making, words::Dice};

/// Sources of one generated file.
const TOGETHER: usize = 20;

fn number(variable: &str, usual: usize) -> usize {
    match std::env::var(variable) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{variable}: `{text}` is no number")),
        Err(_) => usual,
    }
}

/// The methods of each module of a generated file, the fields of tables: each kernel once.
#[track_caller]
fn all_have_wrappers(input: &Input, text: &str, context: &str) {
    let kernels: usize = input
        .modules
        .iter()
        .map(|module| module.signatures.kernels.len())
        .sum();
    let constants = text
        .lines()
        .filter(|line| line.contains(": KernelInfo = table::KERNELS["));
    assert_eq!(constants.count(), kernels, "{context}");
    let rows = text
        .lines()
        .filter(|line| line.trim_start().starts_with("(\"symbol_"));
    assert_eq!(rows.count(), kernels, "{context}");
    let variables: usize = input
        .modules
        .iter()
        .map(|module| module.signatures.globals.len())
        .sum();
    let constants = text
        .lines()
        .filter(|line| line.contains("> = runtime::Variable::new("));
    assert_eq!(constants.count(), variables, "{context}");
    let modules = text.lines().filter(|line| line.starts_with("pub mod "));
    // `types` and `runtime` are the file's own.
    assert_eq!(modules.count(), input.modules.len() + 2, "{context}");
}

#[test]
fn whatever_things_are_called_the_generated_file_compiles() {
    let sources = number("CUBIN_TEST_NAMES", 40);
    let seed = number("CUBIN_TEST_NAMES_SEED", 1);
    let families = words::families();
    let tmp = Path::new(env!("CARGO_TARGET_TMPDIR")).join("name_fuzz");
    fs::create_dir_all(&tmp).expect("a scratch folder");
    let mut files = Vec::new();
    for file in 0..sources.div_ceil(TOGETHER) {
        let mut making = Making {
            dice: Dice::new((seed * 1_000_003 + file) as u64),
            words: Vec::new(),
        };
        let mut modules = Vec::new();
        for index in 0..TOGETHER {
            making.words = words::vocabulary(&mut making.dice, &families);
            modules.push(making.module(index));
        }
        let mut input = Input {
            modules,
            backend: Backend::default(),
            host: Vec::new(),
            half: HalfTypes::Generated,
            runtime: Runtime::Embedded,
        };
        for (name, backend) in [("cudarc", Backend::default()), ("core", Backend::Core)] {
            input.backend = backend;
            let output = codegen::generate(&input);
            let context = format!("seed {seed}, file {file}");
            assert_eq!(output.findings, [], "{context}");
            assert_eq!(output, codegen::generate(&input), "{context}");
            all_have_wrappers(&input, &output.text, &context);
            let path = tmp.join(format!("{name}_{file}.rs"));
            fs::write(&path, output.text).expect("a scratch file");
            files.push((format!("{name}_{file}"), path));
        }
    }
    user_crate::check(&tmp.join("user"), &files, "");
    println!("{sources} sources");
}
