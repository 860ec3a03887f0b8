//! Each form of parameter that ptxas takes, between two bytes: the Rust type, and that size and offset are the cubin's.

use std::{fmt::Write as _, fs, path::Path};

use cubin_build::Builder;
use cubin_core::{Cubin, Params};
use cubin_tests::user_crate;

/// PTX of the parameter `x`, symbol (`?` for one without types), Rust type of its argument, bytes.
const FORMS: &[(&str, &str, &str, u32)] = &[
    (".u8 x", "?", "u8", 1),
    (".s8 x", "?", "i8", 1),
    (".b8 x", "?", "u8", 1),
    (".u16 x", "?", "u16", 2),
    (".s16 x", "?", "i16", 2),
    (".b16 x", "?", "u16", 2),
    (".f16 x", "?", "Half", 2),
    (".u32 x", "?", "u32", 4),
    (".s32 x", "?", "i32", 4),
    (".b32 x", "?", "u32", 4),
    (".f32 x", "?", "f32", 4),
    (".u64 x", "?", "u64", 8),
    (".s64 x", "?", "i64", 8),
    (".b64 x", "?", "u64", 8),
    (".f64 x", "?", "f64", 8),
    (".b128 x", "?", "u128", 16),
    (".align 16 .u32 x", "?", "u32", 4),
    (".align 2 .u32 x", "?", "u32", 4),
    (".u64 .ptr x", "?", "&mut impl runtime::OutAny", 8),
    (".u64 .ptr .global x", "?", "&mut impl runtime::OutAny", 8),
    (
        ".u64 .ptr .global .align 16 x",
        "?",
        "&mut impl runtime::OutAny",
        8,
    ),
    (
        ".b64.ptr.global.align 4 x",
        "?",
        "&mut impl runtime::OutAny",
        8,
    ),
    (
        ".u64 .ptr .const .align 4 x",
        "?",
        "&impl runtime::InAny",
        8,
    ),
    (".u64 .ptr .shared .align 4 x", "?", "u64", 8),
    (".u32 .ptr .shared x", "?", "u32", 4),
    (".b8 x[5]", "?", "[u8; 5]", 5),
    (".b8 x[0x10]", "?", "[u8; 16]", 16),
    (".b8 x[020]", "?", "[u8; 16]", 16),
    (".f32 x[4]", "?", "[f32; 4]", 16),
    (".s16 x[3]", "?", "[i16; 3]", 6),
    (".align 16 .f32 x[4]", "?", "Bytes16Align16", 16),
    (".align 8 .b8 x[24]", "?", "Bytes24Align8", 24),
    (".align 16 .b8 x[24]", "?", "[u8; 24]", 24),
    (".align 1 .b8 x[11]", "?", "[u8; 11]", 11),
    (".align 64 .b8 x[128]", "?", "Bytes128Align64", 128),
    // The C++ types of the symbol, where they can be meant.
    (".u32 x", "h?ih", "i32", 4),
    (".u32 x", "h?jh", "u32", 4),
    (".u32 x", "h?fh", "u32", 4),
    (".f32 x", "h?fh", "f32", 4),
    (".b32 x", "h?fh", "f32", 4),
    (".u8 x", "h?bh", "bool", 1),
    (".u64 x", "h?lh", "i64", 8),
    (".u64 x", "h?PKfh", "&impl runtime::In<f32>", 8),
    (
        ".u64 .ptr .align 1 x",
        "h?Pdh",
        "&mut impl runtime::Out<f64>",
        8,
    ),
    (".u64 .ptr .shared x", "h?Pdh", "u64", 8),
    (".f64 x", "h?Pdh", "f64", 8),
    (
        ".u64 .ptr .global x",
        "h?mh",
        "&mut impl runtime::OutAny",
        8,
    ),
    (".align 2 .b8 x[2]", "h?6__halfh", "Half", 2),
    (".align 2 .b8 x[2]", "h?13__nv_bfloat16h", "BFloat16", 2),
    (".align 16 .b8 x[16]", "h?6float4h", "Float4", 16),
    (".align 16 .b8 x[16]", "h?oh", "u128", 16),
    (".align 4 .b8 x[12]", "h?6float3h", "Float3", 12),
    (
        ".align 64 .b8 x[128]",
        "h?14CUtensorMap_sth",
        "TensorMap",
        128,
    ),
    (".align 8 .b8 x[24]", "h?N2ns4ViewIfEEh", "View_f32", 24),
    (
        ".align 4 .b8 x[24]",
        "h?N2ns4ViewIfEEh",
        "Bytes24Align4",
        24,
    ),
    (".u32 x", "h?4Modeh", "Mode", 4),
    (".u8 x", "h?5Shorth", "Short", 1),
];

fn symbol(row: usize, form: &str) -> String {
    match form {
        "?" => format!("k{row}"),
        // `h?ih`: the parameters of `k<row>(unsigned char, int, unsigned char)`.
        types => {
            let name = format!("k{row}");
            format!(
                "_Z{}{}",
                name.len(),
                types.replacen("h?", &format!("{name}h"), 1)
            )
        }
    }
}

#[test]
fn every_form_has_its_type_size_and_offset() {
    if cubin_tests::toolkit().is_none() {
        return;
    }
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("typed_ptx");
    fs::create_dir_all(&dir).expect("a scratch folder");
    let mut text = String::from(".version 8.3\n.target sm_75\n.address_size 64\n");
    for (row, (ptx, form, ..)) in FORMS.iter().enumerate() {
        let symbol = symbol(row, form);
        let line = format!(
            ".visible .entry {symbol}(.param .u8 first, .param {ptx}, .param .u8 last)\n{{ ret; }}\n"
        );
        text.push_str(&line);
    }
    fs::write(dir.join("forms.ptx"), text).expect("a source");
    let mut builder = Builder::new()
        .root(&dir)
        .out_dir(&dir)
        .toolkit(cubin_tests::TOOLKIT)
        .file("forms.ptx");
    for target in ["sm_75", "sm_90", "sm_100", "sm_120"] {
        builder = builder.arch(target);
    }
    let output = builder
        .try_build()
        .unwrap_or_else(|error| panic!("{error}"));
    let generated = fs::read_to_string(&output.generated).expect("the generated file");
    let mut wrong = String::new();
    for (row, (ptx, form, rust, bytes)) in FORMS.iter().enumerate() {
        let found = super::parameters(&generated, &format!("k{row}"));
        // Parameters of mangled symbols are named by PTX, too.
        let x = found
            .split("x: ")
            .nth(1)
            .and_then(|rest| rest.split(", last: ").next());
        let x = x.unwrap_or_default();
        let short = x.rsplit_once("::").map_or(x, |(_, last)| last);
        if x != *rust && short != *rust {
            let _ = writeln!(wrong, "{ptx} as `{form}` is `{found}`, not {rust}");
        }
        for path in &output.cubins {
            let data = fs::read(path).expect("a cubin");
            let kernels = Cubin::parse(&data)
                .expect("a cubin")
                .kernels()
                .expect("kernels");
            let symbol = symbol(row, form);
            let kernel = kernels.iter().find(|kernel| kernel.symbol == symbol);
            let kernel = kernel.expect("a kernel");
            let Params::Recorded { params, .. } = &kernel.params else {
                panic!("no parameters")
            };
            if params[1].size != *bytes {
                let _ = writeln!(
                    wrong,
                    "{ptx} has {} bytes in {}",
                    params[1].size,
                    path.display()
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}\n{generated}");
    let user = dir.join("user");
    user_crate::check(&user, &[("forms".to_owned(), output.generated)], "");
}
