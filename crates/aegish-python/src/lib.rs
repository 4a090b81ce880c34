//! The guard as a Python module.
//!
//! Takes texts from Python, alone, in lists or in Arrow arrays; gives what `aegish_guard` decides about them. The module
//! reads no configuration, asks no model and runs nothing. While texts are judged, other Python threads run. A panic is
//! a Python exception or, if it happens while a text is judged, a block of that text.

mod arrow;
mod check;
mod judging;
mod parallel;
mod scoring;
mod verdict;

use aegish_guard::{PanicFate, note_panic};
use pyo3::prelude::*;

pyo3::create_exception!(
    aegish,
    AegishError,
    pyo3::exceptions::PyException,
    "The guard failed, and nothing was approved."
);

/// The native part of the package `aegish`.
#[pymodule(gil_used = false)]
fn _aegish(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // The hook belongs to this library alone: other extension modules have a standard library of their own.
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if note_panic(info) == PanicFate::Uncaught {
            print(info);
        }
    }));
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("AegishError", module.py().get_type::<AegishError>())?;
    module.add_class::<verdict::Verdict>()?;
    module.add_class::<verdict::Finding>()?;
    module.add_class::<check::Session>()?;
    module.add_function(wrap_pyfunction!(check::check, module)?)?;
    module.add_function(wrap_pyfunction!(check::check_many, module)?)?;
    module.add_function(wrap_pyfunction!(check::explain, module)?)?;
    module.add_function(wrap_pyfunction!(check::redact, module)?)?;
    module.add_function(wrap_pyfunction!(arrow::check_arrow, module)?)?;
    module.add_function(wrap_pyfunction!(scoring::system_prompt, module)?)?;
    module.add_function(wrap_pyfunction!(scoring::answer, module)?)?;
    Ok(())
}
