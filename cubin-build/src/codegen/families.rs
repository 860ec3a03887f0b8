//! Template kernels as generic Rust functions: which instances belong together, and how their parameters
//! depend on the template's arguments.
//!
//! A family needs template arguments that are types with a Rust counterpart, or numbers: integers, truth
//! values, enumerators. Numbers become const generics of the C++ type. Where parameters follow the types
//! (`const T *`, `T`), the generic function says so, and these arguments are inferred at the call; where they
//! do not (`Vec<T, 4>`, `T (&)[N]`), the function takes an associated type. Packs and template template
//! arguments have no counterpart: their instances have their own wrappers only.

use super::{
    names,
    planned::{
        Argument, Family, Generic, Instance, Key, Methods, NamedOnly, Pattern, PlannedKernel,
        reach, same,
    },
    scalars,
};
use crate::lists::{CollectSome, CollectVec, Figures};
use crate::signature::{
    self,
    model::{
        EnumId, Kernel, Pointer, RecordId, Scalar, Signatures, TemplateArg, Type, ValueType, Vector,
    },
};
use crate::sorted::{Map, Set};

/// More generic parameters than this make no call clearer.
const MOST_GENERICS: usize = 12;

const PACK: &str = "a parameter pack is any number of parameters, which no Rust function has";
const NAMESAKES: &str =
    "templates of this name differ in how many arguments or parameters they have";
const MANY: &str = "it has more than 12 arguments";
const KINDS: &str =
    "an argument is of several types or kinds: another template of this name, or `auto`";
const UNKNOWN: &str = "Rust has no name for its arguments, or one name for several of them";
const PARAMETERS: &str =
    "its parameters differ between instances in more than what the arguments say";

/// The families among `kernels`, where their names are free, and the templates that are none.
pub(super) fn find(
    kernels: &[PlannedKernel<'_>],
    signatures: &Signatures,
    methods: &mut Methods,
) -> (Vec<Family>, Vec<NamedOnly>) {
    let mut groups: Map<(&[String], &str), Vec<&PlannedKernel<'_>>> = Map::new();
    for planned in kernels {
        if !planned.kernel.template_args.is_empty() {
            let key = (planned.path.as_slice(), planned.kernel.base_name.as_str());
            groups.or_default(key).push(planned);
        }
    }
    let known = Known::new(kernels, signatures);
    let mut families: Vec<Family> = Vec::new();
    let mut named_only = Vec::new();
    for ((path, base_name), mut members) in groups {
        let name = template_name(&members);
        let mut refuse = |name: &str, reason: String| {
            let name = name.to_owned();
            named_only.push(NamedOnly { name, reason });
        };
        let pack =
            |planned: &&PlannedKernel<'_>| planned.kernel.params.iter().any(|param| param.pack);
        if members.iter().any(pack) {
            refuse(&name, PACK.to_owned());
        }
        members.retain(|planned| !pack(planned));
        if members.is_empty() {
            continue;
        }
        let mut family = match family(&known, &name, &members) {
            Ok(family) => family,
            Err(reason) => {
                refuse(&name, reason.to_owned());
                continue;
            }
        };
        family.method = names::ident(base_name, names::NameKind::Method);
        family.trait_name = camel_case(base_name);
        let same_trait =
            |other: &&Family| other.path == path && other.trait_name == family.trait_name;
        let owner = match families.iter().find(same_trait) {
            Some(other) => Some(other.name.clone()),
            None => methods.owner(path, &family.method).map(str::to_owned),
        };
        match owner {
            None => {
                methods.take(path, &family.method, &family.name);
                families.push(family);
            }
            Some(owner) => refuse(&name, format!("its name in Rust is that of `{owner}`")),
        }
    }
    (families, named_only)
}

/// The C++ name of the template that `members` are instances of.
fn template_name(members: &[&PlannedKernel<'_>]) -> String {
    let Some(first) = members.first() else {
        return String::new();
    };
    let mut parts = names::components(&first.kernel.name);
    parts.pop();
    parts.push(&first.kernel.base_name);
    parts.join("::")
}

fn family(
    known: &Known<'_>,
    name: &str,
    members: &[&PlannedKernel<'_>],
) -> Result<Family, &'static str> {
    let Some(first) = members.first() else {
        return Err(UNKNOWN);
    };
    let arguments = first.kernel.template_args.len();
    let params = first.kernel.params.len();
    if arguments > MOST_GENERICS {
        return Err(MANY);
    }
    let mut instances: Vec<Instance> = Vec::new();
    for member in members {
        let kernel = member.kernel;
        if kernel.template_args.len() != arguments || kernel.params.len() != params {
            return Err(NAMESAKES);
        }
        // An instance for a type that Rust cannot name has its own wrapper only.
        if let Some(arguments) = known.arguments(kernel) {
            instances.push(Instance {
                kernel: member.index,
                arguments,
                params: kernel
                    .params
                    .iter()
                    .map(|param| param.ty.clone())
                    .collect_vec(),
            });
        }
    }
    if instances.is_empty() {
        return Err(UNKNOWN);
    }
    let generics: Option<Vec<Generic>> = (0..arguments)
        .map(|index| generic(&instances, index))
        .collect_some();
    // `long` and `long long` are one type in Rust: neither instance can be told by its argument.
    let ambiguous = |instance: &Instance| {
        let equal = |other: &&Instance| {
            let mut pairs = instance.arguments.iter().zip(&other.arguments);
            pairs.all(|(a, b)| a.same(b))
        };
        instances.iter().filter(equal).how_many() > 1
    };
    let clear: Vec<bool> = instances
        .iter()
        .map(|instance| !ambiguous(instance))
        .collect_vec();
    let mut clear = clear.into_iter();
    instances.retain(|_| clear.next().unwrap_or(false));
    if instances.is_empty() {
        return Err(UNKNOWN);
    }
    let mut associated = 0;
    let mut patterns = Vec::new();
    for index in 0..params {
        let types: Option<Vec<&Type>> = instances
            .iter()
            .map(|instance| instance.params.get(index))
            .collect_some();
        let pattern =
            types.and_then(|types| unify(&types, &instances, index, true, &mut associated));
        patterns.push(pattern.ok_or(PARAMETERS)?);
    }
    Ok(Family {
        path: first.path.clone(),
        name: name.to_owned(),
        method: String::new(),
        trait_name: String::new(),
        generics: generics.ok_or(KINDS)?,
        instances,
        params: patterns,
    })
}

/// What the argument at `index` is, when it is the same in all instances: numbers of two types (`auto`) have no one
/// const generic.
fn generic(instances: &[Instance], index: usize) -> Option<Generic> {
    let mut arguments = instances
        .iter()
        .map(|instance| instance.arguments.get(index));
    let first = match arguments.next()?? {
        Argument::Type(_) => {
            return arguments
                .all(|argument| matches!(argument, Some(Argument::Type(_))))
                .then_some(Generic::Type);
        }
        Argument::Value(value) => value,
    };
    let mut numbers = vec![first.number];
    for argument in arguments {
        let Argument::Value(value) = argument? else {
            return None;
        };
        let agree = match (&first.ty, &value.ty) {
            (ValueType::Scalar(a), ValueType::Scalar(b)) => a == b,
            (ValueType::Enum { name: a, .. }, ValueType::Enum { name: b, .. }) => a == b,
            _ => false,
        };
        if !agree {
            return None;
        }
        numbers.push(value.number);
    }
    let holds = |scalar| {
        let (least, most) = match scalar {
            Scalar::Int => (i128::from(i32::MIN), i128::from(i32::MAX)),
            Scalar::Long => (i128::from(i64::MIN), i128::from(i64::MAX)),
            _ => (0, i128::from(u64::MAX)),
        };
        numbers.iter().all(|number| (least..=most).contains(number))
    };
    let scalar = match first.ty {
        ValueType::Scalar(scalar) => scalar,
        // The enumeration's own type is not always known; its numbers are.
        ValueType::Enum { .. } => [Scalar::Int, Scalar::Long, Scalar::ULong]
            .into_iter()
            .find(|scalar| holds(*scalar))?,
    };
    Some(Generic::Const(scalar))
}

/// The pattern of one parameter's types over all instances.
fn unify(
    types: &[&Type],
    instances: &[Instance],
    param: usize,
    top: bool,
    associated: &mut usize,
) -> Option<Pattern> {
    let first = *types.first()?;
    let arguments = instances.first()?.arguments.len();
    let is_argument = |argument: usize| {
        let mut pairs = types.iter().zip(instances);
        pairs.all(|(ty, instance)| {
            matches!(instance.arguments.get(argument), Some(Argument::Type(known)) if same(ty, known))
        })
    };
    let equal = types.iter().all(|ty| same(first, ty));
    // One instance alone cannot tell `T` from the type itself; with several, what varies is `T`.
    let varies = !equal || instances.len() == 1;
    let argument = (0..arguments).find(|argument| varies && is_argument(*argument));
    if let Some(argument) = argument {
        return Some(Pattern::Argument(argument));
    }
    let pointers: Option<Vec<&Pointer>> = types
        .iter()
        .map(|ty| match ty {
            Type::Pointer(pointer) => Some(pointer),
            _ => None,
        })
        .collect_some();
    if let Some(pointers) = pointers {
        let is_const = pointers.first()?.is_const;
        if top && pointers.iter().any(|pointer| pointer.is_const != is_const) {
            return None;
        }
        let pointees: Vec<&Type> = pointers
            .iter()
            .map(|pointer| &*pointer.pointee)
            .collect_vec();
        let pointee = Box::new(unify(&pointees, instances, param, false, associated)?);
        return Some(Pattern::Pointer { is_const, pointee });
    }
    if equal {
        return Some(Pattern::Fixed(first.clone()));
    }
    let arrays: Option<Vec<(&Type, u64)>> = types
        .iter()
        .map(|ty| match ty {
            Type::Array(element, length) => Some((&**element, *length)),
            _ => None,
        })
        .collect_some();
    if let Some(arrays) = arrays {
        let length = arrays.first()?.1;
        if arrays.iter().all(|array| array.1 == length) {
            let elements: Vec<&Type> = arrays.iter().map(|array| array.0).collect_vec();
            let element = unify(&elements, instances, param, false, associated)?;
            return Some(Pattern::Array(Box::new(element), length));
        }
    }
    // `void *` in one instance and a typed pointer in another have no common bound; one such place per
    // parameter keeps the associated types simple.
    if types.iter().any(|ty| matches!(ty, Type::Void)) {
        return None;
    }
    *associated += 1;
    Some(Pattern::Associated(param))
}

/// Types that a template argument may name.
struct Known<'a> {
    records: Map<&'a str, RecordId>,
    enums: Map<&'a str, EnumId>,
    vectors: Map<String, Vector>,
}

impl<'a> Known<'a> {
    fn new(kernels: &[PlannedKernel<'_>], signatures: &'a Signatures) -> Self {
        let mut found = Set::new();
        let mut vectors = Map::new();
        for param in kernels.iter().flat_map(|planned| &planned.kernel.params) {
            reach(&param.ty, signatures, &mut found);
            let mut ty = &param.ty;
            while let Type::Pointer(pointer) = ty {
                ty = &pointer.pointee;
            }
            if let Type::Vector(vector) = ty {
                vectors.insert(scalars::vector_c_name(*vector), *vector);
            }
        }
        let mut known = Self {
            records: Map::new(),
            enums: Map::new(),
            vectors,
        };
        for key in found {
            match key {
                Key::Record(id) => {
                    if let Some(record) = signatures.records.get(id.0) {
                        known.records.insert(&record.name, id);
                    }
                }
                Key::Enum(id) => {
                    if let Some(item) = signatures.enums.get(id.0) {
                        known.enums.insert(&item.name, id);
                    }
                }
                Key::Opaque(_) => {}
            }
        }
        known
    }

    /// The template arguments of a kernel, when Rust can name all of them.
    fn arguments(&self, kernel: &Kernel) -> Option<Vec<Argument>> {
        let argument = |arg: &TemplateArg| match &arg.value {
            Some(value) => Some(Argument::Value(value.clone())),
            None => self.find(&arg.text).map(Argument::Type),
        };
        kernel.template_args.iter().map(argument).collect_some()
    }

    fn find(&self, text: &str) -> Option<Type> {
        let text = text.trim().trim_start_matches("::").trim();
        if let Some(scalar) = scalar(text) {
            return Some(Type::Scalar(scalar));
        }
        if let Some(vector) = self.vectors.get(text) {
            return Some(Type::Vector(*vector));
        }
        if let Some(id) = self.records.get(text) {
            return Some(Type::Record(*id));
        }
        self.enums.get(text).map(|id| Type::Enum(*id))
    }
}

/// Arithmetic types as the compiler prints them in template arguments.
fn scalar(text: &str) -> Option<Scalar> {
    Some(match text {
        "float" => Scalar::Float,
        "double" => Scalar::Double,
        "__half" => Scalar::Half,
        "__nv_bfloat16" => Scalar::BFloat16,
        "__nv_fp8_e4m3" => Scalar::Fp8E4M3,
        "__nv_fp8_e5m2" => Scalar::Fp8E5M2,
        integer => return signature::integer(integer),
    })
}

/// `reduce_sum` as `ReduceSum`.
fn camel_case(name: &str) -> String {
    let mut text = String::new();
    for word in name.split('_').filter(|word| !word.is_empty()) {
        let mut characters = word.chars();
        text.extend(characters.next().into_iter().flat_map(char::to_uppercase));
        text.push_str(characters.as_str());
    }
    names::ident(&text, names::NameKind::Type)
}
