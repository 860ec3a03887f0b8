//! Facts about kernels, targets and images, as a generated file writes them down and a program asks for them.

use cubin_runtime::{
    Image, KernelInfo, ModuleInfo, ParamInfo, Resources, Target, bits, choose, set_bits,
    sign_extend,
};

static MODULE: ModuleInfo = ModuleInfo {
    name: "unit",
    targets: &[Target::new(80), Target::accelerated(90)],
    kernels: 3,
};

static KERNELS: [KernelInfo; 3] = MODULE.kernels([
    (
        "_Z5scaleIfEvPT_i",
        "scale<float>",
        "8 8 out float *;4 4  int",
        "r10 s0 p4/8 m512 d1 b2 c768 t128/1/1;r12 s16 q8/8/1 l2/1/1 k8 x",
    ),
    ("plain", "", "", ";r4"),
    ("nowhere", "", "", ";"),
]);

#[test]
fn a_row_holds_all_that_is_known() {
    // In `const` context, as users ask.
    const SCALE: KernelInfo = KERNELS[0];
    const RESOURCES: Option<Resources> = SCALE.resources(Target::new(80));
    assert_eq!(
        (SCALE.symbol, SCALE.name),
        ("_Z5scaleIfEvPT_i", "scale<float>")
    );
    let expected = Resources {
        registers: 10,
        stack: Some(0),
        spills: Some((4, 8)),
        static_shared: 512,
        dynamic_shared: Some(true),
        barriers: Some(2),
        code_bytes: 768,
        max_threads: Some([128, 1, 1]),
        ..Resources::none(Target::new(80))
    };
    assert_eq!(RESOURCES, Some(expected));
    assert_eq!(expected.max_threads_total(), 128);
    let expected = Resources {
        registers: 12,
        stack: Some(16),
        required_threads: Some([8, 8, 1]),
        cluster: Some([2, 1, 1]),
        explicit_cluster: true,
        max_cluster_rank: Some(8),
        ..Resources::none(Target::accelerated(90))
    };
    assert_eq!(SCALE.resources(Target::accelerated(90)), Some(expected));
    assert_eq!(expected.max_threads_total(), u32::MAX);
    assert_eq!(SCALE.resources(Target::new(90)), None);
}

#[test]
fn a_kernel_is_on_some_targets_only() {
    assert_eq!(KERNELS[1].resources(Target::new(80)), None);
    let registers: Vec<u32> = KERNELS[1].per_target().map(|own| own.registers).collect();
    assert_eq!(registers, [4]);
    assert_eq!(KERNELS[2].per_target().count(), 0);
    // Known of one target is enough to need it, and not enough to do without.
    let dynamic = KERNELS.each_ref().map(KernelInfo::dynamic_shared);
    assert_eq!(dynamic, [Some(true), None, None]);
}

#[test]
fn parameters_stand_in_the_order_of_the_call() {
    let params: Vec<ParamInfo> = KERNELS[0].params().collect();
    let param = |name, c_type, size| ParamInfo {
        name,
        c_type,
        size,
        align: size,
    };
    assert_eq!(params, [param("out", "float *", 8), param("", "int", 4)]);
    assert_eq!(KERNELS[0].param(1), Some(params[1]));
    assert_eq!(KERNELS[0].param(2), None);
    assert_eq!(KERNELS[1].params().count(), 0);
}

#[test]
fn kernels_differ_by_what_is_known_of_them() {
    assert_eq!(KERNELS[0], KERNELS[0]);
    assert_ne!(KERNELS[1], KERNELS[2]);
    assert_eq!(
        format!("{:?}", KERNELS[1]),
        "KernelInfo { symbol: \"plain\", name: \"plain\", module: \"unit\", index: 1, .. }"
    );
}

#[test]
fn code_runs_where_its_target_allows() {
    for (target, device, runs) in [
        (Target::new(80), (8, 0), true),
        (Target::new(80), (8, 9), true),
        (Target::new(86), (8, 0), false),
        (Target::new(80), (9, 0), false),
        (Target::accelerated(90), (9, 0), true),
        (Target::accelerated(100), (10, 3), false),
        (Target::family(100), (10, 3), true),
        (Target::family(100), (10, 1), false),
        (Target::family(120), (12, 1), true),
    ] {
        assert_eq!(target.runs_on(device), runs, "{target} on {device:?}");
    }
    assert!(Target::new(80).compiles_for((9, 0)));
    assert!(!Target::new(80).compiles_for((7, 5)));
    assert!(!Target::accelerated(90).compiles_for((10, 0)));
}

#[test]
fn the_most_special_image_is_chosen_and_ptx_is_the_last_resort() {
    const IMAGES: &[Image] = &[
        Image::cubin(Target::new(80), "80", b""),
        Image::cubin(Target::new(86), "86", b""),
        Image::cubin(Target::new(90), "90", b""),
        Image::cubin(Target::accelerated(90), "90a", b""),
        Image::ptx(Target::new(90), Target::accelerated(90), "ptx", b"\0"),
    ];
    let chosen = |device| choose(IMAGES, device).map(|image| image.file);
    assert_eq!(chosen((8, 0)), Some("80"));
    assert_eq!(chosen((8, 9)), Some("86"));
    assert_eq!(chosen((9, 0)), Some("90a"));
    assert_eq!(chosen((10, 0)), Some("ptx"));
    assert_eq!(chosen((7, 5)), None);
    assert_eq!(IMAGES[3].to_string(), "sm_90a");
    assert_eq!(IMAGES[4].to_string(), "PTX compute_90");
}

#[test]
fn bit_fields_are_read_as_they_were_written() {
    let mut bytes = [0xff_u8; 4];
    set_bits(&mut bytes, 6, 11, 0b101_0000_0010);
    assert_eq!(bits(&bytes, 6, 11), 0b101_0000_0010);
    assert_eq!((bits(&bytes, 0, 6), bits(&bytes, 17, 15)), (0x3f, 0x7fff));
    assert_eq!(sign_extend(0b1111, 4), -1);
    assert_eq!(sign_extend(0b0111, 4), 7);
}
