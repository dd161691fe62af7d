//! Dispatch by first byte: the formats whose records can start with it.

use super::FormatSpec;

/// Returns, for each byte, the set of formats that can start with it; bit 0 is the first format.
pub(super) const fn by_byte(formats: &[FormatSpec]) -> [u64; 256] {
    assert!(formats.len() <= 64, "a set has 64 bits");
    let mut sets = [0; 256];
    let mut index = 0;
    while index < formats.len() {
        let first = formats[index].first;
        let mut at = 0;
        while at < 256 {
            if first.is_empty() {
                sets[at] |= 1 << index;
            } else if at < first.len() {
                sets[first[at] as usize] |= 1 << index;
            }
            at += 1;
        }
        index += 1;
    }
    sets
}
