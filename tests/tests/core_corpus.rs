//! Real cubins: 333 of them out of eight PyPI wheels (CUDA 10.2 to 13.5, sm_30 to sm_121), each function compared with
//! what `cuobjdump` 13.5 printed of it, each instruction with what nvdisasm did.
//!
//! The wheels are fetched once with pip into cargo's target directory (44 MB). Without Python, pip or a network the test
//! says so and passes; under `CUBIN_TEST_REQUIRE_TOOLKIT=1` it fails instead. `golden/corpus/packages.tsv` lists the
//! wheels, `golden/corpus/cuobjdump-13.5.jsonl.xz` where in them each cubin lies and what the tool said.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use cubin_core::{Cubin, Cuobjdump, Function, Params, sizes};
use cubin_tests::{sass::Recording, tools, wheels};
use serde_json::Value;
use sha2::{Digest, Sha256};

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("golden/corpus")
        .join(name)
}

fn records(store: &Path) -> Result<Vec<Value>, String> {
    let plain = store.join("cuobjdump-13.5.jsonl");
    let script = "import lzma, sys; open(sys.argv[2], 'wb').write(lzma.open(sys.argv[1]).read())";
    wheels::run(
        Command::new("python3")
            .args(["-c", script])
            .arg(golden("cuobjdump-13.5.jsonl.xz"))
            .arg(&plain),
    )?;
    let text = fs::read_to_string(&plain).map_err(|error| error.to_string())?;
    text.lines()
        .map(|line| serde_json::from_str(line).map_err(|error| error.to_string()))
        .collect()
}

/// The cubin of a record, cut out of the file of its wheel.
fn cut(record: &Value, file: &[u8]) -> Vec<u8> {
    let number =
        |key: &str| usize::try_from(record[key].as_u64().expect("a number")).expect("fits");
    if record["comp"] == "file" {
        return file.to_vec();
    }
    let start = number("off");
    let raw = &file[start..start + number("csize")];
    match record["comp"].as_str() {
        Some("raw") => raw.to_vec(),
        Some("lz4") => lz4_flex::block::decompress(raw, number("size")).expect("an LZ4 block"),
        Some("zstd") => {
            let mut image = Vec::new();
            let mut decoder = ruzstd::decoding::StreamingDecoder::new(raw).expect("a zstd frame");
            std::io::Read::read_to_end(&mut decoder, &mut image).expect("a whole frame");
            image
        }
        other => panic!("unknown compression {other:?}"),
    }
}

/// One function in a form that both sides have.
type Line = (
    String,
    u64,
    Option<u64>,
    u64,
    u64,
    BTreeMap<u64, u64>,
    Option<Vec<[u64; 3]>>,
);

fn expected(function: &Value) -> Line {
    let number = |index: usize| function[index].as_u64();
    let constant = function[5]
        .as_object()
        .expect("banks")
        .iter()
        .map(|(bank, bytes)| {
            (
                bank.parse().expect("a bank"),
                bytes.as_u64().expect("bytes"),
            )
        })
        .collect();
    let params = function[7].get("p").map(|list| {
        let list = list.as_array().expect("parameters");
        list.iter()
            .map(|param| [0, 1, 2].map(|index: usize| param[index].as_u64().expect("a number")))
            .collect()
    });
    (
        function[0].as_str().expect("a name").to_owned(),
        number(1).expect("REG"),
        number(2),
        number(3).expect("SHARED"),
        number(4).expect("LOCAL"),
        constant,
        params,
    )
}

fn ours((function, raw): (&Function<'_>, Cuobjdump)) -> Line {
    let params = match &function.params {
        Params::Recorded { params, .. } => params
            .iter()
            .map(|param| [param.ordinal.into(), param.offset.into(), param.size.into()])
            .collect(),
        Params::NotRecorded => Vec::new(),
    };
    (
        function.symbol.to_owned(),
        raw.reg.into(),
        raw.stack.map(Into::into),
        raw.shared,
        raw.local,
        function
            .resources
            .constant
            .iter()
            .map(|&(bank, bytes)| (bank.into(), bytes))
            .collect(),
        // cuobjdump lists parameters, perhaps none, where there are attributes.
        function.attributes.map(|_| params),
    )
}

/// Directories of the packages, and the records.
type Corpus = (HashMap<String, PathBuf>, Vec<Value>);

/// The corpus, which the first test that asks fetches; `None`, with the reason on stderr, where it cannot be fetched.
fn corpus() -> Option<&'static Corpus> {
    static READY: OnceLock<Result<Corpus, String>> = OnceLock::new();
    let ready = READY.get_or_init(|| {
        let store = Path::new(env!("CARGO_TARGET_TMPDIR")).join("corpus");
        fs::create_dir_all(&store)
            .map_err(|error| error.to_string())
            .and_then(|()| {
                Ok((
                    wheels::unpack(&store, &golden("packages.tsv"))?,
                    records(&store)?,
                ))
            })
    });
    match ready {
        Ok(corpus) => Some(corpus),
        Err(error) => {
            let required = std::env::var_os("CUBIN_TEST_REQUIRE_TOOLKIT").is_some_and(|v| v == "1");
            assert!(!required, "the corpus cannot be fetched: {error}");
            eprintln!("not run: the corpus cannot be fetched: {error}");
            None
        }
    }
}

/// Each record with its cubin and the cubin's checksum.
fn each_cubin((packages, records): &Corpus, mut check: impl FnMut(&Value, &str, &[u8])) {
    let mut files: HashMap<PathBuf, Vec<u8>> = HashMap::new();
    for record in records {
        let text = |key: &str| record[key].as_str().expect("a string");
        let path = packages[text("pkg")].join(text("member"));
        let file = files.entry(path.clone()).or_insert_with(|| {
            fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
        });
        let data = cut(record, file);
        let sha: String = Sha256::digest(&data)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(sha, text("sha"), "the wheel is not the recorded one");
        check(record, &sha, &data);
    }
}

#[test]
fn every_function_is_what_cuobjdump_says() {
    let Some(corpus) = corpus() else {
        return;
    };
    let (mut cubins, mut functions, mut refused) = (0, 0, 0);
    each_cubin(corpus, |record, sha, data| {
        let cubin = Cubin::parse(data).unwrap_or_else(|error| panic!("{sha}: {error}"));
        let read = cubin
            .functions()
            .unwrap_or_else(|error| panic!("{sha}: {error}"));
        let parts = sizes::parts(cubin.elf()).unwrap_or_else(|error| panic!("{sha}: {error}"));
        let sum: u64 = parts.iter().map(|part| part.size).sum();
        assert_eq!(sum, data.len() as u64, "{sha}: sizes");
        cubins += 1;
        if record.get("refused").is_some() {
            // cuobjdump dropped these targets or sees no device code; they are read all the same.
            cubin
                .target()
                .unwrap_or_else(|error| panic!("{sha}: {error}"));
            refused += 1;
            return;
        }
        let mut theirs: Vec<Line> = record["fn"]
            .as_array()
            .expect("functions")
            .iter()
            .map(expected)
            .collect();
        let figures = cubin
            .cuobjdump(&read)
            .unwrap_or_else(|error| panic!("{sha}: {error}"));
        let mut mine: Vec<Line> = read.iter().zip(figures).map(ours).collect();
        functions += mine.len();
        theirs.sort();
        mine.sort();
        for (theirs, mine) in theirs.iter().zip(&mine) {
            assert_eq!(mine, theirs, "{sha}");
        }
        assert_eq!(mine.len(), theirs.len(), "{sha}");
    });
    assert_eq!((cubins, refused, functions), (333, 9, 6920));
}

/// Mnemonic, width, double precision and `!PT` of every instruction equal what nvdisasm printed (12.4 for sm_50 to sm_72,
/// 13.5 for sm_75 and later).
#[test]
fn every_instruction_is_what_nvdisasm_says() {
    let Some(corpus) = corpus() else {
        return;
    };
    let scratch = tools::scratch(env!("CARGO_TARGET_TMPDIR"), "corpus-sass");
    let mut recording = Recording::open("corpus.tsv", scratch);
    let (mut cubins, mut instructions) = (0, 0);
    each_cubin(corpus, |_, sha, data| {
        if let Some(count) = recording.check(&sha[..16], data) {
            cubins += 1;
            instructions += count;
        }
    });
    recording.close();
    assert_eq!((cubins, instructions), (324, 3_389_136));
}
