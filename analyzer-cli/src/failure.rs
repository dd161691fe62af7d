//! The errors that stop the program.

use std::io;
use std::path::PathBuf;

use crate::diagnostics::BadFile;
use kwhy_render::escape::visible;

/// An error that stops the program.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum Failure {
    /// None of the inputs can be read.
    #[error("nothing could be read")]
    #[diagnostic(help("kwhy reads standard input, files and folders: `kwhy describe.txt`"))]
    NothingRead,
    /// Standard input is empty.
    #[error("standard input is empty")]
    #[diagnostic(help(
        "the command before the pipe printed nothing; what it prints on standard error comes along with \
         `kubectl ... 2>&1 | kwhy`"
    ))]
    EmptyInput,
    /// A paste contains no record to make a signature of.
    #[error("the paste has no line to make a signature of")]
    #[diagnostic(help("paste the line that shows the fault: `kwhy signatures new paste.txt`"))]
    NoRecord,
    /// An input cannot be read.
    #[error("cannot read {}", visible(&.path.display().to_string()))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Standard input cannot be read.
    #[error("cannot read standard input")]
    Stdin(#[source] io::Error),
    /// The configuration cannot be read.
    #[error("cannot read the configuration {}", visible(&.path.display().to_string()))]
    #[diagnostic(help("make it readable, or omit it with --no-config"))]
    Config {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A signature file cannot be read.
    #[error("cannot read the signatures in {}", visible(&.path.display().to_string()))]
    #[diagnostic(help("give a YAML file or a folder of them"))]
    Signatures {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {}", visible(&.path.display().to_string()))]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A healthy input, given by `--healthy`, cannot be read.
    #[error("cannot read {}", visible(&.path.display().to_string()))]
    #[diagnostic(help("--healthy names a file or a folder of them"))]
    Healthy {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A signature file or the configuration is invalid.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Signature(#[from] BadFile),
    /// There is no cause, signature or command of that name.
    #[error("there is no {what} `{}`", visible(.id))]
    #[diagnostic(help("{advice}"))]
    Unknown {
        /// The kind of thing that was asked for.
        what: &'static str,
        /// The id.
        id: String,
        /// A hint at a similar id, or at where the ids are listed.
        advice: String,
    },
    /// The output cannot be written.
    #[error("cannot write the output")]
    Output(#[from] io::Error),
}

impl Failure {
    /// Returns true if the reader of the output went away, which is not a failure.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}
