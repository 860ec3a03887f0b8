//! One set of signatures out of several: of all targets of a source, of sources that are linked, or of one with
//! everything unreachable left out.

use crate::lists::CollectVec;
use crate::sorted::{Map, Set};
use crate::words::counted;
use cubin_core::Sm;

use super::check::{Finding, Problem, refuse};
use super::model::{Enum, EnumId, Field, Kernel, Pointer, Record, RecordId, Signatures, Type};

/// The same signatures without records and enums that no parameter and no variable reaches, numbered by first use.
pub(super) fn compact(signatures: &Signatures) -> Signatures {
    let mut merged = Signatures::default();
    let mut import = Import::new(signatures, &merged);
    for kernel in &signatures.kernels {
        let kernel = import.kernel(&mut merged, kernel);
        merged.kernels.push(kernel);
    }
    import.globals(&mut merged);
    merged
}

/// One set of signatures for all targets of a source: a kernel may exist on some of them only, but where it exists
/// its parameters must have the same types, sizes and alignments (offsets differ between targets and are not
/// compared). Kernels keep the order of the first target, later ones follow. A kernel that differs is refused.
#[must_use]
pub fn same_on_every_target(targets: &[(Sm, Signatures)]) -> (Signatures, Vec<Finding>) {
    let mut merged = Signatures::default();
    let mut findings = Vec::new();
    let mut seen: Map<String, (usize, Sm)> = Map::new();
    for (target, signatures) in targets {
        let mut import = Import::new(signatures, &merged);
        for kernel in &signatures.kernels {
            let kernel = import.kernel(&mut merged, kernel);
            let Some((index, first)) = seen.get(&kernel.symbol).copied() else {
                seen.insert(kernel.symbol.clone(), (merged.kernels.len(), *target));
                merged.kernels.push(kernel);
                continue;
            };
            let Some(known) = merged.kernels.get_mut(index) else {
                continue;
            };
            if same_params(known, &kernel) {
                if known.refusal.is_none() {
                    known.refusal = kernel.refusal;
                }
                continue;
            }
            let problem = Problem::Differs {
                other: first,
                expected: describe(known),
                actual: describe(&kernel),
            };
            refuse(known, &problem);
            findings.push(Finding {
                target: *target,
                symbol: kernel.symbol,
                kernel: kernel.name,
                problem,
            });
        }
        import.globals(&mut merged);
    }
    (merged, findings)
}

/// One set of signatures for sources that are linked into one cubin, each given with a name of its file. A kernel or
/// variable that several of them define under one symbol (an instance of a template, an `inline` variable) is taken
/// once. What a source keeps to itself (`static`, an anonymous namespace) has a symbol of its own in each; where
/// several call it alike, each gets the name of its file as an outermost namespace.
#[must_use]
pub fn linked(sources: &[(String, Signatures)]) -> Signatures {
    let mut merged = Signatures::default();
    let mut symbols: Set<String> = Set::new();
    for (index, (file, signatures)) in sources.iter().enumerate() {
        let others = || {
            let all = sources.iter().enumerate();
            all.filter(move |(other, _)| *other != index)
                .map(|(_, source)| source)
        };
        let mut import = Import::new(signatures, &merged);
        for kernel in &signatures.kernels {
            if !symbols.insert(kernel.symbol.clone()) {
                continue;
            }
            let mut kernel = import.kernel(&mut merged, kernel);
            let mut known = others().flat_map(|(_, other)| &other.kernels);
            if is_internal(&kernel.symbol) && known.any(|known| known.name == kernel.name) {
                kernel.namespaces.insert(0, file.clone());
            }
            merged.kernels.push(kernel);
        }
        let first = merged.globals.len();
        import.globals(&mut merged);
        for global in merged.globals.iter_mut().skip(first) {
            let mut known = others().flat_map(|(_, other)| &other.globals);
            if is_internal(&global.symbol) && known.any(|known| known.name == global.name) {
                global.name = format!("{file}::{}", global.name);
            }
        }
    }
    merged
}

/// Whether a symbol of relocatable code is one that only its own source can name.
#[must_use]
pub fn is_internal(symbol: &str) -> bool {
    // nvcc 13.5: `__nv_static_25__5d1b9949_4_a_cu_397aa7b5__Z3fooPi`.
    symbol.starts_with("__nv_static_")
}

fn same_params(a: &Kernel, b: &Kernel) -> bool {
    // A refused parameter has no type to compare.
    if a.refusal.is_some() || b.refusal.is_some() {
        return true;
    }
    a.params.len() == b.params.len()
        && a.params
            .iter()
            .zip(&b.params)
            .all(|(a, b)| (&a.ty, a.size, a.align) == (&b.ty, b.size, b.align))
}

fn describe(kernel: &Kernel) -> String {
    let params: Vec<String> = kernel
        .params
        .iter()
        .map(|param| format!("{} /* {} */", param.c_type, counted(param.size, "byte")))
        .collect_vec();
    format!("{}({})", kernel.name, params.join(", "))
}

/// Carries the types of one set over into another, where equal records and enums become one.
struct Import<'s> {
    from: &'s Signatures,
    records: Map<RecordId, RecordId>,
    enums: Map<EnumId, EnumId>,
    /// Records of the target by name, as they were before this import.
    known: Map<String, Vec<RecordId>>,
    /// Carried over, but for their members.
    pending: Vec<(RecordId, RecordId)>,
}

impl<'s> Import<'s> {
    fn new(from: &'s Signatures, into: &Signatures) -> Self {
        let mut known: Map<String, Vec<RecordId>> = Map::new();
        for (index, record) in into.records.iter().enumerate() {
            known.or_default(record.name.clone()).push(RecordId(index));
        }
        Self {
            from,
            records: Map::new(),
            enums: Map::new(),
            known,
            pending: Vec::new(),
        }
    }

    fn kernel(&mut self, into: &mut Signatures, kernel: &Kernel) -> Kernel {
        let mut kernel = kernel.clone();
        for param in &mut kernel.params {
            param.ty = self.ty(into, &param.ty);
        }
        self.finish(into);
        kernel
    }

    fn globals(&mut self, into: &mut Signatures) {
        for global in &self.from.globals {
            if into
                .globals
                .iter()
                .any(|known| known.symbol == global.symbol)
            {
                continue;
            }
            let mut global = global.clone();
            global.ty = global.ty.as_ref().map(|ty| self.ty(into, ty));
            self.finish(into);
            into.globals.push(global);
        }
    }

    /// Carries over the members of new records. A list, not recursion: chains of pointers may be long.
    fn finish(&mut self, into: &mut Signatures) {
        while let Some((old, new)) = self.pending.pop() {
            let Some(record) = self.from.records.get(old.0) else {
                continue;
            };
            let fields: Vec<Field> = record
                .fields
                .iter()
                .map(|field| Field {
                    ty: self.ty(into, &field.ty),
                    ..field.clone()
                })
                .collect_vec();
            if let Some(record) = into.records.get_mut(new.0) {
                record.fields = fields;
            }
        }
    }

    fn ty(&mut self, into: &mut Signatures, ty: &Type) -> Type {
        match ty {
            Type::Pointer(pointer) => Type::Pointer(Pointer {
                pointee: Box::new(self.ty(into, &pointer.pointee)),
                ..pointer.clone()
            }),
            Type::Array(of, count) => Type::Array(Box::new(self.ty(into, of)), *count),
            Type::Record(id) => Type::Record(self.record(into, *id)),
            Type::Enum(id) => Type::Enum(self.enumeration(into, *id)),
            other => other.clone(),
        }
    }

    fn enumeration(&mut self, into: &mut Signatures, id: EnumId) -> EnumId {
        if let Some(known) = self.enums.get(&id) {
            return *known;
        }
        let Some(found) = self.from.enums.get(id.0) else {
            return id;
        };
        let new = match into.enums.iter().position(|known| same_enum(known, found)) {
            Some(index) => EnumId(index),
            None => {
                into.enums.push(found.clone());
                EnumId(into.enums.len() - 1)
            }
        };
        self.enums.insert(id, new);
        new
    }

    fn record(&mut self, into: &mut Signatures, id: RecordId) -> RecordId {
        if let Some(known) = self.records.get(&id) {
            return *known;
        }
        let Some(found) = self.from.records.get(id.0) else {
            return id;
        };
        let same = self
            .known
            .get(&found.name)
            .into_iter()
            .flatten()
            .find(|known| same_record(into, **known, self.from, id))
            .copied();
        let new = same.unwrap_or_else(|| {
            into.records.push(Record {
                fields: Vec::new(),
                ..found.clone()
            });
            let new = RecordId(into.records.len() - 1);
            self.pending.push((id, new));
            new
        });
        self.records.insert(id, new);
        new
    }
}

fn same_enum(a: &Enum, b: &Enum) -> bool {
    (&a.name, a.repr, &a.values) == (&b.name, b.repr, &b.values)
}

/// Whether two records are equal through and through. Records may point to themselves: a pair under comparison counts
/// as equal until something differs.
fn same_record(a: &Signatures, id_a: RecordId, b: &Signatures, id_b: RecordId) -> bool {
    let mut pairs = vec![(id_a, id_b)];
    let mut assumed = Set::new();
    assumed.insert((id_a, id_b));
    while let Some((id_a, id_b)) = pairs.pop() {
        let (Some(left), Some(right)) = (a.records.get(id_a.0), b.records.get(id_b.0)) else {
            return false;
        };
        let shape = |record: &Record| {
            (
                record.name.clone(),
                record.is_union,
                record.size,
                record.align,
                record.packed,
                record.fields.len(),
            )
        };
        if shape(left) != shape(right) {
            return false;
        }
        for (left, right) in left.fields.iter().zip(&right.fields) {
            let place = |field: &Field| (field.name.clone(), field.offset, field.size, field.bits);
            if place(left) != place(right) {
                return false;
            }
            let (mut left, mut right) = (&left.ty, &right.ty);
            loop {
                match (left, right) {
                    (Type::Pointer(one), Type::Pointer(two)) => {
                        let marks = |pointer: &Pointer| {
                            (
                                pointer.is_const,
                                pointer.is_volatile,
                                pointer.reference,
                                pointer.restrict,
                            )
                        };
                        if marks(one) != marks(two) {
                            return false;
                        }
                        (left, right) = (&one.pointee, &two.pointee);
                    }
                    (Type::Array(one, count), Type::Array(two, other)) if count == other => {
                        (left, right) = (one, two);
                    }
                    (Type::Record(one), Type::Record(two)) => {
                        if assumed.insert((*one, *two)) {
                            pairs.push((*one, *two));
                        }
                        break;
                    }
                    (Type::Enum(one), Type::Enum(two)) => {
                        let same = matches!(
                            (a.enums.get(one.0), b.enums.get(two.0)),
                            (Some(one), Some(two)) if same_enum(one, two)
                        );
                        if !same {
                            return false;
                        }
                        break;
                    }
                    (one, two) if one == two => break,
                    _ => return false,
                }
            }
        }
    }
    true
}
