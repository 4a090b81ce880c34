//! The context of a line: the session, the machine, the role and the user rules at that time.

use super::editor::{Known, Live};
use crate::user_rules::UserRules;
use aegish_exec::{ChangedVariables, Report};
use aegish_guard::{
    Action, Context, Decision, Observed, Request, Role, Session, StaticCheck, Surroundings,
    UnsteadyFiles,
};
use aegish_terminal::{Screen, Style};
use std::cell::RefCell;
use std::rc::Rc;

/// The context of lines. It changes with every line.
pub(crate) struct LineContext {
    pub(crate) session: Session,
    pub(crate) surroundings: Surroundings,
    pub(crate) role: Role,
    pub(crate) user_rules: UserRules,
    /// The files, without those that change while a line is judged.
    pub(crate) machine: Rc<UnsteadyFiles>,
}

impl LineContext {
    /// The context for the analysis.
    pub(crate) fn context<'m>(&self, machine: &'m UnsteadyFiles) -> Context<'m> {
        self.surroundings.context(machine)
    }

    /// The question to the guard about a line.
    pub(crate) fn request<'a>(&'a self, line: &'a str, context: &'a Context<'a>) -> Request<'a> {
        Request {
            text: line.as_bytes(),
            context,
            role: self.role,
            user_rules: self.user_rules.rules(),
        }
    }

    /// Updates the context, and the editor, from bash's report.
    pub(crate) fn observe(&mut self, report: &Report, known: &mut Known) {
        let Report { cwd, variables, aliases, changed, .. } = report;
        self.surroundings = self.surroundings.at(cwd);
        known.path = variables.get("PATH").cloned().unwrap_or_default();
        known.cwd.clone_from(cwd);
        match changed {
            // A line that defines a function may change everything.
            ChangedVariables::All => {
                known.names = aliases.keys().cloned().collect();
                known.names.extend(self.session.functions().map(|(name, _)| name.to_owned()));
                self.session.observe(Observed { variables, aliases });
            }
            ChangedVariables::Variables(names) => {
                let now = |name| variables.get(name).map(String::as_str);
                self.session.observe_some(names.iter().map(|name| (name.as_str(), now(name))));
            }
        }
        self.session.settle();
    }

    /// The verdict on a line without the content of a file that changed meanwhile; none if the verdict
    /// depends on it.
    pub(crate) fn decide_without_file(
        &self,
        line: &str,
        path: &str,
        before: &Decision,
    ) -> Option<(Decision, Session)> {
        self.machine.add(path);
        let context = self.context(&self.machine);
        let request = self.request(line, &context);
        let (decision, after) = StaticCheck::new(&self.session, &request).finish();
        if decision.holds_without_files(before) {
            return Some((decision, after));
        }
        self.machine.clear();
        None
    }
}

/// The verdict on the typed text, unless it is allow.
pub(crate) fn live(line_context: Rc<RefCell<LineContext>>) -> Live {
    Box::new(move |line| {
        let here = line_context.borrow();
        let context = here.context(&here.machine);
        let request = here.request(line, &context);
        let (decision, _) = StaticCheck::new(&here.session, &request).finish();
        if decision.action() == Action::Allow {
            return None;
        }
        let mut screen = Screen::errors();
        screen
            .put("   ")
            .paint(Style::of(decision.action()), decision.action().as_str().to_uppercase());
        screen.put(format_args!(" {}", decision.rule().name));
        Some(screen.into_text())
    })
}
