//! Streams events, objects and records as pieces of NDJSON while the input is read.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

use kwhy_cli::session::{Converted, Converter, Refusal, Share};
use kwhy_core::Cancel;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors;
use crate::given::{Given, Raised};
use crate::work::{EVERY, caught};

/// The maximum number of pieces that wait for Python.
const PIECES: usize = 4;
/// The minimum size of a piece in bytes, except for the last one.
const PIECE: usize = 256 * 1024;

enum Message {
    Piece(Vec<u8>),
    End(Box<PyResult<Result<Converted, Refusal>>>),
}

/// An iterator over pieces of NDJSON, each of whole lines.
#[pyclass(frozen, module = "kwhy._kwhy")]
pub struct Lines {
    stop: Cancel,
    raised: Raised,
    state: Mutex<State>,
}

struct State {
    pieces: Option<Receiver<Message>>,
    limits: Vec<(String, String, String)>,
    failures: Vec<(PathBuf, String)>,
}

impl Lines {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self, py: Python<'_>, ended: PyResult<Result<Converted, Refusal>>) -> PyResult<()> {
        if let Some(raised) = self.raised.take() {
            return Err(raised);
        }
        let ended = ended?.map_err(|refusal| errors::of(&refusal))?;
        if ended.read == 0 {
            return Err(errors::nothing_read(py, &ended.failures));
        }
        let mut state = self.state();
        let limits = ended.limits.iter();
        let limits = limits.map(|met| {
            let kind = met.limit.to_string();
            (met.source.clone(), kind, met.message.clone())
        });
        state.limits = limits.collect();
        let failures = ended.failures.iter();
        let failures = failures.map(|it| (it.path().to_owned(), it.io_error().to_string()));
        state.failures = failures.collect();
        Ok(())
    }
}

#[pymethods]
impl Lines {
    /// Starts reading. `share` is the number of the part to convert, counted from 0, and the number of parts.
    #[new]
    fn new(typed: Vec<OsString>, given: Given, share: Option<(usize, usize)>) -> PyResult<Lines> {
        let converter = Converter::new(&typed).map_err(|refusal| errors::of(&refusal))?;
        let share = match share {
            Some((number, of)) if number >= of => {
                return Err(PyValueError::new_err("there is no such share"));
            }
            share => share.map(|(number, of)| Share { number, of }),
        };
        let (stop, raised) = (Cancel::new(), Raised::default());
        let given = given.into_session(&raised)?;
        let (sender, pieces) = sync_channel(PIECES);
        let stopped = stop.clone();
        // ends with the input, or once the receiver is gone
        let read = move || {
            let mut out = Pieces {
                sender: sender.clone(),
                piece: Vec::new(),
            };
            let ended = caught(|| {
                let ended = converter.run(given, share, &stopped, &mut out)?;
                out.send().map_err(kwhy_cli::session::Failure::Output)?;
                Ok(ended)
            });
            let _ = sender.send(Message::End(Box::new(ended)));
        };
        std::thread::Builder::new()
            .name("kwhy".to_owned())
            .spawn(read)?;
        let state = State {
            pieces: Some(pieces),
            limits: Vec::new(),
            failures: Vec::new(),
        };
        Ok(Lines {
            stop,
            raised,
            state: Mutex::new(state),
        })
    }

    fn __iter__(lines: PyRef<'_, Self>) -> PyRef<'_, Self> {
        lines
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        loop {
            let message = py.detach(|| {
                let state = self.state();
                state.pieces.as_ref().map(|it| it.recv_timeout(EVERY))
            });
            match message {
                Some(Ok(Message::Piece(piece))) => return Ok(Some(PyBytes::new(py, &piece))),
                Some(Ok(Message::End(ended))) => {
                    self.state().pieces = None;
                    self.end(py, *ended)?;
                    return Ok(None);
                }
                Some(Err(RecvTimeoutError::Timeout)) => {
                    if let Err(error) = py.check_signals() {
                        self.close();
                        return Err(error);
                    }
                }
                Some(Err(RecvTimeoutError::Disconnected)) | None => return Ok(None),
            }
        }
    }

    /// Stops reading.
    fn close(&self) {
        self.stop.cancel();
        self.state().pieces = None;
    }

    /// The limits that were reached, as (source, kind, message). Empty until everything was read.
    #[getter]
    fn limits(&self) -> Vec<(String, String, String)> {
        self.state().limits.clone()
    }

    /// The paths that could not be read, with the reasons. Empty until everything was read.
    #[getter]
    fn failures(&self) -> Vec<(PathBuf, String)> {
        self.state().failures.clone()
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.close();
    }
}

/// A writer that collects lines and sends them in pieces.
struct Pieces {
    sender: SyncSender<Message>,
    piece: Vec<u8>,
}

impl Pieces {
    fn send(&mut self) -> io::Result<()> {
        if self.piece.is_empty() {
            return Ok(());
        }
        let piece = std::mem::take(&mut self.piece);
        let sent = self.sender.send(Message::Piece(piece));
        sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

impl Write for Pieces {
    /// Accepts whole lines only.
    fn write(&mut self, lines: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(lines);
        if self.piece.len() >= PIECE {
            self.send()?;
        }
        Ok(lines.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
