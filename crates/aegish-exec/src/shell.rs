//! A persistent interactive bash on the terminal, driven over a socket.
//!
//! Bash is started interactive (`-i`), so that jobs, `^C` and `^Z` mean what people expect, but reads
//! its commands from a socket instead of the terminal. Each line is handed over single-quoted:
//!
//! ```text
//! { \builtin history -s -- 'LINE'; __aegish_set 0 'last'; } 2>/dev/null && \builtin eval 'LINE'"$__aegish_tail" 0<&TTY TTY<&- REPORT>&-; { __aegish_close "$?"; } 2>/dev/null
//! { __aegish_after MARK 7 "$?"; } 2>/dev/null && __aegish_wait 7 0<&TTY
//! ```
//!
//! so that bash gets exactly the bytes that were judged, `$?` and `$_` are those of the line before (the tail, on a line
//! of its own, keeps them), and the line sees the terminal as its input and neither of the driver's descriptors. The
//! report is asked for on a line of its own, because `^C` makes bash drop the rest of a line; if that was dropped too,
//! it is asked for again. Bash reports jobs that ended when it reads a line; so it reads none while somebody types.
//!
//! Sockets, because a pipe can be opened for writing through `/proc`, and bash would run what nobody judged.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, fcntl};
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, getpgid};

use crate::bash::Bash;
use crate::ended::Ended;
use crate::environment::Environment;
use crate::gate::Expected;
use crate::hangup;
use crate::outcome::{self, ChildChange};
use crate::pin;
use crate::prompts;
use crate::reading::{CommandReader, unread};
use crate::report::{self, ChangedVariables, Report};
use crate::signals;
use crate::terminal::Terminal;
use crate::text::{self, DriverFds, Execution, is_exit, single_quoted};
use aegish_guard::{Assigned, Permit};
use aegish_kernel::Confinement;
use std::mem::take;
use std::sync::Arc;

/// Descriptors of the driver in bash start at the first of these that the limit on open files allows. People use small
/// numbers and round ones (the manual page of `flock` has 200); bash takes those from 10 upwards and from 255 downwards.
const FIRST_FDS: [RawFd; 3] = [1000, 230, 50];
/// How often the driver checks whether bash was stopped or interrupted while it waits for a report.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Limit on requests for a report that bash reads without answering. Then bash is given up. While a line
/// runs, bash reads no request.
const MAX_UNANSWERED: u32 = 20;
/// Longer reports are rejected.
const MAX_REPORT: usize = 16 * 1024 * 1024;

const SETUP: &str = include_str!("setup.bash");

/// The persistent bash.
#[derive(Debug)]
pub struct Shell {
    pub(crate) pid: Pid,
    commands: UnixStream,
    reports: UnixStream,
    pub(crate) terminal: Option<Terminal>,
    pub(crate) mark: String,
    pub(crate) sequence: u64,
    /// The number under which bash waits to be released, if it does.
    pub(crate) waits: Option<u64>,
    last: Report,
    /// The variables that the current line can change, and that are therefore requested.
    asked_for: Assigned,
    before: PreviousCommand,
    size: Option<(u16, u16)>,
    pub(crate) fds: DriverFds,
    /// Bash has the functions that answer questions.
    pub(crate) answers: bool,
    /// Bash has the function that reads further definitions.
    defines: bool,
    /// Where bash reads its commands.
    reader: CommandReader,
    /// The descriptors that bash must keep: its input, the one of lines and the one of reports.
    _expected: [Expected; 3],
}

/// The previous command, as bash sees it: with stopped jobs, a second `exit` ends bash if no command ran in
/// between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PreviousCommand {
    /// A refused `exit`: the next one ends bash.
    Leaving,
    Other,
}

/// Whether a request for a report was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReportRequest {
    /// Bash has not read the last one yet.
    Pending,
    /// Bash read the last one, and another one was sent.
    Again,
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
        confinement: Confinement,
    ) -> Result<Self, Ended> {
        let (commands, stdin) = UnixStream::pair()?;
        let (reports, report) = UnixStream::pair()?;
        let input = match &terminal {
            Some(terminal) => terminal.fd().try_clone_to_owned()?,
            None => io::stdin().as_fd().try_clone_to_owned()?,
        };
        let (input_fd, report_fd) = (inherited(&input)?, inherited(&report)?);
        let expected = [
            Expected::new(0, &stdin)?,
            Expected::new(input_fd, &input)?,
            Expected::new(report_fd, &report)?,
        ];
        let [own, line, report] = expected.each_ref().map(|one| one.condition(&confinement));
        let conditions = [own?, line?, report?];
        let mut command = Command::new(bash.path());
        command
            .arg0("bash")
            .args(["--norc", "--noprofile", "--noediting", "-i", "-s"])
            .env_clear()
            .envs(environment.of_session())
            .envs([("PS1", ""), ("PS2", "")])
            .stdin(Stdio::from(OwnedFd::from(stdin)));
        signals::default_in(&mut command);
        signals::hang_up_with_us(&mut command);
        signals::confine(&mut command, Arc::new(confinement));
        let child = command.spawn();
        drop(command);
        for fd in [input_fd, report_fd] {
            let _ = nix::unistd::close(fd);
        }
        let child = child?;
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap_or(i32::MAX));
        let [input, ..] = &expected;
        let reader = CommandReader::new(pid, input.identity())?;
        let mut shell = Self {
            pid,
            commands,
            reports,
            terminal,
            mark: mark.to_owned(),
            sequence: 0,
            waits: None,
            last: Report::default(),
            asked_for: Assigned::Any,
            before: PreviousCommand::Other,
            size: None,
            fds: DriverFds { input: input_fd, report: report_fd },
            answers: false,
            defines: false,
            reader,
            _expected: expected,
        };
        if let Some(terminal) = &shell.terminal {
            shell.size = terminal.size();
            hangup::watch(pid, terminal)?;
        }
        let [_, _, report] = &conditions;
        let setup = SETUP.replace("@GATE@", &conditions.join(" && ")).replace("@REPORT@", report);
        shell.define(&setup)?;
        shell.ask_for_report()?;
        shell.wait()?;
        Ok(shell)
    }

    /// Takes the terminal back if bash has it, and returns whether it did. Bash takes the terminal when
    /// it handles an interrupt late.
    #[must_use]
    pub fn retake_terminal(&self) -> bool {
        self.terminal.as_ref().is_some_and(Terminal::retake)
    }

    /// Ends this process, bash and its jobs if the terminal is closed. Otherwise does nothing.
    pub fn end_without_terminal(&self) {
        if self.terminal.as_ref().is_some_and(|terminal| !terminal.is_there()) {
            hangup::pass_on(self.pid);
        }
    }

    /// The last report of bash.
    #[must_use]
    pub fn last(&self) -> &Report {
        &self.last
    }

    /// Sets `$?` for the next line, after a line was refused.
    pub fn set_status(&mut self, status: u8) {
        self.last.status = status;
    }

    /// Runs a line and waits for its report.
    ///
    /// # Errors
    /// If bash ended, or the line must not run because a file changed.
    pub fn run(&mut self, permit: &Permit) -> Result<&Report, Ended> {
        pin::verify(permit).map_err(Ended::Changed)?;
        let line = permit.text();
        let text = match self.before {
            PreviousCommand::Leaving if is_exit(line) => text::last_exit(&self.last, line),
            PreviousCommand::Leaving | PreviousCommand::Other => {
                let how = if permit.sets_edit_mode() { Execution::Source } else { Execution::Eval };
                let prompts = prompts::seen_by(permit, &self.last);
                text::driven(&self.last, line, how, prompts, self.fds)
            }
        };
        self.before = if is_exit(line) || line.trim_ascii() == b"jobs" {
            PreviousCommand::Leaving
        } else {
            PreviousCommand::Other
        };
        self.tell_size();
        if let Some(terminal) = &self.terminal {
            terminal.give_to(getpgid(Some(self.pid)).unwrap_or(self.pid))?;
        }
        self.asked_for = permit.assigned().clone();
        self.ask_for_report_after(text::with_behind(text))?;
        self.wait()?;
        Ok(&self.last)
    }

    /// Runs a text between two lines and returns its status. `$?`, `$_` and `PIPESTATUS` stay those of the line before.
    ///
    /// # Errors
    ///
    /// If bash ended, or the text must not run because a file changed.
    pub fn run_between_lines(&mut self, permit: &Permit) -> Result<u8, Ended> {
        let Report { status, last_word, pipe, .. } = &self.last;
        let left = (*status, last_word.clone(), pipe.clone());
        let before = self.before;
        let status = self.run(permit)?.status;
        (self.last.status, self.last.last_word, self.last.pipe) = left;
        self.before = before;
        Ok(status)
    }

    /// Drops the variables of the last report that are needed only once. The session has them.
    pub fn forget_variables(&mut self) {
        self.last.forget_variables();
    }

    /// Runs nothing. Bash reports jobs that ended, as it does before its own prompts.
    ///
    /// # Errors
    ///
    /// If bash ended.
    pub fn look(&mut self) -> Result<(), Ended> {
        self.tell_size();
        // Bash checks its jobs when it reads a line, not while it waits for one.
        self.send(b"\n")?;
        let Report { status, last_word, pipe, options, .. } = &mut self.last;
        let before = (*status, take(last_word), take(pipe), take(options));
        self.asked_for = Assigned::Names(Vec::new());
        self.ask_for_report()?;
        self.wait()?;
        let (status, last_word, pipe, options) = before;
        self.last = Report { status, last_word, pipe, options, ..take(&mut self.last) };
        Ok(())
    }

    /// While no command runs, the kernel signals a changed size of the terminal only to this process.
    fn tell_size(&mut self) {
        let size = self.terminal.as_ref().and_then(Terminal::size);
        if size != self.size {
            self.size = size;
            let _ = kill(self.pid, Signal::SIGWINCH);
        }
    }

    /// Makes bash read the definitions of the driver. Behind the first ones, they are read without aliases.
    pub(crate) fn define(&mut self, code: &str) -> Result<(), Ended> {
        let by = if self.defines { "\\__aegish_define " } else { "\\builtin eval " };
        self.defines = true;
        let code = code.replace("@FD@", &self.fds.report.to_string());
        let code = code.replace("@TTY@", &self.fds.input.to_string());
        let code = code.replace("@SCRIPT@", &self.fds.script().to_string());
        let mut text = by.as_bytes().to_vec();
        text.extend(single_quoted(code.as_bytes()));
        text.push(b'\n');
        self.send(&text)
    }

    fn ask_for_report(&mut self) -> Result<(), Ended> {
        self.ask_for_report_after(Vec::new())
    }

    /// Sends a text and asks for a report.
    fn ask_for_report_after(&mut self, mut text: Vec<u8>) -> Result<(), Ended> {
        self.sequence += 1;
        // Programs may change the size of the terminal.
        if let Assigned::Names(names) = &mut self.asked_for {
            if names.iter().any(|name| prompts::is_prompt(name)) {
                names.extend(prompts::KEPT.map(str::to_owned));
            }
            names.extend(["COLUMNS", "LINES", report::KEYS].map(str::to_owned));
        }
        text.extend(self.report_request().as_bytes());
        self.send(&text)?;
        self.waits = Some(self.sequence);
        Ok(())
    }

    /// Sends another request if bash has read all input: then either the line still runs, or an interrupt
    /// made bash drop the request. While bash has unread input, no second request is sent.
    fn ask_again(&mut self) -> Result<ReportRequest, Ended> {
        if unread(&self.commands) != Some(0) {
            return Ok(ReportRequest::Pending);
        }
        let request = self.report_request();
        match self.commands.write_all(request.as_bytes()) {
            Ok(()) => Ok(ReportRequest::Again),
            Err(error) => Err(self.gone().unwrap_or(Ended::Broken(error))),
        }
    }

    fn report_request(&self) -> String {
        let (mark, sequence) = (&self.mark, self.sequence);
        let wait = self.wait_request(sequence);
        let variables = match &self.asked_for {
            Assigned::Any => "all".to_owned(),
            Assigned::Names(names) => format!("some {}", names.join(" ")),
        };
        format!("{{ __aegish_after {mark} {sequence} \"$?\" {variables}; }} 2>/dev/null && {wait}")
    }

    /// The command that makes bash wait. A trap that runs meanwhile reads the terminal.
    pub(crate) fn wait_request(&self, sequence: u64) -> String {
        format!("__aegish_wait {sequence} 0<&{}\n", self.fds.input)
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) -> Result<(), Ended> {
        let released = match self.waits.take() {
            Some(number) => self.reports.write_all(format!("{number}\n").as_bytes()),
            None => Ok(()),
        };
        match released.and_then(|()| self.commands.write_all(bytes)) {
            Ok(()) => Ok(()),
            Err(error) => Err(self.gone().unwrap_or(Ended::Broken(error))),
        }
    }

    /// Waits for the report on the present line.
    fn wait(&mut self) -> Result<(), Ended> {
        let outcome = self.read_report();
        if let Some(terminal) = &mut self.terminal {
            terminal.take_back()?;
            // As bash does: terminal settings are restored after a killed program and kept after
            // one that exited.
            match &outcome {
                Ok(()) if self.last.status <= 128 => terminal.keep_state(),
                Ok(()) | Err(_) => terminal.restore_state(),
            }
        }
        outcome
    }

    fn read_report(&mut self) -> Result<(), Ended> {
        let (mark, sequence) = (self.mark.clone(), self.sequence);
        let mut report = self.receive(move |bytes| report::find(bytes, &mark, sequence), None)?;
        if let (ChangedVariables::Variables(_), Assigned::Names(names)) =
            (&report.changed, &self.asked_for)
        {
            report.complete(&mut self.last, names);
        }
        self.last = report;
        Ok(())
    }

    /// Reads until a frame is complete. After the deadline bash is interrupted, and there is no frame.
    pub(crate) fn receive<T: Default>(
        &mut self,
        frame: impl Fn(&[u8]) -> Option<T>,
        deadline: Option<Instant>,
    ) -> Result<T, Ended> {
        self.reports.set_read_timeout(Some(POLL_INTERVAL))?;
        let mut bytes = Vec::new();
        let mut buffer = [0; 16 * 1024];
        let mut unanswered = 0;
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
                    self.look_at_bash()?;
                    if self.reader.reads_elsewhere() {
                        let _ = kill(self.pid, Signal::SIGKILL);
                    }
                    if deadline.is_none() && self.ask_again()? == ReportRequest::Again {
                        unanswered += 1;
                    }
                    if unanswered > MAX_UNANSWERED {
                        let _ = kill(self.pid, Signal::SIGKILL);
                        let _ = self.gone();
                        return Err(Ended::Silent);
                    }
                    continue;
                }
                Err(error) => return Err(error.into()),
            }
            // Every frame ends so; an incomplete frame need not be parsed.
            if bytes.ends_with(b"END\0")
                && let Some(found) = frame(&bytes)
            {
                return Ok(found);
            }
            if bytes.len() > MAX_REPORT {
                return Err(Ended::Broken(io::Error::other("its report has no end")));
            }
        }
    }

    /// Continues bash after `suspend`, because nothing else reads the terminal. Fails if bash has ended: a
    /// background job of it may keep its end of the socket open.
    fn look_at_bash(&self) -> Result<(), Ended> {
        match outcome::change_of(self.pid) {
            Ok(change) => self.ended_by(change).map_or(Ok(()), Err),
            Err(_) => Ok(()),
        }
    }

    /// How bash ended, once its end of the socket is closed. A program that replaced bash by `exec` may
    /// still run. It must not stop, because no process could continue it. A bash that nobody can reach is ended.
    fn gone(&mut self) -> Option<Ended> {
        if self.reader.is_the_same_program() {
            let _ = kill(self.pid, Signal::SIGKILL);
        }
        loop {
            match outcome::next_change(self.pid) {
                Ok(change) => {
                    if let Some(ended) = self.ended_by(change) {
                        return Some(ended);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return None,
            }
        }
    }

    /// How bash ended, if this change says so. A stopped one is continued.
    fn ended_by(&self, change: ChildChange) -> Option<Ended> {
        match change {
            ChildChange::Ended(outcome) => Some(Ended::Gone(outcome)),
            ChildChange::Stopped(_) => {
                let _ = kill(self.pid, Signal::SIGCONT);
                None
            }
            ChildChange::None => None,
        }
    }
}

fn is_pause(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), WouldBlock | TimedOut | Interrupted)
}

/// A copy that the child inherits. No other process is started while it is open.
fn inherited(fd: &impl AsFd) -> io::Result<RawFd> {
    let [highest, lower @ ..] = FIRST_FDS;
    let copy = |first| fcntl(fd.as_fd(), FcntlArg::F_DUPFD(first));
    let copied =
        lower.into_iter().fold(copy(highest), |copied, first| copied.or_else(|_| copy(first)));
    Ok(copied?.as_raw_fd())
}
