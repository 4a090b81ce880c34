//! Commands that run in parallel with later ones.

use crate::files::{FileFact, Flow};
use aegish_syntax::{List, Span};
use aegish_values::PathMap;
use std::sync::Arc;

/// Jobs that are kept.
const MAX_JOBS: usize = 256;

/// A command that runs in the background.
#[derive(Debug, Clone)]
pub struct Job<S> {
    /// The command.
    pub body: List,
    /// The text that it is a part of.
    pub text: Arc<str>,
    /// Its place in that text.
    pub span: Span,
    /// The place of a computed text in the source.
    pub origin: Option<Span>,
    /// Its standard input.
    pub stdin: Arc<Flow>,
    /// The state in which it starts.
    pub state: S,
    /// The files that it looks at.
    pub looked_at: Vec<LookedAt>,
}

/// Files that a command looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LookedAt {
    /// The file with this path.
    Path(String),
    /// Files whose paths start with this.
    Start(String),
    /// Files whose paths end with this.
    End(String),
}

/// Commands that run in the background, and looked at files.
#[derive(Debug, Clone, Default)]
pub struct Jobs<S>(Arc<Vec<SeenJob<S>>>);

/// A job with the files with which it was followed.
#[derive(Debug, Clone)]
struct SeenJob<S> {
    job: Arc<Job<S>>,
    seen: PathMap<FileFact>,
}

/// A job that looked at files which have changed since it was followed.
#[derive(Debug)]
pub struct StaleJob<S> {
    /// The job.
    pub job: Arc<Job<S>>,
    /// The files that changed.
    pub paths: Vec<String>,
    /// All files as they were when it was followed.
    pub seen: PathMap<FileFact>,
}

impl<S: Clone + Default> Jobs<S> {
    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them have ended.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Adds a job that was followed with these files; one that is started again starts in one of several states.
    /// Returns false, and keeps nothing, if there are too many.
    #[must_use]
    pub fn add(
        &mut self,
        job: Job<S>,
        files: &PathMap<FileFact>,
        join: impl FnOnce(&mut S, &S),
    ) -> bool {
        let jobs = Arc::make_mut(&mut self.0);
        if let Some(known) = jobs.iter_mut().find(|known| known.job.is(&job)) {
            let same = Arc::make_mut(&mut known.job);
            join(&mut same.state, &job.state);
            same.looked_at.extend(job.looked_at);
            known.seen = files.clone();
            return true;
        }
        let free = jobs.len() < MAX_JOBS;
        if free {
            jobs.push(SeenJob { job: Arc::new(job), seen: files.clone() });
        }
        free
    }

    /// The first job behind `start` that looked at a file which has changed, and its place. Jobs before it, and itself
    /// after [`Self::followed`], have seen these files. `work` grows with what was compared.
    pub fn next_stale(
        &mut self,
        start: usize,
        files: &PathMap<FileFact>,
        work: &mut usize,
    ) -> Option<(usize, StaleJob<S>)> {
        let jobs = Arc::make_mut(&mut self.0);
        let mut last: Option<(PathMap<FileFact>, Vec<String>)> = None;
        for (index, SeenJob { job, seen }) in jobs.iter_mut().enumerate().skip(start) {
            if seen.is_same(files) {
                continue;
            }
            // Most of them were followed with the same files.
            let changed = match last.take() {
                Some((other, changed)) if other.is_same(seen) => changed,
                _ => seen.differences(files),
            };
            *work += 1 + changed.len() * job.looked_at.len();
            let is_stale = |path: &&String| job.looked_at.iter().any(|at| at.is_about(path));
            let paths: Vec<String> = changed.iter().filter(is_stale).cloned().collect();
            let before = std::mem::replace(seen, files.clone());
            if !paths.is_empty() {
                return Some((index, StaleJob { job: Arc::clone(job), paths, seen: before }));
            }
            last = Some((before, changed));
        }
        None
    }

    /// The job at this place has been followed with these files.
    pub fn followed(&mut self, index: usize, files: &PathMap<FileFact>) {
        if let Some(job) = Arc::make_mut(&mut self.0).get_mut(index) {
            job.seen = files.clone();
        }
    }

    /// The jobs of both.
    pub(crate) fn join(&mut self, other: &Self) {
        if Arc::ptr_eq(&self.0, &other.0) {
            return;
        }
        for theirs in other.0.iter() {
            if !self.0.iter().any(|ours| ours.job.is(&theirs.job)) {
                Arc::make_mut(&mut self.0).push(theirs.clone());
            }
        }
    }

    /// The next text has spans of its own: those of these jobs refer to none of it.
    pub(crate) fn end_line(&mut self) {
        if self.0.iter().any(|seen| seen.job.origin.is_none()) {
            for SeenJob { job, .. } in Arc::make_mut(&mut self.0) {
                if job.origin.is_none() {
                    Arc::make_mut(job).origin = Some(Span::default());
                }
            }
        }
    }
}

impl<S> Job<S> {
    /// Whether both are the same command of the same text.
    fn is(&self, other: &Self) -> bool {
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
