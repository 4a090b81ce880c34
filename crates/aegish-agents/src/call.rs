//! The input of a hook → the calls that it asks about.

use crate::agent::{Agent, AskSupport, Contract, EventShape, ToolKind};
use crate::patch;
use serde_json::{Map, Value, json};
use std::fmt;

/// The longest input that is read.
pub const MAX_HOOK_BYTES: usize = 8 * 1024 * 1024;

/// A call of a tool, in the words of the guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    /// A command line.
    Shell {
        /// The text that the shell gets.
        text: String,
        /// The program that reads it, if the call names one.
        shell: Option<String>,
    },
    /// Something that a tool does with a file by itself.
    File(FileOperation),
}

/// What a tool does with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FileOperation {
    Read { path: String },
    Write { path: String, content: Option<String> },
    Edit { path: String, added: Option<String> },
    Delete { path: String },
    Move { from: String, to: String },
    Search { path: String },
}

/// What an agent asks about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookInput {
    /// The calls; none if the tool needs no judgement.
    pub calls: Vec<Call>,
    /// The directory of the calls, if it is told.
    pub cwd: Option<String>,
    /// The mode of the agent, if it decides about questions.
    pub(crate) mode: Option<String>,
}

/// Why an input does not fit the contract. It is answered with a refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotUnderstood {
    why: String,
}

impl NotUnderstood {
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Self { why: why.into() }
    }
}

impl fmt::Display for NotUnderstood {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl std::error::Error for NotUnderstood {}

/// Fields of arguments, in the names that the agents use. Of several that are present, all count.
const COMMANDS: [&str; 3] = ["command", "cmd", "input"];
const SHELLS: [&str; 1] = ["shell"];
const PATHS: [&str; 6] =
    ["file_path", "filePath", "path", "notebook_path", "absolute_path", "target_file"];
const CONTENTS: [&str; 3] = ["content", "contents", "file_text"];
const ADDED: [&str; 4] = ["new_string", "newString", "new_str", "new_source"];
const PATCHES: [&str; 5] = ["patchText", "patch", "input", "command", "patch_text"];
const DIRECTORIES: [&str; 6] =
    ["workdir", "working_dir", "working_directory", "dir_path", "directory", "cwd"];

/// Reads what an agent wrote to its hook.
///
/// # Errors
///
/// If it does not fit the contract: no JSON, a field that is missing or of another type, an event or tool that is
/// not known.
pub fn read(agent: Agent, bytes: &[u8]) -> Result<HookInput, NotUnderstood> {
    if bytes.len() > MAX_HOOK_BYTES {
        return Err(NotUnderstood::new("the input of the hook is too long to be judged"));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let value: Value = serde_json::from_slice(bytes).map_err(|error| {
        NotUnderstood::new(format!("the input of the hook is not JSON: {error}"))
    })?;
    let Value::Object(top) = value else {
        return Err(NotUnderstood::new("the input of the hook is not an object"));
    };
    let contract = agent.contract();
    let (kind, arguments) = match shape(contract, &top)? {
        EventShape::Direct(kind) => (kind, top.clone()),
        EventShape::ToolCall => {
            let name = text(&top, contract.tool)?.ok_or_else(|| missing(contract.tool))?;
            let kind = match contract.tools.iter().find(|tool| tool.name == name) {
                Some(tool) => tool.does,
                None if contract.mcp_mark.is_some_and(|mark| name.contains(mark)) => {
                    ToolKind::Harmless
                }
                None => return Err(unknown_tool(&name)),
            };
            (kind, arguments(contract, &top)?)
        }
    };
    let mode = match contract.ask {
        AskSupport::InModes(field, _) => text(&top, field)?,
        AskSupport::Never | AskSupport::Always => None,
    };
    let (calls, own) = calls(kind, &arguments)?;
    let cwd = match (text(&top, "cwd")?, own) {
        // A directory of the call is relative to that of the session.
        (Some(cwd), Some(own)) if !own.starts_with('/') => Some(format!("{cwd}/{own}")),
        (cwd, own) => own.or(cwd),
    };
    Ok(HookInput { calls, cwd, mode })
}

impl Agent {
    /// An input of the agent's contract that asks about a command, to try a hook with.
    #[must_use]
    pub fn sample(self, command: &str) -> String {
        let contract = self.contract();
        let shell = contract.tools.iter().find(|tool| tool.does == ToolKind::Shell);
        let arguments = json!({ "command": command });
        let mut input = match contract.events {
            Some((field, [event, ..])) if event.shape != EventShape::ToolCall => {
                return json!({ field: event.name, "command": command }).to_string();
            }
            Some((field, [event, ..])) => json!({ field: event.name }),
            _ => json!({}),
        };
        if let Value::Object(fields) = &mut input {
            let name = shell.map_or("", |tool| tool.name);
            fields.insert(contract.tool.to_owned(), Value::from(name));
            fields.insert(contract.arguments.to_owned(), arguments);
        }
        input.to_string()
    }
}

fn shape(contract: &Contract, top: &Map<String, Value>) -> Result<EventShape, NotUnderstood> {
    let Some((field, events)) = contract.events else { return Ok(EventShape::ToolCall) };
    let name = text(top, field)?.ok_or_else(|| missing(field))?;
    let event = events.iter().find(|event| event.name == name);
    event.map(|event| event.shape).ok_or_else(|| {
        NotUnderstood::new(format!("the hook is set up for {}, not for a call", shown(&name)))
    })
}

/// The arguments of the tool: an object, or text that holds one.
fn arguments(
    contract: &Contract,
    top: &Map<String, Value>,
) -> Result<Map<String, Value>, NotUnderstood> {
    match top.get(contract.arguments) {
        Some(Value::Object(arguments)) => Ok(arguments.clone()),
        Some(Value::String(text)) => serde_json::from_str(text).map_err(|error| {
            NotUnderstood::new(format!("{} is not an object: {error}", contract.arguments))
        }),
        Some(_) => Err(wrong_type(contract.arguments)),
        None => Err(missing(contract.arguments)),
    }
}

/// The calls, and the directory that they name.
fn calls(
    kind: ToolKind,
    arguments: &Map<String, Value>,
) -> Result<(Vec<Call>, Option<String>), NotUnderstood> {
    let mut calls = Vec::new();
    match kind {
        ToolKind::Harmless => {}
        ToolKind::Shell => {
            let shell = single(arguments, &SHELLS)?;
            for name in COMMANDS {
                let text = command(arguments, name)?;
                calls.extend(text.map(|text| Call::Shell { text, shell: shell.clone() }));
            }
            some(&calls, "command")?;
            return Ok((calls, single(arguments, &DIRECTORIES)?));
        }
        ToolKind::Patch => {
            for patch in all(arguments, &PATCHES)? {
                calls.extend(patch::files(&patch)?.into_iter().map(Call::File));
            }
            some(&calls, "patch")?;
            return Ok((calls, single(arguments, &DIRECTORIES)?));
        }
        // Without a path the present directory is searched.
        ToolKind::Search => {
            for path in [all(arguments, &PATHS)?, all(arguments, &DIRECTORIES)?].concat() {
                calls.push(Call::File(FileOperation::Search { path }));
            }
        }
        ToolKind::Read | ToolKind::Write | ToolKind::Edit | ToolKind::Delete => {
            for path in all(arguments, &PATHS)? {
                calls.push(Call::File(match kind {
                    ToolKind::Write => {
                        FileOperation::Write { path, content: joined(&all(arguments, &CONTENTS)?) }
                    }
                    ToolKind::Edit => FileOperation::Edit { path, added: added(arguments)? },
                    ToolKind::Delete => FileOperation::Delete { path },
                    _ => FileOperation::Read { path },
                }));
            }
            some(&calls, "file_path")?;
        }
    }
    Ok((calls, None))
}

fn some(calls: &[Call], field: &str) -> Result<(), NotUnderstood> {
    if calls.is_empty() { Err(missing(field)) } else { Ok(()) }
}

/// The text that an edit adds, or several edits of the same file.
fn added(arguments: &Map<String, Value>) -> Result<Option<String>, NotUnderstood> {
    let mut texts = all(arguments, &ADDED)?;
    if let Some(Value::Array(edits)) = arguments.get("edits") {
        for edit in edits {
            let edit = edit.as_object().ok_or_else(|| wrong_type("edits"))?;
            texts.extend(all(edit, &ADDED)?);
        }
    }
    Ok(joined(&texts))
}

fn joined(texts: &[String]) -> Option<String> {
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// A command: text, or words that are quoted and joined.
fn command(arguments: &Map<String, Value>, name: &str) -> Result<Option<String>, NotUnderstood> {
    match arguments.get(name) {
        Some(Value::Array(words)) => {
            let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
            let words = words.ok_or_else(|| wrong_type(name))?;
            Ok(Some(words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")))
        }
        _ => text(arguments, name),
    }
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

fn text(fields: &Map<String, Value>, name: &str) -> Result<Option<String>, NotUnderstood> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(wrong_type(name)),
    }
}

fn all(fields: &Map<String, Value>, names: &[&str]) -> Result<Vec<String>, NotUnderstood> {
    let texts = names.iter().map(|name| text(fields, name)).collect::<Result<Vec<_>, _>>()?;
    Ok(texts.into_iter().flatten().collect())
}

/// A value of which there can only be one, under one of several names.
fn single(fields: &Map<String, Value>, names: &[&str]) -> Result<Option<String>, NotUnderstood> {
    let mut texts = all(fields, names)?;
    texts.dedup();
    match texts.len() {
        0 | 1 => Ok(texts.pop()),
        _ => Err(NotUnderstood::new(format!("the call names {} twice", names.join(" or ")))),
    }
}

fn missing(field: &str) -> NotUnderstood {
    NotUnderstood::new(format!("the input of the hook has no {field}"))
}

fn wrong_type(field: &str) -> NotUnderstood {
    NotUnderstood::new(format!("{field} in the input of the hook is of another type"))
}

fn unknown_tool(name: &str) -> NotUnderstood {
    NotUnderstood::new(format!(
        "the tool {} is not known; the hook is for tools that run commands and touch files",
        shown(name)
    ))
}

/// A name from outside, short and visible.
fn shown(name: &str) -> String {
    let visible = |c: char| if c.is_control() { '?' } else { c };
    name.chars().take(60).map(visible).collect()
}
