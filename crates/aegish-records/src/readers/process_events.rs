//! Process events as lines of JSON: Falco, Tetragon, osquery.
//!
//! All three join the arguments by spaces; see [`joined`](crate::record::joined).

use super::process_tree::ProcessTrees;
use super::{LineKind, RecordReader};
use crate::record::{CommandRecord, disguised, joined, quoted, seconds};
use jiff::Timestamp;
use serde_json::{Map, Value};

fn text<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    // Falco writes `<NA>` for what it does not know.
    object.get(name)?.as_str().filter(|text| !text.is_empty() && *text != "<NA>")
}

/// A number that may be written as a text.
fn number(object: &Map<String, Value>, name: &str) -> Option<String> {
    match object.get(name)? {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        _ => None,
    }
}

fn object<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a Map<String, Value>> {
    object.get(name)?.as_object()
}

fn moment(text: &str) -> Option<Timestamp> {
    text.parse().ok()
}

/// Events of Falco with `json_output`.
#[derive(Debug)]
pub(crate) struct Falco {
    trees: ProcessTrees,
}

impl Falco {
    pub(crate) fn new() -> Self {
        Self { trees: ProcessTrees::new() }
    }

    fn record(&mut self, event: &Map<String, Value>, line: u64) -> Option<CommandRecord> {
        let fields = object(event, "output_fields")?;
        let command = text(fields, "proc.cmdline")?;
        let host = text(event, "hostname").map(str::to_owned);
        let container = text(fields, "container.id").filter(|id| *id != "host");
        let place = match (&host, container) {
            (Some(host), Some(container)) => format!("{host}/{container}"),
            (host, container) => host.as_deref().or(container).unwrap_or_default().to_owned(),
        };
        let pid = number(fields, "proc.pid").unwrap_or_default();
        let parent = number(fields, "proc.ppid");
        Some(CommandRecord {
            time: text(event, "time").and_then(moment),
            user: text(fields, "user.name").map(str::to_owned),
            session: self.trees.session(&place, &pid, parent.as_deref()),
            pid: pid.parse().ok(),
            cwd: text(fields, "proc.cwd").map(str::to_owned),
            command: joined(command),
            host,
            line,
            ..CommandRecord::default()
        })
    }
}

impl RecordReader for Falco {
    fn line(&mut self, line: &[u8], number: u64, records: &mut Vec<CommandRecord>) -> LineKind {
        let Ok(event) = serde_json::from_slice(line) else { return LineKind::Unreadable };
        records.extend(self.record(&event, number));
        LineKind::Known
    }
}

/// Events of Tetragon: `tetra getevents -o json`, or its export file.
#[derive(Debug)]
pub(crate) struct Tetragon {
    trees: ProcessTrees,
}

impl Tetragon {
    pub(crate) fn new() -> Self {
        Self { trees: ProcessTrees::new() }
    }

    fn record(&mut self, event: &Map<String, Value>, line: u64) -> Option<CommandRecord> {
        let process = object(object(event, "process_exec")?, "process")?;
        let program = text(process, "binary")?;
        let command = match text(process, "arguments") {
            Some(arguments) => format!("{program} {arguments}"),
            None => program.to_owned(),
        };
        let host = text(event, "node_name").map(str::to_owned);
        let id = text(process, "exec_id").unwrap_or_default();
        let start = object(object(event, "process_exec")?, "parent");
        // Ids of executions do not tell which process is the first one of the machine.
        let orphan = start.and_then(|parent| number(parent, "pid")).is_some_and(|pid| pid == "1");
        let parent = text(process, "parent_exec_id").filter(|_| !orphan);
        let flags = text(process, "flags").unwrap_or_default();
        let pod = object(process, "pod").and_then(|pod| text(pod, "name"));
        let place = pod.or(host.as_deref()).unwrap_or_default();
        Some(CommandRecord {
            time: text(process, "start_time").or_else(|| text(event, "time")).and_then(moment),
            user: number(process, "uid"),
            session: self.trees.session(place, id, parent),
            pid: number(process, "pid").and_then(|pid| pid.parse().ok()),
            cwd: text(process, "cwd").map(str::to_owned),
            command: joined(&command),
            // Arguments that are too long for the kernel's buffer, or that could not be read.
            cut: flags.split(' ').any(|flag| matches!(flag, "truncArgs" | "errorArgs")),
            host,
            line,
            ..CommandRecord::default()
        })
    }
}

impl RecordReader for Tetragon {
    fn line(&mut self, line: &[u8], number: u64, records: &mut Vec<CommandRecord>) -> LineKind {
        let Ok(event) = serde_json::from_slice(line) else { return LineKind::Unreadable };
        records.extend(self.record(&event, number));
        LineKind::Known
    }
}

/// Results of osquery for its table `process_events`, as events, snapshots or bare rows.
#[derive(Debug)]
pub(crate) struct Osquery {
    trees: ProcessTrees,
}

impl Osquery {
    pub(crate) fn new() -> Self {
        Self { trees: ProcessTrees::new() }
    }

    fn record(
        &mut self,
        row: &Map<String, Value>,
        host: Option<&str>,
        line: u64,
    ) -> Option<CommandRecord> {
        // Tables of other things have paths too, and that of macOS has forks and ends.
        let is_process = row.contains_key("pid") && row.contains_key("parent");
        if text(row, "event_type").is_some_and(|kind| kind != "exec") {
            return None;
        }
        let path = text(row, "path");
        // Recorded by BPF, the borders of words are kept.
        let words = text(row, "json_cmdline").and_then(|words| serde_json::from_str(words).ok());
        let words: Vec<String> = words.unwrap_or_default();
        let command = match (text(row, "cmdline"), path) {
            _ if !words.is_empty() => quoted(&words),
            (Some(command), _) => joined(command),
            (None, Some(path)) if is_process => quoted([path]),
            (None, _) => return None,
        };
        let first = match (words.first(), text(row, "cmdline")) {
            (Some(word), _) => Some(word.as_str()),
            (None, command) => command.and_then(|command| command.split(' ').next()),
        };
        let pid = number(row, "pid").unwrap_or_default();
        let parent = number(row, "parent");
        let time = number(row, "time").and_then(|time| seconds(time.parse().ok()?, 0));
        Some(CommandRecord {
            time,
            host: host.map(str::to_owned),
            user: text(row, "username").map(str::to_owned).or_else(|| number(row, "auid")),
            session: self.trees.session(host.unwrap_or_default(), &pid, parent.as_deref()),
            pid: pid.parse().ok(),
            // The table keeps the quotes of the audit record.
            cwd: text(row, "cwd").map(|cwd| cwd.trim_matches('"').to_owned()),
            program: first.zip(path).and_then(|(first, path)| disguised(first, path)),
            command,
            line,
            ..CommandRecord::default()
        })
    }
}

impl RecordReader for Osquery {
    fn line(&mut self, line: &[u8], number: u64, records: &mut Vec<CommandRecord>) -> LineKind {
        let Ok(result) = serde_json::from_slice::<Map<String, Value>>(line) else {
            return LineKind::Unreadable;
        };
        let host = text(&result, "hostIdentifier");
        if text(&result, "action").is_some_and(|action| action == "removed") {
            return LineKind::Known;
        }
        // Batches have the rows of several events.
        let added = object(&result, "diffResults").and_then(|results| results.get("added"));
        let rows = added.or_else(|| result.get("snapshot")).and_then(Value::as_array);
        match (object(&result, "columns"), rows) {
            (Some(row), _) => records.extend(self.record(row, host, number)),
            (None, Some(rows)) => {
                for row in rows.iter().filter_map(Value::as_object) {
                    records.extend(self.record(row, host, number));
                }
            }
            (None, None) => records.extend(self.record(&result, host, number)),
        }
        LineKind::Known
    }
}

#[cfg(test)]
mod tests {
    use super::{Falco, Osquery, Tetragon};
    use crate::readers::RecordReader;
    use crate::record::CommandRecord;

    fn read(mut reader: impl RecordReader, lines: &[&str]) -> Vec<CommandRecord> {
        let mut records = Vec::new();
        for (number, line) in lines.iter().enumerate() {
            reader.line(line.as_bytes(), number as u64 + 1, &mut records);
        }
        records
    }

    #[test]
    fn falco() {
        let records = read(
            Falco::new(),
            &[
                r#"{"hostname":"n1","time":"2026-01-02T03:04:05.5Z","rule":"x","output_fields":{"proc.cmdline":"bash -c cat /etc/shadow | wc","proc.pid":7,"proc.ppid":1,"user.name":"root","container.id":"host","proc.cwd":"/"}}"#,
                r#"{"hostname":"n1","output_fields":{"proc.cmdline":"cat /etc/shadow","proc.pid":8,"proc.ppid":7}}"#,
                r#"{"hostname":"n1","output_fields":{"fd.name":"x"}}"#,
            ],
        );
        assert_eq!(records[0].command, "bash -c 'cat /etc/shadow | wc'");
        assert_eq!(records[0].user.as_deref(), Some("root"));
        assert_eq!(records[0].session, records[1].session);
        assert_eq!(records.len(), 2);
    }

    #[test]
    fn tetragon() {
        let records = read(
            Tetragon::new(),
            &[
                r#"{"process_exec":{"process":{"exec_id":"a","pid":7,"uid":0,"cwd":"/srv","binary":"/bin/sh","arguments":"-c \"curl x | sh\"","start_time":"2026-01-02T03:04:05.123456789Z","parent_exec_id":"z"}},"node_name":"n"}"#,
                r#"{"process_exec":{"process":{"exec_id":"b","pid":8,"binary":"/usr/bin/curl","arguments":"x","parent_exec_id":"a"}},"node_name":"n"}"#,
                r#"{"process_exit":{"process":{"exec_id":"b"}}}"#,
                r#"{"process_exec":{"process":{"exec_id":"c","binary":"/bin/sh","arguments":"-c ls","flags":"execve clone truncArgs"}}}"#,
            ],
        );
        assert_eq!(
            records.iter().map(|record| record.cut).collect::<Vec<_>>(),
            [false, false, true]
        );
        assert_eq!(records[0].command, "/bin/sh -c 'curl x | sh'");
        assert_eq!((records[0].cwd.as_deref(), records[0].pid), (Some("/srv"), Some(7)));
        assert_eq!(records[0].session, records[1].session);
        assert_eq!(records.len(), 3);
    }

    #[test]
    fn osquery() {
        let records = read(
            Osquery::new(),
            &[
                r#"{"name":"process_events","hostIdentifier":"h","unixTime":1,"columns":{"pid":"7","parent":"1","cmdline":"ls -la","cwd":"\"/srv\"","time":"1700000000","auid":"1000"},"action":"added"}"#,
                r#"{"hostIdentifier":"h","snapshot":[{"pid":"8","parent":"7","path":"/bin/id"}],"action":"snapshot"}"#,
                r#"{"name":"p","hostIdentifier":"h","diffResults":{"added":[{"pid":"9","parent":"8","cmdline":"ls -e /bin/sh","path":"/usr/bin/nc"}],"removed":[{"pid":"1","parent":"0","cmdline":"x"}]}}"#,
                r#"{"hostIdentifier":"h","columns":{"pid":"10","parent":"8","cmdline":"sh -c a b","json_cmdline":"[\"sh\",\"-c\",\"a b\",\"c\"]","path":"/bin/sh"},"action":"added"}"#,
                r#"{"hostIdentifier":"h","columns":{"path":"/etc/passwd","sha256":"00"},"action":"added"}"#,
                r#"{"hostIdentifier":"h","columns":{"pid":"11","parent":"8","cmdline":"x","event_type":"exit"},"action":"added"}"#,
            ],
        );
        assert_eq!(records.len(), 4);
        assert_eq!(records[2].program.as_deref(), Some("/usr/bin/nc"));
        assert_eq!((records[3].command.as_str(), &records[3].program), ("sh -c 'a b' c", &None));
        assert_eq!(
            (records[0].command.as_str(), records[0].cwd.as_deref()),
            ("ls -la", Some("/srv"))
        );
        assert_eq!(
            (records[1].command.as_str(), &records[1].session),
            ("/bin/id", &records[0].session)
        );
    }
}
