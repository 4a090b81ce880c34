//! The program that the kernel loaded, at the stop before its first instruction.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use aegish_kernel::memory::Reader;
use aegish_kernel::{process, trace};
use nix::errno::Errno;
use nix::unistd::Pid;

use super::claim::{Execution, FileId, errno};

/// The longest first line of a script that Linux reads.
const LONGEST_SHEBANG: u64 = 256;

/// The most bytes of arguments and variables that Linux takes.
const MOST_BYTES: usize = 6 << 20;

type Strings = Vec<Vec<u8>>;

pub(super) struct Loaded {
    id: FileId,
    arguments: Strings,
    environment: Strings,
}

pub(super) fn read(process: Pid) -> Result<Loaded, Errno> {
    let id = id_of(&exe(process)).ok_or(Errno::EPERM)?;
    let (arguments, environment) = match on_stack(process) {
        Some(lists) => lists,
        None => (listed(process, "cmdline")?, listed(process, "environ")?),
    };
    Ok(Loaded { id, arguments, environment })
}

fn exe(process: Pid) -> PathBuf {
    PathBuf::from(format!("/proc/{process}/exe"))
}

/// What the program gets, where it gets it. `/proc` has the same and takes longer.
fn on_stack(process: Pid) -> Option<(Strings, Strings)> {
    const POINTER: u64 = 8;
    let stack = trace::first_stack(process)?;
    let mut memory = Reader::new(process, MOST_BYTES);
    let count = memory.bytes(stack, POINTER as usize).ok()?;
    let count = u64::from_le_bytes(*count.first_chunk()?);
    let first = stack.checked_add(POINTER)?;
    let arguments = memory.list(first, POINTER as usize).ok()?;
    // Behind the arguments is an empty pointer.
    let behind = first.checked_add(count.checked_add(1)?.checked_mul(POINTER)?)?;
    let environment = memory.list(behind, POINTER as usize).ok()?;
    (arguments.len() as u64 == count).then_some((arguments, environment))
}

fn listed(process: Pid, name: &str) -> Result<Strings, Errno> {
    process::read(process, name).map(|bytes| strings(&bytes)).map_err(|error| errno(&error))
}

fn id_of(path: &Path) -> Option<FileId> {
    let meta = fs::metadata(path).ok()?;
    Some(FileId { device: meta.dev(), number: meta.ino() })
}

/// Interpreters of what the judge reads as the text of a script. What others do with a script is another question.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "ash", "ksh", "zsh"];

/// Whether this is what the caller said: the same file, or the shell that its first line names.
pub(super) fn is_claimed(loaded: &Loaded, claim: &Execution) -> bool {
    let Some((real, id)) = &claim.file else { return false };
    if loaded.environment != claim.environment {
        return false;
    }
    if loaded.id == *id {
        return loaded.arguments == claim.arguments;
    }
    let Some((interpreter, argument)) = shebang(real) else { return false };
    let name = interpreter.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let is_shell = SHELLS.iter().any(|shell| shell.as_bytes() == name);
    let interpreter_is =
        is_shell && id_of(Path::new(OsStr::from_bytes(&interpreter))) == Some(loaded.id);
    // The kernel puts the path as it was given behind the interpreter.
    let start = [
        Some(interpreter.as_slice()),
        argument.as_deref(),
        Some(claim.given.as_os_str().as_bytes()),
    ];
    let behind = claim.arguments.iter().skip(1).map(Vec::as_slice);
    let expected = start.into_iter().flatten().chain(behind);
    interpreter_is && expected.eq(loaded.arguments.iter().map(Vec::as_slice))
}

/// Interpreter and argument in the first line of a script.
fn shebang(script: &Path) -> Option<(Vec<u8>, Option<Vec<u8>>)> {
    let mut start = Vec::new();
    File::open(script).ok()?.take(LONGEST_SHEBANG).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?.trim_ascii();
    let end = line.iter().position(|byte| matches!(byte, b' ' | b'\t')).unwrap_or(line.len());
    let (interpreter, argument) = line.split_at(end);
    let argument = argument.trim_ascii();
    Some((interpreter.to_vec(), (!argument.is_empty()).then(|| argument.to_vec())))
}

impl Loaded {
    /// As an execution of its own.
    pub(super) fn into_execution(self, process: Pid) -> Execution {
        let file = fs::read_link(exe(process)).unwrap_or_default();
        Execution {
            caller: process,
            given: file.clone(),
            program: file.clone(),
            file: Some((file, self.id)),
            arguments: self.arguments,
            environment: self.environment,
            around: OnceLock::new(),
        }
    }
}

/// Strings, each ended by NUL.
fn strings(bytes: &[u8]) -> Vec<Vec<u8>> {
    let Some(bytes) = bytes.strip_suffix(b"\0") else { return Vec::new() };
    bytes.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_to_their_end() {
        assert_eq!(strings(b"a\0\0b\0"), [&b"a"[..], b"", b"b"]);
        assert_eq!(strings(b"\0"), [b""]);
        assert!(strings(b"").is_empty());
    }
}
