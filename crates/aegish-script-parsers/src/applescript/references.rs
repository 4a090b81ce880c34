//! References: `item 2 of x`, `x's name`, `file "a" of folder "b"`, calls of handlers, and phrases of applications.

use super::commands::{self, LONG_LABELS, STARTERS, is_label};
use super::lexer::Token;
use super::{AppleScript, DELIMITERS, Parsed, Rejected, text};
use crate::ir::{Argument, BinaryOp, Constant, Expr};
use crate::lowering::Lowering;

/// Words that end a phrase: operators, and what introduces another part of the statement.
const ENDS: &[&str] = &[
    "and", "or", "not", "is", "isn't", "equals", "equal", "contains", "contain", "does", "doesn't",
    "starts", "start", "begins", "begin", "ends", "comes", "as", "of", "in", "to", "then", "with",
    "without", "thru", "through", "from", "by", "else", "on", "end", "times", "where", "whose",
    "that", "given", "into", "at", "for", "using", "div", "mod", "before", "after", "behind",
    "until", "against", "over", "under", "about", "above", "below", "beneath", "beside", "between",
    "onto", "since",
];

/// Words without a meaning of their own.
const ARTICLES: &[&str] = &["the", "a", "an", "my", "its", "every", "some", "a reference to"];

impl AppleScript<'_> {
    /// An object, and what is read of it.
    pub(super) fn reference(&mut self) -> Parsed<Expr> {
        let mut value = self.deeper(Self::specifier)?;
        let mut links = 0;
        loop {
            if self.takes("'s") {
                value = self.possession(value)?;
            } else if self.takes_any(&["whose", "where", "that"]) {
                let condition = self.expression()?;
                value = self.call("<filter>", vec![value, condition]);
            } else {
                break;
            }
            links += 1;
            // Each link nests.
            if !self.lowering.enter() {
                return Err(Rejected);
            }
        }
        (0..links).for_each(|_| self.lowering.leave());
        Ok(value)
    }

    /// The part behind `'s`: a property, an item, or a method with its arguments.
    fn possession(&mut self, object: Expr) -> Parsed<Expr> {
        if let Token::Word(name) | Token::Quoted(name) = self.token().clone() {
            match self.ahead(1) {
                Token::Symbol("(") => {
                    self.at += 1;
                    let arguments = self.arguments()?;
                    let method = Expr::Attribute(Box::new(object), name);
                    return Ok(self.call_with(method, arguments));
                }
                // `x's doThis:a withThat:b`
                Token::Symbol(":") => return self.interleaved(object),
                _ => {}
            }
        }
        let (words, index) = self.specified()?;
        if index.is_none() && words == "text item delimiters" {
            return Ok(Expr::Name(Lowering::name(DELIMITERS)));
        }
        // A class of a framework.
        let is_framework = match &object {
            Expr::Name(name) => &**name == "current application",
            Expr::Attribute(..) => true,
            _ => false,
        };
        if index.is_none() && is_framework {
            return Ok(Expr::Attribute(Box::new(object), Lowering::name(&words)));
        }
        Ok(self.part(&words, index, object))
    }

    /// `doThis:a withThat:b`
    fn interleaved(&mut self, object: Expr) -> Parsed<Expr> {
        let mut name = String::new();
        let mut arguments = Vec::new();
        while let Token::Word(word) | Token::Quoted(word) = self.token().clone() {
            if *self.ahead(1) != Token::Symbol(":") {
                break;
            }
            self.at += 2;
            name.push_str(&word);
            name.push('_');
            arguments.push(Argument::One(self.expression()?));
        }
        let method = Expr::Attribute(Box::new(object), Lowering::name(&name));
        Ok(self.call_with(method, arguments))
    }

    /// A part of an object by the words that name it.
    pub(super) fn part(&mut self, words: &str, index: Option<[Expr; 2]>, object: Expr) -> Expr {
        let delimiters = Expr::Name(Lowering::name(DELIMITERS));
        match index {
            None => self.call("<part>", vec![text(words), object, delimiters]),
            Some([from, to]) => {
                self.call("<item>", vec![text(words), object, delimiters, from, to])
            }
        }
    }

    /// Words, and a number or a range behind them.
    fn specified(&mut self) -> Parsed<(String, Option<[Expr; 2]>)> {
        let mut words: Vec<String> = Vec::new();
        while let Some(word) = self.word() {
            if ENDS.contains(&word) || !words.is_empty() && self.variables.contains(word) {
                break;
            }
            words.push(word.to_owned());
            self.at += 1;
        }
        if let Token::Quoted(name) = self.token().clone()
            && words.is_empty()
        {
            self.at += 1;
            words.push(name.to_string());
        }
        if words.is_empty() {
            return Err(Rejected);
        }
        let operand = matches!(self.token(), Token::Constant(_))
            || self.is("(")
            || self.is("-")
            || self.word().is_some_and(|word| self.variables.contains(word));
        let name = words.join(" ");
        let index = match operand {
            true => {
                let from = self.index_operand()?;
                let to = match self.takes_any(&["thru", "through"]) {
                    true => self.index_operand()?,
                    false => Expr::Constant(Constant::None),
                };
                Some([from, to])
            }
            false if self.takes_words("from") => {
                let from = self.index_operand()?;
                let to = match self.takes_words("to") {
                    true => self.index_operand()?,
                    false => Expr::Constant(Constant::None),
                };
                Some([from, to])
            }
            false => None,
        };
        Ok((name, index))
    }

    /// A number of an item: `2`, `-1`, `(n + 1)`, `i`.
    fn index_operand(&mut self) -> Parsed<Expr> {
        if self.takes("-") {
            let value = self.deeper(Self::index_operand)?;
            return Ok(Expr::Chain(
                Box::new(Expr::Constant(Constant::Int(0))),
                vec![(BinaryOp::Sub, value)],
            ));
        }
        match self.token().clone() {
            Token::Word(name) | Token::Quoted(name) => {
                self.at += 1;
                Ok(Expr::Name(name))
            }
            _ => self.literal(),
        }
    }

    fn specifier(&mut self) -> Parsed<Expr> {
        while self.is_article() {
            self.takes_any(ARTICLES);
        }
        match self.token().clone() {
            Token::Constant(_) | Token::Symbol("(" | "{") => self.literal(),
            Token::Raw(code) => {
                self.at += 1;
                match commands::of_code(&code) {
                    Some(command) => self.command(command),
                    None => {
                        // An event without a name here may do anything.
                        self.lowering.cut |= code.starts_with("event");
                        self.phrase_rest()
                    }
                }
            }
            Token::Quoted(name) => {
                self.at += 1;
                if self.is("(") {
                    let arguments = self.arguments()?;
                    return Ok(self.call_with(Expr::Name(name), arguments));
                }
                Ok(Expr::Name(name))
            }
            Token::Word(word) => self.words(&word),
            _ => Err(Rejected),
        }
    }

    /// Whether a word without a meaning of its own comes before a term.
    fn is_article(&self) -> bool {
        let found = ARTICLES.iter().any(|words| self.are_next(words));
        let is_variable = self.word().is_some_and(|word| self.variables.contains(word));
        let starts_term = match self.ahead(1) {
            Token::Word(next) => !ENDS.contains(&&**next),
            Token::Quoted(_) | Token::Constant(_) | Token::Raw(_) => true,
            Token::Symbol(symbol) => matches!(*symbol, "(" | "{"),
            _ => false,
        };
        found && !is_variable && starts_term
    }

    /// A term that starts with a word.
    fn words(&mut self, word: &str) -> Parsed<Expr> {
        if *self.ahead(1) == Token::Symbol("(") && !commands::takes_group(word) {
            let name = self.name()?;
            let arguments = self.arguments()?;
            let called = self.call_with(Expr::Name(name), arguments);
            // `f(x) of me`
            self.takes_any(&["of me", "of it"]);
            return Ok(called);
        }
        if *self.ahead(1) == Token::Symbol(":") && !self.variables.contains(word) {
            let current = Expr::Name(Lowering::name("current application"));
            return self.interleaved(current);
        }
        if self.variables.contains(word) {
            return Ok(Expr::Name(self.name()?));
        }
        if let Some(command) = commands::COMMANDS.iter().find(|words| self.are_next(words)) {
            self.takes_words(command);
            return self.command(command);
        }
        if let Some(constant) = self.constant() {
            return Ok(constant);
        }
        if self.handlers.contains(word) {
            // A handler with labels: `f of x with y`.
            let name = self.name()?;
            let mut arguments = Vec::new();
            self.labels(&mut arguments)?;
            return Ok(self.call_with(Expr::Name(name), arguments));
        }
        if self.takes_words("current application") {
            return Ok(Expr::Name(Lowering::name("current application")));
        }
        if self.takes_any(&["me", "it"]) {
            return Ok(Expr::Name(Lowering::name("me")));
        }
        if self.takes_words("result") {
            return Ok(Expr::Name(Lowering::name("result")));
        }
        let (words, index) = self.specified()?;
        self.container(&words, index)
    }

    /// What stands behind the words of a specifier: the object that it is a part of.
    fn container(&mut self, words: &str, index: Option<[Expr; 2]>) -> Parsed<Expr> {
        if self.takes_any(&["of me", "of it"]) {
            return Ok(Expr::Name(Lowering::name(words)));
        }
        if self.takes_words("of") || index.is_some() && self.takes_words("in") {
            let object = self.reference()?;
            if index.is_none() && words == "text item delimiters" {
                return Ok(Expr::Name(Lowering::name(DELIMITERS)));
            }
            // A file of a folder is a path of its own.
            return Ok(match index {
                Some([name, _]) if commands::is_file_class(words) => {
                    let file = self.call(words, vec![name]);
                    self.call("<below>", vec![object, file])
                }
                index => self.part(words, index, object),
            });
        }
        match index {
            Some([value, _]) => Ok(self.call(words, vec![value])),
            None if words == "text item delimiters" => Ok(Expr::Name(Lowering::name(DELIMITERS))),
            None if words.contains(' ') => {
                let operand = matches!(self.token(), Token::Symbol("{"));
                if operand {
                    let value = self.literal()?;
                    return Ok(self.call(words, vec![value]));
                }
                Ok(self.call("<phrase>", vec![text(words)]))
            }
            None if self.is("{") => {
                let value = self.literal()?;
                Ok(self.call(words, vec![value]))
            }
            None => Ok(Expr::Name(Lowering::name(words))),
        }
    }

    /// The operands of a phrase that is not known.
    pub(super) fn phrase_rest(&mut self) -> Parsed<Expr> {
        let mut arguments = Vec::new();
        if !self.at_line_end() && !self.closes() && !self.starts_label() {
            arguments.push(Argument::One(self.expression()?));
        }
        self.labels(&mut arguments)?;
        Ok(self.call_with(Expr::Name(Lowering::name("<phrase>")), arguments))
    }

    pub(super) fn closes(&self) -> bool {
        matches!(self.token(), Token::Symbol(")" | "}" | "," | "&" | "=" | "'s"))
            || self.word().is_some_and(|word| matches!(word, "then" | "else"))
    }

    /// Whether a parameter with a label comes next. The same word may be a property of something.
    pub(super) fn starts_label(&self) -> bool {
        let is_property = matches!(self.ahead(1), Token::Word(next) if &**next == "of");
        self.word()
            .is_some_and(|word| is_label(word) && !self.variables.contains(word) && !is_property)
    }

    /// The labelled parameters of a command: `in x`, `with administrator privileges`, `user name x`.
    pub(super) fn labels(&mut self, arguments: &mut Vec<Argument>) -> Parsed<()> {
        while self.starts_label() {
            if self.takes_any(&["with", "without"]) {
                // Names of switches, or a parameter with a value.
                if self.takes_words("properties") || self.takes_words("data") {
                    let value = self.expression()?;
                    arguments.push(Argument::Named("properties".into(), value));
                    continue;
                }
                let mut words = Vec::new();
                while let Some(word) = self.word() {
                    if STARTERS.contains(&word)
                        || !words.is_empty() && self.variables.contains(word)
                    {
                        break;
                    }
                    words.push(word.to_owned());
                    self.at += 1;
                }
                let on = Expr::Constant(Constant::Bool(true));
                let name = Lowering::name(&words.join(" "));
                let operand =
                    matches!(self.token(), Token::Constant(_)) || self.is("{") || self.is("(");
                let value = if operand { self.expression()? } else { on };
                arguments.push(Argument::Named(name, value));
                continue;
            }
            // The value of the label is behind it.
            let label = match LONG_LABELS.iter().find(|words| self.takes_words(words)) {
                Some(words) => (*words).to_owned(),
                None => self.name()?.to_string(),
            };
            let name = Lowering::name(&label);
            if self.at_line_end() || self.closes() {
                arguments.push(Argument::Named(name, Expr::Constant(Constant::Bool(true))));
                break;
            }
            let value = self.expression()?;
            arguments.push(Argument::Named(name, value));
        }
        Ok(())
    }
}
