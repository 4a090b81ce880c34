//! Lisp.
use crate::code::{CodeAct, Surroundings};
use aegish_profiles::Lang;
pub(super) fn scan(_lang: Lang, _code: &str, _around: &Surroundings<'_>) -> Vec<CodeAct> {
    Vec::new()
}
