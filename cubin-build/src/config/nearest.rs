//! "Did you mean": the known word nearest to a misspelt one.

use crate::lists::CollectVec;

#[cfg(test)]
thread_local!(static COMPARED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) });

/// How often this thread has compared two words.
#[cfg(test)]
pub(crate) fn compared() -> usize {
    COMPARED.with(std::cell::Cell::get)
}

/// Longer words are not compared: the time grows with their length.
const LONGEST: usize = 256;
/// More edits are not a slip of the pen, and a bound ends most comparisons after a few characters.
const MOST_EDITS: usize = 5;

/// The candidate with the fewest edits, if these are few and change a third of the word or less; the first on a tie.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    if word.len() > LONGEST {
        return None;
    }
    let allowed = (word.chars().count() / 3).clamp(1, MOST_EDITS);
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= LONGEST)
        .filter_map(|candidate| Some((distance(word, candidate, allowed)?, candidate)))
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b` (optimal string alignment);
/// case and `_` for `-` count nothing. Nothing when there are more than `most`.
fn distance(a: &str, b: &str, most: usize) -> Option<usize> {
    #[cfg(test)]
    COMPARED.with(|count| count.set(count.get() + 1));
    let same = |c: char| {
        if c == '_' {
            '-'
        } else {
            c.to_ascii_lowercase()
        }
    };
    let a: Vec<char> = a.chars().map(same).collect_vec();
    let b: Vec<char> = b.chars().map(same).collect_vec();
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect_vec();
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
        // A swap reaches back over one row, so both must be lost.
        if row.iter().chain(&last).all(|edits| *edits > most) {
            return None;
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().filter(|edits| *edits <= most)
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
        for (a, b, edits) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("kitten", "sitting", 3),
            ("ab", "ba", 1),
            ("xxab", "xxba", 1),
        ] {
            assert_eq!(distance(a, b, edits), Some(edits), "{a} {b}");
            assert_eq!(distance(a, b, 9), Some(edits), "{a} {b}");
            if let Some(fewer) = edits.checked_sub(1) {
                assert_eq!(distance(a, b, fewer), None, "{a} {b}");
            }
        }
    }
}
