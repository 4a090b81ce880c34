//! Quotes, patterns, here-documents and angle brackets.

use super::tree::{Node, Sub};
use super::{Parsed, Perl, Rejected};

/// Flags of a pattern.
const FLAGS: &str = "msixxpodualngcer";

impl Perl<'_> {
    /// A quote of the usual signs.
    pub(super) fn quoted(&mut self) -> Parsed<Node> {
        match self.byte(0) {
            b'\'' => {
                let (raw, _) = self.delimited(true)?;
                Ok(Node::Text(single_quoted(&raw, '\'')))
            }
            b'"' => {
                let (raw, _) = self.delimited(false)?;
                self.interpolated(&raw)
            }
            _ => {
                let (raw, _) = self.delimited(false)?;
                let text = self.interpolated(&raw)?;
                Ok(Node::Backtick(Box::new(text)))
            }
        }
    }

    /// Whether a word is a quote operator with its delimiter behind it.
    pub(super) fn is_quote(&self, word: &str) -> bool {
        if !matches!(word, "q" | "qq" | "qw" | "qx" | "qr" | "m" | "s" | "tr" | "y") {
            return false;
        }
        let behind = self.rest().get(word.len()..).unwrap_or("");
        let trimmed = behind.trim_start();
        let Some(delimiter) = trimmed.chars().next() else { return false };
        let adjacent = trimmed.len() == behind.len();
        if trimmed.starts_with("=>") || delimiter == ')' {
            return false;
        }
        if matches!(delimiter, ',' | ';') && !(adjacent && trimmed.len() > 1) {
            return false;
        }
        match delimiter {
            // Behind blanks it begins a comment.
            '#' => adjacent,
            '=' => adjacent || !matches!(trimmed.chars().nth(1), Some(' ' | '=' | '~')),
            c if c.is_alphanumeric() || c == '_' => !adjacent,
            _ => true,
        }
    }

    /// A quote operator; the word stands here.
    pub(super) fn quote_operator(&mut self, word: &str) -> Parsed<Node> {
        self.at += word.len();
        if self.byte(0) != b'#' {
            self.blanks();
        }
        match word {
            "q" => {
                let (raw, open) = self.delimited(true)?;
                Ok(Node::Text(single_quoted(&raw, open)))
            }
            "qq" => {
                let (raw, _) = self.delimited(false)?;
                self.interpolated(&raw)
            }
            "qx" => {
                let (raw, open) = self.delimited(open_keeps(self.byte(0)))?;
                let text = if open == '\'' {
                    Node::Text(single_quoted(&raw, open))
                } else {
                    self.interpolated(&raw)?
                };
                Ok(Node::Backtick(Box::new(text)))
            }
            "qw" => {
                let (raw, open) = self.delimited(true)?;
                let words = raw.split_whitespace();
                let words = words.map(|word| Node::Text(single_quoted(word, open))).collect();
                let list = Node::List(words);
                if self.is("[") {
                    self.at += 1;
                    let places = self.list_until("]")?;
                    return Ok(Node::ListSlice(Box::new(list), Box::new(places)));
                }
                Ok(list)
            }
            "qr" | "m" => {
                let (raw, open) = self.delimited(true)?;
                let flags = self.flags();
                let pattern = self.pattern(&raw, open, &flags)?;
                Ok(if word == "qr" {
                    Node::Pattern(Box::new(pattern), flags)
                } else {
                    Node::Match { target: None, pattern: Box::new(pattern), flags, negated: false }
                })
            }
            "s" => self.substitution(),
            _ => {
                let (from, open) = self.delimited(false)?;
                let to = self.second_part(open, false)?;
                let flags = self.flags();
                self.changes.insert("$_".into());
                Ok(Node::Trans { target: None, from, to, flags })
            }
        }
    }

    /// The second part of `s` and `tr`: behind a bracket it has delimiters of its own.
    fn second_part(&mut self, open: char, keep: bool) -> Parsed<String> {
        if matches!(open, '(' | '[' | '{' | '<') {
            self.blanks();
        } else {
            self.at -= open.len_utf8();
        }
        Ok(self.delimited(keep)?.0)
    }

    fn flags(&mut self) -> String {
        let rest = self.rest();
        let end = rest.find(|c: char| !FLAGS.contains(c)).unwrap_or(rest.len());
        let flags = rest.get(..end).unwrap_or("").to_owned();
        self.at += end;
        flags
    }

    fn substitution(&mut self) -> Parsed<Node> {
        let (raw, open) = self.delimited(true)?;
        let second = if matches!(open, '(' | '[' | '{' | '<') {
            self.blanks();
            self.byte(0)
        } else {
            0
        };
        let to = self.second_part(open, false)?;
        let flags = self.flags();
        let pattern = self.pattern(&raw, open, &flags)?;
        let to = if flags.contains('e') {
            let body = self.within(&to, |this| {
                let body = this.statement_list(false)?;
                if this.ended() { Ok(body) } else { Err(Rejected) }
            })?;
            Node::AnonSub(Box::new(Sub { body }))
        } else if open == '\'' || second == b'\'' {
            Node::Text(to)
        } else {
            self.interpolated(&to)?
        };
        self.changes.insert("$_".into());
        Ok(Node::Subst { target: None, pattern: Box::new(pattern), to: Box::new(to), flags })
    }

    pub(super) fn pattern_term(&mut self) -> Parsed<Node> {
        let (raw, open) = self.delimited(true)?;
        let flags = self.flags();
        let pattern = self.pattern(&raw, open, &flags)?;
        Ok(Node::Match { target: None, pattern: Box::new(pattern), flags, negated: false })
    }

    /// The content of a pattern, with its variables and the code in it.
    fn pattern(&mut self, raw: &str, open: char, flags: &str) -> Parsed<Node> {
        let mut codes = Vec::new();
        let mut rest = raw;
        while let Some(at) = rest.find("(?") {
            let behind = rest.get(at + 2..).unwrap_or("");
            let inner =
                behind.strip_prefix('?').or_else(|| behind.strip_prefix('*')).unwrap_or(behind);
            if !inner.starts_with('{') {
                rest = behind;
                continue;
            }
            let (code, length) = self.within(inner, |this| {
                let (code, _) = this.delimited(true)?;
                Ok((code, this.at))
            })?;
            let body = self.within(&code, |this| {
                let body = this.statement_list(false)?;
                if this.ended() { Ok(body) } else { Err(Rejected) }
            })?;
            codes.push(Sub { body });
            rest = inner.get(length..).unwrap_or("");
        }
        if open == '\'' || !codes.is_empty() {
            let text = Node::Text(raw.to_owned());
            return Ok(match codes.is_empty() {
                true => text,
                false => Node::PatternCode(Box::new(text), codes),
            });
        }
        // Comments and blanks do not matter.
        let text = if flags.contains('x') { without_blanks(raw) } else { raw.to_owned() };
        self.interpolated_pattern(&text)
    }

    /// `<<TAG`, `<HANDLE>`, `<$handle>`, `<*.c>`.
    pub(super) fn angle_term(&mut self) -> Parsed<Node> {
        if self.starts("<<>>") {
            self.at += 4;
            return Ok(Node::Readline(Box::new(Node::Word("ARGV".to_owned()))));
        }
        if self.starts("<<") {
            return self.heredoc();
        }
        let end = self.rest().find('>').ok_or(Rejected)?;
        let inner = self.rest().get(1..end).unwrap_or("").to_owned();
        if inner.contains('\n') {
            return Err(Rejected);
        }
        self.at += end + 1;
        if inner.is_empty() {
            return Ok(Node::Readline(Box::new(Node::Word("ARGV".to_owned()))));
        }
        let name = |text: &str| {
            !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == ':')
        };
        if name(&inner) {
            return Ok(Node::Readline(Box::new(Node::Word(inner))));
        }
        if let Some(variable) = inner.strip_prefix('$')
            && name(variable)
        {
            let handle = Node::Scalar(self.variable('$', variable));
            return Ok(Node::Readline(Box::new(handle)));
        }
        let pattern = self.interpolated(&inner)?;
        Ok(Node::Glob2(Box::new(pattern)))
    }

    fn heredoc(&mut self) -> Parsed<Node> {
        self.at += 2;
        let indented = self.byte(0) == b'~';
        self.at += usize::from(indented);
        // A blank may stand before a quoted tag.
        let rest = self.rest();
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let quote = rest.as_bytes().get(blanks).copied().unwrap_or(0);
        let (tag, quote) = if matches!(quote, b'"' | b'\'' | b'`') {
            self.at += blanks;
            (self.delimited(true)?.0, quote)
        } else if self.byte(0) == b'\\' {
            self.at += 1;
            (self.take_name(false).ok_or(Rejected)?, b'\'')
        } else {
            (self.take_name(false).ok_or(Rejected)?, b'"')
        };
        let body = self.heredoc_body(&tag, indented)?;
        match quote {
            b'\'' => Ok(Node::Text(body)),
            b'"' => self.interpolated(&body),
            _ => {
                let text = self.interpolated(&body)?;
                Ok(Node::Backtick(Box::new(text)))
            }
        }
    }
}

fn open_keeps(byte: u8) -> bool {
    byte == b'\''
}

/// A text in single quotes: only the delimiters and the backslash are escaped.
fn single_quoted(raw: &str, open: char) -> String {
    let close = match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        other => other,
    };
    let mut out = String::new();
    let mut chars = raw.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some(next) if next == open || next == close || next == '\\' => out.push(next),
            Some(next) => {
                out.push('\\');
                out.push(next);
            }
            None => out.push('\\'),
        }
    }
    out
}

/// A pattern with the flag `x`, without its comments and blanks.
fn without_blanks(raw: &str) -> String {
    let mut out = String::new();
    let mut chars = raw.chars();
    let mut class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                out.push(c);
                out.extend(chars.next());
            }
            '[' if !class => {
                class = true;
                out.push(c);
            }
            ']' => {
                class = false;
                out.push(c);
            }
            '#' if !class && !out.ends_with(['$', '@', '?']) => {
                for c in chars.by_ref() {
                    if c == '\n' {
                        break;
                    }
                }
            }
            c if c.is_whitespace() && !class => {}
            other => out.push(other),
        }
    }
    out
}
