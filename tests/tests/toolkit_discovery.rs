//! Which toolkit is found, in which order, and what is said when none fits.
#![cfg(unix)]

use std::path::{Path, PathBuf};

use cubin_build::{
    env::Env,
    toolkit::{self, Error, Origin, ToolkitRequest},
};
use cubin_tests::FakeMachine;

fn machine(name: &str) -> FakeMachine {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("toolkit_discovery")
        .join(name);
    FakeMachine::new(&dir, env!("CARGO_BIN_EXE_fake-tool"))
}

fn real(path: PathBuf) -> PathBuf {
    std::fs::canonicalize(path).unwrap()
}

#[test]
fn the_order_is_as_documented() {
    let machine = machine("order");
    let own = machine.toolkit_at("explicit");
    let path = machine.toolkit_at("cuda_path");
    let home = machine.toolkit_at("cuda_home");
    let nvcc = machine.toolkit_at("nvcc").join("bin/nvcc");
    machine.toolkit_at("usual/cuda");
    let on_path = machine.toolkit_at("on_path");
    std::os::unix::fs::symlink(on_path.join("bin/nvcc"), machine.dir.join("path/nvcc")).unwrap();

    let text = |path: &Path| path.display().to_string();
    let mut variables = vec![
        ("CUBIN_BUILD_TOOLKIT", text(&own)),
        ("CUDA_PATH", text(&path)),
        ("CUDA_HOME", text(&home)),
        ("NVCC", text(&nvcc)),
    ];
    let expected = [
        ("explicit", Origin::Variable("CUBIN_BUILD_TOOLKIT")),
        ("cuda_path", Origin::Variable("CUDA_PATH")),
        ("cuda_home", Origin::Variable("CUDA_HOME")),
        ("nvcc", Origin::Variable("NVCC")),
        ("on_path", Origin::Path),
    ];
    for (root, origin) in expected {
        let given: Vec<(&str, &str)> = variables
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let found = toolkit::find(&machine.env(&given), &machine.request()).unwrap();
        assert_eq!(found.origin, origin);
        // The link on PATH is followed, since nvcc finds its parts beside its own name.
        assert_eq!(found.root, real(machine.dir.join(root)));
        assert_eq!(found.nvcc, found.root.join("bin/nvcc"));
        assert_eq!(found.tool("ptxas"), Some(found.root.join("bin/ptxas")));
        assert_eq!(found.tool("cuobjdump"), None);
        if !variables.is_empty() {
            variables.remove(0);
        }
    }
    std::fs::remove_file(machine.dir.join("path/nvcc")).unwrap();
    let found = toolkit::find(&machine.env(&[]), &machine.request()).unwrap();
    assert_eq!(found.origin, Origin::Usual);
}

#[test]
fn what_is_asked_for_by_name_must_be_it() {
    let machine = machine("explicit");
    let root = machine.toolkit_at("cuda").display().to_string();
    let find = |value: &str, version: Option<&str>| {
        let request = ToolkitRequest {
            version: version.map(|version| version.parse().unwrap()),
            ..machine.request()
        };
        toolkit::find(
            &machine.env(&[("CUBIN_BUILD_TOOLKIT", value), ("CUDA_PATH", &root)]),
            &request,
        )
    };
    for value in [root.clone(), format!("{root}/bin/nvcc")] {
        assert_eq!(
            find(&value, Some("13.5")).unwrap().version.to_string(),
            "13.5.37"
        );
    }
    let error = find("/no/such/place", None).unwrap_err().to_string();
    assert!(
        error.contains(
            "CUBIN_BUILD_TOOLKIT is set to `/no/such/place`, but there is no such directory"
        ),
        "{error}"
    );
    let empty = machine.dir.join("home").display().to_string();
    let error = find(&empty, None).unwrap_err().to_string();
    assert!(error.contains("there is no bin/nvcc in it"), "{error}");
    let error = find(&root, Some("12.9")).unwrap_err().to_string();
    assert!(
        error.contains("asks for CUDA toolkit 12.9") && error.contains("is 13.5.37"),
        "{error}"
    );
    machine.write("control/version", "broken");
    let error = find(&root, None).unwrap_err().to_string();
    assert!(
        error.contains("cannot open shared object"),
        "nvcc's own words: {error}"
    );
}

#[test]
fn a_version_that_was_not_asked_for_is_passed_over() {
    let machine = machine("version");
    let request = ToolkitRequest {
        version: Some("13.5".parse().unwrap()),
        ..machine.request()
    };
    machine.write("control/version", "12.4.131");
    let root = machine.toolkit_at("old").display().to_string();
    let env = machine.env(&[("CUDA_PATH", &root), ("CUDA_HOME", "/gone")]);
    let error = toolkit::find(&env, &request).unwrap_err();
    let Error::NotFound { looked, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(looked[1].place, format!("CUDA_PATH={root}"));
    assert_eq!(looked[1].result, "is CUDA 12.4.131");
    let text = error.to_string();
    for part in [
        "no CUDA toolkit 13.5 found",
        "CUDA_HOME=/gone",
        "no such directory",
        "run `cargo cubin toolkit install 13.5`",
        "install = true",
    ] {
        assert!(text.contains(part), "{part} is not in: {text}");
    }
    // A directory named after the version is looked at before the unnumbered one.
    machine.write("control/version", "13.5.37");
    machine.toolkit_at("usual/cuda-13.5");
    machine.toolkit_at("usual/cuda-13.4");
    machine.toolkit_at("usual/cuda");
    let found = toolkit::find(&machine.env(&[]), &request).unwrap();
    assert!(found.root.ends_with("usual/cuda-13.5"), "{found}");
}

#[test]
fn nothing_at_all_says_what_to_do() {
    let machine = machine("nothing");
    let env = machine.env(&[]);
    let error = toolkit::find(&env, &machine.request())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("cargo cubin toolkit install 13.5"),
        "{error}"
    );
    assert!(error.contains("PATH"), "{error}");
    for name in [
        "CUBIN_BUILD_TOOLKIT",
        "CUDA_HOME",
        "CUDA_PATH",
        "NVCC",
        "PATH",
        "CUBIN_BUILD_CACHE",
    ] {
        assert!(
            env.consulted().contains(&name.to_owned()),
            "{name} is to be watched"
        );
    }
}

#[test]
fn nvcc_is_asked_about_itself_once() {
    let machine = machine("memo");
    let root = machine.toolkit_at("cuda").display().to_string();
    let request = ToolkitRequest {
        memo: Some(machine.dir.join("out/tools.txt")),
        ..machine.request()
    };
    let find = || toolkit::find(&machine.env(&[("CUDA_PATH", &root)]), &request).unwrap();
    assert_eq!(find().version.minor, 5);
    // Its version, and where its parts are.
    assert_eq!(machine.calls().len(), 2);
    assert_eq!(find().version.minor, 5);
    assert_eq!(machine.calls().len(), 0);
    // What was kept is for an nvcc of exactly that size and date: with another, it is asked again.
    let kept = std::fs::read_to_string(machine.dir.join("out/tools.txt")).unwrap();
    machine.write("out/tools.txt", &kept.replace("size=", "size=1"));
    machine.write("control/version", "13.6.1");
    assert_eq!(find().version.minor, 6);
    assert_eq!(machine.calls().len(), 2);
    assert_eq!(find().version.minor, 6);
    assert_eq!(machine.calls().len(), 0);
}

#[test]
fn only_the_variables_asked_for_are_watched() {
    let machine = machine("watched");
    let root = machine.toolkit_at("cuda").display().to_string();
    let env: Env = machine.env(&[("CUBIN_BUILD_TOOLKIT", &root), ("CUDA_PATH", "/other")]);
    toolkit::find(&env, &machine.request()).unwrap();
    assert_eq!(env.consulted(), ["CUBIN_BUILD_TOOLKIT"]);
}

#[test]
fn a_variable_that_leads_nowhere_is_told_of() {
    let machine = machine("nowhere");
    let root = machine.toolkit_at("cuda").display().to_string();
    let empty = machine.dir.join("home").display().to_string();
    let nvcc = machine.toolkit_at("on_path").join("bin/nvcc");
    std::os::unix::fs::symlink(nvcc, machine.dir.join("path/nvcc")).unwrap();
    let unusable = |variables: &[(&str, &str)]| {
        let found = toolkit::find(&machine.env(variables), &machine.request()).unwrap();
        let lines = found.unusable.iter();
        let lines = lines.map(|looked| format!("{}: {}", looked.place, looked.result));
        lines.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(unusable(&[]), "");
    assert_eq!(
        unusable(&[("CUDA_PATH", "/gone"), ("CUDA_HOME", &root)]),
        "CUDA_PATH=/gone: no such directory"
    );
    assert_eq!(
        unusable(&[("CUDA_HOME", &empty), ("NVCC", "nvcc-13")]),
        format!("CUDA_HOME={empty}: no bin/nvcc there\nNVCC=nvcc-13: no such program")
    );
    // What comes later is not looked at.
    assert_eq!(unusable(&[("CUDA_PATH", &root), ("NVCC", "/gone")]), "");
}

#[test]
fn behind_a_wrapper_the_real_toolkit_is_known() {
    use std::os::unix::fs::PermissionsExt as _;
    let machine = machine("wrapper");
    let real = machine.toolkit_at("real cuda");
    let script = machine.dir.join("home/bin/nvcc");
    machine.write(
        "home/bin/nvcc",
        "#!/bin/sh\nexec \"${CUDA_CHOICE}/bin/nvcc\" \"$@\"\n",
    );
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let request = ToolkitRequest {
        memo: Some(machine.dir.join("out/tools.txt")),
        version: Some("13.5".parse().unwrap()),
        ..machine.request()
    };
    let text = script.display().to_string();
    let find = |choice: &Path| {
        let choice = choice.display().to_string();
        let env = machine.env(&[("CUBIN_BUILD_TOOLKIT", &text), ("CUDA_CHOICE", &choice)]);
        let found = toolkit::find(&env, &request);
        assert!(env.consulted().contains(&"CUDA_CHOICE".to_owned()));
        found
    };
    let found = find(&real).unwrap();
    assert_eq!(found.nvcc, script);
    assert_eq!(found.root, real);
    assert_eq!(found.tool("ptxas"), Some(real.join("bin/ptxas")));
    // The home directory is no toolkit because its `bin` holds a wrapper.
    assert!(found.owns(&real.join("bin/../include/cuda_runtime.h")));
    assert!(!found.owns(&machine.dir.join("home/include/mine.cuh")));
    assert!(!found.owns(&machine.dir.join("home/project/kernels/a.cu")));
    assert_eq!(machine.calls().len(), 2);
    find(&real).unwrap();
    assert_eq!(machine.calls().len(), 0);

    // Another choice is asked about, and so is an nvcc that was replaced behind the wrapper: the pin holds.
    let other = machine.toolkit_at("other");
    assert_eq!(find(&other).unwrap().root, other);
    assert_eq!(machine.calls().len(), 2);
    find(&other).unwrap();
    machine.write("control/version", "13.6.1");
    machine.write("other/bin/nvcc.profile", "# of 13.6\n");
    let error = find(&other).unwrap_err().to_string();
    assert!(
        error.contains("asks for CUDA toolkit 13.5") && error.contains("is 13.6.1"),
        "{error}"
    );
}
