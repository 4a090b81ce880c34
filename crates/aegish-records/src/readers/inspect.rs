//! Logs of Inspect AI: the tool calls of each sample are a session.

use crate::record::{CommandRecord, quoted};
use aegish_log::Log;
use serde_json::Value;
use std::io;
use std::path::Path;

/// The arguments of tools that run commands.
const ARGUMENTS: [(&str, &[&str]); 3] =
    [("bash", &["command", "cmd"]), ("bash_session", &["input"]), ("python", &["code"])];

/// Calls `each` with the commands of one sample after the other, and returns the number of samples that are damaged.
///
/// # Errors
///
/// If the log cannot be read.
pub(crate) fn samples(
    path: &Path,
    mut each: impl FnMut(Vec<CommandRecord>) -> io::Result<()>,
) -> io::Result<u64> {
    let log = Log::open(path).map_err(io::Error::other)?;
    let mut unreadable = 0;
    for (index, text) in log.raw_samples().map_err(io::Error::other)?.enumerate() {
        let Ok(sample) = serde_json::from_slice::<Value>(&text.map_err(io::Error::other)?) else {
            unreadable += 1;
            continue;
        };
        let mut records = commands(&sample, path);
        for record in &mut records {
            record.line = index as u64 + 1;
        }
        each(records)?;
    }
    Ok(unreadable)
}

fn commands(sample: &Value, path: &Path) -> Vec<CommandRecord> {
    let id = sample.get("id").map(|id| id.to_string().replace('"', "")).unwrap_or_default();
    let epoch = sample.get("epoch").and_then(Value::as_u64).unwrap_or(1);
    let session = format!("{}/{id}/{epoch}", path.display());
    let time = sample.get("started_at").and_then(Value::as_str).and_then(|time| time.parse().ok());
    let messages = sample.get("messages").and_then(Value::as_array).into_iter().flatten();
    let calls = messages.filter_map(|message| message.get("tool_calls")?.as_array()).flatten();
    let command = |call: &Value| {
        let name = call.get("function")?.as_str()?;
        let (_, arguments) = ARGUMENTS.into_iter().find(|(tool, _)| *tool == name)?;
        let given = call.get("arguments")?;
        let text = arguments.iter().find_map(|argument| given.get(argument)?.as_str())?;
        Some(if name == "python" { quoted(["python3", "-c", text]) } else { text.to_owned() })
    };
    let record = |command: String| CommandRecord {
        time,
        session: session.clone(),
        // Each call has a directory of its own.
        cwd: Some(String::new()),
        command,
        ..CommandRecord::default()
    };
    calls.filter_map(command).filter(|command| !command.trim().is_empty()).map(record).collect()
}

#[cfg(test)]
mod tests {
    use super::commands;
    use std::path::Path;

    #[test]
    fn the_calls_of_a_sample_are_a_session() {
        let sample = serde_json::json!({"id": "a", "epoch": 2, "messages": [
            {"role": "user", "content": "x"},
            {"role": "assistant", "content": "", "tool_calls": [
                {"id": "1", "function": "bash", "arguments": {"command": "ls"}},
                {"id": "2", "function": "submit", "arguments": {"answer": "x"}},
                {"id": "3", "function": "bash", "arguments": {"cmd": "pwd"}},
                {"id": "4", "function": "python", "arguments": {"code": "print(1)"}}]}]});
        let records = commands(&sample, Path::new("x.eval"));
        let texts: Vec<&str> = records.iter().map(|record| record.command.as_str()).collect();
        assert_eq!(texts, ["ls", "pwd", "python3 -c 'print(1)'"]);
        assert!(records.iter().all(|record| record.session == "x.eval/a/2"));
    }
}
