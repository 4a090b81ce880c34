//! Environment variables that change what later programs run, and what their values amount to.

use crate::action::PolicyContext;
use crate::paths::glob::encode;
use crate::paths::{ClassifiedPath, WriteClass};
use crate::table::names::HELPERS;
use crate::table::settings::{
    GUARD_APPEARANCE, GUARD_OF_AGENTS, GUARD_TIGHTEST, LOADING, VARIABLES,
};
use crate::view::has_trait;
use aegish_effects::{Source, Value};
use aegish_profiles::Trait;

/// How a variable's value is used; see `data/policies/variables.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VariableKind {
    Command,
    Code,
    Prompt,
    Startup,
    Library,
    LibraryPath,
    Programs,
    Modules,
    Options,
    Config,
    ShellMode,
    History,
    Verification,
}

impl VariableKind {
    /// The kind of a variable; `None` for most variables, which have no effect.
    pub(crate) fn of(name: &str) -> Option<Self> {
        if name.starts_with("BASH_FUNC_") {
            return Some(Self::Code);
        }
        if name.starts_with("GIT_CONFIG_KEY_") || name.starts_with("GIT_CONFIG_VALUE_") {
            return Some(Self::Config);
        }
        let at = VARIABLES.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
        VARIABLES.get(at).map(|(_, kind)| *kind)
    }
}

/// Whether a setting of the guard may become looser by this value, or by its removal.
pub(crate) fn loosens_the_guard(name: &str, value: Option<&Value>) -> bool {
    if names_the_guard_of_an_agent(name) {
        let shim = |value: &Value| {
            value.as_known().is_some_and(|path| path.contains("/.local/share/aegish/shims/"))
        };
        return !value.is_some_and(shim);
    }
    let own = name.starts_with("AEGISH_")
        && !name.starts_with("AEGISH_TEST_")
        && !name.starts_with("AEGISH_SYNTAX_");
    let tightest = |value: &Value| {
        value
            .as_known()
            .is_some_and(|text| GUARD_TIGHTEST.contains(&format!("{name} {text}").as_str()))
    };
    own && !GUARD_APPEARANCE.contains(&name) && !value.is_some_and(tightest)
}

/// Whether the variable names the shell or the settings of a coding agent.
pub(crate) fn names_the_guard_of_an_agent(name: &str) -> bool {
    GUARD_OF_AGENTS.contains(&name)
}

/// Whether the name belongs to the part of the guard that runs inside the shell.
pub(crate) fn is_inside_the_shell(name: &str) -> bool {
    name.starts_with("__aegish")
}

/// The danger of a command that is a variable's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommandValue {
    /// An editor, pager, ssh and the like, with plain arguments.
    Helper,
    /// Some other single program.
    Other,
    /// A shell, shell code, or a program from a directory that others or the project can write.
    Dangerous,
    /// Unknown.
    Unknown,
}

/// Whether the name is that of a shell.
pub(crate) fn is_shell(name: &str) -> bool {
    has_trait(name, Trait::Shell)
}

/// Whether text has characters that make several commands of one, or code of text.
pub(crate) fn has_shell_syntax(text: &str) -> bool {
    text.contains([';', '|', '&', '$', '`', '(', ')', '<', '>', '\n', '!'])
}

/// Whether others, or an unpacked archive, can put files at the path.
pub(crate) fn is_writable_place(path: &str, setting: &PolicyContext<'_>) -> bool {
    if path.is_empty() {
        return false;
    }
    let place = ClassifiedPath::of(&Value::known(path), setting);
    place.is_some_and(|place| place.write_class() == Some(WriteClass::Temporary))
}

/// The danger of running the value.
pub(crate) fn command_value(value: &Value, setting: &PolicyContext<'_>) -> CommandValue {
    let Some(text) = value.as_known() else {
        return match value.readings(8) {
            Some(readings) if !readings.is_empty() => {
                let worst = readings.iter().map(|text| command_text(text, setting));
                worst.max_by_key(|found| *found as u8).unwrap_or(CommandValue::Unknown)
            }
            // Known text around the unknown part may already be dangerous.
            _ if telling(value) => CommandValue::Dangerous,
            _ => CommandValue::Unknown,
        };
    };
    command_text(text, setting)
}

fn telling(value: &Value) -> bool {
    let text = encode(value, 0);
    let word = text
        .split(|byte| byte.is_ascii_whitespace())
        .find(|word| !word.is_empty())
        .unwrap_or_default();
    let name = word.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    std::str::from_utf8(name).is_ok_and(is_shell)
}

fn command_text(text: &str, setting: &PolicyContext<'_>) -> CommandValue {
    let text = text.trim().trim_start_matches(['|', '-']).trim_start();
    let Some(word) = text.split_whitespace().next() else {
        return CommandValue::Helper;
    };
    let word = word.trim_matches(['"', '\'']);
    let (directory, name) =
        word.rsplit_once('/').map_or(("", word), |(directory, name)| (directory, name));
    let dangerous_arguments = text.contains("ProxyCommand")
        || text.contains("LocalCommand")
        || text.contains("KnownHostsCommand")
        || text.contains("PKCS11Provider");
    if has_shell_syntax(text) && !is_shell(name) && !dangerous_arguments && only_shows(text) {
        return CommandValue::Other;
    }
    if is_shell(name) || has_shell_syntax(text) || dangerous_arguments {
        return CommandValue::Dangerous;
    }
    let installed = word.starts_with('/') && !is_writable_place(word, setting);
    if word.contains('/') && !installed {
        return CommandValue::Dangerous;
    }
    let known = HELPERS.binary_search(&name).is_ok();
    match (known, directory) {
        (true, "") => CommandValue::Helper,
        (true, directory) if is_system_directory(directory) => CommandValue::Helper,
        _ => CommandValue::Other,
    }
}

/// Whether every command of the text only prints what it is given. What it reads is judged where it is run.
fn only_shows(text: &str) -> bool {
    const SHOW: [&str; 8] = [":", "cat", "echo", "head", "less", "printf", "tail", "true"];
    let plain = text.replace(">&2", "");
    let shows = |part: &str| part.split_whitespace().next().is_none_or(|word| SHOW.contains(&word));
    let local = !plain.split_whitespace().any(|word| word.starts_with(['/', '~']));
    local
        && !plain.contains(['`', '$', '>', '<', '(', '{'])
        && plain.split([';', '|', '&', '\n']).all(shows)
}

/// Directories whose programs come from the system or its administrator.
pub(crate) fn is_system_directory(directory: &str) -> bool {
    [
        "/usr",
        "/bin",
        "/sbin",
        "/lib",
        "/opt",
        "/nix",
        "/snap",
        "/System",
        "/Applications",
        "/Library",
    ]
    .iter()
    .any(|root| {
        directory.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// Whether options given in this variable load code.
pub(crate) fn loads_code(name: &str, text: &str) -> bool {
    // Pragmas of the language itself load no foreign code.
    const PRAGMAS: [&str; 6] =
        ["-Mstrict", "-Mwarnings", "-Mutf8", "-Mdiagnostics", "-Mautodie", "-Mbytes"];
    let pragma = |word: &str| name == "PERL5OPT" && PRAGMAS.contains(&word);
    let loading = |word: &str| {
        !pragma(word)
            && LOADING
                .iter()
                .any(|(variable, option)| *variable == name && word.starts_with(option))
    };
    text.split_whitespace().any(loading)
}

/// Whether the name of a variable says that it holds a secret.
pub(crate) fn is_secret_name(name: &str) -> bool {
    const PARTS: [&str; 9] = [
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "TOKEN",
        "CREDENTIAL",
        "PRIVATE_KEY",
        "API_KEY",
        "APIKEY",
        "ACCESS_KEY",
    ];
    const ENDS: [&str; 4] = ["_PAT", "_AUTH", "_DSN", "_PASS"];
    let name = name.to_ascii_uppercase();
    PARTS.iter().any(|part| name.contains(part)) || ENDS.iter().any(|end| name.ends_with(end))
}

/// Whether the output of a program reveals nothing about the machine or its data.
pub(crate) fn is_telling_nothing(source: &Source) -> bool {
    match source {
        Source::Program(program) => program
            .split_whitespace()
            .next()
            .is_some_and(|name| has_trait(name, Trait::RevealsNothing)),
        Source::Environment(name) | Source::FilteredEnvironment(name) => !is_secret_name(name),
        Source::Network(_) | Source::Verified(_) | Source::Checkout(_) | Source::Terminal => true,
        Source::File(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{CommandValue, VariableKind, command_value, is_secret_name, loads_code};
    use crate::table::names::HELPERS;
    use crate::table::settings::VARIABLES;
    use crate::{PolicyContext, Role};
    use aegish_effects::Value;

    #[test]
    fn tables_are_sorted_for_the_search() {
        assert!(VARIABLES.is_sorted_by(|a, b| a.0 < b.0));
        assert!(HELPERS.is_sorted());
    }

    #[test]
    fn the_variables_that_once_leaked_are_known() {
        for name in [
            "LD_PRELOAD",
            "LD_LIBRARY_PATH",
            "LD_AUDIT",
            "BASH_LOADABLES_PATH",
            "SHELLOPTS",
            "BASHOPTS",
            "PS0",
            "PS1",
            "PS2",
            "PS4",
            "EXECIGNORE",
            "LESSOPEN",
            "LESSCLOSE",
            "PYTHONSTARTUP",
            "PYTHONPATH",
            "PERL5OPT",
            "PERL5LIB",
            "NODE_OPTIONS",
            "RUBYLIB",
            "GIT_SSH",
            "GIT_SSH_COMMAND",
            "GIT_EXEC_PATH",
            "GIT_TEMPLATE_DIR",
            "GIT_CONFIG_GLOBAL",
            "INPUTRC",
            "HISTFILE",
            "SSH_ASKPASS",
            "BROWSER",
            "ZDOTDIR",
            "FPATH",
            "HISTCONTROL",
            "TERMCAP",
            "TERMINFO",
            "MAILPATH",
            "BASH_ENV",
            "ENV",
            "PROMPT_COMMAND",
            "BASH_FUNC_ls%%",
        ] {
            assert!(VariableKind::of(name).is_some(), "{name}");
        }
        for name in ["TMPDIR", "FOO", "RUST_LOG", "DEBUG", "CDPATH", "IFS", "SSH_ASKPASS_REQUIRE"] {
            assert_eq!(VariableKind::of(name), None, "{name}");
        }
    }

    #[test]
    fn helpers_are_distinguished_from_shells_and_unknown_programs() {
        let setting = PolicyContext {
            role: Role::Default,
            cwd: "/home/kim/app",
            home: "/home/kim",
            user_rules: &[],
        };
        for (text, expected) in [
            ("less -R", CommandValue::Helper),
            ("/usr/bin/vim", CommandValue::Helper),
            ("code --wait", CommandValue::Helper),
            ("ssh -i ~/.ssh/work -o StrictHostKeyChecking=accept-new", CommandValue::Helper),
            ("|/usr/bin/lesspipe %s", CommandValue::Helper),
            ("", CommandValue::Helper),
            ("mytool --x", CommandValue::Other),
            ("sh -c id", CommandValue::Dangerous),
            ("/bin/bash", CommandValue::Dangerous),
            ("less; id", CommandValue::Dangerous),
            ("/tmp/less", CommandValue::Dangerous),
            ("./less", CommandValue::Dangerous),
            ("ssh -o ProxyCommand=x", CommandValue::Dangerous),
            ("vim -c :!sh", CommandValue::Dangerous),
        ] {
            assert_eq!(command_value(&Value::known(text), &setting), expected, "{text}");
        }
    }

    #[test]
    fn options_that_load_code_are_seen() {
        assert!(loads_code("NODE_OPTIONS", "--require ./x.js"));
        assert!(loads_code("JAVA_TOOL_OPTIONS", "-javaagent:/tmp/a.jar"));
        assert!(loads_code("PERL5OPT", "-Mbase=x"));
        assert!(!loads_code("NODE_OPTIONS", "--max-old-space-size=4096"));
        assert!(!loads_code("JAVA_TOOL_OPTIONS", "-ea -Xmx2g -Dfoo=bar"));
    }

    #[test]
    fn secret_names_are_recognised_by_their_parts() {
        assert!(is_secret_name("GITHUB_TOKEN"));
        assert!(is_secret_name("db_password"));
        assert!(!is_secret_name("HOME"));
        assert!(!is_secret_name("VERSION"));
    }
}
