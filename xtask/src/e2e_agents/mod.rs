//! `cargo xtask e2e-agents`: real coding agents against a model fake on loopback, guarded and unguarded.
//!
//! Takes npm, node and a package index. Each agent gets a home directory of its own. The fake asks for twenty harmless
//! calls and for twenty attacks, one after the other; every call that runs leaves a file behind. Attacks are stand-ins:
//! they touch nothing but that home directory. Runs only if it is called explicitly.

mod agents;
mod calls;
mod page;

use crate::ci;
use agents::{AgentKind, Way};
use calls::CallSet;
use clap::Args;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

#[derive(Args)]
pub(crate) struct Options {
    /// Where the agents are installed and run [default: target/e2e-agents]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// The guard [default: a debug build]
    #[arg(long, value_name = "PROGRAM")]
    aegish: Option<PathBuf>,
    /// Only these agents: claude, codex, gemini, opencode
    #[arg(long = "agent", value_name = "AGENT")]
    agents: Vec<AgentKind>,
    /// Seconds for one conversation of twenty calls
    #[arg(long, value_name = "SECONDS", default_value = "600")]
    patience: u32,
    /// Write docs/how-to/agents-e2e.md anew
    #[arg(long)]
    write: bool,
}

/// What the guard's program is replaced with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    Killed,
    Removed,
    NotExecutable,
    Rubbish,
}

impl Fault {
    const BROKEN: [Self; 4] = [Self::Killed, Self::Removed, Self::NotExecutable, Self::Rubbish];

    fn name(self) -> &'static str {
        match self {
            Self::None => "works",
            Self::Killed => "is killed",
            Self::Removed => "is removed",
            Self::NotExecutable => "is not executable",
            Self::Rubbish => "answers rubbish",
        }
    }

    /// Puts the program in its place, sound or broken.
    fn apply(self, sound: &Path, program: &Path) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("{}: {error}", program.display());
        let _ = fs::remove_file(program);
        let (script, mode) = match self {
            Self::None => {
                let linked = fs::hard_link(sound, program);
                return linked.or_else(|_| fs::copy(sound, program).map(drop)).map_err(failed);
            }
            Self::Removed => return Ok(()),
            Self::Killed => ("#!/bin/sh\nkill -9 $$\n", 0o755),
            // It would let everything pass if it could be run.
            Self::NotExecutable => ("#!/bin/sh\necho pass\nexec /bin/bash \"$@\"\n", 0o644),
            Self::Rubbish => ("#!/bin/sh\necho '{not json'\n", 0o755),
        };
        fs::write(program, script).map_err(failed)?;
        fs::set_permissions(program, fs::Permissions::from_mode(mode)).map_err(failed)
    }
}

/// What became of one set of calls.
#[derive(Debug, Clone, Copy)]
struct Counted {
    /// Calls that ran.
    ran: usize,
    /// Results that reached the model.
    answered: usize,
    /// Results that hold a reason of the guard.
    reasons: usize,
    asked: usize,
}

/// One row of the report.
struct Row {
    agent: AgentKind,
    way: Way,
    fault: Fault,
    calls: CallSet,
    outcome: Result<Counted, String>,
}

impl Row {
    /// Whether it came out as it should.
    fn holds(&self) -> bool {
        let wanted = match (self.calls, self.way) {
            (CallSet::Harmless, _) | (CallSet::Attacks, Way::Unguarded) => calls::COUNT,
            (CallSet::Attacks, _) => 0,
        };
        // A conversation that ended early proves nothing.
        self.outcome.as_ref().is_ok_and(|seen| seen.ran == wanted && seen.answered == seen.asked)
    }
}

pub(crate) fn run(options: &Options) -> Result<(), String> {
    let dir = options.dir.clone().unwrap_or_else(|| crate::root().join("target/e2e-agents"));
    fs::create_dir_all(&dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    let dir = dir.canonicalize().map_err(|error| error.to_string())?;
    let agents = match options.agents.as_slice() {
        [] => AgentKind::ALL.to_vec(),
        some => some.to_vec(),
    };
    install(&dir)?;
    let aegish = match &options.aegish {
        Some(path) => path.canonicalize().map_err(|error| error.to_string())?,
        None => ci::program("aegish", "aegish")?,
    };
    // Agents wait more than they work: all of them run at once, each with a model fake of its own.
    let driven: Vec<(String, Vec<Row>)> = thread::scope(|scope| {
        let (dir, aegish, patience) = (&dir, &aegish, options.patience);
        let drive = |agent| scope.spawn(move || drive(agent, dir, aegish, patience));
        let threads: Vec<_> = agents.iter().copied().map(drive).collect();
        let ended = threads.into_iter().map(|one| one.join().unwrap_or(Err("lost".to_owned())));
        ended.collect::<Result<_, String>>()
    })?;
    let versions: Vec<_> =
        agents.iter().copied().zip(driven.iter().map(|(version, _)| version.clone())).collect();
    let rows: Vec<Row> = driven.into_iter().flat_map(|(_, rows)| rows).collect();
    if options.write {
        let path = crate::root().join("docs/how-to/agents-e2e.md");
        fs::write(&path, page::page(&versions, &rows)).map_err(|error| error.to_string())?;
        println!("wrote {}", path.display());
    }
    match rows.iter().filter(|row| !row.holds()).count() {
        0 => Ok(()),
        count => Err(format!("{count} rows do not hold")),
    }
}

/// The version of an agent and all of its rows.
fn drive(
    agent: AgentKind,
    dir: &Path,
    aegish: &Path,
    patience: u32,
) -> Result<(String, Vec<Row>), String> {
    let model = Model::start(&dir.join(format!("{}.log", agent.program())))?;
    let (dir, aegish) = (dir.to_path_buf(), aegish.to_path_buf());
    let bench = Bench { dir, aegish, model, patience };
    let version = bench.version(agent);
    let mut rows = Vec::new();
    let mut add = |way, fault, calls| {
        let row = bench.row(agent, way, fault, calls);
        println!("{} {version}  {}", agent.title(), page::line(&row));
        rows.push(row);
    };
    add(Way::Unguarded, Fault::None, CallSet::Attacks);
    for way in [Way::Shell, Way::Hook] {
        add(way, Fault::None, CallSet::Harmless);
        add(way, Fault::None, CallSet::Attacks);
        for fault in Fault::BROKEN {
            add(way, fault, CallSet::Attacks);
        }
    }
    Ok((version, rows))
}

/// The packages, below the directory.
fn install(dir: &Path) -> Result<(), String> {
    let packages: Vec<&str> = AgentKind::ALL.iter().map(|agent| agent.package()).collect();
    if AgentKind::ALL.iter().all(|agent| binary(dir, *agent).exists()) {
        return Ok(());
    }
    println!("installing {}", packages.join(", "));
    let npm = dir.join("npm");
    fs::create_dir_all(&npm).map_err(|error| error.to_string())?;
    let mut command = Command::new("npm");
    command.args(["install", "--silent", "--no-audit", "--no-fund"]).args(&packages);
    let status = command.current_dir(&npm).env("HOME", dir).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("npm ended with {status}")),
        Err(error) => Err(format!("npm did not start: {error}")),
    }
}

fn binary(dir: &Path, agent: AgentKind) -> PathBuf {
    dir.join("npm/node_modules/.bin").join(agent.program())
}

/// The model fake. It ends with this value.
struct Model {
    child: Child,
    port: u16,
    log: PathBuf,
}

impl Model {
    fn start(log: &Path) -> Result<Self, String> {
        let _ = fs::remove_file(log);
        let script = crate::root().join("xtask/e2e-agents/model.mjs");
        let mut command = Command::new("node");
        command.arg(script).arg(log).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("node did not start: {error}"))?;
        let mut line = String::new();
        if let Some(output) = child.stdout.take() {
            let _ = BufReader::new(output).read_line(&mut line);
        }
        let port = line.trim().parse().map_err(|_| "the model fake did not start".to_owned())?;
        Ok(Self { child, port, log: log.to_path_buf() })
    }

    /// The results of tools that the log holds.
    fn results(&self) -> Vec<String> {
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        log.lines().filter(|line| line.starts_with("RESULT ")).map(str::to_owned).collect()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Everything that a row needs.
struct Bench {
    dir: PathBuf,
    aegish: PathBuf,
    model: Model,
    /// Seconds.
    patience: u32,
}

impl Bench {
    fn version(&self, agent: AgentKind) -> String {
        let mut command = Command::new(binary(&self.dir, agent));
        command.arg("--version").env("HOME", self.dir.join("version-home")).stderr(Stdio::null());
        let output = command.output().map(|output| output.stdout).unwrap_or_default();
        let text = String::from_utf8_lossy(&output).into_owned();
        let number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
        text.split_whitespace().find(number).unwrap_or("?").to_owned()
    }

    fn row(&self, agent: AgentKind, way: Way, fault: Fault, calls: CallSet) -> Row {
        let outcome = self.counted(agent, way, fault, calls);
        Row { agent, way, fault, calls, outcome }
    }

    fn counted(
        &self,
        agent: AgentKind,
        way: Way,
        fault: Fault,
        calls: CallSet,
    ) -> Result<Counted, String> {
        let names = [agent.program(), way.name(), fault.name(), calls.name()];
        let home = self.dir.join("homes").join(names.join("-").replace(' ', "-"));
        let project = home.join("project");
        let program = home.join("bin/aegish");
        let failed = |error: std::io::Error| error.to_string();
        let _ = fs::remove_dir_all(&home);
        fs::create_dir_all(&project).map_err(failed)?;
        fs::create_dir_all(home.join("bin")).map_err(failed)?;
        calls::plant(&home).map_err(failed)?;
        quiet(Command::new("git").args(["init", "-q"]).arg(&project).env("HOME", &home))?;
        agent.configure(&home, self.model.port).map_err(failed)?;
        Fault::None.apply(&self.aegish, &program)?;
        self.guard(agent, way, &home, &program)?;
        fault.apply(&self.aegish, &program)?;
        let commands = calls.commands();
        let file = home.join("calls.json");
        fs::write(&file, agents::call_file(&commands)).map_err(failed)?;
        let before = self.model.results().len();
        let prompt = format!("run CALLS:{}", file.display());
        let mut run = Command::new("timeout");
        run.args(["-k", "5", &self.patience.to_string()]).current_dir(&project).env_clear();
        run.args(way.wrapper(agent, &home)).arg(binary(&self.dir, agent));
        run.args(agent.arguments(&prompt)).env("HOME", &home).env("PATH", way.path(agent, &home));
        run.envs(agent.environment(self.model.port)).stdin(Stdio::null());
        let output = run.output().map_err(failed)?;
        let said = [output.stdout, output.stderr].concat();
        let _ = fs::write(home.join("output.log"), said);
        let results = self.model.results().split_off(before);
        Ok(Counted {
            ran: (0..commands.len()).filter(|at| project.join(calls::mark(*at)).exists()).count(),
            answered: results.len(),
            reasons: results.iter().filter(|result| has_reason(result)).count(),
            asked: commands.len(),
        })
    }

    /// Installs the guard as a person would.
    fn guard(&self, agent: AgentKind, way: Way, home: &Path, program: &Path) -> Result<(), String> {
        let install = |what: &str, name: &str| {
            let mut command = Command::new(program);
            command.args(["install", name, what]).env("HOME", home).current_dir(home);
            quiet(command.env_remove("AEGISH_ON_WARN"))
        };
        match way {
            Way::Unguarded => Ok(()),
            Way::Hook => install("--hook", agent.program()),
            // Codex starts the shell of the account: the links are made for it as for another agent.
            Way::Shell if agent == AgentKind::Codex => {
                install("--shell", "gemini")?;
                agents::account_file(home).map_err(|error| error.to_string())
            }
            Way::Shell => install("--shell", agent.program()),
        }
    }
}

/// Whether a result says what the guard objects to, in the words of its hook or of its shell.
fn has_reason(result: &str) -> bool {
    ["aegish blocked", "aegish has doubts", "aegish did not", "BLOCK  ", "WARN  "]
        .iter()
        .any(|words| result.contains(words))
}

/// Runs a command without its output, which is in the error.
fn quiet(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)))
}
