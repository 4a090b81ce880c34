//! What `/proc` says of a process.

use std::fs::File;
use std::io::{self, Read};

use nix::unistd::Pid;

/// Most files of `/proc` are smaller.
const USUAL_SIZE: usize = 4096;

/// The content of `/proc/PROCESS/NAME`. Such a file has no size, so that `std::fs::read` begins with 32 bytes and
/// needs many calls.
///
/// # Errors
///
/// If the process is gone or must not be looked into.
pub fn read(process: Pid, name: &str) -> io::Result<Vec<u8>> {
    let mut file = File::open(format!("/proc/{process}/{name}"))?;
    let mut content = vec![0; USUAL_SIZE];
    let mut length = 0;
    loop {
        match file.read(&mut content[length..]) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if length == content.len() {
            content.resize(2 * length, 0);
        }
    }
    content.truncate(length);
    Ok(content)
}
