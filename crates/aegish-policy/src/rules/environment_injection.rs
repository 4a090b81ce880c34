//! Environment injection.
//!
//! # What
//!
//! Variables that name start files, commands, module directories or options of interpreters
//! (`BASH_ENV`, `PROMPT_COMMAND`, `GIT_SSH_COMMAND`, `PERL5OPT` …). Ordinary editors, pagers, `ssh`
//! and installed directories are fine. Code for a shell that is known, in which every program is known, is judged by
//! what it does.
//!
//! # Why
//!
//! The next harmless command runs the injected one.
//!
//! # Example
//!
//! ```text
//! BASH_ENV=./x.sh bash -c true
//! GIT_SSH_COMMAND='sh -c id' git fetch
//! export PAGER=/tmp/p
//! ```
//!
//! # Instead
//!
//! Run the program without the variable, or with an ordinary helper: `EDITOR=vim`, `PAGER=less`,
//! `PYTHONPATH=src`.
//!
//! # Answers
//!
//! ```toml
//! [runs-code]
//! all = "block"
//! confidence = 0.95
//! instead = "Run the program without the variable."
//!
//! [odd-command]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.7
//! instead = "Use an ordinary editor, pager or ssh."
//!
//! [known-code]
//! default = "allow"
//! sysadmin = "allow"
//! restricted = "block"
//! confidence = 0.7
//! instead = "Run the code as a command."
//!
//! [prompt-code]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.7
//! instead = "Use a prompt that runs nothing."
//!
//! [unknown-value]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! open = true
//! confidence = 0.6
//! instead = "Write the value out."
//!
//! [no-verification]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.8
//! instead = "Add the missing certificate authority instead."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Rule};
use crate::paths::glob::Match;
use crate::paths::glob::{encode, is_special};
use crate::paths::{ClassifiedPath, Extent, WriteClass};
use crate::table::kinds::environment_injection as kind;
use crate::table::manuals;
use crate::variables::{
    CommandValue, VariableKind, command_value, is_system_directory, is_writable_place, loads_code,
};
use crate::view::{View, has_trait, show};
use aegish_effects::{EffectKind, Source, Value, VariableCode};
use aegish_profiles::Trait;

pub(crate) const RULE: Rule = Rule {
    id: "environment-injection",
    name: "environment-injection",
    title: "Environment injection",
    summary: "Sets a variable that makes other programs run something.",
    action: Action::Block,
    manual: manuals::ENVIRONMENT_INJECTION,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    let Some(EffectKind::Setenv { name, value, code: followed }) = view.effect() else { return };
    let Some(variable) = VariableKind::of(name) else { return };
    if value.pieces().is_empty() {
        return;
    }
    match followed {
        VariableCode::Followed => {
            out.add(&RULE, &kind::KNOWN_CODE, Match::Must, || {
                format!("sets {name} to code that a shell runs automatically")
            });
            return;
        }
        VariableCode::RunsNothing => return,
        VariableCode::Unread => {}
    }
    match variable {
        VariableKind::Command => command(view, name, value, out),
        VariableKind::Code => code(name, value, out),
        VariableKind::Prompt => prompt(name, value, out),
        VariableKind::Startup => startup(view, name, value, out),
        VariableKind::Programs => programs(view, name, value, out),
        VariableKind::Modules => modules(view, name, value, out),
        VariableKind::Options => options(name, value, out),
        VariableKind::Config => config(view, name, value, out),
        VariableKind::ShellMode => runs_code(name, value, out),
        VariableKind::Verification => verification(name, value, out),
        // library-loading and security-tool-disabled cover these.
        VariableKind::Library | VariableKind::LibraryPath | VariableKind::History => {}
    }
}

fn runs_code(name: &str, value: &Value, out: &mut Findings<'_>) {
    out.add(&RULE, &kind::RUNS_CODE, Match::Must, || {
        format!("sets {name} to {}, which other programs then run or obey", show(value))
    });
}

fn command(view: &View<'_>, name: &str, value: &Value, out: &mut Findings<'_>) {
    match command_value(value, view.setting) {
        CommandValue::Helper => {}
        CommandValue::Other => out.add(&RULE, &kind::ODD_COMMAND, Match::Must, || {
            format!("sets {name} to {}, which is not an ordinary helper", show(value))
        }),
        CommandValue::Dangerous => runs_code(name, value, out),
        CommandValue::Unknown => {
            // Passing on one's own variable (`EDITOR=$VISUAL`) changes nothing.
            let own =
                value.taint().sources().all(|source| matches!(source, Source::Environment(_)));
            if !own || value.taint().is_none() && !value.has_unknown() {
                unknown(name, out);
            }
        }
    }
}

fn unknown(name: &str, out: &mut Findings<'_>) {
    out.add(&RULE, &kind::UNKNOWN_VALUE, Match::Must, || {
        format!("sets {name}, which other programs run, to something that cannot be read")
    });
}

fn code(name: &str, value: &Value, out: &mut Findings<'_>) {
    match value.as_known() {
        // Most uses of PROMPT_COMMAND save the history after every command.
        Some(text) if name == "PROMPT_COMMAND" && text.split(';').all(is_plain_prompt_command) => {}
        Some(text)
            if name != "PROMPT_COMMAND"
                && !name.starts_with("BASH_FUNC_")
                && !substitutes(text) => {}
        // A time stamp in a trace is harmless.
        Some(text) if name.starts_with("PS") && only_tells_nothing(text) => {
            prompt(name, value, out);
        }
        Some(_) => runs_code(name, value, out),
        None => unknown(name, out),
    }
}

fn is_plain_prompt_command(part: &str) -> bool {
    let part = part.trim();
    let word = part.split_whitespace().next().unwrap_or("");
    matches!(
        word,
        "" | "history"
            | "__git_ps1"
            | "$PROMPT_COMMAND"
            | "${PROMPT_COMMAND}"
            | "update_terminal_cwd"
    ) || word.starts_with("_direnv")
        || word.starts_with("starship_")
}

/// Whether every substitution runs a program whose output reveals nothing (`date`, `tput`).
fn only_tells_nothing(text: &str) -> bool {
    !text.contains('`')
        && text.split("$(").skip(1).all(|code| {
            let name = code.split(|c: char| c.is_whitespace() || c == ')').next().unwrap_or("");
            let simple = !code.split(')').next().unwrap_or("").contains([';', '|', '&', '>', '<']);
            simple && has_trait(name, Trait::RevealsNothing)
        })
}

fn substitutes(text: &str) -> bool {
    text.contains("$(") || text.contains('`')
}

fn prompt(name: &str, value: &Value, out: &mut Findings<'_>) {
    if let Some(text) = value.as_known()
        && substitutes(&text.replace("$(__git_ps1", "").replace("$(git ", ""))
    {
        out.add(&RULE, &kind::PROMPT_CODE, Match::Must, || {
            format!("sets {name} to a prompt that runs code each time")
        });
    }
}

fn startup(view: &View<'_>, name: &str, value: &Value, out: &mut Findings<'_>) {
    let Some(text) = value.as_known() else {
        if name != "ENV" {
            unknown(name, out);
        }
        return;
    };
    match name {
        // `ENV=production` is a setting of some program, not a start file.
        "ENV" if !text.contains(['/', '$', '~', '`']) && !text.ends_with(".sh") => {}
        "ZDOTDIR" | "PYTHONSTARTUP" | "R_PROFILE" | "R_PROFILE_USER" | "GDBINIT" => {
            let place = ClassifiedPath::of(value, view.setting);
            let own = place.is_some_and(|place| place.in_home && !place.in_cwd);
            if !own && !is_system_directory(text) && !text.starts_with("/etc/") {
                runs_code(name, value, out);
            }
        }
        _ if text == "/dev/null" => {}
        _ => runs_code(name, value, out),
    }
}

/// Each directory of a list, as far as its start is known.
fn entries(value: &Value) -> Vec<String> {
    let text = encode(value, 0);
    text.split(|byte| *byte == b':')
        .map(|entry| {
            entry.split(|byte| is_special(std::slice::from_ref(byte))).next().unwrap_or_default()
        })
        .filter_map(|known| std::str::from_utf8(known).ok().map(str::to_owned))
        .filter(|known| !known.is_empty())
        .collect()
}

fn programs(view: &View<'_>, name: &str, value: &Value, out: &mut Findings<'_>) {
    for entry in entries(value) {
        if is_system_directory(&entry) || entry == "/dev/null" {
            continue;
        }
        let own = ClassifiedPath::of(&Value::known(entry.as_str()), view.setting)
            .is_some_and(|place| place.in_home && place.absolute && !place.in_cwd);
        if own && name == "GIT_TEMPLATE_DIR" {
            continue;
        }
        runs_code(name, value, out);
    }
}

fn modules(view: &View<'_>, name: &str, value: &Value, out: &mut Findings<'_>) {
    // Modules of the project itself.
    let own = |entry: &str| {
        matches!(entry, "." | "./")
            || ClassifiedPath::of(&Value::known(entry), view.setting)
                .is_some_and(|place| place.in_cwd || place.extent == Extent::OwnDirectory)
    };
    let foreign = |entry: &String| is_writable_place(entry, view.setting) && !own(entry);
    if entries(value).iter().any(foreign) {
        runs_code(name, value, out);
    }
}

fn options(name: &str, value: &Value, out: &mut Findings<'_>) {
    let known = value.as_known().unwrap_or_else(|| value.known_prefix());
    if loads_code(name, known) {
        runs_code(name, value, out);
    }
}

fn config(view: &View<'_>, name: &str, value: &Value, out: &mut Findings<'_>) {
    let Some(text) = value.as_known() else { return };
    if name.starts_with("GIT_CONFIG_VALUE_") {
        return;
    }
    if name.starts_with("GIT_CONFIG_KEY_") || name == "GIT_CONFIG_PARAMETERS" {
        if names_a_command(text) {
            runs_code(name, value, out);
        }
        return;
    }
    if name == "MAILPATH" && substitutes(text) {
        runs_code(name, value, out);
        return;
    }
    if name == "TERMCAP" && !text.starts_with('/') {
        return;
    }
    for entry in text.split([':', '?']) {
        let place = ClassifiedPath::of(&Value::known(entry), view.setting);
        if place.is_some_and(|place| place.write_class() == Some(WriteClass::Temporary)) {
            runs_code(name, value, out);
        }
    }
}

/// Settings of git whose value is a command.
fn names_a_command(key: &str) -> bool {
    const KEYS: [&str; 16] = [
        "alias.",
        "askpass",
        "browser",
        ".clean",
        ".cmd",
        "diff.external",
        "editor",
        "fsmonitor",
        "helper",
        "hookspath",
        "pager",
        ".process",
        "proxycommand",
        ".smudge",
        "sshcommand",
        "textconv",
    ];
    let key = key.to_ascii_lowercase();
    KEYS.iter().any(|part| key.contains(part))
}

fn verification(name: &str, value: &Value, out: &mut Findings<'_>) {
    let switched_on = matches!(value.as_known(), Some("1" | "true" | "yes" | "on"));
    let off = match name {
        "NODE_TLS_REJECT_UNAUTHORIZED" | "PYTHONHTTPSVERIFY" => {
            matches!(value.as_known(), Some("0" | "false"))
        }
        _ => switched_on || name.starts_with("GO"),
    };
    if off {
        out.add(&RULE, &kind::NO_VERIFICATION, Match::Must, || {
            format!("sets {name}, so that nobody checks who answers")
        });
    }
}
