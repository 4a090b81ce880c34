//! awk: tokens → expressions, by precedence.

use super::lex::Token;
use super::parse::{ASSIGNMENTS, Expr, MAX_CHAIN, MAX_DEPTH, Parsed, Parser};

impl Parser<'_> {
    pub(super) fn begins_value(&self) -> bool {
        match self.peek() {
            None | Some(Token::Line) => false,
            Some(Token::Op(op)) => ["(", "$", "-", "+", "!", "++", "--", "@"].contains(op),
            Some(_) => true,
        }
    }

    /// Expressions up to a bracket.
    pub(super) fn list(&mut self, end: &str) -> Option<Vec<Expr>> {
        let closed = std::mem::replace(&mut self.closed, true);
        let mut all = Vec::new();
        self.lines();
        while !self.is(end) {
            let Some(value) = self.expression() else {
                self.closed = closed;
                return None;
            };
            all.push(value);
            self.lines();
            if !self.eat(",") {
                break;
            }
            self.lines();
        }
        self.closed = closed;
        self.eat(end);
        Some(all)
    }

    pub(super) fn expression(&mut self) -> Parsed {
        if self.depth >= MAX_DEPTH {
            self.program.deep = true;
            return None;
        }
        self.depth += 1;
        let value = self.condition();
        self.depth -= 1;
        value
    }

    fn condition(&mut self) -> Parsed {
        let test = self.either()?;
        if !self.eat("?") {
            return Some(test);
        }
        self.lines();
        let then = self.expression()?;
        self.lines();
        if !self.eat(":") {
            return None;
        }
        self.lines();
        let otherwise = self.expression()?;
        Some(Expr::Condition(Box::new(test), Box::new(then), Box::new(otherwise)))
    }

    fn either(&mut self) -> Parsed {
        let mut left = self.both()?;
        for _ in 0..MAX_CHAIN {
            if !self.eat("||") {
                break;
            }
            self.lines();
            left = Expr::Binary("||", Box::new(left), Box::new(self.both()?));
        }
        Some(left)
    }

    fn both(&mut self) -> Parsed {
        let mut left = self.membership()?;
        for _ in 0..MAX_CHAIN {
            if !self.eat("&&") {
                break;
            }
            self.lines();
            left = Expr::Binary("&&", Box::new(left), Box::new(self.membership()?));
        }
        Some(left)
    }

    fn membership(&mut self) -> Parsed {
        let mut left = self.matching()?;
        if self.word("in") {
            let array = self.name()?;
            self.program.arrays.insert(array.clone());
            let keys = if let Expr::List(keys) = left { keys } else { vec![left] };
            left = Expr::In(keys, array);
        }
        Some(left)
    }

    fn matching(&mut self) -> Parsed {
        let mut left = self.comparison()?;
        for _ in 0..MAX_CHAIN {
            let Some(op) = ["~", "!~"].into_iter().find(|op| self.is(op)) else { break };
            self.at += 1;
            left = Expr::Binary(op, Box::new(left), Box::new(self.comparison()?));
        }
        Some(left)
    }

    fn comparison(&mut self) -> Parsed {
        let left = self.piped()?;
        for op in ["<", "<=", "==", "!=", ">", ">="] {
            if self.is(op) && (op != ">" || self.closed) {
                self.at += 1;
                return Some(Expr::Binary(op, Box::new(left), Box::new(self.piped()?)));
            }
        }
        Some(left)
    }

    /// `command | getline variable`
    fn piped(&mut self) -> Parsed {
        let mut left = self.joined()?;
        if (self.is("|") || self.is("|&"))
            && self.tokens.get(self.at + 1).is_some_and(|token| token.named("getline"))
        {
            self.at += 2;
            let target = self.filled();
            left = Expr::Getline(Some((true, Box::new(left))), target);
        }
        Some(left)
    }

    /// The variable that `getline` fills.
    fn filled(&mut self) -> Option<Box<Expr>> {
        let begins = match self.peek() {
            Some(Token::Name(name)) => name != "in" && !self.calls(),
            _ => self.is("$"),
        };
        let target = begins.then(|| self.primary()).flatten();
        if let Some(Expr::Variable(name)) = &target {
            self.program.set.insert(name.clone());
        }
        target.map(Box::new)
    }

    fn calls(&self) -> bool {
        self.tokens.get(self.at + 1).is_some_and(|token| token.is("("))
    }

    pub(super) fn joined(&mut self) -> Parsed {
        let first = self.sum()?;
        let mut parts = vec![first];
        loop {
            let more = match self.peek() {
                Some(Token::Text(_) | Token::Number(_)) => true,
                Some(Token::Name(name)) => name != "in",
                Some(Token::Op(op)) => ["$", "(", "++", "--"].contains(op),
                _ => false,
            };
            if !more {
                return if parts.len() == 1 { parts.pop() } else { Some(Expr::Join(parts)) };
            }
            parts.push(self.sum()?);
        }
    }

    fn sum(&mut self) -> Parsed {
        let mut left = self.product()?;
        for _ in 0..MAX_CHAIN {
            let Some(op) = ["+", "-"].into_iter().find(|op| self.is(op)) else { break };
            self.at += 1;
            left = Expr::Binary(op, Box::new(left), Box::new(self.product()?));
        }
        Some(left)
    }

    fn product(&mut self) -> Parsed {
        let mut left = self.signed()?;
        for _ in 0..MAX_CHAIN {
            let Some(op) = ["*", "/", "%"].into_iter().find(|op| self.is(op)) else { break };
            self.at += 1;
            left = Expr::Binary(op, Box::new(left), Box::new(self.signed()?));
        }
        Some(left)
    }

    fn signed(&mut self) -> Parsed {
        for op in ["!", "-", "+"] {
            if self.eat(op) {
                if self.depth >= MAX_DEPTH {
                    self.program.deep = true;
                    return None;
                }
                self.depth += 1;
                let value = self.signed();
                self.depth -= 1;
                return Some(Expr::Unary(op, Box::new(value?)));
            }
        }
        self.power()
    }

    fn power(&mut self) -> Parsed {
        let base = self.stepped()?;
        // Not every version knows both.
        let double = self.eat("**");
        self.program.skipped |= double;
        if double || self.eat("^") {
            let exponent = self.signed()?;
            return Some(Expr::Binary("^", Box::new(base), Box::new(exponent)));
        }
        Some(base)
    }

    fn stepped(&mut self) -> Parsed {
        let value = self.primary()?;
        if !matches!(value, Expr::Variable(_) | Expr::Element(..) | Expr::Field(_)) {
            return Some(value);
        }
        for (op, by) in [("++", 1.0), ("--", -1.0)] {
            if self.eat(op) {
                self.note_set(&value);
                return Some(Expr::Step(Box::new(value), by, false));
            }
        }
        for (op, plain) in ASSIGNMENTS {
            if self.eat(op) {
                self.lines();
                self.note_set(&value);
                let right = self.expression()?;
                return Some(Expr::Assign(Box::new(value), plain, Box::new(right)));
            }
        }
        Some(value)
    }

    fn note_set(&mut self, target: &Expr) {
        if let Expr::Variable(name) = target {
            self.program.set.insert(name.clone());
        }
    }

    pub(super) fn primary(&mut self) -> Parsed {
        let token = self.peek()?;
        if self.depth >= MAX_DEPTH {
            self.program.deep = true;
            return None;
        }
        self.at += 1;
        Some(match token {
            Token::Text(text) => Expr::Text(text.clone()),
            Token::Number(text) => {
                // Hexadecimal in some versions.
                self.program.skipped |= text.contains(['x', 'X']);
                Expr::Number(super::values::number(text))
            }
            Token::Regex(regex) => Expr::Regex(regex.clone()),
            Token::Op("(") => {
                let mut all = self.list(")")?;
                match all.len() {
                    1 => all.pop()?,
                    _ => Expr::List(all),
                }
            }
            Token::Op("$") => {
                self.depth += 1;
                let minus = self.eat("-");
                let index = self.primary();
                self.depth -= 1;
                let index = index?;
                Expr::Field(Box::new(if minus { Expr::Unary("-", Box::new(index)) } else { index }))
            }
            Token::Op(op @ ("++" | "--")) => {
                self.depth += 1;
                let target = self.primary();
                self.depth -= 1;
                let target = target?;
                self.note_set(&target);
                Expr::Step(Box::new(target), if *op == "++" { 1.0 } else { -1.0 }, true)
            }
            Token::Op("@") => {
                let name = self.name()?;
                self.eat("(");
                Expr::Indirect(name, self.list(")")?)
            }
            Token::Name(name) => self.named(name)?,
            Token::Op(_) | Token::Line => {
                self.at -= 1;
                return None;
            }
        })
    }

    fn named(&mut self, name: &str) -> Parsed {
        if name == "getline" {
            let target = self.filled();
            if self.eat("<") {
                return Some(Expr::Getline(Some((false, Box::new(self.source()?))), target));
            }
            self.program.reads_input = true;
            return Some(Expr::Getline(None, target));
        }
        if self.eat("(") {
            let arguments = self.list(")")?;
            for (at, argument) in arguments.iter().enumerate() {
                let Expr::Variable(variable) = argument else { continue };
                let array = matches!((name, at), ("split" | "patsplit", 1 | 3) | ("match", 2))
                    || matches!(name, "asort" | "asorti" | "isarray");
                if array {
                    self.program.arrays.insert(variable.clone());
                } else if matches!((name, at), ("sub" | "gsub", 2)) {
                    self.program.set.insert(variable.clone());
                }
            }
            return Some(Expr::Call(name.to_owned(), arguments));
        }
        if self.eat("[") {
            self.program.arrays.insert(name.to_owned());
            return Some(Expr::Element(name.to_owned(), self.list("]")?));
        }
        Some(match name {
            "length" => Expr::Call(name.to_owned(), Vec::new()),
            _ => Expr::Variable(name.to_owned()),
        })
    }

    /// The name of the file behind `getline <`: no concatenation in gawk, one in others.
    fn source(&mut self) -> Parsed {
        let first = self.primary()?;
        let more = matches!(self.peek(), Some(Token::Text(_) | Token::Name(_))) || self.is("$");
        if !more || self.peek().is_some_and(|token| token.named("in")) {
            return Some(first);
        }
        let whole = Expr::Join(vec![first.clone(), self.joined()?]);
        // Either reading.
        let unknown = Expr::Call("either".to_owned(), Vec::new());
        Some(Expr::Condition(Box::new(unknown), Box::new(first), Box::new(whole)))
    }
}
