//! The text in which a generated file keeps what it knows of kernels, and its readers, which work in `const` context.
//! One literal per kernel costs a compiler a fraction of what nested structures do.
//!
//! A kernel's parameters are separated by `;`, each `SIZE ALIGN NAME TYPE`, the name empty when there is none. Its
//! resources are separated by `;`, one entry for each target of the module, empty where the kernel was not compiled for
//! that target. An entry is words of a letter and numbers, which `/` separates:
//!
//! | word | meaning | without it |
//! |---|---|---|
//! | `r10` | registers per thread | 0 |
//! | `s8` | bytes of stack per thread | not known statically |
//! | `p4/8` | bytes of spill stores and of spill loads | the compiler was not asked |
//! | `m512` | bytes of static shared memory | 0 |
//! | `d0`, `d1` | whether it uses dynamic shared memory | not known |
//! | `b2` | named barriers | not recorded |
//! | `c768` | bytes of machine code | 0 |
//! | `t128/1/1` | the largest block | no bound |
//! | `q8/8/1` | the only block shape | any |
//! | `l2/1/1` | the only cluster shape | any |
//! | `x` | the launch must give a cluster shape | it need not |
//! | `k8` | the most blocks per cluster | no bound |

use super::kernel::{ParamInfo, Resources};
use super::target::Target;

/// What stands before the first `end`, which is ASCII, and what stands behind it; all of `text` and nothing when
/// there is none.
const fn split(text: &'static str, end: u8) -> (&'static str, &'static str) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == end {
            let (before, rest) = text.split_at(at);
            return (before, rest.split_at(1).1);
        }
        at += 1;
    }
    (text, "")
}

/// The entry at `index` of a list.
const fn entry(text: &'static str, index: usize) -> Option<&'static str> {
    let mut rest = text;
    let mut at = 0;
    while !rest.is_empty() {
        let (first, others) = split(rest, b';');
        if at == index {
            return Some(first);
        }
        rest = others;
        at += 1;
    }
    None
}

/// The number that starts at `at`, and where it ends.
const fn number(bytes: &[u8], mut at: usize) -> (u64, usize) {
    let mut value = 0_u64;
    while at < bytes.len() && bytes[at].is_ascii_digit() {
        value = value
            .wrapping_mul(10)
            .wrapping_add((bytes[at] - b'0') as u64);
        at += 1;
    }
    (value, at)
}

/// The parameter at `index`.
pub(super) const fn param(params: &'static str, index: usize) -> Option<ParamInfo> {
    let Some(text) = entry(params, index) else {
        return None;
    };
    let (size, rest) = split(text, b' ');
    let (align, rest) = split(rest, b' ');
    let (name, c_type) = split(rest, b' ');
    Some(ParamInfo {
        name,
        c_type,
        size: number(size.as_bytes(), 0).0,
        align: number(align.as_bytes(), 0).0,
    })
}

/// The resources in the entry at `index`, which is that of `target`.
pub(super) const fn resources(
    resources: &'static str,
    index: usize,
    target: Target,
) -> Option<Resources> {
    let Some(text) = entry(resources, index) else {
        return None;
    };
    let bytes = text.as_bytes();
    if bytes.is_empty() {
        return None;
    }
    let mut found = Resources::none(target);
    let mut at = 0;
    while at < bytes.len() {
        let letter = bytes[at];
        let mut values = [0_u64; 3];
        let mut count = 0;
        at += 1;
        while at < bytes.len() && bytes[at] != b' ' {
            let (value, end) = number(bytes, at);
            if count < values.len() {
                values[count] = value;
            }
            count += 1;
            // Behind the `/`, or behind what is no number.
            at = if end < bytes.len() && bytes[end] == b' ' {
                end
            } else {
                end + 1
            };
        }
        at += 1;
        found.set(letter, values);
    }
    Some(found)
}

impl Resources {
    /// What one word says.
    // Every number was written from one of the type that it is read as.
    #[allow(clippy::cast_possible_truncation)]
    const fn set(&mut self, letter: u8, values: [u64; 3]) {
        let [first, second, third] = values;
        let shape = Some([first as u32, second as u32, third as u32]);
        match letter {
            b'r' => self.registers = first as u32,
            b's' => self.stack = Some(first as u32),
            b'p' => self.spills = Some((first, second)),
            b'm' => self.static_shared = first,
            b'd' => self.dynamic_shared = Some(first != 0),
            b'b' => self.barriers = Some(first as u8),
            b'c' => self.code_bytes = first,
            b't' => self.max_threads = shape,
            b'q' => self.required_threads = shape,
            b'l' => self.cluster = shape,
            b'x' => self.explicit_cluster = true,
            b'k' => self.max_cluster_rank = Some(first as u32),
            _ => {}
        }
    }
}
