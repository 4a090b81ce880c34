//! The user's directories, and the login shell.

use super::CheckResult;
use crate::audit;
use aegish_config::Config;
use aegish_private_files::{Missing, Owner, PrivateDir};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// State, opinions and history: their owners, and who can read them.
pub(super) fn own(config: &Config) -> Vec<CheckResult> {
    const AREA: &str = "directories";
    let mut findings = Vec::new();
    for (what, dir) in [("state", config.state_dir()), ("cache", config.cache_dir())] {
        let Some(dir) = dir else {
            let remedy = "set HOME; until then nothing is kept";
            findings.push(CheckResult::note(
                AREA,
                format!("{what}: there is no place for it"),
                remedy,
            ));
            continue;
        };
        findings.push(directory(AREA, what, &dir));
    }
    if let Some(home) = config.home() {
        findings.extend(history(AREA, &home.join(".aegish_history")));
    }
    findings
}

fn directory(area: &'static str, what: &str, dir: &Path) -> CheckResult {
    match PrivateDir::open(dir, Owner::user(), Missing::Fail) {
        Ok(_) => CheckResult::ok(area, format!("{what}: {}", with_mode(dir))),
        Err(error) if error.is_not_found() => {
            CheckResult::ok(area, format!("{what}: {} is made when it is needed", dir.display()))
        }
        Err(error) => CheckResult::problem(
            area,
            format!("{what}: {} is not used: {}", error.path().display(), error.problem()),
            error.remedy().unwrap_or_else(|| {
                format!(
                    "make it readable, or name another one with AEGISH_{}_DIR",
                    what.to_uppercase()
                )
            }),
        ),
    }
}

fn history(area: &'static str, path: &Path) -> Option<CheckResult> {
    let checked =
        PrivateDir::of_file(path, Missing::Fail).and_then(|(dir, name)| dir.check_append(&name));
    match checked {
        Ok(false) => None,
        Ok(true) => Some(CheckResult::ok(area, format!("history: {}", with_mode(path)))),
        Err(error) if error.is_not_found() => None,
        Err(error) => Some(CheckResult::problem(
            area,
            format!("history: no line is kept: {error}"),
            error.remedy().unwrap_or_else(|| format!("move {} away", path.display())),
        )),
    }
}

/// A path and its mode, for people.
fn with_mode(path: &Path) -> String {
    let mode = fs::symlink_metadata(path).map_or(0, |found| found.mode() & 0o7777);
    format!("{} (mode {mode:04o})", path.display())
}

/// Whether verdicts can be recorded.
pub(super) fn audit(config: &Config) -> Option<CheckResult> {
    const AREA: &str = "audit";
    let word = config.word("AEGISH_AUDIT");
    if word == "off" {
        return Some(CheckResult::note(AREA, "nothing is recorded", "leave out AEGISH_AUDIT=off"));
    }
    // Problems of the setting itself are reported with the configuration.
    let (file, _) = audit::outlets(config).ok()?;
    if !file {
        let outputs = config.get("AEGISH_AUDIT_OUTPUT").unwrap_or_default();
        return Some(CheckResult::ok(AREA, format!("{word}, to {outputs}")));
    }
    let Some(place) = audit::place(config, &audit::user()) else {
        let remedy = "set HOME or AEGISH_AUDIT_DIR";
        return Some(CheckResult::problem(AREA, "there is no place for the log", remedy));
    };
    Some(match place.check() {
        Ok(()) => CheckResult::ok(AREA, format!("{word}, to {}", place.file().display())),
        Err(error) => CheckResult::problem(AREA, error.to_string(), "see docs/reference/audit.md"),
    })
}

/// Whether the program is in `/etc/shells`, and whose login shell it is.
pub(super) fn login_shell() -> Vec<CheckResult> {
    const AREA: &str = "login shell";
    let status = match aegish_setup::status() {
        Ok(status) => status,
        Err(error) => {
            return vec![CheckResult::problem(
                AREA,
                error,
                "make /etc/shells and /etc/passwd readable",
            )];
        }
    };
    let place = status.program.display();
    let mut findings = Vec::new();
    if status.users.is_empty() {
        let word = if status.registered { "registered in /etc/shells, " } else { "" };
        let what = format!("{word}nobody logs in to {place}");
        findings.push(CheckResult::ok(AREA, what));
        return findings;
    }
    findings.push(CheckResult::ok(AREA, format!("{place} of {}", status.users.join(", "))));
    if !status.registered {
        findings.push(CheckResult::problem(
            AREA,
            format!("{place} is not in /etc/shells: some services will refuse these users"),
            format!("add the line {place} to /etc/shells"),
        ));
    }
    if status.users.iter().any(|user| user == "root") {
        findings.push(CheckResult::problem(
            AREA,
            "root logs in to it: if it breaks, nobody can mend it",
            "usermod -s /bin/bash root",
        ));
    }
    if let Err(error) = aegish_setup::out_of_reach(&status.program) {
        findings.push(CheckResult::problem(
            AREA,
            format!("{place} can be exchanged: {error}"),
            "install it where only root can write",
        ));
    }
    findings
}
