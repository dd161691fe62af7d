//! A reader over pieces of bytes, such as the body of a request, messages, or the output of a program.

use std::io::{self, Read};

/// Reads pieces of bytes one after another as one stream.
///
/// It turns an async body into a reader: the task that receives the body sends its pieces into a bounded channel, and a
/// blocking thread analyses what it receives. The channel throttles the sender when the analysis is slower.
///
/// ```
/// use std::io;
/// use std::sync::mpsc::sync_channel;
/// use kwhy_bundle::{Options, PieceReader, read};
/// use kwhy_core::Analyzer;
///
/// // with tokio: `tokio::sync::mpsc::channel(16)`, `tokio::task::spawn_blocking` and `std::iter::from_fn(|| pieces.blocking_recv())`
/// let (body, pieces) = sync_channel::<io::Result<Vec<u8>>>(16);
/// let analysis = std::thread::spawn(move || {
///     let mut incident = Analyzer::new().incident();
///     let inputs = read("upload", PieceReader::new(pieces.into_iter()), &Options::default(), &mut incident);
///     (inputs, incident.finish())
/// });
/// body.send(Ok(b"panic: runtime error: ".to_vec())).unwrap();
/// body.send(Ok(b"index out of range [3] with length 3\n".to_vec())).unwrap();
/// // a body that ends early is an error of the reader: what came before it is analysed all the same
/// body.send(Err(io::ErrorKind::UnexpectedEof.into())).unwrap();
/// drop(body);
/// let (inputs, report) = analysis.join().unwrap();
/// assert_eq!(inputs.failures.len(), 1);
/// assert_eq!(report.findings[0].cause, "container/app-panic");
/// ```
#[derive(Debug)]
pub struct PieceReader<I, P> {
    pieces: I,
    piece: Option<P>,
    at: usize,
}

impl<I, P> PieceReader<I, P>
where
    I: Iterator<Item = io::Result<P>>,
    P: AsRef<[u8]>,
{
    /// Creates a reader over these pieces. An error among them is returned by `read`; reading can continue after it.
    pub fn new(pieces: I) -> PieceReader<I, P> {
        PieceReader {
            pieces,
            piece: None,
            at: 0,
        }
    }
}

impl<I, P> Read for PieceReader<I, P>
where
    I: Iterator<Item = io::Result<P>>,
    P: AsRef<[u8]>,
{
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let piece = self.piece.as_ref().map_or(&[][..], AsRef::as_ref);
            let rest = piece.get(self.at..).unwrap_or_default();
            if !rest.is_empty() || into.is_empty() {
                let length = rest.len().min(into.len());
                into[..length].copy_from_slice(&rest[..length]);
                self.at += length;
                return Ok(length);
            }
            (self.piece, self.at) = (None, 0);
            match self.pieces.next() {
                Some(piece) => self.piece = Some(piece?),
                None => return Ok(0),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_any_size_are_one_stream() {
        let pieces = ["ab", "", "cde", "f"].map(|piece| Ok(piece.as_bytes()));
        let mut reader = PieceReader::new(pieces.into_iter());
        let mut read = Vec::new();
        let mut two = [0; 2];
        loop {
            match reader.read(&mut two).unwrap() {
                0 => break,
                length => read.extend_from_slice(&two[..length]),
            }
        }
        assert_eq!(read, b"abcdef");
    }

    #[test]
    fn an_error_comes_after_what_precedes_it() {
        let pieces = [Ok("ab"), Err(io::ErrorKind::UnexpectedEof.into()), Ok("c")];
        let mut reader = PieceReader::new(pieces.into_iter());
        let mut read = Vec::new();
        let error = reader.read_to_end(&mut read).unwrap_err();
        assert_eq!(
            (read.as_slice(), error.kind()),
            (&b"ab"[..], io::ErrorKind::UnexpectedEof)
        );
        // no piece is read twice
        read.clear();
        reader.read_to_end(&mut read).unwrap();
        assert_eq!(read, b"c");
    }
}
