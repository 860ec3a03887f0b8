//! Sets of bytes as tables: build scripts are compiled without optimisation, where a table costs a fraction of what a
//! closure per byte does.

/// By byte.
pub(super) type Bytes = [bool; 256];

const fn ident_bytes(digits: bool) -> Bytes {
    let mut set = [false; 256];
    let mut index = 0;
    while index < 256 {
        let byte = index as u8;
        set[index] = byte.is_ascii_alphabetic()
            || byte == b'_'
            || byte == b'$'
            || byte >= 0x80
            || (digits && byte.is_ascii_digit());
        index += 1;
    }
    set
}

const fn all_but(bytes: &[u8]) -> Bytes {
    let mut set = [true; 256];
    let mut index = 0;
    while index < bytes.len() {
        set[bytes[index] as usize] = false;
        index += 1;
    }
    set
}

pub(super) static IDENT_START: Bytes = ident_bytes(false);
pub(super) static IDENT_PART: Bytes = ident_bytes(true);
pub(super) static IN_LINE: Bytes = all_but(b"\n");
/// Bytes of a function body that cannot begin anything that matters.
pub(super) static IN_BODY: Bytes = all_but(b"{}\"'/#\\\n\r");
/// Bytes of a declaration that neither end it nor nest.
pub(super) static IN_DECLARATION: Bytes = all_but(b"{}()[];\"'/#\\\n\r");

/// How many bytes at the start of `text` are of `set`.
pub(super) fn span(text: &[u8], set: &Bytes) -> usize {
    let length = text.len();
    let mut at = 0;
    while at < length && set[text[at] as usize] {
        at += 1;
    }
    at
}
