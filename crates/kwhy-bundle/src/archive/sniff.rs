//! Detects the format of a stream from its first bytes, never from its name.

use super::tar;

/// The format of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A compressed stream.
    Packed(Packed),
    /// A tar archive.
    Tar,
    /// A zip archive.
    Zip,
    /// A compressed, archived or encrypted format that is recognised but not supported.
    Closed(&'static str),
    /// Anything else that contains NUL bytes.
    Binary,
    /// Text, or an empty stream.
    Text,
}

/// The compression of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packed {
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    Zstd,
    /// The .xz file format 1.2.
    Xz,
    /// bzip2 1.0.
    Bzip2,
}

impl Packed {
    /// Returns the usual name.
    pub fn name(self) -> &'static str {
        match self {
            Packed::Gzip => "gzip",
            Packed::Zstd => "zstd",
            Packed::Xz => "xz",
            Packed::Bzip2 => "bzip2",
        }
    }
}

/// Returns the format of a stream that starts with these bytes.
pub fn kind(head: &[u8]) -> Kind {
    match head {
        [0x1f, 0x8b, 8, ..] => Kind::Packed(Packed::Gzip),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Kind::Packed(Packed::Zstd),
        [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Kind::Packed(Packed::Zstd),
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Kind::Packed(Packed::Xz),
        [
            b'B',
            b'Z',
            b'h',
            b'1'..=b'9',
            0x31,
            0x41,
            0x59,
            0x26,
            0x53,
            0x59,
            ..,
        ]
        | [
            b'B',
            b'Z',
            b'h',
            b'1'..=b'9',
            0x17,
            0x72,
            0x45,
            0x38,
            0x50,
            0x90,
            ..,
        ] => Kind::Packed(Packed::Bzip2),
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Kind::Zip,
        // a zip archive that once was split starts with this signature
        [b'P', b'K', 7, 8, b'P', b'K', 3, 4, ..] => Kind::Zip,
        [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, ..] => Kind::Closed("a 7z archive"),
        [b'R', b'a', b'r', b'!', 0x1a, 7, ..] => Kind::Closed("a rar archive"),
        [0x04, 0x22, 0x4d, 0x18, ..] => Kind::Closed("compressed by lz4"),
        [0x5d, 0, 0, _, _, 0xff, 0xff, ..] => Kind::Closed("compressed by lzma"),
        [0x85, 1 | 2, _, 3, ..] => Kind::Closed("encrypted by gpg"),
        _ if tar::begins(head) => Kind::Tar,
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, 0, 0xfe, 0xff, ..] => Kind::Text,
        _ if memchr::memchr(0, head).is_some() => Kind::Binary,
        _ => Kind::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_content() {
        assert_eq!(kind(b"\x1f\x8b\x08\0"), Kind::Packed(Packed::Gzip));
        assert_eq!(kind(b"\x28\xb5\x2f\xfd\x04"), Kind::Packed(Packed::Zstd));
        assert_eq!(kind(b"PK\x03\x04\x14"), Kind::Zip);
        assert_eq!(kind(b"BZh is how a line may begin"), Kind::Text);
        assert_eq!(kind(&[0; 1024]), Kind::Tar);
        assert_eq!(kind(&[0; 100]), Kind::Binary);
        assert_eq!(kind(b"\xff\xfea\0"), Kind::Text);
        assert_eq!(kind(b"\0\0\xfe\xff\0\0\0a"), Kind::Text);
        assert_eq!(kind(b""), Kind::Text);
    }
}
