//! Notes about problems on the way to an opinion.

use std::fmt;
use std::time::Duration;

use aegish_wire::{EndpointError, Failure};

use crate::NoMessage;

/// A note about how a ruling was made.
#[derive(Debug, Clone, PartialEq)]
pub enum Note {
    /// No message could be sent.
    NotSent(NoMessage),
    /// A model was not asked.
    Skipped {
        /// Its id.
        model: String,
        /// Why not.
        why: SkipReason,
    },
    /// A model was asked and gave no opinion.
    Failed {
        /// Its id.
        model: String,
        /// The reason.
        why: NoOpinion,
    },
    /// The day's budget is used up; no model is asked before tomorrow.
    BudgetSpent {
        /// US dollars spent today.
        spent: f64,
        /// US dollars allowed for a day.
        budget: f64,
    },
    /// There is a budget, but spending cannot be recorded, so nothing is spent.
    BudgetUnkept {
        /// The reason.
        why: String,
    },
    /// There is a budget, but the price of this model is unknown.
    NoPrice {
        /// Its id.
        model: String,
    },
    /// Limits and totals are not shared with other processes.
    NotShared {
        /// The reason.
        why: String,
    },
    /// The file with limits and totals was damaged.
    StartedAnew,
    /// The opinion was not cached, or cached ones cannot be read.
    NotKept {
        /// The reason.
        why: String,
    },
}

/// Why a model was not asked.
#[derive(Debug, Clone, PartialEq)]
pub enum SkipReason {
    /// Its provider is not in the list of allowed providers.
    NotAllowed,
    /// It has no key or no address.
    NoEndpoint(EndpointError),
    /// The proxy or certificates of this machine cannot be used.
    NoWayOut(String),
    /// It failed recently and is paused for this time.
    Paused(Duration),
    /// The rate limit of its provider is reached; the next request is possible after this time.
    Crowded(Duration),
    /// The time for the whole chain is over.
    OutOfTime,
}

/// Why a model gave no opinion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoOpinion {
    /// No answer.
    Failure(Failure),
    /// A filter, or the model itself, refused.
    Filtered,
    /// The answer was cut off.
    Cut,
    /// The answer has no text.
    Empty,
    /// The answer has text, but no verdict in it.
    NoVerdict,
    /// The answer allows, but does not repeat the nonce of the question.
    NoEcho,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotSent(why) => write!(f, "{why}"),
            Self::Skipped { model, why } => write!(f, "{model} was not asked: {why}"),
            Self::Failed { model, why: NoOpinion::Failure(failure) } => {
                // The message names the model already.
                let failure = failure.to_string();
                let said = failure.strip_prefix("the model gave no answer: ").unwrap_or(&failure);
                let said = said.strip_prefix(&format!("{model}: ")).unwrap_or(said);
                write!(f, "{model} gave no answer: {said}")
            }
            Self::Failed { model, why } => write!(f, "{model} gave no verdict: {why}"),
            Self::BudgetSpent { spent, budget } => write!(
                f,
                "budget spent ({spent:.4} of {budget} US dollars today), static side decides; \
                 raise AEGISH_BUDGET_USD_PER_DAY or wait until tomorrow (UTC)"
            ),
            Self::BudgetUnkept { why } => write!(
                f,
                "no model was asked: the budget cannot be kept, because what is spent cannot be \
                 written down: {why}; static side decides"
            ),
            Self::NoPrice { model } => {
                write!(f, "the budget does not count {model}: its price is not known")
            }
            Self::NotShared { why } => {
                write!(f, "limits hold for this process alone: {why}")
            }
            Self::StartedAnew => {
                f.write_str("the file with limits and totals was damaged and has been started anew")
            }
            Self::NotKept { why } => write!(f, "the verdict cache was not used: {why}"),
        }
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAllowed => f.write_str("AEGISH_ALLOWED_PROVIDERS does not name its provider"),
            Self::NoEndpoint(error) => {
                let text = error.to_string();
                f.write_str(text.strip_prefix("no model was asked: ").unwrap_or(&text))
            }
            Self::NoWayOut(why) => f.write_str(why),
            Self::Paused(left) => {
                write!(f, "it failed lately and is tried again in {} s", whole_seconds(*left))
            }
            Self::Crowded(wait) => {
                write!(
                    f,
                    "its provider was asked as often as AEGISH_MAX_QUERIES_PER_MINUTE allows; the \
                     next turn is in {} s",
                    whole_seconds(*wait)
                )
            }
            Self::OutOfTime => f.write_str("the time for all models is over"),
        }
    }
}

impl fmt::Display for NoOpinion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failure(failure) => write!(f, "{failure}"),
            Self::Filtered => f.write_str("it refused to answer"),
            Self::Cut => f.write_str("its answer was cut off"),
            Self::Empty => f.write_str("its answer was empty"),
            Self::NoVerdict => f.write_str("its answer holds none"),
            Self::NoEcho => {
                f.write_str("it allowed the command without repeating the nonce of the question")
            }
        }
    }
}

/// Rounded up: "in 0 s" would be wrong.
fn whole_seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}
