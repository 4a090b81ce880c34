//! Statements.

use super::tree::{Node, Stmt};
use super::{Parsed, Perl, Rejected};
use crate::ir::Name;
use std::collections::HashMap;

/// Statements that are not understood before the rest of the text is given up.
const MISTAKES: u32 = 50;

impl Perl<'_> {
    /// All statements. What is not understood is left out.
    pub(super) fn program(&mut self) -> Vec<Stmt> {
        let mut out = Vec::new();
        let mut mistakes = 0;
        loop {
            self.statement_blanks();
            if self.ended() || self.takes_end() {
                return out;
            }
            let before = self.at;
            let scopes = self.scopes.len();
            let depth = self.lowering.level();
            match self.statement() {
                Ok(statement) => out.extend(statement),
                Err(Rejected) => {
                    self.lowering.cut = true;
                    self.scopes.truncate(scopes);
                    self.lowering.back_to(depth);
                    mistakes += 1;
                    if mistakes > MISTAKES {
                        return out;
                    }
                    // Goes on behind the end of a statement.
                    self.at = self.at.max(before);
                    let rest = self.rest();
                    let next = rest.find([';', '\n']).map_or(rest.len(), |at| at + 1);
                    // A mistake at the end of the text leaves nothing behind it.
                    self.at = (self.at + next.max(1)).min(self.text.len());
                    while !self.text.is_char_boundary(self.at) {
                        self.at += 1;
                    }
                    self.jump = None;
                }
            }
            if self.at == before {
                // A bracket that closes nothing.
                self.lowering.cut = true;
                self.bump();
            }
        }
    }

    /// `__END__`: the rest is data.
    fn takes_end(&mut self) -> bool {
        let word = self.plain_word();
        if !matches!(word, "__END__" | "__DATA__") && !matches!(self.byte(0), 4 | 26) {
            return false;
        }
        let length = word.len().max(1);
        self.at += length;
        let rest = self.rest();
        let data = rest.find('\n').and_then(|at| rest.get(at + 1..)).unwrap_or("").to_owned();
        self.at = self.text.len();
        self.data = Some(data);
        true
    }

    /// Statements up to a closing bracket or the end.
    pub(super) fn statement_list(&mut self, block: bool) -> Parsed<Vec<Stmt>> {
        let mut out = Vec::new();
        loop {
            self.statement_blanks();
            if self.ended() {
                return if block { Err(Rejected) } else { Ok(out) };
            }
            if self.byte(0) == b'}' {
                return Ok(out);
            }
            let before = self.at;
            out.extend(self.statement()?);
            if self.at == before {
                return Err(Rejected);
            }
        }
    }

    fn statement(&mut self) -> Parsed<Option<Stmt>> {
        self.statement_blanks();
        if self.takes(";") {
            return Ok(None);
        }
        if self.byte(0) == b'{' {
            if self.looks_like_hash() {
                return self.simple_statement().map(Some);
            }
            let sub = self.block_sub()?;
            self.continue_block()?;
            return Ok(Some(Stmt::Block(sub.body)));
        }
        let word = self.plain_word().to_owned();
        if word.is_empty() || self.fat_comma_behind(&word) {
            return self.simple_statement().map(Some);
        }
        if let Some(label) = self.label(&word) {
            self.enter()?;
            let inner = self.statement()?;
            self.leave();
            return Ok(inner.map(|inner| Stmt::Labeled(label, Box::new(inner))));
        }
        let start = self.at;
        match word.as_str() {
            "if" | "unless" => {
                self.at += word.len();
                self.conditional(word == "unless").map(Some)
            }
            "while" | "until" => {
                self.at += word.len();
                self.scoped(|this| this.while_statement(word == "until")).map(Some)
            }
            "for" | "foreach" => {
                self.at += word.len();
                self.scoped(Self::for_statement).map(Some)
            }
            "sub" => {
                self.at += 3;
                self.blanks();
                let Some(name) = self.take_name(true) else {
                    self.at = start;
                    return self.simple_statement().map(Some);
                };
                let full = self.global('&', &name);
                let sub = self.sub_behind(Some(&name))?;
                Ok(sub.map(|sub| match &*name {
                    "BEGIN" | "UNITCHECK" | "CHECK" | "INIT" => Stmt::Begin(Box::new(sub)),
                    "END" => Stmt::End(Box::new(sub)),
                    _ => Stmt::Sub(full, Box::new(sub)),
                }))
            }
            "BEGIN" | "UNITCHECK" | "CHECK" | "INIT" | "END" if self.brace_behind(&word) => {
                self.at += word.len();
                let sub = self.block_sub()?;
                Ok(Some(match word.as_str() {
                    "END" => {
                        self.has_end = true;
                        Stmt::End(Box::new(sub))
                    }
                    _ => Stmt::Begin(Box::new(sub)),
                }))
            }
            "package" => self.package_statement(),
            "use" | "no" => {
                self.at += word.len();
                self.use_statement(word == "no")
            }
            "format" if self.is_format() => self.format_statement().map(Some),
            "given" | "when" | "default" if self.switch_behind(&word) => {
                self.at += word.len();
                self.scoped(|this| this.given_statement(&word)).map(Some)
            }
            "try" | "defer" if self.brace_behind(&word) && !self.subs.contains_key("try") => {
                self.at += word.len();
                self.try_statement()
            }
            _ => self.simple_statement().map(Some),
        }
    }

    fn brace_behind(&self, word: &str) -> bool {
        self.rest().get(word.len()..).unwrap_or("").trim_start().starts_with('{')
    }

    fn switch_behind(&self, word: &str) -> bool {
        self.rest().get(word.len()..).unwrap_or("").trim_start().starts_with(['(', '{'])
    }

    /// Follows statements with variables of their own.
    fn scoped<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.scopes.push(HashMap::new());
        let result = read(self);
        self.scopes.pop();
        result
    }

    fn label(&mut self, word: &str) -> Option<Name> {
        let rest = self.rest().get(word.len()..).unwrap_or("");
        let trimmed = rest.trim_start();
        let plain = word.chars().all(|c| c.is_alphanumeric() || c == '_');
        let keyword =
            matches!(word, "default" | "q" | "qq" | "qw" | "s" | "m" | "y" | "tr" | "qx" | "qr");
        if !plain || keyword || !trimmed.starts_with(':') || trimmed.starts_with("::") {
            return None;
        }
        self.at += word.len() + (rest.len() - trimmed.len()) + 1;
        Some(Name::from(word))
    }

    pub(super) fn condition(&mut self) -> Parsed<Node> {
        self.expect("(")?;
        let test = self.full()?;
        self.expect(")")?;
        Ok(test)
    }

    pub(super) fn braces(&mut self) -> Parsed<Vec<Stmt>> {
        self.expect("{")?;
        self.block_body()
    }

    fn conditional(&mut self, unless: bool) -> Parsed<Stmt> {
        self.scoped(|this| {
            let test = this.condition()?;
            let test = if unless { Node::Not(Box::new(test)) } else { test };
            let mut branches = vec![(Some(test), this.braces()?)];
            loop {
                this.statement_blanks();
                if this.takes_word("elsif") {
                    let test = this.condition()?;
                    branches.push((Some(test), this.braces()?));
                } else if this.takes_word("else") {
                    branches.push((None, this.braces()?));
                    return Ok(Stmt::If(branches));
                } else {
                    return Ok(Stmt::If(branches));
                }
            }
        })
    }

    fn continue_block(&mut self) -> Parsed<Vec<Stmt>> {
        self.statement_blanks();
        if self.is_word("continue") && self.brace_behind("continue") {
            self.at += "continue".len();
            return self.braces();
        }
        Ok(Vec::new())
    }

    fn while_statement(&mut self, until: bool) -> Parsed<Stmt> {
        self.expect("(")?;
        let test = if self.is(")") { None } else { Some(self.full()?) };
        self.expect(")")?;
        let test = test.map(|test| if until { Node::Not(Box::new(test)) } else { test });
        let body = self.braces()?;
        let step = self.continue_block()?;
        Ok(Stmt::While { test, body, step, first: false })
    }

    fn for_statement(&mut self) -> Parsed<Stmt> {
        self.blanks();
        let mut variable = None;
        if self.is_word("my") || self.is_word("our") || self.is_word("state") {
            let node = self.word_term()?;
            variable = Some(node);
        } else if self.byte(0) == b'$' {
            variable = Some(self.simple_scalar()?);
        } else if self.byte(0) == b'\\' {
            return Err(Rejected);
        }
        self.expect("(")?;
        if variable.is_none() {
            let start = if self.is(";") { None } else { Some(self.list_or_empty()?) };
            if self.takes(";") {
                let test = if self.is(";") { None } else { Some(self.full()?) };
                self.expect(";")?;
                let step = if self.is(")") { None } else { Some(self.full()?) };
                self.expect(")")?;
                let body = self.braces()?;
                return Ok(Stmt::ForC { start, test, step, body });
            }
            self.expect(")")?;
            let mut body = self.braces()?;
            body.append(&mut self.continue_block()?);
            let list = start.unwrap_or(Node::List(Vec::new()));
            return Ok(Stmt::Foreach { variable, list, body });
        }
        let list = self.list_or_empty()?;
        self.expect(")")?;
        let mut body = self.braces()?;
        body.append(&mut self.continue_block()?);
        Ok(Stmt::Foreach { variable, list, body })
    }

    pub(super) fn list_or_empty(&mut self) -> Parsed<Node> {
        if self.is(")") { Ok(Node::List(Vec::new())) } else { self.full() }
    }

    fn package_statement(&mut self) -> Parsed<Option<Stmt>> {
        self.at += "package".len();
        self.blanks();
        let name = self.take_name(true).ok_or(Rejected)?;
        self.blanks();
        // A version may follow.
        if self.byte(0).is_ascii_digit() || self.byte(0) == b'v' && self.byte(1).is_ascii_digit() {
            let rest = self.rest();
            let end = rest.find([';', '{', ' ', '\n']).unwrap_or(rest.len());
            self.at += end;
        }
        if self.is("{") {
            let outer = std::mem::replace(&mut self.package, name);
            let body = self.braces();
            self.package = outer;
            return Ok(Some(Stmt::Block(body?)));
        }
        self.package = name;
        self.takes(";");
        Ok(None)
    }

    fn use_statement(&mut self, no: bool) -> Parsed<Option<Stmt>> {
        self.blanks();
        if self.byte(0).is_ascii_digit() || self.byte(0) == b'v' && self.byte(1).is_ascii_digit() {
            let rest = self.rest();
            let end = rest.find([';', '}']).unwrap_or(rest.len());
            self.at += end;
            self.takes(";");
            return Ok(None);
        }
        let module = self.take_name(true).ok_or(Rejected)?;
        self.blanks();
        if self.byte(0).is_ascii_digit() {
            let rest = self.rest();
            let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_'));
            let behind = end.and_then(|end| rest.get(end..)).unwrap_or("").trim_start();
            if !behind.starts_with(',') && !behind.starts_with("=>") {
                self.at += end.unwrap_or(rest.len());
            }
        }
        let list =
            if self.is(";") || self.ended() || self.is("}") { None } else { Some(self.full()?) };
        if !self.is("}") && !self.ended() {
            self.expect(";")?;
        }
        if no {
            return Ok(None);
        }
        if module == "constant"
            && let Some(list) = &list
        {
            self.note_constants(list);
        }
        Ok(Some(Stmt::Use { module, list }))
    }

    fn note_constants(&mut self, list: &Node) {
        let nodes = match list {
            Node::AnonHash(inner) => match &**inner {
                Node::List(nodes) => nodes.iter().step_by(2).collect(),
                other => vec![other],
            },
            Node::List(nodes) => nodes.iter().take(1).collect(),
            other => vec![other],
        };
        for node in nodes {
            if let Node::Text(name) | Node::Word(name) = node {
                self.constants.insert(name.clone());
                self.subs.insert(name.clone(), Some(String::new()));
            }
        }
    }

    /// An expression with what may stand behind it.
    fn simple_statement(&mut self) -> Parsed<Stmt> {
        let node = self.full()?;
        self.blanks();
        let is_do = matches!(node, Node::DoBlock(_));
        let word = self.plain_word().to_owned();
        let statement = match word.as_str() {
            "if" | "unless" => {
                self.at += word.len();
                let test = self.full()?;
                let test = if word == "unless" { Node::Not(Box::new(test)) } else { test };
                Stmt::If(vec![(Some(test), vec![Stmt::Expr(node)])])
            }
            "while" | "until" => {
                self.at += word.len();
                let test = self.full()?;
                let test = if word == "until" { Node::Not(Box::new(test)) } else { test };
                let body = vec![Stmt::Expr(node)];
                Stmt::While { test: Some(test), body, step: Vec::new(), first: is_do }
            }
            "for" | "foreach" => {
                self.at += word.len();
                let list = self.full()?;
                Stmt::Foreach { variable: None, list, body: vec![Stmt::Expr(node)] }
            }
            "when" => {
                self.at += word.len();
                self.full()?;
                Stmt::If(vec![(Some(Node::Number), vec![Stmt::Expr(node)])])
            }
            _ => Stmt::Expr(node),
        };
        self.blanks();
        let data = matches!(self.plain_word(), "__END__" | "__DATA__");
        if self.ended() || data || self.byte(0) == b'}' || self.takes(";") {
            return Ok(statement);
        }
        Err(Rejected)
    }

    /// Whether the bracket at the start of a statement begins a hash.
    pub(super) fn looks_like_hash(&self) -> bool {
        let inner = self.rest().get(1..).unwrap_or("").trim_start();
        if inner.starts_with('}') {
            let behind = inner.get(1..).unwrap_or("").trim_start();
            return behind.starts_with([')', ',', ';', ']', '}']) || behind.is_empty();
        }
        if inner.starts_with("%$") || inner.starts_with("%{") {
            return true;
        }
        let end = match inner.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                inner.get(1..).and_then(|rest| rest.find(quote)).map_or(0, |at| at + 2)
            }
            Some('$') => inner
                .get(1..)
                .and_then(|rest| rest.find(|c: char| !(c.is_alphanumeric() || c == '_')))
                .map_or(0, |at| at + 1),
            Some(c) if c.is_alphanumeric() || c == '_' || c == '-' => inner
                .get(1..)
                .and_then(|rest| rest.find(|c: char| !(c.is_alphanumeric() || c == '_')))
                .map_or(0, |at| at + 1),
            _ => 0,
        };
        let behind = inner.get(end..).unwrap_or("").trim_start();
        end > 0
            && (behind.starts_with("=>")
                || behind.starts_with(',') && !inner.starts_with(|c: char| c.is_lowercase()))
    }
}
