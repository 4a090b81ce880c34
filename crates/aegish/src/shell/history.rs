//! The history file: one's own, private, bounded; what was refused is marked.
//!
//! Text, so that people can read it: each entry is one line (a newline in it is written `\n`, a
//! backslash `\\`), behind a line `#TIME` or `#TIME blocked` or `#TIME declined`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// A longer file is not read.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// Refuses to follow a link in the last component.
const NO_FOLLOW: i32 = 0o400_000;

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    Ran,
    Blocked,
    Declined,
}

impl Fate {
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
    pub(crate) fn entries(&self) -> io::Result<Vec<String>> {
        let text = match self.open(OpenOptions::new().read(true)) {
            Ok(file) => read(file)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut entries: Vec<String> =
            text.lines().filter(|line| !line.starts_with('#')).map(unescaped).collect();
        entries.drain(..entries.len().saturating_sub(self.kept));
        Ok(entries)
    }

    /// Adds an entry at once, so that nothing is lost when the session ends badly.
    pub(crate) fn add(&self, line: &str, fate: Fate) -> io::Result<()> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        // A line that begins with `#` would look like a mark.
        let entry = escaped(line);
        let text = format!("#{now}{}\n{entry}\n", fate.mark());
        let mut file = self.open(OpenOptions::new().append(true).create(true))?;
        let before = file.metadata()?.len();
        let written = file.write_all(text.as_bytes());
        if written.is_err() {
            // Half an entry would run into the next one.
            let _ = file.set_len(before);
        }
        written
    }

    /// Cuts the file to what is kept; called once per session.
    pub(crate) fn trim(&self) -> io::Result<()> {
        let text = match self.open(OpenOptions::new().read(true)) {
            Ok(file) => read(file)?,
            Err(_) => return Ok(()),
        };
        let lines: Vec<&str> = text.lines().collect();
        let starts: Vec<usize> =
            (0..lines.len()).filter(|at| !lines[*at].starts_with('#')).collect();
        if starts.len() <= self.kept + self.kept / 10 {
            return Ok(());
        }
        let first = starts[starts.len() - self.kept];
        let first = if first > 0 && lines[first - 1].starts_with('#') { first - 1 } else { first };
        let kept = lines[first..].join("\n") + "\n";
        // Written beside and exchanged, so that a crash leaves the one or the other.
        let beside = self.path.with_extension(format!("new{}", std::process::id()));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
        let written =
            file.write_all(kept.as_bytes()).and_then(|()| fs::rename(&beside, &self.path));
        if written.is_err() {
            let _ = fs::remove_file(&beside);
        }
        written
    }

    fn open(&self, options: &mut OpenOptions) -> io::Result<File> {
        let file = options.mode(0o600).custom_flags(NO_FOLLOW).open(&self.path)?;
        let meta = file.metadata()?;
        if !meta.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        if !owned(&meta) {
            return Err(io::Error::other("it belongs to somebody else"));
        }
        if meta.permissions().mode() & 0o077 != 0 {
            file.set_permissions(fs::Permissions::from_mode(0o600))?;
        }
        Ok(file)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Ours: the owner of this process' own directory in /proc is who we are.
fn owned(meta: &fs::Metadata) -> bool {
    fs::metadata("/proc/self").map_or(true, |own| own.uid() == meta.uid())
}

fn read(mut file: File) -> io::Result<String> {
    if file.metadata()?.len() > MAX_BYTES {
        return Err(io::Error::other("it is too large"));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

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

    fn scratch(name: &str) -> PathBuf {
        let dir =
            std::env::temp_dir().join(format!("aegish-history-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).unwrap_or_default();
        dir
    }

    #[test]
    fn what_was_typed_comes_back_and_the_file_is_private() -> io::Result<()> {
        let dir = scratch("round");
        let history = History::at(dir.join("h"), 10);
        assert_eq!(history.entries()?, Vec::<String>::new());
        let lines = ["ls", "cat <<E\na\\nb\nE", "# note", "echo '\\'"];
        for line in lines {
            history.add(line, Fate::Ran)?;
        }
        history.add("rm -rf /", Fate::Blocked)?;
        let mut expected: Vec<String> = lines.iter().map(ToString::to_string).collect();
        expected.push("rm -rf /".to_owned());
        assert_eq!(history.entries()?, expected);
        assert_eq!(fs::metadata(history.path())?.permissions().mode() & 0o777, 0o600);
        assert!(fs::read_to_string(history.path())?.contains(" blocked\nrm -rf /\n"));
        fs::remove_dir_all(dir)
    }

    #[test]
    fn old_entries_go_and_links_are_not_followed() -> io::Result<()> {
        let dir = scratch("trim");
        let history = History::at(dir.join("h"), 10);
        for number in 0..40 {
            history.add(&format!("echo {number}"), Fate::Ran)?;
        }
        history.trim()?;
        let text = fs::read_to_string(history.path())?;
        assert_eq!(text.lines().count(), 20);
        assert!(text.ends_with("\necho 39\n"));
        fs::write(dir.join("target"), "")?;
        std::os::unix::fs::symlink(dir.join("target"), dir.join("link"))?;
        assert!(History::at(dir.join("link"), 10).add("x", Fate::Ran).is_err());
        fs::remove_dir_all(dir)
    }
}
