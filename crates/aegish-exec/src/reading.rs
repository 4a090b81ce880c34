//! What bash reads: how much of what it was sent is still unread, and whether it reads commands from
//! somewhere else.
//!
//! A trap can run between the gate and the read behind it, and change descriptor 0 there. No code in bash can
//! prevent that. While the guard waits for a report, it looks at the system call in which bash is blocked: the
//! buffer for commands is always at the same address, and reading into it from anything else than the guard's
//! socket ends bash.

use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Duration;

use nix::libc;
use nix::sys::stat::fstat;
use nix::unistd::Pid;

/// How often bash is looked at until it waits for its first command.
const FIRST_LOOKS: u32 = 400;
const FIRST_INTERVAL: Duration = Duration::from_micros(250);

/// A process that reads commands from one socket only.
#[derive(Debug)]
pub(crate) struct CommandReader {
    pid: Pid,
    /// Device and inode of the socket.
    socket: (u64, u64),
    /// The address of the buffer for commands, as the kernel prints it. None if the kernel does not let this
    /// process look.
    buffer: Option<String>,
    /// Where its code and its stack are.
    image: Option<Vec<String>>,
}

impl CommandReader {
    /// Watches a bash that was just started with `socket` as its standard input.
    pub(crate) fn new(pid: Pid, socket: &impl AsFd) -> io::Result<Self> {
        let found = fstat(socket)?;
        let socket = (found.st_dev, found.st_ino);
        let mut reader = Self { pid, socket, buffer: None, image: None };
        for _ in 0..FIRST_LOOKS {
            let Ok(call) = reader.system_call() else { break };
            reader.buffer = read_from_standard_input(&call).map(str::to_owned);
            if reader.buffer.is_some() {
                break;
            }
            thread::sleep(FIRST_INTERVAL);
        }
        reader.image = image(pid);
        Ok(reader)
    }

    /// Whether the process still is the program that was watched from the beginning, and not one that replaced it.
    pub(crate) fn is_the_same_program(&self) -> bool {
        self.image.is_some() && image(self.pid) == self.image
    }

    /// Whether bash waits for a command that does not come from the socket.
    pub(crate) fn reads_elsewhere(&self) -> bool {
        let Some(buffer) = self.buffer.as_deref() else { return false };
        let Ok(call) = self.system_call() else { return false };
        read_from_standard_input(&call) == Some(buffer)
            && fs::metadata(format!("/proc/{}/fd/0", self.pid))
                .is_ok_and(|input| (input.dev(), input.ino()) != self.socket)
    }

    fn system_call(&self) -> io::Result<String> {
        fs::read_to_string(format!("/proc/{}/syscall", self.pid))
    }
}

/// Beginning and end of the code and beginning of the stack, which are others for every program that is loaded.
fn image(pid: Pid) -> Option<Vec<String>> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // Fields 26 to 28; the second is the name, in parentheses, and may hold any character.
    let (_, behind) = stat.rsplit_once(')')?;
    let fields = behind.split_ascii_whitespace().skip(23).take(3).map(str::to_owned);
    Some(fields.collect()).filter(|fields: &Vec<String>| fields.iter().any(|field| field != "0"))
}

/// The address of the buffer, if a line of `/proc/PID/syscall` is about reading descriptor 0.
fn read_from_standard_input(call: &str) -> Option<&str> {
    let mut words = call.split(' ');
    let reads = words.next()?.parse() == Ok(libc::SYS_read) && words.next()? == "0x0";
    words.next().filter(|_| reads)
}

/// Number of sent bytes that have not been read yet.
pub(crate) fn unread(socket: &UnixStream) -> Option<libc::c_int> {
    let mut bytes = 0;
    // SAFETY: the call writes one number to the given address.
    let told = unsafe { libc::ioctl(socket.as_raw_fd(), libc::TIOCOUTQ, &raw mut bytes) };
    (told == 0).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::OwnedFd;
    use std::process::{Command, Stdio};

    #[test]
    fn only_a_read_of_descriptor_0_names_a_buffer() {
        let read = libc::SYS_read;
        let line = format!("{read} 0x0 0x55aa 0x400 0x0 0x7 0x1 0x7ffe 0x7fbd\n");
        assert_eq!(read_from_standard_input(&line), Some("0x55aa"));
        assert_eq!(read_from_standard_input(&line.replacen("0x0", "0xc9", 1)), None);
        assert_eq!(read_from_standard_input("running\n"), None);
        assert_eq!(read_from_standard_input(&format!("1{read} 0x0 0x55aa 0x400")), None);
    }

    #[test]
    fn a_process_that_waits_for_another_file_reads_elsewhere() {
        let (_ours, theirs) = UnixStream::pair().expect("a socket");
        let mut child = Command::new("cat")
            .stdin(Stdio::from(OwnedFd::from(theirs.try_clone().expect("a copy"))))
            .stdout(Stdio::null())
            .spawn()
            .expect("a process");
        let pid = Pid::from_raw(i32::try_from(child.id()).expect("a number"));
        let mut reader = CommandReader::new(pid, &theirs).expect("its input");
        assert!(!reader.reads_elsewhere());
        if reader.buffer.is_some() {
            reader.socket = (0, 0);
            assert!(reader.reads_elsewhere());
            reader.buffer = Some("0x1".to_owned());
            assert!(!reader.reads_elsewhere());
        }
        child.kill().expect("a signal");
        child.wait().expect("its end");
    }
}
