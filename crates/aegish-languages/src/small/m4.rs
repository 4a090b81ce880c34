//! m4: `syscmd`, `esyscmd`, and the macros that read files.

use super::{included, known, shell, text_from, text_to};
use crate::CodeEffect;
use aegish_values::Value;

/// `directories` are searched for relative names of included files.
pub(super) fn m4(code: &str, directories: &[Value], effects: &mut Vec<CodeEffect>) {
    let mut scan = M4Scan { open: '`', close: '\'', directories };
    let mut rest = code;
    while let Some(c) = rest.chars().next() {
        match c {
            '#' => rest = rest.find('\n').map_or("", |end| text_from(rest, end)),
            c if c == scan.open => rest = scan.quoted(text_from(rest, c.len_utf8())).1,
            c if c.is_ascii_alphabetic() || c == '_' => {
                let end = rest
                    .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                    .unwrap_or(rest.len());
                let (name, tail) = rest.split_at(end);
                rest = tail;
                if name == "dnl" {
                    rest = tail.find('\n').map_or("", |end| text_from(tail, end));
                } else if let Some(body) = tail.strip_prefix('(') {
                    rest = scan.call(name.trim_start_matches("m4_"), body, effects);
                }
            }
            c => rest = text_from(rest, c.len_utf8()),
        }
    }
}

struct M4Scan<'d> {
    open: char,
    close: char,
    directories: &'d [Value],
}

impl M4Scan<'_> {
    /// Reads a quotation behind its opening quote; returns its text and the rest.
    fn quoted<'a>(&self, text: &'a str) -> (&'a str, &'a str) {
        let mut depth = 0usize;
        for (at, c) in text.char_indices() {
            if c == self.close {
                if depth == 0 {
                    return (text_to(text, at), text_from(text, at + c.len_utf8()));
                }
                depth -= 1;
            } else if c == self.open {
                depth += 1;
            }
        }
        (text, "")
    }

    /// Evaluates a macro call and returns the rest. The arguments of an unknown macro are read as text.
    fn call<'a>(&mut self, name: &str, body: &'a str, effects: &mut Vec<CodeEffect>) -> &'a str {
        match name {
            "syscmd" | "esyscmd" | "esyscmd_s" => {
                let (text, _, tail) = self.argument(body);
                shell(&text, effects);
                tail
            }
            "include" | "sinclude" | "undivert" | "builtin" => {
                let (text, _, tail) = self.argument(body);
                if name == "builtin" {
                    // `builtin(`name', arguments)`
                    return match tail.strip_prefix(',') {
                        Some(arguments) => {
                            let name = text;
                            self.call(&name, arguments, effects)
                        }
                        None => tail,
                    };
                }
                // A number is a diversion, not a file.
                let diversion = name == "undivert" && text.chars().all(|c| c.is_ascii_digit());
                if !(text.is_empty() || diversion) {
                    included(&text, self.directories, effects);
                }
                tail
            }
            "debugfile" => {
                let (text, _, tail) = self.argument(body);
                if !text.is_empty() {
                    super::write(known(text), true, effects);
                }
                tail
            }
            "changequote" => {
                let (open, _, tail) = self.argument(body);
                let (close, tail) = match tail.strip_prefix(',') {
                    Some(second) => {
                        let (close, _, tail) = self.argument(second);
                        (close, tail)
                    }
                    None => (String::new(), tail),
                };
                self.open = open.trim().chars().next().unwrap_or('`');
                self.close = close.trim().chars().next().unwrap_or('\'');
                tail
            }
            "define" | "pushdef" => {
                // The body of a definition runs when the macro is used; the use is assumed.
                let (_, _, tail) = self.argument(body);
                match tail.strip_prefix(',') {
                    Some(second) => {
                        let (text, quoted, tail) = self.argument(second);
                        if quoted && (text.contains("syscmd(") || text.contains("include(")) {
                            m4(&text, self.directories, effects);
                        }
                        tail
                    }
                    None => tail,
                }
            }
            _ => body,
        }
    }

    /// Reads one argument: its text without one level of quotes, whether it was quoted, and the rest.
    fn argument<'a>(&self, text: &'a str) -> (String, bool, &'a str) {
        let mut out = String::new();
        let mut quoted = false;
        let mut depth = 0usize;
        let mut rest = text.trim_start();
        while let Some(c) = rest.chars().next() {
            if c == self.open {
                let (inner, tail) = self.quoted(text_from(rest, c.len_utf8()));
                out.push_str(inner);
                quoted = true;
                rest = tail;
                continue;
            }
            match c {
                ',' if depth == 0 => break,
                ')' if depth == 0 => break,
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            out.push(c);
            rest = text_from(rest, c.len_utf8());
        }
        (out, quoted, rest)
    }
}
