//! The checksum of gzip and zip (CRC-32 of ITU-T V.42), computed with the processor's CRC instructions if it has them:
//! the decoder's own implementation takes a fifth of the time of unpacking.

use crc32fast::Hasher;

/// The checksum of the bytes decoded so far.
#[derive(Clone, Debug, Default)]
pub struct Crc(Hasher);

impl Crc {
    /// Creates the checksum of no bytes.
    pub fn new() -> Crc {
        Crc::default()
    }

    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the checksum of all bytes added since the last reset.
    pub fn sum(&self) -> u32 {
        self.0.clone().finalize()
    }

    /// Resets the checksum to that of no bytes.
    pub fn reset(&mut self) {
        self.0.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums() {
        let mut crc = Crc::new();
        assert_eq!(crc.sum(), 0);
        crc.update(b"12345");
        crc.update(b"6789");
        // the check value of CRC-32/ISO-HDLC
        assert_eq!(crc.sum(), 0xcbf4_3926);
        crc.reset();
        assert_eq!(crc.sum(), 0);
    }
}
