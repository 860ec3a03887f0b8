//! What a launch may ask for is known before a driver is asked, and said in words.

use cubin_runtime::{
    DeviceAddress, GlobalInfo, KernelInfo, Limits, ModuleInfo, Reason, RegisterFile, Resources,
    Shape, Space, Target, Variable,
};

const LIMITS: Limits = Limits {
    grid: (100, 100, 100),
    block: (1024, 1024, 64),
    threads: 1024,
    shared: 49_152,
    shared_optin: 101_376,
    cooperative: false,
    clusters: true,
};

const LAUNCH: Shape = Shape {
    grid: (4, 1, 1),
    block: (128, 1, 1),
    shared: 0,
    cooperative: false,
    cluster: None,
};

/// What is wrong with a launch of a kernel with these resources.
fn wrong(
    change: impl FnOnce(&mut Resources),
    launch: impl FnOnce(&mut Shape),
) -> Result<(), String> {
    let mut resources = Resources::none(Target::new(90));
    change(&mut resources);
    let mut shape = LAUNCH;
    launch(&mut shape);
    let checked = LIMITS.check(&resources, &shape);
    checked.map_err(|reason| reason.to_string())
}

#[test]
fn a_launch_within_all_limits_is_right() {
    assert_eq!(wrong(|_| {}, |_| {}), Ok(()));
    let most = |launch: &mut Shape| {
        launch.block = (1024, 1, 1);
        launch.shared = 101_376;
    };
    assert_eq!(wrong(|_| {}, most), Ok(()));
    let required = |resources: &mut Resources| resources.required_threads = Some([128, 1, 1]);
    assert_eq!(wrong(required, |_| {}), Ok(()));
    // A shape that the kernel fixes, and one that the launch gives.
    let clusters = |resources: &mut Resources| resources.cluster = Some([2, 1, 1]);
    assert_eq!(wrong(clusters, |_| {}), Ok(()));
    let given = |launch: &mut Shape| launch.cluster = Some((4, 1, 1));
    assert_eq!(wrong(|_| {}, given), Ok(()));
    let dynamic = |resources: &mut Resources| resources.dynamic_shared = Some(true);
    assert_eq!(wrong(dynamic, |launch| launch.shared = 4), Ok(()));
    let unknown = |resources: &mut Resources| resources.dynamic_shared = None;
    assert_eq!(wrong(unknown, |_| {}), Ok(()));
}

#[test]
fn dimensions_and_threads_have_limits() {
    let said = |launch: fn(&mut Shape)| wrong(|_| {}, launch).expect_err("beyond a limit");
    assert_eq!(
        said(|launch| launch.grid.1 = 101),
        "grid (4, 101, 1), the device allows 1 to (100, 100, 100)"
    );
    assert_eq!(
        said(|launch| launch.block.2 = 0),
        "block (128, 1, 0), the device allows 1 to (1024, 1024, 64)"
    );
    assert_eq!(
        said(|launch| launch.block.1 = 9),
        "1152 threads per block, the kernel allows 1024"
    );
    let bounds = wrong(|resources| resources.max_threads = Some([64, 1, 1]), |_| {});
    assert_eq!(
        bounds.expect_err("beyond its launch bounds"),
        "128 threads per block, the kernel allows 64"
    );
    let required = wrong(
        |resources| resources.required_threads = Some([64, 2, 1]),
        |_| {},
    );
    assert_eq!(
        required.expect_err("another shape"),
        "block (128, 1, 1), compiled for exactly [64, 2, 1]"
    );
}

#[test]
fn shared_memory_has_a_least_and_a_most() {
    let most = wrong(
        |resources| resources.static_shared = 1024,
        |launch| launch.shared = 101_376,
    );
    assert_eq!(
        most.expect_err("more than the device has"),
        "101376 bytes of dynamic and 1024 of static shared memory, the device allows 101376 per block"
    );
    let none = wrong(|resources| resources.dynamic_shared = Some(true), |_| {});
    assert_eq!(
        none.expect_err("none is given"),
        "the kernel uses dynamic shared memory (`extern __shared__`), the launch gives it 0 bytes"
    );
}

#[test]
fn clusters_and_cooperation_need_device_and_kernel() {
    let said = |change: fn(&mut Resources), launch: fn(&mut Shape)| {
        wrong(change, launch).expect_err("not possible")
    };
    assert_eq!(
        said(|_| {}, |launch| launch.cooperative = true),
        "the device has no cooperative launch"
    );
    assert_eq!(
        said(|resources| resources.explicit_cluster = true, |_| {}),
        "the launch must give a cluster shape"
    );
    assert_eq!(
        said(
            |resources| resources.cluster = Some([2, 1, 1]),
            |launch| launch.cluster = Some((4, 1, 1))
        ),
        "cluster Some((4, 1, 1)), compiled for exactly [2, 1, 1]"
    );
    assert_eq!(
        said(|_| {}, |launch| launch.cluster = Some((17, 1, 1))),
        "cluster (17, 1, 1) has too many blocks, the limit is 16"
    );
    assert_eq!(
        said(
            |resources| resources.max_cluster_rank = Some(2),
            |launch| launch.cluster = Some((4, 1, 1))
        ),
        "cluster (4, 1, 1) has too many blocks, the limit is 2"
    );
    assert_eq!(
        said(|_| {}, |launch| launch.cluster = Some((3, 1, 1))),
        "grid (4, 1, 1) is not a multiple of cluster (3, 1, 1)"
    );
}

#[test]
fn an_error_names_the_kernel_in_both_of_its_texts() {
    static MODULE: ModuleInfo = ModuleInfo {
        name: "unit",
        targets: &[Target::new(80)],
        kernels: 1,
    };
    static KERNELS: [KernelInfo; 1] = MODULE.kernels([("plain", "ns::plain", "", "r4")]);
    let error = KERNELS[0]
        .check(Target::new(90), &LIMITS, &LAUNCH)
        .expect_err("another target");
    assert_eq!(error.reason, Reason::NotInImage(Target::new(90)));
    let text = "cannot launch `ns::plain`: the kernel was not compiled for sm_90";
    assert_eq!(
        (error.to_string(), format!("{error:?}")),
        (text.into(), text.into())
    );
    assert_eq!(KERNELS[0].check(Target::new(80), &LIMITS, &LAUNCH), Ok(()));
}

#[test]
fn a_variable_is_taken_where_its_size_is_right() {
    const INFO: GlobalInfo = GlobalInfo {
        symbol: "x",
        name: "ns::x",
        c_type: "float[4]",
        size: 16,
        align: 4,
        space: Space::Constant,
    };
    const VARIABLE: Variable<[f32; 4]> = Variable::new(INFO);
    let found = VARIABLE.at(64, 16);
    assert_eq!(found, Some(DeviceAddress::new(64)));
    assert_eq!(found.map(|address| address.cast::<f32>().raw()), Some(64));
    assert_eq!(VARIABLE.at(64, 8), None);
    assert_eq!(format!("{:?}", DeviceAddress::<u8>::new(255)), "0xff");
    assert_eq!(DeviceAddress::<u8>::default(), DeviceAddress::null());
}

#[test]
fn registers_that_do_not_fit_are_told_apart() {
    let exceeded = |threads, registers, per_block| {
        RegisterFile::exceeded_by(threads, registers, per_block, 65_536)
    };
    assert_eq!(exceeded(1024, 64, 65_536), None);
    assert_eq!(
        exceeded(1024, 65, 65_536),
        Some(RegisterFile::Block(65_536)),
        "given out by eights"
    );
    // sm_62 gives a block half of them.
    assert_eq!(exceeded(512, 72, 32_768), Some(RegisterFile::Block(32_768)));
    // 672 x 96 are fewer than there are, but each scheduler has room for five warps.
    let uneven = exceeded(672, 96, 65_536);
    assert_eq!(uneven, Some(RegisterFile::Multiprocessor(65_536)));
    assert_eq!(exceeded(640, 96, 65_536), None);
    let reason = Reason::Registers {
        threads: 672,
        registers: 96,
        available: RegisterFile::Multiprocessor(65_536),
        limit: 640,
    };
    assert_eq!(
        reason.to_string(),
        "672 threads per block with 96 registers each, a multiprocessor has 65536 registers and gives them out by \
         warps: the kernel fits with at most 640 threads"
    );
}
