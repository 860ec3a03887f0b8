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
//! The two lines of properties are the same from CUDA 11 to 13.5. Device functions that were not inlined follow the
//! kernel: a whole program has a copy of them for each, so one that several kernels call is printed for each of them.
//! Relocatable code has one copy for all, which is printed before or after them (11.8, 12.4 and 13.5).

use super::message::ptxas_info;
use crate::{kernel::Spills, sorted::Map};

/// What a log says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Log {
    /// Spills of each function by symbol, without those of its callees. A function that is printed twice keeps the
    /// larger figures.
    pub(super) spills: Map<String, Spills>,
    /// Of a whole program: the functions that a kernel has copies of, with their spills, by the kernel's symbol.
    pub(super) callees: Map<String, Vec<(String, Spills)>>,
    /// Bytes of the stack frame of each function that has one, by symbol. In a whole program also the largest among a
    /// kernel's copies of functions, by the kernel's.
    pub(super) frames: Map<String, u64>,
}

/// Reads a log, of relocatable code or of a whole program.
pub(super) fn parse(log: &str, relocatable: bool) -> Log {
    let mut found = Log::default();
    let mut kernel: Option<&str> = None;
    let mut function: Option<&str> = None;
    for line in log.lines() {
        if let Some(info) = ptxas_info(line) {
            function = info
                .strip_prefix("Function properties for ")
                .map(|name| name.trim().trim_matches('\''));
            if let Some(rest) = info.strip_prefix("Compiling entry function '") {
                kernel = rest.split('\'').next();
            }
            continue;
        }
        let Some(name) = function else { continue };
        if let Some((frame, spills)) = properties(line) {
            let of_kernel = kernel.filter(|_| !relocatable);
            for of in [Some(name), of_kernel].into_iter().flatten() {
                if frame > 0 {
                    let known = found.frames.or_default(of.to_owned());
                    *known = frame.max(*known);
                }
            }
            let known = found.spills.or_default(name.to_owned());
            known.stores = known.stores.max(spills.stores);
            known.loads = known.loads.max(spills.loads);
            if let Some(kernel) = kernel.filter(|kernel| *kernel != name && !relocatable) {
                let callees = found.callees.or_default(kernel.to_owned());
                callees.push((name.to_owned(), spills));
            }
            function = None;
        }
    }
    found
}

/// `656 bytes stack frame, 696 bytes spill stores, 724 bytes spill loads`.
fn properties(line: &str) -> Option<(u64, Spills)> {
    let mut frame = None;
    let mut stores = None;
    let mut loads = None;
    for part in line.trim().split(", ") {
        let (number, what) = part.split_once(" bytes ")?;
        let number = number.parse().ok()?;
        match what {
            "stack frame" => frame = Some(number),
            "spill stores" => stores = Some(number),
            "spill loads" => loads = Some(number),
            _ => {}
        }
    }
    let spills = Spills {
        stores: stores?,
        loads: loads?,
    };
    Some((frame?, spills))
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
        let Log {
            spills,
            callees,
            frames,
        } = parse(LOG, false);
        assert_eq!((frames["_Z1kPi"], frames["_Z3reci"]), (656, 24));
        let of_kernel = &callees["_Z1kPi"];
        assert_eq!(
            of_kernel.as_slice(),
            [("_Z3reci".to_owned(), spills["_Z3reci"])]
        );
        assert!(parse(LOG, true).callees.is_empty());
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
            parse(old, false).spills["k"],
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
            assert_eq!(parse(text, false), Log::default(), "{text}");
        }
    }
}
