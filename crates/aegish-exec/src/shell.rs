//! A persistent interactive bash on the terminal, driven over a socket.
//!
//! Bash is started interactive (`-i`), so that jobs, `^C` and `^Z` mean what people expect, but reads
//! its commands from a socket instead of the terminal. Each line is handed over single-quoted:
//!
//! ```text
//! __aegish_set 0 'last' && \builtin eval 'LINE' 0<&TTY TTY<&- REPORT>&-; __aegish_after MARK 7 "$?" "$_"
//! __aegish_after MARK 7 "$?" "$_"
//! ```
//!
//! so that bash gets exactly the bytes that were judged, `$?` and `$_` are those of the line before,
//! and the line sees the terminal as its input and neither of the driver's descriptors. `^C` makes
//! bash drop the rest of a line, so the report is asked for again behind it; only one is sent.
//!
//! Sockets, because a pipe can be opened for writing through `/proc`, and then bash would run what
//! nobody judged.

use std::fmt;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, fcntl};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getpgid};

use crate::bash::Bash;
use crate::environment::Environment;
use crate::outcome::Outcome;
use crate::pin::{self, Changed};
use crate::report::{self, Report};
use crate::signals;
use crate::terminal::Terminal;
use aegish_guard::Permit;

/// The driver's descriptors in bash start here, out of the way of those that lines open.
const FIRST_FD: RawFd = 200;
/// How often the driver looks whether bash was stopped while it waits for a report.
const GLANCE: Duration = Duration::from_millis(200);
/// The longest report that is believed.
const MAX_REPORT: usize = 16 * 1024 * 1024;

const SETUP: &str = include_str!("setup.bash");
const COMPLETE: &str = include_str!("complete.bash");

/// The persistent bash.
#[derive(Debug)]
pub struct Shell {
    child: Child,
    pid: Pid,
    commands: UnixStream,
    reports: UnixStream,
    terminal: Option<Terminal>,
    mark: String,
    sequence: u64,
    last: Report,
    input_fd: RawFd,
    report_fd: RawFd,
    completes: bool,
}

/// Why there was no report after a line.
#[derive(Debug)]
pub enum Ended {
    /// Bash has ended: `exit`, `exec`, or it was killed.
    Gone(Outcome),
    /// A file is no longer what was judged; the line was not run, bash is still there.
    Changed(Changed),
    /// Bash cannot be spoken to any more.
    Broken(io::Error),
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gone(Outcome::Exited(status)) => write!(f, "bash ended with status {status}"),
            Self::Gone(Outcome::Killed(signal)) => write!(f, "bash was ended by signal {signal}"),
            Self::Changed(changed) => changed.fmt(f),
            Self::Broken(error) => write!(f, "bash cannot be spoken to any more: {error}"),
        }
    }
}

impl std::error::Error for Ended {}

impl From<io::Error> for Ended {
    fn from(error: io::Error) -> Self {
        Self::Broken(error)
    }
}

impl Shell {
    /// Starts bash. `mark` must be a random word of letters and digits.
    ///
    /// # Errors
    /// If bash cannot be started, or does not answer.
    pub fn start(
        bash: &Bash,
        environment: &Environment,
        terminal: Option<Terminal>,
        mark: &str,
    ) -> Result<Self, Ended> {
        let (commands, stdin) = UnixStream::pair()?;
        let (reports, report) = UnixStream::pair()?;
        let input = match &terminal {
            Some(terminal) => terminal.fd().try_clone_to_owned()?,
            None => io::stdin().as_fd().try_clone_to_owned()?,
        };
        let (input_fd, report_fd) = (inherited(&input)?, inherited(&report)?);
        let mut command = Command::new(bash.path());
        command
            .arg0("bash")
            .args(["--norc", "--noprofile", "--noediting", "-i", "-s"])
            .env_clear()
            .envs(environment.of_session())
            .envs([("PS1", ""), ("PS2", "")])
            .stdin(Stdio::from(OwnedFd::from(stdin)));
        signals::default_in(&mut command);
        let child = command.spawn();
        for fd in [input_fd, report_fd] {
            let _ = nix::unistd::close(fd);
        }
        let child = child?;
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap_or(i32::MAX));
        let mut shell = Self {
            child,
            pid,
            commands,
            reports,
            terminal,
            mark: mark.to_owned(),
            sequence: 0,
            last: Report::default(),
            input_fd,
            report_fd,
            completes: false,
        };
        shell.define(SETUP)?;
        shell.ask_for_report()?;
        shell.wait()?;
        Ok(shell)
    }

    /// What bash said last.
    #[must_use]
    pub fn last(&self) -> &Report {
        &self.last
    }

    /// What `$_` is for the next line. To bash the last word was the whole line, which it got as one.
    pub fn set_last_word(&mut self, word: &[u8]) {
        self.last.last_word = word.to_vec();
    }

    /// What `$?` is for the next line, when a line was refused instead of run.
    pub fn set_status(&mut self, status: u8) {
        self.last.status = status;
    }

    /// Runs a line and waits for its report.
    ///
    /// # Errors
    /// If bash ended, or the line must not run because a file changed.
    pub fn run(&mut self, permit: &Permit) -> Result<&Report, Ended> {
        pin::still_the_same(permit).map_err(Ended::Changed)?;
        let next = self.sequence + 1;
        let (input, report) = (self.input_fd, self.report_fd);
        let joint = if self.last.status == 0 { "&&" } else { "||" };
        let mut text = format!("__aegish_set {} ", self.last.status).into_bytes();
        text.extend(single_quoted(&self.last.last_word));
        text.extend(format!(" {joint} \\builtin eval ").as_bytes());
        text.extend(single_quoted(permit.text()));
        text.extend(format!(" 0<&{input} {input}<&- {report}>&-; ").as_bytes());
        text.extend(self.report_request(next).as_bytes());
        if let Some(terminal) = &self.terminal {
            terminal.give_to(getpgid(Some(self.pid)).unwrap_or(self.pid))?;
        }
        self.send(&text)?;
        self.ask_for_report()?;
        self.wait()?;
        Ok(&self.last)
    }

    /// Has bash read what the driver needs in it.
    fn define(&mut self, code: &str) -> Result<(), Ended> {
        let code = code.replace("@FD@", &self.report_fd.to_string());
        let mut text = b"\\builtin eval ".to_vec();
        text.extend(single_quoted(code.as_bytes()));
        text.push(b'\n');
        self.send(&text)
    }

    /// The kind of completions, then each of them.
    pub(crate) fn ask_for_completions(
        &mut self,
        line: &str,
        words: &[&str],
        deadline: Instant,
    ) -> Result<Vec<String>, Ended> {
        if !self.completes {
            self.define(COMPLETE)?;
            self.completes = true;
        }
        self.sequence += 1;
        let index = words.len() - 1;
        let head = format!("__aegish_complete {} {} {index} ", self.mark, self.sequence);
        let mut text = head.into_bytes();
        for word in [line, &line.len().to_string()].iter().chain(words) {
            text.extend(single_quoted(word.as_bytes()));
            text.push(b' ');
        }
        text.extend(b"0</dev/null 2>/dev/null\n");
        self.send(&text)?;
        let start = format!("{}{}\0", self.mark, self.sequence);
        let frame = move |bytes: &[u8]| completions(bytes, start.as_bytes());
        self.receive(frame, Some(deadline))
    }

    fn ask_for_report(&mut self) -> Result<(), Ended> {
        self.sequence += 1;
        let request = self.report_request(self.sequence);
        self.send(request.as_bytes())
    }

    fn report_request(&self, sequence: u64) -> String {
        format!("__aegish_after {} {sequence} \"$?\" \"$_\"\n", self.mark)
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), Ended> {
        match self.commands.write_all(bytes) {
            Ok(()) => Ok(()),
            Err(error) => Err(self.gone().unwrap_or(Ended::Broken(error))),
        }
    }

    /// Waits for the report on the present line.
    fn wait(&mut self) -> Result<(), Ended> {
        let outcome = self.read_report();
        if let Some(terminal) = &self.terminal {
            terminal.take_back()?;
            if !matches!(outcome, Ok(())) || self.last.status > 128 {
                terminal.make_sane();
            }
        }
        outcome
    }

    fn read_report(&mut self) -> Result<(), Ended> {
        let (mark, sequence) = (self.mark.clone(), self.sequence);
        let frame = move |bytes: &[u8]| {
            report::last_frame(bytes, &mark)
                .filter(|frame| frame.sequence == sequence)
                .map(|frame| frame.report())
        };
        self.last = self.receive(frame, None)?;
        Ok(())
    }

    /// Reads until what came makes a frame. After the deadline bash is interrupted, and there is none.
    fn receive<T: Default>(
        &mut self,
        frame: impl Fn(&[u8]) -> Option<T>,
        deadline: Option<Instant>,
    ) -> Result<T, Ended> {
        self.reports.set_read_timeout(Some(GLANCE))?;
        let mut bytes = Vec::new();
        let mut buffer = [0; 16 * 1024];
        loop {
            match self.reports.read(&mut buffer) {
                Ok(0) => {
                    return Err(self
                        .gone()
                        .unwrap_or_else(|| Ended::Broken(io::ErrorKind::UnexpectedEof.into())));
                }
                Ok(read) => bytes.extend_from_slice(&buffer[..read]),
                Err(error) if is_pause(&error) => {
                    if deadline.is_some_and(|deadline| Instant::now() > deadline) {
                        let _ = kill(self.pid, Signal::SIGINT);
                        return Ok(T::default());
                    }
                    self.wake_if_stopped();
                    continue;
                }
                Err(error) => return Err(error.into()),
            }
            if let Some(found) = frame(&bytes) {
                return Ok(found);
            }
            if bytes.len() > MAX_REPORT {
                return Err(Ended::Broken(io::Error::other("its report has no end")));
            }
        }
    }

    /// `suspend` would leave nobody at the terminal: bash goes on at once.
    fn wake_if_stopped(&self) {
        let flags = WaitPidFlag::WNOHANG | WaitPidFlag::WUNTRACED;
        if let Ok(WaitStatus::Stopped(..)) = waitpid(self.pid, Some(flags)) {
            let _ = kill(self.pid, Signal::SIGCONT);
        }
    }

    /// How bash ended, once its side of the socket is closed. What it became by `exec` may run on.
    fn gone(&mut self) -> Option<Ended> {
        self.child.wait().ok().map(|status| Ended::Gone(Outcome::from(status)))
    }
}

/// The parts of an answer that begins and ends as it should.
fn completions(bytes: &[u8], start: &[u8]) -> Option<Vec<String>> {
    let at = bytes.windows(start.len()).position(|window| window == start)? + start.len();
    let body = bytes.get(at..)?.strip_suffix(b"\x01END\0")?;
    let fields =
        body.split(|byte| *byte == 0).map(|part| String::from_utf8_lossy(part).into_owned());
    Some(fields.collect())
}

fn is_pause(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), WouldBlock | TimedOut | Interrupted)
}

/// A copy that the child inherits. Nothing else is started while it is open.
fn inherited(fd: &impl AsFd) -> io::Result<RawFd> {
    Ok(fcntl(fd.as_fd(), FcntlArg::F_DUPFD(FIRST_FD))?.as_raw_fd())
}

/// In single quotes every byte stands for itself, but the quote.
fn single_quoted(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + 2);
    out.push(b'\'');
    for byte in bytes {
        match byte {
            b'\'' => out.extend(b"'\\''"),
            other => out.push(*other),
        }
    }
    out.push(b'\'');
    out
}
