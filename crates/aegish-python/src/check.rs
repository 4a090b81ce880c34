//! `check`, `check_many`, `explain`, `redact` and sessions.

use crate::AegishError;
use crate::judging::{Settings, detached, detached_with_stack, parse_role};
use crate::parallel::in_chunks;
use crate::verdict::Verdict;
use aegish_guard::Decision;
use aegish_verdict::{CheckInput, Checker, JsonDetail, JsonVerdict};
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};

/// Successive commands of one shell: facts carry over from one to the next, unless one is blocked.
#[pyclass(module = "aegish", frozen)]
pub(crate) struct Session {
    checker: Checker,
    state: Mutex<aegish_guard::Session>,
}

#[pymethods]
impl Session {
    #[new]
    #[pyo3(signature = (*, role=None, cwd=None, fail_mode="open", machine="this"))]
    fn new(
        role: Option<&str>,
        cwd: Option<&str>,
        fail_mode: &str,
        machine: &str,
    ) -> PyResult<Self> {
        let checker = Settings { role, cwd, fail_mode, machine }.checker()?;
        Ok(Self { checker, state: Mutex::default() })
    }

    /// Judges the next command. One that ran already counts for the next ones, whatever the verdict.
    #[pyo3(signature = (text, *, cwd=None, ran=false))]
    fn check(&self, py: Python<'_>, text: &str, cwd: Option<&str>, ran: bool) -> PyResult<Verdict> {
        let input = CheckInput { cwd, ..CheckInput::command(text) };
        self.judge(py, &input, if ran { Checker::check_ran } else { Checker::check_in })
    }

    /// A session with the same facts; what is judged in one does not change the other.
    fn copy(&self) -> Self {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Self { checker: self.checker.clone(), state: Mutex::new(state) }
    }

    /// The directory after the commands so far, if it is known.
    #[getter]
    fn cwd(&self) -> Option<String> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match state.cwd() {
            Some(dir) => Some(dir.to_owned()),
            None if state.is_lost() => None,
            None => Some(self.checker.surroundings.cwd.clone()).filter(|cwd| !cwd.is_empty()),
        }
    }
}

/// How a command of a session is judged.
type CheckInSession = fn(&Checker, &mut aegish_guard::Session, &CheckInput<'_>) -> Decision;

impl Session {
    fn judge(
        &self,
        py: Python<'_>,
        input: &CheckInput<'_>,
        check: CheckInSession,
    ) -> PyResult<Verdict> {
        detached_with_stack(py, || {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            Verdict::new(&check(&self.checker, &mut state, input))
        })
    }
}

/// Judges one command. In a session, the tighter of both roles counts.
#[pyfunction]
#[pyo3(signature = (text, *, role=None, cwd=None, session=None, fail_mode="open", machine="this"))]
pub(crate) fn check(
    py: Python<'_>,
    text: &str,
    role: Option<&str>,
    cwd: Option<&str>,
    session: Option<&Bound<'_, Session>>,
    fail_mode: &str,
    machine: &str,
) -> PyResult<Verdict> {
    if let Some(session) = session {
        let role = role.map(parse_role).transpose()?;
        let input = CheckInput { cwd, role, ..CheckInput::command(text) };
        return session.get().judge(py, &input, Checker::check_in);
    }
    let checker = Settings { role, cwd, fail_mode, machine }.checker()?;
    detached_with_stack(py, || Verdict::new(&checker.check(&CheckInput::command(text))))
}

/// Judges each command by itself, on all cores.
#[pyfunction]
#[pyo3(signature = (texts, *, role=None, cwd=None, fail_mode="open", machine="this", threads=None))]
pub(crate) fn check_many(
    py: Python<'_>,
    texts: Vec<String>,
    role: Option<&str>,
    cwd: Option<&str>,
    fail_mode: &str,
    machine: &str,
    threads: Option<usize>,
) -> PyResult<Vec<Verdict>> {
    let checker = Settings { role, cwd, fail_mode, machine }.checker()?;
    let judged = detached(py, || {
        in_chunks(texts.len(), threads, |rows| -> Vec<Verdict> {
            let texts = texts.get(rows).unwrap_or_default();
            let judge = |text: &String| Verdict::new(&checker.check(&CheckInput::command(text)));
            texts.iter().map(judge).collect()
        })
    })?;
    Ok(judged.map_err(AegishError::new_err)?.into_iter().flatten().collect())
}

/// The verdict with the expanded commands and their effects, as the published schema describes it.
#[pyfunction]
#[pyo3(signature = (text, *, role=None, cwd=None, fail_mode="open", machine="this"))]
pub(crate) fn explain<'py>(
    py: Python<'py>,
    text: &str,
    role: Option<&str>,
    cwd: Option<&str>,
    fail_mode: &str,
    machine: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let checker = Settings { role, cwd, fail_mode, machine }.checker()?;
    let json = detached_with_stack(py, || {
        let decision = checker.check(&CheckInput::command(text));
        serde_json::to_string(&JsonVerdict::new(&decision, text, None, JsonDetail::Commands))
    })?;
    let json = json.map_err(|error| AegishError::new_err(error.to_string()))?;
    py.import("json")?.call_method1("loads", (json,))
}

/// The text with every secret replaced by `‹redacted:KIND›`.
#[pyfunction]
pub(crate) fn redact(py: Python<'_>, text: &str) -> PyResult<String> {
    detached_with_stack(py, || aegish_redact::redact(text).into_owned())
}
