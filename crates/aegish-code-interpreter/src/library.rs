//! Names of the language and its libraries.

use super::Interpreter;
use crate::ir::Name;

impl Interpreter<'_> {
    /// Whether the table of calls knows a name.
    pub fn is_known_path(&self, name: &str) -> bool {
        aegish_calls::find(self.language, name).is_some()
    }

    /// The path of a library by its usual name.
    pub fn canonical(&self, path: &str) -> Name {
        let mut path = path;
        let prefixes = self.dialect.prefixes();
        while let Some(rest) = prefixes.iter().find_map(|prefix| path.strip_prefix(prefix)) {
            path = rest;
        }
        if let Some(other) = aegish_calls::alias(self.language, path) {
            return other.into();
        }
        let mut end = path.len();
        while let Some(at) = path.get(..end).and_then(|head| head.rfind('.')) {
            if let (Some(other), Some(rest)) = (
                path.get(..at).and_then(|head| aegish_calls::alias(self.language, head)),
                path.get(at..),
            ) {
                return format!("{other}{rest}").into();
            }
            end = at;
        }
        path.into()
    }
}
