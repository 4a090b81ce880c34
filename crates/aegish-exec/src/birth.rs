//! A child that becomes bash without a copy of this process being made first.
//!
//! `fork` copies the page tables of a process that forgets them a moment later, and every page that either
//! side then touches; for a short command that is a good part of all its time. Here the child borrows the
//! memory until it is bash, and this process waits, as with `vfork`. Until then the child only makes system
//! calls, and all they need is made ready before.

use std::ffi::{CString, OsStr};
use std::io;
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt;
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

use nix::errno::Errno;
use nix::libc;
use nix::sched::{CloneFlags, clone};
use nix::sys::prctl;
use nix::sys::signal::{SigHandler, SigSet, Signal};
use nix::unistd::{Pid, getpid, getppid};

use crate::signals;

/// Room for the few calls the child makes.
const STACK: usize = 64 * 1024;

/// What the child will be.
pub(crate) struct Birth {
    program: CString,
    words: Vec<CString>,
    variables: Vec<CString>,
    copies: Vec<(RawFd, RawFd)>,
    closed: Vec<RawFd>,
    mask: SigSet,
    pipe: SigHandler,
}

impl Birth {
    /// A program that is called by this name.
    pub(crate) fn of(program: &OsStr, name: &str) -> io::Result<Self> {
        let mut birth = Self {
            program: text(program)?,
            words: Vec::new(),
            variables: Vec::new(),
            copies: Vec::new(),
            closed: Vec::new(),
            mask: SigSet::empty(),
            pipe: SigHandler::SigDfl,
        };
        birth.word(name)?;
        Ok(birth)
    }

    /// Adds a word.
    pub(crate) fn word(&mut self, word: impl AsRef<OsStr>) -> io::Result<&mut Self> {
        self.words.push(text(word.as_ref())?);
        Ok(self)
    }

    /// Adds words.
    pub(crate) fn words(
        &mut self,
        words: impl IntoIterator<Item: AsRef<OsStr>>,
    ) -> io::Result<&mut Self> {
        for word in words {
            self.word(word)?;
        }
        Ok(self)
    }

    /// Adds a variable. It has no others.
    pub(crate) fn variable(&mut self, name: &OsStr, value: &OsStr) -> io::Result<()> {
        let whole = [name.as_bytes(), b"=", value.as_bytes()].concat();
        self.variables.push(text(OsStr::from_bytes(&whole))?);
        Ok(())
    }

    /// Gives it a copy of a descriptor, which stays open here until it has started, under this number.
    pub(crate) fn copy(&mut self, from: RawFd, to: RawFd) {
        self.copies.push((from, to));
    }

    /// Closes descriptors that it would have by itself.
    pub(crate) fn close(&mut self, descriptors: impl IntoIterator<Item = RawFd>) {
        self.closed.extend(descriptors);
    }

    /// The signals that are held back from it.
    pub(crate) fn mask(&mut self, mask: SigSet) {
        self.mask = mask;
    }

    /// What `SIGPIPE` means to it.
    pub(crate) fn pipe(&mut self, handler: SigHandler) {
        self.pipe = handler;
    }

    /// Starts it. The kernel kills it if this process is killed.
    pub(crate) fn start(&self) -> io::Result<Pid> {
        let (words, variables) = (pointers(&self.words), pointers(&self.variables));
        let parent = getpid();
        let failed = AtomicI32::new(0);
        let mut stack = vec![0; STACK];
        let child = Box::new(|| {
            let error = match self.prepare(parent) {
                Ok(()) => {
                    // SAFETY: all three are NUL-terminated or end with a null pointer, and outlive the call,
                    // because this process waits until it is over.
                    unsafe {
                        libc::execve(self.program.as_ptr(), words.as_ptr(), variables.as_ptr());
                    }
                    Errno::last()
                }
                Err(error) => error,
            };
            failed.store(error as i32, Ordering::Relaxed);
            1
        });
        let flags = CloneFlags::CLONE_VM | CloneFlags::CLONE_VFORK;
        // SAFETY: the child shares this memory, and this thread waits until it has become another program or
        // ended. It has a stack of its own, allocates nothing, and changes nothing but `failed`.
        let pid = unsafe { clone(child, &mut stack, flags, Some(libc::SIGCHLD))? };
        match failed.load(Ordering::Relaxed) {
            0 => Ok(pid),
            error => {
                let _ = nix::sys::wait::waitpid(pid, None);
                Err(io::Error::from_raw_os_error(error))
            }
        }
    }

    /// What the child does before it is another program.
    fn prepare(&self, parent: Pid) -> Result<(), Errno> {
        for (from, to) in &self.copies {
            // SAFETY: both calls take numbers; a wrong one is an error.
            Errno::result(unsafe {
                if from == to { libc::fcntl(*to, libc::F_SETFD, 0) } else { libc::dup2(*from, *to) }
            })?;
        }
        for descriptor in &self.closed {
            // SAFETY: nobody in this process owns a descriptor of the child.
            Errno::result(unsafe { libc::close(*descriptor) })?;
        }
        signals::set(Signal::SIGPIPE, self.pipe)?;
        prctl::set_pdeathsig(Signal::SIGKILL)?;
        // It may have been too late.
        if getppid() != parent {
            return Err(Errno::ESRCH);
        }
        self.mask.thread_set_mask()
    }
}

/// Pointers to all of them, with a null pointer at the end.
fn pointers(texts: &[CString]) -> Vec<*const libc::c_char> {
    texts.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect()
}

fn text(text: &OsStr) -> io::Result<CString> {
    CString::new(text.as_bytes())
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "a word has a NUL byte in it"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::sys::wait::{WaitStatus, waitpid};
    use std::fs::File;
    use std::io::{Read as _, Seek as _};
    use std::os::fd::AsRawFd as _;

    fn shell(script: &str) -> Birth {
        let mut birth = Birth::of(OsStr::new("/bin/sh"), "sh").expect("words");
        birth.words(["-c", script]).expect("words");
        birth
    }

    fn ended(birth: &Birth) -> WaitStatus {
        waitpid(birth.start().expect("a child"), None).expect("its end")
    }

    #[test]
    fn it_has_its_words_variables_and_descriptors_and_no_others() {
        let path = std::env::temp_dir().join(format!("aegish-birth-{}", std::process::id()));
        let mut file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path)
            .expect("a file");
        let _ = std::fs::remove_file(&path);
        let mut birth = shell("echo \"$X $(env | grep -c ^CARGO)\" >&7; exit 5");
        birth.variable(OsStr::new("X"), OsStr::new("a b")).expect("a variable");
        birth.copy(file.as_raw_fd(), 7);
        assert!(matches!(ended(&birth), WaitStatus::Exited(_, 5)));
        let mut text = String::new();
        file.rewind().expect("a file");
        file.read_to_string(&mut text).expect("text");
        assert_eq!(text, "a b 0\n");
    }

    #[test]
    fn what_cannot_be_started_is_an_error_and_leaves_nobody_behind() {
        let birth = Birth::of(OsStr::new("/nonexistent/bash"), "bash").expect("words");
        let error = birth.start().expect_err("no such program");
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(Birth::of(OsStr::new("a\0b"), "bash").is_err());
        let mut birth = shell("true");
        birth.close([999]);
        assert!(birth.start().is_err());
    }

    #[test]
    fn signals_are_as_they_should_be() {
        let mut birth = shell("kill -PIPE $$; exit 4");
        assert!(matches!(ended(&birth), WaitStatus::Signaled(_, Signal::SIGPIPE, _)));
        birth.pipe(SigHandler::SigIgn);
        assert!(matches!(ended(&birth), WaitStatus::Exited(_, 4)));
    }
}
