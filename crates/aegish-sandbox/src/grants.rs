//! Rules for one command: the files that it needs, and nothing else.

use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr,
};

use crate::files::{DEVICES, NoRules, with_ports};
use crate::network::Reach;

const RIGHTS: ABI = ABI::V3;
/// What the dynamic loader, the C library, locales and name resolution read.
const OF_SYSTEM: [&str; 30] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix/store",
    "/proc",
    "/sys/devices/system/cpu",
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/gai.conf",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/inputrc",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/ld.so.preload",
    "/etc/locale.alias",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/etc/pki",
    "/etc/protocols",
    "/etc/resolv.conf",
    "/etc/services",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
];

/// What may be done at a path and below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grant {
    /// Names of a directory.
    List,
    /// Reading, and running as a program.
    Read,
    /// Removing names in a directory.
    Remove,
    /// Reading and changing, making and removing.
    Write,
}

/// How a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileAccess {
    /// Only read.
    Read,
    /// Written or made.
    Write,
}

/// Paths without links, and what may be done there.
pub type Grants = Vec<(PathBuf, Grant)>;

/// The rules for a child to put on itself, see [`rules`](crate::rules).
///
/// # Errors
///
/// If the kernel has no Landlock.
pub fn granted_rules(
    grants: &Grants,
    reach: &Reach,
    root: Option<BorrowedFd<'_>>,
) -> Result<OwnedFd, NoRules> {
    let handled = Ruleset::default().handle_access(AccessFs::from_all(RIGHTS))?;
    let mut rules = with_ports(handled, reach)?;
    for (path, grant) in all(grants) {
        let place = match root {
            Some(root) => Path::new("/proc/self/fd")
                .join(root.as_raw_fd().to_string())
                .join(path.strip_prefix("/").unwrap_or(path)),
            None => path.to_owned(),
        };
        let Ok(opened) = PathFd::new(&place) else { continue };
        let rights = match path.is_dir() {
            true => rights(grant),
            false => rights(grant) & AccessFs::from_file(RIGHTS),
        };
        if !rights.is_empty() {
            (&mut rules).add_rule(PathBeneath::new(opened, rights))?;
        }
    }
    Option::<OwnedFd>::from(rules).ok_or(NoRules::Unsupported)
}

fn all(grants: &Grants) -> impl Iterator<Item = (&Path, Grant)> {
    let system = OF_SYSTEM.iter().map(|path| (Path::new(*path), Grant::Read));
    let devices = DEVICES.iter().map(|path| (Path::new(*path), Grant::Write));
    let given = grants.iter().map(|(path, grant)| (path.as_path(), *grant));
    system.chain(devices).chain(given)
}

fn rights(grant: Grant) -> BitFlags<AccessFs> {
    match grant {
        Grant::List => AccessFs::ReadDir.into(),
        Grant::Read => AccessFs::from_read(RIGHTS),
        Grant::Remove => AccessFs::RemoveFile | AccessFs::RemoveDir,
        Grant::Write => AccessFs::from_all(RIGHTS),
    }
}

/// Whether the grants let a program open a path in this way.
#[must_use]
pub fn is_granted(grants: &Grants, path: &Path, access: FileAccess) -> bool {
    all(grants).any(|(granted, grant)| {
        let fits = match (access, grant) {
            (FileAccess::Read, Grant::Read) | (_, Grant::Write) => true,
            (FileAccess::Read, Grant::List) => path.is_dir(),
            _ => false,
        };
        fits && path.starts_with(granted)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grant_holds_below_its_path_and_for_its_access_only() {
        let grants =
            vec![(PathBuf::from("/srv/a"), Grant::Read), (PathBuf::from("/srv/b"), Grant::Write)];
        let may = |path: &str, access| is_granted(&grants, Path::new(path), access);
        assert!(may("/srv/a/x", FileAccess::Read) && !may("/srv/a/x", FileAccess::Write));
        assert!(may("/srv/b", FileAccess::Write) && !may("/srv/bc", FileAccess::Read));
        assert!(may("/usr/bin/true", FileAccess::Read) && may("/dev/null", FileAccess::Write));
    }
}
