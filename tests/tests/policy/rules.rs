//! Rules by source, rules that decide nothing, and rules that have expired.

use cubin_build::{
    config::{Key, Limit},
    diag::Level,
    kernel::Facts,
    policy::{Policy, Uses, Which, check, expired, expires},
};

use crate::support::{config, expect, expect_diags, kernel};

/// `ns::scale` of `kernels/legacy/scale.cu`, which a header defines.
fn scale() -> Facts {
    let mut scale = kernel("ns::scale", 9, "sm_90a");
    scale.sources = vec![
        "kernels/legacy/scale.cu".to_owned(),
        "include/common.cuh".to_owned(),
    ];
    scale
}

/// `[[rule]]` bodies; the value tells which one wins, 1 that `[defaults]` do.
const CASES: &[(&[&str], u64)] = &[
    (&["source = 'kernels/legacy/*'"], 2),
    (&["source = 'kernels/legacy/scale.cu'"], 2),
    // A pattern without `/` is a file's name.
    (&["source = 'scale.cu'"], 2),
    (&["source = '*.cuh'"], 2),
    (&["source = 'legacy'"], 1),
    (&["source = 'legacy/*'"], 1),
    (&["source = ['gone.cu', 'include/*']"], 2),
    // The closer one, wherever it stands.
    (&["source = 'kernels/legacy/*'", "source = 'kernels/*'"], 2),
    (&["source = 'kernels/*'", "source = 'kernels/legacy/*'"], 3),
    (
        &["source = 'scale.cu'", "source = 'kernels/legacy/*.cu'"],
        2,
    ),
    // The kernel's name goes before its source, and that before the target.
    (
        &["kernel = 'ns::*'", "source = 'kernels/legacy/scale.cu'"],
        2,
    ),
    (&["source = '*.cu'", "arch = 'sm_90a'"], 2),
    (
        &[
            "kernel = 'ns::*'\nsource = '*.cu'",
            "kernel = 'ns::*'\narch = 'sm_90a'",
        ],
        2,
    ),
    // All that a rule names must match.
    (&["kernel = 'ns::*'\nsource = 'other.cu'"], 1),
    (&["source = '*.cu'\narch = 'sm_80'"], 1),
];

#[test]
fn the_source_selects_between_kernel_and_target() {
    for (rules, winner) in CASES {
        let mut toml = String::from("[defaults]\nregisters = 1\n");
        for (index, rule) in rules.iter().enumerate() {
            toml.push_str(&format!("[[rule]]\n{rule}\nregisters = {}\n", index + 2));
        }
        let config = config(&toml);
        let policy = Policy::new(&config);
        let budget = policy.budget(&scale(), Key::Registers);
        assert_eq!(
            budget.map(|budget| &budget.limit.value),
            Some(&Limit::Most(*winner)),
            "{toml}"
        );
    }
    // A kernel whose source is not known is of none.
    let config = config("[[rule]]\nsource = '*'\nregisters = 2\n");
    let unknown = kernel("ns::scale", 9, "sm_90a");
    let budget = Policy::new(&config).budget(&unknown, Key::Registers);
    assert!(budget.is_none());
}

#[test]
fn kernels_of_one_name_in_two_sources_have_their_own_rules() {
    let mut wide = scale();
    wide.resources.registers = 90;
    let mut other = wide.clone();
    other.sources = vec!["kernels/new/scale.cu".to_owned()];
    expect(
        "check/source",
        "[defaults]\nregisters = 64\n\n[[rule]]\nsource = \"kernels/legacy/*\"\nregisters = 80\nreason = \"old\"\n",
        None,
        &[other, wide],
    );
}

#[test]
fn a_rule_with_a_level_alone_speaks_of_a_source() {
    let config = config("[[rule]]\nsource = 'lambdas.cu'\nlevel = 'allow'\n");
    let level = |source: &str| {
        Policy::new(&config).unwrapped(Which {
            name: "apply",
            symbol: "_Z5applyv",
            sources: &[source.to_owned()],
        })
    };
    assert_eq!(level("kernels/lambdas.cu"), Some(Level::Allow));
    assert_eq!(level("kernels/other.cu"), None);
}

#[test]
fn sources_that_match_nothing() {
    expect(
        "check/unmatched_source",
        "[[rule]]\nsource = \"kernels/legacy/scle.cu\"\nregisters = 80\n\n\
         [[rule]]\nsource = [\"*.ptx\", \"scale.cu\"]\nregisters = 81\n\n\
         [[rule]]\nsource = \"*.cu\"\nkernel = \"fill\"\nregisters = 82\n",
        None,
        &[scale(), kernel("fill", 9, "sm_90a")],
    );
}

/// The second and the third rule decide nothing; the first loses one key only, the fourth decides a level.
const SHADOWED: &str = "[defaults]
stack = 0

[[rule]]
kernel = \"ns::*\"
registers = 100
spills = 0

[[rule]]
kernel = \"*scale\"
registers = 90

[[rule]]
arch = \"sm_90a\"
level = \"warn\"

[[rule]]
kernel = \"*ale\"
registers = 80
level = \"warn\"

[[rule]]
kernel = \"ns::*\"
level = \"allow\"

[[rule]]
kernel = \"ns::scale\"
registers = 70
";

#[test]
fn rules_that_decide_nothing() {
    expect("check/shadowed", SHADOWED, None, &[scale()]);
    let config = config(SHADOWED);
    let mut uses = Uses::new(&config);
    let scale = scale();
    uses.add(Which::of(&scale), scale.target);
    let shadowed: Vec<bool> = uses.all.iter().map(|of| of.shadowed()).collect();
    // [defaults] first. The level of `*ale` speaks of registers, and is not the closest that does.
    assert_eq!(shadowed, [false, false, true, true, true, false, false]);
    // Taken out, nothing changes: each is dead indeed.
    let before = Policy::new(&config).select(&scale);
    let mut without = config.clone();
    for (index, _) in shadowed.iter().enumerate().filter(|(_, dead)| **dead).rev() {
        without.rules.remove(index - 1);
    }
    let after = Policy::new(&without).select(&scale);
    for key in Key::ALL {
        let of = |selection: &cubin_build::policy::resolve::Selection<'_>| {
            let budget = selection.budget(*key);
            budget.map(|budget| (budget.limit.value.clone(), budget.level))
        };
        assert_eq!(of(&before), of(&after), "{}", key.name());
    }
}

#[test]
fn a_target_that_no_closer_rule_decides_keeps_a_rule_alive() {
    let text = "[[rule]]\nkernel = 'ns::*'\nregisters = 100\n[[rule]]\nkernel = 'ns::scale'\narch = 'sm_90a'\nregisters = 90\n";
    let mut other = scale();
    other.target = "sm_80".parse().expect("a target");
    assert!(check(&config(text), None, &[scale(), other]).is_empty());
    let found = check(&config(text), None, &[scale()]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].code.0, "shadowed-rule");
}

#[test]
fn tables_stand_until_the_end_of_their_day() {
    let text = "[defaults]\nregisters = 9\nexpires = \"2027-03-01\"\n\n\
                [[rule]]\nkernel = \"ns::scale\"\nregisters = 100\nreason = \"until the rewrite\"\nexpires = \"2027-01-31\"\n";
    let config = config(text);
    assert!(expires(&config));
    let on = |day: &str| expired(&config, &[scale()], day, Level::Warn);
    assert!(on("2027-01-31").is_empty());
    expect_diags("check/expired", on("2027-02-01"));
    assert_eq!(on("2027-03-02").len(), 2);
    let denied = expired(&config, &[], "2028-01-01", Level::Deny);
    assert!(denied.iter().all(|diag| diag.level == Level::Deny));
}
