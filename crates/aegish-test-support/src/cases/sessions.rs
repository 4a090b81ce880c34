//! Sessions of `cases/*.md`: several lines, one after the other, each with its own verdict.
//!
//! A session is judged in two ways that must agree: from the lines alone, as `check --jsonl` does, and
//! beside a shell that reports its variables and aliases after each line and has really written the
//! files. That shell is made up from what the guard concluded: where the guard does not know a text,
//! the shell has some.

use super::{CWD, Case, blocks, every_document, head_of, place_of, surroundings};
use aegish_guard::{Action, Decision, FileView, Machine, Observed, Request, Session, check_in};
use std::collections::{BTreeMap, HashMap};

/// The value in the shell where the guard knows nothing.
const SOME_TEXT: &str = "some text";
/// Texts of which a file may hold one.
const MAX_TEXTS: usize = 32;

/// Successive lines of one person.
#[derive(Debug, Clone)]
pub struct CaseSession {
    /// File name and line.
    pub place: String,
    /// The lines, each with its verdict.
    pub steps: Vec<Case>,
}

/// The source of the state after the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// The guard alone.
    Guard,
    /// A shell that reports it after each line.
    Shell,
}

impl CaseSession {
    /// The guard's decision on each line. A blocked line has not run.
    pub fn decide(&self, memory: Memory) -> Vec<Decision> {
        let mut state = Session::new();
        let mut cwd = CWD.to_owned();
        let mut decisions = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let machine = SessionMachine::new(&step.files, &state, memory);
            let context = surroundings(&cwd).context(&machine);
            let text = step.command.as_bytes();
            let request = Request { text, context: &context, role: step.role, user_rules: &[] };
            let (decision, after) = check_in(&state, &request);
            if decision.action() < Action::Block {
                state = after;
                cwd = state.cwd().unwrap_or_default().to_owned();
                if memory == Memory::Shell {
                    let (variables, aliases) = report(&state, &cwd);
                    state.observe(Observed { variables: &variables, aliases: &aliases });
                    state.settle();
                }
            }
            decisions.push(decision);
        }
        decisions
    }
}

/// The variables and aliases that a shell reports.
fn report(state: &Session, cwd: &str) -> (HashMap<String, String>, HashMap<String, String>) {
    let mut variables: HashMap<String, String> = surroundings(cwd)
        .variables
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    for (name, value) in state.variables() {
        variables.insert(name.to_owned(), value.as_known().unwrap_or(SOME_TEXT).to_owned());
    }
    // A real shell always has it.
    variables.insert("PPID".to_owned(), "4242".to_owned());
    let aliases = state.aliases().map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
    (variables, aliases)
}

/// A machine with the files of the document, and beside a shell with those that were written.
struct SessionMachine {
    files: BTreeMap<String, String>,
}

impl SessionMachine {
    fn new(given: &BTreeMap<String, String>, state: &Session, memory: Memory) -> Self {
        let mut files = given.clone();
        if memory == Memory::Shell {
            for (path, content) in state.files() {
                // Of several texts, the first one is that of commands that succeeded.
                let texts = content.readings(MAX_TEXTS).unwrap_or_default();
                let text = texts.into_iter().next().unwrap_or_else(|| SOME_TEXT.to_owned());
                files.insert(path.to_owned(), text);
            }
        }
        Self { files }
    }
}

impl Machine for SessionMachine {
    fn read(&self, path: &str, limit: usize) -> FileView {
        super::CaseMachine { files: &self.files }.read(path, limit)
    }

    fn list(&self, dir: &str, limit: usize) -> Option<Vec<String>> {
        super::CaseMachine { files: &self.files }.list(dir, limit)
    }
}

/// All sessions, file by file.
///
/// # Errors
///
/// Names the file and line that cannot be read.
pub fn all() -> Result<Vec<CaseSession>, String> {
    every_document(read)
}

/// The sessions of one document.
///
/// # Errors
///
/// Names the line that cannot be read.
pub fn read(topic: &str, text: &str) -> Result<Vec<CaseSession>, String> {
    let mut sessions = Vec::new();
    let mut files = BTreeMap::new();
    for block in blocks(topic, text)? {
        match block.kind {
            "file" => {
                files.insert(block.path(), block.whole() + "\n");
            }
            "session" => {
                let mut steps: Vec<Case> = Vec::new();
                for (at, line) in &block.body {
                    let place = place_of(topic, *at);
                    let (head, rest) = line
                        .split_once('|')
                        .ok_or_else(|| format!("{place}: no `|` before the command"))?;
                    let command = rest.strip_prefix(' ').unwrap_or(rest);
                    match steps.last_mut() {
                        Some(step) if head.trim().is_empty() => {
                            step.command.push('\n');
                            step.command.push_str(command);
                        }
                        _ => {
                            let step = head_of(head).map_err(|e| format!("{place}: {e}"))?;
                            let (topic, files) = (topic.to_owned(), files.clone());
                            let command = command.to_owned();
                            steps.push(Case { place, topic, command, files, ..step });
                        }
                    }
                }
                sessions.push(CaseSession { place: place_of(topic, block.at), steps });
            }
            _ => {}
        }
    }
    Ok(sessions)
}
