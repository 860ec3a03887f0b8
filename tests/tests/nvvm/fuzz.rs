//! Damaged modules: reading them ends, with places that lie inside the text.

use cubin_build::{
    nvvm::{self, rules},
    options::Nvvm,
};
use cubin_core::Sm;

use super::{ANNOTATION, Dialect, module};

const TEXT: &str = "%struct.S = type { i32, <4 x float>, [3 x i8] }\n@g = internal addrspace(3) global [4 x i8] undef, align 4\n\
    @\"a b\" = external addrspace(1) constant i32\n\
    define weak ptx_kernel void @k(P1<i32> noalias captures(none) align 16 %p, P0<%struct.S> %\"x y\", i8 zeroext %2, ...) #0 !dbg !7 {\n\
    entry: ; a comment {\n  %c = call {i32, i1} asm \"mov } $0;\", \"=r\"()\n  store i32 1, P1<i32> %p\n  ret void\n}\n\
    declare float @__nv_sinf(float)\nattributes #0 = { nounwind \"nvvm.maxntid\"=\"128,2\" }\n\
    !7 = distinct !DISubprogram(name: \"k\", line: 3, type: !8, flags: DIFlagPrototyped)\n\
    !8 = !DISubroutineType(types: !9)\n!9 = !{null, !10}\n!10 = !DIBasicType(name: \"int\", size: 32, encoding: DW_ATE_signed)\n";

/// A sequence of numbers that look like chance.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }
}

#[test]
fn ten_thousand_damaged_modules_are_read_to_their_end() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let targets = [75, 90, 100].map(Sm::new);
    for dialect in Dialect::ALL {
        let whole = dialect.write(&module(TEXT, ANNOTATION));
        for _ in 0..5000 {
            let mut bytes = whole.clone().into_bytes();
            for _ in 0..=dice.below(4) {
                let at = dice.below(bytes.len());
                match dice.below(4) {
                    0 => bytes.truncate(at),
                    1 => drop(bytes.remove(at)),
                    2 => bytes.insert(at, b"{}()<>[]!@%#\"\\;,*="[dice.below(18)]),
                    _ => bytes[at] = dice.below(256) as u8,
                }
                if bytes.is_empty() {
                    break;
                }
            }
            let text = String::from_utf8_lossy(&bytes);
            let read = nvvm::read(&text);
            for broken in rules::check(&read, &targets, &Nvvm::default()) {
                let place = broken.place.unwrap_or(0..0);
                assert!(text.get(place.clone()).is_some(), "{place:?} of {text}");
            }
            let normal = nvvm::normalized(&text, &read);
            assert!(normal.len() >= text.len().min(1));
        }
    }
}
