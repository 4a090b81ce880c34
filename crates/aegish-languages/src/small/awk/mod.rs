//! awk, followed as it runs: variables, arrays, functions, loops; what it runs, opens and writes, and what it prints.
//!
//! A condition that is not known is followed on both sides, and a loop without a known end until its variables stay the
//! same. Without its input a program is followed for any lines. Assignments on the command line arrive as
//! `name=value` among the arguments.

mod expressions;
mod grammar;
mod input;
mod lex;
mod library;
mod memory;
mod parse;
mod run;
mod values;

use super::known;
use crate::{CodeContext, CodeEffect};
use aegish_values::Value;
use run::Awk;
use values::Datum;

pub(super) fn awk(code: &str, around: &CodeContext<'_>, effects: &mut Vec<CodeEffect>) {
    let program = parse::program(&lex::tokens(code));
    let mut awk = Awk::new(&program, around.env);
    for value in around.args {
        if let Some((name, text)) = value.as_known().and_then(|text| text.split_once('=')) {
            awk.assign_name(name, Datum::Input(known(lex::unescaped(text))));
        }
    }
    awk.run();
    effects.extend(awk.effects);
}

/// What a run of awk with known arguments and input prints and does.
#[derive(Debug, Default)]
pub struct AwkRun {
    /// The output, if all of it is known.
    pub printed: Option<String>,
    /// What it prints on any input.
    pub any: Value,
    /// What it runs, opens and writes because of its input: what it does on any is not repeated.
    pub more: Vec<CodeEffect>,
}

/// Follows a run of awk; `words` are its arguments. `None` if it is not known how it begins.
#[must_use]
pub fn awk_run(
    words: &[&str],
    stdin: Option<&str>,
    env: &dyn Fn(&str) -> Option<String>,
    read: &dyn Fn(&str) -> Option<String>,
) -> Option<AwkRun> {
    let mut assigned = Vec::new();
    let mut code: Option<String> = None;
    let mut rest = words.iter();
    let mut operands = Vec::new();
    while let Some(word) = rest.next() {
        let mut value = |short: &str| match word.get(short.len()..).filter(|tail| !tail.is_empty())
        {
            Some(tail) => Some(tail),
            None => rest.next().copied(),
        };
        if *word == "--" {
            operands.extend(rest.by_ref().copied());
        } else if word.starts_with("-F") {
            // A tab in some versions, the letter in others.
            let text = value("-F").filter(|text| *text != "t")?;
            assigned.push(("FS", lex::unescaped(text)));
        } else if word.starts_with("-v") {
            let (name, text) = value("-v")?.split_once('=')?;
            assigned.push((name, lex::unescaped(text)));
        } else if word.starts_with("-f") {
            let text = read(value("-f")?)?;
            code.get_or_insert_default().push_str(&format!("{text}\n"));
        } else if word.starts_with("-e") {
            let text = value("-e")?;
            code.get_or_insert_default().push_str(&format!("{text}\n"));
        } else if word.len() > 1 && word.starts_with('-') {
            return None;
        } else {
            operands.push(*word);
            operands.extend(rest.by_ref().copied());
        }
    }
    let mut operands = operands.into_iter();
    let code = match code {
        Some(code) => code,
        None => operands.next()?.to_owned(),
    };
    let program = parse::program(&lex::tokens(&code));
    let mut any = Awk::new(&program, env);
    for (name, text) in &assigned {
        any.assign_name(name, Datum::Input(known(text.as_str())));
    }
    any.run();
    let mut awk = Awk::new(&program, env);
    awk.exact = true;
    awk.files = Some(read);
    for (name, text) in assigned {
        awk.assign_name(name, Datum::Input(known(text)));
    }
    let mut input: Option<String> = None;
    for operand in operands {
        match operand.split_once('=').filter(|(name, _)| is_name(name)) {
            // It takes effect between files.
            Some(_) if input.is_some() => return None,
            Some((name, text)) => awk.assign_name(name, Datum::Input(known(lex::unescaped(text)))),
            None => {
                let text = match operand {
                    "-" | "/dev/stdin" => stdin.map(str::to_owned),
                    path => read(path),
                };
                let all = input.get_or_insert_default();
                if !all.is_empty() && !all.ends_with('\n') {
                    all.push('\n');
                }
                match text.or_else(|| (!program.reads_input).then(String::new)) {
                    Some(text) => all.push_str(&text),
                    None => return Some(AwkRun { any: any.printed, ..AwkRun::default() }),
                }
            }
        }
    }
    awk.input = match input {
        Some(text) => Some(text),
        None => stdin.map(str::to_owned),
    };
    if awk.input.is_none() && program.reads_input {
        return Some(AwkRun { any: any.printed, ..AwkRun::default() });
    }
    awk.run();
    let printed = awk.printed.as_known().map(str::to_owned).filter(|_| !awk.lost);
    let mut more = awk.effects;
    more.retain(|effect| !any.effects.contains(effect));
    Some(AwkRun { printed, any: any.printed, more })
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// What opening gawk's `/inet/protocol/local/host/remote` does.
fn network(path: &Value) -> Option<CodeEffect> {
    if !path.known_prefix().starts_with("/inet") {
        return None;
    }
    // Only slashes in known text separate fields.
    let mut fields = vec![Value::empty()];
    for piece in path.pieces() {
        if let aegish_values::Piece::Text(text) = piece {
            for (index, part) in text.split('/').enumerate() {
                if index > 0 {
                    fields.push(Value::empty());
                }
                if let Some(field) = fields.last_mut() {
                    field.push_str(part);
                }
            }
        } else if let Some(field) = fields.last_mut() {
            field.push(piece.clone());
        }
    }
    let field = |index: usize| fields.get(index).cloned().unwrap_or_default();
    matches!(field(1).as_known(), Some("inet" | "inet4" | "inet6")).then_some(())?;
    let (local, host, remote) = (field(3), field(4), field(5));
    let open = |value: &Value| matches!(value.as_known(), Some("0" | ""));
    Some(if open(&remote) && !open(&local) {
        CodeEffect::Listen { host: Value::empty(), port: local }
    } else {
        CodeEffect::Connect { host, port: remote }
    })
}
