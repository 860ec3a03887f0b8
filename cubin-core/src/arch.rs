//! Compute targets: `sm_90`, `sm_90a`, `sm_100f`.

use alloc::{borrow::ToOwned, string::String};
use core::{fmt, str::FromStr};

use crate::{
    consts::eflags,
    elf::{Header, Layout},
};

/// A real architecture as nvcc's `-arch` and `-code` name it: a number and perhaps a suffix.
///
/// Ordered by number, then suffix (none, `a`, `f`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sm {
    /// Ten times the major compute capability plus the minor one: 90 for 9.0, 121 for 12.1.
    pub number: u16,
    /// Which instruction set beyond the common one.
    pub suffix: Suffix,
}

/// The letter behind the number of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Suffix {
    /// Runs on every later minor revision of the same major one.
    #[default]
    None,
    /// `a`: architecture-accelerated, runs on exactly this revision.
    Accelerated,
    /// `f`: family, runs on the same family.
    Family,
}

impl Sm {
    /// The target without suffix.
    #[must_use]
    pub const fn new(number: u16) -> Self {
        Self {
            number,
            suffix: Suffix::None,
        }
    }

    /// Major compute capability: 12 of `sm_121`.
    #[must_use]
    pub const fn major(self) -> u16 {
        self.number / 10
    }

    /// Minor compute capability: 1 of `sm_121`.
    #[must_use]
    pub const fn minor(self) -> u16 {
        self.number % 10
    }

    /// Whether machine code for this target runs on a GPU of the compute capability of `device`, whose suffix changes
    /// nothing: a GPU that `sm_90a` is written for is one of 9.0.
    ///
    /// By NVIDIA's rules for binary compatibility: within a major revision code runs on its own and later minor ones; with
    /// `a` on its own alone, with `f` within its family (10.1 is one by itself).
    #[must_use]
    pub const fn runs_on(self, device: Self) -> bool {
        if self.major() != device.major() {
            return false;
        }
        match self.suffix {
            Suffix::Accelerated => self.minor() == device.minor(),
            Suffix::Family if self.major() == 10 && (self.minor() == 1 || device.minor() == 1) => {
                self.minor() == device.minor()
            }
            Suffix::None | Suffix::Family => self.minor() <= device.minor(),
        }
    }

    /// Whether a driver can compile PTX of the virtual architecture of this number (`compute_90` of `sm_90`) for a GPU of
    /// the compute capability of `device`.
    #[must_use]
    pub const fn compiles_for(self, device: Self) -> bool {
        match self.suffix {
            Suffix::None => self.number <= device.number,
            Suffix::Accelerated | Suffix::Family => self.runs_on(device),
        }
    }
}

impl fmt::Display for Sm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = match self.suffix {
            Suffix::None => "",
            Suffix::Accelerated => "a",
            Suffix::Family => "f",
        };
        write!(f, "sm_{}{suffix}", self.number)
    }
}

/// The first target with a suffix: `sm_90a`.
pub(crate) const FIRST_SUFFIXED: u16 = 90;

/// The first family target: `sm_100f`.
pub(crate) const FIRST_FAMILY: u16 = 100;

/// What `e_flags` says, either layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Flags {
    /// The real SM number: bits 0 to 7 (old layout), 8 to 15 (new layout).
    pub sm: u16,
    /// The accelerated-target bit: bit 11 (old), 3 (new, written by 12.8 and 12.9 only). Below sm_90, where toolkits 8.0 to
    /// 9.1 set it too, it does not mean the `a` of a target.
    pub accelerated: bool,
    /// The virtual SM number; `None` in the new layout, where `.note.nv.cuinfo` holds it.
    pub virtual_sm: Option<u16>,
    /// Addresses have 64 bits: bit 10 (old); always in the new layout.
    pub address64: bool,
    /// The object is a Mercury object (old: bit 14) or carries a Mercury capsule (new: bit 1).
    pub mercury: bool,
    /// The object holds LTO intermediate code: bit 31 (old), bit 0 (new). Not seen in ptxas output.
    pub lto: bool,
}

impl Flags {
    /// Takes `e_flags` apart by the layout of the header.
    ///
    /// Measured on CUDA 11.7 to 13.5; single bits by what cuobjdump and nvdisasm make of a file in which only that one
    /// is changed.
    #[must_use]
    pub fn of(header: &Header) -> Self {
        let flags = header.flags;
        let byte = |shift: u32| ((flags >> shift) & 0xff) as u16;
        let bit = |mask: u32| flags & mask != 0;
        match header.layout {
            Layout::Old => Self {
                sm: byte(0),
                accelerated: bit(eflags::V1_ACCELERATED),
                virtual_sm: Some(byte(eflags::V1_VIRTUAL_SM_SHIFT)),
                address64: bit(eflags::V1_64BIT_ADDRESS),
                mercury: bit(eflags::V1_MERCURY),
                lto: bit(eflags::V1_LTO),
            },
            Layout::New => Self {
                sm: byte(eflags::V2_SM_SHIFT),
                accelerated: bit(eflags::V2_ACCELERATED),
                virtual_sm: None,
                address64: true,
                mercury: bit(eflags::V2_MERCURY_CAPSULE),
                lto: bit(eflags::V2_LTO),
            },
        }
    }
}

/// The text is not of the form `sm_NN`, `sm_NNa` or `sm_NNf`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseSmError(String);

impl fmt::Display for ParseSmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not a GPU target; expected for example `sm_90`, `sm_90a` or `sm_100f`",
            self.0
        )
    }
}

impl core::error::Error for ParseSmError {}

impl FromStr for Sm {
    type Err = ParseSmError;

    fn from_str(text: &str) -> Result<Self, ParseSmError> {
        let error = || ParseSmError(text.to_owned());
        let rest = text.strip_prefix("sm_").ok_or_else(error)?;
        let (digits, suffix) = match rest.as_bytes().last() {
            Some(b'a') => (rest.strip_suffix('a'), Suffix::Accelerated),
            Some(b'f') => (rest.strip_suffix('f'), Suffix::Family),
            _ => (Some(rest), Suffix::None),
        };
        let digits = digits.ok_or_else(error)?;
        if !(2..=3).contains(&digits.len()) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(error());
        }
        Ok(Self {
            number: digits.parse().map_err(|_| error())?,
            suffix,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sm(text: &str) -> Sm {
        text.parse().unwrap()
    }

    #[test]
    fn a_target_has_two_or_three_digits() {
        for text in [
            "sm_", "sm_9", "sm_1000", "sm_9x", "sm_+90", "sm_a", "SM_90", "90",
        ] {
            assert!(text.parse::<Sm>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_no_target_is_named() {
        let error = "sm90".parse::<Sm>().unwrap_err().to_string();
        assert_eq!(
            error,
            "`sm90` is not a GPU target; expected for example `sm_90`, `sm_90a` or `sm_100f`"
        );
    }

    #[test]
    fn compute_capabilities() {
        for (target, capability) in [("sm_75", (7, 5)), ("sm_90a", (9, 0)), ("sm_121", (12, 1))] {
            assert_eq!((sm(target).major(), sm(target).minor()), capability);
        }
    }

    #[test]
    fn machine_code_runs_on_its_own_and_later_minor_revisions() {
        for (code, device, runs) in [
            ("sm_80", "sm_80", true),
            ("sm_80", "sm_89", true),
            ("sm_89", "sm_80", false),
            ("sm_80", "sm_90", false),
            ("sm_90", "sm_80", false),
            ("sm_90", "sm_90a", true),
            ("sm_90a", "sm_90", true),
            ("sm_100a", "sm_103", false),
            ("sm_100f", "sm_103", true),
            ("sm_103f", "sm_100", false),
            ("sm_100f", "sm_101", false),
            ("sm_101f", "sm_101", true),
            ("sm_101f", "sm_103", false),
            ("sm_120f", "sm_121", true),
        ] {
            assert_eq!(sm(code).runs_on(sm(device)), runs, "{code} on {device}");
        }
    }

    #[test]
    fn ptx_is_compiled_for_later_targets_unless_it_has_a_letter() {
        for (ptx, device, compiles) in [
            ("sm_75", "sm_75", true),
            ("sm_75", "sm_120", true),
            ("sm_90", "sm_89", false),
            ("sm_90a", "sm_90", true),
            ("sm_90a", "sm_100", false),
            ("sm_100f", "sm_103", true),
            ("sm_100f", "sm_120", false),
        ] {
            assert_eq!(
                sm(ptx).compiles_for(sm(device)),
                compiles,
                "{ptx}, {device}"
            );
        }
    }
}
