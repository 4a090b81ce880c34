//! Expressions of AppleScript.

use super::lexer::Token;
use super::{AppleScript, DELIMITERS, Parsed, Rejected, nothing, text};
use crate::ir::{Argument, BinaryOp, CompareOp, Constant, Expr, Item, LogicOp, UnaryOp};
use crate::lowering::Lowering;

/// How two values are compared.
#[derive(Clone, Copy)]
enum Comparison {
    Operator(CompareOp),
    /// A function of the evaluator.
    Call(&'static str),
}

/// The spellings of comparisons; longer ones come first.
const COMPARISONS: &[(&str, Comparison)] = &[
    ("is not greater than or equal to", Comparison::Operator(CompareOp::Less)),
    ("is not less than or equal to", Comparison::Operator(CompareOp::Greater)),
    ("is greater than or equal to", Comparison::Operator(CompareOp::GreaterEqual)),
    ("is less than or equal to", Comparison::Operator(CompareOp::LessEqual)),
    ("is not greater than", Comparison::Operator(CompareOp::LessEqual)),
    ("is not less than", Comparison::Operator(CompareOp::GreaterEqual)),
    ("is not contained by", Comparison::Call("<compare>")),
    ("is not equal to", Comparison::Operator(CompareOp::NotEqual)),
    ("is greater than", Comparison::Operator(CompareOp::Greater)),
    ("is less than", Comparison::Operator(CompareOp::Less)),
    ("is contained by", Comparison::Call("<compare>")),
    ("is equal to", Comparison::Operator(CompareOp::Equal)),
    ("is not in", Comparison::Call("<compare>")),
    ("is in", Comparison::Call("<compare>")),
    ("is not", Comparison::Operator(CompareOp::NotEqual)),
    ("isn't equal to", Comparison::Operator(CompareOp::NotEqual)),
    ("isn't contained by", Comparison::Call("<compare>")),
    ("isn't in", Comparison::Call("<compare>")),
    ("isn't", Comparison::Operator(CompareOp::NotEqual)),
    ("is", Comparison::Operator(CompareOp::Equal)),
    ("does not equal", Comparison::Operator(CompareOp::NotEqual)),
    ("doesn't equal", Comparison::Operator(CompareOp::NotEqual)),
    ("does not contain", Comparison::Call("<compare>")),
    ("doesn't contain", Comparison::Call("<compare>")),
    ("does not start with", Comparison::Call("<compare>")),
    ("doesn't start with", Comparison::Call("<compare>")),
    ("does not end with", Comparison::Call("<compare>")),
    ("doesn't end with", Comparison::Call("<compare>")),
    ("does not come before", Comparison::Call("<compare>")),
    ("does not come after", Comparison::Call("<compare>")),
    ("equals", Comparison::Operator(CompareOp::Equal)),
    ("equal to", Comparison::Operator(CompareOp::Equal)),
    ("contains", Comparison::Call("<compare>")),
    ("contain", Comparison::Call("<compare>")),
    ("starts with", Comparison::Call("<compare>")),
    ("start with", Comparison::Call("<compare>")),
    ("begins with", Comparison::Call("<compare>")),
    ("begin with", Comparison::Call("<compare>")),
    ("ends with", Comparison::Call("<compare>")),
    ("end with", Comparison::Call("<compare>")),
    ("comes before", Comparison::Call("<compare>")),
    ("comes after", Comparison::Call("<compare>")),
];

const SIGNS: &[(&str, CompareOp)] = &[
    ("=", CompareOp::Equal),
    ("≠", CompareOp::NotEqual),
    ("/=", CompareOp::NotEqual),
    ("<=", CompareOp::LessEqual),
    ("≤", CompareOp::LessEqual),
    (">=", CompareOp::GreaterEqual),
    ("≥", CompareOp::GreaterEqual),
    ("<", CompareOp::Less),
    (">", CompareOp::Greater),
];

impl AppleScript<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.deeper(|this| {
            let mut values = vec![this.conjunction()?];
            while this.takes_words("or") {
                values.push(this.conjunction()?);
            }
            Ok(joined(LogicOp::Or, values))
        })
    }

    fn conjunction(&mut self) -> Parsed<Expr> {
        let mut values = vec![self.negation()?];
        while self.takes_words("and") {
            values.push(self.negation()?);
        }
        Ok(joined(LogicOp::And, values))
    }

    fn negation(&mut self) -> Parsed<Expr> {
        if self.takes_words("not") {
            let value = self.deeper(Self::negation)?;
            return Ok(Expr::Unary(UnaryOp::Not, Box::new(value)));
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Parsed<Expr> {
        let mut left = self.concatenation()?;
        while let Some(comparison) = self.takes_comparison() {
            let right = self.concatenation()?;
            left = match comparison {
                Comparison::Operator(op) => Expr::Compare(Box::new(left), vec![(op, right)]),
                Comparison::Call(name) => self.call(name, vec![left, right]),
            };
        }
        Ok(left)
    }

    fn takes_comparison(&mut self) -> Option<Comparison> {
        if let Token::Symbol(symbol) = self.token()
            && let Some((_, op)) = SIGNS.iter().find(|(sign, _)| sign == symbol)
        {
            self.at += 1;
            return Some(Comparison::Operator(*op));
        }
        self.word()?;
        let (words, found) = COMPARISONS.iter().find(|(words, _)| self.are_next(words))?;
        self.takes_words(words);
        Some(*found)
    }

    /// `&` joins texts, and lists.
    fn concatenation(&mut self) -> Parsed<Expr> {
        let first = self.sum()?;
        if !self.is("&") {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.takes("&") {
            parts.push(self.sum()?);
        }
        Ok(self.call("<join>", parts))
    }

    fn sum(&mut self) -> Parsed<Expr> {
        self.chain(Self::product, |this| match this.token() {
            Token::Symbol("+") => Some(BinaryOp::Add),
            Token::Symbol("-") => Some(BinaryOp::Sub),
            _ => None,
        })
    }

    fn product(&mut self) -> Parsed<Expr> {
        self.chain(Self::power, |this| match this.token() {
            Token::Symbol("*") => Some(BinaryOp::Mul),
            Token::Symbol("/" | "÷") => Some(BinaryOp::Div),
            Token::Word(word) if &**word == "div" => Some(BinaryOp::FloorDiv),
            Token::Word(word) if &**word == "mod" => Some(BinaryOp::Mod),
            _ => None,
        })
    }

    fn power(&mut self) -> Parsed<Expr> {
        self.chain(Self::converted, |this| match this.token() {
            Token::Symbol("^") => Some(BinaryOp::Pow),
            _ => None,
        })
    }

    fn chain(
        &mut self,
        operand: impl Fn(&mut Self) -> Parsed<Expr>,
        operator: impl Fn(&Self) -> Option<BinaryOp>,
    ) -> Parsed<Expr> {
        let first = operand(self)?;
        let mut rest = Vec::new();
        while let Some(op) = operator(self) {
            self.at += 1;
            rest.push((op, operand(self)?));
        }
        Ok(if rest.is_empty() { first } else { Expr::Chain(Box::new(first), rest) })
    }

    /// `x as text`, with anything that converts.
    fn converted(&mut self) -> Parsed<Expr> {
        let mut value = self.signed()?;
        while self.takes_words("as") {
            value = self.conversion(value)?;
        }
        Ok(value)
    }

    /// The class behind `as`.
    fn conversion(&mut self, value: Expr) -> Parsed<Expr> {
        if self.takes("{") {
            // A list of classes.
            while !self.takes("}") {
                if self.at_line_end() {
                    return Err(Rejected);
                }
                self.at += 1;
            }
            return Ok(value);
        }
        let is_text = self.takes_any(&["unicode text", "international text", "text", "string"]);
        if is_text {
            let delimiters = Expr::Name(Lowering::name(DELIMITERS));
            return Ok(self.call("<as text>", vec![value, delimiters]));
        }
        if self.takes_words("list") {
            return Ok(self.call("<as list>", vec![value]));
        }
        if self.takes_any(&["posix file", "«class furl»"]) {
            return Ok(self.call("posix file", vec![value]));
        }
        if self.takes_any(&["alias list", "small integer", "double integer", "styled text"]) {
            return Ok(value);
        }
        match self.advance() {
            Token::Word(word) if matches!(&*word, "integer" | "number" | "real") => {
                Ok(self.call("<as number>", vec![value]))
            }
            Token::Raw(class) if &*class == "class utf8" || &*class == "class utxt" => {
                let delimiters = Expr::Name(Lowering::name(DELIMITERS));
                Ok(self.call("<as text>", vec![value, delimiters]))
            }
            Token::Word(_) | Token::Raw(_) => Ok(value),
            _ => Err(Rejected),
        }
    }

    fn signed(&mut self) -> Parsed<Expr> {
        if self.takes("-") {
            let value = self.deeper(Self::signed)?;
            return Ok(Expr::Unary(UnaryOp::Minus, Box::new(value)));
        }
        if self.takes("+") {
            return self.deeper(Self::signed);
        }
        self.reference()
    }

    /// A literal, a group, a list or a record.
    pub(super) fn literal(&mut self) -> Parsed<Expr> {
        match self.advance() {
            Token::Constant(constant) => Ok(Expr::Constant(constant)),
            Token::Symbol("(") => {
                // A group may be written in several lines.
                self.skip_lines();
                let inner = self.expression()?;
                self.skip_lines();
                self.expect(")")?;
                Ok(inner)
            }
            Token::Symbol("{") => self.deeper(Self::braces),
            _ => Err(Rejected),
        }
    }

    pub(super) fn skip_lines(&mut self) {
        while *self.token() == Token::Line {
            self.at += 1;
        }
    }

    /// `{1, 2}` and `{name:value}`.
    fn braces(&mut self) -> Parsed<Expr> {
        let mut items = Vec::new();
        let mut pairs = Vec::new();
        loop {
            self.skip_lines();
            if self.takes("}") {
                break;
            }
            match self.label() {
                Some(label) => {
                    let value = self.expression()?;
                    pairs.push((Some(text(&label)), value));
                }
                None => items.push(Item::One(self.expression()?)),
            }
            self.skip_lines();
            if !self.takes(",") {
                self.expect("}")?;
                break;
            }
        }
        Ok(if pairs.is_empty() { Expr::List(items) } else { Expr::Dict(pairs) })
    }

    /// The words before a colon.
    fn label(&mut self) -> Option<String> {
        let mut words: Vec<&str> = Vec::new();
        // The names of properties have at most a few words.
        for place in 0..6 {
            match self.ahead(place) {
                Token::Word(word) | Token::Quoted(word) => words.push(word),
                Token::Symbol(":") if !words.is_empty() => {
                    let label = words.join(" ");
                    self.at += place + 1;
                    return Some(label);
                }
                _ => return None,
            }
        }
        None
    }

    /// The arguments of a handler in brackets.
    pub(super) fn arguments(&mut self) -> Parsed<Vec<Argument>> {
        self.expect("(")?;
        let mut arguments = Vec::new();
        self.skip_lines();
        while !self.is(")") {
            arguments.push(Argument::One(self.expression()?));
            self.skip_lines();
            if !self.takes(",") {
                break;
            }
            self.skip_lines();
        }
        self.expect(")")?;
        Ok(arguments)
    }

    /// A constant that is a word of the language.
    pub(super) fn constant(&mut self) -> Option<Expr> {
        let constant = match self.word()? {
            "true" | "yes" => Constant::Bool(true),
            "false" | "no" => Constant::Bool(false),
            "missing" if self.are_next("missing value") => {
                self.at += 1;
                Constant::None
            }
            "null" => Constant::None,
            "return" => Constant::Text("\r".into()),
            "linefeed" => Constant::Text("\n".into()),
            "space" => Constant::Text(" ".into()),
            "tab" => Constant::Text("\t".into()),
            "quote" => Constant::Text("\"".into()),
            "pi" => Constant::Number,
            _ => return None,
        };
        self.at += 1;
        Some(Expr::Constant(constant))
    }

    /// An expression, or nothing if the line ends here.
    pub(super) fn optional(&mut self) -> Parsed<Expr> {
        if self.at_line_end() { Ok(nothing()) } else { self.expression() }
    }
}

fn joined(op: LogicOp, mut values: Vec<Expr>) -> Expr {
    match values.len() {
        1 => values.pop().unwrap_or(Expr::Unknown),
        _ => Expr::Logic(op, values),
    }
}
