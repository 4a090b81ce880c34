//! A bound on the depth of the tree that the parser would make, computed from the tokens alone.
//!
//! The lexer does not recurse. Every operator may add a level, until a comma or the end of the statement; a
//! bracket keeps the levels outside of it.

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::{Mode, lexer};

/// Deeper trees are not parsed.
const DEEPEST: usize = 400;

/// Longest chain of operators (texts are often concatenated in one long expression).
const LONGEST: usize = 2_000;

pub(super) fn is_too_deep(code: &str) -> bool {
    let mut lexer = lexer::lex(code, Mode::Module);
    let mut outer: Vec<(usize, usize)> = Vec::new();
    // Operators that nest to the right or before their operand, and operators of a chain.
    let (mut nested, mut chained) = (0_usize, 0_usize);
    let mut indent = 0_usize;
    loop {
        match lexer.next_token() {
            TokenKind::EndOfFile => return false,
            TokenKind::Lpar
            | TokenKind::Lsqb
            | TokenKind::Lbrace
            | TokenKind::FStringStart
            | TokenKind::TStringStart => {
                outer.push((nested, chained));
                nested += 1;
            }
            TokenKind::Rpar
            | TokenKind::Rsqb
            | TokenKind::Rbrace
            | TokenKind::FStringEnd
            | TokenKind::TStringEnd => {
                if let Some((before, chain)) = outer.pop() {
                    (nested, chained) = (before, chain + 1);
                }
            }
            TokenKind::Comma => {
                (nested, chained) =
                    outer.last().map_or((0, 0), |(before, chain)| (before + 1, *chain));
            }
            TokenKind::Newline | TokenKind::Semi => {
                outer.clear();
                (nested, chained) = (0, 0);
            }
            TokenKind::Indent => indent += 1,
            TokenKind::Dedent => indent = indent.saturating_sub(1),
            TokenKind::Not
            | TokenKind::Tilde
            | TokenKind::DoubleStar
            | TokenKind::Lambda
            | TokenKind::If
            | TokenKind::Else
            | TokenKind::Await
            | TokenKind::Yield
            | TokenKind::Colon
            | TokenKind::ColonEqual
            | TokenKind::Equal => nested += 1,
            // A sign may be a unary operator; a chain of them nests.
            TokenKind::Minus | TokenKind::Plus => chained += 1,
            TokenKind::Star
            | TokenKind::Slash
            | TokenKind::Vbar
            | TokenKind::Amper
            | TokenKind::Percent
            | TokenKind::CircumFlex
            | TokenKind::LeftShift
            | TokenKind::RightShift
            | TokenKind::DoubleSlash
            | TokenKind::At
            | TokenKind::Dot
            | TokenKind::Or
            | TokenKind::And => chained += 1,
            _ => {}
        }
        if nested + indent > DEEPEST || chained > LONGEST {
            return true;
        }
    }
}
