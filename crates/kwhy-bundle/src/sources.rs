//! Opens files and folders and passes on the documents in them: the files themselves, or the members of archives.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kwhy_core::Report;
use kwhy_core::report::{BundleSummary, Limit, LimitMet};

use crate::archive::limits::{Limits, Shared};
use crate::archive::{self, Kind, Member, Walk};
use crate::bundle::{self, Bundles, DocumentSink, Wanted};

pub use crate::read_ahead::read_ahead;

/// A source of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Standard input, or the reader passed in its place.
    Stdin,
    /// A file or folder.
    Path(PathBuf),
}

/// The sources to read, and how to read them.
#[derive(Clone, Debug, Default)]
pub struct InputSet {
    /// The sources, in order.
    pub sources: Vec<Source>,
    /// The members of bundles to read.
    pub wanted: Wanted,
    /// Limits on archives.
    pub limits: Limits,
    /// The state that all readers share.
    pub shared: Arc<Shared>,
}

/// The result of reading the inputs.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Inputs {
    /// The number of sources that could be read.
    pub read: usize,
    /// The limits that were reached, and damaged or binary files.
    pub limits: Vec<LimitMet>,
    /// The sources that could not be read.
    pub failures: Vec<InputError>,
    /// The bundles among the sources.
    pub bundles: Vec<BundleSummary>,
    /// The latest time of collection of the bundles, if they show one.
    pub collected: Option<jiff::Timestamp>,
}

impl Inputs {
    fn new(
        shared: &Shared,
        read: usize,
        bundles: Vec<BundleSummary>,
        collected: Option<jiff::Timestamp>,
    ) -> Inputs {
        let (limits, failures) = shared.finish();
        let failures = failures.into_iter();
        let failures = failures.map(|(path, source)| InputError { path, source });
        Inputs {
            read,
            limits,
            failures: failures.collect(),
            bundles,
            collected,
        }
    }

    /// Adds the outcome of reading to a report: the bundles, the limits that were reached, and the sources that could
    /// not be read, which are also listed as limits.
    ///
    /// ```
    /// use kwhy_bundle::{Options, read_path};
    /// use kwhy_core::Analyzer;
    /// use kwhy_core::report::Limit;
    /// let mut incident = Analyzer::new().incident();
    /// let inputs = read_path("/no/such/bundle".as_ref(), &Options::default(), &mut incident);
    /// let mut report = incident.finish();
    /// inputs.add_to(&mut report);
    /// assert_eq!(report.limits[0].limit, Limit::Unreadable);
    /// ```
    pub fn add_to(&self, report: &mut Report) {
        for bundle in &self.bundles {
            let mut bundle = bundle.clone();
            bundle.source = report.shown_name(&bundle.source).into_owned();
            report.bundles.push(bundle);
        }
        let unreadable = self.failures.iter().map(|failure| {
            let source = failure.path().display().to_string();
            LimitMet::new(source, Limit::Unreadable, failure.io_error().to_string())
        });
        for mut limit in self.limits.iter().cloned().chain(unreadable) {
            limit.source = report.shown_name(&limit.source).into_owned();
            let same =
                |known: &LimitMet| known.source == limit.source && known.limit == limit.limit;
            if !report.limits.iter().any(same) {
                report.limits.push(limit);
            }
        }
    }
}

/// A path that cannot be read. Its `source()` is the operating system's error.
///
/// ```
/// use std::error::Error;
/// use std::io;
/// use kwhy_bundle::InputError;
/// let error = InputError::new("must-gather", io::ErrorKind::NotFound.into());
/// assert_eq!(error.to_string(), "cannot read must-gather");
/// assert!(error.is_not_found() && !error.is_permission_denied());
/// assert!(error.source().is_some());
/// ```
#[derive(Debug, thiserror::Error)]
#[error("cannot read {}", path.display())]
pub struct InputError {
    path: PathBuf,
    source: io::Error,
}

impl InputError {
    /// Creates an error for a path.
    pub fn new(path: impl Into<PathBuf>, source: io::Error) -> InputError {
        InputError {
            path: path.into(),
            source,
        }
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the operating system's error.
    pub fn io_error(&self) -> &io::Error {
        &self.source
    }

    /// Returns true if the path does not exist.
    pub fn is_not_found(&self) -> bool {
        self.source.kind() == io::ErrorKind::NotFound
    }

    /// Returns true if permission to read the path was denied.
    pub fn is_permission_denied(&self) -> bool {
        self.source.kind() == io::ErrorKind::PermissionDenied
    }

    /// Returns advice on how to fix the problem.
    pub fn advice(&self) -> &'static str {
        if self.is_not_found() {
            "check the path"
        } else if self.is_permission_denied() {
            "make it readable, or copy it as a user who may"
        } else {
            "copy it to a local file and give that"
        }
    }
}

impl From<InputError> for (PathBuf, io::Error) {
    fn from(error: InputError) -> (PathBuf, io::Error) {
        (error.path, error.source)
    }
}

/// Reads all sources, the files of a folder in the order of their paths. `stdin` is read for [`Source::Stdin`].
pub fn read(reading: &InputSet, stdin: impl Read + Send, take: &mut dyn DocumentSink) -> Inputs {
    let shared = &reading.shared;
    let mut bundles = Bundles::new(take, reading.wanted.clone(), Arc::clone(shared));
    let mut walk = Walk::new(&mut bundles, reading.limits, Arc::clone(shared));
    let mut read = 0;
    let mut stdin = Some(stdin);
    for source in &reading.sources {
        match source {
            Source::Stdin => {
                let Some(stdin) = stdin.take() else { continue };
                match walk.read(member("stdin".to_owned()), stdin) {
                    Ok(()) => read += 1,
                    Err(error) => shared.fail(Path::new("stdin"), error),
                }
            }
            Source::Path(path) if path.is_dir() => read += folder(&mut walk, path, shared),
            Source::Path(path) => {
                let member = member(path.display().to_string());
                read += one(&mut walk, member, path, false, shared);
            }
        }
        if shared.is_stopped() {
            let read = shared.members.load(std::sync::atomic::Ordering::Relaxed);
            let message = format!(
                "it was broken off after {read} files: the report is about what was read until then"
            );
            let name = match source {
                Source::Stdin => "stdin".to_owned(),
                Source::Path(path) => path.display().to_string(),
            };
            shared.tell(&name, Limit::Interrupted, message);
            break;
        }
    }
    let (bundles, collected, _) = bundles.finish();
    Inputs::new(shared, read, bundles, collected)
}

/// Reads streams from anywhere into a sink, one by one.
pub struct Streams<S> {
    bundles: Bundles<S>,
    limits: Limits,
    shared: Arc<Shared>,
    read: usize,
}

impl<S: DocumentSink> Streams<S> {
    /// Creates a reader that has read nothing yet.
    pub fn new(wanted: Wanted, limits: Limits, shared: Arc<Shared>, sink: S) -> Streams<S> {
        Streams {
            bundles: Bundles::new(sink, wanted, Arc::clone(&shared)),
            limits,
            shared,
            read: 0,
        }
    }

    /// Reads a stream to its end.
    pub fn read(&mut self, member: Member, reader: impl Read + Send) {
        let name = member.name.clone();
        let mut walk = Walk::new(&mut self.bundles, self.limits, Arc::clone(&self.shared));
        match walk.read(member, reader) {
            Ok(()) => self.read += 1,
            Err(error) => self.shared.fail(Path::new(&name), error),
        }
    }

    /// Finishes reading and returns the result and the sink.
    pub fn finish(self) -> (Inputs, S) {
        let (bundles, collected, sink) = self.bundles.finish();
        let inputs = Inputs::new(&self.shared, self.read, bundles, collected);
        (inputs, sink)
    }
}

/// Returns the member for a file that is a whole source.
pub fn member(name: String) -> Member {
    Member {
        root: name.clone(),
        name,
        path: String::new(),
        size: None,
        modified: None,
        packed: false,
        loose: false,
    }
}

/// Opens a file. If a folder listed it as a regular file, a pipe that has replaced it since must not block, so it is
/// refused.
fn open(path: &Path, is_listed: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    if is_listed {
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    }
    let file = options.open(path)?;
    if is_listed && !file.metadata()?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is no longer a regular file",
        ));
    }
    Ok(file)
}

/// Reads a file and returns the number of files read, 0 or 1. `is_listed` is true if a folder listed it.
fn one(
    walk: &mut Walk<'_>,
    mut member: Member,
    path: &Path,
    is_listed: bool,
    shared: &Shared,
) -> usize {
    let opened = open(path, is_listed).and_then(|file| {
        member.size = file.metadata().ok().map(|data| data.len());
        walk.read(member, file)
    });
    match opened {
        Ok(()) => 1,
        Err(error) => {
            shared.fail(path, error);
            0
        }
    }
}

/// Reads all regular files below a folder. Links are not followed, so there can be no loop.
fn folder(walk: &mut Walk<'_>, root: &Path, shared: &Shared) -> usize {
    let Below {
        files: paths,
        links,
        devices,
        failures,
    } = below(root);
    for InputError { path, source } in failures {
        shared.fail(&path, source);
    }
    let inside = |path: &Path| -> String {
        let top = root.file_name().map(Path::new);
        let below = path.strip_prefix(root).unwrap_or(path);
        let parts = top.into_iter().chain([below]).flat_map(Path::components);
        let parts: Vec<_> = parts
            .map(|part| part.as_os_str().to_string_lossy())
            .collect();
        parts.join("/")
    };
    let name = root.display().to_string();
    let passed = [
        (links, Limit::Link, archive::LINKS),
        (devices, Limit::Device, archive::DEVICES),
    ];
    for (paths, limit, what) in passed {
        for path in paths {
            shared.note(&name, limit.clone(), what, &inside(&path));
        }
    }
    // paths carry information only if the folder is a known bundle
    let loose = !bundle::is_known(paths.iter().map(|path| inside(path)));
    let mut read = 0;
    for path in paths {
        if shared.is_stopped() {
            break;
        }
        let member = Member {
            path: inside(&path),
            root: root.display().to_string(),
            loose,
            ..member(path.display().to_string())
        };
        read += one(walk, member, &path, true, shared);
    }
    read
}

/// Returns true if the sources are known to contain several documents before they are read.
pub fn holds_several(sources: &[Source]) -> bool {
    let is_archive = |path: &Path| {
        // reading from a pipe would consume its bytes
        if !path.metadata().is_ok_and(|data| data.is_file()) {
            return false;
        }
        let mut head = Vec::new();
        let read = File::open(path).and_then(|file| file.take(1024).read_to_end(&mut head));
        let kind = archive::kind(&head);
        read.is_ok() && matches!(kind, Kind::Packed(_) | Kind::Tar | Kind::Zip)
    };
    match sources {
        [Source::Path(path)] => path.is_dir() || is_archive(path),
        [] | [Source::Stdin] => false,
        _ => true,
    }
}

/// Returns the files of the sources, in the order in which they are read.
pub fn files(sources: &[Source]) -> impl Iterator<Item = PathBuf> {
    sources.iter().flat_map(|source| match source {
        Source::Stdin => Vec::new(),
        Source::Path(path) if path.is_dir() => below(path).files,
        Source::Path(path) => vec![path.clone()],
    })
}

/// Returns the total size of the sources in bytes, or `None` if that of any source is unknown.
pub fn size(sources: &[Source]) -> Option<u64> {
    let of = |source: &Source| match source {
        Source::Stdin => None,
        Source::Path(path) if path.is_dir() => below(path)
            .files
            .iter()
            .map(|file| Some(fs::metadata(file).ok()?.len()))
            .sum(),
        Source::Path(path) => fs::metadata(path)
            .ok()
            .filter(fs::Metadata::is_file)
            .map(|data| data.len()),
    };
    sources.iter().map(of).sum()
}

/// The contents of a folder and its subfolders, sorted.
#[derive(Debug, Default)]
pub struct Below {
    /// The regular files.
    pub files: Vec<PathBuf>,
    /// Links, which are not followed.
    pub links: Vec<PathBuf>,
    /// Devices, pipes and sockets.
    pub devices: Vec<PathBuf>,
    /// The paths that could not be listed.
    pub failures: Vec<InputError>,
}

/// Lists the contents of a folder and its subfolders.
pub fn below(root: &Path) -> Below {
    let mut below = Below::default();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let entries = match entries {
            Ok(entries) => entries,
            Err(source) => {
                let path = folder;
                below.failures.push(InputError { path, source });
                continue;
            }
        };
        for entry in entries {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() => below.files.push(entry.path()),
                Ok(kind) if kind.is_symlink() => below.links.push(entry.path()),
                Ok(_) => below.devices.push(entry.path()),
                Err(source) => {
                    let path = entry.path();
                    below.failures.push(InputError { path, source });
                }
            }
        }
    }
    below.files.sort();
    below.links.sort();
    below.devices.sort();
    below.failures.sort_by(|a, b| a.path.cmp(&b.path));
    below
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::Document;

    /// Keeps the documents it receives.
    #[derive(Default)]
    struct Kept(Vec<(String, Vec<u8>)>);

    impl DocumentSink for Kept {
        fn document(&mut self, document: Document, content: &mut (dyn Read + Send)) {
            let mut bytes = Vec::new();
            let _ = content.read_to_end(&mut bytes);
            self.0.push((document.name, bytes));
        }
    }

    fn stdin(text: &'static [u8]) -> (Inputs, Kept) {
        let reading = InputSet {
            sources: vec![Source::Stdin],
            ..InputSet::default()
        };
        let mut kept = Kept::default();
        let inputs = read(&reading, text, &mut kept);
        (inputs, kept)
    }

    #[test]
    fn no_text() {
        let limit = |text| stdin(text).0.limits.pop();
        assert_eq!(limit(b"ab\0cd").unwrap().limit, Limit::Binary);
        assert_eq!(limit(b"\x1f\x8b\x08").unwrap().limit, Limit::Damaged);
        assert_eq!(
            limit(b"7z\xbc\xaf\x27\x1c").unwrap().limit,
            Limit::Unsupported
        );
        assert_eq!(limit(b"\xff\xfea\0"), None);
        assert_eq!(stdin(b"\xff\xfea\0").1.0[0].1.len(), 4);
    }

    #[test]
    fn folders_are_read_sorted() {
        let root = std::env::temp_dir().join(format!("kwhy-input-{}", std::process::id()));
        fs::create_dir_all(root.join("b/deep")).unwrap();
        fs::write(root.join("c.log"), "c").unwrap();
        fs::write(root.join("b/deep/x.log"), "x").unwrap();
        fs::write(root.join("a.log"), "a").unwrap();
        let reading = InputSet {
            sources: vec![
                Source::Path(root.clone()),
                Source::Path(root.join("missing")),
            ],
            ..InputSet::default()
        };
        let mut kept = Kept::default();
        let inputs = read(&reading, io::empty(), &mut kept);
        let again = InputSet {
            shared: Arc::default(),
            ..reading.clone()
        };
        let mut ahead = Kept::default();
        read_ahead(&again, io::empty(), &mut ahead);
        fs::remove_dir_all(&root).unwrap();
        let names: Vec<_> = kept.0.iter().map(|(name, _)| Path::new(name)).collect();
        let wanted = ["a.log", "b/deep/x.log", "c.log"].map(|name| root.join(name));
        assert_eq!(names, wanted);
        assert_eq!(kept.0, ahead.0);
        assert_eq!((inputs.read, inputs.failures.len()), (3, 1));
        assert_eq!(inputs.failures[0].advice(), "check the path");
    }
}
