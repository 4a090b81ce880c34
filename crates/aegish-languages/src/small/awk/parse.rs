//! awk: tokens → rules and functions. A token that does not fit is left out, so that what stands behind it is read.

use super::lex::Token;
use std::collections::{HashMap, HashSet};

#[derive(Debug, Clone)]
pub(super) enum Expr {
    Text(String),
    Number(f64),
    Regex(String),
    Variable(String),
    Element(String, Vec<Expr>),
    Field(Box<Expr>),
    /// Target, operator without `=`, value.
    Assign(Box<Expr>, &'static str, Box<Expr>),
    Condition(Box<Expr>, Box<Expr>, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Unary(&'static str, Box<Expr>),
    /// `++x`, `x--`: target, what is added, whether the new value counts.
    Step(Box<Expr>, f64, bool),
    Join(Vec<Expr>),
    Call(String, Vec<Expr>),
    /// `@name(…)`
    Indirect(String, Vec<Expr>),
    In(Vec<Expr>, String),
    /// Where from (`true`: a command), and what it fills.
    Getline(Option<(bool, Box<Expr>)>, Option<Box<Expr>>),
    /// Several values in brackets.
    List(Vec<Expr>),
}

#[derive(Debug, Clone)]
pub(super) enum Statement {
    Value(Expr),
    Print {
        formatted: bool,
        values: Vec<Expr>,
        to: Option<(&'static str, Expr)>,
    },
    If(Expr, Vec<Statement>, Vec<Statement>),
    /// First statement, condition, step, body, whether the body comes before the first test.
    Loop(Vec<Statement>, Option<Expr>, Vec<Statement>, Vec<Statement>, bool),
    ForIn(String, String, Vec<Statement>),
    Switch(Expr, Vec<Statement>),
    Block(Vec<Statement>),
    Delete(String, Option<Vec<Expr>>),
    Next,
    Exit,
    Break,
    Continue,
    Return(Option<Expr>),
    /// `@load`, `@include`
    Directive(String, String),
}

#[derive(Debug)]
pub(super) enum Pattern {
    Begin,
    End,
    Always,
    When(Expr),
}

#[derive(Debug, Default)]
pub(super) struct Program {
    pub(super) rules: Vec<(Pattern, Option<Vec<Statement>>)>,
    pub(super) functions: HashMap<String, (Vec<String>, Vec<Statement>)>,
    pub(super) directives: Vec<Statement>,
    /// Names that are used as arrays.
    pub(super) arrays: HashSet<String>,
    /// Names that something sets.
    pub(super) set: HashSet<String>,
    /// Whether input is read without a name.
    pub(super) reads_input: bool,
    /// Whether something is nested too deep to be read.
    pub(super) deep: bool,
    /// Whether anything in it could run, read or write.
    pub(super) acts: bool,
    /// Whether some text was left out.
    pub(super) skipped: bool,
}

/// Nested expressions and statements; what is deeper is left out.
pub(super) const MAX_DEPTH: usize = 32;

/// Operators of one kind in a row.
pub(super) const MAX_CHAIN: usize = 64;

pub(super) fn program(tokens: &[Token]) -> Program {
    let mut parser = Parser { tokens, at: 0, depth: 0, closed: true, program: Program::default() };
    parser.rules();
    parser.program.acts = tokens.iter().any(|token| match token {
        Token::Name(name) => matches!(name.as_str(), "system" | "getline"),
        Token::Op(op) => matches!(*op, ">" | ">>" | "|" | "|&" | "@"),
        _ => false,
    });
    parser.program
}

pub(super) struct Parser<'t> {
    pub(super) tokens: &'t [Token],
    pub(super) at: usize,
    pub(super) depth: usize,
    /// Whether `>` compares, as it does inside of brackets.
    pub(super) closed: bool,
    pub(super) program: Program,
}

pub(super) type Parsed = Option<Expr>;

pub(super) const ASSIGNMENTS: [(&str, &str); 8] = [
    ("=", ""),
    ("+=", "+"),
    ("-=", "-"),
    ("*=", "*"),
    ("/=", "/"),
    ("%=", "%"),
    ("^=", "^"),
    ("**=", "^"),
];

impl<'t> Parser<'t> {
    pub(super) fn peek(&self) -> Option<&'t Token> {
        self.tokens.get(self.at)
    }

    pub(super) fn is(&self, op: &str) -> bool {
        self.peek().is_some_and(|token| token.is(op))
    }

    pub(super) fn eat(&mut self, op: &str) -> bool {
        let hit = self.is(op);
        self.at += usize::from(hit);
        hit
    }

    pub(super) fn word(&mut self, name: &str) -> bool {
        let hit = self.peek().is_some_and(|token| token.named(name));
        self.at += usize::from(hit);
        hit
    }

    pub(super) fn name(&mut self) -> Option<String> {
        let Some(Token::Name(name)) = self.peek() else { return None };
        self.at += 1;
        Some(name.clone())
    }

    pub(super) fn lines(&mut self) {
        while matches!(self.peek(), Some(Token::Line)) {
            self.at += 1;
        }
    }

    fn ends(&mut self) {
        while matches!(self.peek(), Some(Token::Line)) || self.is(";") {
            self.at += 1;
        }
    }

    fn skip(&mut self) {
        self.program.skipped = true;
        self.at += 1;
    }

    fn rules(&mut self) {
        loop {
            self.ends();
            if self.peek().is_none() {
                return;
            }
            let before = self.at;
            if self.eat("@") {
                if let (Some(name), Some(Token::Text(text))) = (self.name(), self.peek()) {
                    self.program.directives.push(Statement::Directive(name, text.clone()));
                    self.at += 1;
                }
            } else if self.word("function") || self.word("func") {
                self.function();
            } else if self.word("BEGIN") || self.word("BEGINFILE") {
                let block = self.block();
                self.program.rules.push((Pattern::Begin, Some(block)));
            } else if self.word("END") || self.word("ENDFILE") {
                self.program.reads_input = true;
                let block = self.block();
                self.program.rules.push((Pattern::End, Some(block)));
            } else {
                self.program.reads_input = true;
                let mut pattern = Pattern::Always;
                if !self.is("{") {
                    let Some(first) = self.expression() else {
                        if self.at == before {
                            self.skip();
                        }
                        continue;
                    };
                    pattern = Pattern::When(first);
                    if self.eat(",") {
                        self.lines();
                        // Where a range of lines begins and ends is not followed.
                        let last = self.expression().unwrap_or(Expr::Number(0.0));
                        let unknown = Expr::Call("range".to_owned(), vec![last]);
                        pattern = Pattern::When(unknown);
                    }
                }
                let block = self.is("{").then(|| self.block());
                self.program.rules.push((pattern, block));
            }
            if self.at == before {
                self.skip();
            }
        }
    }

    fn function(&mut self) {
        let Some(name) = self.name() else { return };
        let mut parameters = Vec::new();
        self.eat("(");
        while let Some(parameter) = self.name() {
            parameters.push(parameter);
            self.eat(",");
            self.lines();
        }
        self.eat(")");
        self.lines();
        let body = self.block();
        self.program.functions.insert(name, (parameters, body));
    }

    fn block(&mut self) -> Vec<Statement> {
        self.lines();
        if !self.eat("{") {
            return Vec::new();
        }
        self.statements()
    }

    /// Statements up to the bracket that closes them.
    fn statements(&mut self) -> Vec<Statement> {
        let mut all = Vec::new();
        loop {
            self.ends();
            if self.peek().is_none() || self.eat("}") {
                return all;
            }
            match self.statement() {
                Some(statement) => all.push(statement),
                None => self.skip(),
            }
        }
    }

    /// The body of a condition or loop.
    fn body(&mut self) -> Vec<Statement> {
        self.lines();
        if self.eat(";") {
            return Vec::new();
        }
        if self.eat("{") {
            return self.statements();
        }
        self.statement().into_iter().collect()
    }

    fn statement(&mut self) -> Option<Statement> {
        if self.depth >= MAX_DEPTH {
            self.program.deep = true;
            return None;
        }
        self.depth += 1;
        let statement = self.one_statement();
        self.depth -= 1;
        statement
    }

    fn one_statement(&mut self) -> Option<Statement> {
        if self.eat("{") {
            return Some(Statement::Block(self.statements()));
        }
        let Some(Token::Name(name)) = self.peek() else { return self.simple() };
        let begin = self.at;
        self.at += 1;
        Some(match name.as_str() {
            "if" => {
                let condition = self.in_brackets()?;
                let then = self.body();
                let end = self.at;
                self.ends();
                let otherwise = if self.word("else") {
                    self.body()
                } else {
                    self.at = end;
                    Vec::new()
                };
                Statement::If(condition, then, otherwise)
            }
            "while" => {
                let condition = self.in_brackets()?;
                let body = self.body();
                Statement::Loop(Vec::new(), Some(condition), Vec::new(), body, false)
            }
            "do" => {
                let body = self.body();
                self.ends();
                let condition = if self.word("while") { self.in_brackets() } else { None };
                Statement::Loop(Vec::new(), condition, Vec::new(), body, true)
            }
            "for" => self.loop_over()?,
            "switch" => {
                let value = self.in_brackets()?;
                self.lines();
                self.eat("{");
                Statement::Switch(value, self.statements())
            }
            // The cases of a switch; which one is run is not followed.
            "case" | "default" => {
                if name == "case" {
                    self.primary()?;
                }
                self.eat(":");
                Statement::Block(Vec::new())
            }
            "print" | "printf" => return self.print(name == "printf"),
            "next" | "nextfile" => Statement::Next,
            "exit" => {
                if self.begins_value() {
                    self.expression()?;
                }
                Statement::Exit
            }
            "break" => Statement::Break,
            "continue" => Statement::Continue,
            "return" => {
                let value = if self.begins_value() { self.expression() } else { None };
                Statement::Return(value)
            }
            "delete" => {
                let name = self.name()?;
                self.program.arrays.insert(name.clone());
                let keys = if self.eat("[") { Some(self.list("]")?) } else { None };
                Statement::Delete(name, keys)
            }
            _ => {
                self.at = begin;
                return self.simple();
            }
        })
    }

    fn simple(&mut self) -> Option<Statement> {
        if self.word("print") {
            return self.print(false);
        }
        if self.word("printf") {
            return self.print(true);
        }
        self.expression().map(Statement::Value)
    }

    fn loop_over(&mut self) -> Option<Statement> {
        if !self.eat("(") {
            return None;
        }
        let named = |at: usize| match self.tokens.get(self.at + at) {
            Some(Token::Name(name)) => Some(name.clone()),
            _ => None,
        };
        if let (Some(name), Some("in"), Some(array)) = (named(0), named(1).as_deref(), named(2))
            && self.tokens.get(self.at + 3).is_some_and(|token| token.is(")"))
        {
            self.at += 4;
            self.program.arrays.insert(array.clone());
            self.program.set.insert(name.clone());
            return Some(Statement::ForIn(name, array, self.body()));
        }
        let closed = std::mem::replace(&mut self.closed, true);
        let part = |parser: &mut Self, end: &str| {
            parser.lines();
            let some = !parser.is(end);
            let statement = if some { parser.simple() } else { None };
            parser.eat(end);
            parser.lines();
            statement
        };
        let first = part(self, ";");
        let condition = match part(self, ";") {
            Some(Statement::Value(value)) => Some(value),
            _ => Some(Expr::Number(1.0)),
        };
        let step = part(self, ")");
        self.closed = closed;
        let body = self.body();
        let list = |statement: Option<Statement>| statement.into_iter().collect();
        Some(Statement::Loop(list(first), condition, list(step), body, false))
    }

    fn in_brackets(&mut self) -> Parsed {
        self.lines();
        if !self.eat("(") {
            return None;
        }
        let closed = std::mem::replace(&mut self.closed, true);
        let value = self.expression();
        self.closed = closed;
        self.lines();
        self.eat(")");
        value
    }

    fn print(&mut self, formatted: bool) -> Option<Statement> {
        let closed = std::mem::replace(&mut self.closed, false);
        let mut values = Vec::new();
        while self.begins_value() {
            let Some(value) = self.expression() else { break };
            match value {
                Expr::List(several) if values.is_empty() => values = several,
                value => values.push(value),
            }
            if !self.eat(",") {
                break;
            }
            self.lines();
        }
        let mut to = None;
        for op in [">", ">>", "|", "|&"] {
            if self.eat(op) {
                to = self.joined().map(|target| (op, target));
                break;
            }
        }
        self.closed = closed;
        Some(Statement::Print { formatted, values, to })
    }
}
