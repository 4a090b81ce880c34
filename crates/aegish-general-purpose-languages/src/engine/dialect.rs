//! The syntax of each language: the facts that the shared lexer and the interpreter need.

use super::call_effect::CallEffect;
use super::tables;
use aegish_profiles::Lang;

/// Which escapes a quoted text knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Escapes {
    /// Every backslash is a backslash.
    Raw,
    /// Only the backslash itself and the delimiter are escaped.
    Few,
    /// `\n`, `\x41`, `\u0041`, `\101`, …
    Full,
}

/// What is expanded inside a quoted text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interpolation {
    /// Nothing.
    None,
    /// `$x`, `${x}`, `$(code)`, `@{[code]}`.
    Sigil,
    /// `#{code}`.
    Hash,
    /// `${code}`, `$x` in Groovy.
    Dollar,
}

/// Escapes and interpolation of a quoted text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Quote {
    /// Escapes.
    pub(super) esc: Escapes,
    /// Expansion.
    pub(super) interpolation: Interpolation,
}

/// Plain text as written.
pub(super) const RAW: Quote = Quote { esc: Escapes::Raw, interpolation: Interpolation::None };
/// `'…'` of PHP and Raku.
pub(super) const FEW: Quote = Quote { esc: Escapes::Few, interpolation: Interpolation::None };
/// Escapes, no expansion.
pub(super) const FULL: Quote = Quote { esc: Escapes::Full, interpolation: Interpolation::None };
const SIGIL: Quote = Quote { esc: Escapes::Full, interpolation: Interpolation::Sigil };
const HASH: Quote = Quote { esc: Escapes::Full, interpolation: Interpolation::Hash };
const DOLLAR: Quote = Quote { esc: Escapes::Full, interpolation: Interpolation::Dollar };

/// What a backtick opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tick {
    /// Nothing special.
    None,
    /// A command for the shell.
    Shell,
    /// A command without a shell (Julia).
    Words,
    /// A raw string (Go), or a quoted name (R).
    Raw,
}

/// Which characters introduce variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sigils {
    None,
    /// `$x @x %x`
    Raku,
}

/// When a name followed by an operand, without parentheses, is a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bare {
    Never,
    /// Any name (Raku, Elixir, Groovy).
    Always,
}

/// The syntax and the call tables of a language.
pub(super) struct Dialect {
    pub(super) lang: Lang,
    pub(super) line_comments: &'static [&'static str],
    pub(super) block_comments: &'static [(&'static str, &'static str)],
    pub(super) single: Quote,
    pub(super) double: Quote,
    /// `"""…"""` and `'''…'''`.
    pub(super) triple: bool,
    pub(super) tick: Tick,
    pub(super) sigils: Sigils,
    /// `/…/` in operand position.
    pub(super) regex: bool,
    pub(super) heredoc: bool,
    /// `.` joins texts instead of naming a member.
    pub(super) dot_joins: bool,
    /// `:` names a member (Erlang).
    pub(super) colon_member: bool,
    /// A member without parentheses is a call (Raku).
    pub(super) members_call: bool,
    pub(super) bare: Bare,
    /// `{` after a call is a block (Groovy).
    pub(super) blocks: bool,
    /// Names are compared without regard to case (PHP).
    pub(super) fold: bool,
    /// Calls by full path.
    pub(super) calls: &'static [(&'static str, CallEffect)],
    /// Calls by method name, for any object.
    pub(super) methods: &'static [(&'static str, CallEffect)],
}

const PLAIN: Dialect = Dialect {
    lang: Lang::Java,
    line_comments: &["//"],
    block_comments: &[("/*", "*/")],
    single: FULL,
    double: FULL,
    triple: false,
    tick: Tick::None,
    sigils: Sigils::None,
    regex: false,
    heredoc: false,
    dot_joins: false,
    colon_member: false,
    members_call: false,
    bare: Bare::Never,
    blocks: false,
    fold: false,
    calls: &[],
    methods: &[],
};

static JAVA: Dialect = Dialect {
    lang: Lang::Java,
    triple: true,
    calls: tables::jvm::CALLS,
    methods: tables::jvm::METHODS,
    ..PLAIN
};

static GROOVY: Dialect = Dialect {
    lang: Lang::Groovy,
    double: DOLLAR,
    triple: true,
    bare: Bare::Always,
    blocks: true,
    calls: tables::jvm::CALLS,
    methods: tables::jvm::GROOVY_METHODS,
    ..PLAIN
};

static GO: Dialect = Dialect {
    lang: Lang::Go,
    tick: Tick::Raw,
    calls: tables::go::GO,
    methods: tables::go::GO_METHODS,
    ..PLAIN
};

static R: Dialect = Dialect {
    lang: Lang::R,
    line_comments: &["#"],
    block_comments: &[],
    tick: Tick::Raw,
    calls: tables::r::R,
    ..PLAIN
};

static JULIA: Dialect = Dialect {
    lang: Lang::Julia,
    line_comments: &["#"],
    block_comments: &[("#=", "=#")],
    double: SIGIL,
    triple: true,
    tick: Tick::Words,
    calls: tables::julia::JULIA,
    methods: tables::julia::JULIA,
    ..PLAIN
};

static ELIXIR: Dialect = Dialect {
    lang: Lang::Elixir,
    line_comments: &["#"],
    block_comments: &[],
    double: HASH,
    triple: true,
    bare: Bare::Always,
    calls: tables::elixir::ELIXIR,
    ..PLAIN
};

static ERLANG: Dialect = Dialect {
    lang: Lang::Erlang,
    line_comments: &["%"],
    block_comments: &[],
    colon_member: true,
    calls: tables::erlang::ERLANG,
    ..PLAIN
};

static OCTAVE: Dialect = Dialect {
    lang: Lang::Octave,
    line_comments: &["%", "#"],
    block_comments: &[("%{", "%}"), ("#{", "#}")],
    single: RAW,
    calls: tables::octave::OCTAVE,
    ..PLAIN
};

static CSHARP: Dialect = Dialect {
    lang: Lang::Csharp,
    triple: true,
    calls: tables::csharp::CSHARP,
    methods: tables::csharp::CSHARP_METHODS,
    ..PLAIN
};

static RAKU: Dialect = Dialect {
    lang: Lang::Raku,
    line_comments: &["#"],
    block_comments: &[],
    single: FEW,
    double: SIGIL,
    tick: Tick::Shell,
    sigils: Sigils::Raku,
    regex: true,
    heredoc: true,
    dot_joins: true,
    members_call: true,
    bare: Bare::Always,
    calls: tables::raku::RAKU,
    ..PLAIN
};

static CALCULATOR: Dialect =
    Dialect { lang: Lang::Calculator, calls: tables::calculator::CALCULATOR, ..PLAIN };

static HCL: Dialect = Dialect {
    lang: Lang::Hcl,
    line_comments: &["//", "#"],
    double: DOLLAR,
    calls: tables::hcl::HCL,
    ..PLAIN
};

/// Returns the dialect of a language, if the interpreter reads it.
pub(super) fn of(lang: Lang) -> Option<&'static Dialect> {
    Some(match lang {
        Lang::Java => &JAVA,
        Lang::Groovy => &GROOVY,
        Lang::Go => &GO,
        Lang::R => &R,
        Lang::Julia => &JULIA,
        Lang::Elixir => &ELIXIR,
        Lang::Erlang => &ERLANG,
        Lang::Octave => &OCTAVE,
        Lang::Csharp => &CSHARP,
        Lang::Raku => &RAKU,
        Lang::Calculator => &CALCULATOR,
        Lang::Hcl => &HCL,
        _ => return None,
    })
}
