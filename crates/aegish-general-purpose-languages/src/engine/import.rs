//! Imports: names for parts of a library.

use super::cursor::Cursor;
use super::interpreter::Interpreter;
use super::lex::TokenKind;
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
            (Lang::Java | Lang::Groovy, "import" | "package")
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
}
