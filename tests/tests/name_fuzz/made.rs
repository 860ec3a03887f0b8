//! Sources as the readers of nvcc's files would give them, with any names: more than C++ itself allows.

use cubin_build::{
    codegen::Module,
    signature::model::{
        Definition, Enum, EnumId, Field, Global, Kernel, Param, Pointer, Record, RecordId, Scalar,
        Signatures, Space, TemplateArg, TemplateValue, Type, ValueType,
    },
    sorted::Map,
};

use crate::words::{self, Dice};

/// What is chosen from.
pub(crate) struct Making {
    pub(crate) dice: Dice,
    pub(crate) words: Vec<String>,
}

impl Making {
    fn word(&mut self) -> String {
        self.dice.pick(&self.words).clone()
    }

    /// Words of which no two are the same.
    fn distinct(&mut self, most: usize) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for _ in 0..self.dice.below(most + 1) {
            let word = self.word();
            if !found.contains(&word) {
                found.push(word);
            }
        }
        found
    }

    /// A few scopes, which items of one source share.
    fn scopes(&mut self) -> Vec<Vec<String>> {
        let mut scopes = vec![Vec::new()];
        for _ in 0..self.dice.below(4) {
            let around = self.dice.below(scopes.len());
            let mut scope: Vec<String> = scopes[around].clone();
            scope.push(match self.dice.below(8) {
                0 => String::new(),
                1 => "__4".to_owned(),
                2 => "a/b.cu".to_owned(),
                _ => self.word(),
            });
            scopes.push(scope);
        }
        scopes
    }

    pub(crate) fn module(&mut self, index: usize) -> Module {
        let scopes = self.scopes();
        let mut signatures = Signatures::default();
        for _ in 0..self.dice.below(4) {
            let name = self.qualified(&scopes);
            let values = self.distinct(4);
            signatures.enums.push(Enum {
                name,
                repr: Scalar::UInt,
                values: values.into_iter().zip(0..).collect(),
                definition: None,
            });
        }
        for _ in 0..self.dice.below(5) {
            let record = self.record(&scopes, &signatures);
            signatures.records.push(record);
        }
        for number in 0..self.dice.below(4) {
            let ty = self.ty(&signatures, false);
            let size = size(&ty, &signatures);
            signatures.globals.push(Global {
                symbol: format!("variable_{number}"),
                name: self.qualified(&scopes),
                size: if self.dice.once_in(4) { size + 1 } else { size },
                space: [Space::Constant, Space::Device, Space::Managed][self.dice.below(3)],
                ty: Some(ty),
                c_type: Some(self.word()),
            });
        }
        for number in 0..2 + self.dice.below(8) {
            let kernel = self.kernel(number, &scopes, &signatures);
            signatures.kernels.push(kernel);
        }
        let name = words::stem(&mut self.dice, &self.words);
        Module {
            source: format!("kernels/{index}/{name}.cu"),
            name,
            images: Vec::new(),
            fatbin: None,
            signatures,
            facts: Map::new(),
        }
    }

    fn qualified(&mut self, scopes: &[Vec<String>]) -> String {
        let mut parts = scopes[self.dice.below(scopes.len())].clone();
        parts.push(self.word());
        spelled(&parts)
    }

    fn record(&mut self, scopes: &[Vec<String>], known: &Signatures) -> Record {
        let mut name = self.qualified(scopes);
        match self.dice.below(6) {
            0 => name.push_str("<float>"),
            1 => name.push_str("<const float, 3>"),
            2 => name = format!("{name}<int>::{}", self.word()),
            3 if !known.records.is_empty() => {
                name = format!("{}::{}", known.records[0].name, self.word());
            }
            _ => {}
        }
        let is_union = self.dice.once_in(5);
        let mut fields = Vec::new();
        let mut offset = 0;
        for field in self.distinct(5) {
            let ty = match self.dice.below(4) {
                0 => self.ty(known, false),
                _ => Type::Scalar(Scalar::Int),
            };
            let ty = match ty {
                Type::Record(_) => Type::Scalar(Scalar::Int),
                other => other,
            };
            let plain = ty == Type::Scalar(Scalar::Int);
            let bits = (plain && !is_union && self.dice.once_in(3)).then_some((offset * 8, 5));
            fields.push(Field {
                name: field,
                c_type: self.word(),
                size: if bits.is_some() { 1 } else { size(&ty, known) },
                ty,
                offset,
                bits,
            });
            offset += if is_union { 0 } else { 8 };
        }
        Record {
            name,
            alias: self.dice.once_in(4).then(|| self.qualified(scopes)),
            unnamed: false,
            is_union,
            size: if is_union { 8 } else { offset.max(8) },
            align: 8,
            packed: None,
            fields,
            definition: self.dice.once_in(3).then(|| Definition {
                file: words::stem(&mut self.dice, &self.words).into(),
                line: 7,
            }),
        }
    }

    fn ty(&mut self, known: &Signatures, as_argument: bool) -> Type {
        let pointee = |ty, is_const| {
            Type::Pointer(Pointer {
                pointee: Box::new(ty),
                is_const,
                is_volatile: false,
                reference: false,
                restrict: false,
            })
        };
        match self.dice.below(8) {
            0 if !known.records.is_empty() => {
                Type::Record(RecordId(self.dice.below(known.records.len())))
            }
            1 if !known.enums.is_empty() => Type::Enum(EnumId(self.dice.below(known.enums.len()))),
            2 => pointee(Type::Scalar(Scalar::Float), true),
            3 => pointee(Type::Opaque(self.word()), false),
            4 if as_argument => pointee(Type::Void, false),
            5 => Type::Scalar(Scalar::Double),
            _ => Type::Scalar(Scalar::Int),
        }
    }

    fn kernel(&mut self, number: usize, scopes: &[Vec<String>], known: &Signatures) -> Kernel {
        let namespaces = scopes[self.dice.below(scopes.len())].clone();
        // A few names for many kernels, so that there are overloads and instances.
        let base_name = match (self.dice.below(3), known.kernels.first()) {
            (0, Some(first)) => first.base_name.clone(),
            (1, _) => ["k", "k_i32", "k_f32"][self.dice.below(3)].to_owned(),
            _ => self.word(),
        };
        let mut template_args = Vec::new();
        if self.dice.once_in(2) {
            for _ in 0..1 + self.dice.below(2) {
                template_args.push(self.template_arg(known));
            }
        }
        let names = self.distinct(5);
        let mut params = Vec::new();
        for name in names {
            let ty = self.ty(known, true);
            let c_type = match &ty {
                Type::Record(id) => known.records[id.0].name.clone(),
                Type::Enum(id) => known.enums[id.0].name.clone(),
                Type::Pointer(_) => "float *".to_owned(),
                Type::Scalar(Scalar::Double) => "double".to_owned(),
                _ => "int".to_owned(),
            };
            params.push(Param {
                name: (!self.dice.once_in(6)).then_some(name),
                size: size(&ty, known),
                align: 8,
                ty,
                c_type,
                pack: self.dice.once_in(12),
            });
        }
        let mut parts = namespaces.clone();
        parts.push(base_name.clone());
        let mut name = spelled(&parts);
        if !template_args.is_empty() {
            let texts: Vec<&str> = template_args.iter().map(|arg| arg.text.as_str()).collect();
            name.push_str(&format!("<{}>", texts.join(", ")));
        }
        Kernel {
            symbol: format!("symbol_{number}"),
            name,
            namespaces,
            base_name,
            template_args,
            params,
            max_threads: None,
            definition: None,
            entry: None,
            in_toolkit_header: false,
            refusal: None,
        }
    }

    fn template_arg(&mut self, known: &Signatures) -> TemplateArg {
        let text = |text: &str| TemplateArg {
            text: text.to_owned(),
            value: None,
        };
        match self.dice.below(6) {
            0 => text("float"),
            1 => text("const int"),
            2 if !known.records.is_empty() => {
                text(&known.records[self.dice.below(known.records.len())].name)
            }
            3 if !known.enums.is_empty() => {
                let found = &known.enums[self.dice.below(known.enums.len())];
                let enumerator =
                    found
                        .values
                        .first()
                        .map(|(name, _)| match found.name.rsplit_once("::") {
                            Some((scope, _)) => format!("{scope}::{name}"),
                            None => name.clone(),
                        });
                TemplateArg {
                    text: enumerator
                        .clone()
                        .unwrap_or_else(|| format!("({})0", found.name)),
                    value: Some(TemplateValue {
                        number: 0,
                        ty: ValueType::Enum {
                            name: found.name.clone(),
                            enumerator,
                        },
                    }),
                }
            }
            4 => {
                let number = i128::try_from(self.dice.below(3)).expect("small");
                TemplateArg {
                    text: number.to_string(),
                    value: Some(TemplateValue {
                        number,
                        ty: ValueType::Scalar(Scalar::Int),
                    }),
                }
            }
            _ => text("int"),
        }
    }
}

/// As the readers spell a qualified name.
fn spelled(parts: &[String]) -> String {
    let parts = parts.iter().map(|part| match part.as_str() {
        "" => "(anonymous namespace)",
        other => other,
    });
    parts.collect::<Vec<_>>().join("::")
}

fn size(ty: &Type, known: &Signatures) -> u64 {
    match ty {
        Type::Scalar(scalar) => scalar.size(),
        Type::Record(id) => known.records[id.0].size,
        Type::Enum(_) => 4,
        _ => 8,
    }
}
