//! The loader image of a cubin. Seeds: `tests/golden/cubins`.
#![no_main]

use cubin_core::Cubin;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(Ok(image)) = Cubin::parse(data).map(|cubin| cubin.image()) else {
        return;
    };
    assert!(image.length() >= image.end());
    for patch in image.patches(0x7f00_0000_0000) {
        assert!(patch.offset + patch.bytes().len() as u64 <= image.end());
    }
    for kernel in image.kernels() {
        assert!(kernel.code + kernel.code_bytes <= image.end());
        for bank in &kernel.banks {
            assert!(bank.offset + bank.bytes <= image.end());
        }
    }
});
