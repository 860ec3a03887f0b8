//! What nvcc's side files cannot show, by what the sources say; and the withdrawal of records whose layout turned out
//! to be wrong.
//!
//! `.gpu` prints a member of type `__int128` as `long long`. By value, the size in the cubin gives that away. Behind
//! a pointer nothing does, so when a user's file names a 128-bit integer, records with `long long` members that no
//! parameter has proved become opaque. A pointer to a data member prints as `long` and has its size: where a user's file
//! declares one, only a member that the source declares as `long`, or as `int64_t`, is trusted to be a number.

use super::model::{Field, Kernel, Pointer, RecordId, Refusal, Scalar, Signatures, Type};
use super::written::{Declared, SourceFacts, is_long, name_handles};
use crate::{lists::CollectVec, sorted::Set};

/// What to do when a computed layout is not the compiler's.
pub(crate) const LAYOUT_HELP: &str = "a record with an `__int128` or `long double` member, or under `#pragma pack`, is not described exactly by nvcc's files; pass a pointer to it in device memory instead";

/// Withdraws what [`SourceFacts`] put in doubt. Call it after [`check`](super::check()), whose agreement on a by-value
/// record proves that record.
pub fn guard(signatures: &mut Signatures, facts: &SourceFacts) {
    if facts.int128 {
        guard_int128(signatures);
    }
    if facts.member_pointers {
        guard_members(signatures, &facts.declared);
    }
    name_handles(signatures, &facts.declared);
}

fn guard_members(signatures: &mut Signatures, declared: &[Declared]) {
    let mut doubtful = Set::new();
    for (index, record) in signatures.records.iter().enumerate() {
        let mut open = record
            .fields
            .iter()
            .filter(|field| may_point_to_a_member(field));
        if open.any(|field| !is_long(declared, record, &field.name)) {
            doubtful.insert(RecordId(index));
        }
    }
    withdraw(
        signatures,
        &doubtful,
        "may have a pointer to a member of a class, which nvcc's files print as `long`",
        "declare a number as `long`, `int64_t` or `long long` itself; a pointer to a member has no counterpart in Rust",
    );
}

/// Whether a member printed as `long` may be something else: no word of its type says that it is a number.
fn may_point_to_a_member(field: &Field) -> bool {
    let mut ty = &field.ty;
    while let Type::Array(of, _) = ty {
        ty = of;
    }
    let mut words = field
        .c_type
        .split(|c: char| !c.is_alphanumeric() && c != '_');
    let is_number = words.any(|word| matches!(word, "int64_t" | "intmax_t" | "int_fast64_t"));
    *ty == Type::Scalar(Scalar::Long) && field.bits.is_none() && !is_number
}

fn guard_int128(signatures: &mut Signatures) {
    let mut proved = Set::new();
    for kernel in signatures
        .kernels
        .iter()
        .filter(|kernel| kernel.refusal.is_none())
    {
        for param in &kernel.params {
            add_by_value(signatures, &param.ty, &mut proved);
        }
    }
    let doubtful: Set<RecordId> = (0..signatures.records.len())
        .map(RecordId)
        .filter(|id| !proved.contains(id))
        .filter(|id| {
            let mut within = Set::new();
            add_by_value(signatures, &Type::Record(*id), &mut within);
            within.iter().any(|id| {
                signatures
                    .records
                    .get(id.0)
                    .is_some_and(|record| record.fields.iter().any(|field| wide(&field.ty)))
            })
        })
        .collect();
    withdraw(
        signatures,
        &doubtful,
        "may have `__int128` members, which nvcc's files print as `long long`",
        LAYOUT_HELP,
    );
    // A member that points to `long long` may point to `__int128`.
    for record in &mut signatures.records {
        for field in &mut record.fields {
            obscure_wide(&mut field.ty);
        }
    }
}

fn wide(ty: &Type) -> bool {
    match ty {
        Type::Scalar(Scalar::LongLong | Scalar::ULongLong) => true,
        Type::Array(of, _) => wide(of),
        _ => false,
    }
}

fn obscure_wide(ty: &mut Type) {
    match ty {
        Type::Pointer(pointer) if wide(&pointer.pointee) => {
            *pointer.pointee = Type::Opaque("long long".into());
        }
        Type::Pointer(pointer) => obscure_wide(&mut pointer.pointee),
        Type::Array(of, _) => obscure_wide(of),
        _ => {}
    }
}

/// Records that `ty` holds by value, at any depth.
fn add_by_value(signatures: &Signatures, ty: &Type, found: &mut Set<RecordId>) {
    match ty {
        Type::Array(of, _) => add_by_value(signatures, of, found),
        Type::Record(id) if found.insert(*id) => {
            let Some(record) = signatures.records.get(id.0) else {
                return;
            };
            for field in &record.fields {
                add_by_value(signatures, &field.ty, found);
            }
        }
        _ => {}
    }
}

/// Stops trusting the layout of `records` and of every record that holds one: kernels that take one by value are
/// refused because it `why`, pointers to one become opaque.
pub(super) fn withdraw(
    signatures: &mut Signatures,
    records: &Set<RecordId>,
    why: &str,
    help: &str,
) {
    if records.is_empty() {
        return;
    }
    let bad: Set<RecordId> = (0..signatures.records.len())
        .map(RecordId)
        .filter(|id| {
            let mut within = Set::new();
            add_by_value(signatures, &Type::Record(*id), &mut within);
            within.iter().any(|id| records.contains(id))
        })
        .collect();
    let names: Vec<String> = signatures
        .records
        .iter()
        .map(|record| record.name.clone())
        .collect_vec();
    let withdrawal = Withdrawal {
        bad: &bad,
        names: &names,
    };
    for kernel in &mut signatures.kernels {
        withdrawal.kernel(kernel, why, help);
    }
    for record in &mut signatures.records {
        for field in &mut record.fields {
            withdrawal.pointers(&mut field.ty);
        }
    }
    for global in &mut signatures.globals {
        if let Some(ty) = &mut global.ty {
            withdrawal.pointers(ty);
            if withdrawal.holds(ty).is_some() {
                global.ty = None;
            }
        }
    }
}

struct Withdrawal<'s> {
    bad: &'s Set<RecordId>,
    names: &'s [String],
}

impl Withdrawal<'_> {
    /// Name of the bad record that `ty` is or is an array of.
    fn holds(&self, ty: &Type) -> Option<String> {
        match ty {
            Type::Record(id) if self.bad.contains(id) => {
                Some(self.names.get(id.0).cloned().unwrap_or_default())
            }
            Type::Array(of, count) => self.holds(of).map(|name| format!("{name}[{count}]")),
            _ => None,
        }
    }

    fn pointers(&self, ty: &mut Type) {
        match ty {
            Type::Pointer(Pointer { pointee, .. }) => match self.holds(pointee) {
                Some(name) => **pointee = Type::Opaque(name),
                None => self.pointers(pointee),
            },
            Type::Array(of, _) => self.pointers(of),
            _ => {}
        }
    }

    fn kernel(&self, kernel: &mut Kernel, why: &str, help: &str) {
        for (ordinal, param) in kernel.params.iter_mut().enumerate() {
            self.pointers(&mut param.ty);
            let Some(name) = self.holds(&param.ty) else {
                continue;
            };
            if kernel.refusal.is_none() {
                kernel.refusal = Some(Refusal {
                    param: Some((ordinal, param.name.clone())),
                    reason: format!("`{name}` {why}"),
                    help: Some(help.to_owned()),
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pointer(pointee: Type) -> Type {
        Type::Pointer(Pointer {
            pointee: Box::new(pointee),
            is_const: false,
            is_volatile: false,
            reference: false,
            restrict: false,
        })
    }

    #[test]
    fn what_may_point_to_int128_is_opaque_at_any_depth() {
        let wide = || Type::Scalar(Scalar::LongLong);
        let narrow = || Type::Scalar(Scalar::Int);
        let opaque = || Type::Opaque("long long".into());
        let array = |of: Type| Type::Array(Box::new(of), 4);
        for (mut ty, expected) in [
            (pointer(wide()), pointer(opaque())),
            (pointer(array(wide())), pointer(opaque())),
            (pointer(pointer(wide())), pointer(pointer(opaque()))),
            (array(pointer(wide())), array(pointer(opaque()))),
            (pointer(narrow()), pointer(narrow())),
            // By value the size in the cubin tells.
            (wide(), wide()),
        ] {
            obscure_wide(&mut ty);
            assert_eq!(ty, expected);
        }
    }
}
