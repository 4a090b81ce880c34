//! A user with a home directory and a project.
#![allow(dead_code, clippy::unwrap_used)] // not every test needs all of it

use super::Run;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// A temporary home directory with a project.
pub(crate) struct Home {
    pub(crate) dir: PathBuf,
    variables: Vec<(String, String)>,
}

impl Home {
    pub(crate) fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().canonicalize().unwrap();
        let dir = dir.join(format!("aegish-home-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(dir.join(".config/aegish")).unwrap();
        fs::create_dir_all(dir.join("project")).unwrap();
        Self { dir, variables: Vec::new() }
    }

    pub(crate) fn file(&self, name: &str, text: &str) -> &Self {
        let path = self.dir.join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
        self
    }

    pub(crate) fn set(&mut self, name: &str, value: &str) -> &mut Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        self.feed(arguments, "")
    }

    pub(crate) fn feed(&self, arguments: &[&str], input: &str) -> Run {
        let mut command = super::command();
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            if name.starts_with("AEGISH_") || name.ends_with("_API_KEY") || name.starts_with("XDG_")
            {
                command.env_remove(name);
            }
        }
        command.env("HOME", &self.dir).current_dir(self.dir.join("project"));
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.args(arguments);
        super::finish(command, input.as_bytes())
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}
