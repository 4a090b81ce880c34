//! Operands: literals, variables, names, brackets, and their postfix operators (members, calls,
//! subscripts, blocks).

use super::cursor::Cursor;
use super::dialect::Tick;
use super::interpreter::Interpreter;
use super::lex::{Token, TokenKind};
use super::object::Object;
use super::statements::is_skipped;
use aegish_profiles::Lang;
use aegish_values::{Source, Taint, Value};

/// Operators that assign, without the plain `=`.
const ASSIGNS: &[&str] =
    &["=", ":=", "<-", "+=", ".=", "||=", "//=", "??=", "*=", "-=", "|=", "x="];

impl Interpreter<'_> {
    /// Evaluates an operand with its postfix operators.
    pub(super) fn operand(&mut self, c: &mut Cursor<'_>) -> Object {
        // A loop instead of recursion for prefixes and words without a value.
        loop {
            let Some(tok) = c.peek() else {
                return Object::Other;
            };
            if !self.burn(1) {
                c.pos = c.end;
                return Object::Other;
            }
            let base = match tok.kind {
                TokenKind::Line => return Object::Other,
                TokenKind::Num => {
                    c.pos += 1;
                    number(tok.text, self.dialect.lang)
                }
                TokenKind::Str(_) => self.strings(c),
                TokenKind::Run(quote) => {
                    c.pos += 1;
                    let text = self.interpolate(tok.text, quote);
                    self.run_shell(&text);
                    Object::from_source("output", Source::Program(text.to_string()))
                }
                TokenKind::Words => {
                    c.pos += 1;
                    self.words(tok)
                }
                TokenKind::Regex => {
                    c.pos += 1;
                    Object::Other
                }
                TokenKind::Var => return self.variable(c, tok),
                TokenKind::Name => {
                    if is_skipped(tok.text) && !self.is_call_word(c, tok) {
                        if tok.text == "while" || tok.text == "until" {
                            return Object::Other;
                        }
                        c.pos += 1;
                        continue;
                    }
                    return self.name(c, tok);
                }
                TokenKind::Op => match tok.text {
                    "(" => match self.arrow(c) {
                        Some(lambda) => lambda,
                        None => {
                            let value = self.parenthesized(c);
                            // `while (…) {`: the brace opens a block, it is no subscript.
                            if c.is_op(0, "{") {
                                return value;
                            }
                            value
                        }
                    },
                    "[" => self.bracketed(c),
                    "{" => self.braces(c),
                    "-" => {
                        c.pos += 1;
                        return match self.expr(c, 11) {
                            Object::Num(number) => Object::Num(number.wrapping_neg()),
                            Object::Name(_) => Object::Other,
                            other => other,
                        };
                    }
                    "!" | "~" | "&" | "\\" | "*" | "**" | "@" | "$" | "..." | "+" | "++" | "--"
                    | "::" | "<" | "!!" | "?" | "^" => {
                        c.pos += 1;
                        continue;
                    }
                    _ => return Object::Other,
                },
            };
            return self.postfix(c, base);
        }
    }

    /// Words that are usually syntax but are a call here.
    pub(super) fn is_call_word(&self, c: &Cursor<'_>, tok: &Token<'_>) -> bool {
        let next = c.at(1);
        match (self.dialect.lang, tok.text) {
            (Lang::R | Lang::Julia, "repeat" | "end") => next.is_some_and(|t| t.text == "("),
            _ => false,
        }
    }

    /// One or more adjacent literals.
    pub(super) fn strings(&mut self, c: &mut Cursor<'_>) -> Object {
        let mut all: Option<Object> = None;
        while let Some((TokenKind::Str(quote), tok)) = c.peek().map(|t| (t.kind, t)) {
            if all.is_some() && !matches!(self.dialect.lang, Lang::Elixir | Lang::Erlang) {
                break;
            }
            c.pos += 1;
            let part = Object::Text(self.interpolate(tok.text, quote));
            all = Some(match all {
                None => part,
                Some(before) => before.join(&part),
            });
        }
        all.unwrap_or(Object::Other)
    }

    pub(super) fn words(&mut self, tok: &Token<'_>) -> Object {
        if self.dialect.tick == Tick::Words {
            let items = self.command_words(tok.text);
            self.run_argv(items.iter().map(Object::text).collect());
            return Object::Proc(false);
        }
        let most = self.followed(tok.text.split_whitespace().count());
        Object::List(tok.text.split_whitespace().take(most).map(Object::known).collect())
    }

    /// If an assignment follows: evaluates it and stores the value.
    pub(super) fn assign(&mut self, c: &mut Cursor<'_>, key: &str) -> Option<Object> {
        let tok = c.at(0)?;
        if tok.kind != TokenKind::Op || !ASSIGNS.contains(&tok.text) {
            return None;
        }
        if tok.text == "<-" && self.dialect.lang != Lang::R {
            return None;
        }
        let op = tok.text;
        c.pos += 1;
        c.skip_lines();
        let value = self.expr(c, 3);
        let value = match op {
            "+=" | ".=" => match self.vars.get(key) {
                Some(old @ (Object::Text(_) | Object::Num(_))) => match (old, &value, op) {
                    (Object::Num(a), Object::Num(b), "+=") => Object::Num(a.wrapping_add(*b)),
                    _ => {
                        let joined = old.join(&value);
                        self.burn(joined.as_known().map_or(0, |t| t.len() / 64));
                        joined
                    }
                },
                Some(Object::List(old)) if old.len() < 4096 => {
                    let mut items = old.clone();
                    items.extend(value.items());
                    Object::List(items)
                }
                _ => Object::Other,
            },
            "||=" | "//=" | "??=" => match self.vars.get(key) {
                Some(old) if !old.is_blank() => old.clone(),
                _ => value,
            },
            "*=" | "-=" | "|=" | "x=" => Object::Other,
            _ => value,
        };
        self.set(key, value.clone());
        Some(value)
    }

    pub(super) fn variable(&mut self, c: &mut Cursor<'_>, tok: &Token<'_>) -> Object {
        c.pos += 1;
        let key = format!("${}", tok.text);
        if let Some(value) = self.assign(c, &key) {
            return value;
        }
        let value = match self.vars.get(&key) {
            Some(value) => value.clone(),
            None => Object::Other,
        };
        self.postfix(c, value)
    }

    /// The arguments of the program, with or without its own name in front.
    pub(super) fn arguments(&self, own_name: bool) -> Vec<Object> {
        let own = own_name.then(|| Object::known("-c"));
        own.into_iter().chain(self.around.args.iter().cloned().map(Object::Text)).collect()
    }

    pub(super) fn name(&mut self, c: &mut Cursor<'_>, tok: &Token<'_>) -> Object {
        let word = tok.text;
        if let Some(value) = self.definition(c, word) {
            // Only a call or member directly after a definition belongs to it.
            return if c.is_op(0, "(") || c.is_op(0, ".") { self.postfix(c, value) } else { value };
        }
        let arrow = match self.dialect.lang {
            Lang::Java | Lang::Julia => c.is_op(1, "->"),
            _ => false,
        };
        // Java: a method definition.
        if self.dialect.lang == Lang::Java && c.is_op(1, "(") {
            let close = c.at(1).map_or(0, |t| t.partner);
            if c.tokens
                .get(close.saturating_add(1))
                .is_some_and(|t| t.kind == TokenKind::Op && t.text == "{" && close + 1 < c.end)
            {
                return self.function_named(c);
            }
        }
        if arrow {
            let params = vec![word.to_owned()];
            c.pos += 2;
            return self.arrow_body(c, params);
        }
        c.pos += 1;
        if let Some(value) = self.assign(c, word) {
            return value;
        }
        let value = match self.vars.get(word) {
            Some(value) => value.clone(),
            None => self.free_name(word),
        };
        self.postfix(c, value)
    }

    /// A name that is no variable.
    pub(super) fn free_name(&mut self, word: &str) -> Object {
        match (self.dialect.lang, word) {
            (Lang::Julia, "ARGS") => Object::List(self.arguments(false)),
            _ => {
                for star in &self.stars {
                    let full = format!("{star}.{word}");
                    if super::call_effect::find(self.dialect.calls, &full).is_some() {
                        return Object::Name(full);
                    }
                }
                Object::Name(word.to_owned())
            }
        }
    }
}

/// A number as written.
pub(super) fn number(text: &str, lang: Lang) -> Object {
    let plain: String = text.chars().filter(|c| *c != '_').collect();
    let lower = plain.to_ascii_lowercase();
    let parsed = if let Some(hex) = lower.strip_prefix("0x") {
        i64::from_str_radix(hex, 16).ok()
    } else if let Some(octal) = lower.strip_prefix("0o") {
        i64::from_str_radix(octal, 8).ok()
    } else if let Some(binary) = lower.strip_prefix("0b") {
        i64::from_str_radix(binary, 2).ok()
    } else if lower.len() > 1
        && lower.starts_with('0')
        && !matches!(lang, Lang::R | Lang::Julia | Lang::Octave | Lang::Elixir | Lang::Erlang)
    {
        i64::from_str_radix(&lower, 8).ok()
    } else {
        lower.trim_end_matches(['l', 'n', 'u', 'i']).parse().ok()
    };
    match parsed {
        Some(number) => Object::Num(number),
        None => Object::Text(Value::known(plain).tainted(&Taint::none())),
    }
}
