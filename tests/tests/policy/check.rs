//! What the checks find, one situation per test.

use cubin_build::{
    config::{Key, Limit},
    diag::Level,
    kernel::{Facts, Spills},
    policy::{budget::Value, check},
};
use cubin_core::kernel::{Function, Params, Stack};

use crate::support::{config, expect, kernel, params};

#[test]
fn registers() {
    let mut gemm = kernel("gemm<float>", 4, "sm_90a");
    gemm.resources.registers = 168;
    gemm.launch.max_threads = Some([320, 1, 1]);
    gemm.spills = Some(Spills {
        stores: 8,
        loads: 8,
    });
    expect(
        "check/registers",
        "[defaults]\nregisters = 128\n",
        None,
        &[gemm, kernel("ns::scale", 9, "sm_90a")],
    );
}

#[test]
fn every_budget_of_one_kernel() {
    let mut gemm = kernel("gemm<float>", 4, "sm_80");
    gemm.resources.registers = 255;
    gemm.resources.stack = Stack::Known(1024);
    gemm.spills = Some(Spills {
        stores: 24,
        loads: 40,
    });
    gemm.params = params(5000);
    gemm.resources.static_shared = 50_000;
    let toml = r#"
[defaults]
registers = 128
stack = 0
spills = 0
params = "4 KiB"
static-shared = "48 KiB"
"#;
    expect("check/every_budget", toml, None, &[gemm]);
}

#[test]
fn several_targets() {
    let mut kernels: Vec<_> = [
        "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_120",
    ]
    .map(|target| kernel("gemm<float>", 4, target))
    .into();
    for (kernel, registers) in kernels.iter_mut().zip([64, 130, 140, 140, 168, 168, 150]) {
        kernel.resources.registers = registers;
        kernel.resources.static_shared = 49_153;
    }
    let toml = "[defaults]\nregisters = 128\nstatic-shared = \"48 KiB\"\n";
    expect("check/several_targets", toml, None, &kernels);
    expect("check/two_targets", toml, None, &kernels[..2]);
    expect("check/three_targets", toml, None, &kernels[2..5]);
}

#[test]
fn a_rule_for_one_target() {
    let mut kernels = ["sm_80", "sm_90a"].map(|target| kernel("gemm<float>", 4, target));
    for kernel in &mut kernels {
        kernel.resources.registers = 200;
    }
    let toml = r#"
[defaults]
registers = 128

[[rule]]
kernel = "gemm<*>"
arch = "sm_90a"
registers = 168
level = "warn"
reason = "wgmma accumulators"
"#;
    expect("check/rule_for_one_target", toml, None, &kernels);
}

#[test]
fn a_rule_of_its_own() {
    let mut gemm = kernel("gemm<float>", 4, "sm_80");
    gemm.resources.registers = 200;
    let toml = "[[rule]]\nkernel = 'gemm<float>'\nregisters = 25\n";
    expect("check/rule_of_its_own", toml, None, &[gemm]);
}

#[test]
fn unknown_figures() {
    let mut kernels = ["sm_80", "sm_90"].map(|target| kernel("walk", 14, target));
    for kernel in &mut kernels {
        kernel.resources.stack = Stack::Unbounded;
        kernel.spills = None;
        kernel.params = Params::NotRecorded;
        kernel.resources.barriers = None;
    }
    let toml = "[defaults]\nstack = 0\nspills = 16\nlocal = 0\nparams = \"4 KiB\"\nbarriers = 1\n";
    expect("check/unknown_figures", toml, None, &kernels);
}

#[test]
fn barriers_code_local_and_constant() {
    let mut kernels = ["sm_80", "sm_90"].map(|target| kernel("gemm<float>", 4, target));
    kernels[0].resources.barriers = Some(2);
    kernels[1].resources.barriers = Some(16);
    for kernel in &mut kernels {
        kernel.resources.code_bytes = 3 << 16;
        kernel.resources.stack = Stack::Known(512);
        kernel.resources.local = 256;
        kernel.resources.constant = vec![(2, 48), (0, 5000)];
        kernel.module_constant = vec![(3, 50_000)];
    }
    let toml = r#"
[defaults]
barriers = 1
code-size = "128 KiB"
local = "512 B"
constant = "4 KiB"
"#;
    expect("check/barriers_code_local_constant", toml, None, &kernels);
}

#[test]
fn each_constant_bank_has_its_limit() {
    let mut gemm = kernel("gemm<float>", 4, "sm_90");
    gemm.resources.constant = vec![(2, 48), (0, 5000)];
    gemm.module_constant = vec![(3, 50_000)];
    let gemm = [gemm];
    let toml = "[defaults]\nconstant = { 0 = 4096, 3 = '64 KiB' }\n";
    expect("check/constant_bank", toml, None, &gemm);
    let toml = "[[rule]]\nkernel = 'gemm<float>'\nconstant = { 0 = 5000, 3 = 49999, other = 47 }\n";
    expect("check/constant_other", toml, None, &gemm);
    let toml = "[defaults]\nconstant = { 0 = 5000, 2 = 48, 3 = 50000, other = 0 }\n";
    expect("check/constant_kept", toml, None, &gemm);
}

#[test]
fn forbidden_functions() {
    let mut kernels = ["sm_80", "sm_90"].map(|target| kernel("gemm<float>", 4, target));
    for kernel in &mut kernels {
        kernel.externs = ["__assertfail", "malloc", "vprintf"]
            .map(str::to_owned)
            .into();
    }
    kernels[0].externs.pop();
    let toml = "[defaults]\nexterns = ['printf', '__assert*', 'free']\n";
    expect("check/externs", toml, None, &kernels);
    let toml =
        "[defaults]\nexterns = '*'\n[[rule]]\nkernel = 'gemm<float>'\nexterns = ['malloc']\n";
    expect("check/externs_own_rule", toml, None, &kernels);
    let toml = "[defaults]\nexterns = '*'\n[[rule]]\nkernel = 'gemm<*>'\nexterns = []\n";
    expect("check/externs_none", toml, None, &kernels);
}

#[test]
fn a_kernel_made_by_a_macro() {
    let mut kernel = kernel("uexp", 12, "sm_80");
    kernel.resources.stack = Stack::Known(16);
    expect("check/macro", "[defaults]\nstack = 0\n", None, &[kernel]);
}

#[test]
fn a_kernel_without_a_place() {
    let mut kernel = kernel("gemm<float>", 4, "sm_80");
    kernel.place = None;
    kernel.resources.registers = 33;
    expect(
        "check/no_place",
        "[defaults]\nregisters = 32\n",
        None,
        &[kernel],
    );
}

#[test]
fn allowed() {
    let mut kernel = kernel("gemm<float>", 4, "sm_80");
    kernel.resources.registers = 200;
    kernel.resources.stack = Stack::Known(8);
    let toml =
        "[defaults]\nregisters = 32\nstack = 0\n[[rule]]\nkernel = 'gemm<*>'\nlevel = 'allow'\n";
    expect("check/allowed", toml, None, &[kernel]);
}

#[test]
fn unmatched_rules() {
    let kernels = [
        kernel("gemm<float>", 4, "sm_80"),
        kernel("ns::scale", 9, "sm_90"),
        kernel("walk", 14, "sm_80"),
    ];
    let toml = r#"
[[rule]]
kernel = ["gemm", "scale", "sca*", "wlak", "_Z4walkv", "transpose"]
registers = 40

[[rule]]
arch = ["sm_90", "sm_100*"]
registers = 41

[[rule]]
kernel = "walk"
arch = "sm_90"
registers = 42
"#;
    expect("check/unmatched", toml, None, &kernels);
    expect("check/nothing_to_match", toml, None, &[]);
}

#[test]
fn names_that_need_escapes() {
    let mut kernel = kernel("gemm<'\\0', \"a\">", 4, "sm_80");
    kernel.resources.registers = 33;
    expect(
        "check/escapes",
        "[defaults]\nregisters = 32\n",
        None,
        &[kernel],
    );
}

#[test]
fn occupancy_limited_by_registers() {
    let mut kernels = ["sm_80", "sm_90a"].map(|target| kernel("gemm<float>", 4, target));
    kernels[0].resources.registers = 96;
    kernels[1].resources.registers = 168;
    kernels[1].launch.max_threads = Some([320, 1, 1]);
    let rule = |min: &str| {
        format!("[[rule]]\nkernel = 'gemm<*>'\noccupancy = {{ block = 320, min = {min} }}\n")
    };
    let toml = format!("{}reason = 'latency is hidden by warps'\n", rule("0.25"));
    expect("check/occupancy_registers", &toml, None, &kernels);
    expect("check/occupancy_two_targets", &rule("0.5"), None, &kernels);
    // 10 of 64 warps are just enough.
    expect("check/occupancy_reached", &rule("0.15625"), None, &kernels);
}

#[test]
fn occupancy_limited_by_shared_memory() {
    let mut gemm = kernel("gemm<float>", 4, "sm_80");
    gemm.resources.static_shared = 40_000;
    let toml = "[defaults]\noccupancy = { block = 128, min = 0.5, dynamic-shared = '16 KiB' }\n";
    expect("check/occupancy_shared", toml, None, &[gemm]);
}

#[test]
fn occupancy_of_blocks_that_cannot_run() {
    let mut gemm = kernel("gemm<float>", 4, "sm_80");
    gemm.launch.max_threads = Some([256, 1, 1]);
    let toml = "[defaults]\noccupancy = { block = 512, min = 0.5 }\n";
    expect("check/occupancy_launch_bounds", toml, None, &[gemm]);
    let mut scale = kernel("ns::scale", 9, "sm_80");
    scale.resources.registers = 255;
    let toml = "[defaults]\noccupancy = { block = 1024, min = 1 }\n";
    expect("check/occupancy_too_large", toml, None, &[scale]);
}

#[test]
fn occupancy_of_an_unknown_target() {
    let toml = "[defaults]\noccupancy = { block = 512, min = 0.5 }\nlevel = 'warn'\n";
    let kernels = ["sm_60", "sm_80", "sm_999"].map(|target| kernel("walk", 14, target));
    expect("check/occupancy_unknown", toml, None, &kernels);
}

#[test]
fn the_order_of_kernels_does_not_show() {
    let mut kernels = Vec::new();
    for (name, line) in [("walk", 14), ("gemm<float>", 4), ("ns::scale", 9)] {
        for target in ["sm_90", "sm_80", "sm_100a"] {
            let mut kernel = kernel(name, line, target);
            kernel.resources.registers = 40 + line;
            kernel.resources.stack = if line == 9 {
                Stack::Unbounded
            } else {
                Stack::Known(line)
            };
            kernels.push(kernel);
        }
    }
    let config =
        config("[defaults]\nregisters = 40\nstack = 0\n[[rule]]\nkernel = 'x'\nstack = 1\n");
    let expected = check(&config, None, &kernels);
    assert_eq!(expected.len(), 7);
    for _ in 0..kernels.len() {
        kernels.rotate_left(1);
        assert_eq!(check(&config, None, &kernels), expected);
    }
    kernels.reverse();
    assert_eq!(check(&config, None, &kernels), expected);
}

#[test]
fn facts_of_a_function() {
    let mut function = Function::default();
    function.symbol = "_Z4walkPKi";
    function.kernel = true;
    function.resources.registers = 40;
    function.resources.static_shared = 512;
    function.resources.reserved_shared = 1024;
    function.resources.barriers = Some(1);
    function.params = Params::Recorded {
        base: 0x210,
        size: 8,
        params: Vec::new(),
    };
    function.launch.max_threads = Some([32, 4, 2]);
    let facts = Facts::new("walk", "sm_90".parse().expect("a target"), &function);
    assert_eq!(facts.symbol, "_Z4walkPKi");
    assert_eq!(facts.block_threads(), Some(256));
    assert_eq!((facts.spills, facts.place.clone()), (None, None));
    let value = |key: Key| (key.figure().measure)(&facts, &Limit::Most(0));
    assert_eq!(value(Key::Registers), Value::Number(40));
    assert_eq!(value(Key::Stack), Value::Unknown);
    assert_eq!(value(Key::Spills), Value::Unknown);
    assert_eq!(value(Key::Params), Value::Number(8));
    assert_eq!(value(Key::StaticShared), Value::Number(512));
    assert_eq!(value(Key::Barriers), Value::Number(1));
    function.params = Params::NotRecorded;
    let facts = Facts::new("walk", facts.target, &function);
    assert_eq!(facts.params_size(), None);
}

/// The finding's own suggestions, pasted into the file, settle it.
#[test]
fn suggested_rules_settle_the_finding() {
    let mut kernels =
        ["sm_80", "sm_90a"].map(|target| kernel("gemm<'\\', \"x\", float*>", 4, target));
    for kernel in &mut kernels {
        kernel.resources.registers = 255;
        kernel.resources.stack = Stack::Unbounded;
        kernel.spills = Some(Spills {
            stores: 24,
            loads: 40,
        });
        kernel.params = params(5000);
        kernel.resources.static_shared = 50_000;
        kernel.resources.barriers = Some(4);
        kernel.resources.code_bytes = 9000;
        kernel.resources.constant = vec![(0, 5000), (2, 8)];
        kernel.externs = vec!["malloc".to_owned(), "vprintf".to_owned()];
    }
    kernels[1].resources.registers = 168;
    kernels[1].spills = None;
    kernels[1].resources.barriers = None;
    let mut toml = r#"
[defaults]
registers = 128
stack = 0
spills = 0
params = "4 KiB"
static-shared = "48 KiB"
local = 0
barriers = 0
code-size = "8 KiB"
constant = { 0 = 4096, 2 = 0 }
externs = ["printf", "malloc", "free"]
occupancy = { block = 512, min = 0.5 }

[[rule]]
kernel = "gemm<*>"
arch = "sm_90a"
registers = 100
"#
    .to_owned();
    let mut rounds = 0;
    while let Some(diag) = check(&config(&toml), None, &kernels)
        .into_iter()
        // The rule that the file began with decides nothing in the end, which is told.
        .find(|diag| diag.level > Level::Allow && diag.code.0 != "shadowed-rule")
    {
        let rule = diag
            .help
            .iter()
            .find_map(|help| Some(&help[help.find("[[rule]]")?..]))
            .unwrap_or_else(|| panic!("no rule suggested: {diag:?}"));
        toml.push_str(rule);
        toml.push('\n');
        rounds += 1;
        assert!(rounds <= 20, "{toml}");
    }
    // The first suggestion for registers, 255 for the whole kernel, settles the other target as well.
    assert_eq!(rounds, 13, "{toml}");
}
