//! `inspect` of names that would act on a terminal: none reaches it raw, in no view, whether of a symbol or of a file.

use std::fs;

use cubin_tests::recorded;

use crate::{command, run, scratch};

/// The recorded name, and others of its length.
const NAME: &str = "_Z7dynsmemPfi";
const HOSTILE: [&str; 4] = [
    "_\u{1b}]0;own\u{7}fii_",
    "_Z7\r\nerror: x",
    "_Z7\u{202e}\u{2066}fi__",
    "_Z7\u{9b}31m\u{7f}\tfi_",
];

#[test]
fn names_of_symbols_and_files_are_escaped_in_every_view() {
    let dir = scratch("escapes");
    let whole = recorded::file("cubins", "basic-13.5-sm_121a.cubin");
    for name in HOSTILE {
        assert_eq!(name.len(), NAME.len(), "{name:?}");
        let mut bytes = whole.clone();
        let places: Vec<usize> = (0..=bytes.len() - NAME.len())
            .filter(|at| bytes[*at..].starts_with(NAME.as_bytes()))
            .collect();
        assert!(places.len() >= 3, "symbol and sections");
        for at in places {
            bytes[at..at + NAME.len()].copy_from_slice(name.as_bytes());
        }
        let path = dir.join("a\u{1b}[31m\u{202e}b\n.cubin");
        fs::write(&path, &bytes).expect("a scratch file");
        for view in [
            &[][..],
            &["--json"],
            &["--text"],
            &["--instructions"],
            &["--instructions", "--json"],
            &["--like-cuobjdump"],
        ] {
            let mut args = vec!["inspect"];
            args.extend(view);
            let shown = run(command(&args).arg(&path));
            let acts =
                |text: &str| text.contains(|c: char| c != '\n' && cubin_core::escape::is_unseen(c));
            assert!(
                !acts(&shown.stdout),
                "{view:?} {name:?}: {:?}",
                shown.stdout
            );
            assert!(
                !acts(&shown.stderr),
                "{view:?} {name:?}: {:?}",
                shown.stderr
            );
            let forged = shown.stdout.lines().any(|line| line.starts_with("error"));
            assert!(!forged, "{view:?} {name:?}: {:?}", shown.stdout);
        }
        // What is read back is what was there.
        let read = run(command(&["inspect", "--json"]).arg(&path));
        assert_eq!(read.stderr, "");
        let json = read.stdout;
        let symbols: Vec<String> = json
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"))
            .filter_map(|line| line["function"].as_str().map(str::to_owned))
            .collect();
        assert!(symbols.iter().any(|symbol| symbol == name), "{symbols:?}");
        // A file that is none of ours says so, with its name escaped.
        fs::write(&path, "no device code").expect("a scratch file");
        let refused = run(command(&["inspect"]).arg(&path));
        assert!(
            refused.stderr.contains("a\\u{1b}[31m\\u{202e}b\\n.cubin"),
            "{:?}",
            refused.stderr
        );
        fs::remove_file(&path).expect("removed");
    }
}
