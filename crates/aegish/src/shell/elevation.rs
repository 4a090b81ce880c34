//! Programs that give rights (`sudo` and similar): whether they can work as judged.
//!
//! The verdict is about a command with another user's rights. Takes the programs of a line, the search path
//! and the rights of this process; gives the reason why one of the programs could not give those rights. Then
//! nothing of the line runs, instead of a part of it without the rights.

use super::limits::KernelLimits;
use nix::unistd::geteuid;
use std::fmt;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Programs that need the set-user-ID bit to do anything.
const SET_USER_ID: [&str; 4] = ["sudo", "sudoedit", "doas", "pkexec"];

/// Why a program cannot give rights.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// `sudo` is not on the search path.
    Missing(String),
    /// The file is not owned by root, or lacks the set-user-ID bit.
    Powerless(PathBuf),
    /// The kernel lets no program gain rights in this session.
    NoNewPrivileges(String),
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(name) => write!(
                f,
                "nothing was run: there is no {name} on the search path; install it, or leave it out if \
                 the command needs no rights"
            ),
            Self::Powerless(path) => write!(
                f,
                "nothing was run: {} gives no rights, as it is not root's or not set-user-ID; have it \
                 reinstalled",
                path.display()
            ),
            Self::NoNewPrivileges(name) => write!(
                f,
                "nothing was run: the kernel lets nothing gain rights in this session \
                 (no_new_privs), so {name} would fail; have AEGISH_FILES and AEGISH_SUPERVISE set to \
                 off for those who need it, or log in without that limit"
            ),
        }
    }
}

/// The rights of this process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rights {
    /// It is root.
    pub(crate) root: bool,
    /// Its children cannot gain rights (`no_new_privs`).
    pub(crate) bound: bool,
}

impl Rights {
    /// The rights of this process.
    fn own() -> Self {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        Self { root: geteuid().is_root(), bound: is_bound(&status) }
    }
}

fn is_bound(status: &str) -> bool {
    status
        .lines()
        .any(|line| line.strip_prefix("NoNewPrivs:").is_some_and(|value| value.trim() == "1"))
}

/// The reason why one of these programs cannot give rights now.
pub(crate) fn obstacle(programs: &[String], path: &str, limits: &KernelLimits) -> Option<Obstacle> {
    if programs.is_empty() {
        return None;
    }
    let mut rights = Rights::own();
    rights.bound |= limits.take_rights();
    obstacle_for(programs, path, rights)
}

fn obstacle_for(programs: &[String], path: &str, rights: Rights) -> Option<Obstacle> {
    let named = |program: &&String| {
        let name = program.rsplit('/').next().unwrap_or(program);
        SET_USER_ID.contains(&name)
    };
    programs.iter().filter(named).find_map(|program| {
        let Some(file) = found(program, path) else {
            return Some(Obstacle::Missing(program.clone()));
        };
        if rights.root {
            return None;
        }
        if rights.bound {
            return Some(Obstacle::NoNewPrivileges(program.clone()));
        }
        let gives = fs::metadata(&file)
            .is_ok_and(|meta| meta.uid() == 0 && meta.permissions().mode() & 0o4000 != 0);
        (!gives).then_some(Obstacle::Powerless(file))
    })
}

/// The file that a program name resolves to.
fn found(program: &str, path: &str) -> Option<PathBuf> {
    let runs = |file: &Path| {
        fs::metadata(file)
            .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    };
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(|file| runs(file));
    }
    path.split(':').map(|place| Path::new(place).join(program)).find(|file| runs(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOBODY: Rights = Rights { root: false, bound: false };

    /// A directory for one test.
    struct Folder(PathBuf);

    impl Folder {
        /// Creates it with a program of that name and mode.
        fn with(test: &str, name: &str, mode: u32) -> Self {
            let unique = format!("aegish-elevation-{}-{test}", std::process::id());
            let folder = std::env::temp_dir().join(unique);
            fs::create_dir_all(&folder).expect("a directory");
            let file = folder.join(name);
            fs::write(&file, "#!/bin/sh\n").expect("a file");
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("its mode");
            Self(folder)
        }

        fn path(&self) -> &str {
            self.0.to_str().expect("UTF-8")
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn asked(program: &str, path: &str, rights: Rights) -> Option<Obstacle> {
        obstacle_for(&[program.to_owned()], path, rights)
    }

    #[test]
    fn a_program_that_is_not_there_or_gives_no_rights_is_named() {
        let plain = Folder::with("plain", "sudo", 0o755);
        let path = plain.path();
        assert_eq!(asked("sudo", path, NOBODY), Some(Obstacle::Powerless(plain.0.join("sudo"))));
        assert_eq!(asked("doas", path, NOBODY), Some(Obstacle::Missing("doas".to_owned())));
        assert_eq!(asked("sudo", "/nowhere", NOBODY), Some(Obstacle::Missing("sudo".to_owned())));
        let locked = Folder::with("locked", "sudo", 0o644);
        let path = locked.path();
        assert_eq!(asked("sudo", path, NOBODY), Some(Obstacle::Missing("sudo".to_owned())));
    }

    #[test]
    fn a_set_user_id_program_of_root_gives_rights_unless_the_kernel_forbids_it() {
        let armed = Folder::with("armed", "sudo", 0o4755);
        let (path, file) = (armed.path(), armed.0.join("sudo"));
        if fs::metadata(&file).expect("its metadata").uid() != 0 {
            assert_eq!(asked("sudo", path, NOBODY), Some(Obstacle::Powerless(file)), "not root's");
            return;
        }
        assert_eq!(asked("sudo", path, NOBODY), None);
        let bound = Rights { root: false, bound: true };
        assert_eq!(asked("sudo", path, bound), Some(Obstacle::NoNewPrivileges("sudo".to_owned())));
    }

    #[test]
    fn root_needs_no_bit_and_programs_without_one_are_left_alone() {
        let plain = Folder::with("root", "sudo", 0o755);
        let path = plain.path();
        assert_eq!(asked("sudo", path, Rights { root: true, bound: true }), None);
        assert_eq!(asked("run0", path, NOBODY), None);
        assert_eq!(obstacle(&[], path, &KernelLimits::none()), None);
    }

    #[test]
    fn the_flag_of_the_kernel_is_read() {
        assert!(is_bound("Name:\tx\nNoNewPrivs:\t1\n"));
        assert!(!is_bound("NoNewPrivs:\t0\n"));
        assert!(!is_bound(""));
    }

    #[test]
    fn every_error_says_first_that_nothing_was_run() {
        for obstacle in [
            Obstacle::Missing("sudo".to_owned()),
            Obstacle::Powerless("/usr/bin/sudo".into()),
            Obstacle::NoNewPrivileges("sudo".to_owned()),
        ] {
            assert!(obstacle.to_string().starts_with("nothing was run: "), "{obstacle}");
        }
    }
}
