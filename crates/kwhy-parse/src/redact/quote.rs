//! Quote marks and where the text between them ends.

/// A quote mark, after the backslashes that escape it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Quote {
    pub mark: u8,
    pub backslashes: usize,
}

impl Quote {
    /// The one that starts at a byte.
    pub fn at(bytes: &[u8], at: usize) -> Option<Quote> {
        let rest = bytes.get(at..)?;
        let backslashes = rest.iter().take_while(|byte| **byte == b'\\').count();
        let mark = *rest.get(backslashes)?;
        matches!(mark, b'"' | b'\'').then_some(Quote { mark, backslashes })
    }

    /// The one that ends at a byte.
    pub fn before(bytes: &[u8], at: usize) -> Option<Quote> {
        let mark = *bytes.get(at.checked_sub(1)?)?;
        let backslashes = || {
            bytes[..at - 1]
                .iter()
                .rev()
                .take_while(|byte| **byte == b'\\')
                .count()
        };
        matches!(mark, b'"' | b'\'').then(|| Quote {
            mark,
            backslashes: backslashes(),
        })
    }

    pub fn length(self) -> usize {
        self.backslashes + 1
    }

    /// The end of the text after it: at the mark that closes it, or else at the end of the line.
    pub fn end(self, bytes: &[u8], from: usize) -> usize {
        let mut at = from;
        while let Some(byte) = bytes.get(at) {
            if *byte == b'\n' {
                return at;
            }
            if *byte == self.mark {
                let before = &bytes[from..at];
                let escapes = before
                    .iter()
                    .rev()
                    .take_while(|byte| **byte == b'\\')
                    .count();
                let closes = match self.backslashes {
                    0 => self.mark == b'\'' || escapes % 2 == 0,
                    own => escapes <= own,
                };
                if closes {
                    return at - escapes.min(self.backslashes);
                }
            }
            at += 1;
        }
        bytes.len()
    }
}
