//! Input of the generator made by hand, for what no recording shows.

use cubin_build::{
    codegen::{Input, Module},
    signature::model::{
        Kernel, Param, Scalar, Signatures, TemplateArg, TemplateValue, Type, ValueType,
    },
    sorted::Map,
};

/// A kernel `void name(params)` as the readers would give it.
pub(crate) fn kernel(name: &str, template_args: &[&str], params: Vec<Param>) -> Kernel {
    let base_name = name.rsplit("::").next().expect("a last part");
    let arguments = if template_args.is_empty() {
        String::new()
    } else {
        format!("<{}>", template_args.join(", "))
    };
    Kernel {
        symbol: format!("symbol_of_{name}{arguments}_{}", params.len()),
        name: format!("{name}{arguments}"),
        namespaces: Vec::new(),
        base_name: base_name.to_owned(),
        template_args: template_args
            .iter()
            .map(|argument| TemplateArg {
                text: (*argument).to_owned(),
                value: None,
            })
            .collect(),
        params,
        max_threads: None,
        definition: None,
        entry: None,
        in_toolkit_header: false,
        refusal: None,
    }
}

pub(crate) fn param(name: &str, c_type: &str, ty: Type) -> Param {
    Param {
        name: Some(name.to_owned()),
        ty,
        c_type: c_type.to_owned(),
        size: 8,
        align: 8,
        pack: false,
    }
}

pub(crate) fn scalar(name: &str, c_type: &str, scalar: Scalar) -> Param {
    param(name, c_type, Type::Scalar(scalar))
}

pub(crate) fn input(signatures: Signatures) -> Input {
    Input {
        modules: vec![Module {
            name: "unit".to_owned(),
            source: "kernels/unit.cu".to_owned(),
            images: Vec::new(),
            fatbin: None,
            signatures,
            facts: Map::new(),
        }],
        ..super::kinds()
    }
}

pub(crate) fn with_kernels(kernels: Vec<Kernel>) -> Input {
    input(Signatures {
        kernels,
        ..Signatures::default()
    })
}

/// A template argument that is a number.
pub(crate) fn number(number: i128, scalar: Scalar) -> TemplateArg {
    TemplateArg {
        text: number.to_string(),
        value: Some(TemplateValue {
            number,
            ty: ValueType::Scalar(scalar),
        }),
    }
}
