//! Spills from the text of `ptxas -v`, the only place where their bytes are printed.
//!
//! ```text
//! ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90'
//! ptxas info    : Function properties for _Z1kPf
//!     656 bytes stack frame, 696 bytes spill stores, 724 bytes spill loads
//! ptxas info    : Used 32 registers, used 1 barriers, 656 bytes cumulative stack size
//! ptxas info    : Function properties for _Z1fi
//!     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//! ```
//!
//! The two lines of properties are the same from CUDA 11 to 13.5; device functions that were not inlined follow the
//! kernels. A function that is printed twice keeps the larger figures.

use super::message::ptxas_info;
use crate::sorted::Map;

/// Bytes of registers that a function moves to and from local memory, counted over its instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Spills {
    /// Bytes of spill stores.
    pub stores: u64,
    /// Bytes of spill loads.
    pub loads: u64,
}

impl Spills {
    /// Stores and loads together: what a `spills` budget counts.
    pub const fn total(self) -> u64 {
        self.stores.saturating_add(self.loads)
    }
}

/// Spills by symbol.
pub(super) fn parse(log: &str) -> Map<String, Spills> {
    let mut spills: Map<String, Spills> = Map::new();
    let mut function: Option<&str> = None;
    for line in log.lines() {
        if let Some(info) = ptxas_info(line) {
            function = info
                .strip_prefix("Function properties for ")
                .map(|name| name.trim().trim_matches('\''));
            continue;
        }
        let Some(name) = function else { continue };
        if let Some(found) = properties(line) {
            let known = spills.or_default(name.to_owned());
            known.stores = known.stores.max(found.stores);
            known.loads = known.loads.max(found.loads);
            function = None;
        }
    }
    spills
}

/// `656 bytes stack frame, 696 bytes spill stores, 724 bytes spill loads`.
fn properties(line: &str) -> Option<Spills> {
    let mut stores = None;
    let mut loads = None;
    for part in line.trim().split(", ") {
        let (number, what) = part.split_once(" bytes ")?;
        let number = number.parse().ok()?;
        match what {
            "spill stores" => stores = Some(number),
            "spill loads" => loads = Some(number),
            _ => {}
        }
    }
    Some(Spills {
        stores: stores?,
        loads: loads?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As printed by 13.5 for two kernels, one with a device function, between other messages.
    const LOG: &str = "\
k.cu(2): warning #177-D: variable \"unused\" was declared but never referenced
ptxas warning : Stack size for entry function '_Z1kPi' cannot be statically determined
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z1kPi' for 'sm_90'
ptxas info    : Function properties for _Z1kPi
    656 bytes stack frame, 696 bytes spill stores, 724 bytes spill loads
ptxas info    : Used 24 registers, used 0 barriers
ptxas info    : Compile time = 5.769 ms
ptxas info    : Function properties for _Z3reci
    24 bytes stack frame, 20 bytes spill stores, 16 bytes spill loads
";

    #[test]
    fn reads_kernels_and_device_functions() {
        let spills = parse(LOG);
        assert_eq!(spills.len(), 2);
        assert_eq!(spills["_Z1kPi"].total(), 1420);
        assert_eq!(
            spills["_Z3reci"],
            Spills {
                stores: 20,
                loads: 16
            }
        );
    }

    #[test]
    fn reads_the_older_forms() {
        // 11.8: no barriers, constant banks; the same two lines of properties.
        let old = "ptxas info    : 0 bytes gmem, 8 bytes cmem[3]\n\
                   ptxas info    : Compiling entry function 'k' for 'sm_80'\n\
                   ptxas info    : Function properties for k\n    \
                   8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads\n\
                   ptxas info    : Used 10 registers, 380 bytes cmem[0]\n";
        assert_eq!(
            parse(old)["k"],
            Spills {
                stores: 4,
                loads: 12
            }
        );
    }

    #[test]
    fn garbage_yields_nothing() {
        for text in [
            "",
            "ptxas info    : Function properties for k",
            "ptxas info    : Function properties for k\n  x bytes spill stores, 1 bytes spill loads",
            "    1 bytes stack frame, 2 bytes spill stores, 3 bytes spill loads",
            "ptxas info    : Function properties for k\nptxas info    : Used\n    1 bytes stack frame, 2 bytes spill stores, 3 bytes spill loads",
        ] {
            assert!(parse(text).is_empty(), "{text}");
        }
    }
}
