//! AppleScript: text → intermediate form, by an own parser.
//!
//! The words of the language and those of the applications cannot be told apart without the applications, so a phrase
//! that is not known is a call of something unknown whose operands count. A word that the program assigns to is a
//! variable wherever it stands. Handlers are functions; `tell` blocks are blocks. What is read of an object (`quoted form
//! of x`) is a call of a function with the name of the property.

mod commands;
mod expressions;
mod lexer;
mod references;
mod statements;

use crate::ir::{Argument, Call, CallKind, Constant, Expr, Name, Program};
use crate::limits::MAX_TEXT;
use crate::lowering::Lowering;
use lexer::Token;
use std::collections::HashSet;
use std::rc::Rc;

/// The variable that holds what stands between the items of a list that becomes a text.
const DELIMITERS: &str = "<delimiters>";

/// Tokens of a statement among which names are looked for.
const MOST_NAMES: usize = 256;

/// A mistake in the text, or too much nesting.
#[derive(Debug, Clone, Copy)]
struct Rejected;

type Parsed<T> = Result<T, Rejected>;

struct AppleScript<'a> {
    tokens: Vec<Token>,
    at: usize,
    lowering: &'a mut Lowering,
    /// Words that the program assigns to.
    variables: HashSet<Name>,
    /// Variables that all handlers share.
    shared: HashSet<Name>,
    handlers: HashSet<Name>,
}

/// Returns the program that a text is.
#[must_use]
pub fn lower(code: &str, lowering: &mut Lowering) -> Program {
    if code.len() > MAX_TEXT {
        return Program { body: Vec::new(), cut: true, size: 0 };
    }
    lowering.size = 0;
    lowering.cut = false;
    let mut script = AppleScript {
        tokens: lexer::tokens(code),
        at: 0,
        lowering,
        variables: HashSet::new(),
        shared: HashSet::new(),
        handlers: HashSet::new(),
    };
    script.find_names();
    let body = script.program();
    Program { body, cut: lowering.cut, size: lowering.size }
}

impl AppleScript<'_> {
    fn token(&self) -> &Token {
        self.tokens.get(self.at).unwrap_or(&Token::End)
    }

    fn ahead(&self, count: usize) -> &Token {
        self.tokens.get(self.at + count).unwrap_or(&Token::End)
    }

    fn advance(&mut self) -> Token {
        let token = self.token().clone();
        self.at += 1;
        token
    }

    fn is(&self, symbol: &str) -> bool {
        matches!(self.token(), Token::Symbol(known) if *known == symbol)
    }

    fn takes(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, symbol: &str) -> Parsed<()> {
        if self.takes(symbol) { Ok(()) } else { Err(Rejected) }
    }

    fn word(&self) -> Option<&str> {
        word_of(self.token())
    }

    /// Whether these words come next.
    fn are_next(&self, words: &str) -> bool {
        words.split(' ').enumerate().all(|(place, word)| word_of(self.ahead(place)) == Some(word))
    }

    fn takes_words(&mut self, words: &str) -> bool {
        let found = self.are_next(words);
        if found {
            self.at += words.split(' ').count();
        }
        found
    }

    /// Takes the first of these phrases that comes next.
    fn takes_any(&mut self, phrases: &[&str]) -> bool {
        phrases.iter().any(|words| self.takes_words(words))
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.takes_words(word) { Ok(()) } else { Err(Rejected) }
    }

    fn name(&mut self) -> Parsed<Name> {
        match self.advance() {
            Token::Word(name) | Token::Quoted(name) => Ok(name),
            _ => Err(Rejected),
        }
    }

    fn at_line_end(&self) -> bool {
        matches!(self.token(), Token::Line | Token::End)
    }

    fn skip_line(&mut self) {
        while !self.at_line_end() {
            if *self.token() == Token::Mistake {
                self.lowering.cut = true;
                return;
            }
            self.at += 1;
        }
    }

    fn call(&mut self, function: &str, arguments: Vec<Expr>) -> Expr {
        let arguments = arguments.into_iter().map(Argument::One).collect();
        self.call_with(Expr::Name(Lowering::name(function)), arguments)
    }

    fn call_with(&mut self, function: Expr, arguments: Vec<Argument>) -> Expr {
        let site = self.lowering.site();
        Expr::Call(Box::new(Call { function, arguments, site, kind: CallKind::Plain }))
    }

    /// Follows something one level deeper.
    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if !self.lowering.enter() {
            return Err(Rejected);
        }
        let parsed = parse(self);
        self.lowering.leave();
        parsed
    }

    /// Collects the words that the program assigns to and the names of its handlers, which tell variables from the words
    /// of applications.
    fn find_names(&mut self) {
        let mut at = 0;
        let mut starts = true;
        while let Some(token) = self.tokens.get(at) {
            let word = word_of(token).unwrap_or("");
            let next = |count: usize| self.tokens.get(at + count);
            let mut found: Vec<Name> = Vec::new();
            match word {
                "set" | "copy" | "property" | "prop" | "global" | "local" | "error" => {
                    // Bounded: a word that is missed here is a variable all the same where it stands alone.
                    let names = self.tokens.iter().skip(at + 1).take(MOST_NAMES);
                    let names = names.take_while(|token| **token != Token::Line);
                    let all: Vec<&Token> = names.collect();
                    found.extend(assigned(word, &all));
                }
                "with" if at > 0 && self.tokens.get(at - 1).and_then(word_of) == Some("repeat") => {
                    found.extend(next(1).and_then(name_of));
                }
                "on" | "to" if starts => match (next(1), next(2)) {
                    (Some(Token::Word(name) | Token::Quoted(name)), behind)
                        if &**name != "error" =>
                    {
                        self.handlers.insert(name.clone());
                        // Bounded: as above.
                        let line = self.tokens.iter().skip(at + 2).take(MOST_NAMES);
                        let line = line.take_while(|token| **token != Token::Line);
                        let bracketed = !matches!(behind, Some(Token::Line) | None);
                        found.extend(line.filter(|_| bracketed).filter_map(name_of));
                    }
                    _ => {}
                },
                _ => {}
            }
            if matches!(word, "property" | "prop" | "global") {
                self.shared.extend(found.iter().cloned());
            }
            self.variables.extend(found);
            starts = *token == Token::Line;
            at += 1;
        }
        for word in NEVER_VARIABLES {
            self.variables.remove(*word);
        }
    }
}

/// Words of the grammar that stand among the words of an assignment.
const NEVER_VARIABLES: &[&str] = &[
    "of",
    "to",
    "in",
    "the",
    "my",
    "its",
    "me",
    "it",
    "item",
    "and",
    "or",
    "not",
    "is",
    "as",
    "with",
    "given",
    "for",
    "from",
    "by",
    "on",
    "end",
    "beginning",
    "text",
    "error",
    "number",
    "partial",
    "result",
    "file",
    "folder",
    "alias",
    "application",
    "every",
];

/// The names that a statement assigns to, from the tokens behind its first word.
fn assigned(statement: &str, line: &[&Token]) -> Vec<Name> {
    let skipped = |token: &&&Token| !matches!(word_of(token), Some("my" | "its" | "the"));
    let mut words = line.iter().filter(skipped);
    match statement {
        "set" => match words.next() {
            Some(Token::Symbol("{")) => words
                .take_while(|token| word_of(token) != Some("to"))
                .filter_map(|t| name_of(t))
                .collect(),
            Some(first) => {
                let direct = match words.next() {
                    Some(Token::Symbol("'s")) => true,
                    Some(next) => word_of(next) == Some("to"),
                    None => false,
                };
                name_of(first).filter(|_| direct).into_iter().collect()
            }
            None => Vec::new(),
        },
        "copy" => {
            let place = line.iter().rposition(|token| word_of(token) == Some("to"));
            let behind = place.and_then(|place| line.get(place + 1..)).unwrap_or(&[]);
            behind.iter().filter(skipped).filter_map(|token| name_of(token)).collect()
        }
        "property" | "prop" => words.next().and_then(|token| name_of(token)).into_iter().collect(),
        // `global a, b`, `on error message number code`.
        _ => words.filter_map(|token| name_of(token)).collect(),
    }
}

fn word_of(token: &Token) -> Option<&str> {
    match token {
        Token::Word(word) => Some(word),
        _ => None,
    }
}

fn name_of(token: &Token) -> Option<Name> {
    match token {
        Token::Word(name) | Token::Quoted(name) => Some(name.clone()),
        _ => None,
    }
}

fn text(value: &str) -> Expr {
    Expr::Constant(Constant::Text(Rc::from(value)))
}

fn nothing() -> Expr {
    Expr::Constant(Constant::None)
}
