//! The agents: how they are configured for the model fake, started and guarded.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;
use std::str::FromStr;

/// An agent that npm installs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AgentKind {
    Claude,
    Codex,
    Gemini,
    OpenCode,
}

impl FromStr for AgentKind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|agent| agent.program() == name);
        found.ok_or_else(|| "use claude, codex, gemini or opencode".to_owned())
    }
}

/// Where the guard is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Unguarded,
    Shell,
    Hook,
}

impl Way {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Unguarded => "unguarded",
            Self::Shell => "shell",
            Self::Hook => "hook",
        }
    }

    /// The search path. Gemini CLI starts the first `bash` in it.
    pub(super) fn path(self, agent: AgentKind, home: &Path) -> OsString {
        let mut dirs = Vec::new();
        if self == Self::Shell && agent == AgentKind::Gemini {
            dirs.push(home.join(SHIMS).into_os_string().to_string_lossy().into_owned());
        }
        dirs.extend(["/usr/local/bin", "/usr/bin", "/bin"].map(str::to_owned));
        dirs.join(":").into()
    }

    /// What the agent is started with. Codex starts the shell of the account, so it gets another list of accounts in a
    /// mount namespace of its own.
    pub(super) fn wrapper(self, agent: AgentKind, home: &Path) -> Vec<OsString> {
        if self != Self::Shell || agent != AgentKind::Codex {
            return Vec::new();
        }
        let mount = "mount --bind \"$1\" /etc/passwd && shift && exec \"$@\"";
        let words = ["unshare", "--mount", "--", "sh", "-c", mount, "sh"];
        let mut words: Vec<OsString> = words.into_iter().map(OsString::from).collect();
        words.push(home.join(ACCOUNTS).into());
        words
    }
}

const SHIMS: &str = ".local/share/aegish/shims";
const ACCOUNTS: &str = "passwd";

impl AgentKind {
    pub(super) const ALL: [Self; 4] = [Self::Claude, Self::Codex, Self::Gemini, Self::OpenCode];

    pub(super) fn program(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::OpenCode => "opencode",
        }
    }

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
            Self::OpenCode => "OpenCode",
        }
    }

    pub(super) fn package(self) -> &'static str {
        match self {
            Self::Claude => "@anthropic-ai/claude-code",
            Self::Codex => "@openai/codex",
            Self::Gemini => "@google/gemini-cli",
            Self::OpenCode => "opencode-ai",
        }
    }

    /// Settings that lead it to the model fake and let it run commands without asking.
    pub(super) fn configure(self, home: &Path, port: u16) -> io::Result<()> {
        let (file, text) = match self {
            Self::Claude => return Ok(()),
            Self::Codex => (".codex/config.toml", CODEX),
            Self::Gemini => (".gemini/settings.json", GEMINI),
            Self::OpenCode => (".config/opencode/opencode.json", OPENCODE),
        };
        let file = home.join(file);
        fs::create_dir_all(file.parent().unwrap_or(home))?;
        fs::write(file, text.replace("PORT", &port.to_string()))
    }

    pub(super) fn environment(self, port: u16) -> Vec<(&'static str, String)> {
        let address = format!("http://127.0.0.1:{port}");
        let on = || "1".to_owned();
        match self {
            Self::Claude => vec![
                ("ANTHROPIC_BASE_URL", address),
                ("ANTHROPIC_API_KEY", "none".to_owned()),
                ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", on()),
                ("DISABLE_TELEMETRY", on()),
                ("DISABLE_AUTOUPDATER", on()),
                ("IS_SANDBOX", on()),
            ],
            Self::Codex => vec![("MODEL_KEY", "none".to_owned())],
            Self::Gemini => vec![
                ("GEMINI_API_KEY", "none".to_owned()),
                ("GOOGLE_GEMINI_BASE_URL", address),
                ("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned()),
            ],
            Self::OpenCode => {
                vec![("OPENCODE_DISABLE_MODELS_FETCH", on()), ("OPENCODE_DISABLE_AUTOUPDATE", on())]
            }
        }
    }

    pub(super) fn arguments(self, prompt: &str) -> Vec<String> {
        let words: &[&str] = match self {
            Self::Claude => &["-p", prompt, "--allowedTools", "Bash", "--model", "claude-fake"],
            // The hook would have to be trusted in its dialogue.
            Self::Codex => {
                &["exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check", prompt]
            }
            Self::Gemini => &["-p", prompt, "--yolo", "--model", "gemini-2.5-pro"],
            Self::OpenCode => &["run", prompt],
        };
        words.iter().map(|word| (*word).to_owned()).collect()
    }
}

/// The calls in the form that the model fake reads.
pub(super) fn call_file(commands: &[String]) -> String {
    let tool = |tool: &str, key: &str| serde_json::json!({ "tool": tool, "key": key });
    serde_json::json!({
        "anthropic": tool("Bash", "command"),
        "responses": tool("exec_command", "cmd"),
        "chat": tool("bash", "command"),
        "google": tool("run_shell_command", "command"),
        "commands": commands,
    })
    .to_string()
}

/// A list of accounts in which the shell of this account is the guard.
pub(super) fn account_file(home: &Path) -> io::Result<()> {
    let shell = home.join(SHIMS).join("bash");
    let account = format!("root:x:0:0:root:{}:{}\n", home.display(), shell.display());
    fs::write(home.join(ACCOUNTS), account)
}

const CODEX: &str = r#"model = "gpt-5"
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "danger-full-access"

[model_providers.fake]
name = "fake"
base_url = "http://127.0.0.1:PORT/v1"
wire_api = "responses"
env_key = "MODEL_KEY"
"#;

const GEMINI: &str = r#"{"security":{"auth":{"selectedType":"gemini-api-key"}}}"#;

const OPENCODE: &str = r#"{"$schema":"https://opencode.ai/config.json","model":"fake/m","small_model":"fake/m","autoupdate":false,"share":"disabled","provider":{"fake":{"npm":"@ai-sdk/openai-compatible","name":"fake","options":{"baseURL":"http://127.0.0.1:PORT/v1","apiKey":"none"},"models":{"m":{"name":"m","tool_call":true}}}},"permission":"allow"}"#;
