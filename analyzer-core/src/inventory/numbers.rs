//! Variable-length integers (LEB128): 7 bits per byte, lowest first; the last byte has its highest bit clear.

/// Appends a number.
pub(super) fn push(bytes: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Appends a signed number, zigzag-encoded so that numbers near zero are short.
pub(super) fn push_signed(bytes: &mut Vec<u8>, number: i64) {
    push(bytes, ((number << 1) ^ (number >> (i64::BITS - 1))) as u64);
}

/// A reader of encoded numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers<'b>(pub &'b [u8]);

impl<'b> Numbers<'b> {
    /// Reads the next number; `None` at the end or if it is invalid.
    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if *byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// Reads the next signed number.
    pub fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// Reads raw bytes.
    pub fn bytes(&mut self, count: usize) -> Option<&'b [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn small_numbers_are_short() {
        let length = |number| {
            let mut bytes = Vec::new();
            push(&mut bytes, number);
            bytes.len()
        };
        assert_eq!(
            [0, 127, 128, 16_383, 16_384, u64::MAX].map(length),
            [1, 1, 2, 2, 3, 10]
        );
        let mut bytes = Vec::new();
        for number in [-64, 63] {
            push_signed(&mut bytes, number);
        }
        assert_eq!(bytes.len(), 2);
        assert_eq!(Numbers(&[0x80; 11]).number(), None);
        assert_eq!(Numbers(&bytes).bytes(3), None);
    }

    proptest! {
        #[test]
        fn numbers_come_back(all in prop::collection::vec((any::<u64>(), any::<i64>(), 0..64u32), 0..20)) {
            let mut bytes = Vec::new();
            for (number, signed, shift) in &all {
                push(&mut bytes, number >> shift);
                push_signed(&mut bytes, signed >> shift);
                bytes.extend(b"quay");
            }
            let mut numbers = Numbers(&bytes);
            for (number, signed, shift) in all {
                prop_assert_eq!(numbers.number(), Some(number >> shift));
                prop_assert_eq!(numbers.signed(), Some(signed >> shift));
                prop_assert_eq!(numbers.bytes(4), Some(&b"quay"[..]));
            }
            prop_assert_eq!(numbers.number(), None);
        }
    }
}
