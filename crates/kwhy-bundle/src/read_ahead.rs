//! Reads and unpacks on one thread while another consumes the documents.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

use crate::bundle::{Document, DocumentSink};
use crate::sources::{self, InputSet, Inputs};

/// The size in bytes of a piece sent through the channel, and the number of pieces it can hold.
const PIECE: usize = 128 * 1024;
const PIECES: usize = 16;

/// A message sent through the channel.
enum Message {
    Begin(Document),
    Again(usize, String),
    Piece(Vec<u8>),
    End,
}

/// Like [`sources::read`], but reads and unpacks ahead on a separate thread.
pub fn read_ahead(
    reading: &InputSet,
    stdin: impl Read + Send,
    take: &mut (dyn DocumentSink + Send),
) -> Inputs {
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel(PIECES);
        let (back, spare) = channel();
        let ahead = scope.spawn(move || {
            let mut ahead = Ahead { sender, spare };
            sources::read(reading, stdin, &mut ahead)
        });
        let mut pieces = Pieces {
            receiver,
            back,
            piece: Vec::new(),
            at: 0,
            ended: true,
        };
        while let Ok(message) = pieces.receiver.recv() {
            match message {
                Message::Begin(document) => {
                    pieces.ended = false;
                    take.document(document, &mut pieces);
                    pieces.pass();
                }
                Message::Again(number, name) => take.again(number, &name),
                Message::Piece(_) | Message::End => {}
            }
        }
        ahead.join().unwrap_or_default()
    })
}

/// The sending end: passes documents through a channel.
struct Ahead {
    sender: SyncSender<Message>,
    /// Pieces that were consumed, to be filled again. Allocators hold on to memory that one thread allocates and
    /// another frees.
    spare: Receiver<Vec<u8>>,
}

impl DocumentSink for Ahead {
    fn document(&mut self, document: Document, content: &mut (dyn Read + Send)) {
        if self.sender.send(Message::Begin(document)).is_err() {
            return;
        }
        loop {
            let spare = self.spare.try_recv();
            let mut piece = spare.unwrap_or_else(|_| Vec::with_capacity(PIECE));
            let read = Read::take(&mut *content, PIECE as u64).read_to_end(&mut piece);
            let length = piece.len();
            let sent = piece.is_empty() || self.sender.send(Message::Piece(piece)).is_ok();
            // the source reports why a stream ends early
            if read.is_err() || !sent || length < PIECE {
                break;
            }
        }
        let _ = self.sender.send(Message::End);
    }

    fn again(&mut self, number: usize, name: &str) {
        let _ = self.sender.send(Message::Again(number, name.to_owned()));
    }
}

/// The receiving end: the content of the current document.
struct Pieces {
    receiver: Receiver<Message>,
    back: Sender<Vec<u8>>,
    piece: Vec<u8>,
    at: usize,
    ended: bool,
}

impl Pieces {
    /// Skips the rest of the document.
    fn pass(&mut self) {
        while !self.ended {
            self.next();
        }
    }

    fn next(&mut self) {
        self.at = 0;
        let mut read = std::mem::take(&mut self.piece);
        if read.capacity() > 0 {
            read.clear();
            // the sender is gone once everything was read
            let _ = self.back.send(read);
        }
        match self.receiver.recv() {
            Ok(Message::Piece(piece)) => self.piece = piece,
            _ => self.ended = true,
        }
    }
}

impl Read for Pieces {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.at == self.piece.len() && !self.ended {
            self.next();
        }
        let rest = self.piece.get(self.at..).unwrap_or_default();
        let length = rest.len().min(into.len());
        into[..length].copy_from_slice(&rest[..length]);
        self.at += length;
        Ok(length)
    }
}
