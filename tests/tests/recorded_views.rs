//! What every view says of every recorded file, held against what was recorded when NVIDIA's tools and a second
//! implementation agreed with it (`raw_oracle`, `core_golden`, `sass`, `nvlink`): a view that says anything else, of any
//! toolkit's files, is noticed at once and without a toolkit.
//!
//! `golden/views.tsv` has a row per file and view: lines, and a digest of the text. The text itself is written to the
//! folder that a failure names, by this revision; `git stash` and another run give the other one.

use std::{
    fmt::{Debug, Write as _},
    fs,
    path::{Path, PathBuf},
};

use cubin_core::{
    Cubin, Result, attr, callgraph, compat, fatbin, host, json,
    lines::Lines,
    nvinfo,
    occupancy::{Block, Limits, occupancy},
    sass::Class,
    sizes, text,
};
use cubin_tests::recorded;

/// A text of a line per value.
#[derive(Default)]
struct Text(String);

impl Text {
    fn put(&mut self, value: impl Debug) {
        writeln!(self.0, "{value:?}").expect("a string takes everything");
    }
}

type View = fn(&Cubin<'_>, &mut Text) -> Result<()>;

const VIEWS: &[(&str, View)] = &[
    ("facts", facts),
    ("functions", functions),
    ("records", records),
    ("calls", calls),
    ("variables", variables),
    ("sizes", parts),
    ("relocations", relocations),
    ("image", image),
    ("instructions", instructions),
    ("lines", source_lines),
    ("occupancy", warps),
    ("text", |cubin, out| text::write(cubin, &mut out.0)),
    ("json", |cubin, out| json::write(cubin, &mut out.0)),
    ("lines of json", json_lines),
];

fn facts(cubin: &Cubin<'_>, out: &mut Text) -> Result<()> {
    out.put((cubin.kind(), cubin.flags(), cubin.target()?));
    out.put((cubin.toolkit()?, cubin.virtual_sm()?, cubin.cuda_info()?));
    for tool in cubin.tools() {
        let tool = tool?;
        out.put((&tool, tool.arch(), tool.toolkit()));
    }
    let elf = cubin.elf();
    out.put(elf);
    out.put((
        elf.section_count(),
        elf.executable_sections(),
        elf.symbol_table(),
    ));
    out.put((elf.section_names(), elf.symbol_names(), elf.sections()));
    Ok(())
}

fn functions(cubin: &Cubin<'_>, out: &mut Text) -> Result<()> {
    let functions = cubin.functions()?;
    let kernels = cubin.kernels()?;
    out.put(
        kernels
            .iter()
            .map(|kernel| kernel.symbol)
            .collect::<Vec<_>>(),
    );
    for function in &functions {
        out.put(function);
        out.put((cubin.externs(function)?, cubin.spills(function)?));
        out.put(String::from_utf8_lossy(cubin.raw_symbol(function)?));
    }
    out.put(cubin.references(&functions)?);
    out.put(cubin.cuobjdump(&functions)?);
    Ok(())
}

fn records(cubin: &Cubin<'_>, out: &mut Text) -> Result<()> {
    for function in cubin.functions()? {
        for attribute in cubin.attributes(&function)? {
            let attribute = attribute?;
            out.put(attr::Payload::of(&attribute)?);
            out.put(attr::ParamRecord::read(&attribute).ok());
            out.put(attr::Annotations::new(&attribute).collect::<Vec<_>>());
        }
    }
    for section in cubin.elf().sections() {
        if cubin.elf().is_named(&section, b".nv.info") {
            for attribute in nvinfo::Attributes::new(cubin.elf().reader(&section)?) {
                out.put(attr::Payload::of(&attribute?)?);
            }
        }
    }
    for record in compat::records(cubin.elf())? {
        out.put(record?);
    }
    Ok(())
}

fn calls(cubin: &Cubin<'_>, out: &mut Text) -> Result<()> {
    let elf = cubin.elf();
    for call in callgraph::calls(elf)? {
        out.put(call?);
    }
    for prototype in callgraph::prototypes(elf)? {
        out.put(prototype?);
    }
    if let Some(actions) = callgraph::rel_actions(elf)? {
        out.put(actions.descriptors().collect::<Vec<_>>());
    }
    out.put(callgraph::recursive(elf)?);
    Ok(())
}

fn variables(cubin: &Cubin<'_>, out: &mut Text) -> Result<()> {
    cubin
        .variables()?
        .iter()
        .for_each(|variable| out.put(variable));
    Ok(())
}

fn parts(cubin: &Cubin<'_>, out: &mut Text) -> Result<()> {
    let parts = sizes::parts(cubin.elf())?;
    parts.iter().for_each(|part| out.put(part));
    out.put(sizes::totals(&parts));
    Ok(())
}

fn relocations(cubin: &Cubin<'_>, out: &mut Text) -> Result<()> {
    for table in cubin.relocations() {
        for entry in table?.entries {
            out.put(entry?);
        }
    }
    Ok(())
}

fn image(cubin: &Cubin<'_>, out: &mut Text) -> Result<()> {
    let image = cubin.image()?;
    out.put((image.length(), image.end()));
    image
        .sections()
        .iter()
        .for_each(|section| out.put((section.offset, section.size, section.bytes.len())));
    image
        .patches(0x7000_0000_0000)
        .for_each(|patch| out.put(patch));
    for kernel in image.kernels() {
        out.put(image.kernel(kernel.name).map(|found| found.code));
        out.put(kernel);
    }
    Ok(())
}

fn instructions(cubin: &Cubin<'_>, out: &mut Text) -> Result<()> {
    let functions = cubin.functions()?;
    let Some(codes) = cubin.codes(&functions)? else {
        return Ok(());
    };
    for code in codes {
        out.put((code.bytes().len(), code.body().len()));
        let loops = code.loops();
        out.put(
            loops
                .as_ref()
                .map(|loops| (loops.is_empty(), loops.is_lower_bound())),
        );
        for instruction in code.instructions() {
            let looped = loops
                .as_ref()
                .map(|loops| loops.contains(instruction.offset));
            out.put((instruction, looped));
        }
        let mix = code.mix();
        out.put((mix.instructions(), mix.fp64()));
        out.put(Class::ALL.map(|class| mix.count(class)));
        mix.accesses().for_each(|access| out.put(access));
    }
    Ok(())
}

fn source_lines(cubin: &Cubin<'_>, out: &mut Text) -> Result<()> {
    let Some(lines) = Lines::read(cubin)? else {
        return Ok(());
    };
    out.put(lines.rows());
    for function in cubin.functions()? {
        let row = (0..function.resources.code_bytes)
            .step_by(16)
            .map(|offset| {
                let row = lines.row(function.section, offset)?;
                Some((offset, lines.places(row)))
            });
        row.for_each(|row| out.put(row));
    }
    Ok(())
}

fn warps(cubin: &Cubin<'_>, out: &mut Text) -> Result<()> {
    let target = cubin.target()?;
    for limits in Limits::all()
        .iter()
        .filter(|limits| limits.sm == target.number)
    {
        for function in cubin.functions()? {
            for (threads, shared) in [(32, 0), (256, 1024), (1000, 40_000)] {
                let found = occupancy(limits, &Block::of(&function.resources, threads, shared));
                out.put((&found, found.ratio(), found.limiters().collect::<Vec<_>>()));
            }
        }
    }
    Ok(())
}

/// As `cargo cubin inspect --json --instructions` writes them.
fn json_lines(cubin: &Cubin<'_>, out: &mut Text) -> Result<()> {
    let functions = cubin.functions()?;
    let codes = cubin.codes(&functions)?;
    for (at, facts) in json::Facts::of(cubin, &functions)?.enumerate() {
        let mut facts = facts?;
        facts.instructions = codes.as_ref().map(|codes| codes[at].counts());
        let found = json::Found {
            file: "lib.a",
            member: Some("k.o"),
            entry: Some(2),
            offset: 0x40,
            section: Some(".nv_fatbin"),
            symbol: None,
            sha256: "00",
        };
        json::write_function(&facts, Some(&found), &mut out.0)?;
        out.0.push('\n');
    }
    Ok(())
}

/// FNV-1a.
fn digest(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// What is inside of a file: its cubins, under names of their own.
fn cubins(name: &str, data: &[u8], out: &mut Text) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for code in host::device_code(data) {
        let code = match code {
            Ok(code) => code,
            Err(error) => {
                out.put(error);
                continue;
            }
        };
        out.put(&code);
        if let host::Code::Entry(entry) = &code.code {
            out.put((entry.target(), entry.compression().ok(), entry.is_cubin()));
            match entry.image() {
                Ok(image) if entry.is_cubin() => {
                    found.push((format!("{name}#{}", found.len()), image.into_owned()));
                }
                Ok(image) => out.put(String::from_utf8_lossy(&image)),
                Err(error) => out.put(error),
            }
        }
    }
    out.put(host::FileKind::of(data));
    host::members(data).for_each(|member| out.put(member));
    for container in fatbin::scan(data, 0) {
        out.put(container.map(|container| container.entries().count()));
    }
    found
}

#[test]
fn every_view_of_every_recorded_file_says_what_it_said() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("views");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/views.tsv");
    let mut rows = String::new();
    let mut texts: Vec<(String, String)> = Vec::new();
    let mut all = recorded::files("cubins");
    let of_lines = recorded::files("sass").into_iter();
    all.extend(of_lines.filter(|(name, _)| name.ends_with(".cubin")));
    for (name, data) in recorded::files("fatbins") {
        let mut out = Text::default();
        all.extend(cubins(&name, &data, &mut out));
        texts.push((format!("{name}\tcontents"), out.0));
    }
    for (name, data) in &all {
        let cubin = Cubin::parse(data).unwrap_or_else(|error| panic!("{name}: {error}"));
        for (view, run) in VIEWS {
            let mut out = Text::default();
            // Relocatable files have no image; what is said of that is recorded, too.
            if let Err(error) = run(&cubin, &mut out) {
                out.put(error.to_string());
            }
            texts.push((format!("{name}\t{view}"), out.0));
        }
    }
    texts.sort();
    for (what, text) in &texts {
        writeln!(
            rows,
            "{what}\t{}\t{:016x}",
            text.lines().count(),
            digest(text)
        )
        .expect("a string takes everything");
    }
    if cubin_build::env::Env::process().peek("BLESS").is_some() {
        fs::write(&path, &rows).expect("a writable recording");
        return;
    }
    let recorded = fs::read_to_string(&path).expect("golden/views.tsv");
    let differs = |(row, known): &(&str, &str)| row != known;
    let changed: Vec<&str> = rows
        .lines()
        .zip(recorded.lines())
        .filter(differs)
        .map(|(row, _)| row)
        .collect();
    for row in &changed {
        let mut columns = row.split('\t');
        let what = [columns.next(), columns.next()].map(Option::unwrap_or_default);
        let (_, text) = texts
            .iter()
            .find(|(known, _)| *known == what.join("\t"))
            .expect("a text");
        let file: PathBuf = dir.join(what.join("."));
        fs::create_dir_all(&dir).expect("a folder");
        fs::write(&file, text).expect("a text");
    }
    assert_eq!(rows.lines().count(), recorded.lines().count());
    assert!(
        changed.is_empty(),
        "these say something else; their texts are in {}: {changed:#?}",
        dir.display()
    );
}
