//! The table of agents, one row each. `docs/reference/agents.md` says where the facts come from.

use crate::agent::{AnswerForm, AskSupport, Contract, Event, EventShape, LateHook, Tool, ToolKind};
use crate::settings::{
    AgentShell, Entries, EntryForm, Extra, FileForm, HookPlace, Matcher, Timeout,
};
use ToolKind::{Delete, Edit, Harmless, Patch, Read, Search, Shell, Write};

const fn tool(name: &'static str, does: ToolKind) -> Tool {
    Tool { name, does }
}

const fn call(name: &'static str) -> Event {
    Event { name, shape: EventShape::ToolCall }
}

const PRE_TOOL_USE: Option<(&str, &[Event])> = Some(("hook_event_name", &[call("PreToolUse")]));

/// What most agents took over from the first one. A row says what differs.
const COMMON: Contract = Contract {
    name: "",
    title: "",
    events: PRE_TOOL_USE,
    tool: "tool_name",
    arguments: "tool_input",
    tools: &[],
    place: None,
    shell: AgentShell::None,
    late: LateHook::Unknown,
    mcp_mark: None,
    form: AnswerForm::HookSpecific,
    ask: AskSupport::Never,
    deny_status: 2,
};

/// The list of hooks in the settings of such an agent.
const COMMON_ENTRIES: FileForm =
    FileForm::Entries(&[Entries { keys: &["hooks", "PreToolUse"], matcher: Matcher::Judged }]);

/// The settings of such an agent: the same file below the home and the project directory.
const fn settings(file: &'static str) -> HookPlace {
    HookPlace {
        below_home: file,
        below_project: file,
        form: COMMON_ENTRIES,
        entry: EntryForm::Grouped { timeout: Timeout::Seconds },
        extra: &[],
    }
}

pub(crate) static CLAUDE: Contract = Contract {
    name: "claude",
    title: "Claude Code",
    tools: &[
        tool("Bash", Shell),
        tool("Monitor", Shell),
        tool("Read", Read),
        tool("Write", Write),
        tool("Edit", Edit),
        tool("MultiEdit", Edit),
        tool("NotebookEdit", Edit),
        tool("Grep", Search),
        tool("Glob", Harmless),
        tool("LS", Harmless),
        tool("TodoWrite", Harmless),
        tool("Task", Harmless),
        tool("Agent", Harmless),
        tool("BashOutput", Harmless),
        tool("TaskOutput", Harmless),
        tool("KillShell", Harmless),
        tool("TaskStop", Harmless),
        tool("WebFetch", Harmless),
        tool("WebSearch", Harmless),
        tool("AskUserQuestion", Harmless),
        tool("EnterPlanMode", Harmless),
        tool("ExitPlanMode", Harmless),
        tool("Skill", Harmless),
    ],
    place: Some(&HookPlace {
        extra: &[("onFailure", Extra::Text("block"))],
        ..settings(".claude/settings.json")
    }),
    shell: AgentShell::Setting {
        below_home: ".claude/settings.json",
        below_project: ".claude/settings.json",
        keys: &["env", "CLAUDE_CODE_SHELL"],
    },
    late: LateHook::Stopped,
    // Other modes pass over the question, or have nobody to put it to.
    ask: AskSupport::InModes("permission_mode", &["default", "acceptEdits", "plan"]),
    deny_status: 0,
    ..COMMON
};

pub(crate) static CODEX: Contract = Contract {
    name: "codex",
    title: "Codex",
    tools: &[
        tool("Bash", Shell),
        tool("shell", Shell),
        tool("exec_command", Shell),
        tool("local_shell", Shell),
        tool("apply_patch", Patch),
        tool("update_plan", Harmless),
        tool("view_image", Harmless),
    ],
    place: Some(&settings(".codex/hooks.json")),
    late: LateHook::Runs,
    ..COMMON
};

pub(crate) static GEMINI: Contract = Contract {
    name: "gemini",
    title: "Gemini CLI",
    events: Some(("hook_event_name", &[call("BeforeTool")])),
    tools: &[
        tool("run_shell_command", Shell),
        tool("read_file", Read),
        tool("write_file", Write),
        tool("replace", Edit),
        tool("grep_search", Search),
        tool("search_file_content", Search),
        tool("glob", Harmless),
        tool("list_directory", Harmless),
        tool("google_web_search", Harmless),
        tool("web_fetch", Harmless),
        tool("write_todos", Harmless),
        tool("save_memory", Harmless),
        tool("activate_skill", Harmless),
        tool("ask_user", Harmless),
    ],
    place: Some(&HookPlace {
        form: FileForm::Entries(&[Entries {
            keys: &["hooks", "BeforeTool"],
            matcher: Matcher::Judged,
        }]),
        entry: EntryForm::Grouped { timeout: Timeout::Milliseconds },
        extra: &[("name", Extra::Text("aegish"))],
        ..settings(".gemini/settings.json")
    }),
    shell: AgentShell::SearchPath,
    late: LateHook::Runs,
    form: AnswerForm::Decision,
    ..COMMON
};

pub(crate) static CURSOR: Contract = Contract {
    name: "cursor",
    title: "Cursor",
    events: Some((
        "hook_event_name",
        &[
            Event { name: "beforeShellExecution", shape: EventShape::Direct(Shell) },
            Event { name: "beforeReadFile", shape: EventShape::Direct(Read) },
            call("preToolUse"),
        ],
    )),
    tools: &[
        tool("Shell", Shell),
        tool("Read", Read),
        tool("Write", Write),
        tool("StrReplace", Edit),
        tool("Edit", Edit),
        tool("Delete", Delete),
        tool("Grep", Search),
        tool("Glob", Harmless),
        tool("LS", Harmless),
        tool("Task", Harmless),
        tool("TodoWrite", Harmless),
        tool("WebSearch", Harmless),
        tool("WebFetch", Harmless),
        tool("SemanticSearch", Harmless),
    ],
    place: Some(&HookPlace {
        below_home: ".cursor/hooks.json",
        below_project: ".cursor/hooks.json",
        form: FileForm::Entries(&[
            Entries { keys: &["hooks", "beforeShellExecution"], matcher: Matcher::None },
            Entries { keys: &["hooks", "beforeReadFile"], matcher: Matcher::None },
            Entries { keys: &["hooks", "preToolUse"], matcher: Matcher::Judged },
        ]),
        entry: EntryForm::Flat { command: "command", timeout: ("timeout", Timeout::Seconds) },
        extra: &[("failClosed", Extra::True)],
    }),
    late: LateHook::Stopped,
    form: AnswerForm::Permission,
    ..COMMON
};

pub(crate) static COPILOT: Contract = Contract {
    name: "copilot",
    title: "Copilot CLI",
    events: None,
    tool: "toolName",
    arguments: "toolArgs",
    tools: &[
        tool("bash", Shell),
        tool("write_bash", Shell),
        tool("view", Read),
        tool("create", Write),
        tool("edit", Edit),
        tool("str_replace_editor", Edit),
        tool("apply_patch", Patch),
        tool("grep", Search),
        tool("rg", Search),
        tool("glob", Harmless),
        tool("read_bash", Harmless),
        tool("stop_bash", Harmless),
        tool("list_bash", Harmless),
        tool("report_intent", Harmless),
        tool("update_todo", Harmless),
        tool("web_fetch", Harmless),
        tool("web_search", Harmless),
        tool("task", Harmless),
        tool("ask_user", Harmless),
        tool("skill", Harmless),
    ],
    place: Some(&HookPlace {
        below_home: ".copilot/hooks/aegish.json",
        below_project: ".github/hooks/aegish.json",
        form: FileForm::Entries(&[Entries {
            keys: &["hooks", "preToolUse"],
            matcher: Matcher::None,
        }]),
        entry: EntryForm::Flat { command: "bash", timeout: ("timeoutSec", Timeout::Seconds) },
        extra: &[("type", Extra::Text("command"))],
    }),
    late: LateHook::Runs,
    mcp_mark: Some("-"),
    form: AnswerForm::PermissionDecision,
    ask: AskSupport::Always,
    deny_status: 0,
    ..COMMON
};

pub(crate) static OPENCODE: Contract = Contract {
    name: "opencode",
    title: "OpenCode",
    events: None,
    tool: "tool",
    arguments: "args",
    tools: &[
        tool("bash", Shell),
        tool("read", Read),
        tool("write", Write),
        tool("edit", Edit),
        tool("multiedit", Edit),
        tool("patch", Patch),
        tool("apply_patch", Patch),
        tool("grep", Search),
        tool("glob", Harmless),
        tool("list", Harmless),
        tool("todowrite", Harmless),
        tool("todoread", Harmless),
        tool("task", Harmless),
        tool("skill", Harmless),
        tool("question", Harmless),
        tool("webfetch", Harmless),
        tool("websearch", Harmless),
        tool("codesearch", Harmless),
        tool("lsp", Harmless),
    ],
    place: Some(&HookPlace {
        below_home: ".config/opencode/plugins/aegish.js",
        below_project: ".opencode/plugins/aegish.js",
        form: FileForm::Plugin,
        entry: EntryForm::Grouped { timeout: Timeout::Seconds },
        extra: &[],
    }),
    shell: AgentShell::Setting {
        below_home: ".config/opencode/opencode.json",
        below_project: "opencode.json",
        keys: &["shell"],
    },
    late: LateHook::Stopped,
    form: AnswerForm::Decision,
    ..COMMON
};

pub(crate) static QWEN: Contract = Contract {
    name: "qwen",
    title: "Qwen Code",
    tools: &[
        tool("run_shell_command", Shell),
        tool("read_file", Read),
        tool("write_file", Write),
        tool("edit", Edit),
        tool("notebook_edit", Edit),
        tool("grep_search", Search),
        tool("glob", Harmless),
        tool("list_directory", Harmless),
        tool("todo_write", Harmless),
        tool("task", Harmless),
        tool("skill", Harmless),
        tool("save_memory", Harmless),
        tool("web_fetch", Harmless),
        tool("web_search", Harmless),
        tool("ask_user_question", Harmless),
        tool("exit_plan_mode", Harmless),
    ],
    place: Some(&HookPlace {
        entry: EntryForm::Grouped { timeout: Timeout::Milliseconds },
        extra: &[("name", Extra::Text("aegish"))],
        ..settings(".qwen/settings.json")
    }),
    shell: AgentShell::SearchPath,
    ask: AskSupport::Always,
    ..COMMON
};

pub(crate) static CRUSH: Contract = Contract {
    name: "crush",
    title: "Crush",
    events: Some(("event", &[call("PreToolUse")])),
    tools: &[
        tool("bash", Shell),
        tool("view", Read),
        tool("write", Write),
        tool("download", Write),
        tool("edit", Edit),
        tool("multiedit", Edit),
        tool("grep", Search),
        tool("glob", Harmless),
        tool("ls", Harmless),
        tool("fetch", Harmless),
        tool("agentic_fetch", Harmless),
        tool("agent", Harmless),
        tool("todos", Harmless),
        tool("job_output", Harmless),
        tool("job_kill", Harmless),
        tool("sourcegraph", Harmless),
    ],
    place: Some(&HookPlace {
        below_home: ".config/crush/crush.json",
        below_project: "crush.json",
        form: COMMON_ENTRIES,
        entry: EntryForm::Flat { command: "command", timeout: ("timeout", Timeout::Seconds) },
        extra: &[],
    }),
    form: AnswerForm::Decision,
    ..COMMON
};

pub(crate) static DROID: Contract = Contract {
    name: "droid",
    title: "Factory Droid",
    tools: &[
        tool("Execute", Shell),
        tool("Read", Read),
        tool("Create", Write),
        tool("Write", Write),
        tool("Edit", Edit),
        tool("MultiEdit", Edit),
        tool("ApplyPatch", Patch),
        tool("Grep", Search),
        tool("Glob", Harmless),
        tool("LS", Harmless),
        tool("TodoWrite", Harmless),
        tool("Task", Harmless),
        tool("FetchUrl", Harmless),
        tool("WebSearch", Harmless),
        tool("AskUser", Harmless),
        tool("ExitSpecMode", Harmless),
        tool("Skill", Harmless),
    ],
    place: Some(&settings(".factory/settings.json")),
    ask: AskSupport::InModes("permission_mode", &["default", "normal", "spec"]),
    deny_status: 0,
    ..COMMON
};

/// `{"tool":"shell","args":{"command":"…"},"cwd":"…"}` → `{"decision":"deny","reason":"…"}`
pub(crate) static GENERIC: Contract = Contract {
    name: "generic",
    title: "any agent",
    events: None,
    tool: "tool",
    arguments: "args",
    tools: &[
        tool("shell", Shell),
        tool("read", Read),
        tool("write", Write),
        tool("edit", Edit),
        tool("delete", Delete),
        tool("patch", Patch),
        tool("search", Search),
    ],
    form: AnswerForm::Decision,
    ..COMMON
};
