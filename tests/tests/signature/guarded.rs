//! `__int128` members, which nvcc's files print as `long long`: what may not be believed.

use cubin_build::signature;
use cubin_build::signature::model::Type;
use cubin_tests::toolkit;

use crate::dump::case;
use crate::torture::{checked, compile, source};

#[test]
fn records_that_may_hold_128_bit_members_become_opaque() {
    let Some(toolkit) = toolkit() else { return };
    let name = "parameters_3";
    let compiled = compile(&toolkit, &source("guarded", &case(name)), "sm_90");
    let mut signatures = checked(&toolkit, "guarded", "sm_90", &compiled);
    let includes = [toolkit.root.join("include")];
    let text = compiled.preprocessed(name);
    let facts = signature::scan_preprocessed(text.as_slice(), &includes).expect("readable");
    assert!(facts.int128);
    signature::guard(&mut signatures, &facts);
    let kernel = signatures
        .kernels
        .iter()
        .find(|kernel| kernel.base_name == "k_i128")
        .expect("k_i128");
    let Some(Type::Pointer(pointer)) = kernel.params.last().map(|param| &param.ty) else {
        panic!("a pointer is the last parameter");
    };
    assert_eq!(*pointer.pointee, Type::Opaque("I128One".into()));
}

#[test]
fn the_toolkits_own_128_bit_integers_do_not_count() {
    let Some(toolkit) = toolkit() else { return };
    let compiled = compile(&toolkit, &source("unguarded", &case("small")), "sm_90");
    let includes = [toolkit.root.join("include")];
    let text = compiled.preprocessed("small");
    let facts = signature::scan_preprocessed(text.as_slice(), &includes).expect("readable");
    assert!(!facts.int128);
}
