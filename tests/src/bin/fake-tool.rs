//! Answers as nvcc, ptxas, gcc, python3 (with pip) or uv, depending on the name that it is started under.
//!
//! Tests put it into a directory under those names and say by files in `$FAKE_DIR` what it shall do:
//!
//! | file | effect |
//! |---|---|
//! | `version` | what `nvcc --version` says it is (default 13.5.37) |
//! | `mode` | `fail`: print `stderr` and end with 1; `silent`: end with 0 and leave nothing; `half`: write half a cubin and be killed; `garbage`: print bytes that are no text, end with 1; `slow`: take a second; `hang`: take 10 minutes; `flood`: print 100 MB first; `137`: end with that status |
//! | `edit` | names a file that is changed while a compilation runs |
//! | `stderr` | printed to stderr by every compilation |
//! | `cubin` | bytes of the cubin that a compilation leaves |
//! | `calls/` | one file per run: the name, then one argument a line |
//! | `steps` | makes nvcc say which steps it would run; the preprocessor among them is the gcc on `PATH` |
//! | `before-cicc`, `after-ptxas`, … | a shell script that runs when that step begins or ends |
//!
//! As nvcc it preprocesses as far as to follow `#include "…"` through the directories of the including file and `-I`,
//! so that dependency lists are real.

use std::{
    env, fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use cubin_build::env::Env;

fn main() -> ExitCode {
    let mut words = env::args();
    let name = words
        .next()
        .as_deref()
        .and_then(|path| Path::new(path).file_stem()?.to_str().map(str::to_owned))
        .unwrap_or_default();
    let words: Vec<String> = words.collect();
    let control = PathBuf::from(Env::process().peek("FAKE_DIR").expect("FAKE_DIR"));
    record(&control, &name, &words);
    match name.as_str() {
        "nvcc" => nvcc(&control, &words),
        "cicc" => hooked(&control, "cicc", || cicc(&control, &words)),
        "ptxas" => hooked(&control, "ptxas", || compile(&control, &words, false)),
        "python3" | "pip3" | "pip" | "uv" => pip(&control, &words),
        _ => ExitCode::SUCCESS,
    }
}

/// Leaves a file that tells that it ran; its name is unique across processes.
fn record(control: &Path, name: &str, words: &[String]) {
    let dir = control.join("calls");
    fs::create_dir_all(&dir).unwrap();
    for number in 0.. {
        let file = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(dir.join(format!("{number:04}")));
        if let Ok(mut file) = file {
            writeln!(file, "{name}").unwrap();
            for word in words {
                writeln!(file, "{word}").unwrap();
            }
            return;
        }
    }
}

fn control_text(control: &Path, name: &str) -> String {
    fs::read_to_string(control.join(name)).unwrap_or_default()
}

fn value<'a>(words: &'a [String], name: &str) -> Option<&'a str> {
    let at = words.iter().position(|word| word == name)?;
    words.get(at + 1).map(String::as_str)
}

fn nvcc(control: &Path, words: &[String]) -> ExitCode {
    const KNOWN: [&str; 8] = [
        "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_100f",
    ];
    let has = |flag: &str| words.iter().any(|word| word == flag);
    if has("--version") {
        let version = control_text(control, "version");
        let version = match version.trim() {
            "" => "13.5.37",
            "broken" => {
                eprintln!("nvcc: cannot open shared object");
                return ExitCode::from(127);
            }
            version => version,
        };
        let release = version.rsplit_once('.').unwrap().0;
        println!("nvcc: NVIDIA (R) Cuda compiler driver");
        println!("Cuda compilation tools, release {release}, V{version}");
        return ExitCode::SUCCESS;
    }
    let arch = words.iter().find_map(|word| word.strip_prefix("-arch="));
    if has("--dryrun") && arch.is_none() {
        // Not `current_exe`: nvcc goes by the name that it was started by.
        let here = PathBuf::from(env::args_os().next().unwrap());
        let here = here.parent().unwrap().display();
        let path = Env::process().peek("PATH").unwrap_or_default();
        let path = path.to_string_lossy();
        eprintln!("#$ _HERE_={here}\n#$ TOP={here}/..\n#$ PATH={here}:{path}");
        eprintln!("#$ INCLUDES=\"-I{here}/../include\"  ");
        return ExitCode::SUCCESS;
    }
    if has("--list-gpu-code") {
        println!("sm_90\nsm_80\nsm_100");
        return ExitCode::SUCCESS;
    }
    let arch = arch.unwrap();
    if !KNOWN.contains(&arch) {
        eprintln!("nvcc fatal   : Unsupported gpu architecture '{arch}'");
        return ExitCode::FAILURE;
    }
    if has("--dryrun") {
        if control.join("steps").exists() {
            steps(words, arch);
        }
        return ExitCode::SUCCESS;
    }
    compile(control, words, true)
}

/// Runs a step between the scripts that are to run before and after it.
fn hooked(control: &Path, name: &str, step: impl FnOnce() -> ExitCode) -> ExitCode {
    let script = |when: &str| {
        let script = control.join(format!("{when}-{name}"));
        if script.exists() {
            let ended = std::process::Command::new("/bin/sh").arg(script).status();
            assert!(ended.is_ok_and(|status| status.success()), "{when}-{name}");
        }
    };
    script("before");
    let status = step();
    script("after");
    status
}

/// Says which steps would run, with the flags of the environment in their places, as nvcc and its profile do.
fn steps(words: &[String], arch: &str) {
    let env = |name: &str| {
        let value = Env::process().peek(name).unwrap_or_default();
        value.to_string_lossy().into_owned()
    };
    let here = PathBuf::from(env::args_os().next().unwrap());
    let here = here.parent().unwrap().display().to_string();
    let mut all = expanded(&env("NVCC_PREPEND_FLAGS"));
    all.extend(words.iter().cloned());
    all.extend(expanded(&env("NVCC_APPEND_FLAGS")));
    let (mut host, mut front, mut back) = (String::new(), String::new(), String::new());
    let mut rest = all.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "-isystem" | "-include" => {
                host.push_str(&format!(" {word} \"{}\"", rest.next().unwrap()));
            }
            "-Xcompiler" => host.push_str(&format!(" {}", rest.next().unwrap().replace(',', " "))),
            "-Xptxas" => back.push_str(&format!(" {}", rest.next().unwrap())),
            "--keep-dir" | "-o" | "-ccbin" => drop(rest.next()),
            word if word.starts_with("-I") || word.starts_with("-D") => {
                host.push_str(&format!(" \"{word}\""));
            }
            word if word.starts_with("-arch") || !word.starts_with('-') => {}
            "-cubin" | "--keep" | "--dryrun" => {}
            word => front.push_str(&format!(" {word}")),
        }
    }
    let keep = value(words, "--keep-dir").unwrap();
    let source = words.last().unwrap();
    let stem = source.strip_suffix(".cu").unwrap();
    let number = arch.trim_start_matches("sm_");
    let output = value(words, "-o").unwrap();
    let root = env::current_dir().unwrap();
    eprintln!("#$ _HERE_={here}\n#$ TOP={here}/..\n#$ CICC_PATH={here}/../nvvm/bin");
    eprintln!(
        "#$ NVVMIR_LIBRARY_DIR={here}/../nvvm/libdevice\n#$ PATH={here}:{}",
        env("PATH")
    );
    eprintln!(
        "#$ gcc -D__CUDA_ARCH__={number}0 -E -x c++ \"-I{here}/../include\" {} {} {host} -m64 \"{source}\" -o \"{keep}/{stem}.cpp1.ii\"",
        env("INCLUDES"),
        env("SYSTEM_INCLUDES"),
    );
    eprintln!(
        "#$ \"$CICC_PATH/cicc\" {front} {} {} --orig_src_file_name \"{source}\" --orig_src_path_name \"{}/{source}\" \
         -arch compute_{number} --module_id_file_name \"{keep}/{stem}.module_id\" --gen_c_file_name \"{keep}/{stem}.cudafe1.c\" \
         --stub_file_name \"{keep}/{stem}.cudafe1.stub.c\" --gen_device_file_name \"{keep}/{stem}.cudafe1.gpu\" \
         \"{keep}/{stem}.cpp1.ii\" --simt-only -o \"{keep}/{stem}.ptx\"",
        env("CUDAFE_FLAGS"),
        env("NVVM_FLAGS"),
        root.display(),
    );
    eprintln!(
        "#$ ptxas -arch={arch} -m64 {} {} {back} \"{keep}/{stem}.ptx\" -o \"{output}\"",
        env("PTXAS_FLAGS"),
        env("OCG_FLAGS"),
    );
}

/// Flags of a variable, with those of the files that it names.
fn expanded(flags: &str) -> Vec<String> {
    let mut words = flags.split_whitespace().map(str::to_owned);
    let mut all = Vec::new();
    while let Some(word) = words.next() {
        if word == "-optf" {
            let file = words.next().unwrap();
            all.extend(expanded(&fs::read_to_string(file).unwrap_or_default()));
        } else {
            all.push(word);
        }
    }
    all
}

/// PTX that says what the text says, whatever the numbers of its lines; the front end's files also name the lines of
/// kernels.
fn cicc(control: &Path, words: &[String]) -> ExitCode {
    let stub = value(words, "--stub_file_name").unwrap();
    let input = words
        .iter()
        .find(|word| word.ends_with(".cpp1.ii"))
        .unwrap();
    let text = fs::read_to_string(input).unwrap();
    let dir = Path::new(input).parent().unwrap().display().to_string();
    eprint!("{}", control_text(control, "stderr"));
    if control_text(control, "mode").trim() == "137" {
        return ExitCode::from(137);
    }
    let flags: Vec<&str> = words
        .iter()
        .filter(|word| !word.starts_with(&dir))
        .map(String::as_str)
        .collect();
    let mut ptx = format!("// {}\n", flags.join(" "));
    let mut places = String::new();
    let (mut number, mut file) = (0_usize, String::new());
    for line in text.lines() {
        let marker = line
            .strip_prefix("# ")
            .and_then(|rest| rest.split_once(" \""));
        if let Some((at, rest)) = marker {
            number = at.parse().unwrap();
            file = rest.split('"').next().unwrap().to_owned();
            continue;
        }
        if !line.trim().is_empty() {
            ptx.push_str(line.trim_end());
            ptx.push('\n');
        }
        if line.contains("kernel") {
            places.push_str(&format!("# {number} \"{file}\"\n{}\n", line.trim_end()));
        }
        number += 1;
    }
    if words.iter().any(|word| word == "-lineinfo") {
        ptx.push_str(&places);
    }
    let ptx = if control_text(control, "mode").trim() == "same" {
        "// always the same\n".to_owned()
    } else {
        ptx
    };
    fs::write(value(words, "-o").unwrap(), ptx).unwrap();
    fs::write(stub, format!("// stub\n{places}")).unwrap();
    fs::write(
        value(words, "--gen_device_file_name").unwrap(),
        format!("// gpu\n{places}"),
    )
    .unwrap();
    ExitCode::SUCCESS
}

fn compile(control: &Path, words: &[String], cuda: bool) -> ExitCode {
    let source = words.iter().find(|word| !cuda && word.ends_with(".ptx"));
    let source = PathBuf::from(source.unwrap_or_else(|| words.last().unwrap()));
    let output = PathBuf::from(value(words, "-o").unwrap());
    let arch = words
        .iter()
        .find_map(|word| word.strip_prefix("-arch="))
        .unwrap();
    eprint!("{}", control_text(control, "stderr"));
    match control_text(control, "mode").trim() {
        "fail" => return ExitCode::FAILURE,
        "silent" => return ExitCode::SUCCESS,
        "garbage" => {
            std::io::stderr()
                .write_all(b"\xff\xfe\x00 garbage(: error\n(1): \n")
                .unwrap();
            return ExitCode::FAILURE;
        }
        "half" => {
            fs::write(&output, b"\x7fELF").unwrap();
            std::process::abort();
        }
        "slow" => std::thread::sleep(std::time::Duration::from_secs(1)),
        "hang" => std::thread::sleep(std::time::Duration::from_secs(600)),
        "flood" => {
            let line = [b"x".repeat(99), b"\n".to_vec()].concat();
            for _ in 0..1_000_000 {
                std::io::stderr().write_all(&line).unwrap();
            }
        }
        "137" => return ExitCode::from(137),
        _ => {}
    }
    let stem = source.file_stem().unwrap().to_str().unwrap();
    eprintln!("ptxas info    : Compiling entry function '{stem}' for '{arch}'");
    eprintln!("ptxas info    : Function properties for {stem}");
    eprintln!("    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads");
    if cuda {
        let keep = PathBuf::from(value(words, "--keep-dir").unwrap());
        let includes: Vec<PathBuf> = words
            .iter()
            .filter_map(|word| word.strip_prefix("-I"))
            .map(|dir| PathBuf::from(dir.trim_matches('"')))
            .collect();
        let mut text = String::new();
        let mut seen = Vec::new();
        if let Err(missing) = preprocess(&source, &includes, &mut text, &mut seen) {
            eprintln!("{missing}");
            return ExitCode::FAILURE;
        }
        fs::write(keep.join(format!("{stem}.cpp1.ii")), text).unwrap();
        if let Ok(name) = fs::read_to_string(control.join("edit")) {
            // Longer than the tick of any file system's clock.
            std::thread::sleep(std::time::Duration::from_millis(50));
            let mut file = fs::File::options().append(true).open(name.trim()).unwrap();
            file.write_all(b"// edited\n").unwrap();
        }
        for (end, text) in [
            (
                "cudafe1.stub.c",
                "static void __sti____cudaRegisterAll(void) {}\n",
            ),
            ("cudafe1.gpu", "typedef char __nv_bool;\n"),
            ("cudafe1.c", "\n"),
            ("module_id", "x\n"),
            ("ptx", ".version 9.2\n"),
        ] {
            fs::write(keep.join(format!("{stem}.{end}")), text).unwrap();
        }
    }
    let cubin = fs::read(control.join("cubin")).unwrap_or_else(|_| {
        let mut text = format!("cubin for {arch}\n");
        if control.join("steps").exists() {
            let flags = words.iter().filter(|word| word.starts_with('-'));
            text.extend(flags.map(|flag| format!("{flag} ")));
            text.push_str(&fs::read_to_string(&source).unwrap());
        }
        text.into_bytes()
    });
    fs::write(output, cubin).unwrap();
    ExitCode::SUCCESS
}

/// Line markers for a file and all that it includes.
fn preprocess(
    file: &Path,
    includes: &[PathBuf],
    text: &mut String,
    seen: &mut Vec<PathBuf>,
) -> Result<(), String> {
    if seen.contains(&file.to_owned()) {
        return Ok(());
    }
    seen.push(file.to_owned());
    let source =
        fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    text.push_str(&format!("# 1 {:?} 1\n", file.display().to_string()));
    for (number, line) in source.lines().enumerate() {
        let Some(name) = line
            .strip_prefix("#include \"")
            .and_then(|rest| rest.strip_suffix('"'))
        else {
            continue;
        };
        let beside = file.parent().unwrap().join(name);
        let found = std::iter::once(beside)
            .chain(includes.iter().map(|dir| dir.join(name)))
            .find(|path| path.is_file());
        match found {
            Some(found) => preprocess(&found, includes, text, seen)?,
            None => {
                return Err(format!(
                    "{}:{}:10: fatal error: {name}: No such file or directory\ncompilation terminated.",
                    file.display(),
                    number + 1
                ));
            }
        }
    }
    Ok(())
}

/// `pip install --target DIR …`: leaves the wheels' layout with this program as nvcc and ptxas; for requirements of cuRAND
/// alone, its header.
fn pip(control: &Path, words: &[String]) -> ExitCode {
    if !words.iter().any(|word| word == "install") {
        return ExitCode::SUCCESS;
    }
    let mode = control_text(control, "mode");
    eprint!("{}", control_text(control, "stderr"));
    let target = PathBuf::from(value(words, "--target").unwrap());
    let root = target.join("nvidia/cu13");
    let requirements = value(words, "-r").map(|file| fs::read_to_string(file).unwrap());
    if let Some(text) = &requirements {
        fs::write(control.join("requirements"), text).unwrap();
    }
    if mode.trim() != "fail" && requirements.is_some_and(|text| text.starts_with("nvidia-curand=="))
    {
        fs::create_dir_all(root.join("include")).unwrap();
        fs::write(root.join("include/curand_kernel.h"), "// cuRAND\n").unwrap();
        let wheel = target.join("nvidia_curand-1.dist-info");
        fs::create_dir_all(&wheel).unwrap();
        fs::write(
            wheel.join("RECORD"),
            "nvidia/cu13/include/curand_kernel.h,,10\n",
        )
        .unwrap();
        return ExitCode::SUCCESS;
    }
    let own = env::current_exe().unwrap();
    for dir in ["bin", "include/cccl/cuda/std", "nvvm/libdevice"] {
        fs::create_dir_all(root.join(dir)).unwrap();
    }
    match mode.trim() {
        "fail" => return ExitCode::FAILURE,
        "slow" => std::thread::sleep(std::time::Duration::from_secs(1)),
        _ => {}
    }
    for tool in ["nvcc", "ptxas"] {
        fs::hard_link(&own, root.join("bin").join(tool)).unwrap();
    }
    for file in [
        "bin/nvcc.profile",
        "include/cuda_runtime.h",
        "include/cccl/cuda/std/version",
    ] {
        fs::write(root.join(file), "").unwrap();
    }
    if mode.trim() != "broken" {
        fs::write(root.join("nvvm/libdevice/libdevice.10.bc"), "").unwrap();
    }
    let wheel = target.join("nvidia_cuda_nvcc-13.5.37.dist-info");
    fs::create_dir_all(&wheel).unwrap();
    fs::write(wheel.join("RECORD"), "nvidia/cu13/bin/nvcc.profile,,0\n").unwrap();
    ExitCode::SUCCESS
}
