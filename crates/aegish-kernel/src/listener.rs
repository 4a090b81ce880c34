//! Reports of calls, and the answers to them.

use std::io::{self, IoSliceMut};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

use nix::errno::Errno;
use nix::libc;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg};
use nix::unistd::Pid;

use crate::confinement::SUPERVISED;
use crate::memory::Reader;

/// A call that waits for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Report {
    /// The number of the report.
    id: u64,
    /// The thread that called.
    pub thread: Pid,
    /// What it called.
    pub call: Call,
}

/// What is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// The start of a program.
    Exec(ExecCall),
    /// The connection of a socket.
    Connect(ConnectCall),
    /// This socket is to accept connections, so many at once.
    Listen(RawFd, i32),
    /// The opening of a file.
    Open(OpenCall),
}

/// An execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExecCall {
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

/// An opening of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenCall {
    /// The directory that a relative path starts from; none for the working directory.
    pub directory: Option<RawFd>,
    /// The address of the path.
    pub path: u64,
    /// The flags, as far as they are known.
    pub flags: i32,
}

/// A connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectCall {
    /// The caller's number of the socket.
    pub socket: RawFd,
    /// Where in the caller's memory the name of the other side is.
    pub address: u64,
    /// Its size.
    pub length: u32,
}

/// The answer to a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    /// The kernel does what the call says by now. It reads the arguments again, so what it does has to be
    /// checked afterwards.
    Continue,
    /// The call was made by the supervisor and succeeded.
    Done,
    /// The call fails.
    Fail(Errno),
}

/// The descriptor on which calls are reported. Several threads may read from it.
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

    /// Waits for the next call. None when every process that reports here has ended.
    ///
    /// # Errors
    ///
    /// If the descriptor cannot be read.
    pub fn next(&self) -> io::Result<Option<Report>> {
        while self.wait()? {
            if let Some(report) = self.take()? {
                return Ok(Some(report));
            }
        }
        Ok(None)
    }

    /// Takes the report that waits. From then on nobody else can answer it. None if its caller was killed meanwhile.
    ///
    /// # Errors
    ///
    /// If the descriptor cannot be read.
    pub fn take(&self) -> io::Result<Option<Report>> {
        // SAFETY: all zeros is a valid value of this plain structure, and the kernel requires it. It writes
        // not more than its size, which the number of the request contains.
        let (result, report) = unsafe {
            let mut report: libc::seccomp_notif = std::mem::zeroed();
            let result = libc::ioctl(self.0.as_raw_fd(), RECEIVE as _, &raw mut report);
            (Errno::result(result), report)
        };
        match result {
            Ok(_) => Ok(Some(Report::of(&report))),
            // The caller was killed before its report was read, or another thread took it.
            Err(Errno::ENOENT | Errno::EINTR | Errno::EAGAIN) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Waits until there is a report. False if there can be no more.
    ///
    /// # Errors
    ///
    /// If the descriptor cannot be read.
    pub fn wait(&self) -> io::Result<bool> {
        let mut polled = libc::pollfd { fd: self.0.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        loop {
            // SAFETY: the structure is one element and lives until the call returns.
            match Errno::result(unsafe { libc::poll(&raw mut polled, 1, -1) }) {
                Ok(_) => return Ok(polled.revents & libc::POLLIN != 0),
                Err(Errno::EINTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Whether a process is left that could report something.
    #[must_use]
    pub fn has_reporters(&self) -> bool {
        let events = self.events_now();
        events == 0 || events & libc::POLLHUP == 0
    }

    /// Whether a report waits to be read.
    #[must_use]
    pub fn has_report(&self) -> bool {
        self.events_now() & libc::POLLIN != 0
    }

    fn events_now(&self) -> libc::c_short {
        let mut polled = libc::pollfd { fd: self.0.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: the structure is one element and lives until the call returns.
        unsafe { libc::poll(&raw mut polled, 1, 0) };
        polled.revents
    }

    /// Goes on in a child when this process is about to end: some of those that report may live longer. Returns the
    /// listener in the child, which has a session of its own, no other descriptor and no standard stream.
    ///
    /// No other thread may hold a lock that the child needs.
    ///
    /// # Errors
    ///
    /// If there can be no child.
    pub fn go_on_in_child(&self) -> io::Result<Option<Self>> {
        /// The first descriptor behind the standard streams.
        const FIRST: RawFd = 3;
        // SAFETY: the child has this thread only. It allocates, which glibc makes possible after a fork, and takes
        // locks that no other thread holds, as the caller was asked to see to.
        let child = Errno::result(unsafe { libc::fork() })?;
        if child != 0 {
            return Ok(None);
        }
        // SAFETY: the calls take numbers and a constant path. The descriptors that are closed belong to values of
        // the parent, none of which is used in the child any more; it never returns to their owners.
        unsafe {
            libc::setsid();
            let nothing = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
            for stream in 0..FIRST {
                libc::dup2(nothing, stream);
            }
            Errno::result(libc::dup3(self.0.as_raw_fd(), FIRST, libc::O_CLOEXEC)).or_else(
                |error| if self.0.as_raw_fd() == FIRST { Ok(FIRST) } else { Err(error) },
            )?;
            libc::syscall(libc::SYS_close_range, FIRST + 1, libc::c_uint::MAX, 0);
            Ok(Some(Self(OwnedFd::from_raw_fd(FIRST))))
        }
    }

    /// Whether the caller still waits for the answer. If so, its process number was not given to another one
    /// since the report.
    #[must_use]
    pub fn still_waits(&self, report: &Report) -> bool {
        let id = report.id;
        // SAFETY: the kernel reads eight bytes of a value that lives until the call returns.
        unsafe { libc::ioctl(self.0.as_raw_fd(), ID_VALID as _, &raw const id) == 0 }
    }

    /// Answers. A caller that was killed meanwhile needs none.
    ///
    /// # Errors
    ///
    /// `ENOENT` if the caller is gone.
    pub fn answer(&self, report: &Report, reply: Reply) -> Result<(), Errno> {
        let (error, flags) = match reply {
            Reply::Continue => (0, CONTINUE),
            Reply::Done => (0, 0),
            Reply::Fail(errno) => (-(errno as i32), 0),
        };
        let mut answer = libc::seccomp_notif_resp { id: report.id, val: 0, error, flags };
        // SAFETY: the kernel reads the structure, whose size the number of the request contains.
        let sent = unsafe { libc::ioctl(self.0.as_raw_fd(), SEND as _, &raw mut answer) };
        Errno::result(sent).map(drop)
    }
}

/// Numbers of the calls of 32-bit programs.
mod other {
    pub(super) const EXECVE: i32 = 11;
    /// The older call for all that has to do with sockets; its arguments are in memory.
    pub(super) const SOCKETCALL: i32 = 102;
    #[cfg(target_arch = "x86_64")]
    pub(super) const CONNECT: i32 = 362;
    #[cfg(target_arch = "aarch64")]
    pub(super) const CONNECT: i32 = 283;
}

impl Report {
    fn of(report: &libc::seccomp_notif) -> Self {
        let thread = Pid::from_raw(report.pid as i32);
        let [first, second, third, ..] = report.data.args;
        let open = |directory: u64, path, flags| {
            let directory = directory as u32 as RawFd;
            let directory = (directory != libc::AT_FDCWD).then_some(directory);
            Call::Open(OpenCall { directory, path, flags })
        };
        let number = libc::c_long::from(report.data.nr);
        let connect = Call::Connect(ConnectCall {
            socket: first as u32 as RawFd,
            address: second,
            length: third as u32,
        });
        let call = match (report.data.arch, report.data.nr) {
            (NATIVE, _) => match number {
                libc::SYS_connect => connect,
                #[cfg(target_arch = "x86_64")]
                libc::SYS_open => open(libc::AT_FDCWD as u32 as u64, first, second as i32),
                libc::SYS_openat => open(first, second, third as i32),
                libc::SYS_openat2 => {
                    // The flags are the first number of a structure.
                    let bytes = Reader::new(thread, 8).bytes(third, 8).unwrap_or_default();
                    let flags = bytes.first_chunk().map_or(0, |bytes| i32::from_le_bytes(*bytes));
                    open(first, second, flags)
                }
                libc::SYS_listen => Call::Listen(first as u32 as RawFd, second as i32),
                _ => Call::Exec(ExecCall::of(&report.data, number == libc::SYS_execve, 8)),
            },
            (_, other::CONNECT) => connect,
            (_, other::SOCKETCALL) => Call::Connect(ConnectCall::in_memory(thread, second)),
            (_, number) => Call::Exec(ExecCall::of(&report.data, number == other::EXECVE, 4)),
        };
        Self { id: report.id, thread, call }
    }
}

impl ConnectCall {
    /// Its arguments are three numbers at this address. What cannot be read is a socket that does not exist.
    fn in_memory(thread: Pid, address: u64) -> Self {
        let bytes = Reader::new(thread, 12).bytes(address, 12).unwrap_or_default();
        let mut numbers = bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
        let mut next = || numbers.next();
        Self {
            socket: next().map_or(-1, |number| number as RawFd),
            address: next().unwrap_or_default().into(),
            length: next().unwrap_or_default(),
        }
    }
}

impl ExecCall {
    fn of(data: &libc::seccomp_data, by_path: bool, pointer: usize) -> Self {
        let [first, second, third, fourth, fifth, _] = data.args;
        if by_path {
            let (path, arguments, environment) = (first, second, third);
            return Self { directory: None, path, arguments, environment, flags: 0, pointer };
        }
        let directory = first as u32 as RawFd;
        Self {
            directory: (directory != libc::AT_FDCWD).then_some(directory),
            path: second,
            arguments: third,
            environment: fourth,
            flags: fifth as u32,
            pointer,
        }
    }
}
