//! The least work that gives the facts: no check that Rust does not force, no error values, one layout of ELF.

use crate::Facts;

fn u16_at(data: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(data[at..at + 2].try_into().unwrap())
}

fn u32_at(data: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(data[at..at + 4].try_into().unwrap())
}

fn u64_at(data: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(data[at..at + 8].try_into().unwrap())
}

fn text(data: &[u8], at: usize) -> &str {
    let name = std::ffi::CStr::from_bytes_until_nul(&data[at..]).unwrap();
    std::str::from_utf8(name.to_bytes()).unwrap()
}

/// Walks the attribute records of a section.
fn records(data: &[u8], start: usize, end: usize, mut each: impl FnMut(u8, u16, usize)) {
    let mut at = start;
    while at < end {
        let value = u16_at(data, at + 2);
        each(data[at + 1], value, at + 4);
        at += 4 + if data[at] == 4 { value as usize } else { 0 };
    }
}

fn triple(data: &[u8], at: usize) -> [u32; 3] {
    [u32_at(data, at), u32_at(data, at + 4), u32_at(data, at + 8)]
}

pub(crate) fn functions(data: &[u8]) -> Vec<Facts<'_>> {
    let new = data[7] == 0x41;
    let flags = u32_at(data, 48);
    let sm = if new { flags >> 8 } else { flags } & 0xff;
    let linked = u16_at(data, 16) != 1;
    let toolkit = if new { 128 } else { u32_at(data, 20) };
    let table = u64_at(data, 40) as usize;
    let count = u16_at(data, 60) as usize;
    let header = |index: usize| &data[table + index * 64..table + index * 64 + 64];
    let names = u64_at(header(u16_at(data, 62) as usize), 24) as usize;
    let (mut symbols, mut strings) = (0, 0);
    for index in 0..count {
        let section = header(index);
        if u32_at(section, 4) == 2 {
            symbols = u64_at(section, 24) as usize;
            strings = u64_at(header(u32_at(section, 40) as usize), 24) as usize;
            break;
        }
    }
    let mut functions = Vec::new();
    let mut indices = Vec::new();
    for index in 0..count {
        let section = header(index);
        let name = names + u32_at(section, 0) as usize;
        if u64_at(section, 8) & 4 == 0 || !data[name..].starts_with(b".text.") {
            continue;
        }
        let info = u32_at(section, 44);
        let symbol = symbols + (info & 0xff_ffff) as usize * 24;
        indices.push(info & 0xff_ffff);
        functions.push(Facts {
            symbol: text(data, strings + u32_at(data, symbol) as usize),
            section: index as u32,
            kernel: data[symbol + 5] & 0x10 != 0,
            registers: info >> 24,
            barriers: (!new).then_some((u64_at(section, 8) >> 20 & 0x7f) as u8),
            code: u64_at(section, 32),
            spills: (toolkit >= 126).then_some(0),
            ..Facts::default()
        });
    }
    let Some(first) = functions.first().map(|function| function.section) else {
        return functions;
    };
    let slot = |functions: &[Facts<'_>], section: u32| {
        let guess = section.wrapping_sub(first) as usize;
        if functions.get(guess).is_some_and(|f| f.section == section) {
            return Some(guess);
        }
        functions.binary_search_by_key(&section, |f| f.section).ok()
    };
    for index in 0..count {
        let section = header(index);
        let name = &data[names + u32_at(section, 0) as usize..];
        let Some(name) = name.strip_prefix(b".nv.") else {
            continue;
        };
        let info = u32_at(section, 44);
        let (offset, size) = (u64_at(section, 24) as usize, u64_at(section, 32));
        if u32_at(section, 4) == 0x7000_0000 {
            let end = offset + size as usize;
            if info == 0 {
                module(data, offset, end, &mut functions, |functions, symbol| {
                    let place = u16_at(data, symbols + symbol as usize * 24 + 6);
                    slot(functions, place.into()).filter(|&slot| indices[slot] == symbol)
                });
            } else if let Some(slot) = slot(&functions, info) {
                attributes(data, offset, end, &mut functions[slot], new);
            }
            continue;
        }
        if info == 0 {
            continue;
        }
        let Some(slot) = slot(&functions, info) else {
            continue;
        };
        if name.starts_with(b"constant") {
            let bank = name[8] - b'0';
            functions[slot].constant.push((bank, size));
        } else if name.starts_with(b"shared.") {
            functions[slot].shared = size;
        } else if name.starts_with(b"local.") {
            functions[slot].local = size;
        }
    }
    for function in &mut functions {
        function.stack = function.stack.filter(|&stack| stack != u32::MAX && linked);
        if sm >= 90 && linked {
            function.reserved = function.shared.min(1024);
            function.shared -= function.reserved;
        }
    }
    functions
}

fn module<'a>(
    data: &[u8],
    start: usize,
    end: usize,
    functions: &mut [Facts<'a>],
    find: impl Fn(&[Facts<'a>], u32) -> Option<usize>,
) {
    records(data, start, end, |code, _, at| {
        if !matches!(code, 0x2f | 0x11 | 0x12) {
            return;
        }
        let Some(slot) = find(functions, u32_at(data, at)) else {
            return;
        };
        let value = u32_at(data, at + 4);
        let function = &mut functions[slot];
        match code {
            0x2f => function.registers = value,
            0x11 => function.frame = Some(value),
            _ => function.stack = function.stack.max(Some(value)),
        }
    });
}

fn attributes(data: &[u8], start: usize, end: usize, function: &mut Facts<'_>, new: bool) {
    let (mut base, mut size, mut params) = (0, 0, Vec::new());
    let mut spills = 0;
    records(data, start, end, |code, value, at| match code {
        0x17 | 0x45 => {
            let bytes = if code == 0x45 {
                u16_at(data, at + 8).into()
            } else {
                u32_at(data, at + 8) >> 18
            };
            params.push((u16_at(data, at + 4), u16_at(data, at + 6).into(), bytes));
        }
        0x0a => {
            base = u16_at(data, at + 4).into();
            size = u16_at(data, at + 6).into();
        }
        0x05 => function.max_threads = Some(triple(data, at)),
        0x10 => function.required_threads = Some(triple(data, at)),
        0x3d => function.cluster = Some(triple(data, at)),
        0x1b => function.max_registers = Some(value.into()).filter(|&cap| cap != 255),
        0x4c => function.barriers = Some(value as u8),
        0x37 if u32_at(data, at) < 126 => function.spills = None,
        0x37 => {
            function.spills.get_or_insert(0);
        }
        0x55 => {
            let mut entry = at;
            while entry + 8 <= at + value as usize {
                let length = match u32_at(data, entry) {
                    1 => {
                        spills += 1;
                        0
                    }
                    2 => 4 + u32_at(data, entry + 8).next_multiple_of(4),
                    3 => u32_at(data, entry + 4).next_multiple_of(4),
                    _ => break,
                };
                entry += 8 + length as usize;
            }
        }
        _ => {}
    });
    if spills != 0 {
        function.spills = Some(spills);
    }
    if new {
        function.barriers.get_or_insert(0);
    }
    if function.kernel {
        params.sort_unstable();
        function.params = Some((base, size, params));
    }
}
