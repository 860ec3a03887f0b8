//! The recorded generated file compiles against cudarc, under the strictest settings a user may have; its
//! layout checks are evaluated by the compiler.
#![deny(
    warnings,
    missing_docs,
    missing_debug_implementations,
    unreachable_pub,
    unsafe_op_in_unsafe_fn,
    rust_2018_idioms,
    clippy::pedantic
)]

/// A public module, as in a library.
pub mod kernels {
    include!("../golden/codegen/kinds.rs");
}

/// A private one, where nothing is reachable from outside.
mod private {
    include!("../golden/codegen/both.rs");
}

/// Without any driver binding.
pub mod core_kernels {
    include!("../golden/codegen/core.rs");
}

#[test]
fn core_backend_yields_pointers_to_typed_arguments() {
    use core_kernels::{
        kinds::{Module, args},
        runtime::{DeviceAddress, Limits, Reason, Shape},
    };
    let arguments = args::saxpy {
        n: 3,
        a: 1.5,
        x: DeviceAddress::new(8),
        y: DeviceAddress::new(16),
    };
    let params = arguments.kernel_params();
    // SAFETY: the pointers are to the members, in the order of the parameters.
    unsafe {
        assert_eq!(*params[0].cast::<i32>(), 3);
        assert_eq!(params[1].cast::<f32>().read().to_bits(), 1.5_f32.to_bits());
        assert_eq!(*params[2].cast::<u64>(), 8);
        assert_eq!(*params[3].cast::<u64>(), 16);
    }
    let image = Module::choose((8, 6)).expect("an image for 8.6");
    assert_eq!(image.file, "kinds.sm_80.cubin");
    let limits = Limits {
        grid: (10, 10, 10),
        block: (1024, 1024, 64),
        threads: 1024,
        shared: 49_152,
        shared_optin: 101_376,
        cooperative: true,
        clusters: false,
    };
    let mut launch = Shape {
        grid: (1, 1, 1),
        block: (128, 1, 1),
        shared: 0,
        cooperative: false,
        cluster: None,
    };
    assert_eq!(
        args::saxpy::INFO.check(image.target, &limits, &launch),
        Ok(())
    );
    launch.grid.0 = 11;
    let error = args::saxpy::INFO
        .check(image.target, &limits, &launch)
        .expect_err("a large grid");
    assert!(matches!(error.reason, Reason::Grid { .. }));
}

#[test]
fn without_a_driver_opening_a_device_is_an_error_value() {
    if kernels::runtime::driver_present() {
        // A machine with a driver has nothing to show here; CI has machines without.
        return;
    }
    let error = kernels::runtime::context(0).expect_err("there is no driver");
    assert_eq!(error, kernels::runtime::LoadError::NoDriver);
    assert_eq!(
        error.to_string(),
        "no CUDA driver library is installed (libcuda.so, nvcuda.dll)"
    );
}

#[test]
fn facts_are_constants() {
    use kernels::{kinds, runtime::Target};
    const REGISTERS: u32 = match kinds::info::SAXPY.resources(Target::new(80)) {
        Some(resources) => resources.registers,
        None => 0,
    };
    const IMAGES: usize = kinds::Module::IMAGES.len();
    assert_ne!(REGISTERS, 0);
    assert_eq!(IMAGES, 2);
    assert!(kinds::Module::KERNELS.contains(&&private_saxpy()));
}

fn private_saxpy() -> kernels::runtime::KernelInfo {
    let other = private::kinds::info::SAXPY;
    let own = kernels::kinds::info::SAXPY;
    assert_eq!(other.symbol, own.symbol);
    own
}

#[test]
fn images_are_aligned_and_whole() {
    for image in kernels::kinds::Module::IMAGES {
        assert_eq!(image.bytes.as_ptr().align_offset(16), 0);
        assert_eq!(&image.bytes[..4], b"\x7fELF");
    }
}
