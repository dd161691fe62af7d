//! The request of a page.

use serde::Deserialize;

/// An analysis: the files to read, and further signatures.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Request {
    /// The files, in order.
    pub files: Vec<File>,
    /// Signatures beside the built-in ones.
    #[serde(default)]
    pub signatures: Vec<SignatureFile>,
    /// The maximum number of seconds for reading; `None` for no limit.
    #[serde(default)]
    pub seconds: Option<u64>,
}

/// A file that the page has. Its index in the request identifies it.
#[derive(Clone, Debug, Deserialize)]
pub struct File {
    /// The name of the file, or of the folder that it is in.
    pub name: String,
    /// The path below that folder, with `/` between folders; `None` for a file without a folder.
    #[serde(default)]
    pub path: Option<String>,
}

/// A file of signatures or of community rules (CRE).
#[derive(Clone, Debug, Deserialize)]
pub struct SignatureFile {
    /// The name, for errors.
    pub name: String,
    /// The text.
    pub text: String,
}
