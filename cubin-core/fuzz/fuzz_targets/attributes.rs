//! The records of an attribute section and their payloads. Seeds: `.nv.info` sections cut out of cubins.
#![no_main]

use cubin_core::{
    attr::{Annotations, Payload},
    nvinfo::Attributes,
    reader::Reader,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    for attribute in Attributes::new(Reader::new(data, 0)).flatten() {
        assert!(attribute.offset < data.len() as u64);
        let _ = Payload::of(&attribute);
        assert!(Annotations::new(&attribute).count() <= data.len());
    }
});
