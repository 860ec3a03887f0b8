//! "Did you mean": the known word nearest to a misspelt one.

/// Longer words are not compared: the time grows with the product of the lengths.
const LONGEST: usize = 256;

/// The candidate with the fewest edits, if a third of the word or less was changed; the first on a tie.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    if word.len() > LONGEST {
        return None;
    }
    let allowed = (word.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= LONGEST)
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(edits, _)| *edits <= allowed)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b` (optimal string alignment);
/// case and `_` for `-` count nothing.
fn distance(a: &str, b: &str) -> usize {
    let same = |c: char| {
        if c == '_' {
            '-'
        } else {
            c.to_ascii_lowercase()
        }
    };
    let a: Vec<char> = a.chars().map(same).collect();
    let b: Vec<char> = b.chars().map(same).collect();
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let mut best = (last[j] + usize::from(a[i] != b[j]))
                .min(last[j + 1] + 1)
                .min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions() {
        let keys = ["registers", "stack", "spills", "params", "static-shared"];
        for (word, expected) in [
            ("register", Some("registers")),
            ("stakc", Some("stack")),
            ("static_shared", Some("static-shared")),
            ("Spill", Some("spills")),
            ("occupancy", None),
            ("", None),
            ("x", None),
        ] {
            assert_eq!(nearest(word, keys), expected, "{word}");
        }
    }

    #[test]
    fn edits() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("ab", "ba"), 1);
    }
}
