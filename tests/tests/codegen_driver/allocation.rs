//! A launch allocates nothing.

use cubin_tests::heap::Counting;

use crate::{config, open, under_fake_driver};

/// The driver library has an allocator of its own.
#[global_allocator]
static HEAP: Counting = Counting::new();

#[test]
fn a_launch_allocates_nothing() {
    under_fake_driver(
        "allocation::a_launch_allocates_nothing",
        "9.0",
        || {
            let (context, stream, module) = open();
            let other = context.new_stream().expect("a stream");
            let x = stream.alloc_zeros::<f32>(8).expect("memory");
            let mut y = other.alloc_zeros::<f32>(8).expect("memory");
            let mut launch = || {
                // SAFETY: nothing runs.
                unsafe { module.saxpy(&other, config(1, 128), 8, 2.0, &x, &mut y) }
                    .expect("a launch");
            };
            launch();
            // Other threads of the test harness allocate now and then: the least of several counts.
            let counts = (0..20).map(|_| {
                let before = HEAP.allocations();
                launch();
                HEAP.allocations() - before
            });
            assert_eq!(counts.min(), Some(0));
        },
        |log| {
            assert_eq!(
                log.iter().filter(|line| line.starts_with("launch")).count(),
                21
            );
        },
    );
}
