//! The tools: names, schemas, annotations; arguments → a call.

use crate::JsonObject;
use crate::run::Limits;
use aegish_guard::TextForm;
use aegish_verdict::JsonDetail;
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Value, json};
use std::sync::Arc;

pub(crate) const INSTRUCTIONS: &str = "Judge a shell command with check_command before you run it. `action` is \
    allow, warn (a person has to be asked) or block; `reason` says why, `instead` what would be fine. run_command runs \
    what is allowed and nothing else.";

const VERDICT: &str = include_str!("../../../docs/reference/verdict.schema.json");

/// A call that was understood.
#[derive(Debug)]
pub(crate) enum ToolCall {
    Check { text: String, cwd: Option<String>, form: TextForm, detail: JsonDetail },
    Run { text: String, cwd: Option<String>, limits: Limits },
}

impl ToolCall {
    /// Reads the arguments of a tool. Unknown ones are an error, because they may be meant to change the verdict.
    pub(crate) fn read(name: &str, mut arguments: JsonObject) -> Result<Self, String> {
        let key = if name == "check_script" { "script" } else { "command" };
        let text = match arguments.remove(key) {
            Some(Value::String(text)) => text,
            Some(_) => return Err(format!("{key} must be text")),
            None => return Err(format!("{key} is missing")),
        };
        let cwd = match arguments.remove("cwd") {
            None | Some(Value::Null) => None,
            Some(Value::String(cwd)) if cwd.starts_with('/') => Some(cwd),
            Some(_) => return Err("cwd must be an absolute path".to_owned()),
        };
        let check =
            |form, detail| Self::Check { text: text.clone(), cwd: cwd.clone(), form, detail };
        let call = match name {
            "check_command" => check(TextForm::CommandLine, JsonDetail::Findings),
            "explain_command" => check(TextForm::CommandLine, JsonDetail::Commands),
            "check_script" => check(TextForm::ScriptFile, JsonDetail::Findings),
            "run_command" => {
                let mut number = |key: &str, default: u64, most: u64| match arguments.remove(key) {
                    None | Some(Value::Null) => Ok(default),
                    Some(value) => match value.as_u64() {
                        Some(number) if (1..=most).contains(&number) => Ok(number),
                        _ => Err(format!("{key} must be a number from 1 to {most}")),
                    },
                };
                let limits = Limits {
                    seconds: number("timeout_seconds", Limits::SECONDS, Limits::MOST_SECONDS)?,
                    bytes: number("max_output_bytes", Limits::BYTES, Limits::MOST_BYTES)?,
                };
                Self::Run { text, cwd, limits }
            }
            _ => return Err(format!("there is no tool {name}")),
        };
        match arguments.keys().next() {
            Some(unknown) => Err(format!("{name} takes no {unknown}")),
            None => Ok(call),
        }
    }
}

pub(crate) fn all() -> Vec<Tool> {
    let cwd = json!({ "type": "string", "description": "The absolute directory it runs in; that of the server if left out." });
    let command = json!({ "type": "string", "description": "A Bash command line." });
    let on_command = json!({ "command": command, "cwd": cwd });
    let verdict = verdict_schema();
    let looks = |title: &str| {
        ToolAnnotations::from_raw(
            Some(title.to_owned()),
            Some(true),
            Some(false),
            Some(true),
            Some(false),
        )
    };
    let run = json!({
        "command": command,
        "cwd": cwd,
        "timeout_seconds": { "type": "integer", "minimum": 1, "maximum": Limits::MOST_SECONDS, "default": Limits::SECONDS },
        "max_output_bytes": { "type": "integer", "minimum": 1, "maximum": Limits::MOST_BYTES, "default": Limits::BYTES },
    });
    let ran = json!({
        "type": "object",
        "required": ["verdict", "ran"],
        "properties": {
            "verdict": { "type": "object" },
            "ran": { "type": "boolean" },
            "status": { "type": ["integer", "null"], "description": "Exit status; null if a signal ended it." },
            "stdout": { "type": "string" },
            "stderr": { "type": "string" },
            "timed_out": { "type": "boolean" },
            "truncated": { "type": "boolean" },
        },
    });
    vec![
        tool("check_command", "Says whether a shell command may run, why, and what would be fine instead. Runs nothing.", "command", &on_command)
            .with_raw_output_schema(object(verdict.clone()))
            .with_annotations(looks("Check a command")),
        tool("explain_command", "As check_command, with the commands after expansion and what each of them does.", "command", &on_command)
            .with_raw_output_schema(object(verdict.clone()))
            .with_annotations(looks("Explain a command")),
        tool("check_script", "Says whether a whole Bash script may run. Runs nothing.", "script", &json!({
            "script": { "type": "string", "description": "The text of the script." },
            "cwd": cwd,
        }))
        .with_raw_output_schema(object(verdict))
        .with_annotations(looks("Check a script")),
        tool("run_command", "Runs a shell command if the guard allows it, with limits on time and output. What a person would have to be asked about is refused.", "command", &run)
            .with_raw_output_schema(object(ran))
            .with_annotations(ToolAnnotations::from_raw(Some("Run a command".to_owned()), Some(false), Some(true), Some(false), Some(true))),
    ]
}

/// The published schema of a verdict, with an object at its top.
fn verdict_schema() -> Value {
    let published: Value = serde_json::from_str(VERDICT).unwrap_or_default();
    let definitions = published.get("$defs").cloned().unwrap_or_default();
    let mut verdict = definitions.get("verdict").cloned().unwrap_or_default();
    if let Value::Object(fields) = &mut verdict {
        fields.insert("$defs".to_owned(), definitions);
    }
    verdict
}

fn tool(name: &'static str, description: &'static str, required: &str, properties: &Value) -> Tool {
    let schema = json!({
        "type": "object", "properties": properties, "required": [required], "additionalProperties": false,
    });
    Tool::new(name, description, object(schema))
}

fn object(value: Value) -> Arc<JsonObject> {
    match value {
        Value::Object(fields) => Arc::new(fields),
        _ => Arc::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, arguments: Value) -> Result<ToolCall, String> {
        match arguments {
            Value::Object(fields) => ToolCall::read(name, fields),
            _ => Err("no object".to_owned()),
        }
    }

    #[test]
    fn every_tool_has_schemas_and_annotations() {
        let tools = all();
        assert_eq!(tools.len(), 4);
        for tool in tools {
            assert_eq!(tool.input_schema.get("type"), Some(&json!("object")), "{}", tool.name);
            let output = tool.output_schema.as_ref().and_then(|schema| schema.get("type"));
            assert_eq!(output, Some(&json!("object")), "{}", tool.name);
            let reads = tool.annotations.and_then(|hints| hints.read_only_hint);
            assert_eq!(reads, Some(tool.name != "run_command"), "{}", tool.name);
        }
    }

    #[test]
    fn arguments_that_do_not_fit_are_refused() {
        for (name, arguments) in [
            ("check_command", json!({})),
            ("check_command", json!({ "command": 1 })),
            ("check_command", json!({ "command": "ls", "role": "sysadmin" })),
            ("check_command", json!({ "command": "ls", "cwd": "relative" })),
            ("check_script", json!({ "command": "ls" })),
            ("run_command", json!({ "command": "ls", "timeout_seconds": 0 })),
            ("run_command", json!({ "command": "ls", "timeout_seconds": 1e9 })),
            ("other", json!({ "command": "ls" })),
        ] {
            assert!(read(name, arguments.clone()).is_err(), "{name} {arguments}");
        }
        let call = read("run_command", json!({ "command": "ls", "timeout_seconds": 5 }));
        assert!(matches!(call, Ok(ToolCall::Run { limits, .. }) if limits.seconds == 5));
    }
}
