//! The git revision of the working directory, queried while the run is prepared.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use aegish_log::Revision;

/// A run must not wait for a large repository.
const TIMEOUT: Duration = Duration::from_millis(300);

/// A running git query.
#[derive(Debug)]
pub struct RevisionQuery(Option<Child>);

impl RevisionQuery {
    /// Queries a folder. Without git, or outside of a repository, there is no answer.
    #[must_use]
    pub fn start(folder: &Path) -> Self {
        let asked = Command::new("git")
            .arg("-C")
            .arg(folder)
            .args(["status", "--porcelain=v2", "--branch", "--untracked-files=no"])
            .env("GIT_OPTIONAL_LOCKS", "0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        Self(asked.ok())
    }

    /// The answer, if it arrives in time.
    #[must_use]
    pub fn answer(self) -> Option<Revision> {
        let mut child = self.0?;
        let asked = Instant::now();
        // If thousands of files differ, git fills the pipe and blocks; then there is no answer.
        while child.try_wait().ok()?.is_none() {
            if asked.elapsed() > TIMEOUT {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
            thread::sleep(Duration::from_millis(1));
        }
        let output = child.wait_with_output().ok()?;
        read(&String::from_utf8_lossy(&output.stdout))
    }
}

fn read(status: &str) -> Option<Revision> {
    let commit = status.lines().find_map(|line| line.strip_prefix("# branch.oid "))?;
    let dirty = status.lines().any(|line| !line.starts_with('#') && !line.is_empty());
    let known = commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    known.then(|| Revision { origin: None, commit: commit.to_owned(), dirty })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_git_is_parsed() {
        let clean = "# branch.oid 0123abcd\n# branch.head main\n";
        let read_clean = read(clean).expect("a revision");
        assert_eq!((read_clean.commit.as_str(), read_clean.dirty), ("0123abcd", false));
        let changed = format!("{clean}1 .M N... 100644 100644 100644 a b README.md\n");
        assert!(read(&changed).is_some_and(|revision| revision.dirty));
        assert_eq!(read("# branch.oid (initial)\n"), None);
        assert_eq!(read(""), None);
    }

    #[test]
    fn outside_of_a_repository_there_is_no_answer() {
        assert_eq!(RevisionQuery::start(Path::new("/")).answer(), None);
    }
}
