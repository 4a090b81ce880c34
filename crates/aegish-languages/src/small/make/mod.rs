//! Makefiles: recipes, `$(shell …)`, `!=`, `$(file …)`, includes.
//!
//! Arguments are the goals: the recipes of the goals and of their prerequisites are reported. An empty
//! argument is the default goal. No arguments mean that the goals are not known, and every recipe is
//! reported. Arguments `NAME=value` are variables, which count more than those of the file.

mod expand;

use super::quoted_words::words;
use super::{known, text_from, text_to};
use crate::{CodeContext, CodeEffect};
use aegish_profiles::Lang;
use aegish_values::{Piece, Value};
use expand::{Expander, Scope, stem};
use std::collections::{HashMap, HashSet};

/// Goals that are looked up by patterns.
const MAX_GOALS: usize = 64;

/// A rule, as it is or for a goal that its pattern matches.
#[derive(Clone)]
struct MakeRule {
    targets: Vec<String>,
    needs: Vec<String>,
    recipe: Vec<String>,
    /// What `%` stands for.
    stem: Option<String>,
}

#[derive(Default)]
struct Makefile {
    rules: Vec<MakeRule>,
    variables: HashMap<String, String>,
    /// `target: NAME = value`
    of_targets: Vec<(Vec<String>, String, String)>,
    /// Variables that the commands of recipes see.
    exported: HashSet<String>,
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
    for (name, value) in around.args.iter().filter_map(|word| word.as_known()?.split_once('=')) {
        let name = name.trim_end_matches([':', '?', '+']);
        file.variables.insert(name.to_owned(), value.to_owned());
        file.exported.insert(name.to_owned());
    }
    let expander = Expander { file: &file, around };
    for line in &file.immediate {
        expander.expand(line, &Scope::default(), effects);
    }
    let whole = file.rules.iter().any(|rule| rule.targets.iter().any(|name| name == ".ONESHELL"));
    // Prerequisites that are not here are looked for there.
    let elsewhere = file.variables.get("VPATH").cloned().unwrap_or_default();
    for rule in file.wanted(around) {
        let places = elsewhere.split([':', ' ']).filter(|place| place.starts_with(['/', '~']));
        for place in places {
            for need in &rule.needs {
                effects.push(CodeEffect::Read(known(format!("{place}/{need}"))));
            }
        }
        let scope = Scope { rule: Some(&rule), ..Scope::default() };
        let lines = rule.recipe.iter().flat_map(|line| line.split('\n'));
        let commands: Vec<Value> = lines
            .map(|line| {
                let blank = |c: char| c.is_whitespace() || matches!(c, '@' | '-' | '+');
                expander.expand(line.trim_start_matches(blank), &scope, effects)
            })
            .filter(|command| command.as_known() != Some(""))
            .collect();
        if whole {
            let mut all = Value::empty();
            for command in &commands {
                all.append(command);
                all.push_str("\n");
            }
            file.run(&expander, &scope, &all, effects);
        } else {
            commands.into_iter().for_each(|one| file.run(&expander, &scope, &one, effects));
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
                // The shell joins the lines of a recipe.
                last.push_str(if recipe { "" } else { " " });
                last.push_str(line.strip_prefix('\t').unwrap_or(line));
            }
            _ => out.push(line.to_owned()),
        }
        let backslashes = line.len() - line.trim_end_matches('\\').len();
        open = backslashes % 2 == 1;
    }
    out
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
        let text = text.strip_prefix("override ").unwrap_or(text);
        let exported = text.strip_prefix("export ");
        let text = exported.unwrap_or(text).trim_start();
        if exported.is_some() {
            let names = assignment(text).map_or(text, |(name, _, _)| name);
            self.exported.extend(names.split_whitespace().map(str::to_owned));
            if assignment(text).is_none() {
                return;
            }
        }
        match assignment(text) {
            Some((name, "!=", value)) => self.immediate.push(format!("{name}$(shell {value})")),
            Some((name, operator, value)) => {
                if operator == "+=" {
                    let old = self.variables.entry(name.to_owned()).or_default();
                    old.push(' ');
                    old.push_str(value);
                } else if operator != "?=" || !self.variables.contains_key(name) {
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
        let targets: Vec<String> = targets.split_whitespace().map(str::to_owned).collect();
        let own = needs.trim().trim_start_matches("export ").trim_start_matches("private ");
        if let Some((name, _, value)) = assignment(own).filter(|(_, op, _)| *op != "!=") {
            let all = match split_outside(text, ':').and_then(|(_, tail)| assignment(tail.trim())) {
                // A semicolon is part of the value.
                Some((_, _, whole)) => whole,
                None => value,
            };
            if needs.trim().starts_with("export ") {
                self.exported.insert(name.to_owned());
            }
            self.of_targets.push((targets, name.to_owned(), all.to_owned()));
            return;
        }
        self.rules.push(MakeRule {
            stem: None,
            targets,
            needs: needs
                .split_whitespace()
                .filter(|word| *word != "|")
                .map(str::to_owned)
                .collect(),
            recipe: recipe.map(|recipe| vec![recipe.trim().to_owned()]).unwrap_or_default(),
        });
    }

    /// Runs a command of a recipe with the shell of the file, which sees exported variables.
    fn run(
        &self,
        expander: &Expander<'_>,
        scope: &Scope<'_>,
        command: &Value,
        effects: &mut Vec<CodeEffect>,
    ) {
        let mut names: Vec<&String> = self.exported.iter().collect();
        names.sort();
        let mut code = Value::empty();
        for name in names {
            let used = |piece: &Piece| match piece {
                Piece::Text(text) => {
                    text.contains(&format!("${name}")) || text.contains(&format!("${{{name}"))
                }
                _ => false,
            };
            if !command.pieces().iter().any(used) {
                continue;
            }
            let value = expander.expand(&format!("$({name})"), scope, &mut Vec::new());
            if let Some(value) = value.as_known() {
                code.push_str(&format!("export {name}='{}'; ", value.replace('\'', "'\\''")));
            }
        }
        code.append(command);
        let value = |name: &str| expander.expand(&format!("$({name})"), scope, &mut Vec::new());
        let shell = value("SHELL");
        match shell.as_known().filter(|shell| !shell.ends_with("sh")) {
            Some(shell) => {
                let mut argv: Vec<Value> = words(shell).into_iter().map(known).collect();
                let flags =
                    self.variables.contains_key(".SHELLFLAGS").then(|| value(".SHELLFLAGS"));
                let flags = flags.unwrap_or_else(|| known("-c"));
                let flags = flags.as_known().map(words).unwrap_or_default();
                argv.extend(flags.into_iter().map(known));
                argv.push(code);
                effects.push(CodeEffect::Argv(argv));
            }
            None => effects.push(CodeEffect::Shell(code)),
        }
    }

    /// Pattern rules for a goal that no other rule makes.
    fn by_pattern(&self, goal: &str) -> Vec<MakeRule> {
        let fits = |rule: &MakeRule| {
            let stem = rule.targets.iter().find_map(|target| stem(target, goal))?;
            let put = |word: &String| word.replacen('%', &stem, 1);
            Some(MakeRule {
                targets: vec![goal.to_owned()],
                needs: rule.needs.iter().map(put).collect(),
                recipe: rule.recipe.clone(),
                stem: Some(stem),
            })
        };
        self.rules.iter().filter_map(fits).collect()
    }

    fn wanted(&self, around: &CodeContext<'_>) -> Vec<MakeRule> {
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
        let named =
            |goal: &str| self.rules.iter().any(|rule| rule.targets.iter().any(|t| t == goal));
        let mut made: Vec<MakeRule> = Vec::new();
        let mut searched = 0;
        let mut open: Vec<String> = goals.iter().map(|goal| (*goal).to_owned()).collect();
        while let Some(goal) = open.pop().filter(|_| searched < MAX_GOALS) {
            searched += 1;
            for rule in &self.rules {
                if rule.targets.contains(&goal) {
                    open.extend(rule.needs.iter().cloned());
                }
            }
            if !named(&goal) {
                for rule in self.by_pattern(&goal) {
                    open.extend(rule.needs.iter().cloned());
                    made.push(rule);
                }
            }
        }
        let lost = |goal: &&str| {
            !named(goal) && !made.iter().any(|rule| rule.targets.iter().any(|t| t == goal))
        };
        // What was not searched may be any of them.
        if unknown || searched >= MAX_GOALS || goals.iter().any(lost) {
            made.extend(self.rules.iter().cloned());
            return made;
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
        let all = self.rules.iter().filter(|rule| {
            computed(rule) || rule.targets.iter().any(|target| seen.contains(target.as_str()))
        });
        made.extend(all.cloned());
        made
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
