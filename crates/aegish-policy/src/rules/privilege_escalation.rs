//! Privilege escalation.
//!
//! # What
//!
//! Set-user-ID and set-group-ID bits, giving files to root, taking over files of the system,
//! capabilities, new administrators (the number zero, groups such as sudo, wheel and docker). In the restricted role also every use of sudo and its like.
//!
//! # Why
//!
//! A setuid program grants its rights long after the command has run.
//!
//! # Example
//!
//! ```text
//! chmod u+s /tmp/helper
//! chown root:root ./tool
//! setcap cap_setuid+ep ./tool
//! ```
//!
//! # Instead
//!
//! Run the single command with sudo when it is needed.
//!
//! # Answers
//!
//! ```toml
//! [setuid]
//! all = "block"
//! confidence = 0.98
//! core = true
//! instead = "Run the single command with sudo when it is needed."
//!
//! [owner-root]
//! default = "block"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.92
//! core = true
//! instead = "Leave the file with its present owner."
//!
//! [owner-system]
//! default = "block"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.93
//! core = true
//! instead = "Copy the file to your own directory and work on the copy."
//!
//! [granted]
//! all = "block"
//! confidence = 0.95
//! core = true
//! instead = "Ask an administrator for the one right that is needed."
//!
//! [sudo]
//! default = "allow"
//! sysadmin = "allow"
//! restricted = "block"
//! confidence = 0.97
//! core = true
//! instead = "Work without administrator rights."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Reason, Rule};
use crate::mode::Granted;
use crate::paths::WriteClass;
use crate::paths::glob::Match;
use crate::table::kinds::privilege_escalation as kind;
use crate::table::manuals;
use crate::table::names::ADMINISTRATOR_GROUPS;
use crate::view::{Subject, View, has_trait, show};
use aegish_effects::{CommandReport, EffectKind, FileKind, Value};
use aegish_profiles::{SystemEffect, Trait};

pub(crate) const RULE: Rule = Rule {
    id: "6",
    name: "privilege-escalation",
    title: "Privilege escalation",
    summary: "Gains, grants or keeps rights: setuid bits, ownership by root, new rights.",
    action: Action::Block,
    manual: manuals::PRIVILEGE_ESCALATION,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    match (view.subject, view.effect()) {
        (Subject::Command(command), _) => elevate(command, out),
        // Files that are made in a directory with such a bit belong to its group; nothing runs.
        (_, Some(EffectKind::Mode { path, mode, kind: FileKind::Any, .. }))
            if Granted::of(mode).set_id || is_mode_of_setuid(mode) =>
        {
            out.add(&RULE, &kind::SETUID, Match::Must, || {
                format!("makes {} run with the rights of its owner or group", show(path))
            });
        }
        (_, Some(EffectKind::Owner { path, owner, kind: file, .. })) => {
            let temporary =
                view.place.is_some_and(|place| place.write_class() == Some(WriteClass::Temporary));
            let program = *file == FileKind::Any && (temporary || !has_plain_mode(view, path));
            if is_root(owner) && program {
                out.add(&RULE, &kind::OWNER_ROOT, Match::Must, || {
                    format!("gives {} to root", show(path))
                });
            }
            if view.place.is_some_and(|place| {
                place.write_class().is_some_and(of_the_system) && !place.in_home
            }) {
                out.add(&RULE, &kind::OWNER_SYSTEM, Match::Must, || {
                    format!("takes {}, a file of the system, away from its owner", show(path))
                });
            }
        }
        (_, Some(EffectKind::System { what: SystemEffect::Account(_), .. })) => {
            if let Some(group) = administrator_group(view) {
                out.add(&RULE, &kind::GRANTED, Match::Must, || {
                    format!("puts an account into {group}, whose members are as good as root")
                });
            }
        }
        (_, Some(EffectKind::System { what: SystemEffect::Privilege, detail, object })) => {
            out.add(&RULE, &kind::GRANTED, Match::Must, || {
                Reason::new("changes privileges: ").detail(*detail).object(object)
            });
        }
        _ => {}
    }
}

/// `chmod --reference=/usr/bin/passwd`
fn is_mode_of_setuid(mode: &Value) -> bool {
    let Some((directory, name)) = mode.as_known().and_then(|text| text.rsplit_once('/')) else {
        return false;
    };
    directory.starts_with('/') && has_trait(name, Trait::Setuid)
}

fn of_the_system(class: WriteClass) -> bool {
    matches!(
        class,
        WriteClass::Authentication
            | WriteClass::Loader
            | WriteClass::Schedule
            | WriteClass::Boot
            | WriteClass::PackageSettings
            | WriteClass::Configuration
            | WriteClass::System
            | WriteClass::Protection
            | WriteClass::GuardProgram
            | WriteClass::Kernel
            | WriteClass::LoginRecord
    )
}

/// `install -o root -m 0644`, or `install -m 0644` before `chown`: the mode of the copy is explicit and not
/// setuid.
fn has_plain_mode(view: &View<'_>, owned: &Value) -> bool {
    let modes = view.analysis.effects.iter().filter_map(|effect| match &effect.kind {
        EffectKind::Mode { path, mode, .. } if effect.command == view.command || path == owned => {
            Some(mode)
        }
        _ => None,
    });
    let plain = |mode: &Value| {
        let digits = |text: &str| text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
        mode.as_known().is_some_and(digits) && !Granted::of(mode).set_id
    };
    let mut modes = modes.peekable();
    modes.peek().is_some() && modes.all(plain)
}

/// `root`, `root:staff`, `0`, `+0`, `root.root`.
fn is_root(owner: &Value) -> bool {
    let text = owner.as_known().unwrap_or_else(|| owner.known_prefix());
    let user = text.split([':', '.']).next().unwrap_or("");
    matches!(user.strip_prefix('+').unwrap_or(user), "root" | "0")
}

fn elevate(command: &CommandReport, out: &mut Findings<'_>) {
    let name = command.argv.first().and_then(Value::as_known).unwrap_or("");
    let name = name.rsplit('/').next().unwrap_or(name);
    if has_trait(name, Trait::Elevating) {
        out.add(&RULE, &kind::SUDO, Match::Must, || format!("uses {name} to gain rights"));
    }
}

/// The group or the number zero that an account gets, if either makes it an administrator.
fn administrator_group<'a>(view: &View<'a>) -> Option<&'a str> {
    let administrators = |list: &'a str| {
        list.split(',').find(|name| ADMINISTRATOR_GROUPS.binary_search(name).is_ok())
    };
    let words: Vec<&str> = view.words().iter().map(|word| word.as_known().unwrap_or("")).collect();
    match view.program()? {
        // `adduser NAME GROUP`
        "adduser" | "addgroup" => {
            let mut operands = words.iter().filter(|word| !word.starts_with('-'));
            let _name = operands.next()?;
            operands
                .next()
                .and_then(|group| administrators(group))
                .or_else(|| by_option(&words, administrators))
        }
        "gpasswd" => {
            let adds = words.iter().any(|word| {
                word.starts_with("-a")
                    || word.starts_with("-M")
                    || word.starts_with("--add")
                    || word.starts_with("--mem")
            });
            words.last().filter(|_| adds).and_then(|group| administrators(group))
        }
        "usermod" | "useradd" => by_option(&words, administrators),
        _ => None,
    }
}

/// The value of `-G`, `-aG`, `--groups`, `-g`, or of `-u` if it is zero.
fn by_option<'a>(
    words: &[&'a str],
    administrators: impl Fn(&'a str) -> Option<&'a str>,
) -> Option<&'a str> {
    words.iter().enumerate().find_map(|(at, word)| {
        let following = words.get(at + 1).copied().unwrap_or("");
        if let Some(long) = word.strip_prefix("--") {
            let (name, value) = long.split_once('=').unwrap_or((long, following));
            return match name {
                "groups" | "gid" | "ingroup" => administrators(value),
                "uid" if value == "0" => Some(value),
                _ => None,
            };
        }
        let letters = word.strip_prefix('-')?;
        let at = letters.find(['G', 'g', 'u'])?;
        let attached = letters.get(at + 1..).unwrap_or("");
        let value = if attached.is_empty() { following } else { attached };
        match letters.as_bytes().get(at) {
            Some(b'u') => (value == "0").then_some(value),
            _ => administrators(value),
        }
    })
}
