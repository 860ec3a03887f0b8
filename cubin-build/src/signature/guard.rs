//! What nvcc's side files cannot show, looked for in the preprocessed source; and the withdrawal of records whose
//! layout turned out to be wrong.
//!
//! `.gpu` prints a member of type `__int128` as `long long`. By value, the size in the cubin gives that away. Behind
//! a pointer nothing does, so when a user's file names a 128-bit integer, records with `long long` members that no
//! parameter has proved become opaque.

use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::lexer;
use super::model::{Kernel, Pointer, RecordId, Refusal, Scalar, Signatures, Type};
use crate::sorted::Set;
use crate::{lists::CollectVec, paths::normalize};

/// What the preprocessed source says of types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SourceFacts {
    /// A file that is neither the toolkit's nor the host compiler's names a 128-bit integer (`__int128`,
    /// `__uint128_t`, `int128_t`).
    pub int128: bool,
}

/// Reads the kept `X.cpp1.ii`. `toolkit_includes` as for [`read`](super::read).
///
/// # Errors
/// When the input cannot be read.
pub fn scan_preprocessed(
    input: impl Read,
    toolkit_includes: &[PathBuf],
) -> io::Result<SourceFacts> {
    let toolkit: Vec<PathBuf> = toolkit_includes
        .iter()
        .map(|path| normalize(path))
        .collect_vec();
    let mut input = BufReader::with_capacity(1 << 16, input);
    let mut facts = SourceFacts::default();
    let mut user = true;
    // A piece of a line; bounded, since a line may be the whole file.
    let mut piece: Vec<u8> = Vec::new();
    let mut line_start = true;
    while !facts.int128 {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            break;
        }
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(buffer.len(), |end| end + 1);
        piece.extend_from_slice(buffer.get(..taken).unwrap_or_default());
        input.consume(taken);
        if line_start && piece.first() == Some(&b'#') && end.is_some() {
            let text = String::from_utf8_lossy(&piece);
            if let Some((_, file)) = lexer::line_marker(text.trim_start_matches('#').trim()) {
                user = is_user_file(&file, &toolkit);
            }
        } else if user {
            facts.int128 = piece.windows(6).any(|six| six == b"int128");
        }
        line_start = end.is_some();
        // The word may lie across two pieces of a long line.
        let keep = if line_start { 0 } else { piece.len().min(5) };
        piece.drain(..piece.len() - keep);
    }
    Ok(facts)
}

fn is_user_file(file: &str, toolkit: &[PathBuf]) -> bool {
    if file.starts_with('<') {
        return false;
    }
    let path = normalize(Path::new(file));
    let host = path.starts_with("/usr/include")
        || path.starts_with("/usr/lib")
        || path.iter().any(|part| part == "gcc" || part == "c++");
    !host && !toolkit.iter().any(|dir| path.starts_with(dir))
}

/// As [`scan_preprocessed`] says it, from one of the files that were included: for those who no longer have the
/// preprocessed text. `name` is the file's as the preprocessor gave it.
///
/// # Errors
/// When the input cannot be read.
pub fn scan_source(
    name: &Path,
    input: impl Read,
    toolkit_includes: &[PathBuf],
) -> io::Result<SourceFacts> {
    let toolkit: Vec<PathBuf> = toolkit_includes
        .iter()
        .map(|path| normalize(path))
        .collect_vec();
    if !is_user_file(&name.to_string_lossy(), &toolkit) {
        return Ok(SourceFacts::default());
    }
    scan_preprocessed(input, toolkit_includes)
}

/// Withdraws what [`SourceFacts`] put in doubt. Call it after [`check`](super::check()), whose agreement on a by-value
/// record proves that record.
pub fn guard(signatures: &mut Signatures, facts: SourceFacts) {
    if !facts.int128 {
        return;
    }
    let mut proved = Set::new();
    for kernel in signatures
        .kernels
        .iter()
        .filter(|kernel| kernel.refusal.is_none())
    {
        for param in &kernel.params {
            add_by_value(signatures, &param.ty, &mut proved);
        }
    }
    let doubtful: Set<RecordId> = (0..signatures.records.len())
        .map(RecordId)
        .filter(|id| !proved.contains(id))
        .filter(|id| {
            let mut within = Set::new();
            add_by_value(signatures, &Type::Record(*id), &mut within);
            within.iter().any(|id| {
                signatures
                    .records
                    .get(id.0)
                    .is_some_and(|record| record.fields.iter().any(|field| wide(&field.ty)))
            })
        })
        .collect();
    withdraw(
        signatures,
        &doubtful,
        "may have `__int128` members, which nvcc's files print as `long long`",
    );
    // A member that points to `long long` may point to `__int128`.
    for record in &mut signatures.records {
        for field in &mut record.fields {
            obscure_wide(&mut field.ty);
        }
    }
}

fn wide(ty: &Type) -> bool {
    match ty {
        Type::Scalar(Scalar::LongLong | Scalar::ULongLong) => true,
        Type::Array(of, _) => wide(of),
        _ => false,
    }
}

fn obscure_wide(ty: &mut Type) {
    match ty {
        Type::Pointer(pointer) if wide(&pointer.pointee) => {
            *pointer.pointee = Type::Opaque("long long".into());
        }
        Type::Pointer(pointer) => obscure_wide(&mut pointer.pointee),
        Type::Array(of, _) => obscure_wide(of),
        _ => {}
    }
}

/// Records that `ty` holds by value, at any depth.
fn add_by_value(signatures: &Signatures, ty: &Type, found: &mut Set<RecordId>) {
    match ty {
        Type::Array(of, _) => add_by_value(signatures, of, found),
        Type::Record(id) if found.insert(*id) => {
            let Some(record) = signatures.records.get(id.0) else {
                return;
            };
            for field in &record.fields {
                add_by_value(signatures, &field.ty, found);
            }
        }
        _ => {}
    }
}

/// Stops trusting the layout of `records` and of every record that holds one: kernels that take one by value are
/// refused because it `why`, pointers to one become opaque.
pub(super) fn withdraw(signatures: &mut Signatures, records: &Set<RecordId>, why: &str) {
    if records.is_empty() {
        return;
    }
    let bad: Set<RecordId> = (0..signatures.records.len())
        .map(RecordId)
        .filter(|id| {
            let mut within = Set::new();
            add_by_value(signatures, &Type::Record(*id), &mut within);
            within.iter().any(|id| records.contains(id))
        })
        .collect();
    let names: Vec<String> = signatures
        .records
        .iter()
        .map(|record| record.name.clone())
        .collect_vec();
    let withdrawal = Withdrawal {
        bad: &bad,
        names: &names,
    };
    for kernel in &mut signatures.kernels {
        withdrawal.kernel(kernel, why);
    }
    for record in &mut signatures.records {
        for field in &mut record.fields {
            withdrawal.pointers(&mut field.ty);
        }
    }
    for global in &mut signatures.globals {
        if let Some(ty) = &mut global.ty {
            withdrawal.pointers(ty);
            if withdrawal.holds(ty).is_some() {
                global.ty = None;
            }
        }
    }
}

struct Withdrawal<'s> {
    bad: &'s Set<RecordId>,
    names: &'s [String],
}

impl Withdrawal<'_> {
    /// Name of the bad record that `ty` is or is an array of.
    fn holds(&self, ty: &Type) -> Option<String> {
        match ty {
            Type::Record(id) if self.bad.contains(id) => {
                Some(self.names.get(id.0).cloned().unwrap_or_default())
            }
            Type::Array(of, count) => self.holds(of).map(|name| format!("{name}[{count}]")),
            _ => None,
        }
    }

    fn pointers(&self, ty: &mut Type) {
        match ty {
            Type::Pointer(Pointer { pointee, .. }) => match self.holds(pointee) {
                Some(name) => **pointee = Type::Opaque(name),
                None => self.pointers(pointee),
            },
            Type::Array(of, _) => self.pointers(of),
            _ => {}
        }
    }

    fn kernel(&self, kernel: &mut Kernel, why: &str) {
        for (ordinal, param) in kernel.params.iter_mut().enumerate() {
            self.pointers(&mut param.ty);
            let Some(name) = self.holds(&param.ty) else {
                continue;
            };
            if kernel.refusal.is_none() {
                kernel.refusal = Some(Refusal {
                    param: Some((ordinal, param.name.clone())),
                    reason: format!("`{name}` {why}"),
                    help: Some(super::LAYOUT_HELP.into()),
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &str) -> bool {
        scan_preprocessed(text.as_bytes(), &["/cuda/include".into()])
            .expect("readable")
            .int128
    }

    #[test]
    fn only_the_users_files_count() {
        assert!(!scan(
            "# 1 \"/cuda/bin/../include/a.h\"\n__int128 x;\n# 3 \"/usr/include/c++/12/b\" 3\n__int128 y;\n"
        ));
        assert!(scan("# 1 \"a.cu\"\nstruct S { unsigned __int128 x; };\n"));
        assert!(scan(
            "# 1 \"/cuda/include/a.h\"\nint x;\n# 1 \"third/party.h\" 1\ntypedef __uint128_t u;\n"
        ));
        assert!(!scan("# 1 \"int128.cu\"\nint x;\n"));
    }

    #[test]
    fn a_word_across_two_reads_is_seen() {
        let text = format!("{}int128", " ".repeat((1 << 16) - 3));
        assert!(scan(&text));
    }
}
