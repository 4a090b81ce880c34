//! Signals around a child: what a shell ignores while a command has the terminal, and what is handed on.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use nix::errno::Errno;
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

/// Those that a job-control shell must not be stopped or ended by, not even when it writes its history
/// beyond a limit.
const SHELL_IGNORES: [Signal; 7] = [
    Signal::SIGTTOU,
    Signal::SIGTTIN,
    Signal::SIGTSTP,
    Signal::SIGINT,
    Signal::SIGQUIT,
    Signal::SIGTERM,
    Signal::SIGXFSZ,
];

fn set(signal: Signal, handler: SigHandler) -> Result<SigAction, Errno> {
    let action = SigAction::new(handler, SaFlags::empty(), SigSet::empty());
    // SAFETY: the handlers used here are "ignore" and "default"; no function of ours becomes one.
    unsafe { sigaction(signal, &action) }
}

/// Ignores what would stop or end an interactive shell.
pub(crate) fn ignore_as_shell() -> io::Result<()> {
    for signal in SHELL_IGNORES {
        set(signal, SigHandler::SigIgn)?;
    }
    Ok(())
}

/// Gives the command the signals' default meaning back: bash hands on to its children what it got.
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

/// Has the kernel hang up on the command when this process ends, however that happens: bash then hangs up
/// on its jobs, as it does when its terminal goes away.
pub(crate) fn hang_up_with_us(command: &mut Command) {
    let bind = || Ok(set_pdeathsig(Signal::SIGHUP)?);
    // SAFETY: between fork and exec only `prctl` is called, which is safe there.
    unsafe { command.pre_exec(bind) };
}

/// Gives the command this mask instead of the one that this process has while it watches.
pub(crate) fn mask_in(command: &mut Command, mask: SigSet) {
    let set = move || Ok(mask.thread_set_mask()?);
    // SAFETY: between fork and exec only `sigprocmask` is called, which is safe there.
    unsafe { command.pre_exec(set) };
}

/// Ends this process as the command was ended, so that whoever waits sees the same.
pub(crate) fn die_by(signal: i32) {
    let Ok(signal) = Signal::try_from(signal) else { return };
    let _ = set(signal, SigHandler::SigDfl);
    let mut only = SigSet::empty();
    only.add(signal);
    let _ = only.thread_unblock();
    let _ = nix::sys::signal::raise(signal);
}
