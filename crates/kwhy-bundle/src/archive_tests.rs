//! Reading archives, intact and damaged.

use std::io::{Read, Write};
use std::sync::Arc;

use proptest::prelude::*;

use crate::archive::limits::{Limits, Shared};
use crate::archive::{Member, MemberVisitor, Start, Walk};
use crate::testing::{tar_header, tar_member, tar_of, zip_of};

/// Keeps the members it visits.
#[derive(Default)]
struct Kept {
    documents: Vec<(String, Vec<u8>)>,
    passed: Vec<String>,
}

impl MemberVisitor for Kept {
    fn document(&mut self, member: &Member, _: Start, content: &mut (dyn Read + Send)) {
        let mut bytes = Vec::new();
        // why a stream ends early is recorded in the limits
        let _ = content.read_to_end(&mut bytes);
        self.documents.push((member.path.clone(), bytes));
    }

    fn passed(&mut self, member: &Member, why: &'static str) {
        self.passed.push(format!("{}: {why}", member.path));
    }
}

struct Found {
    kept: Kept,
    limits: Vec<(String, String)>,
}

impl Found {
    fn texts(&self) -> Vec<(&str, &str)> {
        let all = self.kept.documents.iter();
        all.map(|(path, bytes)| (path.as_str(), std::str::from_utf8(bytes).unwrap_or("?")))
            .collect()
    }

    fn kinds(&self) -> Vec<&str> {
        self.limits
            .iter()
            .map(|(limit, _)| limit.as_str())
            .collect()
    }
}

fn walk_with(bytes: &[u8], limits: Limits) -> Found {
    let mut kept = Kept::default();
    let shared = Arc::new(Shared::default());
    let member = Member {
        name: "b".to_owned(),
        root: "b".to_owned(),
        path: String::new(),
        size: None,
        modified: None,
        packed: false,
        loose: false,
    };
    Walk::new(&mut kept, limits, Arc::clone(&shared))
        .read(member, bytes)
        .unwrap();
    let (limits, _) = shared.finish();
    let limits = limits
        .into_iter()
        .map(|met| (met.limit.to_string(), met.message));
    Found {
        kept,
        limits: limits.collect(),
    }
}

fn walk(bytes: &[u8]) -> Found {
    walk_with(bytes, Limits::default())
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn bzip2_of(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd_of(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

const TWO: &[(&str, &[u8])] = &[("./top/a.log", b"one\ntwo\n"), ("top/b.log", b"three\n")];
const READ: [(&str, &str); 2] = [("top/a.log", "one\ntwo\n"), ("top/b.log", "three\n")];

#[test]
fn every_form_gives_the_same() {
    let tar = tar_of(TWO);
    let (front, back) = tar.split_at(700);
    for (what, bytes) in [
        ("tar", tar.clone()),
        ("tar.gz", gzip(&tar)),
        ("tar.gz of two members", [gzip(front), gzip(back)].concat()),
        ("tar.zst", zstd_of(&tar)),
        (
            "tar.zst of two frames",
            [zstd_of(front), zstd_of(back)].concat(),
        ),
        ("tar.bz2", bzip2_of(&tar)),
    ] {
        let found = walk(&bytes);
        assert_eq!(found.texts(), READ, "{what}");
        assert!(found.limits.is_empty(), "{what}: {:?}", found.limits);
    }
    let found = walk(&zip_of(
        &[("top/a.log", b"one\ntwo\n"), ("top\\b.log", b"three\n")],
        true,
    ));
    assert_eq!(found.texts(), READ);
    assert!(found.limits.is_empty(), "{:?}", found.limits);
}

#[test]
fn xz_is_read() {
    // `printf 'one\n' | xz`
    let xz = [
        0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6, 0xb4, 0x46, 0x02, 0x00, 0x21,
        0x01, 0x16, 0x00, 0x00, 0x00, 0x74, 0x2f, 0xe5, 0xa3, 0x01, 0x00, 0x03, 0x6f, 0x6e, 0x65,
        0x0a, 0x00, 0xf5, 0x5c, 0xbb, 0x56, 0x1f, 0xc6, 0xfd, 0x86, 0x00, 0x01, 0x1c, 0x04, 0x6f,
        0x2c, 0x9c, 0xc1, 0x1f, 0xb6, 0xf3, 0x7d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59, 0x5a,
    ];
    let found = walk(&xz);
    assert_eq!(found.texts(), [("", "one\n")]);
    assert!(found.limits.is_empty());
    let found = walk(&xz[..34]);
    assert_eq!(found.texts(), [("", "one\n")]);
    assert_eq!(found.kinds(), ["damaged"]);
}

#[test]
fn archives_in_archives() {
    let inner = gzip(&tar_of(&[("logs/kubelet.log", b"k\n")]));
    let node = zip_of(
        &[
            ("n1/rotated.log.gz", &gzip(b"r\n")),
            ("n1/more.tgz", &inner),
        ],
        true,
    );
    let found = walk(&tar_of(&[("nodes/n1.zip", &node), ("empty", b"")]));
    let expected = [
        ("nodes/n1.zip/n1/rotated.log", "r\n"),
        ("nodes/n1.zip/n1/more.tgz/logs/kubelet.log", "k\n"),
        ("empty", ""),
    ];
    assert_eq!(found.texts(), expected);
    let limits = Limits {
        nesting: 1,
        ..Limits::default()
    };
    let found = walk_with(
        &gzip(&tar_of(&[("nodes/n1.zip", &node), ("x", b"x\n")])),
        limits,
    );
    assert_eq!(found.texts(), [("x", "x\n")]);
    assert_eq!(found.kinds(), ["nesting", "nesting"]);
}

#[test]
fn names_and_links_are_only_names() {
    let mut tar = tar_member(b"../../etc/passwd", b"p\n", b'0');
    tar.extend(tar_header(b"link", 0, b'2'));
    tar.extend(tar_header(b"device", 0, b'3'));
    tar.extend(tar_header(b"folder/", 0, b'5'));
    let long = "d/".repeat(150) + "x.log";
    tar.extend(tar_member(b"././@LongLink", long.as_bytes(), b'L'));
    tar.extend(tar_member(b"cut", b"l\n", b'0'));
    tar.extend(tar_member(b"pax", b"16 path=p/q.log\n", b'x'));
    tar.extend(tar_member(b"cut", b"q\n", b'0'));
    tar.resize(tar.len() + 1024, 0);
    let found = walk(&tar);
    let expected = [
        ("../../etc/passwd", "p\n"),
        (long.as_str(), "l\n"),
        ("p/q.log", "q\n"),
    ];
    assert_eq!(found.texts(), expected);
    assert_eq!(found.kept.passed, ["link: link", "device: device"]);
    assert_eq!(found.kinds(), ["device", "link"]);
}

#[test]
fn a_long_name_of_any_claimed_length_is_passed_over() {
    let mut tar = tar_header(b"././@LongLink", 7 << 30, b'L');
    tar.extend([b'a'; 4096]);
    let found = walk(&tar);
    assert!(found.texts().is_empty());
    assert_eq!(found.kinds(), ["damaged"]);
}

#[test]
fn what_precedes_the_damage_is_read() {
    let noise: String = (0..40_000_u32)
        .map(|number| format!("{:08x}\n", number.wrapping_mul(2_654_435_761)))
        .collect();
    let tar = tar_of(&[
        ("a.log", b"one\n"),
        ("noise.log", noise.as_bytes()),
        ("z.log", b"z\n"),
    ]);
    for (what, packed) in [
        ("gzip", gzip(&tar)),
        ("bzip2", bzip2_of(&tar)),
        ("zstd", zstd_of(&tar)),
    ] {
        let found = walk(&packed[..packed.len() * 6 / 10]);
        assert_eq!(found.texts()[0], ("a.log", "one\n"), "{what}");
        assert!(noise.starts_with(found.texts()[1].1), "{what}");
        assert!(found.texts()[1].1.len() > noise.len() / 4, "{what}");
        assert_eq!(found.kinds(), ["damaged"], "{what}: {:?}", found.limits);
    }
    let found = walk(&tar[..100_000]);
    assert_eq!(found.texts()[1].1.len(), 100_000 - 3 * 512);
    assert_eq!(found.kinds(), ["damaged"]);
    // this is what a download looks like that broke off between two members
    let found = walk(&tar[..tar.len() - 1024]);
    assert_eq!(found.texts()[2], ("z.log", "z\n"));
    assert_eq!(found.kinds(), ["damaged"]);
    let cut = zip_of(
        &[("a.log", b"one\n"), ("noise.log", noise.as_bytes())],
        false,
    );
    let found = walk(&cut);
    assert_eq!(found.texts()[1].1, noise);
    assert_eq!(found.kinds(), ["damaged"]);
    assert_eq!(walk(&cut[..cut.len() / 2]).texts()[0], ("a.log", "one\n"));
}

#[test]
fn reading_continues_after_a_damaged_header() {
    let mut tar = tar_of(&[
        ("a.log", b"one\n"),
        ("b.log", b"two\n"),
        ("c.log", b"three\n"),
    ]);
    tar[1024..1056].fill(0xff);
    let found = walk(&tar);
    assert_eq!(found.texts(), [("a.log", "one\n"), ("c.log", "three\n")]);
    assert_eq!(found.kinds(), ["damaged"]);
    // one byte is missing
    tar.remove(1030);
    let found = walk(&tar);
    assert_eq!(found.texts(), [("a.log", "one\n"), ("c.log", "three\n")]);
    assert_eq!(found.kinds(), ["damaged"]);
    let mut zip = zip_of(
        &[
            ("a.log", b"one\n"),
            ("b.log", b"two\n"),
            ("c.log", b"three\n"),
        ],
        true,
    );
    let at = memchr::memmem::find(&zip, b"b.log").unwrap();
    zip[at + 5..at + 9].fill(0xff);
    let found = walk(&zip);
    let names: Vec<&str> = found.texts().iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["a.log", "b.log", "c.log"]);
    assert_eq!(found.texts()[2].1, "three\n");
    // one for the member, one for the bytes skipped up to the next header
    assert_eq!(found.kinds(), ["damaged", "damaged"]);
}

#[test]
fn limits_hold() {
    let zeros = vec![b'0'; 8 << 20];
    let bomb = gzip(&tar_of(&[("a.log", b"one\n"), ("zeros", &zeros)]));
    let found = walk_with(
        &bomb,
        Limits {
            ratio: 20,
            free: 1 << 20,
            ..Limits::default()
        },
    );
    assert_eq!(found.texts()[0], ("a.log", "one\n"));
    assert_eq!(found.kinds(), ["ratio"]);
    assert!(found.kept.documents[1].1.len() as u64 <= 6 << 20);
    let found = walk_with(
        &gzip(&tar_of(TWO)),
        Limits {
            member_size: 4,
            ..Limits::default()
        },
    );
    assert_eq!(
        found.texts(),
        [("top/a.log", "one\n"), ("top/b.log", "thre")]
    );
    assert_eq!(found.kinds(), ["member-size", "member-size"]);
    let found = walk_with(
        &tar_of(TWO),
        Limits {
            members: 1,
            ..Limits::default()
        },
    );
    assert_eq!(found.texts(), [READ[0]]);
    assert_eq!(found.kinds(), ["members"]);
    let found = walk_with(
        &gzip(&tar_of(TWO)),
        Limits {
            total_size: 1000,
            ..Limits::default()
        },
    );
    assert_eq!(found.kinds(), ["total-size"]);
    let found = walk_with(
        &tar_of(TWO),
        Limits {
            path_length: 5,
            ..Limits::default()
        },
    );
    assert_eq!(found.kept.documents[1].0, "top/b");
    assert_eq!(found.kinds(), ["path-length"]);
    let found = walk_with(
        &tar_of(TWO),
        Limits {
            names: 10,
            ..Limits::default()
        },
    );
    assert_eq!(found.texts(), [READ[0]]);
    assert_eq!(found.kinds(), ["members"]);
}

#[test]
fn nothing_in_it() {
    for empty in [tar_of(&[]), gzip(&tar_of(&[])), zip_of(&[], true)] {
        let found = walk(&empty);
        assert!(found.kept.documents.is_empty());
        assert_eq!(found.kinds(), ["empty"]);
    }
    assert_eq!(walk(b"").texts(), [("", "")]);
    assert_eq!(walk(b"text\n").texts(), [("", "text\n")]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..4000), head in 0..8_usize) {
        let heads: [&[u8]; 8] = [
            b"", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ\0", b"BZh91AY&SY",
            b"PK\x03\x04", b"\x1f\x8b\x08\0\0\0\0\0\0\xff", b"\x50\x2a\x4d\x18",
        ];
        walk(&[heads[head], &bytes].concat());
        let mut tar = tar_header(b"x", 700, b'0');
        tar.extend(&bytes);
        walk(&tar);
        let mut pax = tar_member(b"pax", &bytes, b'x');
        pax.extend(tar_of(TWO));
        walk(&pax);
    }

    #[test]
    fn damaged_archives_never_panic(at in 0..3000_usize, byte in any::<u8>(), end in 0..3000_usize, form in 0..6_usize) {
        let tar = tar_of(&[("a.log", b"one\n"), ("b.log.gz", &gzip(b"two\n")), ("c.zip", &zip_of(TWO, true))]);
        let mut bytes = match form {
            0 => tar,
            1 => gzip(&tar),
            2 => bzip2_of(&tar),
            3 => zstd_of(&tar),
            4 => zip_of(&[("a.tar", &tar), ("b", b"b")], true),
            _ => gzip(&zip_of(TWO, false)),
        };
        let length = bytes.len();
        if let Some(hit) = bytes.get_mut(at % length) {
            *hit = byte;
        }
        walk(&bytes[..bytes.len().min(end + 1)]);
    }
}

/// Returns a zstd frame with a window of 128 MiB that contains a text and then a run of one byte.
fn wide_frame(text: &[u8]) -> Vec<u8> {
    let head = |size: usize, kind: u32, last: u32| {
        ((size as u32) << 3 | kind << 1 | last).to_le_bytes()[..3].to_vec()
    };
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 17 << 3];
    frame.extend(head(text.len(), 0, 0));
    frame.extend(text);
    frame.extend(head(1000, 1, 0));
    frame.push(b'x');
    frame.extend(head(0, 0, 1));
    frame
}

#[test]
fn decoders_inside_of_one_another_share_their_memory() {
    let one = wide_frame(b"one\n");
    assert!(walk(&one).kept.documents[0].1.starts_with(b"one\n"));
    assert!(walk(&one).limits.is_empty());
    let two = wide_frame(&one);
    let found = walk(&two);
    assert_eq!(found.kinds(), ["damaged"]);
    assert!(found.limits[0].1.contains("memory"), "{:?}", found.limits);
    // one after the other, they fit into the budget
    let both = tar_of(&[("a.zst", &one), ("b.zst", &one)]);
    assert!(walk(&both).limits.is_empty());
}

#[test]
fn sizes_of_a_window() {
    let texts: [&[u8]; 3] = [b"a", &[b'a'; 300], &[b'a'; 70_000]];
    for text in texts {
        let found = walk(&zstd_of(text));
        assert_eq!(found.kept.documents[0].1, text);
        assert!(found.limits.is_empty());
    }
}

#[test]
fn many_streams_are_a_bomb_together() {
    let zeros = gzip(&vec![b'0'; 3 << 20]);
    let all = tar_of(&[("a.gz", &zeros), ("b.gz", &zeros), ("c.gz", &zeros)]);
    let limits = Limits {
        ratio: 50,
        free: 4 << 20,
        ..Limits::default()
    };
    let found = walk_with(&all, limits);
    assert_eq!(found.kinds(), ["ratio", "ratio"]);
    let read = found.kept.documents.iter().map(|(_, bytes)| bytes.len());
    // the ratio is only known once more packed bytes were read
    assert!((4 << 20..7 << 20).contains(&read.sum::<usize>()));
}

#[test]
fn archives_inside_of_others_are_members() {
    let inner = tar_of(TWO);
    let outer = tar_of(&[("1.tar", &inner), ("2.tar", &inner), ("3.log", b"end\n")]);
    let with = |members| {
        let found = walk_with(
            &outer,
            Limits {
                members,
                ..Limits::default()
            },
        );
        (found.kept.documents.len(), found.limits.len())
    };
    assert_eq!(with(7), (5, 0));
    assert_eq!(with(6), (4, 1));
    // the second archive is opened, but none of its members is read
    assert_eq!(with(4), (2, 1));
    assert_eq!(with(3), (2, 1));
    assert_eq!(with(2), (1, 1));
}

#[test]
fn reading_ends_in_time() {
    for bytes in [tar_of(TWO), gzip(&tar_of(TWO)), b"one\n".to_vec()] {
        let limits = Limits {
            time: 0,
            ..Limits::default()
        };
        let found = walk_with(&bytes, limits);
        assert_eq!(found.kinds(), ["time"]);
        assert!(
            found
                .kept
                .documents
                .iter()
                .all(|(_, bytes)| bytes.is_empty())
        );
    }
}

#[test]
fn a_size_may_be_as_large_as_it_likes() {
    for size in [u64::MAX, u64::MAX - 511, 1 << 63] {
        let mut header = tar_header(b"a.log", 0, b'0');
        header[124..136].fill(0);
        header[124] = 0x80;
        header[128..136].copy_from_slice(&size.to_be_bytes());
        header[148..156].fill(b' ');
        let sum: u64 = header.iter().map(|byte| u64::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        header.extend(b"one\n");
        let found = walk(&header);
        assert_eq!(found.texts(), [("a.log", "one\n")]);
        assert_eq!(found.kinds(), ["damaged"]);
    }
}
