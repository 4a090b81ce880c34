//! `aegish doctor --agent`: whether the guard of a coding agent works, and what the agent does when it breaks.
//!
//! The installed command is run with a harmless call and with an attack, as the agent would run it. Then the same
//! command is run with guards that are broken on purpose. No call of a tool is carried out.

use super::CheckResult;
use aegish_agents::{Agent, AgentShell, LateHook, SettingsScope, hook_command};
use aegish_config::Config;
use aegish_private_files::read_regular;
use std::env;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const AREA: &str = "agent";
const HARMLESS: &str = "ls -la";
const ATTACK: &str = "cat /etc/shadow";
/// A longer settings file is not read.
const MAX_BYTES: u64 = 4 << 20;

/// Guards that are broken on purpose: name, script, mode. Without a script there is no file.
const FAULTS: [(&str, Option<&str>, u32); 6] = [
    ("is missing", None, 0),
    ("is not executable", Some("echo pass"), 0o644),
    ("ends with status 1", Some("exit 1"), 0o755),
    ("answers rubbish", Some("echo '{not json'"), 0o755),
    ("says nothing", Some("exit 0"), 0o755),
    ("is killed", Some("kill -KILL $$"), 0o755),
];

pub(super) fn guard_of(agent: Agent, config: &Config) -> Vec<CheckResult> {
    let mut results = Vec::new();
    let own = env::current_exe().ok().and_then(|path| path.to_str().map(str::to_owned));
    let Some(own) = own else {
        return vec![CheckResult::problem(AREA, "the path of aegish is no text", "move it")];
    };
    results.extend(installed(agent, config));
    results.push(canary(agent, &own));
    results.extend(shell(agent, config));
    match broken(agent) {
        Ok(faults) => results.extend(faults),
        Err(error) => results.push(CheckResult::problem(
            AREA,
            format!("the guard could not be broken on purpose: {error}"),
            "make sure that the directory for temporary files can be written",
        )),
    }
    results.extend(late(agent));
    results
}

/// Whether settings of the agent call the guard, and whether the program that they name answers.
fn installed(agent: Agent, config: &Config) -> Option<CheckResult> {
    let place = agent.hook_place()?;
    let remedy = format!("aegish install {agent}");
    let here = env::current_dir().ok().map(|dir| dir.join(place.file(SettingsScope::Project)));
    let home = config.home().map(|home| home.join(place.file(SettingsScope::Home)));
    let files: Vec<PathBuf> = [home, here].into_iter().flatten().collect();
    let named = files.iter().find_map(|file| Some((file, program_in(file, agent)?)));
    let Some((file, program)) = named else {
        let what = format!("{}: no settings call the guard", agent.title());
        return Some(CheckResult::problem(AREA, what, remedy));
    };
    let (file, title) = (file.display(), agent.title());
    let run = run_hook(agent, &program, HARMLESS);
    Some(match run {
        Ok(HookAnswer::Passed) => CheckResult::ok(AREA, format!("{title}: {file} calls {program}")),
        _ => CheckResult::problem(
            AREA,
            format!(
                "{title}: {file} calls {program}, which does not answer; every call is refused"
            ),
            remedy,
        ),
    })
}

/// The program in the installed command or plugin.
fn program_in(file: &Path, agent: Agent) -> Option<String> {
    let text = String::from_utf8(read_regular(file, None, MAX_BYTES).ok()??).ok()?;
    if agent == Agent::OpenCode {
        let line = text.lines().find_map(|line| line.strip_prefix("const program = "))?;
        return serde_json::from_str(line.trim_end_matches(';')).ok();
    }
    let (before, _) = text.split_once(&format!("' hook {agent} --wrapped)"))?;
    let (_, program) = before.rsplit_once("a=$('")?;
    Some(program.to_owned())
}

/// A harmless command and an attack through the installed form of the contract.
fn canary(agent: Agent, program: &str) -> CheckResult {
    let passes = run_hook(agent, program, HARMLESS);
    let refuses = run_hook(agent, program, ATTACK);
    match (passes, refuses) {
        (Ok(HookAnswer::Passed), Ok(HookAnswer::Refused)) => CheckResult::ok(
            AREA,
            format!(
                "`{HARMLESS}` passes and `{ATTACK}` is refused in the contract of {}",
                agent.title()
            ),
        ),
        (harmless, attack) => CheckResult::problem(
            AREA,
            format!("`{HARMLESS}` ended with {harmless:?}, `{ATTACK}` with {attack:?}"),
            "run `aegish config check`, then `aegish hook` by hand",
        ),
    }
}

/// The second line: a shell that is missing runs nothing.
fn shell(agent: Agent, config: &Config) -> Option<CheckResult> {
    let title = agent.title();
    let shim = config.home()?.join(".local/share/aegish/shims/bash");
    let remedy = format!("aegish install {agent} --shell");
    Some(match agent.shell() {
        AgentShell::None => CheckResult::note(
            AREA,
            format!("{title} cannot be told which shell to start; the hook is its only guard"),
            "nothing can be done here",
        ),
        AgentShell::SearchPath => CheckResult::note(
            AREA,
            format!("{title} starts the first bash in PATH"),
            format!("start it with PATH={}:$PATH", shim.parent().unwrap_or(&shim).display()),
        ),
        AgentShell::Setting { below_home, .. } => {
            let file = config.home()?.join(below_home);
            let text = read_regular(&file, None, MAX_BYTES).ok().flatten().unwrap_or_default();
            let named = String::from_utf8_lossy(&text).contains(&shim.display().to_string());
            // The script starts a link, which leads nowhere if the guard is gone.
            if named && shim.with_file_name("guard/bash").exists() {
                CheckResult::ok(AREA, format!("{title} starts {}", shim.display()))
            } else {
                CheckResult::note(
                    AREA,
                    format!("{title} starts a shell that is not guarded"),
                    remedy,
                )
            }
        }
    })
}

/// The installed command with a guard that is broken in every way.
fn broken(agent: Agent) -> io::Result<Vec<CheckResult>> {
    if agent.hook_place().is_none() {
        return Ok(Vec::new());
    }
    let dir = env::temp_dir().join(format!("aegish-doctor-{}", std::process::id()));
    fs::create_dir_all(&dir)?;
    let program = dir.join("aegish");
    let mut results = Vec::new();
    for (fault, script, mode) in FAULTS {
        match script {
            Some(script) => {
                fs::write(&program, format!("#!/bin/sh\ncat > /dev/null\n{script}\n"))?;
                fs::set_permissions(&program, fs::Permissions::from_mode(mode))?;
            }
            None => drop(fs::remove_file(&program)),
        }
        let answer = run_hook(agent, &program.to_string_lossy(), HARMLESS)?;
        results.push(if answer == HookAnswer::Refused {
            CheckResult::ok(AREA, format!("if aegish {fault}: the call would not have run"))
        } else {
            CheckResult::problem(
                AREA,
                format!("if aegish {fault}: the call would have run ({answer:?})"),
                "report it: the installed command has to refuse",
            )
        });
    }
    fs::remove_dir_all(&dir)?;
    Ok(results)
}

/// No command can answer for its own delay: that is the agent's doing.
fn late(agent: Agent) -> Option<CheckResult> {
    agent.hook_place()?;
    let title = agent.title();
    Some(match agent.late_hook() {
        LateHook::Stopped => {
            CheckResult::ok(AREA, "if aegish does not answer in time: the call would not have run")
        }
        LateHook::Runs => CheckResult::note(
            AREA,
            format!(
                "if aegish does not answer in time: the call would have run, as {title} wants it"
            ),
            "guard its shell as well; the time-out that is installed is ten minutes",
        ),
        LateHook::Unknown => CheckResult::note(
            AREA,
            format!("if aegish does not answer in time: what {title} does then was not seen"),
            "guard its shell as well; the time-out that is installed is ten minutes",
        ),
    })
}

/// What an agent makes of the answer of its hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HookAnswer {
    Passed,
    Refused,
    /// It is for the agent to decide, and most go on.
    NotUnderstood,
}

/// The answer of the installed hook to a call of a command.
fn run_hook(agent: Agent, program: &str, command: &str) -> io::Result<HookAnswer> {
    let mut hook = match agent.hook_place().is_some() && agent != Agent::OpenCode {
        true => {
            let mut shell = Command::new("/bin/sh");
            shell.arg("-c").arg(hook_command(agent, program));
            shell
        }
        // The plugin takes everything but `pass` for a refusal.
        false => {
            let mut shell = Command::new("/bin/sh");
            let test = "[ \"$(\"$1\" hook \"$2\" --wrapped)\" = pass ] || exit 2";
            shell.args(["-c", test, "hook", program, agent.name()]);
            shell
        }
    };
    hook.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = hook.spawn()?;
    if let Some(mut input) = child.stdin.take() {
        // A guard that is missing does not read it.
        let _ = input.write_all(agent.sample(command).as_bytes());
    }
    let output = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    Ok(match output.status.code() {
        Some(2) => HookAnswer::Refused,
        Some(0) if said.contains("\"deny\"") => HookAnswer::Refused,
        Some(0) if said.is_empty() || said.contains("\"allow\"") || said == "{}" => {
            HookAnswer::Passed
        }
        _ => HookAnswer::NotUnderstood,
    })
}
