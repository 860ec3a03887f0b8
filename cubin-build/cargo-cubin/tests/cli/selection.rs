//! `inspect --entry`, `--arch` and `--kernel`: parts of files.

use std::fs;

use cubin_tests::recorded;

use crate::{command, cubin, run, scratch};

const FATBIN: &str = "fatbins/x3.fatbin";

#[test]
fn one_entry_by_its_number() {
    for (number, title) in [
        ("1", "entry 1: sm_100a, CUDA 13.5"),
        ("3", "entry 3: sm_120f, CUDA 13.5"),
        ("4", "entry 4: PTX for compute_90"),
    ] {
        let run = cubin(&["inspect", FATBIN, "--entry", number])
            .ends_with(0)
            .prints(&format!("{FATBIN}, {title}"));
        assert_eq!(run.stdout.matches(FATBIN).count(), 1, "{}", run.stdout);
    }
    // The numbers are those of --json, and every view takes them.
    let line = cubin(&["inspect", FATBIN, "--entry", "2", "--json"]).ends_with(0);
    assert_eq!(line.stdout.lines().count(), 1);
    line.prints("\"entry\":2,");
    let text = cubin(&["inspect", FATBIN, "--entry", "2", "--text"]).ends_with(0);
    assert_eq!(text.stdout.matches("\n  target sm_").count(), 1);
    text.prints("  target sm_100\n");
    let usage = cubin(&["inspect", FATBIN, "--entry", "2", "--like-cuobjdump"]).ends_with(0);
    assert_eq!(usage.stdout.matches("Fatbin").count(), 1);
    usage.prints("arch = sm_100\n");
    let counts = cubin(&["inspect", FATBIN, "--entry", "2", "--instructions"]).ends_with(0);
    assert_eq!(counts.stdout.matches(FATBIN).count(), 1);

    cubin(&["inspect", FATBIN, "--entry", "5"])
        .ends_with(1)
        .says("error: fatbins/x3.fatbin: there is no entry 5; they are numbered from 1 to 4");
    cubin(&["inspect", "cubins/one-13.5-75.cubin", "--entry", "1"])
        .ends_with(1)
        .says("there is no entry 1: it is a cubin by itself");
    cubin(&["inspect", FATBIN, "--entry", "0"]).ends_with(2);
}

#[test]
fn code_for_one_target() {
    for (arch, title) in [
        ("sm_100", "entry 2: sm_100, CUDA"),
        ("sm_120f", "entry 3: sm_120f, CUDA"),
        ("compute_90", "entry 4: PTX for compute_90"),
    ] {
        let run = cubin(&["inspect", FATBIN, "--arch", arch])
            .ends_with(0)
            .prints(title);
        assert_eq!(run.stdout.matches(FATBIN).count(), 1, "{}", run.stdout);
    }
    for view in ["--json", "--text", "--like-cuobjdump", "--instructions"] {
        cubin(&["inspect", FATBIN, view, "--arch", "sm_90"])
            .ends_with(1)
            .says("error: fatbins/x3.fatbin: it holds no code for sm_90, only for compute_90, sm_100, sm_100a, sm_120f");
    }
    cubin(&["inspect", FATBIN, "--entry", "1", "--arch", "sm_100"])
        .ends_with(1)
        .says("entry 1 is not for sm_100");
    // A cubin by itself has a target too.
    let file = "cubins/one-13.5-75.cubin";
    cubin(&["inspect", file, "--arch", "sm_75"])
        .ends_with(0)
        .prints(file);
    cubin(&["inspect", file, "--arch", "sm_80"])
        .ends_with(1)
        .says("it holds no code for sm_80, only for sm_75");
    cubin(&["inspect", file, "--arch", "75"])
        .ends_with(2)
        .says("`75` is not a GPU target; expected for example sm_90, sm_90a or compute_90");
}

#[test]
fn functions_by_name() {
    let file = "cubins/basic-13.5-sm_75.cubin";
    for (glob, rows) in [
        ("saxpy", 1),
        ("scale<*>", 2),
        ("scale<float>", 1),
        ("void scale<float>(float*, float, long long)", 1),
        ("_Z3prki", 1),
        ("l*", 2),
        ("?b2", 1),
    ] {
        let json = cubin(&["inspect", file, "--kernel", glob, "--json"]).ends_with(0);
        assert_eq!(json.stdout.lines().count(), rows, "{glob}: {}", json.stdout);
        let table = cubin(&["inspect", file, "--kernel", glob]).ends_with(0);
        let shown = table.stdout.lines().take_while(|line| !line.is_empty());
        assert_eq!(shown.count(), rows + 2, "{glob}: {}", table.stdout);
        let counts = cubin(&["inspect", file, "--kernel", glob, "--instructions"]).ends_with(0);
        let shown = counts.stdout.lines().take_while(|line| !line.is_empty());
        assert_eq!(shown.count(), rows + 2, "{glob}: {}", counts.stdout);
    }
    // The figures are those that stand there without a choice.
    let all = cubin(&["inspect", file, "--json"]).ends_with(0);
    let one = cubin(&["inspect", file, "--json", "--kernel", "recursion"]).ends_with(0);
    assert!(all.stdout.contains(&one.stdout), "{}", one.stdout);

    for view in ["--json", "--instructions", "--entry=1"] {
        let run = cubin(&["inspect", FATBIN, "--kernel", "nothing*", view])
            .ends_with(1)
            .says("no function that is called `nothing*` is in it");
        assert_eq!(run.stdout, "");
    }
    cubin(&["inspect", file, "--kernel", "k", "--text"]).ends_with(2);
}

#[test]
fn ptx_by_itself() {
    let dir = scratch("selection-ptx");
    let text = "//\n// Made by hand\n.version 8.4\n.target sm_90, debug\n.address_size 64\n.visible .entry k() { ret; }\n";
    fs::write(dir.join("k.ptx"), text).unwrap();
    run(command(&["inspect", "k.ptx", "--arch", "compute_90"]).current_dir(&dir))
        .ends_with(0)
        .prints("k.ptx: PTX for compute_90");
    run(command(&["inspect", "k.ptx", "--arch", "sm_90"]).current_dir(&dir))
        .ends_with(1)
        .says("it holds no code for sm_90, only for compute_90");
}

/// What is not asked for is not unpacked: its damage does not matter.
#[test]
fn other_entries_are_left_alone() {
    let dir = scratch("selection");
    let mut data = recorded::file("fatbins", "m-13.5-size.fatbin");
    let payload = cubin_core::fatbin::entries(&data, 0)
        .next()
        .expect("a packed cubin")
        .expect("an entry")
        .payload_offset() as usize;
    data[payload..payload + 16].fill(0xff);
    fs::write(dir.join("damaged.fatbin"), data).unwrap();
    run(command(&["inspect", "damaged.fatbin"]).current_dir(&dir))
        .ends_with(1)
        .says("its zstd frame is damaged");
    let run = run(command(&["inspect", "damaged.fatbin", "--entry", "2"]).current_dir(&dir));
    let run = run.ends_with(0).prints("entry 2: PTX for compute_75");
    assert_eq!(run.stderr, "");
}
