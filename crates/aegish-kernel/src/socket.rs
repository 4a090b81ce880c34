//! Sockets of another process: fetched, looked at, and connected for it.
//!
//! A descriptor that was fetched is the same socket as the caller's. What is done to it here is done to the caller's
//! socket, whatever the caller puts under its number meanwhile.

use std::fs;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::time::Duration;

use nix::errno::Errno;
use nix::libc::{self, c_int, c_long, socklen_t};
use nix::unistd::Pid;

/// A descriptor for one thread, which may have a table of its own.
const PIDFD_THREAD: libc::c_uint = libc::O_EXCL as libc::c_uint;

/// What a socket is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SocketType {
    /// `AF_INET` and others.
    pub family: c_int,
    /// `SOCK_STREAM` and others.
    pub kind: c_int,
}

/// The identity under which a thread opens files and connects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    user: libc::uid_t,
    group: libc::gid_t,
    groups: Vec<libc::gid_t>,
}

/// The socket that a thread has under this number.
///
/// # Errors
///
/// `EBADF` if there is none, `EPERM` if the thread cannot be looked into.
pub fn fetch(thread: Pid, number: RawFd) -> Result<OwnedFd, Errno> {
    let process = open(thread, PIDFD_THREAD).or_else(|_| open(leader(thread), 0))?;
    // SAFETY: the call takes numbers only.
    let got = unsafe { libc::syscall(libc::SYS_pidfd_getfd, process.as_raw_fd(), number, 0) };
    owned(got)
}

fn open(process: Pid, flags: libc::c_uint) -> Result<OwnedFd, Errno> {
    // SAFETY: the call takes numbers only.
    owned(unsafe { libc::syscall(libc::SYS_pidfd_open, process.as_raw(), flags) })
}

fn owned(result: c_long) -> Result<OwnedFd, Errno> {
    let number = Errno::result(result)? as RawFd;
    // SAFETY: the kernel has just made this descriptor for this process; no value owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}

/// The process of a thread.
fn leader(thread: Pid) -> Pid {
    let number = field(thread, "Tgid:").and_then(|text| text.parse().ok());
    number.map_or(thread, Pid::from_raw)
}

fn field(thread: Pid, name: &str) -> Option<String> {
    let status = fs::read_to_string(format!("/proc/{thread}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim().to_owned())
}

/// What this socket is.
///
/// # Errors
///
/// `ENOTSOCK` if it is none.
pub fn kind(socket: BorrowedFd<'_>) -> Result<SocketType, Errno> {
    let get = |option| number_option(socket, option);
    Ok(SocketType { family: get(libc::SO_DOMAIN)?, kind: get(libc::SO_TYPE)? })
}

fn number_option(socket: BorrowedFd<'_>, option: c_int) -> Result<c_int, Errno> {
    let mut value: c_int = 0;
    let mut size = size_of::<c_int>() as socklen_t;
    // SAFETY: both pointers are to local values; the kernel writes at most `size` bytes.
    let result = unsafe {
        let (value, size) = (&raw mut value, &raw mut size);
        libc::getsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, option, value.cast(), size)
    };
    Errno::result(result).map(|_| value)
}

/// Connects it to this address, given in the form of the kernel.
///
/// # Errors
///
/// Those of the call.
pub fn connect(socket: BorrowedFd<'_>, address: &[u8]) -> Result<(), Errno> {
    let size = socklen_t::try_from(address.len()).map_err(|_| Errno::EINVAL)?;
    // SAFETY: the kernel reads `size` bytes of a slice that lives until the call returns.
    let result = unsafe { libc::connect(socket.as_raw_fd(), address.as_ptr().cast(), size) };
    Errno::result(result).map(drop)
}

/// Lets it accept connections, so many at once.
///
/// # Errors
///
/// Those of the call.
pub fn listen(socket: BorrowedFd<'_>, most: c_int) -> Result<(), Errno> {
    // SAFETY: the call takes numbers only.
    Errno::result(unsafe { libc::listen(socket.as_raw_fd(), most) }).map(drop)
}

/// The address that it has on this side, in the form of the kernel.
///
/// # Errors
///
/// Those of the call.
pub fn own_address(socket: BorrowedFd<'_>) -> Result<Vec<u8>, Errno> {
    let mut address = vec![0_u8; size_of::<libc::sockaddr_storage>()];
    let mut size = address.len() as socklen_t;
    // SAFETY: the kernel writes at most `size` bytes into a vector of that size.
    let result = unsafe {
        libc::getsockname(socket.as_raw_fd(), address.as_mut_ptr().cast(), &raw mut size)
    };
    Errno::result(result)?;
    address.truncate(size as usize);
    Ok(address)
}

/// Whether calls on it return at once.
#[must_use]
pub fn is_nonblocking(socket: BorrowedFd<'_>) -> bool {
    // SAFETY: the call takes numbers only.
    let flags = unsafe { libc::fcntl(socket.as_raw_fd(), libc::F_GETFL) };
    flags >= 0 && flags & libc::O_NONBLOCK != 0
}

/// Sets how long a connection may take until the call returns, and returns what it was. Zero is for ever.
///
/// # Errors
///
/// Those of the call.
pub fn set_send_timeout(socket: BorrowedFd<'_>, time: Duration) -> Result<Duration, Errno> {
    let mut before = libc::timeval { tv_sec: 0, tv_usec: 0 };
    let mut size = size_of::<libc::timeval>() as socklen_t;
    let next = libc::timeval {
        tv_sec: time.as_secs() as libc::time_t,
        tv_usec: time.subsec_micros().into(),
    };
    let (level, option) = (libc::SOL_SOCKET, libc::SO_SNDTIMEO);
    // SAFETY: the pointers are to local values of the size that is given.
    unsafe {
        let (place, length) = ((&raw mut before).cast(), &raw mut size);
        Errno::result(libc::getsockopt(socket.as_raw_fd(), level, option, place, length))?;
        let (place, length) = ((&raw const next).cast(), size_of::<libc::timeval>() as socklen_t);
        Errno::result(libc::setsockopt(socket.as_raw_fd(), level, option, place, length))?;
    }
    Ok(Duration::new(before.tv_sec.unsigned_abs(), before.tv_usec.unsigned_abs() as u32 * 1000))
}

/// Whether a signal that the thread has a handler for waits to be delivered to it.
#[must_use]
pub fn has_signal(thread: Pid) -> bool {
    let Ok(status) = fs::read_to_string(format!("/proc/{thread}/status")) else { return true };
    let set = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|text| u64::from_str_radix(text.trim(), 16).ok()).unwrap_or(0)
    };
    (set("SigPnd:") | set("ShdPnd:")) & !set("SigBlk:") & set("SigCgt:") != 0
}

impl Credentials {
    /// Those of a thread.
    ///
    /// # Errors
    ///
    /// `ESRCH` if it is gone.
    pub fn of(thread: Pid) -> Result<Self, Errno> {
        let path = format!("/proc/{thread}/status");
        let status = fs::read_to_string(path).map_err(|_| Errno::ESRCH)?;
        let line = |name: &str| status.lines().find_map(|line| line.strip_prefix(name));
        // Real, effective, saved, for files.
        let effective = |name: &str| line(name)?.split_ascii_whitespace().nth(1)?.parse().ok();
        let groups = line("Groups:").unwrap_or_default().split_ascii_whitespace();
        Ok(Self {
            user: effective("Uid:").ok_or(Errno::ESRCH)?,
            group: effective("Gid:").ok_or(Errno::ESRCH)?,
            groups: groups.filter_map(|number| number.parse().ok()).collect(),
        })
    }

    /// Runs a function as this thread would: the calling thread alone takes on these credentials meanwhile.
    ///
    /// # Errors
    ///
    /// `EPERM` if this process may not.
    pub fn during<T>(&self, act: impl FnOnce() -> T) -> Result<T, Errno> {
        let own = Self::of(nix::unistd::gettid())?;
        if own == *self {
            return Ok(act());
        }
        // The real and saved user stay, so that the way back is open. The group goes first and comes back last:
        // only the administrator may change it.
        take_on(&self.groups, self.group, self.user)?;
        let result = act();
        set_user(own.user)?;
        take_on(&own.groups, own.group, own.user)?;
        Ok(result)
    }
}

fn take_on(groups: &[libc::gid_t], group: libc::gid_t, user: libc::uid_t) -> Result<(), Errno> {
    let unchanged = libc::gid_t::MAX;
    // SAFETY: the kernel reads as many numbers as the slice has. The raw calls change the calling thread only, and
    // not the whole process as those of the C library do.
    unsafe {
        let (count, list) = (groups.len(), groups.as_ptr());
        Errno::result(libc::syscall(libc::SYS_setgroups, count, list))?;
        Errno::result(libc::syscall(libc::SYS_setresgid, unchanged, group, unchanged))?;
    }
    set_user(user)
}

fn set_user(user: libc::uid_t) -> Result<(), Errno> {
    let unchanged = libc::uid_t::MAX;
    // SAFETY: the call takes numbers only, and changes the calling thread only.
    let result = unsafe { libc::syscall(libc::SYS_setresuid, unchanged, user, unchanged) };
    Errno::result(result).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;
    use std::os::unix::net::UnixListener;

    #[test]
    fn a_fetched_socket_is_the_same_socket() -> Result<(), Box<dyn std::error::Error>> {
        let dir = std::env::temp_dir().join(format!("aegish-fetch-{}", std::process::id()));
        fs::create_dir_all(&dir)?;
        let listener = UnixListener::bind(dir.join("s"))?;
        let fetched = fetch(nix::unistd::gettid(), listener.as_raw_fd())?;
        assert_eq!(own_address(fetched.as_fd())?, own_address(listener.as_fd())?);
        let unix = SocketType { family: libc::AF_UNIX, kind: libc::SOCK_STREAM };
        assert_eq!(kind(fetched.as_fd())?, unix);
        assert!(!is_nonblocking(fetched.as_fd()));
        let second = Duration::from_secs(1);
        assert_eq!(set_send_timeout(fetched.as_fd(), second)?, Duration::ZERO);
        assert_eq!(set_send_timeout(listener.as_fd(), Duration::ZERO)?, second);
        fs::remove_dir_all(&dir)?;
        Ok(())
    }

    #[test]
    fn other_credentials_are_taken_on_and_left_again() {
        let Ok(own) = Credentials::of(nix::unistd::gettid()) else { return };
        let nobody = Credentials { user: 65534, group: 65534, groups: Vec::new() };
        let during = nobody.during(|| Credentials::of(nix::unistd::gettid()));
        match during {
            Ok(seen) => assert_eq!(seen, Ok(nobody)),
            Err(error) => assert_eq!(error, Errno::EPERM, "only an administrator may"),
        }
        assert_eq!(Credentials::of(nix::unistd::gettid()), Ok(own));
    }
}
