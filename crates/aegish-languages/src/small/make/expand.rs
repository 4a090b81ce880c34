//! Makefiles: references to variables and functions.

use super::super::quoted_words::enclosed;
use super::super::{MAX_EFFECTS, known, text_from, text_to};
use super::{MakeRule, Makefile, split_outside};
use crate::{CodeContext, CodeEffect};
use aegish_profiles::Lang;
use aegish_values::{MAX_ALTERNATIVES, Piece, Value, join_values};

/// Maximum depth of nested references.
const MAX_DEPTH: usize = 8;

/// Words of a list that are followed one by one.
const MAX_WORDS: usize = 256;

/// Where text is expanded: in a recipe, in a function that is called.
#[derive(Clone, Default)]
pub(super) struct Scope<'a> {
    pub(super) rule: Option<&'a MakeRule>,
    /// Arguments of `call`, variables of `foreach`.
    pub(super) locals: Vec<(String, Value)>,
    pub(super) depth: usize,
}

pub(super) struct Expander<'a> {
    pub(super) file: &'a Makefile,
    pub(super) around: &'a CodeContext<'a>,
}

/// What `%` of a pattern stands for in a text.
pub(super) fn stem(pattern: &str, text: &str) -> Option<String> {
    let (start, end) = pattern.split_once('%')?;
    let rest = text.strip_prefix(start)?.strip_suffix(end)?;
    (!rest.is_empty()).then(|| rest.to_owned())
}

impl Expander<'_> {
    pub(super) fn expand(
        &self,
        text: &str,
        scope: &Scope<'_>,
        effects: &mut Vec<CodeEffect>,
    ) -> Value {
        let mut out = Value::empty();
        if scope.depth > MAX_DEPTH || effects.len() > MAX_EFFECTS {
            return Value::unknown("make expression");
        }
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            if out.pieces().len() > 256 {
                out.push(Piece::Unknown("make expression"));
                return out;
            }
            out.push_str(text_to(rest, at));
            rest = text_from(rest, at + 1);
            let Some(c) = rest.chars().next() else {
                out.push_str("$");
                return out;
            };
            let reference = enclosed(rest, '(', ')').or_else(|| enclosed(rest, '{', '}'));
            match (c, reference) {
                ('$', _) => {
                    out.push_str("$");
                    rest = text_from(rest, 1);
                }
                (_, Some((inner, tail))) => {
                    rest = tail;
                    let quoted = out.pieces().iter().any(|piece| match piece {
                        Piece::Text(text) => text.matches('\'').count() % 2 == 1,
                        _ => false,
                    });
                    out.append(&self.reference(inner, scope, quoted, effects));
                }
                (c, None) => {
                    rest = text_from(rest, c.len_utf8());
                    out.append(&self.variable(c.encode_utf8(&mut [0; 4]), scope));
                }
            }
        }
        out.push_str(rest);
        out
    }

    fn reference(
        &self,
        inner: &str,
        scope: &Scope<'_>,
        quoted: bool,
        effects: &mut Vec<CodeEffect>,
    ) -> Value {
        let inside = Scope { depth: scope.depth + 1, ..scope.clone() };
        let (function, argument) = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
        match function {
            "shell" => {
                let command = self.expand(argument.trim(), &inside, effects);
                effects.push(CodeEffect::Shell(command.clone()));
                let text = command.as_known();
                match (text, text.and_then(printed)) {
                    (_, Some(text)) => known(text),
                    // The shell of a recipe gets what this prints, as if it ran the command itself.
                    (Some(text), None) if scope.rule.is_some() && !quoted => {
                        known(format!("$({text})"))
                    }
                    _ => Value::unknown("output of a command"),
                }
            }
            "file" => {
                let (target, content) = argument.split_once(',').unwrap_or((argument, ""));
                let name = target.trim().trim_start_matches(['>', '<']).trim();
                let path = self.expand(name, &inside, effects);
                if target.trim().starts_with('<') {
                    effects.push(CodeEffect::Read(path));
                } else {
                    let content = self.expand(content, &inside, effects);
                    let append = target.trim().starts_with(">>");
                    effects.push(CodeEffect::Write { path, content, append });
                }
                Value::empty()
            }
            "guile" => {
                effects.push(CodeEffect::Eval(Lang::Scheme, known(argument)));
                Value::unknown("make function")
            }
            "eval" => {
                let code = self.expand(argument, &inside, effects);
                effects.push(CodeEffect::Eval(Lang::Make, code));
                Value::empty()
            }
            _ if !argument.is_empty() => self.function(function, argument, &inside, effects),
            name => match name.split_once(':').filter(|(_, change)| change.contains('=')) {
                // `$(NAME:.c=.o)`
                Some((name, change)) => {
                    let (from, to) = change.split_once('=').unwrap_or((change, ""));
                    let value = self.variable(name, &inside);
                    let percent = |text: &str| match change.contains('%') {
                        true => text.to_owned(),
                        false => format!("%{text}"),
                    };
                    computed("patsubst", &[known(percent(from)), known(percent(to)), value])
                }
                None => {
                    let name = self.expand(name, &inside, effects);
                    match name.as_known() {
                        Some(name) => self.variable(name, &inside),
                        None => Value::unknown("make variable"),
                    }
                }
            },
        }
    }

    fn function(
        &self,
        name: &str,
        argument: &str,
        scope: &Scope<'_>,
        effects: &mut Vec<CodeEffect>,
    ) -> Value {
        let mut texts = Vec::new();
        let mut rest = argument.trim_start();
        while let Some((first, tail)) = split_outside(rest, ',') {
            texts.push(first);
            rest = tail;
        }
        texts.push(rest);
        if name == "foreach"
            && let [variable, list, body @ ..] = texts.as_slice()
        {
            let list = self.expand(list, scope, effects);
            let short = |words: &&str| words.split_whitespace().count() <= MAX_WORDS;
            let Some(words) = list.as_known().filter(short) else {
                let mut inside = scope.clone();
                inside.locals.push((variable.trim().to_owned(), list));
                return self.expand(&body.join(","), &inside, effects);
            };
            let mut all = Value::empty();
            for (at, word) in words.split_whitespace().enumerate() {
                let mut inside = scope.clone();
                inside.locals.push((variable.trim().to_owned(), known(word)));
                if at > 0 {
                    all.push_str(" ");
                }
                all.append(&self.expand(&body.join(","), &inside, effects));
            }
            return all;
        }
        let values: Vec<Value> =
            texts.iter().map(|text| self.expand(text, scope, effects)).collect();
        let value = |at: usize| values.get(at).cloned().unwrap_or_default();
        let empty = |value: &Value| value.as_known().map(|text| text.trim().is_empty());
        match name {
            "call" => {
                let function = value(0);
                let Some(function) = function.as_known().map(str::trim) else {
                    return Value::unknown("make function");
                };
                let mut inside = scope.clone();
                for (at, argument) in values.iter().enumerate() {
                    inside.locals.push((at.to_string(), argument.clone()));
                }
                match self.file.variables.get(function) {
                    Some(body) => self.expand(body, &inside, effects),
                    None => self.function(
                        function,
                        &texts.get(1..).unwrap_or_default().join(","),
                        &inside,
                        effects,
                    ),
                }
            }
            "if" => match empty(&value(0)) {
                Some(false) => value(1),
                Some(true) => value(2),
                None => join_values(&value(1), &value(2)),
            },
            "or" => {
                let some = values.iter().find(|value| empty(value) != Some(true));
                some.cloned().unwrap_or_default()
            }
            "and" => match values.iter().any(|value| empty(value) == Some(true)) {
                true => Value::empty(),
                false => values.last().cloned().unwrap_or_default(),
            },
            "value" => match self.file.variables.get(value(0).as_known().unwrap_or_default()) {
                Some(text) => known(text.as_str()),
                None => Value::empty(),
            },
            // The shell finds the same files.
            "wildcard" | "strip" | "abspath" | "realpath" => value(0),
            "info" | "warning" | "error" => Value::empty(),
            _ => computed(name, &values),
        }
    }

    fn variable(&self, name: &str, scope: &Scope<'_>) -> Value {
        if let Some((_, value)) = scope.locals.iter().rev().find(|(local, _)| local == name) {
            return value.clone();
        }
        let inside = Scope { depth: scope.depth + 1, ..scope.clone() };
        if let Some(rule) = scope.rule {
            if let Some(value) = of_rule(rule, name) {
                return value;
            }
            let own = self.file.of_targets.iter().rev().find(|(targets, local, _)| {
                local == name
                    && targets.iter().any(|target| {
                        rule.targets.iter().any(|one| one == target || stem(target, one).is_some())
                    })
            });
            let given = |word: &Value| word.known_prefix().starts_with(&format!("{name}="));
            if let Some((_, _, text)) = own.filter(|_| !self.around.args.iter().any(given)) {
                return self.expand(text, &inside, &mut Vec::new());
            }
        }
        if let Some(text) = self.file.variables.get(name) {
            // Calls in the value were reported where the variable was set.
            return self.expand(text, &inside, &mut Vec::new());
        }
        let usual = match name {
            "RM" => Some("rm -f"),
            "MAKE" => Some("make"),
            "SHELL" => Some("/bin/sh"),
            _ => None,
        };
        match usual.map(str::to_owned).or_else(|| (self.around.env)(name)) {
            Some(text) => known(text),
            None if name == "CC" => known("cc"),
            None => Value::unknown("make variable"),
        }
    }
}

/// Variables that make sets for each rule.
fn of_rule(rule: &MakeRule, name: &str) -> Option<Value> {
    let (first, part) = match name.strip_suffix(['D', 'F']) {
        Some(first) if first.len() == 1 => (first, name.chars().last()),
        _ => (name, None),
    };
    let text = match first {
        "@" => rule.targets.first()?.clone(),
        "<" => rule.needs.first()?.clone(),
        "^" | "+" | "?" if !rule.needs.is_empty() => rule.needs.join(" "),
        "*" => rule.stem.clone()?,
        _ => return None,
    };
    let (directory, file) = text.rsplit_once('/').unwrap_or((".", &text));
    Some(known(match part {
        Some('D') => directory,
        Some(_) => file,
        None => &text,
    }))
}

/// The output of a command that only prints what it is given.
fn printed(command: &str) -> Option<String> {
    let words = command.trim().strip_prefix("echo ")?;
    let plain = |c: char| c.is_alphanumeric() || " /._-+,:=@%".contains(c);
    (words.chars().all(plain) && !words.starts_with('-'))
        .then(|| words.split_whitespace().collect::<Vec<&str>>().join(" "))
}

/// What a function makes of texts.
fn computed(name: &str, values: &[Value]) -> Value {
    let texts: Option<Vec<&str>> = values.iter().map(Value::as_known).collect();
    if let Some(text) = texts.and_then(|texts| made(name, &texts)) {
        return known(text);
    }
    match values.iter().all(|value| value.readings(MAX_ALTERNATIVES).is_some()) {
        true => Value::lost(),
        false => Value::unknown("make function"),
    }
}

fn made(name: &str, texts: &[&str]) -> Option<String> {
    let text = |at: usize| texts.get(at).copied();
    let each = |list: &str, change: &dyn Fn(&str) -> String| {
        list.split_whitespace().map(change).collect::<Vec<String>>().join(" ")
    };
    let number = |at: usize| text(at)?.trim().parse::<usize>().ok();
    let some = |list: &str, keep: &dyn Fn(&str) -> bool| {
        list.split_whitespace().filter(|word| keep(word)).collect::<Vec<&str>>().join(" ")
    };
    let fits = |patterns: &str, word: &str| {
        patterns
            .split_whitespace()
            .any(|pattern| pattern == word || stem(pattern, word).is_some() || pattern == "%")
    };
    Some(match (name, texts) {
        ("subst", [from, to, list]) if !from.is_empty() => list.replace(from, to),
        ("patsubst", [from, to, list]) => {
            let (from, to) = (from.trim(), to.trim());
            each(list, &|word| match stem(from, word) {
                Some(stem) => to.replacen('%', &stem, 1),
                None if from == word => to.to_owned(),
                None => word.to_owned(),
            })
        }
        ("addprefix", [prefix, list]) => each(list, &|word| format!("{prefix}{word}")),
        ("addsuffix", [suffix, list]) => each(list, &|word| format!("{word}{suffix}")),
        ("firstword", [list]) => list.split_whitespace().next()?.to_owned(),
        ("lastword", [list]) => list.split_whitespace().last()?.to_owned(),
        ("word", [_, list]) => {
            list.split_whitespace().nth(number(0)?.checked_sub(1)?).unwrap_or_default().to_owned()
        }
        ("wordlist", [_, _, list]) => {
            let (from, to) = (number(0)?.checked_sub(1)?, number(1)?);
            let words = list.split_whitespace().skip(from).take(to.saturating_sub(from));
            words.collect::<Vec<&str>>().join(" ")
        }
        ("words", [list]) => list.split_whitespace().count().to_string(),
        ("sort", [list]) => {
            let mut words: Vec<&str> = list.split_whitespace().collect();
            words.sort_unstable();
            words.dedup();
            words.join(" ")
        }
        ("filter", [patterns, list]) => some(list, &|word| fits(patterns, word)),
        ("filter-out", [patterns, list]) => some(list, &|word| !fits(patterns, word)),
        ("findstring", [part, list]) if list.contains(part) => (*part).to_owned(),
        ("findstring", _) => String::new(),
        ("dir", [list]) => each(list, &|word| match word.rfind('/') {
            Some(at) => text_to(word, at + 1).to_owned(),
            None => "./".to_owned(),
        }),
        ("notdir", [list]) => {
            each(list, &|word| word.rsplit('/').next().unwrap_or_default().to_owned())
        }
        ("basename", [list]) => each(list, &|word| match word.rfind('.') {
            Some(at) if !text_from(word, at).contains('/') => text_to(word, at).to_owned(),
            _ => word.to_owned(),
        }),
        ("suffix", [list]) => some(
            &each(list, &|word| {
                word.rfind('.').map(|at| text_from(word, at)).unwrap_or_default().to_owned()
            }),
            &|word| !word.contains('/'),
        ),
        ("join", [a, b]) => {
            let (mut a, mut b) = (a.split_whitespace(), b.split_whitespace());
            let mut out = Vec::new();
            loop {
                match (a.next(), b.next()) {
                    (None, None) => break,
                    (a, b) => out.push(format!("{}{}", a.unwrap_or(""), b.unwrap_or(""))),
                }
            }
            out.join(" ")
        }
        _ => return None,
    })
}
