//! Parameters that are hard to lay out (`cases/torture`), through the builder: every kernel gets a wrapper, or a
//! refusal that says why, as recorded in `golden/torture.txt` (`BLESS=1` rewrites it); and what is generated compiles
//! without a warning, so that the layout checks in it hold.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use cubin_build::{Builder, diag::codes};
use cubin_core::Cubin;
use cubin_tests::{oracle, tools, user_crate};

const TARGETS: [&str; 2] = ["sm_90", "sm_100"];

#[test]
fn every_kernel_has_a_wrapper_or_a_reason() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    if toolkit.version.major < 13 {
        println!(
            "skipped: CUDA {} lacks headers that the sources include (cuda_fp6.h, tensor maps)",
            toolkit.version
        );
        return;
    }
    let targets = cubin_tests::known(&toolkit, &TARGETS);
    let tmp = Path::new(env!("CARGO_TARGET_TMPDIR")).join("torture");
    let mut text = String::new();
    let mut generated = Vec::new();
    let mut differences = Vec::new();
    let (mut wrapped, mut refused) = (0, 0);
    for path in cubin_tests::sources("cases/torture") {
        let stem = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let mut builder = Builder::new()
            .root(path.parent().expect("a folder"))
            .out_dir(tmp.join(&stem))
            .toolkit(cubin_tests::version())
            .file(path.file_name().expect("a name"))
            .flag("--extended-lambda");
        for target in &targets {
            builder = builder.arch(*target);
        }
        let output = builder
            .try_build()
            .unwrap_or_else(|error| panic!("{error}"));
        let code = fs::read_to_string(&output.generated).expect("the generated file");
        let symbols = tools::wrapped_symbols(&code);
        let reasons: BTreeMap<&str, &str> = output
            .warnings
            .iter()
            .filter(|diag| diag.code == codes::KERNEL_REFUSED)
            .filter_map(|diag| Some((diag.kernel.as_deref()?, &*diag.message)))
            .collect();
        // Nothing else may be found: a warning that nobody expects is a bug or news.
        for diag in &output.warnings {
            if diag.code != codes::KERNEL_REFUSED {
                writeln!(text, "{stem}: {}: {}", diag.code, diag.message).expect("a string");
            }
        }
        let mut rows: BTreeMap<&str, String> = BTreeMap::new();
        for facts in &output.kernels {
            let row = match (symbols.contains(&*facts.symbol), reasons.get(&*facts.name)) {
                (true, None) => "wrapped".to_owned(),
                (false, Some(reason)) => format!("refused: {reason}"),
                (true, Some(reason)) => format!("BOTH wrapped and refused: {reason}"),
                (false, None) => "LOST: neither a wrapper nor a reason".to_owned(),
            };
            rows.insert(&facts.name, row);
        }
        for (name, row) in &rows {
            assert!(
                !row.starts_with("LOST") && !row.starts_with("BOTH"),
                "{name}: {row}"
            );
            writeln!(text, "{stem}: {name}: {row}").expect("a string");
            *(if row == "wrapped" {
                &mut wrapped
            } else {
                &mut refused
            }) += 1;
        }
        for cubin in &output.cubins {
            let bytes = fs::read(cubin).expect("a cubin");
            let target = Cubin::parse(&bytes).and_then(|cubin| cubin.target());
            let file = format!("{stem}.{}", target.expect("a target"));
            let shown = oracle::cuobjdump(&toolkit, cubin);
            oracle::compare(&file, &bytes, &shown, &mut differences);
        }
        generated.push((format!("of_{stem}"), output.generated));
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    tools::same_as_recorded("torture.txt", &text);
    user_crate::check(&tmp.join("user"), &generated, "");
    println!("{wrapped} kernels wrapped, {refused} refused with a reason");
}
