//! Failed name resolution: Go's `net.DNSError` (`lookup x on 10.96.0.10:53: no such host`)
//! and the texts of libc's `getaddrinfo`.

use super::network;
use super::part::{Cursor, Part};
use super::recognise::Found;
use super::{Fact, LinkKind};

const REASONS: &[(&str, &str)] = &[
    ("no such host", "no-such-host"),
    ("server misbehaving", "server-misbehaving"),
    ("i/o timeout", "timeout"),
    ("Temporary failure in name resolution", "server-misbehaving"),
    ("Try again", "server-misbehaving"),
    ("Name or service not known", "no-such-host"),
    ("Name does not resolve", "no-such-host"),
    ("nodename nor servname provided", "no-such-host"),
    ("No address associated with hostname", "no-such-host"),
    ("Could not resolve host", "no-such-host"),
    ("getaddrinfo ENOTFOUND", "no-such-host"),
    ("getaddrinfo EAI_AGAIN", "server-misbehaving"),
    ("Failed to resolve server", "no-such-host"),
];

pub(super) fn recognise<'a>(cursor: Cursor<'_, 'a>) -> Option<Found<'a>> {
    let first = cursor.part(0)?;
    looked_up(cursor, first).or_else(|| answered(cursor, first))
}

/// Recognises Go's format.
fn looked_up<'a>(cursor: Cursor<'_, 'a>, first: Part<'_, 'a>) -> Option<Found<'a>> {
    let place = first.find_words("lookup")?;
    let at = place.range().start - first.range().start;
    let mut words = first.from(at).words().skip(1);
    let host = words.next()?;
    let server = words.next().filter(|word| word.as_str() == "on");
    let server = server.and_then(|_| words.next());
    let mut facts = vec![host.trim_matches(&['"']).fact(Fact::Host)];
    facts.extend(server.map(|server| server.fact(Fact::Address)));
    let second = cursor.part(1)?;
    let (reason, take) = match reason(second) {
        Some(reason) => (reason, 2),
        // the query itself failed: `read udp A->B: i/o timeout`
        None => {
            let inner = network::operation(second)?;
            facts.extend(inner.1.into_iter().filter(|(fact, _)| *fact == Fact::From));
            let mut take = 3;
            let mut answer = cursor.part(2)?;
            if network::is_call(answer.as_str()) {
                answer = cursor.part(3)?;
                take = 4;
            }
            match reason(answer) {
                Some(reason) => (reason, take),
                None => {
                    facts.extend(network::reason(answer));
                    (answer.says(Fact::Dns, "server-misbehaving"), take)
                }
            }
        }
    };
    facts.push(reason);
    Some(Found::new(LinkKind::Dns, facts).at(at).taking(take))
}

/// Recognises the formats of libc, curl and Node.js.
fn answered<'a>(cursor: Cursor<'_, 'a>, first: Part<'_, 'a>) -> Option<Found<'a>> {
    let known = reason(first).filter(|(_, name)| name.as_str() != "timeout")?;
    let mut facts = vec![known];
    let value = first.as_str();
    let mut take = 1;
    if value.ends_with("resolve host") {
        let host = cursor.part(1)?.words().next()?;
        facts.push(host.trim_matches(&['"', ';', ',']).fact(Fact::Host));
        take = 2;
    } else if let Some((_, rest)) = first.split_once("getaddrinfo ") {
        facts.extend(rest.words().nth(1).map(|host| host.fact(Fact::Host)));
    } else if let Some((_, rest)) = first.split_once("resolve server ") {
        facts.extend(rest.words().next().map(|host| host.fact(Fact::Host)));
    }
    Some(Found::new(LinkKind::Dns, facts).taking(take))
}

fn reason<'a>(part: Part<'_, 'a>) -> Option<(Fact, kwhy_model::Text<'a>)> {
    REASONS.iter().find_map(|(words, name)| {
        let place = part.find_words(words)?;
        // musl's text is also common at the end of other sentences
        let alone = *words != "Try again" || part.as_str() == *words;
        alone.then(|| place.says(Fact::Dns, name))
    })
}
