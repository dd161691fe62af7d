//! `docker compose logs` (v1 and v2): `web-1     | text`, with names padded to the longest.
//!
//! A name is `service-1` (v2) or `service_1` (v1). Custom names are accepted if a record follows
//! the bar; other lines of such a container are recognised by [`Sources`](super::Sources).

use super::super::formats;
use super::{Inner, Layer, Names, run};

pub(super) fn layer(text: &str) -> Option<Layer> {
    let bytes = text.as_bytes();
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let name = run(bytes.get(..bytes.len().min(128))?, is_name);
    let after = bytes.get(name..bytes.len().min(name + 128))?;
    let padding = run(after, |byte| byte == b' ');
    if padding == 0 || after.get(padding) != Some(&b'|') {
        return None;
    }
    let bar = name + padding;
    let start = match bytes.get(bar + 1) {
        Some(b' ') => bar + 2,
        None => bar + 1,
        Some(_) => return None,
    };
    let digits = bytes
        .get(..name)?
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let numbered = digits > 0
        && name > digits + 1
        && matches!(bytes.get(name - digits - 1), Some(b'-' | b'_'));
    // a level before a bar starts a record's head
    let is_level = name > 1 && crate::log::level::of_head(text.get(..name)?).is_some();
    if is_level || !numbered && formats::find(text.get(start..)?).is_none() {
        return None;
    }
    let names = Names {
        container: Some(0..name),
        ..Names::default()
    };
    Some(Layer {
        source: Some(start),
        ..Layer::new(None, names, Inner::From(start))
    })
}
