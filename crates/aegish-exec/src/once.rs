//! One text, one bash: `-c`, a script file, a script on standard input.
//!
//! Standard input, output and error pass through untouched. Signals that were meant for this process
//! are handed on; those of the terminal reach bash by themselves, being in the same group.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{fmt, fs};

use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::signal::{SigSet, Signal, kill, raise};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use crate::bash::Bash;
use crate::closed;
use crate::environment::Environment;
use crate::outcome::Outcome;
use crate::pin::{self, Changed};
use crate::signals;
use aegish_guard::Permit;

/// How bash gets the text.
#[derive(Debug, Clone, Copy)]
pub enum Invocation<'a> {
    /// As `bash -c TEXT [NAME [ARGUMENT…]]`.
    Text {
        /// What becomes `$0` and the parameters.
        words: &'a [OsString],
    },
    /// As `bash SCRIPT [ARGUMENT…]`; the text is what the file says.
    File {
        /// As it was named, because `$0` says so.
        path: &'a Path,
        /// The parameters.
        arguments: &'a [OsString],
    },
    /// As `bash -s [ARGUMENT…]`, with the text on standard input.
    Input {
        /// The parameters.
        arguments: &'a [OsString],
    },
}

/// What happens when the command is stopped, as by `^Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stops {
    /// This process stops as well, and whoever started it goes on, as with bash.
    HandedOn,
    /// The command goes on at once: whoever started this must not be reached.
    Undone,
}

/// Why nothing was run.
#[derive(Debug)]
pub enum NotRun {
    /// A file is no longer what was judged.
    Changed(Changed),
    /// Bash could not be started, or not be watched.
    System(io::Error),
}

impl fmt::Display for NotRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed(changed) => changed.fmt(f),
            Self::System(error) => write!(f, "nothing was run: bash could not be started: {error}"),
        }
    }
}

impl std::error::Error for NotRun {}

impl From<Changed> for NotRun {
    fn from(changed: Changed) -> Self {
        Self::Changed(changed)
    }
}

impl From<io::Error> for NotRun {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

impl From<nix::errno::Errno> for NotRun {
    fn from(error: nix::errno::Errno) -> Self {
        Self::System(error.into())
    }
}

/// What reaches this process only, so that it has to be handed on; and the child's end.
const WATCHED: [Signal; 10] = [
    Signal::SIGCHLD,
    Signal::SIGINT,
    Signal::SIGQUIT,
    Signal::SIGTERM,
    Signal::SIGHUP,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
    Signal::SIGALRM,
    Signal::SIGTSTP,
    Signal::SIGCONT,
];

/// Runs what was judged and waits for its end.
///
/// # Errors
/// If nothing was run.
pub fn run(
    bash: &Bash,
    environment: &Environment,
    permit: &Permit,
    invocation: Invocation<'_>,
    stops: Stops,
) -> Result<Outcome, NotRun> {
    let mut command = Command::new(bash.path());
    command.arg0("bash").args(["--norc", "--noprofile"]);
    command.env_clear().envs(environment.variables());
    let text = permit.text();
    match invocation {
        Invocation::Text { words } => {
            command.arg("-c").arg("--").arg(OsStr::from_bytes(text)).args(words);
        }
        Invocation::File { path, arguments } => {
            command.arg("--").arg(path).args(arguments);
        }
        Invocation::Input { arguments } => {
            command.arg("-s").arg("--").args(arguments).stdin(Stdio::from(sealed(text)?));
        }
    }
    let given: &[RawFd] = match invocation {
        Invocation::Input { .. } => &[0],
        Invocation::Text { .. } | Invocation::File { .. } => &[],
    };
    closed::close_in(&mut command, given);
    // Before the start: a signal between start and watch would be lost.
    let mut watched = SigSet::empty();
    watched.extend(WATCHED);
    let before = SigSet::thread_get_mask()?;
    watched.thread_block()?;
    signals::mask_in(&mut command, before);
    let arrivals = SignalFd::with_flags(&watched, SfdFlags::SFD_CLOEXEC)?;
    if let Invocation::File { path, .. } = invocation
        && !fs::read(path).is_ok_and(|now| now == text)
    {
        return Err(Changed { path: path.to_string_lossy().into_owned() }.into());
    }
    pin::still_the_same(permit)?;
    let child = command.spawn()?;
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap_or(i32::MAX));
    let outcome = wait(pid, &arrivals, stops)?;
    before.thread_set_mask()?;
    Ok(outcome)
}

/// A file without a name that holds the text, so that bash and its children read it as from a file.
fn sealed(text: &[u8]) -> io::Result<File> {
    let mut file = File::from(memfd_create("script", MFdFlags::MFD_CLOEXEC)?);
    file.write_all(text)?;
    file.rewind()?;
    Ok(file)
}

fn wait(pid: Pid, arrivals: &SignalFd, stops: Stops) -> Result<Outcome, NotRun> {
    loop {
        let flags = WaitPidFlag::WNOHANG | WaitPidFlag::WUNTRACED;
        match waitpid(pid, Some(flags))? {
            WaitStatus::Exited(_, status) => {
                return Ok(Outcome::Exited(u8::try_from(status & 0xff).unwrap_or(255)));
            }
            WaitStatus::Signaled(_, signal, _) => return Ok(Outcome::Killed(signal as i32)),
            // Only what somebody asked for: reading from a terminal that is not ours would stop it again.
            WaitStatus::Stopped(_, Signal::SIGTSTP | Signal::SIGSTOP) if stops == Stops::Undone => {
                let _ = kill(pid, Signal::SIGCONT);
            }
            // Whoever started this sees it stop, as it would have seen bash stop.
            WaitStatus::Stopped(..) => raise(Signal::SIGSTOP)?,
            _ => {}
        }
        let Some(info) = arrivals.read_signal()? else { continue };
        let signal = i32::try_from(info.ssi_signo).ok().and_then(|n| Signal::try_from(n).ok());
        // What the kernel sent on behalf of the terminal went to the whole group.
        let from_a_process = info.ssi_code <= 0;
        match signal {
            Some(Signal::SIGCHLD | Signal::SIGTSTP) | None => {}
            Some(Signal::SIGCONT) => {
                let _ = kill(pid, Signal::SIGCONT);
            }
            Some(signal) if from_a_process => {
                let _ = kill(pid, signal);
            }
            Some(_) => {}
        }
    }
}

/// Ends this process as the command ended: with its status, or by its signal.
pub fn end_as(outcome: Outcome) -> u8 {
    if let Outcome::Killed(signal) = outcome {
        signals::die_by(signal);
    }
    outcome.status()
}
