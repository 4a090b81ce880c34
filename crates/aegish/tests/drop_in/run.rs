//! Runs a shell in a temporary directory and records everything that is visible from outside.

use aegish_test_support::signals;
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Timeout of everything here.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// A temporary directory.
pub(crate) struct TestDir(pub(crate) PathBuf);

impl TestDir {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("drop-in-{}-{count}", std::process::id());
        // Not in `/tmp`: the guard treats directories that everybody can write differently.
        let folder = Self(Path::new(env!("CARGO_TARGET_TMPDIR")).join(name));
        folder.clear();
        folder
    }

    /// Empty again.
    pub(crate) fn clear(&self) {
        let _ = fs::remove_dir_all(&self.0);
        fs::create_dir(&self.0).unwrap();
    }

    pub(crate) fn file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, text).unwrap();
        path
    }

    /// Everything below it: kind, mode and content of each entry.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut all = BTreeMap::new();
        gather(&self.0, &self.0, &mut all);
        all
    }
}

impl Drop for TestDir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn gather(root: &Path, dir: &Path, all: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let meta = fs::symlink_metadata(&path).unwrap();
        let mut seen = format!("{:o} ", meta.permissions().mode()).into_bytes();
        if meta.is_dir() {
            gather(root, &path, all);
        } else if meta.is_symlink() {
            seen.extend(fs::read_link(&path).unwrap().to_string_lossy().as_bytes());
        } else if meta.is_file() {
            seen.extend(fs::read(&path).unwrap());
        }
        all.insert(path.strip_prefix(root).unwrap().to_owned(), seen);
    }
}

/// A shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shell {
    Bash,
    Aegish,
}

impl Shell {
    /// A command in a directory, without the environment of the tests.
    pub(crate) fn command(self, folder: &TestDir) -> Command {
        signals::default_in_children();
        let mut command = match self {
            Self::Bash => Command::new("/bin/bash"),
            Self::Aegish => Command::new(env!("CARGO_BIN_EXE_aegish")),
        };
        // Messages of the guard are not compared.
        command.arg0(if self == Self::Bash { "bash" } else { "aegish" });
        command.env_clear().current_dir(&folder.0).env("HOME", &folder.0);
        command.env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        command.env("LANG", "C.UTF-8").env("TERM", "dumb");
        command.env("AEGISH_ON_WARN", "allow").env("AEGISH_AUDIT", "off");
        command.env("AEGISH_JUDGE", "never");
        command
    }
}

/// The result of a process.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) end: End,
}

impl Seen {
    pub(crate) fn out(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    pub(crate) fn err(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Status(i32),
    Signal(i32),
}

impl From<ExitStatus> for End {
    fn from(status: ExitStatus) -> Self {
        match status.signal() {
            Some(signal) => Self::Signal(signal),
            None => Self::Status(status.code().expect("a status")),
        }
    }
}

/// Runs it to its end with this input, or none.
pub(crate) fn finish(mut command: Command, input: Option<&[u8]>) -> Seen {
    command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let stdin = child.stdin.take();
    let input = input.unwrap_or_default().to_vec();
    let feeder = thread::spawn(move || {
        if let Some(mut stdin) = stdin {
            let _ = stdin.write_all(&input);
        }
    });
    let stdout = drained(child.stdout.take().unwrap());
    let stderr = drained(child.stderr.take().unwrap());
    let end = ended(&mut child, &format!("{command:?}"));
    feeder.join().unwrap();
    Seen { stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap(), end }
}

fn drained(mut from: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).expect("it can be read");
        bytes
    })
}

/// Waits for the end, but not for ever.
pub(crate) fn ended(child: &mut Child, what: &str) -> End {
    let began = Instant::now();
    let mut pause = Duration::from_micros(500);
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.into();
        }
        if began.elapsed() > TIMEOUT {
            let _ = child.kill();
            panic!("no end in sight: {what}");
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// Waits until something holds.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < TIMEOUT, "not in time: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}
