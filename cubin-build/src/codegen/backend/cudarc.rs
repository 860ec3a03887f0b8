//! Wrappers over the `cudarc` crate, 0.17 to 0.19.
//!
//! A wrapper checks the launch, turns device memory into addresses through the crate's own traits, which
//! order its uses between streams, and hands the driver one pointer per argument. The crate's launch builder
//! is not used: it allocates for every launch and knows no clusters. Nor is its module type, which needs
//! the `nvrtc` feature, copies the image, and yields raw handles only from 0.19.10 on.
//!
//! All of that stands in `cubin-build/runtime`: a wrapper's body only names its arguments, as a tuple, which costs the
//! compiler of the user's crate a quarter of what a call per argument does.

use crate::codegen::{
    docs,
    generics::{self, Enumerators, Generics},
    names,
    parts::{Binding, Methods, Namespace, constants, param_names},
    planned::{Family, Pattern, PlannedGlobal, PlannedKernel},
    scope::Scope,
    variables,
    write::{self, Writer},
};
use crate::lists::{AddAll, CollectVec, Figures};
use crate::signature::model::{Param, Space, Type};

pub(super) struct Cudarc;

/// The most bytes that a wrapper takes by value, as clippy's `large_types_passed_by_value` has it.
const LARGE: u64 = 256;

/// The most arguments that are one tuple: for so many `cubin-build/embedded/arguments.rs` has its trait.
const LONGEST_TUPLE: usize = 16;

const RESULT: &str = " -> Result<(), runtime::LaunchError>";

impl Binding for Cudarc {
    fn impls(&self, out: &mut Writer, ident: &str) {
        out.line("");
        out.line("// SAFETY: the same bytes on host and device; zero bytes are a value.");
        for name in ["DeviceRepr", "ValidAsZeroBits"] {
            out.line(format!("unsafe impl runtime::{name} for {ident} {{}}"));
        }
    }

    fn module(&self, out: &mut Writer, scope: Scope<'_>, methods: &Methods<'_>) {
        let module = scope.module;
        out.doc(&format!(
            "The {} of {}, loaded into a context.",
            methods.holds.name(),
            docs::code(&module.input.source)
        ));
        out.line("#[derive(Debug)]");
        out.open("pub struct Module {");
        out.line("module: runtime::LoadedModule,");
        out.close("}");
        out.line("");
        contract(out, methods);
        out.open("impl Module {");
        constants(out, module);
        out.line("");
        loading(out, scope);
        view(out, scope, methods, "&self.module", "'_", true);
        out.close("}");
    }

    fn namespace(&self, out: &mut Writer, scope: Scope<'_>, methods: &Methods<'_>) {
        out.doc(&format!("The {} of this namespace.", methods.holds.name()));
        out.line("#[derive(Clone, Copy, Debug)]");
        out.open("pub struct Kernels<'m> {");
        out.line("pub(super) module: &'m runtime::LoadedModule,");
        out.close("}");
        out.line("");
        contract(out, methods);
        let named = !methods.namespaces.is_empty() || !methods.globals.is_empty();
        out.open(if named {
            "impl<'m> Kernels<'m> {"
        } else {
            "impl Kernels<'_> {"
        });
        view(out, scope, methods, "self.module", "'m", false);
        out.close("}");
    }
}

/// What makes every wrapper below sound, said once.
fn contract(out: &mut Writer, methods: &Methods<'_>) {
    if !methods.kernels.is_empty() {
        out.line("// SAFETY of each launch: one argument per parameter, of its type; the caller vouches for the rest.");
    }
}

/// The methods of one view.
fn view(
    out: &mut Writer,
    scope: Scope<'_>,
    methods: &Methods<'_>,
    module: &str,
    lifetime: &str,
    mut gap: bool,
) {
    let mut gap = |out: &mut Writer| {
        if std::mem::replace(&mut gap, true) {
            out.line("");
        }
    };
    for namespace in &methods.namespaces {
        gap(out);
        accessor(out, namespace, module, lifetime);
    }
    for global in methods.globals {
        gap(out);
        global_accessor(out, scope, global, module, lifetime);
    }
    for kernel in methods.kernels {
        gap(out);
        kernel_wrapper(out, scope, kernel, module);
    }
    let enumerators = generics::enumerators(methods.families);
    for family in methods.families {
        gap(out);
        family_wrapper(out, scope, family, &enumerators, module);
    }
}

/// The methods of every `Module`: what does not depend on its kernels. No local may be called like a tuple struct.
fn loading(out: &mut Writer, scope: Scope<'_>) {
    let taken = scope.patterns();
    let local = |name: &str| names::fresh(name, &taken);
    let [context, loaded, kernel, threads, shared] =
        ["context", "loaded", "kernel", "threads", "shared"].map(local);
    out.doc(
        "Loads the image that fits the device of `context`: the exact cubin, or else that of the closest lower
minor revision of the same major one, or else the newest embedded PTX, which the driver then compiles.
Kernels are looked up when first launched.

# Errors
When no image fits, or the driver refuses. [`runtime::context`] opens a device without panicking where
there is no driver.",
    );
    out.open(format!("pub fn load({context}: &::std::sync::Arc<runtime::CudaContext>) -> Result<Self, runtime::LoadError> {{"));
    out.line(format!(
        "let {loaded} = runtime::LoadedModule::load(&table::MODULE, {context}, Self::IMAGES)?;"
    ));
    out.line(format!("Ok(Self {{ module: {loaded} }})"));
    out.close("}");
    let mut method = |doc: &str, must_use: bool, head: String, body: String| {
        out.line("");
        out.doc(doc);
        if must_use {
            out.line("#[must_use]");
        }
        out.open(head);
        out.line(body);
        out.close("}");
    };
    method(
        "Looks up all kernels now, so that no launch has to.

# Errors
When the driver refuses.",
        false,
        "pub fn preload(&self) -> Result<(), runtime::LoadError> {".to_owned(),
        "self.module.preload(Self::KERNELS)".to_owned(),
    );
    method(
        "The image that was loaded.",
        true,
        "pub fn image(&self) -> &'static runtime::Image {".to_owned(),
        "self.module.image()".to_owned(),
    );
    method(
        "The driver's handle of the module, for what this file has no method for; valid as long as `self`.",
        true,
        "pub fn cu_module(&self) -> runtime::sys::CUmodule {".to_owned(),
        "self.module.module()".to_owned(),
    );
    method(
        "The driver's handle of one of [`KERNELS`](Self::KERNELS), for what this file has no method for; valid as
long as `self`.

# Errors
When the kernel is of another module, the image does not hold it, or the driver refuses.",
        false,
        format!("pub fn cu_function(&self, {kernel}: &runtime::KernelInfo) -> Result<runtime::sys::CUfunction, runtime::LaunchError> {{"),
        format!("self.module.function({kernel})"),
    );
    method(
        "How many blocks of `threads` threads with `shared` bytes of dynamic shared memory one multiprocessor
holds at a time, by the driver's count.

# Errors
When the image does not hold the kernel, or the driver refuses.",
        false,
        format!("pub fn active_blocks_per_sm(&self, {kernel}: &runtime::KernelInfo, {threads}: u32, {shared}: u32) -> Result<u32, runtime::LaunchError> {{"),
        format!("self.module.active_blocks_per_sm({kernel}, {threads}, {shared})"),
    );
    method(
        "The block size with the best occupancy, for `shared` bytes of dynamic shared memory per block, and
the fewest blocks that fill the device with it: (blocks, threads).

# Errors
When the image does not hold the kernel, or the driver refuses.",
        false,
        format!("pub fn suggested_block_size(&self, {kernel}: &runtime::KernelInfo, {shared}: u32) -> Result<(u32, u32), runtime::LaunchError> {{"),
        format!("self.module.suggested_block_size({kernel}, {shared})"),
    );
}

fn accessor(out: &mut Writer, namespace: &Namespace<'_>, module: &str, lifetime: &str) {
    out.doc(&format!(
        "The {} of {}.",
        namespace.holds.name(),
        namespace.shown
    ));
    let namespace = namespace.ident;
    out.line("#[inline]");
    out.line("#[must_use]");
    out.open(format!(
        "pub fn {namespace}(&self) -> {namespace}::Kernels<{lifetime}> {{"
    ));
    out.line(format!("{namespace}::Kernels {{ module: {module} }}"));
    out.close("}");
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
    out.open(format!(
        "pub fn {}(&self) -> Result<runtime::Global<{lifetime}, {ty}>, runtime::LoadError> {{",
        planned.method
    ));
    out.line(format!(
        "runtime::Global::find({module}, &globals::{})",
        planned.constant
    ));
    out.close("}");
}

/// How one parameter appears in the wrapper.
struct Argument {
    name: String,
    ty: String,
    /// What the launch is given.
    kind: Passed,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Passed {
    /// A value, which the wrapper has.
    Value,
    /// A value that the wrapper has a reference to.
    Reference,
    /// Memory that the kernel reads.
    Reads,
    /// Memory that the kernel writes.
    Writes,
}

impl Argument {
    /// A value of `size` bytes: by reference where it is large, since Rust copies what it passes by value.
    fn value(name: String, ty: &str, size: u64) -> Self {
        if size > LARGE {
            Self {
                name,
                ty: format!("&{ty}"),
                kind: Passed::Reference,
            }
        } else {
            Self {
                name,
                ty: ty.to_owned(),
                kind: Passed::Value,
            }
        }
    }

    /// Device memory of elements of type `element`, or of any type.
    fn memory(name: String, is_const: bool, element: Option<&str>) -> Self {
        let (reference, direction, kind) = if is_const {
            ("&", "In", Passed::Reads)
        } else {
            ("&mut ", "Out", Passed::Writes)
        };
        let ty = match element {
            Some(element) => format!("{reference}impl runtime::{direction}<{element}>"),
            None => format!("{reference}impl runtime::{direction}Any"),
        };
        Self { name, ty, kind }
    }

    /// As [`runtime::launch`](crate) takes it.
    fn given(&self) -> String {
        let name = &self.name;
        match self.kind {
            Passed::Value => format!("&{name}"),
            Passed::Reference => name.clone(),
            Passed::Reads => format!("runtime::Reads({name})"),
            Passed::Writes => format!("runtime::Writes({name})"),
        }
    }
}

fn kernel_wrapper(out: &mut Writer, scope: Scope<'_>, planned: &PlannedKernel<'_>, module: &str) {
    let kernel = planned.kernel;
    let names = param_names(&kernel.params, scope.patterns());
    let params = kernel.params.iter().zip(names);
    let arguments: Vec<Argument> = params
        .map(|(param, name)| argument(scope, param, name))
        .collect_vec();
    out.doc(&docs::kernel(scope.module.input, planned));
    let call = Call {
        head: format!("pub unsafe fn {}", planned.method),
        bound: None,
        info: format!("&info::{}", planned.constant),
        module,
        taken: scope.patterns(),
    };
    launch(out, &call, &arguments);
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
    let names = param_names(&first.kernel.params, scope.patterns());
    let size = |ordinal: usize| {
        let kernels = family.instances.iter();
        let kernels = kernels.filter_map(|instance| scope.module.kernels.get(instance.kernel));
        let sizes = kernels.filter_map(|kernel| Some(kernel.kernel.params.get(ordinal)?.size));
        sizes.largest().unwrap_or(0)
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
        .collect_vec();
    out.doc(&docs::family(
        scope,
        family,
        &generics,
        enumerators,
        "Self::",
    ));
    out.doc(docs::CONTRACT);
    let (declared, bound) = generics.declared();
    let call = Call {
        head: write::generics(&format!("pub unsafe fn {}", family.method), &declared),
        bound,
        info: format!("{}::INFO", generics.this()),
        module,
        taken: scope.patterns(),
    };
    launch(out, &call, &arguments);
}

/// What differs between the wrapper of a kernel and that of a template.
struct Call<'c> {
    head: String,
    /// What stands behind `where`.
    bound: Option<String>,
    /// The kernel's facts.
    info: String,
    module: &'c str,
    /// What no local may be called.
    taken: Vec<String>,
}

/// The wrapper's signature and body.
fn launch(out: &mut Writer, call: &Call<'_>, arguments: &[Argument]) {
    let mut taken = call.taken.clone();
    taken.add_all(arguments.iter().map(|argument| argument.name.clone()));
    let [stream, launch, ready, params] =
        ["stream", "launch", "ready", "params"].map(|name| names::fresh(name, &taken));
    let mut list = vec![
        "&self".to_owned(),
        format!("{stream}: &runtime::CudaStream"),
        format!("{launch}: impl Into<runtime::Launch>"),
    ];
    let own = arguments.iter();
    list.add_all(own.map(|argument| format!("{}: {}", argument.name, argument.ty)));
    out.signature(&call.head, &list, RESULT, call.bound.as_deref());
    let given: Vec<String> = arguments.iter().map(Argument::given).collect_vec();
    let (module, info) = (call.module, &call.info);
    if arguments.len() <= LONGEST_TUPLE {
        let comma = if given.len() == 1 { "," } else { "" };
        out.line(format!(
            "unsafe {{ runtime::launch({module}, {info}, {stream}, {launch}, ({}{comma})) }}",
            given.join(", ")
        ));
    } else {
        out.line(format!(
            "let {ready} = runtime::prepare({module}, {info}, {stream}, {launch})?;"
        ));
        for (argument, given) in arguments.iter().zip(given) {
            let name = &argument.name;
            out.line(format!(
                "let {name} = runtime::Argument::bind({given}, {stream});"
            ));
        }
        out.open(format!("let mut {params} = ["));
        for argument in arguments {
            out.line(format!("runtime::Pointer::pointer(&{}),", argument.name));
        }
        out.close("];");
        out.line(format!("unsafe {{ {ready}.launch(&mut {params}) }}"));
    }
    out.close("}");
}
