//! Records of the Linux audit daemon: `audit.log`, or `ausearch --raw`.
//!
//! An event is several records with the same number: SYSCALL, EXECVE, CWD, PATH, PROCTITLE. Records of several events may
//! mix. Calls that failed ran nothing and are left out.

use super::process_tree::ProcessTrees;
use super::{LineKind, RecordReader};
use crate::record::{CommandRecord, disguised, quoted, seconds};
use data_encoding::HEXUPPER_PERMISSIVE;
use std::collections::{BTreeMap, VecDeque};

/// Events whose records may mix.
const MIXED: usize = 64;
/// Bytes of arguments that are kept. The guard refuses longer commands.
const LONGEST: usize = 2 << 20;
/// No login session.
const UNSET: &str = "4294967295";

#[derive(Debug, Default)]
struct Event {
    id: String,
    host: Option<String>,
    pid: Option<String>,
    parent: Option<String>,
    login: Option<String>,
    user: Option<String>,
    user_name: Option<String>,
    cwd: Option<String>,
    /// The file that ran.
    file: Option<String>,
    /// How many arguments there should be.
    count: usize,
    arguments: BTreeMap<u32, Vec<u8>>,
    bytes: usize,
    failed: bool,
    /// The last line with a record of it.
    line: u64,
}

impl Event {
    fn is_whole(&self) -> bool {
        let called = self.pid.is_some() && self.cwd.is_some();
        called && self.count > 0 && self.arguments.len() >= self.count
    }
}

/// Reads audit records.
#[derive(Debug)]
pub(crate) struct Auditd {
    events: VecDeque<Event>,
    trees: ProcessTrees,
}

impl Auditd {
    pub(crate) fn new() -> Self {
        Self { events: VecDeque::new(), trees: ProcessTrees::new() }
    }

    /// The position of an event. Two machines may give the same number at the same time.
    fn position(&self, id: &str, host: Option<&str>) -> Option<usize> {
        self.events.iter().rposition(|event| event.id == id && event.host.as_deref() == host)
    }

    fn event(&mut self, id: &str, host: Option<&str>) -> Option<&mut Event> {
        match self.position(id, host) {
            Some(at) => self.events.get_mut(at),
            None => {
                let (id, host) = (id.to_owned(), host.map(str::to_owned));
                self.events.push_back(Event { id, host, ..Event::default() });
                self.events.back_mut()
            }
        }
    }

    fn emit(&mut self, event: Event, records: &mut Vec<CommandRecord>) {
        if event.arguments.is_empty() || event.failed {
            return;
        }
        let host = event.host.clone().unwrap_or_default();
        let pid = event.pid.as_deref().unwrap_or_default();
        let tree = self.trees.session(&host, pid, event.parent.as_deref());
        let session = match event.login.filter(|login| login != UNSET && login != "-1") {
            Some(login) => format!("{host}/login-{login}"),
            None => tree,
        };
        let words = || event.arguments.values().map(|word| String::from_utf8_lossy(word));
        let first = words().next().unwrap_or_default();
        let program = event.file.as_deref().and_then(|file| disguised(&first, file));
        records.push(CommandRecord {
            time: time(&event.id),
            host: event.host,
            user: event.user_name.or(event.user).filter(|user| user != UNSET && user != "unset"),
            session,
            pid: pid.parse().ok(),
            cwd: event.cwd,
            command: quoted(words()),
            program,
            // The kernel drops records if nobody takes them in time.
            cut: event.arguments.len() < event.count,
            line: event.line,
        });
    }
}

impl RecordReader for Auditd {
    fn line(&mut self, line: &[u8], number: u64, records: &mut Vec<CommandRecord>) -> LineKind {
        let text = String::from_utf8_lossy(line);
        if text.starts_with("----") {
            // `ausearch` separates events by such a line, and begins each with what the daemon writes last.
            self.finish(records);
        }
        if text.trim().is_empty() || text.starts_with("----") || text.starts_with("time->") {
            return LineKind::Known;
        }
        let Some((head, body)) = text.split_once("): ").or_else(|| text.split_once("):")) else {
            return LineKind::Unreadable;
        };
        let Some((names, id)) = head.split_once("msg=audit(") else { return LineKind::Unreadable };
        let mut kind = "";
        let mut host = None;
        for (name, value) in fields(names) {
            match name {
                "type" => kind = value,
                "node" => host = Some(value),
                _ => {}
            }
        }
        if !matches!(kind, "SYSCALL" | "EXECVE" | "CWD" | "PROCTITLE" | "EOE") {
            return LineKind::Known;
        }
        let Some(event) = self.event(id, host) else { return LineKind::Known };
        event.line = number;
        match kind {
            "SYSCALL" => read_call(event, body),
            "EXECVE" => read_arguments(event, body),
            "CWD" => {
                let found = fields(body).find(|(name, _)| *name == "cwd");
                event.cwd = found.map(|(_, value)| decoded_text(value));
            }
            // Nothing of the event comes behind these.
            _ => {
                let at = self.position(id, host);
                if let Some(event) = at.and_then(|at| self.events.remove(at)) {
                    self.emit(event, records);
                }
            }
        }
        if self.events.len() > MIXED
            && let Some(event) = self.events.pop_front()
        {
            self.emit(event, records);
        }
        LineKind::Known
    }

    /// Where PROCTITLE is excluded, nothing marks the last record of an event.
    fn idle(&mut self, records: &mut Vec<CommandRecord>) {
        let (whole, rest) = std::mem::take(&mut self.events).into_iter().partition(Event::is_whole);
        self.events = rest;
        let whole: VecDeque<Event> = whole;
        for event in whole {
            self.emit(event, records);
        }
    }

    fn finish(&mut self, records: &mut Vec<CommandRecord>) {
        while let Some(event) = self.events.pop_front() {
            self.emit(event, records);
        }
    }
}

fn read_call(event: &mut Event, body: &str) {
    for (name, given) in fields(body) {
        let value = || Some(given.trim_matches('"').to_owned());
        match name {
            "pid" => event.pid = value(),
            "ppid" => event.parent = value(),
            "ses" => event.login = value(),
            "auid" => event.user = value(),
            "AUID" => event.user_name = value(),
            "exe" if given != "(null)" => event.file = Some(decoded_text(given)),
            "success" => event.failed = value().is_some_and(|word| word == "no"),
            _ => {}
        }
    }
}

fn read_arguments(event: &mut Event, body: &str) {
    for (name, value) in fields(body) {
        if name == "argc" {
            event.count = value.parse().unwrap_or_default();
        }
        let Some(rest) = name.strip_prefix('a') else { continue };
        // A long argument comes in pieces: a1[0], a1[1].
        let number = rest.split_once('[').map_or(rest, |(number, _)| number);
        let Ok(number) = number.parse::<u32>() else { continue };
        let piece = decoded(value);
        event.bytes += piece.len();
        if event.bytes <= LONGEST {
            event.arguments.entry(number).or_default().extend(piece);
        }
    }
}

/// Pairs of name and value. Values are bare, or in quotes without escapes.
fn fields(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        // A group separator precedes the names that auditd adds.
        rest = rest.trim_start_matches([' ', '\u{1d}', '\n', '\r']);
        let (name, after) = rest.split_once('=')?;
        let end = match after.strip_prefix('"').and_then(|inner| inner.find('"')) {
            Some(end) => end + 2,
            None => after.find([' ', '\u{1d}']).unwrap_or(after.len()),
        };
        let value = after.get(..end)?;
        rest = after.get(end..)?;
        Some((name, value))
    })
}

/// The bytes of a value: in quotes as they are, else in hexadecimal digits.
fn decoded(value: &str) -> Vec<u8> {
    match value.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')) {
        Some(inner) => inner.as_bytes().to_vec(),
        None if value == "(null)" => Vec::new(),
        None => HEXUPPER_PERMISSIVE
            .decode(value.as_bytes())
            .unwrap_or_else(|_| value.as_bytes().to_vec()),
    }
}

fn decoded_text(value: &str) -> String {
    String::from_utf8_lossy(&decoded(value)).into_owned()
}

/// `1700000000.123:4567` → the time.
fn time(id: &str) -> Option<jiff::Timestamp> {
    let (time, _) = id.split_once(':')?;
    let (whole, milliseconds) = time.split_once('.')?;
    seconds(whole.parse().ok()?, milliseconds.parse::<i32>().ok()?.checked_mul(1_000_000)?)
}

#[cfg(test)]
mod tests {
    use super::Auditd;
    use crate::readers::{LineKind, RecordReader};
    use crate::record::CommandRecord;

    fn read(text: &str) -> Vec<CommandRecord> {
        let (mut reader, mut records) = (Auditd::new(), Vec::new());
        for (number, line) in text.lines().enumerate() {
            reader.line(line.as_bytes(), number as u64 + 1, &mut records);
        }
        reader.finish(&mut records);
        records
    }

    #[test]
    fn records_of_mixed_events_are_put_together() {
        let records = read(
            r#"node=web type=SYSCALL msg=audit(1700000000.123:7): arch=c000003e syscall=59 success=yes exit=0 ppid=10 pid=11 auid=1000 uid=0 ses=3 comm="cat" AUID="alice" UID="root"
node=web type=SYSCALL msg=audit(1700000000.125:8): success=no ppid=10 pid=12 auid=1000 ses=3
node=web type=EXECVE msg=audit(1700000000.123:7): argc=3 a0="cat" a1=2F746D702F612062 a2="-n"
node=web type=EXECVE msg=audit(1700000000.125:8): argc=1 a0="missing"
node=web type=CWD msg=audit(1700000000.123:7): cwd="/srv"
node=web type=PROCTITLE msg=audit(1700000000.123:7): proctitle="cat"
node=web type=PROCTITLE msg=audit(1700000000.125:8): proctitle="missing""#,
        );
        assert_eq!(records.len(), 1);
        let record = &records[0];
        assert_eq!(record.command, "cat '/tmp/a b' -n");
        assert_eq!((record.host.as_deref(), record.user.as_deref()), (Some("web"), Some("alice")));
        assert_eq!((record.session.as_str(), record.pid), ("web/login-3", Some(11)));
        assert_eq!((record.cwd.as_deref(), record.line), (Some("/srv"), 6));
        assert_eq!(
            record.time.map(|time| time.to_string()).as_deref(),
            Some("2023-11-14T22:13:20.123Z")
        );
    }

    #[test]
    fn the_file_that_ran_is_kept_if_the_first_word_names_another() {
        let records = read(
            r#"type=SYSCALL msg=audit(1.0:1): success=yes pid=5 ppid=4 comm="ls" exe="/usr/bin/nc"
type=EXECVE msg=audit(1.0:1): argc=3 a0="ls" a1="-e" a2="/bin/sh"
type=EOE msg=audit(1.0:1):
type=SYSCALL msg=audit(1.0:2): success=yes pid=5 ppid=4 exe=2F6D656D66643A78202864656C6574656429
type=EXECVE msg=audit(1.0:2): argc=1 a0="ls"
type=EOE msg=audit(1.0:2):"#,
        );
        let programs: Vec<Option<&str>> =
            records.iter().map(|record| record.program.as_deref()).collect();
        assert_eq!(programs, [Some("/usr/bin/nc"), Some("/memfd:x")]);
    }

    #[test]
    fn lost_arguments_are_noticed_and_events_of_two_machines_are_kept_apart() {
        let records = read(
            r#"node=a type=EXECVE msg=audit(1.0:1): argc=3 a0="sh" a1="-c"
node=b type=EXECVE msg=audit(1.0:1): argc=1 a0="ls"
node=a type=EOE msg=audit(1.0:1):
node=b type=EOE msg=audit(1.0:1):"#,
        );
        let found: Vec<(&str, bool)> =
            records.iter().map(|record| (record.command.as_str(), record.cut)).collect();
        assert_eq!(found, [("sh -c", true), ("ls", false)]);
    }

    #[test]
    fn events_of_ausearch_begin_with_their_end() {
        let event = |id: u32, word: &str| {
            format!(
                "----\ntime->Tue Nov 14 22:13:20 2023\ntype=PROCTITLE msg=audit(1700000000.000:{id}): proctitle=78\n\
                 type=CWD msg=audit(1700000000.000:{id}): cwd=\"/srv\"\n\
                 type=EXECVE msg=audit(1700000000.000:{id}): argc=1 a0=\"{word}\"\n\
                 type=SYSCALL msg=audit(1700000000.000:{id}): success=yes ppid=1 pid={id} ses=3\n"
            )
        };
        let (mut reader, mut records, mut number) = (Auditd::new(), Vec::new(), 0);
        for line in (event(1, "ls") + &event(2, "id")).lines() {
            number += 1;
            let found = reader.line(line.as_bytes(), number, &mut records);
            assert_eq!(found, LineKind::Known, "{line}");
        }
        assert_eq!(records.len(), 1);
        reader.finish(&mut records);
        assert_eq!((records[1].command.as_str(), records[1].pid), ("id", Some(2)));
        assert_eq!((records[0].line, records[1].line), (6, 12));
        assert_eq!(records[1].cwd.as_deref(), Some("/srv"));
    }

    #[test]
    fn an_event_without_an_end_is_given_when_the_log_does_not_grow() {
        let text = "type=SYSCALL msg=audit(1.0:1): success=yes ppid=1 pid=2 ses=3\n\
                    type=EXECVE msg=audit(1.0:1): argc=1 a0=\"id\"\n\
                    type=CWD msg=audit(1.0:1): cwd=\"/srv\"";
        let (mut reader, mut records) = (Auditd::new(), Vec::new());
        for (number, line) in text.lines().enumerate() {
            // Nothing is given before it is whole.
            reader.idle(&mut records);
            assert_eq!(records.len(), 0, "{line}");
            reader.line(line.as_bytes(), number as u64 + 1, &mut records);
        }
        reader.idle(&mut records);
        assert_eq!((records[0].command.as_str(), records[0].line), ("id", 3));
        reader.finish(&mut records);
        assert_eq!(records.len(), 1);
    }

    #[test]
    fn a_long_argument_comes_in_pieces() {
        let records = read(
            r#"type=EXECVE msg=audit(1.0:1): argc=2 a0="sh" a1_len=4 a1[0]=6162
type=EXECVE msg=audit(1.0:1): a1[1]=6364
type=EOE msg=audit(1.0:1):"#,
        );
        assert_eq!(records[0].command, "sh abcd");
    }

    #[test]
    fn processes_without_a_login_belong_to_their_tree() {
        let call = |id: u32, pid: u32, parent: u32| {
            format!(
                "type=SYSCALL msg=audit(1.0:{id}): success=yes ppid={parent} pid={pid} auid=4294967295 ses=4294967295\n\
                 type=EXECVE msg=audit(1.0:{id}): argc=1 a0=\"x\"\ntype=EOE msg=audit(1.0:{id}):\n"
            )
        };
        let text = call(1, 10, 1) + &call(2, 11, 10) + &call(3, 12, 11) + &call(4, 20, 1);
        let sessions: Vec<String> = read(&text).into_iter().map(|record| record.session).collect();
        assert_eq!(sessions[0], sessions[2]);
        assert_ne!(sessions[0], sessions[3]);
    }
}
