//! Command and evidence → a language model's opinion.
//!
//! Takes a command and what the static analysis knows about it; builds messages for a model without secrets
//! and safe against text that pretends to be an instruction, asks a chain of models within limits of time,
//! rate and money, and reads the replies. It does not decide: the guard weighs the opinion.
#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

mod cache;
mod judge;
mod message;
mod note;
pub mod price;
mod prompt;
mod reply;
mod settings;
mod state;

pub use aegish_wire::Stop;
pub use cache::OpinionStore;
pub use judge::{
    HealthStatus, Judge, KeyState, Member, ModelHealth, OpinionSource, ProviderSetup, Ruling,
    accounts, as_production,
};
pub use message::{
    Evidence, MAX_COMMAND_LENGTH, Marker, Message, NoMessage, ScriptEvidence, enriched, plain,
    step_by_step,
};
pub use note::{NoOpinion, Note, SkipReason};
pub use prompt::{Prompt, sha256_hex};
pub use reply::{Answer, MAX_REPLY_BYTES, Opinion, Reply, Scoring, classify};
pub use settings::{CacheSettings, FailMode, JudgeSettings, SettingsError};
