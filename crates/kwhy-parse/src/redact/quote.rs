//! Quotation marks, and the end of the text between them.

/// A quotation mark with the backslashes that escape it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Quote {
    pub mark: u8,
    pub backslashes: usize,
}

impl Quote {
    /// Returns the mark that starts at an offset.
    pub fn at(bytes: &[u8], at: usize) -> Option<Quote> {
        let rest = bytes.get(at..)?;
        let backslashes = rest.iter().take_while(|byte| **byte == b'\\').count();
        let mark = *rest.get(backslashes)?;
        matches!(mark, b'"' | b'\'').then_some(Quote { mark, backslashes })
    }

    /// Returns the mark that ends at an offset.
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

    /// Returns the end of the quoted text: at the closing mark, or else at the end of the line.
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
