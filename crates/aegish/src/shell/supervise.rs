//! Judges the programs that are started in a session, by whatever program.
//!
//! What the judged text itself starts was judged with it. Everything else is judged as a command of its own, with
//! what the session knows. Only a block is a refusal: nobody can be asked in the middle of a run, and what a
//! warning leaves open shows in what is started next.

use super::expected::Part;
use super::failed;
use super::limits::{PreparedLimits, Reports};
use super::observed::{Observer, Uses};
use super::processes::{ProcessId, identity, name_of, process_of};
use super::recent_files::RecentFiles;
use super::record::{JudgedText, Record};
use super::settings::ShellSettings;
use super::started::{SYSTEM, loads_of_system_only, names, only_of_system};
use crate::run::quoted::quoted;
use crate::source;
use aegish_exec::{Bash, Environment};
use aegish_guard::{
    Consent, Decision, Permit, Request, Role, Session, StandardInput, StaticCheck, Surroundings,
    TextForm, UserRule,
};
use aegish_kernel::{Confinement, MountNamespace};
use aegish_sandbox::{
    Answer, ControlGroup, Execution, ExecutionJudge, FileAccess, StandardInput as Input,
    Supervised, Supervision, supervise,
};
use aegish_terminal::{Failure, complain};
use nix::errno::Errno;
use nix::unistd::Pid;
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The most answers that are kept, and the most processes that are remembered.
const MOST_KEPT: usize = 4096;
/// How far up the process is looked for that is known.
const GENERATIONS: usize = 32;
/// Programs that start others under their control, to show what they do.
const DEBUGGERS: [&str; 8] =
    ["gdb", "gdbserver", "lldb", "lldb-server", "strace", "ltrace", "rr", "bpftrace"];
/// Variables that make a program run other code than its own.
const INJECTING: [&str; 12] = [
    "LD_PRELOAD",
    "LD_AUDIT",
    "LD_LIBRARY_PATH",
    "BASH_ENV",
    "ENV",
    "PROMPT_COMMAND",
    "PERL5OPT",
    "PERL5LIB",
    "PYTHONSTARTUP",
    "RUBYOPT",
    "NODE_OPTIONS",
    "GIT_SSH_COMMAND",
];

/// Judges executions for one session, where they are reported.
pub(crate) struct ProgramGuard {
    reported: Option<(Arc<Judge>, Supervision)>,
    /// Removed when the session is over.
    group: Option<ControlGroup>,
}

/// What the threads share that answer.
struct Judge {
    state: Mutex<GuardState>,
    observer: Option<Observer>,
}

struct GuardState {
    machine: RecentFiles,
    session: Session,
    surroundings: Surroundings,
    role: Role,
    user_rules: Vec<UserRule>,
    /// Variables that the session began with; they were nobody's doing in it.
    environment: Vec<Vec<u8>>,
    /// The text that bash runs.
    text: Part,
    /// What processes are that were judged.
    processes: HashMap<ProcessId, Part>,
    /// What the threads become whose executions were allowed, and the processes that they are of.
    becoming: HashMap<Pid, (Part, Option<ProcessId>)>,
    kept: HashMap<Question, Kept>,
    /// An execution or a connection was refused.
    refused: bool,
    /// Refused connections that were told.
    unconnected: HashSet<String>,
    record: Record,
}

/// Everything an answer depends on beside files and session.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Question {
    texts: Vec<Vec<u8>>,
    cwd: PathBuf,
    stdin: Input,
}

/// An answer, as long as the files that were read for it are the same.
struct Kept {
    part: Part,
    permits: Vec<Permit>,
}

impl ProgramGuard {
    /// Prepares the limits of a bash that is about to start with these variables, and begins to answer its reports.
    pub(crate) fn prepare(
        settings: &ShellSettings,
        began_with: &mut Environment,
        bash: &Bash,
        record: &Record,
        inside: Option<&Arc<MountNamespace>>,
    ) -> Result<(Self, Confinement), Failure> {
        let PreparedLimits { confinement, reports, group } =
            settings.limits.prepare(&settings.config, inside)?;
        let machine = RecentFiles::from_now(inside.map(|inside| inside.root().as_raw_fd()));
        let answer = |reports| Self::answer(reports, settings, began_with, bash, record, machine);
        let reported = reports.map(answer).transpose()?;
        Ok((Self { reported, group }, confinement))
    }

    fn answer(
        reports: Reports,
        settings: &ShellSettings,
        began_with: &mut Environment,
        bash: &Bash,
        record: &Record,
        machine: RecentFiles,
    ) -> Result<(Arc<Judge>, Supervision), Failure> {
        // What programs start by this name is judged here; a guard in the guarded session could not write its
        // records.
        if matches!(reports.supervised, Supervised::Programs(_)) {
            began_with.set("SHELL", bash.path());
        }
        for (name, value) in reports.connections.variables() {
            began_with.set(name, value);
        }
        let variable = |(name, value): (&OsString, &OsString)| {
            [name.as_bytes(), b"=", value.as_bytes()].concat()
        };
        let state = GuardState {
            machine,
            session: Session::new(),
            surroundings: source::surroundings(None),
            role: settings.role,
            user_rules: Vec::new(),
            environment: began_with.variables().map(variable).collect(),
            text: Part::default(),
            processes: HashMap::new(),
            becoming: HashMap::new(),
            kept: HashMap::new(),
            refused: false,
            unconnected: HashSet::new(),
            record: record.beside(settings),
        };
        let observer = settings.limits.observer();
        let judge = Arc::new(Judge { state: Mutex::new(state), observer });
        let Reports { socket, supervised, connections } = reports;
        let answers = Arc::clone(&judge) as _;
        let supervision = supervise(socket, supervised, connections, answers).map_err(failed)?;
        Ok((judge, supervision))
    }

    /// Whether an execution or a connection was refused so far.
    pub(crate) fn has_refused(&self) -> bool {
        self.reported.as_ref().is_some_and(|(judge, _)| judge.state().refused)
    }

    /// What the programs used, if that is observed.
    pub(crate) fn uses(&self) -> Option<Uses> {
        self.reported.as_ref()?.0.observer.as_ref().map(Observer::seen)
    }

    /// Bash has ended, and this process is about to: what is left in the background stays supervised.
    pub(crate) fn outlive(&mut self) {
        if let Some((_, supervision)) = &self.reported {
            supervision.outlive();
        }
        self.group = None;
    }

    /// Whether executions are reported, and judged by the text that bash runs.
    pub(crate) fn is_on(&self) -> bool {
        self.reported.is_some()
    }

    /// Bash is about to run this text.
    pub(crate) fn begin(&self, decision: &Decision, after: &Session, rules: &[UserRule]) {
        let Some((judge, _)) = &self.reported else { return };
        let mut state = judge.state();
        state.text = Part::whole(decision.analysis());
        state.session = after.clone();
        state.user_rules = rules.to_vec();
        state.kept.clear();
    }
}

impl Judge {
    fn state(&self) -> MutexGuard<'_, GuardState> {
        // A thread that panicked left nothing half done that a verdict depends on.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ExecutionJudge for Judge {
    fn judge(&self, execution: &Execution) -> Answer {
        let mut state = self.state();
        let program = execution.program.as_path();
        if let Some(observer) = &self.observer
            && state.expects(execution, process_of(execution.caller)).is_none()
            && !observer.may_start(program)
        {
            return Answer::Refuse;
        }
        state.judge(execution)
    }

    fn executed(&self, process: Pid, execution: &Execution) {
        if let Some(observer) = &self.observer {
            observer.started(&execution.program);
        }
        self.state().executed(process, execution);
    }

    fn unreadable(&self, caller: Pid, error: Errno) {
        let name = name_of(caller);
        complain(&format!("{name} may not start a program: it cannot be looked into ({error})"));
    }

    fn exchanged(&self, execution: &Execution) {
        complain(&format!(
            "{} was killed before it began: it is not what was judged",
            execution.program.display()
        ));
    }

    fn is_debugger(&self, program: &Path) -> bool {
        let name = program.file_name().map(OsStrExt::as_bytes).unwrap_or_default();
        let known = DEBUGGERS.iter().any(|debugger| debugger.as_bytes() == name);
        let of_system = SYSTEM.iter().any(|dir| program.starts_with(dir));
        known && of_system && self.state().machine.is_unchanged(program)
    }

    fn opens(&self, file: &Path, access: FileAccess) {
        if let Some(observer) = &self.observer {
            observer.opened(file, access);
        }
    }

    fn connects(&self, peer: &str) {
        if let Some(observer) = &self.observer {
            observer.connected(peer);
        }
    }

    fn would_connect(&self, to: &str) {
        if let Some(observer) = &self.observer {
            observer.unconnected(to);
        }
    }

    fn unconnected(&self, caller: Pid, why: &str) {
        let caller = name_of(caller);
        let told = format!("{caller} was not connected: {why}");
        let mut state = self.state();
        state.refused = true;
        // A program may try for ever.
        if state.unconnected.len() < MOST_KEPT && state.unconnected.insert(told.clone()) {
            complain(&told);
            state.record.unconnected(&caller, why);
        }
    }
}

impl GuardState {
    fn judge(&mut self, execution: &Execution) -> Answer {
        let caller = process_of(execution.caller);
        let process = caller.map(|(process, _)| process);
        if let Some(part) = self.expects(execution, caller) {
            self.becoming.insert(execution.caller, (part, process));
            return Answer::Allow;
        }
        let Some(question) = self.question(execution) else { return Answer::Refuse };
        if let Some(kept) = self.kept.get(&question) {
            let unchanged = |permit: &Permit| permit.first_change(&self.machine).is_none();
            if kept.permits.iter().all(unchanged) {
                self.becoming.insert(execution.caller, (kept.part.clone(), process));
                return Answer::Allow;
            }
        }
        self.decide(execution, process, question)
    }

    fn decide(
        &mut self,
        execution: &Execution,
        process: Option<ProcessId>,
        question: Question,
    ) -> Answer {
        let began = Instant::now();
        let cwd = question.cwd.to_string_lossy().into_owned();
        let machine = self.machine;
        let mut context = self.surroundings.at(&cwd).context(&machine);
        context.interactive = false;
        context.form = TextForm::ScriptFile;
        context.stdin = match question.stdin {
            Input::Terminal => StandardInput::Terminal,
            Input::Other => StandardInput::Other,
        };
        let (mut permits, mut part) = (Vec::new(), None);
        for text in &question.texts {
            let request =
                Request { text, context: &context, role: self.role, user_rules: &self.user_rules };
            let (decision, _) = StaticCheck::new(&self.session, &request).finish();
            match decision.permit(Consent::Given) {
                Some(permit) => permits.push(permit),
                None if loads_of_system_only(&decision) => {}
                None => {
                    let latency = began.elapsed();
                    self.refuse(
                        &JudgedText { decision: &decision, text, cwd: &cwd, latency },
                        execution,
                    );
                    return Answer::Refuse;
                }
            }
            part.get_or_insert_with(|| Part::whole(decision.analysis()));
        }
        if self.kept.len() >= MOST_KEPT {
            self.kept.clear();
        }
        let part = part.unwrap_or_default();
        self.becoming.insert(execution.caller, (part.clone(), process));
        self.kept.insert(question, Kept { part, permits });
        Answer::Allow
    }

    fn refuse(&mut self, judged: &JudgedText<'_>, execution: &Execution) {
        self.refused = true;
        let (rule, reason) = (judged.decision.rule().name, judged.decision.reason());
        let (program, caller) = (execution.program.display(), name_of(execution.caller));
        complain(&format!("BLOCK {rule}: {program} was not started by {caller}: {reason}"));
        self.record.program(judged, &caller);
    }

    /// The part of a judged text that starts this, in this process with its parent.
    fn expects(&self, execution: &Execution, caller: Option<(ProcessId, Pid)>) -> Option<Part> {
        let first = execution.arguments.first()?;
        // What the text calls by its name is what the name meant when the session began.
        let by_path = first.contains(&b'/');
        let meant = by_path || self.is_found_by_name(execution);
        if !meant || self.injected(execution).next().is_some() {
            return None;
        }
        self.part_of(caller).starting(&execution.arguments)
    }

    /// Whether the program is the system's, or lies in a directory in which the session looked for programs at its
    /// beginning.
    fn is_found_by_name(&self, execution: &Execution) -> bool {
        let of_system = |path: &Path| SYSTEM.iter().any(|dir| path.starts_with(dir));
        let path = self.environment.iter().find_map(|variable| variable.strip_prefix(b"PATH="));
        let place = execution.program.parent().map(|dir| dir.as_os_str().as_encoded_bytes());
        let listed = || {
            path.is_some_and(|path| path.split(|byte| *byte == b':').any(|dir| Some(dir) == place))
        };
        execution.file.as_ref().is_some_and(|(file, _)| of_system(file)) || listed()
    }

    /// What a process runs: as it was judged, or what the process runs that made it.
    fn part_of(&self, process: Option<(ProcessId, Pid)>) -> Part {
        let mut at = process;
        for _ in 0..GENERATIONS {
            let Some((id, parent)) = at else { break };
            if let Some(part) = self.processes.get(&id) {
                return part.clone();
            }
            // Bash itself was never executed in the session.
            if parent == nix::unistd::getpid() {
                return self.text.clone();
            }
            at = identity(parent);
        }
        Part::default()
    }

    fn executed(&mut self, process: Pid, execution: &Execution) {
        let (part, caller) = self.becoming.remove(&execution.caller).unwrap_or_default();
        // An execution leaves a process the one that it was.
        let same = caller.filter(|caller| caller.number == process.as_raw());
        let Some(id) = same.or_else(|| identity(process).map(|(id, _)| id)) else { return };
        if self.processes.len() >= MOST_KEPT {
            let lives = |id: &ProcessId| {
                identity(Pid::from_raw(id.number)).is_some_and(|(now, _)| now == *id)
            };
            self.processes.retain(|id, _| lives(id));
            self.becoming.clear();
        }
        self.processes.insert(id, part);
    }

    /// The texts that mean the same as this execution. None if the caller cannot be looked into.
    fn question(&self, execution: &Execution) -> Option<Question> {
        let (cwd, stdin) = execution.around().ok()?;
        let mut prefix = Vec::new();
        for (name, value) in self.injected(execution) {
            prefix.extend_from_slice(name);
            prefix.push(b'=');
            prefix.extend(quoted(value));
            prefix.push(b' ');
        }
        let mut rest = Vec::new();
        for argument in execution.arguments.iter().skip(1) {
            rest.push(b' ');
            rest.extend(quoted(argument));
        }
        let texts = names(execution).into_iter();
        let texts = texts.map(|name| [prefix.as_slice(), &quoted(&name), &rest].concat()).collect();
        Some(Question { texts, cwd: cwd.to_owned(), stdin })
    }

    /// Variables that bring code into the program, and that the session did not begin with.
    fn injected<'e>(&self, execution: &'e Execution) -> impl Iterator<Item = (&'e [u8], &'e [u8])> {
        execution.environment.iter().filter_map(|variable| {
            let at = variable.iter().position(|byte| *byte == b'=')?;
            let (name, value) = (variable.get(..at)?, variable.get(at + 1..)?);
            let injects = INJECTING.iter().any(|one| one.as_bytes() == name) && !value.is_empty();
            let of_system = name.starts_with(b"LD_") && only_of_system(value);
            let counts = injects && !of_system && !self.environment.contains(variable);
            counts.then_some((name, value))
        })
    }
}
