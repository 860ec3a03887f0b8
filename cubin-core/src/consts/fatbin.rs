//! Fatbin containers: magic numbers, kinds of entries, flags.

/// First four bytes of a container, little-endian: `50 ed 55 ba`.
pub const FATBIN_MAGIC: u32 = 0xba55_ed50;

/// First word of a wrapper in `.nvFatBinSegment`, which points at a container.
pub const FATBIN_WRAPPER_MAGIC: u32 = 0x4662_43b1;

open_set! {
    /// What an entry of a container holds.
    EntryKind(u16), prefix "" {
        /// PTX text.
        PTX = 1;
        /// A cubin.
        CUBIN = 2;
        /// A cubin, in containers of old toolkits.
        OLD_CUBIN = 4;
        /// NVVM IR for link-time optimisation. Its encoding is not public, compressed or not.
        NVVM_LTO = 8;
    }
}

/// Flags of an entry. The names of bits 0x4, 0x8, 0x20 and 0x40 come from secondary sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EntryFlags(
    /// The value as the file holds it.
    pub u64,
);

impl EntryFlags {
    /// 64-bit addresses.
    pub const ADDRESS_64: u64 = 0x1;
    /// Built with `-G` or `-g`.
    pub const DEBUG: u64 = 0x2;
    /// CUDA.
    pub const CUDA: u64 = 0x4;
    /// OpenCL.
    pub const OPENCL: u64 = 0x8;
    /// Linux host.
    pub const LINUX: u64 = 0x10;
    /// macOS host.
    pub const MAC: u64 = 0x20;
    /// Windows host.
    pub const WINDOWS: u64 = 0x40;
    /// The payload is an LZ4 block.
    pub const LZ4: u64 = 0x2000;
    /// The payload is a zstd frame, except in [`EntryKind::NVVM_LTO`] entries.
    pub const ZSTD: u64 = 0x8000;
    /// Target with suffix `a`.
    pub const ACCELERATED: u64 = 0x10_0000;
    /// Target with suffix `f`.
    pub const FAMILY: u64 = 0x20_0000;
    /// The option block carries a copy of the cubin's `.nv.compat`.
    pub const COMPAT: u64 = 0x100_0000;

    /// Whether any bit of `mask` is set.
    #[must_use]
    pub const fn has(self, mask: u64) -> bool {
        self.0 & mask != 0
    }
}

#[cfg(test)]
mod tests {
    use super::{EntryFlags, EntryKind};

    #[test]
    fn kinds_and_flags() {
        assert_eq!(EntryKind(8).to_string(), "NVVM_LTO");
        assert_eq!(EntryKind(64).to_string(), "0x40");
        assert!(EntryFlags(0x20_8011).has(EntryFlags::FAMILY));
        assert!(!EntryFlags(0x20_8011).has(EntryFlags::LZ4));
    }
}
