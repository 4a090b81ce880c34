//! Commands that run in parallel with later ones.

use crate::state::{FileFact, Job, LookedAt, ShellState};
use aegish_values::{PathMap, Value, join_values};
use std::sync::Arc;

impl Job {
    /// Whether both are the same command of the same text.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.span == other.span && Arc::ptr_eq(&self.text, &other.text)
    }
}

impl LookedAt {
    /// Whether the file with this path is one of them.
    #[must_use]
    pub fn is_about(&self, path: &str) -> bool {
        match self {
            Self::Path(known) => known == path,
            Self::Start(start) => path.starts_with(start.as_str()),
            Self::End(end) => path.ends_with(end.as_str()),
        }
    }
}

impl ShellState {
    /// These files may still be as they were before, or empty because they are just being written.
    pub fn add_contents(&mut self, paths: &[String], before: &[&PathMap<FileFact>]) {
        for path in paths {
            let earlier = before.iter().filter_map(|files| files.get(path));
            let earlier: Vec<Value> = earlier.map(|fact| fact.content.clone()).collect();
            if let Some(fact) = self.files.get_mut(path).filter(|fact| !fact.fifo) {
                let all = earlier
                    .iter()
                    .chain([&Value::empty()])
                    .fold(fact.content.clone(), |all, content| join_values(&all, content));
                fact.content = all;
            }
        }
    }
}
