use super::*;

#[test]
fn tags() {
    for (tag, expected) in [
        ("_ZN2ns5InnerE", "ns::Inner"),
        ("_Z4PairIS_IcsElE", "Pair<Pair<char, short>, long>"),
        ("_ZN2ns3VecI6__halfLi8EEE", "ns::Vec<__half, 8>"),
        ("_ZN5Outer2TIIN2ns1WIiEEEE", "Outer::TI<ns::W<int>>"),
        ("_ZN2ns1WINS_2InEEE", "ns::W<ns::In>"),
        ("_ZN2ns1WIPKfEE", "ns::W<const float*>"),
        ("_ZN2ns1WIPFviEEE", "ns::W<void (*)(int)>"),
        (
            "_ZN36_GLOBAL__N__41a1596d_5_t1_cu_counter2ATINS_2ANEEE",
            "(anonymous namespace)::AT<(anonymous namespace)::AN>",
        ),
        (
            "_ZN4cuda3std3__412__tuple_implINS1_15__tuple_indicesIJLm0ELm1EEEEJidEEE",
            "cuda::std::__4::__tuple_impl<cuda::std::__4::__tuple_indices<0, 1>, int, double>",
        ),
        ("_ZSt4byte", "std::byte"),
        ("_ZN6S_nestUt0_Ut_E", "S_nest::(unnamed 2)::(unnamed 1)"),
        ("_ZZ4hostPiEUliE_", "host(int*)::{lambda 1}"),
        ("_ZN6HolderIsE2InE", "Holder<short>::In"),
    ] {
        assert_eq!(
            name(tag).map(|name| name.text).as_deref(),
            Some(expected),
            "{tag}"
        );
    }
}

#[test]
fn parameter_lists() {
    let texts = |mangled| {
        parameters(mangled).map(|params| {
            params
                .iter()
                .map(|ty| spell(ty, &str::to_owned))
                .collect::<Vec<_>>()
        })
    };
    assert_eq!(
        texts("_Z8k_memptrM4BaseiM3ClsKFivE"),
        Some(vec![MEMBER_POINTER.into(), MEMBER_POINTER.into()])
    );
    assert_eq!(
        texts("_Z5k_refRiRKN2ns5InnerER6float4"),
        Some(vec![
            "int &".into(),
            "const ns::Inner &".into(),
            "float4 &".into()
        ])
    );
    assert_eq!(
        texts("_Z6k_enumN2ns4ModeENS_5PlainEPKS0_"),
        Some(vec![
            "ns::Mode".into(),
            "ns::Plain".into(),
            "const ns::Mode *".into()
        ])
    );
    assert_eq!(texts("_Z8k_noargsv"), Some(vec![]));
}

#[test]
fn garbage_is_none() {
    for tag in [
        "",
        "_Z",
        "_ZN",
        "_ZNE",
        "_ZN99aE",
        "_ZS_",
        "_Z1aI",
        "_ZNS9_E",
        "_ZT_",
        "_Z0",
        "_ZSt",
        "_ZN2nsE5",
        "_Z18446744073709551616a",
    ] {
        let _ = name(tag);
        let _ = parameters(tag);
    }
    assert_eq!(name("_ZNE"), None);
    let doubling = format!("_Z1a{}", "I1bS_E".repeat(4000));
    let _ = name(&doubling);
    let deep = format!("_Z1a{}", "I1b".repeat(100_000));
    assert_eq!(name(&deep), None);
}
