//! Histories of bash, zsh and fish, with times where they have them. A file is one session.

use super::{LineKind, RecordReader};
use crate::record::{CommandRecord, seconds};
use jiff::Timestamp;

/// What all histories share: the file, and the command that is being read.
#[derive(Debug)]
struct Pending {
    session: String,
    user: Option<String>,
    time: Option<Timestamp>,
    text: String,
    line: u64,
}

impl Pending {
    fn new(session: &str, user: Option<String>) -> Self {
        Self { session: session.to_owned(), user, time: None, text: String::new(), line: 0 }
    }

    fn add(&mut self, text: &str, line: u64) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(text);
        self.line = line;
    }

    fn emit(&mut self, records: &mut Vec<CommandRecord>) {
        let command = std::mem::take(&mut self.text);
        let time = self.time.take();
        if command.trim().is_empty() {
            return;
        }
        records.push(CommandRecord {
            time,
            user: self.user.clone(),
            session: self.session.clone(),
            command,
            line: self.line,
            ..CommandRecord::default()
        });
    }
}

/// `HISTFILE` of bash. With times, a command is everything up to the next time; without, each line is one.
#[derive(Debug)]
pub(crate) struct BashHistory {
    pending: Pending,
    timed: bool,
}

impl BashHistory {
    pub(crate) fn new(session: &str, user: Option<String>) -> Self {
        Self { pending: Pending::new(session, user), timed: false }
    }
}

impl RecordReader for BashHistory {
    fn line(&mut self, line: &[u8], number: u64, records: &mut Vec<CommandRecord>) -> LineKind {
        let text = String::from_utf8_lossy(line);
        let time = text.strip_prefix('#').and_then(|digits| digits.parse::<i64>().ok());
        match time {
            Some(time) => {
                self.pending.emit(records);
                self.pending.time = seconds(time, 0);
                self.timed = true;
            }
            None => {
                self.pending.add(&text, number);
                if !self.timed {
                    self.pending.emit(records);
                }
            }
        }
        LineKind::Known
    }

    fn finish(&mut self, records: &mut Vec<CommandRecord>) {
        self.pending.emit(records);
    }
}

/// The history of zsh, with `EXTENDED_HISTORY` or without.
#[derive(Debug)]
pub(crate) struct ZshHistory {
    pending: Pending,
}

impl ZshHistory {
    pub(crate) fn new(session: &str, user: Option<String>) -> Self {
        Self { pending: Pending::new(session, user) }
    }
}

impl RecordReader for ZshHistory {
    fn line(&mut self, line: &[u8], number: u64, records: &mut Vec<CommandRecord>) -> LineKind {
        let text = String::from_utf8_lossy(&unmetafied(line)).into_owned();
        let mut rest = text.as_str();
        if self.pending.text.is_empty()
            && let Some((time, command)) = extended(&text)
        {
            self.pending.time = seconds(time, 0);
            rest = command;
        }
        // A line break within a command is written behind a backslash.
        match rest.strip_suffix('\\') {
            Some(start) => self.pending.add(start, number),
            None => {
                self.pending.add(rest, number);
                self.pending.emit(records);
            }
        }
        LineKind::Known
    }

    fn finish(&mut self, records: &mut Vec<CommandRecord>) {
        self.pending.emit(records);
    }
}

/// `: 1700000000:0;ls` → time and command.
fn extended(text: &str) -> Option<(i64, &str)> {
    let (head, command) = text.strip_prefix(": ")?.split_once(';')?;
    let (time, _) = head.split_once(':')?;
    Some((time.trim().parse().ok()?, command))
}

/// zsh writes special bytes as 0x83 and the byte with one bit changed.
fn unmetafied(line: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(line.len());
    let mut rest = line.iter();
    while let Some(byte) = rest.next() {
        match (byte, rest.as_slice().first()) {
            (0x83, Some(next)) => {
                bytes.push(next ^ 32);
                rest.next();
            }
            _ => bytes.push(*byte),
        }
    }
    bytes
}

/// The history of fish: entries with `cmd`, `when` and `paths`.
#[derive(Debug)]
pub(crate) struct FishHistory {
    pending: Pending,
}

impl FishHistory {
    pub(crate) fn new(session: &str, user: Option<String>) -> Self {
        Self { pending: Pending::new(session, user) }
    }
}

impl RecordReader for FishHistory {
    fn line(&mut self, line: &[u8], number: u64, records: &mut Vec<CommandRecord>) -> LineKind {
        let text = String::from_utf8_lossy(line);
        if let Some(command) = text.strip_prefix("- cmd: ") {
            self.pending.emit(records);
            self.pending.add(&unescaped(command), number);
        } else if let Some(time) = text.strip_prefix("  when: ") {
            self.pending.time = time.trim().parse().ok().and_then(|time| seconds(time, 0));
        } else if !text.trim().is_empty() && !text.starts_with("  ") {
            return LineKind::Unreadable;
        }
        LineKind::Known
    }

    fn finish(&mut self, records: &mut Vec<CommandRecord>) {
        self.pending.emit(records);
    }
}

/// `\n` and `\\` as fish writes them.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match (c, rest.as_str().chars().next()) {
            ('\\', Some('n')) => {
                plain.push('\n');
                rest.next();
            }
            ('\\', Some('\\')) => {
                plain.push('\\');
                rest.next();
            }
            _ => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::{BashHistory, FishHistory, ZshHistory};
    use crate::readers::RecordReader;

    fn read(mut reader: impl RecordReader, text: &[u8]) -> Vec<(Option<i64>, String, u64)> {
        let mut records = Vec::new();
        for (number, line) in text.split(|byte| *byte == b'\n').enumerate() {
            reader.line(line, number as u64 + 1, &mut records);
        }
        reader.finish(&mut records);
        let row = |record: crate::record::CommandRecord| {
            (record.time.map(|time| time.as_second()), record.command, record.line)
        };
        records.into_iter().map(row).collect()
    }

    #[test]
    fn a_history_of_bash_with_times_may_have_commands_of_several_lines() {
        let text = b"#1700000000\nfor i in 1 2; do\necho $i\ndone\n#1700000060\nls";
        let command = "for i in 1 2; do\necho $i\ndone".to_owned();
        let expected =
            [(Some(1_700_000_000), command, 4), (Some(1_700_000_060), "ls".to_owned(), 6)];
        assert_eq!(read(BashHistory::new("h", None), text), expected);
    }

    #[test]
    fn a_history_of_bash_without_times_has_a_command_on_each_line() {
        let read = read(BashHistory::new("h", None), b"ls\n\n# a remark\npwd");
        let commands: Vec<&str> = read.iter().map(|(_, command, _)| command.as_str()).collect();
        assert_eq!(commands, ["ls", "# a remark", "pwd"]);
    }

    #[test]
    fn a_history_of_zsh_continues_lines_and_marks_special_bytes() {
        // The second byte of `ü` is 0xbc; zsh writes the one of `à`, 0xa0, as 0x83 0x80.
        let text = b": 1700000000:3;echo a\\\nb\necho \xc3\x83\x80";
        let expected =
            [(Some(1_700_000_000), "echo a\nb".to_owned(), 2), (None, "echo \u{e0}".to_owned(), 3)];
        assert_eq!(read(ZshHistory::new("h", None), text), expected);
    }

    #[test]
    fn a_history_of_fish_escapes_line_breaks() {
        let text = b"- cmd: echo a\\nb \\\\n\n  when: 1700000000\n  paths:\n    - x\n- cmd: ls";
        let expected =
            [(Some(1_700_000_000), "echo a\nb \\n".to_owned(), 1), (None, "ls".to_owned(), 5)];
        assert_eq!(read(FishHistory::new("h", None), text), expected);
    }
}
