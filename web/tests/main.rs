//! The analysis as the page calls it, and the page itself in a browser.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod browser;
mod driver;
mod session;

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use kwhy_web::{File, Host, Outcome, Request, SignatureFile, analyze};

/// Files in memory, read in small pieces.
#[derive(Clone, Copy)]
struct Memory<'m>(&'m [Vec<u8>]);

impl Host for Memory<'_> {
    fn read(self, file: usize, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        let bytes = self.0.get(file).ok_or(io::ErrorKind::NotFound)?;
        let rest = bytes.get(usize::try_from(offset).unwrap()..).unwrap();
        let length = rest.len().min(into.len()).min(70_000);
        into[..length].copy_from_slice(&rest[..length]);
        Ok(length)
    }

    fn clock(self) -> fn() -> Duration {
        // each call is a second later
        static LOOKS: AtomicU64 = AtomicU64::new(0);
        || Duration::from_secs(LOOKS.fetch_add(1, Ordering::Relaxed))
    }
}

/// Returns a file without a folder, or one at a path in a folder.
fn file(name: &str, path: Option<&str>) -> File {
    File {
        name: name.to_owned(),
        path: path.map(str::to_owned),
    }
}

fn outcome(
    files: &[File],
    contents: &[Vec<u8>],
    signatures: &[SignatureFile],
) -> Result<Outcome, String> {
    let request = Request {
        files: files.to_vec(),
        signatures: signatures.to_vec(),
        seconds: None,
    };
    analyze(&request, Memory(contents))
}

const PASTE: &str = "Warning  FailedMount  5s  kubelet  MountVolume.SetUp failed for volume \"conf\" : configmap \"cart\" not found\n";
const PANIC: &str = "panic: runtime error: index out of range [3] with length 3\n";

const MINE: &str = "id: ferry-full\ncause: storage/configmap-missing\nseverity: error\ntitle: The ferry {ferry} is full\nwhy: It takes 50.\nmatch: {event: {message: 'ferry {ferry} is full'}}\n";
