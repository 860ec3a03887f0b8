//! `cargo cubin explain [CODE]`: what a diagnostic means and what to do about it.

use std::{io::Write as _, process::ExitCode};

use clap::builder::PossibleValuesParser;
use cubin_build::diag::codes;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The code between the brackets of `error[...]`; without it all codes are listed
    #[arg(value_parser = PossibleValuesParser::new(codes::ALL.iter().map(|entry| entry.code.0)), hide_possible_values = true)]
    code: Option<String>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut out = std::io::stdout().lock();
    match &args.code {
        Some(code) => out.write_all(codes::explain(code).unwrap_or_default().as_bytes())?,
        None => {
            let width = codes::ALL
                .iter()
                .map(|entry| entry.code.0.len())
                .max()
                .unwrap_or(0);
            for entry in codes::ALL {
                writeln!(
                    out,
                    "{:width$}  {}",
                    entry.code.0,
                    first_sentence(entry.doc)
                )?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn first_sentence(text: &str) -> &str {
    text.split_once(". ")
        .map_or(text.trim_end_matches('.'), |(first, _)| first)
}
