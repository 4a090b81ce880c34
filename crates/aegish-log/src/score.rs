//! What a system wrote → its answer.

use aegish_judge::{Answer, Stop, classify};

/// The answer in a completion, or the class of error: the rules are those of the guard's own reader.
#[must_use]
pub fn score(completion: &str, stop: &Stop) -> Answer {
    classify(completion, stop)
}
