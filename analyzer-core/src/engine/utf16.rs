//! UTF-16, as Windows shells write it to files.

use kwhy_parse::input::utf16_unit;

/// Decodes UTF-16 in pieces.
#[derive(Debug)]
pub(crate) struct Utf16 {
    unit: fn([u8; 2]) -> u16,
    /// The first byte of an incomplete unit.
    odd: Option<u8>,
    /// The first half of a surrogate pair.
    high: Option<u16>,
    /// The number of invalid units.
    pub invalid: u64,
}

impl Utf16 {
    /// Returns a decoder if a document that starts with these bytes is UTF-16 with a byte order mark.
    pub fn detect(bytes: &[u8]) -> Option<Utf16> {
        let unit = utf16_unit(bytes)?;
        Some(Utf16 {
            unit,
            odd: None,
            high: None,
            invalid: 0,
        })
    }

    /// Decodes the next bytes, without the byte order mark.
    pub fn decode(&mut self, bytes: &[u8]) -> String {
        let odd = self.odd.take();
        let mut bytes = odd.into_iter().chain(bytes.iter().copied());
        let mut units: Vec<u16> = self.high.take().into_iter().collect();
        while let Some(first) = bytes.next() {
            match bytes.next() {
                Some(second) => units.push((self.unit)([first, second])),
                None => self.odd = Some(first),
            }
        }
        if units
            .last()
            .is_some_and(|unit| (0xd800..0xdc00).contains(unit))
        {
            self.high = units.pop();
        }
        let decoded = char::decode_utf16(units).map(|decoded| {
            decoded.unwrap_or_else(|_| {
                self.invalid += 1;
                char::REPLACEMENT_CHARACTER
            })
        });
        decoded.filter(|c| *c != '\u{feff}').collect()
    }

    /// Returns the text of an incomplete remainder at the end, as a replacement character.
    pub fn finish(&mut self) -> String {
        let broken =
            usize::from(self.high.take().is_some()) + usize::from(self.odd.take().is_some());
        self.invalid += broken as u64;
        char::REPLACEMENT_CHARACTER.to_string().repeat(broken)
    }
}
