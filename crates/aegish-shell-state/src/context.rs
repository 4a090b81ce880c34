//! What the analysis may know of the machine and the session, handed in by the caller.

use aegish_values::Value;
use std::collections::HashMap;

/// The only way the analysis sees the machine.
pub trait Machine {
    /// Returns the first `limit` bytes of a regular file. Paths are always absolute.
    fn read(&self, path: &str, limit: usize) -> FileView;

    /// Names in a directory, unsorted; `None` if it cannot be listed or holds more than `limit`.
    fn list(&self, dir: &str, limit: usize) -> Option<Vec<String>>;

    /// Whether the path is a directory. The default says yes if it has entries.
    fn is_directory(&self, path: &str) -> bool {
        self.list(path, usize::MAX).is_some_and(|names| !names.is_empty())
    }

    /// The path without links, if it is another one.
    fn without_links(&self, _path: &str) -> Option<String> {
        None
    }

    /// Whether the file holds secrets, so that its content is code at most and no value.
    fn holds_secrets(&self, _path: &str) -> bool {
        false
    }
}

/// The state of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileView {
    /// Text, whole.
    Text(String),
    /// The start of a text that is longer than the limit.
    Long(String),
    /// Not text (a compiled program, an archive).
    Binary,
    /// There is no such file.
    Missing,
    /// It exists, but cannot be read.
    Unreadable,
    /// It changes while it is read.
    Changing,
    /// The caller has no access to a machine.
    Unknown,
}

/// A machine of which nothing is known: pure analysis of the text.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoMachine;

impl Machine for NoMachine {
    fn read(&self, _path: &str, _limit: usize) -> FileView {
        FileView::Unknown
    }

    fn list(&self, _dir: &str, _limit: usize) -> Option<Vec<String>> {
        None
    }
}

/// Standard input of commands without a redirection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StandardInput {
    /// The terminal.
    Terminal,
    /// An unknown input.
    Other,
}

/// Who reads what the commands print.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OutputReader {
    /// Somebody who may see the secrets of the machine.
    #[default]
    Trusted,
    /// A model, and with it its provider and the records of both: nobody shows it a secret unasked.
    Agent,
}

/// Everything outside the text that its meaning depends on.
pub struct Context<'m> {
    /// Working directory, absolute; empty if unknown.
    pub cwd: String,
    /// Home directory, absolute; empty if unknown (then `~` stays symbolic).
    pub home: String,
    /// Variables of the session, exported or not.
    pub variables: HashMap<String, Value>,
    /// Whether `variables` is complete: any other name is unset, not unknown.
    pub complete: bool,
    /// Aliases of the session.
    pub aliases: HashMap<String, String>,
    /// Positional parameters: known for `-c` text (usually none), unknown inside a script file.
    pub positional: Option<Vec<Value>>,
    /// `$0`; `bash` if not set. For a script file it is the file's name, because a script can write to
    /// itself.
    pub zero: Option<String>,
    /// A line that a person types; the shell that runs it reads further lines.
    pub interactive: bool,
    /// Standard input of a command that is not redirected.
    pub stdin: StandardInput,
    /// Who reads what the commands print.
    pub reader: OutputReader,
    /// The kind of text.
    pub form: TextForm,
    /// The files.
    pub machine: &'m dyn Machine,
}

/// The kind of a judged text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TextForm {
    /// A typed line, or the text of `-c`.
    #[default]
    CommandLine,
    /// A whole script: the content of a file or of another source.
    ScriptFile,
}

impl Context<'static> {
    /// Nothing but the text: no directory, no variables, no files.
    #[must_use]
    pub fn bare() -> Self {
        Self {
            cwd: String::new(),
            home: String::new(),
            variables: HashMap::new(),
            complete: false,
            aliases: HashMap::new(),
            positional: Some(Vec::new()),
            zero: None,
            interactive: true,
            stdin: StandardInput::Terminal,
            reader: OutputReader::Trusted,
            form: TextForm::CommandLine,
            machine: &NoMachine,
        }
    }
}
