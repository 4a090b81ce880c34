//! `aegish install`, `aegish uninstall`: the guard in the settings of coding agents.
//!
//! Changes are planned first. A file that cannot be understood stops the whole plan before anything is written. The
//! first change of a file leaves a copy of what it was.

use crate::configuration;
use aegish_agents::{Agent, AgentShell, Change, SettingsScope};
use aegish_setup::planned_files::{Plan, Shim};
use aegish_terminal::{ExitKind, Failure, Screen, visible};
use clap::Args;
use std::env;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(crate) struct InstallOptions {
    /// Which agents: claude, codex, gemini, cursor, copilot, opencode, qwen, crush, droid
    #[arg(required_unless_present = "all")]
    agents: Vec<Agent>,
    /// All agents that this user has settings of
    #[arg(long, conflicts_with = "agents")]
    all: bool,
    /// In the settings of the project in this directory, instead of the user's
    #[arg(long)]
    project: bool,
    /// Only as the shell that the agent starts
    #[arg(long, conflicts_with_all = ["hook", "both"])]
    shell: bool,
    /// Only as the agent's hook
    #[arg(long, conflicts_with = "both")]
    hook: bool,
    /// As the shell and as the hook, which is the default
    #[arg(long)]
    both: bool,
    /// Only show what would change
    #[arg(long)]
    dry_run: bool,
}

#[derive(Args)]
pub(crate) struct UninstallOptions {
    /// Which agents
    #[arg(required_unless_present = "all")]
    agents: Vec<Agent>,
    /// All agents
    #[arg(long, conflicts_with = "agents")]
    all: bool,
    /// From the settings of the project in this directory, instead of the user's
    #[arg(long)]
    project: bool,
    /// Only show what would change
    #[arg(long)]
    dry_run: bool,
}

/// The files under the names of shells, below the home directory. An agent that cannot execute the shell in its settings
/// takes another one, so that these are scripts, which stay when the guard is gone and then run nothing.
const SHIMS: &str = ".local/share/aegish/shims";
/// Links to the guard under the names of shells, which the scripts start.
const LINKS: &str = "guard";
const SHELLS: [&str; 3] = ["bash", "sh", "zsh"];

/// The parts of the guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Parts {
    Hook,
    Shell,
    Both,
}

pub(crate) fn install(options: &InstallOptions, screen: &mut Screen) -> Result<ExitKind, Failure> {
    let parts = match (options.hook, options.shell) {
        (true, _) => Parts::Hook,
        (_, true) => Parts::Shell,
        _ => Parts::Both,
    };
    let ground = Ground::find(options.project)?;
    let agents = if options.all { ground.present() } else { options.agents.clone() };
    let mut plan = Plan::default();
    let mut advice = Vec::new();
    for agent in &agents {
        if parts != Parts::Shell {
            ground.change_hook(*agent, Change::Add, &mut plan)?;
            advice.extend(hook_advice(*agent));
        }
        if parts != Parts::Hook {
            let shell = ground.shim("bash");
            match agent.shell() {
                AgentShell::Setting { .. } => {
                    ground.change_shell(*agent, Change::Add, &mut plan)?;
                    ground.plan_shims(&mut plan);
                }
                AgentShell::SearchPath => {
                    ground.plan_shims(&mut plan);
                    let dir = shell.parent().unwrap_or(&shell).display();
                    advice.push(format!(
                        "{}: it starts the first bash in PATH; start it with PATH={dir}:$PATH {agent}",
                        agent.title()
                    ));
                }
                AgentShell::None if parts == Parts::Shell => {
                    return Err(unchanged(format!(
                        "{} has no setting for its shell",
                        agent.title()
                    )));
                }
                AgentShell::None => {}
            }
        }
    }
    finish(&plan, options.dry_run, screen)?;
    for line in advice {
        screen.put(visible(&line)).end();
    }
    let names: Vec<&str> = agents.iter().map(|agent| agent.name()).collect();
    if let ([first, ..], false) = (names.as_slice(), options.dry_run) {
        screen.put(format_args!("prove it: aegish doctor --agent {first}")).end();
    }
    Ok(ExitKind::Allow)
}

pub(crate) fn uninstall(
    options: &UninstallOptions,
    screen: &mut Screen,
) -> Result<ExitKind, Failure> {
    let ground = Ground::find(options.project)?;
    let everyone = Agent::ALL.into_iter().filter(|agent| agent.hook_place().is_some());
    let agents = if options.all { everyone.collect() } else { options.agents.clone() };
    let mut plan = Plan::default();
    for agent in agents {
        ground.change_hook(agent, Change::Remove, &mut plan)?;
        if matches!(agent.shell(), AgentShell::Setting { .. }) {
            ground.change_shell(agent, Change::Remove, &mut plan)?;
        }
    }
    if options.all && ground.scope == SettingsScope::Home {
        for shell in SHELLS {
            plan.remove_shim(ground.shim(shell));
            plan.remove_shim(ground.shim(LINKS).join(shell));
        }
    }
    finish(&plan, options.dry_run, screen)?;
    Ok(ExitKind::Allow)
}

/// Some agents do not use what is written into their settings until a person says so.
fn hook_advice(agent: Agent) -> Option<String> {
    (agent == Agent::Codex).then(|| {
        "Codex: it ignores a hook that was not trusted; open /hooks in Codex and trust this one"
            .to_owned()
    })
}

fn finish(plan: &Plan, dry_run: bool, screen: &mut Screen) -> Result<(), Failure> {
    if plan.is_empty() {
        screen.put("nothing to change").end();
        return Ok(());
    }
    if dry_run {
        plan.show(screen);
        return Ok(());
    }
    for line in plan.carry_out().map_err(Failure::internal)? {
        screen.put(visible(&line)).end();
    }
    Ok(())
}

fn unchanged(why: impl std::fmt::Display) -> Failure {
    Failure::usage(format!("nothing was changed: {why}"))
}

/// Where the settings are.
struct Ground {
    home: PathBuf,
    /// The home or project directory.
    base: PathBuf,
    scope: SettingsScope,
    /// This program.
    program: String,
}

impl Ground {
    fn find(project: bool) -> Result<Self, Failure> {
        let config = configuration::load()?;
        let home =
            config.home().ok_or_else(|| unchanged("there is no home directory; set HOME"))?;
        let (base, scope) = if project {
            let here = env::current_dir().map_err(unchanged)?;
            (here, SettingsScope::Project)
        } else {
            (home.clone(), SettingsScope::Home)
        };
        let program = aegish_setup::program().map_err(unchanged)?;
        let program = program.to_str().ok_or_else(|| unchanged("the path of aegish is no text"))?;
        Ok(Self { home, base, scope, program: program.to_owned() })
    }

    /// Agents whose settings directory exists.
    fn present(&self) -> Vec<Agent> {
        let has_settings = |agent: &Agent| {
            let file = agent.hook_place().map(|place| Path::new(place.file(SettingsScope::Home)));
            let dir = file.and_then(|file| match file.starts_with(".config") {
                true => Some(file.components().take(2).collect::<PathBuf>()),
                false => file.components().next().map(|first| PathBuf::from(first.as_os_str())),
            });
            dir.is_some_and(|dir| self.home.join(dir).is_dir())
        };
        Agent::ALL.into_iter().filter(has_settings).collect()
    }

    fn change_hook(&self, agent: Agent, change: Change, plan: &mut Plan) -> Result<(), Failure> {
        let Some(place) = agent.hook_place() else {
            return Err(unchanged(format!(
                "{agent} has no settings; call `aegish hook {agent}` yourself"
            )));
        };
        let file = self.base.join(place.file(self.scope));
        plan.change(&file, |text| match (text, change) {
            (None, Change::Remove) => Ok(None),
            (text, _) => agent
                .change_hook(text.unwrap_or_default(), &self.program, change)
                .map_err(|error| error.to_string()),
        })
        .map_err(unchanged)
    }

    fn change_shell(&self, agent: Agent, change: Change, plan: &mut Plan) -> Result<(), Failure> {
        let AgentShell::Setting { below_home, below_project, .. } = agent.shell() else {
            return Ok(());
        };
        let file = match self.scope {
            SettingsScope::Home => below_home,
            SettingsScope::Project => below_project,
        };
        let shell = self.shim("bash");
        let shell = shell.to_str().ok_or_else(|| unchanged("the home directory is no text"))?;
        plan.change(&self.base.join(file), |text| match (text, change) {
            (None, Change::Remove) => Ok(None),
            (text, _) => agent
                .change_shell(text.unwrap_or_default(), shell, change)
                .map(Some)
                .map_err(|error| error.to_string()),
        })
        .map_err(unchanged)
    }

    fn shim(&self, shell: &str) -> PathBuf {
        self.home.join(SHIMS).join(shell)
    }

    fn plan_shims(&self, plan: &mut Plan) {
        for shell in SHELLS {
            let link = self.shim(LINKS).join(shell);
            let quoted = link.to_string_lossy().replace('\'', "'\\''");
            let text = format!(
                "#!/bin/sh\n# Written by `aegish install`: without the guard nothing runs.\nexec '{quoted}' \"$@\"\n"
            );
            plan.shim(link, Shim::Link(PathBuf::from(&self.program)));
            plan.shim(self.shim(shell), Shim::Script(text));
        }
    }
}
