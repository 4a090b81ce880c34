//! The state of the shell at a given point of the script: variables, functions, aliases, the working
//! directory, open descriptors and the files written so far.

use crate::files::{FileFact, Flow, Link};
use crate::functions::Function;
use crate::job::Jobs;
use crate::outcome::Outcome;
use crate::traps::Traps;
use crate::variable::{Meanings, Variable};
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

/// The positional parameters on the ways that lead here.
#[derive(Debug, Clone)]
pub struct ParameterWays {
    /// The joined list that they belong to.
    pub(crate) joined: Arc<Vec<Value>>,
    pub(crate) each: Vec<Arc<Vec<Value>>>,
}

impl ShellState {
    /// What words stand for now.
    #[must_use]
    pub fn meanings(&self) -> Meanings {
        Meanings { variables: self.variables.clone(), functions: self.functions.clone() }
    }
}
