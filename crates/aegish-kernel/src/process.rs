//! What the kernel says of a process.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use nix::errno::Errno;
use nix::libc;
use nix::sys::stat::fstat;
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

/// A process among all that there are and were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessInfo {
    /// A number that is not given again.
    pub unique: u64,
    /// The process.
    pub process: Pid,
    /// Its parent.
    pub parent: Pid,
}

/// `PIDFD_GET_INFO` for the first version of its structure, which has 64 bytes.
const GET_INFO: libc::c_ulong = 0xC040_FF0B;
/// A descriptor of any thread, not only of the first one of a process.
const ANY_THREAD: libc::c_uint = libc::O_EXCL as libc::c_uint;
/// Where in the structure are the mask, which says what was filled in, and the numbers.
const MASK: usize = 0;
const PROCESS: usize = 5;
const PARENT: usize = 6;
/// The numbers of the process were filled in.
const NUMBERS: u32 = 1;

/// The process of a thread, without a look into `/proc`, which takes several times as long. None where the kernel
/// cannot tell (it needs Linux 6.13).
#[must_use]
pub fn info(thread: Pid) -> Option<ProcessInfo> {
    let (descriptor, process, parent) = numbers(thread)?;
    // The number that is not given again is the one of the process.
    let descriptor = match process == thread {
        true => descriptor,
        false => numbers(process)?.0,
    };
    let unique = fstat(&descriptor).ok()?.st_ino;
    Some(ProcessInfo { unique, process, parent })
}

fn numbers(thread: Pid) -> Option<(OwnedFd, Pid, Pid)> {
    // SAFETY: the call takes numbers only. What it returns is a new descriptor that no value owns.
    let descriptor = unsafe {
        let number = libc::syscall(libc::SYS_pidfd_open, thread.as_raw(), ANY_THREAD);
        OwnedFd::from_raw_fd(Errno::result(number).ok()? as i32)
    };
    let mut info = [0_u32; 16];
    info[MASK] = NUMBERS;
    // SAFETY: the kernel writes at most 64 bytes, as the number of the request says, into an array of that size.
    let told = unsafe { libc::ioctl(descriptor.as_raw_fd(), GET_INFO as _, info.as_mut_ptr()) };
    if told != 0 || info[MASK] & NUMBERS == 0 || info[PROCESS] == 0 {
        return None;
    }
    let number = |at: usize| Pid::from_raw(info[at] as i32);
    Some((descriptor, number(PROCESS), number(PARENT)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_of_their_process() {
        let Some(own) = info(nix::unistd::getpid()) else {
            println!("skipped: the kernel does not tell");
            return;
        };
        assert_eq!((own.process, own.parent), (nix::unistd::getpid(), nix::unistd::getppid()));
        let of_thread = std::thread::spawn(|| info(nix::unistd::gettid())).join();
        assert_eq!(of_thread.ok().flatten(), Some(own));
        assert_eq!(info(Pid::from_raw(i32::MAX)), None);
    }
}
