//! `talosctl` (siderolabs/talos `cmd/talosctl/cmd/talos/{dmesg,logs}.go`, v1.0 to v1.9): the node's address before each line
//! of `logs` and `dmesg`, `192.0.2.7: text`, and the head of kernel messages,
//! `kern: warning: [2024-03-04T05:06:07.123456789Z]: text`.

use std::net::{Ipv4Addr, Ipv6Addr};

use memchr::memchr;

use super::super::timestamp::leading_date_time;
use super::super::{formats, level};
use super::{Inner, Layer, Names};

/// The facilities of syslog whose messages a kernel's buffer contains.
const FACILITIES: [&str; 4] = ["kern", "user", "daemon", "syslog"];

/// The length of the longest textual address.
const LONGEST: usize = 39;

/// Returns the address of a node before a record or a kernel message; of several addresses none is an envelope.
pub(super) fn node(text: &str) -> Option<Layer> {
    let window = text.as_bytes().get(..text.len().min(LONGEST + 2))?;
    let end = window.windows(2).position(|pair| pair == b": ")?;
    let address = text.get(..end)?;
    let is_address = address.parse::<Ipv4Addr>().is_ok() || address.parse::<Ipv6Addr>().is_ok();
    let start = end + 2;
    let payload = text.get(start..)?;
    let is_logged = || formats::find(payload).is_some() || kernel_message(payload).is_some();
    if !is_address || !is_logged() {
        return None;
    }
    let names = Names {
        node: Some(0..end),
        ..Names::default()
    };
    Some(Layer::new(None, names, Inner::From(start)))
}

/// Returns the head of a kernel message.
pub(super) fn kernel_message(text: &str) -> Option<Layer> {
    let window = text.as_bytes().get(..text.len().min(16))?;
    let facility = text.get(..memchr(b':', window)?)?;
    if !FACILITIES.contains(&facility) {
        return None;
    }
    let rest = text.get(facility.len() + 1..)?;
    let padding = rest.len() - rest.trim_start_matches(' ').len();
    let rest = rest.get(padding..)?;
    let (word, rest) = rest
        .split_once(": [")
        .filter(|(word, _)| padding > 0 && word.len() < 9)?;
    let severity = level::severity(word)?;
    let (time, length) = leading_date_time(rest)?;
    let payload = rest.get(length..)?.strip_prefix("]: ")?;
    let start = text.len() - payload.len();
    Some(Layer {
        severity: Some(severity),
        ..Layer::new(Some(time), Names::default(), Inner::From(start))
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::payload::Payload;
    use super::super::peel;
    use crate::input::Line;
    use kwhy_model::Severity;

    /// The node, the severity of the envelopes, whether they have a time, and the payload.
    fn peeled(text: &str) -> (Option<String>, Option<Severity>, bool, String) {
        let line = Line {
            text,
            start: 0,
            number: 1,
        };
        let (envelopes, payload) = peel(Payload::from_line(line));
        let node = envelopes.merged.node.map(|node| node.as_str().to_owned());
        let has_time = envelopes.merged.time.is_some();
        (
            node,
            envelopes.severity,
            has_time,
            payload.as_str().to_owned(),
        )
    }

    #[test]
    fn heads_of_talosctl() {
        let node = || Some("192.0.2.7".to_owned());
        let warning = Some(Severity::Warning);
        let message = "quay invoked oom-killer: order=0";
        let line = format!("kern: warning: [2024-03-04T05:06:07.865601566Z]: {message}");
        assert_eq!(peeled(&line), (None, warning, true, message.to_owned()));
        let line = format!("192.0.2.7: kern: warning: [2024-03-04T05:06:07.865601566Z]: {message}");
        assert_eq!(peeled(&line), (node(), warning, true, message.to_owned()));
        let record = r#"{"ts":1709528767201.5,"caller":"quay/crane.go:92","msg":"lifted"}"#;
        let line = format!("192.0.2.7: {record}");
        assert_eq!(peeled(&line), (node(), None, false, record.to_owned()));
    }

    #[test]
    fn addresses_do_not_nest() {
        let text = "192.0.2.7: ".repeat(100_000);
        assert_eq!(peeled(&text), (None, None, false, text.clone()));
    }

    #[test]
    fn an_address_before_a_sentence_is_none() {
        for text in [
            "192.0.2.7: connection refused",
            "192.0.2.7:6443: lifted",
            "kern: no berth",
            "user: info: lifted",
        ] {
            assert_eq!(peeled(text), (None, None, false, text.to_owned()));
        }
    }
}
