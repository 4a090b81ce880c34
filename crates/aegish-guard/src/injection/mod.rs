//! Text in a command that is meant for the model that judges it.
//!
//! Three defences, none of which trusts the model: [text without effect](ineffective) is not shown to it; text that
//! [addresses](address) it is a finding, which no answer lowers; and its allow counts only if the text it was shown
//! [could not steer](steering) it. Each looks at a text in several [readings](readings), since a model also reads
//! Base64, reversed letters and letters of other alphabets.

mod address;
mod ineffective;
mod readings;
mod steering;

pub(crate) use address::findings;
pub(crate) use ineffective::{NO_OPERATIONS, ShownText};
pub(crate) use steering::could_steer;
