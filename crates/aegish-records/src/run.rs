//! Reads, judges and writes: a thread reads a log while all cores judge what was read.

use crate::RecordFormat;
use crate::input::{AtEnd, LogLines, NextLine};
use crate::judging::RecordJudge;
use crate::options::JudgeLogOptions;
use crate::output::VerdictOutputs;
use crate::page::page;
use crate::readers::{LineKind, samples};
use crate::record::CommandRecord;
use crate::summary::Summary;
use aegish_guard::Role;
use aegish_terminal::{ExitKind, Failure, Screen, grouped};
use std::fs;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// Commands that are judged together.
const BATCH: usize = 4096;
/// Batches that wait to be judged.
const WAITING: usize = 2;

/// Some commands of a log.
#[derive(Default)]
struct Batch {
    records: Vec<CommandRecord>,
    unreadable: u64,
    /// Bytes read so far.
    bytes: u64,
}

/// Judges the logs that the options name.
///
/// # Errors
///
/// If a log cannot be read, its format is not known, or an answer cannot be written.
pub fn run(
    options: &JudgeLogOptions,
    role: Role,
    screen: &mut Screen,
) -> Result<ExitKind, Failure> {
    if options.follow && (options.logs.len() != 1 || options.logs.iter().any(|log| log == "-")) {
        return Err(Failure::usage("--follow takes one file"));
    }
    let standard = Path::new("-");
    let jsonl = options.jsonl.as_deref().or(options.follow.then_some(standard));
    let mut outputs = VerdictOutputs::open(jsonl, options)
        .map_err(|error| Failure::internal(format!("nothing was judged: {error}")))?;
    let mut judge = RecordJudge::new(role);
    let mut summary = Summary::new();
    for log in &options.logs {
        judge_log(log, options, &mut judge, &mut summary, &mut outputs)?;
    }
    outputs
        .finish()
        .map_err(|error| Failure::internal(format!("the verdicts were not written: {error}")))?;
    summary.sessions = judge.sessions();
    summary.forgotten = judge.forgotten();
    summary.lost = judge.lost();
    let summary = summary.sorted();
    if let Some(path) = &options.html {
        fs::write(path, page(&summary)).map_err(|error| {
            Failure::internal(format!("the page was not written: {}: {error}", path.display()))
        })?;
    }
    if jsonl != Some(standard) {
        summary.print(screen);
    }
    Ok(ExitKind::Allow)
}

fn judge_log(
    path: &Path,
    options: &JudgeLogOptions,
    judge: &mut RecordJudge,
    summary: &mut Summary,
    outputs: &mut VerdictOutputs,
) -> Result<(), Failure> {
    let source = path.display().to_string();
    let unread = |error: io::Error| {
        Failure::internal(format!("{source} was not judged to its end: {error}"))
    };
    let mut log = LogLines::open(path).map_err(unread)?;
    let start = log.start().map_err(unread)?;
    if start.is_empty() && !options.follow {
        return Ok(());
    }
    let format = options.format.or_else(|| RecordFormat::of(path, start)).ok_or_else(|| {
        let what = "what kind of log it is cannot be told; name it with --format";
        Failure::usage(format!("{source} was not judged: {what}"))
    })?;
    let mut progress = Progress::new(path);
    thread::scope(|scope| {
        let (sender, batches) = sync_channel(WAITING);
        let follow = if options.follow { AtEnd::Wait } else { AtEnd::Line };
        let reading = scope.spawn(move || match format.reader(path) {
            Some(mut reader) => read_lines(log, &mut *reader, follow, &sender),
            None => read_samples(path, &sender),
        });
        let written = judge_batches(&source, &batches, judge, summary, outputs, &mut progress);
        // The reader stops when there is nobody to take its batches.
        drop(batches);
        let read = reading.join().map_err(|_| Failure::internal("the reader failed"))?;
        progress.end();
        written.map_err(unread)?;
        read.map_err(unread)
    })
}

fn judge_batches(
    source: &str,
    batches: &Receiver<Batch>,
    judge: &mut RecordJudge,
    summary: &mut Summary,
    outputs: &mut VerdictOutputs,
    progress: &mut Progress,
) -> io::Result<()> {
    for batch in batches {
        summary.unreadable += batch.unreadable;
        let verdicts = judge.judge(&batch.records)?;
        for (record, verdict) in batch.records.iter().zip(&verdicts) {
            summary.add(source, record, verdict);
            outputs.write(source, record, verdict)?;
        }
        outputs.flush()?;
        progress.show(batch.bytes, batch.records.len());
    }
    Ok(())
}

fn read_lines(
    mut log: LogLines,
    reader: &mut dyn crate::readers::RecordReader,
    at_end: AtEnd,
    batches: &SyncSender<Batch>,
) -> io::Result<()> {
    let mut batch = Batch::default();
    let mut line = Vec::new();
    let mut pauses = 0;
    loop {
        let found = log.next(&mut line, at_end)?;
        match found {
            NextLine::Line => {
                if reader.line(&line, log.number, &mut batch.records) == LineKind::Unreadable {
                    batch.unreadable += 1;
                }
            }
            NextLine::TooLong => batch.unreadable += 1,
            NextLine::None if at_end == AtEnd::Line => reader.finish(&mut batch.records),
            // The first pause may be one in the middle of an event.
            NextLine::None if pauses == 1 => reader.idle(&mut batch.records),
            NextLine::None => {}
        }
        pauses = if found == NextLine::None { pauses + 1_u32 } else { 0 };
        let ended = found == NextLine::None;
        if batch.records.len() >= BATCH
            || (ended && (!batch.records.is_empty() || batch.unreadable > 0))
        {
            batch.bytes = log.bytes;
            if batches.send(std::mem::take(&mut batch)).is_err() {
                return Ok(());
            }
        }
        if ended {
            match at_end {
                AtEnd::Line => return Ok(()),
                AtEnd::Wait => log.wait()?,
            }
        }
    }
}

fn read_samples(path: &Path, batches: &SyncSender<Batch>) -> io::Result<()> {
    let send = |records: Vec<CommandRecord>| {
        let batch = Batch { records, ..Batch::default() };
        batches.send(batch).map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))
    };
    let unreadable = samples(path, send)?;
    let _ = batches.send(Batch { unreadable, ..Batch::default() });
    Ok(())
}

/// A line on standard error, if that is a terminal.
struct Progress {
    size: u64,
    commands: u64,
    started: Instant,
    shown: Option<Instant>,
    terminal: bool,
}

impl Progress {
    const PAUSE: Duration = Duration::from_millis(500);

    fn new(path: &Path) -> Self {
        let size = fs::metadata(path).map_or(0, |found| found.len());
        let terminal = io::stderr().is_terminal();
        Self { size, commands: 0, started: Instant::now(), shown: None, terminal }
    }

    fn show(&mut self, bytes: u64, commands: usize) {
        self.commands += commands as u64;
        if !self.terminal || self.shown.is_some_and(|shown| shown.elapsed() < Self::PAUSE) {
            return;
        }
        self.shown = Some(Instant::now());
        let rate = self.commands as f64 / self.started.elapsed().as_secs_f64().max(0.001);
        let share = match self.size {
            0 => String::new(),
            size => format!("{:>3.0} %  ", bytes as f64 * 100.0 / size as f64),
        };
        let (commands, rate) = (grouped(self.commands), grouped(rate as u64));
        let _ = write!(io::stderr(), "\r\u{1b}[K{share}{commands} commands, {rate} per second");
    }

    fn end(&mut self) {
        if self.shown.take().is_some() {
            let _ = write!(io::stderr(), "\r\u{1b}[K");
        }
    }
}
