//! Formats of logs, and how they are told apart.

use crate::readers::{
    Auditd, BashHistory, Cast, ClaudeCode, Codex, Falco, FishHistory, Osquery, RecordReader,
    Tetragon, ZshHistory,
};
use clap::ValueEnum;
use serde_json::Value;
use std::path::Path;

/// The format of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RecordFormat {
    /// Records of the Linux audit daemon
    Auditd,
    /// Events of Falco as JSON
    Falco,
    /// Events of Tetragon as JSON
    Tetragon,
    /// Rows of osquery's process_events as JSON
    Osquery,
    /// History of bash
    Bash,
    /// History of zsh
    Zsh,
    /// History of fish
    Fish,
    /// Cast of asciinema with recorded input
    Asciinema,
    /// Session of Claude Code
    ClaudeCode,
    /// Session of Codex
    Codex,
    /// Log of Inspect AI
    Inspect,
}

/// Names of files that shells give their histories.
const HISTORIES: [(&str, RecordFormat); 4] = [
    ("bash_history", RecordFormat::Bash),
    ("zsh_history", RecordFormat::Zsh),
    ("zhistory", RecordFormat::Zsh),
    ("fish_history", RecordFormat::Fish),
];

impl RecordFormat {
    /// The format of a log with this name and start; `None` if it is not clear.
    pub(crate) fn of(path: &Path, start: &[u8]) -> Option<Self> {
        if start.starts_with(b"PK\x03\x04") {
            return Some(Self::Inspect);
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if let Some((_, format)) = HISTORIES.iter().find(|(known, _)| name.ends_with(known)) {
            return Some(*format);
        }
        let text = String::from_utf8_lossy(start);
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        let first = lines.next()?;
        if first.starts_with("- cmd: ") {
            return Some(Self::Fish);
        }
        if first.contains("msg=audit(") || first.starts_with("----") {
            return Some(Self::Auditd);
        }
        if first.starts_with(": ") && first.contains(';') {
            return Some(Self::Zsh);
        }
        if first.starts_with('#') && first.get(1..).is_some_and(|time| time.parse::<u64>().is_ok())
        {
            return Some(Self::Bash);
        }
        // The first lines of a session may be of kinds that several formats have.
        let found = std::iter::once(first).chain(lines).find_map(json_format);
        // A log of Inspect as JSON is one object on many lines, or on a line that is longer than what is looked at.
        let fields = ["\"version\":", "\"status\":", "\"eval\":"];
        let inspect = || first.starts_with('{') && fields.iter().all(|field| text.contains(field));
        found.or_else(|| inspect().then_some(Self::Inspect))
    }

    /// The reader of a log. The name of the file names the session where nothing else does.
    pub(crate) fn reader(self, path: &Path) -> Option<Box<dyn RecordReader>> {
        let session = path.display().to_string();
        let user = || owner(path);
        Some(match self {
            Self::Auditd => Box::new(Auditd::new()),
            Self::Falco => Box::new(Falco::new()),
            Self::Tetragon => Box::new(Tetragon::new()),
            Self::Osquery => Box::new(Osquery::new()),
            Self::Bash => Box::new(BashHistory::new(&session, user())),
            Self::Zsh => Box::new(ZshHistory::new(&session, user())),
            Self::Fish => Box::new(FishHistory::new(&session, user())),
            Self::Asciinema => Box::new(Cast::new(&session)),
            Self::ClaudeCode => Box::new(ClaudeCode::new(&session)),
            Self::Codex => Box::new(Codex::new(&session)),
            // An archive has no lines.
            Self::Inspect => return None,
        })
    }
}

/// The format of a line of JSON.
fn json_format(line: &str) -> Option<RecordFormat> {
    let object: Value = serde_json::from_str(line).ok()?;
    let has = |name: &str| object.get(name).is_some();
    if has("output_fields") {
        Some(RecordFormat::Falco)
    } else if has("process_exec") || has("process_exit") || has("process_kprobe") {
        Some(RecordFormat::Tetragon)
    } else if has("hostIdentifier") || has("cmdline") {
        Some(RecordFormat::Osquery)
    } else if has("version") && (has("width") || has("term")) {
        Some(RecordFormat::Asciinema)
    } else if has("sessionId") {
        Some(RecordFormat::ClaudeCode)
    } else if has("payload") || object.get("type").is_some_and(|kind| kind == "function_call") {
        Some(RecordFormat::Codex)
    } else if has("eval") && has("samples") {
        Some(RecordFormat::Inspect)
    } else {
        None
    }
}

/// `alice` of `/home/alice/.bash_history`.
fn owner(path: &Path) -> Option<String> {
    let mut parts = path.components().map(|part| part.as_os_str().to_string_lossy());
    match parts.find(|part| part == "home" || part == "root")?.as_ref() {
        "root" => Some("root".to_owned()),
        _ => parts.next().map(|name| name.into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::{RecordFormat, owner};
    use std::path::Path;

    #[test]
    fn formats_are_told_apart_by_name_and_first_lines() {
        for (name, start, format) in [
            ("x", "type=SYSCALL msg=audit(1.0:1): pid=1", RecordFormat::Auditd),
            ("x", "{\"output\":\"x\",\"output_fields\":{}}", RecordFormat::Falco),
            ("x", "{\"process_exec\":{}}", RecordFormat::Tetragon),
            ("x", "{\"hostIdentifier\":\"h\",\"columns\":{}}", RecordFormat::Osquery),
            ("/home/a/.bash_history", "ls", RecordFormat::Bash),
            ("x", "#1700000000\nls", RecordFormat::Bash),
            ("x", ": 1700000000:0;ls", RecordFormat::Zsh),
            ("x", "- cmd: ls", RecordFormat::Fish),
            ("x", "{\"version\": 2, \"width\": 80}", RecordFormat::Asciinema),
            ("x", "{\"version\": 3, \"term\": {}}", RecordFormat::Asciinema),
            ("x", "{\"type\":\"summary\"}\n{\"sessionId\":\"s\"}", RecordFormat::ClaudeCode),
            ("x", "{\"type\":\"session_meta\",\"payload\":{}}", RecordFormat::Codex),
            ("x", "PK\x03\x04", RecordFormat::Inspect),
            (
                "x",
                "{\n  \"version\": 2,\n  \"status\": \"success\",\n  \"eval\": {",
                RecordFormat::Inspect,
            ),
            ("x", "{\"version\":2,\"status\":\"success\",\"eval\":{\"run_i", RecordFormat::Inspect),
        ] {
            assert_eq!(
                RecordFormat::of(Path::new(name), start.as_bytes()),
                Some(format),
                "{start}"
            );
        }
        assert_eq!(RecordFormat::of(Path::new("x"), b"hello"), None);
    }

    #[test]
    fn the_owner_of_a_history_is_in_its_path() {
        assert_eq!(owner(Path::new("/home/alice/.bash_history")).as_deref(), Some("alice"));
        assert_eq!(owner(Path::new("/root/.zsh_history")).as_deref(), Some("root"));
        assert_eq!(owner(Path::new("x")), None);
    }
}
