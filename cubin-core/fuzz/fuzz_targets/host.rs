//! Host objects, archives and whatever else may hold device code. Seeds: `tests/golden/fatbins`.
#![no_main]

use cubin_core::host::{self, Code};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    for code in host::device_code(data).flatten() {
        assert!(code.offset() <= data.len() as u64);
        if let Code::Entry(entry) = &code.code {
            let _ = entry.image_within(1 << 22);
        }
    }
});
