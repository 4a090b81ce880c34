//! The files in `/etc` that are read and changed. A copy of each is kept before it is changed.

use super::system;
use aegish_private_files::{Error, Missing, read_regular, replace_file};
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Size limit: files in `/etc` that are changed here are shorter.
const MAX_BYTES: u64 = 1 << 20;
/// Suffix of the copy that is kept.
const KEPT: &str = "before-aegish";

/// The previous settings of one user.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PreviousLogin {
    /// The login shell.
    pub(super) shell: PathBuf,
    /// The role, if one was given by name.
    pub(super) role: Option<String>,
    /// This program was entered into `/etc/shells`.
    pub(super) entered: bool,
}

/// Paths of the files.
#[derive(Debug, Clone)]
pub(super) struct Etc {
    root: PathBuf,
    own: PathBuf,
}

impl Etc {
    pub(super) fn machine() -> Self {
        Self { root: PathBuf::from("/etc"), own: system().dir().to_path_buf() }
    }

    #[cfg(test)]
    pub(super) fn at(root: &Path) -> Self {
        Self { root: root.to_path_buf(), own: root.join("aegish") }
    }

    pub(super) fn shells(&self) -> PathBuf {
        self.root.join("shells")
    }

    pub(super) fn roles(&self) -> PathBuf {
        self.own.join("config.toml")
    }

    pub(super) fn record(&self, user: &str) -> PathBuf {
        self.own.join("login").join(user)
    }

    /// A shell is registered.
    pub(super) fn registers(&self, shell: &Path) -> Result<bool, String> {
        Ok(text(&self.shells())?.lines().any(|line| Path::new(line.trim()) == shell))
    }

    /// `/etc/shells` with a shell in it.
    pub(super) fn shells_with(&self, shell: &Path) -> Result<String, String> {
        let mut text = text(&self.shells())?;
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        Ok(format!("{text}{}\n", shell.display()))
    }

    /// `/etc/shells` without it.
    pub(super) fn shells_without(&self, shell: &Path) -> Result<String, String> {
        let text = text(&self.shells())?;
        let kept = text.lines().filter(|line| Path::new(line.trim()) != shell);
        Ok(kept.map(|line| format!("{line}\n")).collect())
    }

    /// Users of `/etc/passwd` who log in to a shell.
    pub(super) fn users_of(&self, shell: &Path) -> Result<Vec<String>, String> {
        let text = text(&self.root.join("passwd"))?;
        let user = |line: &str| {
            let mut fields = line.split(':');
            let name = fields.next()?;
            (Path::new(fields.nth(5)?) == shell).then(|| name.to_owned())
        };
        Ok(text.lines().filter_map(user).collect())
    }

    /// The text of the file with the roles.
    pub(super) fn roles_text(&self) -> Result<String, String> {
        text(&self.roles())
    }

    /// The previous settings, if they were saved.
    pub(super) fn before(&self, user: &str) -> Result<Option<PreviousLogin>, String> {
        let path = self.record(user);
        let text = text(&path)?;
        if text.is_empty() {
            return Ok(None);
        }
        let mut before = PreviousLogin::default();
        for (number, line) in (1..).zip(text.lines()) {
            match line.split_once('=') {
                _ if line.starts_with('#') => {}
                Some(("shell", shell)) if shell.starts_with('/') => before.shell = shell.into(),
                Some(("role", role)) => before.role = Some(role.to_owned()),
                Some(("entered", word)) => before.entered = word == "yes",
                _ => return Err(format!("{}:{number}: this line says nothing", path.display())),
            }
        }
        if before.shell.as_os_str().is_empty() {
            return Err(format!("{}: it names no shell", path.display()));
        }
        Ok(Some(before))
    }

    /// Records the previous login shell.
    pub(super) fn write_before(&self, user: &str, before: &PreviousLogin) -> Result<(), String> {
        let mut text = format!("# What `aegish setup undo --user {user}` brings back.\n");
        text.push_str(&format!("shell={}\n", before.shell.display()));
        if let Some(role) = &before.role {
            text.push_str(&format!("role={role}\n"));
        }
        text.push_str(if before.entered { "entered=yes\n" } else { "entered=no\n" });
        self.write(&self.record(user), &text)
    }

    /// Removes the record.
    pub(super) fn remove_before(&self, user: &str) -> Result<(), String> {
        let path = self.record(user);
        fs::remove_file(&path).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Replaces a file with mode 0644 and keeps a copy of the old one.
    pub(super) fn replace(&self, path: &Path, text: &str) -> Result<(), String> {
        let told = |error: Error| error.to_string();
        if let Some(old) = read_regular(path, None, MAX_BYTES).map_err(told)? {
            replace_file(&kept(path), &old, 0o644, Missing::Fail).map_err(told)?;
        }
        self.write(path, text)
    }

    fn write(&self, path: &Path, text: &str) -> Result<(), String> {
        let told = |error: io::Error| format!("{}: {error}", path.display());
        if let Some(dir) = path.parent().filter(|dir| !dir.is_dir()) {
            DirBuilder::new().recursive(true).mode(0o755).create(dir).map_err(told)?;
            // The mode is set independently of the umask: the shells of all users have to read
            // it.
            for made in [&self.own, &dir.to_path_buf()] {
                fs::set_permissions(made, fs::Permissions::from_mode(0o755)).map_err(told)?;
            }
        }
        replace_file(path, text.as_bytes(), 0o644, Missing::Fail).map_err(|error| error.to_string())
    }
}

/// The path of the copy of a file.
pub(super) fn kept(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{name}.{KEPT}"))
}

/// The text of a file; empty if there is no file.
fn text(path: &Path) -> Result<String, String> {
    let bytes = read_regular(path, None, MAX_BYTES).map_err(|error| error.to_string())?;
    let bytes = bytes.unwrap_or_default();
    String::from_utf8(bytes).map_err(|_| format!("{}: it is not UTF-8", path.display()))
}
