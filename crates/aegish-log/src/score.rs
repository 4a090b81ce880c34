//! Text of a system → its answer.

use aegish_judge::{Answer, Stop, classify};

/// The answer in a completion, or the class of error, by the rules of the guard's own reader.
#[must_use]
pub fn score(completion: &str, stop: &Stop) -> Answer {
    classify(completion, stop)
}
