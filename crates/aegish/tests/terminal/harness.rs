//! The shell in a terminal: keys are sent as a person types them, and the screen is compared with what a
//! person would see.

use aegish_test_support::signals;
use pty_process::Size;
use pty_process::blocking::{Command, Pty};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use vt100::{Parser, Screen};

/// Long enough for a loaded machine.
pub(crate) const DEADLINE: Duration = Duration::from_secs(20);
/// How often a condition is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The binary that is tested.
pub(crate) const AEGISH: &str = env!("CARGO_BIN_EXE_aegish");

/// A terminal is open without "close on exec" for a moment, so no other program may be started meanwhile.
static STARTING: Mutex<()> = Mutex::new(());

/// Holds other starts back.
pub(crate) fn starting() -> MutexGuard<'static, ()> {
    STARTING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary home directory.
pub(crate) struct Home(PathBuf);

impl Home {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir().canonicalize().unwrap();
        let dir = dir.join(format!("aegish-terminal-{}-{count}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).unwrap();
        Self(dir)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.at(name)).unwrap_or_default()
    }

    /// The shell in this home, with nothing else in its environment.
    pub(crate) fn shell(&self) -> Start {
        let set = [
            ("HOME", self.0.to_string_lossy().into_owned()),
            ("PATH", "/usr/local/bin:/usr/bin:/bin".to_owned()),
            ("TERM", "xterm-256color".to_owned()),
            ("LANG", "C.UTF-8".to_owned()),
            ("USER", "kim".to_owned()),
            ("SHELL", AEGISH.to_owned()),
            ("AEGISH_JUDGE", "never".to_owned()),
            ("AEGISH_BANNER", "off".to_owned()),
        ];
        Start {
            program: AEGISH.into(),
            arguments: Vec::new(),
            name: None,
            set: set.map(|(name, value)| (name.to_owned(), value)).to_vec(),
            dir: self.0.clone(),
            size: (40, 100),
        }
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// How a shell is started.
pub(crate) struct Start {
    program: PathBuf,
    arguments: Vec<String>,
    name: Option<String>,
    set: Vec<(String, String)>,
    dir: PathBuf,
    size: (u16, u16),
}

impl Start {
    pub(crate) fn program(mut self, program: impl Into<PathBuf>) -> Self {
        self.program = program.into();
        self
    }

    pub(crate) fn arguments(mut self, arguments: &[&str]) -> Self {
        self.arguments = arguments.iter().map(|one| (*one).to_owned()).collect();
        self
    }

    /// The name it is called by; one with a dash makes a login shell.
    pub(crate) fn name(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    pub(crate) fn set(mut self, name: &str, value: &str) -> Self {
        self.set.retain(|(known, _)| known != name);
        self.set.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn unset(mut self, name: &str) -> Self {
        self.set.retain(|(known, _)| known != name);
        self
    }

    pub(crate) fn size(mut self, rows: u16, columns: u16) -> Self {
        self.size = (rows, columns);
        self
    }

    /// Starts it and waits for its first prompt.
    pub(crate) fn open(self) -> Terminal {
        let terminal = self.start();
        terminal.ready_after(0);
        terminal
    }

    /// Starts the shell without waiting for a prompt.
    pub(crate) fn start(self) -> Terminal {
        signals::default_in_children();
        let (rows, columns) = self.size;
        let alone = starting();
        let (pty, pts) = pty_process::blocking::open().expect("a terminal");
        pty.resize(Size::new(rows, columns)).expect("a size");
        let mut command = Command::new(&self.program)
            .args(&self.arguments)
            .env_clear()
            .envs(self.set.iter().map(|(name, value)| (OsStr::new(name), OsStr::new(value))))
            .current_dir(&self.dir);
        if let Some(name) = &self.name {
            command = command.arg0(name);
        }
        let child = command.spawn(pts).expect("the program starts");
        drop(alone);
        let parser = Parser::new(at_least_one(rows), at_least_one(columns), 1000);
        let seen = Arc::new(Seen {
            state: Mutex::new(TerminalState {
                parser,
                raw: Vec::new(),
                ended: false,
                closing: false,
            }),
            changed: Condvar::new(),
        });
        let pty = Arc::new(pty);
        let (reader, noted) = (Arc::clone(&pty), Arc::clone(&seen));
        let reader = thread::spawn(move || read(&reader, &noted));
        Terminal { pty: Some(pty), reader: Some(reader), child, seen, ended: None }
    }
}

fn at_least_one(number: u16) -> NonZeroU16 {
    NonZeroU16::new(number).unwrap_or(NonZeroU16::MIN)
}

fn read(mut pty: &Pty, seen: &Seen) {
    let mut buffer = [0; 8192];
    let interval = Timespec { tv_sec: 0, tv_nsec: i64::from(POLL_INTERVAL.subsec_nanos()) };
    loop {
        let mut waited = [PollFd::new(pty, PollFlags::IN)];
        if seen.state().closing {
            return;
        }
        if poll(&mut waited, Some(&interval)) == Ok(0) {
            continue;
        }
        let read = pty.read(&mut buffer);
        let mut state = seen.state();
        match read {
            Ok(0) | Err(_) => {
                state.ended = true;
                seen.changed.notify_all();
                return;
            }
            Ok(count) => {
                state.parser.process(&buffer[..count]);
                state.raw.extend_from_slice(&buffer[..count]);
            }
        }
        seen.changed.notify_all();
    }
}

struct Seen {
    state: Mutex<TerminalState>,
    changed: Condvar,
}

impl Seen {
    fn state(&self) -> MutexGuard<'_, TerminalState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct TerminalState {
    parser: Parser,
    raw: Vec<u8>,
    ended: bool,
    closing: bool,
}

impl TerminalState {
    /// How often an editor was ready for a line: it then requests bracketed paste.
    fn ready(&self) -> usize {
        let mark = b"\x1b[?2004h";
        self.raw.windows(mark.len()).filter(|window| window == mark).count()
    }
}

/// A terminal with a program in it. The program is ended with it.
pub(crate) struct Terminal {
    pty: Option<Arc<Pty>>,
    reader: Option<JoinHandle<()>>,
    child: Child,
    seen: Arc<Seen>,
    ended: Option<ExitStatus>,
}

impl Terminal {
    /// Sends these bytes unchanged.
    pub(crate) fn keys(&self, keys: &str) {
        let mut pty: &Pty = self.pty.as_ref().expect("an open terminal");
        pty.write_all(keys.as_bytes()).expect("the keys are taken");
    }

    /// Sends these bytes if a program still reads the terminal.
    pub(crate) fn try_keys(&self, keys: &str) -> bool {
        self.pty.as_ref().is_some_and(|pty| {
            let mut pty: &Pty = pty;
            pty.write_all(keys.as_bytes()).is_ok()
        })
    }

    /// Whether the program has ended.
    pub(crate) fn has_ended(&mut self) -> bool {
        if self.ended.is_none() {
            self.ended = self.child.try_wait().expect("a child");
        }
        self.ended.is_some()
    }

    /// A letter with the control key.
    pub(crate) fn control(&self, letter: char) {
        let code = u8::try_from(letter.to_ascii_uppercase()).expect("a letter") & 0x1f;
        self.keys(&char::from(code).to_string());
    }

    /// Sends a line with Enter.
    pub(crate) fn line(&self, line: &str) {
        self.keys(line);
        self.keys("\r");
    }

    /// Text as a terminal pastes it.
    pub(crate) fn paste(&self, text: &str) {
        self.keys(&format!("\x1b[200~{}\x1b[201~", text.replace('\n', "\r")));
    }

    /// Runs a line, waits for the next prompt and returns the lines in between.
    pub(crate) fn run(&self, line: &str) -> String {
        let before = self.ready();
        self.line(line);
        self.ready_after(before);
        self.between(line)
    }

    /// The text between a typed line and the prompt after its output.
    pub(crate) fn between(&self, line: &str) -> String {
        let rows = self.rows();
        let last = rows.iter().rposition(|row| !row.is_empty()).unwrap_or(0);
        let typed = format!("> {}", line.trim_end());
        let typed = rows[..last].iter().rposition(|row| row.ends_with(&typed));
        let from = typed.map_or(0, |row| row + 1);
        rows.get(from..last).unwrap_or_default().join("\n")
    }

    /// The rows of the screen, without blanks at their ends.
    pub(crate) fn rows(&self) -> Vec<String> {
        rows(self.seen.state().parser.screen())
    }

    /// Everything that ever came, with its escape codes.
    pub(crate) fn raw(&self) -> String {
        String::from_utf8_lossy(&self.seen.state().raw).into_owned()
    }

    /// How often an editor has been ready for a line.
    pub(crate) fn ready(&self) -> usize {
        self.seen.state().ready()
    }

    /// Waits until an editor has been ready more often than this, and shows its prompt.
    pub(crate) fn ready_after(&self, times: usize) {
        self.until(&format!("prompt number {}", times + 1), |state| state.ready() > times);
        self.wait_for("a prompt", |screen| !behind(screen).trim().is_empty());
    }

    /// Waits until the screen is as it should be.
    pub(crate) fn wait_for(&self, what: &str, holds: impl Fn(&Screen) -> bool) {
        self.until(what, |state| holds(state.parser.screen()));
    }

    /// Waits for a text on the screen.
    pub(crate) fn sees(&self, text: &str) {
        self.wait_for(text, |screen| screen.contents().contains(text));
    }

    /// Waits for a text in all that came, by a program that may have ended since.
    pub(crate) fn sees_before_the_end(&self, text: &str) {
        eventually(text, || self.raw().contains(text));
    }

    /// Waits for a row that is exactly this.
    pub(crate) fn sees_row(&self, text: &str) {
        self.wait_for(text, |screen| rows(screen).iter().any(|row| row == text));
    }

    /// Waits until the cursor is after this text.
    pub(crate) fn cursor_behind(&self, text: &str) {
        self.wait_for(&format!("{text} before the cursor"), |screen| {
            behind(screen).ends_with(text)
        });
    }

    /// Waits until a program asks this at the cursor; the line that starts it may hold the same words.
    pub(crate) fn asked(&self, text: &str) {
        self.wait_for(&format!("{text} as a question"), |screen| behind(screen) == text);
    }

    /// The colour of the letter before the cursor.
    pub(crate) fn colour_before_the_cursor(&self) -> vt100::Color {
        let state = self.seen.state();
        let (row, column) = state.parser.screen().cursor_position();
        let cell = state.parser.screen().cell(row, column.saturating_sub(1));
        cell.map_or(vt100::Color::Default, vt100::Cell::fgcolor)
    }

    /// Waits until there is an empty prompt at the cursor, on the ordinary screen.
    pub(crate) fn at_prompt(&self) {
        self.wait_for("an empty prompt", |screen| {
            let row = behind(screen);
            !screen.alternate_screen() && row.starts_with("aegish") && row.ends_with("> ")
        });
    }

    fn until(&self, what: &str, holds: impl Fn(&TerminalState) -> bool) {
        let deadline = Instant::now() + DEADLINE;
        let mut state = self.seen.state();
        while !holds(&state) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || state.ended {
                let ended = if state.ended { " (the program has ended)" } else { "" };
                let screen = rows(state.parser.screen()).join("\n");
                drop(state);
                panic!(
                    "waited in vain for: {what}{ended}\n--- the screen:\n{}\n---",
                    screen.trim_end()
                );
            }
            let (next, _) =
                self.seen.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner);
            state = next;
        }
    }

    pub(crate) fn resize(&self, rows: u16, columns: u16) {
        let pty = self.pty.as_ref().expect("an open terminal");
        pty.resize(Size::new(rows, columns)).expect("a size");
        self.seen.state().parser.set_size(at_least_one(rows), at_least_one(columns));
    }

    /// The process in it.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for its end and gives the status: 128 and the signal's number if it was killed.
    pub(crate) fn status(&mut self) -> i32 {
        let started = Instant::now();
        loop {
            if let Some(status) = self.ended.or_else(|| self.child.try_wait().expect("a child")) {
                self.ended = Some(status);
                return status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(127));
            }
            if started.elapsed() > DEADLINE {
                panic!(
                    "it does not end\n--- the screen:\n{}\n---",
                    self.rows().join("\n").trim_end()
                );
            }
            thread::sleep(POLL_INTERVAL);
        }
    }

    /// Hangs up: the window is closed.
    pub(crate) fn close(&mut self) {
        // The reader holds it, too.
        self.seen.state().closing = true;
        if let Some(reader) = self.reader.take() {
            reader.join().expect("the reader ends");
        }
        self.pty = None;
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn rows(screen: &Screen) -> Vec<String> {
    let (_, columns) = screen.size();
    screen.rows(0, columns.get()).map(|row| row.trim_end().to_owned()).collect()
}

/// The text before the cursor in its row.
fn behind(screen: &Screen) -> String {
    let (row, column) = screen.cursor_position();
    screen.rows(0, column).nth(usize::from(row)).unwrap_or_default()
}

/// Waits for something outside the terminal.
pub(crate) fn eventually(what: &str, holds: impl Fn() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < DEADLINE, "waited in vain for: {what}");
        thread::sleep(POLL_INTERVAL);
    }
}

/// A shell in production, with its own file for the audit log. Prints that the test is skipped if this user
/// may not create one.
pub(crate) fn in_production(home: &Home) -> Option<Start> {
    let place = "mount -t tmpfs tmpfs /var/log && exec \"$@\"";
    let words = ["-r", "-m", "/bin/sh", "-c", place, "sh"];
    let possible = {
        let _alone = starting();
        std::process::Command::new("unshare").args(words).arg("true").output()
    };
    if !possible.is_ok_and(|tried| tried.status.success()) {
        println!("skipped: this user may not make a place for a log");
        return None;
    }
    let shell = home.shell().set("AEGISH_MODE", "production").unset("AEGISH_JUDGE");
    Some(shell.program("unshare").arguments(&[&words[..], &[AEGISH]].concat()))
}

/// Whether a program is installed; prints that the test is skipped if it is not.
pub(crate) fn have(program: &str) -> bool {
    let found = ["/usr/local/bin", "/usr/bin", "/bin"]
        .iter()
        .any(|dir| Path::new(dir).join(program).exists());
    if !found {
        println!("skipped: {program} is not installed");
    }
    found
}

/// Whether the process with this id has ended; it may still be a zombie.
pub(crate) fn gone(process: &str) -> bool {
    let state = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    state.rsplit(')').next().is_none_or(|rest| rest.is_empty() || rest.starts_with(" Z"))
}
