//! Text of a system → its answer.

use aegish_judge::{Answer, Scoring, Stop, classify};

/// The answer in a completion, or the class of error, by the seed's rules.
#[must_use]
pub fn score(completion: &str, stop: &Stop) -> Answer {
    classify(completion, stop, Scoring::Seed)
}
