//! Containers, entries, strings and decompression of a fatbin. Seeds: `tests/golden/fatbins`.
#![no_main]

use cubin_core::fatbin;
use libfuzzer_sys::fuzz_target;

/// Keeps a bomb from being reported as slow: what is tested is that the bound holds.
const LIMIT: u64 = 1 << 22;

fuzz_target!(|data: &[u8]| {
    for entry in fatbin::entries(data, 0).flatten() {
        let _ = entry.target();
        let _ = entry.compression();
        if let Ok(image) = entry.image_within(LIMIT) {
            assert!(image.len() as u64 <= LIMIT.max(data.len() as u64));
        }
    }
    let _ = fatbin::scan(data, 0).count();
});
