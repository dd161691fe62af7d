//! The endpoints that a message could not reach: the host of a URL, the name of a lookup, an
//! address.

use std::net::IpAddr;

/// The maximum number of hosts per message.
const MAX_HOSTS: usize = 8;

/// The maximum length of a host name.
const MAX_NAME: usize = 253;

/// The DNS record types that ask for an address.
const RECORDS: [&str; 4] = ["A", "AAAA", "CNAME", "SRV"];

/// A host in a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Host {
    /// `web`, `web.shop`, `web.shop.svc.cluster.local`: the name of a Service, and its namespace.
    Name(String, Option<String>),
    Address(String),
    /// A name with more labels than a Service has.
    Outside(String),
}

/// A host as a message names it, with the path after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call<'m> {
    pub name: &'m str,
    pub port: Option<&'m str>,
    /// The rest of a URL, starting at the first `/`.
    pub path: &'m str,
    /// True if it can only be a host: `main.go:88` is a source location.
    pub is_sure: bool,
}

impl Call<'_> {
    /// Classifies the name.
    pub fn host(&self) -> Option<Host> {
        host(self.name)
    }
}

/// The bytes of hosts, ports and URLs.
const OF_HOST: [bool; 256] = {
    let mut of_host = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        let is_mark = matches!(byte as u8, b'-' | b'.' | b':' | b'/');
        of_host[byte] = (byte as u8).is_ascii_alphanumeric() || is_mark;
        byte += 1;
    }
    of_host
};

/// The hosts that a message names: before a port, in a URL, after `lookup`.
pub(super) fn calls(message: &str) -> Vec<Call<'_>> {
    let mut calls: Vec<Call<'_>> = Vec::new();
    let mut looked_up = false;
    let mut question: Option<&str> = None;
    let tokens = message
        .as_bytes()
        .split(|byte| !OF_HOST[usize::from(*byte)]);
    for token in tokens {
        // the tokens are ASCII
        let token = std::str::from_utf8(token).unwrap_or("");
        // a DNS server's `2 web.shop.svc.cluster.local. AAAA`
        let asked = question.replace(token);
        let asked = asked.and_then(|name| name.strip_suffix('.')).filter(|_| {
            let kind = token.strip_suffix(':').unwrap_or(token);
            RECORDS.contains(&kind)
        });
        if let Some(name) = asked.filter(|name| name.contains('.') && host(name).is_some())
            && calls.len() < MAX_HOSTS
        {
            calls.push(Call {
                name,
                port: None,
                path: "",
                is_sure: true,
            });
        }
        if token.is_empty() {
            continue;
        }
        let is_marked = token.bytes().any(|byte| matches!(byte, b':' | b'.'));
        // most words of a message
        if !is_marked && !looked_up {
            looked_up = token == "lookup";
            continue;
        }
        let token = token.trim_end_matches([':', '.']);
        if token.is_empty() {
            continue;
        }
        let was_looked_up = std::mem::replace(&mut looked_up, token == "lookup");
        if !was_looked_up && !token.contains([':', '.']) {
            continue;
        }
        let in_url = token.split_once("://").map(|(_, rest)| rest);
        let whole = in_url.unwrap_or(token);
        let (authority, path) = whole.split_at(whole.find('/').unwrap_or(whole.len()));
        let (name, port) = match authority.rsplit_once(':') {
            Some((name, port)) => (name, Some(port)),
            None => (authority, None),
        };
        let has_port = port.is_some_and(|port| {
            !port.is_empty() && port.len() <= 5 && port.bytes().all(|b| b.is_ascii_digit())
        });
        let is_service = name.contains(".svc");
        let is_call = has_port || in_url.is_some() || was_looked_up || is_service;
        if is_call && calls.len() < MAX_HOSTS && host(name).is_some() {
            let path = if in_url.is_some() { path } else { "" };
            calls.push(Call {
                name,
                port,
                path,
                is_sure: in_url.is_some() || was_looked_up || is_service,
            });
        }
    }
    calls
}

/// The hosts that a message names, deduplicated.
pub(super) fn hosts(message: &str) -> Vec<Host> {
    let mut hosts = Vec::new();
    for host in calls(message).iter().filter_map(Call::host) {
        if !hosts.contains(&host) {
            hosts.push(host);
        }
    }
    hosts
}

/// Returns true if an address is in a range that is not routed on the internet.
pub(super) fn is_inside(address: &str) -> bool {
    match address.parse() {
        Ok(IpAddr::V4(address)) => {
            let [first, second, ..] = address.octets();
            // 100.64.0.0/10 is shared by providers and clouds
            address.is_private() || (first == 100 && (64..128).contains(&second))
        }
        // unique local addresses, fc00::/7
        Ok(IpAddr::V6(address)) => address.segments()[0] & 0xfe00 == 0xfc00,
        Err(_) => false,
    }
}

fn host(name: &str) -> Option<Host> {
    if name.parse::<IpAddr>().is_ok() {
        return Some(Host::Address(name.to_owned()));
    }
    let name = name.trim_end_matches('.');
    let mut labels = name.split('.');
    let first = labels.next()?;
    let is_label = |label: &str| {
        label.bytes().any(|b| b.is_ascii_alphabetic())
            && label
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    if name.len() > MAX_NAME || !is_label(first) {
        return None;
    }
    let labels: Vec<&str> = labels.collect();
    match labels.as_slice() {
        [] => Some(Host::Name(first.to_owned(), None)),
        // the name of one pod of a StatefulSet: `db-0.db.shop.svc`
        [service, namespace, "svc", ..] => Some(Host::Name(
            (*service).to_owned(),
            Some((*namespace).to_owned()),
        )),
        [namespace] | [namespace, "svc", ..] => {
            Some(Host::Name(first.to_owned(), Some((*namespace).to_owned())))
        }
        [.., last] if is_label(last) => Some(Host::Outside(name.to_ascii_lowercase())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_messages() {
        let name = |name: &str, namespace: Option<&str>| {
            Host::Name(name.to_owned(), namespace.map(str::to_owned))
        };
        let of = |message: &str| hosts(message);
        assert_eq!(
            of(
                r#"Post "https://hook.mesh.svc:443/inject?timeout=10s": dial tcp 10.96.3.4:443: connect: connection refused"#
            ),
            [
                name("hook", Some("mesh")),
                Host::Address("10.96.3.4".into())
            ]
        );
        assert_eq!(
            of("waiting for crm-db:5432 (refused)"),
            [name("crm-db", None)]
        );
        assert_eq!(
            of("dial tcp: lookup db-0.db.shop.svc.cluster.local on 10.96.0.10:53: no such host"),
            [name("db", Some("shop")), Host::Address("10.96.0.10".into())]
        );
        assert!(is_inside("10.96.30.8") && is_inside("100.64.0.9") && is_inside("fd00::1"));
        assert!(!is_inside("198.51.100.14") && !is_inside("100.128.0.1") && !is_inside("db"));
        let outside = |name: &str| Host::Outside(name.to_owned());
        assert_eq!(
            of("lookup hub.corp.example: no such host"),
            [outside("hub.corp.example")]
        );
        assert_eq!(
            of("[ERROR] plugin/errors: 2 hub.corp.example. AAAA: read udp: i/o timeout"),
            [outside("hub.corp.example")]
        );
        assert_eq!(of("hub.corp.example is well. Another"), []);
        // a version is not a host
        assert_eq!(of("https://1.2.3/x lookup 1.27.4"), []);
        assert_eq!(of("12:30:45 all is well: 3"), []);
    }
}
