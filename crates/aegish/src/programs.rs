//! `aegish programs`: the program profiles, for a person.

use aegish_profiles::{
    ArgumentRole, Count, DeclaredEffect, Detail, Grammar, OperandSlot, Opt, Profile, Stdin,
};
use aegish_terminal::{ExitKind, Failure, Screen, Style};
use std::collections::BTreeMap;
use std::fmt;

/// Names per line of the list are fitted to this width.
const WIDTH: usize = 100;

pub(crate) fn run(name: Option<&str>, screen: &mut Screen) -> Result<ExitKind, Failure> {
    match name {
        None => list(screen),
        Some(name) => match aegish_profiles::find(name) {
            Some(profile) => card(profile, screen),
            None => {
                return Err(Failure::usage(format!(
                    "nothing is known about `{name}`; `aegish programs` lists what is known"
                )));
            }
        },
    }
    Ok(ExitKind::Allow)
}

fn list(screen: &mut Screen) {
    let profiles: Vec<&Profile> = aegish_profiles::all().collect();
    let names: usize = profiles.iter().map(|profile| 1 + profile.aliases.len()).sum();
    let longest = profiles.iter().map(|profile| profile.name.len()).max().unwrap_or(1);
    screen.put(format_args!("{} programs, {names} names", profiles.len())).end();
    let columns = (WIDTH / (longest + 2)).max(1);
    for row in profiles.chunks(columns) {
        let cells: Vec<String> =
            row.iter().map(|profile| format!("{:<longest$}", profile.name)).collect();
        screen.put(cells.join("  ").trim_end()).end();
    }
}

fn card(profile: &Profile, screen: &mut Screen) {
    screen.paint(Style::Strong, profile.name).put(": ").put(profile.summary).end();
    if !profile.aliases.is_empty() {
        field("also called", &profile.aliases.join(", "), 0, screen);
    }
    field("source", profile.source, 0, screen);
    if let Some(special) = profile.special {
        field("grammar", &format!("{special:?}, built in").to_lowercase(), 0, screen);
    }
    for (variable, role) in profile.env {
        field("variable", &format!("{variable} ({})", words(&format!("{role:?}"))), 0, screen);
    }
    grammar(&profile.grammar, 0, screen);
    if !profile.examples.is_empty() {
        screen.end();
        screen.paint(Style::Strong, "examples").end();
    }
    for example in profile.examples {
        screen.put("  ").put(aegish_terminal::visible(example.command)).end();
        for effect in example.effects {
            screen.put("      ").put(effect).end();
        }
        if !example.never.is_empty() {
            screen.put("      ").paint(Style::Faint, "never: ").put(example.never.join(", ")).end();
        }
    }
}

fn grammar(grammar: &Grammar, depth: usize, screen: &mut Screen) {
    if !grammar.operands.is_empty() {
        field("operands", &slots(grammar.operands), depth, screen);
    }
    match grammar.stdin {
        Stdin::None => {}
        Stdin::Data => field("standard input", "data", depth, screen),
        Stdin::Code(lang) => {
            field("standard input", &format!("{} code", lang.word()), depth, screen);
        }
        Stdin::RemoteCode => {
            field("standard input", "shell code for another machine", depth, screen);
        }
        Stdin::ArgvLines => field("standard input", "command lines", depth, screen),
        Stdin::Paths => field("standard input", "names of files that are read", depth, screen),
    }
    if let Some(keys) = grammar.keys {
        field("typed at it", keys, depth, screen);
    }
    effects(grammar.does, depth, screen);
    options(grammar.options, depth, screen);
    for mode in grammar.modes {
        field("with", &mode.when.join(" "), depth, screen);
        if let Some(operands) = mode.operands {
            field("operands", &slots(operands), depth + 1, screen);
        }
        effects(mode.does, depth + 1, screen);
        options(mode.options, depth + 1, screen);
    }
    for sub in grammar.subs {
        field("subcommand", &sub.names.join(" | "), depth, screen);
        self::grammar(&sub.grammar, depth + 1, screen);
    }
}

/// Options, grouped by the role of their value.
fn options(options: &[Opt], depth: usize, screen: &mut Screen) {
    let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for option in options {
        let value = match option.value {
            None => "flag".to_owned(),
            Some(role) => name(role),
        };
        let effects: Vec<String> = option.does.iter().map(effect).collect();
        let key =
            if effects.is_empty() { value } else { format!("{value}, {}", effects.join(", ")) };
        let names = option.names.join(" ") + if option.optional { " (attached)" } else { "" };
        groups.entry(key).or_default().push(names);
    }
    for (role, names) in groups {
        field(&format!("options: {role}"), &names.join(", "), depth, screen);
    }
}

fn effects(effects: &[DeclaredEffect], depth: usize, screen: &mut Screen) {
    if !effects.is_empty() {
        let list: Vec<String> = effects.iter().map(effect).collect();
        field("does", &list.join(", "), depth, screen);
    }
}

fn effect(effect: &DeclaredEffect) -> String {
    struct ShownProgram(Detail);
    impl fmt::Display for ShownProgram {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.0.write(f)
        }
    }
    match *effect {
        DeclaredEffect::Behaviour(behaviour, "") => behaviour.word().to_owned(),
        DeclaredEffect::Behaviour(behaviour, argument) => {
            format!("{} ({argument})", behaviour.word())
        }
        DeclaredEffect::System(what, detail) => {
            format!("{} ({})", what.words(), ShownProgram(detail))
        }
    }
}

fn slots(slots: &[OperandSlot]) -> String {
    let one = |slot: &OperandSlot| {
        let count = match slot.count {
            Count::One => "",
            Count::Optional => "?",
            Count::Any => "*",
            Count::Some => "+",
        };
        name(slot.role) + count
    };
    slots.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// The word used in profiles.
fn name(role: ArgumentRole) -> String {
    match role {
        ArgumentRole::Code(lang) => format!("code:{}", lang.word()),
        ArgumentRole::Script(lang) => format!("script:{}", lang.word()),
        other => words(&format!("{other:?}")),
    }
}

/// `DeleteTree` → `delete-tree`
fn words(camel: &str) -> String {
    let mut text = String::new();
    for c in camel.chars() {
        if c.is_uppercase() && !text.is_empty() {
            text.push('-');
        }
        text.extend(c.to_lowercase());
    }
    text
}

fn field(label: &str, text: &str, depth: usize, screen: &mut Screen) {
    let indent = "  ".repeat(depth + 1);
    screen.put(&indent).paint(Style::Faint, format_args!("{label}: "));
    let mut column = indent.len() + label.len() + 2;
    for (index, word) in text.split(' ').enumerate() {
        if index > 0 && column + word.len() >= WIDTH {
            screen.end();
            screen.put(&indent).put("    ");
            column = indent.len() + 4;
        } else if index > 0 {
            screen.put(" ");
            column += 1;
        }
        screen.put(word);
        column += word.len();
    }
    screen.end();
}
