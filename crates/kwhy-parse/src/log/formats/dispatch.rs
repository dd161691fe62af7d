//! Dispatch by first byte: the formats whose records can start with it.

use super::FormatSpec;

/// Returns, for each byte, the set of formats that can start with it; bit 0 is the first format.
pub(super) const fn by_byte(forms: &[FormatSpec]) -> [u64; 256] {
    assert!(forms.len() <= 64, "a set holds 64 forms");
    let mut sets = [0; 256];
    let mut index = 0;
    while index < forms.len() {
        let first = forms[index].first;
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
