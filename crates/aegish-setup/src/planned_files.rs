//! Planned changes to files: shown as a difference, or carried out with a copy of what was there.

use aegish_private_files::{Missing, read_regular, replace_file};
use aegish_terminal::{Screen, Style, visible};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// A longer file is not read.
const MAX_BYTES: u64 = 4 << 20;
const BACKUP: &str = "aegish-backup";

/// What is to be changed.
#[derive(Default)]
pub struct Plan {
    /// Text before and after; none if there is no file.
    files: BTreeMap<PathBuf, (Option<String>, Option<String>)>,
    /// None: it is removed.
    shims: BTreeMap<PathBuf, Option<Shim>>,
}

/// A file under the name of a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shim {
    /// A link to this.
    Link(PathBuf),
    /// A script with this text.
    Script(String),
}

impl Shim {
    fn is_at(&self, name: &Path) -> bool {
        let linked = fs::read_link(name).ok();
        match self {
            Self::Link(target) => linked.as_ref() == Some(target),
            Self::Script(text) => {
                linked.is_none() && fs::read_to_string(name).is_ok_and(|found| found == *text)
            }
        }
    }
}

impl Plan {
    /// Plans a change of a file's text.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or the change does not fit its text.
    pub fn change(
        &mut self,
        file: &Path,
        with: impl FnOnce(Option<&str>) -> Result<Option<String>, String>,
    ) -> Result<(), String> {
        // Settings are often links to a file that is kept elsewhere.
        let file = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
        let (before, text) = match self.files.get(&file) {
            Some((before, after)) => (before.clone(), after.clone()),
            None => {
                let text = read(&file)?;
                (text.clone(), text)
            }
        };
        let after =
            with(text.as_deref()).map_err(|error| format!("{}: {error}", file.display()))?;
        self.files.insert(file, (before, after));
        Ok(())
    }

    /// Plans a file under the name of a shell.
    pub fn shim(&mut self, name: PathBuf, shim: Shim) {
        if !shim.is_at(&name) {
            self.shims.insert(name, Some(shim));
        }
    }

    /// Plans to remove such a file.
    pub fn remove_shim(&mut self, name: PathBuf) {
        if fs::symlink_metadata(&name).is_ok() {
            self.shims.insert(name, None);
        }
    }

    /// Whether nothing is to be changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shims.is_empty() && self.files.values().all(|(before, after)| before == after)
    }

    /// Shows the changes as a difference.
    pub fn show(&self, screen: &mut Screen) {
        for (file, (before, after)) in &self.files {
            if before == after {
                continue;
            }
            screen
                .paint(Style::Strong, format_args!("--- {}", visible(&file.to_string_lossy())))
                .end();
            let before = before.as_deref().unwrap_or_default();
            for (sign, line) in difference(before, after.as_deref().unwrap_or_default()) {
                let style = if sign == '+' { Style::Good } else { Style::Bad };
                screen.paint(style, format_args!("{sign} {}", visible(line))).end();
            }
        }
        for (name, shim) in &self.shims {
            let name = name.to_string_lossy();
            let name = visible(&name);
            match shim {
                Some(Shim::Link(to)) => screen.put(format_args!("+ {name} -> {}", to.display())),
                Some(Shim::Script(_)) => screen.put(format_args!("+ {name}")),
                None => screen.put(format_args!("- {name}")),
            }
            .end();
        }
    }

    /// Writes everything, and says what was done.
    ///
    /// # Errors
    ///
    /// Names the file that could not be written.
    pub fn carry_out(&self) -> Result<Vec<String>, String> {
        let mut done = Vec::new();
        for (file, (before, after)) in &self.files {
            if before == after {
                continue;
            }
            let place = file.display();
            let failed =
                |error: &dyn std::fmt::Display| format!("{place} was not changed: {error}");
            let backup = PathBuf::from(format!("{place}.{BACKUP}"));
            // What the guard wrote itself needs no copy.
            if let Some(before) = before.as_ref().filter(|before| !before.contains("--wrapped"))
                && fs::symlink_metadata(&backup).is_err()
            {
                write(&backup, before, mode(file)).map_err(|error| failed(&error))?;
                done.push(format!("kept {place} as it was in {}", backup.display()));
            }
            match after {
                Some(after) => write(file, after, mode(file)).map_err(|error| failed(&error))?,
                None => fs::remove_file(file).map_err(|error| failed(&error))?,
            }
            done.push(format!("{} {place}", if after.is_some() { "changed" } else { "removed" }));
        }
        for (name, shim) in &self.shims {
            let place = name.display();
            put_shim(name, shim.as_ref())
                .map_err(|error| format!("{place} was not changed: {error}"))?;
            done.push(format!("{} {place}", if shim.is_some() { "wrote" } else { "removed" }));
        }
        Ok(done)
    }
}

fn read(file: &Path) -> Result<Option<String>, String> {
    let bytes = read_regular(file, None, MAX_BYTES).map_err(|error| error.to_string())?;
    let text = bytes.map(String::from_utf8).transpose();
    text.map_err(|_| format!("{} is not UTF-8", file.display()))
}

fn mode(file: &Path) -> u32 {
    fs::metadata(file).map_or(0o600, |found| found.permissions().mode() & 0o777)
}

fn write(file: &Path, text: &str, mode: u32) -> Result<(), aegish_private_files::Error> {
    replace_file(file, text.as_bytes(), mode, Missing::CreateAll)
}

fn put_shim(name: &Path, shim: Option<&Shim>) -> io::Result<()> {
    if fs::symlink_metadata(name).is_ok() {
        fs::remove_file(name)?;
    }
    if let (Some(dir), Some(_)) = (name.parent(), shim) {
        fs::create_dir_all(dir)?;
    }
    match shim {
        Some(Shim::Link(target)) => symlink(target, name),
        Some(Shim::Script(text)) => {
            fs::write(name, text)?;
            fs::set_permissions(name, fs::Permissions::from_mode(0o755))
        }
        None => Ok(()),
    }
}

/// The lines between the common start and the common end of two texts: those that go, then those that come.
fn difference<'a>(before: &'a str, after: &'a str) -> Vec<(char, &'a str)> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let start = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
    let rest = old.len().min(new.len()) - start;
    let ends = old.iter().rev().zip(new.iter().rev()).take(rest);
    let end = ends.take_while(|(one, other)| one == other).count();
    let part = |lines: &[&'a str], sign: char| -> Vec<(char, &'a str)> {
        let lines = lines.get(start..lines.len() - end).unwrap_or_default();
        lines.iter().map(|line| (sign, *line)).collect()
    };
    [part(&old, '-'), part(&new, '+')].concat()
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn only_what_changes_is_shown() {
        assert_eq!(difference("a\nb\nc", "a\nx\ny\nc"), [('-', "b"), ('+', "x"), ('+', "y")]);
        assert_eq!(difference("", "a"), [('+', "a")]);
        assert_eq!(difference("a\na", "a"), [('-', "a")]);
        assert_eq!(difference("a", "a"), []);
    }
}
