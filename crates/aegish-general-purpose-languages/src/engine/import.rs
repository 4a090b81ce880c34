//! Imports: names for parts of a library.

use super::cursor::Cursor;
use super::interpreter::Interpreter;
use super::lex::TokenKind;
use super::object::Object;
use crate::CodeEffect;
use aegish_profiles::Lang;

impl Interpreter<'_> {
    /// Evaluates an import at the start of a statement; returns false if there is none.
    pub(super) fn import(&mut self, c: &mut Cursor<'_>) -> bool {
        let Some(word) = c.at(0).map(|t| t.text) else {
            return false;
        };
        let next = c.at(1);
        if next.is_none_or(|t| {
            t.kind == TokenKind::Op && !matches!(t.text, "{" | "*" | "(" | "::" | "." | "\\")
        }) {
            return false;
        }
        match (self.dialect.lang, word) {
            (Lang::Python, "import") => self.python_import(c),
            (Lang::Python, "from") => self.python_from(c),
            (Lang::Node, "import") => return !c.is_op(1, "(") && self.node_import(c),
            (Lang::Perl, "use" | "package")
            | (Lang::Php, "use" | "namespace")
            | (Lang::Java | Lang::Groovy, "import" | "package")
            | (Lang::Julia, "using" | "import")
            | (Lang::Elixir, "import" | "use" | "alias")
            | (Lang::Go, "import" | "package") => {
                while let Some(tok) = c.at(0) {
                    if tok.kind == TokenKind::Line || matches!(tok.text, ";") {
                        break;
                    }
                    c.pos = if matches!(tok.text, "(" | "{") { c.partner() + 1 } else { c.pos + 1 };
                }
            }
            _ => return false,
        }
        true
    }

    pub(super) fn dotted(c: &mut Cursor<'_>) -> String {
        let mut path = String::new();
        while let Some(tok) = c.at(0) {
            match (tok.kind, tok.text) {
                (TokenKind::Name, "import" | "as") => break,
                (TokenKind::Name, text) => path.push_str(text),
                (TokenKind::Op, "." | "...") => path.push('.'),
                _ => break,
            }
            c.pos += 1;
        }
        path
    }

    pub(super) fn python_import(&mut self, c: &mut Cursor<'_>) {
        c.pos += 1;
        loop {
            let path = Self::dotted(c);
            self.record(CodeEffect::Import(path.clone()));
            if c.is_name(0, "as") {
                if let Some(alias) = c.at(1).filter(|t| t.kind == TokenKind::Name) {
                    self.set(alias.text, Object::Name(path));
                    c.pos += 2;
                }
            } else if let Some(first) = path.split('.').next() {
                // A name that shadows an earlier alias.
                self.vars.remove(first);
            }
            if !c.eat(",") {
                return;
            }
        }
    }

    pub(super) fn python_from(&mut self, c: &mut Cursor<'_>) {
        c.pos += 1;
        let module = Self::dotted(c);
        if !c.is_name(0, "import") {
            return;
        }
        self.record(CodeEffect::Import(module.clone()));
        c.pos += 1;
        let open = c.eat("(");
        while let Some(tok) = c.at(0) {
            if open {
                c.skip_lines();
            }
            match (tok.kind, tok.text) {
                (TokenKind::Op, "*") => {
                    if self.stars.len() < 8 {
                        self.stars.push(module.clone());
                    }
                    c.pos += 1;
                }
                (TokenKind::Op, ",") | (TokenKind::Line, _)
                    if open || tok.kind == TokenKind::Op =>
                {
                    c.pos += 1;
                }
                (TokenKind::Name, name) => {
                    let alias =
                        if c.is_name(1, "as") { c.at(2).map_or(name, |t| t.text) } else { name };
                    c.pos += if c.is_name(1, "as") { 3 } else { 1 };
                    self.set(alias, Object::Name(format!("{module}.{name}")));
                }
                _ => {
                    c.eat(")");
                    return;
                }
            }
        }
    }

    /// `import x, {a as b} from "m"`.
    pub(super) fn node_import(&mut self, c: &mut Cursor<'_>) -> bool {
        let mut look = 1;
        while let Some(tok) = c.at(look) {
            if let TokenKind::Str(_) = tok.kind {
                break;
            }
            look += 1;
            if look > 200 {
                return false;
            }
        }
        let Some(module) = c.at(look).map(|t| t.text) else {
            return false;
        };
        let object = self.require(module);
        let path = match &object {
            Object::Name(path) => path.clone(),
            _ => module.to_owned(),
        };
        let mut inside = false;
        let mut previous: Option<&str> = None;
        for ahead in 1..look {
            let Some(tok) = c.at(ahead) else { break };
            match (tok.kind, tok.text) {
                (TokenKind::Op, "{") => inside = true,
                (TokenKind::Op, "}") => inside = false,
                (TokenKind::Name, "as" | "from" | "type") => continue,
                (TokenKind::Name, name) => {
                    let renamed = c.is_name(ahead - 1, "as");
                    let source = if renamed { previous.unwrap_or(name) } else { name };
                    let target = if inside && source != "default" {
                        format!("{path}.{source}")
                    } else {
                        path.clone()
                    };
                    self.set(name, Object::Name(target));
                    previous = Some(name);
                }
                _ => {}
            }
        }
        c.pos += look + 1;
        true
    }
}
