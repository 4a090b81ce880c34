//! The history file: private, bounded; lines that did not run are marked.
//!
//! Text, so that people can read it: each entry is one line (a newline in it is written `\n`, a
//! backslash `\\`), behind a line `#TIME` or `#TIME blocked` or `#TIME declined`.

use aegish_private_files::{Error, Missing, PrivateDir};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A longer file is not read.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// Sessions hold the lock for as long as it takes to write a line.
const LONGEST_LOCK: Duration = Duration::from_secs(1);

/// Whether a line was run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineOutcome {
    Ran,
    Blocked,
    Declined,
}

impl LineOutcome {
    fn mark(self) -> &'static str {
        match self {
            Self::Ran => "",
            Self::Blocked => " blocked",
            Self::Declined => " declined",
        }
    }
}

/// The history of one user.
pub(crate) struct History {
    path: PathBuf,
    kept: usize,
}

impl History {
    /// The file at this path; it need not exist.
    pub(crate) fn at(path: PathBuf, kept: usize) -> Self {
        Self { path, kept }
    }

    /// The entries, oldest first.
    pub(crate) fn entries(&self) -> Result<Vec<String>, Error> {
        let Some(text) = self.text()? else { return Ok(Vec::new()) };
        let mut entries: Vec<String> =
            text.lines().filter(|line| !line.starts_with('#')).map(unescaped).collect();
        entries.drain(..entries.len().saturating_sub(self.kept));
        Ok(entries)
    }

    /// Adds an entry immediately, so that a crash loses nothing.
    pub(crate) fn add(&self, line: &str, fate: LineOutcome) -> Result<(), Error> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let text = format!("#{now}{}\n{}\n", fate.mark(), escaped(line));
        let (dir, name) = self.place()?;
        let file = dir.lock(&name, LONGEST_LOCK)?;
        file.hide_from_others()?;
        file.append(text.as_bytes())
    }

    /// Shortens the file to the limit; called once per session.
    pub(crate) fn trim(&self) -> Result<(), Error> {
        if self.text()?.is_none_or(|text| self.beyond(&text).is_none()) {
            return Ok(());
        }
        // Other sessions wait for the lock and then open the new file.
        let (dir, name) = self.place()?;
        let _lock = dir.lock(&name, LONGEST_LOCK)?;
        let text = self.text()?.unwrap_or_default();
        match self.beyond(&text).and_then(|start| text.get(start..)) {
            Some(kept) => dir.replace(&name, kept.as_bytes(), 0o600),
            None => Ok(()),
        }
    }

    /// The offset of the first entry to keep, if the file is much too long.
    fn beyond(&self, text: &str) -> Option<usize> {
        let mut starts = Vec::new();
        let (mut at, mut mark) = (0, None);
        for line in text.split_inclusive('\n') {
            if line.starts_with('#') {
                mark = Some(at);
            } else {
                starts.push(mark.take().unwrap_or(at));
            }
            at += line.len();
        }
        if starts.len() <= self.kept + self.kept / 10 {
            return None;
        }
        starts.get(starts.len() - self.kept).copied()
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn place(&self) -> Result<(PrivateDir, OsString), Error> {
        PrivateDir::of_file(&self.path, Missing::Fail)
    }

    fn text(&self) -> Result<Option<String>, Error> {
        let (dir, name) = self.place()?;
        let bytes = dir.read(&name, MAX_BYTES)?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }
}

/// A line that begins with `#` would look like a mark.
fn escaped(line: &str) -> String {
    let text = line.replace('\\', "\\\\").replace('\n', "\\n");
    if text.starts_with('#') { format!("\\{text}") } else { text }
}

fn unescaped(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => text.push('\n'),
                Some(other) => text.push(other),
                None => text.push('\\'),
            },
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io;
    use std::os::unix::fs::PermissionsExt;

    fn scratch(name: &str) -> PathBuf {
        let dir =
            std::env::temp_dir().join(format!("aegish-history-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).unwrap_or_default();
        dir
    }

    #[test]
    fn typed_lines_are_restored_and_the_file_is_private() -> io::Result<()> {
        let dir = scratch("round");
        let history = History::at(dir.join("h"), 10);
        assert_eq!(history.entries()?, Vec::<String>::new());
        let lines = ["ls", "cat <<E\na\\nb\nE", "# note", "echo '\\'"];
        for line in lines {
            history.add(line, LineOutcome::Ran)?;
        }
        history.add("rm -rf /", LineOutcome::Blocked)?;
        let mut expected: Vec<String> = lines.iter().map(ToString::to_string).collect();
        expected.push("rm -rf /".to_owned());
        assert_eq!(history.entries()?, expected);
        assert_eq!(fs::metadata(&history.path)?.permissions().mode() & 0o777, 0o600);
        assert!(fs::read_to_string(&history.path)?.contains(" blocked\nrm -rf /\n"));
        fs::remove_dir_all(dir)
    }

    #[test]
    fn old_entries_go_and_links_are_not_followed() -> io::Result<()> {
        let dir = scratch("trim");
        let history = History::at(dir.join("h"), 10);
        for number in 0..40 {
            history.add(&format!("echo {number}"), LineOutcome::Ran)?;
        }
        history.trim()?;
        let text = fs::read_to_string(&history.path)?;
        assert_eq!(text.lines().count(), 20);
        assert!(text.ends_with("\necho 39\n"));
        fs::write(dir.join("target"), "")?;
        std::os::unix::fs::symlink(dir.join("target"), dir.join("link"))?;
        assert!(History::at(dir.join("link"), 10).add("x", LineOutcome::Ran).is_err());
        fs::remove_dir_all(dir)
    }
}
