//! The session of a process that belongs to no login session: the tree that it is a part of.

use crate::bounded::BoundedMap;

/// Processes that are remembered in each half of the map.
const PROCESSES: usize = 100_000;

/// The sessions of processes, by machine and id.
#[derive(Debug)]
pub(crate) struct ProcessTrees {
    sessions: BoundedMap<(String, String), String>,
}

impl ProcessTrees {
    pub(crate) fn new() -> Self {
        Self { sessions: BoundedMap::new(PROCESSES) }
    }

    /// The session of a process: that of its parent, its own if it has run another program before, or a new one.
    pub(crate) fn session(&mut self, host: &str, id: &str, parent: Option<&str>) -> String {
        let key = |id: &str| (host.to_owned(), id.to_owned());
        let known = parent.and_then(|parent| self.sessions.get(&key(parent)).cloned());
        let known = known.or_else(|| self.sessions.get(&key(id)).cloned());
        let session = known.unwrap_or_else(|| format!("{host}/process-{id}"));
        self.sessions.insert(key(id), session.clone());
        session
    }
}
