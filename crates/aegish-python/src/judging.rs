//! Arguments of Python functions → a checker, and work that is safe for the interpreter.

use crate::AegishError;
use aegish_guard::{FailMode, Role, Surroundings, catch_panic};
use aegish_verdict::{Checker, MachineView};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::Path;

/// Room for the deepest nesting that the parser accepts.
pub(crate) const STACK: usize = 8 << 20;

/// A new stack is allocated if less than this is left. The main thread usually has 8 MiB in all.
const ENOUGH: usize = 7 << 20;

/// What a verdict depends on besides the text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings<'a> {
    pub(crate) role: Option<&'a str>,
    pub(crate) cwd: Option<&'a str>,
    pub(crate) fail_mode: &'a str,
    pub(crate) machine: &'a str,
}

impl Settings<'_> {
    /// The checker with these settings.
    pub(crate) fn checker(self) -> PyResult<Checker> {
        let fail_mode = match self.fail_mode {
            "open" => FailMode::Open,
            "safe" => FailMode::Safe,
            other => return Err(unknown("fail mode", other, "open or safe")),
        };
        let (machine, surroundings) = match self.machine {
            "this" => (MachineView::This, Surroundings::of_process(self.cwd.map(Path::new))),
            // Directory, home and variables of this process say nothing about another machine.
            "other" => {
                let nowhere = Surroundings::default();
                (
                    MachineView::Other,
                    self.cwd.map_or_else(Surroundings::default, |cwd| nowhere.at(cwd)),
                )
            }
            other => return Err(unknown("machine", other, "this or other")),
        };
        let role = self.role.map_or(Ok(Role::Default), parse_role)?;
        Ok(Checker { role, fail_mode, user_rules: Vec::new(), surroundings, machine })
    }
}

fn unknown(what: &str, word: &str, choices: &str) -> PyErr {
    PyValueError::new_err(format!("unknown {what} `{word}`: choose {choices}"))
}

/// The role of this name.
pub(crate) fn parse_role(name: &str) -> PyResult<Role> {
    name.parse()
        .map_err(|error: aegish_guard::UnknownWord| PyValueError::new_err(error.to_string()))
}

/// Does the work without the lock of the interpreter. A panic becomes an exception.
pub(crate) fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| catch_panic(work)).map_err(|panicked| AegishError::new_err(panicked.to_string()))
}

/// The same with enough stack for any text, whatever thread of Python calls.
pub(crate) fn detached_with_stack<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    detached(py, || stacker::maybe_grow(ENOUGH, STACK, work))
}
