//! A heap that counts, for tests of how much memory a piece of work takes.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering},
};

/// Counts what is allocated, and keeps the highest sum. One per program, as its `#[global_allocator]`.
///
/// It counts what every thread does: a program that asks for a peak has one test.
#[derive(Debug, Default)]
pub struct Counting {
    now: AtomicUsize,
    peak: AtomicUsize,
    allocations: AtomicUsize,
}

impl Counting {
    /// A heap that nothing was taken from.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            now: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            allocations: AtomicUsize::new(0),
        }
    }

    /// How often memory was asked for since the program started.
    pub fn allocations(&self) -> usize {
        self.allocations.load(Ordering::Relaxed)
    }

    /// What `work` gives, and the most bytes that it held at a time beyond those held before.
    pub fn peak<T>(&self, work: impl FnOnce() -> T) -> (T, usize) {
        let before = self.now.load(Ordering::Relaxed);
        self.peak.store(before, Ordering::Relaxed);
        let result = work();
        (result, self.peak.load(Ordering::Relaxed) - before)
    }

    fn grown(&self, bytes: usize) {
        self.allocations.fetch_add(1, Ordering::Relaxed);
        let now = self.now.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.peak.fetch_max(now, Ordering::Relaxed);
    }
}

// SAFETY: every call goes to the system's allocator unchanged; the counters touch no memory of the caller.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.grown(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        self.now.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Old and new block may exist side by side while the contents move.
        self.grown(size);
        self.now.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}
