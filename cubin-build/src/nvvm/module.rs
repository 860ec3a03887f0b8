//! What a module of NVVM IR says of itself and of its kernels.

use std::ops::Range;

use super::types::{Named, Type};
use crate::lists::CollectSome;
use crate::sorted::Map;

/// A value and the bytes of the text where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed<T> {
    /// The value.
    pub value: T,
    /// Where.
    pub range: Range<usize>,
}

impl<T> Placed<T> {
    pub(super) fn new(value: T, range: Range<usize>) -> Self {
        Self { value, range }
    }
}

/// A module, as far as anybody here asks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Module {
    /// `target triple`
    pub triple: Option<Placed<String>>,
    /// `target datalayout`
    pub layout: Option<Placed<String>>,
    /// `!nvvmir.version`: two or four numbers.
    pub version: Option<Placed<Vec<i64>>>,
    /// Types with names.
    pub types: Named,
    /// Variables.
    pub globals: Vec<Global>,
    /// Functions, defined here or not.
    pub functions: Vec<Function>,
    /// What `!nvvm.annotations` says, in order.
    pub annotations: Vec<Annotation>,
    /// Groups of attributes, `#0`.
    pub groups: Map<u64, Vec<Attribute>>,
    /// Metadata by number.
    pub nodes: Map<u64, Node>,
    /// The first pointer that does not say what it points to.
    pub opaque: Option<Range<usize>>,
    /// The first word that only readers for sm_100 and above know, besides [`opaque`](Self::opaque).
    pub newer: Option<Placed<String>>,
    /// Stores to constant memory.
    pub constant_stores: Vec<Range<usize>>,
    /// The first metadata as LLVM 3 wrote it: `metadata !{…}`.
    pub old: Option<Range<usize>>,
}

/// A variable of the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Global {
    /// Its name.
    pub name: Placed<String>,
    /// Its address space.
    pub space: u32,
}

/// A function.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Where its name stands.
    pub range: Range<usize>,
    /// Whether it has a body.
    pub defined: bool,
    /// `internal`, `linkonce_odr`, …; empty for the usual one.
    pub linkage: String,
    /// Whether its calling convention makes it a kernel.
    pub kernel_convention: bool,
    /// What it returns.
    pub returns: Option<Type>,
    /// Its parameters.
    pub params: Vec<Param>,
    /// Whether any number of further arguments may follow.
    pub variadic: bool,
    /// Its own attributes between quotes.
    pub attributes: Vec<Attribute>,
    /// Groups of attributes that it names.
    pub groups: Vec<u64>,
    /// Its debug information.
    pub debug: Option<u64>,
}

/// A parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Param {
    /// Its name; a number where nobody chose one.
    pub name: Option<String>,
    /// Its type; what it points to for one that is passed by value.
    pub ty: Type,
    /// Whether it is passed `byval`.
    pub by_value: bool,
    /// `align 8`
    pub align: Option<u64>,
    /// `signext` is `Some(true)`, `zeroext` is `Some(false)`.
    pub signed: Option<bool>,
    /// `readonly` or `readnone`: what it points to is not written.
    pub read_only: bool,
    /// Where it stands.
    pub range: Range<usize>,
}

/// `"nvvm.maxntid"="128,2"`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Behind the equals sign; empty without one.
    pub value: String,
    /// Where it stands.
    pub range: Range<usize>,
}

/// A property that `!nvvm.annotations` gives to something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotation {
    /// Of what.
    pub of: String,
    /// Its name.
    pub name: Placed<String>,
    /// Its value; `None` when it is no integer, nor a list.
    pub value: Option<Operand>,
    /// Where the value stands.
    pub value_range: Range<usize>,
}

/// A node of metadata.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Node {
    /// `DIBasicType`; empty for a plain list.
    pub kind: String,
    /// Operands with the names of their fields, which are empty in a plain list.
    pub operands: Vec<(String, Operand)>,
    /// Where it stands.
    pub range: Range<usize>,
}

impl Node {
    /// The operand with this name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Operand> {
        let mut all = self.operands.iter();
        all.find(|(field, _)| field == name).map(|(_, value)| value)
    }

    /// The word or the text of a field.
    #[must_use]
    pub fn word(&self, name: &str) -> Option<&str> {
        match self.field(name)? {
            Operand::Word(word) | Operand::Text(word) => Some(word),
            _ => None,
        }
    }

    /// The number of the node that a field names.
    #[must_use]
    pub fn node(&self, name: &str) -> Option<u64> {
        match self.field(name)? {
            Operand::Node(number) => Some(*number),
            _ => None,
        }
    }
}

/// What stands in a node of metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand {
    /// `!7`
    Node(u64),
    /// `!"kernel"`, `"name"`
    Text(String),
    /// `i32 1`
    Int(i64),
    /// `ptr @k`
    Global(String),
    /// `null`, `DW_ATE_signed`, …
    Word(String),
}

/// A property of a kernel, whichever way it is given: `maxntidx` of an annotation, or `nvvm.maxntid` of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// Its numbers; `None` when they are none.
    pub values: Option<Vec<i64>>,
    /// Whether it is an attribute of the function.
    pub attribute: bool,
    /// Where its name stands.
    pub range: Range<usize>,
    /// Where its value stands.
    pub value_range: Range<usize>,
}

impl Module {
    /// Functions that are kernels, in the order of the text.
    pub fn kernels(&self) -> impl Iterator<Item = &Function> {
        self.functions
            .iter()
            .filter(|function| self.is_kernel(function))
    }

    /// Whether a function is a kernel: by its calling convention or by an annotation.
    #[must_use]
    pub fn is_kernel(&self, function: &Function) -> bool {
        function.defined
            && (function.kernel_convention
                || self.annotations.iter().any(|annotation| {
                    annotation.of == function.name
                        && annotation.name.value == "kernel"
                        && annotation.value == Some(Operand::Int(1))
                }))
    }

    /// What is demanded of launches of a kernel, but for that it is one.
    #[must_use]
    pub fn properties(&self, kernel: &Function) -> Vec<Property> {
        let mut all = Vec::new();
        for annotation in &self.annotations {
            if annotation.of == kernel.name && annotation.name.value != "kernel" {
                all.push(Property {
                    name: annotation.name.value.clone(),
                    values: match &annotation.value {
                        Some(Operand::Int(value)) => Some(vec![*value]),
                        Some(Operand::Node(node)) => self.integers(*node),
                        _ => None,
                    },
                    attribute: false,
                    range: annotation.name.range.clone(),
                    value_range: annotation.value_range.clone(),
                });
            }
        }
        let groups = kernel
            .groups
            .iter()
            .filter_map(|group| self.groups.get(group));
        for attribute in kernel.attributes.iter().chain(groups.flatten()) {
            if attribute.name.starts_with("nvvm.") {
                let values = attribute.value.split(',').filter(|value| !value.is_empty());
                let values = values.map(|value| value.trim().parse().ok());
                all.push(Property {
                    name: attribute.name.clone(),
                    values: values.collect_some(),
                    attribute: true,
                    range: attribute.range.clone(),
                    value_range: attribute.range.clone(),
                });
            }
        }
        all
    }

    /// The integers of a plain list.
    #[must_use]
    pub fn integers(&self, node: u64) -> Option<Vec<i64>> {
        let operands = self.nodes.get(&node)?.operands.iter();
        let integers = operands.map(|(_, operand)| match operand {
            Operand::Int(value) => Some(*value),
            _ => None,
        });
        integers.collect_some()
    }

    /// Whether functions of libdevice are called that the module does not define.
    #[must_use]
    pub fn needs_libdevice(&self) -> bool {
        let mut all = self.functions.iter();
        all.any(|function| !function.defined && function.name.starts_with("__nv_"))
    }
}
