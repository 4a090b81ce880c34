//! Justfiles: recipes, backticks, `shell(…)`, imports.
//!
//! Arguments are the recipes that are asked for, as those of make: an empty one is the default recipe. Without
//! arguments, or with one that names no recipe, every recipe is reported. Assignments are evaluated at every start.

use super::{known, text_from, text_to};
use crate::{CodeContext, CodeEffect};
use aegish_profiles::{Lang, language_of, script_language};
use aegish_values::{Piece, Value};
use std::cell::Cell;
use std::collections::{HashMap, HashSet};

/// Maximum depth of nested calls of `shell`.
const MAX_DEPTH: usize = 8;
/// Bytes and pieces that values of variables may add to a file; a value beyond it is not known.
const MAX_ADDED: usize = 1 << 20;

enum Token<'a> {
    Text(String),
    Command(&'a str),
    Name(&'a str),
    Symbol(char),
}

#[derive(Default)]
struct Recipe<'a> {
    name: &'a str,
    /// Parameters, and names in their defaults: none of them has a known value.
    parameters: Vec<&'a str>,
    needs: Vec<&'a str>,
    /// Backticks in defaults and in arguments of other recipes.
    commands: Vec<&'a str>,
    attributes: Vec<(&'a str, Vec<String>)>,
    body: Vec<&'a str>,
}

#[derive(Default)]
struct Justfile<'a> {
    recipes: Vec<Recipe<'a>>,
    variables: HashMap<&'a str, Value>,
    aliases: HashMap<&'a str, &'a str>,
    settings: HashMap<&'a str, Vec<String>>,
    /// What values of variables have added.
    added: Cell<usize>,
}

pub(super) fn just(code: &str, around: &CodeContext<'_>, effects: &mut Vec<CodeEffect>) {
    let mut file = Justfile::default();
    let mut attributes = Vec::new();
    let mut rest = code;
    while !rest.is_empty() {
        let (line, below) = rest.split_once('\n').unwrap_or((rest, ""));
        let is_body = line.starts_with([' ', '\t']) || line.trim().is_empty();
        match file.recipes.last_mut().filter(|_| is_body) {
            Some(recipe) => {
                recipe.body.push(line.trim_end_matches('\r'));
                rest = below;
            }
            None => {
                let (tokens, below, closed) = item(rest);
                rest = below;
                if !closed {
                    effects.push(CodeEffect::Hidden);
                }
                file.item(&tokens, &mut attributes, effects);
            }
        }
    }
    if let Some(directory) = file.settings.get("working-directory").and_then(|words| words.first())
    {
        effects.push(CodeEffect::Chdir(known(directory.as_str())));
    }
    for recipe in file.wanted(around) {
        effects.extend(recipe.commands.iter().map(|command| CodeEffect::Shell(known(*command))));
        file.run(recipe, effects);
    }
}

/// Reads tokens up to the end of a line that is outside of quotes and brackets: the tokens, the text behind
/// them, and whether everything was closed.
fn item(text: &str) -> (Vec<Token<'_>>, &str, bool) {
    let mut tokens = Vec::new();
    let mut depth = 0usize;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let tail = text_from(rest, c.len_utf8());
        match c {
            '\n' if depth == 0 => return (tokens, tail, true),
            '#' => rest = rest.find('\n').map_or("", |end| text_from(rest, end)),
            '\'' | '"' | '`' => {
                let (one, three) = match c {
                    '\'' => ("'", "'''"),
                    '"' => ("\"", "\"\"\""),
                    _ => ("`", "```"),
                };
                let fence = if rest.starts_with(three) { three } else { one };
                let Some((inner, behind)) = quoted(text_from(rest, fence.len()), fence) else {
                    return (tokens, "", false);
                };
                tokens.push(match c {
                    '`' => Token::Command(inner),
                    '"' => Token::Text(unescaped(inner)),
                    _ => Token::Text(inner.to_owned()),
                });
                rest = behind;
            }
            c if c.is_ascii_alphabetic() || c == '_' => {
                let end = rest
                    .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-')))
                    .unwrap_or(rest.len());
                tokens.push(Token::Name(text_to(rest, end)));
                rest = text_from(rest, end);
            }
            c => {
                match c {
                    '(' | '[' | '{' => depth += 1,
                    ')' | ']' | '}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                if !c.is_whitespace() {
                    tokens.push(Token::Symbol(c));
                }
                rest = tail;
            }
        }
    }
    (tokens, "", depth == 0)
}

/// The text up to a closing fence, and the text behind it.
fn quoted<'a>(text: &'a str, fence: &str) -> Option<(&'a str, &'a str)> {
    let mut from = 0;
    loop {
        let at = from + text_from(text, from).find(fence)?;
        let before = text_to(text, at);
        let backslashes = before.len() - before.trim_end_matches('\\').len();
        if !fence.starts_with('"') || backslashes.is_multiple_of(2) {
            return Some((before, text_from(text, at + fence.len())));
        }
        from = at + 1;
    }
}

fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut letters = text.chars();
    while let Some(c) = letters.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match letters.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('\n') | None => {}
            Some(other) => out.push(other),
        }
    }
    out
}

fn texts(tokens: &[Token<'_>]) -> Vec<String> {
    let text = |token: &Token<'_>| match token {
        Token::Text(text) => Some(text.clone()),
        _ => None,
    };
    tokens.iter().filter_map(text).collect()
}

fn names<'a>(tokens: &[Token<'a>]) -> Vec<&'a str> {
    let name = |token: &Token<'a>| match token {
        Token::Name(name) => Some(*name),
        _ => None,
    };
    tokens.iter().filter_map(name).collect()
}

impl<'a> Justfile<'a> {
    fn item(
        &mut self,
        tokens: &[Token<'a>],
        attributes: &mut Vec<(&'a str, Vec<String>)>,
        effects: &mut Vec<CodeEffect>,
    ) {
        use Token::{Name, Symbol};
        match tokens {
            [] => {}
            [Symbol('['), inner @ ..] => {
                for token in inner {
                    match (token, attributes.last_mut()) {
                        (Name(name), _) => attributes.push((name, Vec::new())),
                        (Token::Text(text), Some((_, texts))) => texts.push(text.clone()),
                        _ => {}
                    }
                }
            }
            [Name("set"), Name(name), Symbol(':'), Symbol('='), value @ ..] => {
                self.settings.insert(name, texts(value));
            }
            [Name("alias"), Name(name), Symbol(':'), Symbol('='), target @ ..] => {
                if let Some(target) = names(target).last() {
                    self.aliases.insert(name, target);
                }
            }
            [Name("export" | "eager"), Name(name), Symbol(':'), Symbol('='), value @ ..]
            | [Name(name), Symbol(':'), Symbol('='), value @ ..] => {
                let value = self.value(value, &[], 0, effects);
                self.variables.insert(name, value);
            }
            [Name("import"), rest @ ..]
                if !rest.iter().any(|token| matches!(token, Symbol(':'))) =>
            {
                let paths = texts(rest).into_iter();
                effects.extend(paths.map(|path| CodeEffect::Script(Lang::Just, known(path))));
            }
            [Name("mod"), rest @ ..] if !rest.iter().any(|token| matches!(token, Symbol(':'))) => {
                let path = texts(rest).into_iter().next();
                let path = path.or_else(|| Some(format!("{}.just", names(rest).first()?)));
                effects.extend(path.map(|path| CodeEffect::Script(Lang::Just, known(path))));
            }
            _ => {
                let colon = tokens.iter().position(|token| matches!(token, Symbol(':')));
                let (head, needs) = tokens.split_at(colon.unwrap_or(tokens.len()));
                let parameters = names(head);
                let Some((name, parameters)) = parameters.split_first() else { return };
                let command = |token: &Token<'a>| match token {
                    Token::Command(text) => Some(*text),
                    _ => None,
                };
                self.recipes.push(Recipe {
                    name,
                    parameters: parameters.to_vec(),
                    needs: names(needs),
                    commands: tokens.iter().filter_map(command).collect(),
                    attributes: std::mem::take(attributes),
                    body: Vec::new(),
                });
            }
        }
    }

    /// The value of an expression: texts, variables and commands that are joined. What backticks and `shell(…)`
    /// run is reported wherever it stands.
    fn value(
        &self,
        tokens: &[Token<'a>],
        parameters: &[&str],
        depth: usize,
        effects: &mut Vec<CodeEffect>,
    ) -> Value {
        let mut out = Value::empty();
        let mut joined = true;
        let mut rest = tokens;
        while let Some((token, tail)) = rest.split_first() {
            rest = tail;
            match (token, tail.first()) {
                (Token::Text(text), _) => out.push_str(text),
                (Token::Command(command), _) => {
                    effects.push(CodeEffect::Shell(known(*command)));
                    out.push(Piece::Unknown("output of a command"));
                }
                (Token::Name("shell"), Some(Token::Symbol('('))) => {
                    let tail = tail.get(1..).unwrap_or_default();
                    let end =
                        tail.iter().position(|token| matches!(token, Token::Symbol(',' | ')')));
                    let first = tail.get(..end.unwrap_or(tail.len())).unwrap_or_default();
                    let command = if depth < MAX_DEPTH {
                        self.value(first, parameters, depth + 1, effects)
                    } else {
                        Value::unknown("just expression")
                    };
                    effects.push(CodeEffect::Shell(command));
                    joined = false;
                    rest = tail.get(first.len()..).unwrap_or_default();
                }
                (Token::Name(_), Some(Token::Symbol('('))) | (Token::Name("if"), _) => {
                    joined = false;
                }
                (Token::Name(name), _) => {
                    let value = self.variables.get(name).filter(|_| !parameters.contains(name));
                    match value.filter(|value| self.may_add(value)) {
                        Some(value) => out.append(value),
                        None => out.push(Piece::Unknown("just variable")),
                    }
                }
                (Token::Symbol('/'), _) => out.push_str("/"),
                (Token::Symbol('+' | '(' | ')'), _) => {}
                (Token::Symbol(_), _) => joined = false,
            }
        }
        if joined { out } else { Value::unknown("just expression") }
    }

    fn may_add(&self, value: &Value) -> bool {
        let size = |piece: &Piece| match piece {
            Piece::Text(text) => text.len(),
            _ => 1,
        };
        self.added.update(|added| added + value.pieces().iter().map(size).sum::<usize>());
        self.added.get() <= MAX_ADDED
    }

    /// Puts the values of `{{…}}` into a text.
    fn expand(&self, text: &'a str, recipe: &Recipe<'a>, effects: &mut Vec<CodeEffect>) -> Value {
        let mut out = Value::empty();
        let mut rest = text;
        while let Some(at) = rest.find("{{") {
            out.push_str(text_to(rest, at));
            rest = text_from(rest, at + 2);
            if let Some(tail) = rest.strip_prefix("{{") {
                out.push_str("{{");
                rest = tail;
                continue;
            }
            let end = rest.find("}}").unwrap_or(rest.len());
            let (tokens, ..) = item(text_to(rest, end));
            out.append(&self.value(&tokens, &recipe.parameters, 0, effects));
            rest = text_from(rest, end + 2);
        }
        out.push_str(rest);
        out
    }

    fn run(&self, recipe: &Recipe<'a>, effects: &mut Vec<CodeEffect>) {
        let attribute = |wanted: &str| {
            let found = recipe.attributes.iter().find(|(name, _)| *name == wanted);
            found.map(|(_, texts)| texts.as_slice())
        };
        if let Some(directory) = attribute("working-directory").and_then(<[String]>::first) {
            effects.push(CodeEffect::Chdir(known(directory.as_str())));
        }
        let text = |line: &&'a str| line.trim_start();
        let first = recipe.body.iter().map(text).find(|line| !line.is_empty());
        let shebang = first.and_then(|line| line.strip_prefix("#!"));
        let interpreter = match (shebang, attribute("script")) {
            (Some(line), _) => Some(script_language(line)),
            (None, Some([])) => match self.settings.get("script-interpreter") {
                Some(words) => Some(words.first().and_then(|word| script_language(word))),
                None => Some(Some(Lang::Shell)),
            },
            (None, Some([program, ..])) => Some(script_language(program)),
            (None, None) => None,
        };
        let indent = recipe.body.iter().filter(|line| !line.trim().is_empty());
        let indent = indent.map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
        let mut whole = Value::empty();
        for line in &recipe.body {
            let line = if line.trim().is_empty() { "" } else { text_from(line, indent) };
            whole.append(&self.expand(line, recipe, effects));
            whole.push_str("\n");
        }
        match interpreter {
            Some(Some(Lang::Shell)) => effects.push(CodeEffect::Shell(whole)),
            Some(Some(lang)) => effects.push(CodeEffect::Eval(lang, whole)),
            Some(None) => effects.push(CodeEffect::Hidden),
            None => self.run_lines(recipe, effects),
        }
    }

    /// Each line is a command of its own, without what `@`, `-` and `?` before it say.
    fn run_lines(&self, recipe: &Recipe<'a>, effects: &mut Vec<CodeEffect>) {
        let shell = self.settings.get("shell").map_or(&[][..], Vec::as_slice);
        let of_shell = |word: &String| language_of(word.rsplit('/').next().unwrap_or(word));
        let plain = shell.first().is_none_or(|word| of_shell(word) == Some(Lang::Shell));
        let mut command = Value::empty();
        for line in &recipe.body {
            let mut line = line.trim();
            if command.pieces().is_empty() {
                line = line.trim_start_matches(['@', '-', '?']).trim_start();
            }
            let (text, open) = match line.strip_suffix('\\') {
                Some(text) => (text, true),
                None => (line, false),
            };
            // What is inside was reported when the body was read as a whole.
            command.append(&self.expand(text, recipe, &mut Vec::new()));
            if open || command.pieces().is_empty() {
                continue;
            }
            let command = std::mem::replace(&mut command, Value::empty());
            if plain {
                effects.push(CodeEffect::Shell(command));
            } else {
                let words = shell.iter().map(|word| known(word.as_str()));
                effects.push(CodeEffect::Argv(words.chain([command]).collect()));
            }
        }
        if !command.pieces().is_empty() {
            effects.push(CodeEffect::Shell(command));
        }
    }

    fn wanted(&self, around: &CodeContext<'_>) -> Vec<&Recipe<'a>> {
        let every = || self.recipes.iter().collect();
        if around.args.is_empty() || around.args.iter().any(|goal| !goal.is_known()) {
            return every();
        }
        let mut by_name: HashMap<&str, &Recipe<'a>> = HashMap::new();
        self.recipes.iter().for_each(|recipe| {
            by_name.insert(recipe.name, recipe);
        });
        let goals = around.args.iter().filter_map(Value::as_known);
        let goals = goals.filter(|goal| !goal.is_empty() && !goal.starts_with('-'));
        let mut open: Vec<&str> =
            goals.map(|goal| self.aliases.get(goal).copied().unwrap_or(goal)).collect();
        if open.is_empty() {
            open.extend(self.recipes.first().map(|recipe| recipe.name));
        }
        if open.iter().any(|goal| !by_name.contains_key(goal)) {
            return every();
        }
        let mut seen: HashSet<&str> = HashSet::new();
        while let Some(goal) = open.pop() {
            if let Some(recipe) = by_name.get(goal).filter(|_| seen.insert(goal)) {
                open.extend(recipe.needs.iter().copied());
            }
        }
        self.recipes.iter().filter(|recipe| seen.contains(recipe.name)).collect()
    }
}
