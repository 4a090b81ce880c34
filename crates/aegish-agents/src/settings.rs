//! The settings files of agents: their text → the same text with or without the guard.
//!
//! Everything else in a file stays as it is, comments and blanks included. A file that cannot be understood is an
//! error, and nothing is changed.

use crate::agent::{Agent, AnswerForm, AskSupport};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstObject, CstRootNode};
use serde_json::{Value, json};
use std::fmt;

/// Where the settings of an agent name its hooks.
pub struct HookPlace {
    pub(crate) below_home: &'static str,
    pub(crate) below_project: &'static str,
    pub(crate) form: FileForm,
    pub(crate) entry: EntryForm,
    /// Further fields of an entry.
    pub(crate) extra: &'static [(&'static str, Extra)],
}

/// The kind of a file.
pub(crate) enum FileForm {
    /// JSON, with lists of hooks.
    Entries(&'static [Entries]),
    /// A plugin that is a file of its own.
    Plugin,
}

/// A list of hooks.
pub(crate) struct Entries {
    pub(crate) keys: &'static [&'static str],
    pub(crate) matcher: Matcher,
}

/// Which tools an entry is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Matcher {
    /// The agent has none here.
    None,
    /// The tools that have to be judged.
    Judged,
}

/// The form of an entry.
#[derive(Clone, Copy)]
pub(crate) enum EntryForm {
    /// `{"matcher":…,"hooks":[{"type":"command","command":…}]}`
    Grouped { timeout: Timeout },
    /// `{"matcher":…,"command":…}`, with these names.
    Flat { command: &'static str, timeout: (&'static str, Timeout) },
}

/// The unit of a time-out.
#[derive(Clone, Copy)]
pub(crate) enum Timeout {
    Seconds,
    Milliseconds,
}

impl Timeout {
    /// Longer than any judgement, because some agents run the command after it.
    fn value(self) -> u32 {
        match self {
            Self::Seconds => 600,
            Self::Milliseconds => 600_000,
        }
    }
}

/// The value of a further field.
pub(crate) enum Extra {
    Text(&'static str),
    True,
}

/// How an agent can be told which shell to start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentShell {
    /// By a setting.
    Setting {
        /// The file below the home directory.
        below_home: &'static str,
        /// The file below the project directory.
        below_project: &'static str,
        /// The setting.
        keys: &'static [&'static str],
    },
    /// It starts the first `bash` in `PATH`.
    SearchPath,
    /// It cannot.
    None,
}

/// Whose settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingsScope {
    /// Those of the user, below the home directory.
    Home,
    /// Those of the project.
    Project,
}

/// What to do with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Puts the guard in, or renews it.
    Add,
    /// Takes it out.
    Remove,
}

/// Why a settings file is left as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsError(String);

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SettingsError {}

impl Agent {
    /// Where its settings name the hook; none if nothing can be installed.
    #[must_use]
    pub fn hook_place(self) -> Option<&'static HookPlace> {
        self.contract().place
    }

    /// How it can be told which shell to start.
    #[must_use]
    pub fn shell(self) -> AgentShell {
        self.contract().shell
    }

    /// The text of the file that names the hook after a change; none if the file is not needed any more.
    ///
    /// # Errors
    ///
    /// If the text is not what such a file holds.
    pub fn change_hook(
        self,
        text: &str,
        program: &str,
        change: Change,
    ) -> Result<Option<String>, SettingsError> {
        let Some(place) = self.hook_place() else {
            return Err(SettingsError(format!("{self} has no settings for a hook")));
        };
        let lists = match (&place.form, change) {
            (FileForm::Plugin, Change::Add) => return Ok(Some(plugin(self, program))),
            (FileForm::Plugin, Change::Remove) => return Ok(None),
            (FileForm::Entries(lists), _) => *lists,
        };
        let root = parse(text)?;
        let top = object(&root)?;
        if change == Change::Add
            && matches!(place.entry, EntryForm::Flat { .. })
            && self != Self::Crush
            && top.get("version").is_none()
        {
            top.append("version", CstInputValue::from(1_usize));
        }
        let mut changed = false;
        for entries in lists {
            let wanted = entry(self, place, entries, program);
            changed |= match change {
                Change::Add => add(&top, entries.keys, &wanted, self)?,
                Change::Remove => remove(&top, entries.keys, self),
            };
        }
        Ok(Some(if changed { root.to_string() } else { text.to_owned() }))
    }

    /// The text of the file that names the shell after a change.
    ///
    /// # Errors
    ///
    /// If the text is not what such a file holds.
    pub fn change_shell(
        self,
        text: &str,
        shell: &str,
        change: Change,
    ) -> Result<String, SettingsError> {
        let AgentShell::Setting { keys, .. } = self.shell() else {
            return Err(SettingsError(format!("{self} has no setting for its shell")));
        };
        let Some((name, outer)) = keys.split_last() else { return Ok(text.to_owned()) };
        let root = parse(text)?;
        let mut holder = object(&root)?;
        for key in outer {
            holder = match (holder.object_value(key), change) {
                (Some(inner), _) => inner,
                (None, Change::Remove) => return Ok(text.to_owned()),
                (None, Change::Add) => {
                    holder.object_value_or_create(key).ok_or_else(|| wrong(key))?
                }
            };
        }
        let now = holder.get(name).and_then(|property| property.value());
        let now = now.and_then(|value| value.to_serde_value());
        let own = now.as_ref().and_then(Value::as_str) == Some(shell);
        match (change, holder.get(name)) {
            (Change::Add, _) if own => return Ok(text.to_owned()),
            (Change::Add, Some(property)) => property.set_value(CstInputValue::from(shell)),
            (Change::Add, None) => {
                holder.append(name, CstInputValue::from(shell));
            }
            (Change::Remove, Some(property)) if own => property.remove(),
            (Change::Remove, _) => return Ok(text.to_owned()),
        }
        Ok(root.to_string())
    }
}

impl HookPlace {
    /// The file below the home or the project directory.
    #[must_use]
    pub fn file(&self, scope: SettingsScope) -> &'static str {
        match scope {
            SettingsScope::Home => self.below_home,
            SettingsScope::Project => self.below_project,
        }
    }
}

/// The shell command of the installed hook. Everything but the word for no objection and a question is a refusal, so
/// that a guard that is missing, killed, broken or not executable refuses.
#[must_use]
pub fn hook_command(agent: Agent, program: &str) -> String {
    let program = program.replace('\'', "'\\''");
    let pass = match agent.pass() {
        silence if silence.is_empty() => String::new(),
        object => format!(" printf %s '{object}'"),
    };
    let ask = match (agent.contract().ask, agent.contract().form) {
        (AskSupport::Never, _) => "",
        (_, AnswerForm::HookSpecific) => " '{\"hookSpecificOutput\":'*) printf %s \"$a\";;",
        (_, _) => " '{\"permissionDecision\":'*) printf %s \"$a\";;",
    };
    format!(
        "a=$('{program}' hook {agent} --wrapped) || a=; case $a in pass){pass};;{ask} \
         *) echo 'aegish did not approve it: nothing may run' >&2; exit 2;; esac"
    )
}

/// The mark by which an entry of the guard is known.
fn mark(agent: Agent) -> String {
    format!(" hook {agent} --wrapped)")
}

fn entry(agent: Agent, place: &HookPlace, entries: &Entries, program: &str) -> Value {
    let command = hook_command(agent, program);
    let mut hook = match place.entry {
        EntryForm::Grouped { timeout } => {
            json!({ "type": "command", "command": command, "timeout": timeout.value() })
        }
        EntryForm::Flat { command: name, timeout: (unit, timeout) } => {
            json!({ name: command, unit: timeout.value() })
        }
    };
    if let Value::Object(fields) = &mut hook {
        for (name, value) in place.extra {
            let value = match value {
                Extra::Text(text) => Value::from(*text),
                Extra::True => Value::from(true),
            };
            fields.insert((*name).to_owned(), value);
        }
    }
    let matcher = agent.judged_tools().collect::<Vec<_>>().join("|");
    match (place.entry, entries.matcher) {
        (EntryForm::Grouped { .. }, _) => {
            // Anchored, because some agents look for the text anywhere in the name.
            let matcher = format!("^({matcher})$");
            json!({ "matcher": matcher, "hooks": [hook] })
        }
        (EntryForm::Flat { .. }, Matcher::None) => hook,
        (EntryForm::Flat { .. }, Matcher::Judged) => {
            if let Value::Object(fields) = &mut hook {
                fields.insert("matcher".to_owned(), Value::from(format!("^({matcher})$")));
            }
            hook
        }
    }
}

fn parse(text: &str) -> Result<CstRootNode, SettingsError> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    CstRootNode::parse(text, &ParseOptions::default())
        .map_err(|error| SettingsError(format!("it is not JSON: {error}")))
}

fn object(root: &CstRootNode) -> Result<CstObject, SettingsError> {
    root.object_value_or_create().ok_or_else(|| SettingsError("it holds no object".to_owned()))
}

fn wrong(key: &str) -> SettingsError {
    SettingsError(format!("{key} in it is of another type"))
}

/// Puts the entry first. False if it is there already.
fn add(
    top: &CstObject,
    keys: &[&str],
    wanted: &Value,
    agent: Agent,
) -> Result<bool, SettingsError> {
    let Some((last, outer)) = keys.split_last() else { return Ok(false) };
    let mut holder = top.clone();
    for key in outer {
        holder = holder.object_value_or_create(key).ok_or_else(|| wrong(key))?;
    }
    let list = holder.array_value_or_create(last).ok_or_else(|| wrong(last))?;
    let own = own_entries(&list, agent);
    if let [only] = own.as_slice()
        && list.elements().get(*only).and_then(|node| node.to_serde_value()).as_ref()
            == Some(wanted)
    {
        return Ok(false);
    }
    take_out(&list, &own);
    list.insert(0, input(wanted));
    Ok(true)
}

/// Takes the entry out, and lists and objects that are empty then.
fn remove(top: &CstObject, keys: &[&str], agent: Agent) -> bool {
    let Some((last, outer)) = keys.split_last() else { return false };
    let mut holders = vec![top.clone()];
    for key in outer {
        let Some(inner) = holders.last().and_then(|holder| holder.object_value(key)) else {
            return false;
        };
        holders.push(inner);
    }
    let Some(list) = holders.last().and_then(|holder| holder.array_value(last)) else {
        return false;
    };
    let own = own_entries(&list, agent);
    if own.is_empty() {
        return false;
    }
    take_out(&list, &own);
    if list.elements().is_empty() {
        for (holder, key) in holders.iter().zip(keys).rev() {
            let emptied = holder.get(key).filter(|property| {
                let value = property.value().and_then(|value| value.to_serde_value());
                value.is_some_and(|value| value == json!([]) || value == json!({}))
            });
            if let Some(property) = emptied {
                property.remove();
            }
        }
    }
    true
}

fn own_entries(list: &CstArray, agent: Agent) -> Vec<usize> {
    let mark = mark(agent);
    let is_own = |value: &Value| value.to_string().contains(&mark);
    let elements = list.elements();
    let own = elements
        .iter()
        .enumerate()
        .filter(|(_, node)| node.to_serde_value().as_ref().is_some_and(is_own));
    own.map(|(index, _)| index).collect()
}

fn take_out(list: &CstArray, indices: &[usize]) {
    for index in indices.iter().rev() {
        if let Some(element) = list.elements().get(*index) {
            element.clone().remove();
        }
    }
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(value) => CstInputValue::Number(value.to_string()),
        Value::String(value) => CstInputValue::String(value.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| (name.clone(), input(value)));
            CstInputValue::Object(fields.collect())
        }
    }
}

/// The plugin of OpenCode. Whatever goes wrong in the hook throws, and a throw stops the call.
fn plugin(agent: Agent, program: &str) -> String {
    let tools: Vec<&str> = agent.judged_tools().collect();
    format!(
        r#"// Written by `aegish install {agent}`; `aegish uninstall {agent}` removes it.
import {{ spawnSync }} from "node:child_process";

const program = {program};
const judged = new Set({tools});

export const Aegish = async ({{ directory }}) => ({{
  "tool.execute.before": async (input, output) => {{
    if (!judged.has(input.tool)) return;
    const call = JSON.stringify({{ tool: input.tool, args: output.args, cwd: directory ?? process.cwd() }});
    const answer = spawnSync(program, ["hook", "{agent}", "--wrapped"], {{ input: call, encoding: "utf8" }});
    if (answer.error || answer.status !== 0 || answer.stdout !== "pass") {{
      throw new Error(answer.stderr || "aegish did not approve it: nothing may run");
    }}
  }},
}});
"#,
        program = Value::from(program),
        tools = json!(tools),
    )
}
