//! What single bits of an instruction say: double precision, width, `!PT`, which of several mnemonics, where a branch goes.
//! Each word stands beside what nvdisasm prints for it (13.5.37; 12.4.127 before sm_75).

use cubin_core::sass::{Class, Code, Instruction, Isa, Mix, Mnemonic, Space};

/// The guard `@PT` of an instruction of 16 bytes.
const PT: u128 = 7 << 12;

/// One instruction of 16 bytes, read by itself.
fn wide(sm: u16, word: u128) -> Instruction {
    let isa = Isa::of(sm).expect("a known target");
    let bytes = word.to_le_bytes();
    let code = Code::new(isa, &bytes).expect("an instruction");
    code.instructions().next().expect("an instruction")
}

/// One instruction of 8 bytes, behind its control word: the key in bits 51 to 63, `@PT` in bits 16 to 19.
fn narrow(sm: u16, key: u64, bits: u64) -> Instruction {
    let isa = Isa::of(sm).expect("a known target");
    let word = key << 51 | bits;
    let bytes = [0, word].map(u64::to_le_bytes).concat();
    let code = Code::new(isa, &bytes).expect("an instruction");
    code.instructions().next().expect("an instruction")
}

#[test]
fn bits_that_say_double_precision() {
    for (sm, word, text, fp64) in [
        (75, 0x311 | 3 << 84, "F2I.U8.F64 R0, R0", true),
        (75, 0x305 | 3 << 84, "another F2I", false),
        (75, 0x311 | 1 << 84, "no valid F2I", false),
        (75, 0x312 | 3 << 75, "I2F.F64.U8 R0, R0", true),
        (75, 0x312 | 2 << 75, "no valid I2F", false),
        (75, 0x310 | 3 << 84 | 2 << 75, "F2F.F32.F64 R0, R0", true),
        (75, 0x304, "F2F of single precision", false),
        (75, 0x313 | 3 << 84 | 3 << 75, "FRND.F64 R0, R0", true),
        (90, 0x308 | 6 << 74, "MUFU.RCP64H R0, R0", true),
        (90, 0x308 | 7 << 74, "MUFU.RSQ64H R0, R0", true),
        (90, 0x308 | 4 << 74, "MUFU.RCP R0, R0", false),
        (75, 0x38a | 6 << 73, "ATOM.ADD.EF.F64.RN", true),
        (75, 0x38a | 5 << 73, "ATOM.ADD.EF.S64", false),
        (75, 0x3a8 | 6 << 73, "ATOMG.ADD.EF.F64.RN", true),
        (89, 0x3a8 | 6 << 73, "ATOMG.ADD.EF.F64.RN", true),
        // From sm_90 on that value is no type, and additions of floating-point numbers have a key of their own.
        (90, 0x38a | 6 << 73, "ATOM.ADD.EF.INVALID6", false),
        (90, 0x3a2 | 15 << 73, "ATOM.ADD.EF.F64.RN", true),
        (90, 0x3a2 | 7 << 73, "ATOM of another type", false),
        (100, 0x3a2 | 15 << 73, "ATOM.ADD.EF.F64.RN", true),
    ] {
        let found = wide(sm, word | PT);
        assert_eq!(found.fp64, fp64, "sm_{sm}: {text}: {found:?}");
    }
    let at_pt = 7 << 16;
    for (key, bits, text, fp64) in [
        (0xb95, 3 << 8 | 2 << 10, "F2F.F64.F32", true),
        (0xb95, 2 << 8 | 3 << 10, "F2F.F32.F64", true),
        (0xb95, 2 << 8 | 2 << 10, "F2F.F32.F32", false),
        (0xb96, 3 << 10, "F2I.F64", true),
        (0xb96, 2 << 10 | 3 << 8, "F2I.S64.F32", false),
        (0xb97, 3 << 8, "I2F.F64", true),
        (0xb97, 2 << 8 | 3 << 10, "I2F.F32.S64", false),
        (0xa10, 6 << 20, "MUFU.RCP64H", true),
        (0xa10, 4 << 20, "MUFU.RCP", false),
        (0x1d7f, 6 << 20, "RED.ADD.F64", true),
        (0x1d7f, 3 << 20, "RED of another type", false),
        (0x70e, 0, "DADD", true),
        (0x70b, 0, "FADD", false),
    ] {
        let found = narrow(61, key, bits | at_pt);
        assert_eq!(found.fp64, fp64, "{text}: {found:?}");
    }
}

#[test]
fn bits_that_say_how_wide_a_load_or_store_is() {
    let bytes = |instruction: Instruction| {
        let access = instruction.access.expect("a load or a store");
        (access.space, access.store, access.bytes)
    };
    let widths = [1, 1, 2, 2, 4, 8, 16].map(Some).into_iter().chain([None]);
    for (code, expected) in (0..).zip(widths) {
        // LDG and STS: bits 73 to 75.
        let load = wide(90, 0x981 | PT | code << 73);
        assert_eq!(bytes(load), (Space::Global, false, expected), "{code}");
        let store = wide(90, 0x388 | PT | code << 73);
        assert_eq!(bytes(store), (Space::Shared, true, expected), "{code}");
    }
    let widths = [1, 1, 2, 2, 4, 8, 16].map(Some);
    for (code, expected) in (0..).zip(widths) {
        // LDG, and the generic LD and ST: bits 48 to 50, and 53 to 55.
        let load = narrow(61, 0x1dda, code << 48 | 7 << 16);
        assert_eq!(bytes(load), (Space::Global, false, expected), "{code}");
        for (key, store) in [(0x1000, false), (0x1400, true)] {
            let generic = narrow(61, key, code << 53 | 7 << 16);
            assert_eq!(bytes(generic), (Space::Generic, store, expected), "{code}");
        }
    }
    for (sm, word, text, expected) in [
        (90, 0x83b, "LDSM.16.M88", Some(4)),
        (90, 0x83b | 1 << 72, "LDSM.16.M88.2", Some(8)),
        (90, 0x83b | 2 << 72, "LDSM.16.M88.4", Some(16)),
        (90, 0x83b | 3 << 72, "LDSM.16.M88.INVALID3", None),
        (90, 0x844 | 2 << 72, "STSM.16.M88.4", Some(16)),
        (100, 0x97e, "LDG.E.256", Some(32)),
        (100, 0x97f, "STG.E.256", Some(32)),
        // Nobody has measured which bits say it.
        (100, 0x9a4 | 5 << 73, "LDGMC", None),
    ] {
        assert_eq!(bytes(wide(sm, word | PT)).2, expected, "{text}");
    }
}

#[test]
fn an_instruction_guarded_by_not_pt_never_executes() {
    for guard in 0..16 {
        let never = guard == 15;
        let load = wide(90, 0x981 | guard << 12 | 0xff << 16);
        assert_eq!(load.class == Class::Never, never, "{guard}");
        // FADD.
        let add = narrow(61, 0x70b, (guard as u64) << 16 | 0xf << 20 | 0xff);
        assert_eq!(add.class == Class::Never, never, "{guard}");
        // No instruction, so nothing that could not be executed.
        assert_eq!(wide(90, guard << 12).class, Class::Unknown);
    }
}

#[test]
fn mnemonics_that_one_key_stands_for() {
    for (sm, word, mnemonic) in [
        (100, 0x210, Some(Mnemonic::IADD3)),
        (100, 0x210 | 1 << 76, Some(Mnemonic::IADD)),
        (90, 0x210 | 1 << 76, Some(Mnemonic::IADD3)),
        (100, 0x221, Some(Mnemonic::FADD)),
        (100, 0x221 | 1 << 81, Some(Mnemonic::FHADD)),
        (100, 0x5ea, Some(Mnemonic::UTCHMMA)),
        (100, 0x5ea | 1 << 72, Some(Mnemonic::UTCIMMA)),
        (100, 0x5ea | 3 << 72, Some(Mnemonic::UTCQMMA)),
        (100, 0x5ea | 2 << 72, None),
        // sm_103 multiplies no integers there.
        (103, 0x5ea, Some(Mnemonic::UTCHMMA)),
        (103, 0x5ea | 1 << 72, None),
    ] {
        assert_eq!(wide(sm, word | PT).mnemonic, mnemonic, "sm_{sm} {word:#x}");
    }
    // Half precision came after sm_50.
    assert_eq!(narrow(50, 0xba2, 7 << 16).class, Class::Unknown);
    assert_eq!(narrow(61, 0xba2, 7 << 16).class, Class::Half);
}

/// The fast count goes by keys, the instruction by all of its bits: every key of every target, with bits at random.
#[test]
fn both_ways_of_counting_agree_on_every_key() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for isa in (70..200).filter_map(Isa::of) {
        let mut bytes = Vec::with_capacity(8 << 16);
        for _ in 0..8 {
            for key in 0..1 << 12 {
                bytes.extend((random() & !0xfff | key).to_le_bytes());
                bytes.extend(random().to_le_bytes());
            }
        }
        let code = Code::new(isa, &bytes).expect("whole instructions");
        assert_eq!(
            code.mix(),
            code.instructions().collect::<Mix>(),
            "sm_{}",
            isa.sm()
        );
    }
}

#[test]
fn names_of_classes_and_memories_are_words() {
    let classes = Class::ALL.map(|class| (class.name(), class.to_string()));
    let spaces = Space::ALL.map(|space| (space.name(), space.to_string()));
    for names in [&classes[..], &spaces] {
        let mut seen: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        for (name, shown) in names {
            assert_eq!(name, shown);
            let known =
                |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
            assert!(!name.is_empty() && name.bytes().all(known), "{name}");
        }
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), names.len());
    }
    assert_eq!(
        format!("{:>7}|{:<7}|", Class::Fp64, Space::Local),
        "   fp64|local  |"
    );
}

#[test]
fn mixes_add_up() {
    let words = [
        0x981 | PT | 4 << 73,
        0x981 | PT | 6 << 73,
        0x388 | PT | 4 << 73,
        0x229 | PT,
    ];
    let bytes: Vec<u8> = words
        .iter()
        .flat_map(|word: &u128| word.to_le_bytes())
        .collect();
    let isa = Isa::of(90).expect("a known target");
    let one = Code::new(isa, &bytes).expect("whole instructions").mix();
    assert_eq!(
        (one.loads(Space::Global), one.stores(Space::Global)),
        (2, 0)
    );
    assert_eq!(
        (one.loads(Space::Shared), one.stores(Space::Shared)),
        (0, 1)
    );
    let mut sum = one;
    sum += &one;
    sum += &Mix::default();
    assert_eq!(
        (sum.loads(Space::Global), sum.stores(Space::Shared)),
        (4, 2)
    );
    assert_eq!(
        (sum.instructions(), sum.count(Class::Load), sum.fp64()),
        (8, 4, 2)
    );
    let accesses: Vec<_> = sum
        .accesses()
        .map(|(access, count)| (access.bytes, count))
        .collect();
    assert_eq!(accesses, [(Some(4), 2), (Some(16), 2), (Some(4), 2)]);
    assert_eq!(format!("{:>5}", Mnemonic::LDG), "  LDG");
    // A load of 32 bytes, and one whose width nobody knows.
    let words = [0x97e | PT, 0x9a4 | PT];
    let bytes: Vec<u8> = words
        .iter()
        .flat_map(|word: &u128| word.to_le_bytes())
        .collect();
    let isa = Isa::of(100).expect("a known target");
    let mix = Code::new(isa, &bytes).expect("whole instructions").mix();
    let widths: Vec<_> = mix.accesses().map(|(access, _)| access.bytes).collect();
    assert_eq!(widths, [Some(32), None]);
    assert_eq!(mix.loads(Space::Global), 2);
}

const EXIT: u128 = 0x94d | PT | 7 << 87;
const NOP: u128 = 0x918 | PT;

/// `BRA` of sm_90 at instruction `at` to instruction `to`.
fn branch(at: i64, to: i64) -> u128 {
    let quarters = (to - at - 1) * 4;
    let (low, high) = (quarters as u128 & 0xff, (quarters >> 8) as u128);
    0x947 | PT | 7 << 87 | low << 16 | (high & 0xffff_ffff_ffff) << 34
}

/// Which of these instructions of sm_90 stand in a loop.
fn in_loops(words: &[u128]) -> Vec<usize> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let isa = Isa::of(90).expect("a known target");
    let code = Code::new(isa, &bytes).expect("whole instructions");
    let loops = code.loops().expect("sm_70 or later");
    (0..words.len())
        .filter(|at| loops.contains(*at as u64 * 16))
        .collect()
}

#[test]
fn padding_is_what_stands_behind_the_last_instruction() {
    let itself = 0x000f_c000_0383_ffff_ffff_fffc_00fc_7947;
    for (words, body) in [
        (&[EXIT, itself, NOP, NOP][..], 1),
        (&[EXIT, NOP, NOP], 1),
        (&[EXIT], 1),
        // A branch to itself with more behind it is code.
        (&[itself, EXIT, NOP], 2),
    ] {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let isa = Isa::of(90).expect("a known target");
        let code = Code::new(isa, &bytes).expect("whole instructions");
        assert_eq!(code.body().len(), body * 16, "{words:x?}");
    }
}

/// The loop of the second and the third instruction is one only if the second may be passed.
#[test]
fn what_lets_the_next_instruction_follow() {
    let back = branch(2, 1);
    let of = |word: u128| in_loops(&[NOP, word, back, EXIT]);
    let itself = branch(1, 1);
    let unguarded = itself & !(0xf << 12);
    let unread = itself & !(0xf << 87);
    for (word, text, found) in [
        (NOP, "no branch", &[1, 2][..]),
        (itself, "BRA", &[1]),
        (unguarded, "@P0 BRA", &[1, 2]),
        (unguarded | 0xf << 12, "@!PT BRA", &[1, 2]),
        (unread, "BRA P0", &[1, 2]),
        (itself | 1 << 32, "BRA.U", &[1, 2]),
        (
            itself & !0xfff | 0x547,
            "BRA with a uniform predicate",
            &[1, 2],
        ),
        (EXIT, "EXIT", &[]),
        (EXIT | 1 << 32, "EXIT of another form", &[]),
        (EXIT & !(0xf << 12), "@P0 EXIT", &[1, 2]),
    ] {
        assert_eq!(of(word), found, "{text}");
    }
}

#[test]
fn branches_go_to_the_distance_in_their_bits() {
    // Over more than 256 quarters, forwards and back, so that both fields of the distance count.
    let mut words = vec![NOP; 200];
    words[150] = branch(150, 3);
    words[199] = EXIT;
    assert_eq!(in_loops(&words), (3..=150).collect::<Vec<_>>());
    words[10] = branch(10, 140);
    let mut expected: Vec<usize> = (3..=10).collect();
    expected.extend(140..=150);
    assert_eq!(in_loops(&words), expected);
    // The last instruction falls through to nothing.
    assert_eq!(in_loops(&[NOP, branch(1, 0) & !(0xf << 12)]), [0, 1]);
}
