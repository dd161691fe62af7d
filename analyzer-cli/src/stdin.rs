//! Standard input, with a test for emptiness and a single end.

use std::io::{self, Read};

/// A reader that stays at its end. A terminal would continue after Ctrl-D, and wait for a second one.
pub struct Stdin<R> {
    reader: R,
    /// The first byte, if it was read to see whether there is one.
    first: Option<u8>,
    has_ended: bool,
}

impl<R: Read> Stdin<R> {
    /// Wraps a reader.
    pub fn new(reader: R) -> Stdin<R> {
        Stdin {
            reader,
            first: None,
            has_ended: false,
        }
    }

    /// Returns true if there is nothing to read. After an error it returns false, as the next read reports it.
    pub fn is_empty(&mut self) -> bool {
        let mut byte = [0];
        loop {
            match self.reader.read(&mut byte) {
                Ok(0) => {
                    self.has_ended = true;
                    return true;
                }
                Ok(_) => {
                    self.first = Some(byte[0]);
                    return false;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return false,
            }
        }
    }
}

impl<R: Read> Read for Stdin<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() || self.has_ended {
            return Ok(0);
        }
        if let Some(first) = self.first.take() {
            into[0] = first;
            return Ok(1);
        }
        let read = self.reader.read(into)?;
        self.has_ended = read == 0;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A terminal: texts that are typed; an empty one is an end.
    struct Terminal(Vec<&'static [u8]>);

    impl Read for Terminal {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            assert!(!self.0.is_empty(), "asks for more after its end");
            let typed = self.0.remove(0);
            into[..typed.len()].copy_from_slice(typed);
            Ok(typed.len())
        }
    }

    #[test]
    fn ends_once_and_loses_nothing() {
        let mut stdin = Stdin::new(Terminal(vec![b"a", b"b\n", b"", b"more"]));
        assert!(!stdin.is_empty());
        let mut text = Vec::new();
        stdin.read_to_end(&mut text).unwrap();
        stdin.read_to_end(&mut text).unwrap();
        assert_eq!(text, b"ab\n");
        let mut nothing = Stdin::new(Terminal(vec![b""]));
        assert!(nothing.is_empty());
        assert_eq!(nothing.read(&mut [0; 8]).unwrap(), 0);
    }
}
