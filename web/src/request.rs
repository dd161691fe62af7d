//! What a page asks for.

use serde::Deserialize;

/// An analysis: what is read, and with which signatures.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Request {
    /// The files, in order.
    pub files: Vec<File>,
    /// Signatures beside the built-in ones.
    #[serde(default)]
    pub signatures: Vec<SignatureFile>,
    /// Seconds that reading may take; no limit without it.
    #[serde(default)]
    pub seconds: Option<u64>,
}

/// A file that the page has. Its number is its place in the request.
#[derive(Clone, Debug, Deserialize)]
pub struct File {
    /// The name: that of the file, or of the folder in which it is.
    pub name: String,
    /// The path below that folder, with `/` between folders.
    #[serde(default)]
    pub path: Option<String>,
}

/// A file of signatures, or of rules of the community.
#[derive(Clone, Debug, Deserialize)]
pub struct SignatureFile {
    /// The name, for errors.
    pub name: String,
    /// The text.
    pub text: String,
}
