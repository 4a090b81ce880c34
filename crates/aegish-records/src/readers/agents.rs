//! Session files of coding agents: Claude Code and Codex, as lines of JSON.

use super::{LineKind, RecordReader};
use crate::record::{CommandRecord, quoted};
use jiff::Timestamp;
use serde_json::{Map, Value};

fn text<'a>(object: &'a Value, name: &str) -> Option<&'a str> {
    object.get(name)?.as_str()
}

fn moment(object: &Value) -> Option<Timestamp> {
    text(object, "timestamp")?.parse().ok()
}

/// A session of Claude Code.
#[derive(Debug)]
pub(crate) struct ClaudeCode {
    session: String,
}

impl ClaudeCode {
    pub(crate) fn new(session: &str) -> Self {
        Self { session: session.to_owned() }
    }

    fn record(&self, entry: &Value, command: &str, line: u64) -> CommandRecord {
        CommandRecord {
            time: moment(entry),
            session: text(entry, "sessionId").unwrap_or(&self.session).to_owned(),
            cwd: text(entry, "cwd").map(str::to_owned),
            command: command.to_owned(),
            line,
            ..CommandRecord::default()
        }
    }
}

impl RecordReader for ClaudeCode {
    fn line(&mut self, line: &[u8], number: u64, records: &mut Vec<CommandRecord>) -> LineKind {
        if line.trim_ascii().is_empty() {
            return LineKind::Known;
        }
        let Ok(entry) = serde_json::from_slice::<Value>(line) else { return LineKind::Unreadable };
        let message = entry.get("message");
        let parts = message.and_then(|message| message.get("content")).and_then(Value::as_array);
        for part in parts.into_iter().flatten() {
            let is_call =
                text(part, "type") == Some("tool_use") && text(part, "name") == Some("Bash");
            let command = part.get("input").and_then(|input| text(input, "command"));
            let Some(command) = command.filter(|_| is_call) else { continue };
            records.push(self.record(&entry, command, number));
        }
        // What a person runs behind an exclamation mark.
        let typed = message.and_then(|message| text(message, "content"));
        let typed = typed.and_then(|typed| typed.strip_prefix("<bash-input>"));
        if let Some(command) = typed.and_then(|typed| typed.strip_suffix("</bash-input>")) {
            records.push(self.record(&entry, command, number));
        }
        LineKind::Known
    }
}

/// A session of Codex.
#[derive(Debug)]
pub(crate) struct Codex {
    session: String,
    cwd: Option<String>,
}

impl Codex {
    pub(crate) fn new(session: &str) -> Self {
        Self { session: session.to_owned(), cwd: None }
    }
}

impl RecordReader for Codex {
    fn line(&mut self, line: &[u8], number: u64, records: &mut Vec<CommandRecord>) -> LineKind {
        if line.trim_ascii().is_empty() {
            return LineKind::Known;
        }
        let Ok(entry) = serde_json::from_slice::<Value>(line) else { return LineKind::Unreadable };
        // Older files hold the items themselves.
        let item = entry.get("payload").unwrap_or(&entry);
        if matches!(text(&entry, "type"), Some("session_meta" | "turn_context")) {
            if let Some(id) = text(item, "id") {
                self.session = id.to_owned();
            }
            self.cwd = text(item, "cwd").map(str::to_owned).or(self.cwd.take());
            return LineKind::Known;
        }
        let arguments: Option<Value> = match text(item, "type") {
            Some("function_call") => {
                text(item, "arguments").and_then(|text| serde_json::from_str(text).ok())
            }
            Some("local_shell_call") => item.get("action").cloned(),
            _ => None,
        };
        if let Some(arguments) = arguments.as_ref().and_then(Value::as_object)
            && let Some(command) = command(arguments)
        {
            let dir = ["workdir", "working_directory"].iter().find_map(|name| arguments.get(*name));
            let dir = dir.and_then(Value::as_str).map(str::to_owned);
            records.push(CommandRecord {
                time: moment(&entry),
                session: self.session.clone(),
                cwd: dir.or_else(|| self.cwd.clone()),
                command,
                line: number,
                ..CommandRecord::default()
            });
        }
        LineKind::Known
    }
}

/// The command of a call: a text, or words of which the last is the text if a shell runs them. What is typed at a
/// program that still runs (`chars`) is read as if that were a shell, as it mostly is.
fn command(arguments: &Map<String, Value>) -> Option<String> {
    let names = ["command", "cmd", "chars"];
    match names.iter().find_map(|name| arguments.get(*name))? {
        Value::String(text) if text.chars().all(|c| c.is_whitespace() || c.is_control()) => None,
        Value::String(text) => Some(text.clone()),
        Value::Array(words) => {
            let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
            match words?.as_slice() {
                [] => None,
                ["bash" | "sh" | "zsh" | "/bin/bash" | "/bin/sh", "-lc" | "-c", text] => {
                    Some((*text).to_owned())
                }
                words => Some(quoted(words)),
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{ClaudeCode, Codex};
    use crate::readers::RecordReader;

    #[test]
    fn claude_code() {
        let mut records = Vec::new();
        let mut reader = ClaudeCode::new("file");
        let lines = [
            r#"{"type":"user","sessionId":"s","message":{"role":"user","content":"hello"}}"#,
            r#"{"type":"assistant","sessionId":"s","cwd":"/srv","timestamp":"2026-01-02T03:04:05.678Z","message":{"content":[{"type":"text","text":"x"},{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls -la","description":"d"}},{"type":"tool_use","name":"Read","input":{"file_path":"x"}}]}}"#,
            r#"{"type":"user","sessionId":"s","cwd":"/srv","message":{"role":"user","content":"<bash-input>git status</bash-input>"}}"#,
        ];
        for (number, line) in lines.iter().enumerate() {
            reader.line(line.as_bytes(), number as u64 + 1, &mut records);
        }
        assert_eq!(records.len(), 2);
        assert_eq!(records[1].command, "git status");
        assert_eq!((records[0].command.as_str(), records[0].session.as_str()), ("ls -la", "s"));
        assert_eq!((records[0].cwd.as_deref(), records[0].line), (Some("/srv"), 2));
    }

    #[test]
    fn codex() {
        let mut records = Vec::new();
        let mut reader = Codex::new("file");
        let lines = [
            r#"{"timestamp":"2026-01-02T03:04:05Z","type":"session_meta","payload":{"id":"s","cwd":"/srv"}}"#,
            r#"{"timestamp":"2026-01-02T03:04:06Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"ls | wc\"],\"workdir\":\"/tmp\"}","call_id":"c"}}"#,
            r#"{"timestamp":"2026-01-02T03:04:07Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"pwd\"}"}}"#,
            r#"{"timestamp":"2026-01-02T03:04:08Z","type":"response_item","payload":{"type":"local_shell_call","action":{"type":"exec","command":["cat","a b"]}}}"#,
            r#"{"type":"response_item","payload":{"type":"message","content":[]}}"#,
            r#"{"type":"response_item","payload":{"type":"function_call","name":"write_stdin","arguments":"{\"session_id\":1,\"chars\":\"id\\n\"}"}}"#,
            r#"{"type":"response_item","payload":{"type":"function_call","name":"write_stdin","arguments":"{\"session_id\":1,\"chars\":\"\\u0003\"}"}}"#,
        ];
        for (number, line) in lines.iter().enumerate() {
            reader.line(line.as_bytes(), number as u64 + 1, &mut records);
        }
        let rows: Vec<(&str, Option<&str>)> =
            records.iter().map(|record| (record.command.as_str(), record.cwd.as_deref())).collect();
        let expected = [
            ("ls | wc", Some("/tmp")),
            ("pwd", Some("/srv")),
            ("cat 'a b'", Some("/srv")),
            ("id\n", Some("/srv")),
        ];
        assert_eq!(rows, expected);
        assert_eq!(records[0].session, "s");
    }
}
