//! Generates tokens: a kind and a number, or a text of the same shape as the value.

use std::collections::HashSet;
use std::net::{Ipv4Addr, Ipv6Addr};

use sha2::{Digest, Sha256};

use super::identity::MAX_VALUES;
use super::shape_of_identity as shape;

/// The number of tokens tried for a value, as an input may contain more addresses than there are tokens.
const MAX_TRIES: u64 = 64;

/// Generates tokens.
#[derive(Clone, Debug, Default)]
pub(super) struct Maker {
    /// The key that makes tokens the same in every run.
    key: Option<String>,
    /// True if tokens keep the shape of addresses, hosts and ids.
    pub is_shaped: bool,
    /// The addresses and ids generated so far.
    made: HashSet<String>,
}

impl Maker {
    pub fn new(key: Option<&str>) -> Maker {
        Maker {
            key: key.map(str::to_owned),
            ..Maker::default()
        }
    }

    /// Generates the token of a value, the `number`-th of its kind.
    pub fn token(&mut self, kind: &str, value: &str, number: u64) -> String {
        let digest = self.key.as_ref().map(|key| {
            let mut hash = Sha256::new();
            hash.update(key.as_bytes());
            hash.update([0]);
            hash.update(value.as_bytes());
            hash.finalize()
        });
        let seed = digest.as_ref().map_or(number, |digest| {
            let bytes = digest.iter().take(8);
            bytes.fold(0, |all, byte| all << 8 | u64::from(*byte))
        });
        let shaped = match kind {
            "address" if self.is_shaped => {
                let is_first = value.ends_with(".1");
                self.unique(seed, |seed| address(value, seed, is_first))
                    .or_else(|| self.unique(seed, |seed| address(value, seed, false)))
            }
            "uid" if self.is_shaped => self.unique(seed, |seed| {
                let (high, low) = ((seed >> 48) & 0xffff, seed & 0xffff_ffff_ffff);
                format!("{high:08x}-0000-4000-8000-{low:012x}")
            }),
            _ => None,
        };
        if let Some(token) = shaped {
            return token;
        }
        let token = match &digest {
            Some(digest) => {
                let digits = digest.iter().take(5).map(|byte| format!("{byte:02x}"));
                format!("{kind}-{}", digits.collect::<String>())
            }
            None => format!("{kind}-{number}"),
        };
        match kind {
            "host" if self.is_shaped => token + ".site.example",
            _ => token,
        }
    }

    /// Generates a token that no other value has; `None` if all candidates near the seed are taken.
    fn unique(&mut self, seed: u64, make: impl Fn(u64) -> String) -> Option<String> {
        if self.made.len() >= MAX_VALUES {
            return None;
        }
        let mut tokens = (0..MAX_TRIES).map(|more| make(seed.wrapping_add(more)));
        tokens.find(|token| self.made.insert(token.clone()))
    }
}

/// Returns an address of the same kind: in 10.0.0.0/8 for a private one, otherwise in the ranges for benchmarks
/// (RFC 2544) and documentation (RFC 3849). `is_first` yields the first address of a network, which often belongs to a
/// gateway or to the API server's Service.
fn address(value: &str, seed: u64, is_first: bool) -> String {
    if !shape::is_ipv4(value) {
        let low = seed & 0xffff_ffff;
        let of = |half: u64| u16::try_from(half & 0xffff).unwrap_or_default();
        let address = Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, of(low >> 16), of(low));
        return address.to_string();
    }
    let is_private = value.parse::<Ipv4Addr>().is_ok_and(|address| {
        let [first, second, ..] = address.octets();
        address.is_private() || (first == 100 && (64..128).contains(&second))
    });
    let (base, networks) = match is_private {
        true => (u32::from(Ipv4Addr::new(10, 0, 0, 0)), 1 << 16),
        false => (u32::from(Ipv4Addr::new(198, 18, 0, 0)), 1 << 9),
    };
    let (network, last) = match is_first {
        true => (seed, 1),
        false => (seed / 250, 2 + seed % 250),
    };
    let own = u32::try_from((network % networks) << 8 | last).unwrap_or_default();
    Ipv4Addr::from(base | own).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shaped(key: Option<&str>) -> Maker {
        Maker {
            is_shaped: true,
            ..Maker::new(key)
        }
    }

    #[test]
    fn shapes_stay() {
        let mut maker = shaped(None);
        for (kind, value, token) in [
            ("address", "192.168.7.9", "10.0.0.3"),
            ("address", "10.96.0.1", "10.0.1.1"),
            ("address", "203.0.113.7", "198.18.0.3"),
            ("address", "fd00::17", "2001:db8::1"),
            (
                "uid",
                "0f8e7d6c-1a2b-4c3d-9e8f-001122334455",
                "00000000-0000-4000-8000-000000000001",
            ),
            ("host", "db.acme.test", "host-1.site.example"),
            ("configmap", "web-conf", "configmap-1"),
        ] {
            assert_eq!(maker.token(kind, value, 1), token, "{value}");
        }
    }

    /// There are 128,512 tokens for public addresses, 512 of which are the first of their networks.
    #[test]
    fn no_two_values_have_one_token() {
        for (key, step, count) in [
            (None, 1, 3000),
            (Some("quay"), 1, 3000),
            (None, 256, 2000),
            (Some("quay"), 256, 2000),
            (None, 1, 140_000),
        ] {
            let mut maker = shaped(key);
            let mut made = HashSet::new();
            for number in 0..count {
                let value = Ipv4Addr::from(0xcb00_7101 + number * step).to_string();
                let token = maker.token("address", &value, u64::from(number));
                assert!(made.insert(token), "{value}");
            }
        }
    }
}
