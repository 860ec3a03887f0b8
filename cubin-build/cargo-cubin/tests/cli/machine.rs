//! `toolkit`, `doctor` and `explain`.

use std::{fs, process::Command};

use cubin_build::diag::codes;

use crate::{command, cubin, run, scratch};

/// The command on a machine with nothing on it.
fn bare(args: &[&str], dir: &std::path::Path) -> Command {
    let mut command = command(args);
    command
        .env_clear()
        .env("CUBIN_BUILD_CACHE", dir.join("cache"))
        .env("PATH", dir.join("path"))
        .current_dir(dir);
    command
}

#[test]
fn explain_knows_every_code() {
    let list = cubin(&["explain"]).ends_with(0);
    assert_eq!(list.stdout.lines().count(), codes::ALL.len());
    for entry in codes::ALL {
        cubin(&["explain", entry.code.0])
            .ends_with(0)
            .prints(entry.doc)
            .prints("Example:");
    }
    cubin(&["explain", "register-over-budget"])
        .ends_with(2)
        .says("a similar value exists: 'registers-over-budget'");
}

#[test]
fn toolkits_of_the_cache() {
    let dir = scratch("toolkits");
    let run_bare = |args: &[&str]| run(&mut bare(args, &dir));
    let none = run_bare(&["toolkit", "list"])
        .ends_with(0)
        .says("no toolkit is installed in ")
        .says("cargo cubin toolkit install 13.5");
    assert_eq!(none.stdout, "");
    run_bare(&["toolkit", "path", "99.1"])
        .ends_with(1)
        .says("error: no CUDA toolkit 99.1 found")
        .says("CUDA_PATH");
    run_bare(&["toolkit", "install", "12.4"])
        .ends_with(1)
        .says("NVIDIA publishes nvcc on PyPI from 13.0 on");
    run_bare(&["toolkit", "install", "13.5"])
        .ends_with(1)
        .says("neither uv nor pip is there");
    run_bare(&["toolkit", "verify"])
        .ends_with(1)
        .says("no toolkit is in the per-user cache");
    run_bare(&["toolkit", "remove", "13.5"])
        .ends_with(1)
        .says("no toolkit 13.5 is in the per-user cache");
    run_bare(&["toolkit", "install", "13.5", "--with", "cudnn"])
        .ends_with(2)
        .says("there are cublas, cufft, curand, cusparse, cutlass, nvtx");
    run_bare(&["toolkit", "install", "new"])
        .ends_with(2)
        .says("'new'");

    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let mut command = bare(&["toolkit", "path", "13.5"], &dir);
    command
        .env("CUBIN_BUILD_TOOLKIT", &toolkit.nvcc)
        .env_remove("PATH");
    let path = run(&mut command).ends_with(0);
    assert_eq!(path.stdout.trim_end(), toolkit.root.to_string_lossy());
}

/// A copy of the installed toolkit by hard links, which damage does not reach.
#[cfg(unix)]
#[test]
fn damage_to_a_toolkit_is_found() {
    let Some(toolkit) = cubin_tests::toolkit().filter(|toolkit| toolkit.is_immutable()) else {
        eprintln!("skipped: the toolkit does not lie in the cache");
        return;
    };
    let dir = scratch("damage");
    let version = toolkit.version.to_string();
    let home = toolkit
        .root
        .parent()
        .and_then(std::path::Path::parent)
        .unwrap();
    let copy = dir.join("cache/toolkits").join(&version);
    fs::create_dir_all(copy.parent().unwrap()).unwrap();
    let linked = Command::new("cp")
        .args(["-al"])
        .arg(home)
        .arg(&copy)
        .status();
    assert!(linked.unwrap().success());
    let run_bare = |args: &[&str]| run(&mut bare(args, &dir));
    run_bare(&["toolkit", "verify", "13"])
        .ends_with(0)
        .prints(&format!("CUDA {version}: "))
        .prints(" files are as NVIDIA's wheels record them");

    // A component beside it, whole and then without the header that it is known by.
    let component = copy.with_file_name(format!("{version}-cufft"));
    let include = component.join("nvidia/cu13/include");
    fs::create_dir_all(&include).unwrap();
    fs::write(component.join("cubin-build-wheels.txt"), "").unwrap();
    let shown = |printed: String| {
        let line = printed.lines().find(|line| line.contains(" cache "));
        line.unwrap().contains("cuFFT")
    };
    assert!(!shown(run_bare(&["doctor"]).stdout));
    fs::write(include.join("cufft.h"), "").unwrap();
    let doctor = run_bare(&["doctor"]).prints("cuFFT");
    assert!(shown(doctor.stdout));

    // Another file in its place, so that the original stays as it is.
    let replace = |name: &str, change: fn(&mut Vec<u8>)| {
        let path = copy.join("nvidia/cu13").join(name);
        let mut bytes = fs::read(&path).unwrap();
        change(&mut bytes);
        fs::remove_file(&path).unwrap();
        fs::write(&path, bytes).unwrap();
    };
    replace("include/cuda_fp16.h", |bytes| bytes[0] ^= 1);
    run_bare(&["toolkit", "verify"])
        .ends_with(1)
        .prints("include/cuda_fp16.h has another content (nvidia_cuda_")
        .prints(&format!("cargo cubin toolkit install --force {version}"));
    replace("include/cuda_bf16.h", |bytes| bytes.truncate(10));
    fs::remove_file(copy.join("nvidia/cu13/include/cuda_fp8.h")).unwrap();
    run_bare(&["toolkit", "verify"])
        .ends_with(1)
        .prints("3 of ")
        .prints("cuda_bf16.h has 10 bytes instead of ")
        .prints("cuda_fp8.h is missing");
    run_bare(&["doctor"])
        .ends_with(1)
        .prints("BAD  cache           ")
        .prints("cuda_bf16.h has 10 bytes instead of ")
        .prints(", and 1 more file is damaged; `cargo cubin toolkit install --force");
    run_bare(&["toolkit", "remove", "13"])
        .ends_with(0)
        .prints(&format!("removed {}", copy.display()));
    assert!(!copy.exists());
}

#[test]
fn doctor_says_what_is_missing() {
    let dir = scratch("doctor");
    let nothing = run(&mut bare(&["doctor"], &dir)).ends_with(1);
    for line in [
        "BAD  toolkit         no CUDA toolkit found",
        "BAD  host compiler   no host C++ compiler found",
        "ok   cache           ",
        "-    installer       neither uv nor Python on PATH",
        "-    GPU             not known: there is no nvidia-smi on PATH",
    ] {
        assert!(
            nothing.stdout.contains(line),
            "no `{line}` in:\n{}",
            nothing.stdout
        );
    }

    // A workspace with a broken policy.
    fs::create_dir_all(dir.join("package/src")).unwrap();
    fs::write(
        dir.join("package/Cargo.toml"),
        "[workspace]\n[package]\nname = \"p\"\nversion = \"0.0.0\"\nedition = \"2024\"\n",
    )
    .unwrap();
    fs::write(dir.join("package/src/lib.rs"), "").unwrap();
    fs::write(
        dir.join("package/cubin.toml"),
        "[toolkit]\nversion = \"13.5\"\ninstall = true\n[defaults]\nregister = 1\n",
    )
    .unwrap();
    let mut command = command(&["doctor"]);
    command
        .env("CUBIN_BUILD_CACHE", dir.join("cache"))
        .env_remove("CUBIN_BUILD_TOOLKIT")
        .current_dir(dir.join("package"));
    run(&mut command)
        .ends_with(1)
        .prints("-    toolkit         CUDA 13.5 is not installed yet")
        .prints("BAD  cubin.toml      cubin.toml")
        .prints("error[unknown-key]: unknown key `register` in [defaults]");
}

/// The compiler of NVVM IR answers by itself which LLVM reads modules for a target.
#[test]
fn doctor_shows_libnvvm() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let library = toolkit.libnvvm().expect("libnvvm");
    let dir = scratch("doctor-libnvvm");
    let mut command = command(&["doctor"]);
    command
        .env("CUBIN_BUILD_TOOLKIT", &toolkit.nvcc)
        .current_dir(&dir);
    let shown = run(&mut command);
    let head = format!(
        "ok   libnvvm         {}: version 2.0, NVVM IR 2.0 with debug information 3.2\n",
        library.display()
    );
    assert!(shown.stdout.contains(&head), "{}", shown.stdout);
    if toolkit.version.to_string().starts_with("13.5") {
        let readers =
            "                     LLVM 7 for sm_75 to sm_90, LLVM 22 for sm_100 to sm_121\n";
        assert!(shown.stdout.contains(readers), "{}", shown.stdout);
    }

    // No compiler of Rust: what is there is shown, and that it cannot be asked.
    command.env("RUSTC", dir.join("rustc"));
    run(&mut command)
        .prints(&format!(
            "-    libnvvm         {}: cannot run ",
            library.display()
        ))
        .prints("`.ll` and `.bc` sources cannot be compiled");
}

/// What nvidia-smi prints is what the target is made of.
#[cfg(unix)]
#[test]
fn doctor_names_the_target_of_a_gpu() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = scratch("doctor-gpu");
    let path = dir.join("path");
    fs::create_dir(&path).unwrap();
    let smi = path.join("nvidia-smi");
    fs::write(
        &smi,
        "#!/bin/sh\necho 'NVIDIA H200, 9.0, 580.65.06'\necho 'NVIDIA GB10, 12.1, 580.65.06'\n",
    )
    .unwrap();
    fs::set_permissions(&smi, fs::Permissions::from_mode(0o755)).unwrap();
    run(&mut bare(&["doctor"], &dir))
        .prints("ok   GPU             NVIDIA H200: sm_90, driver 580.65.06")
        .prints("ok   GPU             NVIDIA GB10: sm_121, driver 580.65.06");
}
