//! Command and evidence → a language model's opinion.
//!
//! Takes what is to be judged and what the static side knows of it; gives the messages a model is
//! sent, free of secrets and closed against text that pretends to be an instruction, and reads the
//! replies. It decides nothing alone: what an opinion is worth is the guard's business.

mod message;
pub mod price;
mod prompt;
mod redact;
mod reply;

pub use aegish_wire::Stop;
pub use message::{Evidence, MAX_COMMAND_LENGTH, Marker, NoMessage, Script, enriched, plain};
pub use prompt::{Prompt, sha256_hex};
pub use redact::{redact, redact_value};
pub use reply::{Answer, MAX_REPLY_BYTES, Opinion, Reply, classify};
