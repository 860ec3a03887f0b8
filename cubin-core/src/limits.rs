//! Every bound that guards memory or time, each with its reason.
//!
//! A well-formed cubin never meets one of them; a hostile one meets them instead of the machine's limits.

/// Longest section or symbol name that is read, in bytes.
///
/// The longest name of the measured cubins has 1,664 bytes; C++ template names grow, so there is room for forty
/// times that. Without a bound one unterminated string table would be scanned to its end for every name in it.
pub const NAME: usize = 64 << 10;

/// One pass over a file may scan names of this many times the file's length in all, plus [`NAME_SCAN_SLACK`].
///
/// Names of a well-formed file lie side by side or share tails, so their sum stays near the length of the string
/// table. A file whose 60,000 headers all point at the start of one long name would otherwise cost 60,000 scans.
pub const NAME_SCAN_FACTOR: usize = 8;

/// Bytes of names that every pass may scan, however small the file is.
pub const NAME_SCAN_SLACK: usize = 1 << 20;

/// Most bytes of a section's name that an error repeats: enough to find it by.
pub const NAME_IN_ERROR: usize = 256;

/// Longest name of an archive member that is read, in bytes; what is longer is cut. File systems end at 255 or 4,096.
///
/// Without a bound, every member could point at one table of names without an end.
pub const MEMBER_NAME: usize = 4096;

/// Largest image that a compressed fatbin entry is unpacked to unless the caller says otherwise, in bytes: 1 GiB.
///
/// A few bytes of zstd can claim gigabytes. The largest cubins in use are in the order of 100 MB.
pub const FATBIN_IMAGE: u64 = 1 << 30;

/// A compressed fatbin entry, and all entries of a file together, are unpacked to at most this many times their size, plus
/// [`FATBIN_SLACK`].
///
/// Machine code packs to a fourth or a tenth, tables of zeros to much less. LZ4 cannot do better than 255.
pub const FATBIN_RATIO: u64 = 256;

/// Bytes that every entry, and all entries of a file together, may be unpacked to, however small they are: 64 MiB.
pub const FATBIN_SLACK: u64 = 64 << 20;

/// Largest header of a fatbin entry, in bytes. It holds a file name and a command line; 64 to 128 bytes are usual.
pub const FATBIN_ENTRY_HEADER: u32 = 1 << 20;

/// Largest zstd window beyond the size that a fatbin entry claims, in bytes: what RFC 8878 asks every decoder to accept.
///
/// Output stays in the window until the frame ends, so a larger one would hide how much came out.
pub const ZSTD_WINDOW: u64 = 8 << 20;

/// Longest loader image, in bytes: the 49-bit virtual addresses of GPUs before Hopper. Only a damaged size passes it.
pub const LOADER_IMAGE: u64 = 1 << 49;

/// Bytes that the system reserves in every `.nv.shared.<f>` of a linked cubin for sm_90 and above.
///
/// Measured on toolkits 11.8 to 13.5 (the programming guide names the same 1 KiB per block).
pub const RESERVED_SHARED: u64 = 1024;

/// Longest symbol that is demangled, in bytes: the demangler's work grows faster than the length.
#[cfg(feature = "demangle")]
pub const MANGLED: usize = 16 * 1024;

/// Longest C++ name that is written, in bytes. Back references can double a name with every few bytes of a symbol.
#[cfg(feature = "demangle")]
pub const DEMANGLED: usize = 256 * 1024;
