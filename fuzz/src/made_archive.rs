//! Archives built according to the input: intact ones yield the members they were built from, and for damaged ones the
//! limits hold.

use std::io::{Read, Write};
use std::sync::Arc;

use kwhy_bundle::archive::limits::{Limits, Shared};
use kwhy_bundle::archive::{Member, MemberVisitor, Start, Walk};
use kwhy_bundle::testing;

use super::input;

/// The path and content of a member.
type Document = (String, Vec<u8>);

/// The unread bytes of the input, followed by endless zeros.
struct Plan<'d>(&'d [u8]);

impl Plan<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    fn bytes(&mut self) -> Vec<u8> {
        let count = usize::from(self.byte());
        let (taken, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        taken.to_vec()
    }
}

#[derive(Default)]
struct Kept(Vec<Document>);

impl MemberVisitor for Kept {
    fn document(&mut self, member: &Member, _: Start, content: &mut (dyn Read + Send)) {
        let mut bytes = Vec::new();
        let _ = content.read_to_end(&mut bytes);
        assert!(bytes.len() as u64 <= MOST);
        self.0.push((member.path.clone(), bytes));
    }
}

/// The maximum size of a member, in bytes, and the maximum number of members.
const MOST: u64 = 1 << 20;
const MOST_MEMBERS: u64 = 40;

/// Builds an archive, damages it up to three times, and reads it.
pub fn made_archive(data: &[u8]) {
    let mut plan = Plan(data);
    let (mut bytes, mut expected) = archive(&mut plan, 0);
    let damages = plan.byte() % 4;
    for _ in 0..damages {
        let at = usize::from(u16::from_le_bytes([plan.byte(), plan.byte()])) % bytes.len();
        match plan.byte() % 4 {
            0 => bytes.truncate(at.max(1)),
            1 => drop(bytes.drain(at..bytes.len().min(at + 7))),
            2 => drop(bytes.splice(at..at, plan.bytes())),
            _ => bytes[at] ^= plan.byte() | 1,
        }
        if bytes.is_empty() {
            return;
        }
    }
    let mut limits = Limits::default();
    limits.member_size = MOST;
    limits.total_size = 8 * MOST;
    limits.members = MOST_MEMBERS;
    let mut kept = Kept::default();
    let shared = Arc::new(Shared::default());
    let read = Walk::new(&mut kept, limits, Arc::clone(&shared)).read(input(), bytes.as_slice());
    assert!(read.is_ok() && kept.0.len() as u64 <= MOST_MEMBERS);
    let (met, failures) = shared.finish();
    assert!(failures.is_empty());
    if damages == 0 {
        // nested archives count as members too
        if met
            .iter()
            .any(|met| met.limit == kwhy_core::report::Limit::Members)
        {
            expected.truncate(kept.0.len());
        }
        assert_eq!(kept.0, expected, "{met:?}");
    }
}

/// Builds an archive of up to seven members and returns it with the documents in it.
fn archive(plan: &mut Plan<'_>, depth: usize) -> (Vec<u8>, Vec<Document>) {
    let form = plan.byte();
    let is_zip = form % 2 == 1;
    let mut members: Vec<Document> = Vec::new();
    let mut documents = Vec::new();
    for number in 0..=plan.byte() % 7 {
        let folder =
            ["", "a/", "namespaces/shop/pods/web-0/web/", "x.tar/"][usize::from(plan.byte() % 4)];
        let path = format!("{folder}m{number}");
        if depth < 2 && plan.byte() % 4 == 3 {
            let (inner, inside) = archive(plan, depth + 1);
            let inside = inside
                .into_iter()
                .map(|(name, content)| (format!("{path}/{name}"), content));
            documents.extend(inside);
            members.push((path, inner));
        } else {
            // always text, whatever the bytes are
            let mut content = b"log: ".to_vec();
            content.extend(plan.bytes().into_iter().filter(|byte| *byte != 0));
            documents.push((path.clone(), content.clone()));
            members.push((path, content));
        }
    }
    let listed: Vec<(&str, &[u8])> = members
        .iter()
        .map(|(name, content)| (name.as_str(), content.as_slice()))
        .collect();
    let bytes = match is_zip {
        true => testing::zip_of(&listed, form & 4 != 0),
        false => testing::tar_of(&listed),
    };
    (packed(bytes, form >> 3), documents)
}

fn packed(bytes: Vec<u8>, how: u8) -> Vec<u8> {
    let done = match how % 4 {
        0 => return bytes,
        1 => {
            let mut encoder =
                flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(&bytes).and_then(|()| encoder.finish())
        }
        2 => {
            let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            encoder.write_all(&bytes).and_then(|()| encoder.finish())
        }
        _ => Ok(ruzstd::encoding::compress_to_vec(
            bytes.as_slice(),
            ruzstd::encoding::CompressionLevel::Fastest,
        )),
    };
    done.unwrap_or_default()
}
