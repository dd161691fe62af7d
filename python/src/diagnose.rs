//! Diagnoses: reports as JSON, and other forms of them.

use std::ffi::OsString;
use std::path::Path;

use kwhy_cli::session;
use kwhy_core::{Cancel, Report};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors;
use crate::given::{Given, Raised};
use crate::work::beside;

/// Diagnoses inputs with the same options.
#[pyclass(frozen, module = "kwhy._kwhy")]
pub struct Diagnoser {
    session: session::Diagnoser,
}

#[pymethods]
impl Diagnoser {
    #[new]
    fn new(py: Python<'_>, typed: Vec<OsString>) -> PyResult<Diagnoser> {
        let stop = Cancel::new();
        let session = beside(py, &stop, || session::Diagnoser::new(&typed))?;
        let session = session.map_err(|refusal| errors::of(&refusal))?;
        Ok(Diagnoser { session })
    }

    /// Returns the report as JSON, and the number of findings left out.
    fn run<'py>(&self, py: Python<'py>, given: Given) -> PyResult<(Bound<'py, PyBytes>, usize)> {
        let raised = Raised::default();
        let stop = Cancel::new();
        let given = given.into_session(&raised)?;
        let done = beside(py, &stop, || {
            let done = self.session.run(given, &stop)?;
            let json = serde_json::to_vec(&done.report);
            Ok((done, json))
        });
        let done: Result<_, session::Refusal> = done?;
        if let Some(raised) = raised.take() {
            return Err(raised);
        }
        let (done, json) = done.map_err(|refusal| errors::of(&refusal))?;
        if done.read == 0 {
            let first = done.failures.first();
            let path = first.map_or(Path::new(""), |failure| failure.path());
            let why = first.map(|failure| failure.io_error());
            return Err(errors::unreadable(py, path, why, "it holds no file"));
        }
        let json = json.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok((PyBytes::new(py, &json), done.left_out))
    }
}

/// Writes a report that is given as JSON in another form.
#[pyfunction]
pub fn render(py: Python<'_>, report: &[u8], form: &str, width: usize) -> PyResult<String> {
    let report: Report =
        serde_json::from_slice(report).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let text = py.detach(|| session::render(&report, form, width));
    let text = text.map_err(|refusal| errors::of(&refusal))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
