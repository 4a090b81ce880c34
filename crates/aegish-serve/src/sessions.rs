//! Sessions: successive commands of one shell, whose facts carry over.
//!
//! What a session remembers cannot move between threads, so all of them live on one.

use crate::STACK;
use aegish_guard::{Decision, Role, Session, TextForm};
use aegish_verdict::{CheckInput, Checker};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

/// Limit on sessions. Dropping one would make its next command look harmless.
const MOST: usize = 100_000;

/// A command of a session.
pub(crate) struct SessionCommand {
    pub(crate) session: String,
    pub(crate) text: String,
    pub(crate) cwd: Option<String>,
    pub(crate) role: Option<Role>,
}

enum Job {
    Judge(Arc<Checker>, SessionCommand, SyncSender<Result<Decision, String>>),
    End(String, SyncSender<bool>),
}

/// The thread that holds the sessions.
pub(crate) struct Sessions {
    jobs: Sender<Job>,
    count: Arc<AtomicUsize>,
}

impl Sessions {
    pub(crate) fn start() -> Result<Self, String> {
        let (jobs, work) = channel();
        let count = Arc::new(AtomicUsize::new(0));
        let counted = count.clone();
        thread::Builder::new()
            .name("sessions".to_owned())
            .stack_size(STACK)
            .spawn(move || hold(&work, &counted))
            .map_err(|error| format!("no threads could be started: {error}"))?;
        Ok(Self { jobs, count })
    }

    pub(crate) fn judge(
        &self,
        checker: Arc<Checker>,
        command: SessionCommand,
    ) -> Result<Decision, String> {
        let (reply, answer) = sync_channel(1);
        let lost = || "the sessions are lost; nothing was judged".to_owned();
        self.jobs.send(Job::Judge(checker, command, reply)).map_err(|_| lost())?;
        answer.recv().map_err(|_| lost())?
    }

    /// Forgets a session; false if there was none.
    pub(crate) fn end(&self, name: String) -> bool {
        let (reply, answer) = sync_channel(1);
        self.jobs.send(Job::End(name, reply)).is_ok() && answer.recv().unwrap_or(false)
    }

    pub(crate) fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }
}

fn hold(work: &Receiver<Job>, count: &AtomicUsize) {
    let mut sessions: HashMap<String, Session> = HashMap::new();
    for job in work {
        // Nobody waits for an answer that cannot be sent.
        match job {
            Job::Judge(checker, command, reply) => {
                let _ = reply.send(judge(&mut sessions, &checker, command));
            }
            Job::End(name, reply) => {
                let _ = reply.send(sessions.remove(&name).is_some());
            }
        }
        count.store(sessions.len(), Ordering::Relaxed);
    }
}

fn judge(
    sessions: &mut HashMap<String, Session>,
    checker: &Checker,
    command: SessionCommand,
) -> Result<Decision, String> {
    if sessions.len() >= MOST && !sessions.contains_key(&command.session) {
        return Err("too many sessions; end some with DELETE /v1/sessions/NAME".to_owned());
    }
    let session = sessions.entry(command.session).or_default();
    let input = CheckInput {
        text: &command.text,
        cwd: command.cwd.as_deref(),
        role: command.role,
        form: TextForm::CommandLine,
    };
    Ok(checker.check_in(session, &input))
}
