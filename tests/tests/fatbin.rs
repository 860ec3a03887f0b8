//! Fatbins that NVIDIA's tools wrote: recorded ones, and ones made here when there is a toolkit.

use std::fs;

use cubin_core::{
    consts::EntryKind,
    fatbin::{self, Compression, Entry},
};
use cubin_tests::{recorded, tools};

fn entries(data: &[u8]) -> Vec<Entry<'_>> {
    fatbin::entries(data, 0)
        .collect::<Result<_, _>>()
        .expect("entries without damage")
}

/// `kind target compression bytes` of each entry.
fn lines(data: &[u8]) -> Vec<String> {
    entries(data)
        .iter()
        .map(|entry| {
            let size = match entry.kind {
                EntryKind::PTX => entry.ptx().expect("PTX").len(),
                _ => entry.image().expect("an image").len(),
            };
            format!(
                "{} {} {:?} {size}",
                entry.kind,
                entry.target().expect("a target"),
                entry.compression().expect("a scheme"),
            )
        })
        .collect()
}

#[test]
fn recorded_fatbins_of_every_scheme() {
    let expected: &[(&str, &[&str])] = &[
        (
            "f-11.8-.fatbin",
            &["CUBIN sm_75 Stored 2536", "PTX sm_75 Lz4 509"],
        ),
        (
            "f-11.8-c.fatbin",
            &["CUBIN sm_75 Lz4 2536", "PTX sm_75 Lz4 509"],
        ),
        (
            "f-12.4-g.fatbin",
            &["CUBIN sm_75 Lz4 2600", "PTX sm_75 Lz4 523"],
        ),
        (
            "f-13.0-.fatbin",
            &["CUBIN sm_75 Stored 2984", "PTX sm_75 Zstd 509"],
        ),
        (
            "m-13.5-none.fatbin",
            &["CUBIN sm_75 Stored 2984", "PTX sm_75 Stored 509"],
        ),
        (
            "m-13.5-size.fatbin",
            &["CUBIN sm_75 Zstd 2984", "PTX sm_75 Zstd 509"],
        ),
        (
            "m-13.5-speed.fatbin",
            &["CUBIN sm_75 Stored 2984", "PTX sm_75 Lz4 509"],
        ),
        (
            "x3.fatbin",
            &[
                "CUBIN sm_100a Stored 5162",
                "CUBIN sm_100 Stored 5162",
                "CUBIN sm_120f Stored 5162",
                "PTX sm_90 Zstd 509",
            ],
        ),
    ];
    for (name, wanted) in expected {
        assert_eq!(lines(&recorded::file("fatbins", name)), *wanted, "{name}");
    }
}

#[test]
fn the_three_modes_of_one_build_hold_the_same_images() {
    let [none, size, speed] = ["none", "size", "speed"]
        .map(|mode| recorded::file("fatbins", &format!("m-13.5-{mode}.fatbin")));
    let stored = entries(&none);
    for other in [&size, &speed] {
        let other = entries(other);
        assert_eq!(stored[0].image(), other[0].image());
        assert_eq!(stored[1].ptx(), other[1].ptx());
    }
    assert_ne!(entries(&size)[1].payload, entries(&speed)[1].payload);
}

#[test]
fn compatibility_data_is_the_cubins_own() {
    let data = recorded::file("fatbins", "x3.fatbin");
    for entry in entries(&data).iter().filter(|entry| entry.is_cubin()) {
        let compat = entry.compat.expect("sm_100 and above carry it");
        let image = entry.image().expect("a cubin");
        assert!(
            image.windows(compat.len()).any(|window| window == compat),
            "{}: its copy is no part of the cubin",
            entry.target().expect("a target")
        );
    }
}

/// A fatbin with one stored cubin, the bytes behind it included.
fn stored(payload: &[u8]) -> Vec<u8> {
    let mut entry = vec![0; 64];
    entry[..8].copy_from_slice(&[2, 0, 1, 1, 64, 0, 0, 0]);
    entry[8..16].copy_from_slice(&(payload.len() as u64).to_le_bytes());
    entry[28] = 90;
    entry.extend(payload);
    let mut data = vec![0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0];
    data.extend((entry.len() as u64).to_le_bytes());
    data.extend(entry);
    data
}

#[test]
fn a_stored_cubin_ends_where_its_last_table_or_section_does() {
    let mut cubin = recorded::file("cubins", "min-13.5-sm_90a.cubin");
    // Its tables stand last: put the bytes of a section behind them, and give a section without bytes a large size.
    let number = |data: &[u8], at: usize| {
        let bytes = data[at..at + 8].try_into().expect("eight bytes");
        u64::from_le_bytes(bytes)
    };
    let table = number(&cubin, 40) as usize;
    let tables = cubin.clone();
    let [names, empty] = [1, 4].map(|section| table + section * 64);
    let (from, size) = (
        number(&cubin, names + 24) as usize,
        number(&cubin, names + 32),
    );
    let end = cubin.len() as u64;
    cubin[names + 24..names + 32].copy_from_slice(&end.to_le_bytes());
    cubin.extend_from_within(from..from + size as usize);
    cubin[empty + 4..empty + 8].copy_from_slice(&8_u32.to_le_bytes());
    cubin[empty + 32..empty + 40].copy_from_slice(&(1_u64 << 40).to_le_bytes());
    cubin_core::Cubin::parse(&cubin).expect("a well-formed file");
    for whole in [tables, cubin] {
        // Up to seven zeros are the padding of the entry, anything else is kept.
        for (behind, cut) in [
            (&[][..], true),
            (&[0; 7], true),
            (&[0; 8], false),
            (&[0, 1, 0], false),
            (&[0; 24], false),
        ] {
            let payload = [&whole, behind].concat();
            let data = stored(&payload);
            let image = entries(&data)[0].image().expect("a cubin");
            let expected = if cut { &whole } else { &payload };
            assert_eq!(image.len(), expected.len(), "{behind:?}");
        }
    }
}

#[test]
fn every_prefix_and_every_changed_byte_end_in_bounds() {
    for (name, data) in recorded::files("fatbins") {
        if !name.ends_with(".fatbin") {
            continue;
        }
        for end in 0..data.len() {
            walk(&data[..end]);
        }
        let mut changed = data.clone();
        for at in 0..data.len() {
            let values = [0x00, 0xff, data[at] ^ 0x01, data[at] ^ 0x80];
            for value in values {
                changed[at] = value;
                walk(&changed);
            }
            changed[at] = data[at];
        }
    }
}

/// Reads everything; nothing that comes out is larger than what the recorded files hold by an order of magnitude.
fn walk(data: &[u8]) {
    for entry in fatbin::entries(data, 0) {
        let Ok(entry) = entry else { continue };
        assert!(entry.payload.len() <= data.len());
        if let Ok(image) = entry.image_within(1 << 20) {
            assert!(image.len() <= 1 << 20);
        }
    }
}

const SOURCE: &str = r#"
__constant__ float table[256];
__device__ int counter;
extern "C" __global__ void scale(float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { x[i] = a * x[i] + table[i & 255]; atomicAdd(&counter, 1); }
}
"#;

/// The oracle: `cuobjdump -xelf all` writes every cubin, unpacked, in file order.
#[test]
fn cuobjdump_extracts_the_same_cubins() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let dir = tools::scratch(env!("CARGO_TARGET_TMPDIR"), "fatbin-modes");
    fs::write(dir.join("k.cu"), SOURCE).expect("a source file");
    for mode in ["none", "speed", "balance", "size"] {
        let out = dir.join(mode);
        fs::create_dir(&out).expect("a folder");
        let mode_option = format!("--compress-mode={mode}");
        tools::tool(
            &toolkit,
            "nvcc",
            &[
                "-fatbin",
                &mode_option,
                "-gencode=arch=compute_80,code=[sm_80,compute_80]",
                "-gencode=arch=compute_90a,code=sm_90a",
                "-gencode=arch=compute_100f,code=sm_100f",
                "-gencode=arch=compute_120,code=sm_120",
                "../k.cu",
                "-o",
                "k.fatbin",
            ],
            &out,
        );
        tools::tool(&toolkit, "cuobjdump", &["-xelf", "all", "k.fatbin"], &out);
        let data = fs::read(out.join("k.fatbin")).expect("a fatbin");
        let entries = entries(&data);
        let mut ours: Vec<(String, Vec<u8>)> = entries
            .iter()
            .filter(|entry| entry.is_cubin())
            .map(|entry| {
                // cuobjdump takes the target from the cubin, which does not record the `f`.
                let target = entry.target().expect("a target").to_string();
                let target = target.trim_end_matches('f').to_owned();
                (target, entry.image().expect("a cubin").into_owned())
            })
            .collect();
        ours.sort();
        let mut theirs: Vec<(String, Vec<u8>)> = fs::read_dir(&out)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| {
                path.extension()
                    .is_some_and(|extension| extension == "cubin")
            })
            .map(|path| {
                // k.1.sm_80.cubin
                let stem = path
                    .file_stem()
                    .expect("a name")
                    .to_string_lossy()
                    .into_owned();
                let target = stem.rsplit('.').next().expect("a target").to_owned();
                (target, fs::read(&path).expect("a cubin"))
            })
            .collect();
        theirs.sort();
        assert_eq!(ours.len(), 4, "{mode}");
        let targets = |list: &[(String, Vec<u8>)]| -> Vec<String> {
            list.iter().map(|(target, _)| target.clone()).collect()
        };
        assert_eq!(targets(&ours), targets(&theirs), "{mode}");
        for ((target, ours), (_, theirs)) in ours.iter().zip(&theirs) {
            assert_eq!(ours.len(), theirs.len(), "{mode}: {target}");
            assert!(ours == theirs, "{mode}: {target}: the bytes differ");
        }
        let packed = entries
            .iter()
            .filter(|entry| entry.compression() != Ok(Compression::Stored))
            .count();
        assert_eq!(
            packed > 0,
            mode != "none",
            "{mode}: {packed} packed entries"
        );

        let ptx = entries
            .iter()
            .find(|entry| entry.kind == EntryKind::PTX)
            .expect("PTX for compute_80");
        let text = ptx.ptx().expect("text");
        assert!(text.contains(".target sm_80"), "{mode}: {text}");
        assert!(text.contains(".entry scale("), "{mode}: {text}");
    }
}
