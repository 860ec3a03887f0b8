//! The installation of a toolkit with a fake pip: whole or not at all, once for everybody.
#![cfg(unix)]

use std::{
    fs,
    path::{Path, PathBuf},
};

use cubin_build::toolkit::{self, Component, Error, Origin, Toolkit, ToolkitRequest};
use cubin_tests::FakeMachine;

fn machine(name: &str) -> FakeMachine {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("toolkit_install")
        .join(name);
    let machine = FakeMachine::new(&dir, env!("CARGO_BIN_EXE_fake-tool"));
    machine.link("path/python3");
    machine
}

fn cache(machine: &FakeMachine) -> PathBuf {
    machine.dir.join("home/.cache/cubin-build/toolkits")
}

fn left(machine: &FakeMachine) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(cache(machine))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn find(machine: &FakeMachine, version: &str) -> Result<(Toolkit, Vec<String>), Error> {
    let request = ToolkitRequest {
        version: Some(version.parse().unwrap()),
        install: true,
        ..machine.request()
    };
    let mut lines = Vec::new();
    toolkit::find_with(&machine.env(&[]), &request, &mut |line| {
        lines.push(line.to_owned());
    })
    .map(|toolkit| (toolkit, lines))
}

#[test]
fn installs_once_and_says_so() {
    let machine = machine("once");
    let (first, lines) = find(&machine, "13.5").unwrap();
    assert_eq!(first.origin, Origin::Installed);
    assert!(
        first.root.ends_with("toolkits/13.5.37/nvidia/cu13"),
        "{first}"
    );
    assert!(
        lines[0].contains("installing CUDA toolkit 13.5") && lines[0].contains("MB"),
        "{lines:?}"
    );
    let last = lines.last().unwrap();
    assert!(last.contains("installed CUDA 13.5.37"), "{lines:?}");
    assert!(
        last.ends_with(", with the recorded hashes, from PyPI"),
        "{lines:?}"
    );

    let calls = machine.calls();
    let pip: Vec<_> = calls
        .iter()
        .filter(|call| call.contains(&"install".to_owned()))
        .collect();
    assert_eq!(pip.len(), 1);
    for word in ["--only-binary", ":all:", "--no-input"] {
        assert!(
            pip[0].contains(&word.to_owned()),
            "{word} is not in {:?}",
            pip[0]
        );
    }
    let end = &pip[0][pip[0].len() - 4..];
    assert_eq!(end[..3], ["--no-deps", "--require-hashes", "-r"]);
    let asked = fs::read_to_string(machine.dir.join("control/requirements")).unwrap();
    let packages: Vec<_> = asked
        .lines()
        .map(|line| line.split_once(" --hash=sha256:").expect("a hash").0)
        .collect();
    assert!(packages.contains(&"nvidia-cuda-nvcc==13.5.37"), "{asked}");
    assert!(packages.contains(&"nvidia-nvvm==13.5.37"), "{asked}");
    assert_eq!(packages.len(), 7, "{asked}");

    let (second, lines) = find(&machine, "13").unwrap();
    assert_eq!(second, first);
    assert!(
        lines.is_empty() && machine.calls().is_empty(),
        "nothing runs the second time"
    );
    assert_eq!(left(&machine), ["13.5.37"]);

    // Without `install`, what is in the cache is found too.
    let found = toolkit::find(&machine.env(&[]), &machine.request()).unwrap();
    assert_eq!(found.nvcc, first.nvcc);
    assert_eq!(toolkit::installed(&machine.env(&[])).unwrap().len(), 1);
}

#[test]
fn a_failure_quotes_pip_and_leaves_nothing() {
    let machine = machine("failure");
    machine.write("control/mode", "fail");
    machine.write(
        "control/stderr",
        "ERROR: Temporary failure in name resolution\n",
    );
    let error = find(&machine, "13.5").unwrap_err().to_string();
    assert!(
        error.contains("ERROR: Temporary failure in name resolution"),
        "{error}"
    );
    assert!(error.contains("PyPI could not be reached"), "{error}");
    assert_eq!(left(&machine), [""; 0]);

    machine.write("control/mode", "broken");
    let error = find(&machine, "13.5").unwrap_err().to_string();
    assert!(
        error.contains("`nvvm/libdevice/libdevice.10.bc` is missing"),
        "{error}"
    );
    assert_eq!(left(&machine), [""; 0]);

    // What pip installs must be what was asked for.
    machine.write("control/mode", "");
    machine.write("control/version", "13.4.1");
    let error = find(&machine, "13.5").unwrap_err().to_string();
    assert!(error.contains("nvcc says that it is 13.4.1"), "{error}");
    assert_eq!(left(&machine), [""; 0]);
}

#[test]
fn what_a_killed_installation_left_is_swept_away() {
    let machine = machine("killed");
    machine.write(
        "home/.cache/cubin-build/toolkits/.installing-1/toolkit/nvidia/cu13/bin/nvcc",
        "half",
    );
    // A directory that looks like a toolkit, but has no receipt.
    machine.write(
        "home/.cache/cubin-build/toolkits/13.5.37/nvidia/cu13/bin/nvcc",
        "half",
    );
    let (toolkit, _) = find(&machine, "13.5").unwrap();
    assert_eq!(left(&machine), ["13.5.37"]);
    assert!(toolkit.is_immutable());
}

#[test]
fn many_at_once_install_once() {
    let machine = machine("many");
    machine.write("control/mode", "slow");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| find(&machine, "13.5").unwrap());
        }
    });
    let calls = machine.calls();
    let installs = calls
        .iter()
        .filter(|call| call.contains(&"install".to_owned()))
        .count();
    assert_eq!(installs, 1);
    assert_eq!(left(&machine), ["13.5.37"]);
}

#[test]
fn what_cannot_be_installed_says_why() {
    let machine = machine("cannot");
    let error = find(&machine, "12.9").unwrap_err().to_string();
    assert!(
        error.contains("NVIDIA publishes nvcc on PyPI from 13.0 on"),
        "{error}"
    );
    fs::remove_file(machine.dir.join("path/python3")).unwrap();
    let error = find(&machine, "13.5").unwrap_err().to_string();
    assert!(
        error.contains("neither uv nor pip") && error.contains("python3 -m pip"),
        "{error}"
    );
    let request = ToolkitRequest {
        install: true,
        ..machine.request()
    };
    let error = toolkit::find(&machine.env(&[]), &request)
        .unwrap_err()
        .to_string();
    assert!(error.contains("does not say which version"), "{error}");
    // The cache is a file: nothing can be installed into it.
    machine.write("home/file", "");
    let file = machine.dir.join("home/file").display().to_string();
    let env = machine.env(&[("CUBIN_BUILD_CACHE", &file)]);
    let error = toolkit::install(&env, "13.5".parse().unwrap(), &mut |_| {}).unwrap_err();
    assert!(matches!(error, Error::Io { .. }), "{error}");
    assert!(error.to_string().contains("home/file"), "{error}");
}

#[test]
fn uv_is_preferred() {
    let machine = machine("uv");
    machine.link("path/uv");
    find(&machine, "13.5.37").unwrap();
    let calls = machine.calls();
    let install = calls
        .iter()
        .find(|call| call.contains(&"install".to_owned()))
        .unwrap();
    assert_eq!(install[0], "uv");
    assert!(install.contains(&"--require-hashes".to_owned()));
}

#[test]
fn a_release_without_recorded_hashes_is_said() {
    let machine = machine("unrecorded");
    machine.write("control/version", "13.5.99");
    let (_, lines) = find(&machine, "13.5.99").unwrap();
    let said = "hashes of the wheels of CUDA toolkit 13.5.99 are not recorded";
    assert!(lines.iter().any(|line| line.starts_with(said)), "{lines:?}");
    let last = lines.last().unwrap();
    assert!(last.contains(", without recorded hashes, from "), "{last}");
    let calls = machine.calls();
    let install = calls
        .iter()
        .find(|call| call.contains(&"install".to_owned()));
    let install = install.unwrap();
    let end = &install[install.len() - 2..];
    let extras = "nvcc,crt,nvvm,cccl,cudart,cuobjdump,nvdisasm";
    assert_eq!(end[0], format!("cuda-toolkit[{extras}]==13.5.*"));
    assert_eq!(end[1], "nvidia-cuda-nvcc==13.5.99");
}

#[test]
fn a_wheel_with_another_hash_is_refused_with_what_to_do() {
    let machine = machine("mismatch");
    machine.write("control/mode", "fail");
    machine.write(
        "control/stderr",
        "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.\n",
    );
    let error = find(&machine, "13.5").unwrap_err().to_string();
    assert!(
        error.contains("another file than the one that NVIDIA published"),
        "{error}"
    );
    assert_eq!(left(&machine), [""; 0]);
}

#[test]
fn components_are_installed_beside_the_toolkit() {
    let machine = machine("components");
    let mut request = ToolkitRequest {
        version: Some("13.5".parse().unwrap()),
        components: vec![Component::named("curand").unwrap()],
        ..machine.request()
    };
    let env = machine.env(&[]);
    find(&machine, "13.5").unwrap();
    let error = toolkit::find(&env, &request).unwrap_err();
    let text = error.to_string();
    for part in [
        "`components` asks for cuRAND, which is not there for CUDA 13.5.37",
        "`cargo cubin toolkit install 13.5.37 --with curand`",
    ] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    request.install = true;
    let offline = machine.env(&[("CARGO_NET_OFFLINE", "true")]);
    let text = toolkit::find(&offline, &request).unwrap_err().to_string();
    for part in [
        "cuRAND of CUDA 13.5.37 is not in the per-user cache",
        "`cargo cubin toolkit install 13.5 --with curand`",
        "\"cuda-toolkit[curand]==13.5.0\"",
    ] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }

    let plain = find(&machine, "13.5").unwrap().0;
    let with = toolkit::find(&env, &request).unwrap();
    assert_eq!(left(&machine), ["13.5.37", "13.5.37-curand"]);
    let asked = fs::read_to_string(machine.dir.join("control/requirements")).unwrap();
    assert!(
        asked.starts_with("nvidia-curand==10.4.5.25 --hash=sha256:"),
        "{asked}"
    );
    let header = cache(&machine).join("13.5.37-curand/nvidia/cu13/include/curand_kernel.h");
    assert!(with.owns(&header) && !plain.owns(&header));
    assert_ne!(with.identity(), plain.identity());
    machine.calls();
    assert_eq!(toolkit::find(&offline, &request).unwrap(), with);
    request.install = false;
    assert_eq!(
        toolkit::find(&env, &request).unwrap().identity(),
        with.identity()
    );
    assert_eq!(
        machine.calls(),
        Vec::<Vec<String>>::new(),
        "nothing is installed twice"
    );

    // Its files are verified with the toolkit's, and it goes with it.
    fs::remove_file(&header).unwrap();
    let files = toolkit::recorded(&plain).unwrap();
    let damaged = files.iter().find(|file| file.damage().is_some());
    assert_eq!(damaged.unwrap().path, header);
    assert!(toolkit::find(&env, &request).is_err());
    let gone = toolkit::remove(&env, "13.5".parse().unwrap()).unwrap();
    assert_eq!(gone.len(), 2);
    assert_eq!(left(&machine), [""; 0]);

    // One that another toolkit of the machine has anyway is taken from there.
    let root = machine.toolkit_at("own");
    machine.write("own/include/curand_kernel.h", "");
    let root = root.display().to_string();
    let env = machine.env(&[("CUBIN_BUILD_TOOLKIT", &root)]);
    let own = toolkit::find(&env, &request).unwrap();
    assert!(own.owns(&machine.dir.join("own/include/curand_kernel.h")));
}

#[test]
fn a_toolkit_that_lost_a_part_is_installed_again() {
    let machine = machine("lost");
    let (first, _) = find(&machine, "13.5").unwrap();
    fs::remove_file(first.tool("ptxas").unwrap()).unwrap();
    let (second, lines) = find(&machine, "13.5").unwrap();
    assert!(!lines.is_empty());
    assert!(second.tool("ptxas").is_some());
    assert_eq!(left(&machine), ["13.5.37"]);
}

#[test]
fn the_index_that_pip_used_is_named() {
    let machine = machine("index");
    machine.write(
        "control/stderr",
        "Looking in indexes: https://u:****@mirror/simple\n",
    );
    let (_, lines) = find(&machine, "13.5").unwrap();
    let last = lines.last().unwrap();
    assert!(
        last.ends_with(" from https://u:****@mirror/simple"),
        "{last}"
    );
    let machine = self::machine("index-uv");
    machine.link("path/uv");
    let request = ToolkitRequest {
        version: Some("13.5".parse().unwrap()),
        install: true,
        ..machine.request()
    };
    let mut last = String::new();
    let env = machine.env(&[("UV_DEFAULT_INDEX", "https://u:secret@mirror/simple")]);
    toolkit::find_with(&env, &request, &mut |line| last = line.to_owned()).unwrap();
    assert!(last.ends_with(" from https://****@mirror/simple"), "{last}");
}

#[test]
fn offline_nothing_is_downloaded() {
    let machine = machine("offline");
    let request = ToolkitRequest {
        version: Some("13.5".parse().unwrap()),
        install: true,
        ..machine.request()
    };
    let offline = machine.env(&[("CARGO_NET_OFFLINE", "true")]);
    let error = toolkit::find(&offline, &request).unwrap_err();
    assert!(matches!(error, Error::Offline { .. }), "{error}");
    let text = error.to_string();
    for part in [
        "cannot be downloaded: CARGO_NET_OFFLINE is set",
        "`cargo cubin toolkit install 13.5`",
        "==13.5.0\"`",
        "PIP_FIND_LINKS=wheels",
    ] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    assert_eq!(machine.calls(), Vec::<Vec<String>>::new());

    // Wheels from a directory need no network.
    let local = machine.env(&[("CARGO_NET_OFFLINE", "true"), ("PIP_NO_INDEX", "1")]);
    toolkit::find(&local, &request).unwrap();
    // What is there is found.
    toolkit::find(&offline, &request).unwrap();
}

#[test]
fn a_toolkit_is_installed_anew_and_removed() {
    let machine = machine("anew");
    let wanted = "13.5".parse().unwrap();
    let env = machine.env(&[]);
    let (first, _) = find(&machine, "13.5").unwrap();
    let mark = first.root.join("mark");
    fs::write(&mark, "").unwrap();
    let again = toolkit::reinstall(&env, wanted, &mut |_| {}).unwrap();
    assert_eq!(again, first);
    assert!(!mark.exists());
    assert_eq!(left(&machine), ["13.5.37"]);

    // What cannot be replaced stays.
    machine.write("control/mode", "fail");
    toolkit::reinstall(&env, wanted, &mut |_| {}).unwrap_err();
    assert_eq!(toolkit::installed(&env).unwrap(), [first]);

    // A directory without a receipt is no toolkit, and goes too.
    machine.write("home/.cache/cubin-build/toolkits/13.5.1/nvidia/x", "");
    machine.write("home/.cache/cubin-build/toolkits/13.4.0/nvidia/x", "");
    let gone = toolkit::remove(&env, wanted).unwrap();
    let names: Vec<_> = gone.iter().map(|path| path.file_name().unwrap()).collect();
    assert_eq!(names, ["13.5.1", "13.5.37"]);
    assert_eq!(left(&machine), ["13.4.0"]);
}

#[test]
fn files_are_held_against_the_records_of_their_wheels() {
    let machine = machine("records");
    let (toolkit, _) = find(&machine, "13.5").unwrap();
    let home = "home/.cache/cubin-build/toolkits/13.5.37";
    machine.write(&format!("{home}/nvidia/cu13/include/a.h"), "12345");
    machine.write(
        &format!("{home}/w-1.dist-info/RECORD"),
        "nvidia/cu13/include/a.h,sha256=x,5\nnvidia/cu13/include/b.h,sha256=y,1\n../x,,\nw-1.dist-info/RECORD,,\n",
    );
    let damage = || {
        let files = toolkit::recorded(&toolkit).unwrap();
        let damaged = files.iter().filter_map(|file| {
            let name = file.path.file_name()?.to_str()?;
            Some(format!("{name} {}", file.damage()?))
        });
        damaged.collect::<Vec<String>>()
    };
    assert_eq!(damage(), ["b.h is missing"]);
    machine.write(&format!("{home}/nvidia/cu13/include/a.h"), "1234");
    assert_eq!(damage(), ["a.h has 4 bytes instead of 5", "b.h is missing"]);
}

#[test]
fn a_cache_that_others_can_write_to_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let machine = machine("untrusted");
    find(&machine, "13.5").unwrap();
    let cache = cache(&machine);
    let mode = |mode| fs::set_permissions(&cache, fs::Permissions::from_mode(mode)).unwrap();
    mode(0o777);
    let error = find(&machine, "13.5").unwrap_err();
    assert!(matches!(error, Error::Untrusted { .. }), "{error}");
    let text = error.to_string();
    assert!(
        text.contains("every user of this machine can write to it"),
        "{text}"
    );
    assert!(toolkit::installed(&machine.env(&[])).is_err());
    let shared = machine.env(&[("CUBIN_BUILD_SHARED_CACHE", "1")]);
    assert_eq!(toolkit::installed(&shared).unwrap().len(), 1);
    // The group of the home directory is the user's own on many distributions.
    mode(0o775);
    find(&machine, "13.5").unwrap();
}
