//! Tcl.
use crate::code::{CodeAct, Surroundings};
pub(super) fn scan(_code: &str, _around: &Surroundings<'_>) -> Vec<CodeAct> {
    Vec::new()
}
