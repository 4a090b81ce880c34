//! The agents and the form of their contracts.

use crate::settings::{AgentShell, HookPlace};
use crate::table;
use std::fmt;
use std::str::FromStr;

/// A coding agent whose contract is known. [`Agent::Generic`] is the contract for all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Agent {
    Claude,
    Codex,
    Gemini,
    Cursor,
    Copilot,
    OpenCode,
    Qwen,
    Crush,
    Droid,
    Generic,
}

impl Agent {
    /// All agents, in the order of the documentation.
    pub const ALL: [Self; 10] = [
        Self::Claude,
        Self::Codex,
        Self::Gemini,
        Self::Cursor,
        Self::Copilot,
        Self::OpenCode,
        Self::Qwen,
        Self::Crush,
        Self::Droid,
        Self::Generic,
    ];

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.contract().name
    }

    /// The name for people.
    #[must_use]
    pub fn title(self) -> &'static str {
        self.contract().title
    }

    /// The tools that have to be judged: those that run commands, and read or change files.
    pub fn judged_tools(self) -> impl Iterator<Item = &'static str> {
        let tools = self.contract().tools.iter();
        tools.filter(|tool| tool.does != ToolKind::Harmless).map(|tool| tool.name)
    }

    /// What it does when the installed hook does not answer in time.
    #[must_use]
    pub fn late_hook(self) -> LateHook {
        self.contract().late
    }

    pub(crate) fn contract(self) -> &'static Contract {
        match self {
            Self::Claude => &table::CLAUDE,
            Self::Codex => &table::CODEX,
            Self::Gemini => &table::GEMINI,
            Self::Cursor => &table::CURSOR,
            Self::Copilot => &table::COPILOT,
            Self::OpenCode => &table::OPENCODE,
            Self::Qwen => &table::QWEN,
            Self::Crush => &table::CRUSH,
            Self::Droid => &table::DROID,
            Self::Generic => &table::GENERIC,
        }
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no agent has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownAgent;

impl fmt::Display for UnknownAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = Agent::ALL.iter().map(|agent| agent.name()).collect();
        write!(f, "no such agent; known are {}", names.join(", "))
    }
}

impl std::error::Error for UnknownAgent {}

impl FromStr for Agent {
    type Err = UnknownAgent;

    fn from_str(name: &str) -> Result<Self, UnknownAgent> {
        Self::ALL.into_iter().find(|agent| agent.name() == name).ok_or(UnknownAgent)
    }
}

/// A row of the table: everything that is particular to an agent.
pub(crate) struct Contract {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// The field that names the event, and the events that are understood. Without it every input is a tool call.
    pub(crate) events: Option<(&'static str, &'static [Event])>,
    /// The field with the name of the tool.
    pub(crate) tool: &'static str,
    /// The field with the arguments of the tool: an object, or text that holds an object.
    pub(crate) arguments: &'static str,
    pub(crate) tools: &'static [Tool],
    /// Where its settings name the hook. None: the person has to call it.
    pub(crate) place: Option<&'static HookPlace>,
    /// How it can be told which shell to start.
    pub(crate) shell: AgentShell,
    /// What it does when the installed hook does not answer in time.
    pub(crate) late: LateHook,
    /// What names of tools of MCP servers contain, if they cannot be kept away from the hook. They are not judged.
    pub(crate) mcp_mark: Option<&'static str>,
    pub(crate) form: AnswerForm,
    /// Whether a warning can be handed to the person.
    pub(crate) ask: AskSupport,
    /// The exit status of a refusal. With 2 the reason is also written to standard error.
    pub(crate) deny_status: u8,
}

/// What an agent does with a call whose hook does not answer in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LateHook {
    /// The call does not run.
    Stopped,
    /// The call runs.
    Runs,
    /// It was not seen.
    Unknown,
}

/// An event for which the hook is called.
pub(crate) struct Event {
    pub(crate) name: &'static str,
    pub(crate) shape: EventShape,
}

/// Where the input of an event holds the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EventShape {
    /// The name of a tool and its arguments.
    ToolCall,
    /// The arguments of one kind of tool, at the top.
    Direct(ToolKind),
}

/// A tool and what it does.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) does: ToolKind,
}

/// What a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolKind {
    /// Runs a command line.
    Shell,
    /// Reads a file.
    Read,
    /// Replaces or creates a file.
    Write,
    /// Changes a part of a file.
    Edit,
    /// Removes a file.
    Delete,
    /// Changes several files: a patch in the form `*** Begin Patch`.
    Patch,
    /// Looks for text in the files below a directory.
    Search,
    /// Neither runs commands nor reads or changes files of the person.
    Harmless,
}

/// The object that carries the decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerForm {
    /// `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":…,"permissionDecisionReason":…}}`
    HookSpecific,
    /// `{"permissionDecision":…,"permissionDecisionReason":…}`
    PermissionDecision,
    /// `{"permission":…,"user_message":…,"agent_message":…}`
    Permission,
    /// `{"decision":…,"reason":…}`
    Decision,
}

/// Whether the agent asks its person when the hook says so, and does nothing if there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AskSupport {
    /// It never does: a warning is refused.
    Never,
    /// It does.
    Always,
    /// It does in these values of this field.
    InModes(&'static str, &'static [&'static str]),
}
