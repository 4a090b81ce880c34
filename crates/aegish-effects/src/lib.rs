//! Syntax tree → canonical words → effects.
//!
//! Takes a parsed script and a [`Context`] (working directory, variables, session facts, a reader for files),
//! gives an [`Analysis`]: every simple command after expansion, and its effects. It never runs anything,
//! never touches the machine except through the context, and does not know what is forbidden: that is the
//! task of the policy.
#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

mod interp;
mod prompt_code;

pub use aegish_analysis::{
    Analysis, CommandReport, Effect, EffectKind, FileKind, Invocation, Opaque, ScriptFile,
    ScriptLanguage, ScriptText, ShadowScope, ShellEntry, Stream, VariableCode,
};
pub use aegish_options::{GivenOption, Words};
pub use aegish_shell_state::{
    Context, FileView, HistoryExpansion, Machine, NoMachine, Observed, OutputReader, Session,
    StandardInput, TextForm,
};
pub use aegish_values::{Piece, Source, Taint, Value, origin};
pub use interp::builtins::BUILTINS;
pub use interp::{UNKNOWN_PART, analyze, analyze_in};
pub use prompt_code::prompt_code;
