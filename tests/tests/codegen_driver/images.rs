//! The image that fits the device is loaded; what it lacks is an error.

use std::{ffi::CString, path::Path};

use cubin_tests::fake_driver;
use cudarc::driver::result::module;

use crate::{
    config,
    kernels::{
        kinds::{self, Module},
        runtime::{self, DeviceAddress, Launch, LoadError, Reason, Target},
    },
    open, open_more, under_fake_driver,
};

#[test]
fn the_image_that_fits_is_loaded() {
    under_fake_driver(
        "images::the_image_that_fits_is_loaded",
        "8.9",
        || {
            let (_context, _stream, module) = open();
            assert_eq!(module.image().target, Target::new(80));
            module.preload().expect("all kernels");
        },
        |log| {
            assert_eq!(log.iter().filter(|line| *line == "load ELF").count(), 1);
            assert_eq!(
                log.iter()
                    .filter(|line| line.starts_with("function"))
                    .count(),
                Module::KERNELS.len()
            );
        },
    );
}

#[test]
fn an_image_that_does_not_fit_is_an_error() {
    under_fake_driver(
        "images::an_image_that_does_not_fit_is_an_error",
        "10.0",
        || {
            let context = runtime::context(0).expect("the fake driver");
            let error = Module::load(&context).expect_err("no image");
            assert_eq!(
                error.to_string(),
                "module `kinds` holds no image for compute capability 10.0; embedded: sm_80, sm_90a"
            );
        },
        |log| assert!(!log.iter().any(|line| line.starts_with("load")), "{log:#?}"),
    );
}

#[test]
fn a_file_without_machine_code_says_so() {
    under_fake_driver(
        "images::a_file_without_machine_code_says_so",
        "8.0",
        || {
            static INFO: runtime::ModuleInfo = runtime::ModuleInfo {
                name: "kinds",
                targets: &[],
                kernels: 0,
            };
            let context = runtime::context(0).expect("the fake driver");
            let error = runtime::LoadedModule::load(&INFO, &context, &[]);
            let error = error.expect_err("no machine code");
            assert_eq!(error, LoadError::SignaturesOnly { module: "kinds" });
            assert_eq!(
                error.to_string(),
                "module `kinds` has no machine code: this program was built with CUBIN_BUILD_MODE=signatures, which an \
                 editor sets to know the wrappers alone. Build it without the variable to run it"
            );
        },
        |log| assert!(!log.iter().any(|line| line.starts_with("load")), "{log:#?}"),
    );
}

/// As in the guide of `cubin-runtime`.
#[test]
fn an_image_is_loaded_without_wrappers() {
    under_fake_driver(
        "images::an_image_is_loaded_without_wrappers",
        "8.9",
        || {
            let context = runtime::context(0).expect("the fake driver");
            let (major, minor) = context.compute_capability().expect("a device");
            let device = (major as u16, minor as u16);
            let image = kinds::image(device).expect("an image");
            assert_eq!(image.target, Target::new(80));
            assert_eq!(kinds::image((7, 5)), None);
            // SAFETY: a whole cubin; a name of it.
            let function = unsafe {
                let loaded = module::load_data(image.bytes.as_ptr().cast()).expect("loaded");
                let name = CString::new(kinds::info::SAXPY.symbol).expect("a symbol");
                module::get_function(loaded, name).expect("a kernel")
            };
            assert!(!function.is_null());
        },
        |log| {
            assert!(log.iter().any(|line| line == "load ELF"), "{log:#?}");
            let symbol = kinds::info::SAXPY.symbol;
            let found = log
                .iter()
                .any(|line| line.starts_with("function") && line.contains(symbol));
            assert!(found, "{log:#?}");
        },
    );
}

#[test]
fn a_kernel_that_the_image_lacks_is_an_error() {
    under_fake_driver(
        "images::a_kernel_that_the_image_lacks_is_an_error",
        "8.0",
        || {
            let (_context, stream, module) = open_more();
            // SAFETY: nothing runs.
            let error =
                unsafe { module.clustered(&stream, config(2, 32), &mut DeviceAddress::null()) };
            let error = error.expect_err("no such kernel on sm_80");
            assert_eq!(
                error.to_string(),
                "cannot launch `clustered`: the kernel was not compiled for sm_80"
            );
            // SAFETY: nothing runs.
            let error = unsafe {
                module.fill(
                    &stream,
                    Launch::clustered(config(2, 32), (2, 1, 1)),
                    1,
                    1,
                    &mut DeviceAddress::null(),
                )
            };
            assert_eq!(error.expect_err("no clusters").reason, Reason::NoClusters);
            module.preload().expect("all kernels that are there");
        },
        |log| {
            assert!(
                !log.iter().any(|line| line.contains("clustered")),
                "{log:#?}"
            );
        },
    );
}

#[test]
#[allow(clippy::disallowed_methods)] // A test talks to its child through the environment.
fn a_driver_that_is_too_old_is_told_from_one_that_fails() {
    const NAME: &str = "images::a_driver_that_is_too_old_is_told_from_one_that_fails";
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fake_driver");
    // Out of memory, and what drivers say of cubins that they do not know.
    for status in ["2", "200", "209", "222"] {
        let body = || {
            let context = runtime::context(0).expect("the fake driver");
            let error = Module::load(&context).expect_err("the driver refuses");
            let status = std::env::var("FAKE_DRIVER_ELF").expect("the parent's variable");
            assert_eq!(
                error
                    .to_string()
                    .contains("Those of CUDA 13 need driver 580"),
                status != "2",
                "{error}"
            );
        };
        let variables = [("FAKE_DRIVER_ELF", status)];
        fake_driver::run_with(&folder, NAME, "9.0", "sm_90a", &variables, body, |log| {
            assert!(log.iter().any(|line| line == "load ELF"), "{log:#?}");
        });
    }
}
