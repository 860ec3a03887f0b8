//! Versions of the CUDA toolkit, and what a project asks for.

use std::{fmt, str::FromStr};

/// A version as `nvcc --version` prints it: `release 13.5, V13.5.37`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// 13 of 13.5.37.
    pub major: u32,
    /// 5 of 13.5.37.
    pub minor: u32,
    /// 37 of 13.5.37: nvcc's own build number, not the toolkit's update number.
    pub patch: u32,
}

impl Version {
    /// Reads the text of `nvcc --version`; `None` when it holds no version.
    pub fn from_nvcc(text: &str) -> Option<Self> {
        let release = text.lines().rev().find(|line| line.contains("release "))?;
        // Oldest releases print no `V` field; the release alone serves then.
        if let Some((_, full)) = release.rsplit_once(", V")
            && let Ok(version) = full.trim().parse()
        {
            return Some(version);
        }
        let (_, rest) = release.split_once("release ")?;
        rest.split([',', ' ']).next()?.parse().ok()
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl FromStr for Version {
    type Err = ParseVersionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wanted: Wanted = text.parse()?;
        Ok(Self {
            major: wanted.major,
            minor: wanted
                .minor
                .ok_or_else(|| ParseVersionError(text.to_owned()))?,
            patch: wanted.patch.unwrap_or(0),
        })
    }
}

/// The version that a project asks for: `13` and `13.5` match every release that begins so, `13.5.37` just itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Wanted {
    /// First number.
    pub major: u32,
    /// Second number, when given.
    pub minor: Option<u32>,
    /// Third number (nvcc's build number), when given.
    pub patch: Option<u32>,
}

impl Wanted {
    /// Whether a toolkit of this version will do.
    pub fn matches(self, version: Version) -> bool {
        self.major == version.major
            && self.minor.is_none_or(|minor| minor == version.minor)
            && self.patch.is_none_or(|patch| patch == version.patch)
    }
}

impl Wanted {
    /// Without the build number, which the names of NVIDIA's packages do not have.
    pub(super) fn release(self) -> Self {
        Self {
            patch: None,
            ..self
        }
    }
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.major)?;
        for part in [self.minor, self.patch].into_iter().flatten() {
            write!(f, ".{part}")?;
        }
        Ok(())
    }
}

impl FromStr for Wanted {
    type Err = ParseVersionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ParseVersionError(text.to_owned());
        let mut parts = text.split('.').map(|part| {
            // `parse` alone would accept a sign.
            if part.bytes().all(|byte| byte.is_ascii_digit()) {
                part.parse::<u32>().map_err(|_| error())
            } else {
                Err(error())
            }
        });
        let wanted = Self {
            major: parts.next().ok_or_else(error)??,
            minor: parts.next().transpose()?,
            patch: parts.next().transpose()?,
        };
        match parts.next() {
            None => Ok(wanted),
            Some(_) => Err(error()),
        }
    }
}

/// The text is not `13`, `13.5` or `13.5.37`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseVersionError(String);

impl fmt::Display for ParseVersionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not a version of the CUDA toolkit; expected for example `13.5`",
            self.0
        )
    }
}

impl std::error::Error for ParseVersionError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_nvcc_prints() {
        let text = "nvcc: NVIDIA (R) Cuda compiler driver\nCopyright (c) 2005-2026 NVIDIA Corporation\n\
                    Cuda compilation tools, release 13.5, V13.5.37\nBuild cuda_13.5.r13.5/compiler.39125733_0\n";
        assert_eq!(Version::from_nvcc(text).unwrap().to_string(), "13.5.37");
        let old = "Cuda compilation tools, release 5.5\n";
        assert_eq!(Version::from_nvcc(old).unwrap().to_string(), "5.5.0");
        for garbage in [
            "",
            "release",
            "release , V",
            "release x.y, Vz",
            "gcc 12.2.0",
        ] {
            assert_eq!(Version::from_nvcc(garbage), None, "{garbage}");
        }
    }

    #[test]
    fn a_prefix_matches_every_release_of_it() {
        let version: Version = "13.5.37".parse().unwrap();
        for (text, expected) in [
            ("13", true),
            ("13.5", true),
            ("13.5.37", true),
            ("13.5.3", false),
            ("13.50", false),
            ("12", false),
        ] {
            let wanted: Wanted = text.parse().unwrap();
            assert_eq!(wanted.matches(version), expected, "{text}");
            assert_eq!(wanted.to_string(), text);
        }
    }

    #[test]
    fn refuses_what_is_no_version() {
        for text in [
            "",
            "13.",
            ".5",
            "13.5.37.1",
            "+13",
            "v13",
            "13.x",
            "99999999999",
            "13 ",
        ] {
            assert!(text.parse::<Wanted>().is_err(), "{text:?}");
        }
        assert!("13".parse::<Version>().is_err());
    }
}
