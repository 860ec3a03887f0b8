//! What libnvvm refuses, drops without a word, or crashes on, and what ptxas refuses later: looked for first, since here
//! each has a place. All of it was measured with 13.5, for both readers (`tests/tests/nvvm`).

use std::ops::Range;

use cubin_core::Sm;

use super::{
    has_newer_reader,
    module::{Function, Module, Param, Property},
    normal,
    types::Type,
};
use crate::lists::CollectVec;
use crate::options::{Nvvm, Switch};

/// A rule that a module breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// Which one, and how.
    pub rule: Rule,
    /// Where in the text.
    pub place: Option<Range<usize>>,
    /// For which targets; none for all.
    pub targets: Vec<Sm>,
}

/// Rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// It is written as LLVM 3 did.
    Old,
    /// There is no `target triple`.
    NoTriple,
    /// It is not one of NVIDIA's for 64 bits.
    Triple(String),
    /// There is no `target datalayout`.
    NoLayout,
    /// It lays types out in another way than NVIDIA's.
    Layout(String),
    /// It is LLVM's own, which the newer reader does not take.
    ShortLayout,
    /// There is no `!nvvmir.version`, which stands for 1.0.
    NoVersion,
    /// It is none that libnvvm reads.
    Version(Vec<i64>),
    /// What this word means only the newer reader knows, which is switched off.
    Dialect(String),
    /// A variable in an address space that has none.
    Space {
        /// The variable.
        name: String,
        /// Its address space.
        space: u32,
    },
    /// Something is stored in constant memory.
    ConstantStore,
    /// A name that PTX cannot have.
    Name(String),
    /// No function is a kernel.
    NoKernel,
    /// A kernel that nobody outside sees is dropped.
    Linkage {
        /// The kernel.
        kernel: String,
        /// `internal`, …
        linkage: String,
    },
    /// A kernel with a result.
    Returns {
        /// The kernel.
        kernel: String,
        /// The type of it.
        ty: String,
    },
    /// A kernel with `...` among its parameters.
    Variadic(String),
    /// A parameter of a type that cannot be passed.
    Param {
        /// The kernel.
        kernel: String,
        /// Which parameter.
        ordinal: usize,
        /// Its type.
        ty: String,
        /// Why not.
        why: Unpassable,
    },
    /// A property without a number.
    Property {
        /// The kernel.
        kernel: String,
        /// The property.
        name: String,
    },
    /// Two properties that exclude each other.
    Conflict {
        /// The kernel.
        kernel: String,
        /// Both.
        names: [String; 2],
    },
}

/// Why no kernel can have a parameter of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unpassable {
    /// ptxas has no such integer.
    Integer,
    /// It has no bytes.
    Empty,
    /// No pointer leads there.
    Space(u32),
    /// The types below it are not known, or nest without an end.
    Unknown,
}

/// Address spaces that a variable can lie in: generic, global, shared and constant.
const VARIABLES: [u32; 4] = [0, 1, 3, 4];
/// Those that a pointer can lead to; 5 is a thread's own local memory.
const POINTERS: [u32; 5] = [0, 1, 3, 4, 5];
/// What hides a definition from everybody outside the module.
const HIDDEN: [&str; 5] = [
    "internal",
    "private",
    "linkonce",
    "linkonce_odr",
    "available_externally",
];

/// All rules that a module breaks on some of its targets, in the order of the text as far as there is one.
#[must_use]
pub fn check(module: &Module, targets: &[Sm], options: &Nvvm) -> Vec<Broken> {
    if let Some(old) = &module.old {
        // Nothing else of it would be understood.
        return vec![Broken {
            rule: Rule::Old,
            place: Some(old.clone()),
            targets: Vec::new(),
        }];
    }
    let mut found = Found {
        module,
        targets,
        options,
        all: Vec::new(),
    };
    found.triple();
    found.layout();
    found.version();
    found.dialect();
    found.names();
    for store in &module.constant_stores {
        found.add(Rule::ConstantStore, Some(store.clone()));
    }
    found.kernels();
    found.all
}

struct Found<'m> {
    module: &'m Module,
    targets: &'m [Sm],
    options: &'m Nvvm,
    all: Vec<Broken>,
}

impl Found<'_> {
    fn add(&mut self, rule: Rule, place: Option<Range<usize>>) {
        self.all.push(Broken {
            rule,
            place,
            targets: Vec::new(),
        });
    }

    /// For those targets alone where the condition holds.
    fn add_for(&mut self, rule: Rule, place: Option<Range<usize>>, wrong: impl Fn(Sm) -> bool) {
        let targets: Vec<Sm> = self
            .targets
            .iter()
            .copied()
            .filter(|sm| wrong(*sm))
            .collect_vec();
        if !targets.is_empty() {
            self.all.push(Broken {
                rule,
                place,
                targets,
            });
        }
    }

    fn triple(&mut self) {
        let Some(triple) = &self.module.triple else {
            self.add(Rule::NoTriple, None);
            return;
        };
        let mut parts = triple.value.split('-');
        let machine = parts
            .next()
            .is_some_and(|first| matches!(first, "nvptx64" | "nvgpu"));
        if !machine || parts.nth(1) != Some("cuda") {
            self.add(
                Rule::Triple(triple.value.clone()),
                Some(triple.range.clone()),
            );
        }
    }

    fn layout(&mut self) {
        let Some(layout) = &self.module.layout else {
            if !self.options.normalize {
                self.add(Rule::NoLayout, None);
            }
            return;
        };
        let place = Some(layout.range.clone());
        if normal::is_llvms(&layout.value) && layout.value.contains("i128:128") {
            if !self.options.normalize {
                let newer = self.reads_newer();
                self.add_for(Rule::ShortLayout, place, newer);
            }
            return;
        }
        let all: Vec<&str> = layout.value.split('-').collect_vec();
        let mut wanted = normal::LAYOUT.split('-');
        let like_llvms = normal::is_llvms(&layout.value) && self.options.normalize;
        if !like_llvms && !wanted.all(|part| all.contains(&part)) {
            self.add(Rule::Layout(layout.value.clone()), place);
        }
    }

    /// Which targets read the module by a current LLVM.
    fn reads_newer(&self) -> impl Fn(Sm) -> bool + use<> {
        let needs = self.module.opaque.is_some() || self.module.newer.is_some();
        let everywhere = match self.options.latest {
            Switch::On => true,
            Switch::Auto => needs,
            Switch::Off => false,
        };
        move |target| everywhere || has_newer_reader(target)
    }

    fn version(&mut self) {
        let Some(version) = &self.module.version else {
            if !self.options.normalize {
                self.add(Rule::NoVersion, None);
            }
            return;
        };
        let readable = match version.value.as_slice() {
            [2, 0] => true,
            [2, 0, 3, minor] => *minor <= 2,
            [2, 0, major, _] => *major < 3,
            _ => false,
        };
        if !readable {
            self.add(
                Rule::Version(version.value.clone()),
                Some(version.range.clone()),
            );
        }
    }

    fn dialect(&mut self) {
        if self.options.latest != Switch::Off {
            return;
        }
        let older = |target| !has_newer_reader(target);
        if let Some(word) = &self.module.newer {
            let rule = Rule::Dialect(word.value.clone());
            self.add_for(rule, Some(word.range.clone()), older);
        } else if let Some(range) = &self.module.opaque {
            self.add_for(Rule::Dialect("ptr".to_owned()), Some(range.clone()), older);
        }
    }

    fn names(&mut self) {
        for global in &self.module.globals {
            let name = &global.name;
            let place = Some(name.range.clone());
            if !VARIABLES.contains(&global.space) {
                let rule = Rule::Space {
                    name: name.value.clone(),
                    space: global.space,
                };
                self.add(rule, place.clone());
            }
            if !is_identifier(&name.value) {
                self.add(Rule::Name(name.value.clone()), place);
            }
        }
        for function in &self.module.functions {
            if !is_identifier(&function.name) {
                self.add(
                    Rule::Name(function.name.clone()),
                    Some(function.range.clone()),
                );
            }
        }
    }

    fn kernels(&mut self) {
        let module = self.module;
        let mut any = false;
        for kernel in module.kernels() {
            any = true;
            let name = || kernel.name.clone();
            let place = Some(kernel.range.clone());
            if HIDDEN.contains(&kernel.linkage.as_str()) {
                let linkage = kernel.linkage.clone();
                let rule = Rule::Linkage {
                    kernel: name(),
                    linkage,
                };
                self.add(rule, place.clone());
            }
            match &kernel.returns {
                None | Some(Type::Void) => {}
                Some(ty) => {
                    let rule = Rule::Returns {
                        kernel: name(),
                        ty: ty.text(),
                    };
                    self.add(rule, place.clone());
                }
            }
            if kernel.variadic {
                self.add(Rule::Variadic(name()), place);
            }
            for (ordinal, param) in kernel.params.iter().enumerate() {
                self.param(kernel, ordinal, param);
            }
            self.properties(kernel, &module.properties(kernel));
        }
        if !any {
            self.add(Rule::NoKernel, None);
        }
    }

    fn param(&mut self, kernel: &Function, ordinal: usize, param: &Param) {
        if let Some(why) = unpassable(&param.ty, self.module) {
            let rule = Rule::Param {
                kernel: kernel.name.clone(),
                ordinal,
                ty: param.ty.text(),
                why,
            };
            self.add(rule, Some(param.range.clone()));
        }
    }

    fn properties(&mut self, kernel: &Function, all: &[Property]) {
        for property in all {
            // Others are nobody's, and ignored.
            if property.values.is_none() && is_launch_property(&property.name) {
                let rule = Rule::Property {
                    kernel: kernel.name.clone(),
                    name: property.name.clone(),
                };
                self.add(rule, Some(property.value_range.clone()));
            }
        }
        let named = |part: &str| all.iter().find(|property| property.name.contains(part));
        if let (Some(most), Some(exactly)) = (named("maxntid"), named("reqntid")) {
            let rule = Rule::Conflict {
                kernel: kernel.name.clone(),
                names: [most.name.clone(), exactly.name.clone()],
            };
            self.add(rule, Some(exactly.range.clone()));
        }
    }
}

/// Whether a property is one that libnvvm reads as a number.
#[must_use]
pub fn is_launch_property(name: &str) -> bool {
    let name = name.strip_prefix("nvvm.").unwrap_or(name);
    let name = name.strip_suffix(['x', 'y', 'z']).unwrap_or(name);
    matches!(
        name.trim_end_matches('_'),
        "maxntid"
            | "reqntid"
            | "minctasm"
            | "maxnreg"
            | "maxclusterrank"
            | "cluster_max_blocks"
            | "cluster_dim"
    )
}

fn is_identifier(name: &str) -> bool {
    let mut bytes = name.bytes();
    name.starts_with("llvm.")
        || bytes
            .next()
            .is_some_and(|first| !first.is_ascii_digit() && in_identifier(first))
            && bytes.all(in_identifier)
}

fn in_identifier(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'$' | b'_')
}

/// Why no kernel can take such a parameter.
fn unpassable(ty: &Type, module: &Module) -> Option<Unpassable> {
    match ty {
        Type::Int(1 | 8 | 16 | 32 | 64 | 128) => None,
        Type::Int(_) => Some(Unpassable::Integer),
        Type::Pointer { space, .. } => {
            (!POINTERS.contains(space)).then_some(Unpassable::Space(*space))
        }
        // Lanes of one bit have a size that depends on the reader, so that no wrapper can be given; the kernel is.
        Type::Vector(_, lane) if **lane == Type::Int(1) => None,
        _ => match ty.layout(&module.types) {
            None => Some(Unpassable::Unknown),
            Some(layout) if layout.size == 0 => Some(Unpassable::Empty),
            Some(_) => None,
        },
    }
}
