//! Live progress on standard error: a line per system on a terminal, a line now and then elsewhere.

use crate::output::visible;
use aegish_bench::run::{Gate, Progress, Snapshot};
use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How often a terminal is drawn anew.
const FRAME: Duration = Duration::from_millis(120);
/// How often a line is written elsewhere.
const REPORT: Duration = Duration::from_secs(10);
/// The width of a terminal that does not tell.
const USUAL_WIDTH: usize = 100;
const BAR: usize = 16;
const LONGEST_NAME: usize = 36;

/// One system and where it is.
struct Row {
    label: String,
    total: u64,
    parts: Vec<Arc<Progress>>,
    gate: Option<Arc<Gate>>,
}

/// The systems of a run, as shown.
#[derive(Clone, Default)]
pub(crate) struct Board {
    rows: Arc<Mutex<Vec<Row>>>,
}

impl Board {
    /// Adds a system with so many questions; gives its number.
    pub(crate) fn add(&self, label: &str, total: u64) -> usize {
        let mut rows = self.rows();
        rows.push(Row { label: visible(label), total, parts: Vec::new(), gate: None });
        rows.len() - 1
    }

    /// The system has begun with a data set.
    pub(crate) fn begin(&self, number: usize, progress: Arc<Progress>, gate: Arc<Gate>) {
        if let Some(row) = self.rows().get_mut(number) {
            row.parts.push(progress);
            row.gate = Some(gate);
        }
    }

    /// Shows it until the shower is dropped.
    pub(crate) fn show(&self) -> Shower {
        let (end, ended) = channel();
        let board = self.clone();
        let terminal = io::stderr().is_terminal()
            && std::env::var_os("TERM").is_some_and(|term| term != "dumb");
        let shower = move || match terminal {
            true => board.draw(&ended),
            false => board.report(&ended),
        };
        let thread = thread::Builder::new().stack_size(256 << 10).spawn(shower).ok();
        Shower { _end: end, thread }
    }

    fn rows(&self) -> std::sync::MutexGuard<'_, Vec<Row>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A line for each system, the names padded alike.
    fn lines(&self, width: usize) -> Vec<String> {
        let rows = self.rows();
        let longest = rows.iter().map(|row| row.label.chars().count()).max().unwrap_or(0);
        rows.iter().map(|row| cut(&line(row, longest.min(LONGEST_NAME)), width)).collect()
    }

    fn draw(&self, ended: &Receiver<()>) {
        let mut drawn = 0;
        loop {
            let over = wait(ended, FRAME);
            let width = width();
            let lines = self.lines(width);
            let mut text = String::new();
            if drawn > 0 {
                text.push_str(&format!("\u{1b}[{drawn}A"));
            }
            for line in &lines {
                text.push_str(&format!("\r\u{1b}[2K{line}\n"));
            }
            drawn = lines.len();
            let _ = io::stderr().lock().write_all(text.as_bytes());
            if over {
                return;
            }
        }
    }

    fn report(&self, ended: &Receiver<()>) {
        let mut last = Instant::now();
        loop {
            let over = wait(ended, REPORT.saturating_sub(last.elapsed()));
            last = Instant::now();
            for line in self.lines(usize::MAX) {
                let _ = writeln!(io::stderr(), "{line}");
            }
            if over {
                return;
            }
        }
    }
}

/// Shows a board until it is dropped.
pub(crate) struct Shower {
    _end: std::sync::mpsc::Sender<()>,
    thread: Option<JoinHandle<()>>,
}

impl Shower {
    /// A last look, and then silence.
    pub(crate) fn end(self) {
        drop(self._end);
        if let Some(thread) = self.thread {
            let _ = thread.join();
        }
    }
}

/// Whether it is over.
fn wait(ended: &Receiver<()>, time: Duration) -> bool {
    matches!(ended.recv_timeout(time), Err(RecvTimeoutError::Disconnected))
}

fn width() -> usize {
    let size = rustix::termios::tcgetwinsize(io::stderr());
    size.ok().map(|size| usize::from(size.ws_col)).filter(|w| *w > 0).unwrap_or(USUAL_WIDTH)
}

/// All parts of a system as one.
fn sum(row: &Row) -> Snapshot {
    let mut all = Progress::new(row.total, 0).snapshot();
    all.elapsed = Duration::ZERO;
    for part in row.parts.iter().map(|part| part.snapshot()) {
        all.before += part.before;
        all.done += part.done;
        all.errors += part.errors;
        all.timeouts += part.timeouts;
        all.retries += part.retries;
        all.under_way += part.under_way;
        all.cost += part.cost;
        all.elapsed += part.elapsed;
        // Of the data set that is under way.
        (all.queued, all.model) = (part.queued, part.model);
    }
    all
}

/// What matters most comes first: the end may be cut.
fn line(row: &Row, name_width: usize) -> String {
    let now = sum(row);
    let answered = now.before + now.done;
    let label = shortened(&row.label, name_width);
    let mut text =
        format!("{label:<name_width$}  {} {answered}/{}", bar(answered, now.total), now.total);
    if row.parts.is_empty() {
        text.push_str("  waiting");
        return text;
    }
    text.push_str(&format!("  {:.1}/s", now.rate()));
    match now.time_left() {
        Some(left) if answered < now.total => text.push_str(&format!("  {} left", clock(left))),
        _ => text.push_str(&format!("  {}", clock(now.elapsed))),
    }
    text.push_str(&format!("  $ {:.2}", now.cost));
    if now.errors + now.timeouts > 0 {
        text.push_str(&format!("  {} errors, {} time-outs", now.errors, now.timeouts));
    }
    text.push_str(&format!("  model {}", short(now.model)));
    text.push_str(&format!("  queued {}", short(now.queued)));
    if let Some(traffic) = row.gate.as_ref().map(|gate| gate.traffic()) {
        text.push_str(&format!("  {} of {} under way", traffic.inside, traffic.limit));
        if traffic.waiting > 0 {
            text.push_str(&format!(", {} waiting", traffic.waiting));
        }
        if traffic.slowed > 0 {
            text.push_str(&format!(", slowed {} times", traffic.slowed));
        }
        if !traffic.closed_for.is_zero() {
            text.push_str(&format!(", pausing {}", short(traffic.closed_for)));
        }
    }
    if now.retries > 0 {
        text.push_str(&format!("  {} retries", now.retries));
    }
    text
}

/// The end of a long name says more than its beginning.
fn shortened(name: &str, width: usize) -> String {
    let length = name.chars().count();
    if length <= width {
        return name.to_owned();
    }
    let end: String = name.chars().skip(length - width.saturating_sub(1)).collect();
    format!("…{end}")
}

fn bar(done: u64, total: u64) -> String {
    let parts = BAR as u64;
    let full = usize::try_from(done.saturating_mul(parts) / total.max(1)).unwrap_or(BAR).min(BAR);
    format!("{}{}", "█".repeat(full), "░".repeat(BAR - full))
}

/// `3:07`, `1:02:03`
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}

/// `740 µs`, `12 ms`, `3.4 s`
pub(crate) fn short(time: Duration) -> String {
    match time.as_micros() {
        micros @ 0..1000 => format!("{micros} µs"),
        micros @ 1000..1_000_000 => format!("{} ms", micros / 1000),
        _ => format!("{:.1} s", time.as_secs_f64()),
    }
}

fn cut(text: &str, width: usize) -> String {
    // A line that fills the last column wraps on some terminals.
    let room = width.saturating_sub(1);
    if text.chars().count() <= room { text.to_owned() } else { text.chars().take(room).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aegish_bench::run::Bounds;

    #[test]
    fn a_line_says_who_how_far_and_what_is_left_and_fits() {
        let board = Board::default();
        let number = board.add("openai/gpt-5.1", 676);
        board.add("hf-inference-providers/fdtn-ai/Foundation-Sec-8B-Instruct:featherless-ai", 5);
        assert!(board.lines(200)[0].contains("0/676  waiting"));
        let gate = Arc::new(Gate::new(Bounds::fixed(8)));
        board.begin(number, Arc::new(Progress::new(676, 100)), gate);
        let lines = board.lines(200);
        assert!(lines[0].starts_with("openai/gpt-5.1 "), "{lines:?}");
        assert!(lines[0].contains("100/676") && lines[0].contains("0 of 8 under way"), "{lines:?}");
        assert!(lines[1].starts_with('…') && lines[1].contains("featherless-ai"), "{lines:?}");
        let bars: Vec<_> =
            lines.iter().map(|line| line.chars().position(|c| "█░".contains(c))).collect();
        assert_eq!(bars[0], bars[1]);
        assert_eq!(board.lines(40)[0].chars().count(), 39);
    }

    #[test]
    fn times_are_short() {
        assert_eq!(clock(Duration::from_secs(187)), "3:07");
        assert_eq!(clock(Duration::from_secs(3723)), "1:02:03");
        assert_eq!(short(Duration::from_micros(740)), "740 µs");
        assert_eq!(short(Duration::from_millis(12)), "12 ms");
        assert_eq!(short(Duration::from_millis(3400)), "3.4 s");
    }
}
