//! Each property of a kernel: what the cubin shows of it, and that one without a trace is told of.

use std::{fmt::Write as _, fs};

use cubin_core::Cubin;
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
        let mut variants = vec![
            ("typed, sm_90", Dialect::Typed.write(&annotated), "sm_90"),
            ("opaque, sm_90", Dialect::Opaque.write(&annotated), "sm_90"),
            (
                "opaque, sm_100",
                Dialect::Opaque.write(&annotated),
                "sm_100",
            ),
        ];
        if !attributes.is_empty() {
            let kernel =
                format!("define ptx_kernel void @k(P1<i32> %p) {attributes} {{\n  ret void\n}}\n");
            let text = Dialect::Opaque.write(&module(&kernel, ""));
            variants.push(("attributes, sm_100", text, "sm_100"));
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
