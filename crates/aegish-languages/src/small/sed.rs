//! sed: the commands that run (`e`, `s///e`), write (`w`, `W`, `s///w`) and read (`r`, `R`).
//!
//! The whole grammar is parsed, so that the text of `a`, `i`, `c`, patterns and replacements are not mistaken
//! for commands.

use super::{is_stream, known, shell, text_from, text_to, write};
use crate::CodeEffect;
use aegish_values::{Piece, Value, origin};

pub(super) fn sed(code: &str, effects: &mut Vec<CodeEffect>) {
    let mut reader = SedReader { text: code, effects, edited: false };
    while !reader.text.is_empty() {
        let before = reader.text.len();
        reader.command();
        if reader.text.len() == before {
            reader.skip(1);
        }
    }
}

struct SedReader<'a> {
    text: &'a str,
    effects: &'a mut Vec<CodeEffect>,
    /// An earlier command may have changed the line.
    edited: bool,
}

impl<'a> SedReader<'a> {
    fn peek(&self) -> Option<char> {
        self.text.chars().next()
    }

    /// Skips this many characters.
    fn skip(&mut self, count: usize) {
        let mut letters = self.text.chars();
        for _ in 0..count {
            letters.next();
        }
        self.text = letters.as_str();
    }

    fn trim(&mut self) {
        self.text = self.text.trim_start_matches([' ', '\t']);
    }

    fn line(&mut self) -> &'a str {
        let end = self.text.find('\n').unwrap_or(self.text.len());
        let (line, rest) = self.text.split_at(end);
        self.text = rest;
        line
    }

    /// Returns the text up to the next unescaped delimiter and skips the delimiter.
    fn until(&mut self, delimiter: char, brackets: bool) -> Option<&'a str> {
        let text = self.text;
        let mut skip = false;
        let mut bracket: Option<usize> = None;
        for (at, c) in text.char_indices() {
            if skip {
                skip = false;
                continue;
            }
            match c {
                '[' if brackets && bracket.is_none() => bracket = Some(at),
                ']' if bracket.is_some_and(|open| {
                    !matches!(text.get(open + 1..at).unwrap_or_default(), "" | "^")
                }) =>
                {
                    bracket = None;
                }
                '\\' if bracket.is_none() => skip = true,
                c if c == delimiter && bracket.is_none() => {
                    self.text = text_from(text, at + c.len_utf8());
                    return Some(text_to(text, at));
                }
                _ => {}
            }
        }
        // An unclosed bracket is an ordinary character.
        if brackets && bracket.is_some() {
            return self.until(delimiter, false);
        }
        // sed rejects a script with an unfinished command as a whole.
        self.text = "";
        None
    }

    fn address(&mut self) {
        match self.peek() {
            Some(c) if c.is_ascii_digit() || matches!(c, '$' | '+' | '~') => {
                self.text =
                    self.text.trim_start_matches(|c: char| c.is_ascii_digit() || "$+~".contains(c));
            }
            Some(c @ ('/' | '\\')) => {
                self.skip(1);
                let delimiter = if c == '\\' { self.peek() } else { Some('/') };
                if c == '\\' {
                    self.skip(1);
                }
                if let Some(delimiter) = delimiter {
                    self.until(delimiter, true);
                }
                self.text = self.text.trim_start_matches(['I', 'M']);
            }
            _ => {}
        }
    }

    fn command(&mut self) {
        self.text =
            self.text.trim_start_matches(|c: char| c.is_whitespace() || c == ';' || c == '}');
        self.address();
        self.trim();
        if self.peek() == Some(',') {
            self.skip(1);
            self.trim();
            self.address();
        }
        self.text = self.text.trim_start_matches([' ', '\t', '!']);
        let Some(letter) = self.peek() else { return };
        self.skip(1);
        let edited = self.edited;
        self.edited |= "syGxNDcaidg".contains(letter);
        match letter {
            '#' => {
                self.line();
            }
            'e' => {
                let command = self.line();
                if command.trim().is_empty() || command.trim_start().starts_with([';', '}']) {
                    // Without an argument, `e` runs the line itself.
                    let line = if edited { origin::PATTERN_SPACE } else { origin::INPUT_LINE };
                    self.effects.push(CodeEffect::Shell(Value::unknown(line)));
                } else {
                    shell(command, self.effects);
                }
            }
            'r' | 'R' | 'w' | 'W' => {
                let path = self.line().trim();
                if is_stream(path) {
                    return;
                }
                if letter.eq_ignore_ascii_case(&'r') {
                    self.effects.push(CodeEffect::Read(known(path)));
                } else {
                    write(known(path), false, self.effects);
                }
            }
            'a' | 'i' | 'c' => loop {
                // The text goes on as long as lines end in a backslash.
                let line = self.line();
                self.skip(1);
                if !line.ends_with('\\') || self.text.is_empty() {
                    break;
                }
            },
            ':' | 'b' | 't' | 'T' => {
                let end = self.text.find(['\n', ';', '}']).unwrap_or(self.text.len());
                self.text = text_from(self.text, end);
            }
            'y' => {
                if let Some(delimiter) = self.peek() {
                    self.skip(1);
                    self.until(delimiter, false);
                    self.until(delimiter, false);
                }
            }
            's' => self.substitution(),
            _ => {}
        }
    }

    fn substitution(&mut self) {
        let Some(delimiter) = self.peek().filter(|c| !matches!(c, '\n' | '\\')) else {
            return;
        };
        self.skip(1);
        let Some(pattern) = self.until(delimiter, true) else { return };
        let Some(replacement) = self.until(delimiter, false) else {
            return;
        };
        while let Some(flag) = self.peek() {
            match flag {
                'g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9' => self.skip(1),
                'e' => {
                    self.skip(1);
                    // A replacement without parts of the match may be the whole command. The text around the
                    // match is unknown.
                    let literal = !replacement.contains(['\\', '&']);
                    let whole = matches!(pattern, ".*" | "^.*" | "^.*$" | ".*$" | ".\\+" | ".+");
                    self.effects.push(CodeEffect::Shell(match (literal, pattern) {
                        (true, "^") => {
                            let mut command = known(replacement);
                            command.push(Piece::Unknown(origin::PATTERN_SPACE));
                            command
                        }
                        (true, _) if whole || !replacement.is_empty() => known(replacement),
                        _ => Value::unknown(origin::PATTERN_SPACE),
                    }));
                }
                'w' => {
                    self.skip(1);
                    let path = self.line().trim();
                    if !is_stream(path) {
                        let content = if replacement.contains(['\\', '&']) {
                            Value::unknown(origin::PATTERN_SPACE)
                        } else {
                            known(replacement)
                        };
                        self.effects.push(CodeEffect::Write {
                            path: known(path),
                            content,
                            append: false,
                        });
                    }
                    return;
                }
                // sed rejects a script with an unknown flag as a whole.
                c if c.is_ascii_graphic() && !matches!(c, ';' | '}' | '#') => self.text = "",
                _ => return,
            }
        }
    }
}
