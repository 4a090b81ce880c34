//! Values of Ruby.

pub mod folds;
pub mod lists;
pub mod maps;
pub mod numbers;
pub mod packed;
pub mod texts;

use crate::value::Val;

/// The bounds of a range, and whether it holds its end.
pub fn range_of(value: &Val) -> Option<(Val, Val, bool)> {
    let Val::Tuple(parts) = value else { return None };
    match &**parts {
        [Val::Library(path), from, to, Val::Bool(inclusive)] if &**path == "<range>" => {
            Some((from.clone(), to.clone(), *inclusive))
        }
        _ => None,
    }
}
