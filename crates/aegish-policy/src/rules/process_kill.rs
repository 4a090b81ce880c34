//! Process kill.
//!
//! # What
//!
//! Stopping a single process is ordinary. Stopping all of them, the first one, or the service by which people
//! log in is not.
//!
//! # Why
//!
//! `kill -9 -1` ends the session and every service of the user.
//!
//! # Example
//!
//! ```text
//! kill -9 -1
//! pkill -9 .
//! ```
//!
//! # Instead
//!
//! Stop the single process by its number: `kill 4242`.
//!
//! # Answers
//!
//! ```toml
//! [one]
//! default = "allow"
//! sysadmin = "allow"
//! restricted = "warn"
//! confidence = 0.8
//! instead = "Stop your own jobs with `kill %1`."
//!
//! [login-service]
//! default = "block"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.9
//! instead = "Let the service reload its settings: `systemctl reload ssh`."
//!
//! [everything]
//! all = "block"
//! confidence = 0.96
//! instead = "Stop the single process by its number."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Reason, Rule};
use crate::paths::glob::Match;
use crate::table::kinds::process_kill as kind;
use crate::table::manuals;
use crate::view::View;
use aegish_effects::{EffectKind, Source, Value};
use aegish_profiles::{KillEffect, SystemEffect};

pub(crate) const RULE: Rule = Rule {
    id: "process-kill",
    name: "process-kill",
    title: "Process kill",
    summary: "Stops processes that it did not start.",
    action: Action::Allow,
    manual: manuals::PROCESS_KILL,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    if let Some(EffectKind::System { what: SystemEffect::Kill(effect), detail, object }) =
        view.effect()
    {
        let (kind, what) = if is_everything(view, *effect, object) {
            (&kind::EVERYTHING, "all processes")
        } else if is_login_service(view) {
            (&kind::LOGIN_SERVICE, "the service by which people log in")
        } else {
            (&kind::ONE, "a process")
        };
        out.add(&RULE, kind, Match::Must, || {
            Reason::new("stops ").text(what).text(": ").detail(*detail).object(object)
        });
    }
}

fn is_everything(view: &View<'_>, effect: KillEffect, object: &Value) -> bool {
    if effect == KillEffect::All {
        return true;
    }
    match view.program() {
        Some("pkill" | "killall") if names_a_user_only(view) => return true,
        Some("fuser") if mounts_of_the_system(view, object) => return true,
        Some("kill") if view.words().iter().any(is_every_process) => return true,
        _ => {}
    }
    let signal = view
        .words()
        .windows(2)
        .any(|pair| matches!(pair, [option, value] if names_a_signal(option) && value == object));
    let named = |word: &str| matches!(word, "1" | "." | ".*" | "init" | "systemd" | "launchd");
    if !signal
        && object
            .as_known()
            .is_some_and(|text| text.split_whitespace().any(|word| word == "-1" || named(word)))
    {
        return true;
    }
    let by_number = view.program() == Some("kill");
    // The first `-1` of `kill` is a signal, a later one means every process there is.
    view.words().iter().enumerate().any(|(at, word)| {
        let word = word.as_known().unwrap_or_default();
        let before = at.checked_sub(1).and_then(|at| view.words().get(at));
        (by_number && word == "-1" && at > 0)
            || (named(word) && (by_number || word != "1") && !before.is_some_and(names_a_signal))
    })
}

/// The word after it is a signal, not a process.
fn names_a_signal(word: &Value) -> bool {
    matches!(word.as_known(), Some("-s" | "--signal"))
}

/// `pkill sshd`, `kill $(pidof sshd)`, `kill $(cat /run/sshd.pid)`; reloading is no stop.
fn is_login_service(view: &View<'_>) -> bool {
    if !matches!(view.program(), Some("kill" | "killall" | "pkill")) {
        return false;
    }
    let named = |word: &str| matches!(word.rsplit('/').next(), Some("sshd" | "sshd.pid"));
    let reloads = |word: &str| matches!(word.trim_start_matches('-'), "HUP" | "SIGHUP" | "1" | "0");
    let looked_up = || {
        view.analysis.commands.iter().any(|command| {
            matches!(command.program, Some("pidof" | "pgrep"))
                && command.argv.iter().filter_map(Value::as_known).any(named)
        })
    };
    let by_source = |source: &Source| match source {
        Source::File(path) => named(path),
        Source::Program(name) => matches!(name.as_str(), "pidof" | "pgrep") && looked_up(),
        _ => false,
    };
    let found = view.arguments().any(named)
        || view.words().iter().any(|word| word.taint().sources().any(by_source));
    found && !view.arguments().any(reloads)
}

/// `pkill -u kim` without a pattern: all that the user runs.
fn names_a_user_only(view: &View<'_>) -> bool {
    const BY_USER: [&str; 6] = ["-u", "-U", "-G", "--euid", "--uid", "--user"];
    const OTHER: [&str; 12] = [
        "-s",
        "--signal",
        "-g",
        "--pgroup",
        "-P",
        "--parent",
        "-t",
        "--terminal",
        "-o",
        "-y",
        "-Z",
        "-n",
    ];
    let (mut by_user, mut others, mut value) = (false, false, false);
    for word in view.words() {
        let text = word.as_known().unwrap_or("");
        if value {
            value = false;
        } else if BY_USER.contains(&text) {
            (by_user, value) = (true, true);
        } else if OTHER.contains(&text) {
            (others, value) = (others || !matches!(text, "-s" | "--signal"), true);
        } else if !text.starts_with('-') {
            others = true;
        } else if BY_USER.iter().any(|option| text.starts_with(option)) {
            by_user = true;
        }
    }
    by_user && !others
}

/// `fuser -km /` kills all users of that file system.
fn mounts_of_the_system(view: &View<'_>, object: &Value) -> bool {
    let whole = view.arguments().any(|word| {
        matches!(word, "--mount" | "--ismountpoint")
            || (word.starts_with('-') && !word.starts_with("--") && word.contains(['m', 'c', 'M']))
    });
    whole && object.as_known().is_some_and(|path| matches!(path, "/" | "/home" | "/usr" | "/var"))
}

/// Numbers that come from `ps` alone, without a filter.
fn is_every_process(word: &Value) -> bool {
    let mut programs = word.taint().sources().filter_map(|source| match source {
        Source::Program(name) => Some(name.as_str()),
        _ => None,
    });
    word.has_unknown() && programs.next() == Some("ps") && programs.next().is_none()
}
