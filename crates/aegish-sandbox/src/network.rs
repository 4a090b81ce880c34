//! Which connections the programs of a session may make.
//!
//! Takes the address of a connection, once; says whether it may be made. Addresses of the internet are compared by
//! number and port, Unix sockets by the kind of service behind them, see [`SocketKind`].

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use aegish_policy::AllowedHost;

use crate::proxy::Proxy;
use crate::supervisor::FileId;

/// How long a list of existing sockets is used before they are looked up again.
const FRESH: Duration = Duration::from_secs(1);
/// The most sockets that are remembered.
const MOST_SOCKETS: usize = 4096;

/// How far connections over the internet's protocols may go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// Everywhere.
    Everywhere,
    /// By TCP to these ports.
    Ports(Vec<u16>),
    /// To these hosts, through a proxy.
    Hosts(Vec<AllowedHost>),
    /// By TCP to this machine.
    Loopback,
    /// Nowhere.
    Nowhere,
}

/// Unix sockets of services that act outside the session for whoever connects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SocketKind {
    /// They start programs: containers, systemd, D-Bus, virtual machines.
    Services,
    /// They type into shells or editors that run elsewhere: tmux, screen, servers of editors.
    Terminals,
    /// They sign in the user's name: ssh-agent, gpg-agent, keyrings.
    Agent,
    /// They show windows, and some tell what is typed into others: X, Wayland.
    Display,
}

impl SocketKind {
    /// All, by name.
    pub const ALL: [(&'static str, Self); 4] = [
        ("services", Self::Services),
        ("terminals", Self::Terminals),
        ("agent", Self::Agent),
        ("display", Self::Display),
    ];

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }
}

/// Where such sockets are. `*` stands for any characters within one component, `~` for the home directory.
const PLACES: &[(SocketKind, &[&str])] = &[
    (
        SocketKind::Services,
        &[
            "/run/docker.sock",
            "/run/docker/*.sock",
            "/run/containerd/*.sock",
            "/run/podman/*.sock",
            "/run/crio/*.sock",
            "/run/buildkit/*.sock",
            "/run/user/*/docker.sock",
            "/run/user/*/podman/*.sock",
            "/run/user/*/buildkit/*.sock",
            "~/.docker/run/*.sock",
            "~/.docker/desktop/*.sock",
            "~/.colima/*/*.sock",
            "~/.rd/*.sock",
            "/run/systemd/private",
            "/run/systemd/io.*",
            "/run/user/*/systemd/private",
            "/run/user/*/systemd/io.*",
            "/run/dbus/system_bus_socket",
            "/run/user/*/bus",
            "/run/user/*/dbus-1/*",
            "/tmp/dbus-*",
            "/run/libvirt/*-sock",
            "/run/user/*/libvirt/*-sock",
            "/run/snapd.socket",
            "/var/lib/lxd/unix.socket",
            "/var/snap/lxd/common/lxd/unix.socket",
            "/var/lib/incus/unix.socket",
            "/run/udev/control",
        ],
    ),
    (
        SocketKind::Terminals,
        &[
            "/tmp/tmux-*/*",
            "/run/screen/S-*/*",
            "/tmp/screens/S-*/*",
            "~/.screen/*",
            "/run/user/*/emacs/*",
            "/tmp/emacs*/*",
            "/run/user/*/nvim.*",
            "/tmp/nvim*/*/*",
            "/tmp/kitty*",
            "/run/user/*/vscode-ipc-*",
            "/tmp/vscode-ipc-*",
            "/run/user/*/zellij/*/*",
            "/tmp/zellij-*/*/*",
            "/run/user/*/wezterm/*",
        ],
    ),
    (
        SocketKind::Agent,
        &[
            "/tmp/ssh-*/agent.*",
            "~/.ssh/agent/*",
            "/run/user/*/ssh-agent*",
            "/run/user/*/gnupg/*",
            "/run/user/*/gnupg/*/*",
            "~/.gnupg/S.*",
            "/run/user/*/keyring/*",
            "/run/user/*/gcr/*",
        ],
    ),
    (SocketKind::Display, &["/tmp/.X11-unix/*", "/run/user/*/wayland-*"]),
];
/// Names of container services, wherever their socket is.
const SERVICE_NAMES: [&str; 6] = [
    "docker.sock",
    "containerd.sock",
    "podman.sock",
    "crio.sock",
    "dockershim.sock",
    "buildkitd.sock",
];

/// What the programs of a session may connect to.
#[derive(Debug)]
pub struct Connections {
    reach: Reach,
    /// The way to the hosts of a list.
    proxy: Option<Arc<Proxy>>,
    /// Kinds that stay open.
    open: Vec<SocketKind>,
    /// Single sockets that stay open.
    paths: Vec<PathBuf>,
    home: Option<PathBuf>,
    /// The socket of the user's agent, which can be anywhere.
    agent: Option<PathBuf>,
    began: SystemTime,
    existing: Mutex<Existing>,
}

/// Sockets of the kinds above that exist or existed. A socket can get another name.
#[derive(Debug, Default)]
struct Existing {
    seen: Option<Instant>,
    sockets: HashMap<SocketFile, SocketKind>,
}

/// A socket in the file system, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SocketFile {
    id: FileId,
    /// The number of a file is given again when it is gone.
    made: Option<SystemTime>,
}

impl SocketFile {
    /// The one at this path.
    pub(crate) fn at(path: impl AsRef<Path>) -> Option<Self> {
        let meta = fs::metadata(path).ok()?;
        let id = FileId { device: meta.dev(), number: meta.ino() };
        Some(Self { id, made: meta.created().ok() })
    }
}

/// The other side of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Peer {
    /// An address of the internet.
    Internet(IpAddr, u16),
    /// A socket in the file system: where it is, and which it is.
    Path(PathBuf, SocketFile),
    /// A socket with a name that is no file.
    Abstract(Vec<u8>),
    /// Not an address to connect to: the end of a connection, a socket without a name, another family.
    Other,
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Internet(address, port) => write!(f, "{address} port {port}"),
            Self::Path(path, _) => write!(f, "{}", path.display()),
            Self::Abstract(name) => write!(f, "@{}", String::from_utf8_lossy(name)),
            Self::Other => f.write_str("nothing"),
        }
    }
}

impl Connections {
    /// For a session that begins now. `agent` is what `SSH_AUTH_SOCK` says. A list of hosts needs a proxy.
    #[must_use]
    pub fn new(
        reach: Reach,
        proxy: Option<Arc<Proxy>>,
        open: Vec<SocketKind>,
        paths: Vec<PathBuf>,
        home: Option<PathBuf>,
        agent: Option<PathBuf>,
    ) -> Self {
        let resolved = |path: PathBuf| fs::canonicalize(&path).unwrap_or(path);
        Self {
            reach,
            proxy,
            open,
            paths: paths.into_iter().map(resolved).collect(),
            home: home.map(resolved),
            agent: agent.map(resolved),
            began: SystemTime::now(),
            existing: Mutex::default(),
        }
    }

    /// Variables that tell programs of the way to the hosts of a list.
    #[must_use]
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        self.proxy.as_ref().map_or_else(Vec::new, |proxy| proxy.variables())
    }

    /// The proxy, if there is one.
    pub(crate) fn proxy(&self) -> Option<&Arc<Proxy>> {
        self.proxy.as_ref()
    }

    /// Why this connection may not be made; nothing if it may.
    pub(crate) fn refusal(&self, peer: &Peer) -> Option<String> {
        match peer {
            Peer::Internet(address, port) => self.beyond(*address, *port),
            Peer::Path(path, file) => {
                let kind = self.kind_of(path, *file)?;
                self.closed(kind, &path.display().to_string())
            }
            Peer::Abstract(name) => {
                let name = String::from_utf8_lossy(name);
                let kind = fits(Path::new("/tmp/.X11-unix/*"), Path::new(name.as_ref()));
                self.closed(kind.then_some(SocketKind::Display)?, &format!("@{name}"))
            }
            Peer::Other => None,
        }
    }

    /// Whether a socket with this address may accept connections.
    pub(crate) fn may_listen(&self, own: &Peer) -> bool {
        match (own, &self.reach) {
            (_, Reach::Everywhere) => true,
            (Peer::Internet(address, _), _) => is_loopback(*address),
            _ => true,
        }
    }

    fn beyond(&self, address: IpAddr, port: u16) -> Option<String> {
        // Linux takes the address of nothing for this machine.
        let here = is_loopback(address) || canonical(address).is_unspecified();
        let goes = match &self.reach {
            Reach::Everywhere => true,
            Reach::Ports(ports) => ports.contains(&port),
            Reach::Hosts(_) => self.proxy.as_ref().is_some_and(|proxy| proxy.opens(address, port)),
            Reach::Loopback => here,
            Reach::Nowhere => false,
        };
        (!goes).then(|| match &self.reach {
            Reach::Hosts(_) => format!(
                "{address} port {port} is beyond AEGISH_NET, which takes connections through the proxy only"
            ),
            _ => format!("{address} port {port} is beyond AEGISH_NET"),
        })
    }

    fn closed(&self, kind: SocketKind, name: &str) -> Option<String> {
        let open = self.open.contains(&kind);
        (!open).then(|| {
            let word = kind.name();
            format!("{name} reaches beyond the session (AEGISH_SOCKETS={word} opens it)")
        })
    }

    /// The kind of a socket, if it is of one and not excepted.
    fn kind_of(&self, path: &Path, file: SocketFile) -> Option<SocketKind> {
        if self.paths.iter().any(|open| path == open) {
            return None;
        }
        let kind = self.by_name(path).or_else(|| self.by_identity(file))?;
        // A terminal that was opened within the session is part of it.
        let own = kind == SocketKind::Terminals && file.made.is_some_and(|at| at > self.began);
        (!own).then_some(kind)
    }

    fn by_name(&self, path: &Path) -> Option<SocketKind> {
        if self.agent.as_deref() == Some(path) {
            return Some(SocketKind::Agent);
        }
        if path.file_name().is_some_and(|name| SERVICE_NAMES.iter().any(|one| name == *one)) {
            return Some(SocketKind::Services);
        }
        self.places().find(|(_, place)| fits(place, path)).map(|(kind, _)| kind)
    }

    fn places(&self) -> impl Iterator<Item = (SocketKind, PathBuf)> {
        PLACES.iter().flat_map(move |(kind, places)| {
            places.iter().filter_map(move |place| match place.strip_prefix("~/") {
                Some(rest) => Some((*kind, self.home.as_ref()?.join(rest))),
                None => Some((*kind, PathBuf::from(place))),
            })
        })
    }

    /// By the sockets that exist: one can be reached by a second name, or be renamed.
    fn by_identity(&self, file: SocketFile) -> Option<SocketKind> {
        self.look_around();
        self.existing().sockets.get(&file).copied()
    }

    fn existing(&self) -> MutexGuard<'_, Existing> {
        self.existing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers which sockets of the kinds there are. Called before the session begins: it could rename some.
    pub(crate) fn look_around(&self) {
        let mut existing = self.existing();
        if existing.seen.is_some_and(|seen| seen.elapsed() < FRESH) {
            return;
        }
        if existing.sockets.len() > MOST_SOCKETS {
            existing.sockets.clear();
        }
        let sockets = &mut existing.sockets;
        for (kind, place) in self.places() {
            let mut add =
                |path: &Path| sockets.extend(SocketFile::at(path).map(|file| (file, kind)));
            let parts: Vec<Component<'_>> = place.components().skip(1).collect();
            expand(Path::new("/"), &parts, &mut add);
        }
        // The kernel's own list has those that are elsewhere.
        let listed = fs::read_to_string("/proc/net/unix").unwrap_or_default();
        for path in listed.lines().filter_map(|line| Some(Path::new(line.get(line.find('/')?..)?)))
        {
            let found = self.by_name(path).zip(SocketFile::at(path));
            sockets.extend(found.map(|(kind, file)| (file, kind)));
        }
        existing.seen = Some(Instant::now());
    }
}

/// Calls `add` with every path that fits.
fn expand(start: &Path, parts: &[Component<'_>], add: &mut impl FnMut(&Path)) {
    let Some((first, rest)) = parts.split_first() else { return add(start) };
    let name = Path::new(first);
    if !name.as_os_str().as_encoded_bytes().contains(&b'*') {
        let path = start.join(name);
        if fs::symlink_metadata(&path).is_ok() {
            expand(&path, rest, add);
        }
        return;
    }
    for entry in fs::read_dir(start).into_iter().flatten().flatten() {
        if fits(name, Path::new(&entry.file_name())) {
            expand(&entry.path(), rest, add);
        }
    }
}

/// Whether a path fits a pattern, component by component.
fn fits(pattern: &Path, path: &Path) -> bool {
    let mut parts = path.components();
    let all = pattern.components().all(|one| {
        parts.next().is_some_and(|part| {
            let pattern = one.as_os_str().as_encoded_bytes();
            matches(pattern, part.as_os_str().as_encoded_bytes())
        })
    });
    all && parts.next().is_none()
}

fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let Some(star) = pattern.iter().position(|byte| *byte == b'*') else { return pattern == text };
    let (start, rest) = (&pattern[..star], &pattern[star + 1..]);
    text.strip_prefix(start)
        .is_some_and(|text| (0..=text.len()).any(|taken| matches(rest, &text[taken..])))
}

/// An IPv4 address that is written as one of IPv6 is the same address.
fn canonical(address: IpAddr) -> IpAddr {
    address.to_canonical()
}

fn is_loopback(address: IpAddr) -> bool {
    canonical(address).is_loopback()
}

impl Peer {
    /// The port, if it has one.
    pub(crate) fn port(&self) -> Option<u16> {
        match self {
            Self::Internet(_, port) => Some(*port),
            _ => None,
        }
    }

    /// Reads an address of the internet in the form of the kernel.
    pub(crate) fn internet(family: i32, address: &[u8]) -> Option<Self> {
        let port = u16::from_be_bytes(*address.get(2..4)?.first_chunk()?);
        match family {
            nix::libc::AF_INET => {
                let bytes: [u8; 4] = *address.get(4..8)?.first_chunk()?;
                Some(Self::Internet(Ipv4Addr::from(bytes).into(), port))
            }
            nix::libc::AF_INET6 => {
                let bytes: [u8; 16] = *address.get(8..24)?.first_chunk()?;
                Some(Self::Internet(Ipv6Addr::from(bytes).into(), port))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections(reach: Reach) -> Connections {
        Connections::new(reach, None, vec![SocketKind::Agent], Vec::new(), None, None)
    }

    fn allows(reach: &Reach, address: &str, port: u16) -> bool {
        let Ok(address) = address.parse() else { return false };
        connections(reach.clone()).refusal(&Peer::Internet(address, port)).is_none()
    }

    #[test]
    fn loopback_is_this_machine_however_it_is_written() {
        for here in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "0.0.0.0", "::"] {
            assert!(allows(&Reach::Loopback, here, 80), "{here}");
        }
        for there in ["10.0.0.1", "::ffff:10.0.0.1", "fe80::1", "128.0.0.1", "::2", "::127.0.0.1"] {
            assert!(!allows(&Reach::Loopback, there, 80), "{there}");
        }
    }

    #[test]
    fn ports_are_the_listed_ones() {
        let ports = Reach::Ports(vec![443]);
        assert!(allows(&ports, "10.0.0.1", 443) && !allows(&ports, "10.0.0.1", 80));
        assert!(!allows(&Reach::Nowhere, "127.0.0.1", 80));
        assert!(allows(&Reach::Everywhere, "10.0.0.1", 1));
    }

    #[test]
    fn listening_beyond_this_machine_is_refused_where_connecting_is() {
        let any = Peer::Internet(Ipv4Addr::UNSPECIFIED.into(), 80);
        let here = Peer::Internet(Ipv4Addr::LOCALHOST.into(), 80);
        let loopback = connections(Reach::Loopback);
        assert!(loopback.may_listen(&here) && !loopback.may_listen(&any));
        assert!(connections(Reach::Everywhere).may_listen(&any));
    }

    #[test]
    fn sockets_are_known_by_place_and_name() {
        let connections = connections(Reach::Everywhere);
        let kind = |path: &str| connections.by_name(Path::new(path));
        assert_eq!(kind("/run/docker.sock"), Some(SocketKind::Services));
        assert_eq!(kind("/srv/x/podman.sock"), Some(SocketKind::Services));
        assert_eq!(kind("/run/user/1000/bus"), Some(SocketKind::Services));
        assert_eq!(kind("/tmp/tmux-1000/default"), Some(SocketKind::Terminals));
        assert_eq!(kind("/tmp/ssh-abc/agent.12"), Some(SocketKind::Agent));
        assert_eq!(kind("/tmp/.X11-unix/X0"), Some(SocketKind::Display));
        assert_eq!(kind("/run/postgresql/.s.PGSQL.5432"), None);
        assert_eq!(kind("/tmp/tmux-1000"), None);
    }
}
