//! The user's directories, and the login shell.

use super::Finding;
use crate::audit;
use crate::own;
use crate::setup;
use aegish_config::Config;
use nix::unistd::geteuid;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// State, opinions and history: whose they are and who can read them.
pub(super) fn own(config: &Config) -> Vec<Finding> {
    const AREA: &str = "directories";
    let mut findings = Vec::new();
    for (what, dir) in [("state", config.state_dir()), ("cache", config.cache_dir())] {
        let Some(dir) = dir else {
            let remedy = "set HOME; until then nothing is kept";
            findings.push(Finding::note(AREA, format!("{what}: there is no place for it"), remedy));
            continue;
        };
        findings.push(directory(AREA, what, &dir));
    }
    if let Some(home) = config.home() {
        findings.extend(history(AREA, &home.join(".aegish_history")));
    }
    findings
}

fn directory(area: &'static str, what: &str, dir: &Path) -> Finding {
    let place = dir.display();
    match fs::symlink_metadata(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Finding::ok(area, format!("{what}: {place} is made when it is needed"))
        }
        Err(error) => Finding::problem(
            area,
            format!("{what}: {place} cannot be looked at: {error}"),
            "make it readable for this user",
        ),
        Ok(found) if !found.is_dir() => Finding::problem(
            area,
            format!("{what}: {place} is no directory, and is not used"),
            format!("move it away, or name another one with AEGISH_{}_DIR", what.to_uppercase()),
        ),
        Ok(found) if found.uid() != geteuid().as_raw() => Finding::problem(
            area,
            format!("{what}: {place} belongs to user {}, and is not used", found.uid()),
            format!("sudo chown -R {} {place}", geteuid()),
        ),
        Ok(found) => match own::closed(&found) {
            Ok(()) => {
                Finding::ok(area, format!("{what}: {place} (mode {:04o})", found.mode() & 0o7777))
            }
            Err(error) => Finding::problem(
                area,
                format!("{what}: {place} is not used: {error}"),
                format!("chmod go-w {place}"),
            ),
        },
    }
}

fn history(area: &'static str, path: &Path) -> Option<Finding> {
    let found = fs::symlink_metadata(path).ok()?;
    let place = path.display();
    let ours = found.is_file() && found.uid() == geteuid().as_raw();
    Some(if ours {
        Finding::ok(area, format!("history: {place} (mode {:04o})", found.mode() & 0o7777))
    } else {
        Finding::problem(
            area,
            format!("history: {place} is not this user's own file; no line is kept"),
            format!("move {place} away"),
        )
    })
}

/// Whether verdicts can be recorded.
pub(super) fn audit(config: &Config) -> Option<Finding> {
    const AREA: &str = "audit";
    let word = config.word("AEGISH_AUDIT");
    if word == "off" {
        return Some(Finding::note(AREA, "nothing is recorded", "leave out AEGISH_AUDIT=off"));
    }
    // What is wrong with the setting itself is told with the configuration.
    let (file, _) = audit::outlets(config).ok()?;
    if !file {
        let outputs = config.get("AEGISH_AUDIT_OUTPUT").unwrap_or_default();
        return Some(Finding::ok(AREA, format!("{word}, to {outputs}")));
    }
    let Some(place) = audit::place(config, &audit::user()) else {
        let remedy = "set HOME or AEGISH_AUDIT_DIR";
        return Some(Finding::problem(AREA, "there is no place for the log", remedy));
    };
    Some(match place.check() {
        Ok(()) => Finding::ok(AREA, format!("{word}, to {}", place.file().display())),
        Err(error) => Finding::problem(AREA, error.to_string(), "see docs/reference/audit.md"),
    })
}

/// Whether it is registered, and whose login shell it is.
pub(super) fn login_shell() -> Vec<Finding> {
    const AREA: &str = "login shell";
    let status = match setup::status() {
        Ok(status) => status,
        Err(error) => {
            return vec![Finding::problem(
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
        findings.push(Finding::ok(AREA, what));
        return findings;
    }
    findings.push(Finding::ok(AREA, format!("{place} of {}", status.users.join(", "))));
    if !status.registered {
        findings.push(Finding::problem(
            AREA,
            format!("{place} is not in /etc/shells: some services will refuse these users"),
            format!("add the line {place} to /etc/shells"),
        ));
    }
    if status.users.iter().any(|user| user == "root") {
        findings.push(Finding::problem(
            AREA,
            "root logs in to it: if it breaks, nobody can mend it",
            "usermod -s /bin/bash root",
        ));
    }
    if let Err(error) = setup::out_of_reach(&status.program) {
        findings.push(Finding::problem(
            AREA,
            format!("{place} can be exchanged: {error}"),
            "install it where only root can write",
        ));
    }
    findings
}
