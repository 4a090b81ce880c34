//! A bound on the depth of the parser's recursion, computed before the parser sees the text.
//!
//! A short text cannot nest deeply. A longer one is split into tokens by a lexer that does not recurse. Where the start
//! of a regular expression cannot be told from a division without the grammar, both readings are followed; one whose
//! brackets do not match is dropped.

/// Texts with fewer characters that could nest are parsed without a look at their tokens.
const FEW: usize = 2_500;

/// Deepest nesting of brackets.
const DEEPEST: usize = 400;

/// Longest row of operators that nest.
const LONGEST: usize = 1_500;

/// Most readings that are followed at the same time.
const READINGS: usize = 32;

pub(super) fn is_too_deep(code: &str) -> bool {
    let nests = |byte: &u8| {
        matches!(
            byte,
            b'(' | b'['
                | b'{'
                | b'<'
                | b'`'
                | b'!'
                | b'~'
                | b'+'
                | b'-'
                | b'='
                | b'?'
                | b':'
                | b'*'
                | b'.'
        )
    };
    // A keyword that nests (`typeof`, `new`, `if`) needs a blank behind it or a bracket.
    let blanks = code.split([' ', '\n', '\t']).filter(|word| is_prefix_word(word)).count();
    if code.bytes().filter(|byte| nests(byte)).count() + blanks < FEW {
        return false;
    }
    let bytes = code.as_bytes();
    let mut readings = vec![Reading::default()];
    let mut at = 0;
    while at < bytes.len() {
        // Readings are at different places only inside of texts; the one furthest behind goes on.
        let Some(next) = readings.iter().map(|reading| reading.at).min() else { return true };
        at = next;
        if at >= bytes.len() {
            break;
        }
        let mut following = Vec::with_capacity(readings.len());
        for mut reading in readings {
            if reading.at > at {
                following.push(reading);
                continue;
            }
            let other = reading.step(bytes);
            if reading.deepest() {
                return true;
            }
            if reading.alive {
                following.push(reading);
            }
            following.extend(other.filter(|other| other.alive));
        }
        following.dedup_by(|a, b| a == b);
        if following.is_empty() || following.len() > READINGS {
            return true;
        }
        readings = following;
    }
    false
}

fn is_prefix_word(word: &str) -> bool {
    matches!(
        word,
        "typeof"
            | "void"
            | "delete"
            | "await"
            | "yield"
            | "new"
            | "if"
            | "else"
            | "for"
            | "while"
            | "do"
            | "async"
            | "keyof"
            | "readonly"
            | "infer"
            | "unique"
            | "asserts"
            | "throw"
            | "return"
    )
}

/// What the last token was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Last {
    /// A value may start here.
    #[default]
    Start,
    /// A value ended.
    Value,
    /// Either.
    Unclear,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Open {
    bracket: u8,
    /// The bracket belongs to `if`, `while`, `for` or `with`; a statement follows.
    control: bool,
    row: usize,
}

/// One way to read the text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Reading {
    at: usize,
    open: Vec<Open>,
    last: Last,
    /// The last word was `if`, `while`, `for` or `with`.
    control: bool,
    /// Operators that nest since the last end of an expression.
    row: usize,
    alive: bool,
}

impl Default for Reading {
    fn default() -> Self {
        Self { at: 0, open: Vec::new(), last: Last::Start, control: false, row: 0, alive: true }
    }
}

impl Reading {
    fn deepest(&self) -> bool {
        self.open.len() > DEEPEST || self.row > LONGEST
    }

    /// Reads one token; returns the other reading if there are two.
    fn step(&mut self, bytes: &[u8]) -> Option<Self> {
        let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
        let here = byte(self.at);
        match here {
            b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
            b'/' if byte(self.at + 1) == b'/' => self.skip_line(bytes),
            b'/' if byte(self.at + 1) == b'*' => self.skip_comment(bytes),
            b'/' => return self.slash(bytes),
            b'\'' | b'"' => self.skip_text(bytes, here),
            b'`' => {
                self.open.push(Open { bracket: b'`', control: false, row: self.row });
                self.at += 1;
                self.skip_template(bytes);
            }
            b'(' | b'[' | b'{' => {
                let control = std::mem::take(&mut self.control);
                self.open.push(Open { bracket: here, control, row: self.row });
                self.at += 1;
                self.last = Last::Start;
            }
            b')' | b']' | b'}' => self.close(bytes, here),
            b';' | b',' => {
                self.row = 0;
                self.token(Last::Start);
            }
            b'+' | b'-' if byte(self.at + 1) == here => {
                self.at += 1;
                self.row += 1;
                let last = self.last;
                self.token(if last == Last::Value { Last::Unclear } else { Last::Start });
            }
            b'0'..=b'9' => self.word(bytes),
            b'.' => self.token(Last::Start),
            _ if is_word(here) => self.word(bytes),
            _ => {
                self.row += 1;
                self.token(Last::Start);
            }
        }
        None
    }

    fn token(&mut self, last: Last) {
        self.at += 1;
        self.last = last;
        self.control = false;
    }

    fn word(&mut self, bytes: &[u8]) {
        let start = self.at;
        while bytes.get(self.at).is_some_and(|byte| is_word(*byte)) {
            self.at += 1;
        }
        let word = bytes.get(start..self.at).and_then(|word| std::str::from_utf8(word).ok());
        let member = start > 0 && bytes.get(start - 1) == Some(&b'.');
        let word = word.filter(|_| !member).unwrap_or("x");
        match word {
            "in" | "of" | "instanceof" | "case" | "extends" | "default" | "as" | "satisfies" => {
                self.last = if matches!(word, "of" | "as" | "default") {
                    Last::Unclear
                } else {
                    Last::Start
                };
            }
            "if" | "while" | "for" | "with" => {
                self.row += 1;
                self.last = Last::Start;
                self.control = true;
                return;
            }
            _ if is_prefix_word(word) => {
                self.row += 1;
                self.last = if matches!(word, "await" | "yield" | "async") {
                    Last::Unclear
                } else {
                    Last::Start
                };
            }
            _ => {
                // A value behind a value starts another statement.
                if self.last == Last::Value {
                    self.row = 0;
                }
                self.last = Last::Value;
            }
        }
        self.control = false;
    }

    fn close(&mut self, bytes: &[u8], bracket: u8) {
        let opening = match bracket {
            b')' => b'(',
            b']' => b'[',
            _ => b'{',
        };
        self.control = false;
        match self.open.pop() {
            Some(open) if open.bracket == opening => {
                self.at += 1;
                // Statements in braces end; other brackets are part of an expression.
                self.row = if bracket == b'}' { open.row.saturating_sub(1) } else { open.row };
                self.last = match bracket {
                    b'}' => Last::Unclear,
                    _ if open.control => Last::Start,
                    _ => Last::Value,
                };
            }
            // The end of `${…}`; the text goes on.
            Some(Open { bracket: b'$', row, .. }) if bracket == b'}' => {
                self.row = row;
                self.at += 1;
                self.skip_template(bytes);
            }
            _ => self.alive = false,
        }
    }

    /// Goes to the end of a template, or into the next `${`.
    fn skip_template(&mut self, bytes: &[u8]) {
        loop {
            match bytes.get(self.at) {
                None => {
                    self.alive = false;
                    return;
                }
                Some(b'\\') => self.at += 2,
                Some(b'`') => {
                    self.at += 1;
                    self.last = Last::Value;
                    self.control = false;
                    self.alive &= matches!(self.open.pop(), Some(Open { bracket: b'`', .. }));
                    return;
                }
                Some(b'$') if bytes.get(self.at + 1) == Some(&b'{') => {
                    self.open.push(Open { bracket: b'$', control: false, row: self.row });
                    self.at += 2;
                    self.last = Last::Start;
                    return;
                }
                Some(_) => self.at += 1,
            }
        }
    }

    fn skip_text(&mut self, bytes: &[u8], quote: u8) {
        self.at += 1;
        if self.last == Last::Value {
            self.row = 0;
        }
        loop {
            match bytes.get(self.at) {
                Some(b'\\') => self.at += 2,
                Some(byte) if *byte == quote => break,
                Some(b'\n') | None => {
                    self.alive = false;
                    return;
                }
                Some(_) => self.at += 1,
            }
        }
        self.token(Last::Value);
    }

    fn skip_line(&mut self, bytes: &[u8]) {
        while bytes.get(self.at).is_some_and(|byte| *byte != b'\n') {
            self.at += 1;
        }
    }

    fn skip_comment(&mut self, bytes: &[u8]) {
        let rest = bytes.get(self.at + 2..).unwrap_or(&[]);
        match rest.windows(2).position(|pair| pair == b"*/") {
            Some(end) => self.at += end + 4,
            None => self.alive = false,
        }
    }

    /// A division, or a regular expression.
    fn slash(&mut self, bytes: &[u8]) -> Option<Self> {
        let pattern = pattern_end(bytes, self.at).map(|end| Self {
            at: end,
            last: Last::Value,
            control: false,
            ..self.clone()
        });
        let last = self.last;
        self.token(Last::Start);
        match last {
            Last::Value => None,
            Last::Start => {
                match pattern {
                    Some(pattern) => *self = pattern,
                    None => self.alive = false,
                }
                None
            }
            Last::Unclear => pattern,
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'_' | b'$' | b'\\' | b'#' | b'@')
        || byte >= 0x80
}

/// The place behind a regular expression that starts at a place, if there can be one.
fn pattern_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    let mut class = false;
    loop {
        match bytes.get(at)? {
            b'\n' => return None,
            b'\\' => at += 1,
            b'[' => class = true,
            b']' => class = false,
            b'/' if !class => break,
            _ => {}
        }
        at += 1;
    }
    at += 1;
    while bytes.get(at).is_some_and(u8::is_ascii_alphabetic) {
        at += 1;
    }
    Some(at)
}
