//! A search for a word in a stream while it is read.

use std::io::{self, Read};

use memchr::memmem;

/// A word, and whether it was found.
#[derive(Debug)]
pub struct Word {
    word: Vec<u8>,
    /// True if it was found, and not as a part of a longer name.
    pub is_there: bool,
}

impl Word {
    /// Creates the search for a word.
    pub fn new(word: &str) -> Word {
        Word {
            word: word.as_bytes().to_vec(),
            is_there: false,
        }
    }

    /// Returns a reader that also searches what it reads.
    pub fn within<R: Read>(&mut self, reader: R) -> Looking<'_, R> {
        Looking {
            reader,
            word: self,
            rest: vec![b' '],
        }
    }

    /// Returns true if a text contains the word and it is not part of a longer name. At the end of the text it does
    /// not count, as the name may continue.
    fn is_in(&self, text: &[u8]) -> bool {
        let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
        let mut places = memmem::find_iter(text, &self.word);
        places.any(|at| {
            let before = at.checked_sub(1).and_then(|before| text.get(before));
            let after = text.get(at + self.word.len());
            !before.is_some_and(is_of_name) && after.is_some_and(|byte| !is_of_name(byte))
        })
    }
}

/// A reader that searches what it reads for a word.
#[derive(Debug)]
pub struct Looking<'w, R> {
    reader: R,
    word: &'w mut Word,
    /// The last bytes, in which the word may start.
    rest: Vec<u8>,
}

impl<R: Read> Read for Looking<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.reader.read(into)?;
        if self.word.is_there || self.word.word.is_empty() || into.is_empty() {
            return Ok(length);
        }
        // without the zero bytes that UTF-16 has beside ASCII letters
        let came = into[..length].iter().copied().filter(|byte| *byte != 0);
        self.rest.extend(came);
        if length == 0 {
            self.rest.push(b'\n');
        }
        self.word.is_there = self.word.is_in(&self.rest);
        let kept = self.rest.len().saturating_sub(self.word.word.len() + 1);
        self.rest.drain(..kept);
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that returns one byte at a time.
    struct Dripping<'b>(&'b [u8]);

    impl Read for Dripping<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let length = self.0.len().min(into.len()).min(1);
            into[..length].copy_from_slice(&self.0[..length]);
            self.0 = &self.0[length..];
            Ok(length)
        }
    }

    fn is_there(text: &[u8]) -> bool {
        let found = |reader: &mut dyn Read| {
            let mut word = Word::new("shop");
            let mut all = Vec::new();
            word.within(reader).read_to_end(&mut all).unwrap();
            assert_eq!(all, text);
            word.is_there
        };
        let whole = found(&mut &*text);
        assert_eq!(found(&mut Dripping(text)), whole);
        whole
    }

    #[test]
    fn words_by_themselves() {
        for text in [
            "shop",
            "in shop/web-0",
            "\"shop\"",
            "x\nshop\n",
            "shops shop-a a.shop",
        ] {
            assert!(is_there(text.as_bytes()), "{text}");
        }
        for text in ["", "shops", "my-shop", "shop-a", "sho p"] {
            assert!(!is_there(text.as_bytes()), "{text}");
        }
        let utf16: Vec<u8> = "a shop b"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert!(is_there(&utf16));
    }
}
