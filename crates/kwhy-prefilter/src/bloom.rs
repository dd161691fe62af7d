//! A Bloom filter over the 4-grams of a text: most tokens do not occur in it, and the filter shows that without a
//! search. For case-insensitive matching, pass both sides in lower case.

use memchr::memmem::Finder;

/// The length of a gram in bytes.
const GRAM: usize = 4;
/// The number of bits of a hash: few enough that a filter can be built for each record.
const HASH_BITS: u32 = 12;

/// A bit set of the hashes of the 4-grams in some texts.
pub struct Bloom([u64; 1 << (HASH_BITS - 6)]);

impl Bloom {
    /// Builds the filter of texts.
    pub fn of<'t>(texts: impl IntoIterator<Item = &'t [u8]>) -> Self {
        let mut bloom = Bloom([0; 1 << (HASH_BITS - 6)]);
        for text in texts {
            for window in text.windows(GRAM).filter_map(<[u8]>::first_chunk) {
                let hash = usize::from(hash(*window));
                bloom.0[hash / 64 % bloom.0.len()] |= 1 << (hash % 64);
            }
        }
        bloom
    }

    fn has(&self, hash: u16) -> bool {
        let hash = usize::from(hash);
        self.0[hash / 64 % self.0.len()] >> (hash % 64) & 1 != 0
    }
}

fn hash(bytes: [u8; GRAM]) -> u16 {
    (u32::from_le_bytes(bytes).wrapping_mul(0x9e37_79b1) >> (32 - HASH_BITS)) as u16
}

/// A token to search for, with the hashes of its first and last 4-gram.
#[derive(Debug)]
pub struct Token {
    finder: Finder<'static>,
    hashes: Option<[u16; 2]>,
}

impl Token {
    /// Prepares a token.
    pub fn new(token: &str) -> Token {
        let bytes = token.as_bytes();
        let ends = bytes.first_chunk().zip(bytes.last_chunk());
        Token {
            finder: Finder::new(bytes).into_owned(),
            hashes: ends.map(|(start, end)| [hash(*start), hash(*end)]),
        }
    }

    /// Returns false only if the token occurs in none of the filter's texts.
    pub fn may_occur(&self, bloom: &Bloom) -> bool {
        self.hashes
            .is_none_or(|own| own.iter().all(|hash| bloom.has(*hash)))
    }

    /// Returns true if the token occurs in a text.
    pub fn occurs(&self, text: &[u8]) -> bool {
        self.finder.find(text).is_some()
    }

    /// The offsets at which the token occurs in a text.
    pub fn offsets<'a>(&'a self, text: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
        self.finder.find_iter(text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_token_is_missed(before in "[a-z :]{0,40}", token in "[a-z :é]{1,12}", after in "[a-z :]{0,40}") {
            let text = format!("{before}{token}{after}");
            let token = Token::new(&token);
            prop_assert!(token.occurs(text.as_bytes()));
            prop_assert!(token.may_occur(&Bloom::of([b"other".as_slice(), text.as_bytes()])));
        }
    }

    #[test]
    fn most_absent_tokens_are_refused_without_a_search() {
        let bloom = Bloom::of([b"volume claim-3 is bound by another pod of the node".as_slice()]);
        let absent = [
            "OOMKilled",
            "no such host",
            "i/o timeout",
            "x509: ",
            "Evicted",
        ];
        let refused = |token: &&&str| !Token::new(token).may_occur(&bloom);
        assert_eq!(absent.iter().filter(refused).count(), absent.len());
        assert!(Token::new("is").may_occur(&bloom));
    }
}
