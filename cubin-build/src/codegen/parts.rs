//! What backends have in common: what a module of the generated file has methods for, and pieces of text.

use super::{
    info,
    names::{self, NameKind},
    planned::{Family, PlannedGlobal, PlannedKernel, PlannedModule},
    scope::Scope,
    write::{Writer, string},
};
use crate::sorted;
use crate::{
    lists::{CollectText, CollectVec},
    signature::model::Param,
};

/// What a backend writes.
pub(super) trait Binding {
    /// `Module`, its loading, and its methods.
    fn module(&self, out: &mut Writer, scope: Scope<'_>, methods: &Methods<'_>);
    /// The view of a namespace and its methods.
    fn namespace(&self, out: &mut Writer, scope: Scope<'_>, methods: &Methods<'_>);
    /// Trait implementations that make a type fit for device memory; `scope` is where the type stands.
    fn impls(&self, out: &mut Writer, ident: &str);
}

/// What one module of the generated file has methods for.
pub(super) struct Methods<'n> {
    pub(super) namespaces: Vec<Namespace<'n>>,
    /// What this module and the namespaces in it hold.
    pub(super) holds: Holds,
    pub(super) kernels: &'n [&'n PlannedKernel<'n>],
    pub(super) families: &'n [&'n Family],
    pub(super) globals: &'n [&'n PlannedGlobal<'n>],
}

/// A namespace with a view.
pub(super) struct Namespace<'n> {
    pub(super) ident: &'n str,
    /// Whose it is, as documentation says: C++ namespace `ns`.
    pub(super) shown: String,
    pub(super) holds: Holds,
}

/// What a view gives access to, namespaces in it included.
#[derive(Clone, Copy, Default)]
pub(super) struct Holds {
    pub(super) kernels: bool,
    pub(super) variables: bool,
}

impl Holds {
    pub(super) fn any(self) -> bool {
        self.kernels || self.variables
    }

    /// As documentation calls it.
    pub(super) fn name(self) -> &'static str {
        match (self.kernels, self.variables) {
            (true, true) => "kernels and variables",
            (false, true) => "variables",
            (_, false) => "kernels",
        }
    }
}

/// The constants of `Module`: `IMAGES`, `KERNELS`, `GLOBALS`.
pub(super) fn constants(out: &mut Writer, module: &PlannedModule<'_>) {
    images(out, module);
    out.line("");
    out.doc("All kernels with a wrapper.");
    out.line("pub const KERNELS: &'static [runtime::KernelInfo] = &table::KERNELS;");
    out.line("");
    out.doc("All variables with an accessor or a constant in a module `globals`.");
    const HEAD: &str = "pub const GLOBALS: &'static [&'static runtime::GlobalInfo] = &[";
    if module.globals.is_empty() {
        out.line(format!("{HEAD}];"));
        return;
    }
    out.open(HEAD);
    for global in &module.globals {
        let path: String = global
            .path
            .iter()
            .map(|part| format!("{part}::"))
            .collect_text();
        out.line(format!("{path}globals::{}.info(),", global.constant));
    }
    out.close("];");
}

/// The function of a source file's module that gives an image, for code that loads it by itself.
pub(super) fn image(out: &mut Writer) {
    out.doc(
        "The image for a device of compute capability `device`, for code that loads its bytes and looks kernels up by
name: the exact cubin, or else that of the closest lower minor revision of the same major one, or else the
newest embedded PTX.",
    );
    out.line("#[must_use]");
    out.open("pub fn image(device: (u16, u16)) -> Option<&'static runtime::Image> {");
    out.line("runtime::choose(Module::IMAGES, device)");
    out.close("}");
}

fn images(out: &mut Writer, module: &PlannedModule<'_>) {
    let mut images: Vec<_> = module.input.images.iter().collect_vec();
    sorted::sort_by_key(&mut images, |image| {
        (image.assembled_for.is_some(), image.target)
    });
    let any_ptx = images.iter().any(|image| image.assembled_for.is_some());
    out.doc(match (module.input.fatbin.is_some(), any_ptx) {
        (false, true) => "The embedded cubins, then the embedded PTX.",
        (false, false) => "The embedded cubins.",
        (true, true) => {
            "The cubins of the embedded fatbin, then its PTX; the driver chooses by the same rule."
        }
        (true, false) => "The cubins of the embedded fatbin; the driver chooses by the same rule.",
    });
    out.open("pub const IMAGES: &'static [runtime::Image] = {");
    let fatbin = module.input.fatbin.as_deref().map(string);
    if let Some(file) = &fatbin {
        // Where NVIDIA's tools look for it; other systems have other rules for names.
        out.line("#[cfg_attr(not(any(windows, target_vendor = \"apple\")), unsafe(link_section = \".nv_fatbin\"))]");
        out.line(format!(
            "static FATBIN: runtime::Aligned<[u8; include_bytes!({file}).len()]> = runtime::Aligned(*include_bytes!({file}));"
        ));
    }
    let mut items = Vec::new();
    for image in images {
        let mut name = image.target.to_string().to_uppercase();
        let file = string(&image.file);
        let target = info::target(image.target);
        let assembled = image.assembled_for.map(info::target);
        if let Some(file) = &fatbin {
            items.push(match assembled {
                None => format!("cubin({target}, {file}, &FATBIN.0)"),
                Some(assembled) => format!("ptx({target}, {assembled}, {file}, &FATBIN.0)"),
            });
            continue;
        }
        let item = match assembled {
            None => format!("cubin({target}, {file}, &{name}.0)"),
            Some(assembled) => {
                name = name.replacen("SM", "COMPUTE", 1);
                format!("ptx({target}, {assembled}, {file}, &{name}.0)")
            }
        };
        items.push(item);
        out.line(format!(
            "static {name}: &runtime::Aligned<[u8]> = &runtime::Aligned(*include_bytes!({file}));"
        ));
    }
    out.open(format!(
        "static IMAGES: [runtime::Image; {}] = [",
        items.len()
    ));
    for item in items {
        out.line(format!("runtime::Image::{item},"));
    }
    out.close("];");
    out.line("&IMAGES");
    out.close("};");
}

/// Rust names of parameters, none twice and none in `taken`.
pub(super) fn param_names(params: &[Param], taken: Vec<String>) -> Vec<String> {
    let (start, mut names) = (taken.len(), taken);
    let mut in_pack = 0;
    for (ordinal, param) in params.iter().enumerate() {
        let name = match &param.name {
            Some(name) if param.pack => {
                in_pack += 1;
                format!("{name}_{}", in_pack - 1)
            }
            Some(name) => name.clone(),
            None => format!("p{ordinal}"),
        };
        let name = names::fresh(&names::ident(&name, NameKind::Value), &names);
        names.push(name);
    }
    names.split_off(start)
}
