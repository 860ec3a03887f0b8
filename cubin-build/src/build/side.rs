//! What was read of the files beside a cubin, kept for the next build: `read.bin` in the unit's directory.
//!
//! nvcc's side files are large (25 MB for the 34 units of candle-kernels) and say the same until the unit is compiled
//! again. The file holds as long as the unit's record, the side files' stamps, and the program that wrote it (a build
//! script that was built again may read them otherwise) are the same; one that does not, or is damaged, is made anew
//! from the side files of its unit alone.

use std::{fmt::Write as _, fs, path::PathBuf};

use crate::{
    cache::{self, ContentHash, Stamp},
    codec::{Decoder, Encoder},
    compile::{Reach, SharedUse, Unit},
    ptx,
    signature::{Declared, SourceFacts, Word, model::Signatures, store},
    sorted::Map,
};

/// First line of the key; another number is another format.
const FORMAT: &str = "cubin-build read 2";
const NAME: &str = "read.bin";

/// What the files of nvcc's front end say of a unit.
pub(super) struct Signature {
    pub(super) signatures: Signatures,
    /// What the compiler said of a kernel's parameters, by symbol, where that did not help.
    pub(super) remarks: Map<String, String>,
}

/// All that is read beside a cubin.
pub(super) struct Side {
    /// `None` when there are no files of nvcc's front end: the source is PTX.
    pub(super) signature: Option<Signature>,
    /// Kernels of a source that is PTX, as it declares them.
    pub(super) entries: Vec<ptx::Entry>,
    /// What the files that were compiled say of types.
    pub(super) source: SourceFacts,
    /// Who uses dynamic shared memory; `None` when the PTX could not be read.
    pub(super) shared: Option<SharedUse>,
}

/// What an earlier build kept, when it still holds.
pub(super) fn load(unit: &Unit) -> Option<Side> {
    let bytes = fs::read(path(unit)).ok()?;
    let mut file = Decoder::new(&bytes);
    if file.bytes()? != key(unit)?.as_bytes() {
        return None;
    }
    let (hash, body) = (file.bytes()?, file.bytes()?);
    let whole = file.is_empty() && hash == ContentHash::of(body).to_string().as_bytes();
    if !whole {
        return None;
    }
    decode(body)
}

/// As bytes.
pub(super) fn encode(side: &Side) -> Vec<u8> {
    let mut body = Encoder::default();
    body.option(side.signature.as_ref(), write_signature);
    ptx::store::write(&mut body, &side.entries);
    write_source(&mut body, &side.source);
    body.option(side.shared.as_ref(), write_shared);
    body.finish()
}

/// What [`encode`] wrote; `None` when it is damaged.
pub(super) fn decode(bytes: &[u8]) -> Option<Side> {
    let mut body = Decoder::new(bytes);
    let side = Side {
        signature: body.option(read_signature)?,
        entries: ptx::store::read(&mut body)?,
        source: read_source(&mut body)?,
        shared: body.option(read_shared)?,
    };
    body.is_empty().then_some(side)
}

/// Keeps what was read. Without the file the next build reads again, so a failure does not concern the user.
pub(super) fn keep(unit: &Unit, side: &Side) {
    let Some(key) = key(unit) else { return };
    let body = encode(side);
    let mut file = Encoder::default();
    file.text(&key);
    file.text(&ContentHash::of(&body).to_string());
    file.bytes(&body);
    let _ = cache::write(&path(unit), &file.finish());
}

fn path(unit: &Unit) -> PathBuf {
    unit.cubin.with_file_name(NAME)
}

/// What the file depends on; `None` when that cannot be told.
fn key(unit: &Unit) -> Option<String> {
    let mut key = format!("{FORMAT}\n");
    let program = Stamp::of(&std::env::current_exe().ok()?).ok()?;
    let _ = write!(key, "program {program}\nunit {}\n", unit.identity);
    let side_files = unit.side_files.iter();
    let paths = side_files.flat_map(|files| [&files.stub, &files.gpu]);
    for path in paths.chain([&unit.ptx]) {
        let _ = writeln!(key, "file {}", Stamp::of(path).ok()?);
    }
    Some(key)
}

fn write_signature(to: &mut Encoder, signature: &Signature) {
    store::write(to, &signature.signatures);
    to.size(signature.remarks.len());
    for (symbol, remark) in &signature.remarks {
        to.text(symbol);
        to.text(remark);
    }
}

fn read_signature(from: &mut Decoder<'_>) -> Option<Signature> {
    let signatures = store::read(from)?;
    let remarks = from.list(|from| Some((from.text()?, from.text()?)))?;
    Some(Signature {
        signatures,
        remarks: remarks.into_iter().collect(),
    })
}

fn write_source(to: &mut Encoder, source: &SourceFacts) {
    to.flag(source.int128);
    to.flag(source.member_pointers);
    to.list(&source.declared, |to, declared| {
        to.text(&declared.owner);
        to.text(&declared.name);
        to.flag(declared.word == Word::Long);
        to.flag(declared.word == Word::Surface);
    });
}

fn read_source(from: &mut Decoder<'_>) -> Option<SourceFacts> {
    Some(SourceFacts {
        int128: from.flag()?,
        member_pointers: from.flag()?,
        declared: from.list(|from| {
            Some(Declared {
                owner: from.text()?,
                name: from.text()?,
                word: match (from.flag()?, from.flag()?) {
                    (true, _) => Word::Long,
                    (false, true) => Word::Surface,
                    (false, false) => Word::Texture,
                },
            })
        })?,
    })
}

fn write_shared(to: &mut Encoder, shared: &SharedUse) {
    to.size(shared.functions.len());
    for (symbol, reach) in &shared.functions {
        to.text(symbol);
        to.flag(reach.uses);
        to.flag(reach.may_use);
        to.list(&reach.outside, |to, name| to.text(name));
    }
}

fn read_shared(from: &mut Decoder<'_>) -> Option<SharedUse> {
    let functions = from.list(|from| {
        let symbol = from.text()?;
        let reach = Reach {
            uses: from.flag()?,
            may_use: from.flag()?,
            outside: from.list(Decoder::text)?,
        };
        Some((symbol, reach))
    })?;
    let functions: Map<String, Reach> = functions.into_iter().collect();
    Some(SharedUse { functions })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn everything() -> Side {
        let text = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(
    .param .u64 .ptr .global .align 16 a, .param .f32 b, .param .align 8 .b8 c[24], .param .b32 d, .param .s16 e
) .reqntid 32, 2, 1 .minnctapersm 2 .maxnreg 64
{ ret; }
.visible .entry l() .maxntid 128 .maxclusterrank 4 .explicitcluster .reqnctapercluster 2, 1, 1
{ ret; }
";
        let reach = Reach {
            uses: true,
            may_use: false,
            outside: vec!["helper".to_owned()],
        };
        let declared = [Word::Long, Word::Surface, Word::Texture].map(|word| Declared {
            owner: "k".to_owned(),
            name: "a".to_owned(),
            word,
        });
        Side {
            signature: Some(Signature {
                signatures: Signatures::default(),
                remarks: [("k".to_owned(), "why".to_owned())].into_iter().collect(),
            }),
            entries: ptx::entries(text.as_bytes()).unwrap(),
            source: SourceFacts {
                int128: true,
                member_pointers: false,
                declared: declared.into(),
            },
            shared: Some(SharedUse {
                functions: [("k".to_owned(), reach)].into_iter().collect(),
            }),
        }
    }

    /// Published crates hold these bytes (`prebuilt/`). Who changes their form changes `FORMAT` in
    /// `build/prebuilt/manifest.rs`, and then the hash here.
    #[test]
    fn the_form_is_that_of_its_format() {
        let side = everything();
        let bytes = encode(&side);
        let hash = ContentHash::of(&bytes).to_string();
        assert_eq!(hash, "232123bf5982b0e98efd438a37d1528c");
        let again = decode(&bytes).unwrap();
        assert_eq!(again.entries.len(), 2);
        assert_eq!(encode(&again), bytes);
        for length in 0..bytes.len() {
            assert!(decode(&bytes[..length]).is_none(), "{length}");
        }
    }
}
