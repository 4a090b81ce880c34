//! Connections that the supervisor makes for the programs of a session.
//!
//! The address is copied once, and the socket is fetched. What was looked at is what is connected, whatever the caller
//! writes to its memory or puts under the number of its socket meanwhile.

use std::ffi::OsStr;
use std::fs;
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use aegish_kernel::memory::Reader;
use aegish_kernel::socket::{self, Credentials, SocketType};
use aegish_kernel::{ConnectCall, Listener, Reply, Report};
use nix::errno::Errno;
use nix::fcntl::{OFlag, OpenHow, ResolveFlag, open, openat2};
use nix::libc;
use nix::sys::stat::Mode;
use nix::unistd::Pid;

use super::claim::{errno, is_here, seen_by};
use crate::network::{Connections, Peer, SocketFile};
use crate::proxy::{Proxy, canonical};

/// The largest address that the kernel takes.
const LONGEST_ADDRESS: u32 = size_of::<libc::sockaddr_storage>() as u32;
/// How long the supervisor waits for a connection before it looks whether the caller still does.
const STEP: Duration = Duration::from_millis(50);
/// Where the name begins in an address of a Unix socket.
const NAME: usize = 2;

/// A connection that may be made.
pub(super) struct Connection {
    socket: OwnedFd,
    kind: SocketType,
    address: Vec<u8>,
    /// The socket that the address leads to, kept open so that the address stays valid.
    _target: Option<OwnedFd>,
    caller: Credentials,
    thread: Pid,
    /// Is told of the connection, if it is one to it.
    proxy: Option<Arc<Proxy>>,
    /// The other side, in words.
    peer: String,
}

/// Why a connection may not be made.
pub(super) struct Refusal {
    pub(super) reason: String,
    /// The port of the other side, if it has one.
    pub(super) port: Option<u16>,
}

/// What becomes of a connection.
pub(super) enum Prepared {
    /// It may be made.
    Allowed(Connection),
    /// It may not, for this reason.
    Refused(Refusal),
}

/// Reads what a connection is, and whether it may be made.
pub(super) fn prepare(
    thread: Pid,
    call: &ConnectCall,
    connections: &Connections,
) -> Result<Prepared, Errno> {
    let socket = socket::fetch(thread, call.socket)?;
    let kind = socket::kind(socket.as_fd())?;
    if call.length > LONGEST_ADDRESS {
        return Err(Errno::EINVAL);
    }
    let length = call.length as usize;
    let mut address = Reader::new(thread, length).bytes(call.address, length)?;
    let (peer, target) = match kind.family {
        libc::AF_UNIX => unix(thread, &mut address)?,
        _ => {
            let family = address.first_chunk().map(|bytes| i32::from(u16::from_ne_bytes(*bytes)));
            (Peer::internet(family.unwrap_or_default(), &address).unwrap_or(Peer::Other), None)
        }
    };
    Ok(match connections.refusal(&peer) {
        Some(reason) => Prepared::Refused(Refusal { reason, port: peer.port() }),
        None => {
            let caller = Credentials::of(thread)?;
            let leads_to = |proxy: &&Arc<Proxy>| matches!(&peer, Peer::Internet(at, port) if proxy.is_at(*at, *port));
            let proxy = connections.proxy().filter(leads_to).cloned();
            let peer = peer.to_string();
            Prepared::Allowed(Connection {
                socket,
                kind,
                address,
                _target: target,
                caller,
                thread,
                proxy,
                peer,
            })
        }
    })
}

/// Where the address of a Unix socket leads. The address then leads to the socket that was found and to no other.
fn unix(thread: Pid, address: &mut Vec<u8>) -> Result<(Peer, Option<OwnedFd>), Errno> {
    let family = address.first_chunk().map(|bytes| i32::from(u16::from_ne_bytes(*bytes)));
    let name = address.get(NAME..).unwrap_or_default();
    if family != Some(libc::AF_UNIX) || name.is_empty() {
        return Ok((Peer::Other, None));
    }
    if let Some(name) = name.strip_prefix(b"\0") {
        return Ok((Peer::Abstract(name.to_vec()), None));
    }
    let end = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
    let path = Path::new(OsStr::from_bytes(name.get(..end).unwrap_or_default()));
    let target = find(thread, path)?;
    let place = format!("/proc/self/fd/{}", target.as_raw_fd());
    let real = fs::read_link(&place).map_err(|error| errno(&error))?;
    let peer = Peer::Path(real, SocketFile::at(&place).ok_or(Errno::ENOENT)?);
    address.truncate(NAME);
    address.extend_from_slice(place.as_bytes());
    address.push(0);
    Ok((peer, Some(target)))
}

/// The file at a path as the caller sees it.
fn find(thread: Pid, path: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlag::O_PATH | OFlag::O_CLOEXEC;
    if is_here(thread) {
        let place = match path.is_relative() {
            true => PathBuf::from(format!("/proc/{thread}/cwd")).join(path),
            false => seen_by(thread, path),
        };
        return Credentials::of(thread)?.during(|| open(&place, flags, Mode::empty()))?;
    }
    // In another root, links lead where they do for the caller.
    let base = if path.is_relative() { "cwd" } else { "root" };
    let base = PathBuf::from(format!("/proc/{thread}/{base}"));
    let base = open(&base, flags | OFlag::O_DIRECTORY, Mode::empty())?;
    let how = OpenHow::new().flags(flags).resolve(ResolveFlag::RESOLVE_IN_ROOT);
    Credentials::of(thread)?.during(|| openat2(&base, path, how))?
}

impl Connection {
    /// The other side, in words. None if it is the proxy, which tells where it leads.
    pub(super) fn peer(&self) -> Option<&str> {
        self.proxy.is_none().then_some(&self.peer)
    }

    /// Whether it can take long.
    pub(super) fn waits(&self) -> bool {
        let stream = self.kind.kind == libc::SOCK_STREAM || self.kind.kind == libc::SOCK_SEQPACKET;
        stream && !socket::is_nonblocking(self.socket.as_fd())
    }

    /// Makes a connection that returns at once.
    pub(super) fn make(&self) -> Reply {
        match self.connect() {
            Ok(()) => Reply::Done,
            Err(error) => Reply::Fail(error),
        }
    }

    fn connect(&self) -> Result<(), Errno> {
        let socket = self.socket.as_fd();
        let connected = self.caller.during(|| socket::connect(socket, &self.address))?;
        if let Some(proxy) = &self.proxy
            && let Ok(own) = socket::own_address(socket)
            && let Some(Peer::Internet(address, port)) = Peer::internet(self.kind.family, &own)
        {
            proxy.expect(canonical(SocketAddr::new(address, port)), self.thread);
        }
        connected
    }

    /// Makes a connection that may take long. Gives up, as the kernel would, when the caller has a signal to handle, when
    /// its own timeout is over, or when `ends` says so; `None` if the caller is gone.
    pub(super) fn make_in_steps(
        &self,
        listener: &Listener,
        report: &Report,
        ends: impl Fn() -> bool,
    ) -> Option<Reply> {
        let socket = self.socket.as_fd();
        let began = Instant::now();
        let timeout = match socket::set_send_timeout(socket, STEP) {
            Ok(of_caller) => CallerTimeout { socket, of_caller },
            Err(error) => return Some(Reply::Fail(error)),
        };
        loop {
            match self.connect() {
                Err(error @ (Errno::EINPROGRESS | Errno::EALREADY | Errno::EAGAIN)) => {
                    if !listener.still_waits(report) {
                        return None;
                    }
                    if ends() || socket::has_signal(report.thread) {
                        return Some(Reply::Fail(Errno::EINTR));
                    }
                    if !timeout.of_caller.is_zero() && began.elapsed() >= timeout.of_caller {
                        let late = if error == Errno::EAGAIN { error } else { Errno::EINPROGRESS };
                        return Some(Reply::Fail(late));
                    }
                }
                Err(error) => return Some(Reply::Fail(error)),
                Ok(()) => return Some(Reply::Done),
            }
        }
    }
}

/// Gives a socket back the time that its owner set.
struct CallerTimeout<'a> {
    socket: BorrowedFd<'a>,
    of_caller: Duration,
}

impl Drop for CallerTimeout<'_> {
    fn drop(&mut self) {
        let _ = socket::set_send_timeout(self.socket, self.of_caller);
    }
}

/// Lets a socket accept connections if its address is one that may.
pub(super) fn listen(
    thread: Pid,
    number: i32,
    most: i32,
    connections: &Connections,
) -> Result<Reply, Errno> {
    let socket = socket::fetch(thread, number)?;
    let kind = socket::kind(socket.as_fd())?;
    let address = socket::own_address(socket.as_fd())?;
    let own = Peer::internet(kind.family, &address).unwrap_or(Peer::Other);
    if !connections.may_listen(&own) {
        return Ok(Reply::Fail(Errno::EACCES));
    }
    socket::listen(socket.as_fd(), most).map(|()| Reply::Done)
}
