//! The vocabulary in which the analysis describes to the policy what a command would do.

use crate::script_file::ScriptFile;
use aegish_options::{Field, Words};
use aegish_profiles::{Detail, SystemEffect};
use aegish_syntax::Span;
use aegish_values::{Taint, Value};

/// The result of the analysis.
#[derive(Debug, Clone, Default)]
pub struct Analysis {
    /// Every simple command that may run, in order, wrappers and inner commands included.
    pub commands: Vec<CommandReport>,
    /// The effects of the commands, in the order in which they would run.
    pub effects: Vec<Effect>,
    /// Files that would run as code, each once, in the order in which the analysis meets them.
    pub scripts: Vec<ScriptFile>,
    /// Programs on this machine that run something with the rights of another user, as named, each once.
    pub elevations: Vec<String>,
}

/// A point in an analysis to which one can go back.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    commands: usize,
    effects: usize,
    scripts: usize,
    elevations: usize,
}

impl Analysis {
    /// The present point.
    #[must_use]
    pub fn mark(&self) -> Mark {
        Mark {
            commands: self.commands.len(),
            effects: self.effects.len(),
            scripts: self.scripts.len(),
            elevations: self.elevations.len(),
        }
    }

    /// Drops what was reported since then.
    pub fn back_to(&mut self, mark: Mark) {
        self.commands.truncate(mark.commands);
        self.effects.truncate(mark.effects);
        self.scripts.truncate(mark.scripts);
        self.elevations.truncate(mark.elevations);
    }

    /// Whether the shell may switch its key bindings to vi or emacs.
    #[must_use]
    pub fn sets_edit_mode(&self) -> bool {
        self.commands.iter().any(|command| {
            let known = |at: usize| command.argv.get(at).and_then(Value::as_known);
            let is_mode = |value: &Value| matches!(value.as_known(), Some("vi" | "emacs") | None);
            match known(0) {
                Some("set") => command.argv.windows(2).any(|pair| {
                    let [option, mode] = pair else { return false };
                    let option = option.as_known().unwrap_or_default();
                    option.starts_with(['-', '+']) && option.ends_with('o') && is_mode(mode)
                }),
                Some("shopt") => command.argv.iter().skip(1).any(is_mode),
                _ => false,
            }
        })
    }
}

/// One simple command after expansion.
#[derive(Debug, Clone)]
pub struct CommandReport {
    /// Name and arguments as the program would receive them.
    pub argv: Vec<Value>,
    /// The name of the profile that was used, if the program is known.
    pub program: Option<&'static str>,
    /// Its span in the source.
    pub span: Span,
    /// Index of the command that runs this one (a wrapper, an interpreter), if any.
    pub parent: Option<usize>,
    /// How the parent reaches it.
    pub invocation: Invocation,
}

impl CommandReport {
    /// The words after the name, sorted by the program's grammar.
    #[must_use]
    pub fn words(&self) -> Words {
        let profile = self.program.and_then(aegish_profiles::find);
        let field = |value: &Value| Field { value: value.clone(), span: Span::default() };
        let fields: Vec<Field> = self.argv.iter().skip(1).map(field).collect();
        aegish_options::sort(profile.map(|profile| &profile.grammar), &fields)
    }
}

/// How long a name has another meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShadowScope {
    /// Also for lines and programs that are not part of the text.
    Session,
    /// Until the text ends: the shell ends with it, and no other program gets the meaning. What the name does in
    /// the text is followed.
    Text,
}

/// How a command comes to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Invocation {
    /// A simple command of the script itself, of `sh -c` text, of `eval` or of a sourced file.
    Direct,
    /// A program made for running others runs it (`sudo`, `env`, `nice`, `xargs`, `find -exec`, `ssh`).
    Launched,
    /// A program made for something else runs it (`tar --checkpoint-action`, `vim -c '!…'`,
    /// `awk 'system()'`, `GIT_SSH_COMMAND`, code of an interpreter).
    Indirect,
    /// It stands among the words of a program that nobody knows, and that may run it. Only what would be stopped
    /// counts.
    Supposed,
}

/// One thing a command would do.
#[derive(Debug, Clone)]
pub struct Effect {
    /// What.
    pub kind: EffectKind,
    /// The words it follows from.
    pub span: Span,
    /// Index into [`Analysis::commands`].
    pub command: usize,
    /// Whether the shell does it by a redirection, and not the program.
    pub redirected: bool,
}

/// Where content that is sent or fetched comes from or goes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stream {
    /// Standard input or output.
    Standard,
    /// This file.
    File(Value),
    /// Text of the command itself.
    Literal(Value),
}

/// The input from which a started shell reads its commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShellEntry {
    /// A shell reading the terminal (`bash`, `sh -i`, `env sh`, `vim -c ':!sh'`).
    Interactive,
    /// A terminal emulator or multiplexer, which starts shells of its own (`tmux`, `xterm`).
    Terminal,
    /// A shell (or an interpreter running what it receives) whose input or output is a network
    /// connection.
    Networked,
}

/// Code in the value of a variable (`PROMPT_COMMAND`, `BASH_ENV`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableCode {
    /// There is none, or it was not read.
    Unread,
    /// The value is a prompt, and its expansion runs no command.
    RunsNothing,
    /// All of it was followed: what it does is reported as other effects.
    Followed,
}

/// Why something that will run cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opaque {
    /// The command name depends on something unknown.
    CommandName,
    /// The command name is the value of a variable that the text did not set (`$RUNNER build`).
    ProgramFromEnvironment,
    /// Code for a shell or interpreter depends on something unknown (`eval "$x"`, `sh -c "$y"`).
    Code,
    /// A script or program file outside the system's directories that could not be read.
    Script,
    /// The text is not valid Bash.
    Syntax,
    /// A bound on the work was reached.
    Limit,
    /// The name of a file is made of the text itself in a way that is not followed (`cat "$(jq -n …)"`).
    FileName,
}

/// What a file is known to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A directory.
    Directory,
    /// It may be any kind of file.
    Any,
}

/// An effect. Paths are absolute or relative to the working directory at that point, as far as known; `~` and
/// `$HOME` are already expanded.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum EffectKind {
    /// Content of a file reaches the program (and so the screen or its output).
    Read {
        /// Which file.
        path: Value,
        /// Also everything below it.
        tree: bool,
    },
    /// Names or metadata only.
    List {
        /// Which file or directory.
        path: Value,
    },
    /// Content is written.
    Write {
        /// Which file.
        path: Value,
        /// The content, as far as known.
        content: Value,
        /// Whether the old content is kept.
        append: bool,
    },
    /// A file is removed.
    Delete {
        /// Which file.
        path: Value,
        /// Also everything below it.
        tree: bool,
    },
    /// `chmod`, `install -m`, `setfacl`.
    Mode {
        /// Which file.
        path: Value,
        /// Octal or symbolic mode, as written.
        mode: Value,
        /// Also everything below it.
        tree: bool,
        /// What the file is.
        kind: FileKind,
    },
    /// `chown`, `chgrp`.
    Owner {
        /// Which file.
        path: Value,
        /// `user:group` as written.
        owner: Value,
        /// Also everything below it.
        tree: bool,
        /// What the file is.
        kind: FileKind,
    },
    /// `name` becomes another name for `target`.
    Link {
        /// The target of the link.
        target: Value,
        /// The new name.
        name: Value,
    },
    /// Something else stands at this path afterwards, or for the program that is run.
    Replace {
        /// Which file or directory.
        path: Value,
    },
    /// A program without a profile has this path as an argument: it may read, write or run it.
    Mention {
        /// Which file.
        path: Value,
    },
    /// A container or virtual machine gets access to this directory of the machine.
    Mount {
        /// Which directory.
        source: Value,
    },
    /// Opens a connection.
    Connect {
        /// Host name or address.
        host: Value,
        /// Port or service; empty if implied.
        port: Value,
    },
    /// Waits for connections.
    Listen {
        /// Address bound to; empty means all.
        host: Value,
        /// Port.
        port: Value,
    },
    /// Retrieves content from another machine.
    Fetch {
        /// URL or `host:path`.
        from: Value,
        /// Where it goes.
        to: Stream,
    },
    /// Sends content to another machine.
    Send {
        /// URL, host or `host:path`.
        to: Value,
        /// The content.
        what: Stream,
        /// Where that content came from.
        taint: Taint,
    },
    /// Content that came from there is printed, and somebody who must not see secrets unasked reads it.
    Show {
        /// Where it came from.
        taint: Taint,
    },
    /// Offers local files to anyone who connects.
    Serve {
        /// Address bound to; empty means all.
        host: Value,
        /// The directory or file offered.
        root: Value,
    },
    /// A shell is started that takes its commands from a person or a connection.
    Shell {
        /// In which way.
        entry: ShellEntry,
        /// How it is reached.
        invocation: Invocation,
    },
    /// A program that was made for something else runs a command that is not an ordinary helper.
    IndirectRun {
        /// The command, readable.
        command: Value,
    },
    /// Content from the network is run as code or as a program.
    RunFetched {
        /// Where it came from.
        origin: String,
    },
    /// The same, after it was verified or read by the person.
    RunVerified {
        /// Where it came from.
        origin: String,
    },
    /// A file of a checkout is run as code or as a program.
    RunCheckout {
        /// Which repository.
        origin: String,
    },
    /// Something runs that cannot be read.
    Hidden {
        /// Why not.
        why: Opaque,
        /// The word or file in question.
        what: Value,
        /// Where the unknown part came from.
        taint: Taint,
    },
    /// Code was disguised (encoded, assembled from pieces) before it reached an interpreter.
    Disguised {
        /// How, in a few words.
        how: &'static str,
        /// The decoded text, if known.
        code: Value,
    },
    /// Foreign code is loaded into a process (`LD_PRELOAD`, `dlopen`, `enable -f`).
    Load {
        /// The library.
        library: Value,
    },
    /// A variable that changes how later programs behave is set for them.
    Setenv {
        /// Its name.
        name: String,
        /// Its value.
        value: Value,
        /// What is known of code in the value.
        code: VariableCode,
    },
    /// A variable or function that other code may rely on is removed.
    Unset {
        /// Its name.
        name: String,
    },
    /// A command name gets another meaning in this session (alias, function, hash, `enable -n`).
    Shadow {
        /// The name.
        name: String,
        /// Its new meaning.
        meaning: Value,
        /// How long it has that meaning.
        scope: ShadowScope,
    },
    /// A process waits for a line typed by a person and runs it (REPL, pager with `!`).
    Interactive {
        /// The kind of lines that can be typed there.
        keys: &'static str,
    },
    /// An effect on the system as a whole.
    System {
        /// The effect. Rules decide by this and by the object.
        what: SystemEffect,
        /// How to say it to a person, e.g. `stops a unit`.
        detail: Detail,
        /// The thing acted on.
        object: Value,
    },
}

impl EffectKind {
    /// The file or directory that the effect is about.
    pub fn path_mut(&mut self) -> Option<&mut Value> {
        match self {
            Self::Read { path, .. }
            | Self::List { path }
            | Self::Write { path, .. }
            | Self::Delete { path, .. }
            | Self::Mode { path, .. }
            | Self::Owner { path, .. }
            | Self::Mention { path }
            | Self::Replace { path }
            | Self::Link { name: path, .. }
            | Self::Mount { source: path } => Some(path),
            _ => None,
        }
    }

    /// The path, if it reads or changes a file that may be any.
    pub fn any_file(&mut self) -> Option<&mut Value> {
        let any = |path: &&mut Value| path.is_one_of_many_values() || path.is_cut();
        match self {
            Self::List { .. } | Self::Mention { .. } => None,
            // What is done to the link is done to its target.
            Self::Link { target, name } => [target, name].into_iter().find(any),
            _ => self.path_mut().filter(any),
        }
    }

    /// Whether it is about files of this machine.
    #[must_use]
    pub fn is_about_files(&self) -> bool {
        matches!(
            self,
            Self::Read { .. }
                | Self::List { .. }
                | Self::Write { .. }
                | Self::Delete { .. }
                | Self::Mode { .. }
                | Self::Owner { .. }
                | Self::Link { .. }
                | Self::Mention { .. }
                | Self::Replace { .. }
        )
    }
}
