//! Each property of a kernel: what the cubin shows of it, and that one without a trace is told of.

use std::{fmt::Write as _, fs};

use cubin_core::{Cubin, Params};
use cubin_tests::tools;

use super::{Dialect, build, module, scratch, show};

/// A name, properties as annotations, and as attributes of the newer dialect.
type Case = (&'static str, &'static [(&'static str, u32)], &'static str);

const PROPERTIES: &[Case] = &[
    ("none", &[], ""),
    (
        "maxntid",
        &[("maxntidx", 128), ("maxntidy", 2)],
        "\"nvvm.maxntid\"=\"128,2\"",
    ),
    (
        "reqntid",
        &[("reqntidx", 64), ("reqntidy", 4), ("reqntidz", 1)],
        "\"nvvm.reqntid\"=\"64,4,1\"",
    ),
    (
        "minctasm",
        &[("maxntidx", 256), ("minctasm", 4)],
        "\"nvvm.maxntid\"=\"256\" \"nvvm.minctasm\"=\"4\"",
    ),
    ("maxnreg", &[("maxnreg", 40)], "\"nvvm.maxnreg\"=\"40\""),
    (
        "maxclusterrank",
        &[("maxclusterrank", 8)],
        "\"nvvm.maxclusterrank\"=\"8\"",
    ),
    ("cluster_max_blocks", &[("cluster_max_blocks", 8)], ""),
    (
        "cluster_dim",
        &[
            ("cluster_dim_x", 2),
            ("cluster_dim_y", 2),
            ("cluster_dim_z", 1),
        ],
        "\"nvvm.cluster_dim\"=\"2,2,1\"",
    ),
    ("cluster_dim of none", &[("cluster_dim_x", 0)], ""),
    ("clusterdim", &[("clusterdimx", 2), ("clusterdimy", 1)], ""),
    ("explicit_cluster", &[("explicit_cluster", 1)], ""),
    (
        "blocksareclusters",
        &[
            ("reqntidx", 64),
            ("cluster_dim_x", 2),
            ("blocksareclusters", 1),
        ],
        "\"nvvm.reqntid\"=\"64\" \"nvvm.cluster_dim\"=\"2\" \"nvvm.blocksareclusters\"",
    ),
    (
        "minnctapersm",
        &[("maxntidx", 256), ("minnctapersm", 4)],
        "",
    ),
    ("bogus", &[("bogus", 3)], ""),
];

#[test]
fn every_property_is_seen_again_or_told_of() {
    if cubin_tests::toolkit().is_none() {
        return;
    }
    let dir = scratch("annotations");
    let mut text = String::new();
    for (name, properties, attributes) in PROPERTIES {
        writeln!(text, "## {name}").expect("text");
        let list: String = properties
            .iter()
            .map(|(name, value)| format!(", !\"{name}\", i32 {value}"))
            .collect();
        let metadata = format!(
            "!nvvm.annotations = !{{!0}}\n!0 = !{{FN[void (P1<i32>)] @k, !\"kernel\", i32 1{list}}}\n"
        );
        let annotated = module(
            "define void @k(P1<i32> %p) {\n  store i32 1, P1<i32> %p\n  ret void\n}\n",
            &metadata,
        );
        let mut variants: Vec<(String, String, &str)> = Vec::new();
        for (dialect, targets) in [
            (Dialect::Typed, &["sm_75", "sm_90"][..]),
            (Dialect::Opaque, &["sm_90", "sm_100", "sm_120"]),
        ] {
            let text = dialect.write(&annotated);
            for target in targets {
                let what = format!("{}, {target}", dialect.name());
                variants.push((what, text.clone(), target));
            }
        }
        if !attributes.is_empty() {
            let kernel =
                format!("define ptx_kernel void @k(P1<i32> %p) {attributes} {{\n  ret void\n}}\n");
            let text = Dialect::Opaque.write(&module(&kernel, ""));
            for target in ["sm_100", "sm_120"] {
                variants.push((format!("attributes, {target}"), text.clone(), target));
            }
        }
        for (what, module, target) in variants {
            match build(&dir, &module, &[target], "") {
                Err(findings) => writeln!(text, "{what}:\n{}", show(&findings)).expect("text"),
                Ok(output) => {
                    let data = fs::read(&output.cubins[0]).expect("a cubin");
                    let cubin = Cubin::parse(&data).expect("a cubin");
                    let functions = cubin.functions().expect("functions");
                    writeln!(
                        text,
                        "{what}: {:?}\n{}",
                        functions[0].launch,
                        show(&output.warnings)
                    )
                    .expect("text");
                }
            }
        }
    }
    tools::same_as_recorded("nvvm/annotations.txt", &text);
}

/// Definitions, what else is annotated, and what the kernel `k` of it is: its type behind `FN[…]`.
const OTHERS: &[(&str, &str, &str, &str)] = &[
    (
        "texture",
        "@t = addrspace(1) global i64 0\ndefine void @k(P1<i32> %p) {\n  store i32 1, P1<i32> %p\n  ret void\n}\n",
        "!1 = !{P1<i64> @t, !\"texture\", i32 1}",
        "P1<i32>",
    ),
    (
        "surface",
        "@t = addrspace(1) global i64 0\ndefine void @k(P1<i32> %p) {\n  store i32 1, P1<i32> %p\n  ret void\n}\n",
        "!1 = !{P1<i64> @t, !\"surface\", i32 1}",
        "P1<i32>",
    ),
    (
        "sampler",
        "@t = addrspace(1) global i64 0\ndefine void @k(P1<i32> %p) {\n  store i32 1, P1<i32> %p\n  ret void\n}\n",
        "!1 = !{P1<i64> @t, !\"sampler\", i32 1}",
        "P1<i32>",
    ),
    (
        "managed",
        "@m = addrspace(1) global i32 0\ndefine void @k(P1<i32> %p) {\n  %x = load i32, P1<i32> @m\n  store i32 %x, P1<i32> %p\n  ret void\n}\n",
        "!1 = !{P1<i32> @m, !\"managed\", i32 1}",
        "P1<i32>",
    ),
    (
        "align of a parameter",
        "define void @k(i8 %a, {i32,i32} %b) {\n  ret void\n}\n",
        "!1 = !{FN[void (i8, {i32,i32})] @k, !\"align\", i32 131088}",
        "i8, {i32,i32}",
    ),
    (
        "grid_constant",
        "define void @k(BYVAL %s, P1<i32> %p) {\n  call void asm sideeffect \"// $0\", \"l\"(P0<%S> %s)\n  ret void\n}\n",
        "!1 = !{FN[void (P0<%S>, P1<i32>)] @k, !\"grid_constant\", !2}\n!2 = !{i32 1}",
        "P0<%S>, P1<i32>",
    ),
    (
        "no grid_constant",
        "define void @k(BYVAL %s, P1<i32> %p) {\n  call void asm sideeffect \"// $0\", \"l\"(P0<%S> %s)\n  ret void\n}\n",
        "!1 = !{FN[void (P0<%S>, P1<i32>)] @k, !\"maxnreg\", i32 40}",
        "P0<%S>, P1<i32>",
    ),
];

/// What is annotated that no launch has to obey: variables, and parameters.
#[test]
fn what_else_is_annotated_reaches_the_cubin() {
    if cubin_tests::toolkit().is_none() {
        return;
    }
    let dir = scratch("annotations-others");
    let mut text = String::new();
    for (name, definitions, annotation, parameters) in OTHERS {
        writeln!(text, "## {name}").expect("text");
        let metadata = format!(
            "!nvvm.annotations = !{{!0, !1}}\n!0 = !{{FN[void ({parameters})] @k, !\"kernel\", i32 1}}\n{annotation}\n"
        );
        for dialect in Dialect::ALL {
            let by_value = match dialect {
                Dialect::Typed => "%S* byval align 8",
                Dialect::Opaque => "ptr byval(%S) align 8",
            };
            let definitions = format!("%S = type {{ i32, [3 x i64] }}\n{definitions}");
            let case = module(&definitions, &metadata);
            let case = dialect.write(&case).replace("BYVAL", by_value);
            let targets = dialect.targets();
            let what = dialect.name();
            let output = match build(&dir, &case, &targets, "") {
                Err(findings) => {
                    writeln!(text, "{what}:\n{}", show(&findings)).expect("text");
                    continue;
                }
                Ok(output) => output,
            };
            for (path, target) in output.cubins.iter().zip(targets) {
                let data = fs::read(path).expect("a cubin");
                let cubin = Cubin::parse(&data).expect("a cubin");
                let function = &cubin.functions().expect("functions")[0];
                let Params::Recorded { params, .. } = &function.params else {
                    panic!("no parameters")
                };
                let places: Vec<String> = params
                    .iter()
                    .map(|param| format!("{}@{}", param.size, param.offset))
                    .collect();
                write!(
                    text,
                    "{what}, {target}: {}; stack {:?}, {:?} registers at most",
                    places.join(" "),
                    function.resources.stack,
                    function.launch.max_registers
                )
                .expect("text");
                for variable in cubin.variables().expect("variables") {
                    write!(
                        text,
                        "; {:?} variable {} of {} bytes{}",
                        variable.space,
                        variable.symbol,
                        variable.size,
                        if variable.managed { ", managed" } else { "" }
                    )
                    .expect("text");
                }
                text.push('\n');
            }
            text.push_str(&show(&output.warnings));
        }
        text.push('\n');
    }
    tools::same_as_recorded("nvvm/annotations-others.txt", &text);
}
