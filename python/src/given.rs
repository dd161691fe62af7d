//! Inputs passed in from Python: paths, bytes, files, and members one by one.

use std::io::{self, Cursor, Read};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use kwhy_cli::session::Part;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyIterator, PyString};

/// The number of bytes requested from a file at a time.
const PIECE: usize = 1 << 20;

/// The first exception raised by a file or iterator. It ends the reading and is raised in place of a result.
#[derive(Clone, Default)]
pub struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    fn set(&self, error: PyErr) -> io::Error {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(error);
        io::Error::other("the file raised an exception")
    }

    /// Takes the exception, if there is one.
    pub fn take(&self) -> Option<PyErr> {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        first.take()
    }
}

/// An input: `("paths", [path])`, `("stream", name, data)` or `("members", name, iterable of (name, data))`, where data
/// is bytes or an object with a `read` method.
pub enum Given {
    Paths(Vec<PathBuf>),
    Stream(String, Py<PyAny>),
    Members(String, Py<PyIterator>),
}

impl<'py> FromPyObject<'_, 'py> for Given {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Given> {
        let kind: String = given.get_item(0)?.extract()?;
        let first = given.get_item(1)?;
        match kind.as_str() {
            "paths" => Ok(Given::Paths(first.extract()?)),
            "stream" => Ok(Given::Stream(first.extract()?, given.get_item(2)?.unbind())),
            "members" => {
                let members = given.get_item(2)?.try_iter()?;
                Ok(Given::Members(first.extract()?, members.unbind()))
            }
            _ => Err(PyTypeError::new_err("no kind of input")),
        }
    }
}

impl Given {
    /// Converts the input to the type that the program reads.
    pub fn into_session(self, raised: &Raised) -> PyResult<kwhy_cli::session::Given<'static>> {
        Ok(match self {
            Given::Paths(paths) => kwhy_cli::session::Given::Paths(paths),
            Given::Stream(name, data) => {
                let data = Python::attach(|py| reader(data.into_bound(py), raised))?;
                kwhy_cli::session::Given::Stream((name, data))
            }
            Given::Members(name, members) => {
                let raised = raised.clone();
                let members = Members { members, raised };
                kwhy_cli::session::Given::Members(name, Box::new(members))
            }
        })
    }
}

/// Returns a reader over bytes or a file object.
fn reader(data: Bound<'_, PyAny>, raised: &Raised) -> PyResult<Box<dyn Read + Send>> {
    if let Ok(bytes) = data.extract::<PyBackedBytes>() {
        return Ok(Box::new(Cursor::new(bytes)));
    }
    if !data.hasattr("read")? {
        let class = data.get_type().name()?;
        let message = format!("bytes or a binary file are wanted, not {class}");
        return Err(PyTypeError::new_err(message));
    }
    Ok(Box::new(File {
        file: data.unbind(),
        piece: Cursor::new(None),
        raised: raised.clone(),
    }))
}

/// A reader over a Python file object.
struct File {
    file: Py<PyAny>,
    piece: Cursor<Option<PyBackedBytes>>,
    raised: Raised,
}

impl File {
    fn next(&self) -> PyResult<PyBackedBytes> {
        Python::attach(|py| {
            let piece = self.file.bind(py).call_method1("read", (PIECE,))?;
            let piece = match piece.cast::<PyString>() {
                Ok(text) => text.encode_utf8()?.into_any(),
                Err(_) => piece,
            };
            Ok(piece.extract::<PyBackedBytes>()?)
        })
    }
}

impl Read for File {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let at = self.piece.position() as usize;
            let piece = self.piece.get_ref().as_ref();
            let rest = piece.and_then(|piece| piece.get(at..)).unwrap_or_default();
            if !rest.is_empty() || into.is_empty() {
                let length = rest.len().min(into.len());
                into[..length].copy_from_slice(&rest[..length]);
                self.piece.set_position((at + length) as u64);
                return Ok(length);
            }
            let next = self.next().map_err(|error| self.raised.set(error))?;
            if next.is_empty() {
                return Ok(0);
            }
            self.piece = Cursor::new(Some(next));
        }
    }
}

/// An iterator over the members that a Python iterator yields.
struct Members {
    members: Py<PyIterator>,
    raised: Raised,
}

impl Members {
    fn take(&mut self) -> PyResult<Option<Part<'static>>> {
        Python::attach(|py| {
            let Some(member) = self.members.bind(py).clone().next() else {
                return Ok(None);
            };
            let (name, data): (String, Bound<'_, PyAny>) = member?.extract()?;
            Ok(Some((name, reader(data, &self.raised)?)))
        })
    }
}

impl Iterator for Members {
    type Item = Part<'static>;

    fn next(&mut self) -> Option<Part<'static>> {
        self.take().unwrap_or_else(|error| {
            self.raised.set(error);
            None
        })
    }
}
