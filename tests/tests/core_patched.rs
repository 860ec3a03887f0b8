//! Recorded cubins with one thing changed: what a reader must make of it, where no tool at hand writes such a file.

use cubin_core::{
    Cubin, Function, Params,
    callgraph::{self, Call},
    consts::{Eiattr, SectionType},
    elf::Section,
    json, text, unified,
};
use cubin_tests::recorded;

/// A recorded 64-bit cubin whose bytes can be changed.
struct File(Vec<u8>);

impl File {
    fn open(name: &str) -> Self {
        Self(recorded::file("cubins", &format!("{name}.cubin")))
    }

    fn cubin(&self) -> Cubin<'_> {
        Cubin::parse(&self.0).expect("a well-formed file")
    }

    fn functions(&self) -> Vec<Function<'_>> {
        self.cubin().functions().expect("functions")
    }

    fn section(&self, name: &str) -> Section {
        let found = self.cubin().elf().section_named(name.as_bytes());
        found.unwrap_or_else(|| panic!("no {name}"))
    }

    /// Overwrites `width` bytes at `at` with a number.
    fn put(&mut self, at: usize, width: usize, value: u64) {
        self.0[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
    }

    /// Overwrites a field of a section's header: `sh_type` at 4, `sh_flags` at 8, `sh_offset` at 24, `sh_size` at 32,
    /// `sh_link` at 40, `sh_info` at 44.
    fn field(&mut self, section: u32, at: usize, width: usize, value: u64) {
        let table = self.cubin().elf().header().section_headers as usize;
        self.put(table + section as usize * 64 + at, width, value);
    }

    /// Puts other bytes in the place of a section's.
    fn contents(&mut self, name: &str, bytes: &[u8]) {
        let section = self.section(name).index;
        let end = self.0.len() as u64;
        self.0.extend(bytes);
        self.field(section, 24, 8, end);
        self.field(section, 32, 8, bytes.len() as u64);
    }

    /// Where the record of an attribute starts in the file.
    fn attribute(&self, section: &str, code: Eiattr) -> usize {
        let cubin = self.cubin();
        let reader = cubin.elf().reader(&self.section(section)).expect("bytes");
        let mut records = cubin_core::nvinfo::Attributes::new(reader).map(Result::unwrap);
        let found = records.find(|record| record.code == code.0);
        found.unwrap_or_else(|| panic!("no {code}")).offset as usize
    }
}

#[test]
fn a_section_may_end_with_the_file_and_not_behind_it() {
    let mut file = File::open("min-13.5-sm_90a");
    let section = file.section(".nv.callgraph");
    let room = file.0.len() as u64 - section.offset;
    file.field(section.index, 32, 8, room);
    assert!(Cubin::parse(&file.0).is_ok());
    for size in [room + 1, room + 0x1000, u64::MAX] {
        let mut file = File::open("min-13.5-sm_90a");
        file.field(section.index, 32, 8, size);
        let error = Cubin::parse(&file.0).expect_err("too long").to_string();
        assert!(error.contains("beyond the end of the file"), "{error}");
    }
    // A section that holds no bytes may be of any size.
    for ty in [SectionType::NULL, SectionType::NOBITS] {
        let mut file = File::open("min-13.5-sm_90a");
        file.field(section.index, 4, 4, ty.0.into());
        file.field(section.index, 32, 8, 1 << 40);
        assert!(Cubin::parse(&file.0).is_ok(), "{ty}");
    }
}

#[test]
fn of_two_symbol_tables_the_first_counts() {
    let mut file = File::open("min-13.5-sm_90a");
    let whole = File::open("min-13.5-sm_90a");
    let frame = file.section(".debug_frame");
    assert!(frame.index > file.section(".symtab").index);
    file.field(frame.index, 4, 4, SectionType::SYMTAB.0.into());
    assert_eq!(file.functions(), whole.functions());
}

#[test]
fn extended_section_numbers_are_those_of_the_table_of_their_symbols() {
    let mut file = File::open("extended-numbering-2");
    let table = file
        .cubin()
        .elf()
        .sections()
        .find(|section| section.ty == SectionType::SYMTAB_SHNDX)
        .expect("a table");
    file.field(table.index, 40, 4, u64::from(table.link) + 1);
    let error = file.cubin().functions().expect_err("no table of its own");
    assert!(error.to_string().contains("SHT_SYMTAB_SHNDX"), "{error}");
}

/// `SHF_EXECINSTR` and a name `.text.<f>`, both.
#[test]
fn a_function_is_a_section_with_code_and_its_name() {
    let whole = File::open("basic-13.0-sm_90a");
    let functions = whole.functions();
    let mut file = File::open("basic-13.0-sm_90a");
    file.field(functions[0].section, 8, 8, 2);
    let left: Vec<u32> = file.functions().iter().map(|found| found.section).collect();
    let expected: Vec<u32> = functions
        .iter()
        .skip(1)
        .map(|found| found.section)
        .collect();
    assert_eq!(left, expected);

    let mut file = File::open("basic-13.0-sm_90a");
    let info = file.section(".nv.info");
    file.field(info.index, 8, 8, 4);
    assert_eq!(file.functions(), functions);
    assert_eq!(
        file.cubin().elf().executable_sections() as usize,
        functions.len() + 1
    );
}

#[test]
fn the_symbol_of_a_function_is_a_function_in_its_section() {
    let whole = File::open("basic-13.0-sm_90a");
    let function = &whole.functions()[0];
    let symbols = whole.section(".symtab").offset as usize;
    let at = symbols + function.symbol_index as usize * 24;
    // `st_info`: an object; `st_shndx`: another section.
    for (at, width, value) in [(at + 4, 1, 0x11), (at + 6, 2, 1)] {
        let mut file = File::open("basic-13.0-sm_90a");
        file.put(at, width, value);
        let error = file.cubin().functions().expect_err("no function");
        assert!(
            error.to_string().contains("sh_info names symbol"),
            "{error}"
        );
    }
}

/// nvlink writes its own version into the header, and keeps what each function says of its compiler.
#[test]
fn a_function_knows_its_toolkit_better_than_the_header() {
    let mut file = File::open("basic-12.6-sm_86");
    let recorded = |file: &File| -> Vec<Option<u32>> {
        let functions = file.functions();
        let kernels = functions.iter().filter(|function| function.kernel);
        kernels
            .map(|kernel| kernel.resources.spill_instructions)
            .collect()
    };
    let before = recorded(&file);
    assert!(before.iter().all(Option::is_some));
    file.put(20, 4, 120);
    assert_eq!(file.cubin().toolkit(), Ok(Some((12, 0))));
    assert_eq!(recorded(&file), before);
}

#[test]
fn the_parameter_block_is_that_of_param_cbank_where_there_is_one() {
    let block = |file: &File| {
        let functions = file.functions();
        match functions[0].params {
            Params::Recorded { base, size, .. } => (base, size),
            _ => panic!("not recorded"),
        }
    };
    let mut file = File::open("min-13.5-sm_90a");
    let name = format!(".nv.info.{}", file.functions()[0].symbol);
    let (base, size) = block(&file);
    let record = file.attribute(&name, Eiattr::PARAM_CBANK);
    let single = file.attribute(&name, Eiattr::CBANK_PARAM_SIZE);
    // Another size in the one, then in the other; then the one alone.
    file.put(record + 10, 2, u64::from(size) + 8);
    assert_eq!(block(&file), (base, size + 8));
    file.put(single + 2, 2, u64::from(size) + 16);
    assert_eq!(block(&file), (base, size + 8));
    // Whichever of the two stands first.
    let mut turned = File(file.0.clone());
    let section = turned.section(&name);
    let records = &turned.0[section.offset as usize..][..section.size as usize];
    let again = [records, &turned.0[single..][..4]].concat();
    turned.contents(&name, &again);
    assert_eq!(block(&turned), (base, size + 8));
    file.put(record + 1, 1, 0xee);
    assert_eq!(block(&file), (0, size + 16));
}

#[test]
fn without_records_of_a_function_its_barriers_are_not_known() {
    let mut file = File::open("min-13.5-sm_90a");
    let function = &file.functions()[0];
    assert_eq!(function.resources.barriers, Some(0));
    let name = format!(".nv.info.{}", function.symbol);
    let section = file.section(&name).index;
    file.field(section, 4, 4, SectionType::PROGBITS.0.into());
    let function = &file.functions()[0];
    assert_eq!(
        (function.attributes, function.resources.barriers),
        (None, None)
    );
}

/// Instructions of sm_70 and later have the opcodes that are looked for.
#[test]
fn spills_are_decoded_from_sm_70_on() {
    let mut file = File::open("basic-12.6-sm_86-maxreg32");
    for (sm, decoded) in [(86, true), (71, true), (70, true), (69, false), (61, false)] {
        file.put(48, 1, sm);
        let cubin = file.cubin();
        for function in file.functions().iter().filter(|function| function.kernel) {
            let spills = cubin.spills(function).expect("records");
            assert_eq!(spills.is_some(), decoded, "sm_{sm}");
        }
    }
}

/// Pairs of words, as `.nv.callgraph` has them.
fn pairs(pairs: &[(u32, i32)]) -> Vec<u8> {
    let words = pairs.iter().flat_map(|(first, second)| {
        let second = second.to_le_bytes();
        [first.to_le_bytes(), second].concat()
    });
    words.collect()
}

#[test]
fn a_list_of_calls_begins_with_zero_and_a_negative_number() {
    let mut file = File::open("min-13.5-sm_90a");
    file.contents(".nv.callgraph", &pairs(&[(0, -1), (5, -2), (0, 7), (0, 0)]));
    let cubin = file.cubin();
    let calls: Vec<Call<'_>> = callgraph::calls(cubin.elf())
        .expect("a section")
        .map(|call| call.expect("a call"))
        .collect();
    let call = |caller, callee| Call::Direct { caller, callee };
    assert_eq!(calls, [call(5, u32::MAX - 1), call(0, 7), call(0, 0)]);
}

#[test]
fn functions_from_which_a_circle_of_calls_is_reached() {
    let mut file = File::open("min-13.5-sm_90a");
    let calls = [
        (0, -1),
        (1, 2),
        (2, 3),
        (3, 2),
        (4, 1),
        (5, 6),
        (7, 5),
        (7, 6),
    ];
    file.contents(".nv.callgraph", &pairs(&calls));
    assert_eq!(
        callgraph::recursive(file.cubin().elf()),
        Ok(vec![1, 2, 3, 4])
    );
}

/// A section name in the place of another of the same length.
fn rename(file: &mut File, from: &str, to: &str) {
    assert_eq!(from.len(), to.len());
    let at = file
        .0
        .windows(from.len())
        .position(|name| name == from.as_bytes());
    let at = at.expect("the name");
    file.0[at..at + to.len()].copy_from_slice(to.as_bytes());
}

#[test]
fn the_text_view_lists_unified_functions_and_goes_on_behind_damage() {
    let mut file = File::open("min-13.5-sm_90a");
    let mut entry = pairs(&[(12, 1)]);
    entry.extend([0_u64, 7, 9].map(u64::to_le_bytes).concat());
    entry.push(1);
    file.contents(".nv.callgraph", &entry);
    rename(&mut file, ".nv.callgraph", ".nv.uft.entry");
    let cubin = file.cubin();
    let entries: Vec<bool> = unified::functions(cubin.elf())
        .expect("a section")
        .map(|entry| entry.is_ok())
        .collect();
    assert_eq!(entries, [true, false]);
    let mut shown = String::new();
    text::write(&cubin, &mut shown).expect("room");
    let mut lines = shown
        .lines()
        .skip_while(|line| !line.starts_with("unified "));
    let lines: Vec<&str> = lines.by_ref().take(2).collect();
    assert_eq!(lines[0], "unified function 12 word 1 at 0x0 id 0x7 0x9");
    assert!(lines[1].starts_with("  ! "), "{lines:?}");
}

#[test]
fn a_line_of_json_says_where_the_function_was_found() {
    let file = File::open("min-13.5-sm_90a");
    let cubin = file.cubin();
    let functions = file.functions();
    let mut facts = json::Facts::of(&cubin, &functions).expect("facts");
    let facts = facts.next().expect("a function").expect("its facts");
    let found = json::Found {
        file: "lib.a",
        member: Some("k.o"),
        entry: Some(2),
        offset: 64,
        section: Some(".nv_fatbin"),
        symbol: None,
        sha256: "00ff",
    };
    let mut line = String::new();
    json::write_function(&facts, Some(&found), &mut line).expect("room");
    let place = r#"{"entry":2,"offset":64,"section":".nv_fatbin","symbol":null}"#;
    let start = format!(
        r#"{{"schema":2,"file":"lib.a","member":"k.o","place":{place},"sha256":"00ff","target":"#
    );
    assert!(line.starts_with(&start), "{line}");
    let object = json::Object::open(&mut line).expect("room");
    assert_eq!(format!("{object:?}"), "Object { .. }");
}
