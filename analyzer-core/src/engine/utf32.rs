//! UTF-32 with a byte order mark.

/// Decodes UTF-32 in pieces.
#[derive(Debug)]
pub(crate) struct Utf32 {
    unit: fn([u8; 4]) -> u32,
    /// The first bytes of an incomplete unit.
    rest: Vec<u8>,
    /// The number of invalid units.
    pub invalid: u64,
}

impl Utf32 {
    /// Returns a decoder if a document that starts with these bytes is UTF-32 with a byte order mark.
    pub fn detect(bytes: &[u8]) -> Option<Utf32> {
        let unit: fn([u8; 4]) -> u32 = match bytes {
            [0xff, 0xfe, 0, 0, ..] => u32::from_le_bytes,
            [0, 0, 0xfe, 0xff, ..] => u32::from_be_bytes,
            _ => return None,
        };
        Some(Utf32 {
            unit,
            rest: Vec::new(),
            invalid: 0,
        })
    }

    /// Decodes the next bytes, without the byte order mark.
    pub fn decode(&mut self, bytes: &[u8]) -> String {
        self.rest.extend_from_slice(bytes);
        let (units, rest) = self.rest.as_chunks::<4>();
        let decoded = units.iter().map(|unit| {
            char::from_u32((self.unit)(*unit)).unwrap_or_else(|| {
                self.invalid += 1;
                char::REPLACEMENT_CHARACTER
            })
        });
        let text = decoded.filter(|c| *c != '\u{feff}').collect();
        self.rest = rest.to_vec();
        text
    }

    /// Returns the text of an incomplete remainder at the end, as a replacement character.
    pub fn finish(&mut self) -> String {
        if std::mem::take(&mut self.rest).is_empty() {
            return String::new();
        }
        self.invalid += 1;
        char::REPLACEMENT_CHARACTER.to_string()
    }
}
