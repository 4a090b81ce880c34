//! AppleScript.
use crate::code::CodeAct;
pub(super) fn scan(_code: &str) -> Vec<CodeAct> {
    Vec::new()
}
