//! Generic functions launch the instance that their types and numbers name.

use cubin_tests::fake_driver::block;
use cudarc::driver::CudaStream;

use crate::{
    assert_bytes, config,
    kernels::{
        families, more,
        runtime::{DeviceAddress, LaunchError},
        types,
    },
    open_families, open_more, under_fake_driver,
};

#[test]
fn generic_functions_launch_the_instance_of_their_types() {
    /// What a user's own generic code looks like.
    fn fill_all<T: more::instances::Fill + Copy>(
        module: &more::Module,
        stream: &CudaStream,
        value: T,
    ) {
        let mut out = DeviceAddress::<T>::new(8);
        // SAFETY: nothing runs.
        unsafe { module.fill(stream, config(1, 32), 5, value, &mut out) }.expect("a launch");
    }
    under_fake_driver(
        "generics::generic_functions_launch_the_instance_of_their_types",
        "9.0",
        || {
            let (_context, stream, module) = open_more();
            fill_all(&module, &stream, 1.5_f32);
            fill_all(&module, &stream, 7_i32);
            fill_all(&module, &stream, types::Half(0x3c00));
            let from = types::geo::Vec_f32_4 {
                v: [1.0, 2.0, 3.0, 4.0],
            };
            let input = DeviceAddress::<f64>::new(16);
            // SAFETY: nothing runs.
            unsafe {
                module
                    .gather::<f32>(&stream, config(1, 4), from, &mut DeviceAddress::null())
                    .expect("a launch");
                module
                    .cast::<f64, f32>(&stream, config(1, 4), 3, &input, &mut DeviceAddress::null())
                    .expect("a launch");
            }
        },
        |log| {
            assert_bytes(&block(log, "_Z4fillIfEviT_PS0_"), 4, &1.5_f32.to_le_bytes());
            assert_bytes(&block(log, "_Z4fillIiEviT_PS0_"), 4, &7_i32.to_le_bytes());
            assert_bytes(&block(log, "_Z4fillI6__halfEviT_PS1_"), 4, &[0x00, 0x3c]);
            assert_bytes(
                &block(log, "_Z6gatherIfEvN3geo3VecIT_Li4EEEPS2_"),
                12,
                &4_f32.to_le_bytes(),
            );
            assert_bytes(
                &block(log, "_Z4castIdfEviPKT_PT0_"),
                8,
                &16_u64.to_le_bytes(),
            );
        },
    );
}

#[test]
fn generic_functions_launch_the_instance_of_their_numbers() {
    use families::instances::quant_type;
    /// What a user's own generic code looks like.
    fn sums<T: families::instances::Sum<8>>(module: &families::Module, stream: &CudaStream) {
        let (input, mut out) = (DeviceAddress::<T>::new(8), DeviceAddress::<T>::new(16));
        // SAFETY: nothing runs.
        unsafe { module.sum::<T, 8>(stream, config(1, 32), &input, &mut out) }.expect("a launch");
    }
    under_fake_driver(
        "generics::generic_functions_launch_the_instance_of_their_numbers",
        "9.0",
        || {
            let (_context, stream, module) = open_families();
            sums::<types::Half>(&module, &stream);
            let mut any = DeviceAddress::null();
            let config = config(1, 32);
            let mut out = DeviceAddress::<f32>::new(0x2122);
            let input = DeviceAddress::<f32>::new(0x1112);
            // SAFETY: nothing runs.
            let launched: Result<(), LaunchError> = (|| unsafe {
                // The type follows from the arguments, the number does not.
                module.sum::<_, 16>(&stream, config, &input, &mut out)?;
                module.tile::<32, 4_000_000_000>(&stream, config, 1.5, &mut out)?;
                module.mul_mat::<{ quant_type::QUANT_TYPE_Q2_K }, 48, true>(
                    &stream, config, &input, &mut out,
                )?;
                module.mul_mat::<5, 48, false>(&stream, config, &input, &mut out)?;
                let geo = module.geo();
                geo.reduce::<3, _>(&stream, config, 7, -2_i32, &mut DeviceAddress::new(8))?;
                let from = families::geo::Vec_f64_3 { v: [1.0, 2.0, 3.0] };
                let mut table = DeviceAddress::<[f64; 3]>::new(0x3132);
                geo.spread::<f64, 3>(&stream, config, from, &mut table, &mut any)?;
                module.convert::<i32, f32, false>(
                    &stream,
                    config,
                    9,
                    &DeviceAddress::null(),
                    &mut out,
                )?;
                module.clear::<i16, 2>(&stream, config, 3, &mut out)
            })();
            launched.expect("nine launches");
        },
        |log| {
            block(log, "_Z3sumI6__halfLi8EEvPKT_PS1_");
            let sum = block(log, "_Z3sumIfLi16EEvPKT_PS0_");
            assert_bytes(&sum, 0, &0x1112_u64.to_le_bytes());
            assert_bytes(&sum, 8, &0x2122_u64.to_le_bytes());
            let tile = block(log, "_Z4tileILi32ELj4000000000EEvfPf");
            assert_bytes(&tile, 0, &1.5_f32.to_le_bytes());
            block(log, "_Z7mul_matIL10quant_type10ELi48ELb1EEvPKvPf");
            block(log, "_Z7mul_matIL10quant_type5ELi48ELb0EEvPKvPf");
            let reduce = block(log, "_ZN3geo6reduceILNS_2OpE3EiEEviT0_PS2_");
            assert_bytes(&reduce, 0, &7_i32.to_le_bytes());
            assert_bytes(&reduce, 4, &(-2_i32).to_le_bytes());
            let spread = block(log, "_ZN3geo6spreadIdLi3EEEvNS_3VecIT_XT0_EEERAT0__S2_PS2_");
            assert_bytes(&spread, 16, &3_f64.to_le_bytes());
            assert_bytes(&spread, 24, &0x3132_u64.to_le_bytes());
            let convert = block(log, "_Z7convertIifLb0EEviPKT_PT0_");
            assert_bytes(&convert, 0, &9_i32.to_le_bytes());
            let clear = block(log, "_Z5clearIsLi2EEviPf");
            assert_bytes(&clear, 0, &3_i32.to_le_bytes());
            let launches = log.iter().filter(|line| line.starts_with("launch"));
            assert_eq!(launches.count(), 9);
        },
    );
}
