//! Archives for tests, built by hand so that they can be damaged at will.

use std::io::Write;

/// Returns a tar header with its checksum.
pub fn tar_header(name: &[u8], size: u64, flag: u8) -> Vec<u8> {
    let mut block = vec![0; 512];
    block[..name.len().min(100)].copy_from_slice(&name[..name.len().min(100)]);
    block[100..108].copy_from_slice(b"0000644\0");
    block[124..136].copy_from_slice(format!("{size:011o}\0").as_bytes());
    block[136..148].copy_from_slice(b"14571337557\0");
    block[156] = flag;
    block[257..265].copy_from_slice(b"ustar\x0000");
    block[148..156].fill(b' ');
    let sum: u64 = block.iter().map(|byte| u64::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}

/// Returns a tar member with its header and padding.
pub fn tar_member(name: &[u8], content: &[u8], flag: u8) -> Vec<u8> {
    let mut all = tar_header(name, content.len() as u64, flag);
    all.extend(content);
    all.resize(all.len().next_multiple_of(512), 0);
    all
}

/// Returns a tar archive of files.
pub fn tar_of(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut all: Vec<u8> = members
        .iter()
        .flat_map(|(name, content)| tar_member(name.as_bytes(), content, b'0'))
        .collect();
    all.resize(all.len() + 1024, 0);
    all
}

/// Returns a zip archive of deflated members with data descriptors, as Go writes it; without its end record unless
/// `whole`.
pub fn zip_of(members: &[(&str, &[u8])], whole: bool) -> Vec<u8> {
    let mut all = Vec::new();
    for (name, content) in members {
        let mut encoder =
            flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(content).expect("writing to memory");
        let packed = encoder.finish().expect("writing to memory");
        all.extend(b"PK\x03\x04\x14\0\x08\0\x08\0\0\0\0\0");
        all.extend([0; 12]);
        all.extend((name.len() as u16).to_le_bytes());
        all.extend([0; 2]);
        all.extend(name.as_bytes());
        all.extend(&packed);
        let mut crc = flate2::Crc::new();
        crc.update(content);
        all.extend(b"PK\x07\x08");
        all.extend(crc.sum().to_le_bytes());
        all.extend((packed.len() as u32).to_le_bytes());
        all.extend((content.len() as u32).to_le_bytes());
    }
    if whole {
        all.extend(b"PK\x05\x06");
        all.extend([0; 18]);
    }
    all
}
