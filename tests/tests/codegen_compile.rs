//! The recorded generated file compiles against cudarc, under the strictest settings a user may have; its
//! layout checks are evaluated by the compiler.
#![deny(
    warnings,
    missing_docs,
    missing_debug_implementations,
    unreachable_pub,
    unsafe_op_in_unsafe_fn,
    rust_2018_idioms,
    unused_qualifications,
    unused_results,
    unused_lifetimes,
    trivial_casts,
    clippy::pedantic
)]

/// A public module, as in a library.
pub mod kernels {
    include!("../golden/codegen/kinds.rs");
}

/// A private one, where nothing is reachable from outside, with the runtime of the crate `cubin-runtime`.
mod private {
    include!("../golden/codegen/both.rs");
}

/// With PTX.
pub mod ptx_kernels {
    include!("../golden/codegen/ptx.rs");
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
    let shapeless = Reason::RequiredCluster {
        cluster: None,
        required: None,
    };
    assert_eq!(
        shapeless.to_string(),
        "the launch must give a cluster shape"
    );
}

#[test]
fn core_backend_has_generic_arguments() {
    use core_kernels::{
        families::{args, geo, instances::quant_type},
        runtime::DeviceAddress,
    };
    // The types follow from the members.
    let sum = args::sum::<_, 16> {
        r#in: DeviceAddress::<f32>::new(8),
        out: DeviceAddress::new(16),
    };
    assert_eq!(info_of(&sum), args::sum_f32_16::INFO.symbol);
    let clear = args::clear::<i16, 2> {
        n: 7,
        out: DeviceAddress::null(),
        instance: std::marker::PhantomData,
    };
    assert_eq!(format!("{clear:?}"), "clear<short, 2> { .. }");
    // SAFETY: the first parameter is an `int`, the first member.
    assert_eq!(unsafe { *clear.kernel_params()[0].cast::<i32>() }, 7);
    let matrix = args::mul_mat::<{ quant_type::QUANT_TYPE_Q8_0 }, 48, false> {
        x: DeviceAddress::null(),
        y: DeviceAddress::null(),
    };
    let symbol = args::mul_mat_quant_type_q8_0_48_false::INFO.symbol;
    assert_eq!(core_symbol(matrix), symbol);
    let spread = geo::args::spread::<f64, 3> {
        from: geo::Vec_f64_3 { v: [1.0, 2.0, 3.0] },
        table: DeviceAddress::<[f64; 3]>::new(8),
        out: DeviceAddress::null(),
    };
    // SAFETY: the first parameter is the vector.
    let from = unsafe { *spread.kernel_params()[0].cast::<[f64; 3]>() };
    assert_eq!(from.map(f64::to_bits), spread.from.v.map(f64::to_bits));
}

fn info_of<T: core_kernels::families::instances::Sum<N>, const N: i32>(
    _: &core_kernels::families::args::sum<T, N>,
) -> &'static str {
    core_kernels::families::args::sum::<T, N>::INFO.symbol
}

fn core_symbol<const A: i32, const B: i32, const C: bool>(
    _: core_kernels::families::args::mul_mat<A, B, C>,
) -> &'static str
where
    (): core_kernels::families::instances::MulMat<A, B, C>,
{
    core_kernels::families::args::mul_mat::<A, B, C>::INFO.symbol
}

#[test]
fn variables_are_constants() {
    use core_kernels::{
        families, more,
        runtime::{GlobalInfo, Space},
        types,
    };
    const COEFFICIENTS: &GlobalInfo = more::globals::COEFFICIENTS.info();
    assert_eq!(
        COEFFICIENTS,
        &GlobalInfo {
            symbol: "coefficients",
            name: "coefficients",
            c_type: "float[16]",
            size: 64,
            align: 4,
            space: Space::Constant,
        }
    );
    let names = |all: &[&GlobalInfo]| -> Vec<&str> { all.iter().map(|info| info.name).collect() };
    assert_eq!(
        names(more::Module::GLOBALS),
        ["coefficients", "shape", "counter", "geo::origin"]
    );
    assert_eq!(
        names(families::Module::GLOBALS),
        ["progress", "geo::bounds"]
    );
    assert_eq!(families::globals::PROGRESS.info().space, Space::Managed);
    // The same in every backend.
    for (own, other) in more::Module::GLOBALS
        .iter()
        .zip(private::more::Module::GLOBALS)
    {
        assert_eq!(
            (own.symbol, own.size, own.align),
            (other.symbol, other.size, other.align)
        );
    }
    // What the driver says of the symbol becomes a typed address, when the size is right.
    let shape = more::globals::SHAPE;
    let found = shape.at(4096, size_of::<types::Shape>());
    assert_eq!(
        found.map(core_kernels::runtime::DeviceAddress::raw),
        Some(4096)
    );
    assert_eq!(shape.at(4096, 8), None);
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
    assert!(kinds::Module::KERNELS.contains(&private_saxpy()));
}

fn private_saxpy() -> kernels::runtime::KernelInfo {
    let other = private::kinds::info::SAXPY;
    let own = kernels::kinds::info::SAXPY;
    assert_eq!(other.symbol, own.symbol);
    own
}

#[test]
fn a_runtime_that_is_named_has_the_types_of_the_crate() {
    // One kernel's facts, and an error, as any other crate that depends on the runtime would take them.
    fn symbol(info: &cubin_runtime::KernelInfo) -> &'static str {
        info.symbol
    }
    use private::kinds;
    assert_eq!(symbol(&kinds::info::SAXPY), "saxpy");
    let address: cubin_runtime::DeviceAddress<f32> = private::runtime::DeviceAddress::new(8);
    assert_eq!(address.raw(), 8);
    if !private::runtime::driver_present() {
        assert_eq!(
            private::runtime::context(0).err(),
            Some(cubin_runtime::LoadError::NoDriver)
        );
    }
}

#[test]
fn a_main_that_returns_an_error_prints_what_it_says() {
    use kernels::runtime::LoadError;
    let error: Box<dyn std::error::Error> = Box::new(LoadError::NoDriver);
    assert_eq!(
        format!("Error: {error:?}"),
        "Error: no CUDA driver library is installed (libcuda.so, nvcuda.dll)"
    );
}

#[test]
fn facts_of_a_kernel_are_read_from_its_row() {
    use kernels::{kinds, runtime::ParamInfo};
    const FIRST: Option<ParamInfo> = kinds::info::SAXPY.param(0);
    let expected = ParamInfo {
        name: "n",
        c_type: "int",
        size: 4,
        align: 4,
    };
    assert_eq!(FIRST, Some(expected));
    let types: Vec<&str> = kinds::info::SAXPY
        .params()
        .map(|param| param.c_type)
        .collect();
    assert_eq!(
        types,
        [
            "int",
            "float",
            "const float *__restrict__",
            "float *__restrict__"
        ]
    );
    // A parameter without a name, and what the cubins themselves say.
    assert_eq!(
        kinds::info::UNNAMED.param(0).map(|param| param.name),
        Some("")
    );
    for image in kinds::Module::IMAGES {
        let cubin = cubin_core::Cubin::parse(image.bytes).expect("a cubin");
        for function in cubin.kernels().expect("kernels") {
            let mut known = kinds::Module::KERNELS.iter();
            let info = known.find(|info| info.symbol == function.symbol);
            let Some(info) = info else { continue };
            let own = info.resources(image.target).expect("compiled for it");
            let cubins = &function.resources;
            assert_eq!(own.registers, cubins.registers);
            assert_eq!(own.stack, cubins.stack.bytes());
            assert_eq!(own.static_shared, cubins.static_shared);
            assert_eq!(own.barriers, cubins.barriers);
            assert_eq!(own.code_bytes, cubins.code_bytes);
            assert_eq!(own.max_threads, function.launch.max_threads);
        }
    }
}

#[test]
fn images_are_aligned_and_whole() {
    for image in kernels::kinds::Module::IMAGES {
        assert_eq!(image.bytes.as_ptr().align_offset(16), 0);
        assert_eq!(&image.bytes[..4], b"\x7fELF");
    }
}
