//! What the programs of a session used, and what they were refused: for `aegish run --tight` and `--learn`.

use aegish_sandbox::{FileAccess, Grants, is_granted};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The most names of one kind that are remembered.
const MOST: usize = 4096;

/// What was used.
#[derive(Debug, Default, Clone)]
pub(crate) struct Uses {
    pub(crate) programs: BTreeSet<PathBuf>,
    pub(crate) files: BTreeSet<(PathBuf, FileAccess)>,
    pub(crate) connections: BTreeSet<String>,
    /// The same, of what was refused.
    pub(crate) refused_programs: BTreeSet<PathBuf>,
    pub(crate) refused_files: BTreeSet<(PathBuf, FileAccess)>,
    /// Hosts with their port, or ports.
    pub(crate) refused_connections: BTreeSet<String>,
}

/// Collects what programs use. Several threads tell it.
#[derive(Debug, Default)]
pub(crate) struct Observer {
    uses: Mutex<Uses>,
    /// The files that are granted; none if all are.
    grants: Option<Grants>,
    /// Programs that may be started beside those of the text; none if all may.
    programs: Option<Vec<String>>,
}

impl Observer {
    pub(crate) fn new(grants: Option<Grants>, programs: Option<Vec<String>>) -> Self {
        Self { uses: Mutex::default(), grants, programs }
    }

    fn uses(&self) -> MutexGuard<'_, Uses> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A copy of what was used.
    pub(crate) fn seen(&self) -> Uses {
        self.uses().clone()
    }

    /// A program that no judged text starts is about to be started; whether it may.
    pub(crate) fn may_start(&self, program: &Path) -> bool {
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        let listed = |programs: &Vec<String>| {
            programs.iter().any(|one| *one == name || Path::new(one) == program)
        };
        let may = self.programs.as_ref().is_none_or(listed);
        if !may {
            put(&mut self.uses().refused_programs, program.to_owned());
        }
        may
    }

    pub(crate) fn started(&self, program: &Path) {
        put(&mut self.uses().programs, program.to_owned());
    }

    pub(crate) fn opened(&self, path: &Path, access: FileAccess) {
        let refused = self.grants.as_ref().is_some_and(|grants| !is_granted(grants, path, access));
        let mut uses = self.uses();
        match refused {
            true => put(&mut uses.refused_files, (path.to_owned(), access)),
            false => put(&mut uses.files, (path.to_owned(), access)),
        }
    }

    pub(crate) fn unconnected(&self, to: &str) {
        put(&mut self.uses().refused_connections, to.to_owned());
    }

    pub(crate) fn connected(&self, peer: &str) {
        put(&mut self.uses().connections, peer.to_owned());
    }
}

fn put<T: Ord>(set: &mut BTreeSet<T>, one: T) {
    if set.len() < MOST {
        set.insert(one);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aegish_sandbox::Grant;

    #[test]
    fn what_is_not_granted_is_remembered_as_refused() {
        let grants = vec![(PathBuf::from("/srv/a"), Grant::Read)];
        let observer = Observer::new(Some(grants), Some(vec!["sort".to_owned()]));
        observer.opened(Path::new("/srv/a/x"), FileAccess::Read);
        observer.opened(Path::new("/srv/b"), FileAccess::Read);
        assert!(observer.may_start(Path::new("/usr/bin/sort")));
        assert!(!observer.may_start(Path::new("/usr/bin/cc")));
        let uses = observer.seen();
        assert_eq!(uses.files.len(), 1);
        assert!(uses.refused_files.contains(&(PathBuf::from("/srv/b"), FileAccess::Read)));
        assert!(uses.refused_programs.contains(Path::new("/usr/bin/cc")));
    }
}
