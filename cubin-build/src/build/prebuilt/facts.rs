//! What is known of a unit besides its machine code, as bytes: what ptxas said of spills, and what lies beside the cubin.
//! Another form of it is another [`FORMAT`](super::manifest::FORMAT).

use crate::{
    codec::{Decoder, Encoder},
    compile::Unit,
    kernel::Spills,
    sorted::Map,
};

/// What is known of a unit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) spills: Map<String, Spills>,
    pub(super) callees: Map<String, Vec<(String, Spills)>>,
    pub(super) frames: Map<String, u64>,
    /// As [`super::super::side`] writes it.
    pub(super) side: Vec<u8>,
}

pub(super) fn encode(unit: &Unit, side: &[u8]) -> Vec<u8> {
    let mut to = Encoder::default();
    to.size(unit.spills.len());
    for (symbol, spills) in &unit.spills {
        write_spills(&mut to, symbol, *spills);
    }
    to.size(unit.callees.len());
    for (kernel, callees) in &unit.callees {
        to.text(kernel);
        to.list(callees, |to, (symbol, spills)| {
            write_spills(to, symbol, *spills);
        });
    }
    to.size(unit.frames.len());
    for (symbol, bytes) in &unit.frames {
        to.text(symbol);
        to.number(*bytes);
    }
    to.bytes(side);
    to.finish()
}

/// `None` when the bytes are damaged.
pub(super) fn decode(bytes: &[u8]) -> Option<Facts> {
    let mut from = Decoder::new(bytes);
    let facts = Facts {
        spills: from.list(read_spills)?.into_iter().collect(),
        callees: from
            .list(|from| Some((from.text()?, from.list(read_spills)?)))?
            .into_iter()
            .collect(),
        frames: from
            .list(|from| Some((from.text()?, from.number()?)))?
            .into_iter()
            .collect(),
        side: from.bytes()?.to_owned(),
    };
    from.is_empty().then_some(facts)
}

fn write_spills(to: &mut Encoder, symbol: &str, spills: Spills) {
    to.text(symbol);
    to.number(spills.stores);
    to.number(spills.loads);
}

fn read_spills(from: &mut Decoder<'_>) -> Option<(String, Spills)> {
    let symbol = from.text()?;
    let (stores, loads) = (from.number()?, from.number()?);
    Some((symbol, Spills { stores, loads }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cache::ContentHash, compile::PrebuiltUnit};

    /// Published crates hold these bytes. Who changes their form changes [`FORMAT`](super::super::manifest::FORMAT), and
    /// then the hash here.
    #[test]
    fn the_form_is_that_of_its_format() {
        let spills = |stores| Spills { stores, loads: 300 };
        let unit = Unit::prebuilt(PrebuiltUnit {
            source: "k.cu".into(),
            target: "sm_90".parse().unwrap(),
            cubin: "k.cubin".into(),
            ptx: "k.ptx".into(),
            spills: [("k".to_owned(), spills(4))].into_iter().collect(),
            callees: [("k".to_owned(), vec![("f$1".to_owned(), spills(8))])]
                .into_iter()
                .collect(),
            frames: [("k".to_owned(), 16)].into_iter().collect(),
            identity: ContentHash::of(b""),
        });
        let bytes = encode(&unit, b"side");
        let facts = decode(&bytes).unwrap();
        assert_eq!(
            (&facts.spills, &facts.callees),
            (&unit.spills, &unit.callees)
        );
        assert_eq!(
            (&facts.frames, &facts.side[..]),
            (&unit.frames, &b"side"[..])
        );
        assert_eq!(
            ContentHash::of(&bytes).to_string(),
            "81ddf4d9f1bca717023fd2ab3867b716"
        );
        for length in 0..bytes.len() {
            assert_eq!(decode(&bytes[..length]), None, "{length}");
        }
    }
}
