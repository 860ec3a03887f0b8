//! Device code inside host files: recorded objects, and files of every kind made here when there is a toolkit.

use std::{collections::BTreeMap, fs, path::Path, process::Command};

use cubin_core::{
    Cubin,
    consts::EntryKind,
    host::{self, Code, DeviceCode, FileKind},
};
use cubin_tests::{recorded, tools};

fn found(data: &[u8]) -> Vec<DeviceCode<'_>> {
    host::device_code(data)
        .collect::<Result<_, _>>()
        .expect("device code without damage")
}

/// `member(section) kind target` of each piece.
fn lines(data: &[u8]) -> Vec<String> {
    found(data)
        .iter()
        .map(|code| {
            let what = match &code.code {
                Code::Cubin { .. } => "cubin".to_owned(),
                Code::Ptx { .. } => "PTX by itself".to_owned(),
                Code::Entry(entry) => {
                    format!("{} {}", entry.kind, entry.target().expect("a target"))
                }
            };
            let member = code.member.as_deref().unwrap_or("-");
            format!("{member}({}) {what}", code.section.unwrap_or("-"))
        })
        .collect()
}

#[test]
fn recorded_objects() {
    let expected: &[(&str, &[&str])] = &[
        (
            "x.o",
            &["-(.nv_fatbin) CUBIN sm_90", "-(.nv_fatbin) PTX sm_90"],
        ),
        (
            "xdc.o",
            &[
                "-(__nv_relfatbin) CUBIN sm_90",
                "-(__nv_relfatbin) PTX sm_90",
            ],
        ),
        (
            "xlto.o",
            &[
                "-(__nv_relfatbin) NVVM_LTO sm_90",
                "-(__nv_relfatbin) CUBIN sm_80",
            ],
        ),
    ];
    for (name, wanted) in expected {
        assert_eq!(lines(&recorded::file("fatbins", name)), *wanted, "{name}");
    }
}

#[test]
fn options_of_relocatable_and_lto_objects() {
    let options = |name: &str| -> Vec<String> {
        let data = recorded::file("fatbins", name);
        found(&data)
            .iter()
            .filter_map(|code| match &code.code {
                Code::Entry(entry) => entry.options,
                Code::Cubin { .. } | Code::Ptx { .. } => None,
            })
            .map(|options| String::from_utf8_lossy(options).trim_end().to_owned())
            .collect()
    };
    assert_eq!(options("xdc.o"), ["--compile-only"]);
    assert_eq!(
        options("xlto.o"),
        ["-ftz=0 -prec_div=1 -prec_sqrt=1 -fmad=1"]
    );
    let data = recorded::file("fatbins", "xlto.o");
    let all = found(&data);
    let Code::Entry(lto) = &all[0].code else {
        panic!("an entry");
    };
    assert_eq!(lto.kind, EntryKind::NVVM_LTO);
    let error = lto.image().expect_err("no public encoding").to_string();
    assert!(error.contains("not public"), "{error}");
}

#[test]
fn every_prefix_and_every_changed_byte_end_in_bounds() {
    for (name, data) in recorded::files("fatbins") {
        if !name.ends_with(".o") {
            continue;
        }
        for end in 0..data.len() {
            walk(&data[..end]);
        }
        let mut changed = data.clone();
        for at in 0..data.len() {
            for value in [0xff, data[at] ^ 0x01] {
                changed[at] = value;
                walk(&changed);
            }
            changed[at] = data[at];
        }
    }
}

/// Reads everything; the pieces and errors of a small file are few.
fn walk(data: &[u8]) {
    let mut pieces = 0;
    for code in host::device_code(data) {
        pieces += 1;
        assert!(pieces < 100, "{pieces} pieces in {} bytes", data.len());
        let Ok(code) = code else { continue };
        if let Code::Entry(entry) = &code.code
            && let Ok(image) = entry.image_within(1 << 20)
        {
            assert!(image.len() <= 1 << 20);
        }
    }
}

#[test]
fn sixty_thousand_sections_over_one_container_are_read_once() {
    let fatbin = recorded::file("fatbins", "m-13.5-none.fatbin");
    let mut data = vec![0_u8; 64];
    data.extend(&fatbin);
    let names = data.len() as u64;
    data.extend(b".nv_fatbin\0.shstrtab\0\0\0\0");
    let table = data.len() as u64;
    let count = 60_000_u16;
    data[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    data[18] = 62;
    data[40..48].copy_from_slice(&table.to_le_bytes());
    data[58..60].copy_from_slice(&64_u16.to_le_bytes());
    data[60..62].copy_from_slice(&count.to_le_bytes());
    for section in 0..count {
        let (offset, size) = match section {
            // The first is the table of names here.
            0 => (names, 24),
            _ => (64, fatbin.len() as u64),
        };
        data.extend([0, 0, 0, 0, 1, 0, 0, 0]);
        data.extend([0; 16]);
        data.extend(offset.to_le_bytes());
        data.extend(size.to_le_bytes());
        data.extend([0; 24]);
    }
    let (good, bad): (Vec<_>, Vec<_>) = host::device_code(&data).partition(Result::is_ok);
    // Section 0 bears the name too, at the table of names, which is no container.
    assert_eq!(good.len(), 2);
    assert_eq!(bad.len(), usize::from(count) - 1);
}

const MAIN: &str = r#"
#include <cstdio>
__global__ void first(int *x) { x[threadIdx.x] = 1; }
void launch();
int main() { first<<<1, 1>>>(nullptr); launch(); return 0; }
"#;

const OTHER: &str = r#"
__device__ int helper(int);
__global__ void second(int *x) { x[threadIdx.x] = helper(2); }
void launch() { second<<<1, 1>>>(nullptr); }
"#;

const HELPER: &str = "__device__ int helper(int x) { return x * x; }\n";

/// (kernel or function, target) of every cubin.
fn functions(data: &[u8]) -> Vec<(String, String)> {
    let mut functions = Vec::new();
    for code in found(data) {
        let Some(image) = code.cubin() else { continue };
        let image = image.expect("a cubin");
        let cubin = Cubin::parse(&image).expect("a cubin");
        let target = cubin.target().expect("a target").to_string();
        for function in cubin.functions().expect("functions") {
            functions.push((function.symbol.to_owned(), target.clone()));
        }
    }
    functions.sort();
    functions
}

/// How many cubins `cuobjdump -lelf` lists.
fn listed(toolkit: &cubin_build::toolkit::Toolkit, file: &str, dir: &Path) -> usize {
    let text = tools::tool(toolkit, "cuobjdump", &["-lelf", file], dir);
    text.lines()
        .filter(|line| line.contains("ELF file"))
        .count()
}

/// Cubins as cuobjdump counts them: it leaves out relocatable ones where there are linked ones.
fn cubins(data: &[u8]) -> usize {
    let found = found(data);
    let all = found.iter().filter(|code| code.cubin().is_some());
    match all
        .clone()
        .filter(|code| code.section == Some(".nv_fatbin"))
        .count()
    {
        0 => all.count(),
        linked => linked,
    }
}

#[test]
fn objects_archives_libraries_and_executables_of_nvcc() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let dir = &tools::scratch(env!("CARGO_TARGET_TMPDIR"), "host-files");
    for (name, text) in [
        ("main.cu", MAIN),
        ("other.cu", OTHER),
        ("helper.cu", HELPER),
    ] {
        fs::write(dir.join(name), text).expect("a source file");
    }
    let archs = [
        "-gencode=arch=compute_80,code=sm_80",
        "-gencode=arch=compute_90,code=[sm_90,compute_90]",
    ];
    let nvcc = |args: &[&str]| tools::tool(&toolkit, "nvcc", &[&archs, args].concat(), dir);
    for unit in ["main", "other", "helper"] {
        let source = format!("{unit}.cu");
        nvcc(&[
            "-dc",
            "-Xcompiler",
            "-fPIC",
            &source,
            "-o",
            &format!("{unit}.o"),
        ]);
    }
    nvcc(&["-lib", "other.o", "helper.o", "-o", "libparts.a"]);
    nvcc(&[
        "-dlink",
        "-Xcompiler",
        "-fPIC",
        "main.o",
        "other.o",
        "helper.o",
        "-o",
        "linked.o",
    ]);
    let run = |program: &str, args: &[&str]| {
        let status = Command::new(program).args(args).current_dir(dir).status();
        assert!(
            status.is_ok_and(|status| status.success()),
            "{program} {args:?}"
        );
    };
    // Undefined symbols of the CUDA runtime are fine in a shared library.
    run(
        "g++",
        &[
            "-shared",
            "main.o",
            "other.o",
            "helper.o",
            "linked.o",
            "-o",
            "libwhole.so",
        ],
    );
    nvcc(&["main.o", "libparts.a", "-cudart", "static", "-o", "program"]);
    run("cp", &["program", "stripped"]);
    run("strip", &["stripped"]);

    let read =
        |name: &str| fs::read(dir.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let kinds: BTreeMap<&str, FileKind> = [
        ("main.o", FileKind::HostElf),
        ("libparts.a", FileKind::Archive),
        ("linked.o", FileKind::HostElf),
        ("libwhole.so", FileKind::HostElf),
        ("program", FileKind::HostElf),
        ("stripped", FileKind::HostElf),
    ]
    .into();
    for (name, kind) in kinds {
        let data = read(name);
        assert_eq!(FileKind::of(&data), kind, "{name}");
        assert_eq!(cubins(&data), listed(&toolkit, name, dir), "{name}");
    }

    let archive = read("libparts.a");
    let members: Vec<String> = found(&archive)
        .iter()
        .map(|code| {
            format!(
                "{} {}",
                code.member.as_deref().expect("a member"),
                code.section.expect("a section")
            )
        })
        .collect();
    assert!(
        members.contains(&"other.o __nv_relfatbin".to_owned()),
        "{members:?}"
    );
    assert!(
        members.contains(&"helper.o __nv_relfatbin".to_owned()),
        "{members:?}"
    );

    // Linked device code holds both kernels and the helper, for both targets.
    let program = functions(&read("program"));
    for target in ["sm_80", "sm_90"] {
        for symbol in ["_Z5firstPi", "_Z6secondPi", "_Z6helperi"] {
            assert!(
                program.contains(&(symbol.to_owned(), target.to_owned())),
                "{symbol} for {target} in {program:?}"
            );
        }
    }
    assert_eq!(program, functions(&read("stripped")));
}

/// The program of the two tests below: device code as `include_bytes!` embeds it.
const EMBEDS: &str = "
pub static CUBINS: [&[u8]; 2] = [include_bytes!(\"a.cubin\"), include_bytes!(\"b.cubin\")];
pub static PTX: &str = concat!(include_str!(\"k.ptx\"), \"\\0\");
#[unsafe(no_mangle)]
pub extern \"C\" fn device_code(at: usize) -> *const u8 {
    if at == 2 { PTX.as_ptr() } else { CUBINS[at].as_ptr() }
}
";

/// Cubins of both classes, of every toolkit, relocatable and not, are found among bytes that are no file of any kind, whole.
#[test]
fn cubins_among_other_bytes_are_cut_where_they_end() {
    for (name, data) in recorded::files("cubins") {
        let around = b"\x7f0123456789abcdef.\n\x50";
        let blob = [around.as_slice(), &data, around, &data].concat();
        let cut: Vec<&[u8]> = found(&blob)
            .into_iter()
            .map(|code| match code.code {
                Code::Cubin { bytes, .. } => bytes,
                other => panic!("{name}: {other:?}"),
            })
            .collect();
        assert_eq!(cut, [data.as_slice(), &data], "{name}");
    }
}

#[test]
fn rust_programs_and_libraries_hold_what_they_include() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rust-hosts");
    fs::create_dir_all(&dir).unwrap();
    let mut wanted: Vec<Vec<u8>> = recorded::files("cubins")
        .into_iter()
        .map(|(_, data)| data)
        .take(2)
        .collect();
    let ptx =
        b".version 9.3\n// a note\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n";
    fs::write(dir.join("a.cubin"), &wanted[0]).unwrap();
    fs::write(dir.join("b.cubin"), &wanted[1]).unwrap();
    fs::write(dir.join("k.ptx"), ptx).unwrap();
    let main = "fn main() { println!(\"{:?}\", device_code(std::env::args().count() % 3)); }";
    fs::write(dir.join("lib.rs"), EMBEDS).unwrap();
    fs::write(dir.join("main.rs"), format!("{EMBEDS}{main}")).unwrap();
    wanted.sort();
    for (kind, source) in [
        ("bin", "main.rs"),
        ("rlib", "lib.rs"),
        ("staticlib", "lib.rs"),
        ("cdylib", "lib.rs"),
    ] {
        let output = format!("embeds.{kind}");
        let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
        let status = Command::new(rustc)
            .current_dir(&dir)
            .args([
                "--edition=2024",
                "-O",
                "--crate-name=embeds",
                "--crate-type",
                kind,
            ])
            .args(["-o", &output, source])
            .status()
            .unwrap();
        assert!(status.success(), "{kind}");
        let data = fs::read(dir.join(output)).unwrap();
        let (mut cubins, mut texts) = (Vec::new(), Vec::new());
        for code in found(&data) {
            assert!(
                code.section.is_some_and(|name| name.starts_with(".rodata")),
                "{kind}: {code:?}"
            );
            match code.code {
                Code::Cubin { bytes, .. } => cubins.push(bytes.to_vec()),
                Code::Ptx { bytes, .. } => texts.push(bytes),
                Code::Entry(entry) => panic!("{kind}: {entry:?}"),
            }
        }
        cubins.sort();
        assert!(cubins == wanted, "{kind}: {} cubins", cubins.len());
        assert_eq!(texts, [ptx.trim_ascii_end()], "{kind}");
    }
}

#[test]
fn data_is_named_by_the_symbol_that_it_belongs_to() {
    let dir = tools::scratch(env!("CARGO_TARGET_TMPDIR"), "host-symbols");
    let cubin = recorded::file("cubins", "one-13.5-75.cubin");
    fs::write(dir.join("one.cubin"), &cubin).expect("a file");
    let assembly = ".section .rodata\n.balign 16\n.globl one_cubin\n.type one_cubin, @object\none_cubin:\n\
                    .incbin \"one.cubin\"\n.size one_cubin, .-one_cubin\n.zero 64\n\
                    .type code, @function\ncode:\n.incbin \"one.cubin\"\n.size code, .-code\n\
                    .section .note.GNU-stack,\"\",@progbits\n";
    fs::write(dir.join("one.s"), assembly).expect("a file");
    fs::write(
        dir.join("main.c"),
        "extern char one_cubin[]; int main(void) { return one_cubin[0]; }\n",
    )
    .expect("a file");
    let run = |program: &str, args: &[&str]| {
        let status = Command::new(program).args(args).current_dir(&dir).status();
        assert!(status.expect("gcc").success(), "{program} {args:?}");
    };
    run("gcc", &["-c", "one.s", "-o", "one.o"]);
    run("ar", &["crs", "libone.a", "one.o"]);
    run("gcc", &["main.c", "one.o", "-o", "program"]);
    run("gcc", &["-shared", "one.o", "-o", "libone.so"]);
    run("strip", &["program", "-o", "stripped"]);
    for (file, named) in [
        ("one.o", [Some("one_cubin"), None]),
        ("libone.a", [Some("one_cubin"), None]),
        ("program", [Some("one_cubin"), None]),
        // The dynamic table names it still.
        ("libone.so", [Some("one_cubin"), None]),
        ("stripped", [None, None]),
    ] {
        let data = fs::read(dir.join(file)).expect("a file");
        let symbols = host::Symbols::read(&data);
        let names: Vec<_> = found(&data)
            .iter()
            .map(|code| symbols.at(code.offset()))
            .collect();
        assert_eq!(names, named, "{file}");
        let end = found(&data)[0].offset() + cubin.len() as u64;
        assert_eq!([symbols.at(end - 1), symbols.at(end)], [named[0], None]);
    }
    run("strip", &["libone.so"]);
    let data = fs::read(dir.join("libone.so")).expect("a file");
    let symbols = host::Symbols::read(&data);
    assert_eq!(symbols.at(found(&data)[0].offset()), Some("one_cubin"));
    // Damage names nothing, and ends.
    let object = fs::read(dir.join("one.o")).expect("a file");
    for at in 0..object.len() {
        let _ = host::Symbols::read(&object[..at]).at(64);
        let mut flipped = object.clone();
        flipped[at] ^= 0xff;
        let _ = host::Symbols::read(&flipped).at(64);
    }
}

#[test]
fn a_program_that_names_the_magic_number_holds_no_fatbin() {
    let dir = tools::scratch(env!("CARGO_TARGET_TMPDIR"), "host-number");
    let source = "__attribute__((aligned(16))) const unsigned numbers[] = {0xba55ed50, 0x12345678, 1, 2};\n\
                  int main(void) { return numbers[1] == 0; }\n";
    fs::write(dir.join("main.c"), source).expect("a file");
    let mut gcc = Command::new("gcc");
    gcc.args(["main.c", "-o", "program"]).current_dir(&dir);
    assert!(gcc.status().expect("gcc").success());
    let data = fs::read(dir.join("program")).expect("a program");
    assert!(found(&data).is_empty());
    // By itself it is a damaged fatbin still.
    let number = [0x50, 0xed, 0x55, 0xba, 0x78, 0x56, 0x34, 0x12];
    assert!(
        host::device_code(&number)
            .next()
            .is_some_and(|found| found.is_err())
    );
}
