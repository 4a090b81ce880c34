//! The state of the shell at a given point of the script: variables, functions, aliases, the working
//! directory, open descriptors and the files written so far.

use crate::content::VariableContent;
use crate::files::{FileFact, Flow, Link};
use crate::functions::Function;
use crate::job::Jobs;
use crate::outcome::Outcome;
use crate::traps::Traps;
use aegish_profiles::Lang;
use aegish_values::{PathMap, SharedMap, Source, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// The state of the shell. Cloned for subshells and branches, so the large parts are [`SharedMap`]s and
/// [`PathMap`]s.
#[derive(Debug, Clone, Default)]
pub struct ShellState {
    /// Variables set by the script. Others are looked up in the context.
    pub variables: SharedMap<Variable>,
    /// Functions defined by the script.
    pub functions: SharedMap<Function>,
    /// Aliases defined by the script.
    pub aliases: SharedMap<String>,
    /// `$1…`; `None` if nothing is known about them.
    pub positional: Option<Arc<Vec<Value>>>,
    /// The lists that the positional parameters may be; see [`ShellState::parameter_ways`].
    pub parameter_ways: Option<ParameterWays>,
    /// Working directory.
    pub cwd: Value,
    /// Descriptors above 2 (and 0–2 after `exec` redirections).
    pub descriptors: BTreeMap<u32, Flow>,
    /// Descriptors that are not open on every way that leads here.
    pub perhaps_closed: BTreeSet<u32>,
    /// The files of the script that descriptors were opened to read.
    pub read_from: BTreeMap<u32, String>,
    /// Files written by the script, by absolute (or as written) path.
    pub files: PathMap<FileFact>,
    /// Contents of files that the script removed or replaced: archives and repositories bring them back.
    pub replaced: SharedMap<Value>,
    /// `$_`: the last word of the command before.
    pub last_word: Option<Value>,
    /// The stack of `pushd`, without the working directory.
    pub directories: Vec<Value>,
    /// `pushd -n`: an entry of the stack may be no directory.
    pub stack_named: bool,
    /// Directories with files unpacked from a download.
    pub unpacked: Vec<Unpacked>,
    /// Directories that the script created.
    pub made: PathMap<()>,
    /// Directories that a program of the script put files into whose names are not known.
    pub filled: PathMap<()>,
    /// Beginnings of the names of files into which a program cut this content.
    pub pieces: SharedMap<Value>,
    /// Code that runs on signals and events.
    pub traps: Traps,
    /// Settings of earlier lines that affect programs when they run.
    pub settings: Vec<StoredSetting>,
    /// Lines that were added to the command history without having run.
    pub recalled: Vec<Value>,
    /// The command history: lines of the session, and those that were added to it.
    pub lines: Vec<String>,
    /// Functions that bash itself calls.
    pub called_by_shell: Vec<String>,
    /// Functions that child shells inherit.
    pub exported_functions: Vec<String>,
    /// Names that this script linked to another directory, with that directory.
    pub links: PathMap<Link>,
    /// `hash -p path name`: the path of a command.
    pub hashed: HashMap<String, String>,
    /// `$0`, if the script is not Bash itself.
    pub zero: Option<Value>,
    /// Switches of `shopt` that may be on.
    pub switches: Vec<Switch>,
    /// Code ran that could not be read: it may have set traps or attributes.
    pub unread: bool,
    /// A variable has an attribute (`-i`, `-n`) with which assignments change other variables.
    pub reaching: bool,
    /// Variables that were exported before they were set.
    pub to_export: BTreeSet<String>,
    /// `set -a`: what is defined is exported.
    pub allexport: bool,
    /// The mode of a file was changed, so that some file may not be opened.
    pub modes_changed: bool,
    /// `set -e`: the shell ends when a command fails.
    pub errexit: bool,
    /// `set +H`
    pub history_expansion: HistoryExpansion,
    /// Downloads that were verified, or read by the person.
    pub vouched: Vec<String>,
    /// What the success or failure of the last command tells.
    pub outcome: Outcome,
    /// Commands that run in the background, and looked at files.
    pub jobs: Jobs<ShellState>,
}

/// Whether a typed line can recall earlier ones (`!!`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HistoryExpansion {
    /// As in every interactive shell at first.
    #[default]
    On,
    /// `set +H`
    Off,
}

/// A variable set by the script.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Variable {
    /// Its content.
    pub content: VariableContent,
    /// Passed on to programs.
    pub exported: bool,
    /// `declare -n`: the name of another variable.
    pub reference: bool,
    /// `declare -i`
    pub integer: bool,
    /// `declare -u` / `-l`
    pub case: Option<char>,
    /// Whether it may be unset.
    pub perhaps_unset: bool,
    /// Nothing can be assigned.
    pub readonly: bool,
    /// What a condition says about its content.
    pub assumption: Option<Arc<Assumption>>,
    /// What it holds on each way, where that differs in more than texts; see [`Variable::ways`].
    pub ways: Option<Arc<Ways>>,
}

/// The text that a variable has where a condition holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Assumption {
    /// The text.
    pub text: Value,
    /// What is known without the condition, which covers the text.
    pub without: Value,
}

impl Variable {
    /// The variable has this text where a condition holds, if its own is not known.
    pub fn assume(&mut self, text: Value) {
        if self.reference || self.integer {
            return;
        }
        if let VariableContent::Scalar(value) = &mut self.content
            && !value.is_known()
        {
            let text = text.tainted(value.taint());
            let without = std::mem::replace(value, text.clone());
            self.assumption = Some(Arc::new(Assumption { text, without }));
        }
    }

    /// Forgets what a condition says, unless something was assigned since.
    pub(crate) fn forget_assumption(&mut self) {
        if let Some(assumption) = self.assumption.take()
            && let VariableContent::Scalar(value) = &mut self.content
            && *value == assumption.text
        {
            value.clone_from(&assumption.without);
        }
    }

    /// Gives it the attributes that change what is assigned: `i`, `l`, `u`.
    pub fn with_attributes(&mut self, flags: &str) {
        self.integer |= flags.contains('i');
        match (flags.contains('l'), flags.contains('u')) {
            (true, true) => self.case = None,
            (true, false) => self.case = Some('l'),
            (false, true) => self.case = Some('u'),
            (false, false) => {}
        }
    }

    /// Takes attributes away.
    pub fn without_attributes(&mut self, flags: &str) {
        self.integer &= !flags.contains('i');
        self.exported &= !flags.contains('x');
        self.reference &= !flags.contains('n');
        self.case = self.case.filter(|case| !flags.contains(*case));
    }

    /// Whether it holds a string.
    pub fn is_scalar(&self) -> bool {
        matches!(self.content, VariableContent::Scalar(_))
    }
}

/// A directory with files unpacked from a download, or checked out.
#[derive(Debug, Clone)]
pub struct Unpacked {
    /// Its path from the root.
    pub place: String,
    /// Where the archive came from: the network, or a repository.
    pub origin: Source,
    /// The entries of the directory before, if they could be listed.
    pub before: Vec<String>,
}

/// A setting that makes a program run something.
#[derive(Debug, Clone)]
pub struct StoredSetting {
    /// The program that it affects.
    pub program: &'static str,
    /// Its language.
    pub lang: Lang,
    /// `NAME=VALUE`
    pub value: Value,
    /// The effects that it had when it was made, in short.
    pub seen: Vec<String>,
}

/// What words stand for at some point.
#[derive(Debug, Clone)]
pub struct Meanings {
    variables: SharedMap<Variable>,
    functions: SharedMap<Function>,
}

impl Meanings {
    /// Those of this state.
    #[must_use]
    pub fn of(state: &ShellState) -> Self {
        Self { variables: state.variables.clone(), functions: state.functions.clone() }
    }

    /// Whether nothing was assigned or defined since.
    pub fn hold_in(&self, state: &ShellState) -> bool {
        self.variables.is_same(&state.variables) && self.functions.is_same(&state.functions)
    }
}

impl PartialEq for Meanings {
    fn eq(&self, other: &Self) -> bool {
        self.variables.is_same(&other.variables) && self.functions.is_same(&other.functions)
    }
}

/// A switch of `shopt` that changes the meaning of words in a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// `lastpipe`: the last part of a pipeline runs in the shell itself.
    LastPipe,
    /// `nocasematch`: `case` and `${x/y/z}` ignore case.
    NoCaseMatch,
    /// `extglob`: `@(a|b)` is a pattern everywhere.
    ExtGlob,
    /// `cdable_vars`: `cd` takes the name of a variable.
    CdableVars,
    /// `nocaseglob`: patterns of file names ignore case.
    NoCaseGlob,
    /// `dotglob`: patterns match hidden files too.
    DotGlob,
    /// `extdebug`: a trap decides which commands run.
    ExtDebug,
    /// `posix`: assignments before a special builtin last.
    Posix,
    /// `set -k`: assignments count wherever they stand among the words of a command.
    Keyword,
    /// `localvar_inherit`: a local variable begins with the value of the outer one.
    LocalInherits,
    /// `interactive_comments` is off: what stands behind `#` runs.
    NoComments,
    /// `noclobber`: `>` fails if the file is there.
    NoClobber,
    /// `xtrace`: commands are printed before they run.
    Trace,
    /// `physical`: `cd` leaves a link behind where it leads.
    Physical,
    /// The shell is called `sh`: it may be another one, which takes constructs of Bash for plain text or does not have them.
    PlainShell,
    /// `nounset`: an unset variable ends the shell.
    StopsAtUnset,
    /// `xpg_echo`: `echo` reads escapes.
    EchoEscapes,
    /// `functrace` or `errtrace`: functions and subshells inherit traps.
    InheritsTraps,
    /// `patsub_replacement` is off: `&` in `${x/y/&}` is text.
    PlainReplacement,
}

/// What a variable holds on the ways that lead here.
#[derive(Debug, Clone, PartialEq)]
pub struct Ways {
    /// The joined content that they belong to.
    pub(crate) joined: VariableContent,
    pub(crate) each: Vec<Way>,
}

/// What a variable holds on some of the ways.
#[derive(Debug, Clone, PartialEq)]
pub enum Way {
    /// What the shell was started with.
    Foreign,
    /// What the text has set or unset.
    Set(VariableContent),
}

/// The positional parameters on the ways that lead here.
#[derive(Debug, Clone)]
pub struct ParameterWays {
    /// The joined list that they belong to.
    pub(crate) joined: Arc<Vec<Value>>,
    pub(crate) each: Vec<Arc<Vec<Value>>>,
}
