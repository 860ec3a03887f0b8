//! `report`: the page's data, what is kept from page to page, hostile names, and the page in a real browser.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use cubin_build::env::Env;
use cubin_tests::{Project, recorded};
use serde_json::{Value, json};

use crate::{command, cubin, run, scratch};

/// The data of a page.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("id=\"data\">").expect("data");
    let (data, _) = rest.split_once("</script>").expect("its end");
    serde_json::from_str(data).expect("JSON")
}

fn read(page: &Path) -> Value {
    data(&fs::read_to_string(page).expect("a page"))
}

/// What holds for the kernel of a name on a target.
fn kernel<'d>(data: &'d Value, name: &str, target: &str) -> &'d Value {
    let mut kernels = data["kernels"].as_array().expect("kernels").iter();
    kernels
        .find(|kernel| kernel["name"] == name && kernel["target"] == target)
        .unwrap_or_else(|| panic!("no {name} on {target}"))
}

#[test]
fn the_data_of_a_small_file() {
    let dir = scratch("page-data");
    let page = dir.join("page.html");
    let policy = dir.join("cubin.toml");
    fs::write(
        &policy,
        "[defaults]\nregisters = 20\nstack = 0\n\n[[rule]]\nkernel = \"spills\"\nregisters = 96\nreason = \"it is\"\n",
    )
    .expect("a policy");
    let written = run(command(&["report", "--label", "one", "--baseline"])
        .arg("cubins/one-12.4-75.cubin")
        .arg("--config")
        .arg(&policy)
        .arg("-o")
        .arg(&page)
        .arg("cubins/one-13.5-75.cubin"))
    .ends_with(0);
    assert!(written.stdout.starts_with("wrote "), "{}", written.stdout);
    let mut data = read(&page);
    // Which line of which scratch file says so.
    let text = data
        .to_string()
        .replace(&*policy.to_string_lossy(), "cubin.toml");
    data = serde_json::from_str(&text).expect("JSON");
    let pretty = serde_json::to_string_pretty(&data).expect("JSON");
    cubin_tests::tools::same_as_recorded("cli/report.json", &format!("{pretty}\n"));

    run(command(&["report", "--label", "one", "-o"])
        .arg(&page)
        .arg("cubins/basic-13.5-sm_90-lineinfo.cubin"))
    .ends_with(0);
    let data = read(&page);
    // What it says is what the other commands say.
    let json = cubin(&[
        "inspect",
        "--json",
        "cubins/basic-13.5-sm_90-lineinfo.cubin",
    ])
    .ends_with(0);
    for line in json.stdout.lines() {
        let facts: Value = serde_json::from_str(line).expect("JSON");
        if facts["kernel"] == false {
            continue;
        }
        let mut kernels = data["kernels"].as_array().expect("kernels").iter();
        let own = kernels
            .find(|kernel| kernel["symbol"] == facts["function"])
            .expect("the kernel");
        assert_eq!(own["registers"], facts["registers"]);
        assert_eq!(own["stack"], facts["stack"]);
        assert_eq!(own["shared"], facts["static_shared"]);
        assert_eq!(own["code"], facts["code_bytes"]);
        let places: Vec<Value> = facts["params"]
            .as_array()
            .expect("parameters")
            .iter()
            .map(|param| json!([param["offset"], param["size"]]))
            .collect();
        assert_eq!(own["params"], Value::from(places));
    }
    assert_eq!(data["since"], Value::Null);
    assert_eq!(data["findings"], json!([]));
    assert_eq!(data["budgets"], json!([[]]));

    cubin(&["report", "-o", "page.html", "fatbins/none.o"])
        .ends_with(1)
        .says("fatbins/none.o");
    cubin(&["report", "cubins/basic-13.5-sm_75.cubin"])
        .ends_with(2)
        .says("--output");
    run(
        command(&["report", "--previous", "cubins/one-13.5-75.cubin", "-o"])
            .arg(&page)
            .arg("cubins/one-13.5-75.cubin"),
    )
    .ends_with(1)
    .says("one-13.5-75.cubin");
}

#[test]
fn a_workspace_against_its_policy_its_baseline_and_earlier_runs() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let project = Project::new(env!("CARGO_TARGET_TMPDIR"), "cli-page", &toolkit);
    let source = |inner: &str| {
        format!(
            "// A comment.\ntemplate <typename T> __global__ void scale(T *x, T by) {{ x[threadIdx.x] {inner} by; }}
template __global__ void scale<float>(float *, float);\n"
        )
    };
    project.write("kernels/scale.cu", &source("*="));
    let policy = "[build]\narch = [\"sm_80\", \"sm_90\"]\n\n[defaults]\nregisters = 2\nstack = 0\n";
    project.write("cubin.toml", policy);
    let cubin = |args: &[&str]| {
        let all: Vec<&str> = ["cubin"].into_iter().chain(args.iter().copied()).collect();
        project.run(Path::new(crate::PROGRAM), &all)
    };
    cubin(&["baseline", "record"]).succeeds();
    cubin(&["report", "-o", "page.html", "--label", "one"]).succeeds();
    let page = project.dir.join("page.html");
    let first = read(&page);
    assert_eq!(first["title"], "Kernels of cli-page");
    // One finding speaks of both targets.
    assert_eq!(first["errors"], 1);
    assert_eq!(first["since"]["title"], "cubin-kernels.jsonl");
    assert_eq!(first["since"]["rows"], json!([]));
    let scale = kernel(&first, "scale<float>", "sm_90");
    assert_eq!(scale["source"], "kernels/scale.cu:2");
    assert_eq!(scale["types"], "(float*, float)");
    assert_eq!(scale["over"], json!(["registers"]));
    let finding = usize::try_from(scale["findings"][0].as_u64().expect("a place")).expect("small");
    assert_eq!(first["findings"][finding]["code"], "registers-over-budget");
    // The instructions are those of the cubin that the build wrote.
    assert_eq!(scale["mix"]["fp64"], 0);
    let accesses = json!([["global load, 4 bytes", 1], ["global store, 4 bytes", 1]]);
    let all = scale["mix"]["accesses"]
        .as_array()
        .expect("accesses")
        .iter();
    let of_global = all.filter(|one| {
        one[0]
            .as_str()
            .is_some_and(|name| name.starts_with("global"))
    });
    assert_eq!(Value::from_iter(of_global.cloned()), accesses);
    let budgets = usize::try_from(scale["budgets"].as_u64().expect("a place")).expect("small");
    assert_eq!(first["budgets"][budgets][0]["place"], "cubin.toml:4");

    // Repaired, other parameters, and one kernel more.
    project.write(
        "cubin.toml",
        &policy.replace("registers = 2", "registers = 200"),
    );
    let more = "extern \"C\" __global__ void fill(double *x) { x[threadIdx.x] += 1.5; }\n";
    let text = source("+=")
        .replace("T by)", "T by, int)")
        .replace("*, float)", "*, float, int)");
    project.write("kernels/scale.cu", &format!("{text}{more}"));
    cubin(&[
        "report",
        "-o",
        "page.html",
        "--label",
        "two",
        "--previous",
        "page.html",
    ])
    .succeeds();
    let second = read(&page);
    assert_eq!(second["errors"], 0);
    assert_eq!(second["history"]["runs"], json!(["one", "two"]));
    let expected = json!([{
        "package": "cli-page", "kernel": "scale<float>", "code": "registers-over-budget", "first": 0, "last": 0
    }]);
    assert_eq!(second["history"]["stretches"], expected);
    let change = |name: &str| {
        let at = kernel(&second, name, "sm_80")["changed"]
            .as_u64()
            .expect("a place");
        &second["since"]["rows"][usize::try_from(at).expect("small")]
    };
    assert_eq!(change("fill")["status"], "new");
    let signature = change("scale<float>")["signature"].as_str().expect("words");
    assert!(signature.contains("8 at 0"), "{signature}");
    assert_eq!(kernel(&second, "fill", "sm_90")["mix"]["fp64"], 1);
}

#[test]
fn names_of_symbols_and_files_stay_text() {
    let dir = scratch("page-names");
    let mut bytes = recorded::file("cubins", "basic-13.5-sm_121a.cubin");
    let (name, hostile) = ("_Z7dynsmemPfi", "</script><!--");
    assert_eq!(name.len(), hostile.len());
    for at in 0..=bytes.len() - name.len() {
        if bytes[at..].starts_with(name.as_bytes()) {
            bytes[at..at + name.len()].copy_from_slice(hostile.as_bytes());
        }
    }
    let file = dir.join("<img src=x>\u{202e}&.cubin");
    fs::write(&file, bytes).expect("a scratch file");
    let page = dir.join("page.html");
    run(command(&[
        "report",
        "--title",
        "</title>{{data}}",
        "--label",
        "<b>",
        "-o",
    ])
    .arg(&page)
    .arg(&file))
    .ends_with(0);
    let text = fs::read_to_string(&page).expect("a page");
    for part in ["<img", "<!--", "</title>{{", "<b>", "\u{202e}"] {
        assert!(!text.contains(part), "{part}");
    }
    assert_eq!(text.matches("</script>").count(), 2);
    let data = data(&text);
    assert_eq!(
        kernel(&data, hostile, "sm_121a")["group"],
        "<img src=x>\\u{202e}&.cubin"
    );
    assert_eq!(data["title"], "</title>{{data}}");
}

/// What a reviewer does on the page, as a script; the last line tells what was seen.
const DRIVE: &str = include_str!("drive.js");

/// A Chromium of this machine.
fn chromium() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let path = Env::process().peek("PATH")?;
    let mut places = std::env::split_paths(&path).flat_map(|dir| names.map(|name| dir.join(name)));
    places.find(|program| program.is_file())
}

#[test]
fn a_reviewer_sorts_filters_and_opens_details_in_a_browser() {
    let Some(chromium) = chromium() else {
        eprintln!(
            "skipped: a_reviewer_sorts_filters_and_opens_details_in_a_browser, no Chromium is on PATH"
        );
        return;
    };
    let dir = scratch("page-browser");
    let page = dir.join("page.html");
    let policy = dir.join("cubin.toml");
    fs::write(&policy, "[defaults]\nstack = 0\n").expect("a policy");
    // With a baseline, a policy and findings, every column is there.
    let baseline = "cubins/basic-12.4-sm_90.cubin";
    run(
        command(&["report", "--label", "one", "--baseline", baseline])
            .arg("--config")
            .arg(&policy)
            .arg("-o")
            .arg(&page)
            .args([
                "cubins/basic-13.5-sm_90-lineinfo.cubin",
                "cubins/basic-13.5-sm_75.cubin",
            ]),
    )
    .ends_with(0);
    let text = fs::read_to_string(&page).expect("a page");
    // The script runs with the page's own permission.
    let (_, nonce) = text.split_once("script-src 'nonce-").expect("a nonce");
    let (nonce, _) = nonce.split_once('\'').expect("its end");
    let driven = text.replace(
        "</body>",
        &format!("<script nonce=\"{nonce}\">{DRIVE}</script>\n</body>"),
    );
    fs::write(&page, driven).expect("a page");
    for width in [1280, 800, 500] {
        let output = Command::new(&chromium)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--virtual-time-budget=5000",
                "--dump-dom",
            ])
            .arg(format!("--window-size={width},900"))
            .arg(format!("--user-data-dir={}", dir.join("profile").display()))
            .arg(format!("file://{}", page.display()))
            .output()
            .expect("Chromium starts");
        let dom = String::from_utf8_lossy(&output.stdout);
        let seen = dom
            .split_once("<pre id=\"seen\">")
            .and_then(|(_, rest)| rest.split_once("</pre>"));
        let (seen, _) =
            seen.unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        let seen = seen
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&amp;", "&");
        let seen: Value = serde_json::from_str(&seen).expect("JSON");
        assert_eq!(seen["error"], Value::Null, "{seen}");
        assert_eq!(seen["all"], 32, "{seen}");
        assert_eq!(seen["unsorted"], "none");
        let numbers = |what: &str| -> Vec<u64> {
            let all = seen[what][1].as_array().expect("numbers").iter();
            all.map(|one| one.as_u64().expect("a number")).collect()
        };
        assert_eq!(seen["descending"][0], "descending");
        assert!(numbers("descending").is_sorted_by(|a, b| a >= b), "{seen}");
        assert_eq!(seen["ascending"][0], "ascending");
        assert!(numbers("ascending").is_sorted(), "{seen}");
        assert_ne!(numbers("ascending"), numbers("descending"));
        let found = seen["found"].as_array().expect("names");
        assert!(
            found
                .iter()
                .all(|name| name.as_str().is_some_and(|name| name.contains("scale"))),
            "{seen}"
        );
        assert_eq!(
            seen["count"],
            format!("{} of 32 kernel images", found.len())
        );
        assert_eq!(
            (&seen["closed"], &seen["open"]),
            (&json!("false"), &json!(["true", true]))
        );
        for part in [
            "Facts",
            "Parameters",
            "Budgets",
            "Occupancy against block size",
            "Instructions",
        ] {
            assert!(
                seen["parts"]
                    .as_array()
                    .expect("parts")
                    .contains(&json!(part)),
                "{part}: {seen}"
            );
        }
        // Both targets, and the reading at the end of the slider.
        assert_eq!(seen["curves"], 2);
        let slider = seen["slider"].as_str().expect("words");
        assert!(
            slider.starts_with("1024 threads; sm_")
                && slider.contains("sm_90: 100 %, 64 of 64 warps"),
            "{slider}"
        );
        assert_eq!(
            (&seen["again"], &seen["reset"]),
            (&json!(["false", 0]), &json!(32))
        );
        assert!(
            seen["over"]
                .as_u64()
                .is_some_and(|over| over > 0 && over < 32),
            "{seen}"
        );
        assert_eq!(seen["dark"], "rgb(21, 23, 26)");
        assert_eq!(seen["light"], "rgb(251, 251, 250)");
        assert_eq!(
            seen["wide"], true,
            "nothing is wider than the window of {width}"
        );
    }
}
