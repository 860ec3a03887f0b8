//! C++ types as Rust type expressions.
//!
//! | C++ | Rust |
//! |---|---|
//! | `bool`, `char`, integers, `float`, `double` | the same size: `bool`, `c_char`, `i32`, `u64`, `usize`, `f32` … |
//! | `wchar_t`, `char8_t`, `char16_t`, `char32_t` | `i32`, `u8`, `u16`, `u32`: not `char`, which has invalid values |
//! | `__half`, `__nv_bfloat16`, 8-bit floats | transparent newtypes over their bits, or the `half` crate's |
//! | `float4`, `int2` … | structs with C's alignment |
//! | pointers and references in records | `DeviceAddress<T>` |
//! | `CUtensorMap` | 128 bytes with the header's alignment |

use super::{
    input::HalfTypes,
    names,
    planned::{Key, Plan, PlannedModule, TYPES},
    scalars::{TENSOR_MAP, newtype_name, primitive, vector_name},
    write::number,
};
use crate::lists::{AddAll, CollectVec, Figures};
use crate::signature::model::{Scalar, Type};

/// Writes types as seen from one module of the generated file.
#[derive(Clone, Copy)]
pub(super) struct Scope<'p> {
    pub(super) plan: &'p Plan<'p>,
    pub(super) module: &'p PlannedModule<'p>,
    /// The module that the text stands in, from the top of the file.
    pub(super) here: &'p [String],
}

impl Scope<'_> {
    /// The type as a value: in a field, behind a pointer, as a by-value parameter.
    pub(super) fn value(&self, ty: &Type) -> String {
        match ty {
            // Only behind pointers, where the element type is left open.
            Type::Void => "::core::ffi::c_void".to_owned(),
            Type::Scalar(scalar) => self.scalar(*scalar),
            Type::Vector(vector) => self.in_types(&vector_name(*vector)),
            Type::Pointer(pointer) => {
                format!("runtime::DeviceAddress<{}>", self.value(&pointer.pointee))
            }
            Type::Array(element, length) => {
                format!("[{}; {}]", self.value(element), number(i128::from(*length)))
            }
            Type::Record(id) => self.named(&Key::Record(*id)),
            Type::Enum(id) => self.named(&Key::Enum(*id)),
            Type::Opaque(name) => self.named(&Key::Opaque(name.clone())),
            Type::Function => self.in_types("DeviceFunction"),
            Type::TensorMap { .. } => self.in_types(TENSOR_MAP),
        }
    }

    fn scalar(&self, scalar: Scalar) -> String {
        if let Some(name) = primitive(scalar) {
            return name.to_owned();
        }
        match (scalar, self.plan.input.half) {
            (Scalar::Half, HalfTypes::HalfCrate) => "::half::f16".to_owned(),
            (Scalar::BFloat16, HalfTypes::HalfCrate) => "::half::bf16".to_owned(),
            _ => self.in_types(&newtype_name(scalar)),
        }
    }

    fn named(&self, key: &Key) -> String {
        match self.module.place(key) {
            Some(place) => self.path(&place.path, &place.ident),
            // Every reachable type has a place; a hole would be a compile error in the user's crate.
            None => "::core::ffi::c_void".to_owned(),
        }
    }

    /// Names that no parameter or local may have here: those of tuple structs, which enumerations are, of structs
    /// without members, and of the prelude's variants.
    pub(super) fn patterns(&self) -> Vec<String> {
        let modules = self.plan.modules.iter();
        let places = modules.flat_map(|module| module.enums.values());
        let mut found: Vec<String> = places
            .filter(|place| {
                let exported = place.shared.as_ref().map(|shared| &shared.path);
                place.path == self.here || exported.is_some_and(|path| path == self.here)
            })
            .map(|place| place.ident.clone())
            .collect_vec();
        if self.here == [TYPES] {
            let scalars = self.plan.builtins.scalars.iter();
            found.add_all(scalars.map(|scalar| newtype_name(*scalar)));
            found.push("DeviceFunction".to_owned());
        }
        found.add_all(names::VARIANTS.iter().map(|name| (*name).to_owned()));
        found.push("Module".to_owned());
        found
    }

    fn in_types(&self, ident: &str) -> String {
        self.path(&[TYPES.to_owned()], ident)
    }

    /// The shortest path from here. Modules outside `types` import it by name.
    pub(super) fn path(&self, to: &[String], ident: &str) -> String {
        let here_in_types = self.here.first().is_some_and(|top| top == TYPES);
        let to_types = to.first().is_some_and(|top| top == TYPES);
        if to_types && !here_in_types {
            return format!("{}::{ident}", to.join("::"));
        }
        let common = self
            .here
            .iter()
            .zip(to)
            .take_while(|(a, b)| a == b)
            .how_many();
        let mut path = "super::".repeat(self.here.len() - common);
        for part in &to[common..] {
            path.push_str(part);
            path.push_str("::");
        }
        path.push_str(ident);
        path
    }
}
