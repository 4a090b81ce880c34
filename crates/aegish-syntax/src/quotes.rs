//! Single quotes, `$'…'`, and text in which only expansions are active: double-quoted strings,
//! here-documents, arithmetic, subscripts, and the words of `"${x-…}"`.
//!
//! Bash finds the end of such a text by one set of rules and expands it by another. Where the two disagree
//! about quoting, both are followed; where they cannot be reconciled, the text is refused.

use crate::cursor::{Parse, Parser};
use crate::{Part, Span, Word};

/// A kind of text with active expansions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExpandedText {
    /// Inside `"…"`.
    Quoted,
    /// A here-document, or any string expanded like one.
    Here,
    /// Arithmetic of known extent.
    Arith,
    /// One of the three expressions of `for ((…))`.
    ArithFor,
    /// Up to the `]` of `$[…]`, or of a subscript; `true`: also stopped by `}`.
    Bracket(bool),
    /// `${x:offset…`
    Offset,
    /// `${x:…:length}`
    Length,
    /// The word in `"${x-word}"`.
    Brace,
    /// The same in a here-document, where single quotes were not paired before.
    BraceHere,
}

impl ExpandedText {
    fn stops(self) -> &'static [u8] {
        match self {
            Self::Quoted => b"\"",
            Self::Here | Self::Arith => b"",
            Self::ArithFor => b";",
            Self::Bracket(false) => b"[]",
            Self::Bracket(true) => b"[]}",
            Self::Offset => b":?()}",
            Self::Length | Self::Brace | Self::BraceHere => b"}",
        }
    }

    /// Whether Bash pairs single quotes when it searches the end, although they quote nothing later.
    fn pairs_single_quotes(self) -> bool {
        !matches!(self, Self::Quoted | Self::Here | Self::Arith | Self::BraceHere)
    }

    /// Whether `$'…'` is decoded first and then expanded.
    fn decodes(self) -> bool {
        self.pairs_single_quotes() || self == Self::Arith
    }

    fn nests_double_quotes(self) -> bool {
        !matches!(self, Self::Quoted | Self::Here)
    }

    fn escapes(self, byte: u8) -> bool {
        match byte {
            b'$' | b'`' | b'\\' => true,
            b'"' => self != Self::Here,
            b'}' => self.stops().contains(&b'}'),
            _ => false,
        }
    }

    /// The context of a `${…}` in this text.
    pub(crate) fn context(self) -> DollarContext {
        match self {
            Self::Here | Self::BraceHere => DollarContext::Here,
            _ => DollarContext::Quoted,
        }
    }
}

/// The context of a `$`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DollarContext {
    /// Outside of quotes.
    Plain,
    /// In double quotes or similar text.
    Quoted,
    /// In a here-document.
    Here,
}

/// Appends `text` to the last literal, or starts one.
pub(crate) fn push_literal(parts: &mut Vec<Part>, text: &str) {
    if text.is_empty() {
        return;
    }
    if let Some(Part::Literal(last)) = parts.last_mut() {
        last.push_str(text);
    } else {
        if parts.is_empty() {
            parts.reserve_exact(1);
        }
        parts.push(Part::Literal(text.to_owned()));
    }
}

impl Parser<'_> {
    /// `'…'`, at the opening quote.
    pub(crate) fn single_quoted(&mut self) -> Parse<Part> {
        let close = self.closing_single_quote()?;
        let text = self.slice(self.pos + 1, close).to_owned();
        self.pos = close + 1;
        Ok(Part::SingleQuoted(text))
    }

    fn closing_single_quote(&self) -> Parse<usize> {
        self.distance(self.pos + 1, b'\'')
            .map(|found| self.pos + 1 + found)
            .ok_or_else(|| self.unclosed(self.pos, "a single quote"))
    }

    /// The decoded text of `$'…'`, at the quote.
    pub(crate) fn ansi_c(&mut self) -> Parse<String> {
        let start = self.pos + 1;
        let mut at = start;
        while let Some(byte) = self.raw(at) {
            match byte {
                b'\'' => {
                    self.pos = at + 1;
                    return Ok(decode_ansi_c(self.slice(start, at).as_bytes()));
                }
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
        Err(self.unclosed(self.pos, "a single quote"))
    }

    /// `"…"`, at the opening quote.
    pub(crate) fn double_quoted(&mut self) -> Parse<Part> {
        self.enter()?;
        let open = self.pos;
        self.pos += 1;
        let mut parts = Vec::new();
        self.text(ExpandedText::Quoted, &mut parts)?;
        if self.peek() != Some(b'"') {
            return Err(self.unclosed(open, "a double quote"));
        }
        self.pos += 1;
        self.leave();
        Ok(Part::DoubleQuoted(parts))
    }

    /// A word of text of this kind.
    pub(crate) fn text_word(&mut self, kind: ExpandedText) -> Parse<Word> {
        let start = self.pos;
        let mut parts = Vec::new();
        self.text(kind, &mut parts)?;
        Ok(Word { parts, span: self.span(start, self.pos) })
    }

    /// Reads up to the end of this kind of text, which stays unread.
    pub(crate) fn text(&mut self, kind: ExpandedText, parts: &mut Vec<Part>) -> Parse<()> {
        let stops = kind.stops();
        let mut nesting = 0usize;
        let mut questions = 0usize;
        loop {
            let start = self.pos;
            while let Some(byte) = self.raw(self.pos) {
                if matches!(byte, b'\\' | b'$' | b'`' | b'"' | b'\'' | b'<' | b'>')
                    || stops.contains(&byte)
                {
                    break;
                }
                self.pos += 1;
            }
            push_literal(parts, self.slice(start, self.pos));
            let stopped = self.pos;
            let Some(byte) = self.peek() else {
                return Ok(());
            };
            if self.pos != stopped {
                continue;
            }
            match byte {
                b'\\' => self.text_escape(kind, parts),
                b'$' => self.text_dollar(kind, parts)?,
                b'`' => parts.push(self.backticks(kind.context() == DollarContext::Quoted)?),
                b'"' if kind == ExpandedText::Quoted => return Ok(()),
                b'"' if kind.nests_double_quotes() => parts.push(self.double_quoted()?),
                b'\'' if kind.pairs_single_quotes() => self.paired_single_quotes(kind, parts)?,
                b'<' | b'>' if self.is_process_in_text(kind) => {
                    parts.push(self.process_substitution()?);
                }
                b';' if kind == ExpandedText::ArithFor => return Ok(()),
                b'}' if stops.contains(&b'}') => return Ok(()),
                b']' if matches!(kind, ExpandedText::Bracket(_)) && nesting == 0 => return Ok(()),
                b':' if kind == ExpandedText::Offset && nesting == 0 && questions == 0 => {
                    return Ok(());
                }
                _ => {
                    match byte {
                        b'[' if matches!(kind, ExpandedText::Bracket(_)) => nesting += 1,
                        b']' if matches!(kind, ExpandedText::Bracket(_)) => nesting -= 1,
                        b'(' if kind == ExpandedText::Offset => nesting += 1,
                        b')' if kind == ExpandedText::Offset => nesting = nesting.saturating_sub(1),
                        b'?' if kind == ExpandedText::Offset => questions += 1,
                        b':' if kind == ExpandedText::Offset && nesting == 0 => questions -= 1,
                        _ => {}
                    }
                    push_literal(parts, self.slice(self.pos, self.pos + 1));
                    self.pos += 1;
                }
            }
        }
    }

    /// Bash searches for `<(` in `${…}` even inside double quotes, and expands it.
    fn is_process_in_text(&mut self, kind: ExpandedText) -> bool {
        matches!(
            kind,
            ExpandedText::Brace
                | ExpandedText::Offset
                | ExpandedText::Length
                | ExpandedText::Bracket(true)
        ) && self.peek_second() == Some(b'(')
    }

    fn text_escape(&mut self, kind: ExpandedText, parts: &mut Vec<Part>) {
        match self.raw(self.pos + 1) {
            Some(byte) if kind.escapes(byte) => {
                parts.push(Part::Escaped(char::from(byte)));
                self.pos += 2;
            }
            // The next character is plain even if it would otherwise stop or quote something.
            Some(byte) if byte.is_ascii() && kind != ExpandedText::Here => {
                push_literal(parts, self.slice(self.pos, self.pos + 2));
                self.pos += 2;
            }
            _ => {
                push_literal(parts, "\\");
                self.pos += 1;
            }
        }
    }

    fn text_dollar(&mut self, kind: ExpandedText, parts: &mut Vec<Part>) -> Parse<()> {
        match self.peek_second() {
            Some(b'\'') if kind.decodes() => {
                let start = self.pos;
                self.pos = self.next_offset(self.pos + 1);
                let decoded = self.ansi_c()?;
                self.live_text(&decoded, self.span(start, self.pos), parts)
            }
            Some(b'"') if kind.nests_double_quotes() => {
                self.pos = self.next_offset(self.pos + 1);
                parts.push(self.double_quoted()?);
                Ok(())
            }
            _ => self.dollar(kind.context(), parts),
        }
    }

    /// Text that Bash expands although it was quoted.
    fn live_text(&mut self, text: &str, span: Span, parts: &mut Vec<Part>) -> Parse<()> {
        if !text.bytes().any(|byte| matches!(byte, b'$' | b'`' | b'\\')) {
            push_literal(parts, text);
            return Ok(());
        }
        self.enter()?;
        let mut inner = Vec::new();
        let result = self.within(text, span, |parser| {
            let result = parser.text(ExpandedText::Here, &mut inner);
            parser.place_here_docs_in_parts(&mut inner);
            result
        });
        parts.append(&mut inner);
        if let Err(error) = result {
            self.defer(error)?;
        }
        self.leave();
        Ok(())
    }

    /// Single quotes that matter only for finding the end: the text between them is expanded.
    fn paired_single_quotes(&mut self, kind: ExpandedText, parts: &mut Vec<Part>) -> Parse<()> {
        let open = self.pos;
        let close = self.closing_single_quote()?;
        let inner = self.slice(open + 1, close);
        let index = matches!(kind, ExpandedText::Bracket(_));
        let live = inner.bytes().any(|byte| matches!(byte, b'$' | b'`'));
        if index && !live {
            parts.push(Part::SingleQuoted(inner.to_owned()));
            self.pos = close + 1;
            return Ok(());
        }
        let harmless = !inner.bytes().any(|byte| matches!(byte, b'}' | b'"' | b'\\'));
        if !live && harmless {
            push_literal(parts, self.slice(open, close + 1));
            self.pos = close + 1;
            return Ok(());
        }
        push_literal(parts, "'");
        self.pos = open + 1;
        let inner_kind =
            if kind == ExpandedText::Brace { ExpandedText::Brace } else { ExpandedText::Arith };
        self.up_to(close, |parser| parser.text(inner_kind, parts))?;
        if self.pos != close {
            return Err(self.invalid(self.pos, "quotes in `${…}` that Bash reads in two ways"));
        }
        push_literal(parts, "'");
        self.pos = close + 1;
        Ok(())
    }
}

/// Decodes the inside of `$'…'`. A NUL ends it; bytes that are not UTF-8 become U+FFFD.
fn decode_ansi_c(text: &[u8]) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some((&escape, tail)) = rest.split_first() else {
            out.push(b'\\');
            break;
        };
        rest = tail;
        let before = out.len();
        rest = decode_escape(escape, rest, &mut out);
        if out.get(before..) == Some(&[0]) {
            out.truncate(before);
            break;
        }
    }
    match String::from_utf8(out) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }
}

/// Appends the meaning of `\escape…`; returns the text after it.
fn decode_escape<'t>(escape: u8, rest: &'t [u8], out: &mut Vec<u8>) -> &'t [u8] {
    match escape {
        b'a' => out.push(7),
        b'b' => out.push(8),
        b'e' | b'E' => out.push(27),
        b'f' => out.push(12),
        b'n' => out.push(b'\n'),
        b'r' => out.push(b'\r'),
        b't' => out.push(b'\t'),
        b'v' => out.push(11),
        b'\\' | b'\'' | b'"' | b'?' => out.push(escape),
        b'0'..=b'7' => {
            let mut value = u32::from(escape - b'0');
            let mut rest = rest;
            for _ in 0..2 {
                match rest.split_first() {
                    Some((&digit @ b'0'..=b'7', tail)) => {
                        value = value * 8 + u32::from(digit - b'0');
                        rest = tail;
                    }
                    _ => break,
                }
            }
            out.push((value & 0xff) as u8);
            return rest;
        }
        b'x' | b'u' | b'U' => {
            if escape == b'x'
                && let Some(braced) = rest.strip_prefix(b"{")
            {
                let (value, _, tail) = hex_digits(braced, usize::MAX);
                out.push((value & 0xff) as u8);
                return tail.strip_prefix(b"}").unwrap_or(tail);
            }
            let most = match escape {
                b'x' => 2,
                b'u' => 4,
                _ => 8,
            };
            let (value, count, tail) = hex_digits(rest, most);
            if count == 0 {
                out.extend([b'\\', escape]);
            } else if escape == b'x' {
                out.push((value & 0xff) as u8);
            } else {
                push_code_point(value, out);
            }
            return tail;
        }
        b'c' => {
            let Some((&control, mut tail)) = rest.split_first() else {
                out.extend(b"\\c");
                return rest;
            };
            if control == b'\\' {
                tail = tail.strip_prefix(b"\\").unwrap_or(tail);
            }
            let value = if control == b'?' { 0x7f } else { control.to_ascii_uppercase() & 0x1f };
            out.push(value);
            return tail;
        }
        _ => out.extend([b'\\', escape]),
    }
    rest
}

fn push_code_point(value: u32, out: &mut Vec<u8>) {
    let found = char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER);
    out.extend(found.encode_utf8(&mut [0; 4]).as_bytes());
}

/// The value of up to `most` hexadecimal digits, how many there were, and the text after them.
fn hex_digits(text: &[u8], most: usize) -> (u32, usize, &[u8]) {
    let mut value = 0u32;
    let mut count = 0;
    let mut rest = text;
    while count < most
        && let Some((&byte, tail)) = rest.split_first()
        && let Some(digit) = char::from(byte).to_digit(16)
    {
        value = value.wrapping_mul(16).wrapping_add(digit);
        count += 1;
        rest = tail;
    }
    (value, count, rest)
}
