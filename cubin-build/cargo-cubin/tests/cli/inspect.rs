//! `inspect`: every view, of every kind of file.

use std::{
    fs,
    io::Read as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use cubin_tests::{
    recorded, schema,
    tools::{self, same_as_recorded},
};

use crate::{command, cubin, golden, run, scratch};

/// The recorded files that cuobjdump 13.5 does not print, in its words.
const REFUSED: &[(&str, &str)] = &[
    ("basic-11.7-sm_35.cubin", "has been removed"),
    ("basic-12.1-sm_70.cubin", "does not contain device code"),
    ("legacy-11.8.cubin", "elf section not found"),
    ("legacyu-11.8.cubin", "elf section not found"),
];

/// `cubins/x.cubin` of every recorded file with device code.
fn fixtures() -> Vec<String> {
    ["cubins", "fatbins"]
        .iter()
        .flat_map(|folder| {
            recorded::files(folder)
                .into_iter()
                .map(move |(name, _)| format!("{folder}/{name}"))
        })
        .collect()
}

#[test]
fn tables() {
    let run = cubin(&[
        "inspect",
        "cubins/basic-13.5-sm_75.cubin",
        "cubins/basic-12.6-sm_90-rdc.cubin",
        "cubins/min-13.5-sm_100f.cubin",
        "fatbins/x3.fatbin",
        "fatbins/xlto.o",
    ])
    .ends_with(0);
    assert_eq!(run.stderr, "");
    same_as_recorded("cli/inspect.txt", &run.stdout);
}

#[test]
fn json_lines() {
    let run = cubin(&[
        "inspect",
        "--json",
        "cubins/feat-13.5-90a.cubin",
        "cubins/annot.cubin",
        "cubins/basic-12.4-sm_75.cubin",
        "cubins/basic-12.6-sm_90-rdc.cubin",
        "fatbins/x3.fatbin",
    ])
    .ends_with(0);
    for line in run.stdout.lines() {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let keys: Vec<&String> = line.as_object().expect("an object").keys().collect();
        let mut documented = schema::documented("Facts of a function");
        documented.append(&mut schema::documented("Where a function was found"));
        documented.insert("schema".into(), Vec::new());
        // None of these files is an archive.
        documented.remove("member");
        assert_eq!(keys, documented.keys().collect::<Vec<_>>());
        for (key, words) in &documented {
            for name in line[key]
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, _)| name)
            {
                assert!(
                    words.contains(name) || name.parse::<u8>().is_ok(),
                    "`{name}` of `{key}` is not documented"
                );
            }
        }
        assert_eq!(line["schema"], 2);
    }
    same_as_recorded("cli/inspect.jsonl", &run.stdout);
}

/// Entries of a container are numbered in file order, PTX included, and each says where it stands.
#[test]
fn places_in_containers() {
    let places = |file: &str| -> Vec<(serde_json::Value, serde_json::Value)> {
        let run = cubin(&["inspect", "--json", file]).ends_with(0);
        let line = |line| serde_json::from_str::<serde_json::Value>(line).expect("JSON");
        let mut places: Vec<_> = run
            .stdout
            .lines()
            .map(line)
            .map(|line| (line["place"].clone(), line["member"].clone()))
            .collect();
        places.dedup();
        places
    };
    for (file, data) in recorded::files("fatbins") {
        let entries: Vec<_> = cubin_core::host::device_code(&data)
            .filter_map(Result::ok)
            .collect();
        let shown = places(&format!("fatbins/{file}"));
        let expected: Vec<_> = entries
            .iter()
            .enumerate()
            .filter_map(|(at, code)| match &code.code {
                cubin_core::host::Code::Entry(entry) if entry.is_cubin() => {
                    let image = entry.image().expect("a cubin");
                    let functions = cubin_core::Cubin::parse(&image).and_then(|c| c.functions());
                    // A cubin without functions has no lines.
                    functions.is_ok_and(|all| !all.is_empty()).then(|| {
                        let place = serde_json::json!({
                            "entry": at + 1, "offset": entry.offset, "section": code.section, "symbol": null,
                        });
                        (place, serde_json::json!(code.member))
                    })
                }
                _ => None,
            })
            .collect();
        assert_eq!(shown, expected, "{file}");
    }
    let alone = places("cubins/one-13.5-75.cubin");
    let place = serde_json::json!({"entry": null, "offset": 0, "section": null, "symbol": null});
    assert_eq!(alone, [(place, serde_json::Value::Null)]);
}

#[test]
fn the_sha256_is_that_of_the_cubin() {
    use sha2::Digest as _;
    // 32-bit cubins can end between multiples of 8, and a container pads them.
    let cubin = recorded::file("cubins", "one-13.5-75.cubin");
    let hash: String = sha2::Sha256::digest(&cubin)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    crate::cubin(&["inspect", "--json", "cubins/one-13.5-75.cubin"])
        .ends_with(0)
        .prints(&format!("\"sha256\":\"{hash}\""));

    let dir = scratch("sha256");
    for padding in 0..8_usize {
        let mut fatbin = Vec::new();
        let payload = cubin.len() + padding;
        let entry = |kind: u16| {
            let mut entry = vec![0_u8; 64];
            entry[..2].copy_from_slice(&kind.to_le_bytes());
            entry[2..4].copy_from_slice(&0x0101_u16.to_le_bytes());
            entry[4..8].copy_from_slice(&64_u32.to_le_bytes());
            entry[8..16].copy_from_slice(&(payload as u64).to_le_bytes());
            entry[28..32].copy_from_slice(&75_u32.to_le_bytes());
            entry[40..48].copy_from_slice(&0x11_u64.to_le_bytes());
            entry
        };
        fatbin.extend(0xba55_ed50_u32.to_le_bytes());
        fatbin.extend(1_u16.to_le_bytes());
        fatbin.extend(16_u16.to_le_bytes());
        fatbin.extend((64 + payload as u64).to_le_bytes());
        fatbin.extend(entry(2));
        fatbin.extend(&cubin);
        fatbin.extend(vec![0; padding]);
        let path = dir.join(format!("{padding}.fatbin"));
        fs::write(&path, fatbin).unwrap();
        crate::cubin(&["inspect", "--json", &path.to_string_lossy()])
            .ends_with(0)
            .prints(&hash);
    }
}

#[test]
fn text_of_a_container() {
    let run = cubin(&["inspect", "--text", "fatbins/x.o"]).ends_with(0);
    assert!(
        run.stdout.starts_with("fatbins/x.o, entry 1\nfile\n"),
        "{}",
        run.stdout
    );
}

/// What cuobjdump printed when the recordings were made, byte for byte.
#[test]
fn like_cuobjdump_is_what_cuobjdump_printed() {
    if cubin_build::env::Env::process().peek("BLESS").is_some() {
        // The test below is making the recordings.
        return;
    }
    let mut same = 0;
    for name in fixtures() {
        let stem = name.rsplit('/').next().unwrap();
        let ours = cubin(&["inspect", "--like-cuobjdump", &name]).ends_with(0);
        assert_eq!(ours.stderr, "", "{name}");
        if REFUSED.iter().any(|(refused, _)| *refused == stem) {
            assert!(ours.stdout.starts_with("\nResource usage:\n"), "{name}");
            continue;
        }
        let recorded = golden().join("res-usage").join(format!("{stem}.txt"));
        let recorded = fs::read_to_string(&recorded)
            .unwrap_or_else(|error| panic!("{}: {error}", recorded.display()));
        assert!(
            ours.stdout == recorded,
            "{name}:\n{}\n{recorded}",
            ours.stdout
        );
        same += 1;
    }
    assert!(same >= 70, "{same} files");
}

/// The same against the tool itself, which also makes the recordings.
#[test]
fn like_cuobjdump_is_what_cuobjdump_prints() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let tool = toolkit.tool("cuobjdump").expect("cuobjdump");
    for name in fixtures() {
        let stem = name.rsplit('/').next().unwrap();
        let theirs = run(Command::new(&tool)
            .args(["-res-usage", &name])
            .current_dir(golden()));
        if let Some((_, words)) = REFUSED.iter().find(|(refused, _)| *refused == stem) {
            let all = format!("{}{}", theirs.stdout, theirs.stderr);
            assert!(
                theirs.status != Some(0) && all.contains(words),
                "{name}: {all}"
            );
            continue;
        }
        let theirs = theirs.ends_with(0);
        same_as_recorded(&format!("res-usage/{stem}.txt"), &theirs.stdout);
        let ours = cubin(&["inspect", "--like-cuobjdump", &name]).ends_with(0);
        assert!(ours.stdout == theirs.stdout, "{name}");
    }
    // More files than the repository keeps, where there are some.
    for (path, _) in recorded::corpus() {
        let theirs = run(Command::new(&tool).args(["-res-usage", &path]));
        let ours = cubin(&["inspect", "--like-cuobjdump", &path]).ends_with(0);
        if theirs.status == Some(0) {
            assert!(ours.stdout == theirs.stdout, "{path}");
        }
    }
}

const KERNELS: &str = "\
__constant__ float table[4];
__device__ int count = 3;
__global__ void first(int *p) { *p = count + (int)table[threadIdx.x & 3]; }
";
const CALLER: &str = "\
extern __device__ int helper(int);
__global__ void second(int *p) { *p = helper(*p); }
";
const HELPER: &str = "\
__device__ int helper(int x) { return x * 3; }
int main() { return 0; }
";

/// Files of every kind with the kernels above.
fn host_files(toolkit: &cubin_build::toolkit::Toolkit, dir: &Path) -> Vec<PathBuf> {
    let targets = [
        "-gencode",
        "arch=compute_80,code=sm_80",
        "-gencode",
        "arch=compute_90a,code=[sm_90a,compute_90a]",
    ];
    let nvcc = |args: &[&str]| {
        let all: Vec<&str> = targets.iter().chain(args).copied().collect();
        tools::tool(toolkit, "nvcc", &all, dir);
    };
    for (name, text) in [
        ("first.cu", KERNELS),
        ("second.cu", CALLER),
        ("helper.cu", HELPER),
    ] {
        fs::write(dir.join(name), text).unwrap();
    }
    fs::write(dir.join("host.cpp"), "int host() { return 1; }\n").unwrap();
    nvcc(&["-lineinfo", "-c", "first.cu", "-o", "first.o"]);
    nvcc(&["-dc", "second.cu", "-o", "second.o"]);
    nvcc(&["-dc", "helper.cu", "-o", "helper.o"]);
    nvcc(&["-dlink", "second.o", "helper.o", "-o", "dlink.o"]);
    nvcc(&["-fatbin", "first.cu", "-o", "first.fatbin"]);
    nvcc(&[
        "first.o",
        "second.o",
        "helper.o",
        "-cudart",
        "none",
        "-Xlinker",
        "--unresolved-symbols=ignore-all",
        "-o",
        "program",
    ]);
    let host = Path::new("g++");
    tools::run(host, &["-c", "host.cpp", "-o", "host.o"], dir);
    tools::run(host, &["-shared", "first.o", "-o", "libfirst.so"], dir);
    tools::run(
        Path::new("ar"),
        &[
            "rcs", "liball.a", "host.o", "first.o", "second.o", "helper.o",
        ],
        dir,
    );
    [
        "first.o",
        "second.o",
        "helper.o",
        "dlink.o",
        "first.fatbin",
        "program",
        "libfirst.so",
        "liball.a",
    ]
    .iter()
    .map(|name| dir.join(name))
    .collect()
}

#[test]
fn host_files_of_every_kind() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let dir = scratch("host");
    let tool = toolkit.tool("cuobjdump").expect("cuobjdump");
    for path in host_files(&toolkit, &dir) {
        // By a relative name: members of archives are shown with the path from the root.
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let theirs = run(Command::new(&tool)
            .args(["-res-usage", &name])
            .current_dir(&dir))
        .ends_with(0);
        let ours =
            run(command(&["inspect", "--like-cuobjdump", &name]).current_dir(&dir)).ends_with(0);
        assert_eq!(ours.stdout, theirs.stdout, "{name}");
        assert!(!ours.stdout.is_empty(), "{name}");
        let json = run(command(&["inspect", "--json", &name]).current_dir(&dir)).ends_with(0);
        assert!(json.stdout.lines().count() >= 2, "{name}: {}", json.stdout);
    }
    run(command(&["inspect", "--json", "liball.a"]).current_dir(&dir))
        .ends_with(0)
        .prints("\"file\":\"liball.a\",\"member\":\"first.o\",")
        .prints("\"function\":\"_Z5firstPi\",\"name\":\"first(int*)\",\"kernel\":true");
    // An object without device code is no error inside an archive, but is one alone.
    run(command(&["inspect", "host.o", "first.o"]).current_dir(&dir))
        .ends_with(1)
        .says("error: host.o: it holds no device code")
        .prints("first.o, entry 1: sm_80");
}

#[test]
fn one_bad_file_does_not_hide_the_others() {
    let dir = scratch("bad");
    let cubin_bytes = recorded::file("cubins", "one-13.5-75.cubin");
    fs::write(dir.join("cut.cubin"), &cubin_bytes[..cubin_bytes.len() / 2]).unwrap();
    fs::write(dir.join("good.cubin"), &cubin_bytes).unwrap();
    fs::write(dir.join("empty.cubin"), "").unwrap();
    fs::write(dir.join("text.txt"), "hello").unwrap();
    for view in ["--json", "--like-cuobjdump", "--text"] {
        let run = run(command(&[
            "inspect",
            view,
            "missing.cubin",
            "cut.cubin",
            "empty.cubin",
            "text.txt",
            ".",
            "good.cubin",
        ])
        .current_dir(&dir))
        .ends_with(1)
        .says("error: missing.cubin: cannot open it: No such file or directory")
        .says("error: cut.cubin: ")
        .says("error: empty.cubin: the file is empty")
        .says("error: text.txt: it is neither a cubin nor a file that holds one")
        .says("error: .: it is a directory");
        assert!(run.stdout.contains('k'), "{}", run.stdout);
    }
}

#[cfg(unix)]
#[test]
fn a_device_without_an_end_is_refused() {
    cubin(&["inspect", "/dev/zero"])
        .ends_with(1)
        .says("error: /dev/zero: it is a device, not a file");
}

#[test]
fn wrong_use_is_status_2() {
    cubin(&["inspect"]).ends_with(2).says("Usage:");
    cubin(&["inspect", "--json", "--text", "x"])
        .ends_with(2)
        .says("cannot be used with");
    cubin(&["nonsense"])
        .ends_with(2)
        .says("unrecognized subcommand");
    cubin(&[])
        .ends_with(2)
        .says("Usage: cargo cubin [OPTIONS] <COMMAND>");
    cubin(&["--version"])
        .ends_with(0)
        .prints(env!("CARGO_PKG_VERSION"));
    cubin(&["--help"])
        .ends_with(0)
        .prints("inspect")
        .prints("baseline");
}

/// `| head` ends the command without a word.
#[test]
fn a_closed_pipe_is_silent() {
    let names = fixtures();
    let mut args = vec!["inspect", "--text"];
    args.extend(names.iter().map(String::as_str));
    let mut child = command(&args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0; 100]).unwrap();
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(output.status.success(), "{}", output.status);
}
