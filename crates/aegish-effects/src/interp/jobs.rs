//! Commands that run in parallel with others: background jobs, the stages of a pipeline and `>(…)`. They may look at
//! a file before or after another command writes it, so they are followed again with both contents.

use super::frame::CurrentText;
use super::{CommandResult, Interp};
use aegish_shell_state::{FileFact, Flow, Job, Jobs, LookedAt, ShellState, StaleJob};
use aegish_syntax::{Command, List, Span};
use aegish_values::{PathMap, join_values};
use std::sync::Arc;

/// The state around something that runs in parallel with other commands.
pub(super) struct Looking {
    first: usize,
    stdin: Arc<Flow>,
    before: PathMap<FileFact>,
}

/// What a stage of a pipeline looked at.
pub(super) struct Looked {
    at: Vec<LookedAt>,
    stdin: Arc<Flow>,
    before: PathMap<FileFact>,
    after: PathMap<FileFact>,
}

impl Interp<'_> {
    /// Notes that something which runs in parallel looks at files.
    pub(super) fn look_at(&self, looked_at: impl FnOnce() -> LookedAt) {
        if self.frame.nesting.parallel > 0 && !self.deferred.again {
            self.deferred.looked_at.borrow_mut().push(looked_at());
        }
    }

    pub(super) fn looking(&self, stdin: Arc<Flow>) -> Looking {
        let first = self.deferred.looked_at.borrow().len();
        Looking { first, stdin, before: self.state.files.clone() }
    }

    pub(super) fn looked(&self, looking: Looking) -> Looked {
        let Looking { first, stdin, before } = looking;
        let mut log = self.deferred.looked_at.borrow_mut();
        let at = log.get(first..).unwrap_or_default().to_vec();
        // Nobody else looks at the log.
        if self.frame.nesting.parallel == 0 {
            log.truncate(first);
        }
        Looked { at, stdin, before, after: self.state.files.clone() }
    }

    /// Follows a stage of a pipeline again if another one writes a file that it looked at.
    pub(super) fn run_stage_again(
        &mut self,
        stage: &Command,
        looked: &Looked,
        first: &PathMap<FileFact>,
    ) {
        if looked.at.is_empty() || self.deferred.again {
            return;
        }
        let mut paths = first.differences(&looked.before);
        paths.extend(looked.after.differences(&self.state.files));
        paths.retain(|path| looked.at.iter().any(|at| at.is_about(path)));
        if paths.is_empty() {
            return;
        }
        let mut state = self.state.clone();
        state.add_contents(&paths, &[first, &looked.before]);
        self.follow_again(state, Arc::clone(&looked.stdin), |interp| {
            interp.run_command(stage);
        });
    }

    /// Follows a job that runs in parallel with the following commands. They may look at its files before it has
    /// written them.
    pub(super) fn run_job(
        &mut self,
        body: impl FnOnce() -> List,
        stdin: Arc<Flow>,
        span: Span,
        run: impl FnOnce(&mut Self) -> CommandResult,
    ) -> CommandResult {
        let state = ShellState { jobs: Jobs::default(), ..self.state.clone() };
        let looking = self.looking(Arc::clone(&stdin));
        let result =
            self.with_stdin(stdin, |interp| interp.beside(|interp| interp.isolated_commands(run)));
        let looked = self.looked(looking);
        for path in looked.before.differences(&looked.after) {
            if let Some(earlier) = looked.before.get(&path)
                && let Some(fact) = self.state.files.get_mut(&path)
                && !fact.fifo
            {
                fact.content = join_values(&fact.content, &earlier.content);
            }
        }
        let conditions = &self.frame.conditions;
        if looked.at.is_empty()
            || self.deferred.again
            || conditions.remote
            || conditions.contained
            || conditions.unreached
        {
            return result;
        }
        let text = Arc::clone(&self.frame.text.source);
        let (origin, looked_at, stdin) = (self.frame.text.origin, looked.at, looked.stdin);
        let job = Job { body: body(), text, span, origin, stdin, state, looked_at };
        if !self.state.jobs.add(job, &self.state.files, ShellState::join) {
            self.hidden_limit(self.span(span), "background jobs");
        }
        result
    }

    /// Follows jobs again that looked at a file which has been written since.
    pub(super) fn run_jobs_again(&mut self) {
        if self.state.jobs.is_empty() || self.deferred.again {
            return;
        }
        let (mut start, mut work) = (0, 0);
        while let Some((index, stale)) =
            self.state.jobs.next_stale(start, &self.state.files, &mut work)
        {
            let StaleJob { job, paths, seen } = stale;
            if self.step(self.span(job.span)) {
                let mut state = job.state.clone();
                state.files = self.state.files.clone();
                state.links = self.state.links.clone();
                state.made = self.state.made.clone();
                state.pieces = self.state.pieces.clone();
                state.add_contents(&paths, &[&seen]);
                let (source, origin) = (Arc::clone(&job.text), job.origin);
                let text = CurrentText { source, origin, ..self.frame.text.clone() };
                self.in_frame(
                    |frame| frame.text = text,
                    |interp| {
                        interp.follow_again(state, Arc::clone(&job.stdin), |interp| {
                            interp.run_list(&job.body);
                        });
                    },
                );
            }
            self.state.jobs.followed(index, &self.state.files);
            start = index + 1;
        }
        self.worked_on(16 * work);
    }

    /// Follows something again in this state. The files that it writes may have the new contents.
    fn follow_again(&mut self, state: ShellState, stdin: Arc<Flow>, run: impl FnOnce(&mut Self)) {
        let before = state.files.clone();
        let outer = std::mem::replace(&mut self.state, state);
        self.deferred.again = true;
        let enter = |output: &mut super::Output| output.capture = false;
        self.with_stdin(stdin, |interp| {
            interp.with_output(enter, |interp| {
                interp.beside(|interp| interp.isolated(run));
            });
        });
        self.deferred.again = false;
        let after = std::mem::replace(&mut self.state, outer);
        for path in before.differences(&after.files) {
            let Some(fact) = after.files.get(&path) else { continue };
            match self.state.files.get_mut(&path) {
                Some(known) => known.content = join_values(&known.content, &fact.content),
                None => self.state.files.insert(path, fact.clone()),
            }
        }
    }
}
