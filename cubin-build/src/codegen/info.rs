//! Constants about kernels: symbol, parameters, resources per target, launch bounds.

use cubin_core::{Sm, arch::Suffix};

use crate::kernel::Spills;

use super::{
    Facts, Module, docs,
    plan::PlannedKernel,
    write::{Expr, Writer, number},
};

/// A target as an expression.
pub(super) fn target(sm: Sm) -> Expr {
    let constructor = match sm.suffix {
        Suffix::None => "new",
        Suffix::Accelerated => "accelerated",
        Suffix::Family => "family",
    };
    Expr::Call(
        format!("runtime::Target::{constructor}"),
        vec![Expr::atom(sm.number.to_string())],
    )
}

/// Writes the constant of one kernel.
pub(super) fn write(out: &mut Writer, module: &Module, planned: &PlannedKernel<'_>) {
    let kernel = planned.kernel;
    let params = kernel
        .params
        .iter()
        .map(|param| {
            Expr::Call(
                "runtime::ParamInfo::new".to_owned(),
                vec![
                    Expr::string(param.name.as_deref().unwrap_or_default()),
                    Expr::string(&param.c_type),
                    Expr::atom(number(i128::from(param.size))),
                    Expr::atom(number(i128::from(param.align))),
                ],
            )
        })
        .collect();
    let facts = module.facts.get(&kernel.symbol);
    let resources = facts
        .into_iter()
        .flatten()
        .map(|(sm, facts)| resources(*sm, facts))
        .collect();
    let field = |name: &str, value| (name.to_owned(), value);
    let value = Expr::Struct {
        path: "runtime::KernelInfo".to_owned(),
        fields: vec![
            field("symbol", Expr::string(&kernel.symbol)),
            field("name", Expr::string(&kernel.name)),
            field("params", Expr::array_ref(params)),
            field("resources", Expr::array_ref(resources)),
        ],
        base: None,
    };
    out.doc(&docs::code(&kernel.name));
    let start = out.item();
    out.expr(
        &format!("pub const {}: runtime::KernelInfo = ", planned.constant),
        &value,
        ";",
    );
    out.end_item(start);
}

fn resources(sm: Sm, facts: &Facts) -> Expr {
    let resources = &facts.resources;
    let launch = &facts.launch;
    let mut fields: Vec<(String, Expr)> = vec![("target".to_owned(), target(sm))];
    let mut field = |name: &str, value: String| fields.push((name.to_owned(), Expr::atom(value)));
    let integer = |value: u64| number(i128::from(value));
    let shape = |[x, y, z]: [u32; 3]| format!("Some([{x}, {y}, {z}])");
    field("registers", resources.registers.to_string());
    if let Some(stack) = resources.stack.bytes() {
        field("stack", format!("Some({})", integer(u64::from(stack))));
    }
    if let Some(Spills { stores, loads }) = facts.spills {
        field(
            "spills",
            format!("Some(({}, {}))", integer(stores), integer(loads)),
        );
    }
    if resources.static_shared > 0 {
        field("static_shared", integer(resources.static_shared));
    }
    if let Some(barriers) = resources.barriers {
        field("barriers", format!("Some({barriers})"));
    }
    field("code_bytes", integer(resources.code_bytes));
    if let Some(threads) = launch.max_threads {
        field("max_threads", shape(threads));
    }
    if let Some(threads) = launch.required_threads {
        field("required_threads", shape(threads));
    }
    if let Some(cluster) = launch.cluster {
        field("cluster", shape(cluster));
    }
    if launch.explicit_cluster {
        field("explicit_cluster", "true".to_owned());
    }
    if let Some(rank) = launch.max_cluster_rank {
        field("max_cluster_rank", format!("Some({rank})"));
    }
    Expr::Struct {
        path: "runtime::Resources".to_owned(),
        fields,
        base: Some("runtime::Resources::NONE".to_owned()),
    }
}
