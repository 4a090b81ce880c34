//! Makefiles: recipes, `$(shell …)`, `!=`, `$(file …)`, includes.
//!
//! Arguments are the goals: the recipes of the goals and of their prerequisites are reported. An empty
//! argument is the default goal. No arguments mean that the goals are not known, and every recipe is
//! reported.

use super::quoted_words::enclosed;
use super::{known, text_from, text_to};
use crate::{CodeContext, CodeEffect};
use aegish_profiles::Lang;
use aegish_values::{Piece, Value};
use std::collections::{HashMap, HashSet};

/// Maximum depth of nested references.
const MAX_DEPTH: usize = 8;

struct MakeRule {
    targets: Vec<String>,
    needs: Vec<String>,
    recipe: Vec<String>,
}

#[derive(Default)]
struct Makefile {
    rules: Vec<MakeRule>,
    variables: HashMap<String, String>,
    /// Lines outside of rules. Their references are expanded when the file is read.
    immediate: Vec<String>,
}

pub(super) fn make(code: &str, around: &CodeContext<'_>, effects: &mut Vec<CodeEffect>) {
    let mut file = Makefile::default();
    let mut lines = logical(code).into_iter().peekable();
    while let Some(line) = lines.next() {
        if let Some(name) = line.trim_start().strip_prefix("define ") {
            let name = name.trim().trim_end_matches(['=', ':', '?', '+']).trim().to_owned();
            let mut body = Vec::new();
            for line in lines.by_ref() {
                if line.trim() == "endef" {
                    break;
                }
                body.push(line.trim_start_matches('\t').to_owned());
            }
            file.variables.insert(name, body.join("\n"));
            continue;
        }
        file.line(&line, effects);
    }
    let expander = Expander { file: &file, around };
    for line in &file.immediate {
        expander.expand(line, None, effects);
    }
    for rule in file.wanted(around) {
        for line in &rule.recipe {
            for line in line.split('\n') {
                let line = line.trim_start_matches(|c: char| {
                    c.is_whitespace() || matches!(c, '@' | '-' | '+')
                });
                let command = expander.expand(line, Some(rule), effects);
                if command.as_known() != Some("") {
                    effects.push(CodeEffect::Shell(command));
                }
            }
        }
    }
}

/// Joins continued lines. A recipe keeps the backslashes for the shell.
fn logical(code: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut open = false;
    for line in code.lines() {
        match out.last_mut() {
            Some(last) if open => {
                last.pop();
                let recipe = last.starts_with('\t');
                last.push_str(if recipe { "\\\n" } else { " " });
                last.push_str(line.strip_prefix('\t').unwrap_or(line));
            }
            _ => out.push(line.to_owned()),
        }
        let backslashes = line.len() - line.trim_end_matches('\\').len();
        open = backslashes % 2 == 1;
    }
    // A continued recipe line is one command.
    out.into_iter().map(|line| line.replace("\\\n", " ")).collect()
}

impl Makefile {
    fn line(&mut self, line: &str, effects: &mut Vec<CodeEffect>) {
        if let Some(recipe) = line.strip_prefix('\t').filter(|_| !self.rules.is_empty()) {
            if let Some(rule) = self.rules.last_mut() {
                rule.recipe.push(recipe.to_owned());
            }
            return;
        }
        let text = without_comment(line).trim();
        if text.is_empty() {
            return;
        }
        for word in ["include ", "-include ", "sinclude "] {
            if let Some(files) = text.strip_prefix(word) {
                for path in files.split_whitespace().filter(|path| !path.contains('$')) {
                    effects.push(CodeEffect::Script(Lang::Make, known(path)));
                }
                return;
            }
        }
        if let Some(object) = text.strip_prefix("load ").or_else(|| text.strip_prefix("-load ")) {
            let path = object.split(['(', ' ']).next().unwrap_or("");
            effects.push(CodeEffect::Load(known(path)));
            return;
        }
        let text =
            text.strip_prefix("export ").or_else(|| text.strip_prefix("override ")).unwrap_or(text);
        match assignment(text) {
            Some((name, "!=", value)) => self.immediate.push(format!("{name}$(shell {value})")),
            Some((name, operator, value)) => {
                if operator == "+=" {
                    let old = self.variables.entry(name.to_owned()).or_default();
                    old.push(' ');
                    old.push_str(value);
                } else {
                    self.variables.insert(name.to_owned(), value.to_owned());
                }
                // A deferred value is expanded when it is used; the use is assumed.
                self.immediate.push(value.to_owned());
            }
            None => self.rule(text),
        }
    }

    fn rule(&mut self, text: &str) {
        let (head, recipe) = match split_outside(text, ';') {
            Some((head, recipe)) => (head, Some(recipe)),
            None => (text, None),
        };
        let Some((targets, needs)) = split_outside(head, ':') else {
            self.immediate.push(text.to_owned());
            return;
        };
        self.immediate.push(head.to_owned());
        let needs = needs.trim_start_matches([':', '&']);
        self.rules.push(MakeRule {
            targets: targets.split_whitespace().map(str::to_owned).collect(),
            needs: needs
                .split_whitespace()
                .filter(|word| *word != "|")
                .map(str::to_owned)
                .collect(),
            recipe: recipe.map(|recipe| vec![recipe.trim().to_owned()]).unwrap_or_default(),
        });
    }

    fn wanted(&self, around: &CodeContext<'_>) -> Vec<&MakeRule> {
        let special = |rule: &MakeRule| {
            rule.targets.iter().all(|target| target.starts_with('.') && !target.contains('/'))
        };
        let unknown = around.args.is_empty() || around.args.iter().any(|goal| !goal.is_known());
        let mut goals: Vec<&str> = around
            .args
            .iter()
            .filter_map(Value::as_known)
            .filter(|goal| !goal.is_empty() && !goal.starts_with('-') && !goal.contains('='))
            .collect();
        if goals.is_empty() {
            goals.extend(
                self.rules
                    .iter()
                    .find(|rule| !special(rule))
                    .iter()
                    .flat_map(|rule| rule.targets.first().map(String::as_str)),
            );
        }
        let computed = |rule: &MakeRule| {
            rule.targets.iter().chain(&rule.needs).any(|word| word.contains(['$', '%']))
        };
        if unknown
            || goals
                .iter()
                .any(|goal| !self.rules.iter().any(|rule| rule.targets.iter().any(|t| t == goal)))
        {
            return self.rules.iter().collect();
        }
        let mut by_target: HashMap<&str, Vec<&MakeRule>> = HashMap::new();
        for rule in &self.rules {
            for target in &rule.targets {
                by_target.entry(target).or_default().push(rule);
            }
        }
        let mut seen: HashSet<&str> = HashSet::new();
        let mut open = goals;
        while let Some(goal) = open.pop() {
            if seen.insert(goal) {
                for rule in by_target.get(goal).into_iter().flatten() {
                    open.extend(rule.needs.iter().map(String::as_str));
                }
            }
        }
        // Rules with computed or pattern targets may apply to anything.
        self.rules
            .iter()
            .filter(|rule| {
                computed(rule) || rule.targets.iter().any(|target| seen.contains(target.as_str()))
            })
            .collect()
    }
}

/// `name op value`
fn assignment(text: &str) -> Option<(&str, &str, &str)> {
    let end = text.find(|c: char| c.is_whitespace() || matches!(c, ':' | '=' | '?' | '+' | '!'))?;
    let (name, rest) = text.split_at(end);
    let rest = rest.trim_start();
    let operator =
        ["::=", ":::=", ":=", "?=", "+=", "!=", "="].into_iter().find(|op| rest.starts_with(op))?;
    (!name.is_empty()).then(|| (name, operator, text_from(rest, operator.len()).trim()))
}

fn without_comment(line: &str) -> &str {
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        if c == '#' && before != '\\' {
            return text_to(line, at);
        }
        before = c;
    }
    line
}

/// Splits at a character outside of `$(…)`.
fn split_outside(text: &str, at: char) -> Option<(&str, &str)> {
    let mut depth = 0usize;
    for (index, c) in text.char_indices() {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            c if c == at && depth == 0 => {
                return Some((text_to(text, index), text_from(text, index + c.len_utf8())));
            }
            _ => {}
        }
    }
    None
}

struct Expander<'a> {
    file: &'a Makefile,
    around: &'a CodeContext<'a>,
}

impl Expander<'_> {
    fn expand(&self, text: &str, rule: Option<&MakeRule>, effects: &mut Vec<CodeEffect>) -> Value {
        let mut out = Value::empty();
        self.into(text, rule, 0, &mut out, effects);
        out
    }

    fn into(
        &self,
        text: &str,
        rule: Option<&MakeRule>,
        depth: usize,
        out: &mut Value,
        effects: &mut Vec<CodeEffect>,
    ) {
        if depth > MAX_DEPTH || out.pieces().len() > 256 || effects.len() > super::MAX_EFFECTS {
            out.push(Piece::Unknown("make expression"));
            return;
        }
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            out.push_str(text_to(rest, at));
            rest = text_from(rest, at + 1);
            let Some(c) = rest.chars().next() else {
                out.push_str("$");
                return;
            };
            let reference = enclosed(rest, '(', ')').or_else(|| enclosed(rest, '{', '}'));
            match (c, reference) {
                ('$', _) => {
                    out.push_str("$");
                    rest = text_from(rest, 1);
                }
                (_, Some((inner, tail))) => {
                    rest = tail;
                    self.reference(inner, rule, depth, out, effects);
                }
                (c, None) => {
                    rest = text_from(rest, c.len_utf8());
                    let target = rule.and_then(|rule| rule.targets.first());
                    let need = rule.and_then(|rule| rule.needs.first());
                    let needs = rule.map(|rule| rule.needs.join(" ")).filter(|all| !all.is_empty());
                    if let ('^' | '+' | '?', Some(needs)) = (c, needs) {
                        out.push_str(&needs);
                        continue;
                    }
                    match (c, target, need) {
                        ('@', Some(text), _) | ('<', _, Some(text)) => out.push_str(text),
                        _ => self.variable(&c.to_string(), rule, depth, out),
                    }
                }
            }
        }
        out.push_str(rest);
    }

    fn reference(
        &self,
        inner: &str,
        rule: Option<&MakeRule>,
        depth: usize,
        out: &mut Value,
        effects: &mut Vec<CodeEffect>,
    ) {
        let (function, argument) = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
        match function {
            "shell" => {
                let mut command = Value::empty();
                self.into(argument.trim(), rule, depth + 1, &mut command, effects);
                effects.push(CodeEffect::Shell(command));
                out.push(Piece::Unknown("output of a command"));
            }
            "file" => {
                let (target, content) = argument.split_once(',').unwrap_or((argument, ""));
                let mut path = Value::empty();
                self.into(
                    target.trim().trim_start_matches(['>', '<']).trim(),
                    rule,
                    depth + 1,
                    &mut path,
                    effects,
                );
                if target.trim().starts_with('<') {
                    effects.push(CodeEffect::Read(path));
                } else {
                    let mut text = Value::empty();
                    self.into(content, rule, depth + 1, &mut text, effects);
                    let append = target.trim().starts_with(">>");
                    effects.push(CodeEffect::Write { path, content: text, append });
                }
            }
            "guile" => effects.push(CodeEffect::Eval(Lang::Scheme, known(argument))),
            "eval" => effects.push(CodeEffect::Eval(Lang::Make, known(argument))),
            _ if !argument.is_empty() => {
                // Other functions only compute, but their arguments may contain calls.
                let mut ignored = Value::empty();
                self.into(argument, rule, depth + 1, &mut ignored, effects);
                out.push(Piece::Unknown("make function"));
            }
            name => self.variable(name, rule, depth, out),
        }
    }

    fn variable(&self, name: &str, rule: Option<&MakeRule>, depth: usize, out: &mut Value) {
        if let Some(value) = self.file.variables.get(name) {
            // Calls in the value were reported where the variable was set.
            let mut seen = Vec::new();
            self.into(value, rule, depth + 1, out, &mut seen);
            return;
        }
        let default = match name {
            "RM" => Some("rm -f".to_owned()),
            "MAKE" => Some("make".to_owned()),
            "CC" => Some("cc".to_owned()),
            "SHELL" => Some("/bin/sh".to_owned()),
            _ => (self.around.env)(name),
        };
        match default {
            Some(value) => out.push_str(&value),
            None => out.push(Piece::Unknown("make variable")),
        }
    }
}
