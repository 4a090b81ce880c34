//! Live progress on standard error: a line per system on a terminal, a line at intervals elsewhere.

use aegish_bench::run::{Limiter, Progress, Snapshot};
use aegish_terminal::visible;
use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Interval at which a terminal is redrawn.
const REDRAW_INTERVAL: Duration = Duration::from_millis(120);
/// After this time without an answer the line says what the run waits for.
const EXPLAIN_AFTER: Duration = Duration::from_millis(1500);
/// Interval between lines if standard error is not a terminal, unless answers stop.
const REPORT_INTERVAL: Duration = Duration::from_secs(10);
/// How often it is looked whether answers have stopped.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// The width of a terminal that does not report one.
const DEFAULT_WIDTH: usize = 100;
const BAR_WIDTH: usize = 16;
const LONGEST_NAME: usize = 36;

/// The progress of one system.
struct ProgressRow {
    label: String,
    total: u64,
    parts: Vec<Arc<Progress>>,
    limiter: Option<Arc<Limiter>>,
}

/// Shows the progress of the systems of a run.
#[derive(Clone, Default)]
pub(crate) struct ProgressDisplay {
    rows: Arc<Mutex<Vec<ProgressRow>>>,
}

impl ProgressDisplay {
    /// Adds a system with a number of questions; returns its index.
    pub(crate) fn add(&self, label: &str, total: u64) -> usize {
        let mut rows = self.rows();
        rows.push(ProgressRow { label: visible(label), total, parts: Vec::new(), limiter: None });
        rows.len() - 1
    }

    /// The system has begun with a data set.
    pub(crate) fn begin(
        &self,
        number: usize,
        progress: Arc<Progress>,
        limiter: Option<Arc<Limiter>>,
    ) {
        if let Some(row) = self.rows().get_mut(number) {
            row.parts.push(progress);
            row.limiter = limiter;
        }
    }

    /// Draws the display until its thread is ended.
    pub(crate) fn show(&self) -> DisplayThread {
        let (end, ended) = channel();
        let display = self.clone();
        let terminal = io::stderr().is_terminal()
            && std::env::var_os("TERM").is_some_and(|term| term != "dumb");
        let display_thread = move || match terminal {
            true => display.draw(&ended),
            false => display.report(&ended),
        };
        let thread = thread::Builder::new().stack_size(256 << 10).spawn(display_thread).ok();
        DisplayThread { _end: end, thread }
    }

    fn rows(&self) -> std::sync::MutexGuard<'_, Vec<ProgressRow>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A line for each system, with names padded to the same width.
    fn lines(&self, width: usize) -> Vec<String> {
        let rows = self.rows();
        let longest = rows.iter().map(|row| row.label.chars().count()).max().unwrap_or(0);
        rows.iter().map(|row| cut(&line(row, longest.min(LONGEST_NAME)), width)).collect()
    }

    fn draw(&self, ended: &Receiver<()>) {
        let mut drawn = 0;
        loop {
            let over = wait(ended, REDRAW_INTERVAL);
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
        let (mut last, mut was_stalled) = (Instant::now(), false);
        loop {
            let over = wait(ended, POLL_INTERVAL);
            let is_stalled = self.rows().iter().any(is_stalled);
            if over || is_stalled && !was_stalled || last.elapsed() >= REPORT_INTERVAL {
                last = Instant::now();
                for line in self.lines(usize::MAX) {
                    let _ = writeln!(io::stderr(), "{line}");
                }
            }
            was_stalled = is_stalled;
            if over {
                return;
            }
        }
    }
}

/// The thread that draws a progress display.
pub(crate) struct DisplayThread {
    _end: std::sync::mpsc::Sender<()>,
    thread: Option<JoinHandle<()>>,
}

impl DisplayThread {
    /// Draws once more and ends the thread.
    pub(crate) fn end(self) {
        drop(self._end);
        if let Some(thread) = self.thread {
            let _ = thread.join();
        }
    }
}

/// Waits; returns whether the display has ended.
fn wait(ended: &Receiver<()>, time: Duration) -> bool {
    matches!(ended.recv_timeout(time), Err(RecvTimeoutError::Disconnected))
}

fn width() -> usize {
    let size = rustix::termios::tcgetwinsize(io::stderr());
    size.ok().map(|size| usize::from(size.ws_col)).filter(|w| *w > 0).unwrap_or(DEFAULT_WIDTH)
}

/// Sums up all parts of a system.
fn sum(row: &ProgressRow) -> Snapshot {
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
        // The figures of the current data set.
        (all.queued, all.model, all.silent) = (part.queued, part.model, part.silent);
    }
    all
}

/// Puts the most important figures first, because the end may be cut.
fn line(row: &ProgressRow, name_width: usize) -> String {
    let now = sum(row);
    let answered = now.before + now.done;
    let label = shortened(&row.label, name_width);
    let mut text =
        format!("{label:<name_width$}  {} {answered}/{}", bar(answered, now.total), now.total);
    if row.parts.is_empty() {
        text.push_str("  waiting");
        return text;
    }
    if answered < now.total
        && let Some(why) = obstacle(row, &now)
    {
        text.push_str(&format!("  {why}"));
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
    if let Some(status) = row.limiter.as_ref().map(|limiter| limiter.status()) {
        text.push_str(&format!("  {} of {} under way", status.in_flight, status.limit));
        if status.waiting > 0 {
            text.push_str(&format!(", {} waiting", status.waiting));
        }
        if status.slowed > 0 {
            text.push_str(&format!(", slowed {} times", status.slowed));
        }
        if !status.paused_for.is_zero() {
            text.push_str(&format!(", pausing {}", short(status.paused_for)));
        }
    }
    if now.retries > 0 {
        text.push_str(&format!("  {} retries", now.retries));
    }
    text
}

/// Whether answers have stopped coming: nothing for much longer than the model takes.
fn is_stalled(row: &ProgressRow) -> bool {
    let Some(now) = row.parts.last().map(|part| part.snapshot()) else { return false };
    now.before + now.done < now.total && now.silent >= EXPLAIN_AFTER.max(now.model * 2)
}

/// What the run waits for, and why, if there are no answers.
fn obstacle(row: &ProgressRow, now: &Snapshot) -> Option<String> {
    match row.parts.last()?.obstacle() {
        Some(why) => Some(format!("waiting: {}", visible(&why))),
        None if is_stalled(row) => {
            let (silent, open) = (short(now.silent), now.under_way);
            Some(format!("no answer for {silent} to {open} questions"))
        }
        None => None,
    }
}

/// The end of a long name identifies it better than its start.
fn shortened(name: &str, width: usize) -> String {
    let length = name.chars().count();
    if length <= width {
        return name.to_owned();
    }
    let end: String = name.chars().skip(length - width.saturating_sub(1)).collect();
    format!("…{end}")
}

fn bar(done: u64, total: u64) -> String {
    let parts = BAR_WIDTH as u64;
    let full = usize::try_from(done.saturating_mul(parts) / total.max(1))
        .unwrap_or(BAR_WIDTH)
        .min(BAR_WIDTH);
    format!("{}{}", "█".repeat(full), "░".repeat(BAR_WIDTH - full))
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
    use aegish_bench::run::ConcurrencyBounds;

    #[test]
    fn a_progress_line_shows_system_share_and_remaining_time_and_fits() {
        let display = ProgressDisplay::default();
        let number = display.add("openai/gpt-5.1", 676);
        display.add("hf-inference-providers/fdtn-ai/Foundation-Sec-8B-Instruct:featherless-ai", 5);
        assert!(display.lines(200)[0].contains("0/676  waiting"));
        let limiter = Arc::new(Limiter::new(ConcurrencyBounds::fixed(8)));
        display.begin(number, Arc::new(Progress::new(676, 100)), Some(limiter));
        let lines = display.lines(200);
        assert!(lines[0].starts_with("openai/gpt-5.1 "), "{lines:?}");
        assert!(lines[0].contains("100/676") && lines[0].contains("0 of 8 under way"), "{lines:?}");
        assert!(lines[1].starts_with('…') && lines[1].contains("featherless-ai"), "{lines:?}");
        let bars: Vec<_> =
            lines.iter().map(|line| line.chars().position(|c| "█░".contains(c))).collect();
        assert_eq!(bars[0], bars[1]);
        assert_eq!(display.lines(40)[0].chars().count(), 39);
    }

    #[test]
    fn a_progress_line_says_what_the_run_waits_for() {
        let display = ProgressDisplay::default();
        let number = display.add("openai/gpt-5.1", 10);
        let progress = Arc::new(Progress::new(10, 0));
        display.begin(number, Arc::clone(&progress), None);
        assert!(!display.lines(200)[0].contains("no answer"));
        std::thread::sleep(EXPLAIN_AFTER);
        assert!(display.lines(200)[0].contains("no answer for 1.5 s to 0 questions"));
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
