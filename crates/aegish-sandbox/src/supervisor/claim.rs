//! What the caller of an execution says that it executes.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use aegish_kernel::memory::Reader;
use aegish_kernel::{ExecCall, OpenCall};
use nix::errno::Errno;
use nix::fcntl::{OFlag, open};
use nix::sys::stat::{FileStat, Mode, fstat};
use nix::unistd::Pid;

use crate::grants::FileAccess;

/// The most bytes of arguments and variables together. Linux allows more; beyond it the call fails with `E2BIG`,
/// as it does beyond Linux' own limit.
const MOST_BYTES: usize = 1 << 20;
/// The longest path of the kernel.
const LONGEST_PATH: usize = 4096;

/// What makes a file itself, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId {
    pub(crate) device: u64,
    pub(crate) number: u64,
}

impl From<FileStat> for FileId {
    fn from(stat: FileStat) -> Self {
        Self { device: stat.st_dev, number: stat.st_ino }
    }
}

/// What standard input is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StandardInput {
    /// A terminal.
    Terminal,
    /// A file, a pipe, or nothing.
    Other,
}

/// A program that is about to begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Execution {
    /// The thread that executes it.
    pub caller: Pid,
    /// Its path as it was given.
    pub given: PathBuf,
    /// The same from the root.
    pub program: PathBuf,
    /// The file without links; nothing if it could not be opened here.
    pub file: Option<(PathBuf, FileId)>,
    /// The arguments, with the name.
    pub arguments: Vec<Vec<u8>>,
    /// The variables, as `NAME=VALUE`.
    pub environment: Vec<Vec<u8>>,
    /// Read when it is asked for: most executions are judged without it.
    pub(super) around: OnceLock<Result<(PathBuf, StandardInput), Errno>>,
}

impl Execution {
    /// The working directory and standard input of the caller, which has to wait still.
    ///
    /// # Errors
    ///
    /// `EPERM` if nothing can be read of the caller.
    pub fn around(&self) -> Result<(&Path, StandardInput), Errno> {
        let read = || Ok((cwd_of(self.caller)?, stdin_of(self.caller)));
        let around = self.around.get_or_init(read).as_ref();
        around.map(|(cwd, stdin)| (cwd.as_path(), *stdin)).map_err(|error| *error)
    }
}

fn cwd_of(process: Pid) -> Result<PathBuf, Errno> {
    fs::read_link(format!("/proc/{process}/cwd")).map_err(|error| errno(&error))
}

/// Reads what the caller says.
///
/// # Errors
///
/// With the error that the kernel would give. `EPERM` if nothing can be read of the caller.
pub(super) fn read(caller: Pid, call: &ExecCall) -> Result<Execution, Errno> {
    let mut memory = Reader::new(caller, MOST_BYTES);
    memory.fetch(&[call.path, call.arguments, call.environment]);
    let path = PathBuf::from(OsString::from_vec(memory.string(call.path)?));
    let arguments = memory.list(call.arguments, call.pointer)?;
    let environment = memory.list(call.environment, call.pointer)?;
    let empty = path.as_os_str().is_empty();
    if empty && call.flags & nix::libc::AT_EMPTY_PATH as u32 == 0 {
        return Err(Errno::ENOENT);
    }
    let base = match call.directory {
        None if path.is_absolute() => PathBuf::new(),
        None => cwd_of(caller)?,
        Some(number) => {
            fs::read_link(format!("/proc/{caller}/fd/{number}")).map_err(|error| errno(&error))?
        }
    };
    // Opened through /proc, because the file of a descriptor may have no name any more.
    let place = match (call.directory, empty || path.is_relative()) {
        (Some(number), true) => PathBuf::from(format!("/proc/{caller}/fd/{number}")).join(&path),
        (None, true) => PathBuf::from(format!("/proc/{caller}/cwd")).join(&path),
        (_, false) => seen_by(caller, &path),
    };
    let place = if empty { place.components().collect() } else { place };
    let file = match found(&place) {
        Ok(file) => Some(file),
        // The program looks in one directory after the other; most of these calls fail.
        Err(error) if is_here(caller) => return Err(error),
        Err(_) => None,
    };
    let program = if empty { base } else { base.join(&path) };
    let program = plain(&program);
    let around = OnceLock::new();
    Ok(Execution { caller, given: path, program, file, arguments, environment, around })
}

/// Which file a call opens, and how.
pub(super) fn opened(caller: Pid, call: &OpenCall) -> Option<(PathBuf, FileAccess)> {
    let path = Reader::new(caller, LONGEST_PATH).string(call.path).ok()?;
    let path = PathBuf::from(OsString::from_vec(path));
    let base = match (path.is_absolute(), call.directory) {
        (true, _) => PathBuf::new(),
        (false, None) => fs::read_link(format!("/proc/{caller}/cwd")).ok()?,
        (false, Some(number)) => fs::read_link(format!("/proc/{caller}/fd/{number}")).ok()?,
    };
    let path = base.join(path);
    let path = fs::canonicalize(&path).unwrap_or_else(|_| plain(&path));
    let writes = nix::libc::O_WRONLY | nix::libc::O_RDWR | nix::libc::O_CREAT | nix::libc::O_TRUNC;
    let access = match call.flags & writes == 0 {
        true => FileAccess::Read,
        false => FileAccess::Write,
    };
    Some((path, access))
}

/// The file at a path, without opening it for reading.
fn found(path: &Path) -> Result<(PathBuf, FileId), Errno> {
    let opened = open(path, OFlag::O_PATH | OFlag::O_CLOEXEC, Mode::empty())?;
    let real = fs::read_link(format!("/proc/self/fd/{}", opened.as_raw_fd()))
        .map_err(|error| errno(&error))?;
    Ok((real, id(&opened)?))
}

fn id(file: &OwnedFd) -> Result<FileId, Errno> {
    Ok(fstat(file)?.into())
}

/// A path of which the meaning depends on who uses it, as the caller means it.
pub(super) fn seen_by(caller: Pid, path: &Path) -> PathBuf {
    let own = PathBuf::from(format!("/proc/{caller}"));
    let text = path.as_os_str().as_bytes();
    let rest = |prefix: &str| text.strip_prefix(prefix.as_bytes()).map(OsStr::from_bytes);
    let proc = rest("/proc/self/").or_else(|| rest("/proc/thread-self/"));
    if let Some(rest) = proc {
        return own.join(rest);
    }
    if let Some(rest) = rest("/dev/fd/") {
        return own.join("fd").join(rest);
    }
    match text {
        b"/dev/stdin" => own.join("fd/0"),
        b"/dev/stdout" => own.join("fd/1"),
        b"/dev/stderr" => own.join("fd/2"),
        _ => path.to_owned(),
    }
}

/// Whether a process sees the same files as this one.
pub(super) fn is_here(caller: Pid) -> bool {
    let same = |name: &str| {
        let (theirs, ours) = (format!("/proc/{caller}/{name}"), format!("/proc/self/{name}"));
        matches!((fs::read_link(theirs), fs::read_link(ours)), (Ok(theirs), Ok(ours)) if theirs == ours)
    };
    same("ns/mnt") && same("root")
}

/// Without `.` and doubled slashes; `..` stays, because it may follow a link.
fn plain(path: &Path) -> PathBuf {
    path.components().collect()
}

fn stdin_of(process: Pid) -> StandardInput {
    match fs::read_link(format!("/proc/{process}/fd/0")) {
        Ok(path) if path.starts_with("/dev/pts") || path.starts_with("/dev/tty") => {
            StandardInput::Terminal
        }
        Ok(path) if path == Path::new("/dev/console") => StandardInput::Terminal,
        _ => StandardInput::Other,
    }
}

pub(super) fn errno(error: &std::io::Error) -> Errno {
    match error.raw_os_error() {
        // Of a process that cannot be looked into.
        Some(number) if number == Errno::EACCES as i32 => Errno::EPERM,
        Some(number) => Errno::from_raw(number),
        None => Errno::EPERM,
    }
}
