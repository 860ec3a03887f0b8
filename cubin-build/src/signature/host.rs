//! Types of host functions, from the symbol of a function that takes a pointer to each.
//!
//! The host compiler has spelled the type out in that symbol ([`HostFunction`](crate::compile::HostFunction)). What Rust
//! can say exactly is kept; a function with anything else is refused, with the reason.

use super::{
    ctype::{Builtin, CType, QType, spell},
    mangled::{self, MEMBER_POINTER},
    model::Scalar,
    names, resolve,
};

/// The type of a function with C linkage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostType {
    /// What it gives; `None` for `void`.
    pub result: Option<Value>,
    /// What it takes.
    pub params: Vec<Value>,
}

/// A type that is passed by value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A number; an enumeration is the integer that it is.
    Scalar(Scalar),
    /// A pointer or a reference.
    Pointer {
        /// What it points to.
        to: Box<Target>,
        /// Nothing is written through it.
        is_const: bool,
    },
    /// A pointer to a function.
    Function(Box<HostType>),
}

/// What a pointer points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Something that can be a value, too.
    Value(Value),
    /// An array.
    Array(Box<Target>, u64),
    /// `void`, or a type that only C++ knows.
    Unknown,
}

/// Reads the type of a function.
///
/// # Errors
/// Why Rust cannot say it.
pub fn host_type(mangled: &str) -> Result<HostType, String> {
    let unknown = || "its type is not understood".to_owned();
    let params = mangled::parameters(mangled).ok_or_else(unknown)?;
    let [
        QType {
            kind: CType::Pointer(to),
            ..
        },
    ] = params.as_slice()
    else {
        return Err(unknown());
    };
    let CType::Function(result, params) = &to.kind else {
        return Err(unknown());
    };
    let mut found = HostType {
        result: None,
        params: Vec::new(),
    };
    if result.kind != CType::Builtin(Builtin::Void) {
        let ty = value(result).map_err(|why| format!("it returns {why}"))?;
        found.result = Some(ty);
    }
    for (index, param) in params.iter().enumerate() {
        let ty = value(&param.ty).map_err(|why| format!("parameter {} is {why}", index + 1))?;
        found.params.push(ty);
    }
    Ok(found)
}

/// A type by value; the error says what it is instead of one that Rust has.
fn value(ty: &QType) -> Result<Value, String> {
    let named = |what: &str| format!("`{}`{what}", spell(ty, &names::readable));
    match &ty.kind {
        CType::Pointer(to) | CType::Reference(to) => {
            if let CType::Function(result, params) = &to.kind {
                return function(result, params).map(Value::Function);
            }
            Ok(Value::Pointer {
                is_const: to.is_const || matches!(&to.kind, CType::Array(of, _) if of.is_const),
                to: Box::new(target(to)),
            })
        }
        CType::Builtin(Builtin::Int128 | Builtin::UInt128) => Err(named(", which C does not have")),
        CType::Builtin(builtin) => match resolve::scalar(*builtin) {
            Some(scalar) => Ok(Value::Scalar(scalar)),
            None => Err(named(", which Rust does not have")),
        },
        CType::Named(name) if name == MEMBER_POINTER => {
            Err("a pointer to a member, which Rust does not have".to_owned())
        }
        CType::Named(_) | CType::Tag(..) => Err(named(
            " by value, whose layout nobody has proved; a pointer to it can be passed",
        )),
        CType::Array(..) | CType::Function(..) => Err(named(", which is not a value")),
    }
}

fn function(result: &QType, params: &[super::ctype::RawParam]) -> Result<Box<HostType>, String> {
    let why = |why: String| format!("a pointer to a function with {why}");
    let mut found = HostType {
        result: None,
        params: Vec::with_capacity(params.len()),
    };
    if result.kind != CType::Builtin(Builtin::Void) {
        found.result = Some(value(result).map_err(why)?);
    }
    for param in params {
        found.params.push(value(&param.ty).map_err(why)?);
    }
    Ok(Box::new(found))
}

/// What stands behind a pointer: where Rust has no such type, only the address is exact.
fn target(ty: &QType) -> Target {
    match &ty.kind {
        CType::Array(of, Some(length)) => Target::Array(Box::new(target(of)), *length),
        CType::Array(of, None) => target(of),
        _ => value(ty).map_or(Target::Unknown, Target::Value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_those_of_the_symbol() {
        let of = |rest: &str| host_type(&format!("_Z22cubin_build_function_0{rest}"));
        let scalar = Value::Scalar;
        let found = of("PFiifPfP11CUstream_stE").expect("a type");
        assert_eq!(found.result, Some(scalar(Scalar::Int)));
        let pointer = |to, is_const| Value::Pointer {
            to: Box::new(to),
            is_const,
        };
        assert_eq!(
            found.params,
            [
                scalar(Scalar::Int),
                scalar(Scalar::Float),
                pointer(Target::Value(scalar(Scalar::Float)), false),
                pointer(Target::Unknown, false),
            ]
        );
        let found = of("PFvPKvRA3_iPPKhPFvvEE").expect("a type");
        assert_eq!(found.result, None);
        assert_eq!(found.params[0], pointer(Target::Unknown, true));
        assert_eq!(
            found.params[1],
            pointer(
                Target::Array(Box::new(Target::Value(scalar(Scalar::Int))), 3),
                false
            )
        );
        assert_eq!(
            found.params[2],
            pointer(
                Target::Value(pointer(Target::Value(scalar(Scalar::UChar)), true)),
                false
            )
        );
        assert!(matches!(found.params[3], Value::Function(_)));
    }

    #[test]
    fn what_rust_cannot_say_is_refused_with_a_reason() {
        let of = |rest: &str| host_type(&format!("_Z22cubin_build_function_0{rest}"));
        for (symbol, why) in [
            (
                "PFvi1PE",
                "parameter 2 is `P` by value, whose layout nobody has proved; a pointer to it can be passed",
            ),
            (
                "PFevE",
                "it returns `long double`, which Rust does not have",
            ),
            ("PFvnE", "parameter 1 is `__int128`, which C does not have"),
            (
                "PFvPFveEE",
                "parameter 1 is a pointer to a function with `long double`, which Rust does not have",
            ),
            ("PFv", "its type is not understood"),
            ("i", "its type is not understood"),
        ] {
            assert_eq!(of(symbol), Err(why.to_owned()), "{symbol}");
        }
    }
}
