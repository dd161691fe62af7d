//! The extension module `kwhy._kwhy`: the functions of the program that the Python package needs, exchanging bytes and
//! JSON. The public types are written in Python, in `kwhy/`.

mod diagnose;
mod errors;
mod given;
mod lines;
mod work;

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the program `kwhy` with these arguments, the first of which is its name, and returns its exit status.
#[pyfunction]
fn main(py: Python<'_>, typed: Vec<OsString>) -> u8 {
    py.detach(|| kwhy_cli::main(typed))
}

#[pymodule]
fn _kwhy(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<diagnose::Diagnoser>()?;
    module.add_class::<diagnose::Rendered>()?;
    module.add_class::<lines::Lines>()?;
    module.add_function(wrap_pyfunction!(diagnose::read, module)?)?;
    module.add_function(wrap_pyfunction!(main, module)?)?;
    Ok(())
}
