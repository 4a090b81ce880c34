//! The compiled form of a profile. The build script compiles this file too.
//!
//! `docs/reference/profile-format.md` describes every field, role and effect.

use crate::system::{Detail, SystemEffect};
use crate::vocabulary::{Behaviour, Lang, Trait};

/// A program.
#[derive(Debug)]
pub struct Profile {
    /// The usual name.
    pub name: &'static str,
    /// Other names with the same grammar.
    pub aliases: &'static [&'static str],
    /// One line for people.
    pub summary: &'static str,
    /// Where the facts come from.
    pub source: &'static str,
    /// Properties of the program that rules use.
    pub traits: &'static [Trait],
    /// Whether other programs usually call it.
    pub helper: bool,
    /// Whether an unknown subcommand `x` is the program `NAME-x` on the search path.
    pub external: bool,
    /// Set if the grammar is code.
    pub special: Option<Special>,
    /// Variables whose value this program runs or reads.
    pub env: &'static [(&'static str, ArgumentRole)],
    /// Files that the program reads without being asked, relative to the working or home directory.
    pub inputs: &'static [(&'static str, ArgumentRole)],
    /// Options, operands, subcommands.
    pub grammar: Grammar,
    /// Checked examples.
    pub examples: &'static [Example],
}

impl Profile {
    /// Whether the program has this trait.
    #[must_use]
    pub fn has(&self, wanted: Trait) -> bool {
        self.traits.contains(&wanted)
            || (wanted == Trait::Shell && self.special == Some(Special::Shell))
    }
}

/// Options, operands and subcommands of a program or subcommand.
#[derive(Debug)]
pub struct Grammar {
    /// How options are written.
    pub style: Style,
    /// Known options.
    pub options: &'static [Opt],
    /// Roles of the operands.
    pub operands: &'static [OperandSlot],
    /// What happens to standard input.
    pub stdin: Stdin,
    /// The kind of lines that a person can type at the program.
    pub keys: Option<&'static str>,
    /// Effects of running it.
    pub does: &'static [DeclaredEffect],
    /// Effects of an operand that is this word.
    pub words: &'static [(&'static str, &'static [DeclaredEffect])],
    /// Variations chosen by options.
    pub modes: &'static [Mode],
    /// Subcommands.
    pub subs: &'static [Sub],
}

/// A subcommand.
#[derive(Debug)]
pub struct Sub {
    /// Its spellings.
    pub names: &'static [&'static str],
    /// Its grammar.
    pub grammar: Grammar,
}

/// An option.
#[derive(Debug)]
pub struct Opt {
    /// Its spellings, with dashes.
    pub names: &'static [&'static str],
    /// The role of its value, if it takes one.
    pub value: Option<ArgumentRole>,
    /// Whether the value is optional, and then attached.
    pub optional: bool,
    /// Number of further words that belong to the option and have no role.
    pub more: u8,
    /// Effects of the option.
    pub does: &'static [DeclaredEffect],
    /// Effects of a value that is this word.
    pub values: &'static [(&'static str, &'static [DeclaredEffect])],
}

/// A variation of a grammar that options select.
#[derive(Debug)]
pub struct Mode {
    /// Selected by any of these options.
    pub when: &'static [&'static str],
    /// Also requires one of these, if there are any.
    pub and: &'static [&'static str],
    /// Operands that replace the grammar's.
    pub operands: Option<&'static [OperandSlot]>,
    /// Options that take precedence over the grammar's.
    pub options: &'static [Opt],
    /// Additional effects.
    pub does: &'static [DeclaredEffect],
    /// Effects of an operand that is this word.
    pub words: &'static [(&'static str, &'static [DeclaredEffect])],
    /// Replaces that of the grammar.
    pub stdin: Option<Stdin>,
}

/// A slot for operands.
#[derive(Debug, Clone, Copy)]
pub struct OperandSlot {
    /// The role of the words.
    pub role: ArgumentRole,
    /// The number of words.
    pub count: Count,
}

/// How many words a [`OperandSlot`] takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// Exactly one.
    One,
    /// One or none.
    Optional,
    /// Any number.
    Any,
    /// At least one.
    Some,
}

impl Count {
    /// In the order of their numbers.
    pub(crate) const ALL: &[Self] = &[Self::One, Self::Optional, Self::Any, Self::Some];
}

/// A consequence of an option, a subcommand or the program itself.
#[derive(Debug, Clone, Copy)]
pub enum DeclaredEffect {
    /// How the program treats its operands, input or output. Some behaviours have an argument.
    Behaviour(Behaviour, &'static str),
    /// An effect on the system, and a text for people.
    System(SystemEffect, Detail),
}

impl DeclaredEffect {
    /// Whether this is the given behaviour.
    #[must_use]
    pub fn is(&self, behaviour: Behaviour) -> bool {
        matches!(self, Self::Behaviour(own, _) if *own == behaviour)
    }
}

/// An example from the profile.
#[derive(Debug)]
pub struct Example {
    /// The command.
    pub command: &'static str,
    /// Effects that must be found.
    pub effects: &'static [&'static str],
    /// Effects that must not be found, by prefix.
    pub never: &'static [&'static str],
}

/// How a program's options are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Bundles, long names, mixed with operands.
    Gnu,
    /// Like [`Style::Gnu`], up to the first operand.
    Posix,
    /// Whole words, also with one dash.
    Long,
    /// Like [`Style::Gnu`], the first word may be a bundle without a dash.
    Bsd,
    /// `key=value`
    Keys,
    /// No options.
    None,
}

impl Style {
    /// In the order of their numbers.
    pub(crate) const ALL: &[Self] =
        &[Self::Gnu, Self::Posix, Self::Long, Self::Bsd, Self::Keys, Self::None];
}

/// What happens to standard input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stdin {
    /// Read as data when no operand supplies content.
    Data,
    /// Run as code when no operand supplies it.
    Code(Lang),
    /// Run as shell code by another machine.
    RemoteCode,
    /// Each line is a command line.
    ArgvLines,
    /// Each line names a file that is read.
    Paths,
    /// Ignored.
    None,
}

impl Stdin {
    /// Variants without a language.
    pub(crate) const PLAIN: &[Self] =
        &[Self::Data, Self::RemoteCode, Self::ArgvLines, Self::Paths, Self::None];
}

/// Programs whose grammar is code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Special {
    /// `bash` and similar shells.
    Shell,
    /// `find`
    Find,
    /// `fd`
    Fd,
    /// `xargs`
    Xargs,
    /// GNU `parallel`
    Parallel,
    /// `test`, `[`
    Test,
}

impl Special {
    /// In the order of their numbers.
    pub(crate) const ALL: &[Self] =
        &[Self::Shell, Self::Find, Self::Fd, Self::Xargs, Self::Parallel, Self::Test];
}

/// What a word is to its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ArgumentRole {
    Text,
    Path,
    Dir,
    IncludeDir,
    OptionFile,
    Options,
    Read,
    ReadTree,
    ReadAt,
    ReadList,
    Checklist,
    Write,
    Append,
    Edit,
    WriteDir,
    MakeDir,
    Member,
    BackupSuffix,
    Log,
    Delete,
    DeleteTree,
    Replace,
    CopyFrom,
    MoveFrom,
    CopyTo,
    CopyInto,
    LinkTarget,
    LinkName,
    Mode,
    ModePath,
    Owner,
    Group,
    OwnerPath,
    Config,
    Url,
    Host,
    Port,
    Listen,
    RemoteFrom,
    RemoteTo,
    Send,
    SendFile,
    SendAt,
    SendForm,
    SendEncoded,
    SendItem,
    Serve,
    Argv,
    EnvArgv,
    ArgvUntil,
    ArgvString,
    Program,
    Shell,
    ShellWords,
    ShellArgv,
    RemoteArgv,
    RemoteWords,
    RemoteShell,
    IndirectArgv,
    IndirectShell,
    IndirectProgram,
    IndirectArgvString,
    Code(Lang),
    Script(Lang),
    Module(Lang),
    Setting(Lang),
    Words(Lang),
    Args,
    Library,
    Package,
    PackageSource,
    Mount,
    Destroy,
    Assign,
    Unset,
}

impl ArgumentRole {
    /// Variants without a language.
    #[rustfmt::skip]
    pub(crate) const PLAIN: &[Self] = &[
        Self::Text, Self::Path, Self::Dir, Self::IncludeDir, Self::OptionFile, Self::Options, Self::Read, Self::ReadTree, Self::ReadAt, Self::ReadList, Self::Checklist, Self::Write,
        Self::Append, Self::Edit, Self::WriteDir, Self::MakeDir, Self::Member, Self::BackupSuffix, Self::Log, Self::Delete,
        Self::DeleteTree, Self::Replace, Self::CopyFrom, Self::MoveFrom, Self::CopyTo, Self::CopyInto,
        Self::LinkTarget, Self::LinkName, Self::Mode, Self::ModePath, Self::Owner, Self::Group, Self::OwnerPath,
        Self::Config, Self::Url, Self::Host, Self::Port, Self::Listen, Self::RemoteFrom,
        Self::RemoteTo, Self::Send, Self::SendFile, Self::SendAt, Self::SendForm, Self::SendEncoded, Self::SendItem, Self::Serve,
        Self::Argv, Self::EnvArgv, Self::ArgvUntil, Self::ArgvString, Self::Program, Self::Shell,
        Self::ShellWords, Self::ShellArgv, Self::RemoteArgv, Self::RemoteWords, Self::RemoteShell,
        Self::IndirectArgv, Self::IndirectShell, Self::IndirectProgram, Self::IndirectArgvString, Self::Args,
        Self::Library, Self::Package, Self::PackageSource, Self::Mount, Self::Destroy, Self::Assign,
        Self::Unset,
    ];
}
