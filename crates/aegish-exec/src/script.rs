//! Finds a script by its name, as bash does.
//!
//! Takes the name of a call (`aegish NAME`), gives an open file, and later tells whether bash would still
//! read the same file. A name without a slash that is not in the working directory is searched in `PATH`.
//! Content of a descriptor (`<(…)`, `/dev/stdin`) can be read only once, so bash gets a copy. Refuses named
//! pipes and sockets, because bash would read other content from them.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// Names of descriptors, without their numbers.
const DESCRIPTORS: [&str; 2] = ["/dev/fd/", "/proc/self/fd/"];

/// A script that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundScript {
    named: PathBuf,
    found: PathBuf,
    source: ScriptSource,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ScriptSource {
    /// It can be read again.
    File,
    /// It was read from this descriptor and cannot be read again.
    Stream(RawFd),
}

impl FoundScript {
    /// Searches the working directory, then `search`, the value of `PATH`.
    ///
    /// # Errors
    ///
    /// If there is none, or it cannot be read.
    pub fn find(named: &Path, search: Option<&OsStr>) -> io::Result<(Self, File)> {
        let found = place(named, search);
        let meta = fs::metadata(&found)?;
        let source = match descriptor(&found) {
            Some(number) if !meta.is_file() => ScriptSource::Stream(number),
            None if meta.file_type().is_fifo() || meta.file_type().is_socket() => {
                return Err(io::Error::other("it is no file; hand it over on standard input"));
            }
            _ => ScriptSource::File,
        };
        let file = File::open(&found)?;
        if file.metadata()?.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Ok((Self { named: named.to_owned(), found, source }, file))
    }

    /// Its path.
    #[must_use]
    pub fn found(&self) -> &Path {
        &self.found
    }

    /// The name of the call, which becomes `$0`.
    pub(crate) fn named(&self) -> &Path {
        &self.named
    }

    /// Whether bash would find and read this text.
    pub(crate) fn holds(&self, text: &[u8], search: Option<&OsStr>) -> bool {
        if let ScriptSource::Stream(_) = self.source {
            return true;
        }
        let more = u64::try_from(text.len()).unwrap_or(u64::MAX).saturating_add(1);
        let mut now = Vec::with_capacity(text.len() + 1);
        let read = File::open(&self.found).and_then(|file| file.take(more).read_to_end(&mut now));
        place(&self.named, search) == self.found && read.is_ok() && now == text
    }

    /// The descriptor for which bash needs a copy of the content.
    pub(crate) fn stream(&self) -> Option<RawFd> {
        match self.source {
            ScriptSource::File => None,
            ScriptSource::Stream(number) => Some(number),
        }
    }
}

/// The path itself if it exists or has a slash, else the first match in the search path.
fn place(named: &Path, search: Option<&OsStr>) -> PathBuf {
    let elsewhere = || {
        let dirs = std::env::split_paths(search?);
        let candidates = dirs.map(|dir| dir.join(named));
        candidates.into_iter().find(|file| !file.is_dir() && File::open(file).is_ok())
    };
    if named.as_os_str().as_bytes().contains(&b'/') || fs::symlink_metadata(named).is_ok() {
        return named.to_owned();
    }
    elsewhere().unwrap_or_else(|| named.to_owned())
}

/// The descriptor that a path such as `/dev/fd/3` names.
fn descriptor(path: &Path) -> Option<RawFd> {
    let name = path.to_str()?;
    if name == "/dev/stdin" {
        return Some(0);
    }
    let number = DESCRIPTORS.iter().find_map(|dir| name.strip_prefix(dir))?;
    number.parse().ok().filter(|number| *number >= 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_have_several_names() {
        assert_eq!(descriptor(Path::new("/dev/fd/63")), Some(63));
        assert_eq!(descriptor(Path::new("/dev/stdin")), Some(0));
        assert_eq!(descriptor(Path::new("/proc/self/fd/4")), Some(4));
        assert_eq!(descriptor(Path::new("/dev/fd/x")), None);
        assert_eq!(descriptor(Path::new("/dev/null")), None);
    }

    #[test]
    fn a_bare_name_is_searched_and_one_with_a_slash_is_not() {
        let search = OsStr::new("/nowhere:/etc");
        assert_eq!(place(Path::new("passwd"), Some(search)), Path::new("/etc/passwd"));
        assert_eq!(place(Path::new("./passwd"), Some(search)), Path::new("./passwd"));
        assert_eq!(place(Path::new("no-such"), Some(search)), Path::new("no-such"));
        assert_eq!(place(Path::new("passwd"), None), Path::new("passwd"));
    }

    #[test]
    fn another_text_is_noticed() -> io::Result<()> {
        let (script, mut file) = FoundScript::find(Path::new("/etc/hostname"), None)?;
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        assert!(script.holds(&text, None));
        text.push(b'x');
        assert!(!script.holds(&text, None));
        assert!(!script.holds(b"", None));
        Ok(())
    }
}
