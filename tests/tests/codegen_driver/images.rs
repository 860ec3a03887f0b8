//! The image that fits the device is loaded; what it lacks is an error.

use crate::{
    config,
    kernels::{
        kinds::Module,
        runtime::{self, DeviceAddress, Launch, Reason, Target},
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
