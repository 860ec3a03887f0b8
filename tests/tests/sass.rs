//! Instructions as the reader names them, held against nvdisasm: mnemonic, width, double precision, `!PT`, loops.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use cubin_build::toolkit::Toolkit;
use cubin_core::{
    Cubin,
    sass::{Class, Code, Isa, Mix, Space},
};
use cubin_tests::{
    recorded,
    sass::{self, Comparison, Recording},
    tools,
};

/// Every target that nvcc 13.5 compiles for.
const TARGETS: &[&str] = &[
    "sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a",
    "sm_103", "sm_103a", "sm_107", "sm_110", "sm_120", "sm_120a", "sm_121",
];

/// Compiles a source of `tests/sass`.
fn compile(toolkit: &Toolkit, source: &str, target: &str, dir: &Path) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("sass")
        .join(source);
    let cubin = format!("{source}-{target}.cubin");
    let arch = format!("-arch={target}");
    let source = path.to_string_lossy();
    let arguments = ["-std=c++17", "-w", "-cubin", &arch, "-o", &cubin, &source];
    tools::tool(toolkit, "nvcc", &arguments, dir);
    dir.join(cubin)
}

fn scratch(name: &str) -> PathBuf {
    tools::scratch(env!("CARGO_TARGET_TMPDIR"), name)
}

/// The code of a kernel.
fn code<'a>(cubin: &Cubin<'a>, kernel: &str) -> Code<'a> {
    let functions = cubin.functions().expect("functions");
    let function = functions
        .iter()
        .find(|function| function.symbol == kernel)
        .unwrap_or_else(|| panic!("no {kernel}"));
    cubin.code(function).expect("code").expect("a known target")
}

#[test]
fn recorded_cubins_are_what_nvdisasm_said() {
    let mut recording = Recording::open("recorded.tsv", scratch("sass-recording"));
    let (mut cubins, mut instructions) = (0, 0);
    for (name, data) in recorded::files("cubins") {
        if let Some(count) = recording.check(&name, &data) {
            cubins += 1;
            instructions += count;
        }
    }
    recording.close();
    // Not read: sm_35, and two made by hand with more sections than nvdisasm takes.
    assert_eq!((cubins, instructions), (64, 51_606));
}

/// More files than the repository keeps, where `CUBIN_TEST_CORPUS` names some: candle's cubins, say.
#[test]
fn further_cubins_are_what_nvdisasm_says() {
    let further = recorded::corpus();
    let Some(toolkit) = cubin_tests::toolkit().filter(|_| !further.is_empty()) else {
        return;
    };
    let program = toolkit.tool("nvdisasm").expect("nvdisasm");
    let mut all = Comparison::default();
    for (path, data) in &further {
        let cubin = Cubin::parse(data).expect("a cubin");
        if let (Some(ours), Some(theirs)) = (
            sass::ours(&cubin),
            sass::nvdisasm(&program, Path::new(path)),
        ) {
            all.add(path, &ours, &theirs);
        }
    }
    println!(
        "{} files, {} instructions, {} unknown",
        further.len(),
        all.instructions,
        all.unknown
    );
    all.check();
}

#[test]
fn every_class_on_every_target_is_what_nvdisasm_says() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let program = toolkit.tool("nvdisasm").expect("nvdisasm");
    let dir = scratch("sass-fresh");
    let mut all = Comparison::default();
    for target in TARGETS {
        let path = compile(&toolkit, "kinds.cu", target, &dir);
        let data = fs::read(&path).expect("a cubin");
        let cubin = Cubin::parse(&data).expect("a cubin");
        let ours = sass::ours(&cubin).unwrap_or_else(|| panic!("{target} is not known"));
        let theirs = sass::nvdisasm(&program, &path).expect("a listing");
        all.add(target, &ours, &theirs);
        classes(&cubin, target);
    }
    println!(
        "{} instructions on {} targets, {} unknown",
        all.instructions,
        TARGETS.len(),
        all.unknown
    );
    all.check();
    assert_eq!(all.unknown, 0);
}

/// What the sources ask for is there, in the kernels that ask for it.
fn classes(cubin: &Cubin<'_>, target: &str) {
    let sm = cubin.flags().sm;
    let mix = |kernel| code(cubin, kernel).mix();
    let doubles = mix("doubles");
    assert!(doubles.count(Class::Fp64) > 10, "{target}: {doubles:?}");
    assert!(
        doubles.count(Class::Conversion) >= 4,
        "{target}: {doubles:?}"
    );
    for kernel in [
        "floats", "halves", "integers", "widths", "memories", "warps", "textures",
    ] {
        // `integers` divides, which takes a conversion and a reciprocal, both in single precision. `floats` calls sinf,
        // whose reduction of large arguments multiplies in double precision.
        let mix = mix(kernel);
        assert_eq!(
            mix.fp64() > 0,
            kernel == "floats",
            "{target} {kernel}: {mix:?}"
        );
    }
    for (kernel, class) in [
        ("floats", Class::Fp32),
        ("floats", Class::Special),
        ("halves", Class::Half),
        ("halves", Class::Atomic),
        ("integers", Class::Integer),
        ("memories", Class::Barrier),
        ("warps", Class::Shuffle),
        ("warps", Class::Atomic),
        ("matrices", Class::Tensor),
        ("textures", Class::Texture),
        ("calls", Class::Call),
        ("calls", Class::Branch),
    ] {
        let mix = mix(kernel);
        // sm_107 has no texture units: the compiler writes calls.
        if class == Class::Texture && sm == 107 {
            continue;
        }
        assert!(
            mix.count(class) > 0,
            "{target} {kernel}: no {class} in {mix:?}"
        );
    }
    assert_eq!(
        mix("warps").count(Class::AsyncCopy) > 0,
        sm >= 80,
        "{target}"
    );
    assert_eq!(mix("matrices").fp64() > 0, sm >= 80, "{target}");
    let widths = mix("widths");
    for bytes in [1, 2, 4, 8, 16] {
        for store in [false, true] {
            let count = widths.accesses().find(|(access, _)| {
                (access.space, access.store, access.bytes) == (Space::Global, store, Some(bytes))
            });
            let expected = if bytes < 4 { 2 } else { 1 };
            let count = count.map_or(0, |(_, count)| count);
            assert_eq!(count, expected, "{target}: {bytes} bytes, store {store}");
        }
    }
    let memories = mix("memories");
    for space in [Space::Global, Space::Shared, Space::Local] {
        let both = (memories.loads(space), memories.stores(space));
        assert!(both.0 > 0 && both.1 > 0, "{target}: {space} {both:?}");
    }
}

#[test]
fn a_mix_is_the_sum_of_its_instructions() {
    let (mut functions, mut unknown) = (0, 0);
    for (name, data) in recorded::files("cubins") {
        let cubin = Cubin::parse(&data).expect("a cubin");
        let found = cubin.functions().expect("functions");
        let Some(codes) = cubin.codes(&found).expect("code") else {
            assert_eq!(cubin.flags().sm, 35, "{name}");
            continue;
        };
        for code in codes {
            let mix = code.mix();
            assert_eq!(mix, code.instructions().collect::<Mix>(), "{name}");
            assert!(
                mix.count(Class::Padding) > 0,
                "{name}: every section is filled up"
            );
            assert!(mix.instructions() > 0, "{name}");
            unknown += mix.count(Class::Unknown);
            functions += 1;
        }
    }
    assert_eq!((functions, unknown), (612, 0));
}

/// Offsets that stand in a loop, by section, as the graph that nvdisasm prints has it: a block that can be reached from
/// itself.
fn loops_of_nvdisasm(program: &Path, cubin: &Path) -> Option<BTreeMap<String, BTreeSet<u64>>> {
    let output = Command::new(program)
        .args(["-bbcfg", "-poff"])
        .arg(cubin)
        .output()
        .expect("nvdisasm starts");
    if !output.status.success() {
        return None;
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let (mut section, mut block) = (String::new(), String::new());
    let mut blocks: BTreeMap<String, (String, Vec<u64>)> = BTreeMap::new();
    let mut edges: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut calling = BTreeSet::new();
    let name = |text: &str| {
        text.trim_start()
            .trim_start_matches('"')
            .split('"')
            .next()
            .map(str::to_owned)
    };
    for line in text.lines() {
        if let Some((from, to)) = line.split_once(" -> ") {
            // Out at the east side goes what is taken. It follows calls of a function by itself: that is recursion.
            let called = from.ends_with(":e") && calling.contains(&block);
            let (from, to) = (name(from).expect("a block"), name(to).expect("a block"));
            if !called {
                edges.entry(from).or_default().push(to);
            }
        } else if let Some(label) = line.trim_start().strip_prefix("[label=\"") {
            let label = label.replace("\\l", "\n").replace('>', "\n");
            let of_section = label
                .lines()
                .filter_map(|line| line.strip_suffix(':'))
                .find(|line| line.starts_with(".text."));
            if let Some(name) = of_section {
                name.clone_into(&mut section);
            }
            let offsets = label.lines().filter_map(|line| {
                let (digits, _) = line.split_once(":\\ ")?;
                u64::from_str_radix(digits, 16).ok()
            });
            blocks.insert(block.clone(), (section.clone(), offsets.collect()));
            if label.contains("CALL.") {
                calling.insert(block.clone());
            }
        } else if line.starts_with('"') {
            block = name(line).expect("a block");
        }
    }
    let mut found: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
    for (block, (section, offsets)) in &blocks {
        let in_loop = found.entry(section.clone()).or_default();
        let mut reached = BTreeSet::new();
        let mut pending: Vec<&String> = vec![block];
        while let Some(next) = pending.pop() {
            for to in edges.get(next).into_iter().flatten() {
                if reached.insert(to) {
                    pending.push(to);
                }
            }
        }
        if reached.contains(block) {
            in_loop.extend(offsets);
        }
    }
    Some(found)
}

/// Compares the loops of every function; gives how many functions and how many of them with computed branches.
fn compare_loops(program: &Path, path: &Path) -> (u32, u32) {
    let data = fs::read(path).expect("a cubin");
    let cubin = Cubin::parse(&data).expect("a cubin");
    let (mut functions, mut computed) = (0, 0);
    let Some(theirs) = loops_of_nvdisasm(program, path) else {
        return (0, 0);
    };
    for function in cubin.functions().expect("functions") {
        let section = cubin.elf().section(function.section).expect("a section");
        let name = cubin.elf().section_name(&section).expect("a name");
        let name = String::from_utf8_lossy(name);
        let code = cubin
            .code(&function)
            .expect("code")
            .expect("a known target");
        let loops = code.loops().expect("sm_75 or later");
        let offsets = code.instructions().map(|one| one.offset);
        let ours: BTreeSet<u64> = offsets.filter(|offset| loops.contains(*offset)).collect();
        let theirs = theirs
            .get(&*name)
            .unwrap_or_else(|| panic!("{}: no {name}", path.display()));
        functions += 1;
        if loops.is_lower_bound() {
            computed += 1;
            assert!(ours.is_subset(theirs), "{}: {name}", path.display());
        } else {
            assert_eq!(ours, *theirs, "{}: {name}", path.display());
        }
    }
    (functions, computed)
}

#[test]
fn loops_are_those_of_nvdisasm() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let program = toolkit.tool("nvdisasm").expect("nvdisasm");
    let dir = scratch("sass-loops");
    let (mut functions, mut computed) = (0, 0);
    for target in ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"] {
        let path = compile(&toolkit, "loops.cu", target, &dir);
        let (more, of_them) = compare_loops(&program, &path);
        functions += more;
        computed += of_them;
        small_loops(&fs::read(&path).expect("a cubin"), target);
    }
    for (name, data) in recorded::files("cubins") {
        let path = dir.join(name);
        fs::write(&path, data).expect("a writable scratch folder");
        let (more, of_them) = compare_loops(&program, &path);
        functions += more;
        computed += of_them;
    }
    println!("{functions} functions, {computed} of them with computed branches");
    assert!(functions > 300 && computed > 0);
}

/// What anyone can see in the source.
fn small_loops(data: &[u8], target: &str) {
    let cubin = Cubin::parse(data).expect("a cubin");
    let in_loops = |kernel| {
        let code = code(&cubin, kernel);
        let loops = code.loops().expect("sm_70 or later");
        let inside = code.instructions().filter(|one| loops.contains(one.offset));
        (inside.collect::<Mix>(), loops)
    };
    let (mix, loops) = in_loops("straight");
    assert!(loops.is_empty() && mix == Mix::default(), "{target}");
    let (mix, loops) = in_loops("counted");
    assert!(
        mix.count(Class::Fp32) > 0 && !loops.is_lower_bound(),
        "{target}"
    );
    let (mix, _) = in_loops("nested");
    assert!(mix.fp64() > 5, "{target}: {mix:?}");
    let (mix, _) = in_loops("early");
    let all = code(&cubin, "early").mix();
    assert!(mix.fp64() == 0 && all.fp64() > 0, "{target}: {mix:?}");
    assert!(mix.count(Class::Barrier) > 0, "{target}: {mix:?}");
    let (_, loops) = in_loops("switched");
    assert!(loops.is_lower_bound(), "{target}");
    let (mix, _) = in_loops("spins");
    assert_eq!(mix.loads(Space::Global), 1, "{target}: {mix:?}");
    let (mix, _) = in_loops("forever");
    assert_eq!(
        (mix.instructions(), mix.count(Class::Branch)),
        (1, 1),
        "{target}"
    );
}

#[test]
fn unknown_targets_have_no_instruction_set() {
    for sm in [0, 35, 37, 53, 73, 91, 102, 130, u16::MAX] {
        assert!(Isa::of(sm).is_none(), "sm_{sm}");
    }
    for sm in [50, 62, 70, 90, 121] {
        assert_eq!(Isa::of(sm).map(Isa::sm), Some(sm));
    }
}

#[test]
fn tables_are_those_of_the_script() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("sass/tables.py");
    match Command::new("python3").arg(script).arg("check").output() {
        Ok(output) => assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        ),
        Err(error) => {
            assert!(!cubin_tests::required(), "python3: {error}");
            eprintln!("not run: python3: {error}");
        }
    }
}

/// Whatever the bytes are, on every target: no panic, every instruction in one class, loops within the code.
#[test]
fn any_bytes_are_counted() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let targets = (0..200).filter_map(Isa::of);
    for isa in targets {
        let mut bytes: Vec<u8> = (0..1 << 14).flat_map(|_| random().to_le_bytes()).collect();
        // Random keys, of which half are branches to random places.
        if isa.sm() >= 70 {
            for word in bytes.chunks_exact_mut(32) {
                word[0] = 0x47;
                word[1] = 0x79;
                let distance = (random() % (1 << 18)) as i64 - (1 << 17);
                let first = u64::from_le_bytes(word[..8].try_into().expect("eight bytes"));
                let first = first & 0xffff | ((distance / 16 * 16 / 4) as u64) << 34;
                word[..8].copy_from_slice(&first.to_le_bytes());
            }
        }
        let code = Code::new(isa, &bytes).expect("whole instructions");
        let mix = code.mix();
        assert_eq!(mix, code.instructions().collect::<Mix>(), "sm_{}", isa.sm());
        let sum: u64 = Class::ALL.iter().map(|class| mix.count(*class)).sum();
        let size = isa.instruction_bytes();
        let expected = if size == 8 {
            bytes.len() / 32 * 3
        } else {
            bytes.len() / size
        };
        assert_eq!(sum, expected as u64, "sm_{}", isa.sm());
        assert_eq!(code.loops().is_some(), isa.sm() >= 70);
        if let Some(loops) = code.loops() {
            assert!(!loops.contains(bytes.len() as u64) && !loops.contains(u64::MAX));
        }
        let error = Code::new(isa, &bytes[1..]).expect_err("a byte is missing");
        assert!(error.message().contains("whole number"), "{error}");
    }
}

/// A million blocks in one chain, and in one circle: no recursion, and time in proportion.
#[test]
fn long_chains_of_branches_are_followed() {
    const COUNT: usize = 1 << 20;
    let isa = Isa::of(90).expect("a known target");
    // `@P0 BRA` by so many bytes.
    let branch = |bytes: i64| -> [u8; 16] {
        let quarter = bytes / 4;
        let word = 0x0947 | (quarter as u128 & 0xff) << 16;
        let word = word | ((quarter >> 8) as u128 & 0xffff_ffff_ffff) << 34 | 7 << 87;
        word.to_le_bytes()
    };
    for circle in [false, true] {
        let mut bytes: Vec<u8> = (1..COUNT).flat_map(|_| branch(16)).collect();
        let back = if circle { -16 * COUNT as i64 } else { 0x1000 };
        bytes.extend(branch(back));
        let code = Code::new(isa, &bytes).expect("whole instructions");
        let loops = code.loops().expect("sm_70 or later");
        let inside = code.instructions().filter(|one| loops.contains(one.offset));
        assert_eq!(inside.count(), if circle { COUNT } else { 0 });
        assert!(!loops.is_lower_bound());
    }
}

/// Many functions that are the same bytes would be read again and again.
#[test]
fn functions_that_overlap_are_refused() {
    let data = recorded::file("cubins", "basic-13.5-sm_90-rdc.cubin");
    let cubin = Cubin::parse(&data).expect("a cubin");
    let functions = cubin.functions().expect("functions");
    let largest = functions
        .iter()
        .max_by_key(|function| function.resources.code_bytes)
        .expect("a function");
    let many = vec![largest.clone(); 1000];
    let error = cubin.codes(&many).expect_err("longer than the file");
    assert!(error.message().contains("overlap"), "{error}");
}
