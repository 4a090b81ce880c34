//! Casts of asciinema, versions 2 and 3, as far as the input was recorded.
//!
//! Typed keys become lines as a terminal would make them. A line with keys that recall or complete text is not known, so
//! its text is left out and counted as unreadable.

use super::{LineKind, RecordReader};
use crate::record::{CommandRecord, seconds};
use serde_json::Value;

/// Reads a cast.
#[derive(Debug)]
pub(crate) struct Cast {
    session: String,
    /// Seconds since 1970 at the start.
    start: Option<i64>,
    version: u64,
    /// Seconds since the start.
    elapsed: f64,
    typed: Vec<char>,
    /// Whether a key was pressed whose effect on the line is not known.
    lost: bool,
    escape: Escape,
    /// The bytes of the sequence so far.
    sequence: String,
}

/// Marks around pasted text, which is typed as it is.
const PASTE: [&str; 2] = ["[200~", "[201~"];

/// Longer sequences are none that this reader knows.
const LONGEST_SEQUENCE: usize = 16;

/// The position within a sequence of control characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Escape {
    Outside,
    Begun,
    Inside,
}

impl Cast {
    pub(crate) fn new(session: &str) -> Self {
        Self {
            session: session.to_owned(),
            start: None,
            version: 0,
            elapsed: 0.0,
            typed: Vec::new(),
            lost: false,
            escape: Escape::Outside,
            sequence: String::new(),
        }
    }

    fn header(&mut self, header: &Value, number: u64, records: &mut Vec<CommandRecord>) {
        self.version = header.get("version").and_then(Value::as_u64).unwrap_or_default();
        self.start = header.get("timestamp").and_then(Value::as_i64);
        if let Some(command) = header.get("command").and_then(Value::as_str) {
            records.push(self.record(command.to_owned(), number));
        }
    }

    fn record(&self, command: String, line: u64) -> CommandRecord {
        let time = self.start.and_then(|start| seconds(start + self.elapsed as i64, 0));
        CommandRecord {
            time,
            session: self.session.clone(),
            command,
            line,
            ..CommandRecord::default()
        }
    }

    /// One key. Gives the line if it ends one.
    fn key(&mut self, key: char) -> Option<Result<String, ()>> {
        match (self.escape, key) {
            (Escape::Begun, '[' | 'O') => {
                self.escape = Escape::Inside;
                self.sequence = key.to_string();
            }
            (Escape::Begun, _) => {
                self.escape = Escape::Outside;
                self.lost = true;
            }
            (Escape::Inside, '@'..='~') => {
                self.escape = Escape::Outside;
                self.sequence.push(key);
                self.lost |= !PASTE.contains(&self.sequence.as_str());
            }
            (Escape::Inside, _) if self.sequence.len() < LONGEST_SEQUENCE => {
                self.sequence.push(key);
            }
            (Escape::Inside, _) => self.lost = true,
            (Escape::Outside, '\u{1b}') => self.escape = Escape::Begun,
            (Escape::Outside, '\r' | '\n') => {
                let line: String = std::mem::take(&mut self.typed).into_iter().collect();
                let lost = std::mem::take(&mut self.lost);
                if lost {
                    return Some(Err(()));
                }
                return (!line.trim().is_empty()).then_some(Ok(line));
            }
            (Escape::Outside, '\u{7f}' | '\u{8}') => {
                self.typed.pop();
            }
            // ^C, ^D and ^U drop the line.
            (Escape::Outside, '\u{3}' | '\u{4}' | '\u{15}') => {
                self.typed.clear();
                self.lost = false;
            }
            // ^W
            (Escape::Outside, '\u{17}') => {
                while self.typed.pop_if(|c| c.is_whitespace()).is_some() {}
                while self.typed.pop_if(|c| !c.is_whitespace()).is_some() {}
            }
            // ^L
            (Escape::Outside, '\u{c}') => {}
            (Escape::Outside, key) if key.is_control() => self.lost = true,
            (Escape::Outside, key) => self.typed.push(key),
        }
        None
    }
}

impl RecordReader for Cast {
    fn line(&mut self, line: &[u8], number: u64, records: &mut Vec<CommandRecord>) -> LineKind {
        if line.trim_ascii().is_empty() || line.starts_with(b"#") {
            return LineKind::Known;
        }
        let Ok(event) = serde_json::from_slice::<Value>(line) else { return LineKind::Unreadable };
        if event.is_object() {
            self.header(&event, number, records);
            return LineKind::Known;
        }
        let part = |index: usize| event.get(index);
        let (Some(time), Some(kind), Some(text)) = (
            part(0).and_then(Value::as_f64),
            part(1).and_then(Value::as_str),
            part(2).and_then(Value::as_str),
        ) else {
            return LineKind::Unreadable;
        };
        // Version 3 has times between events.
        self.elapsed = if self.version >= 3 { self.elapsed + time } else { time };
        let mut kind_of_line = LineKind::Known;
        if kind == "i" {
            for key in text.chars() {
                match self.key(key) {
                    Some(Ok(command)) => records.push(self.record(command, number)),
                    Some(Err(())) => kind_of_line = LineKind::Unreadable,
                    None => {}
                }
            }
        }
        kind_of_line
    }
}

#[cfg(test)]
mod tests {
    use super::Cast;
    use crate::readers::{LineKind, RecordReader};

    #[test]
    fn typed_keys_become_lines() {
        let mut reader = Cast::new("x.cast");
        let mut records = Vec::new();
        let lines = [
            r#"{"version": 2, "width": 80, "height": 24, "timestamp": 1700000000}"#,
            r#"[0.5, "o", "$ "]"#,
            r#"[1.0, "i", "lx"]"#,
            r#"[1.5, "i", "\u007fs -la\r"]"#,
            r#"[2.0, "i", "echo wrong words\u0017\u0017right\r"]"#,
            r#"[3.0, "i", "never\u0003pwd\r"]"#,
            r#"[4.0, "i", "\u001b[200~cat a\u001b[201~\r"]"#,
        ];
        for (number, line) in lines.iter().enumerate() {
            assert_eq!(
                reader.line(line.as_bytes(), number as u64 + 1, &mut records),
                LineKind::Known
            );
        }
        let commands: Vec<&str> = records.iter().map(|record| record.command.as_str()).collect();
        assert_eq!(commands, ["ls -la", "echo right", "pwd", "cat a"]);
        assert_eq!(records[0].time.map(|time| time.as_second()), Some(1_700_000_001));
    }

    #[test]
    fn a_line_that_was_recalled_is_not_guessed() {
        let mut reader = Cast::new("x.cast");
        let mut records = Vec::new();
        let kind = reader.line(br#"[1.0, "i", "\u001b[A\r"]"#, 1, &mut records);
        assert_eq!((kind, records.len()), (LineKind::Unreadable, 0));
    }
}
