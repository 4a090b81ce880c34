//! What the analysis of a text says: commands, their effects, and files that would run.
//!
//! [`Analysis`] is what the interpreter gives and the policy reads. Nothing is followed or judged here.
#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

mod display;
mod effect;
mod script_file;

pub use effect::{
    Analysis, CommandReport, Effect, EffectKind, FileKind, Invocation, Opaque, ShadowScope,
    ShellEntry, Stream, VariableCode,
};
pub use script_file::{ScriptFile, ScriptLanguage, ScriptText};
