//! Starts bash without a copy of this process: `clone` with shared memory, as `vfork` does it.
//!
//! `fork` copies the page tables, which takes a good part of a short command's time. Here the child uses
//! this process' memory until it calls `execve`, and this thread waits for that. The child makes system
//! calls only; what they need is prepared before the clone. Signals are handled as in `posix_spawn`: all
//! are blocked around the clone, and the child resets every handler before it unblocks any.

use std::ffi::{CString, OsStr};
use std::io;
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use aegish_kernel::Confinement;
use nix::errno::Errno;
use nix::libc;
use nix::sched::{CloneFlags, clone};
use nix::sys::prctl;
use nix::sys::signal::{SigHandler, SigSet, SigmaskHow, Signal};
use nix::unistd::{Pid, getpid, getppid};

use crate::child_stack::ChildStack;
use crate::signals;

/// A program to start, with all it inherits.
pub(crate) struct Spawn {
    program: CString,
    args: Vec<CString>,
    env: Vec<CString>,
    copied_fds: Vec<(RawFd, RawFd)>,
    closed_fds: Vec<RawFd>,
    signal_mask: SigSet,
    sigpipe: SigHandler,
    confinement: Arc<Confinement>,
}

impl Spawn {
    /// A program and its `argv[0]`. Its environment is empty.
    pub(crate) fn new(program: &OsStr, arg0: &str) -> io::Result<Self> {
        let mut spawn = Self {
            program: c_string(program)?,
            args: Vec::new(),
            env: Vec::new(),
            copied_fds: Vec::new(),
            closed_fds: Vec::new(),
            signal_mask: SigSet::empty(),
            sigpipe: SigHandler::SigDfl,
            confinement: Arc::default(),
        };
        spawn.arg(arg0)?;
        Ok(spawn)
    }

    /// Adds an argument.
    pub(crate) fn arg(&mut self, arg: impl AsRef<OsStr>) -> io::Result<&mut Self> {
        self.args.push(c_string(arg.as_ref())?);
        Ok(self)
    }

    /// Adds arguments.
    pub(crate) fn args(
        &mut self,
        args: impl IntoIterator<Item: AsRef<OsStr>>,
    ) -> io::Result<&mut Self> {
        for arg in args {
            self.arg(arg)?;
        }
        Ok(self)
    }

    /// Adds an environment variable.
    pub(crate) fn env(&mut self, name: &OsStr, value: &OsStr) -> io::Result<()> {
        let whole = [name.as_bytes(), b"=", value.as_bytes()].concat();
        self.env.push(c_string(OsStr::from_bytes(&whole))?);
        Ok(())
    }

    /// Copies a descriptor to this number. It has to stay open until the child has started.
    pub(crate) fn copy_fd(&mut self, from: RawFd, to: RawFd) {
        self.copied_fds.push((from, to));
    }

    /// Closes descriptors that the child would inherit.
    pub(crate) fn close_fds(&mut self, fds: impl IntoIterator<Item = RawFd>) {
        self.closed_fds.extend(fds);
    }

    /// Sets the signals that are blocked in the child.
    pub(crate) fn signal_mask(&mut self, mask: SigSet) {
        self.signal_mask = mask;
    }

    /// Sets the action of `SIGPIPE` in the child.
    pub(crate) fn sigpipe(&mut self, handler: SigHandler) {
        self.sigpipe = handler;
    }

    /// Sets the limits that the child puts on itself right before it becomes the program.
    pub(crate) fn confine(&mut self, confinement: Arc<Confinement>) {
        self.confinement = confinement;
    }

    /// Starts the program. The kernel kills it if this process is killed.
    pub(crate) fn start(&self) -> io::Result<Pid> {
        self.start_after(|| {})
    }

    /// As [`Self::start`]; `first` runs in the child before anything else. It must only make system calls.
    fn start_after(&self, first: impl Fn()) -> io::Result<Pid> {
        let (args, env) = (pointers(&self.args), pointers(&self.env));
        let parent = getpid();
        let failed = AtomicI32::new(0);
        let mut stack = ChildStack::new()?;
        let child = Box::new(|| {
            first();
            let error = match self.prepare(parent) {
                Ok(()) => {
                    // SAFETY: the strings end with NUL and the arrays with a null pointer. They outlive the
                    // call, because the parent waits until it is over.
                    unsafe {
                        libc::execve(self.program.as_ptr(), args.as_ptr(), env.as_ptr());
                    }
                    Errno::last()
                }
                Err(error) => error,
            };
            failed.store(error as i32, Ordering::Relaxed);
            1
        });
        let flags = CloneFlags::CLONE_VM | CloneFlags::CLONE_VFORK;
        // A handler of ours that ran in the child would change memory of this process.
        let mask = SigSet::all().thread_swap_mask(SigmaskHow::SIG_SETMASK)?;
        // SAFETY: the child shares this memory, and this thread waits until the child has become another
        // program or has ended. The child has a stack of its own, allocates nothing, runs no signal handler
        // of ours, and changes nothing but `failed` and this thread's `errno`.
        let cloned = unsafe { clone(child, stack.as_mut_slice(), flags, Some(libc::SIGCHLD)) };
        mask.thread_set_mask()?;
        let pid = cloned?;
        match failed.load(Ordering::Relaxed) {
            0 => Ok(pid),
            error => {
                let _ = nix::sys::wait::waitpid(pid, None);
                Err(io::Error::from_raw_os_error(error))
            }
        }
    }

    /// The child's work before `execve`.
    fn prepare(&self, parent: Pid) -> Result<(), Errno> {
        signals::reset_handlers();
        for (from, to) in &self.copied_fds {
            // SAFETY: both calls take numbers; a wrong one is an error.
            Errno::result(unsafe {
                if from == to { libc::fcntl(*to, libc::F_SETFD, 0) } else { libc::dup2(*from, *to) }
            })?;
        }
        for fd in &self.closed_fds {
            // SAFETY: the child has its own table of descriptors; no value of this process owns one in it.
            Errno::result(unsafe { libc::close(*fd) })?;
        }
        signals::set(Signal::SIGPIPE, self.sigpipe)?;
        self.confinement.move_in()?;
        prctl::set_pdeathsig(Signal::SIGKILL)?;
        // The parent may have ended before that call.
        if getppid() != parent {
            return Err(Errno::ESRCH);
        }
        self.confinement.apply()?;
        self.signal_mask.thread_set_mask()
    }
}

/// Pointers to the strings, with a null pointer at the end.
fn pointers(strings: &[CString]) -> Vec<*const libc::c_char> {
    strings.iter().map(|string| string.as_ptr()).chain([ptr::null()]).collect()
}

fn c_string(text: &OsStr) -> io::Result<CString> {
    CString::new(text.as_bytes())
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "a word has a NUL byte in it"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::sys::signal::{SaFlags, SigAction, kill, sigaction};
    use nix::sys::wait::{WaitStatus, waitpid};
    use std::fs::File;
    use std::io::{Read as _, Seek as _};
    use std::os::fd::AsRawFd as _;

    fn shell(script: &str) -> Spawn {
        let mut spawn = Spawn::new(OsStr::new("/bin/sh"), "sh").expect("a program");
        spawn.args(["-c", script]).expect("arguments");
        spawn
    }

    fn ended(spawn: &Spawn) -> WaitStatus {
        waitpid(spawn.start().expect("a child"), None).expect("its end")
    }

    #[test]
    fn it_has_its_arguments_variables_and_descriptors_and_no_others() {
        let path = std::env::temp_dir().join(format!("aegish-spawn-{}", std::process::id()));
        let mut file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path)
            .expect("a file");
        let _ = std::fs::remove_file(&path);
        let mut spawn = shell("echo \"$X $(env | grep -c ^CARGO)\" >&7; exit 5");
        spawn.env(OsStr::new("X"), OsStr::new("a b")).expect("a variable");
        spawn.copy_fd(file.as_raw_fd(), 7);
        assert!(matches!(ended(&spawn), WaitStatus::Exited(_, 5)));
        let mut text = String::new();
        file.rewind().expect("a file");
        file.read_to_string(&mut text).expect("text");
        assert_eq!(text, "a b 0\n");
    }

    #[test]
    fn a_failed_start_is_an_error_and_leaves_no_process() {
        let spawn = Spawn::new(OsStr::new("/nonexistent/bash"), "bash").expect("a program");
        let error = spawn.start().expect_err("no such program");
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(Spawn::new(OsStr::new("a\0b"), "bash").is_err());
        let mut spawn = shell("true");
        spawn.close_fds([999]);
        assert!(spawn.start().is_err());
    }

    #[test]
    fn sigpipe_has_the_requested_action() {
        let mut spawn = shell("kill -PIPE $$; exit 4");
        assert!(matches!(ended(&spawn), WaitStatus::Signaled(_, Signal::SIGPIPE, _)));
        spawn.sigpipe(SigHandler::SigIgn);
        assert!(matches!(ended(&spawn), WaitStatus::Exited(_, 4)));
    }

    static HANDLED: AtomicI32 = AtomicI32::new(0);

    extern "C" fn count(_: libc::c_int) {
        HANDLED.fetch_add(1, Ordering::Relaxed);
    }

    #[test]
    fn a_signal_between_clone_and_exec_does_not_run_our_handler() {
        let handler = SigAction::new(SigHandler::Handler(count), SaFlags::empty(), SigSet::empty());
        // SAFETY: the handler changes one atomic number.
        unsafe { sigaction(Signal::SIGUSR2, &handler) }.expect("a handler");
        let before = SigSet::thread_get_mask().expect("a mask");
        let send = || kill(getpid(), Signal::SIGUSR2).unwrap_or_default();
        let pid = shell("exit 4").start_after(send).expect("a child");
        let status = waitpid(pid, None).expect("its end");
        assert!(matches!(status, WaitStatus::Signaled(_, Signal::SIGUSR2, _)), "{status:?}");
        assert_eq!(HANDLED.load(Ordering::Relaxed), 0);
        assert_eq!(SigSet::thread_get_mask().expect("a mask"), before);
        // The handler of this process is still there.
        nix::sys::signal::raise(Signal::SIGUSR2).expect("a signal");
        assert_eq!(HANDLED.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn ignored_signals_stay_ignored() {
        signals::set(Signal::SIGURG, SigHandler::SigIgn).expect("a disposition");
        // SIGURG is signal 23: bit 22 of the mask, in the sixth hexadecimal digit from the right.
        let spawn =
            shell("case $(grep SigIgn /proc/$$/status) in *[4567cdef]?????) exit 5 ;; esac");
        assert!(matches!(ended(&spawn), WaitStatus::Exited(_, 5)));
    }
}
