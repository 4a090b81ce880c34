//! The tree: what Bash would run, with the span of every part.

use crate::{Comment, Span};

/// A whole input: the commands Bash would run, and what stopped the parser, if anything did.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Script {
    /// The complete commands, in order, up to the first error.
    pub body: List,
    /// Why the rest of the text is not in `body`.
    pub error: Option<SyntaxError>,
    /// The comments of the whole input, in order; empty in the scripts of substitutions.
    pub comments: Vec<Comment>,
    /// Where the bodies of here-documents are, in the whole input.
    pub here_docs: Vec<Span>,
}

/// The error that stopped the parser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// The kind of error.
    pub kind: SyntaxErrorKind,
    /// The span at which it was noticed.
    pub span: Span,
    /// One plain sentence, lower case, without a full stop.
    pub message: String,
}

/// Kinds of [`SyntaxError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyntaxErrorKind {
    /// Bash rejects the text here.
    Invalid,
    /// The text ends inside a construct: an interactive shell would ask for another line.
    Incomplete,
    /// A bound of [`Limits`] was reached; Bash might accept the text.
    Limit,
    /// Bash accepts the text, but fails when it expands this part (a bad substitution, broken commands in
    /// backticks or in a here-document). Only that part is missing from `body`.
    Deferred,
}

/// Bounds on the parser's work.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Longest accepted text in bytes.
    pub max_bytes: usize,
    /// Deepest nesting of commands, substitutions, expansions and groups.
    pub max_depth: usize,
    /// Limit on the parts of words in the whole text. Bounds time and memory for texts of many tiny
    /// commands. A long here-document is one part.
    pub max_parts: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_bytes: 1 << 20, max_depth: 100, max_parts: 30_000 }
    }
}

/// Commands separated by `;`, `&` or newlines.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct List {
    /// The parts, in order.
    pub items: Vec<AndOr>,
}

/// Pipelines joined by `&&` and `||`.
#[derive(Debug, Clone, PartialEq)]
pub struct AndOr {
    /// The first pipeline, always run.
    pub first: Pipeline,
    /// The conditional ones.
    pub rest: Vec<(Connector, Pipeline)>,
    /// Ended by `&`.
    pub background: bool,
    /// From the first word to the last, without the separator.
    pub span: Span,
}

/// How a pipeline depends on the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connector {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// Commands joined by `|` or `|&`.
#[derive(Debug, Clone, PartialEq)]
pub struct Pipeline {
    /// Preceded by an odd number of `!`.
    pub negated: bool,
    /// Preceded by `time` (with or without `-p`).
    pub timed: bool,
    /// The stages; empty for a bare `!` or `time`.
    pub commands: Vec<Command>,
    /// For each `|` between stages, whether it is `|&` (standard error goes along).
    pub with_stderr: Vec<bool>,
    /// The whole pipeline including `!` and `time`.
    pub span: Span,
}

/// One command with its redirections.
#[derive(Debug, Clone, PartialEq)]
pub struct Command {
    /// What it is.
    pub kind: CommandKind,
    /// In the order in which Bash performs them. In simple commands they may be between the words.
    pub redirects: Vec<Redirect>,
    /// Including the redirections.
    pub span: Span,
}

/// The kinds of command.
#[derive(Debug, Clone, PartialEq)]
pub enum CommandKind {
    /// Assignments and words; either may be empty.
    Simple(SimpleCommand),
    /// `{ …; }`
    Group(List),
    /// `( … )`
    Subshell(List),
    /// `if … then … elif … else … fi`
    If {
        /// Condition and body of `if` and each `elif`.
        branches: Vec<(List, List)>,
        /// Body of `else`.
        otherwise: Option<List>,
    },
    /// `while` and `until`
    While {
        /// `until` rather than `while`.
        until: bool,
        /// The condition.
        condition: List,
        /// The body.
        body: List,
    },
    /// `for name in words; do …; done`
    For {
        /// The loop variable.
        name: String,
        /// The words after `in`; `None` means `"$@"`.
        words: Option<Vec<Word>>,
        /// The body.
        body: List,
    },
    /// `for ((init; condition; step))`
    ForArith {
        /// Each may be empty.
        init: Word,
        /// Each may be empty.
        condition: Word,
        /// Each may be empty.
        step: Word,
        /// The body.
        body: List,
    },
    /// `select name in words`
    Select {
        /// The variable set to the choice.
        name: String,
        /// The words after `in`; `None` means `"$@"`.
        words: Option<Vec<Word>>,
        /// The body.
        body: List,
    },
    /// `case word in …`
    Case {
        /// The word that is compared.
        word: Word,
        /// The arms, in order.
        arms: Vec<CaseArm>,
    },
    /// `name() …` or `function name …`
    Function {
        /// The function's name.
        name: String,
        /// Usually a group. Redirections after the body belong to the body.
        body: Box<Command>,
    },
    /// `[[ … ]]`
    Cond(Cond),
    /// `(( … ))`; the expression is a word that is expanded like a double-quoted string.
    Arith(Word),
    /// `coproc [NAME] command`
    Coproc {
        /// Explicit name, only possible before a compound command.
        name: Option<String>,
        /// What runs in the background.
        body: Box<Command>,
    },
}

/// Assignments and words of a simple command.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SimpleCommand {
    /// Assignments before the first word. Assignments that are arguments (of `export`, `declare`, …) are
    /// words; only arrays among them are [`Part::Array`].
    pub assignments: Vec<Assignment>,
    /// Command name and arguments, unexpanded.
    pub words: Vec<Word>,
}

/// `name=value`, `name+=value`, `name[index]=value`, `name=(…)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// The variable.
    pub name: String,
    /// `name[index]=…`
    pub index: Option<Word>,
    /// `+=` rather than `=`.
    pub append: bool,
    /// The assigned value.
    pub value: AssignmentValue,
    /// The whole assignment.
    pub span: Span,
}

/// The assigned value.
#[derive(Debug, Clone, PartialEq)]
pub enum AssignmentValue {
    /// A word, possibly empty.
    Scalar(Word),
    /// `( … )`
    Array(Vec<ArrayElement>),
}

/// One element of an array literal.
#[derive(Debug, Clone, PartialEq)]
pub struct ArrayElement {
    /// `[index]=` if given.
    pub index: Option<Word>,
    /// The value.
    pub value: Word,
}

/// One arm of `case`.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseArm {
    /// Patterns separated by `|`.
    pub patterns: Vec<Word>,
    /// May be empty.
    pub body: List,
    /// How the arm ends.
    pub end: CaseEnd,
}

/// How an arm of `case` ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseEnd {
    /// `;;` (or the end of the construct)
    Break,
    /// `;&`
    FallThrough,
    /// `;;&`
    TryNext,
}

/// The expression inside `[[ … ]]`.
#[derive(Debug, Clone, PartialEq)]
pub enum Cond {
    /// A single word: true if not empty.
    Word(Word),
    /// `-f word` and similar tests.
    Unary(String, Word),
    /// `a == b`, `a -nt b`, `a =~ b`, `a < b` and similar tests.
    Binary(Word, String, Word),
    /// `! …`
    Not(Box<Cond>),
    /// `… && …`
    And(Box<Cond>, Box<Cond>),
    /// `… || …`
    Or(Box<Cond>, Box<Cond>),
}

/// A redirection.
#[derive(Debug, Clone, PartialEq)]
pub struct Redirect {
    /// The descriptor before the operator, if written.
    pub fd: Option<Fd>,
    /// Which one.
    pub op: RedirectOp,
    /// File name, descriptor, here-string text, or here-document delimiter (unexpanded).
    pub target: Word,
    /// The text of a here-document. Its parts are those of a double-quoted string, or one
    /// [`Part::SingleQuoted`] if the delimiter was quoted.
    pub here_doc: Option<Word>,
    /// From the descriptor to the target.
    pub span: Span,
}

/// A redirected descriptor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fd {
    /// `2>`
    Number(u32),
    /// `{name}>`
    Variable(String),
}

/// Redirection operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectOp {
    /// `<`
    Read,
    /// `>`
    Write,
    /// `>|`
    Clobber,
    /// `>>`
    Append,
    /// `<>`
    ReadWrite,
    /// `<&`
    DupInput,
    /// `>&` (a file name as target means "standard output and error")
    DupOutput,
    /// `&>`
    WriteBoth,
    /// `&>>`
    AppendBoth,
    /// `<<` and `<<-`
    HereDoc,
    /// `<<<`
    HereString,
}

/// A word before expansion.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Word {
    /// Its pieces, in order; empty for an empty expression such as the middle of `for ((;;))`.
    pub parts: Vec<Part>,
    /// Its span.
    pub span: Span,
}

/// A piece of a word.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// Unquoted text, without backslashes. Glob characters, braces and a leading tilde in it are
    /// active. Inside [`Part::DoubleQuoted`], here-documents and arithmetic it is plain text.
    Literal(String),
    /// A character after an active backslash (unquoted, or in double quotes): plain text.
    Escaped(char),
    /// `'…'`
    SingleQuoted(String),
    /// `$'…'`, decoded.
    AnsiC(String),
    /// `"…"` and `$"…"`.
    DoubleQuoted(Vec<Part>),
    /// `$name`, `${…}`
    Param(Box<Param>),
    /// `$(…)`, `` `…` ``, and `${ …; }` (which Bash 5.2 rejects: an error).
    Command(Box<CommandSub>),
    /// `$((…))` and `$[…]`, expanded like a double-quoted string, then evaluated.
    Arith(Box<Word>),
    /// `<(…)` or `>(…)`
    Process(Box<ProcessSub>),
    /// `@(a|b)` and similar patterns: the kind (`@ * + ? !`) and the alternatives.
    ExtGlob(char, Vec<Word>),
    /// `name=(…)` as an argument of a declaration command: the elements. A [`Part::Literal`] `name=` (or
    /// `name+=`) comes before it.
    Array(Vec<ArrayElement>),
}

/// `$(…)` or backticks.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandSub {
    /// The commands. Its `error` is `None`: an error inside is an error of the whole input.
    pub body: Script,
    /// Written with backticks.
    pub backtick: bool,
    /// Including the delimiters.
    pub span: Span,
}

/// `<(…)` or `>(…)`.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessSub {
    /// `>(…)`: the command reads what is written to the name.
    pub output: bool,
    /// The commands.
    pub body: Script,
    /// Including the delimiters.
    pub span: Span,
}

/// A parameter expansion.
#[derive(Debug, Clone, PartialEq)]
pub struct Param {
    /// Variable name, decimal position, or one of `@ * # ? - $ ! 0`. Empty for a bad substitution,
    /// whose `op` is [`ParamOp::Error`] and holds the rest.
    pub name: String,
    /// `${name[index]}`; the words `@` and `*` are kept as literals.
    pub index: Option<Word>,
    /// `${!name…}`
    pub indirect: bool,
    /// The operator.
    pub op: ParamOp,
    /// Including `$`.
    pub span: Span,
}

/// The operator of a parameter expansion.
#[derive(Debug, Clone, PartialEq)]
pub enum ParamOp {
    /// Nothing.
    Plain,
    /// `${#x}`
    Length,
    /// `${x-w}`, or with `colon`: `${x:-w}`
    Default {
        /// Empty counts as unset.
        colon: bool,
        /// The fallback.
        word: Word,
    },
    /// `${x=w}`
    Assign {
        /// Empty counts as unset.
        colon: bool,
        /// The fallback, also assigned.
        word: Word,
    },
    /// `${x?w}`
    Error {
        /// Empty counts as unset.
        colon: bool,
        /// The message.
        word: Word,
    },
    /// `${x+w}`
    Alternative {
        /// Empty counts as unset.
        colon: bool,
        /// Used if `x` is set.
        word: Word,
    },
    /// `${x#p}`, `${x##p}`
    RemovePrefix {
        /// `##`
        longest: bool,
        /// The removed pattern.
        pattern: Word,
    },
    /// `${x%p}`, `${x%%p}`
    RemoveSuffix {
        /// `%%`
        longest: bool,
        /// The removed pattern.
        pattern: Word,
    },
    /// `${x/p/w}`, `${x//p/w}`, `${x/#p/w}`, `${x/%p/w}`
    Replace {
        /// Which matches.
        scope: ReplaceScope,
        /// The replaced pattern.
        pattern: Word,
        /// The replacement; empty if absent.
        with: Option<Word>,
    },
    /// `${x:offset:length}`; both are arithmetic.
    Substring {
        /// May be negative (from the end).
        offset: Word,
        /// May be negative (up to that far from the end).
        length: Option<Word>,
    },
    /// `${x^p}`, `${x^^p}`, `${x,p}`, `${x,,p}`, `${x~p}`, `${x~~p}`
    Case {
        /// `^`, `,` or `~`
        change: char,
        /// Doubled operator.
        all: bool,
        /// Which characters; any if absent.
        pattern: Option<Word>,
    },
    /// `${x@Q}` and similar operators.
    Transform(char),
    /// `${!prefix*}` (`false`) or `${!prefix@}` (`true`): names of variables.
    Names(bool),
}

/// Which matches `${x/p/w}` replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplaceScope {
    /// `/`
    First,
    /// `//`
    All,
    /// `/#`
    Prefix,
    /// `/%`
    Suffix,
}
