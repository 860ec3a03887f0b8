use super::*;
use crate::{consts::PointeeSpace, nvinfo::Attributes, reader::Reader};

fn record(bytes: &[u8]) -> Attribute<'_> {
    Attributes::new(Reader::new(bytes, 0x100))
        .next()
        .unwrap()
        .unwrap()
}

fn sval(code: Eiattr, words: &[u32]) -> Vec<u8> {
    let length = u16::try_from(words.len() * 4).unwrap().to_le_bytes();
    let mut bytes = vec![4, code.0, length[0], length[1]];
    bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    bytes
}

#[test]
fn numbers_come_in_any_format() {
    for bytes in [
        &[2, 0x3f, 8, 0][..],
        &[3, 0x3f, 8, 0],
        &[4, 0x3f, 4, 0, 8, 0, 0, 0],
    ] {
        assert_eq!(Payload::of(&record(bytes)).unwrap(), Payload::Number(8));
    }
    assert_eq!(
        Payload::of(&record(&sval(Eiattr::CRS_STACK_SIZE, &[u32::MAX]))).unwrap(),
        Payload::StackBytes(None)
    );
    assert_eq!(
        Payload::of(&record(&sval(Eiattr::LANGUAGE, &[5]))).unwrap(),
        Payload::Language(Language::CUDA_CPP)
    );
}

#[test]
fn both_parameter_forms() {
    // size 24, bank 0x1f, global space, pointee aligned to 16
    let word = (24 << 18) | (0x1f << 12) | (4 << 8) | 4;
    let first = sval(Eiattr::KPARAM_INFO, &[0, (8 << 16) | 2, word]);
    let Payload::Param(first) = Payload::of(&record(&first)).unwrap() else {
        panic!("no parameter");
    };
    assert_eq!((first.ordinal, first.offset, first.size), (2, 8, 24));
    assert_eq!(first.pointee_space, PointeeSpace::GLOBAL);
    assert_eq!((first.pointee_align_log2, first.bank), (4, Some(0x1f)));

    let second = sval(Eiattr::KPARAM_INFO_V2, &[0, (0x100 << 16) | 1, 0x0405_7f00]);
    let Payload::Param(second) = Payload::of(&record(&second)).unwrap() else {
        panic!("no parameter");
    };
    assert_eq!(
        (second.ordinal, second.offset, second.size),
        (1, 0x100, 0x7f00)
    );
    assert_eq!(second.pointee_space, PointeeSpace::GLOBAL);
    assert_eq!((second.pointee_align_log2, second.bank), (5, None));
}

#[test]
fn indirect_branches_are_groups_of_their_own_length() {
    let bytes = sval(
        Eiattr::INDIRECT_BRANCH_TARGETS,
        &[0x40, 0, 2, 0x80, 0x90, 0x60, 0, 0],
    );
    let Payload::IndirectBranches(branches) = Payload::of(&record(&bytes)).unwrap() else {
        panic!("no branches");
    };
    let read: Vec<_> = branches
        .map(|branch| branch.unwrap())
        .map(|branch| (branch.offset, branch.targets.collect::<Vec<_>>()))
        .collect();
    assert_eq!(read, [(0x40, vec![0x80, 0x90]), (0x60, vec![])]);

    let cut = sval(Eiattr::INDIRECT_BRANCH_TARGETS, &[0x40, 0, 2, 0x80]);
    let Payload::IndirectBranches(branches) = Payload::of(&record(&cut)).unwrap() else {
        panic!("no branches");
    };
    let read: Vec<_> = branches.collect();
    assert_eq!(read.len(), 1);
    assert!(read[0].is_err());
}

#[test]
fn annotations_of_all_kinds_and_a_cut_end() {
    let bytes = sval(
        Eiattr::ANNOTATIONS,
        &[
            1,
            0x10,
            2,
            0x20,
            3,
            u32::from_le_bytes(*b"abc\0"),
            3,
            6,
            u32::from_le_bytes(*b"hell"),
            u32::from_le_bytes(*b"o\0\0\0"),
            1,
        ],
    );
    let record = record(&bytes);
    let read: Vec<_> = Annotations::new(&record).collect();
    assert_eq!(
        read,
        [
            Annotation::Spill(0x10),
            Annotation::Instruction {
                offset: 0x20,
                text: b"abc"
            },
            Annotation::Function(b"hello"),
        ]
    );
}

#[test]
fn short_and_unknown_records() {
    let short = sval(Eiattr::REGCOUNT, &[7]);
    assert_eq!(Payload::of(&record(&short)).unwrap_err().offset(), 0x104);
    let odd = [4, Eiattr::EXTERNS.0, 3, 0, 1, 2, 3];
    assert!(Payload::of(&record(&odd)).is_err());
    let unknown = [4, 0xee, 3, 0, 1, 2, 3];
    assert_eq!(
        Payload::of(&record(&unknown)).unwrap(),
        Payload::Bytes(&[1, 2, 3])
    );
    let words = sval(Eiattr(0xee), &[1, 2]);
    let Payload::Words(list) = Payload::of(&record(&words)).unwrap() else {
        panic!("no words");
    };
    assert_eq!(list.collect::<Vec<_>>(), [1, 2]);
}

/// Records of codes that ptxas writes for few programs.
#[test]
fn payloads_of_rare_codes() {
    let of = |code, words: &[u32]| {
        let bytes = sval(code, words);
        format!("{:?}", Payload::of(&record(&bytes)).unwrap())
    };
    for (code, words, expected) in [
        (
            Eiattr::QUERY_NUMATTRIB,
            &[0x0403_0201][..],
            "QueryCounts([1, 2, 3, 4])",
        ),
        (
            Eiattr::SHARED_SCRATCH,
            &[0x400, 0x80],
            "Scratch { start: 1024, size: 128 }",
        ),
        (
            Eiattr::COROUTINE_RESUME_OFFSETS,
            &[1, 0x40, 2, 0x90],
            "Coroutines([(1, 64), (2, 144)])",
        ),
        (
            Eiattr::INSTR_OFFSETS,
            &[7, 0x10, 0x20],
            "InstructionsOfKind { kind: 7, offsets: [16, 32] }",
        ),
    ] {
        assert_eq!(of(code, words), expected);
    }
}

/// Lists are equal when they hold the same entries, wherever they stand.
#[test]
fn lists_are_equal_by_what_they_hold() {
    for code in [
        Eiattr::EXTERNS,
        Eiattr::INDIRECT_BRANCH_TARGETS,
        Eiattr::ANNOTATIONS,
    ] {
        let (one, same, other) = (
            sval(code, &[1, 0x10, 0]),
            sval(code, &[1, 0x10, 0]),
            sval(code, &[1, 0x20, 0]),
        );
        let [one, same, other] = [&one, &same, &other].map(|bytes| record(bytes));
        let of = |record| Payload::of(record).unwrap();
        assert_eq!(of(&one), of(&same), "{code}");
        assert_ne!(of(&one), of(&other), "{code}");
    }
}
