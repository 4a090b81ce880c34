//! Completion at the prompt.
//!
//! Nothing runs at a Tab that was not judged, or could change something: names are listed by the session's bash, code
//! that `complete` was told in the session is judged each time, and the files of the system run in a process that may
//! only look.

use super::line_context::LineContext;
use super::settings::ShellSettings;
use aegish_config::Config;
use aegish_exec::{
    Bash, CompletedCommand, Completions, Ended, Names, Permit, Shell, SystemCompletions,
    system_completions,
};
use aegish_guard::{Action, Consent, FailMode, StaticCheck};
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

/// Completes commands of a session.
pub(crate) struct SessionCompleter {
    shell: Rc<RefCell<Shell>>,
    line_context: Rc<RefCell<LineContext>>,
    bash: Bash,
    limits: super::limits::KernelLimits,
    config: Config,
    fail_mode: FailMode,
}

impl SessionCompleter {
    pub(crate) fn new(
        shell: &Rc<RefCell<Shell>>,
        line_context: &Rc<RefCell<LineContext>>,
        bash: Bash,
        settings: &ShellSettings,
    ) -> Self {
        let (shell, line_context) = (Rc::clone(shell), Rc::clone(line_context));
        let (limits, config) = (settings.limits.clone(), settings.config.clone());
        Self { shell, line_context, bash, limits, config, fail_mode: settings.fail_mode }
    }

    /// The completions of the last word.
    pub(crate) fn complete(&self, command: &CompletedCommand<'_>) -> Result<Completions, Ended> {
        let current = command.current();
        if current.starts_with('$') && !current.contains('/') {
            return self.names(&Names::Variables, current);
        }
        let found = match command.index() {
            0 if !current.contains('/') => Some(self.names(&Names::Commands, current)?),
            0 => None,
            _ => match self.by_session(command)? {
                Some(found) => Some(found),
                None => self.by_system(command)?,
            },
        };
        match found.filter(|found| !found.words.is_empty()) {
            Some(found) => Ok(found),
            None if command.is_plain_path() => self.names(&Names::Files, current),
            None => Ok(Completions::default()),
        }
    }

    fn names(&self, names: &Names, beginning: &str) -> Result<Completions, Ended> {
        self.shell.borrow_mut().complete_names(names, beginning)
    }

    /// By what `complete` was told in this session, if that is allowed.
    fn by_session(&self, command: &CompletedCommand<'_>) -> Result<Option<Completions>, Ended> {
        let Some(code) = self.shell.borrow_mut().completion_code(command)? else { return Ok(None) };
        let Some(permit) = self.permit(code.text()) else { return Ok(None) };
        self.shell.borrow_mut().complete_by(&code, command, &permit).map(Some)
    }

    /// A permit for code that runs without a question.
    fn permit(&self, code: &str) -> Option<Permit> {
        let here = self.line_context.borrow();
        let context = here.context(&here.machine);
        let request = here.request(code, &context);
        let (decision, _) = StaticCheck::new(&here.session, &request).finish();
        let decision = decision.settled_by(self.fail_mode);
        (decision.action() == Action::Allow).then(|| decision.permit(Consent::NotAsked))?
    }

    fn by_system(&self, command: &CompletedCommand<'_>) -> Result<Option<Completions>, Ended> {
        let Some(confinement) = self.limits.of_onlooker(&self.config) else { return Ok(None) };
        let cwd = self.shell.borrow().last().cwd.clone();
        match system_completions(&self.bash, command, Path::new(&cwd), confinement) {
            Some(SystemCompletions::Found(found)) => Ok(Some(found)),
            Some(SystemCompletions::InSession(names)) => {
                self.names(&names, command.current()).map(Some)
            }
            None => Ok(None),
        }
    }
}
