//! A question to a model, and its answer.

use std::time::Duration;

use aegish_policy::Action;
use aegish_redact::redact;
use aegish_wire::{
    Client, Completion, Endpoint, Failure, FailureKind, Limits, Request, Stop, Usage,
};

use super::Link;
use crate::state::{QuestionOutcome, SchemaUse, blame};
use crate::{Evidence, Marker, Message, NoMessage, NoOpinion, Opinion, Prompt, Reply, enriched};

/// The shape of an answer, in the order that the prompt names.
const SCHEMA: &str = concat!(
    r#"{"type":"object","properties":{"action":{"type":"string","enum":["allow","warn","block"]},"#,
    r#""reason":{"type":"string"},"confidence":{"type":"number"}},"#,
    r#""required":["action","reason","confidence"],"additionalProperties":false}"#
);
/// The same with the nonce that the guard's message asks for. It names no nonce, so that it is the same for every
/// question: providers compile a schema once.
pub(super) const NONCE_SCHEMA: &str = concat!(
    r#"{"type":"object","properties":{"action":{"type":"string","enum":["allow","warn","block"]},"#,
    r#""reason":{"type":"string"},"confidence":{"type":"number"},"nonce":{"type":"string"}},"#,
    r#""required":["action","reason","confidence","nonce"],"additionalProperties":false}"#
);
/// With less time left, no request is sent.
pub(super) const TOO_LATE: Duration = Duration::from_millis(50);
/// The `seed` parameter of the benchmark, so that both send the same request.
const SEED: i64 = 42;
/// A verdict is short; the rest is for models that think. The smallest context of a default model is 8192.
const MAX_TOKENS: u32 = 4096;
/// An average token has more bytes. An estimate that is too high protects the budget.
const TOKEN_BYTES: u64 = 3;
/// Tokens of an answer, for the estimate.
const ANSWER_TOKENS: u64 = 500;

/// The request with the seed, the bound and the schema of a verdict that the guard sends; a plain message asks for
/// no nonce.
#[must_use]
pub fn as_production(request: Request) -> Request {
    Request {
        seed: Some(SEED),
        max_tokens: Some(MAX_TOKENS),
        // The schema is a constant, and a test parses it.
        schema: aegish_wire::Schema::parse("verdict", SCHEMA).ok(),
        ..request
    }
}

/// The part of a question that is the same for every model.
pub(super) struct PreparedQuestion<'a> {
    prompt: &'a Prompt,
    /// With a random marker.
    message: Message,
}

impl<'a> PreparedQuestion<'a> {
    pub(super) fn new(prompt: &'a Prompt, evidence: &Evidence<'_>) -> Result<Self, NoMessage> {
        Ok(Self { prompt, message: enriched(evidence, &Marker::random()?)? })
    }

    /// Sends the question to a model; again without a schema if the model may not accept that.
    ///
    /// `time` returns the time limit of the next try.
    pub(super) fn put(
        &self,
        client: &Client,
        endpoint: &Endpoint,
        schema: SchemaUse,
        limits: Limits,
        time: impl Fn() -> Duration,
    ) -> (QuestionOutcome, Result<Completion, Failure>) {
        let once = |schema| {
            let deadline = time();
            let client = client.with_limits(Limits { deadline, ..limits });
            client.complete(endpoint, &self.request(schema, deadline))
        };
        let first = once(schema);
        let refused = first.as_ref().is_err_and(|failure| failure.kind == FailureKind::BadRequest);
        let (good, told) = if refused && schema == SchemaUse::Send && time() > TOO_LATE {
            (QuestionOutcome::AnsweredPlain, once(SchemaUse::Omit))
        } else {
            (QuestionOutcome::Answered, first)
        };
        match told {
            Ok(completion) => (good, Ok(completion)),
            Err(failure) => {
                let blame = blame(failure.kind);
                (QuestionOutcome::Failed(blame, failure.retry_after()), Err(failure))
            }
        }
    }

    fn request(&self, schema: SchemaUse, timeout: Duration) -> Request {
        let request = as_production(Request::new(&self.prompt.text, &self.message.text));
        match schema {
            SchemaUse::Send => {
                let schema = aegish_wire::Schema::parse("verdict", NONCE_SCHEMA).ok();
                Request { timeout, schema, ..request }
            }
            SchemaUse::Omit => Request { timeout, schema: None, ..request },
        }
    }

    /// Estimated cost, rather too high; 0 if the price is unknown.
    pub(super) fn estimate(&self, link: &Link) -> f64 {
        let bytes = self.prompt.text.len() + self.message.text.len();
        let usage = Usage {
            input: Some(bytes as u64 / TOKEN_BYTES),
            output: Some(ANSWER_TOKENS),
            ..Usage::default()
        };
        link.price.and_then(|price| price.cost(&usage)).unwrap_or(0.0)
    }

    /// The opinion in an answer to this question, without secrets.
    pub(super) fn opinion(&self, completion: &Completion) -> Result<Opinion, NoOpinion> {
        opinion(completion, self.message.marker.as_str())
    }
}

/// The opinion in an answer. One that allows has to repeat the nonce.
fn opinion(completion: &Completion, nonce: &str) -> Result<Opinion, NoOpinion> {
    let reply = Reply::parse_echoing(&completion.text, nonce);
    let found = reply.strictest().cloned();
    // A truncated answer may still object, because its rest could have objected. It never allows.
    let broken_off = match completion.stop {
        Stop::ContentFilter => Some(NoOpinion::Filtered),
        Stop::MaxTokens | Stop::ModelLength => Some(NoOpinion::Cut),
        Stop::Stop | Stop::Tool | Stop::Unknown(_) => None,
    };
    match (found, broken_off) {
        (Some(opinion), None) => Ok(clean(opinion)),
        (Some(opinion), Some(_)) if opinion.action > Action::Allow => Ok(clean(opinion)),
        (_, Some(miss)) => Err(miss),
        (None, None) if completion.text.trim().is_empty() => Err(NoOpinion::Empty),
        (None, None) if reply.without_echo > 0 => Err(NoOpinion::NoEcho),
        (None, None) => Err(NoOpinion::NoVerdict),
    }
}

fn clean(mut opinion: Opinion) -> Opinion {
    opinion.reason = redact(&opinion.reason).into_owned();
    opinion
}

/// The cost of an exchange, if it is known.
pub(super) fn cost(link: &Link, completion: &Completion) -> Option<f64> {
    link.price.and_then(|price| price.cost(&completion.usage))
}

/// The amount that is charged to the budget: the reserved amount if the provider may have charged for an
/// answer that did not arrive.
pub(super) fn billed(link: &Link, told: &Result<Completion, Failure>, reserved: f64) -> f64 {
    match told {
        Ok(completion) => cost(link, completion).unwrap_or(reserved),
        Err(failure) => match failure.kind {
            FailureKind::Timeout
            | FailureKind::Interrupted
            | FailureKind::BadReply
            | FailureKind::ReplyTooLarge => reserved,
            _ => 0.0,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_json_and_names_the_fields_that_are_read() {
        let keys = ["action", "reason", "confidence", "nonce"];
        for (text, required) in [(SCHEMA, &keys[..3]), (NONCE_SCHEMA, &keys[..])] {
            let schema: serde_json::Value = serde_json::from_str(text).expect("JSON");
            assert!(aegish_wire::Schema::parse("verdict", text).is_ok());
            assert_eq!(schema["required"], serde_json::json!(required));
            let known: Vec<_> = Action::ALL.iter().map(|action| action.as_str()).collect();
            assert_eq!(schema["properties"]["action"]["enum"], serde_json::json!(known));
        }
    }
}
