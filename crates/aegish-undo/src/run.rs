//! A run from its preparation to the decision about its changes.

use crate::apply::{Target, Transition};
use crate::changes::{self, Change};
use crate::entry::{Entry, Method, State};
use crate::image::{self, share_file_system};
use crate::object::{Inode, Kind};
use crate::{copies, leftovers};
use aegish_kernel::MountNamespace;
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A run that can be undone.
#[derive(Debug)]
pub struct Run {
    entry: Entry,
    namespace: Option<Arc<MountNamespace>>,
    changes: Vec<Change>,
}

impl Run {
    pub(crate) fn new(entry: Entry, namespace: Option<MountNamespace>) -> Self {
        Self { entry, namespace: namespace.map(Arc::new), changes: Vec::new() }
    }

    /// An entry whose run has ended.
    pub(crate) fn again(entry: Entry) -> io::Result<Self> {
        let changes = entry.changes()?;
        Ok(Self { entry, namespace: None, changes })
    }

    /// The number by which it is called.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.entry.id
    }

    /// How far it is.
    pub(crate) fn state(&self) -> io::Result<State> {
        self.entry.state()
    }

    /// How its changes are held.
    #[must_use]
    pub fn method(&self) -> Method {
        self.entry.about.method
    }

    /// The namespace in which the command has to run.
    #[must_use]
    pub fn namespace(&self) -> Option<&Arc<MountNamespace>> {
        self.namespace.as_ref()
    }

    /// What it changed, sorted by path. Known when it has ended.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// The command has ended: finds out what it changed. No process is left that could change more.
    ///
    /// # Errors
    ///
    /// If a file cannot be looked at, or the store cannot be written.
    pub fn ended(&mut self) -> io::Result<()> {
        if let Some(namespace) = self.namespace.take() {
            leftovers::end(namespace.mounts());
        }
        self.changes = match self.method() {
            Method::Copies => copies::compare(&self.entry)?,
            Method::Overlay => {
                let mut all = Vec::new();
                for (number, root) in self.entry.roots().enumerate() {
                    all.extend(changes::of_overlay(&self.entry.layer(number).0, root)?);
                }
                all
            }
        };
        self.entry.save_changes(&self.changes)?;
        self.entry.set_state(State::Ended)
    }

    /// Where the content of a changed file lies: before, and behind.
    #[must_use]
    pub fn contents(&self, change: &Change) -> (Option<PathBuf>, Option<PathBuf>) {
        let is_file = |kind: &Kind| matches!(kind, Kind::File { .. });
        let image = change.image.map(|number| self.entry.image(number));
        let upper = self.upper(&change.path).filter(|upper| upper.exists());
        let before = image.unwrap_or_else(|| change.path.clone());
        let after = upper.unwrap_or_else(|| change.path.clone());
        (
            is_file(&change.before.kind).then_some(before),
            is_file(&change.after.kind).then_some(after),
        )
    }

    fn upper(&self, path: &Path) -> Option<PathBuf> {
        let found = self.entry.roots().enumerate().find(|(_, root)| path.starts_with(root));
        let (number, root) = found?;
        Some(self.entry.layer(number).0.join(path.strip_prefix(root).ok()?))
    }

    /// Keeps the changes. With overlays they are applied to the real files; earlier content is saved first, and not
    /// more than this.
    ///
    /// # Errors
    ///
    /// If the changes could not be kept. The real files are then as they were, or are brought back by
    /// [`Store::recover`](crate::Store::recover).
    pub fn keep(mut self, most: u64) -> io::Result<u32> {
        if self.method() == Method::Overlay {
            self.save_images(most)?;
            let transition = Transition::prepare(&self.entry, &self.changes, Target::After)?;
            self.entry.set_state(State::Applying)?;
            if let Err(error) = transition.run() {
                self.entry.set_state(State::Reverting)?;
                Transition::prepare(&self.entry, &self.changes, Target::Before)?.run()?;
                self.entry.set_state(State::Ended)?;
                return Err(error);
            }
        }
        self.entry.set_state(State::Kept)?;
        self.entry.remove_layers()?;
        Ok(self.entry.id)
    }

    /// Saves what is about to be replaced, under a second name where that can be had.
    fn save_images(&mut self, most: u64) -> io::Result<()> {
        let mut files: HashMap<Inode, usize> = HashMap::new();
        let mut bytes: u64 = 0;
        for (number, change) in self.changes.iter_mut().enumerate() {
            change.image = None;
            if !matches!(change.before.kind, Kind::File { .. }) {
                continue;
            }
            if let Some(copied) = change.before.inode.and_then(|inode| files.get(&inode)) {
                change.image = Some(*copied);
                continue;
            }
            bytes = bytes.saturating_add(change.before.size());
            if bytes > most {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            let place = self.entry.image(number);
            let _ = fs::remove_file(&place);
            let linked = share_file_system(&change.path, &self.entry.dir)
                && fs::hard_link(&change.path, &place).is_ok();
            if !linked {
                image::copy(&change.path, &change.before, &place)?;
            }
            files.extend(change.before.inode.map(|inode| (inode, number)));
            change.image = Some(number);
        }
        self.entry.about.bytes = bytes;
        self.entry.save_about()?;
        self.entry.save_changes(&self.changes)?;
        image::sync(&self.entry.dir)
    }

    /// Throws the changes away: the files are as they were before the run.
    ///
    /// # Errors
    ///
    /// If a file could not be brought back; [`Store::recover`](crate::Store::recover) tries it again.
    pub fn discard(self) -> io::Result<()> {
        if self.method() == Method::Copies {
            return self.revert();
        }
        self.entry.remove()
    }

    /// Brings the earlier files back.
    pub(crate) fn revert(self) -> io::Result<()> {
        let transition = Transition::prepare(&self.entry, &self.changes, Target::Before)?;
        self.entry.set_state(State::Reverting)?;
        transition.run()?;
        self.entry.remove()
    }

    /// Finishes what a crash cut off.
    pub(crate) fn finish(self, state: State) -> io::Result<()> {
        let target = match state {
            State::Applying => Target::After,
            _ => Target::Before,
        };
        Transition::prepare(&self.entry, &self.changes, target)?.run()?;
        match target {
            Target::After => {
                self.entry.set_state(State::Kept)?;
                self.entry.remove_layers()
            }
            Target::Before => self.entry.remove(),
        }
    }

    /// Paths that are no longer as the run left them.
    pub(crate) fn changed_since(&self) -> Vec<PathBuf> {
        let differs = |change: &&Change| {
            let now = crate::Object::at(&change.path);
            // The times of directories change with every name in them.
            change.after.kind != Kind::Directory
                && !now.is_ok_and(|now| now.is_alike(&change.after))
        };
        self.changes.iter().filter(differs).map(|change| change.path.clone()).collect()
    }
}
