//! Evaluates statements and expressions in one pass over the tokens.

use super::cursor::Cursor;
use super::interpreter::Interpreter;
use super::lex::TokenKind;
use super::object::Object;
use aegish_profiles::Lang;
use aegish_values::Value;

/// Maximum depth of nested expressions.
const DEPTH: u32 = 60;

/// Keywords without a value that start no call.
const SKIPPED: &[&str] = &[
    "abstract",
    "and",
    "as",
    "async",
    "await",
    "begin",
    "break",
    "case",
    "catch",
    "const",
    "continue",
    "default",
    "defer",
    "do",
    "else",
    "elseif",
    "elsif",
    "end",
    "endif",
    "endwhile",
    "ensure",
    "except",
    "export",
    "final",
    "finally",
    "global",
    "if",
    "in",
    "is",
    "last",
    "let",
    "local",
    "my",
    "new",
    "next",
    "nonlocal",
    "not",
    "of",
    "or",
    "our",
    "pass",
    "private",
    "protected",
    "public",
    "raise",
    "redo",
    "repeat",
    "rescue",
    "return",
    "static",
    "switch",
    "then",
    "throw",
    "try",
    "typeof",
    "unless",
    "until",
    "var",
    "void",
    "when",
    "while",
    "with",
    "yield",
];

/// Keywords that make the next code conditional or repeated.
const BRANCHING: &[&str] = &[
    "case", "elif", "else", "elseif", "elsif", "except", "for", "foreach", "if", "loop", "rescue",
    "switch", "unless", "until", "when", "while",
];

pub(super) fn is_skipped(word: &str) -> bool {
    SKIPPED.binary_search(&word).is_ok()
}

pub(super) fn is_keyword(word: &str) -> bool {
    is_skipped(word) || BRANCHING.binary_search(&word).is_ok()
}

impl Interpreter<'_> {
    /// Evaluates the whole text, then the functions that were not called.
    pub(super) fn program(&mut self) {
        let mut c = Cursor::new(self.top, true);
        self.statements(&mut c);
        if let (Lang::Go | Lang::Java, Some(Object::Lambda(main))) =
            (self.dialect.lang, self.vars.get("main"))
        {
            let main = *main;
            self.invoke(main, &[]);
        }
        let mut index = 0;
        while index < self.lambdas.len() {
            if self.lambdas.get(index).is_some_and(|l| !l.called) {
                self.uncalled = true;
                self.printed = None;
                self.invoke(index, &[]);
            }
            index += 1;
        }
    }

    pub(super) fn statements(&mut self, c: &mut Cursor<'_>) -> Object {
        let mut last = Object::Other;
        while c.pos < c.end {
            let before = c.pos;
            if c.top {
                self.here = c.pos;
            }
            if !self.burn(1) {
                c.pos = c.end;
                break;
            }
            match c.at(0) {
                Some(t)
                    if t.kind == TokenKind::Line
                        || (t.kind == TokenKind::Op
                            && matches!(t.text, ";" | "," | ":" | ")" | "]" | "}")) =>
                {
                    c.pos += 1;
                    self.forked = false;
                    continue;
                }
                _ => {}
            }
            let value = self.statement(c);
            if c.pos <= before {
                c.pos = before + 1;
            } else {
                last = value;
            }
        }
        last
    }

    /// Evaluates one statement.
    pub(super) fn statement(&mut self, c: &mut Cursor<'_>) -> Object {
        while c.at(0).is_some_and(|t| {
            t.kind == TokenKind::Name
                && matches!(t.text, "then" | "else" | "begin" | "try" | "ensure" | "finally" | "do")
        }) {
            if c.is_name(0, "else") {
                self.printed = None;
            }
            c.pos += 1;
        }
        let Some(tok) = c.at(0) else {
            return Object::Other;
        };
        if tok.kind == TokenKind::Name {
            let word = tok.text;
            if BRANCHING.binary_search(&word).is_ok() {
                self.printed = None;
            }
            match word {
                "import" | "from" | "use" | "using" | "package" | "namespace" | "alias"
                    if self.import(c) =>
                {
                    return Object::Other;
                }
                "for" | "foreach" => return self.for_loop(c),
                "while" | "until" | "loop" => self.while_loop(c),
                "return" if !c.is_op(1, "(") || c.at(1).is_some_and(|t| t.gap) => {
                    c.pos += 1;
                    let value = if c
                        .at(0)
                        .is_none_or(|t| t.kind == TokenKind::Line || matches!(t.text, ";" | "}"))
                    {
                        Object::Other
                    } else {
                        self.expr(c, 0)
                    };
                    self.returned = Some(value.clone());
                    return value;
                }
                _ => {}
            }
        }
        if let Some(value) = self.unpack(c) {
            return value;
        }
        let mut value = self.expr(c, 0);
        // An unparenthesized tuple.
        if c.is_op(0, ",") && !c.wrap {
            let mut items = vec![value];
            while c.eat(",") {
                let before = c.pos;
                if c.at(0).is_none_or(|t| t.kind == TokenKind::Line) {
                    break;
                }
                items.push(self.expr(c, 0));
                if c.pos == before || items.len() > 4096 {
                    break;
                }
            }
            value = Object::List(items);
        }
        value
    }

    /// Evaluates an expression whose operators have at least this precedence.
    pub(super) fn expr(&mut self, c: &mut Cursor<'_>, min: u8) -> Object {
        self.depth += 1;
        if self.depth > DEPTH || !self.burn(1) {
            // Nested too deeply: the effects inside are reported as hidden.
            self.out_of_fuel = true;
            c.pos = if c.at(0).is_some_and(|t| matches!(t.text, "(" | "[" | "{")) {
                c.partner() + 1
            } else {
                c.pos + 1
            };
            self.depth -= 1;
            return Object::Other;
        }
        let mut left = self.operand(c);
        while let Some((op, power)) = self.infix(c) {
            if power < min {
                break;
            }
            c.pos += 1;
            left = self.binary(c, left, op, power);
        }
        self.depth -= 1;
        left
    }

    /// `for`: binds the loop variable to the possible items.
    pub(super) fn for_loop(&mut self, c: &mut Cursor<'_>) -> Object {
        c.pos += 1;
        // Go's `for {` and C's `for (;;)` never end.
        if c.is_op(0, "{") || (c.is_op(0, "(") && c.is_op(1, ";") && c.is_op(2, ";")) {
            self.endless_from(c);
        }
        let mut look = usize::from(c.is_op(0, "("));
        let mut names: Vec<String> = Vec::new();
        while let Some(tok) = c.at(look) {
            match (tok.kind, tok.text) {
                (TokenKind::Name, "in" | "of" | "range") => {
                    c.pos += look + 1;
                    let list = match self.expr(c, 0) {
                        Object::File(index) => self.file_content(index),
                        other => other,
                    };
                    if let [name] = names.as_slice() {
                        let name = name.clone();
                        self.set(&name, element(&list));
                    } else {
                        for name in &names {
                            self.set(name, Object::Other);
                        }
                    }
                    return Object::Other;
                }
                (TokenKind::Name, "my" | "let" | "const" | "var" | "our") => {}
                (TokenKind::Name, text) => names.push(text.to_owned()),
                (TokenKind::Var, text) => names.push(format!("${text}")),
                (TokenKind::Op, "," | ":=" | "_") => {}
                _ => break,
            }
            look += 1;
            if look > 8 {
                break;
            }
        }
        Object::Other
    }

    pub(super) fn while_loop(&mut self, c: &mut Cursor<'_>) {
        let open = usize::from(c.is_op(1, "("));
        let forever = c.is_name(0, "loop")
            || c.at(1 + open)
                .is_some_and(|t| matches!(t.text, "1" | "True" | "true" | "TRUE" | "fork"));
        // `fork while fork`: the loop follows its body.
        if self.forked && forever {
            self.record(crate::CodeEffect::Exhaust);
        }
        if forever {
            self.endless_from(c);
        }
    }

    /// Records the end of an endless loop that starts here.
    pub(super) fn endless_from(&mut self, c: &Cursor<'_>) {
        if !c.top {
            return;
        }
        let mut place = c.pos;
        let mut end = c.end;
        while let Some(tok) = c.tokens.get(place).filter(|_| place < c.end) {
            match (tok.kind, tok.text) {
                (TokenKind::Op, "(") if tok.partner > place => place = tok.partner,
                (TokenKind::Op, "{") => {
                    end = tok.partner;
                    break;
                }
                _ => {}
            }
            place += 1;
            if place > c.pos + 64 {
                break;
            }
        }
        self.burn(end.saturating_sub(c.pos));
        let end = end.min(c.end);
        self.endless = self.endless.max(end);
        // `push @a, $x while 1`: the loop follows its body.
        let before = c
            .tokens
            .get(..c.pos)
            .unwrap_or_default()
            .iter()
            .rposition(|t| t.kind == TokenKind::Line || matches!(t.text, ";" | "{"))
            .map_or(0, |place| place + 1);
        let body = c.tokens.get(c.pos..end).unwrap_or_default();
        let statement = c.tokens.get(before..c.pos).unwrap_or_default();
        if only_grows(body) || (body.len() <= 4 && only_grows(statement)) {
            self.record(crate::CodeEffect::Exhaust);
        }
    }
}

/// Calls that add to a list or a text, or start a process.
const GROWING: &[&str] =
    &["append", "push", "extend", "concat", "fork", "spawn", "Popen", "malloc", "unshift"];

/// Words in an endless loop that may pause it, leave it, or remove elements.
const EASING: &[&str] = &[
    "sleep", "break", "last", "return", "exit", "quit", "die", "raise", "throw", "yield", "await",
    "wait", "select", "poll", "read", "recv", "accept", "input", "gets", "getline", "readline",
    "next", "get", "pop", "shift", "take", "join", "if", "when", "unless", "open", "connect",
];

/// Whether a short loop body only adds elements or processes.
fn only_grows(body: &[super::lex::Token<'_>]) -> bool {
    let named = |words: &'static [&'static str]| {
        body.iter().any(|t| t.kind == TokenKind::Name && words.contains(&t.text))
    };
    body.len() <= 32 && named(GROWING) && !named(EASING)
}

/// The value of a loop variable over this list.
pub(super) fn element(list: &Object) -> Object {
    match list {
        Object::List(items) if !items.is_empty() && items.len() <= 64 => {
            match items
                .iter()
                .map(|item| if matches!(item, Object::Text(_)) { item.as_known() } else { None })
                .collect::<Option<Vec<_>>>()
            {
                Some(texts) => Object::Text(Value::one_of(texts)),
                None => match items.as_slice() {
                    [only] => only.clone(),
                    _ => Object::Other,
                },
            }
        }
        Object::Conn => list.clone(),
        Object::Text(value) if value.has_unknown() => list.clone(),
        _ => Object::Other,
    }
}
