//! Wrappers that call no driver and depend on no crate: images, facts, launch checks, and for each kernel a
//! struct of its arguments that yields the `kernelParams` array of `cuLaunchKernel`, for any driver binding.

use crate::codegen::{
    docs,
    generics::{self, Enumerators, Generics},
    names::{self, NameKind},
    parts::{Binding, Methods, constants, param_names},
    planned::{Family, PlannedKernel},
    scope::Scope,
    write::{self, Writer},
};
use crate::lists::CollectVec;

pub(super) struct Core;

impl Binding for Core {
    fn impls(&self, _out: &mut Writer, _ident: &str) {}

    fn module(&self, out: &mut Writer, scope: Scope<'_>, methods: &Methods<'_>) {
        out.doc(&format!(
            "The cubins and kernels of {}.",
            docs::code(&scope.module.input.source)
        ));
        out.line("#[derive(Clone, Copy, Debug)]");
        out.line("pub struct Module;");
        out.line("");
        out.open("impl Module {");
        constants(out, scope.module);
        out.line("");
        out.doc(
            "The image for a device of compute capability `device`: the exact cubin, or else that of the closest
lower minor revision of the same major one, or else the newest embedded PTX.",
        );
        out.line("#[must_use]");
        out.open("pub fn choose(device: (u16, u16)) -> Option<&'static runtime::Image> {");
        out.line("runtime::choose(Self::IMAGES, device)");
        out.close("}");
        out.close("}");
        if !methods.kernels.is_empty() {
            out.line("");
            arguments(out, scope, methods);
        }
    }

    fn namespace(&self, out: &mut Writer, scope: Scope<'_>, methods: &Methods<'_>) {
        if !methods.kernels.is_empty() {
            arguments(out, scope, methods);
        }
    }
}

/// `pub mod args`: one struct per kernel.
fn arguments(out: &mut Writer, scope: Scope<'_>, methods: &Methods<'_>) {
    let mut here = scope.here.to_vec();
    here.push("args".to_owned());
    let scope = Scope {
        here: &here,
        ..scope
    };
    let up = "super::".repeat(here.len());
    out.doc("Arguments of the kernels, by name, with their exact types.");
    out.open("pub mod args {");
    out.line(format!("use {up}runtime;"));
    out.line(format!("use {up}types;"));
    if !methods.families.is_empty() {
        out.line("use super::instances;");
    }
    for kernel in methods.kernels {
        out.line("");
        write_arguments(out, scope, kernel);
    }
    let enumerators = generics::enumerators(methods.families);
    // No parameter may be called like a struct without members.
    let structs = methods.kernels.iter().map(|kernel| kernel.method.clone());
    let formatter = names::fresh("f", &structs.collect_vec());
    for family in methods.families {
        out.line("");
        write_family(out, scope, family, &enumerators, &formatter);
    }
    out.close("}");
}

fn write_arguments(out: &mut Writer, scope: Scope<'_>, planned: &PlannedKernel<'_>) {
    let kernel = planned.kernel;
    let ident = names::ident(planned.method.trim_start_matches("r#"), NameKind::Type);
    let names = param_names(&kernel.params, Vec::new());
    out.doc(&docs::facts(scope.module.input, planned));
    out.line("#[derive(Clone, Copy, Debug)]");
    if names.is_empty() {
        out.line(format!("pub struct {ident};"));
    } else {
        out.open(format!("pub struct {ident} {{"));
        for (param, name) in kernel.params.iter().zip(&names) {
            out.doc(&docs::code(&param.c_type));
            out.line(format!("pub {name}: {},", scope.value(&param.ty)));
        }
        out.close("}");
    }
    out.line("");
    out.open(format!("impl {ident} {{"));
    info(
        out,
        "Facts about the kernel.",
        &format!("&super::info::{}", planned.constant),
    );
    kernel_params(out, &names);
    out.close("}");
}

fn info(out: &mut Writer, doc: &str, value: &str) {
    out.doc(doc);
    out.line(format!(
        "pub const INFO: &'static runtime::KernelInfo = {value};"
    ));
    out.line("");
}

fn kernel_params(out: &mut Writer, names: &[String]) {
    out.doc("One pointer per parameter, as `cuLaunchKernel` takes them; they point into `self`.");
    out.line("#[must_use]");
    let count = names.len();
    out.open(format!(
        "pub fn kernel_params(&self) -> [*mut ::core::ffi::c_void; {count}] {{"
    ));
    let pointers = names
        .iter()
        .map(|name| format!("runtime::param(&self.{name})"));
    out.line(format!("[{}]", pointers.collect_vec().join(", ")));
    out.close("}");
}

/// One struct for the arguments of all instances of a template.
fn write_family(
    out: &mut Writer,
    scope: Scope<'_>,
    family: &Family,
    enumerators: &[Enumerators],
    formatter: &str,
) {
    let generics = Generics::new(scope, family);
    let Some(first) = family
        .instances
        .first()
        .and_then(|instance| scope.module.kernels.get(instance.kernel))
    else {
        return;
    };
    let ident = names::ident(family.method.trim_start_matches("r#"), NameKind::Type);
    let names = param_names(&first.kernel.params, Vec::new());
    let (declared, clause) = generics.declared();
    let clause = clause.map_or_else(String::new, |clause| format!(" where {clause}"));
    let applied = format!("{ident}<{}>", generics.applied());
    let item = |head: &str, what: &str| {
        let head = write::generics(head, &declared);
        format!("{head}{what}{clause} {{")
    };
    out.doc(&docs::family(scope, family, &generics, enumerators, ""));
    out.line("#[derive(Clone, Copy)]");
    out.open(item(&format!("pub struct {ident}"), ""));
    for ((pattern, name), param) in family.params.iter().zip(&names).zip(&first.kernel.params) {
        out.doc(&format!(
            "{} in {}",
            docs::code(&param.c_type),
            docs::code(&first.kernel.name)
        ));
        out.line(format!("pub {name}: {},", generics.spell(scope, pattern)));
    }
    let hidden = generics.hidden_types();
    if !hidden.is_empty() {
        let name = names::fresh("instance", &names);
        out.doc("Tells the instance by the types that no parameter has.");
        let types = match hidden.as_slice() {
            [one] => format!("{one},"),
            several => several.join(", "),
        };
        out.line(format!(
            "pub {name}: ::core::marker::PhantomData<fn() -> ({types})>,"
        ));
    }
    out.close("}");
    out.line("");
    out.open(item("impl", &format!(" {applied}")));
    info(
        out,
        "Facts about the instance.",
        &format!("{}::INFO", generics.this()),
    );
    kernel_params(out, &names);
    out.close("}");
    out.line("");
    out.open(item("impl", &format!(" ::core::fmt::Debug for {applied}")));
    out.open(format!(
        "fn fmt(&self, {formatter}: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {{"
    ));
    out.line(format!(
        "{formatter}.debug_struct(Self::INFO.name).finish_non_exhaustive()"
    ));
    out.close("}");
    out.close("}");
}
