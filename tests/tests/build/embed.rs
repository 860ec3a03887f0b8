//! `[generate] embed = "fatbin"`: one fatbin for each module, which NVIDIA's tools find in the program, and the driver loads.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use cubin_build::{Builder, Output};
use cubin_core::{consts::EntryKind, fatbin, host};
use cubin_tests::{fake_driver, toolkit, user_crate};

const TARGETS: [&str; 3] = ["sm_80", "sm_90", "sm_90a"];

/// Two modules, each with a table that compresses well.
const SOURCES: [(&str, &str); 2] = [
    (
        "one.cu",
        "__device__ float one_table[4000] = {1.0f};\n\
         extern \"C\" __global__ void one(float *out, int n) { out[threadIdx.x] = one_table[n]; }\n",
    ),
    (
        "two.cu",
        "__device__ float two_table[4000] = {2.0f};\n\
         extern \"C\" __global__ void two(float *out, float by) { out[threadIdx.x] = two_table[0] * by; }\n",
    ),
];

fn scratch(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("embed")
        .join(name);
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).expect("a scratch folder");
    for (name, text) in SOURCES {
        fs::write(dir.join(name), text).expect("a source");
    }
    dir
}

fn build(dir: &Path, generate: &str) -> Result<Output, String> {
    let config = format!("[build]\nptx = true\n\n[generate]\n{generate}");
    fs::write(dir.join("cubin.toml"), config).expect("cubin.toml");
    let mut builder = Builder::new()
        .root(dir)
        .out_dir(dir.join("out"))
        .toolkit(cubin_tests::version());
    for (name, _) in SOURCES {
        builder = builder.file(name);
    }
    for target in TARGETS {
        builder = builder.arch(target);
    }
    builder.try_build().map_err(|error| error.to_string())
}

/// The images of a fatbin: target and bytes, without the zeros that PTX ends in.
fn images(bytes: &[u8]) -> Vec<(EntryKind, String, Vec<u8>)> {
    let entries = fatbin::entries(bytes, 0).map(|entry| entry.expect("an entry"));
    let mut images: Vec<_> = entries
        .map(|entry| {
            let mut image = entry.image().expect("an image").to_vec();
            if entry.kind == EntryKind::PTX {
                let end = image.iter().rposition(|byte| *byte != 0);
                image.truncate(end.map_or(0, |at| at + 1));
            }
            let target = entry.target().expect("a target").to_string();
            (entry.kind, target, image)
        })
        .collect();
    images.sort_by(|(_, a, _), (_, b, _)| a.cmp(b));
    images
}

/// PTX without comments, of which fatbinary keeps none, nor tabs.
fn words(ptx: &[u8]) -> String {
    let text = String::from_utf8_lossy(ptx);
    let code = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default());
    let words: Vec<&str> = code.flat_map(str::split_whitespace).collect();
    words.join(" ")
}

#[test]
fn a_fatbin_holds_what_lies_beside_it() {
    if toolkit().is_none() {
        return;
    }
    let dir = scratch("contents");
    let out = dir.join("out");
    let mut sizes = Vec::new();
    for compress in ["none", "speed", "balance", "size"] {
        let output = build(
            &dir,
            &format!("embed = \"fatbin\"\ncompress = \"{compress}\"\n"),
        );
        let output = output.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(output.cubins.len(), 6);
        assert_eq!(output.ptx.len(), 2);
        for module in ["one", "two"] {
            let bytes = fs::read(out.join(format!("{module}.fatbin"))).expect("a fatbin");
            if module == "one" {
                sizes.push(bytes.len());
            }
            let found = images(&bytes);
            let cubins = found.iter().filter(|(kind, ..)| *kind == EntryKind::CUBIN);
            let targets: Vec<&str> = cubins
                .clone()
                .map(|(_, target, _)| target.as_str())
                .collect();
            assert_eq!(targets, TARGETS, "{module}, {compress}");
            for (_, target, image) in cubins {
                let cubin =
                    fs::read(out.join(format!("{module}.{target}.cubin"))).expect("a cubin");
                assert!(*image == cubin, "{module} for {target}, {compress}");
            }
            let ptx: Vec<String> = found
                .iter()
                .filter(|(kind, ..)| *kind == EntryKind::PTX)
                .map(|(.., image)| words(image))
                .collect();
            let text = fs::read(out.join(format!("{module}.compute_90.ptx"))).expect("PTX");
            assert_eq!(
                ptx,
                [words(&text[..text.len() - 1])],
                "{module}, {compress}"
            );
        }
    }
    assert!(
        sizes[1..].iter().all(|size| *size * 4 < sizes[0]),
        "{sizes:?}"
    );

    // Nothing is made anew while nothing changes, also after an interruption.
    let fatbin = out.join("one.fatbin");
    let size = "embed = \"fatbin\"\ncompress = \"size\"\n";
    let stamp = || {
        fs::metadata(&fatbin)
            .and_then(|data| data.modified())
            .expect("a time")
    };
    let before = stamp();
    build(&dir, size).expect("it builds");
    assert_eq!(stamp(), before);
    fs::remove_file(out.join("one.fatbin.key")).expect("a key");
    build(&dir, size).expect("it builds");
    assert_ne!(stamp(), before);
    // One kernel that changes is one fatbin that does.
    let other = fs::read(out.join("two.fatbin")).expect("a fatbin");
    let text = SOURCES[0].1.replace("one_table[n]", "one_table[n] * 3");
    fs::write(dir.join("one.cu"), text).expect("a source");
    let before = fs::read(&fatbin).expect("a fatbin");
    build(&dir, size).expect("it builds");
    assert_ne!(fs::read(&fatbin).expect("a fatbin"), before);
    assert_eq!(fs::read(out.join("two.fatbin")).expect("a fatbin"), other);

    // Without fatbins those of before are gone; what would compress them is no longer followed, and said so.
    let error = build(&dir, "compress = \"size\"\n").expect_err("no fatbin");
    assert!(
        error.contains(
            "error[config-invalid]: `compress` is for fatbins, and each cubin is embedded by itself"
        ) && error.contains("cubin.toml:5:12")
            && error.contains("write `embed = \"fatbin\"` beside it"),
        "{error}"
    );
    build(&dir, "embed = \"cubin\"\n").expect("it builds");
    assert!(!fatbin.exists() && !out.join("one.fatbin.key").exists());
}

/// A program with fatbins: cuobjdump lists it, the linker's own view of it is the same, and wrappers launch from it.
#[cfg(target_os = "linux")]
#[test]
fn nvidias_tools_read_the_program_and_its_wrappers_launch() {
    let Some(toolkit) = toolkit() else {
        return;
    };
    let dir = scratch("program");
    let output = build(&dir, "embed = \"fatbin\"\n").unwrap_or_else(|error| panic!("{error}"));
    let main = "//! Launches both kernels.\n\nuse user::all::{one, runtime, two};\n\nfn main() {\n    \
                let context = runtime::context(0).expect(\"the fake driver\");\n    let stream = context.default_stream();\n    \
                let launch = || runtime::LaunchConfig { grid_dim: (1, 1, 1), block_dim: (32, 1, 1), shared_mem_bytes: 0 };\n    \
                let mut out = runtime::DeviceAddress::<f32>::new(0x1000);\n    \
                let first = one::Module::load(&context).expect(\"an image\");\n    \
                println!(\"{} of {}\", first.image(), first.image().file);\n    \
                // SAFETY: nothing runs.\n    \
                unsafe { first.one(&stream, launch(), &mut out, 7) }.expect(\"a launch\");\n    \
                let second = two::Module::load(&context).expect(\"an image\");\n    \
                // SAFETY: nothing runs.\n    \
                unsafe { second.two(&stream, launch(), &mut out, 1.5) }.expect(\"a launch\");\n}\n";
    let files = [("all".to_owned(), output.generated.clone())];
    let program = user_crate::program(&dir.join("user"), &files, main);

    let bytes = fs::read(&program).expect("the program");
    let mut found: Vec<Vec<u8>> = Vec::new();
    for code in host::device_code(&bytes).map(|code| code.expect("readable code")) {
        if let host::Code::Entry(entry) = &code.code
            && entry.kind == EntryKind::CUBIN
        {
            found.push(entry.image().expect("an image").to_vec());
        }
    }
    let mut cubins: Vec<Vec<u8>> = output
        .cubins
        .iter()
        .map(|path| fs::read(path).expect("a cubin"))
        .collect();
    found.sort();
    cubins.sort();
    assert!(found == cubins, "{} and {}", found.len(), cubins.len());

    let listed = Command::new(toolkit.tool("cuobjdump").expect("cuobjdump"))
        .args(["-lelf", "-lptx"])
        .arg(&program)
        .output()
        .expect("cuobjdump runs");
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    for target in TARGETS {
        let end = format!(".{target}.cubin");
        let count = listed.lines().filter(|line| line.ends_with(&end)).count();
        assert_eq!(count, 2, "{target}: {listed}");
    }
    let usage = Command::new(toolkit.tool("cuobjdump").expect("cuobjdump"))
        .arg("-res-usage")
        .arg(&program)
        .output()
        .expect("cuobjdump runs");
    let usage = String::from_utf8_lossy(&usage.stdout).into_owned();
    for kernel in ["one", "two"] {
        assert!(usage.contains(&format!("Function {kernel}:")), "{usage}");
    }

    fake_driver::build(&dir, &[]);
    for (device, image, load) in [
        ("9.0", "sm_90a of one.fatbin\n", "load fatbin"),
        ("8.6", "sm_80 of one.fatbin\n", "load fatbin"),
        // The driver compiles the PTX of the fatbin, and says so where it cannot.
        (
            "12.0",
            "PTX compute_90 of one.fatbin\n",
            "load PTX of a fatbin",
        ),
    ] {
        let (log, list) = (dir.join("log"), dir.join("params"));
        let _ = fs::remove_file(&log);
        fs::write(&list, "one 0:8 8:4\ntwo 0:8 8:4\n").expect("the table");
        let ran = Command::new(&program)
            .env("LD_LIBRARY_PATH", &dir)
            .env("FAKE_DRIVER_LOG", &log)
            .env("FAKE_DRIVER_PARAMS", &list)
            .env("FAKE_DRIVER_DEVICE", device)
            .output()
            .expect("the program");
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{device}: {said}");
        assert_eq!(String::from_utf8_lossy(&ran.stdout), image, "{device}");
        let log = fs::read_to_string(&log).expect("a log");
        assert_eq!(log.lines().filter(|line| *line == load).count(), 2, "{log}");
        let lines: Vec<String> = log.lines().map(str::to_owned).collect();
        for (kernel, last) in [("one", 7_i32.to_le_bytes()), ("two", 1.5_f32.to_le_bytes())] {
            let block: Option<Vec<u8>> = fake_driver::block(&lines, kernel).into_iter().collect();
            let block = block.expect("no gap");
            assert_eq!(block[..8], 0x1000_u64.to_le_bytes(), "{kernel} on {device}");
            assert_eq!(block[8..], last, "{kernel} on {device}");
        }
    }
}
