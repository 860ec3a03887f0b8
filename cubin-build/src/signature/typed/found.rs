//! What is found of kernels' types, whatever text it is read of.

use crate::signature::{
    check::Finding,
    declared::Wrong,
    model::{Pointer, Signatures, Type},
};

/// What came of it.
#[derive(Debug, Default)]
pub struct Typed {
    /// In the order of the text.
    pub signatures: Signatures,
    /// Where `[[kernel]]` does not fit.
    pub wrong: Vec<Wrong>,
    /// Where PTX and cubin do not agree.
    pub findings: Vec<Finding>,
}

/// A type with its C++ or PTX text, size and alignment.
pub(in crate::signature) struct Found {
    pub ty: Type,
    pub text: String,
    pub size: u64,
    pub align: u64,
}

/// A pointer to what nobody has named.
pub(in crate::signature) fn pointer(is_const: bool) -> Type {
    Type::Pointer(Pointer {
        pointee: Box::new(Type::Void),
        is_const,
        is_volatile: false,
        reference: false,
        restrict: false,
    })
}
