//! The seccomp filter: a short program that the kernel runs at every system call.
//!
//! Classic BPF, written by hand: tests of the call's number and of plain integers in its arguments, never of
//! memory. Calls of another architecture (32-bit programs) are tested by their own numbers, those of the x32
//! interface do not exist.

use nix::libc::{self, sock_filter};

/// The sockets that may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sockets {
    /// All.
    Any,
    /// TCP, and Unix sockets with a connection. No datagrams, which name their receiver in each message, no raw or
    /// packet sockets, and no other families except netlink's routing table, which name resolution reads.
    Tcp,
    /// Unix sockets with a connection only.
    Local,
    /// None, but pairs that belong to one process.
    None,
}

/// Whether a kind of call is reported and waits for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watch {
    /// It waits for an answer.
    Reported,
    /// It goes on at once.
    Free,
}

/// Which system calls are reported or refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filter {
    /// Starts of programs.
    pub executions: Watch,
    /// Connections of sockets.
    pub connections: Watch,
    /// Sockets that begin to accept connections.
    pub listening: Watch,
    /// Openings of files, by 64-bit programs. They can be watched, not refused: another thread can change the path.
    pub openings: Watch,
    /// The sockets that may be made.
    pub sockets: Sockets,
}

#[cfg(target_arch = "x86_64")]
mod arch {
    /// `AUDIT_ARCH_X86_64`.
    pub(super) const NATIVE: u32 = 0xC000_003E;
    /// `AUDIT_ARCH_I386`.
    pub(super) const OTHER: u32 = 0x4000_0003;
    /// execve and execveat of a 32-bit program.
    pub(super) const OTHER_EXEC: [u32; 2] = [11, 358];
    pub(super) const OTHER_IO_URING: u32 = 425;
    pub(super) const OTHER_IOCTL: u32 = 54;
    /// socket, socketpair and the older call for all of them.
    pub(super) const OTHER_SOCKET: [u32; 3] = [359, 360, OTHER_SOCKETCALL];
    pub(super) const OTHER_CONNECT: u32 = 362;
    pub(super) const OTHER_SOCKETCALL: u32 = 102;
    /// Numbers from here on belong to the x32 interface.
    pub(super) const X32: Option<u32> = Some(0x4000_0000);
}

#[cfg(target_arch = "aarch64")]
mod arch {
    pub(super) const NATIVE: u32 = 0xC000_00B7;
    /// `AUDIT_ARCH_ARM`.
    pub(super) const OTHER: u32 = 0x4000_0028;
    pub(super) const OTHER_EXEC: [u32; 2] = [11, 387];
    pub(super) const OTHER_IO_URING: u32 = 425;
    pub(super) const OTHER_IOCTL: u32 = 54;
    pub(super) const OTHER_SOCKET: [u32; 3] = [281, 288, OTHER_SOCKETCALL];
    pub(super) const OTHER_CONNECT: u32 = 283;
    pub(super) const OTHER_SOCKETCALL: u32 = 102;
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
/// Connects a TCP socket by its first message.
const FAST_OPEN: u32 = libc::MSG_FASTOPEN as u32;
/// `connect` among the socket calls of old 32-bit programs.
const SOCKETCALL_CONNECT: u32 = 3;

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
    /// The same where somebody else gets the reports.
    pub(crate) fn without_reports(self) -> Self {
        Self {
            executions: Watch::Free,
            connections: Watch::Free,
            listening: Watch::Free,
            openings: Watch::Free,
            ..self
        }
    }

    /// The program for the kernel.
    pub(crate) fn program(self) -> Vec<sock_filter> {
        let mut program = Program::default();
        program.load(ARCH);
        program.within(arch::OTHER, |other| self.other(other));
        program.within(arch::NATIVE, |native| self.native(native));
        program.answer(KILL_PROCESS);
        program.0
    }

    fn native(self, program: &mut Program) {
        program.load(NUMBER);
        if let Some(first) = arch::X32 {
            program.0.push(step(AT_LEAST, first, 0, 1));
            program.answer(fail(libc::ENOSYS));
        }
        if self.executions == Watch::Reported {
            program.on(libc::SYS_execve as u32, NOTIFY);
            program.on(libc::SYS_execveat as u32, NOTIFY);
        }
        if self.connections == Watch::Reported {
            program.on(libc::SYS_connect as u32, NOTIFY);
        }
        if self.listening == Watch::Reported {
            program.on(libc::SYS_listen as u32, NOTIFY);
        }
        if self.openings == Watch::Reported {
            #[cfg(target_arch = "x86_64")]
            program.on(libc::SYS_open as u32, NOTIFY);
            program.on(libc::SYS_openat as u32, NOTIFY);
            program.on(libc::SYS_openat2 as u32, NOTIFY);
        }
        // A ring makes and connects sockets without these calls.
        program.on(libc::SYS_io_uring_setup as u32, fail(libc::EPERM));
        program.within(libc::SYS_ioctl as u32, typing);
        if self.sockets != Sockets::Any {
            self.native_sockets(program);
        }
        program.answer(ALLOW);
    }

    fn native_sockets(self, program: &mut Program) {
        // Messages that connect. The flags are the fourth argument, or the third.
        let messages = [(libc::SYS_sendto, 3), (libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)];
        for (call, flags) in messages {
            program.within(call as u32, |message| {
                message.load(argument(flags));
                message.0.push(step(AND, FAST_OPEN, 0, 0));
                message.on(FAST_OPEN, fail(libc::EOPNOTSUPP));
                message.answer(ALLOW);
            });
        }
        program.within(libc::SYS_socketpair as u32, connected);
        if self.sockets == Sockets::None {
            return program.on(libc::SYS_socket as u32, fail(libc::EACCES));
        }
        program.within(libc::SYS_socket as u32, |socket| {
            socket.load(argument(0));
            socket.within(libc::AF_UNIX as u32, connected);
            if self.sockets == Sockets::Local {
                return socket.answer(fail(libc::EACCES));
            }
            socket.within(libc::AF_NETLINK as u32, |netlink| {
                netlink.load(argument(2));
                netlink.on(libc::NETLINK_ROUTE as u32, ALLOW);
                netlink.answer(fail(libc::EACCES));
            });
            for family in [libc::AF_INET, libc::AF_INET6] {
                socket.within(family as u32, tcp);
            }
            socket.answer(fail(libc::EACCES));
        });
    }

    /// 32-bit programs: the same calls are reported; sockets they get only where all are allowed.
    fn other(self, program: &mut Program) {
        program.load(NUMBER);
        if self.executions == Watch::Reported {
            for number in arch::OTHER_EXEC {
                program.on(number, NOTIFY);
            }
        }
        program.on(arch::OTHER_IO_URING, fail(libc::EPERM));
        program.within(arch::OTHER_IOCTL, typing);
        if self.sockets != Sockets::Any {
            for number in arch::OTHER_SOCKET {
                program.on(number, fail(libc::EACCES));
            }
        }
        if self.connections == Watch::Reported {
            program.on(arch::OTHER_CONNECT, NOTIFY);
            program.within(arch::OTHER_SOCKETCALL, |call| {
                call.load(argument(0));
                call.on(SOCKETCALL_CONNECT, NOTIFY);
                call.answer(ALLOW);
            });
        }
        program.answer(ALLOW);
    }
}

/// Typing into the terminal would answer the guard's questions.
fn typing(ioctl: &mut Program) {
    ioctl.load(argument(1));
    ioctl.on(libc::TIOCSTI as u32, fail(libc::EPERM));
    ioctl.on(libc::TIOCLINUX as u32, fail(libc::EPERM));
    ioctl.answer(ALLOW);
}

/// Unix sockets that have a connection. The type is the second argument.
fn connected(socket: &mut Program) {
    socket.load(argument(1));
    socket.0.push(step(AND, SOCKET_TYPE, 0, 0));
    socket.on(libc::SOCK_STREAM as u32, ALLOW);
    socket.on(libc::SOCK_SEQPACKET as u32, ALLOW);
    socket.answer(fail(libc::EACCES));
}

/// TCP and no other protocol with streams.
fn tcp(socket: &mut Program) {
    socket.load(argument(1));
    socket.0.push(step(AND, SOCKET_TYPE, 0, 0));
    socket.within(libc::SOCK_STREAM as u32, |stream| {
        stream.load(argument(2));
        stream.on(0, ALLOW);
        stream.on(libc::IPPROTO_TCP as u32, ALLOW);
        stream.answer(fail(libc::EACCES));
    });
    socket.answer(fail(libc::EACCES));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the program answers, computed as the kernel would.
    fn answer(filter: Filter, arch: u32, nr: u32, args: [u32; 6]) -> u32 {
        let program = filter.program();
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

    const ALL: Filter = Filter {
        executions: Watch::Reported,
        connections: Watch::Reported,
        listening: Watch::Reported,
        openings: Watch::Free,
        sockets: Sockets::Any,
    };
    const TCP: Filter = Filter { sockets: Sockets::Tcp, ..ALL };

    #[test]
    fn openings_are_reported_where_they_are_watched() {
        let watched = Filter { openings: Watch::Reported, ..ALL };
        let call = libc::SYS_openat as u32;
        assert_eq!(answer(watched, arch::NATIVE, call, [0; 6]), NOTIFY);
        assert_eq!(answer(ALL, arch::NATIVE, call, [0; 6]), ALLOW);
    }

    #[test]
    fn executions_and_connections_are_reported_in_every_interface() {
        let of = |arch, nr, first| answer(TCP, arch, nr, [first, 0, 0, 0, 0, 0]);
        for call in [libc::SYS_execve, libc::SYS_execveat, libc::SYS_connect, libc::SYS_listen] {
            assert_eq!(of(arch::NATIVE, call as u32, 0), NOTIFY);
        }
        for call in arch::OTHER_EXEC {
            assert_eq!(of(arch::OTHER, call, 0), NOTIFY);
        }
        let old = |first| answer(ALL, arch::OTHER, arch::OTHER_SOCKETCALL, [first; 6]);
        assert_eq!((old(SOCKETCALL_CONNECT), old(1)), (NOTIFY, ALLOW));
        assert_eq!(of(arch::OTHER, arch::OTHER_CONNECT, 0), NOTIFY);
        assert_eq!(of(arch::NATIVE, libc::SYS_openat as u32, 0), ALLOW);
        assert_eq!(of(0x1234, libc::SYS_execve as u32, 0), KILL_PROCESS);
        if let Some(first) = arch::X32 {
            assert_eq!(of(arch::NATIVE, first + 520, 0), fail(libc::ENOSYS));
        }
        let free = answer(ALL.without_reports(), arch::NATIVE, libc::SYS_execve as u32, [0; 6]);
        assert_eq!(free, ALLOW);
    }

    #[test]
    fn no_jump_is_longer_than_its_field() {
        // A jump of the largest length would be one that did not fit.
        assert!(TCP.program().iter().all(|step| step.jt < u8::MAX && step.jf < u8::MAX));
    }

    #[test]
    fn typing_into_the_terminal_is_refused_and_other_controls_are_not() {
        let of =
            |command| answer(ALL, arch::NATIVE, libc::SYS_ioctl as u32, [0, command, 0, 0, 0, 0]);
        assert_eq!(of(libc::TIOCSTI as u32), fail(libc::EPERM));
        assert_eq!(of(libc::TCGETS as u32), ALLOW);
    }

    #[test]
    fn only_connections_are_left_of_the_network() {
        let of = |family: i32, kind: i32, protocol: i32| {
            let args = [family as u32, kind as u32, protocol as u32, 0, 0, 0];
            answer(TCP, arch::NATIVE, libc::SYS_socket as u32, args)
        };
        let refused = fail(libc::EACCES);
        assert_eq!(of(libc::AF_INET, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0), ALLOW);
        assert_eq!(of(libc::AF_INET6, libc::SOCK_STREAM, libc::IPPROTO_TCP), ALLOW);
        assert_eq!(of(libc::AF_INET, libc::SOCK_STREAM, libc::IPPROTO_SCTP), refused);
        assert_eq!(of(libc::AF_INET6, libc::SOCK_DGRAM, 0), refused);
        assert_eq!(of(libc::AF_INET, libc::SOCK_RAW, 1), refused);
        assert_eq!(of(libc::AF_UNIX, libc::SOCK_STREAM, 0), ALLOW);
        assert_eq!(of(libc::AF_UNIX, libc::SOCK_DGRAM, 0), refused);
        assert_eq!(of(libc::AF_NETLINK, libc::SOCK_RAW, libc::NETLINK_ROUTE), ALLOW);
        assert_eq!(of(libc::AF_NETLINK, libc::SOCK_RAW, 15), refused);
        assert_eq!(of(libc::AF_PACKET, libc::SOCK_RAW, 0), refused);
        let local = Filter { sockets: Sockets::Local, ..ALL };
        let args = [libc::AF_INET as u32, libc::SOCK_STREAM as u32, 0, 0, 0, 0];
        assert_eq!(answer(local, arch::NATIVE, libc::SYS_socket as u32, args), refused);
    }

    #[test]
    fn a_message_that_connects_is_refused() {
        let of =
            |flags| answer(TCP, arch::NATIVE, libc::SYS_sendmsg as u32, [0, 0, flags, 0, 0, 0]);
        assert_eq!(of(FAST_OPEN | 0x4000), fail(libc::EOPNOTSUPP));
        assert_eq!(of(0x4000), ALLOW);
    }
}
