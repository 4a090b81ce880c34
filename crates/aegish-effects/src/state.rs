//! What the shell would remember at a given point of the script: variables, functions, aliases, the
//! working directory, open descriptors and the files written so far.

use crate::outcome::Outcome;
use crate::shared_map::SharedMap;
use aegish_profiles::Lang;
use aegish_syntax::{Command, Span};
use aegish_values::{Piece, Source, Taint, Value, join_values, origin};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// The shell's memory. Cloned for subshells and branches, so the large parts are [`SharedMap`]s.
#[derive(Debug, Clone, Default)]
pub(crate) struct ShellState {
    /// Variables set by the script; those of the context are looked up behind them.
    pub(crate) variables: SharedMap<Variable>,
    /// Functions defined by the script.
    pub(crate) functions: SharedMap<Function>,
    /// Aliases defined by the script.
    pub(crate) aliases: SharedMap<String>,
    /// `$1…`; `None` if nothing is known about them.
    pub(crate) positional: Option<Rc<Vec<Value>>>,
    /// Working directory.
    pub(crate) cwd: Value,
    /// Descriptors above 2 (and 0–2 after `exec` redirections).
    pub(crate) descriptors: BTreeMap<u32, Flow>,
    /// Files written by the script, by absolute (or as written) path.
    pub(crate) files: SharedMap<FileFact>,
    /// `$_`: the last word of the command before.
    pub(crate) last_word: Option<Value>,
    /// The stack of `pushd`, without the working directory.
    pub(crate) directories: Vec<Value>,
    /// Directories with files unpacked from a download.
    pub(crate) unpacked: Vec<Unpacked>,
    /// Directories that were made.
    pub(crate) made: Vec<String>,
    /// Code that runs on signals and events.
    pub(crate) traps: Vec<Trap>,
    /// Settings of earlier lines that programs follow when they run.
    pub(crate) settings: Vec<StoredSetting>,
    /// Lines that were put into the command history without having run.
    pub(crate) recalled: Vec<Value>,
    /// Functions that bash itself calls.
    pub(crate) called_by_shell: Vec<String>,
    /// Functions that child shells get as well.
    pub(crate) exported_functions: Vec<String>,
    /// Names that this script linked to another directory, with that directory.
    pub(crate) links: Vec<(String, String)>,
    /// `hash -p path name`: where the shell looks for a command.
    pub(crate) hashed: HashMap<String, String>,
    /// `$0`, if the script is not Bash itself.
    pub(crate) zero: Option<Value>,
    /// Switches of `shopt` that may be on.
    pub(crate) switches: Vec<Switch>,
    /// Code ran that could not be read: it may have set traps or attributes.
    pub(crate) unread: bool,
    /// A variable has an attribute (`-i`, `-n`) with which assignments change other variables.
    pub(crate) reaching: bool,
    /// `set -e`: the shell ends when a command fails.
    pub(crate) errexit: bool,
    /// Downloads that were verified, or read by the person.
    pub(crate) vouched: Vec<String>,
    /// Those that are so if the last command succeeded, or failed.
    pub(crate) outcome: Outcome,
}

/// A function defined by the script.
#[derive(Debug, Clone)]
pub(crate) struct Function {
    /// What it does.
    pub(crate) body: Rc<Command>,
    /// The same as it was written.
    pub(crate) text: Rc<str>,
    /// The previous function of this name, if this definition may not have run.
    pub(crate) also: Option<Rc<Function>>,
}

/// A variable set by the script.
#[derive(Debug, Clone, Default)]
pub(crate) struct Variable {
    /// What it holds.
    pub(crate) content: VariableContent,
    /// Passed on to programs.
    pub(crate) exported: bool,
    /// `declare -n`: the name of another variable.
    pub(crate) reference: bool,
    /// `declare -i`
    pub(crate) integer: bool,
    /// `declare -u` / `-l`
    pub(crate) case: Option<char>,
}

impl Variable {
    /// Whether it holds a string.
    pub(crate) fn is_scalar(&self) -> bool {
        matches!(self.content, VariableContent::Scalar(_))
    }
}

/// What a variable holds.
#[derive(Debug, Clone)]
pub(crate) enum VariableContent {
    /// Explicitly unset.
    Unset,
    /// A string.
    Scalar(Value),
    /// An indexed array.
    Indexed(BTreeMap<i64, Value>),
    /// An associative array.
    Keyed(BTreeMap<String, Value>),
}

impl Default for VariableContent {
    fn default() -> Self {
        Self::Scalar(Value::empty())
    }
}

impl VariableContent {
    /// The value of `$name`.
    pub(crate) fn scalar(&self) -> Option<Value> {
        match self {
            Self::Unset => None,
            Self::Scalar(value) => Some(value.clone()),
            Self::Indexed(items) => items.get(&0).cloned(),
            Self::Keyed(items) => items.get("0").cloned(),
        }
    }

    /// All elements in order.
    pub(crate) fn elements(&self) -> Vec<Value> {
        match self {
            Self::Unset => Vec::new(),
            Self::Scalar(value) => vec![value.clone()],
            Self::Indexed(items) => items.values().cloned().collect(),
            Self::Keyed(items) => items.values().cloned().collect(),
        }
    }

    /// All keys in order.
    pub(crate) fn keys(&self) -> Vec<Value> {
        match self {
            Self::Unset => Vec::new(),
            Self::Scalar(_) => vec![Value::known("0")],
            Self::Indexed(items) => items.keys().map(|key| Value::known(key.to_string())).collect(),
            Self::Keyed(items) => items.keys().map(|key| Value::known(key.clone())).collect(),
        }
    }
}

/// A file written by the script.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileFact {
    /// Its content, as far as known.
    pub(crate) content: Value,
    /// A named pipe.
    pub(crate) fifo: bool,
    /// A shell takes its commands from the named pipe.
    pub(crate) obeyed: bool,
    /// The line that wrote it has run: the file itself knows its content better.
    pub(crate) settled: bool,
    /// The file existed before and was only appended to.
    pub(crate) added_to: bool,
}

/// A directory with files unpacked from a download, or checked out.
#[derive(Debug, Clone)]
pub(crate) struct Unpacked {
    /// Which, from the root on.
    pub(crate) place: String,
    /// Where the archive came from: the network, or a repository.
    pub(crate) origin: Source,
    /// The entries of the directory before, if they could be listed.
    pub(crate) before: Vec<String>,
}

/// A setting because of which a program runs something.
#[derive(Debug, Clone)]
pub(crate) struct StoredSetting {
    /// The program that follows it.
    pub(crate) program: &'static str,
    /// In which language it is written.
    pub(crate) lang: Lang,
    /// `NAME=VALUE`
    pub(crate) value: Value,
    /// The effects that it had when it was made, in short.
    pub(crate) seen: Vec<String>,
}

/// Code that runs on signals and events.
#[derive(Debug, Clone)]
pub(crate) struct Trap {
    /// The code as it was given.
    pub(crate) code: Value,
    /// When it runs.
    pub(crate) events: Vec<String>,
    /// The values of the variables in it when it was last followed.
    pub(crate) seen: Vec<Option<Value>>,
    /// The span of its definition, if that is in the current text.
    pub(crate) span: Option<Span>,
}

/// What a descriptor is connected to.
#[derive(Debug, Clone)]
pub(crate) enum Flow {
    /// The standard input of the caller: a person at a terminal.
    Terminal,
    /// Nothing (`/dev/null`, closed).
    Nothing,
    /// This text, as far as known; reading consumes nothing here.
    Text(Value),
    /// This file.
    File(Value),
    /// A network connection opened by the shell (`/dev/tcp/…`).
    Network {
        /// Host and port, readable.
        peer: String,
    },
}

impl Flow {
    /// What a program reads from it.
    pub(crate) fn content(&self) -> Value {
        match self {
            Self::Terminal => {
                Value::unknown(origin::TYPED_TEXT).tainted(&Taint::from(Source::Terminal))
            }
            Self::Nothing => Value::empty(),
            Self::Text(value) => value.clone(),
            Self::File(path) => Value::unknown(origin::FILE_CONTENT)
                .tainted(&Taint::from(Source::File(path.to_string()))),
            Self::Network { peer } => {
                Value::unknown("network data").tainted(&Taint::from(Source::Network(peer.clone())))
            }
        }
    }
}

impl ShellState {
    /// Joins two states that may both be reached: what differs becomes "one of" or unknown.
    pub(crate) fn join(&mut self, other: &Self) {
        self.join_vouched(other);
        if !self.variables.is_same(&other.variables) {
            self.join_variables(other);
        }
        for (name, body) in other.functions.iter() {
            if !self.functions.contains_key(name) {
                self.functions.insert(name.clone(), body.clone());
            }
        }
        for (name, text) in other.aliases.iter() {
            if !self.aliases.contains_key(name) {
                self.aliases.insert(name.clone(), text.clone());
            }
        }
        for (path, fact) in other.files.iter() {
            if !self.files.contains_key(path) {
                self.files.insert(path.clone(), fact.clone());
            }
        }
        for switch in &other.switches {
            if !self.switches.contains(switch) {
                self.switches.push(*switch);
            }
        }
        if self.cwd != other.cwd {
            self.cwd = join_values(&self.cwd, &other.cwd);
        }
        for (fd, flow) in &other.descriptors {
            self.descriptors.entry(*fd).or_insert_with(|| flow.clone());
        }
    }

    /// As [`ShellState::join`], but only for the meaning of words. A changed directory or written file in
    /// a branch is assumed.
    pub(crate) fn join_assignments(&mut self, other: &Self) {
        self.join_vouched(other);
        if !self.variables.is_same(&other.variables) {
            self.join_variables(other);
        }
        for (name, theirs) in other.functions.iter() {
            match self.functions.get_mut(name) {
                None => {
                    self.functions.insert(name.clone(), theirs.clone());
                }
                Some(ours) if ours.text != theirs.text && ours.also.is_none() => {
                    ours.also = Some(Rc::new(theirs.clone()));
                }
                Some(_) => {}
            }
        }
        if self.positional != other.positional {
            self.positional = None;
        }
    }

    /// Only what holds in both can be relied on.
    fn join_vouched(&mut self, other: &Self) {
        self.errexit &= other.errexit;
        self.vouched.retain(|path| other.vouched.contains(path));
    }

    fn join_variables(&mut self, other: &Self) {
        let unset = || Variable { content: VariableContent::Unset, ..Variable::default() };
        for (name, theirs) in other.variables.iter() {
            match self.variables.get_mut(name) {
                Some(ours) => ours.join(theirs),
                None => {
                    let mut joined = theirs.clone();
                    joined.join(&unset());
                    self.variables.insert(name.clone(), joined);
                }
            }
        }
        let missing: Vec<String> = self
            .variables
            .keys()
            .filter(|name| !other.variables.contains_key(name))
            .cloned()
            .collect();
        for name in missing {
            if let Some(ours) = self.variables.get_mut(&name) {
                ours.join(&unset());
            }
        }
    }
}

impl Variable {
    fn join(&mut self, other: &Self) {
        self.exported |= other.exported;
        self.content = match (std::mem::take(&mut self.content), &other.content) {
            (VariableContent::Unset, VariableContent::Unset) => VariableContent::Unset,
            (VariableContent::Scalar(ours), VariableContent::Scalar(theirs)) => {
                VariableContent::Scalar(join_values(&ours, theirs))
            }
            // A variable that one branch sets keeps that value. Unset is the harmless reading.
            (VariableContent::Unset, set) => set.clone(),
            (set, VariableContent::Unset) => set,
            (VariableContent::Indexed(mut ours), VariableContent::Indexed(theirs)) => {
                for (key, value) in theirs {
                    let joined =
                        ours.get(key).map_or_else(|| value.clone(), |v| join_values(v, value));
                    ours.insert(*key, joined);
                }
                VariableContent::Indexed(ours)
            }
            (ours, _) => ours,
        };
    }
}

/// A switch of `shopt` that changes what the words of a script mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Switch {
    /// `lastpipe`: the last part of a pipeline runs in the shell itself.
    LastPipe,
    /// `nocasematch`: `case` and `${x/y/z}` take capitals for small letters.
    NoCaseMatch,
    /// `nocaseglob`: so do patterns of file names.
    NoCaseGlob,
}

/// The pattern in small letters, in which the names of important files are written.
pub(crate) fn small(pattern: &Value) -> Value {
    let mut small = Value::empty().tainted(pattern.taint());
    for piece in pattern.pieces() {
        small.push(match piece {
            Piece::Text(text) => Piece::Text(text.to_lowercase()),
            Piece::AnyOf(set) => Piece::AnyOf(set.to_lowercase()),
            other => other.clone(),
        });
    }
    small
}
