//! A file that grows, is rotated and is truncated.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// The maximum number of bytes read at a time.
const CHUNK: u64 = 1 << 20;

/// Follows a file by its name.
pub struct Tail {
    path: PathBuf,
    open: Option<Open>,
}

struct Open {
    file: File,
    position: u64,
}

impl Tail {
    /// Follows the file of this name, which need not exist yet.
    pub fn new(path: &Path) -> Tail {
        Tail {
            path: path.to_owned(),
            open: None,
        }
    }

    /// Returns what was appended since the last call, at most a chunk; nothing if there is nothing new.
    ///
    /// A file that became shorter is read from its start. One that was replaced is read to its end first, then the one
    /// that took its place.
    pub fn read(&mut self) -> io::Result<Vec<u8>> {
        loop {
            let Some(open) = &mut self.open else {
                match File::open(&self.path) {
                    Ok(file) => self.open = Some(Open { file, position: 0 }),
                    // no file: in the middle of a rotation
                    Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
                    Err(error) => return Err(error),
                }
                continue;
            };
            if open.file.metadata()?.len() < open.position {
                open.position = open.file.seek(SeekFrom::Start(0))?;
            }
            // checked before the file is read to its end, so that nothing written in between is missed
            let is_replaced = match std::fs::metadata(&self.path) {
                Ok(now) => !is_same(&open.file.metadata()?, &now),
                Err(_) => false,
            };
            let mut bytes = Vec::new();
            (&mut open.file).take(CHUNK).read_to_end(&mut bytes)?;
            open.position += bytes.len() as u64;
            if bytes.is_empty() && is_replaced {
                self.open = None;
                continue;
            }
            return Ok(bytes);
        }
    }
}

#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Without inodes, a file that was replaced is noticed by its time of creation.
#[cfg(not(unix))]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    match (one.created(), other.created()) {
        (Ok(one), Ok(other)) => one == other,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;

    /// Returns a path at which there is nothing.
    fn free(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("follow-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join(name);
        let _ = fs::remove_file(&path);
        path
    }

    #[test]
    fn what_is_appended_comes_once() {
        let path = free("grows");
        let mut tail = Tail::new(&path);
        assert_eq!(tail.read().unwrap(), b"");
        let mut log = File::create(&path).unwrap();
        for line in [b"a\n", b"b\n"] {
            log.write_all(line).unwrap();
            assert_eq!(tail.read().unwrap(), line);
            assert_eq!(tail.read().unwrap(), b"");
        }
    }

    #[test]
    fn a_rotated_file_is_read_to_its_end_first() {
        let path = free("rotated");
        let mut log = File::create(&path).unwrap();
        let mut tail = Tail::new(&path);
        assert_eq!(tail.read().unwrap(), b"");
        fs::rename(&path, path.with_extension("1")).unwrap();
        fs::write(&path, "first\n").unwrap();
        // the writer has not noticed the rotation yet
        log.write_all(b"last\n").unwrap();
        assert_eq!(tail.read().unwrap(), b"last\n");
        assert_eq!(tail.read().unwrap(), b"first\n");
    }

    #[test]
    fn a_truncated_file_is_read_from_its_start() {
        let path = free("truncated");
        fs::write(&path, "a long first line\n").unwrap();
        let mut tail = Tail::new(&path);
        tail.read().unwrap();
        fs::write(&path, "new\n").unwrap();
        assert_eq!(tail.read().unwrap(), b"new\n");
    }
}
