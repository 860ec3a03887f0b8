//! Which wheels a release consists of, and their SHA-256: recorded with this program (`wheels.txt`, which
//! `tests/wheels.py` makes), so that an index cannot hand out others.

use super::{Version, Wanted};

const TABLE: &str = include_str!("wheels.txt");
/// The compiler with its headers.
pub(super) const TOOLKIT: &str = "toolkit";
/// In the place of a release: what goes with each.
const EVERY: &str = "*";
/// The metapackage that pins the others.
const RELEASE: &str = "release";

/// The wheels of a part for this machine, of the newest release that will do, as a file of requirements: `name==version
/// --hash=sha256:…` a line. `None` where it is not recorded.
pub(super) fn pinned(wanted: Wanted, part: &str) -> Option<String> {
    let platform = format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH);
    pinned_for(&platform, wanted, part)
}

fn pinned_for(platform: &str, wanted: Wanted, part: &str) -> Option<String> {
    let mut of = "";
    let mut requirements = String::new();
    for [release, _, package, hashes] in rows(part) {
        if !fits(wanted, release) && release != EVERY {
            continue;
        }
        // Later rows are of newer releases.
        if of != release {
            of = release;
            requirements.clear();
        }
        let mut known = hashes.split(' ').filter_map(|hash| hash.split_once(':'));
        let (_, sha256) = known.find(|(of, _)| *of == platform)?;
        requirements.push_str(&format!("{package} --hash=sha256:{sha256}\n"));
    }
    (!requirements.is_empty()).then_some(requirements)
}

fn fits(wanted: Wanted, release: &str) -> bool {
    release
        .parse()
        .is_ok_and(|version: Version| wanted.matches(version))
}

/// What to ask an index for to get the wheels of some parts by hand: the metapackage of exactly that release where it is
/// recorded, else the newest of that version.
pub(super) fn metapackage(wanted: Wanted, extras: &str) -> String {
    let mut found = None;
    for [release, _, package, _] in rows(RELEASE) {
        if fits(wanted, release) {
            found = package.split_once("==");
        }
    }
    match found {
        Some((name, version)) => format!("{name}[{extras}]=={version}"),
        None => format!("cuda-toolkit[{extras}]=={}.*", wanted.release()),
    }
}

/// Release, part, package, hashes of each row of a part.
fn rows(part: &str) -> impl Iterator<Item = [&'static str; 4]> {
    TABLE.lines().filter_map(move |line| {
        let mut words = line.splitn(4, ' ');
        let row = [words.next()?, words.next()?, words.next()?, words.next()?];
        (row[1] == part).then_some(row)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolkit::COMPONENTS;

    fn of(version: &str, part: &str) -> Option<Vec<String>> {
        let requirements = pinned_for("linux-x86_64", version.parse().unwrap(), part)?;
        let packages = requirements.lines().map(|line| {
            let (package, hash) = line.split_once(" --hash=sha256:").expect("a hash");
            assert!(hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()));
            package.to_owned()
        });
        Some(packages.collect())
    }

    #[test]
    fn every_part_of_every_release_is_recorded_for_every_platform() {
        for version in ["13.0", "13.1", "13.2", "13.3", "13.4", "13.5"] {
            for platform in ["linux-x86_64", "linux-aarch64", "windows-x86_64"] {
                let parts = COMPONENTS.iter().map(|component| component.name);
                for part in parts.chain([TOOLKIT]) {
                    let found = pinned_for(platform, version.parse().unwrap(), part);
                    let found = found.unwrap_or_else(|| panic!("{version} {part} {platform}"));
                    let lines = found.lines().count();
                    // The tools that show a cubin are on the index from 13.2 on.
                    let expected = match (part, version) {
                        (TOOLKIT, "13.0" | "13.1") => 5,
                        (TOOLKIT, _) => 7,
                        _ => 1,
                    };
                    assert_eq!(lines, expected, "{version} {part} {platform}");
                }
            }
        }
        assert!(pinned_for("macos-aarch64", "13.5".parse().unwrap(), TOOLKIT).is_none());
    }

    #[test]
    fn the_newest_release_that_will_do_is_taken() {
        let nvcc = |version: &str| {
            let packages = of(version, TOOLKIT).expect("recorded").into_iter();
            let mut nvcc = packages.filter(|name| name.starts_with("nvidia-cuda-nvcc=="));
            nvcc.next().expect("nvcc")
        };
        assert_eq!(nvcc("13"), "nvidia-cuda-nvcc==13.5.37");
        assert_eq!(nvcc("13.0"), "nvidia-cuda-nvcc==13.0.88");
        assert_eq!(
            of("13.5.37", "curand").as_deref(),
            Some(["nvidia-curand==10.4.5.25".to_owned()].as_slice())
        );
        for unknown in ["13.5.1", "13.99", "14"] {
            assert_eq!(of(unknown, TOOLKIT), None, "{unknown}");
        }
        assert!(of("14", "cutlass").is_some());
        let asked = |version: &str| metapackage(version.parse().unwrap(), "nvcc");
        assert_eq!(asked("13.4"), "cuda-toolkit[nvcc]==13.4.3");
        assert_eq!(asked("14.0.1"), "cuda-toolkit[nvcc]==14.0.*");
    }
}
