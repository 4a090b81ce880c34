//! Persistence.
//!
//! # What
//!
//! Start files of shells, programs started at login, services of the user, hooks of version
//! control, settings of ssh. Ordinary lines in a start file (variables, aliases, options) are asked
//! about; code that reaches out, hides or replaces commands is stopped. Files for all users are
//! rule 5.
//!
//! # Why
//!
//! It runs again and again, long after anybody looks.
//!
//! # Example
//!
//! ```text
//! echo 'export EDITOR=vim' >> ~/.bashrc
//! echo 'nohup /tmp/x &' >> ~/.profile
//! ```
//!
//! # Instead
//!
//! Set it in this session, or keep start files to variables, aliases and options.
//!
//! # Answers
//!
//! ```toml
//! [start-file]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.8
//! instead = "Fine if you want it in every new shell; set it in this session otherwise."
//!
//! [start-file-code]
//! all = "block"
//! confidence = 0.93
//! instead = "Keep start files to variables, aliases and options."
//!
//! [start-file-unknown]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! open = true
//! confidence = 0.6
//! instead = "Show what is written."
//!
//! [autostart]
//! all = "block"
//! confidence = 0.9
//! instead = "Start the program by hand."
//!
//! [login-hook]
//! all = "block"
//! confidence = 0.95
//! core = true
//! instead = "Leave the file alone."
//!
//! [user-unit]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.75
//! instead = "Start the program by hand."
//!
//! [hook]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.7
//! instead = "Fine if the hook is yours."
//!
//! [ssh-config]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.75
//! instead = "Give the options on the ssh command line."
//!
//! [from-network]
//! all = "block"
//! confidence = 0.95
//! instead = "Read what was downloaded first."
//! ```

use crate::action::Action;
use crate::finding::Variant;
use crate::finding::{Findings, Rule};
use crate::paths::WriteClass;
use crate::paths::glob::{encode, is_special, readings};
use crate::table::kinds::persistence as kind;
use crate::table::manuals;
use crate::table::names::{UNUSUAL_START_TEXT, USUAL_START_LINES};
use crate::view::{View, adds_nothing, show, show_text};
use aegish_effects::{EffectKind, Value};

pub(crate) const RULE: Rule = Rule {
    id: "persistence",
    name: "persistence",
    title: "Persistence",
    summary: "Writes files that run by themselves later: shell start files, hooks, autostart.",
    action: Action::Block,
    manual: manuals::PERSISTENCE,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    let Some(hit) = view.classes().write else { return };
    let (path, content) = match view.effect() {
        Some(effect) if adds_nothing(effect) => return,
        Some(EffectKind::Write { path, content, .. }) => (path, Some(content)),
        Some(EffectKind::Link { name, .. }) => (name, None),
        _ => return,
    };
    let Some(kind) = kind_of(hit.class, content) else { return };
    if let Some(origin) = content.and_then(|content| content.taint().network()) {
        out.add(&RULE, &kind::FROM_NETWORK, hit.certainty, || {
            format!(
                "writes what came from {} to {}, which holds {}",
                show_text(origin),
                show(path),
                hit.holds
            )
        });
        return;
    }
    out.add(&RULE, kind, hit.certainty, || {
        format!("writes {}, which holds {}", show(path), hit.holds)
    });
}

fn kind_of(class: WriteClass, content: Option<&Value>) -> Option<&'static Variant> {
    match class {
        WriteClass::StartFile => Some(match content.map_or(LineClass::Unknown, lines) {
            LineClass::Ordinary => &kind::START_FILE,
            LineClass::Code => &kind::START_FILE_CODE,
            LineClass::Unknown => &kind::START_FILE_UNKNOWN,
        }),
        WriteClass::Autostart => Some(&kind::AUTOSTART),
        WriteClass::LoginHook => Some(&kind::LOGIN_HOOK),
        WriteClass::UserUnit => Some(&kind::USER_UNIT),
        WriteClass::Hook => Some(&kind::HOOK),
        WriteClass::SshConfig => Some(&kind::SSH_CONFIG),
        _ => None,
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum LineClass {
    Ordinary,
    Unknown,
    Code,
}

/// The worst class of the lines of a startup file, over all its readings.
fn lines(content: &Value) -> LineClass {
    (0..readings(content))
        .map(|number| lines_of(&encode(content, number)))
        .max()
        .unwrap_or(LineClass::Unknown)
}

fn lines_of(text: &[u8]) -> LineClass {
    // Nobody appends more lines by hand. The limit also bounds the work.
    if text.len() > 64 * 1024 {
        return LineClass::Unknown;
    }
    let mut worst = LineClass::Ordinary;
    for line in text.split(|byte| *byte == b'\n') {
        let special = is_special(line);
        let known: Vec<u8> = line.iter().copied().filter(|byte| !is_special(&[*byte])).collect();
        let Ok(known) = std::str::from_utf8(&known) else { return LineClass::Unknown };
        let known = known.trim();
        let found = if UNUSUAL_START_TEXT.iter().any(|mark| known.contains(mark)) {
            LineClass::Code
        } else if is_ordinary(known) && !(special && known.is_empty()) {
            LineClass::Ordinary
        } else if special {
            LineClass::Unknown
        } else {
            LineClass::Code
        };
        worst = worst.max(found);
    }
    worst
}

fn is_ordinary(line: &str) -> bool {
    if line.is_empty() || USUAL_START_LINES.iter().any(|start| line.starts_with(start)) {
        return true;
    }
    // An assignment, or the beginning of a function.
    let word = line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next().unwrap_or("");
    let after = line.get(word.len()..).unwrap_or("");
    !word.is_empty()
        && (after.starts_with('=') || after.starts_with("+=") || after.starts_with("()"))
}
