//! Prints one JSON line per function of each cubin given: what `cuobjdump -res-usage` would print.
//!
//! `cargo run -p cubin-core --example functions -- FILE.cubin...`

use std::{fmt::Write as _, fs, process::ExitCode};

use cubin_core::{Cubin, Function, Params};

fn main() -> ExitCode {
    let mut failed = false;
    for path in std::env::args().skip(1) {
        match lines(&path) {
            Ok(text) => print!("{text}"),
            Err(error) => {
                eprintln!("{path}: {error}");
                failed = true;
            }
        }
    }
    ExitCode::from(u8::from(failed))
}

fn lines(path: &str) -> Result<String, Box<dyn std::error::Error>> {
    let data = fs::read(path)?;
    let mut text = String::new();
    for function in Cubin::parse(&data)?.functions()? {
        line(&mut text, path, &function)?;
    }
    Ok(text)
}

fn line(text: &mut String, path: &str, function: &Function<'_>) -> std::fmt::Result {
    let raw = &function.cuobjdump;
    let stack = raw
        .stack
        .map_or("\"UNKNOWN\"".to_owned(), |bytes| bytes.to_string());
    let constant: Vec<_> = function
        .resources
        .constant
        .iter()
        .map(|(bank, bytes)| format!("\"{bank}\":{bytes}"))
        .collect();
    let params: Vec<_> = match &function.params {
        Params::Recorded { params, .. } => params
            .iter()
            .map(|param| format!("[{},{},{}]", param.ordinal, param.offset, param.size))
            .collect(),
        Params::NotRecorded => Vec::new(),
    };
    // cuobjdump has a list, perhaps an empty one, for every function with attributes.
    let params = match function.attributes {
        Some(_) => format!("[{}]", params.join(",")),
        None => "null".to_owned(),
    };
    writeln!(
        text,
        "{{\"file\":{path:?},\"fn\":{:?},\"reg\":{},\"stack\":{stack},\"shared\":{},\"local\":{},\"const\":{{{}}},\"params\":{params}}}",
        function.symbol,
        raw.reg,
        raw.shared,
        raw.local,
        constant.join(","),
    )
}
