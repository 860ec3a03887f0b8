//! Writes records, enumerations and opaque types with their layout checks.

use super::{
    docs,
    layout::{self, Attributes, Form, Member},
    names::{self, NameKind},
    planned::{Key, RustPath},
    scalars::is_signed,
    scope::Scope,
    write::{Writer, number, string},
};
use crate::{
    lists::CollectVec,
    signature::{
        model::{Enum, Field, Record, Scalar, Type},
        typed::UNKNOWN_BYTES,
    },
    words,
};

/// What the backend wants of each type.
pub(super) type Impls<'i> = &'i dyn Fn(&mut Writer, &str);

/// Writes the definition of `key`, which lies at `place`.
pub(super) fn write(
    out: &mut Writer,
    scope: Scope<'_>,
    key: &Key,
    place: &RustPath,
    impls: Impls<'_>,
) {
    let signatures = &scope.module.input.signatures;
    match key {
        Key::Record(id) => {
            if let Some(record) = signatures.records.get(id.0) {
                write_record(out, scope, record, place, impls);
            }
        }
        Key::Enum(id) => {
            if let Some(item) = signatures.enums.get(id.0) {
                write_enum(out, scope, item, place, impls);
            }
        }
        Key::Opaque(_) => write_opaque(out, place),
    }
}

fn write_record(
    out: &mut Writer,
    scope: Scope<'_>,
    record: &Record,
    place: &RustPath,
    impls: Impls<'_>,
) {
    let kind = if record.is_union { "union" } else { "struct" };
    let mut doc = match &record.alias {
        Some(alias) if !record.unnamed => {
            format!(
                "C++ {kind} {}, which is {}",
                docs::code(alias),
                docs::code(&place.name)
            )
        }
        _ => format!("C++ {kind} {}", docs::code(&place.name)),
    };
    doc.push_str(&format!(", {}", words::counted(record.size, "byte")));
    if let Some(definition) = &record.definition {
        doc.push_str(&format!(", defined at {}", docs::location(definition)));
    }
    doc.push('.');
    if let [field] = record.fields.as_slice()
        && field.c_type == UNKNOWN_BYTES
    {
        doc = format!(
            "{}: {} bytes, aligned to {}, whose members PTX does not tell.",
            docs::code(&place.name),
            record.size,
            record.align
        );
    }
    match layout::form(record, &scope.module.input.signatures) {
        Form::Struct {
            members,
            attributes,
        } => {
            write_struct(out, scope, record, place, &members, attributes, &doc);
        }
        Form::Union {
            members,
            attributes,
            filler,
        } => {
            write_union(out, scope, place, &members, attributes, filler, &doc);
        }
        Form::Opaque => write_bytes(out, record, place, &doc),
    }
    let ident = &place.ident;
    out.line("");
    out.open(format!("impl Default for {ident} {{"));
    out.open("fn default() -> Self {");
    out.line("// SAFETY: zero bytes are a value of every member.");
    out.line("unsafe { ::core::mem::zeroed() }");
    out.close("}");
    out.close("}");
    impls(out, ident);
}

fn repr(attributes: Attributes) -> String {
    let mut text = String::from("#[repr(C");
    match attributes.packed {
        Some(1) => text.push_str(", packed"),
        Some(pack) => text.push_str(&format!(", packed({pack})")),
        None => {}
    }
    if let Some(align) = attributes.align {
        text.push_str(&format!(", align({align})"));
    }
    text.push_str(")]");
    text
}

/// Rust names of members, none twice.
struct MemberNames(Vec<String>);

impl MemberNames {
    fn add(&mut self, name: &str) -> String {
        let name = names::fresh(&names::ident(name, NameKind::Value), &self.0);
        self.0.push(name.clone());
        name
    }
}

fn field_name(field: &Field, anonymous: &mut usize) -> String {
    if field.name.is_empty() {
        *anonymous += 1;
        return format!("anonymous{anonymous}");
    }
    field.name.clone()
}

fn write_struct(
    out: &mut Writer,
    scope: Scope<'_>,
    record: &Record,
    place: &RustPath,
    members: &[Member<'_>],
    attributes: Attributes,
    doc: &str,
) {
    let ident = &place.ident;
    let mut taken = MemberNames(Vec::new());
    let mut anonymous = 0;
    // Source names first: additions of ours give way.
    let named: Vec<Option<String>> = members
        .iter()
        .map(|member| match member {
            Member::Field(field) => Some(taken.add(&field_name(field, &mut anonymous))),
            Member::Padding(_) | Member::Bits { .. } => None,
        })
        .collect_vec();
    let ours: Vec<String> = members
        .iter()
        .zip(&named)
        .enumerate()
        .map(|(index, (member, name))| match (member, name) {
            (_, Some(name)) => name.clone(),
            (Member::Bits { offset, .. }, None) => taken.add(&format!("bits_at_{offset}")),
            (_, None) => taken.add(&format!("padding_{index}")),
        })
        .collect_vec();

    out.doc(doc);
    if named.contains(&None) {
        out.doc("\nMade by `new` or `default`: it has bytes that are not for the caller to fill.");
    }
    out.line(repr(attributes));
    out.line("#[derive(Clone, Copy, Debug)]");
    out.open(format!("pub struct {ident} {{"));
    for (member, name) in members.iter().zip(&ours) {
        match member {
            Member::Field(field) => {
                out.doc(&format!(
                    "{}, at byte {}.",
                    docs::code(&field.c_type),
                    field.offset
                ));
                out.line(format!("pub {name}: {},", scope.value(&field.ty)));
            }
            Member::Padding(bytes) | Member::Bits { bytes, .. } => {
                out.line(format!("{name}: [u8; {}],", number(i128::from(*bytes))));
            }
        }
    }
    out.close("}");

    let bits: Vec<(&String, u64, &Vec<&Field>)> = members
        .iter()
        .zip(&ours)
        .filter_map(|(member, name)| match member {
            Member::Bits { offset, fields, .. } => Some((name, *offset, fields)),
            _ => None,
        })
        .collect_vec();
    if named.contains(&None) {
        out.line("");
        out.open(format!("impl {ident} {{"));
        write_new(out, scope, members, &ours);
        taken.0.push("new".to_owned());
        for (storage, offset, fields) in bits {
            for field in fields.iter().filter(|field| !field.name.is_empty()) {
                write_bit_field(out, scope, storage, offset, field, &mut taken);
            }
        }
        out.close("}");
    }

    out.line("");
    out.open("const _: () = {");
    asserts(out, ident, record.size, record.align);
    for (member, name) in members.iter().zip(&ours) {
        if let Member::Field(field) = member {
            let offset = number(i128::from(field.offset));
            out.line(format!(
                "assert!(::core::mem::offset_of!({ident}, {name}) == {offset});"
            ));
        }
    }
    out.close("};");
}

fn write_asserts(out: &mut Writer, ident: &str, size: u64, align: u64) {
    out.open("const _: () = {");
    asserts(out, ident, size, align);
    out.close("};");
}

fn asserts(out: &mut Writer, ident: &str, size: u64, align: u64) {
    let (size, align) = (number(i128::from(size)), number(i128::from(align)));
    out.line(format!("assert!(size_of::<{ident}>() == {size});"));
    out.line(format!("assert!(align_of::<{ident}>() == {align});"));
}

fn write_new(out: &mut Writer, scope: Scope<'_>, members: &[Member<'_>], names: &[String]) {
    out.doc("A value with these members; all other bytes are zero.");
    out.line("#[must_use]");
    let mut taken = scope.patterns();
    // By member.
    let locals: Vec<String> = names
        .iter()
        .map(|name| {
            let local = names::fresh(name, &taken);
            taken.push(local.clone());
            local
        })
        .collect_vec();
    let args: Vec<String> = members
        .iter()
        .zip(&locals)
        .filter_map(|(member, local)| match member {
            Member::Field(field) => Some(format!("{local}: {}", scope.value(&field.ty))),
            _ => None,
        })
        .collect_vec();
    out.signature("pub const fn new", &args, " -> Self", None);
    let inits: Vec<String> = members
        .iter()
        .zip(names.iter().zip(&locals))
        .map(|(member, (name, local))| match member {
            Member::Field(_) if local != name => format!("{name}: {local}"),
            Member::Field(_) => name.clone(),
            Member::Padding(bytes) | Member::Bits { bytes, .. } => {
                format!("{name}: [0; {}]", number(i128::from(*bytes)))
            }
        })
        .collect_vec();
    out.line(format!("Self {{ {} }}", inits.join(", ")));
    out.close("}");
}

fn write_bit_field(
    out: &mut Writer,
    scope: Scope<'_>,
    storage: &str,
    offset: u64,
    field: &Field,
    taken: &mut MemberNames,
) {
    let Some((bit, width)) = field.bits else {
        return;
    };
    let scalar = match &field.ty {
        Type::Scalar(scalar) => *scalar,
        Type::Enum(id) => scope
            .module
            .input
            .signatures
            .enums
            .get(id.0)
            .map_or(Scalar::Int, |item| item.repr),
        _ => return,
    };
    let ty = scope.value(&field.ty);
    let get = taken.add(&field.name);
    let set = taken.add(&format!("set_{}", field.name));
    let first = bit - offset * 8;
    let (primitive, wide) = bit_primitive(scalar);
    let patterns = scope.patterns();
    let [value, bits] = ["value", "bits"].map(|name| names::fresh(name, &patterns));
    let (value, bits) = (value.as_str(), bits.as_str());
    let is_enum = matches!(field.ty, Type::Enum(_));
    let wrap = |value: &str| {
        if is_enum {
            format!("{ty}({value})")
        } else {
            value.to_owned()
        }
    };
    let unwrap = if is_enum {
        format!("{value}.0")
    } else {
        value.to_owned()
    };

    out.line("");
    out.doc(&format!(
        "{}, {width} bits from bit {bit} on.",
        docs::code(&field.c_type)
    ));
    out.line("#[must_use]");
    let result = format!(" -> {ty}");
    out.signature(
        &format!("pub const fn {get}"),
        &["&self".to_owned()],
        &result,
        None,
    );
    let stored = format!("runtime::bits(&self.{storage}, {first}, {width})");
    if scalar == Scalar::Bool {
        out.line(wrap(&format!("{stored} != 0")));
    } else {
        out.line(format!("let {bits} = {stored};"));
        let extended = if is_signed(scalar) {
            format!("runtime::sign_extend({bits}, {width})")
        } else {
            bits.to_owned()
        };
        let cast = if primitive == wide {
            extended
        } else {
            format!("{extended} as {primitive}")
        };
        out.line(format!("let {value} = {cast};"));
        out.line(wrap(value));
    }
    out.close("}");
    out.line("");
    out.doc(&format!(
        "Sets {}; only the lower {width} bits of the value count.",
        docs::code(&field.name)
    ));
    let args = ["&mut self".to_owned(), format!("{value}: {ty}")];
    out.signature(&format!("pub const fn {set}"), &args, "", None);
    let wide = if primitive == "u64" {
        unwrap
    } else {
        format!("{unwrap} as u64")
    };
    out.line(format!("let {bits} = {wide};"));
    out.line(format!(
        "runtime::set_bits(&mut self.{storage}, {first}, {width}, {bits});"
    ));
    out.close("}");
}

/// The Rust integer of a bit field's type, and the 64-bit one that its bits are read as.
fn bit_primitive(scalar: Scalar) -> (&'static str, &'static str) {
    match (is_signed(scalar), scalar.size()) {
        (_, _) if scalar == Scalar::Bool => ("bool", "u64"),
        (_, _) if scalar == Scalar::Char => ("::core::ffi::c_char", "i64"),
        (true, 1) => ("i8", "i64"),
        (true, 2) => ("i16", "i64"),
        (true, 4) => ("i32", "i64"),
        (true, _) if scalar == Scalar::PtrDiff => ("isize", "i64"),
        (true, _) => ("i64", "i64"),
        (false, 1) => ("u8", "u64"),
        (false, 2) => ("u16", "u64"),
        (false, 4) => ("u32", "u64"),
        (false, _) if scalar == Scalar::SizeT => ("usize", "u64"),
        (false, _) => ("u64", "u64"),
    }
}

fn write_union(
    out: &mut Writer,
    scope: Scope<'_>,
    place: &RustPath,
    members: &[&Field],
    attributes: Attributes,
    filler: Option<u64>,
    doc: &str,
) {
    let ident = &place.ident;
    let (size, align) = scope
        .module
        .records
        .iter()
        .find(|(_, other)| *other == place)
        .map_or((0, 1), |(id, _)| {
            let record = scope.module.input.signatures.records.get(id.0);
            record.map_or((0, 1), |record| (record.size, record.align))
        });
    let mut taken = MemberNames(Vec::new());
    let mut anonymous = 0;
    out.doc(doc);
    out.line(repr(attributes));
    out.line("#[derive(Clone, Copy)]");
    out.open(format!("pub union {ident} {{"));
    for field in members {
        out.doc(&format!("{}.", docs::code(&field.c_type)));
        let name = taken.add(&field_name(field, &mut anonymous));
        out.line(format!("pub {name}: {},", scope.value(&field.ty)));
    }
    if let Some(bytes) = filler {
        let name = taken.add("padding");
        out.line(format!("{name}: [u8; {}],", number(i128::from(bytes))));
    }
    out.close("}");
    out.line("");
    out.open(format!("impl ::core::fmt::Debug for {ident} {{"));
    let formatter = names::fresh("f", &scope.patterns());
    out.open(format!(
        "fn fmt(&self, {formatter}: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {{"
    ));
    let name = string(ident.trim_start_matches("r#"));
    out.line(format!("{formatter}.write_str({name})"));
    out.close("}");
    out.close("}");
    out.line("");
    write_asserts(out, ident, size, align);
}

fn write_bytes(out: &mut Writer, record: &Record, place: &RustPath, doc: &str) {
    let ident = &place.ident;
    out.doc(doc);
    out.doc("\nIts members lie where no Rust struct can put them:\n");
    out.doc("| offset | bytes | member |\n|---|---|---|");
    for field in &record.fields {
        let member = docs::code(&format!("{} {}", field.c_type, field.name));
        out.doc(&format!("| {} | {} | {member} |", field.offset, field.size));
    }
    out.line(if record.align > 1 {
        format!("#[repr(C, align({}))]", record.align)
    } else {
        "#[repr(C)]".to_owned()
    });
    out.line("#[derive(Clone, Copy, Debug)]");
    out.open(format!("pub struct {ident} {{"));
    out.doc("All of it, in the byte order of the device (little-endian).");
    out.line(format!(
        "pub bytes: [u8; {}],",
        number(i128::from(record.size))
    ));
    out.close("}");
    out.line("");
    write_asserts(out, ident, record.size, record.align);
}

fn write_enum(out: &mut Writer, scope: Scope<'_>, item: &Enum, place: &RustPath, impls: Impls<'_>) {
    let ident = &place.ident;
    let repr = scope.value(&Type::Scalar(item.repr));
    out.doc(&format!("C++ enumeration {}.\n", docs::code(&place.name)));
    out.doc("A number rather than a Rust enumeration, since C++ allows any value of the underlying type.");
    out.line("#[repr(transparent)]");
    out.line("#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]");
    out.line(format!("pub struct {ident}(pub {repr});"));
    if !item.values.is_empty() {
        out.line("");
        out.open(format!("impl {ident} {{"));
        let mut taken = MemberNames(Vec::new());
        for (name, value) in &item.values {
            let constant = taken.add(name);
            out.doc(&docs::code(name));
            let value = enum_value(item.repr, *value);
            out.line(format!("pub const {constant}: Self = Self({value});"));
        }
        out.close("}");
    }
    impls(out, ident);
}

/// The value as C++ stores it in the underlying type.
fn enum_value(repr: Scalar, value: i128) -> String {
    if repr == Scalar::Bool {
        return (value != 0).to_string();
    }
    let bits = u32::try_from(repr.size() * 8).unwrap_or(64).min(127);
    let modulus = 1_i128 << bits;
    let mut wrapped = value.rem_euclid(modulus);
    if is_signed(repr) && wrapped >= modulus / 2 {
        wrapped -= modulus;
    }
    number(wrapped)
}

fn write_opaque(out: &mut Writer, place: &RustPath) {
    out.doc(&format!(
        "C++ type {}, of which only the name is known.\n",
        docs::code(&place.name)
    ));
    out.doc("It has no size here: pass a `runtime::DeviceAddress` of it.");
    out.line("#[repr(C)]");
    out.line("#[derive(Debug)]");
    out.open(format!("pub struct {} {{", place.ident));
    out.line("opaque: [u8; 0],");
    out.close("}");
}
