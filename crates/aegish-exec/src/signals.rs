//! Signals around a child: which signals a shell ignores while a command has the terminal, and which it
//! forwards.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aegish_kernel::Confinement;
use nix::errno::Errno;
use nix::libc;
use nix::sys::prctl;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, raise, sigaction};

/// Signals that must not stop or end a job-control shell, not even when it writes its history beyond a file
/// size limit.
const SHELL_IGNORES: [Signal; 7] = [
    Signal::SIGTTOU,
    Signal::SIGTTIN,
    Signal::SIGTSTP,
    Signal::SIGINT,
    Signal::SIGQUIT,
    Signal::SIGTERM,
    Signal::SIGXFSZ,
];

pub(crate) fn set(signal: Signal, handler: SigHandler) -> Result<SigAction, Errno> {
    let action = SigAction::new(handler, SaFlags::empty(), SigSet::empty());
    // SAFETY: the handlers used here are "ignore" and "default"; no function of ours becomes one.
    unsafe { sigaction(signal, &action) }
}

/// Gives every signal that has a handler its default meaning; ignored ones stay ignored. Only makes system
/// calls, so that a child may call it that shares this memory.
pub(crate) fn reset_handlers() {
    for signal in 1..=libc::SIGRTMAX() {
        // SAFETY: all zeros is a valid value of this plain structure, and means "default". The calls read
        // and write nothing else. They refuse the two signals that libc keeps for itself.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(signal, ptr::null(), &raw mut action) == 0
                && action.sa_sigaction != libc::SIG_DFL
                && action.sa_sigaction != libc::SIG_IGN
            {
                action = std::mem::zeroed();
                libc::sigaction(signal, &raw const action, ptr::null_mut());
            }
        }
    }
}

/// Ignores signals that would stop or end an interactive shell.
pub(crate) fn ignore_as_shell() -> io::Result<()> {
    for signal in SHELL_IGNORES {
        set(signal, SigHandler::SigIgn)?;
    }
    Ok(())
}

/// Restores the default signal handling for the command: bash passes its own on to its children.
pub(crate) fn default_in(command: &mut Command) {
    let reset = || {
        for signal in SHELL_IGNORES {
            set(signal, SigHandler::SigDfl)?;
        }
        Ok(())
    };
    // SAFETY: between fork and exec only `sigaction` is called, which is safe there.
    unsafe { command.pre_exec(reset) };
}

/// Makes the kernel send a hang-up to the command when this process ends for any reason. Bash then hangs up
/// its jobs.
pub(crate) fn hang_up_with_us(command: &mut Command) {
    let bind = || Ok(prctl::set_pdeathsig(Signal::SIGHUP)?);
    // SAFETY: between fork and exec only `prctl` is called, which is safe there.
    unsafe { command.pre_exec(bind) };
}

/// Has the command put limits on itself. What is prepared later runs under them.
pub(crate) fn confine(command: &mut Command, confinement: Arc<Confinement>) {
    let apply = move || Ok(confinement.apply()?);
    // SAFETY: the function only makes system calls.
    unsafe { command.pre_exec(apply) };
}

/// Whether `SIGPIPE` was ignored when this process began, as a service's is by default.
static PIPE_IGNORED: AtomicBool = AtomicBool::new(false);

/// The Rust runtime ignores this signal before `main`, so the original handling is read before that.
#[used]
#[cfg(target_os = "linux")]
// SAFETY: the section holds addresses of functions that are called once, before anything else runs.
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

#[cfg(target_os = "linux")]
extern "C" fn look() {
    // SAFETY: all zeros is a valid value of this plain structure; the call only fills it in.
    let ignored = unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGPIPE, ptr::null(), &raw mut now) == 0
            && now.sa_sigaction == libc::SIG_IGN
    };
    PIPE_IGNORED.store(ignored, Ordering::Relaxed);
}

/// The handling of `SIGPIPE` when this process was started.
pub(crate) fn pipe_at_the_start() -> SigHandler {
    if PIPE_IGNORED.load(Ordering::Relaxed) { SigHandler::SigIgn } else { SigHandler::SigDfl }
}

/// Stops this process with the signal that stopped the command. Returns when it is continued.
pub(crate) fn stop_by(signal: Signal) -> io::Result<()> {
    raise(signal)?;
    let mut only = SigSet::empty();
    only.add(signal);
    let before = SigSet::thread_get_mask()?;
    only.thread_unblock()?;
    Ok(before.thread_set_mask()?)
}

/// Ends this process with the signal that ended the command, so that the parent sees the same status. Writes
/// no core file; the command's own core file is the useful one.
pub(crate) fn die_by(signal: i32) {
    let _ = prctl::set_dumpable(false);
    // SAFETY: default handling of a signal and a set of signals are plain data; `raise` and
    // `sigprocmask` touch nothing else. Signals without a name have no safe way.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        let mut only: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut only);
        libc::sigaddset(&raw mut only, signal);
        libc::sigprocmask(libc::SIG_UNBLOCK, &raw const only, ptr::null_mut());
        libc::raise(signal);
    }
}
