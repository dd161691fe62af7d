//! Opens standard input, files and folders, and reads them whole up to a limit.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use analyzer_core::{Document, LimitMet};

use crate::plan::Source;

/// How many bytes are read in all (1 GiB); what is beyond is left out, and the report says so.
pub const MAX_BYTES: u64 = 1 << 30;

/// What could be read.
#[derive(Debug, Default)]
pub struct Inputs {
    /// The documents, in the order given; a folder's sorted by path.
    pub documents: Vec<Document>,
    /// What was left out, or is not text.
    pub limits: Vec<LimitMet>,
    /// What could not be read.
    pub failures: Vec<InputError>,
}

/// A path that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {}", path.display())]
pub struct InputError {
    /// The path.
    pub path: PathBuf,
    /// Why, in the operating system's words.
    pub source: io::Error,
}

impl InputError {
    /// What to do about it.
    pub fn advice(&self) -> &'static str {
        match self.source.kind() {
            io::ErrorKind::NotFound => "check the path",
            io::ErrorKind::PermissionDenied => "make it readable, or copy it as a user who may",
            _ => "copy it to a local file and give that",
        }
    }
}

/// Reads all sources. `stdin` is taken where a source says so; at most `budget` bytes are read.
pub fn read(sources: &[Source], stdin: impl Read, budget: u64) -> Inputs {
    let mut reader = Reader {
        left: budget,
        inputs: Inputs::default(),
    };
    let mut stdin = Some(stdin);
    for source in sources {
        match source {
            Source::Stdin => {
                if let Some(stdin) = stdin.take() {
                    reader.take(Path::new("stdin"), Ok(stdin));
                }
            }
            Source::Path(path) if path.is_dir() => reader.folder(path),
            Source::Path(path) => reader.take(path, File::open(path)),
        }
    }
    reader.inputs
}

struct Reader {
    left: u64,
    inputs: Inputs,
}

impl Reader {
    /// Reads all regular files below a folder. Links are not followed, so that there is no loop.
    fn folder(&mut self, root: &Path) {
        let (paths, failures) = files_below(root);
        self.inputs.failures.extend(failures);
        for path in paths {
            self.take(&path, File::open(&path));
        }
    }

    fn take(&mut self, path: &Path, opened: io::Result<impl Read>) {
        let mut bytes = Vec::new();
        let read = opened.and_then(|file| {
            // one more byte than is left tells whether there was more
            file.take(self.left.saturating_add(1))
                .read_to_end(&mut bytes)
        });
        if let Err(source) = read {
            let path = path.to_owned();
            self.inputs.failures.push(InputError { path, source });
            if bytes.is_empty() {
                return;
            }
        }
        let name = path.display().to_string();
        if bytes.len() as u64 > self.left {
            bytes.truncate(usize::try_from(self.left).unwrap_or(usize::MAX));
            self.limit(
                &name,
                "truncated",
                format!("only the first {} bytes were read", bytes.len()),
            );
        }
        self.left -= (bytes.len() as u64).min(self.left);
        if let Some(message) = not_text(&bytes) {
            self.limit(&name, "binary", message.to_owned());
        }
        self.inputs.documents.push(Document::new(name, bytes));
    }

    fn limit(&mut self, source: &str, limit: &str, message: String) {
        self.inputs.limits.push(LimitMet {
            source: source.to_owned(),
            limit: limit.to_owned(),
            message,
        });
    }
}

/// The regular files below a folder, sorted, and what of it cannot be read.
pub fn files_below(root: &Path) -> (Vec<PathBuf>, Vec<InputError>) {
    let mut files = Vec::new();
    let mut failures = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let entries = match entries {
            Ok(entries) => entries,
            Err(source) => {
                let path = folder;
                failures.push(InputError { path, source });
                continue;
            }
        };
        for entry in entries {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() => files.push(entry.path()),
                _ => {}
            }
        }
    }
    files.sort();
    failures.sort_by(|a, b| a.path.cmp(&b.path));
    (files, failures)
}

/// Says what bytes are that are no text, and what to do.
fn not_text(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => None,
        [0x1f, 0x8b, ..] => Some("compressed by gzip: pipe `zcat FILE` into kwhy"),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Some("compressed by zstd: pipe `zstdcat FILE` into kwhy"),
        [b'P', b'K', 3, 4, ..] => Some("a zip archive: extract it and give the folder"),
        _ if bytes.iter().take(SNIFFED).any(|byte| *byte == 0) => {
            Some("holds NUL bytes, so it is no text; what reads like text in it was analysed")
        }
        _ => None,
    }
}

/// How far into an input to look for NUL bytes.
const SNIFFED: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    fn stdin(text: &[u8], budget: u64) -> Inputs {
        read(&[Source::Stdin], text, budget)
    }

    #[test]
    fn bounded() {
        let inputs = stdin(b"0123456789", 4);
        assert_eq!(inputs.documents[0].text(), "0123");
        assert_eq!(inputs.limits[0].limit, "truncated");
        assert!(stdin(b"0123", 4).limits.is_empty());
    }

    #[test]
    fn no_text() {
        assert_eq!(stdin(b"ab\0cd", 99).limits[0].limit, "binary");
        assert!(
            stdin(b"\x1f\x8b\x08", 99).limits[0]
                .message
                .contains("zcat")
        );
        assert!(stdin(b"\xff\xfea\0", 99).limits.is_empty());
    }

    #[test]
    fn folders_are_read_sorted() {
        let root = std::env::temp_dir().join(format!("kwhy-input-{}", std::process::id()));
        fs::create_dir_all(root.join("b/deep")).unwrap();
        fs::write(root.join("c.log"), "c").unwrap();
        fs::write(root.join("b/deep/x.log"), "x").unwrap();
        fs::write(root.join("a.log"), "a").unwrap();
        let sources = [
            Source::Path(root.clone()),
            Source::Path(root.join("missing")),
        ];
        let inputs = read(&sources, io::empty(), 99);
        fs::remove_dir_all(&root).unwrap();
        let texts: Vec<_> = inputs.documents.iter().map(Document::text).collect();
        assert_eq!(texts, ["a", "x", "c"]);
        assert_eq!(inputs.failures.len(), 1);
        assert_eq!(inputs.failures[0].advice(), "check the path");
    }
}
