//! The program that the kernel loaded, at the stop before its first instruction.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use aegish_kernel::process;
use nix::errno::Errno;
use nix::unistd::Pid;

use super::claim::{self, Execution, FileId, errno};

/// The longest first line of a script that Linux reads.
const LONGEST_SHEBANG: u64 = 256;

pub(super) struct Loaded {
    file: PathBuf,
    id: FileId,
    /// Each ended by NUL.
    arguments: Vec<u8>,
    environment: Vec<u8>,
}

pub(super) fn read(process: Pid) -> Result<Loaded, Errno> {
    let exe = format!("/proc/{process}/exe");
    let of = |name: &str| process::read(process, name).map_err(|error| errno(&error));
    Ok(Loaded {
        id: id_of(Path::new(&exe)).ok_or(Errno::EPERM)?,
        file: fs::read_link(&exe).map_err(|error| errno(&error))?,
        arguments: of("cmdline")?,
        environment: of("environ")?,
    })
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
    if !is_list(&loaded.environment, claim.environment.iter().map(Vec::as_slice)) {
        return false;
    }
    if loaded.id == *id {
        return is_list(&loaded.arguments, claim.arguments.iter().map(Vec::as_slice));
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
    interpreter_is && is_list(&loaded.arguments, start.into_iter().flatten().chain(behind))
}

/// Whether the bytes are these strings, each ended by NUL.
fn is_list<'a>(bytes: &[u8], strings: impl Iterator<Item = &'a [u8]>) -> bool {
    let mut rest = bytes;
    for string in strings {
        let Some(behind) = rest.strip_prefix(string) else { return false };
        let Some(behind) = behind.strip_prefix(b"\0") else { return false };
        rest = behind;
    }
    rest.is_empty()
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
    pub(super) fn into_execution(self, process: Pid, claim: &Execution) -> Execution {
        Execution {
            caller: process,
            given: self.file.clone(),
            program: self.file.clone(),
            file: Some((self.file, self.id)),
            arguments: strings(&self.arguments),
            environment: strings(&self.environment),
            cwd: claim.cwd.clone(),
            stdin: claim::stdin_of(process),
        }
    }
}

fn strings(bytes: &[u8]) -> Vec<Vec<u8>> {
    let bytes = bytes.strip_suffix(b"\0").unwrap_or(bytes);
    bytes.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_compared_to_their_end() {
        let list =
            |strings: &[&'static str]| strings.iter().map(|one| one.as_bytes()).collect::<Vec<_>>();
        let same =
            |bytes: &[u8], strings: &[&'static str]| is_list(bytes, list(strings).into_iter());
        assert!(same(b"a\0\0b\0", &["a", "", "b"]));
        assert!(same(b"", &[]));
        assert!(!same(b"a\0", &["a", "b"]));
        assert!(!same(b"a\0b\0", &["a"]));
        assert!(!same(b"ab\0", &["a", "b"]));
    }
}
