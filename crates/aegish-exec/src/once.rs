//! One text, one bash: `-c`, a script file, a script on standard input.
//!
//! Standard input, output and error are inherited unchanged. Signals that another process sends to this one
//! are forwarded; signals of the terminal reach bash too, because it is in the same process group. If this
//! process is killed, bash is killed.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;

use aegish_kernel::Confinement;
use nix::fcntl::{FcntlArg, OFlag, SealFlag, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::{Pid, getpid, getsid};

use crate::bash::Bash;
use crate::closed;
use crate::descent;
use crate::environment::Environment;
use crate::options::BashOptions;
use crate::outcome::{self, ChildChange, Outcome};
use crate::pin::{self, Changed, ChangedPart};
use crate::quiet_stops::QuietStops;
use crate::script::FoundScript;
use crate::signals;
use crate::spawn::Spawn;
use aegish_guard::Permit;

/// How bash gets the text.
#[derive(Debug, Clone, Copy)]
pub enum CallForm<'a> {
    /// As `bash -c TEXT [NAME [ARGUMENT…]]`.
    Text {
        /// `$0` and the parameters.
        words: &'a [OsString],
    },
    /// As `bash SCRIPT [ARGUMENT…]`; the text is the content of the file.
    File {
        /// Where it was found.
        script: &'a FoundScript,
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
    /// This process stops too, and its parent continues, as with bash.
    HandedOn,
    /// The command is continued at once, because control must not return to the parent process.
    Undone,
}

/// A call of bash: all but the text.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// How it gets the text.
    pub form: CallForm<'a>,
    /// Its options.
    pub options: &'a BashOptions,
    /// The meaning of a stop.
    pub stops: Stops,
}

/// Why nothing was run.
#[derive(Debug)]
pub enum NotRun {
    /// A file changed after it was judged.
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

/// Signals that reach only this process and have to be forwarded, and the end of the child.
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

/// Runs the judged text and waits for its end.
///
/// # Errors
///
/// If nothing was run.
pub fn run(
    bash: &Bash,
    environment: &Environment,
    permit: &Permit,
    call: Call<'_>,
    confinement: Confinement,
) -> Result<Outcome, NotRun> {
    let mut spawn = Spawn::new(bash.path().as_os_str(), "bash")?;
    let supervised = confinement.reports();
    spawn.confine(confinement.into());
    spawn.args(["--norc", "--noprofile"])?.args(call.options.words())?;
    for (name, value) in environment.variables() {
        spawn.env(name, value)?;
    }
    let text = permit.text();
    // Stays open until bash has opened its own.
    let mut copy = None;
    let given: Option<RawFd> = match call.form {
        CallForm::Text { words } => {
            spawn.args(["-c", "--"])?.arg(OsStr::from_bytes(text))?.args(words)?;
            None
        }
        CallForm::File { script, arguments } => {
            spawn.arg("--")?.arg(script.named())?.args(arguments)?;
            script.stream()
        }
        CallForm::Input { arguments } => {
            spawn.args(["-s", "--"])?.args(arguments)?;
            Some(0)
        }
    };
    if let Some(number) = given {
        let file = copy.insert(sealed(text)?);
        // Bash opens the script by name and reads all of it; nothing is left on the descriptor for
        // the script to read.
        if number == 0 && matches!(call.form, CallForm::File { .. }) {
            file.seek(SeekFrom::End(0))?;
        }
        spawn.copy_fd(file.as_raw_fd(), number);
    }
    spawn.close_fds(closed::at_the_start().filter(|descriptor| Some(*descriptor) != given));
    // Before the start: a signal between start and watch would be lost.
    let mut watched = SigSet::empty();
    watched.extend(WATCHED);
    let before = SigSet::thread_get_mask()?;
    watched.thread_block()?;
    spawn.signal_mask(before);
    spawn.sigpipe(signals::pipe_at_the_start());
    let arrivals = SignalFd::with_flags(&watched, SfdFlags::SFD_CLOEXEC)?;
    if let CallForm::File { script, .. } = call.form
        && !script.holds(text, std::env::var_os("PATH").as_deref())
    {
        let path = script.named().to_string_lossy().into_owned();
        return Err(Changed { path, what: ChangedPart::Contents }.into());
    }
    pin::verify(permit)?;
    let pid = spawn.start()?;
    drop((copy, spawn));
    let quiet = supervised.then(|| QuietStops::of(pid)).transpose()?;
    let outcome = wait(pid, &arrivals, call.stops)?;
    drop(quiet);
    forget(&arrivals)?;
    before.thread_set_mask()?;
    Ok(outcome)
}

/// A file without a name that holds the text and cannot be changed. Bash and its children read it like a
/// file, and no process can write to it through `/proc`.
fn sealed(text: &[u8]) -> io::Result<File> {
    let flags = MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING;
    let mut file = File::from(memfd_create("script", flags)?);
    file.write_all(text)?;
    file.rewind()?;
    fcntl(&file, FcntlArg::F_ADD_SEALS(SealFlag::all()))?;
    Ok(file)
}

fn wait(pid: Pid, arrivals: &SignalFd, stops: Stops) -> Result<Outcome, NotRun> {
    loop {
        match outcome::change_of(pid)? {
            ChildChange::Ended(outcome) => return Ok(outcome),
            // Only stops on request: a process that reads from a terminal that it does not own
            // would stop again.
            ChildChange::Stopped(Signal::SIGTSTP | Signal::SIGSTOP) if stops == Stops::Undone => {
                let _ = kill(pid, Signal::SIGCONT);
            }
            // The parent process sees this process stop, as it would see bash stop. Without a
            // terminal no process waits for that, and none would continue this process together
            // with bash.
            ChildChange::Stopped(signal) if has_terminal() => signals::stop_by(signal)?,
            ChildChange::Stopped(_) => {}
            ChildChange::None => {}
        }
        let Some(info) = arrivals.read_signal()? else { continue };
        let signal = i32::try_from(info.ssi_signo).ok().and_then(|n| Signal::try_from(n).ok());
        // Signals that the kernel sends for the terminal go to the whole group. A hang-up goes only
        // to the session leader.
        let from_a_process =
            info.ssi_code <= 0 || (signal == Some(Signal::SIGHUP) && leads_session());
        match signal {
            Some(Signal::SIGCHLD | Signal::SIGTSTP) | None => {}
            Some(Signal::SIGCONT) => {
                let _ = kill(pid, Signal::SIGCONT);
            }
            // A signal that the script itself sent was meant for the group (`kill 0`) and reached
            // bash.
            Some(signal) if from_a_process && !descent::includes(pid, info.ssi_pid) => {
                let _ = kill(pid, signal);
            }
            Some(_) => {}
        }
    }
}

/// Drops signals that arrived for a bash that has ended. They must not end this process.
fn forget(arrivals: &SignalFd) -> io::Result<()> {
    fcntl(arrivals, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
    while arrivals.read_signal()?.is_some() {}
    Ok(())
}

/// Whether this is the first process of its session, as a login shell is.
fn leads_session() -> bool {
    getsid(None).is_ok_and(|leader| leader == getpid())
}

/// Whether there is a terminal from which jobs are controlled.
fn has_terminal() -> bool {
    File::open("/dev/tty").is_ok()
}

/// Ends this process as the command ended: with its status, or by its signal.
pub fn end_as(outcome: Outcome) -> u8 {
    if let Outcome::Killed(signal) = outcome {
        signals::die_by(signal);
    }
    outcome.status()
}
