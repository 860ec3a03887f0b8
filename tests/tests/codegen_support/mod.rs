//! Input of the generator from recorded files: what nvcc left for `golden/codegen/<stem>.cu`.

// Each test that includes this uses a part of it.
#![allow(dead_code)]

pub(crate) mod made;

use std::path::Path;

use cubin_build::{
    codegen::{Backend, EmbeddedImage, HalfTypes, Input, Module, Runtime},
    kernel::Facts,
    signature,
    sorted::Map,
};
use cubin_core::{Cubin, Sm};
use cubin_tests::recorded;

/// Recorded files of one source.
pub(crate) fn module(stem: &str, targets: &[&str]) -> Module {
    let file = |name: &str| recorded::file("codegen", name);
    let toolkit = [Path::new("/usr/local/cuda/include").to_owned()];
    let mut facts: Map<String, Map<Sm, Facts>> = Map::new();
    let mut images = Vec::new();
    let mut per_target = Vec::new();
    for target in targets {
        let target: Sm = target.parse().expect("a target");
        let name = format!("{stem}.{target}.cubin");
        let stub = file(&format!("{stem}.{target}.cudafe1.stub.c"));
        let gpu = file(&format!("{stem}.{target}.cudafe1.gpu"));
        let bytes = file(&name);
        let cubin = Cubin::parse(&bytes).expect("a recorded cubin");
        let kernels = cubin.kernels().expect("readable kernels");
        let mut signatures = signature::read(&stub, &gpu[..], &toolkit).expect("readable files");
        let findings = signature::check::check(&mut signatures, &kernels, target);
        assert_eq!(findings, [], "{name}");
        for kernel in kernels {
            let mut known = Facts::new(kernel.symbol, target, &kernel);
            // As PTX would tell; the other sources are as if compiled elsewhere.
            if stem == "more" {
                known.resources.dynamic_shared = Some(kernel.symbol == "shared_memory");
            }
            facts
                .or_default(kernel.symbol.to_owned())
                .insert(target, known);
        }
        images.push(EmbeddedImage {
            target,
            file: name,
            assembled_for: None,
        });
        per_target.push((target, signatures));
    }
    let (signatures, findings) = signature::same_on_every_target(&per_target);
    assert_eq!(findings, []);
    Module {
        name: stem.to_owned(),
        source: format!("kernels/{stem}.cu"),
        images,
        fatbin: None,
        signatures,
        facts,
    }
}

/// Sources that share types, with the runtime of the crate: `kinds` shows the one that is embedded.
pub(crate) fn both() -> Input {
    Input {
        runtime: Runtime::Crate,
        modules: vec![
            module("families", &["sm_80", "sm_90a"]),
            module("kinds", &["sm_80", "sm_90a"]),
            module("more", &["sm_80", "sm_90a"]),
            module("names", &["sm_80", "sm_90a"]),
        ],
        ..kinds()
    }
}

/// The same without a driver.
pub(crate) fn core() -> Input {
    Input {
        backend: Backend::Core,
        ..both()
    }
}

/// One source with its cubins and with PTX, for devices that are newer than both.
pub(crate) fn ptx() -> Input {
    let mut module = module("more", &["sm_80", "sm_90a"]);
    module.images.push(EmbeddedImage {
        target: Sm::new(80),
        file: "more.compute_80.ptx".to_owned(),
        assembled_for: Some(Sm::new(80)),
    });
    Input {
        modules: vec![module],
        runtime: Runtime::Crate,
        ..kinds()
    }
}

/// The recorded input: every kind of parameter.
pub(crate) fn kinds() -> Input {
    Input {
        modules: vec![module("kinds", &["sm_80", "sm_90a"])],
        backend: Backend::default(),
        half: HalfTypes::Generated,
        host: Vec::new(),
        runtime: Runtime::Embedded,
    }
}
