//! `--like-cuobjdump`: the text of `cuobjdump -res-usage` (13.5), byte for byte.
//!
//! The figures are that tool's own, also where they mislead. Files that it refuses (targets that it no longer knows, a
//! library with one damaged entry) are written by the same rules. Names that would act on a terminal are escaped, which that
//! tool does not.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use cubin_core::{
    Cubin, Result,
    consts::{EntryFlags, EntryKind},
    escape::visible,
    fatbin::Entry,
    host::{self, FileKind},
};

use super::pieces::{self, File, Met, PieceKind};
use crate::files;

/// The section of host objects with linked device code. Where there is one, cuobjdump does not look at the
/// relocatable code beside it (unless told `-all`).
const EXECUTABLE: &str = ".nv_fatbin";

pub(super) fn write(
    file: &File<'_>,
    errors: &mut Vec<String>,
    out: &mut impl Write,
) -> io::Result<()> {
    let before = errors.len();
    let mut met = Met::new(file);
    if FileKind::of(file.bytes) == FileKind::Archive {
        // The tool shows the path from the root, without resolving anything.
        let shown = std::path::absolute(file.path).unwrap_or_else(|_| file.path.to_owned());
        for member in host::members(file.bytes) {
            match member {
                Ok(member) => {
                    writeln!(
                        out,
                        "\nmember {}:{}:",
                        files::shown(&shown),
                        visible(&member.name)
                    )?;
                    let mut inside = Vec::new();
                    object(file, member.data, &mut met, &mut inside, out)?;
                    errors.extend(
                        inside
                            .iter()
                            .map(|error| format!("{}: {error}", member.name)),
                    );
                }
                Err(error) => errors.push(error.to_string()),
            }
        }
    } else {
        object(file, file.bytes, &mut met, errors, out)?;
    }
    if errors.len() == before {
        errors.extend(met.nothing(file));
    }
    Ok(())
}

/// A file that is no archive, or a member.
fn object<'a>(
    file: &File<'a>,
    bytes: &'a [u8],
    met: &mut Met,
    errors: &mut Vec<String>,
    out: &mut impl Write,
) -> io::Result<()> {
    let executable = host::device_code(bytes)
        .any(|code| code.is_ok_and(|code| code.section == Some(EXECUTABLE)));
    pieces::each_in(file, bytes, met, errors, &mut |piece, errors| {
        if executable && piece.section != Some(EXECUTABLE) {
            return Ok(());
        }
        if let Some(entry) = &piece.entry {
            out.write_all(head(entry).as_bytes())?;
        }
        if let PieceKind::Cubin(bytes) = &piece.kind {
            match usage(bytes) {
                Ok(text) => out.write_all(text.as_bytes())?,
                Err(error) => errors.push(error.to_string()),
            }
        }
        Ok(())
    })
}

/// What stands above the usage of a container's entry.
fn head(entry: &Entry<'_>) -> String {
    let (kind, options) = match entry.kind {
        EntryKind::PTX => ("ptx", Some("ptxasOptions")),
        EntryKind::NVVM_LTO => ("nvvm", Some("nvvmOptions")),
        _ => ("elf", None),
    };
    let title = format!("Fatbin {kind} code:");
    let mut text = format!("\n{title}\n{}\n", "=".repeat(title.len()));
    let mut line = |line: std::fmt::Arguments<'_>| {
        // Writing into a string cannot fail.
        let _ = writeln!(text, "{line}");
    };
    match entry.target() {
        Some(target) => line(format_args!("arch = {target}")),
        None => line(format_args!("arch = sm_{}", entry.sm)),
    }
    line(format_args!(
        "code version = [{},{}]",
        entry.version.0, entry.version.1
    ));
    let host = [
        (EntryFlags::LINUX, "linux"),
        (EntryFlags::MAC, "mac"),
        (EntryFlags::WINDOWS, "windows"),
    ];
    if let Some((_, name)) = host.into_iter().find(|(flag, _)| entry.flags.has(*flag)) {
        line(format_args!("host = {name}"));
    }
    let bits = if entry.flags.has(EntryFlags::ADDRESS_64) {
        64
    } else {
        32
    };
    line(format_args!("compile_size = {bits}bit"));
    if entry.flags.has(EntryFlags::DEBUG) {
        line(format_args!("has debug info"));
    }
    if entry.uncompressed_size != 0 {
        line(format_args!("compressed"));
    }
    if let Some(identifier) = entry.identifier {
        line(format_args!("identifier = {}", c_string(identifier)));
    }
    if let (Some(label), Some(options)) = (options, entry.options) {
        line(format_args!("{label} = {}", c_string(options)));
    }
    text
}

/// The text before the first NUL.
fn c_string(bytes: &[u8]) -> String {
    let end = bytes
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(bytes.len());
    visible(&String::from_utf8_lossy(&bytes[..end])).into_owned()
}

/// The usage of one cubin.
fn usage(bytes: &[u8]) -> Result<String> {
    let cubin = Cubin::parse(bytes)?;
    let mut text = format!("\nResource usage:\n Common:\n  {}\n", common(&cubin)?);
    let functions = cubin.functions()?;
    for (function, raw) in functions.iter().zip(cubin.cuobjdump(&functions)?) {
        let _ = write!(
            text,
            " Function {}:\n  REG:{} STACK:",
            visible(function.symbol),
            raw.reg
        );
        let _ = match raw.stack {
            Some(stack) => write!(text, "{stack}"),
            None => write!(text, "UNKNOWN"),
        };
        let _ = write!(text, " SHARED:{} LOCAL:{}", raw.shared, raw.local);
        for (bank, bytes) in &function.resources.constant {
            let _ = write!(text, " CONSTANT[{bank}]:{bytes}");
        }
        // Its three counts of references were 0 in all 117,000 functions looked at: it counts bindless handles only.
        text.push_str(" TEXTURE:0 SURFACE:0 SAMPLER:0\n");
    }
    Ok(text)
}

/// The sections that belong to no function: variables in global memory, and constant banks in section order.
fn common(cubin: &Cubin<'_>) -> Result<String> {
    let mut global = 0_u64;
    let mut banks = String::new();
    for section in cubin.elf().sections() {
        // Bounded: no name of interest is longer.
        let name = cubin.elf().section_names().tail(section.name);
        let name = name.get(..32).unwrap_or(name);
        let end = name.iter().position(|byte| *byte == 0);
        let Some(name) = end.and_then(|end| std::str::from_utf8(&name[..end]).ok()) else {
            continue;
        };
        if name == ".nv.global" || name == ".nv.global.init" {
            global = global.saturating_add(section.size);
        } else if let Some(bank) = name.strip_prefix(".nv.constant")
            && !bank.is_empty()
            && bank.bytes().all(|byte| byte.is_ascii_digit())
        {
            let _ = write!(banks, " CONSTANT[{bank}]:{}", section.size);
        }
    }
    Ok(format!("GLOBAL:{global}{banks}"))
}
