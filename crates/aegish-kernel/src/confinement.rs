//! What a child puts on itself between fork and exec. Everything it needs is prepared before the fork.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;

use nix::errno::Errno;
use nix::libc::{self, sock_filter};
use nix::sys::resource::{Resource, setrlimit};

use crate::filter::Filter;
use crate::namespace::MountNamespace;

/// A limit on what a process may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Of what.
    pub resource: Resource,
    /// How much, for good.
    pub most: u64,
}

/// Limits that a child puts on itself and on all it starts. None can be taken off again.
#[derive(Debug, Default)]
pub struct Confinement {
    ruleset: Option<OwnedFd>,
    filter: Option<Vec<sock_filter>>,
    limits: Vec<Limit>,
    group: Option<OwnedFd>,
    supervision: Option<Supervision>,
    namespace: Option<(Arc<MountNamespace>, CString)>,
}

/// How calls are reported.
#[derive(Debug)]
struct Supervision {
    /// The same filter that also reports calls.
    filter: Vec<sock_filter>,
    /// Where the child sends the descriptor on which they are reported.
    handover: OwnedFd,
}

/// The child says over the socket what became of the supervision.
pub(crate) const SUPERVISED: u8 = b's';
/// Somebody supervises this process already, and the kernel allows one supervisor.
pub(crate) const TAKEN: u8 = b't';

const SET_MODE_FILTER: libc::c_uint = 1;
const NEW_LISTENER: libc::c_ulong = 1 << 3;
/// A report that was read waits for its answer whatever signals arrive, except for those that kill.
const WAIT_KILLABLE: libc::c_ulong = 1 << 5;

impl Confinement {
    /// No limit at all.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Adds a rule set of Landlock.
    pub fn restrict_files(&mut self, ruleset: OwnedFd) {
        self.ruleset = Some(ruleset);
    }

    /// Adds limits on resources.
    pub fn limit(&mut self, limits: impl IntoIterator<Item = Limit>) {
        self.limits.extend(limits);
    }

    /// Joins a control group by its file of processes.
    pub fn join(&mut self, entrance: OwnedFd) {
        self.group = Some(entrance);
    }

    /// Enters a mount namespace, and this directory there.
    ///
    /// # Errors
    ///
    /// If the path has a NUL byte.
    pub fn enter(&mut self, namespace: Arc<MountNamespace>, directory: &Path) -> io::Result<()> {
        let directory = CString::new(directory.as_os_str().as_bytes())?;
        self.namespace = Some((namespace, directory));
        Ok(())
    }

    /// Adds a filter of system calls that reports nothing.
    pub fn filter(&mut self, filter: Filter) {
        self.filter = Some(filter.without_reports().program());
    }

    /// Adds a filter that also reports calls. The supervisor gets its descriptor from the returned end,
    /// see [`Listener::receive`](crate::Listener::receive).
    ///
    /// # Errors
    ///
    /// If there is no socket to be had.
    pub fn supervise(&mut self, filter: Filter) -> io::Result<UnixStream> {
        let (ours, childs) = UnixStream::pair()?;
        self.filter = Some(filter.without_reports().program());
        let filter = filter.program();
        self.supervision = Some(Supervision { filter, handover: OwnedFd::from(childs) });
        Ok(ours)
    }

    /// Whether calls of the child are reported to this process, which then traces what it executes.
    #[must_use]
    pub fn reports(&self) -> bool {
        self.supervision.is_some()
    }

    /// Whether Landlock separates the child from this process, so that it cannot look into it through `/proc`.
    #[must_use]
    pub fn separates(&self) -> bool {
        self.ruleset.is_some()
    }

    /// Whether programs that the child executes gain no rights: set-user-ID programs run as the user.
    #[must_use]
    pub fn takes_rights(&self) -> bool {
        self.ruleset.is_some() || self.filter.is_some()
    }

    /// Moves the calling process into the namespace that it shall see. Comes first: limits forbid it, and the kernel
    /// forgets which signal ends the process with its parent.
    ///
    /// # Errors
    ///
    /// The error of the call that failed; then the process must not go on.
    pub fn move_in(&self) -> Result<(), Errno> {
        match &self.namespace {
            Some((namespace, directory)) => namespace.enter(directory),
            None => Ok(()),
        }
    }

    /// Puts the limits on the calling process. It must have one thread. Only makes system calls, so that a
    /// child may call it that shares its parent's memory.
    ///
    /// # Errors
    ///
    /// The error of the call that failed; then the process must not go on.
    pub fn apply(&self) -> Result<(), Errno> {
        if let Some(group) = &self.group {
            // Some hosts let a group be made and no process be moved into it. The other limits hold then.
            let _ = nix::unistd::write(group, b"0");
        }
        for limit in &self.limits {
            setrlimit(limit.resource, limit.most, limit.most)?;
        }
        if !self.takes_rights() {
            return Ok(());
        }
        no_new_privileges()?;
        if let Some(ruleset) = &self.ruleset {
            restrict(ruleset.as_raw_fd())?;
        }
        match &self.supervision {
            Some(supervision) => self.supervised(supervision),
            None => self.install_filter(),
        }
    }

    fn install_filter(&self) -> Result<(), Errno> {
        let Some(filter) = &self.filter else { return Ok(()) };
        install(filter, 0).map(drop)
    }

    fn supervised(&self, supervision: &Supervision) -> Result<(), Errno> {
        let socket = supervision.handover.as_raw_fd();
        match install(&supervision.filter, NEW_LISTENER | WAIT_KILLABLE) {
            Ok(listener) => {
                send(socket, SUPERVISED, Some(listener))?;
                // SAFETY: the number was just returned by the kernel, and no value owns it.
                Errno::result(unsafe { libc::close(listener) }).map(drop)
            }
            Err(Errno::EBUSY) => {
                self.install_filter()?;
                send(socket, TAKEN, None)
            }
            Err(error) => Err(error),
        }
    }
}

/// No program that is executed from now on gains rights. Landlock and seccomp require it of ordinary users.
pub(crate) fn no_new_privileges() -> Result<(), Errno> {
    // SAFETY: the call takes numbers only.
    Errno::result(unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }).map(drop)
}

pub(crate) fn restrict(ruleset: RawFd) -> Result<(), Errno> {
    // SAFETY: the call takes numbers only; a wrong descriptor is an error.
    Errno::result(unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset, 0) }).map(drop)
}

/// Installs a filter; with a flag that asks for one, returns a descriptor.
pub(crate) fn install(filter: &[sock_filter], flags: libc::c_ulong) -> Result<RawFd, Errno> {
    let program = libc::sock_fprog {
        len: libc::c_ushort::try_from(filter.len()).map_err(|_| Errno::EINVAL)?,
        filter: filter.as_ptr().cast_mut(),
    };
    // SAFETY: the program and the steps it points to live until the call returns. The kernel copies and
    // checks them, and writes to neither.
    let result =
        unsafe { libc::syscall(libc::SYS_seccomp, SET_MODE_FILTER, flags, &raw const program) };
    Errno::result(result).map(|number| number as RawFd)
}

/// Sends one byte, and a descriptor with it.
fn send(socket: RawFd, byte: u8, descriptor: Option<RawFd>) -> Result<(), Errno> {
    // Aligned as the header needs it, and larger than one header with one number.
    let mut control = [0_u64; 8];
    let mut bytes = [byte];
    let mut part = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: 1 };
    // SAFETY: all zeros is a valid value of this plain structure. The pointers in it are to local values that
    // live until `sendmsg` returns. CMSG_SPACE of one number is 24, and the buffer has 64 bytes, so that
    // CMSG_FIRSTHDR and CMSG_DATA point into it.
    let sent = unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        if let Some(descriptor) = descriptor {
            let size = size_of::<RawFd>() as u32;
            message.msg_control = control.as_mut_ptr().cast();
            message.msg_controllen = libc::CMSG_SPACE(size) as _;
            let header = libc::CMSG_FIRSTHDR(&raw const message);
            (*header).cmsg_level = libc::SOL_SOCKET;
            (*header).cmsg_type = libc::SCM_RIGHTS;
            (*header).cmsg_len = libc::CMSG_LEN(size) as _;
            libc::CMSG_DATA(header).cast::<RawFd>().write_unaligned(descriptor);
        }
        libc::sendmsg(socket, &raw const message, libc::MSG_NOSIGNAL)
    };
    Errno::result(sent).map(drop)
}
