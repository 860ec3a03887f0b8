use super::*;

/// As nvcc 13.5.37 printed it, with `/opt/cuda` for the toolkit's folder.
const RECORDED: &str = include_str!("13.5.txt");
/// The same nvcc with `--threads 2`, which sends what each tool prints to files.
const THREADS: &str = include_str!("threads.txt");

fn words(line: &str) -> Result<Vec<String>, NotUnderstood> {
    let text = format!("#$ TOP=/opt/cu da\n#$ {line}");
    Dryrun::parse(&text).map(|dryrun| dryrun.calls()[0].words.clone())
}

#[test]
fn what_nvcc_printed_is_a_chain_of_three_commands() {
    let dryrun = Dryrun::parse(RECORDED).unwrap();
    assert_eq!(dryrun.variable("TOP"), Some("/opt/cuda/bin/.."));
    assert_eq!(dryrun.variable("_HERE_"), Some("/opt/cuda/bin"));
    assert_eq!(dryrun.variable("_TARGET_SIZE_"), Some("64"), "the last one");
    assert_eq!(dryrun.variable("NONE"), None);
    assert_eq!(
        dryrun.words_of("INCLUDES").unwrap(),
        ["-I/opt/cuda/bin/../include"]
    );
    assert_eq!(dryrun.messages, "");

    let Pipeline {
        preprocess,
        cicc,
        ptxas,
    } = dryrun.pipeline().unwrap();
    assert_eq!(preprocess.words[0], "gcc");
    for word in [
        "-Ib c",
        "T=\"a b\"",
        "F(x,y)=x",
        "/opt/cuda/bin/../include/cccl",
    ] {
        assert!(preprocess.words.iter().any(|given| given == word), "{word}");
    }
    assert_eq!(preprocess.input, "it's/a.cu");
    assert_eq!(preprocess.output, "D/a.cpp1.ii");
    assert_eq!(cicc.words[0], "/opt/cuda/bin/../nvvm/bin/cicc");
    assert_eq!(
        (cicc.input, cicc.output),
        (preprocess.output, "D/a.ptx".into())
    );
    let expected = "ptxas -arch=sm_90a -m64 -v D/a.ptx -o D/X.cubin";
    assert_eq!(ptxas.words.join(" "), expected);
    assert_eq!(ptxas.output, "D/X.cubin");
}

#[test]
fn files_for_messages_are_no_words() {
    let pipeline = Dryrun::parse(THREADS).unwrap().pipeline().unwrap();
    assert_eq!(pipeline.ptxas.words.last().unwrap(), "X.cubin");
    assert!(pipeline.cicc.words.iter().all(|word| !word.contains('>')));
    // Some compilers are told the place of the preprocessed text by the shell.
    let text = "#$ cc -E a.cu > a.ii\n#$ cicc a.ii -o a.ptx\n#$ ptxas a.ptx -o a.cubin";
    let pipeline = Dryrun::parse(text).unwrap().pipeline().unwrap();
    assert_eq!(pipeline.preprocess.output, "a.ii");
    assert_eq!(pipeline.preprocess.input, "a.cu");
}

#[test]
fn words_are_a_shells() {
    for (line, expected) in [
        ("a  \"b c\"\td", &["a", "b c", "d"][..]),
        ("a b\"c\"'d'\\ e", &["a", "bcd e"]),
        (r#"a "q\"\\\$\`\n""#, &["a", "q\"\\$`\\n"]),
        ("a 'it'\\''s' ''", &["a", "it's", ""]),
        ("\"$TOP/x\" \"${TOP}\"", &["/opt/cu da/x", "/opt/cu da"]),
        ("a x#y b~", &["a", "x#y", "b~"]),
    ] {
        assert_eq!(words(line).unwrap(), expected, "{line}");
    }
}

#[test]
fn what_takes_a_shell_is_refused() {
    for line in [
        "a | b",
        "a; b",
        "a && b",
        "a `b`",
        "a \"`b`\"",
        "a $(b)",
        "a \"$NONE\"",
        "$TOP/x",
        "a *.cu",
        "a \"b",
        "a 'b",
        "a \\",
        "a >> b",
        "a 2>&1",
        "a 3> b",
        "(a)",
        "a < b",
        "a ${TOP",
        "# a",
        "~/a",
        "a $",
    ] {
        assert!(words(line).is_err(), "{line}");
    }
}

#[test]
fn output_that_tells_nothing_is_refused() {
    let pipeline = |text: &str| Dryrun::parse(text).and_then(|dryrun| dryrun.pipeline());
    for text in [
        "",
        "nvcc fatal   : Unknown option '-x'",
        "#$ TOP=/opt",
        "#$ ptxas a.ptx -o a.cubin",
        "#$ cc -E a.cu -o a.ii\n#$ cicc b.ii -o a.ptx\n#$ ptxas a.ptx -o a.cubin",
        "#$ cc -E a.cu -o a.ii\n#$ cicc a.ii -o a.ptx\n#$ ptxas b.ptx -o a.cubin",
        "#$ cc -E a.cu -o a.ii\n#$ cicc a.ii -o a.ptx\n#$ ptxas a.ptx -o a.cubin\n#$ ptxas a.ptx -o b.cubin",
        "#$ cc -E a.cu -o a.ii\n#$ cicc a.ii -o\n#$ ptxas a.ptx -o a.cubin",
        "#$ cc -E -o a.ii\n#$ cicc a.ii -o a.ptx\n#$ ptxas a.ptx -o a.cubin",
    ] {
        assert!(pipeline(text).is_err(), "{text}");
    }
    // A recording that was cut anywhere is refused, or says what the whole one says.
    let whole = pipeline(RECORDED);
    for (at, _) in RECORDED.char_indices() {
        let cut = pipeline(&RECORDED[..at]);
        assert!(cut.is_err() || cut == whole, "{at}");
    }
    let told = Dryrun::parse("nvcc warning : old\n#$ TOP=/opt").unwrap();
    assert_eq!(told.messages, "nvcc warning : old\n");
}
