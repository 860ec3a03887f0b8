//! Reads `X.cudafe1.gpu`: the device code as nvcc's front end lowers it to C.
//!
//! Yields typedefs, records, enums, kernels with their parameter names and places, and device variables.
//! Function bodies are passed over. A declaration that is not understood is left out (what needs it is then
//! refused by name); only an unreadable file, or one that ends inside a body, is an error. Types here are the
//! lowered ones: references are pointers, scoped enums are integers, `__int128` prints as `long long`.

use std::io::Read;

use super::ctype::{CType, QType, RawParam};
use super::lexer::{LexError, Lexer, Position, TokenKind};
use super::parser::{Parse, Parser, Trouble};
use super::specifiers::Specifiers;
use super::tables::Tables;
use crate::sorted::Map;

/// A `__global__` function.
#[derive(Debug, Clone)]
pub(super) struct RawKernel {
    pub params: Vec<RawParam>,
    pub place: Position,
}

/// Everything read from one file.
#[derive(Debug, Default)]
pub(super) struct Unit {
    pub tables: Tables,
    /// By symbol.
    pub kernels: Map<String, RawKernel>,
    /// `__constant__` and `__device__` variables by symbol.
    pub variables: Map<String, (QType, Position)>,
    /// Files of the line markers.
    pub files: Vec<String>,
    /// Declarations that were not understood, with the line in the `.gpu` file; the first few.
    pub skipped: Vec<(u32, String)>,
}

/// How many messages of [`Unit::skipped`] are kept.
const MAX_SKIPPED: usize = 16;

/// Reads a whole file.
pub(super) fn read(input: &mut dyn Read) -> Result<Unit, LexError> {
    let mut unit = Unit::default();
    let mut parser = Parser::new(Lexer::new(input));
    loop {
        parser.restart();
        let start = parser.peek()?;
        let line = start.line;
        if start.kind == TokenKind::End {
            break;
        }
        match declaration(&mut parser, &mut unit) {
            Ok(()) => {}
            Err(Trouble::Fatal(error)) => return Err(error),
            Err(Trouble::Syntax(message)) => {
                if unit.skipped.len() < MAX_SKIPPED {
                    unit.skipped.push((line, message));
                }
                parser.recover()?;
            }
        }
    }
    unit.files = parser.files().to_vec();
    unit.tables = parser.tables;
    Ok(unit)
}

fn declaration(parser: &mut Parser<'_>, unit: &mut Unit) -> Parse<()> {
    if parser.eat(b';')? {
        return Ok(());
    }
    let mut specifiers = parser.specifiers()?;
    if parser.eat(b';')? {
        return Ok(());
    }
    let Some(base) = specifiers.ty.take() else {
        return Err(Trouble::Syntax("a declaration without a type".into()));
    };
    if specifiers.is_typedef {
        return typedefs(parser, &specifiers, &base);
    }
    let variable = specifiers.constant || specifiers.device;
    if !specifiers.kernel && !variable {
        // Device functions and the rest: nothing a launch needs.
        parser.recover()?;
        return Ok(());
    }
    let (name, ty) = parser.declarator(base)?;
    let Some(name) = name else {
        return Err(Trouble::Syntax("a declaration without a name".into()));
    };
    parser.attributes(&mut 0, &mut false)?;
    match ty.kind {
        CType::Function(_, params) if specifiers.kernel => {
            let defined = parser.at(b'{')?;
            let kernel = RawKernel {
                params,
                place: specifiers.place,
            };
            // A definition names its parameters, a declaration does not.
            if defined || !unit.kernels.contains_key(&name) {
                unit.kernels.insert(name, kernel);
            }
        }
        CType::Function(..) => {}
        _ if variable => {
            unit.variables.insert(name, (ty, specifiers.place));
        }
        _ => return Err(Trouble::Syntax(format!("`{name}` is not a function"))),
    }
    parser.recover()?;
    Ok(())
}

fn typedefs(parser: &mut Parser<'_>, specifiers: &Specifiers, base: &QType) -> Parse<()> {
    loop {
        let (name, ty) = parser.declarator(base.clone())?;
        let Some(name) = name else {
            return Err(Trouble::Syntax("a typedef without a name".into()));
        };
        let mut align = specifiers.align;
        parser.attributes(&mut align, &mut false)?;
        parser.tables.typedefs.insert(name, (ty, align));
        if !parser.eat(b',')? {
            break;
        }
    }
    parser.expect(b';')
}

#[cfg(test)]
mod tests {
    use super::super::ctype::spell;
    use super::*;

    fn unit(text: &str) -> Unit {
        read(&mut text.as_bytes()).expect("a readable unit")
    }

    fn params(unit: &Unit, kernel: &str) -> Vec<String> {
        unit.kernels[kernel]
            .params
            .iter()
            .map(|param| {
                format!(
                    "{}: {}",
                    param.name.as_deref().unwrap_or("-"),
                    spell(&param.ty, &str::to_owned)
                )
            })
            .collect()
    }

    #[test]
    fn a_kernel_with_copied_and_unnamed_parameters() {
        let unit = unit(
            "# 9 \"k.cu\"\n__launch_bounds__(128,2) __global__ __var_used__ void k(\n# 9 \"k.cu\"\nstruct Big __val_param(b), \n# 9 \"k.cu\"\nint *o,  float __T12, const float *__restrict__ h __attribute__((__unused__))){__copy_param(struct Big b,__val_param(b));\n{ if (1) { } }}\nint after;",
        );
        assert_eq!(
            params(&unit, "k"),
            [
                "b: Big",
                "o: int *",
                "__T12: float",
                "h: const float *__restrict__"
            ]
        );
        assert_eq!(unit.kernels["k"].place.line, 9);
        assert!(unit.skipped.is_empty());
    }

    #[test]
    fn hard_declarators() {
        let unit = unit(
            "__global__ extern void k(int (*a)[4], void (*f)(int, float), void (**fp)(float *), int (*const arr)[3], const int *const *pp, void (*t[3])(int), int (*(*g)(int))[2]);",
        );
        assert_eq!(
            params(&unit, "k"),
            [
                "a: int (*)[4]",
                "f: void (*)(int, float)",
                "fp: void (**)(float *)",
                "arr: int (*const)[3]",
                "pp: const int *const *",
                "t: void (**)(int)",
                "g: int (*(*)(int))[2]",
            ]
        );
    }

    #[test]
    fn records_and_enums() {
        let unit = unit(
            "struct S {\nint a: 3;\nunsigned int: 0;\nchar b __attribute__((__aligned__(16)));union  {\nint i;\nfloat f;};struct { int j; } s[2];} __attribute__((__aligned__(32)));\nenum E { A = (-1), B, C = 0x10 };\nstruct __attribute__((__packed__)) P { char a; int b; };\n#pragma pack(2)\nstruct Q { char a; int b; };\n#pragma pack()\n",
        );
        let record = &unit.tables.records["S"];
        assert_eq!(record.align, 32);
        assert_eq!(record.fields.len(), 5);
        assert_eq!(record.fields[0].bits, Some(3));
        assert_eq!(record.fields[2].align, 16);
        assert_eq!(record.fields[3].name, None);
        assert_eq!(record.fields[4].name.as_deref(), Some("s"));
        assert_eq!(
            unit.tables.enums["E"].values,
            [("A".into(), -1), ("B".into(), 0), ("C".into(), 16)]
        );
        assert!(unit.tables.records["P"].packed);
        assert_eq!(unit.tables.records["Q"].pack, 2);
    }

    #[test]
    fn what_is_not_understood_is_passed() {
        let unit = unit(
            "typedef int v4 __attribute__((vector_size(16)));\n= garbage [ ) { } ;\nstatic const int t[2] = { 1, 2 };\n__global__ void k(int n){ }\n",
        );
        assert!(!unit.tables.typedefs.contains_key("v4"));
        assert!(!unit.skipped.is_empty());
        assert_eq!(params(&unit, "k"), ["n: int"]);
    }

    #[test]
    fn variables() {
        let unit = unit(
            "static  __constant__  __var_used__ float coeffs[16];\nstatic  __device__  __var_used__ int counter = 3;\n___device__(static  __no_sc__) __inline__ int f(int x){ return x; }\n__global__ void k(void){}",
        );
        assert_eq!(
            spell(&unit.variables["coeffs"].0, &str::to_owned),
            "float[16]"
        );
        assert!(unit.variables.contains_key("counter"));
        assert!(params(&unit, "k").is_empty());
    }

    #[test]
    fn nesting_is_bounded() {
        let deep = format!(
            "__global__ void k(int {}x{});",
            "(*".repeat(10_000),
            ")".repeat(10_000)
        );
        assert!(unit(&deep).kernels.is_empty());
        let stars = format!("__global__ void k(int {}x);", "*".repeat(10_000));
        assert!(unit(&stars).kernels.is_empty());
        let records = format!("struct A {{ {} ", "struct { ".repeat(10_000));
        assert!(read(&mut records.as_bytes()).is_ok_and(|unit| unit.tables.records.is_empty()));
    }
}
