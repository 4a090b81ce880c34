//! Every execution in a session, judged before the first instruction of the new program, and every connection.
//!
//! The kernel reports an execution and waits. The supervisor reads what is to be executed and asks the judge; a
//! refusal makes the call fail with `EPERM`. What was read is only a claim: another thread can change it before the
//! kernel reads it again. So the caller is traced until the new program is loaded and has not begun. If that is not
//! what was judged, it is judged again, and killed if it is refused.
//!
//! A connection is made by the supervisor itself, on the caller's socket and to the address that it looked at.

mod claim;
mod connection;
mod loaded;
mod turn;

pub use claim::{Execution, FileId, StandardInput};

use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, RwLock};
use std::thread;
use std::time::Duration;

use aegish_kernel::process;
use aegish_kernel::trace::{self, Stop};
use aegish_kernel::{Call, ConnectCall, ExecCall, Listener, Reply, Report};
use nix::errno::Errno;
use nix::sys::signal::SigSet;
use nix::unistd::Pid;

use crate::grants::FileAccess;
use crate::network::Connections;
use connection::Prepared;
use turn::Turns;

/// Threads that answer reports. One is held up while the kernel loads a program.
const THREADS: usize = 3;

/// Which debuggers may start programs under their control. What such a program executes is judged, and cannot be looked
/// at again when it is loaded, as a process has one tracer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Debuggers {
    /// Those that the judge knows as installed.
    Installed,
    /// All.
    Any,
}

/// What is supervised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Supervised {
    /// Executions and connections.
    Programs(Debuggers),
    /// Connections only.
    Connections,
}

/// The answer to an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// It may go on.
    Allow,
    /// It must not.
    Refuse,
}

/// Decides about executions. Several threads ask at once.
pub trait ExecutionJudge: Send + Sync {
    /// Whether this may be executed.
    fn judge(&self, execution: &Execution) -> Answer;

    /// This was judged, and is now the program of the process.
    fn executed(&self, process: Pid, execution: &Execution);

    /// An execution was refused because nothing could be read of it.
    fn unreadable(&self, caller: Pid, error: Errno);

    /// What was judged was exchanged for something that is refused; the process was killed.
    fn exchanged(&self, execution: &Execution);

    /// Whether this program is a debugger that was installed before the session.
    fn is_debugger(&self, program: &Path) -> bool;

    /// A program opens this file. It is a claim: another thread can change the path.
    fn opens(&self, _file: &Path, _access: FileAccess) {}

    /// A connection may be made to this peer.
    fn connects(&self, _peer: &str) {}

    /// A connection was refused, for this reason.
    fn unconnected(&self, caller: Pid, why: &str);

    /// To connect there was refused: a host with a port, or a port.
    fn would_connect(&self, _to: &str) {}
}

/// The supervision of a child and of all that it starts.
#[derive(Clone, Default)]
pub struct Supervision(Arc<OnceLock<Arc<Supervisor>>>);

/// Starts to supervise the child that sends its reports over this socket. Its own first execution, which made it,
/// is not judged.
///
/// # Errors
///
/// If no thread can be started.
pub fn supervise(
    socket: UnixStream,
    supervised: Supervised,
    connections: Connections,
    judge: Arc<dyn ExecutionJudge>,
) -> io::Result<Supervision> {
    let supervision = Supervision::default();
    let place = supervision.clone();
    in_background(move || {
        let Ok(Some(listener)) = Listener::receive(&socket) else { return };
        drop(socket);
        connections.look_around();
        let (first, debuggers) = match supervised {
            Supervised::Programs(debuggers) => {
                let Ok(Some(first)) = listener.next() else { return };
                (Some(first), debuggers)
            }
            // No process is traced.
            Supervised::Connections => (None, Debuggers::Any),
        };
        let root = first.map_or(Pid::from_raw(0), |first| first.thread);
        let connections = Arc::new(connections);
        let supervisor = Supervisor::new(listener, root, debuggers, connections, judge);
        let supervisor = place.0.get_or_init(|| Arc::new(supervisor));
        if let Some(proxy) = supervisor.connections.proxy() {
            // Without it nothing is reached.
            let _ = proxy.serve(&supervisor.judge);
        }
        if let Some(first) = first {
            supervisor.reply(&first, Reply::Continue);
        }
        for _ in 1..THREADS {
            let other = Arc::clone(supervisor);
            let _ = in_background(move || other.serve());
        }
        let watched = Arc::clone(supervisor);
        let _ = in_background(move || watched.turns.watch());
        supervisor.serve();
    })?;
    Ok(supervision)
}

impl Supervision {
    /// This process is about to end. What the session left in the background stays supervised, by a child of this
    /// process. No execution is answered here any more.
    pub fn outlive(&self) {
        let Some(supervisor) = self.0.get() else { return };
        // Kept until the process ends.
        std::mem::forget(supervisor.busy.write());
        supervisor.ends.store(true, Ordering::Relaxed);
        while supervisor.waiting.load(Ordering::Relaxed) > 0 {
            thread::sleep(Duration::from_millis(1));
        }
        if !supervisor.listener.has_reporters() {
            return;
        }
        let Ok(Some(listener)) = supervisor.listener.go_on_in_child() else { return };
        // Where Yama lets only ancestors trace, the child can judge and not look again.
        let (root, debuggers) = (supervisor.root, Debuggers::Any);
        let connections = Arc::clone(&supervisor.connections);
        if let Some(proxy) = connections.proxy() {
            proxy.close();
        }
        let judge = Arc::clone(&supervisor.judge);
        Arc::new(Supervisor::new(listener, root, debuggers, connections, judge)).serve();
        std::process::exit(0);
    }
}

/// Starts a thread that gets no signal that is meant for others.
pub(crate) fn in_background(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let own = SigSet::thread_get_mask()?;
    SigSet::all().thread_block()?;
    let started = thread::Builder::new().name("supervisor".to_owned()).spawn(work);
    own.thread_set_mask()?;
    started.map(drop)
}

struct Supervisor {
    listener: Listener,
    /// The child that was started. Its end is waited for elsewhere.
    root: Pid,
    debuggers: Debuggers,
    connections: Arc<Connections>,
    judge: Arc<dyn ExecutionJudge>,
    /// Which thread waits for the next report.
    turns: Turns,
    /// Read while an execution is followed, so that this process does not end meanwhile.
    busy: RwLock<()>,
    /// Threads that wait for a connection, and whether they should stop.
    waiting: AtomicUsize,
    ends: AtomicBool,
}

impl Supervisor {
    fn new(
        listener: Listener,
        root: Pid,
        debuggers: Debuggers,
        connections: Arc<Connections>,
        judge: Arc<dyn ExecutionJudge>,
    ) -> Self {
        Self {
            listener,
            root,
            debuggers,
            connections,
            judge,
            turns: Turns::default(),
            busy: RwLock::new(()),
            waiting: AtomicUsize::new(0),
            ends: AtomicBool::new(false),
        }
    }

    fn serve(self: &Arc<Self>) {
        self.turns.take();
        while let Ok(true) = self.listener.wait() {
            // Before the report is taken: a process that ends leaves it to its child, which could not answer it
            // otherwise.
            let busy = self.busy.read();
            let report = match self.listener.take() {
                Ok(Some(report)) => report,
                Ok(None) => continue,
                Err(_) => break,
            };
            let begun = self.turns.begin();
            self.answer(&report);
            drop(busy);
            if !self.turns.end(begun) {
                self.turns.take();
            } else if self.listener.has_report() {
                self.turns.crowd();
            }
        }
        self.turns.close();
    }

    fn answer(self: &Arc<Self>, report: &Report) {
        match report.call {
            Call::Exec(call) => self.execute(report, &call),
            Call::Connect(call) => self.connect(report, &call),
            Call::Open(call) => {
                if let Some((path, access)) = claim::opened(report.thread, &call) {
                    self.judge.opens(&path, access);
                }
                self.reply(report, Reply::Continue);
            }
            Call::Listen(socket, most) => {
                let done = connection::listen(report.thread, socket, most, &self.connections);
                let reply = done.unwrap_or_else(Reply::Fail);
                if reply == Reply::Fail(Errno::EACCES) {
                    let why = "it would accept connections from other machines (AEGISH_NET)";
                    self.judge.unconnected(report.thread, why);
                }
                self.reply(report, reply);
            }
        }
    }

    fn connect(self: &Arc<Self>, report: &Report, call: &ConnectCall) {
        let prepared = connection::prepare(report.thread, call, &self.connections);
        // Process numbers are used again: only if the caller still waits, the values above were read from it.
        if !self.listener.still_waits(report) {
            return;
        }
        if let Ok(Prepared::Allowed(connection)) = &prepared
            && let Some(peer) = connection.peer()
        {
            self.judge.connects(peer);
        }
        match prepared {
            Err(error) => self.refuse(report, error),
            Ok(Prepared::Refused(why)) => {
                self.judge.unconnected(report.thread, &why.reason);
                if let Some(port) = why.port {
                    self.judge.would_connect(&port.to_string());
                }
                self.refuse(report, Errno::EACCES);
            }
            Ok(Prepared::Allowed(connection)) if connection.waits() => {
                let (supervisor, report) = (Arc::clone(self), *report);
                self.waiting.fetch_add(1, Ordering::Relaxed);
                let started = in_background(move || {
                    let ends = || supervisor.ends.load(Ordering::Relaxed);
                    let made = connection.make_in_steps(&supervisor.listener, &report, ends);
                    if let Some(reply) = made {
                        supervisor.reply(&report, reply);
                    }
                    supervisor.waiting.fetch_sub(1, Ordering::Relaxed);
                });
                if started.is_err() {
                    self.waiting.fetch_sub(1, Ordering::Relaxed);
                    self.refuse(&report, Errno::EAGAIN);
                }
            }
            Ok(Prepared::Allowed(connection)) => self.reply(report, connection.make()),
        }
    }

    fn execute(&self, report: &Report, call: &ExecCall) {
        let thread = report.thread;
        let claim = match claim::read(thread, call) {
            Ok(claim) => claim,
            Err(error) => {
                if self.listener.still_waits(report) && error == Errno::EPERM {
                    self.judge.unreadable(thread, error);
                }
                return self.refuse(report, error);
            }
        };
        // Process numbers are used again: only if the caller still waits, the values above were read from it.
        if !self.listener.still_waits(report) {
            return;
        }
        if self.judge.judge(&claim) == Answer::Refuse {
            return self.refuse(report, Errno::EPERM);
        }
        // The judge may have read more of it.
        if !self.listener.still_waits(report) {
            return;
        }
        match trace::seize(thread) {
            Ok(()) => {
                // A caller that was killed meanwhile is seen below.
                self.reply(report, Reply::Continue);
                self.follow(thread, &claim);
            }
            // A debugger of the session traces it already.
            Err(Errno::EPERM) if self.may_be_debugged(thread) => {
                self.judge.executed(thread, &claim);
                self.reply(report, Reply::Continue);
            }
            Err(error) => {
                self.judge.unreadable(thread, error);
                self.refuse(report, error);
            }
        }
    }

    fn may_be_debugged(&self, thread: Pid) -> bool {
        match self.debuggers {
            Debuggers::Any => true,
            Debuggers::Installed => {
                tracer(thread).is_some_and(|program| self.judge.is_debugger(&program))
            }
        }
    }

    fn reply(&self, report: &Report, reply: Reply) {
        let _ = self.listener.answer(report, reply);
    }

    fn refuse(&self, report: &Report, error: Errno) {
        self.reply(report, Reply::Fail(error));
    }

    /// Looks at what was really executed.
    fn follow(&self, thread: Pid, claim: &Execution) {
        match trace::behind_exec(self.root) {
            Ok(Stop::Executed(process)) => {
                if self.holds(process, claim) {
                    let _ = trace::release(process, None);
                } else {
                    trace::kill(process, self.root);
                }
            }
            Ok(Stop::Failed(process, signal)) => {
                let _ = trace::release(process, signal);
            }
            Ok(Stop::Gone) => {}
            // It cannot be waited for, so it cannot be let go either.
            Err(_) => trace::kill(thread, self.root),
        }
    }

    /// Whether the loaded program may begin.
    fn holds(&self, process: Pid, claim: &Execution) -> bool {
        let Ok(loaded) = loaded::read(process) else { return false };
        if loaded::is_claimed(&loaded, claim) {
            self.judge.executed(process, claim);
            return true;
        }
        let actual = loaded.into_execution(process);
        match self.judge.judge(&actual) {
            Answer::Allow => {
                self.judge.executed(process, &actual);
                true
            }
            Answer::Refuse => {
                self.judge.exchanged(&actual);
                false
            }
        }
    }
}

/// The program that traces a thread.
fn tracer(thread: Pid) -> Option<PathBuf> {
    let status = String::from_utf8(process::read(thread, "status").ok()?).ok()?;
    let number = status.lines().find_map(|line| line.strip_prefix("TracerPid:"))?;
    let number: i32 = number.trim().parse().ok().filter(|number| *number > 0)?;
    std::fs::read_link(format!("/proc/{number}/exe")).ok()
}
