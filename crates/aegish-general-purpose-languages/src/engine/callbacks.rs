//! Files that a call names in its arguments, without opening them itself.

use super::interpreter::Interpreter;
use super::object::{Args, Object};
use crate::CodeEffect;

/// Functions that compare, test or show the texts that they are given. Sorted.
const SHOWING: &[&str] = &[
    "basename", "croak", "die", "dirname", "expect", "extname", "index", "p", "pp", "push",
    "raise", "say", "warn",
];

impl Interpreter<'_> {
    /// A function that is not known may open the files that it is given.
    pub(super) fn mention(&mut self, name: &str, args: &Args) {
        if SHOWING.binary_search(&name).is_ok() || name.ends_with('?') {
            return;
        }
        for item in args.list.iter().cloned().flat_map(Object::items) {
            let Object::Text(path) = item else { continue };
            if path.as_known() != Some("/")
                && path.known_prefix().starts_with('/')
                && !path.known_prefix().contains(char::is_whitespace)
            {
                self.record(CodeEffect::Mention(path.clone()));
            }
        }
    }
}
