//! Wrappers over the `cudarc` crate, 0.19 or later.
//!
//! A wrapper checks the launch, turns device memory into addresses through the crate's own traits, which
//! order its uses between streams, and hands the driver one pointer per argument. The crate's launch builder
//! is not used: it allocates for every launch and knows no clusters.

use super::Write;
use crate::codegen::{
    docs, info, names,
    names::Kind,
    plan::PlannedKernel,
    types::Scope,
    write::{Expr, Writer, string},
};
use crate::signature::model::{Param, Pointer, Type};

pub(super) struct Cudarc {
    /// How the file names the crate.
    pub(super) path: String,
}

const RUNTIME: &str = include_str!("cudarc/runtime.rs");
const DEFAULT_PATH: &str = "::cudarc";

impl Write for Cudarc {
    fn runtime(&self) -> &str {
        RUNTIME
    }

    fn finish(&self, text: String) -> String {
        if self.path == DEFAULT_PATH {
            return text;
        }
        text.replace("::cudarc::", &format!("{}::", self.path))
    }

    fn impls(&self, out: &mut Writer, ident: &str) {
        out.line("// SAFETY: the same bytes on host and device; zero bytes are a value.");
        out.line(format!(
            "unsafe impl ::cudarc::driver::DeviceRepr for {ident} {{}}"
        ));
        out.line(format!(
            "unsafe impl ::cudarc::driver::ValidAsZeroBits for {ident} {{}}"
        ));
    }

    fn module(
        &self,
        out: &mut Writer,
        scope: Scope<'_>,
        namespaces: &[String],
        kernels: &[&PlannedKernel<'_>],
    ) {
        let module = scope.module;
        out.doc(&format!(
            "The kernels of `{}`, loaded into a context.",
            module.input.source
        ));
        out.line("#[derive(Debug)]");
        out.open("pub struct Module {");
        out.line("module: runtime::LoadedModule,");
        out.close("}");
        out.line("");
        out.open("impl Module {");
        images(out, scope);
        out.line("");
        out.doc("All kernels with a wrapper.");
        let all = module
            .kernels
            .iter()
            .map(|kernel| Expr::atom(format!("&{}", info_path(&kernel.path, &kernel.constant))))
            .collect();
        out.expr(
            "pub const KERNELS: &'static [&'static runtime::KernelInfo] = ",
            &Expr::array_ref(all),
            ";",
        );
        out.line("");
        loading(out, &module.input.name, module.kernels.len());
        for namespace in namespaces {
            out.line("");
            accessor(out, namespace, "&self.module");
        }
        for kernel in kernels {
            out.line("");
            wrapper(out, scope, kernel);
        }
        out.close("}");
    }

    fn namespace(
        &self,
        out: &mut Writer,
        scope: Scope<'_>,
        namespaces: &[String],
        kernels: &[&PlannedKernel<'_>],
    ) {
        out.doc("The kernels of this namespace.");
        out.line("#[derive(Clone, Copy, Debug)]");
        out.open("pub struct Kernels<'m> {");
        out.line("pub(super) module: &'m runtime::LoadedModule,");
        out.close("}");
        out.line("");
        out.open(if namespaces.is_empty() {
            "impl Kernels<'_> {"
        } else {
            "impl<'m> Kernels<'m> {"
        });
        let mut first = true;
        for namespace in namespaces {
            if !std::mem::take(&mut first) {
                out.line("");
            }
            accessor(out, namespace, "self.module");
        }
        for kernel in kernels {
            if !std::mem::take(&mut first) {
                out.line("");
            }
            wrapper(out, scope, kernel);
        }
        out.close("}");
    }
}

fn info_path(path: &[String], constant: &str) -> String {
    let mut text = String::new();
    for part in path {
        text.push_str(part);
        text.push_str("::");
    }
    format!("{text}info::{constant}")
}

fn images(out: &mut Writer, scope: Scope<'_>) {
    let mut images: Vec<_> = scope.module.input.images.iter().collect();
    images.sort_by_key(|image| image.target);
    out.doc("The embedded cubins.");
    out.open("pub const IMAGES: &'static [runtime::Image] = {");
    let mut items = Vec::new();
    for image in images {
        let name = image.target.to_string().to_uppercase();
        out.line(format!("static {name}: &runtime::Aligned<[u8]> ="));
        out.line(format!(
            "    &runtime::Aligned(*include_bytes!({}));",
            string(&image.file)
        ));
        items.push(Expr::Struct {
            path: "runtime::Image".to_owned(),
            fields: vec![
                ("target".to_owned(), info::target(image.target)),
                ("file".to_owned(), Expr::string(&image.file)),
                ("bytes".to_owned(), Expr::atom(format!("&{name}.0"))),
            ],
            base: None,
        });
    }
    let count = items.len();
    out.expr(
        &format!("static IMAGES: [runtime::Image; {count}] = "),
        &Expr::Array(items),
        ";",
    );
    out.line("&IMAGES");
    out.close("};");
}

fn loading(out: &mut Writer, name: &str, kernels: usize) {
    out.doc(
        "Loads the image that fits the device of `context`: the exact one, or else the closest lower minor
revision of the same major one. Kernels are looked up when first launched.

# Errors
When no image fits, or the driver refuses. `runtime::context` opens a device without panicking where
there is no driver.",
    );
    out.signature(
        "pub fn load",
        &["context: &::std::sync::Arc<::cudarc::driver::CudaContext>".to_owned()],
        " -> Result<Self, runtime::LoadError> {",
    );
    let call = Expr::Call(
        "runtime::LoadedModule::load".to_owned(),
        vec![
            Expr::string(name),
            Expr::atom("context"),
            Expr::atom("Self::IMAGES"),
            Expr::atom(kernels.to_string()),
        ],
    );
    out.expr("let module = ", &call, "?;");
    out.line("Ok(Self { module })");
    out.close("}");
    out.line("");
    out.doc(
        "Looks up all kernels now, so that no launch has to.

# Errors
When the driver refuses.",
    );
    out.open("pub fn preload(&self) -> Result<(), runtime::LoadError> {");
    out.line("self.module.preload(Self::KERNELS)");
    out.close("}");
    out.line("");
    out.doc("The image that was loaded.");
    out.line("#[must_use]");
    out.open("pub fn image(&self) -> &'static runtime::Image {");
    out.line("self.module.image()");
    out.close("}");
    out.line("");
    out.doc("The driver crate's module, for what this file has no method for.");
    out.line("#[must_use]");
    out.open("pub fn driver_module(&self) -> &::std::sync::Arc<::cudarc::driver::CudaModule> {");
    out.line("self.module.module()");
    out.close("}");
    out.line("");
    out.doc(
        "The driver crate's handle of one of [`KERNELS`](Self::KERNELS), for its occupancy and attribute
functions.

# Errors
When the image does not hold the kernel, or the driver refuses.",
    );
    out.signature(
        "pub fn function",
        &[
            "&self".to_owned(),
            "kernel: &runtime::KernelInfo".to_owned(),
        ],
        " -> Result<::cudarc::driver::CudaFunction, runtime::LaunchError> {",
    );
    out.line("self.module.function(Self::KERNELS, kernel)");
    out.close("}");
}

fn accessor(out: &mut Writer, namespace: &str, module: &str) {
    let lifetime = if module == "self.module" { "'m" } else { "'_" };
    out.doc(&format!(
        "The kernels of C++ namespace `{}`.",
        namespace.trim_start_matches("r#")
    ));
    out.line("#[must_use]");
    out.open(format!(
        "pub fn {namespace}(&self) -> {namespace}::Kernels<{lifetime}> {{"
    ));
    if module == "self.module" {
        out.open(format!("{namespace}::Kernels {{"));
        out.line("module: self.module,");
    } else {
        out.open(format!("{namespace}::Kernels {{"));
        out.line(format!("module: {module},"));
    }
    out.close("}");
    out.close("}");
}

/// How one parameter appears in the wrapper.
struct Argument {
    name: String,
    ty: String,
    /// The expression whose address holds the value, once bound.
    value: String,
    /// The binding that turns device memory into an address.
    bind: Option<String>,
}

fn wrapper(out: &mut Writer, scope: Scope<'_>, planned: &PlannedKernel<'_>) {
    let kernel = planned.kernel;
    let names = param_names(&kernel.params);
    let stream = names::fresh("stream", &names);
    let launch = names::fresh("launch", &names);
    let ready = names::fresh("ready", &names);
    let params = names::fresh("params", &names);
    let arguments: Vec<Argument> = kernel
        .params
        .iter()
        .zip(names)
        .map(|(param, name)| argument(scope, param, name, &stream))
        .collect();

    out.doc(&docs::kernel(scope.module.input, planned));
    let mut list = vec![
        "&self".to_owned(),
        format!("{stream}: &::cudarc::driver::CudaStream"),
        format!("{launch}: impl Into<runtime::Launch>"),
    ];
    list.extend(
        arguments
            .iter()
            .map(|argument| format!("{}: {}", argument.name, argument.ty)),
    );
    out.signature(
        &format!("pub unsafe fn {}", planned.method),
        &list,
        " -> Result<(), runtime::LaunchError> {",
    );
    let module = if planned.path.is_empty() {
        "&self.module"
    } else {
        "self.module"
    };
    let prepare = Expr::Call(
        "runtime::prepare".to_owned(),
        vec![
            Expr::atom(module),
            Expr::atom(planned.index.to_string()),
            Expr::atom(format!("&info::{}", planned.constant)),
            Expr::atom(stream),
            Expr::atom(format!("{launch}.into()")),
        ],
    );
    out.expr(&format!("let {ready} = "), &prepare, "?;");
    for argument in &arguments {
        if let Some(bind) = &argument.bind {
            out.line(format!("let {} = {bind};", argument.name));
        }
    }
    let values: Vec<Expr> = arguments
        .iter()
        .map(|argument| {
            Expr::Call(
                "runtime::param".to_owned(),
                vec![Expr::atom(format!("&{}", argument.value))],
            )
        })
        .collect();
    if values.is_empty() {
        out.line("// SAFETY: the kernel takes no parameters; the caller vouches for the rest.");
        out.line(format!("unsafe {{ {ready}.launch(&mut []) }}"));
    } else {
        out.expr(&format!("let mut {params} = "), &Expr::Array(values), ";");
        out.line(
            "// SAFETY: one pointer per parameter, to its type; the caller vouches for the rest.",
        );
        out.line(format!("unsafe {{ {ready}.launch(&mut {params}) }}"));
    }
    out.close("}");
}

/// Rust names of parameters, none twice.
fn param_names(params: &[Param]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
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
        let name = names::fresh(&names::ident(&name, Kind::Value), &names);
        names.push(name);
    }
    names
}

fn argument(scope: Scope<'_>, param: &Param, name: String, stream: &str) -> Argument {
    let Type::Pointer(pointer) = &param.ty else {
        return Argument {
            ty: scope.value(&param.ty),
            value: name.clone(),
            bind: None,
            name,
        };
    };
    let Pointer {
        pointee, is_const, ..
    } = pointer;
    let (reference, direction, bind) = if *is_const {
        ("&", "In", "InAny::bind")
    } else {
        ("&mut ", "Out", "OutAny::bind_mut")
    };
    let ty = match &**pointee {
        Type::Void => format!("{reference}impl runtime::{direction}Any"),
        element => format!(
            "{reference}impl runtime::{direction}<{}>",
            scope.value(element)
        ),
    };
    Argument {
        ty,
        value: format!("{name}.0"),
        bind: Some(format!("runtime::{bind}({name}, {stream})")),
        name,
    }
}
