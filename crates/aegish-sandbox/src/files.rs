//! A profile → a Landlock rule set.
//!
//! Landlock knows no denial: what no rule allows is forbidden, and a rule for a directory holds for all below it.
//! So a directory that holds something closed is not allowed as a whole. Its entries are, one by one, as they
//! are when the session begins. Such a directory can be listed, files in it can be used, but none can be added,
//! renamed or removed.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

use aegish_policy::Closed;
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, NetPort, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, Scope as LandlockScope,
};
use nix::unistd::geteuid;

use crate::critical::{self, ClosedPaths};
use crate::network::Reach;

/// The rights that rules speak of: those of Landlock's third version, which know of truncation.
const RIGHTS: ABI = ABI::V3;
/// The most entries of one directory that get rules. What comes behind is closed.
const MOST_ENTRIES: usize = 8192;
/// Places of temporary files.
const TEMPORARY: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];
/// Devices that programs write to without leaving anything behind.
pub(crate) const DEVICES: [&str; 9] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/console",
];
/// What tools keep below the home directory and can make anew.
const CACHES: [&str; 9] = [
    ".cache",
    ".npm",
    ".cargo/registry",
    ".cargo/git",
    ".gradle",
    ".m2/repository",
    ".ccache",
    "go/pkg",
    ".pnpm-store",
];

/// How far programs may write. Critical files of the system, other people's homes and the guard's own files are
/// closed in all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileProfile {
    /// Wherever the user may.
    Open,
    /// Below the home directory, and temporary files. The user's own secrets are closed.
    Home,
    /// Below the working directory, in caches, and temporary files. The user's own secrets are closed.
    Project,
    /// Nowhere. The user's own secrets are closed.
    ReadOnly,
}

/// The surroundings that a profile is about.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// The user's home directory.
    pub home: Option<&'a Path>,
    /// The directory in which the session begins.
    pub cwd: &'a Path,
    /// Critical files that stay open.
    pub readable: &'a [PathBuf],
    /// Files of the guard beside those of the policy.
    pub guards_own: &'a [PathBuf],
}

/// Why there is no rule set.
#[derive(Debug)]
pub enum NoRules {
    /// The kernel has no Landlock, or it is switched off.
    Unsupported,
    /// The kernel refused a rule.
    Refused(RulesetError),
}

impl fmt::Display for NoRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported => f.write_str("the kernel has no Landlock, or it is switched off"),
            Self::Refused(error) => write!(f, "Landlock refused a rule: {error}"),
        }
    }
}

impl std::error::Error for NoRules {}

impl From<RulesetError> for NoRules {
    fn from(error: RulesetError) -> Self {
        Self::Refused(error)
    }
}

/// The rules of a profile, for a child to put on itself. They also hold the ports that programs may connect to, where
/// the kernel knows of ports. `root` is the root directory of a mount namespace in which they shall hold, if it is
/// another one.
///
/// # Errors
///
/// If the kernel has no Landlock.
pub fn rules(
    profile: FileProfile,
    scope: &Scope<'_>,
    reach: &Reach,
    root: Option<BorrowedFd<'_>>,
) -> Result<OwnedFd, NoRules> {
    let home = scope.home.and_then(|home| fs::canonicalize(home).ok());
    let cwd = fs::canonicalize(scope.cwd).unwrap_or_else(|_| scope.cwd.to_owned());
    let scope = Scope { home: home.as_deref(), cwd: &cwd, ..*scope };
    let closed = critical::closed(&scope, profile != FileProfile::Open);
    let readable = Grant::new(AccessFs::from_read(RIGHTS), &closed, |what| what == Closed::All);
    let writable = Grant::new(AccessFs::from_write(RIGHTS), &closed, |_| true);

    let mut handled = Ruleset::default().handle_access(AccessFs::from_all(RIGHTS))?;
    if profile >= FileProfile::Project {
        handled = handled.scope(LandlockScope::Signal)?;
    }
    let rules = with_ports(handled, reach)?;
    let mut writer = RuleWriter { rules, root };
    if profile == FileProfile::Open {
        writer.allow_root(Path::new("/"), &[&readable, &writable])?;
    } else {
        writer.allow_root(Path::new("/"), &[&readable])?;
        for root in writable_roots(profile, &scope) {
            writer.allow_root(&root, &[&writable])?;
        }
    }
    Option::<OwnedFd>::from(writer.rules).ok_or(NoRules::Unsupported)
}

/// Rules that close no file. They keep the programs of a session from looking into processes outside, the supervisor
/// among them, and hold the ports.
///
/// # Errors
///
/// If the kernel has no Landlock, or one that needs rules for files.
pub fn separation(reach: &Reach) -> Result<OwnedFd, NoRules> {
    let handled = Ruleset::default().scope(LandlockScope::AbstractUnixSocket)?;
    Option::<OwnedFd>::from(with_ports(handled, reach)?).ok_or(NoRules::Unsupported)
}

pub(crate) fn with_ports(handled: Ruleset, reach: &Reach) -> Result<RulesetCreated, RulesetError> {
    let Reach::Ports(ports) = reach else { return handled.create() };
    let mut rules = handled.handle_access(AccessNet::ConnectTcp)?.create()?;
    for port in ports {
        (&mut rules).add_rule(NetPort::new(*port, AccessNet::ConnectTcp))?;
    }
    Ok(rules)
}

/// The directories in which may be written.
fn writable_roots(profile: FileProfile, scope: &Scope<'_>) -> Vec<PathBuf> {
    let mut roots: Vec<PathBuf> = DEVICES.iter().map(PathBuf::from).collect();
    // Programs set names and limits of their own there. What is below /proc/sys needs root's rights.
    if !geteuid().is_root() {
        roots.push(PathBuf::from("/proc"));
    }
    if profile == FileProfile::ReadOnly {
        return roots;
    }
    roots.extend(TEMPORARY.iter().map(PathBuf::from));
    roots.push(PathBuf::from(format!("/run/user/{}", geteuid())));
    match profile {
        FileProfile::Home => roots.extend(scope.home.map(Path::to_owned)),
        _ => {
            roots.push(scope.cwd.to_owned());
            roots.extend(
                scope.home.into_iter().flat_map(|home| CACHES.map(|cache| home.join(cache))),
            );
        }
    }
    roots
}

/// Rights, and the paths at which they do not hold.
struct Grant {
    rights: BitFlags<AccessFs>,
    closed: ClosedTree,
}

impl Grant {
    fn new(
        rights: BitFlags<AccessFs>,
        closed: &ClosedPaths,
        which: impl Fn(Closed) -> bool,
    ) -> Self {
        let mut tree = ClosedTree::default();
        for (path, _) in closed.iter().filter(|(_, what)| which(**what)) {
            names(path)
                .fold(&mut tree, |node, name| node.below.entry(name.to_owned()).or_default())
                .is_closed = true;
        }
        Self { rights, closed: tree }
    }
}

/// Closed paths by the names of their parts, so that each entry of a directory is looked up once.
#[derive(Default)]
struct ClosedTree {
    is_closed: bool,
    below: BTreeMap<OsString, ClosedTree>,
}

/// The names of a path from the root.
fn names(path: &Path) -> impl Iterator<Item = &OsStr> {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name),
        _ => None,
    })
}

/// Rights for a path, and what is closed there or below it.
type Pending<'a> = (BitFlags<AccessFs>, Option<&'a ClosedTree>);

struct RuleWriter<'a> {
    rules: RulesetCreated,
    root: Option<BorrowedFd<'a>>,
}

impl RuleWriter<'_> {
    /// Allows something for a path and all below it, except for what is closed.
    fn allow_root(&mut self, path: &Path, grants: &[&Grant]) -> Result<(), RulesetError> {
        // What is gone needs no rule. A link is followed, or it could lead to what is closed.
        let Ok(path) = fs::canonicalize(path) else { return Ok(()) };
        let mut pending: Vec<Pending<'_>> = Vec::new();
        for grant in grants {
            let mut node = Some(&grant.closed);
            let mut is_closed = false;
            for name in names(&path) {
                node = node.and_then(|node| node.below.get(name));
                is_closed |= node.is_some_and(|node| node.is_closed);
            }
            if !is_closed {
                pending.push((grant.rights, node));
            }
        }
        let is_dir = fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_dir());
        self.allow(&path, is_dir, &pending)
    }

    fn allow(
        &mut self,
        path: &Path,
        is_dir: bool,
        pending: &[Pending<'_>],
    ) -> Result<(), RulesetError> {
        let mut whole = BitFlags::empty();
        let mut inside: Vec<(BitFlags<AccessFs>, &ClosedTree)> = Vec::new();
        for (rights, closed) in pending {
            match closed {
                None => whole |= *rights,
                Some(closed) if closed.is_closed => {}
                Some(closed) => inside.push((*rights, closed)),
            }
        }
        // Names of files are no secret, and a directory that cannot be listed is of no use.
        if inside.iter().any(|(rights, _)| rights.contains(AccessFs::ReadDir)) {
            whole |= AccessFs::ReadDir;
        }
        self.rule(path, is_dir, whole)?;
        if inside.is_empty() {
            return Ok(());
        }
        let Ok(entries) = fs::read_dir(path) else { return Ok(()) };
        for entry in entries.take(MOST_ENTRIES).flatten() {
            // What a link leads to has a rule of its own.
            let Some(kind) = entry.file_type().ok().filter(|kind| !kind.is_symlink()) else {
                continue;
            };
            let name = entry.file_name();
            let pending: Vec<Pending<'_>> =
                inside.iter().map(|(rights, closed)| (*rights, closed.below.get(&name))).collect();
            self.allow(&entry.path(), kind.is_dir(), &pending)?;
        }
        Ok(())
    }

    fn rule(
        &mut self,
        path: &Path,
        is_dir: bool,
        rights: BitFlags<AccessFs>,
    ) -> Result<(), RulesetError> {
        let rights = if is_dir { rights } else { rights & AccessFs::from_file(RIGHTS) };
        if rights.is_empty() {
            return Ok(());
        }
        // What is gone, or cannot be reached, needs no rule.
        let opened = match self.root {
            Some(root) => {
                let inner = path.strip_prefix("/").unwrap_or(path);
                PathFd::new(
                    Path::new("/proc/self/fd").join(root.as_raw_fd().to_string()).join(inner),
                )
            }
            None => PathFd::new(path),
        };
        let Ok(opened) = opened else { return Ok(()) };
        (&mut self.rules).add_rule(PathBeneath::new(opened, rights))?;
        Ok(())
    }
}
