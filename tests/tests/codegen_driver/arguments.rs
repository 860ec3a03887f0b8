//! Every argument reaches the bytes that the cubin records for it.

use cubin_tests::fake_driver::block;

use crate::{
    assert_bytes, config,
    kernels::{families, kinds, runtime::DeviceAddress, types},
    offsets, open, open_families, open_more, under_fake_driver,
};

#[test]
fn scalars_arrive_byte_for_byte() {
    under_fake_driver(
        "arguments::scalars_arrive_byte_for_byte",
        "9.0",
        || {
            let (_context, stream, module) = open();
            let mut out = DeviceAddress::<f64>::new(0x1122_3344_5566_7788);
            // SAFETY: nothing runs.
            unsafe {
                module.scalars(
                    &stream,
                    config(1, 32),
                    true,
                    2,
                    -3,
                    4,
                    -5,
                    6,
                    -7,
                    8,
                    -9,
                    10,
                    -11,
                    12,
                    13,
                    1.5,
                    -2.5,
                    14,
                    15,
                    16,
                    -(1 << 100),
                    &mut out,
                )
            }
            .expect("a launch");
        },
        |log| {
            let block = block(log, "scalars");
            let at = offsets("sm_90a", "scalars");
            assert_bytes(&block, at[0], &[1]);
            assert_bytes(&block, at[1], &[2]);
            assert_bytes(&block, at[2], &(-3_i8).to_le_bytes());
            assert_bytes(&block, at[3], &[4]);
            assert_bytes(&block, at[4], &(-5_i16).to_le_bytes());
            assert_bytes(&block, at[5], &6_u16.to_le_bytes());
            assert_bytes(&block, at[6], &(-7_i32).to_le_bytes());
            assert_bytes(&block, at[7], &8_u32.to_le_bytes());
            assert_bytes(&block, at[8], &(-9_i64).to_le_bytes());
            assert_bytes(&block, at[9], &10_u64.to_le_bytes());
            assert_bytes(&block, at[10], &(-11_i64).to_le_bytes());
            assert_bytes(&block, at[11], &12_u64.to_le_bytes());
            assert_bytes(&block, at[12], &13_u64.to_le_bytes());
            assert_bytes(&block, at[13], &1.5_f32.to_le_bytes());
            assert_bytes(&block, at[14], &(-2.5_f64).to_le_bytes());
            assert_bytes(&block, at[15], &14_i32.to_le_bytes());
            assert_bytes(&block, at[16], &15_u16.to_le_bytes());
            assert_bytes(&block, at[17], &16_u32.to_le_bytes());
            assert_bytes(&block, at[18], &(-(1_i128 << 100)).to_le_bytes());
            assert_bytes(&block, at[19], &0x1122_3344_5566_7788_u64.to_le_bytes());
        },
    );
}

#[test]
fn halves_and_vectors_arrive_byte_for_byte() {
    under_fake_driver(
        "arguments::halves_and_vectors_arrive_byte_for_byte",
        "8.6",
        || {
            let (_context, stream, module) = open();
            let input = DeviceAddress::<types::Half>::new(1);
            let mut output = DeviceAddress::<types::BFloat16>::new(2);
            let half = types::Half2 {
                x: types::Half(0x1112),
                y: types::Half(0x1314),
            };
            let brain = types::BFloat16x2 {
                x: types::BFloat16(0x2122),
                y: types::BFloat16(0x2324),
            };
            // SAFETY: nothing runs.
            unsafe {
                module.halves(
                    &stream,
                    config(1, 32),
                    types::Half(0x3c00),
                    types::BFloat16(0x3f80),
                    types::Fp8E4M3(0x38),
                    types::Fp8E5M2(0x3c),
                    half,
                    brain,
                    &input,
                    &mut output,
                )
            }
            .expect("a launch");
            let mut output = DeviceAddress::null();
            // SAFETY: nothing runs.
            unsafe {
                module.vectors(
                    &stream,
                    config(1, 32),
                    types::Char3 { x: 1, y: 2, z: -3 },
                    types::UChar4 {
                        x: 4,
                        y: 5,
                        z: 6,
                        w: 7,
                    },
                    types::Short2 { x: -8, y: 9 },
                    types::Int3 {
                        x: 10,
                        y: 11,
                        z: 12,
                    },
                    types::Float2 { x: 1.0, y: 2.0 },
                    types::Float3 {
                        x: 3.0,
                        y: 4.0,
                        z: 5.0,
                    },
                    types::Float4 {
                        x: 6.0,
                        y: 7.0,
                        z: 8.0,
                        w: 9.0,
                    },
                    types::Double2 { x: 10.0, y: 11.0 },
                    types::ULongLong2 { x: 13, y: 14 },
                    types::Dim3 {
                        x: 15,
                        y: 16,
                        z: 17,
                    },
                    &mut output,
                )
            }
            .expect("a launch");
        },
        |log| {
            let halves = block(log, "halves");
            let at = offsets("sm_80", "halves");
            for (index, bytes) in [
                &[0x00, 0x3c][..],
                &[0x80, 0x3f],
                &[0x38],
                &[0x3c],
                &[0x12, 0x11, 0x14, 0x13],
            ]
            .iter()
            .enumerate()
            {
                assert_bytes(&halves, at[index], bytes);
            }
            assert_bytes(&halves, at[5], &[0x22, 0x21, 0x24, 0x23]);
            let vectors = block(log, "vectors");
            let at = offsets("sm_80", "vectors");
            assert_bytes(&vectors, at[0], &[1, 2, 0xfd]);
            assert_bytes(&vectors, at[1], &[4, 5, 6, 7]);
            assert_bytes(&vectors, at[2], &[0xf8, 0xff, 9, 0]);
            assert_bytes(&vectors, at[3] + 8, &12_i32.to_le_bytes());
            assert_bytes(&vectors, at[4] + 4, &2_f32.to_le_bytes());
            assert_bytes(&vectors, at[5] + 8, &5_f32.to_le_bytes());
            assert_bytes(&vectors, at[6] + 12, &9_f32.to_le_bytes());
            assert_bytes(&vectors, at[7] + 8, &11_f64.to_le_bytes());
            assert_bytes(&vectors, at[8] + 8, &14_u64.to_le_bytes());
            assert_bytes(&vectors, at[9] + 8, &17_u32.to_le_bytes());
            assert_bytes(&vectors, at[10], &[0; 8]);
        },
    );
}

#[test]
fn records_arrive_byte_for_byte() {
    under_fake_driver(
        "arguments::records_arrive_byte_for_byte",
        "9.0",
        || {
            let (_context, stream, module) = open();
            let shape = kinds::Shape {
                n: 0x0102_0304,
                flags: 5,
                scale: 1.25,
            };
            let vector = |x| types::Float3 {
                x,
                y: x + 1.0,
                z: x + 2.0,
            };
            let ray = kinds::geo::Ray {
                origin: vector(1.0),
                direction: vector(4.0),
                t: 7.0,
            };
            let aligned = kinds::Aligned::new(b'a'.cast_signed(), 0x1122_3344, b'z'.cast_signed());
            let packed = kinds::Packed {
                a: 1,
                b: 0x0203_0405,
                c: 0x0607,
            };
            let mut bits = kinds::Bits::new(0x0809_0a0b);
            bits.set_kind(5);
            bits.set_level(-7);
            bits.set_on(1);
            bits.set_wide(0xab_cdef_0123);
            assert_eq!(
                (bits.kind(), bits.level(), bits.on(), bits.wide()),
                (5, -7, 1, 0xab_cdef_0123)
            );
            let number = kinds::Number { f: 1.5 };
            let mut node = kinds::Node {
                next: DeviceAddress::new(0x1111),
                values: DeviceAddress::new(0x2222),
                number,
                mode: kinds::geo::Mode::r#type.0,
                shapes: [shape; 2],
            };
            node.shapes[1].n = 77;
            let vec = kinds::geo::Vec_f32_4 {
                v: [1.0, 2.0, 3.0, 4.0],
            };
            let mut out = DeviceAddress::new(0x3333);
            // SAFETY: nothing runs.
            unsafe {
                module.records(
                    &stream,
                    config(1, 32),
                    shape,
                    ray,
                    aligned,
                    packed,
                    bits,
                    number,
                    kinds::Empty::default(),
                    node,
                    vec,
                    &mut out,
                )
            }
            .expect("a launch");
            let mut big = kinds::Big::default();
            big.values[0] = 1.0;
            big.values[1499] = 2.0;
            // SAFETY: nothing runs.
            unsafe { module.big(&stream, config(1, 32), &big, &mut out) }.expect("a launch");
            // SAFETY: nothing runs.
            unsafe {
                module.enums(
                    &stream,
                    config(1, 32),
                    kinds::Level::Low,
                    kinds::geo::Mode(200),
                    &mut DeviceAddress::null(),
                )
            }
            .expect("a launch");
        },
        |log| {
            let block_of_records = block(log, "records");
            let at = offsets("sm_90a", "records");
            let here = |offset, bytes: &[u8]| assert_bytes(&block_of_records, offset, bytes);
            here(at[0], &0x0102_0304_i32.to_le_bytes());
            here(at[0] + 4, &[5]);
            here(at[0] + 8, &1.25_f64.to_le_bytes());
            here(at[1] + 8, &3_f32.to_le_bytes());
            here(at[1] + 12, &4_f32.to_le_bytes());
            here(at[1] + 24, &7_f32.to_le_bytes());
            here(at[2], b"a");
            here(at[2] + 16, &0x1122_3344_i32.to_le_bytes());
            here(at[2] + 20, b"z");
            here(at[3], &[1, 5, 4, 3, 2, 7, 6]);
            // kind 5, level -7 (0b11001), on: 0b1_11001_101; wide starts a new unit of eight bytes only if
            // it does not fit: it follows at bit 9.
            let first = 5_u64 | (0b11001 << 3) | (1 << 8) | (0xab_cdef_0123 << 9);
            here(at[4], &first.to_le_bytes()[..7]);
            here(at[4] + 8, &0x0809_0a0b_i32.to_le_bytes());
            here(at[5], &1.5_f32.to_le_bytes());
            here(at[7], &0x1111_u64.to_le_bytes());
            here(at[7] + 8, &0x2222_u64.to_le_bytes());
            here(at[7] + 16, &1.5_f32.to_le_bytes());
            here(at[7] + 24, &[7]);
            here(at[7] + 48, &77_i32.to_le_bytes());
            here(at[8] + 12, &4_f32.to_le_bytes());
            here(at[9], &0x3333_u64.to_le_bytes());
            let big = block(log, "big");
            assert_eq!(big.len(), 6008);
            assert_bytes(&big, 0, &1_f32.to_le_bytes());
            assert_bytes(&big, 5996, &2_f32.to_le_bytes());
            let enums = block(log, "enums");
            let at = offsets("sm_90a", "enums");
            assert_bytes(&enums, at[0], &(-1_i32).to_le_bytes());
            assert_bytes(&enums, at[1], &[200]);
        },
    );
}

/// Parameters of more than 4 KiB, by reference, through the generic function and through the named one.
#[test]
fn parameters_of_8_and_16_kib_arrive_byte_for_byte() {
    under_fake_driver(
        "arguments::parameters_of_8_and_16_kib_arrive_byte_for_byte",
        "9.0",
        || {
            let (_context, stream, module) = open_families();
            let (mut eight, mut sixteen) = (
                Box::<families::Wide_f32>::default(),
                Box::<families::Wide_f64>::default(),
            );
            for (index, (a, b)) in eight.values.iter_mut().zip(&mut sixteen.values).enumerate() {
                *a = index as f32 + 0.5;
                *b = -(index as f64);
            }
            let mut out = DeviceAddress::<f32>::new(0x1112);
            // SAFETY: nothing runs.
            unsafe { module.wide(&stream, config(1, 1), 7, &*eight, &mut out) }.expect("a launch");
            let mut out = DeviceAddress::new(0x2122);
            // SAFETY: nothing runs.
            unsafe { module.wide_f64(&stream, config(1, 1), 9, &sixteen, &mut out) }
                .expect("a launch");
        },
        |log| {
            let eight = block(log, "_Z4wideIfEvi4WideIT_EPS1_");
            assert_eq!(offsets("sm_90a", "_Z4wideIfEvi4WideIT_EPS1_"), [0, 4, 8200]);
            assert_bytes(&eight, 0, &7_i32.to_le_bytes());
            let values: Vec<u8> = (0..2048_u16)
                .flat_map(|index| (f32::from(index) + 0.5).to_le_bytes())
                .collect();
            assert_bytes(&eight, 4, &values);
            assert_bytes(&eight, 8200, &0x1112_u64.to_le_bytes());
            let sixteen = block(log, "_Z4wideIdEvi4WideIT_EPS1_");
            let values: Vec<u8> = (0..2048_u16)
                .flat_map(|index| (-f64::from(index)).to_le_bytes())
                .collect();
            assert_bytes(&sixteen, 8, &values);
            assert_bytes(&sixteen, 8 + 16_384, &0x2122_u64.to_le_bytes());
        },
    );
}

#[test]
fn over_aligned_parameters_lie_where_the_target_puts_them() {
    under_fake_driver(
        "arguments::over_aligned_parameters_lie_where_the_target_puts_them",
        "9.0",
        || {
            let (_context, stream, module) = open_more();
            let mut map = types::TensorMap { opaque: [0; 16] };
            map.opaque[0] = 0x0102_0304_0506_0708;
            map.opaque[15] = 0x1112_1314_1516_1718;
            let mut out = DeviceAddress::new(0x2122);
            // SAFETY: nothing runs.
            unsafe { module.tensor(&stream, config(1, 32), map, &mut out) }.expect("a launch");
        },
        |log| {
            let tensor = block(log, "tensor");
            // 128-byte alignment of the address in the constant bank, whose parameters start at 0x210.
            assert_eq!(offsets("sm_90a", "tensor"), [112, 240]);
            assert_bytes(&tensor, 112, &0x0102_0304_0506_0708_u64.to_le_bytes());
            assert_bytes(&tensor, 232, &0x1112_1314_1516_1718_u64.to_le_bytes());
            assert_bytes(&tensor, 240, &0x2122_u64.to_le_bytes());
        },
    );
}
