//! The effects of code, and the context that a reader may ask for.

use aegish_profiles::{Lang, SystemEffect};
use aegish_values::Value;

/// What a piece of code does.
#[derive(Debug, Clone, PartialEq)]
pub enum CodeEffect {
    /// Runs this text with a shell (`os.system`, backticks, `system()` with one argument).
    Shell(Value),
    /// Runs this program with these arguments, without a shell.
    Argv(Vec<Value>),
    /// Evaluates this text as code of the given language (`eval`, `exec`, `source`).
    Eval(Lang, Value),
    /// Runs a file as code of the given language (`execfile`, `require './x'`, `load`).
    Script(Lang, Value),
    /// Runs a module by its name, wherever that is found (`import name`).
    Import(String),
    /// Runs programs of this directory (`core.hooksPath`).
    Directory(Value),
    /// Changes the working directory for what the code runs from here on.
    Chdir(Value),
    /// Runs something unknown.
    Hidden,
    /// Runs what it receives over a connection that it opened.
    RunReceived,
    /// Attaches standard input/output to a connection (`dup2(s.fileno(), 0)`, `STDIN->fdopen($c)`).
    AttachStdio,
    /// Reads the content of a file.
    Read(Value),
    /// Hands this path to something that is not known.
    Mention(Value),
    /// Lists a directory or looks at metadata.
    List(Value),
    /// Writes to a file.
    Write {
        /// Which file.
        path: Value,
        /// The content, as far as known.
        content: Value,
        /// Whether the old content is kept.
        append: bool,
    },
    /// Removes a file or directory.
    Delete {
        /// The file or directory.
        path: Value,
        /// Whether its content is removed too.
        tree: bool,
    },
    /// Changes permissions.
    Mode {
        /// Which file.
        path: Value,
        /// Octal digits or symbolic form.
        mode: Value,
    },
    /// Changes the owner.
    Owner {
        /// Which file.
        path: Value,
        /// `user:group` or `uid:gid`.
        owner: Value,
    },
    /// Makes a name for a file or directory.
    Link {
        /// What the name stands for.
        target: Value,
        /// The name.
        name: Value,
    },
    /// Copies or renames.
    Copy {
        /// From.
        from: Value,
        /// To.
        to: Value,
    },
    /// Opens a connection.
    Connect {
        /// Host.
        host: Value,
        /// Port.
        port: Value,
    },
    /// Waits for connections.
    Listen {
        /// Address; empty = all.
        host: Value,
        /// Port.
        port: Value,
    },
    /// Downloads.
    Fetch {
        /// URL.
        url: Value,
        /// File it is saved to, if it is.
        to: Option<Value>,
    },
    /// Sends content (of a file, if one is named) to a URL or host.
    Send {
        /// URL or host.
        to: Value,
        /// The file whose content is sent, if known.
        file: Option<Value>,
    },
    /// Serves files to any client.
    Serve {
        /// Address; empty = all.
        host: Value,
        /// Directory; empty = the working directory.
        root: Value,
    },
    /// Loads a native library or extension into the process.
    Load(Value),
    /// Variables that the programs started from here on get in addition to those of the code; none ends it.
    Environment(Vec<(String, Value)>),
    /// Sets an environment variable.
    Setenv {
        /// Name.
        name: String,
        /// Value.
        value: Value,
    },
    /// Becomes another user (`os.setuid(0)`).
    SetUser(Value),
    /// Starts processes without end (fork bomb) or fills memory on purpose.
    Exhaust,
    /// Changes the system.
    System {
        /// In which way.
        what: SystemEffect,
        /// A few words for people.
        detail: &'static str,
        /// The thing acted on.
        object: Value,
    },
    /// Prints this text to standard output (only when fully known; lets pipelines be followed).
    Print(String),
}

/// What lines and data are that a program reads of which nothing is known.
pub const ANY_INPUT: &str = "input";

/// Files that the session wrote before the code runs.
pub trait SessionFiles {
    /// The content of a file, if the session wrote it.
    fn content(&self, path: &str) -> Option<Value>;

    /// The content of a file that is run as code.
    fn code(&self, path: &str) -> Option<Value>;

    /// A file of code whose path ends in this way, and its content.
    fn ending_with(&self, end: &str) -> Option<(String, Value)>;
}

/// A session that wrote no file.
pub struct NoFiles;

impl SessionFiles for NoFiles {
    fn content(&self, _path: &str) -> Option<Value> {
        None
    }

    fn code(&self, _path: &str) -> Option<Value> {
        None
    }

    fn ending_with(&self, _end: &str) -> Option<(String, Value)> {
        None
    }
}

/// The context of the code.
pub struct CodeContext<'a> {
    /// Value of an environment variable, if known.
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// Arguments given to the code (`sys.argv[1..]`, `@ARGV`), as far as known.
    pub args: &'a [Value],
    /// What the code finds on standard input.
    pub input: Value,
    /// Files that it may read or load.
    pub files: &'a dyn SessionFiles,
}

impl<'a> CodeContext<'a> {
    /// Code of whose surroundings only variables and arguments are known.
    pub fn alone(env: &'a dyn Fn(&str) -> Option<String>, args: &'a [Value]) -> Self {
        Self { env, args, input: Value::unknown(ANY_INPUT), files: &NoFiles }
    }
}
