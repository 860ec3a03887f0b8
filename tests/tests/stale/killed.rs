//! Builds that are killed: nothing goes on without them, and the next one is right.

use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use cubin_build::env::Env;
use cubin_tests::processes;

use crate::world::{Change, World};

/// Names the world that [`a_build_of_another_process`] works in.
const WORLD: &str = "STALE_WORLD";

/// Not a test by itself: what the others start and kill.
#[test]
#[ignore = "started by other tests"]
fn a_build_of_another_process() {
    let Some(name) = Env::process().peek(WORLD) else {
        return;
    };
    let name = name.to_str().unwrap();
    if name == "killed" {
        World::again(name).build("out");
        return;
    }
    let mut world = World::new(name);
    world.apply(&Change::Write("control/before-cicc", "sleep 600 & wait\n"));
    world.build("out");
}

fn start(world: &str, through_shell: bool) -> Child {
    let program = std::env::current_exe().unwrap();
    let words = ["--exact", "killed::a_build_of_another_process", "--ignored"];
    let mut command = match through_shell {
        false => Command::new(&program),
        true => {
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", "\"$@\" & wait", "sh"]).arg(&program);
            shell
        }
    };
    let command = command.args(words).env(WORLD, world);
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
    quiet.spawn().unwrap()
}

/// Processes whose command line or folder is below `dir`.
fn running(dir: &Path) -> Vec<String> {
    let found = processes::with(dir.to_str().unwrap()).into_iter();
    found.map(|(_, words)| words).collect()
}

fn until(what: &str, limit: u64, is: impl Fn() -> bool) {
    processes::until(what, Duration::from_secs(limit), is);
}

#[test]
fn compilers_end_with_a_build_that_is_killed_or_whose_cargo_is() {
    for (name, through_shell) in [("hangs", false), ("orphaned", true)] {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("stale")
            .join(name);
        let _ = fs::remove_dir_all(&dir);
        let mut build = start(name, through_shell);
        let sleeps = || {
            running(&dir)
                .iter()
                .any(|words| words.starts_with("sleep "))
        };
        until("cicc did not begin", 60, sleeps);
        build.kill().unwrap();
        build.wait().unwrap();
        until("something goes on", 20, || running(&dir).is_empty());
    }
}

#[test]
fn a_build_after_killed_ones_is_right() {
    let name = "killed";
    let kills = Env::process().peek("STALE_KILLS");
    let kills = kills
        .and_then(|kills| kills.to_str()?.parse().ok())
        .unwrap_or(12);
    let world = World::new(name);
    let clean = world.build("clean");
    let dir = world.dir().to_owned();
    for kill in 0..kills {
        // Moments between the first breath and the end, in an order that looks like none.
        let moment = Duration::from_millis(5 + (kill * 37) % 150);
        let mut build = start(name, false);
        thread::sleep(moment);
        build.kill().unwrap();
        build.wait().unwrap();
        let others = || running(&dir).is_empty();
        until("something goes on", 20, others);
    }
    assert_eq!(World::again(name).build("out"), clean);
    world.remove();
}
