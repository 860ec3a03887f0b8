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
    include!("../golden/codegen/kinds.rs");
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
