//! Wrappers over the `cudarc` crate, 0.17 to 0.19.
//!
//! A wrapper checks the launch, turns device memory into addresses through the crate's own traits, which
//! order its uses between streams, and hands the driver one pointer per argument. The crate's launch builder
//! is not used: it allocates for every launch and knows no clusters. Nor is its module type, which needs
//! the `nvrtc` feature, copies the image, and yields raw handles only from 0.19.10 on.

use super::{Methods, Namespace, Write, globals, images, kernels};
use crate::codegen::{
    docs,
    families::{Family, Pattern},
    generics::{self, Enumerators, Generics},
    names,
    plan::{PlannedGlobal, PlannedKernel},
    types::Scope,
    variables,
    write::{self, Expr, Writer},
};
use crate::signature::model::{Param, Space, Type};

pub(super) struct Cudarc {
    /// How the file names the crate.
    pub(super) path: String,
}

const RUNTIME: &str = include_str!("cudarc/runtime.rs");
const PARTS: &[(&str, &str)] = &[
    ("memory", include_str!("cudarc/memory.rs")),
    ("launch", include_str!("cudarc/launch.rs")),
    ("error", include_str!("cudarc/error.rs")),
    ("module", include_str!("cudarc/module.rs")),
    ("global", include_str!("cudarc/global.rs")),
];
/// The most bytes that a wrapper takes by value, as clippy's `large_types_passed_by_value` has it.
const LARGE: u64 = 256;
const DEFAULT_PATH: &str = "::cudarc";

impl Write for Cudarc {
    fn has_driver(&self) -> bool {
        true
    }

    fn runtime(&self) -> &str {
        RUNTIME
    }

    fn parts(&self) -> &[(&str, &str)] {
        PARTS
    }

    fn finish(&self, text: String) -> String {
        if self.path == DEFAULT_PATH {
            return text;
        }
        text.replace("::cudarc::", &format!("{}::", self.path))
    }

    fn impls(&self, out: &mut Writer, ident: &str) {
        out.line("");
        out.line("// SAFETY: the same bytes on host and device; zero bytes are a value.");
        for name in ["DeviceRepr", "ValidAsZeroBits"] {
            out.empty_implementation(&format!("unsafe impl ::cudarc::driver::{name}"), ident);
        }
    }

    fn module(&self, out: &mut Writer, scope: Scope<'_>, methods: &Methods<'_>) {
        let module = scope.module;
        out.doc(&format!(
            "The {} of `{}`, loaded into a context.",
            methods.holds.name(),
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
        kernels(out, scope);
        out.line("");
        globals(out, scope);
        out.line("");
        loading(out, &module.input.name, module.kernels.len());
        for part in parts(scope, methods, "&self.module", "'_") {
            out.line("");
            out.lines(&part);
        }
        out.close("}");
    }

    fn namespace(&self, out: &mut Writer, scope: Scope<'_>, methods: &Methods<'_>) {
        out.doc(&format!("The {} of this namespace.", methods.holds.name()));
        out.line("#[derive(Clone, Copy, Debug)]");
        out.open("pub struct Kernels<'m> {");
        out.line("pub(super) module: &'m runtime::LoadedModule,");
        out.close("}");
        out.line("");
        let named = !methods.namespaces.is_empty() || !methods.globals.is_empty();
        out.open(if named {
            "impl<'m> Kernels<'m> {"
        } else {
            "impl Kernels<'_> {"
        });
        for (index, part) in parts(scope, methods, "self.module", "'m")
            .iter()
            .enumerate()
        {
            if index > 0 {
                out.line("");
            }
            out.lines(part);
        }
        out.close("}");
    }
}

/// The methods of one view, each as text whose indentation is that of its place.
fn parts(scope: Scope<'_>, methods: &Methods<'_>, module: &str, lifetime: &str) -> Vec<String> {
    let depth = scope.here.len() + 1;
    let part = |write: &dyn Fn(&mut Writer)| {
        let mut out = Writer::nested(depth);
        write(&mut out);
        out.finish()
    };
    let mut all = Vec::new();
    for namespace in &methods.namespaces {
        all.push(part(&|out| accessor(out, namespace, module, lifetime)));
    }
    for global in methods.globals {
        all.push(part(&|out| {
            global_accessor(out, scope, global, module, lifetime);
        }));
    }
    for kernel in methods.kernels {
        all.push(part(&|out| kernel_wrapper(out, scope, kernel, module)));
    }
    let enumerators = generics::enumerators(methods.families);
    for family in methods.families {
        all.push(part(&|out| {
            family_wrapper(out, scope, family, &enumerators, module);
        }));
    }
    all
}

fn loading(out: &mut Writer, name: &str, kernels: usize) {
    out.doc(
        "Loads the image that fits the device of `context`: the exact cubin, or else that of the closest lower
minor revision of the same major one, or else the newest embedded PTX, which the driver then compiles.
Kernels are looked up when first launched.

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
    out.doc("The driver's handle of the module, for what this file has no method for; valid as long as `self`.");
    out.line("#[must_use]");
    out.open("pub fn cu_module(&self) -> ::cudarc::driver::sys::CUmodule {");
    out.line("self.module.module()");
    out.close("}");
    out.line("");
    out.doc(
        "The driver's handle of one of [`KERNELS`](Self::KERNELS), for what this file has no method for; valid as
long as `self`.

# Errors
When the image does not hold the kernel, or the driver refuses.",
    );
    out.signature(
        "pub fn cu_function",
        &[
            "&self".to_owned(),
            "kernel: &runtime::KernelInfo".to_owned(),
        ],
        " -> Result<::cudarc::driver::sys::CUfunction, runtime::LaunchError> {",
    );
    out.line("self.module.function(Self::KERNELS, kernel)");
    out.close("}");
    out.line("");
    out.doc(
        "How many blocks of `threads` threads with `shared` bytes of dynamic shared memory one multiprocessor
holds at a time, by the driver's count.

# Errors
When the image does not hold the kernel, or the driver refuses.",
    );
    out.signature(
        "pub fn active_blocks_per_sm",
        &[
            "&self".to_owned(),
            "kernel: &runtime::KernelInfo".to_owned(),
            "threads: u32".to_owned(),
            "shared: u32".to_owned(),
        ],
        " -> Result<u32, runtime::LaunchError> {",
    );
    out.line("let function = self.module.function(Self::KERNELS, kernel)?;");
    let call = "runtime::active_blocks_per_sm(&self.module, function, kernel, threads, shared)";
    out.line(call);
    out.close("}");
    out.line("");
    out.doc(
        "The block size with the best occupancy, for `shared` bytes of dynamic shared memory per block, and
the fewest blocks that fill the device with it: (blocks, threads).

# Errors
When the image does not hold the kernel, or the driver refuses.",
    );
    out.signature(
        "pub fn suggested_block_size",
        &[
            "&self".to_owned(),
            "kernel: &runtime::KernelInfo".to_owned(),
            "shared: u32".to_owned(),
        ],
        " -> Result<(u32, u32), runtime::LaunchError> {",
    );
    out.line("let function = self.module.function(Self::KERNELS, kernel)?;");
    out.line("runtime::suggested_block_size(&self.module, function, kernel, shared)");
    out.close("}");
}

fn accessor(out: &mut Writer, namespace: &Namespace<'_>, module: &str, lifetime: &str) {
    out.doc(&format!(
        "The {} of {}.",
        namespace.holds.name(),
        namespace.shown
    ));
    let namespace = namespace.ident;
    let start = out.item();
    out.line("#[must_use]");
    let view = format!(" -> {namespace}::Kernels<{lifetime}> {{");
    out.signature(&format!("pub fn {namespace}"), &["&self".to_owned()], &view);
    let init = [format!("module: {module}")];
    out.small_struct(&format!("{namespace}::Kernels"), &init);
    out.close("}");
    out.end_item(start);
}

fn global_accessor(
    out: &mut Writer,
    scope: Scope<'_>,
    planned: &PlannedGlobal<'_>,
    module: &str,
    lifetime: &str,
) {
    let ty = variables::ty(scope, planned);
    out.doc(&variables::describe(planned));
    if planned.global.space == Space::Managed {
        out.doc(
            "
Its address is one of managed memory. Host code that uses it must first wait for the work on the
device, as `read` and `write` do.",
        );
    }
    out.doc("\n# Errors\nWhen the image does not hold the variable, or the driver refuses.");
    let start = out.item();
    let method = &planned.method;
    let result = format!(" -> Result<runtime::Global<{lifetime}, {ty}>, runtime::LoadError> {{");
    out.signature(&format!("pub fn {method}"), &["&self".to_owned()], &result);
    let variable = format!("&globals::{}", planned.constant);
    let find = Expr::Call(
        "runtime::Global::find".to_owned(),
        vec![Expr::atom(module), Expr::atom(variable)],
    );
    out.expr("", &find, "");
    out.close("}");
    out.end_item(start);
}

/// How one parameter appears in the wrapper.
struct Argument {
    name: String,
    ty: String,
    /// A reference to the value, once bound.
    value: String,
    /// The function that turns device memory into an address.
    bind: Option<&'static str>,
}

impl Argument {
    /// A value of `size` bytes: by reference where it is large, since Rust copies what it passes by value.
    fn value(name: String, ty: &str, size: u64) -> Self {
        let (ty, value) = if size > LARGE {
            (format!("&{ty}"), name.clone())
        } else {
            (ty.to_owned(), format!("&{name}"))
        };
        Self {
            name,
            ty,
            value,
            bind: None,
        }
    }

    /// Device memory of elements of type `element`, or of any type.
    fn memory(name: String, is_const: bool, element: Option<&str>) -> Self {
        let (reference, direction, bind) = if is_const {
            ("&", "In", "runtime::InAny::bind")
        } else {
            ("&mut ", "Out", "runtime::OutAny::bind_mut")
        };
        let ty = match element {
            Some(element) => format!("{reference}impl runtime::{direction}<{element}>"),
            None => format!("{reference}impl runtime::{direction}Any"),
        };
        Self {
            value: format!("&{name}.0"),
            name,
            ty,
            bind: Some(bind),
        }
    }
}

/// What differs between the wrapper of a kernel and that of a template.
struct Call<'c> {
    head: String,
    /// Ends in `{`.
    tail: &'c str,
    index: String,
    info: String,
    module: &'c str,
}

fn kernel_wrapper(out: &mut Writer, scope: Scope<'_>, planned: &PlannedKernel<'_>, module: &str) {
    let kernel = planned.kernel;
    let names = scope.param_names(&kernel.params);
    let params = kernel.params.iter().zip(names);
    let arguments: Vec<Argument> = params
        .map(|(param, name)| argument(scope, param, name))
        .collect();
    out.doc(&docs::kernel(scope.module.input, planned));
    let start = out.item();
    let call = Call {
        head: format!("pub unsafe fn {}", planned.method),
        tail: " -> Result<(), runtime::LaunchError> {",
        index: planned.index.to_string(),
        info: format!("&info::{}", planned.constant),
        module,
    };
    launch(out, &call, &arguments);
    out.end_item(start);
}

fn argument(scope: Scope<'_>, param: &Param, name: String) -> Argument {
    match &param.ty {
        Type::Pointer(pointer) => match &*pointer.pointee {
            Type::Void => Argument::memory(name, pointer.is_const, None),
            element => Argument::memory(name, pointer.is_const, Some(&scope.value(element))),
        },
        ty => Argument::value(name, &scope.value(ty), param.size),
    }
}

fn family_wrapper(
    out: &mut Writer,
    scope: Scope<'_>,
    family: &Family,
    enumerators: &[Enumerators],
    module: &str,
) {
    let generics = Generics::new(scope, family);
    let Some(first) = family
        .instances
        .first()
        .and_then(|instance| scope.module.kernels.get(instance.kernel))
    else {
        return;
    };
    let names = scope.param_names(&first.kernel.params);
    let size = |ordinal: usize| {
        let kernels = family.instances.iter();
        let kernels = kernels.filter_map(|instance| scope.module.kernels.get(instance.kernel));
        let sizes = kernels.filter_map(|kernel| Some(kernel.kernel.params.get(ordinal)?.size));
        sizes.max().unwrap_or(0)
    };
    let arguments: Vec<Argument> = family
        .params
        .iter()
        .zip(names)
        .enumerate()
        .map(|(ordinal, (pattern, name))| match pattern {
            Pattern::Pointer { is_const, pointee } => match &**pointee {
                Pattern::Fixed(Type::Void) => Argument::memory(name, *is_const, None),
                element => Argument::memory(name, *is_const, Some(&generics.spell(scope, element))),
            },
            other => {
                let ty = generics.spell(scope, other);
                Argument::value(name, &ty, size(ordinal))
            }
        })
        .collect();
    out.doc(&docs::family(
        scope,
        family,
        &generics,
        enumerators,
        "Self::",
    ));
    out.doc("\n# Safety\nAs for the instance.\n\n# Errors\nAs for the instance.");
    let start = out.item();
    let (declared, clause) = generics.declared();
    let tail = match clause {
        None => " -> Result<(), runtime::LaunchError> {".to_owned(),
        Some(clause) => {
            format!(" -> Result<(), runtime::LaunchError>\nwhere\n    {clause},\n{{")
        }
    };
    let this = generics.this();
    // What rustfmt wants to fit on the line: with the block's brace unless a `where` clause stands between.
    let opening = if tail.contains("where") { "()" } else { "() {" };
    let call = Call {
        head: out.generics(
            &format!("pub unsafe fn {}", family.method),
            &declared,
            opening,
        ),
        tail: &tail,
        index: format!("{this}::INDEX"),
        info: format!("{this}::INFO"),
        module,
    };
    launch(out, &call, &arguments);
    out.end_item(start);
}

/// The wrapper's signature and body.
fn launch(out: &mut Writer, call: &Call<'_>, arguments: &[Argument]) {
    let taken: Vec<String> = arguments
        .iter()
        .map(|argument| argument.name.clone())
        .collect();
    let stream = names::fresh("stream", &taken);
    let launch = names::fresh("launch", &taken);
    let ready = names::fresh("ready", &taken);
    let params = names::fresh("params", &taken);
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
    out.signature(&call.head, &list, call.tail);
    let prepare = Expr::Call(
        "runtime::prepare".to_owned(),
        vec![
            Expr::atom(call.module),
            Expr::atom(&call.index),
            Expr::atom(&call.info),
            Expr::atom(&stream),
            Expr::atom(format!("{launch}.into()")),
        ],
    );
    out.expr(&format!("let {ready} = "), &prepare, "?;");
    for argument in arguments {
        if let Some(bind) = argument.bind {
            let name = &argument.name;
            let bound = Expr::Call(bind.to_owned(), vec![Expr::atom(name), Expr::atom(&stream)]);
            out.expr(&format!("let {name} = "), &bound, ";");
        }
    }
    // rustfmt has a rule of its own for what has a dot in it.
    let dotted =
        |argument: &Argument| argument.bind.is_some() && !write::fits_in_list(&argument.value);
    if arguments.iter().any(dotted) {
        out.unlike_rustfmt();
    }
    let values: Vec<Expr> = arguments
        .iter()
        .map(|argument| {
            Expr::Call(
                "runtime::param".to_owned(),
                vec![Expr::atom(&argument.value)],
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
