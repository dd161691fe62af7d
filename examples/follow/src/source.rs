//! Sources of bytes, each read by a thread that sends them to the session.

use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc::SyncSender;
use std::thread;
use std::time::Duration;

use crate::tail::Tail;

/// A message to the session.
pub enum Message {
    /// Bytes that were appended.
    Bytes(Vec<u8>),
    /// The log cannot be read.
    Failed(io::Error),
    /// The input has ended, or the user wants to stop.
    End,
}

/// The interval between two checks of a file.
const POLL: Duration = Duration::from_millis(200);

/// Sends what is appended to a file, until nobody listens.
pub fn follow(path: &Path, to: &SyncSender<Message>) {
    let mut tail = Tail::new(path);
    loop {
        let message = match tail.read() {
            Ok(bytes) if bytes.is_empty() => {
                thread::sleep(POLL);
                continue;
            }
            Ok(bytes) => Message::Bytes(bytes),
            Err(error) => Message::Failed(error),
        };
        let is_failed = matches!(message, Message::Failed(_));
        if to.send(message).is_err() || is_failed {
            return;
        }
    }
}

/// Sends what comes on standard input, and its end.
pub fn read_stdin(to: &SyncSender<Message>) {
    let mut stdin = io::stdin().lock();
    let mut chunk = vec![0; 64 * 1024];
    loop {
        let message = match stdin.read(&mut chunk) {
            Ok(0) => Message::End,
            Ok(length) => Message::Bytes(chunk[..length].to_vec()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Message::Failed(error),
        };
        let is_last = !matches!(message, Message::Bytes(_));
        if to.send(message).is_err() || is_last {
            return;
        }
    }
}
