//! Packs texts that are rarely read into one stream (LZMA2): smaller than with a grammar, but unpacked all together.

use std::io::{self, Read, Write};

use lzma_rust2::{Lzma2Options, Lzma2Reader, Lzma2Writer, LzmaOptions};

/// The size of the dictionary in bytes, for both directions.
const DICTIONARY: u32 = 4 << 20;

/// The compressor's preset: higher ones gain less than a hundredth.
const PRESET: u32 = 6;

/// Packs byte strings into one stream.
///
/// # Errors
/// Returns an error if a string is longer than 4 GiB, or there is no memory.
pub fn pack_all<T: AsRef<[u8]>>(parts: impl IntoIterator<Item = T>) -> io::Result<Vec<u8>> {
    let mut options = Lzma2Options::with_preset(PRESET);
    options.lzma_options.dict_size = DICTIONARY;
    // texts repeat in long passages
    options.lzma_options.nice_len = LzmaOptions::NICE_LEN_MAX;
    let mut packed = Lzma2Writer::new(Vec::new(), options);
    for part in parts {
        let part = part.as_ref();
        let length = u32::try_from(part.len()).map_err(io::Error::other)?;
        packed.write_all(&length.to_le_bytes())?;
        packed.write_all(part)?;
    }
    packed.finish()
}

/// Unpacks a stream that [`pack_all`] wrote.
///
/// # Errors
/// Returns an error if the stream is damaged.
pub fn unpack_all(packed: &[u8]) -> io::Result<Vec<Vec<u8>>> {
    let mut all = Vec::new();
    Lzma2Reader::new(packed, DICTIONARY, None).read_to_end(&mut all)?;
    let mut parts = Vec::new();
    let mut rest = all.as_slice();
    while let Some((length, after)) = rest.split_first_chunk() {
        let length = u32::from_le_bytes(*length) as usize;
        let Some((part, after)) = after.split_at_checked(length) else {
            return Err(io::ErrorKind::UnexpectedEof.into());
        };
        parts.push(part.to_vec());
        rest = after;
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn parts_are_read_as_they_were(
            parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..40)
        ) {
            let packed = pack_all(&parts).unwrap();
            prop_assert_eq!(unpack_all(&packed).unwrap(), parts);
        }

        #[test]
        fn a_damaged_stream_does_not_panic(
            at in any::<prop::sample::Index>(),
            byte in any::<u8>(),
            length in any::<prop::sample::Index>(),
        ) {
            let mut packed = pack_all(["the volume is full", "the volume is gone"]).unwrap();
            let at = at.index(packed.len());
            packed[at] = byte;
            packed.truncate(length.index(packed.len() + 1));
            let _ = unpack_all(&packed);
        }
    }

    #[test]
    fn what_occurs_often_takes_little() {
        let line = "  Warning  FailedMount  kubelet  the volume of the shelf is not there\n";
        let texts: Vec<String> = (0..500).map(|number| format!("{line}{number}")).collect();
        assert!(pack_all(&texts).unwrap().len() < 2_500);
    }
}
