//! The seccomp filter: a short program that the kernel runs at every system call.
//!
//! Classic BPF, written by hand: tests of the call's number and of plain integers in its arguments, never of
//! memory. Calls of another architecture (32-bit programs) are tested by their own numbers, those of the x32
//! interface do not exist.

use nix::libc::{self, sock_filter};

/// Whether programs of the session may trace each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Debuggers {
    /// `ptrace` works as outside.
    Allowed,
    /// `ptrace` fails with `EPERM`.
    Refused,
}

/// The sockets that may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sockets {
    /// All.
    Any,
    /// Unix sockets and TCP; no datagrams, raw or packet sockets over IP, and no other families except
    /// netlink's routing table, which name resolution reads.
    Tcp,
    /// Unix sockets only.
    Local,
}

/// Which system calls are reported or refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filter {
    /// Whether programs may trace each other.
    pub debuggers: Debuggers,
    /// The sockets that may be made.
    pub sockets: Sockets,
}

/// What becomes of executions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Executions {
    Reported,
    Free,
}

#[cfg(target_arch = "x86_64")]
mod arch {
    /// `AUDIT_ARCH_X86_64`.
    pub(super) const NATIVE: u32 = 0xC000_003E;
    /// `AUDIT_ARCH_I386`.
    pub(super) const OTHER: u32 = 0x4000_0003;
    /// execve and execveat of a 32-bit program.
    pub(super) const OTHER_EXEC: [u32; 2] = [11, 358];
    pub(super) const OTHER_PTRACE: u32 = 26;
    pub(super) const OTHER_IO_URING: u32 = 425;
    /// socket and the older socketcall.
    pub(super) const OTHER_SOCKET: [u32; 2] = [359, 102];
    /// Numbers from here on belong to the x32 interface.
    pub(super) const X32: Option<u32> = Some(0x4000_0000);
}

#[cfg(target_arch = "aarch64")]
mod arch {
    pub(super) const NATIVE: u32 = 0xC000_00B7;
    /// `AUDIT_ARCH_ARM`.
    pub(super) const OTHER: u32 = 0x4000_0028;
    pub(super) const OTHER_EXEC: [u32; 2] = [11, 387];
    pub(super) const OTHER_PTRACE: u32 = 26;
    pub(super) const OTHER_IO_URING: u32 = 425;
    pub(super) const OTHER_SOCKET: [u32; 2] = [281, 102];
    pub(super) const X32: Option<u32> = None;
}

/// Offsets in `seccomp_data`.
const NUMBER: u32 = 0;
const ARCH: u32 = 4;
/// The low half of an argument; all machines here are little-endian.
const fn argument(index: u32) -> u32 {
    16 + 8 * index
}

const ALLOW: u32 = 0x7fff_0000;
const KILL_PROCESS: u32 = 0x8000_0000;
const NOTIFY: u32 = 0x7fc0_0000;
const fn fail(errno: i32) -> u32 {
    0x0005_0000 | errno as u32
}

const LOAD: u16 = 0x20; // BPF_LD | BPF_W | BPF_ABS
const AND: u16 = 0x54; // BPF_ALU | BPF_AND | BPF_K
const EQUAL: u16 = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
const AT_LEAST: u16 = 0x35; // BPF_JMP | BPF_JGE | BPF_K
const RETURN: u16 = 0x06; // BPF_RET | BPF_K

/// Types of a socket without its flags.
const SOCKET_TYPE: u32 = 0xf;

fn step(code: u16, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

#[derive(Default)]
struct Program(Vec<sock_filter>);

impl Program {
    fn load(&mut self, offset: u32) {
        self.0.push(step(LOAD, offset, 0, 0));
    }

    fn answer(&mut self, action: u32) {
        self.0.push(step(RETURN, action, 0, 0));
    }

    /// If the loaded value is this one, the answer is `action`.
    fn on(&mut self, value: u32, action: u32) {
        self.0.push(step(EQUAL, value, 0, 1));
        self.answer(action);
    }

    /// If the loaded value is this one, the answer is that of `inner`, which must end with one.
    fn within(&mut self, value: u32, inner: impl FnOnce(&mut Self)) {
        let mut block = Self::default();
        inner(&mut block);
        let length = u8::try_from(block.0.len()).unwrap_or(u8::MAX);
        self.0.push(step(EQUAL, value, 0, length));
        self.0.extend(block.0);
    }
}

impl Filter {
    /// The program for the kernel.
    pub(crate) fn program(self, executions: Executions) -> Vec<sock_filter> {
        let mut program = Program::default();
        program.load(ARCH);
        program.within(arch::OTHER, |other| self.other(other, executions));
        program.within(arch::NATIVE, |native| self.native(native, executions));
        program.answer(KILL_PROCESS);
        program.0
    }

    fn native(self, program: &mut Program, executions: Executions) {
        program.load(NUMBER);
        if let Some(first) = arch::X32 {
            program.0.push(step(AT_LEAST, first, 0, 1));
            program.answer(fail(libc::ENOSYS));
        }
        if executions == Executions::Reported {
            program.on(libc::SYS_execve as u32, NOTIFY);
            program.on(libc::SYS_execveat as u32, NOTIFY);
        }
        // A ring makes sockets without these calls.
        program.on(libc::SYS_io_uring_setup as u32, fail(libc::EPERM));
        if self.debuggers == Debuggers::Refused {
            program.on(libc::SYS_ptrace as u32, fail(libc::EPERM));
        }
        // Typing into the terminal would answer the guard's questions.
        program.within(libc::SYS_ioctl as u32, |ioctl| {
            ioctl.load(argument(1));
            ioctl.on(libc::TIOCSTI as u32, fail(libc::EPERM));
            ioctl.on(libc::TIOCLINUX as u32, fail(libc::EPERM));
            ioctl.answer(ALLOW);
        });
        match self.sockets {
            Sockets::Any => {}
            Sockets::Tcp => program.within(libc::SYS_socket as u32, |socket| {
                socket.load(argument(0));
                socket.on(libc::AF_UNIX as u32, ALLOW);
                socket.within(libc::AF_NETLINK as u32, |netlink| {
                    netlink.load(argument(2));
                    netlink.on(libc::NETLINK_ROUTE as u32, ALLOW);
                    netlink.answer(fail(libc::EACCES));
                });
                for family in [libc::AF_INET, libc::AF_INET6] {
                    socket.within(family as u32, |ip| {
                        ip.load(argument(1));
                        ip.0.push(step(AND, SOCKET_TYPE, 0, 0));
                        ip.on(libc::SOCK_STREAM as u32, ALLOW);
                        ip.answer(fail(libc::EACCES));
                    });
                }
                socket.answer(fail(libc::EACCES));
            }),
            Sockets::Local => program.within(libc::SYS_socket as u32, |socket| {
                socket.load(argument(0));
                socket.on(libc::AF_UNIX as u32, ALLOW);
                socket.answer(fail(libc::EACCES));
            }),
        }
        program.answer(ALLOW);
    }

    /// 32-bit programs: their executions are reported too; sockets they get only where all are allowed.
    fn other(self, program: &mut Program, executions: Executions) {
        program.load(NUMBER);
        if executions == Executions::Reported {
            for number in arch::OTHER_EXEC {
                program.on(number, NOTIFY);
            }
        }
        program.on(arch::OTHER_IO_URING, fail(libc::EPERM));
        if self.debuggers == Debuggers::Refused {
            program.on(arch::OTHER_PTRACE, fail(libc::EPERM));
        }
        program.within(54, |ioctl| {
            ioctl.load(argument(1));
            ioctl.on(libc::TIOCSTI as u32, fail(libc::EPERM));
            ioctl.on(libc::TIOCLINUX as u32, fail(libc::EPERM));
            ioctl.answer(ALLOW);
        });
        if self.sockets != Sockets::Any {
            for number in arch::OTHER_SOCKET {
                program.on(number, fail(libc::EACCES));
            }
        }
        program.answer(ALLOW);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the program answers, computed as the kernel would.
    fn answer(filter: Filter, executions: Executions, arch: u32, nr: u32, args: [u32; 6]) -> u32 {
        let program = filter.program(executions);
        let (mut at, mut value) = (0, 0);
        loop {
            let step = program[at];
            at += 1;
            match step.code {
                LOAD => {
                    value = match step.k {
                        NUMBER => nr,
                        ARCH => arch,
                        offset => args[(offset as usize - 16) / 8],
                    };
                }
                AND => value &= step.k,
                EQUAL => at += usize::from(if value == step.k { step.jt } else { step.jf }),
                AT_LEAST => at += usize::from(if value >= step.k { step.jt } else { step.jf }),
                RETURN => return step.k,
                other => panic!("{other:#x}"),
            }
        }
    }

    const OPEN: Filter = Filter { debuggers: Debuggers::Allowed, sockets: Sockets::Any };
    const TIGHT: Filter = Filter { debuggers: Debuggers::Refused, sockets: Sockets::Tcp };

    #[test]
    fn executions_are_reported_in_every_interface() {
        let of = |arch, nr| answer(OPEN, Executions::Reported, arch, nr, [0; 6]);
        assert_eq!(of(arch::NATIVE, libc::SYS_execve as u32), NOTIFY);
        assert_eq!(of(arch::NATIVE, libc::SYS_execveat as u32), NOTIFY);
        assert_eq!(of(arch::OTHER, arch::OTHER_EXEC[0]), NOTIFY);
        assert_eq!(of(arch::OTHER, arch::OTHER_EXEC[1]), NOTIFY);
        assert_eq!(of(arch::NATIVE, libc::SYS_openat as u32), ALLOW);
        assert_eq!(of(0x1234, libc::SYS_execve as u32), KILL_PROCESS);
        if let Some(first) = arch::X32 {
            assert_eq!(of(arch::NATIVE, first + 520), fail(libc::ENOSYS));
        }
    }

    #[test]
    fn typing_into_the_terminal_is_refused_and_other_controls_are_not() {
        let of = |command| {
            let args = [0, command, 0, 0, 0, 0];
            answer(OPEN, Executions::Free, arch::NATIVE, libc::SYS_ioctl as u32, args)
        };
        assert_eq!(of(libc::TIOCSTI as u32), fail(libc::EPERM));
        assert_eq!(of(libc::TCGETS as u32), ALLOW);
    }

    #[test]
    fn only_streams_are_left_of_the_internet() {
        let of = |family: i32, kind: i32, protocol: i32| {
            let args = [family as u32, kind as u32, protocol as u32, 0, 0, 0];
            answer(TIGHT, Executions::Free, arch::NATIVE, libc::SYS_socket as u32, args)
        };
        assert_eq!(of(libc::AF_INET, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0), ALLOW);
        assert_eq!(of(libc::AF_INET6, libc::SOCK_DGRAM, 0), fail(libc::EACCES));
        assert_eq!(of(libc::AF_INET, libc::SOCK_RAW, 1), fail(libc::EACCES));
        assert_eq!(of(libc::AF_UNIX, libc::SOCK_DGRAM, 0), ALLOW);
        assert_eq!(of(libc::AF_NETLINK, libc::SOCK_RAW, libc::NETLINK_ROUTE), ALLOW);
        assert_eq!(of(libc::AF_NETLINK, libc::SOCK_RAW, 15), fail(libc::EACCES));
        assert_eq!(of(libc::AF_PACKET, libc::SOCK_RAW, 0), fail(libc::EACCES));
        let traced = answer(TIGHT, Executions::Free, arch::NATIVE, libc::SYS_ptrace as u32, [0; 6]);
        assert_eq!(traced, fail(libc::EPERM));
    }
}
