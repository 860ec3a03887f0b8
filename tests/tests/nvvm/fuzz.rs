//! Damaged modules: reading them ends, with places that lie inside the text; compiling them ends in a cubin or in findings,
//! whatever libnvvm does.

use cubin_build::{
    env::Env,
    nvvm::{self, rules},
    options::Nvvm,
};
use cubin_core::Sm;

use super::{ANNOTATION, Dialect, bitcode, build, module, scratch, show};

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

/// A module with a little of everything that libnvvm works on: a loop, vectors, atomics, assembly, libdevice, calls, shared
/// memory, properties.
const RICH: &str = "%struct.S = type { i32, <4 x float>, [3 x i8] }\n@shared = internal addrspace(3) global [64 x float] undef, align 4\n\
    @table = internal addrspace(4) constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]\n\
    declare float @__nv_sinf(float)\ndeclare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\ndeclare void @llvm.nvvm.barrier0()\n\
    define internal i32 @helper(i32 %a, i32 %b) noinline {\n  %c = mul i32 %a, %b\n  %d = call i32 asm \"add.s32 $0, $1, 1;\", \"=r,r\"(i32 %c)\n  ret i32 %d\n}\n\
    define void @k(P1<i32> %p) {\nentry:\n  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  %more = icmp slt i32 %tid, 64\n  \
    br i1 %more, label %loop, label %done\nloop:\n  %i = phi i32 [ 0, %entry ], [ %next, %loop ]\n  %at = getelementptr i32, P1<i32> %p, i32 %i\n  \
    %v = load i32, P1<i32> %at, align 4\n  %f = sitofp i32 %v to float\n  %s = call float @__nv_sinf(float %f)\n  \
    %vec = insertelement <4 x float> undef, float %s, i32 1\n  %sum = fadd <4 x float> %vec, %vec\n  %e = extractelement <4 x float> %sum, i32 1\n  \
    %slot = getelementptr [64 x float], P3<[64 x float]> @shared, i32 0, i32 %i\n  store float %e, P3<float> %slot, align 4\n  \
    call void @llvm.nvvm.barrier0()\n  %old = atomicrmw add P1<i32> %at, i32 1 seq_cst\n  %h = call i32 @helper(i32 %old, i32 %i)\n  \
    store i32 %h, P1<i32> %at, align 4\n  %next = add nsw i32 %i, 1\n  %again = icmp slt i32 %next, 8\n  \
    br i1 %again, label %loop, label %done\ndone:\n  ret void\n}\n";

/// Words that are put in place of others: what modules are made of, in places where it does not belong.
const WORDS: &[&str] = &[
    "i1",
    "i8",
    "i24",
    "i32",
    "i64",
    "i96",
    "i128",
    "i256",
    "half",
    "bfloat",
    "float",
    "double",
    "fp128",
    "ptr",
    "i32*",
    "void",
    "{}",
    "<3 x i8>",
    "[0 x i32]",
    "<4 x float>",
    "addrspace(2)",
    "addrspace(3)",
    "addrspace(4)",
    "addrspace(5)",
    "addrspace(9)",
    "undef",
    "null",
    "zeroinitializer",
    "0",
    "-1",
    "99999999999",
    "%i",
    "%p",
    "@k",
    "@shared",
    "@helper",
    "@llvm.powi.f32",
    "@llvm.nvvm.foo",
    "seq_cst",
    "volatile",
    "align 3",
    "align 4294967296",
    "internal",
    "linkonce_odr",
    "weak",
    "!\"align\"",
    "!\"maxntidx\"",
    "!\"maxnreg\"",
    "!\"grid_constant\"",
    "!\"x\"",
    "musttail",
    "unreachable",
    "indirectbr",
    "invoke",
    "landingpad",
    "fence",
    "alloca",
    "switch",
    "fdiv",
    "urem",
    "shl",
    "ptx_kernel",
    "noinline",
    "alwaysinline",
    "byval",
    "sret",
    "...",
    "metadata",
    "module asm \"x\"",
];

/// A text with some of its words replaced, swapped, doubled or gone, or some of its lines.
fn reworded(text: &str, dice: &mut Dice) -> String {
    let mut lines: Vec<Vec<String>> = text
        .lines()
        .map(|line| line.split(' ').map(str::to_owned).collect())
        .collect();
    for _ in 0..=dice.below(2) {
        let line = dice.below(lines.len());
        let count = lines[line].len();
        match dice.below(9) {
            0 if lines.len() > 1 => drop(lines.remove(line)),
            1 => {
                let again = lines[line].clone();
                lines.insert(line, again);
            }
            2 if count > 1 => drop(lines[line].remove(dice.below(count))),
            3 if count > 1 => {
                let (a, b) = (dice.below(count), dice.below(count));
                lines[line].swap(a, b);
            }
            // A number becomes another.
            4..=6 => {
                let word = &mut lines[line][dice.below(count)];
                let number = ["0", "1", "3", "5", "7", "33", "64", "255", "4097"][dice.below(9)];
                if let Some(at) = word.find(|c: char| c.is_ascii_digit()) {
                    word.replace_range(at..=at, number);
                }
            }
            _ => lines[line][dice.below(count)] = WORDS[dice.below(WORDS.len())].to_owned(),
        }
    }
    let lines: Vec<String> = lines.iter().map(|words| words.join(" ")).collect();
    lines.join("\n") + "\n"
}

fn number(name: &str, default: u64) -> u64 {
    let text = Env::process().peek(name);
    let number = text.and_then(|text| text.to_str()?.parse().ok());
    number.unwrap_or(default)
}

/// `CUBIN_TEST_NVVM_FUZZ` modules (`CUBIN_TEST_NVVM_SEED` chooses which) go through libnvvm and ptxas: each ends in a cubin
/// or in findings, and so does the next.
#[test]
fn mutated_modules_never_end_the_build() {
    if cubin_tests::toolkit().is_none() {
        return;
    }
    let count = number("CUBIN_TEST_NVVM_FUZZ", 40);
    let seed = number("CUBIN_TEST_NVVM_SEED", 1);
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15 ^ seed.wrapping_mul(0x2545_f491_4f6c_dd1d) | 1);
    let dir = scratch(&format!("fuzz-{seed}"));
    let whole = Dialect::ALL.map(|dialect| dialect.write(&module(RICH, ANNOTATION)));
    for (dialect, text) in Dialect::ALL.iter().zip(&whole) {
        let built = build(&dir, text, &dialect.targets(), "");
        assert!(built.is_ok(), "{}", show(&built.expect_err("findings")));
    }
    let bitcodes: Vec<Vec<u8>> = bitcode::FILES
        .iter()
        .map(|name| bitcode::recorded(name))
        .collect();
    let (mut built, mut refused, mut by_rule, mut crashed) = (0, 0, 0, 0);
    for _ in 0..count {
        let target = ["sm_75", "sm_90", "sm_100", "sm_120"][dice.below(4)];
        let what;
        let result = if dice.below(5) == 0 {
            let mut bytes = bitcodes[dice.below(bitcodes.len())].clone();
            for _ in 0..=dice.below(3) {
                let at = dice.below(bytes.len());
                bytes[at] = dice.below(256) as u8;
            }
            what = format!("{bytes:?}");
            bitcode::build(&dir, &bytes, &[target], "")
        } else {
            what = reworded(&whole[dice.below(2)], &mut dice);
            build(&dir, &what, &[target], "")
        };
        match result {
            Ok(_) => built += 1,
            Err(findings) => {
                let shown = show(&findings);
                assert!(!findings.is_empty(), "{target}: {what}");
                assert!(
                    findings
                        .iter()
                        .all(|finding| !finding.message.trim().is_empty()),
                    "{target}: {shown}{what}"
                );
                if shown.contains("libnvvm crashed") {
                    crashed += 1;
                } else if shown.contains("nvvm-invalid: ") {
                    by_rule += 1;
                } else {
                    refused += 1;
                }
            }
        }
    }
    for (dialect, text) in Dialect::ALL.iter().zip(&whole) {
        let again = build(&dir, text, &dialect.targets(), "");
        assert!(again.is_ok(), "{}", show(&again.expect_err("findings")));
    }
    println!(
        "{count} mutated modules: {built} compiled, {by_rule} refused by rules, {refused} by libnvvm or ptxas, {crashed} \
         crashes of libnvvm"
    );
    assert!(built > 0 && by_rule + refused > 0, "{built} compiled");
}
