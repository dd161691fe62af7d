//! What a message says that it could not reach: the host of an URL, the name that was looked up, an address.

use std::net::IpAddr;

/// How many hosts of one message are taken.
const MAX_HOSTS: usize = 8;

/// The longest name of a host.
const MAX_NAME: usize = 253;

/// A host in a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Host {
    /// `web`, `web.shop`, `web.shop.svc.cluster.local`: the name of a Service, and its namespace.
    Name(String, Option<String>),
    Address(String),
}

/// The hosts that a message names: before a port, in an URL, behind `lookup`.
pub(super) fn hosts(message: &str) -> Vec<Host> {
    let mut hosts = Vec::new();
    let mut looked_up = false;
    let is_outside = |c: char| !(c.is_ascii_alphanumeric() || "-.:/".contains(c));
    for token in message.split(is_outside) {
        let token = token.trim_end_matches([':', '.']);
        if token.is_empty() {
            continue;
        }
        let was_looked_up = std::mem::replace(&mut looked_up, token == "lookup");
        let in_url = token.split_once("://").map(|(_, rest)| rest);
        let authority = in_url.unwrap_or(token);
        let authority = authority.split('/').next().unwrap_or_default();
        let (name, port) = match authority.rsplit_once(':') {
            Some((name, port)) => (name, Some(port)),
            None => (authority, None),
        };
        let has_port = port.is_some_and(|port| {
            !port.is_empty() && port.len() <= 5 && port.bytes().all(|b| b.is_ascii_digit())
        });
        let is_service = name.contains(".svc");
        if (has_port || in_url.is_some() || was_looked_up || is_service)
            && let Some(host) = host(name)
            && hosts.len() < MAX_HOSTS
            && !hosts.contains(&host)
        {
            hosts.push(host);
        }
    }
    hosts
}

/// Whether an address is of a range that no host of the internet has.
pub(super) fn is_inside(address: &str) -> bool {
    match address.parse() {
        Ok(IpAddr::V4(address)) => {
            let [first, second, ..] = address.octets();
            // 100.64.0.0/10 is shared by carriers and clouds
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
        assert_eq!(of("lookup hub.corp.example: no such host"), []);
        assert_eq!(of("12:30:45 all is well: 3"), []);
    }
}
