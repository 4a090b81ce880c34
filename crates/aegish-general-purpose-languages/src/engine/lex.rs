//! Text → tokens, for every language that the interpreter reads.
//!
//! Takes a [`Dialect`] and the text, gives tokens that borrow from it, with brackets already paired.
//! Comments are dropped; quoted texts stay raw until their value is needed. Never
//! fails: an unfinished text runs to the end, an unknown character is an operator of its own.

use super::dialect::{Dialect, Quote, RAW, Sigils, Tick};
use super::quotes;
use aegish_profiles::Lang;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// Identifier or keyword.
    Name,
    /// Variable with a sigil; the text is the name without it.
    Var,
    /// Number, as written.
    Num,
    /// Quoted text, without its delimiters.
    Str(Quote),
    /// A command for the shell: backticks, `qx`, `%x`.
    Run(Quote),
    /// Words: `qw(a b)`, `%w[a b]`, a command of Julia.
    Words,
    /// A regular expression; nothing is known about it.
    Regex,
    /// Operator or bracket.
    Op,
    /// End of a line; the text is the indentation of the next.
    Line,
}

/// A token.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'a> {
    pub(super) kind: TokenKind,
    pub(super) text: &'a str,
    /// Blank before it.
    pub(super) gap: bool,
    /// For brackets: the index of the partner, or of the end if there is none.
    pub(super) partner: usize,
}

const LONG: &[&str] = &[
    "<=>", "===", "!==", "**=", "//=", "||=", "&&=", "??=", "...", "->>", "<<=", ">>=", "=>", "->",
    "::", "==", "!=", "<=", ">=", "&&", "||", "+=", "-=", ".=", "*=", "/=", "|=", "..", "//", "**",
    "<<", ">>", "|>", ":=", "<-", "?.", "&.", "=~", "!~", "<>", "++", "--", "~=", "??", "!!", "x=",
];

/// Names after which an operand follows, so that `/` opens a regular expression.
const BEFORE_OPERAND: &[&str] = &[
    "and", "case", "elsif", "grep", "if", "in", "map", "not", "or", "puts", "return", "split",
    "typeof", "unless", "until", "when", "while",
];

pub(super) struct Lexer<'a> {
    pub(super) dialect: &'static Dialect,
    pub(super) src: &'a str,
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    pub(super) tokens: Vec<Token<'a>>,
    gap: bool,
    /// Here-documents whose bodies start after the current line: token index, terminator, indented.
    pub(super) pending: Vec<(usize, &'a str)>,
}

/// Whether a byte can be part of a name; everything beyond ASCII can.
pub(super) fn word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// All tokens of the text.
pub(super) fn lex<'a>(dialect: &'static Dialect, src: &'a str) -> Vec<Token<'a>> {
    let mut lexer = Lexer {
        dialect,
        src,
        bytes: src.as_bytes(),
        at: 0,
        tokens: Vec::with_capacity(src.len() / 4 + 4),
        gap: false,
        pending: Vec::new(),
    };
    if src.starts_with("#!") {
        lexer.at = src.find('\n').unwrap_or(src.len());
    }
    while lexer.at < lexer.bytes.len() {
        lexer.step();
    }
    pair(&mut lexer.tokens);
    lexer.tokens
}

/// Gives every bracket the index of its partner.
fn pair(tokens: &mut [Token<'_>]) {
    let end = tokens.len();
    let mut open: Vec<(usize, &str)> = Vec::new();
    for index in 0..end {
        let Some(tok) = tokens.get(index) else { break };
        if tok.kind != TokenKind::Op {
            continue;
        }
        let opener = match tok.text {
            "(" | "[" | "{" => {
                open.push((index, tok.text));
                if let Some(tok) = tokens.get_mut(index) {
                    tok.partner = end;
                }
                continue;
            }
            ")" => "(",
            "]" => "[",
            "}" => "{",
            _ => continue,
        };
        // A closing bracket without its opening one is ignored.
        if let Some(place) = open.iter().rev().take(8).position(|(_, text)| *text == opener) {
            open.truncate(open.len() - place);
            if let Some((partner, _)) = open.pop() {
                if let Some(tok) = tokens.get_mut(partner) {
                    tok.partner = index;
                }
                if let Some(tok) = tokens.get_mut(index) {
                    tok.partner = partner;
                }
            }
        }
    }
}

impl<'a> Lexer<'a> {
    pub(super) fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    pub(super) fn slice(&self, from: usize, to: usize) -> &'a str {
        self.src.get(from..to.min(self.src.len())).unwrap_or("")
    }

    pub(super) fn rest(&self) -> &'a str {
        self.src.get(self.at..).unwrap_or("")
    }

    pub(super) fn push(&mut self, kind: TokenKind, text: &'a str) {
        self.tokens.push(Token { kind, text, gap: self.gap, partner: usize::MAX });
        self.gap = false;
    }

    /// Whether a value is expected here rather than an operator.
    pub(super) fn operand(&self) -> bool {
        let Some(last) = self.tokens.last() else {
            return true;
        };
        match last.kind {
            TokenKind::Op => !matches!(last.text, ")" | "]" | "}"),
            TokenKind::Line => true,
            TokenKind::Name => BEFORE_OPERAND.binary_search(&last.text).is_ok(),
            _ => false,
        }
    }

    fn step(&mut self) {
        let byte = self.peek(0);
        match byte {
            b'\n' => return self.line(),
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {
                self.at += 1;
                self.gap = true;
                return;
            }
            b'\\' if matches!(self.peek(1), b'\n' | b'\r') => {
                self.at += if self.peek(1) == b'\r' { 3 } else { 2 };
                self.gap = true;
                return;
            }
            _ => {}
        }
        if self.comment() || quotes::quoted(self) || self.sigil() {
            return;
        }
        if byte.is_ascii_digit() {
            return self.number();
        }
        if word_byte(byte) || (byte == b'$' && self.dollar_names()) {
            return self.name();
        }
        self.operator();
    }

    /// Languages in which `$` is part of names.
    fn dollar_names(&self) -> bool {
        matches!(self.dialect.lang, Lang::Java | Lang::Groovy)
    }

    fn line(&mut self) {
        self.at += 1;
        if !self.pending.is_empty() {
            super::heredoc::heredoc_bodies(self);
        }
        let from = self.at;
        while matches!(self.peek(0), b' ' | b'\t') {
            self.at += 1;
        }
        let indent = self.slice(from, self.at);
        // Blank lines do not change the indentation.
        if matches!(self.peek(0), b'\n' | b'\r')
            && self.tokens.last().is_some_and(|t| t.kind == TokenKind::Line)
        {
            return;
        }
        if let Some(last) = self.tokens.last_mut().filter(|t| t.kind == TokenKind::Line) {
            last.text = indent;
        } else {
            self.push(TokenKind::Line, indent);
        }
    }

    fn comment(&mut self) -> bool {
        let rest = self.rest();
        let line_start = self.at == 0 || self.bytes.get(self.at.wrapping_sub(1)) == Some(&b'\n');
        for (open, close) in self.dialect.block_comments {
            let (open, anchored) = match open.strip_prefix('\n') {
                Some(open) => (open, true),
                None => (*open, false),
            };
            if rest.starts_with(open) && (!anchored || line_start) {
                let body = rest.get(open.len()..).unwrap_or("");
                self.at = body
                    .find(close)
                    .map_or(self.bytes.len(), |n| self.at + open.len() + n + close.len());
                self.gap = true;
                return true;
            }
        }
        if self.dialect.line_comments.iter().any(|mark| rest.starts_with(mark)) {
            let end = rest.find('\n').unwrap_or(rest.len());
            self.at += end;
            return true;
        }
        false
    }

    /// Variables with a sigil.
    fn sigil(&mut self) -> bool {
        let byte = self.peek(0);
        let next = self.peek(1);
        let starts = match self.dialect.sigils {
            Sigils::None => {
                // Erlang writes characters as `$a`.
                if self.dialect.lang == Lang::Erlang
                    && byte == b'$'
                    && next.is_ascii()
                    && next > b' '
                {
                    let text = self.slice(self.at + 1, self.at + 2);
                    self.push(TokenKind::Str(RAW), text);
                    self.at += 2;
                    return true;
                }
                false
            }
            Sigils::Raku => {
                let named =
                    self.gap && self.tokens.last().is_some_and(|t| t.kind == TokenKind::Name);
                byte == b'$'
                    || (matches!(byte, b'@' | b'%')
                        && (self.operand() || named)
                        && (word_byte(next) || matches!(next, b'{' | b'$' | b':')))
            }
        };
        if !starts {
            return false;
        }
        let mut from = self.at + 1;
        if byte == b'@' && next == b'@' {
            from += 1;
        }
        if self.bytes.get(from) == Some(&b'#') && self.dialect.sigils == Sigils::Raku {
            from += 1; // $#array
        }
        // ${name} and ${^NAME}
        if self.bytes.get(from) == Some(&b'{') {
            let inner = from + 1;
            let len =
                self.bytes.iter().skip(inner).take_while(|b| word_byte(**b) || **b == b':').count();
            if len > 0 && self.bytes.get(inner + len) == Some(&b'}') {
                let text = self.slice(inner, inner + len);
                self.at = inner + len + 1;
                self.push(TokenKind::Var, text);
                return true;
            }
            self.at = from; // a dereference; its braces are read as an expression
            return true;
        }
        if self.bytes.get(from) == Some(&b'$') {
            self.at = from; // `$$x`: continues with `$x`
            if self.bytes.get(from + 1).is_none_or(|b| !word_byte(*b) && !matches!(b, b'{' | b'$'))
            {
                self.push(TokenKind::Var, "$");
                self.at = from + 1;
            }
            return true;
        }
        let mut end = from;
        while let Some(b) = self.bytes.get(end) {
            let colons = *b == b':'
                && self.bytes.get(end + 1) == Some(&b':')
                && self.bytes.get(end + 2).is_some_and(|b| word_byte(*b));
            if colons && self.dialect.sigils == Sigils::Raku {
                end += 2;
            } else if word_byte(*b) {
                end += 1;
            } else {
                break;
            }
        }
        if end == from {
            // Punctuation variables.
            if !self.bytes.get(from).is_some_and(u8::is_ascii_punctuation) {
                self.at = from;
                return true;
            }
            end = from + 1;
        }
        let text = self.slice(from, end);
        self.at = end;
        self.push(TokenKind::Var, text);
        true
    }

    fn number(&mut self) {
        let from = self.at;
        while word_byte(self.peek(0)) || (self.peek(0) == b'.' && self.peek(1).is_ascii_digit()) {
            self.at += 1;
        }
        let text = self.slice(from, self.at);
        self.push(TokenKind::Num, text);
    }

    fn name(&mut self) {
        let from = self.at;
        while word_byte(self.peek(0)) || (self.peek(0) == b'$' && self.dollar_names()) {
            self.at += 1;
        }
        // R and Octave names hold dots; Elixir and Julia names may end in ? or !.
        match self.dialect.lang {
            Lang::R => {
                while self.peek(0) == b'.' && word_byte(self.peek(1)) {
                    self.at += 1;
                    while word_byte(self.peek(0)) {
                        self.at += 1;
                    }
                }
            }
            Lang::Elixir | Lang::Julia
                if matches!(self.peek(0), b'!' | b'?')
                    && self.peek(1) != b'='
                    && !(self.peek(0) == b'?' && self.peek(1) == b':')
                    && (self.peek(0) == b'!' || self.dialect.lang != Lang::Julia) =>
            {
                // In `x ?a : b` a blank precedes the `?`, so a `?` directly after a name is part of it.
                self.at += 1;
            }
            _ => {}
        }
        let text = self.slice(from, self.at);
        self.push(TokenKind::Name, text);
    }

    fn operator(&mut self) {
        let rest = self.rest();
        let bracket = matches!(self.peek(0), b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',' | b';');
        let long = if !bracket && self.peek(1).is_ascii_punctuation() {
            LONG.iter().find(|op| rest.starts_with(**op) && **op != "x=")
        } else {
            None
        };
        let comment_like = |op: &str| op == "//" && self.dialect.line_comments.contains(&"//");
        let len = match long {
            Some(op) if !comment_like(op) => op.len(),
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
        let text = self.slice(self.at, self.at + len);
        self.at += len;
        self.push(TokenKind::Op, text);
    }

    /// Emits a quoted text that ends before `end` and continues after `next`.
    pub(super) fn quoted(&mut self, kind: TokenKind, from: usize, end: usize, next: usize) {
        let text = self.slice(from, end);
        self.at = next.min(self.bytes.len()).max(self.at + 1);
        self.push(kind, text);
    }

    /// Escapes and interpolation of double quotes in this language.
    pub(super) fn double(&self) -> Quote {
        self.dialect.double
    }

    /// The meaning of a backtick in this language.
    pub(super) fn tick(&self) -> Option<TokenKind> {
        Some(match self.dialect.tick {
            Tick::None => return None,
            Tick::Shell => TokenKind::Run(self.dialect.double),
            Tick::Words => TokenKind::Words,
            Tick::Raw => TokenKind::Str(RAW),
        })
    }
}
