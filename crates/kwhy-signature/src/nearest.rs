//! Suggestions for misspelled words.

/// Returns the number of letters that differ between two words.
///
/// ```
/// assert_eq!(kwhy_signature::edit_distance("severty", "severity"), 1);
/// ```
pub fn edit_distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (number, own) in a.bytes().enumerate() {
        let mut before = std::mem::replace(&mut row[0], number + 1);
        for (at, other) in b.bytes().enumerate() {
            let change = before + usize::from(own != other);
            before = row[at + 1];
            row[at + 1] = change.min(before + 1).min(row[at] + 1);
        }
    }
    row.last().copied().unwrap_or(0)
}

/// Returns the candidate that a word is probably a misspelling of, if any is close enough.
pub(crate) fn nearest<'c>(
    word: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<&'c str> {
    let most = word.len().div_ceil(3).min(3);
    let near = candidates
        .into_iter()
        .map(|candidate| (edit_distance(word, candidate), candidate));
    let (_, candidate) = near
        .filter(|(distance, _)| *distance <= most && *distance < word.len())
        .min()?;
    Some(candidate)
}

/// Returns the end of a message about an unknown word: `; did you mean ...?`, or an empty text.
pub(crate) fn hint<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> String {
    match nearest(word, candidates) {
        Some(candidate) => format!("; did you mean `{candidate}`?"),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspellings() {
        let keys = ["severity", "title", "match", "why"];
        for (word, meant) in [
            ("severty", Some("severity")),
            ("tile", Some("title")),
            ("wy", Some("why")),
            ("zzz", None),
            ("x", None),
        ] {
            assert_eq!(nearest(word, keys), meant, "{word}");
        }
        assert_eq!(hint("mtach", keys), "; did you mean `match`?");
    }
}
