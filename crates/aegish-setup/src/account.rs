//! Users, and the system's tools that change their shells.

use nix::unistd::User;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Directories of the system's tools.
const PATH: &str = "/usr/sbin:/usr/bin:/sbin:/bin";

/// A user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Account {
    pub(super) name: String,
    pub(super) uid: u32,
    pub(super) gid: u32,
    pub(super) home: PathBuf,
    pub(super) shell: PathBuf,
}

/// The user of this name.
pub(super) fn find(name: &str) -> Result<Account, String> {
    match User::from_name(name) {
        Ok(Some(user)) => Ok(Account {
            name: user.name,
            uid: user.uid.as_raw(),
            gid: user.gid.as_raw(),
            home: user.dir,
            shell: user.shell,
        }),
        Ok(None) => Err(format!("there is no user {name}")),
        Err(error) => Err(format!("user {name} could not be looked up: {error}")),
    }
}

/// Changes a login shell with the system's tools.
pub(super) fn change_shell(user: &str, shell: &Path) -> Result<(), String> {
    let tools = [("usermod", "-s"), ("chsh", "-s")];
    for (tool, option) in tools {
        let Some(path) = in_path(tool) else { continue };
        let mut command = Command::new(path);
        command.arg(option).arg(shell).arg(user).env_clear().env("PATH", PATH);
        let output = command.stdin(Stdio::null()).output();
        let output = output.map_err(|error| format!("{tool} could not be run: {error}"))?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{tool} failed with {}: {}", output.status, said.trim()));
    }
    Err("neither usermod nor chsh is installed".to_owned())
}

fn in_path(name: &str) -> Option<PathBuf> {
    std::env::split_paths(PATH).map(|dir| dir.join(name)).find(|path| path.is_file())
}

/// Tries whether a user could work with the shell: a user whose login fails cannot repair it.
pub(super) fn works(account: &Account, program: &Path) -> Result<(), String> {
    let mut command = Command::new(program);
    command.args(["-c", "exit 7"]).env_clear();
    command.env("PATH", PATH).env("HOME", &account.home).env("USER", &account.name);
    command.uid(account.uid).gid(account.gid).current_dir("/").stdin(Stdio::null());
    let output = command.output().map_err(|error| {
        format!("{} could not be started as {}: {error}", program.display(), account.name)
    })?;
    if output.status.code() == Some(7) {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("as {} it does not work: {}: {}", account.name, output.status, said.trim()))
}
