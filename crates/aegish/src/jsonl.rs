//! `aegish check --jsonl`: many commands, all cores, in order, in constant memory.
//!
//! Lines are read in blocks of the input that is available, so that a single line is answered at once and a
//! long file in large pieces. Blocks go to the workers in turn, and answers are taken in the same order.
//! Every channel holds few blocks, so a slow reader of the answers slows down the reading. A line that is not
//! a request is answered with an error object.
//!
//! Rows with the same `session` are successive commands of one shell. Blocks with sessions all go to the
//! first worker. A blocked command changes nothing for the rows behind it.
//!
//! With a judge, rows wait for models and not for cores: every row is a block, and there are more workers.

use crate::args::CheckOptions;
use crate::user_rules::UserRules;
use crate::{configuration, source};
use aegish_guard::{
    Action, ConfiguredJudge, Context, FailMode, Request, Role, Session, Surroundings, UserRule,
    check_with,
};
use aegish_terminal::{ExitKind, Failure, quiet};
use aegish_verdict::{JsonDetail, JsonVerdict};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// Bytes read at once: some hundred lines, a few milliseconds of work.
const BLOCK: usize = 16 << 10;
/// Longest line: the longest text, with every byte escaped, and something around it.
const LONGEST_LINE: usize = 8 << 20;
/// Rows that may wait for a model at once. The limits of the judge apply to all of them together.
const ASKING: usize = 16;
/// Blocks waiting at each end of a worker.
const WAITING: usize = 2;
/// Room for the deepest nesting the parser accepts.
const STACK: usize = 8 << 20;
/// Limit on sessions. Dropping one would make its next row look harmless.
const MOST_SESSIONS: usize = 100_000;
/// A block without this text has no row of a session.
const SESSION: &str = "session";

/// Whole lines, with the number of the first.
struct RowBlock {
    first_line: u64,
    content: BlockContent,
}

enum BlockContent {
    Lines(Vec<u8>),
    TooLong,
}

impl BlockContent {
    /// Whether some row may belong to a session. Escapes in a key are legal, though rare.
    fn speaks_of_sessions(&self) -> bool {
        match self {
            Self::TooLong => false,
            Self::Lines(lines) => match std::str::from_utf8(lines) {
                Ok(text) => text.contains(SESSION) || text.contains("\\u"),
                Err(_) => true,
            },
        }
    }
}

#[derive(Deserialize)]
struct CheckRow<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    command: Cow<'a, str>,
    #[serde(borrow)]
    cwd: Option<Cow<'a, str>>,
    #[serde(borrow)]
    role: Option<Cow<'a, str>>,
    #[serde(borrow)]
    session: Option<Cow<'a, str>>,
}

/// The fields of an invalid row that can still be read.
#[derive(Deserialize)]
struct Named<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
}

#[derive(Serialize)]
struct RowError<'a> {
    id: Option<&'a RawValue>,
    error: &'a str,
    line: u64,
}

pub(crate) fn run(options: &CheckOptions) -> Result<ExitKind, Failure> {
    let config = configuration::load()?;
    let judge = options.judge_args.for_many_commands(&config)?;
    let asked = judge.as_ref().map(|(judge, mode)| ConfiguredJudge { judge, mode: *mode });
    let (count, cut) = match asked {
        Some(_) => (ASKING, Cut::Rows),
        None => (thread::available_parallelism().map_or(1, usize::from), Cut::Blocks),
    };
    let surroundings = source::surroundings(options.input.cwd.as_deref());
    let detail = if options.verbose { JsonDetail::Commands } else { JsonDetail::Findings };
    let role = source::role(&options.input, &config)?;
    let user_rules = UserRules::of(&config);
    let user_rules = user_rules.rules();
    let fail_mode = configuration::fail_mode(&config);
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    thread::scope(|scope| {
        for _ in 0..count {
            let (input, work) = sync_channel::<RowBlock>(WAITING);
            let (done, output) = sync_channel::<Vec<u8>>(WAITING);
            let surroundings = surroundings.clone();
            let run = move || {
                RowWorker::new(surroundings, role, detail, asked, user_rules, fail_mode)
                    .serve(&work, &done);
            };
            thread::Builder::new()
                .stack_size(STACK)
                .spawn_scoped(scope, run)
                .map_err(|error| Failure::internal(format!("nothing was judged: {error}")))?;
            inputs.push(input);
            outputs.push(output);
        }
        let (turns, order) = sync_channel::<usize>(WAITING * count);
        let writer = scope.spawn(move || write_all(&outputs, &order));
        let read = read_blocks(io::stdin().lock(), cut, &inputs, &turns);
        drop((inputs, turns));
        let written = writer
            .join()
            .map_err(|_| Failure::internal("the answers are not complete"))?
            .map_err(|error| Failure::internal(format!("the answers are not complete: {error}")))?;
        let sent = read.map_err(|error| {
            Failure::internal(format!("the input was not read to its end: {error}"))
        })?;
        match written {
            WriteProgress::Blocks(number) if number < sent => {
                Err(Failure::internal("the answers are not complete"))
            }
            _ => Ok(ExitKind::Allow),
        }
    })
}

/// How the input is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// All lines that are available.
    Blocks,
    /// Judges each line separately.
    Rows,
}

/// Cuts the input into blocks of whole lines; gives their number.
fn read_blocks(
    mut input: impl Read,
    cut: Cut,
    workers: &[SyncSender<RowBlock>],
    turns: &SyncSender<usize>,
) -> io::Result<u64> {
    let mut pending: Vec<u8> = Vec::new();
    let mut buffer = vec![0; BLOCK];
    let (mut sent, mut line) = (0_u64, 1_u64);
    let mut skipping = false;
    let mut send = |content: BlockContent, lines: u64| {
        let turn = usize::try_from(sent).unwrap_or(0) % workers.len().max(1);
        let index = if content.speaks_of_sessions() { 0 } else { turn };
        let block = RowBlock { first_line: line, content };
        line += lines;
        sent += 1;
        let taken = turns.send(index).is_ok()
            && workers.get(index).is_some_and(|worker| worker.send(block).is_ok());
        taken.then_some(sent)
    };
    let mut number = 0;
    loop {
        let got = match input.read(&mut buffer) {
            Ok(got) => got,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let mut fresh = buffer.get(..got).unwrap_or_default();
        if got == 0 && !pending.is_empty() {
            let lines = std::mem::take(&mut pending);
            number = send(BlockContent::Lines(lines), 1).unwrap_or(number);
        }
        if got == 0 {
            return Ok(number);
        }
        if skipping {
            let Some(end) = fresh.iter().position(|byte| *byte == b'\n') else { continue };
            fresh = fresh.get(end + 1..).unwrap_or_default();
            skipping = false;
        }
        let Some(last) = fresh.iter().rposition(|byte| *byte == b'\n') else {
            pending.extend_from_slice(fresh);
            if pending.len() > LONGEST_LINE {
                pending = Vec::new();
                skipping = true;
                match send(BlockContent::TooLong, 1) {
                    Some(sent) => number = sent,
                    None => return Ok(number),
                }
            }
            continue;
        };
        let (whole, rest) = fresh.split_at(last + 1);
        let mut lines = std::mem::take(&mut pending);
        lines.extend_from_slice(whole);
        pending.extend_from_slice(rest);
        let blocks: Vec<Vec<u8>> = match cut {
            Cut::Blocks => vec![lines],
            Cut::Rows => lines.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect(),
        };
        for block in blocks {
            let count = block.iter().filter(|byte| **byte == b'\n').count() as u64;
            match send(BlockContent::Lines(block), count) {
                Some(sent) => number = sent,
                None => return Ok(number),
            }
        }
    }
}

/// The state of writing.
enum WriteProgress {
    Blocks(u64),
    /// The reader has closed the output.
    Unread,
}

/// Takes the answers in the order of the blocks.
fn write_all(workers: &[Receiver<Vec<u8>>], turns: &Receiver<usize>) -> io::Result<WriteProgress> {
    let mut output = io::stdout().lock();
    let mut number = 0;
    for turn in turns {
        let Some(Ok(answers)) = workers.get(turn).map(Receiver::recv) else { break };
        number += 1;
        let result = output.write_all(&answers).and_then(|()| output.flush());
        if result.is_err() {
            return quiet(result).map(|()| WriteProgress::Unread);
        }
    }
    Ok(WriteProgress::Blocks(number))
}

/// The directory in which a row runs.
#[derive(PartialEq, Eq)]
enum RowDirectory {
    /// The directory of this process.
    Start,
    /// This directory, as written or as changed by earlier rows of the session.
    At(String),
    /// Earlier rows of the session changed to an unknown directory.
    Unknown,
}

struct RowWorker<'a> {
    surroundings: Surroundings,
    /// The context of the last row; most rows share it.
    context: Context<'static>,
    /// The directory in which that row runs.
    directory: RowDirectory,
    role: Role,
    detail: JsonDetail,
    judge: Option<ConfiguredJudge<'a>>,
    user_rules: &'a [UserRule],
    fail_mode: FailMode,
    sessions: HashMap<String, Session>,
}

impl<'a> RowWorker<'a> {
    fn new(
        surroundings: Surroundings,
        role: Role,
        detail: JsonDetail,
        judge: Option<ConfiguredJudge<'a>>,
        user_rules: &'a [UserRule],
        fail_mode: FailMode,
    ) -> Self {
        let context = source::context(&surroundings);
        let sessions = HashMap::new();
        Self {
            surroundings,
            context,
            directory: RowDirectory::Start,
            role,
            detail,
            judge,
            user_rules,
            fail_mode,
            sessions,
        }
    }

    fn serve(&mut self, work: &Receiver<RowBlock>, done: &SyncSender<Vec<u8>>) {
        for block in work {
            let mut answers = Vec::new();
            match &block.content {
                BlockContent::TooLong => {
                    row_error(None, "the line is too long", block.first_line, &mut answers);
                }
                BlockContent::Lines(lines) => self.lines(lines, block.first_line, &mut answers),
            }
            if done.send(answers).is_err() {
                break;
            }
        }
    }

    fn lines(&mut self, lines: &[u8], first: u64, answers: &mut Vec<u8>) {
        let lines = lines.strip_suffix(b"\n").unwrap_or(lines);
        for (line, number) in lines.split(|byte| *byte == b'\n').zip(first..) {
            if !line.trim_ascii().is_empty() {
                self.line(line, number, answers);
            }
        }
    }

    fn line(&mut self, line: &[u8], number: u64, answers: &mut Vec<u8>) {
        if line.trim_ascii_start().first() != Some(&b'{') {
            return row_error(None, "not a JSON object", number, answers);
        }
        let row: CheckRow<'_> = match serde_json::from_slice(line) {
            Ok(row) => row,
            Err(error) => {
                let id = serde_json::from_slice::<Named<'_>>(line).ok().and_then(|named| named.id);
                return row_error(id, &error.to_string(), number, answers);
            }
        };
        let role = match row.role.as_deref().map(str::parse::<Role>) {
            None => self.role,
            Some(Ok(role)) => role,
            Some(Err(error)) => return row_error(row.id, &error.to_string(), number, answers),
        };
        let before = match self.session(row.session.as_deref()) {
            Ok(session) => session,
            Err(error) => return row_error(row.id, error, number, answers),
        };
        let directory = match row.cwd.as_deref().or(before.cwd()) {
            Some(dir) => RowDirectory::At(dir.to_owned()),
            None if before.is_lost() => RowDirectory::Unknown,
            None => RowDirectory::Start,
        };
        self.move_to(directory);
        let text = row.command.as_bytes();
        let request = Request { text, context: &self.context, role, user_rules: self.user_rules };
        let (decision, after) = check_with(&before, &request, self.judge);
        let decision = decision.settled_by(self.fail_mode);
        if let Some(name) = row.session.filter(|_| decision.action() < Action::Block) {
            self.sessions.insert(name.into_owned(), after);
        }
        let id = row.id.or(Some(RawValue::NULL));
        let verdict = JsonVerdict::new(&decision, &row.command, id, self.detail);
        let before = answers.len();
        if let Err(error) = serde_json::to_writer(&mut *answers, &verdict) {
            answers.truncate(before);
            return row_error(id, &error.to_string(), number, answers);
        }
        answers.push(b'\n');
    }
}

impl RowWorker<'_> {
    /// The session after its rows so far.
    fn session(&self, name: Option<&str>) -> Result<Session, &'static str> {
        let Some(name) = name else { return Ok(Session::new()) };
        match self.sessions.get(name) {
            Some(session) => Ok(session.clone()),
            None if self.sessions.len() < MOST_SESSIONS => Ok(Session::new()),
            None => Err("too many sessions: the row was not judged; start another aegish"),
        }
    }

    fn move_to(&mut self, directory: RowDirectory) {
        if self.directory == directory {
            return;
        }
        self.context = source::context(&match &directory {
            RowDirectory::Start => self.surroundings.clone(),
            RowDirectory::At(dir) => self.surroundings.at(dir),
            RowDirectory::Unknown => self.surroundings.lost(),
        });
        self.directory = directory;
    }
}

fn row_error(id: Option<&RawValue>, error: &str, line: u64, answers: &mut Vec<u8>) {
    // Writing to memory does not fail.
    if serde_json::to_writer(&mut *answers, &RowError { id, error, line }).is_ok() {
        answers.push(b'\n');
    }
}
