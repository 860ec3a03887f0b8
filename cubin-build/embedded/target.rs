//! Compute targets and what runs where.

use core::fmt;

/// A compute target: `sm_90`, `sm_90a`, `sm_100f`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// Ten times the major compute capability plus the minor one.
    pub number: u16,
    /// The letter behind the number.
    pub suffix: Suffix,
}

/// The letter behind the number of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Suffix {
    /// Runs on this and later minor revisions of the same major one.
    None,
    /// `a`: runs on exactly this revision.
    Accelerated,
    /// `f`: runs on the same family.
    Family,
}

impl Suffix {
    pub(super) const fn letter(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Accelerated => "a",
            Self::Family => "f",
        }
    }
}

impl Target {
    /// `sm_N`
    #[must_use]
    pub const fn new(number: u16) -> Self {
        Self {
            number,
            suffix: Suffix::None,
        }
    }

    /// `sm_Na`
    #[must_use]
    pub const fn accelerated(number: u16) -> Self {
        Self {
            number,
            suffix: Suffix::Accelerated,
        }
    }

    /// `sm_Nf`
    #[must_use]
    pub const fn family(number: u16) -> Self {
        Self {
            number,
            suffix: Suffix::Family,
        }
    }

    /// Whether code for this target runs on a device of compute capability `major.minor`.
    #[must_use]
    pub const fn runs_on(self, (major, minor): (u16, u16)) -> bool {
        let (own_major, own_minor) = (self.number / 10, self.number % 10);
        if own_major != major {
            return false;
        }
        match self.suffix {
            Suffix::Accelerated => own_minor == minor,
            // 10.1 is a family of its own within its major revision.
            Suffix::Family if major == 10 && (own_minor == 1 || minor == 1) => own_minor == minor,
            Suffix::None | Suffix::Family => own_minor <= minor,
        }
    }

    /// Whether a driver can compile PTX for the virtual architecture of this number (`compute_90` of `sm_90`)
    /// for a device of compute capability `major.minor`.
    #[must_use]
    pub const fn compiles_for(self, (major, minor): (u16, u16)) -> bool {
        match self.suffix {
            Suffix::None => {
                let (own_major, own_minor) = (self.number / 10, self.number % 10);
                own_major < major || (own_major == major && own_minor <= minor)
            }
            Suffix::Accelerated | Suffix::Family => self.runs_on((major, minor)),
        }
    }

    /// Whether two targets are the same, in `const` context.
    #[must_use]
    pub const fn is(self, other: Self) -> bool {
        self.number == other.number && self.suffix as u8 == other.suffix as u8
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sm_{}{}", self.number, self.suffix.letter())
    }
}
