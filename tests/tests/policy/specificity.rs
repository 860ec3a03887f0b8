//! Which rule wins: a table of rules, and the value that must come out.

use cubin_build::{
    config::{Key, Limit},
    diag::Level,
    kernel::Facts,
    policy::Policy,
};

use crate::support::{config, kernel};

fn gemm() -> Facts {
    let mut gemm = kernel("ns::gemm<float*>", 4, "sm_90a");
    gemm.symbol = "_ZN2ns4gemmIPfEEvv".to_owned();
    gemm
}

/// (`[[rule]]` bodies; the value tells which one wins), winner.
const CASES: &[(&[&str], u64)] = &[
    // No rule selects the kernel: [defaults].
    (&[], 1),
    (
        &["kernel = 'other'", "arch = 'sm_80'", "kernel = 'gemm'"],
        1,
    ),
    // Any rule that selects it is above [defaults].
    (&["kernel = '*'"], 2),
    (&["arch = 'sm_9*'"], 2),
    // More literal characters win, wherever they stand.
    (&["kernel = '*gemm<*>'", "kernel = '*gemm*'"], 2),
    (&["kernel = '*gemm*'", "kernel = '*gemm<*>'"], 3),
    // The name itself is above every pattern, also a longer one over the symbol.
    (
        &[
            "kernel = 'ns::gemm<float*>'",
            "kernel = '_ZN2ns4gemmIPfEEv?'",
        ],
        2,
    ),
    (
        &[
            "kernel = '_ZN2ns4gemmIPfEEv?'",
            "kernel = 'ns::gemm<float*>'",
        ],
        3,
    ),
    // So is the symbol itself; on that tie the later rule wins.
    (
        &[
            "kernel = '_ZN2ns4gemmIPfEEvv'",
            "kernel = 'ns::gemm<float*>'",
        ],
        2,
    ),
    // Longer exact text (18 against 16 characters) is the more literal one, whatever the order.
    (
        &[
            "kernel = 'ns::gemm<float*>'",
            "kernel = '_ZN2ns4gemmIPfEEvv'",
        ],
        3,
    ),
    // `?` is a wildcard as well.
    (
        &["kernel = 'ns::gemm<?????*>'", "kernel = 'ns::gemm<f*>'"],
        3,
    ),
    // Equal patterns: the later one.
    (&["kernel = 'ns::*'", "kernel = 'ns::*'"], 3),
    // The kernel decides before the target does.
    (
        &["kernel = 'ns::gemm*'", "kernel = 'ns::*'\narch = 'sm_90a'"],
        2,
    ),
    // The same kernel pattern: the one with a target, then the closer target.
    (&["kernel = 'ns::*'\narch = 'sm_*'", "kernel = 'ns::*'"], 2),
    (
        &[
            "kernel = 'ns::*'\narch = 'sm_90a'",
            "kernel = 'ns::*'\narch = 'sm_9*'",
        ],
        2,
    ),
    (&["arch = 'sm_90a'", "arch = 'sm_9*'"], 2),
    // A rule with a kernel is above one with a target only.
    (&["kernel = 'n*'", "arch = 'sm_90a'"], 2),
    // Of several patterns the closest that matches counts.
    (
        &["kernel = ['*', 'ns::gemm<*>']", "kernel = 'ns::gemm*'"],
        2,
    ),
    (
        &[
            "kernel = ['*', 'ns::gemm<float*>x']",
            "kernel = 'ns::gemm*'",
        ],
        3,
    ),
    // sm_90 is not sm_90a.
    (&["arch = 'sm_90'"], 1),
];

#[test]
fn the_most_specific_rule_wins() {
    for (rules, winner) in CASES {
        let mut toml = String::from("[defaults]\nregisters = 1\n");
        for (index, rule) in rules.iter().enumerate() {
            toml.push_str(&format!("[[rule]]\n{rule}\nregisters = {}\n", index + 2));
        }
        let config = config(&toml);
        let budget = Policy::new(&config).budget(&gemm(), Key::Registers);
        assert_eq!(
            budget.map(|budget| &budget.limit.value),
            Some(&Limit::Most(*winner)),
            "{toml}"
        );
    }
}

#[test]
fn each_key_is_resolved_on_its_own() {
    let config = config(
        "[defaults]\nstack = 1\n[[rule]]\nkernel = '*'\nstack = 2\nspills = 3\n\
         [[rule]]\nkernel = 'ns::*'\nspills = 4\n",
    );
    let policy = Policy::new(&config);
    let limit = |key| {
        let budget = policy.budget(&gemm(), key);
        budget.map(|budget| budget.limit.value.clone())
    };
    assert_eq!(limit(Key::Stack), Some(Limit::Most(2)));
    assert_eq!(limit(Key::Spills), Some(Limit::Most(4)));
    assert_eq!(limit(Key::Registers), None);
}

/// (text of the file, level of registers, level of stack)
const LEVELS: &[(&str, Level, Level)] = &[
    ("", Level::Deny, Level::Deny),
    ("level = 'warn'", Level::Warn, Level::Warn),
    // The level of a rule with budgets speaks of these alone.
    (
        "[[rule]]\nkernel = 'ns::*'\nregisters = 9\nlevel = 'warn'",
        Level::Warn,
        Level::Deny,
    ),
    // That of a rule without budgets speaks of all.
    (
        "[[rule]]\nkernel = 'ns::*'\nlevel = 'allow'",
        Level::Allow,
        Level::Allow,
    ),
    // A closer rule that is silent on the level leaves it to the others.
    (
        "[[rule]]\nkernel = '*'\nlevel = 'warn'\n[[rule]]\nkernel = 'ns::*'\nregisters = 9",
        Level::Warn,
        Level::Warn,
    ),
    // The closer one wins.
    (
        "[[rule]]\nkernel = 'ns::*'\nlevel = 'deny'\n[[rule]]\nkernel = '*'\nlevel = 'warn'",
        Level::Deny,
        Level::Deny,
    ),
    // One for a budget of its own goes before one for all that selects less closely, and the other way round.
    (
        "[[rule]]\nkernel = 'ns::gemm<*>'\nregisters = 2\nlevel = 'warn'\n[[rule]]\nkernel = '*'\nlevel = 'deny'",
        Level::Warn,
        Level::Deny,
    ),
    (
        "[[rule]]\nkernel = '*'\nregisters = 2\nlevel = 'deny'\n[[rule]]\nkernel = 'ns::gemm<*>'\nlevel = 'warn'",
        Level::Warn,
        Level::Warn,
    ),
];

#[test]
fn levels() {
    for (text, registers, stack) in LEVELS {
        let toml = format!("[defaults]\nregisters = 1\nstack = 0\n{text}\n");
        let config = config(&toml);
        let policy = Policy::new(&config);
        let level = |key| policy.budget(&gemm(), key).map(|budget| budget.level);
        assert_eq!(level(Key::Registers), Some(*registers), "{toml}");
        assert_eq!(level(Key::Stack), Some(*stack), "{toml}");
    }
}
