//! The raw level against `cuobjdump -elf`, field by field, over every recorded cubin that it accepts: section table,
//! symbols, relocations, attribute names and formats, relocation actions.

use std::{collections::BTreeMap, fs, path::Path};

use cubin_build::toolkit::Toolkit;

use cubin_core::{
    Cubin, callgraph,
    consts::{
        Compat, Eiattr, Eifmt, RelocType, SectionType, SymbolBinding, SymbolType, Visibility,
    },
    elf::{Place, Section},
    nvinfo::{Attributes, Value},
};
use cubin_tests::{recorded, toolkit, tools};

/// What one side says of a file: lines by what they are about.
#[derive(Debug, Default)]
struct Facts {
    sections: Vec<String>,
    symbols: Vec<String>,
    /// By relocation section; sections of one name one after the other.
    relocations: BTreeMap<String, Vec<String>>,
    attributes: BTreeMap<String, Vec<String>>,
    actions: Vec<String>,
}

/// `0x2b`, `2b` or `0` as the number it is.
fn hex(text: &str) -> u64 {
    u64::from_str_radix(text.trim_start_matches("0x"), 16)
        .unwrap_or_else(|_| panic!("`{text}` is no number"))
}

/// What cuobjdump prints when a name is empty.
fn shown(name: &str) -> &str {
    if name.is_empty() { "(null)" } else { name }
}

fn theirs(text: &str) -> Facts {
    let mut facts = Facts::default();
    let mut block = String::new();
    let mut attribute = "";
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if line == "Sections:" {
            block = "sections".to_owned();
        } else if let Some(rest) = line.strip_prefix(".section ") {
            block = rest.split('\t').next().unwrap_or(rest).to_owned();
        } else if line.starts_with('.') {
            block = line.trim_end().to_owned();
        } else if block == "sections" && words.len() >= 10 && words[0] != "Index" {
            // The type may be two words: `UNKNOWN: 133`.
            let tail = words.len() - 4;
            let numbers = [0, 1, 2, 3, 4, tail, tail + 1, tail + 2].map(|at| hex(words[at]));
            let ty = words[5..tail].join(" ");
            facts
                .sections
                .push(format!("{numbers:x?} {ty} {}", words[tail + 3]));
        } else if block == ".symtab" && words.len() == 9 && words[0] != "Num" {
            let numbers = [0, 1, 2, 7].map(|at| hex(words[at]));
            let text = [3, 4, 5, 6, 8].map(|at| words[at]).join(" ");
            facts.symbols.push(format!("{numbers:x?} {text}"));
        } else if block.starts_with(".rel") && line.starts_with("0x") {
            facts
                .relocations
                .entry(block.clone())
                .or_default()
                .push(words.join(" "));
        } else if block == ".nv.rel.action" && line.starts_with("R_CUDA") {
            facts.actions.push(line.to_owned());
        } else if let Some(name) = line.strip_prefix("\tAttribute:\t") {
            attribute = name;
        } else if let Some(format) = line.strip_prefix("\tFormat:\t") {
            facts
                .attributes
                .entry(block.clone())
                .or_default()
                .push(format!("{attribute} {format}"));
        }
    }
    facts
}

fn ours(data: &[u8]) -> Facts {
    let cubin = Cubin::parse(data).expect("a cubin");
    let elf = cubin.elf();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut facts = Facts::default();
    for section in elf.sections().skip(1) {
        let name = text(elf.section_name(&section).expect("a name"));
        let numbers = [
            section.index.into(),
            section.offset,
            section.size,
            section.entsize,
            section.align,
            section.flags,
            section.link.into(),
            section.info.into(),
        ];
        // cuobjdump 13.5 does not name the Mercury types any more.
        let ty = match section.ty.name() {
            Some(name) if !section.ty.is_mercury() => name.to_owned(),
            _ => format!("UNKNOWN: {}", section.ty.0 & 0xffff),
        };
        facts.sections.push(format!("{numbers:x?} {ty} {name}"));
        if name.starts_with(".nv.info") || name == ".nv.compat" {
            let list = facts.attributes.entry(name.clone()).or_default();
            for attribute in Attributes::new(elf.reader(&section).expect("bytes")) {
                let attribute = attribute.expect("a record");
                let known = match name.as_str() {
                    ".nv.compat" => Compat(attribute.code).to_string(),
                    _ => Eiattr(attribute.code).to_string(),
                };
                let format = match attribute.value {
                    Value::Flag => Eifmt::NVAL,
                    Value::Byte(_) => Eifmt::BVAL,
                    Value::Half(_) => Eifmt::HVAL,
                    Value::Bytes(_) => Eifmt::SVAL,
                };
                list.push(format!("{known} {format}"));
            }
        }
    }
    for symbol in elf.symbols() {
        let symbol = symbol.expect("a symbol");
        let section = match symbol.place {
            Place::Undefined => 0,
            Place::Section(section) => section.into(),
            Place::Reserved(value) => value.into(),
        };
        let numbers = [symbol.index.into(), symbol.value, symbol.size, section];
        let ty = symbol.ty().to_string();
        let binding = SymbolBinding(symbol.info >> 4).to_string();
        let other = symbol.other.names(symbol.ty());
        let name = text(elf.symbol_name(&symbol).expect("a name"));
        facts.symbols.push(format!(
            "{numbers:x?} {} {} {} {other} {}",
            ty.trim_start_matches("STT_"),
            binding.trim_start_matches("STB_"),
            Visibility(symbol.other.visibility()),
            shown(&name)
        ));
    }
    for table in cubin.relocations() {
        let table = table.expect("a relocation section");
        let name = text(elf.section_name(&table.section).expect("a name"));
        let list = facts.relocations.entry(name).or_default();
        for entry in table.entries {
            let entry = entry.expect("an entry");
            let symbol = elf.symbol(entry.symbol).expect("a symbol");
            let symbol = text(elf.symbol_name(&symbol).expect("a name"));
            let addend = entry
                .addend
                .map_or(String::new(), |addend| format!(" {addend:#x}"));
            list.push(format!(
                "{:#x} {} {}{addend}",
                entry.offset,
                shown(&symbol),
                entry.ty
            ));
        }
    }
    facts.relocations.retain(|_, list| !list.is_empty());
    facts.attributes.retain(|_, list| !list.is_empty());
    if let Some(actions) = callgraph::rel_actions(elf).expect("actions") {
        for (ty, action) in (actions.first..).zip(actions.descriptors()) {
            let [_, shift, fields @ ..] = action.0.to_le_bytes();
            let fields: Vec<String> = fields.iter().map(u8::to_string).collect();
            facts.actions.push(format!(
                "{} : {},{shift},{}",
                RelocType(ty),
                action.kind(),
                fields.join(",")
            ));
        }
    }
    facts
}

/// Whether two lines of attributes agree: from 13.4 on the tools call some codes unknown that earlier ones named.
fn same_attribute(ours: &str, theirs: &str) -> bool {
    ours == theirs
        || theirs
            .strip_prefix("unknown Attribute")
            .is_some_and(|format| ours.ends_with(format))
}

fn same(name: &str, what: &str, ours: &[String], theirs: &[String]) {
    for (ours, theirs) in ours.iter().zip(theirs) {
        assert_eq!(ours, theirs, "{name}: {what}");
    }
    assert_eq!(ours.len(), theirs.len(), "{name}: {what}");
}

#[test]
fn every_raw_field_equals_cuobjdump() {
    let Some(toolkit) = toolkit() else {
        return;
    };
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/cubins");
    let cuobjdump = toolkit.tool("cuobjdump").expect("cuobjdump");
    let (mut compared, mut refused) = (0, Vec::new());
    for (name, data) in recorded::files("cubins") {
        let output = std::process::Command::new(&cuobjdump)
            .args(["-elf", &name])
            .current_dir(&dir)
            .output()
            .expect("cuobjdump runs");
        if !output.status.success() {
            refused.push(name);
            continue;
        }
        let theirs = theirs(&String::from_utf8_lossy(&output.stdout));
        let ours = ours(&data);
        same(&name, "sections", &ours.sections, &theirs.sections);
        same(&name, "symbols", &ours.symbols, &theirs.symbols);
        assert_eq!(ours.relocations, theirs.relocations, "{name}: relocations");
        same(&name, "relocation actions", &ours.actions, &theirs.actions);
        let keys = |facts: &Facts| facts.attributes.keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(&ours), keys(&theirs), "{name}: attribute sections");
        for (section, ours) in &ours.attributes {
            let theirs = &theirs.attributes[section];
            assert_eq!(ours.len(), theirs.len(), "{name}: {section}");
            for (ours, theirs) in ours.iter().zip(theirs) {
                assert!(
                    same_attribute(ours, theirs),
                    "{name}: {section}: {ours} but {theirs}"
                );
            }
        }
        compared += 1;
    }
    eprintln!("{compared} equal, refused by cuobjdump: {refused:?}");
    assert!(compared > 50, "cuobjdump refuses {refused:?}");
}

/// A copy of a recorded cubin whose bytes the sweeps below change, and cuobjdump's words about it.
struct Sweep<'a> {
    toolkit: &'a Toolkit,
    dir: std::path::PathBuf,
    data: Vec<u8>,
}

impl Sweep<'_> {
    /// `None` when cuobjdump refuses the file.
    fn facts(&self, data: &[u8]) -> Option<Facts> {
        fs::write(self.dir.join("changed.cubin"), data).expect("a writable file");
        let cuobjdump = self.toolkit.tool("cuobjdump").expect("cuobjdump");
        let output = std::process::Command::new(cuobjdump)
            .args(["-elf", "changed.cubin"])
            .current_dir(&self.dir)
            .output()
            .expect("cuobjdump runs");
        let text = String::from_utf8_lossy(&output.stdout);
        output.status.success().then(|| theirs(&text))
    }

    fn section(&self, name: &str) -> Section {
        let cubin = Cubin::parse(&self.data).expect("a cubin");
        cubin
            .elf()
            .section_named(name.as_bytes())
            .expect("the section")
    }
}

/// Sets every code, type and flag in turn and compares the names. What the tools of this version do not name any more, or
/// never did, must not contradict: then only we have a name.
#[test]
fn every_name_equals_cuobjdump() {
    let Some(toolkit) = toolkit() else {
        return;
    };
    let sweep = Sweep {
        toolkit: &toolkit,
        dir: tools::scratch(env!("CARGO_TARGET_TMPDIR"), "name-sweep"),
        data: recorded::file("cubins", "basic-13.5-sm_90-rdc.cubin"),
    };
    attribute_names(&sweep);
    relocation_names(&sweep);
    section_type_names(&sweep);
    symbol_names(&sweep);
}

/// All codes as flags in place of the records of `.nv.info`.
fn attribute_names(sweep: &Sweep<'_>) {
    let section = sweep.section(".nv.info");
    let room = section.size as usize / 4;
    let mut unnamed = Vec::new();
    for codes in (0..=0xff_u8).collect::<Vec<_>>().chunks(room) {
        let mut data = sweep.data.clone();
        for slot in 0..room {
            let code = codes.get(slot).copied().unwrap_or(0);
            let at = section.offset as usize + slot * 4;
            data[at..at + 4].copy_from_slice(&[1, code, 0, 0]);
        }
        let facts = sweep.facts(&data).expect("flags only");
        for (code, theirs) in codes.iter().zip(&facts.attributes[".nv.info"]) {
            let ours = Eiattr(*code);
            match theirs.strip_suffix(" EIFMT_NVAL").expect("a flag") {
                "unknown Attribute" => unnamed.push(ours),
                // ptxas has another name for this one.
                "EIATTR_COROUTINE_RESUME_ID_OFFSETS" => {
                    assert_eq!(ours, Eiattr::COROUTINE_RESUME_OFFSETS);
                }
                theirs => assert_eq!(ours.name(), Some(theirs)),
            }
        }
    }
    unnamed.retain(|code| code.name().is_some());
    // Codes whose name NVIDIA dropped, and 0x63, which only ptxas names.
    let dropped = [0x2a, 0x30, 0x35, 0x47, 0x56, 0x5a, 0x5f, 0x63, 0x67].map(Eiattr);
    assert!(
        unnamed.iter().all(|code| dropped.contains(code)),
        "{unnamed:?}"
    );
}

/// All types in the relocations of code, as many at a time as there are.
fn relocation_names(sweep: &Sweep<'_>) {
    let cubin = Cubin::parse(&sweep.data).expect("a cubin");
    let places: Vec<usize> = cubin
        .relocations()
        .map(|table| table.expect("a table"))
        .filter(|table| {
            let name = cubin.elf().section_name(&table.section).expect("a name");
            name.starts_with(b".rela.text.")
        })
        .flat_map(|table| {
            table
                .entries
                .map(|entry| entry.expect("an entry").file_offset as usize + 8)
        })
        .collect();
    let mut compared = 0;
    for types in (0..0x80_u32).collect::<Vec<_>>().chunks(places.len()) {
        let mut data = sweep.data.clone();
        for (place, ty) in places.iter().zip(types) {
            data[*place..place + 4].copy_from_slice(&ty.to_le_bytes());
        }
        let facts = sweep.facts(&data).expect("other relocations");
        let ours = ours(&data);
        for (section, ours) in ours
            .relocations
            .iter()
            .filter(|(name, _)| name.starts_with(".rela.text."))
        {
            for (ours, theirs) in ours.iter().zip(&facts.relocations[section]) {
                let ty = |line: &str| line.split(' ').rev().nth(1).unwrap_or_default().to_owned();
                // cuobjdump has no name for the type that does nothing: `UNKNOWN TYPE`.
                if ty(theirs) == "TYPE" {
                    let ours = ty(ours);
                    assert!(ours == "R_CUDA_NONE" || ours.starts_with("0x"), "{ours}");
                } else {
                    assert_eq!(ty(ours), ty(theirs));
                    compared += 1;
                }
            }
        }
    }
    // Entries that a round left alone count again.
    assert!(compared >= 0x73, "{compared}");
}

/// All CUDA section types on a section that nothing depends on.
fn section_type_names(sweep: &Sweep<'_>) {
    let section = sweep.section(".note.nv.tkinfo");
    let cubin = Cubin::parse(&sweep.data).expect("a cubin");
    let table = cubin.elf().header().section_headers as usize;
    let at = table + section.index as usize * 64 + 4;
    let (mut named, mut refused) = (0, Vec::new());
    for number in 0..0x90_u32 {
        let mut data = sweep.data.clone();
        let ty = SectionType(0x7000_0000 + number);
        data[at..at + 4].copy_from_slice(&ty.0.to_le_bytes());
        // Types that change what the file is.
        let Some(facts) = sweep.facts(&data) else {
            refused.push(ty);
            continue;
        };
        let row = &facts.sections[section.index as usize - 1];
        let theirs = row
            .split("] ")
            .nth(1)
            .and_then(|rest| rest.strip_suffix(" .note.nv.tkinfo"));
        let theirs = theirs.expect("the section's row");
        if !theirs.starts_with("UNKNOWN") {
            assert_eq!(ty.name(), Some(theirs));
            named += 1;
        } else {
            assert!(
                ty.name().is_none() || ty.is_mercury(),
                "cuobjdump does not name {ty}"
            );
        }
    }
    eprintln!("{named} section types named, refused: {refused:?}");
    assert!(named > 20, "{named}");
}

/// Types, bindings and `st_other` of symbols.
fn symbol_names(sweep: &Sweep<'_>) {
    let symtab = sweep.section(".symtab");
    let cubin = Cubin::parse(&sweep.data).expect("a cubin");
    let of_type = |ty: SymbolType| -> Vec<u32> {
        let symbols = cubin
            .elf()
            .symbols()
            .map(|symbol| symbol.expect("a symbol"));
        symbols
            .filter(|symbol| symbol.ty() == ty)
            .map(|symbol| symbol.index)
            .collect()
    };
    let sweep_field = |indices: &[u32], field: usize, values: &[u8]| {
        for values in values.chunks(indices.len()) {
            let mut data = sweep.data.clone();
            for (index, value) in indices.iter().zip(values) {
                data[symtab.offset as usize + *index as usize * 24 + field] = *value;
            }
            let facts = sweep.facts(&data).expect("other symbols");
            let ours = ours(&data);
            for (index, _) in indices.iter().zip(values) {
                let index = *index as usize;
                assert_eq!(ours.symbols[index], facts.symbols[index]);
            }
        }
    };
    let every: Vec<u8> = (0..=0xff).collect();
    let (sections, functions) = (of_type(SymbolType::SECTION), of_type(SymbolType::FUNC));
    for indices in [&sections, &functions, &of_type(SymbolType::CUDA_OBJECT)] {
        sweep_field(indices, 5, &every);
    }
    let kinds: Vec<u8> = SymbolType::KNOWN.iter().map(|ty| ty.0).collect();
    sweep_field(&sections, 4, &kinds);
    let bindings: Vec<u8> = SymbolBinding::KNOWN
        .iter()
        .map(|binding| binding.0 << 4 | 3)
        .collect();
    sweep_field(&sections, 4, &bindings);
}
