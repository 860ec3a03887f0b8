//! PTX as the last image: chosen where no cubin runs, handed to the driver's compiler, and held to the launch rules
//! that it fixes. Against the fake driver of `fake_driver/cuda.rs`, with the recorded file `golden/codegen/ptx.rs`.
//!
//! The driver library is found when a process starts, so each test runs itself again as a child.

use std::{fs, path::Path};

use cubin_tests::fake_driver;
use cudarc::driver::{LaunchConfig, sys::CUresult};

mod kernels {
    include!("../golden/codegen/ptx.rs");
}

mod core_kernels {
    include!("../golden/codegen/core.rs");
}

use kernels::{
    more::Module,
    runtime::{self, DeviceAddress, Format, Image, LoadError, Reason, RegisterFile, Target},
};

/// Runs `body` in a child whose device has compute capability `device` and whose compiler ends with `status`, and
/// gives the child's calls of the driver to `check`.
fn under_fake_driver(name: &str, device: &str, status: u32, body: fn(), check: fn(&[String])) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fake_driver_ptx");
    let status = status.to_string();
    let variables = [("FAKE_DRIVER_PTX", status.as_str())];
    // The driver's compiler lays parameters out as ptxas did.
    fake_driver::run_with(&folder, name, device, "sm_80", &variables, body, check);
}

fn config(grid: u32, block: u32) -> LaunchConfig {
    LaunchConfig {
        grid_dim: (grid, 1, 1),
        block_dim: (block, 1, 1),
        shared_mem_bytes: 0,
    }
}

fn loads(log: &[String]) -> Vec<&str> {
    let lines = log.iter().map(String::as_str);
    lines.filter(|line| line.starts_with("load")).collect()
}

#[test]
fn a_newer_device_gets_the_ptx() {
    under_fake_driver(
        "a_newer_device_gets_the_ptx",
        "12.0",
        0,
        || {
            let context = runtime::context(0).expect("the fake driver");
            let stream = context.default_stream();
            let module = Module::load(&context).expect("the PTX");
            let image = module.image();
            assert_eq!(image.to_string(), "PTX compute_80");
            assert_eq!(image.format, Format::Ptx);
            assert_eq!(image.assembled, Target::new(80));
            let mut out = DeviceAddress::<i32>::new(0x1122_3344);
            // SAFETY: nothing runs.
            unsafe { module.fill(&stream, config(2, 32), 5, 7, &mut out) }.expect("a launch");
            module.preload().expect("all kernels that the PTX holds");

            // What PTX fixes is checked, and what the driver says of the code that it made.
            let mut large = config(1, 64);
            large.shared_mem_bytes = 232_448 - 4096 + 1;
            // SAFETY: nothing runs.
            let error = unsafe { module.shared_memory(&stream, large, &mut DeviceAddress::null()) };
            let reason = error.expect_err("too much shared memory").reason;
            assert!(
                matches!(reason, Reason::SharedMemory { fixed: 4096, .. }),
                "{reason:?}"
            );
            // SAFETY: nothing runs.
            let error = unsafe { module.fill(&stream, config(1, 1024), 5, 7, &mut out) };
            let reason = error.expect_err("too many threads").reason;
            // Of PTX only the driver knows the registers.
            let (threads, registers, available, limit) =
                (1024, 121, RegisterFile::Block(65_536), 512);
            let expected = Reason::Registers {
                threads,
                registers,
                available,
                limit,
            };
            assert_eq!(reason, expected);
            // SAFETY: nothing runs.
            let error =
                unsafe { module.clustered(&stream, config(2, 32), &mut DeviceAddress::null()) };
            let reason = error.expect_err("only compiled from sm_90 on").reason;
            assert_eq!(reason, Reason::NotInImage(Target::new(80)));
        },
        |log| {
            let text = fs::read_to_string(
                Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/codegen/more.compute_80.ptx"),
            );
            let lines = text
                .expect("the recorded PTX")
                .trim_end_matches('\0')
                .lines()
                .count();
            assert_eq!(
                loads(log),
                [format!("load PTX .target sm_80 of {lines} lines")]
            );
            let launches: Vec<_> = log
                .iter()
                .filter(|line| line.starts_with("launch"))
                .collect();
            assert_eq!(launches.len(), 1, "{log:#?}");
            assert!(
                launches[0].contains("_Z4fillIiEviT_PS0_ grid 2,1,1 block 32,1,1")
                    && launches[0].ends_with("params 05000000070000004433221100000000"),
                "{launches:#?}"
            );
        },
    );
}

#[test]
fn a_cubin_that_runs_comes_before_ptx() {
    under_fake_driver(
        "a_cubin_that_runs_comes_before_ptx",
        "8.9",
        0,
        || {
            let context = runtime::context(0).expect("the fake driver");
            let module = Module::load(&context).expect("a cubin");
            assert_eq!(module.image().to_string(), "sm_80");
            assert_eq!(module.image().format, Format::Cubin);
        },
        |log| assert_eq!(loads(log), ["load ELF"]),
    );
}

#[test]
fn an_older_device_gets_an_error_with_what_is_embedded() {
    under_fake_driver(
        "an_older_device_gets_an_error_with_what_is_embedded",
        "7.5",
        0,
        || {
            let context = runtime::context(0).expect("the fake driver");
            let error = Module::load(&context).expect_err("no image");
            assert_eq!(
                error.to_string(),
                "module `more` holds no image for compute capability 7.5; embedded: sm_80, sm_90a, PTX compute_80"
            );
        },
        |log| assert!(loads(log).is_empty(), "{log:#?}"),
    );
}

/// The error of loading where the driver's compiler fails, and the text of it.
fn refused() -> (CUresult, String) {
    let context = runtime::context(0).expect("the fake driver");
    let error = Module::load(&context).expect_err("the driver refuses");
    let text = error.to_string();
    let LoadError::Ptx {
        image,
        device,
        error,
        log,
        ..
    } = error
    else {
        panic!("{error:?}");
    };
    assert_eq!(
        (image.to_string().as_str(), device),
        ("PTX compute_80", (10, 3))
    );
    assert_eq!(
        log,
        "ptxas application ptx input, line 9; fatal   : Unsupported .version 9.5"
    );
    (error.0, text)
}

#[test]
fn a_driver_older_than_the_ptx_is_said() {
    under_fake_driver(
        "a_driver_older_than_the_ptx_is_said",
        "10.3",
        222,
        || {
            let (status, text) = refused();
            assert_eq!(status, CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
            for part in [
                "cannot load `more`: the driver did not compile PTX compute_80 for compute capability 10.3",
                "the driver is older than the PTX: install a newer driver",
                "add sm_103 to `arch`\nptxas application ptx input, line 9",
            ] {
                assert!(text.contains(part), "no `{part}` in {text}");
            }
        },
        |log| assert_eq!(loads(log).len(), 1),
    );
}

#[test]
fn a_driver_without_compiler_is_said() {
    under_fake_driver(
        "a_driver_without_compiler_is_said",
        "10.3",
        221,
        || {
            let (status, text) = refused();
            assert_eq!(status, CUresult::CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
            assert!(text.contains("libnvidia-ptxjitcompiler.so"), "{text}");
        },
        |log| assert_eq!(loads(log).len(), 1),
    );
}

#[test]
fn images_are_constants_and_ptx_ends_in_a_zero_byte() {
    const FORMATS: [Format; 3] = [
        Module::IMAGES[0].format,
        Module::IMAGES[1].format,
        Module::IMAGES[2].format,
    ];
    assert_eq!(FORMATS, [Format::Cubin, Format::Cubin, Format::Ptx]);
    let ptx = Module::IMAGES[2];
    assert_eq!(ptx.file, "more.compute_80.ptx");
    let zeros = ptx.bytes.iter().filter(|&&byte| byte == 0).count();
    assert_eq!((zeros, ptx.bytes.last()), (1, Some(&0)));
    assert_eq!(ptx.bytes.as_ptr().align_offset(16), 0);
}

const fn image(format: Format, target: Target) -> Image {
    Image {
        target,
        format,
        assembled: target,
        file: "",
        bytes: &[],
    }
}

#[test]
fn ptx_is_chosen_by_the_rules_of_ptxas() {
    // Held against `ptxas -arch` of 13.5: plain PTX compiles for every later target, `a` for its own, `f` for its family.
    static IMAGES: [Image; 6] = [
        image(Format::Ptx, Target::new(75)),
        image(Format::Ptx, Target::new(90)),
        image(Format::Ptx, Target::accelerated(90)),
        image(Format::Ptx, Target::family(100)),
        image(Format::Ptx, Target::accelerated(120)),
        image(Format::Cubin, Target::new(80)),
    ];
    let chosen = |device| runtime::choose(&IMAGES, device).map(Image::to_string);
    for (device, expected) in [
        ((7, 0), None),
        ((7, 5), Some("PTX compute_75")),
        ((8, 0), Some("sm_80")),
        ((8, 9), Some("sm_80")),
        ((9, 0), Some("PTX compute_90a")),
        ((10, 0), Some("PTX compute_100f")),
        ((10, 3), Some("PTX compute_100f")),
        ((11, 0), Some("PTX compute_90")),
        ((12, 0), Some("PTX compute_120a")),
        ((12, 1), Some("PTX compute_90")),
    ] {
        assert_eq!(chosen(device).as_deref(), expected, "{device:?}");
    }
    static SPECIAL: [Image; 1] = [image(Format::Ptx, Target::accelerated(90))];
    assert_eq!(runtime::choose(&SPECIAL, (10, 0)), None);
    // The other backend has the same rules.
    assert!(core_kernels::more::Module::choose((12, 0)).is_none());
    assert!(core_kernels::runtime::Target::new(80).compiles_for((12, 0)));
}
