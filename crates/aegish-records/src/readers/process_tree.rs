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

    /// The session of a process: that of its parent, its own if it has run another program before, or a new one. A parent
    /// that started before the log did begins the session, so that its children share it; the first process of a
    /// machine, which adopts those whose parent has gone, does not.
    pub(crate) fn session(&mut self, host: &str, id: &str, parent: Option<&str>) -> String {
        let key = |id: &str| (host.to_owned(), id.to_owned());
        let parent = parent.filter(|parent| !matches!(*parent, "" | "0" | "1"));
        let known = parent.and_then(|parent| self.sessions.get(&key(parent)).cloned());
        let known = known.or_else(|| self.sessions.get(&key(id)).cloned());
        let first = parent.unwrap_or(id);
        let session = known.unwrap_or_else(|| format!("{host}/process-{first}"));
        self.sessions.insert(key(first), session.clone());
        self.sessions.insert(key(id), session.clone());
        session
    }
}

#[cfg(test)]
mod tests {
    use super::ProcessTrees;

    #[test]
    fn children_of_a_process_that_is_not_in_the_log_share_a_session() {
        let mut trees = ProcessTrees::new();
        let shell = trees.session("h", "11", Some("10"));
        assert_eq!(trees.session("h", "12", Some("10")), shell);
        assert_eq!(trees.session("h", "13", Some("12")), shell);
        // The same numbers on another machine, and daemons, are others.
        assert_ne!(trees.session("other", "12", Some("10")), shell);
        assert_ne!(trees.session("h", "20", Some("1")), trees.session("h", "21", Some("1")));
    }
}
