//! Coding agents: what their hooks are told, and the answers that they honour.
//!
//! Takes the bytes that an agent writes to its hook and gives the calls that it asks about ([`read`]); takes a
//! [`HookDecision`] and gives the bytes and the exit status of the answer ([`Agent::answer`]). Everything that is
//! particular to an agent is a row of the table in `table.rs`.
//!
//! Judges nothing and touches no file. Input that does not fit the contract is an error, which the caller answers
//! with a refusal.
#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

mod agent;
mod answer;
mod call;
mod patch;
mod settings;
mod table;

pub use agent::{Agent, LateHook, UnknownAgent};
pub use answer::{Answer, HookDecision, answer_wrapped};
pub use call::{Call, FileOperation, HookInput, MAX_HOOK_BYTES, NotUnderstood, read};
pub use settings::{AgentShell, Change, HookPlace, SettingsError, SettingsScope, hook_command};
