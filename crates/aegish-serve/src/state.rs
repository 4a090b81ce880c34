//! What all connections share: the settings, sessions, counters and the last decisions.

use crate::Backend;
use crate::metrics::Metrics;
use crate::record::Recorder;
use crate::requests::CheckRequest;
use crate::sessions::{SessionCommand, Sessions};
use aegish_guard::{Decision, Role, TextForm};
use aegish_verdict::{CheckInput, Checker};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Instant;

pub(crate) struct ServerState {
    checker: RwLock<Arc<Checker>>,
    pub(crate) backend: Arc<dyn Backend>,
    sessions: Sessions,
    pub(crate) metrics: Metrics,
    pub(crate) recorder: Recorder,
}

impl ServerState {
    pub(crate) fn new(backend: Arc<dyn Backend>) -> Result<Self, String> {
        Ok(Self {
            checker: RwLock::new(Arc::new(backend.load()?)),
            backend,
            sessions: Sessions::start()?,
            metrics: Metrics::default(),
            recorder: Recorder::new(),
        })
    }

    pub(crate) fn checker(&self) -> Arc<Checker> {
        self.checker.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads the settings again. Settings that cannot be used leave the old ones in force.
    pub(crate) fn reload(&self) {
        let loaded = self.backend.load();
        self.metrics.reloaded(loaded.is_ok());
        if let Ok(checker) = loaded {
            *self.checker.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(checker);
        }
    }

    /// Judges a command, counts and remembers it.
    pub(crate) fn judge(&self, request: &CheckRequest<'_>) -> Result<Decision, String> {
        let role = request.role.as_deref().map(str::parse::<Role>).transpose();
        let input = CheckInput {
            text: &request.command,
            cwd: request.cwd.as_deref(),
            role: role.map_err(|error| error.to_string())?,
            form: TextForm::CommandLine,
        };
        let (checker, start) = (self.checker(), Instant::now());
        let decision = match request.session.as_deref() {
            None => checker.check(&input),
            Some(name) => {
                let command = SessionCommand {
                    session: name.to_owned(),
                    text: input.text.to_owned(),
                    cwd: input.cwd.map(str::to_owned),
                    role: input.role,
                };
                self.sessions.judge(checker, command)?
            }
        };
        let took = start.elapsed();
        self.metrics.decided(decision.action(), took);
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.recorder.add(input.text, input.cwd, &decision, micros);
        Ok(decision)
    }

    /// Forgets a session; false if there was none.
    pub(crate) fn end_session(&self, name: String) -> bool {
        self.sessions.end(name)
    }

    pub(crate) fn metrics_text(&self) -> String {
        self.metrics.text(self.sessions.count(), self.recorder.listeners())
    }

    pub(crate) fn end_streams(&self) {
        self.recorder.end();
    }
}
