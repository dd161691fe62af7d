//! Diagnoses: reports as JSON and in other output formats.

use std::ffi::OsString;

use kwhy_cli::session;
use kwhy_core::{Cancel, Report};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors;
use crate::given::{Given, Raised};
use crate::work::beside;

/// Diagnoses inputs with fixed options.
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

    /// Diagnoses an input. Returns the report as JSON and in a form that can be rendered, and the number of findings
    /// that options omitted. With `context`, the lines around the evidence are kept for the HTML page.
    fn run<'py>(
        &self,
        py: Python<'py>,
        given: Given,
        context: bool,
    ) -> PyResult<(Bound<'py, PyBytes>, Rendered, usize)> {
        let raised = Raised::default();
        let stop = Cancel::new();
        let given = given.into_session(&raised)?;
        let done = beside(py, &stop, || {
            let done = self.session.run(given, context, &stop)?;
            let json = serde_json::to_vec(&done.report);
            Ok((done, json))
        });
        let done: Result<_, session::Refusal> = done?;
        if let Some(raised) = raised.take() {
            return Err(raised);
        }
        let (done, json) = done.map_err(|refusal| errors::of(&refusal))?;
        if done.read == 0 {
            return Err(errors::nothing_read(py, &done.failures));
        }
        let json = json.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let left_out = done.left_out;
        let report = done.report;
        let json = PyBytes::new(py, &json);
        Ok((json, Rendered { report, left_out }, left_out))
    }
}

/// A report with everything that its output formats show, which is more than its JSON contains.
#[pyclass(frozen, module = "kwhy._kwhy")]
pub struct Rendered {
    report: Report,
    left_out: usize,
}

#[pymethods]
impl Rendered {
    /// Renders the report in another output format.
    fn render(&self, py: Python<'_>, form: &str, width: usize) -> PyResult<String> {
        let text = py.detach(|| session::render(&self.report, self.left_out, form, width));
        let text = text.map_err(|refusal| errors::of(&refusal))?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

/// Parses the JSON of a report.
#[pyfunction]
pub fn read(report: &[u8]) -> PyResult<Rendered> {
    let report =
        serde_json::from_slice(report).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let left_out = 0;
    Ok(Rendered { report, left_out })
}
