//! Writes a text as what it does not have in common with another one.

use std::collections::HashMap;

/// Marks a passage of the other text in what is the text's own.
const MARK: char = '\0';

/// The minimum length in bytes of a passage: shorter ones take more room as a passage than in a grammar.
const LEAST: usize = 16;

/// A text without the passages that another text has too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Own {
    /// What the other text does not have, with a mark for each passage that it has.
    pub text: String,
    /// For each passage the distance of its start from the end of the passage before it, and its length beyond the minimum; both as
    /// numbers of seven bits a byte, whose last byte has a high bit of zero. The lowest bit of a distance is its sign.
    pub passages: Vec<u8>,
}

impl Own {
    /// Takes out the passages of a text that `other` has too; `None` if the text contains a mark, U+0000.
    ///
    /// ```
    /// use kwhy_pack::Own;
    /// let other = r#"{"why":"the shelf has no room left"}"#;
    /// let text = "why: the shelf has no room left\n";
    /// let own = Own::of(text, other).unwrap();
    /// assert!(own.text.len() < 10);
    /// assert_eq!(Own::whole(&own.text, &own.passages, other), text);
    /// ```
    pub fn of(text: &str, other: &str) -> Option<Own> {
        if text.contains(MARK) {
            return None;
        }
        let mut starts: HashMap<&[u8], Vec<usize>> = HashMap::new();
        for (start, window) in other.as_bytes().windows(LEAST).enumerate() {
            starts.entry(window).or_default().push(start);
        }
        let mut own = Own::default();
        let (mut rest, mut last) = (text, 0);
        while let Some(first) = rest.chars().next() {
            let start = rest.as_bytes().get(..LEAST).and_then(|it| starts.get(it));
            let passages = start.into_iter().flatten().filter_map(|start| {
                let length = common(rest, other.get(*start..)?);
                (length >= LEAST).then_some((length, usize::MAX - start.abs_diff(last), *start))
            });
            match passages.max() {
                Some((length, _, start)) => {
                    own.text.push(MARK);
                    let distance = start.abs_diff(last) << 1 | usize::from(start < last);
                    write(distance, &mut own.passages);
                    write(length - LEAST, &mut own.passages);
                    last = start + length;
                    rest = &rest[length..];
                }
                None => {
                    own.text.push(first);
                    rest = &rest[first.len_utf8()..];
                }
            }
        }
        Some(own)
    }

    /// Puts the passages of `other` back into a text.
    pub fn whole(text: &str, passages: &[u8], other: &str) -> String {
        let mut passages = passages.iter();
        let mut parts = text.split(MARK);
        let mut whole = parts.next().unwrap_or_default().to_owned();
        let mut last = 0usize;
        for part in parts {
            let distance = read(&mut passages);
            let start = match distance & 1 {
                0 => last.saturating_add(distance >> 1),
                _ => last.saturating_sub(distance >> 1),
            };
            last = start.saturating_add(read(&mut passages).saturating_add(LEAST));
            whole.push_str(other.get(start..last).unwrap_or_default());
            whole.push_str(part);
        }
        whole
    }
}

/// Returns the length in bytes of what two texts have in common at their start.
fn common(one: &str, other: &str) -> usize {
    let pairs = one.chars().zip(other.chars());
    pairs
        .take_while(|(one, other)| one == other)
        .map(|(one, _)| one.len_utf8())
        .sum()
}

fn write(mut number: usize, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn read<'b>(bytes: &mut impl Iterator<Item = &'b u8>) -> usize {
    let mut number = 0;
    for (at, byte) in bytes.take(4).enumerate() {
        number |= usize::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            break;
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn texts_are_put_together_as_they_were(
            parts in prop::collection::vec("(the |volume |is |é|  ){0,20}|\\PC{0,9}", 0..12),
            order in prop::collection::vec((0..12usize, 0..12usize), 0..12),
        ) {
            let part = |at: usize| parts.get(at).map_or("-", String::as_str);
            let text: String = order.iter().map(|(at, _)| part(*at)).collect();
            let other: String = order.iter().map(|(_, at)| part(*at)).collect();
            let own = Own::of(&text, &other).unwrap();
            prop_assert_eq!(Own::whole(&own.text, &own.passages, &other), text);
        }

        #[test]
        fn what_was_not_written_is_read_too(
            text in "[\\x00a]{0,9}",
            passages in prop::collection::vec(any::<u8>(), 0..40),
            other in "(é|the )*",
        ) {
            Own::whole(&text, &passages, &other);
        }
    }

    #[test]
    fn passages_in_any_order() {
        let other = "first it is read and then it is written, and that is all";
        let text = "and then it is written; first it is read and then";
        let own = Own::of(text, other).unwrap();
        assert_eq!(own.text, "\0; \0");
        assert_eq!(own.passages.len(), 4);
        assert_eq!(Own::whole(&own.text, &own.passages, other), text);
        assert_eq!(Own::of("a mark \0", other), None);
    }
}
