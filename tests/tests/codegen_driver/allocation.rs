//! A launch allocates nothing.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering},
};

use crate::{config, open, under_fake_driver};

/// Counts what this program allocates; the driver library has an allocator of its own.
struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: passes everything on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static GLOBAL: Counting = Counting;

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
                let before = ALLOCATIONS.load(Ordering::Relaxed);
                launch();
                ALLOCATIONS.load(Ordering::Relaxed) - before
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
