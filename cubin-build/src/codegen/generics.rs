//! How a template family is spelled in Rust: its generic parameters, its trait in `instances`, its instances.
//!
//! `template <typename T, int N>` becomes `<T: instances::Reduce<N>, const N: i32>`. Several types are one tuple for
//! the trait, and a family of numbers alone has its instances on `()`.

use super::{
    names::{self, NameKind},
    planned::{Argument, Family, Generic, Instance, Pattern},
    scalars,
    scope::Scope,
    write::number,
};
use crate::lists::{AddAll, CollectVec, Figures};
use crate::signature::model::{Scalar, TemplateValue, ValueType};
use crate::sorted::{Map, Set};

/// The generic parameters of one family, as they are called in the file.
pub(super) struct Generics<'f> {
    family: &'f Family,
    /// By template argument.
    names: Vec<String>,
}

impl<'f> Generics<'f> {
    /// `T` for the only type and `N` for the only number, or `A`, `B`, … by position; none that a type of the
    /// module or a parameter has.
    pub(super) fn new(scope: Scope<'_>, family: &'f Family) -> Self {
        let module = scope.module;
        let places = module
            .records
            .values()
            .chain(module.enums.values())
            .chain(module.opaques.values());
        let mut taken: Vec<String> = Vec::new();
        for place in places {
            // Nor one of a module, which a type's path may begin with.
            taken.add_all(place.path.iter().cloned());
            taken.push(place.ident.clone());
        }
        // Nor that of the struct of arguments, which is called as the kernel is.
        let method = family.method.trim_start_matches("r#");
        taken.push(names::ident(method, names::NameKind::Type));
        // Nor may a parameter be called like a const generic.
        let kernels = family.instances.iter();
        let kernels = kernels.filter_map(|instance| module.kernels.get(instance.kernel));
        let params = kernels.flat_map(|planned| &planned.kernel.params);
        taken.add_all(params.filter_map(|param| param.name.clone()));
        let types = family
            .generics
            .iter()
            .filter(|kind| is_type(kind))
            .how_many();
        let mut all = Vec::new();
        for (index, kind) in family.generics.iter().enumerate() {
            let name = match kind {
                Generic::Type if types == 1 => "T".to_owned(),
                Generic::Const(_) if family.generics.len() - types == 1 => "N".to_owned(),
                _ => match u8::try_from(index) {
                    Ok(index) if index < 26 => char::from(b'A' + index).to_string(),
                    _ => format!("A{index}"),
                },
            };
            let name = names::fresh(&name, &taken);
            taken.push(name.clone());
            all.push(name);
        }
        Self { family, names: all }
    }

    /// The trait with its arguments, given those of the template: `Reduce<8>`.
    fn trait_with(&self, arguments: &[String]) -> String {
        let numbers = self.pick(arguments, |kind| !is_type(kind));
        let name = &self.family.trait_name;
        if numbers.is_empty() {
            return name.clone();
        }
        format!("{name}<{}>", numbers.join(", "))
    }

    /// What implements the trait: `f32`, `(f32, f64)`, `()`.
    fn implementor(&self, arguments: &[String]) -> String {
        match self.pick(arguments, is_type).as_slice() {
            [only] => only.clone(),
            several => format!("({})", several.join(", ")),
        }
    }

    fn pick(&self, arguments: &[String], wanted: impl Fn(&Generic) -> bool) -> Vec<String> {
        let pairs = self.family.generics.iter().zip(arguments);
        let picked = pairs.filter(|(kind, _)| wanted(kind));
        picked.map(|(_, argument)| argument.clone()).collect_vec()
    }

    /// The declared parameters of a function or type, and the bounds that stand in a `where` clause.
    pub(super) fn declared(&self) -> (Vec<String>, Option<String>) {
        let bound = format!("instances::{}", self.trait_with(&self.names));
        let inline = self
            .family
            .generics
            .iter()
            .filter(|kind| is_type(kind))
            .how_many()
            == 1;
        let declared = self.family.generics.iter().zip(&self.names);
        let declared = declared
            .map(|(kind, name)| match kind {
                Generic::Type if inline => format!("{name}: {bound}"),
                Generic::Type => name.clone(),
                Generic::Const(scalar) => format!("const {name}: {}", const_type(*scalar)),
            })
            .collect_vec();
        let clause = format!("{}: {bound}", self.implementor(&self.names));
        (declared, (!inline).then_some(clause))
    }

    /// The names alone, as arguments: `T, N`.
    pub(super) fn applied(&self) -> String {
        self.names.join(", ")
    }

    /// The generic parameters of the trait itself.
    pub(super) fn trait_parameters(&self) -> Vec<String> {
        let declared = self.family.generics.iter().zip(&self.names);
        declared
            .filter_map(|(kind, name)| match kind {
                Generic::Type => None,
                Generic::Const(scalar) => Some(format!("const {name}: {}", const_type(*scalar))),
            })
            .collect_vec()
    }

    /// What the compiler is to show for arguments that have no instance, in terms of the trait.
    pub(super) fn asked(&self) -> String {
        let types = self
            .family
            .generics
            .iter()
            .filter(|kind| is_type(kind))
            .how_many();
        let mut parts = Vec::new();
        for (kind, name) in self.family.generics.iter().zip(&self.names) {
            match kind {
                // Several are one tuple, shown once.
                Generic::Type if parts.iter().any(|part| part == "{Self}") => {}
                Generic::Type => parts.push("{Self}".to_owned()),
                Generic::Const(_) => parts.push(format!("{{{name}}}")),
            }
        }
        if parts.len() == 1 && types > 0 {
            return parts.concat();
        }
        format!("<{}>", parts.join(", "))
    }

    /// The trait as a path to its items: `<T as instances::Reduce<N>>`.
    pub(super) fn this(&self) -> String {
        format!(
            "<{} as instances::{}>",
            self.implementor(&self.names),
            self.trait_with(&self.names)
        )
    }

    /// What one instance implements, and on what: `Reduce<8>`, `f32`.
    pub(super) fn implementation(
        &self,
        scope: Scope<'_>,
        instance: &Instance,
        known: &[Enumerators],
    ) -> (String, String) {
        let arguments = self.arguments(scope, instance, |kind, value| {
            let (module, constant) = constant(known, *kind, value)?;
            Some(format!("{{ {module}::{} }}", constant.ident))
        });
        (self.trait_with(&arguments), self.implementor(&arguments))
    }

    /// The arguments of one instance in Rust: `f32`, `8`. Enumerators are what `named` makes of them, or numbers.
    fn arguments(
        &self,
        scope: Scope<'_>,
        instance: &Instance,
        named: impl Fn(&Generic, &TemplateValue) -> Option<String>,
    ) -> Vec<String> {
        let pairs = self.family.generics.iter().zip(&instance.arguments);
        pairs
            .map(|(kind, argument)| match (kind, argument) {
                (_, Argument::Type(ty)) => scope.value(ty),
                (Generic::Const(Scalar::Bool), Argument::Value(value)) => {
                    (value.number != 0).to_string()
                }
                (_, Argument::Value(value)) => {
                    named(kind, value).unwrap_or_else(|| number(value.number))
                }
            })
            .collect_vec()
    }

    /// The arguments of one instance as a person would write them at a call: `<f32, 8>`,
    /// `<{ ggml_type::GGML_TYPE_Q8_0 }, 48>`.
    pub(super) fn written(
        &self,
        scope: Scope<'_>,
        instance: &Instance,
        known: &[Enumerators],
    ) -> String {
        in_brackets(&self.arguments(scope, instance, |kind, value| {
            let (module, constant) = constant(known, *kind, value)?;
            Some(format!("{{ {module}::{} }}", constant.ident))
        }))
    }

    /// The arguments of one instance for a message: enumerators as C++ calls them, `<GGML_TYPE_Q8_0, 48>`.
    pub(super) fn shown(&self, scope: Scope<'_>, instance: &Instance) -> String {
        in_brackets(
            &self.arguments(scope, instance, |_, value| match &value.ty {
                ValueType::Enum {
                    name,
                    enumerator: Some(enumerator),
                } => Some(names::enumerator(name, enumerator)),
                _ => None,
            }),
        )
    }

    /// The type of a pattern, in terms of the generic parameters.
    pub(super) fn spell(&self, scope: Scope<'_>, pattern: &Pattern) -> String {
        match pattern {
            Pattern::Fixed(ty) => scope.value(ty),
            Pattern::Argument(index) => self.names.get(*index).cloned().unwrap_or_default(),
            Pattern::Pointer { pointee, .. } => {
                format!("runtime::DeviceAddress<{}>", self.spell(scope, pointee))
            }
            Pattern::Array(element, length) => {
                let element = self.spell(scope, element);
                format!("[{element}; {}]", number(i128::from(*length)))
            }
            Pattern::Associated(ordinal) => format!("{}::P{ordinal}", self.this()),
        }
    }

    /// The type parameters that no parameter of the kernel shows.
    pub(super) fn hidden_types(&self) -> Vec<String> {
        let shown = |index: usize| self.family.params.iter().any(|param| shows(param, index));
        let kinds = self.family.generics.iter().zip(&self.names).enumerate();
        kinds
            .filter(|(index, (kind, _))| is_type(kind) && !shown(*index))
            .map(|(_, (_, name))| name.clone())
            .collect_vec()
    }
}

fn in_brackets(arguments: &[String]) -> String {
    let shown: Vec<&str> = arguments
        .iter()
        .map(|argument| argument.trim_start_matches("super::"))
        .collect_vec();
    format!("<{}>", shown.join(", "))
}

/// The constant that stands for an enumerator, and its module.
fn constant<'k>(
    known: &'k [Enumerators],
    kind: Generic,
    value: &TemplateValue,
) -> Option<(&'k str, &'k Constant)> {
    let ValueType::Enum {
        name,
        enumerator: Some(enumerator),
    } = &value.ty
    else {
        return None;
    };
    let Generic::Const(scalar) = kind else {
        return None;
    };
    let ty = const_type(scalar);
    let of_enumeration = known
        .iter()
        .filter(|known| known.enumeration == *name && known.ty == ty);
    let all = of_enumeration.flat_map(|known| {
        let constants = known.constants.iter();
        constants.map(|constant| (known.module.as_str(), constant))
    });
    let mut all = all.filter(|(_, constant)| constant.enumerator == *enumerator);
    all.next()
}

fn is_type(kind: &Generic) -> bool {
    matches!(kind, Generic::Type)
}

fn shows(pattern: &Pattern, index: usize) -> bool {
    match pattern {
        Pattern::Argument(argument) => *argument == index,
        Pattern::Pointer { pointee, .. } => shows(pointee, index),
        Pattern::Array(element, _) => shows(element, index),
        Pattern::Fixed(_) | Pattern::Associated(_) => false,
    }
}

fn const_type(scalar: Scalar) -> &'static str {
    scalars::primitive(scalar).unwrap_or("i32")
}

/// The enumerators of one enumeration that instances stand for.
pub(super) struct Enumerators {
    pub(super) module: String,
    /// C++ name.
    pub(super) enumeration: String,
    /// Rust type of the constants.
    pub(super) ty: &'static str,
    pub(super) constants: Vec<Constant>,
}

impl Enumerators {
    /// Whether both stand for the same constants, or a part of them.
    pub(super) fn is_of(&self, other: &Self) -> bool {
        self.enumeration == other.enumeration && self.ty == other.ty
    }
}

/// An enumerator as a constant.
pub(super) struct Constant {
    pub(super) ident: String,
    /// C++ name.
    pub(super) enumerator: String,
    pub(super) value: i128,
}

/// The enumerators of `families`, by enumeration.
pub(super) fn enumerators(families: &[&Family]) -> Vec<Enumerators> {
    let mut found: Map<(&str, Scalar), Set<(i128, &str)>> = Map::new();
    for family in families {
        for instance in &family.instances {
            for (kind, argument) in family.generics.iter().zip(&instance.arguments) {
                if let (
                    Generic::Const(scalar),
                    Argument::Value(TemplateValue {
                        number,
                        ty:
                            ValueType::Enum {
                                name,
                                enumerator: Some(enumerator),
                            },
                    }),
                ) = (kind, argument)
                {
                    let all = found.or_default((name, *scalar));
                    all.insert((*number, enumerator));
                }
            }
        }
    }
    let mut taken: Vec<String> = families
        .iter()
        .map(|family| family.trait_name.clone())
        .collect_vec();
    let mut all = Vec::new();
    for ((enumeration, scalar), values) in found {
        let parts = names::components(enumeration);
        let last = parts.last().copied().unwrap_or(enumeration);
        let module = names::snake_case(&names::short_template(last));
        let module = names::fresh(&names::ident(&module, NameKind::Module), &taken);
        taken.push(module.clone());
        let constants = values.into_iter().map(|(value, enumerator)| {
            let parts = names::components(enumerator);
            Constant {
                ident: names::ident(parts.last().unwrap_or(&enumerator), NameKind::Value),
                enumerator: enumerator.to_owned(),
                value,
            }
        });
        all.push(Enumerators {
            module,
            enumeration: enumeration.to_owned(),
            ty: const_type(scalar),
            constants: constants.collect_vec(),
        });
    }
    all
}
