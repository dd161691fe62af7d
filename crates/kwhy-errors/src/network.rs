//! Connections: Go's `net.OpError` (`dial tcp 10.0.0.1:443: connect: connection refused`), and
//! messages of `io`, `net/http`, `http2`, grpc-go and ttrpc about connections that ended.

use super::errno;
use super::part::{Cursor, Part};
use super::recognise::Found;
use super::{Fact, LinkKind};
use kwhy_model::Text;

const OPERATIONS: &[&str] = &["accept", "close", "dial", "listen", "read", "set", "write"];
const NETWORKS: &[&str] = &[
    "ip",
    "ip4",
    "ip6",
    "tcp",
    "tcp4",
    "tcp6",
    "udp",
    "udp4",
    "udp6",
    "unix",
    "unixgram",
    "unixpacket",
    "vsock",
];
/// System calls named by `os.SyscallError` within a network error.
const CALLS: &[&str] = &[
    "accept",
    "accept4",
    "bind",
    "connect",
    "getsockopt",
    "listen",
    "read",
    "recvfrom",
    "recvmsg",
    "sendmsg",
    "sendto",
    "setsockopt",
    "socket",
    "splice",
    "write",
    "writev",
];

/// Texts other than those of error numbers.
const TEXTS: &[(&str, &str)] = &[
    ("i/o timeout", "timeout"),
    ("TLS handshake timeout", "timeout"),
    ("unexpected EOF", "eof"),
    ("EOF", "eof"),
    ("use of closed network connection", "closed"),
    ("http2: client connection lost", "closed"),
    ("client connection lost", "closed"),
    ("server sent GOAWAY and closed the connection", "closed"),
    ("server closed idle connection", "closed"),
    ("client connection force closed", "closed"),
    ("transport is closing", "closed"),
    ("the client connection is closing", "closed"),
    ("ttrpc: closed", "closed"),
    ("ttrpc: client shutting down", "closed"),
    ("error reading from server", ""),
    ("no cached connection was available", ""),
    ("server gave HTTP response to HTTPS client", "plain-http"),
    (
        "first record does not look like a TLS handshake",
        "plain-http",
    ),
    ("stream error", ""),
    ("tls: handshake failure", ""),
    ("malformed HTTP response", ""),
];

pub(super) fn recognise<'a>(cursor: Cursor<'_, 'a>) -> Option<Found<'a>> {
    let first = cursor.part(0)?;
    if let Some((at, mut facts)) = operation(first) {
        let call = cursor.part(1).filter(|part| is_call(part.as_str()));
        let mut take = 1;
        let answer = if call.is_some() { 2 } else { 1 };
        if let Some(reason) = cursor.part(answer).and_then(answered) {
            facts.extend(reason);
            take = answer + 1;
        }
        return Some(Found::new(LinkKind::Network, facts).at(at).taking(take));
    }
    if let Some(second) = cursor.part(1)
        && is_call(first.as_str())
        && let Some(facts) = answered(second)
        && facts.iter().any(|(fact, _)| *fact == Fact::NetworkReason)
    {
        return Some(Found::new(LinkKind::Network, facts).taking(2));
    }
    let facts = said(first).or_else(|| {
        let (place, symbol) = errno::find(first)?;
        let reason = of_errno(symbol)?;
        let mut facts = vec![
            place.says(Fact::Errno, symbol),
            place.says(Fact::NetworkReason, reason),
        ];
        // Node.js: `connect ECONNREFUSED 10.0.0.1:5432`
        let after = first.from(place.range().end - first.range().start);
        let address = after.words().next().filter(|_| place.as_str() == symbol);
        let address = address.filter(|word| word.as_str().contains(':') && word.as_str().len() > 1);
        facts.extend(address.map(|address| address.fact(Fact::Address)));
        Some(facts)
    })?;
    Some(Found::new(LinkKind::Network, facts))
}

type Facts<'a> = Vec<(Fact, Text<'a>)>;

/// Recognises `dial tcp 10.0.0.1:443` or `read unix @->/x.sock` at the end of a part; returns its offset and
/// facts.
pub(super) fn operation<'a>(part: Part<'_, 'a>) -> Option<(usize, Facts<'a>)> {
    let mut previous: Option<Part<'_, 'a>> = None;
    let mut found = None;
    for word in part.words() {
        if let Some(operation) = previous
            && NETWORKS.contains(&word.as_str())
            && OPERATIONS.contains(&operation.as_str())
        {
            found = Some((operation, word));
        }
        previous = Some(word);
    }
    let (operation, network) = found?;
    let mut facts = vec![operation.fact(Fact::NetworkOperation)];
    let rest = part.from(network.range().end - part.range().start);
    if let Some(address) = rest.words().next() {
        let address = address.strip_suffix(":").unwrap_or(address);
        match address.split_once("->") {
            Some((from, to)) => {
                if !from.is_empty() && from.as_str() != "@" {
                    facts.push(from.fact(Fact::From));
                }
                facts.push(to.fact(Fact::Address));
            }
            None if address.as_str() != "lookup" => facts.push(address.fact(Fact::Address)),
            None => {}
        }
    }
    Some((operation.range().start - part.range().start, facts))
}

pub(super) fn is_call(word: &str) -> bool {
    CALLS.contains(&word)
}

/// Returns the reason why a connection failed.
pub(super) fn reason<'a>(part: Part<'_, 'a>) -> Option<(Fact, Text<'a>)> {
    answered(part)?
        .into_iter()
        .find(|(fact, _)| *fact == Fact::NetworkReason)
}

/// Recognises an answer that starts its segment.
fn answered<'a>(part: Part<'_, 'a>) -> Option<Facts<'a>> {
    if let Some((place, symbol)) = errno::leading(part) {
        let mut facts = vec![place.says(Fact::Errno, symbol)];
        facts.extend(of_errno(symbol).map(|reason| place.says(Fact::NetworkReason, reason)));
        return Some(facts);
    }
    said(part)
}

fn said<'a>(part: Part<'_, 'a>) -> Option<Facts<'a>> {
    let value = part.as_str().trim_matches(['"', '\'', '\\', '.']);
    TEXTS.iter().find_map(|(words, reason)| {
        let place = part.find_words(words)?;
        if *words == "EOF" && value != "EOF" {
            return None;
        }
        if reason.is_empty() {
            return Some(Vec::new());
        }
        Some(vec![place.says(Fact::NetworkReason, reason)])
    })
}

fn of_errno(symbol: &str) -> Option<&'static str> {
    Some(match symbol {
        "ECONNREFUSED" => "refused",
        "ETIMEDOUT" => "timeout",
        "ECONNRESET" => "reset",
        "EHOSTUNREACH" => "no-route",
        "ENETUNREACH" => "unreachable",
        "EADDRINUSE" => "in-use",
        "EPIPE" => "broken-pipe",
        _ => return None,
    })
}
