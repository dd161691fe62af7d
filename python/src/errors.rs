//! Converts errors to the package's exceptions.

use std::path::Path;

use kwhy_bundle::InputError;
use kwhy_cli::session::Refusal;
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use pyo3::types::PyModule;

/// Creates an exception of a class in `kwhy._errors`.
fn new<'py>(py: Python<'py>, class: &str, arguments: impl PyCallArgs<'py>) -> PyErr {
    let made = PyModule::import(py, "kwhy._errors")
        .and_then(|module| module.getattr(class))
        .and_then(|class| class.call1(arguments));
    match made {
        Ok(made) => PyErr::from_value(made),
        Err(error) => error,
    }
}

/// Returns the exception for a refusal.
pub fn of(refusal: &Refusal) -> PyErr {
    Python::attach(|py| {
        let message = refusal.to_string();
        match (refusal, refusal.place()) {
            (Refusal::Option(_), _) => new(py, "OptionError", (message,)),
            (_, Some((path, Some((line, column))))) => {
                let path = path.display().to_string();
                new(py, "SignatureError", (message, path, line, column))
            }
            (_, Some((path, None))) => unreadable(py, path, refusal.io_error(), &message),
            _ => new(py, "Error", (message,)),
        }
    })
}

/// Returns the exception for an input of which nothing could be read.
pub fn nothing_read(py: Python<'_>, failures: &[InputError]) -> PyErr {
    let first = failures.first();
    let path = first.map_or(Path::new(""), |failure| failure.path());
    let why = first.map(|failure| failure.io_error());
    unreadable(py, path, why, "it holds no file")
}

/// Returns the exception for a path that cannot be read.
fn unreadable(
    py: Python<'_>,
    path: &Path,
    why: Option<&std::io::Error>,
    message: &str,
) -> PyErr {
    let number = why.and_then(std::io::Error::raw_os_error);
    let message = why.map_or(message.to_owned(), ToString::to_string);
    let path = path.display().to_string();
    new(py, "InputError", (number, message, path))
}

/// Returns the exception for an internal error: a panic.
pub fn internal(what: &(dyn std::any::Any + Send)) -> PyErr {
    let text = what.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| what.downcast_ref::<String>().cloned());
    let message = format!("a defect of kwhy: {}", text.unwrap_or_default());
    Python::attach(|py| new(py, "Error", (message,)))
}
