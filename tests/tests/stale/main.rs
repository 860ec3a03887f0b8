//! What makes an earlier result stale, as data: after each change a build must give what a clean one gives, and run no step
//! whose input says the same.
//!
//! The preprocessor is the real one; the other tools are fakes that write down what they are given, so that a result that
//! was kept wrongly differs.
#![cfg(target_os = "linux")]

mod killed;
mod scenarios;
mod world;

use world::World;

#[test]
fn every_change_gives_what_a_clean_build_gives() {
    let scenarios = scenarios::all();
    assert!(scenarios.len() >= 60, "{}", scenarios.len());
    let mut wrong = Vec::new();
    for scenario in &scenarios {
        let mut world = World::new(scenario.name);
        for step in &scenario.before {
            world.apply(step);
        }
        world.build("out");
        let first = world.runs();
        assert!(first.contains("ptxas"), "{}: {first}", scenario.name);
        world.build("out");
        let again = world.runs();
        if !scenario.never_settles && !again.is_empty() {
            let why = world.reasons("out");
            wrong.push(format!(
                "{}: unchanged, but it ran {again}: {why}",
                scenario.name
            ));
        }
        for step in &scenario.change {
            world.apply(step);
        }
        let kept = world.build("out");
        let ran = world.runs();
        world.quiet();
        let (kept, ran) = if scenario.twice {
            let kept = world.build("out");
            world.runs();
            (kept, ran)
        } else {
            (kept, ran)
        };
        let clean = world.build("clean");
        if kept != clean {
            wrong.push(format!(
                "{}: stale\n  is {kept:?}\n  not {clean:?}",
                scenario.name
            ));
        }
        if let Some(expected) = scenario.runs
            && ran != expected
        {
            wrong.push(format!("{}: ran `{ran}`, not `{expected}`", scenario.name));
        }
        world.remove();
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
