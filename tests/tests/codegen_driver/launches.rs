//! Every check comes before the launch, launches of each kind reach the driver, uses of memory are ordered between
//! streams.

use cudarc::driver::LaunchConfig;

use crate::{
    config,
    kernels::{
        kinds, more,
        runtime::{DeviceAddress, Launch, Reason, RegisterFile},
    },
    open, open_more, under_fake_driver,
};

#[test]
fn limits_are_checked_before_the_launch() {
    under_fake_driver(
        "launches::limits_are_checked_before_the_launch",
        "9.0",
        || {
            let (_context, stream, module) = open();
            let fails = |launch: Launch| {
                // SAFETY: nothing runs.
                let result = unsafe { module.nothing(&stream, launch) };
                let error = result.expect_err("a launch beyond the limits");
                assert_eq!(error.kernel, "nothing");
                assert!(
                    error.to_string().starts_with("cannot launch `nothing`: "),
                    "{error}"
                );
                error.reason
            };
            let with = |grid_dim, block_dim, shared_mem_bytes| {
                Launch::from(LaunchConfig {
                    grid_dim,
                    block_dim,
                    shared_mem_bytes,
                })
            };
            let plain = config(1, 32);
            assert!(matches!(
                fails(with((0, 1, 1), (32, 1, 1), 0)),
                Reason::Grid { .. }
            ));
            assert!(matches!(
                fails(with((1, 65_536, 1), (32, 1, 1), 0)),
                Reason::Grid { .. }
            ));
            assert!(matches!(
                fails(with((1, 1, 1), (32, 0, 1), 0)),
                Reason::Block { .. }
            ));
            assert!(matches!(
                fails(with((1, 1, 1), (1, 1, 65), 0)),
                Reason::Block { .. }
            ));
            let threads = fails(with((1, 1, 1), (32, 32, 2), 0));
            assert_eq!(
                threads,
                Reason::Threads {
                    threads: 2048,
                    limit: 1024
                }
            );
            // The driver's own count, which includes registers, is lower than the device's.
            let registers = fails(with((1, 1, 1), (1024, 1, 1), 0));
            assert_eq!(
                registers,
                Reason::Registers {
                    threads: 1024,
                    registers: 121,
                    available: RegisterFile::Block(65_536),
                    limit: 512
                }
            );
            assert_eq!(
                registers.to_string(),
                "1024 threads per block with 121 registers each, the device has 65536 registers for a block: \
                 the kernel fits with at most 512 threads"
            );
            let shared = fails(with((1, 1, 1), (32, 1, 1), 300_000));
            assert_eq!(
                shared,
                Reason::SharedMemory {
                    dynamic: 300_000,
                    fixed: 0,
                    limit: 232_448
                }
            );
            assert!(matches!(
                fails(Launch::clustered(plain, (0, 1, 1))),
                Reason::Cluster { .. }
            ));
            assert!(matches!(
                fails(Launch::clustered(plain, (32, 1, 1))),
                Reason::Cluster { .. }
            ));
            assert!(matches!(
                fails(Launch::clustered(config(3, 32), (2, 1, 1))),
                Reason::ClusterGrid { .. }
            ));
            // `__launch_bounds__(128)`
            // SAFETY: nothing runs.
            let bounds =
                unsafe { module.load_(&stream, config(1, 256), &mut DeviceAddress::null()) };
            let reason = bounds.expect_err("too many threads").reason;
            assert_eq!(
                reason,
                Reason::Threads {
                    threads: 256,
                    limit: 128
                }
            );
            let error = module
                .cu_function(&more::info::CLUSTERED)
                .expect_err("no such kernel");
            assert_eq!(error.reason, Reason::OtherModule("kinds"));
            assert_eq!(
                format!("{error:?}"),
                "cannot launch `clustered`: module `kinds` has no such kernel"
            );
        },
        |log| {
            let launches: Vec<_> = log
                .iter()
                .filter(|line| line.starts_with("launch"))
                .collect();
            assert!(launches.is_empty(), "{launches:#?}");
        },
    );
}

#[test]
fn dynamic_shared_memory_is_asked_for() {
    under_fake_driver(
        "launches::dynamic_shared_memory_is_asked_for",
        "9.0",
        || {
            let (_context, stream, module) = open_more();
            let launch = |bytes| {
                let mut config = config(1, 64);
                config.shared_mem_bytes = bytes;
                // SAFETY: nothing runs.
                unsafe { module.shared_memory(&stream, config, &mut DeviceAddress::null()) }
            };
            // Before the kernel was looked up, and after.
            for _ in 0..2 {
                let error = launch(0).expect_err("none is given");
                assert_eq!(error.reason, Reason::NoDynamicShared);
                assert_eq!(
                    error.to_string(),
                    "cannot launch `shared_memory`: the kernel uses dynamic shared memory (`extern __shared__`), \
                     the launch gives it 0 bytes"
                );
                launch(1).expect("a byte");
            }
            // All that needs no asking, and a byte more.
            launch(49_152 - 4096).expect("a launch");
            launch(49_152 - 4096 + 1).expect("a launch");
            launch(232_448 - 4096).expect("a launch");
            let info = &more::info::SHARED_MEMORY;
            assert_eq!(info.dynamic_shared(), Some(true));
            assert_eq!(more::info::CLUSTERED.dynamic_shared(), Some(false));
            // Its PTX was not looked at, but its cubin has no such memory at all.
            assert_eq!(kinds::info::SAXPY.dynamic_shared(), Some(false));
        },
        |log| {
            let calls: Vec<&str> = log
                .iter()
                .filter(|line| line.starts_with("launch") || line.starts_with("attribute"))
                .map(|line| line.split(" params").next().unwrap_or_default())
                .collect();
            let launch =
                |bytes: u32| format!("launch shared_memory grid 1,1,1 block 64,1,1 shared {bytes}");
            assert_eq!(
                calls,
                [
                    &*launch(1),
                    &launch(1),
                    &launch(45_056),
                    "attribute shared_memory 8=228352",
                    &launch(45_057),
                    &launch(228_352),
                ]
            );
        },
    );
}

#[test]
fn compiled_in_demands_are_checked() {
    under_fake_driver(
        "launches::compiled_in_demands_are_checked",
        "9.0",
        || {
            let (_context, stream, module) = open_more();
            let mut out = DeviceAddress::<f32>::null();
            // SAFETY: nothing runs.
            let mut clustered = |launch: Launch| {
                unsafe { module.clustered(&stream, launch, &mut out) }.map_err(|error| error.reason)
            };
            assert_eq!(clustered(config(4, 32).into()), Ok(()));
            assert_eq!(
                clustered(Launch::clustered(config(4, 32), (2, 1, 1))),
                Ok(())
            );
            assert!(matches!(
                clustered(config(3, 32).into()),
                Err(Reason::ClusterGrid { .. })
            ));
            let other = clustered(Launch::clustered(config(4, 32), (4, 1, 1)));
            assert!(matches!(other, Err(Reason::RequiredCluster { .. })));
            let mut large = config(1, 64);
            large.shared_mem_bytes = 232_448 - 4096 + 1;
            // SAFETY: nothing runs.
            let error = unsafe { module.shared_memory(&stream, large, &mut DeviceAddress::null()) };
            let reason = error.expect_err("too much shared memory").reason;
            assert_eq!(
                reason,
                Reason::SharedMemory {
                    dynamic: 228_353,
                    fixed: 4096,
                    limit: 232_448
                }
            );
        },
        |log| {
            assert_eq!(
                log.iter().filter(|line| line.starts_with("launch")).count(),
                2,
                "{log:#?}"
            );
        },
    );
}

#[test]
fn other_kinds_of_launches_reach_the_driver() {
    under_fake_driver(
        "launches::other_kinds_of_launches_reach_the_driver",
        "9.0",
        || {
            let (_context, stream, module) = open();
            let mut config = config(4, 64);
            // SAFETY: nothing runs.
            unsafe {
                module
                    .nothing(&stream, Launch::cooperative(config))
                    .expect("a launch");
                module
                    .nothing(&stream, Launch::clustered(config, (2, 1, 1)))
                    .expect("a launch");
                config.shared_mem_bytes = 100_000;
                module.nothing(&stream, config).expect("a launch");
                module.nothing(&stream, config).expect("a launch");
            }
        },
        |log| {
            let calls: Vec<&str> = log
                .iter()
                .map(String::as_str)
                .filter(|line| line.contains(" _") || line.contains("nothing"))
                .collect();
            assert_eq!(
                calls,
                [
                    "function nothing",
                    "cooperative nothing grid 4,1,1 block 64,1,1 shared 0 params ",
                    "launch nothing grid [4, 1, 1] block [64, 1, 1] shared 0 cluster 2,1,1 params ",
                    "attribute nothing 8=232448",
                    "launch nothing grid 4,1,1 block 64,1,1 shared 100000 params ",
                    "launch nothing grid 4,1,1 block 64,1,1 shared 100000 params ",
                ]
            );
        },
    );
}

#[test]
fn memory_is_ordered_between_streams() {
    under_fake_driver(
        "launches::memory_is_ordered_between_streams",
        "9.0",
        || {
            let (context, stream, module) = open();
            let other = context.new_stream().expect("a stream");
            let x = stream.alloc_zeros::<f32>(8).expect("memory");
            let mut y = other.alloc_zeros::<f32>(8).expect("memory");
            // SAFETY: nothing runs.
            unsafe { module.saxpy(&other, config(1, 128), 8, 2.0, &x, &mut y) }.expect("a launch");
        },
        |log| {
            let launch = log
                .iter()
                .position(|line| line.starts_with("launch saxpy"))
                .expect("a launch");
            // Before it: the write of x; the read and the write of y. After it: the read of x, the write of y.
            assert!(
                log[launch - 3..launch]
                    .iter()
                    .all(|line| line.starts_with("wait ")),
                "{log:#?}"
            );
            assert!(
                log[launch + 1..launch + 3]
                    .iter()
                    .all(|line| line.starts_with("record ")),
                "{log:#?}"
            );
        },
    );
}
