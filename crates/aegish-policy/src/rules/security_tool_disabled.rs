//! Security tool disabled.
//!
//! # What
//!
//! Stopping or reconfiguring firewalls, mandatory access control, audit and logging; deleting or
//! emptying records; switching the history off; changing the guard's own files.
//!
//! # Why
//!
//! It is done before, or after, what nobody is to see.
//!
//! # Example
//!
//! ```text
//! setenforce 0
//! rm -rf /var/log/audit
//! export HISTFILE=/dev/null
//! ```
//!
//! # Instead
//!
//! Add the one exception that is needed; let logrotate keep logs small.
//!
//! # Answers
//!
//! ```toml
//! [disarmed]
//! default = "block"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.93
//! core = true
//! instead = "Add the one exception that is needed."
//!
//! [protection]
//! default = "block"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.95
//! core = true
//! instead = "Let an administrator change it."
//!
//! [login-record]
//! all = "block"
//! confidence = 0.95
//! core = true
//! instead = "Leave records alone; logrotate keeps them small."
//!
//! [logs-destroyed]
//! default = "block"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.9
//! instead = "Use logrotate or `journalctl --vacuum-time`."
//!
//! [log]
//! default = "warn"
//! sysadmin = "allow"
//! restricted = "block"
//! confidence = 0.75
//! instead = "Use logrotate or `journalctl --vacuum-time`."
//!
//! [history]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.8
//! instead = "Remove the single entry that holds a secret."
//!
//! [guard-loosened]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.9
//! core = true
//! instead = "Read what the project's file says first; it may always tighten."
//!
//! [guard-left]
//! default = "block"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.95
//! core = true
//! instead = "Let an administrator change the login shell."
//!
//! [guard-setting]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.85
//! core = true
//! instead = "Leave the settings of the guard to whoever set it up; `aegish config show` tells them."
//!
//! [project-file]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.85
//! core = true
//! instead = "Let a person change what the project asks of the guard."
//!
//! [guard-killed]
//! all = "block"
//! confidence = 0.95
//! core = true
//! instead = "Leave the protection running."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Reason, Rule};
use crate::mode::{hides_from_owner, locks_owner_out};
use crate::paths::glob::Match;
use crate::paths::{ClassifiedPath, Extent, WriteClass};
use crate::table::kinds::security_tool_disabled as kind;
use crate::table::manuals;
use crate::table::names::{HELPERS, PROTECTIONS};
use crate::variables::{
    VariableKind, is_inside_the_shell, loosens_the_guard, names_the_guard_of_an_agent,
};
use crate::view::{View, adds_nothing, show};
use aegish_effects::{EffectKind, Piece, Source, Value};
use aegish_profiles::{
    Detail, DisarmEffect, PackageEffect, RemoteEffect, ServiceEffect, SystemEffect,
};

pub(crate) const RULE: Rule = Rule {
    id: "security-tool-disabled",
    name: "security-tool-disabled",
    title: "Security tool disabled",
    summary: "Switches off or blinds a protection: firewall, audit, logs, history, the guard.",
    action: Action::Block,
    manual: manuals::SECURITY_TOOL_DISABLED,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    match view.effect() {
        Some(EffectKind::System { what: SystemEffect::Disarm(what), detail, object }) => {
            let kind = match what {
                DisarmEffect::History => &kind::HISTORY,
                // Tasks of the guard itself; a person is asked.
                DisarmEffect::Guard => &kind::GUARD_LOOSENED,
                DisarmEffect::Login => &kind::GUARD_LEFT,
                DisarmEffect::Input => &kind::GUARD_KILLED,
                _ => return disarm(*detail, object, out),
            };
            out.add(&RULE, kind, Match::Must, || Reason::new("").detail(*detail));
        }
        Some(EffectKind::System { what, detail, object })
            if takes_away(*what) && is_protection(view, object) =>
        {
            disarm(*detail, object, out);
        }
        Some(EffectKind::Mode { path, mode, .. }) if view.program() == Some("chattr") => {
            locked(view, path, mode, out);
        }
        Some(EffectKind::Mode { path, mode, tree, .. }) => {
            made_unusable(view, path, mode, *tree, out);
        }
        Some(EffectKind::Owner { path, owner, .. }) => given_away(view, path, owner, out),
        Some(EffectKind::System {
            what: SystemEffect::Kill(_) | SystemEffect::ProcessLimits,
            object,
            ..
        }) if is_protection(view, object) => {
            out.add(&RULE, &kind::GUARD_KILLED, Match::Must, || {
                format!("stops or starves {}, which protects this machine", show(object))
            });
        }
        // The parent of the shell is the guard.
        Some(EffectKind::System {
            what: what @ (SystemEffect::Kill(_) | SystemEffect::ProcessLimits),
            object,
            ..
        }) if view.words().iter().chain([object]).any(names_the_parent) => {
            let does = match what {
                SystemEffect::ProcessLimits => "changes the limits of",
                _ => "sends a signal to",
            };
            out.add(&RULE, &kind::GUARD_KILLED, Match::Must, || {
                format!("{does} the process that started this shell, which is the guard")
            });
        }
        Some(
            EffectKind::Setenv { name, .. }
            | EffectKind::Unset { name }
            | EffectKind::Shadow { name, .. },
        ) if is_inside_the_shell(name) => {
            out.add(&RULE, &kind::GUARD_KILLED, Match::Must, || {
                format!("changes {name}, a part of the guard")
            });
        }
        // An agent that is started with another home has no guard there.
        Some(EffectKind::Setenv { name, .. })
            if matches!(name.as_str(), "HOME" | "XDG_CONFIG_HOME") && view.starts_an_agent() =>
        {
            out.add(&RULE, &kind::GUARD_LOOSENED, Match::Must, || {
                format!("starts a coding agent with another {name}, where its guard is not set up")
            });
        }
        Some(EffectKind::Setenv { name, value, .. }) if loosens_the_guard(name, Some(value)) => {
            out.add(&RULE, &kind::GUARD_SETTING, Match::Must, || {
                format!("sets {name}, which {}", told_by(name))
            });
        }
        Some(EffectKind::Unset { name }) if loosens_the_guard(name, None) => {
            out.add(&RULE, &kind::GUARD_SETTING, Match::Must, || {
                format!("takes {name} away, which {}", told_by(name))
            });
        }
        Some(EffectKind::Setenv { name, value, .. })
            if VariableKind::of(name) == Some(VariableKind::History)
                && switches_history_off(name, value) =>
        {
            out.add(&RULE, &kind::HISTORY, Match::Must, || {
                format!("sets {name} so that nothing is recorded")
            });
        }
        Some(effect @ EffectKind::Write { path, append, content }) => {
            // Editing in place does more than adding; an interactive editor may only be used for reading.
            let looks =
                view.program().is_some_and(|program| HELPERS.binary_search(&program).is_ok());
            let edited = !looks
                && content.pieces() == [Piece::Unknown(aegish_effects::origin::EDITED_CONTENT)];
            records(view, "writes", path, *append && !edited, out);
            // `oom_score_adj`, `coredump_filter`, `timerslack_ns`
            if path.known_prefix().starts_with("/proc/") && names_the_parent(path) {
                out.add(&RULE, &kind::GUARD_KILLED, Match::Must, || {
                    format!("writes {}, a setting of the process that is the guard", show(path))
                });
            }
            if !adds_nothing(effect) {
                filled(view, path, out);
            }
        }
        // A program that nobody knows may write what it is given.
        Some(EffectKind::Mention { path }) => records(view, "may write", path, false, out),
        Some(EffectKind::Delete { path, .. }) => {
            records(view, "deletes", path, false, out);
            replaced(view, "takes away", path, out);
        }
        Some(EffectKind::Replace { path }) => {
            records(view, "replaces", path, false, out);
            replaced(view, "replaces", path, out);
            let hides =
                |place: ClassifiedPath| matches!(place.extent, Extent::Home | Extent::TopLevel);
            if view.starts_an_agent() && view.place.is_some_and(hides) {
                out.add(&RULE, &kind::GUARD_LOOSENED, Match::Must, || {
                    format!("starts a coding agent that does not see {}", show(path))
                });
            }
        }
        // Every variable is taken away.
        Some(EffectKind::Unset { name }) if name.is_empty() && view.starts_an_agent() => {
            out.add(&RULE, &kind::GUARD_LOOSENED, Match::Must, || {
                "starts a coding agent without the variables that name its guard".to_owned()
            });
        }
        Some(EffectKind::Link { name, .. }) => {
            records(view, "replaces", name, false, out);
            replaced(view, "replaces", name, out);
        }
        _ => {}
    }
}

/// Whether this makes a protection ineffective.
fn takes_away(what: SystemEffect) -> bool {
    matches!(
        what,
        SystemEffect::Package(PackageEffect::Remove)
            | SystemEffect::Service(
                ServiceEffect::Stop
                    | ServiceEffect::Disable
                    | ServiceEffect::Mask
                    | ServiceEffect::Kill
            )
            | SystemEffect::Remote(RemoteEffect::Delete | RemoteEffect::Stop)
    )
}

fn disarm(detail: Detail, object: &Value, out: &mut Findings<'_>) {
    out.add(&RULE, &kind::DISARMED, Match::Must, || {
        Reason::new("switches a protection off: ").detail(detail).object(object)
    });
}

/// `$PPID`
fn names_the_parent(word: &Value) -> bool {
    word.taint()
        .sources()
        .any(|source| matches!(source, Source::Environment(name) if name == "PPID"))
}

fn is_protection(view: &View<'_>, object: &Value) -> bool {
    // The numbers that `pgrep` found for a name.
    let found = view.words().iter().chain([object]).flat_map(|word| word.taint().sources()).any(|source| {
        matches!(source, Source::Program(name) if PROTECTIONS.binary_search(&name.as_str()).is_ok())
    });
    if found {
        return true;
    }
    // Some service managers take the service's directory or its domain: `/run/service/auditd`.
    let of_a_service =
        matches!(view.effect(), Some(EffectKind::System { what: SystemEffect::Service(_), .. }));
    let object = object.as_known().unwrap_or("");
    object.split_whitespace().chain(view.arguments()).any(|word| {
        let word = if of_a_service {
            word.trim_end_matches('/').rsplit('/').next().unwrap_or(word)
        } else {
            word
        };
        let name = word.strip_suffix(".service").unwrap_or(word);
        PROTECTIONS.binary_search(&name).is_ok()
    })
}

fn switches_history_off(name: &str, value: &Value) -> bool {
    matches!(
        (name, value.as_known()),
        ("HISTFILE", Some("" | "/dev/null"))
            | ("HISTSIZE" | "HISTFILESIZE" | "SAVEHIST", Some("0"))
            | ("HISTIGNORE", Some("*"))
    )
}

/// Whether a record becomes read-only, so that nothing can be appended.
fn locked(view: &View<'_>, path: &Value, mode: &Value, out: &mut Findings<'_>) {
    let Some(hit) = view.classes().write else { return };
    let locks =
        mode.as_known().is_some_and(|mode| mode.starts_with(['+', '=']) && mode.contains('i'));
    let kind = match hit.class {
        WriteClass::Log | WriteClass::LoginRecord => &kind::LOGS_DESTROYED,
        WriteClass::Protection => &kind::PROTECTION,
        _ => return,
    };
    if locks {
        out.add(&RULE, kind, hit.certainty, || {
            format!("makes {} unchangeable, which holds {}", show(path), hit.holds)
        });
    }
}

/// Whether the guard can no longer be run, or its settings no longer be read.
fn made_unusable(view: &View<'_>, path: &Value, mode: &Value, tree: bool, out: &mut Findings<'_>) {
    let Some(hit) = view.classes().write else { return };
    let (kind, unusable) = match hit.class {
        WriteClass::GuardProgram => (&kind::PROTECTION, locks_owner_out(mode)),
        WriteClass::Protection if tree => (&kind::PROTECTION, locks_owner_out(mode)),
        WriteClass::Protection => (&kind::PROTECTION, hides_from_owner(mode)),
        WriteClass::GuardProject => (&kind::PROJECT_FILE, hides_from_owner(mode)),
        WriteClass::GuardFolder | WriteClass::AboveGuard => {
            (&kind::PROJECT_FILE, locks_owner_out(mode))
        }
        _ => return,
    };
    if unusable {
        out.add(&RULE, kind, hit.certainty, || {
            format!("makes {} unusable, which holds {}", show(path), hit.holds)
        });
    }
}

/// The guard's files become somebody else's, who may change them; the user himself is nobody else.
fn given_away(view: &View<'_>, path: &Value, owner: &Value, out: &mut Findings<'_>) {
    let Some(hit) = view.classes().write else { return };
    let kind = match hit.class {
        WriteClass::GuardProgram | WriteClass::Protection => &kind::PROTECTION,
        WriteClass::GuardProject | WriteClass::GuardFolder => &kind::PROJECT_FILE,
        _ => return,
    };
    let told = owner.taint().sources().any(|source| match source {
        Source::Environment(name) => {
            matches!(name.as_str(), "USER" | "LOGNAME" | "SUDO_USER" | "UID")
        }
        Source::Program(name) => matches!(name.as_str(), "id" | "whoami" | "logname"),
        _ => false,
    });
    let user = owner.as_known().and_then(|owner| owner.split([':', '.']).next());
    let home = view.setting.home.rsplit('/').next();
    if !told && (user.is_none() || user != home) {
        out.add(&RULE, kind, hit.certainty, || {
            format!("gives {} to another owner, which holds {}", show(path), hit.holds)
        });
    }
}

/// What a variable of the guard is for.
fn told_by(name: &str) -> &'static str {
    if names_the_guard_of_an_agent(name) {
        "tells a coding agent where its shell or its settings are, its guard among them"
    } else {
        "tells the guard how to judge"
    }
}

/// `/var/log`, `/var/log/*`
fn is_all_logs(path: &Value) -> bool {
    let text = path.known_prefix().trim_end_matches('/');
    text == "/var/log"
        && matches!(path.pieces(), [Piece::Text(_)] | [Piece::Text(_), Piece::AnyString])
}

/// A directory that holds the guard's files goes, or something else takes its place. So does one of its files, if it is
/// not known which.
fn replaced(view: &View<'_>, verb: &str, path: &Value, out: &mut Findings<'_>) {
    let found = match path.pieces() {
        [Piece::Text(directory), Piece::Unknown(_), ..] => {
            ClassifiedPath::of(&Value::known(directory), view.setting)
        }
        _ => view.place,
    };
    let Some(hit) = found.and_then(|place| place.classes.write) else { return };
    let whole = path.as_known().is_some();
    if hit.class == WriteClass::GuardFolder || hit.class == WriteClass::AboveGuard && whole {
        out.add(&RULE, &kind::PROJECT_FILE, hit.certainty, || {
            format!("{verb} {}, which holds {}", show(path), hit.holds)
        });
    }
}

/// A directory that holds the guard's files is filled with what nobody named, or is covered by another one.
fn filled(view: &View<'_>, path: &Value, out: &mut Findings<'_>) {
    let Some(hit) = view.classes().write else { return };
    let covered = hit.class == WriteClass::AboveGuard && view.program() == Some("mount");
    if hit.class == WriteClass::GuardFolder || covered {
        out.add(&RULE, &kind::PROJECT_FILE, hit.certainty, || {
            format!("writes into {}, which holds {}", show(path), hit.holds)
        });
    }
}

fn records(view: &View<'_>, verb: &str, path: &Value, append: bool, out: &mut Findings<'_>) {
    let Some(hit) = view.classes().write else { return };
    // `rm -rf /var/tmp/*`: whoever cleans up means other files.
    let cleans = hit.certainty == Match::May && path.known_prefix().ends_with("tmp/");
    let kind = match hit.class {
        WriteClass::Protection if cleans => return,
        WriteClass::Protection | WriteClass::GuardProgram => &kind::PROTECTION,
        WriteClass::GuardProject => &kind::PROJECT_FILE,
        WriteClass::LoginRecord => &kind::LOGIN_RECORD,
        WriteClass::Log if is_all_logs(path) || view.program() == Some("shred") => {
            &kind::LOGS_DESTROYED
        }
        WriteClass::Log if !append => &kind::LOG,
        WriteClass::History if !append => &kind::HISTORY,
        _ => return,
    };
    out.add(&RULE, kind, hit.certainty, || {
        format!("{verb} {}, which holds {}", show(path), hit.holds)
    });
}
