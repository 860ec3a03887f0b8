//! `[prebuilt]`: its keys.

use super::{
    keys::{Doc, Key, Table},
    model::Prebuilt,
    read::CONFIG,
    values::POLICY_LEVELS,
};
use crate::options;

pub(super) static PREBUILT: Table<Prebuilt> = Table {
    name: "[prebuilt]",
    code: CONFIG,
    keys: &[
        Key {
            name: "use",
            doc: Doc {
                value: "`\"without-toolkit\"`, `\"always\"` or `\"never\"`",
                default: "`\"without-toolkit\"`",
                meaning: "When a build takes the files of `prebuilt/`: where no toolkit fits or no host compiler is there, \
                          nothing being installed, and on docs.rs; always; or never. The environment variable \
                          `CUBIN_BUILD_PREBUILT` goes before this.",
                example: "use = \"always\"",
            },
            read: |r, item, prebuilt| prebuilt.when = r.word(item, &options::Prebuilt::WORDS),
        },
        Key {
            name: "stale",
            doc: Doc {
                value: "`\"deny\"` or `\"warn\"`",
                default: "`\"deny\"`",
                meaning: "What it is when a build takes prebuilt files and sources, headers or flags are others than those \
                          that they were made of: an error, or a warning.",
                example: "stale = \"warn\"",
            },
            read: |r, item, prebuilt| {
                prebuilt.stale = r.word(item, &POLICY_LEVELS.map(|level| (level.name(), level)));
            },
        },
    ],
};
