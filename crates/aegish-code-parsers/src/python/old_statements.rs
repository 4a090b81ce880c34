//! Statements of Python 2 as calls: `print x` becomes `print(x)`, `exec "…"` becomes `exec("…")`.

use ruff_python_ast::token::{TokenKind, Tokens};
use ruff_text_size::Ranged;

/// Returns the text with parentheses around the operands of such statements; none if there are none.
pub(super) fn rewrite(code: &str, tokens: &Tokens) -> Option<String> {
    let mut out = String::with_capacity(code.len() + 16);
    let mut copied = 0;
    // At the start of a statement; behind the word; inside of a statement that needs a parenthesis.
    let (mut starts, mut word, mut open, mut depth) = (true, false, false, 0_usize);
    for token in tokens.iter() {
        let (kind, from, to) = (token.kind(), token.start().to_usize(), token.end().to_usize());
        if word && is_operand(kind) {
            out.push_str(code.get(copied..from)?);
            out.push('(');
            // `print >>file, x`: the operator is left out.
            copied = if kind == TokenKind::RightShift { to } else { from };
            open = true;
        }
        match kind {
            TokenKind::Newline | TokenKind::Semi | TokenKind::EndOfFile | TokenKind::Comment
                if open && depth == 0 =>
            {
                out.push_str(code.get(copied..from)?);
                out.push(')');
                copied = from;
                open = false;
            }
            TokenKind::Lpar | TokenKind::Lsqb | TokenKind::Lbrace => depth += 1,
            TokenKind::Rpar | TokenKind::Rsqb | TokenKind::Rbrace => {
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
        word = starts
            && kind == TokenKind::Name
            && matches!(code.get(from..to), Some("print" | "exec"));
        starts = matches!(
            kind,
            TokenKind::Newline
                | TokenKind::Semi
                | TokenKind::Indent
                | TokenKind::Dedent
                | TokenKind::NonLogicalNewline
        ) || (kind == TokenKind::Colon && depth == 0)
            || (starts && kind == TokenKind::Comment);
    }
    if copied == 0 {
        return None;
    }
    out.push_str(code.get(copied..)?);
    if open {
        out.push(')');
    }
    Some(out)
}

fn is_operand(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Name
            | TokenKind::Int
            | TokenKind::Float
            | TokenKind::String
            | TokenKind::FStringStart
            | TokenKind::RightShift
            | TokenKind::Lbrace
            | TokenKind::Not
            | TokenKind::None
            | TokenKind::True
            | TokenKind::False
    )
}
