//! Which bits are which mnemonic on which target: generated, one file per encoding.

pub(super) mod maxwell;
pub(super) mod volta;
