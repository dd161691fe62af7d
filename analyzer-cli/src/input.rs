//! Opens standard input, files and folders, and reads them as streams into one incident.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use analyzer_core::{Incident, LimitMet};

use crate::plan::Source;

/// What became of the inputs.
#[derive(Debug, Default)]
pub struct Inputs {
    /// How many could be read.
    pub read: usize,
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

/// Reads all sources into an incident; a folder's files in the order of their paths. `stdin` is taken
/// where a source says so.
pub fn read(sources: &[Source], stdin: impl Read + Send, incident: &mut Incident<'_>) -> Inputs {
    let mut reader = Reader {
        incident,
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

struct Reader<'r, 'a> {
    incident: &'r mut Incident<'a>,
    inputs: Inputs,
}

impl Reader<'_, '_> {
    /// Reads all regular files below a folder. Links are not followed, so that there is no loop.
    fn folder(&mut self, root: &Path) {
        let (paths, failures) = files_below(root);
        self.inputs.failures.extend(failures);
        for path in paths {
            self.take(&path, File::open(&path));
        }
    }

    fn take(&mut self, path: &Path, opened: io::Result<impl Read + Send>) {
        let name = path.display().to_string();
        let mut start = Vec::new();
        let opened = opened.and_then(|mut file| {
            file.by_ref()
                .take(SNIFFED as u64)
                .read_to_end(&mut start)
                .map(|_| file)
        });
        let read = match opened {
            Ok(file) => {
                if let Some(message) = not_text(&start) {
                    self.inputs.limits.push(LimitMet {
                        source: name.clone(),
                        limit: "binary".to_owned(),
                        message: message.to_owned(),
                    });
                }
                self.inputs.read += 1;
                self.incident.read(name, start.chain(file))
            }
            Err(error) => Err(error),
        };
        if let Err(source) = read {
            let path = path.to_owned();
            self.inputs.failures.push(InputError { path, source });
        }
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
        _ if bytes.contains(&0) => {
            Some("holds NUL bytes, so it is no text; what reads like text in it was analysed")
        }
        _ => None,
    }
}

/// How far into an input to look for NUL bytes.
const SNIFFED: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use analyzer_core::{Analyzer, Report};

    use super::*;

    fn stdin(text: &[u8]) -> (Inputs, Report) {
        let analyzer = Analyzer::new();
        let mut incident = analyzer.incident();
        let inputs = read(&[Source::Stdin], text, &mut incident);
        (inputs, incident.finish())
    }

    #[test]
    fn no_text() {
        let limit = |text| stdin(text).0.limits.pop();
        assert_eq!(limit(b"ab\0cd").unwrap().limit, "binary");
        assert!(limit(b"\x1f\x8b\x08").unwrap().message.contains("zcat"));
        assert_eq!(limit(b"\xff\xfea\0"), None);
        assert_eq!(stdin(b"\xff\xfea\0").1.stats.bytes, 4);
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
        let analyzer = Analyzer::new();
        let mut incident = analyzer.incident();
        let inputs = read(&sources, io::empty(), &mut incident);
        fs::remove_dir_all(&root).unwrap();
        let read = incident.finish().inputs;
        let names: Vec<_> = read.iter().map(|input| Path::new(&input.source)).collect();
        let wanted = ["a.log", "b/deep/x.log", "c.log"].map(|name| root.join(name));
        assert_eq!(names, wanted);
        assert_eq!((inputs.read, inputs.failures.len()), (3, 1));
        assert_eq!(inputs.failures[0].advice(), "check the path");
    }
}
