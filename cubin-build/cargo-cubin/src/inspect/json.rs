//! `--json`: one line per function. The field names are a promise; fields are only ever added.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    path::Path,
};

use cubin_core::{Cubin, Cuobjdump, Function, Param, Params};
use serde::Serialize;

use super::{
    name_of,
    pieces::{self, Kind},
};

#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    /// Member of the archive; absent when the file is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    member: Option<&'a str>,
    /// Of the cubin, not of the file that holds it.
    sha256: &'a str,
    target: &'a str,
    toolkit: Option<&'a str>,
    function: &'a str,
    name: String,
    kernel: bool,
    registers: u32,
    stack: Option<u32>,
    spill_instructions: Option<u32>,
    static_shared: u64,
    reserved_shared: u64,
    local: u64,
    constant: BTreeMap<u8, u64>,
    barriers: Option<u8>,
    code_bytes: u64,
    params: Option<Vec<LineParam>>,
    max_threads: Option<[u32; 3]>,
    cuobjdump: LineCuobjdump,
}

#[derive(Serialize)]
struct LineParam {
    ordinal: u16,
    offset: u32,
    size: u32,
}

/// What `cuobjdump -res-usage` prints; `stack` is null where it prints UNKNOWN.
#[derive(Serialize)]
struct LineCuobjdump {
    reg: u32,
    stack: Option<u32>,
    shared: u64,
    local: u64,
    r#const: BTreeMap<u8, u64>,
}

pub(super) fn write(
    path: &Path,
    bytes: &[u8],
    errors: &mut Vec<String>,
    out: &mut impl Write,
) -> io::Result<()> {
    let file = path.display().to_string();
    pieces::each(path, bytes, errors, |piece, errors| {
        let Kind::Cubin(bytes) = &piece.kind else {
            return Ok(());
        };
        match lines(&file, piece.member.as_deref(), bytes) {
            Ok(text) => out.write_all(&text),
            Err(error) => {
                errors.push(piece.error(&error));
                Ok(())
            }
        }
    })
}

/// What every function of a cubin repeats.
struct Head<'a> {
    file: &'a str,
    member: Option<&'a str>,
    sha256: String,
    target: String,
    toolkit: Option<String>,
}

/// All lines of a cubin, or none: half a cubin would look like a whole one.
fn lines(file: &str, member: Option<&str>, bytes: &[u8]) -> cubin_core::Result<Vec<u8>> {
    let cubin = Cubin::parse(bytes)?;
    let functions = cubin.functions()?;
    let head = Head {
        file,
        member,
        sha256: sha256(bytes),
        target: cubin.target()?.to_string(),
        toolkit: cubin
            .toolkit()?
            .map(|(major, minor)| format!("{major}.{minor}")),
    };
    let mut text = Vec::new();
    for (function, raw) in functions.iter().zip(cubin.cuobjdump(&functions)?) {
        // Numbers and strings always fit into memory that grows.
        if serde_json::to_writer(&mut text, &line(&head, function, &raw)).is_ok() {
            text.push(b'\n');
        }
    }
    Ok(text)
}

fn line<'a>(head: &'a Head<'_>, function: &Function<'a>, raw: &Cuobjdump) -> Line<'a> {
    let resources = &function.resources;
    Line {
        file: head.file,
        member: head.member,
        sha256: &head.sha256,
        target: &head.target,
        toolkit: head.toolkit.as_deref(),
        function: function.symbol,
        name: name_of(function.symbol),
        kernel: function.kernel,
        registers: resources.registers,
        stack: resources.stack.bytes(),
        spill_instructions: resources.spill_instructions,
        static_shared: resources.static_shared,
        reserved_shared: resources.reserved_shared,
        local: resources.local,
        constant: resources.constant.iter().copied().collect(),
        barriers: resources.barriers,
        code_bytes: resources.code_bytes,
        params: params(function),
        max_threads: function.launch.max_threads,
        cuobjdump: LineCuobjdump {
            reg: raw.reg,
            stack: raw.stack,
            shared: raw.shared,
            local: raw.local,
            r#const: function.resources.constant.iter().copied().collect(),
        },
    }
}

/// The kernel parameters. A device function with attribute records has none, and the file says so by that; without
/// records nothing is known.
fn params(function: &Function<'_>) -> Option<Vec<LineParam>> {
    match &function.params {
        Params::Recorded { params, .. } => {
            let param = |&Param {
                             ordinal,
                             offset,
                             size,
                             ..
                         }: &Param| LineParam {
                ordinal,
                offset,
                size,
            };
            Some(params.iter().map(param).collect())
        }
        Params::NotRecorded => function.attributes.map(|_| Vec::new()),
    }
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest as _;
    sha2::Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
