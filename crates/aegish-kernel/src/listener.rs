//! Reports of executions, and the answers to them.

use std::io::{self, IoSliceMut};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

use nix::errno::Errno;
use nix::libc;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg};
use nix::unistd::Pid;

use crate::confinement::SUPERVISED;

/// An execution that waits for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExecCall {
    /// The number of the report.
    id: u64,
    /// The thread that called.
    pub thread: Pid,
    /// The directory that a relative path starts from; none for the working directory.
    pub directory: Option<RawFd>,
    /// The address of the path.
    pub path: u64,
    /// The address of the list of arguments.
    pub arguments: u64,
    /// The address of the list of variables.
    pub environment: u64,
    /// The flags of `execveat`.
    pub flags: u32,
    /// The size of a pointer of the caller: 8, or 4 in a 32-bit program.
    pub pointer: usize,
}

/// The answer to a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    /// The kernel does what the call says by now. It reads the arguments again, so what it does has to be
    /// checked afterwards.
    Continue,
    /// The call fails.
    Fail(Errno),
}

/// The descriptor on which executions are reported. Several threads may read from it.
#[derive(Debug)]
pub struct Listener(OwnedFd);

const RECEIVE: libc::c_ulong = 0xC050_2100; // _IOWR('!', 0, struct seccomp_notif): 80 bytes
const SEND: libc::c_ulong = 0xC018_2101; // _IOWR('!', 1, struct seccomp_notif_resp): 24 bytes
const ID_VALID: libc::c_ulong = 0x4008_2102; // _IOW('!', 2, __u64)
const SET_FLAGS: libc::c_ulong = 0x4008_2104; // _IOW('!', 4, __u64)
/// The waker and the woken run on one processor, one after the other.
const SYNC_WAKE_UP: u64 = 1;
const CONTINUE: u32 = 1;

#[cfg(target_arch = "x86_64")]
const NATIVE: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const NATIVE: u32 = 0xC000_00B7;
/// execve of a 32-bit program; the other number is execveat.
const OTHER_EXECVE: i32 = 11;

const _: () = assert!(size_of::<libc::seccomp_notif>() == 80);
const _: () = assert!(size_of::<libc::seccomp_notif_resp>() == 24);

impl Listener {
    /// Waits until the child sends its descriptor. None if somebody else supervises it, or it ended before.
    ///
    /// # Errors
    ///
    /// If the socket cannot be read.
    pub fn receive(socket: &UnixStream) -> io::Result<Option<Self>> {
        let mut byte = [0];
        let mut space = nix::cmsg_space!(RawFd);
        let mut parts = [IoSliceMut::new(&mut byte)];
        let flags = MsgFlags::MSG_CMSG_CLOEXEC;
        let message = recvmsg::<()>(socket.as_raw_fd(), &mut parts, Some(&mut space), flags)?;
        let mut found = None;
        for control in message.cmsgs()? {
            if let ControlMessageOwned::ScmRights(numbers) = control {
                for number in numbers {
                    // SAFETY: the kernel has just made this descriptor for this process; no value owns it.
                    found = Some(Self(unsafe { OwnedFd::from_raw_fd(number) }));
                }
            }
        }
        let found = found.filter(|_| byte[0] == SUPERVISED);
        if let Some(listener) = &found {
            let flags = SYNC_WAKE_UP as libc::c_ulong;
            // SAFETY: this request takes a number. Kernels before 6.6 refuse it, which costs time only.
            unsafe { libc::ioctl(listener.0.as_raw_fd(), SET_FLAGS as _, flags) };
        }
        Ok(found)
    }

    /// Waits for the next execution. None when every process that reports here has ended.
    ///
    /// # Errors
    ///
    /// If the descriptor cannot be read.
    pub fn next(&self) -> io::Result<Option<ExecCall>> {
        loop {
            if self.is_over()? {
                return Ok(None);
            }
            // SAFETY: all zeros is a valid value of this plain structure, and the kernel requires it. It writes
            // not more than its size, which the number of the request contains.
            let (result, report) = unsafe {
                let mut report: libc::seccomp_notif = std::mem::zeroed();
                let result = libc::ioctl(self.0.as_raw_fd(), RECEIVE as _, &raw mut report);
                (Errno::result(result), report)
            };
            match result {
                Ok(_) => return Ok(Some(ExecCall::of(&report))),
                // The caller was killed before its report was read, or another thread took it.
                Err(Errno::ENOENT | Errno::EINTR | Errno::EAGAIN) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Waits until there is a report, and says whether there can be no more.
    fn is_over(&self) -> io::Result<bool> {
        let mut polled = libc::pollfd { fd: self.0.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        loop {
            // SAFETY: the structure is one element and lives until the call returns.
            match Errno::result(unsafe { libc::poll(&raw mut polled, 1, -1) }) {
                Ok(_) => return Ok(polled.revents & libc::POLLIN == 0),
                Err(Errno::EINTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Whether the caller still waits for the answer. If so, its process number was not given to another one
    /// since the report.
    #[must_use]
    pub fn still_waits(&self, call: &ExecCall) -> bool {
        let id = call.id;
        // SAFETY: the kernel reads eight bytes of a value that lives until the call returns.
        unsafe { libc::ioctl(self.0.as_raw_fd(), ID_VALID as _, &raw const id) == 0 }
    }

    /// Answers. A caller that was killed meanwhile needs none.
    ///
    /// # Errors
    ///
    /// `ENOENT` if the caller is gone.
    pub fn answer(&self, call: &ExecCall, reply: Reply) -> Result<(), Errno> {
        let (error, flags) = match reply {
            Reply::Continue => (0, CONTINUE),
            Reply::Fail(errno) => (-(errno as i32), 0),
        };
        let mut answer = libc::seccomp_notif_resp { id: call.id, val: 0, error, flags };
        // SAFETY: the kernel reads the structure, whose size the number of the request contains.
        let sent = unsafe { libc::ioctl(self.0.as_raw_fd(), SEND as _, &raw mut answer) };
        Errno::result(sent).map(drop)
    }
}

impl ExecCall {
    fn of(report: &libc::seccomp_notif) -> Self {
        let [first, second, third, fourth, fifth, _] = report.data.args;
        let by_path = match report.data.arch {
            NATIVE => libc::c_long::from(report.data.nr) == libc::SYS_execve,
            _ => report.data.nr == OTHER_EXECVE,
        };
        let pointer = if report.data.arch == NATIVE { 8 } else { 4 };
        let base = Self {
            id: report.id,
            thread: Pid::from_raw(report.pid as i32),
            directory: None,
            path: first,
            arguments: second,
            environment: third,
            flags: 0,
            pointer,
        };
        if by_path {
            return base;
        }
        let directory = first as u32 as RawFd;
        Self {
            directory: (directory != libc::AT_FDCWD).then_some(directory),
            path: second,
            arguments: third,
            environment: fourth,
            flags: fifth as u32,
            ..base
        }
    }
}
