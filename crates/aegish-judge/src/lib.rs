//! Command and evidence → a language model's opinion.
//!
//! Takes what is to be judged and what the static side knows of it; gives the messages a model is
//! sent, free of secrets and closed against text that pretends to be an instruction, and reads the
//! replies. It decides nothing alone: what an opinion is worth is the guard's business.

mod prompt;
mod reply;
mod stop;

pub use prompt::{Prompt, sha256_hex};
pub use reply::{Answer, MAX_REPLY_BYTES, Opinion, Reply, classify};
pub use stop::StopReason;
