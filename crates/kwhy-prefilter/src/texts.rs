//! Many texts stored in one string.

use std::borrow::Cow;
use std::ops::Range;

/// Numbered texts, concatenated in one string: a constant with a pointer for each would be larger, and the loader would
/// have to relocate the pointers at each start.
///
/// The fields are public so that a build script can write them out as a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    /// All texts, concatenated.
    pub text: Cow<'static, str>,
    /// The end of each text in bytes.
    pub ends: Cow<'static, [u32]>,
}

impl Texts {
    /// The number of texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns true if there are no texts.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the text with a number.
    pub fn get(&self, number: usize) -> Option<&str> {
        self.text.get(self.place(number)?)
    }

    /// Returns the bytes of a text, without checking character boundaries.
    #[inline]
    pub fn bytes(&self, number: usize) -> Option<&[u8]> {
        self.text.as_bytes().get(self.place(number)?)
    }

    #[inline]
    fn place(&self, number: usize) -> Option<Range<usize>> {
        let end = *self.ends.get(number)? as usize;
        let start = match number {
            0 => 0,
            _ => *self.ends.get(number - 1)? as usize,
        };
        Some(start..end)
    }

    /// The texts, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> + Clone {
        (0..self.len()).filter_map(|number| self.get(number))
    }

    /// Returns the number of a text, if the texts are sorted.
    pub fn position(&self, text: &str) -> Option<usize> {
        let (mut from, mut to) = (0, self.len());
        while from < to {
            let middle = from.midpoint(to);
            match self.get(middle)?.cmp(text) {
                std::cmp::Ordering::Less => from = middle + 1,
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Greater => to = middle,
            }
        }
        None
    }
}

impl<T: AsRef<str>> FromIterator<T> for Texts {
    fn from_iter<I: IntoIterator<Item = T>>(texts: I) -> Texts {
        let mut all = Texts::default();
        all.extend(texts);
        all
    }
}

impl<T: AsRef<str>> Extend<T> for Texts {
    fn extend<I: IntoIterator<Item = T>>(&mut self, texts: I) {
        let (all, ends) = (self.text.to_mut(), self.ends.to_mut());
        for text in texts {
            all.push_str(text.as_ref());
            ends.push(all.len() as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_their_numbers() {
        let mut texts: Texts = ["", "a", "é"].into_iter().collect();
        texts.extend(["ü"]);
        assert_eq!(texts.iter().collect::<Vec<_>>(), ["", "a", "é", "ü"]);
        for (number, text) in texts.iter().enumerate() {
            assert_eq!(texts.position(text), Some(number));
        }
        assert_eq!(texts.position("b"), None);
        assert_eq!(texts.get(4), None);
    }
}
