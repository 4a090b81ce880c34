//! Bash, the kernel, the models.

use super::CheckResult;
use crate::args::{Chain, JudgeArgs};
use crate::configuration;
use crate::shell::KernelLimits;
use aegish_config::{Config, Mode};
use aegish_exec::Bash;
use aegish_guard::JudgeMode;
use aegish_judge::{HealthStatus, Judge, KeyState, accounts};
use aegish_kernel::probe::{self, Support};
use aegish_sandbox::{ControlGroup, GroupLimits};
use aegish_terminal::Failure;
use nix::unistd::geteuid;
use std::env;

/// A number of processes that is no limit in practice.
const MANY_PROCESSES: u64 = 1_000_000;

/// The oldest bash that the shell supports.
const OLDEST: u32 = 5;

pub(super) fn bash(config: Option<&Config>) -> Vec<CheckResult> {
    const AREA: &str = "bash";
    let mode = config.map_or(Mode::Development, Config::mode);
    let found = match mode {
        Mode::Development => Bash::in_path(env::var_os("PATH").as_deref()),
        Mode::Production => Bash::fixed(),
    };
    let bash = match found {
        Ok(bash) => bash,
        Err(error) => return vec![CheckResult::problem(AREA, error.to_string(), "install bash 5")],
    };
    let place = bash.path().display();
    let mut findings = vec![match bash.version() {
        Ok(version) if new_enough(&version) => {
            CheckResult::ok(AREA, format!("{place} is version {version}"))
        }
        Ok(version) => CheckResult::problem(
            AREA,
            format!("{place} is version {version}"),
            format!("install bash {OLDEST} or later"),
        ),
        Err(error) => CheckResult::problem(
            AREA,
            format!("{place} does not say its version: {error}"),
            format!("install bash {OLDEST} or later"),
        ),
    }];
    let expected = config.and_then(|config| config.get("AEGISH_BASH_HASH"));
    findings.extend(match (expected, mode) {
        (Some(hash), _) => Some(match bash.verify(&hash) {
            Ok(()) => CheckResult::ok(AREA, "it has the hash that AEGISH_BASH_HASH names"),
            Err(error) => CheckResult::problem(
                AREA,
                error.to_string(),
                "if bash was updated, set the new hash in /etc/aegish/config",
            ),
        }),
        (None, Mode::Production) => {
            let line = match bash.hash() {
                Ok(hash) => format!("set AEGISH_BASH_HASH={hash}"),
                Err(error) => format!("its hash cannot be computed: {error}"),
            };
            Some(CheckResult::note(AREA, "any bash at this path is run", line))
        }
        (None, Mode::Development) => None,
    });
    findings
}

fn new_enough(version: &str) -> bool {
    let major = version.split('.').next().unwrap_or_default();
    major.parse::<u32>().is_ok_and(|major| major >= OLDEST)
}

pub(super) fn kernel(config: Option<&Config>) -> Vec<CheckResult> {
    const AREA: &str = "kernel";
    let version = probe::landlock_version().unwrap_or_default();
    let landlock = format!("Landlock (interface {version})");
    let limits = GroupLimits { processes: Some(MANY_PROCESSES), memory: None };
    let group = match ControlGroup::make(limits) {
        Some(_) => "control groups: limit the processes of a session",
        None if geteuid().is_root() => {
            "control groups: none can be made; nothing limits root's processes"
        }
        None => "control groups: none can be made; all processes of the user count for the limit",
    };
    let mut findings = vec![
        CheckResult::ok(AREA, tried(&landlock, probe::landlock())),
        CheckResult::ok(AREA, tried("reports of executions (seccomp)", probe::notification())),
        CheckResult::ok(AREA, tried("tracing of children (ptrace)", probe::tracing())),
        CheckResult::ok(AREA, tried("sockets of children (pidfd_getfd)", probe::fetching())),
        CheckResult::ok(AREA, tried("user namespaces", probe::user_namespaces())),
        CheckResult::ok(AREA, group),
        CheckResult::ok(AREA, KernelLimits::in_shells_of_agents()),
    ];
    let limits = config.and_then(|config| {
        Some((config, KernelLimits::of(config, configuration::role(config).ok()?)))
    });
    findings.extend(limits.map(|(config, limits)| in_force(config, &limits)));
    findings
}

/// What the settings ask of the kernel, and whether it can be had.
fn in_force(config: &Config, limits: &KernelLimits) -> CheckResult {
    const AREA: &str = "kernel";
    let summary = limits.summary(config);
    if !limits.take_rights() {
        let remedy = "set AEGISH_FILES and AEGISH_SUPERVISE, or do not rely on aegish alone against \
                      programs that mean harm";
        return CheckResult::note(AREA, summary, remedy);
    }
    match limits.prepare(config, None) {
        Ok(_) => CheckResult::ok(AREA, summary),
        Err(Failure { message, .. }) => {
            CheckResult::problem(AREA, message, "set it to what the kernel gives")
        }
    }
}

/// What trying it in a child showed.
fn tried(what: &str, support: Support) -> String {
    match support {
        Support::Works => format!("{what}: works"),
        Support::Taken => format!("{what}: in use by whoever started this process"),
        Support::Fails(error) => format!("{what}: does not work ({})", error.desc()),
    }
}

pub(super) fn models(config: &Config, online: bool) -> Vec<CheckResult> {
    const AREA: &str = "models";
    let mode = match JudgeArgs::default().mode(config) {
        Ok(mode) => mode,
        Err(failure) => {
            return vec![CheckResult::problem(AREA, failure.message, "set AEGISH_JUDGE")];
        }
    };
    if mode == JudgeMode::Never {
        return vec![CheckResult::ok(AREA, "none is asked: AEGISH_JUDGE is never")];
    }
    let judge = match Chain::default().judge(config) {
        Ok(judge) => judge,
        Err(failure) => {
            let remedy = "mend the setting that is named";
            return vec![CheckResult::problem(AREA, failure.message, remedy)];
        }
    };
    let mut findings = vec![CheckResult::ok(AREA, keys(config))];
    if !judge.has_model() {
        let remedy =
            "set a key, or AEGISH_PRIMARY_MODEL to a local model; `aegish models` lists both";
        findings.push(CheckResult::note(AREA, "no model can be asked: static side only", remedy));
        return findings;
    }
    for member in judge.members() {
        findings.push(match &member.place {
            Ok(address) => {
                CheckResult::ok(AREA, format!("{} can be asked at {address}", member.model))
            }
            Err(why) => CheckResult::note(
                AREA,
                format!("{} is not asked: {why}", member.model),
                "set what is missing, or take it out of AEGISH_FALLBACK_MODELS",
            ),
        });
    }
    if online {
        findings.extend(statuses(&judge, AREA));
    }
    findings
}

/// The names of the keys that are set.
fn keys(config: &Config) -> String {
    let accounts = accounts(&|name| config.get(name));
    let found: Vec<&str> = accounts
        .iter()
        .filter_map(|account| match account.key {
            KeyState::Found(variable) => Some(variable),
            KeyState::Missing | KeyState::NotNeeded => None,
        })
        .collect();
    if found.is_empty() {
        "no key is set".to_owned()
    } else {
        format!("keys: {}", found.join(", "))
    }
}

fn statuses(judge: &Judge, area: &'static str) -> Vec<CheckResult> {
    let health = judge.health();
    let finding = |one: &aegish_judge::ModelHealth| match &one.status {
        HealthStatus::Healthy { latency, .. } => {
            let seconds = latency.as_secs_f64();
            CheckResult::ok(area, format!("{} answers after {seconds:.2} s", one.model))
        }
        HealthStatus::Unhealthy(note) => CheckResult::problem(
            area,
            format!("{} does not answer: {note}", one.model),
            "check key, address and network; the static side works without",
        ),
    };
    health.iter().map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::new_enough;

    #[test]
    fn an_old_bash_is_noticed() {
        assert!(new_enough("5.2.21(1)-release") && new_enough("10.0"));
        assert!(!new_enough("3.2.57(1)-release") && !new_enough("") && !new_enough("x.5"));
    }
}
