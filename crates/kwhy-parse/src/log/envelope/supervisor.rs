//! Lines of a supervised process: `[name] record`, as Longhorn's instance manager prints those of its engines and
//! replicas (longhorn/longhorn-instance-manager `pkg/util`, 1.5).
//!
//! Only a record that is certain to be one makes a name in brackets an envelope: many formats put a level, a thread or
//! a logger there.

use super::{Inner, Layer, Names, run};
use crate::framing::payload_format;

/// The maximum length of a name.
const MAX_NAME: usize = 128;

pub(super) fn layer(text: &str) -> Option<Layer> {
    let inside = text.strip_prefix('[')?.as_bytes();
    let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let name = run(inside.get(..inside.len().min(MAX_NAME))?, is_name);
    let is_name = inside.get(..name)?.contains(&b'-');
    let record = inside.get(name..)?.strip_prefix(b"] ")?;
    if !is_name || payload_format(record).is_none() {
        return None;
    }
    let names = Names {
        program: Some(1..name + 1),
        ..Names::default()
    };
    Some(Layer::new(None, names, Inner::From(name + 3)))
}
