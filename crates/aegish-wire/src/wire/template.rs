//! A request with a placeholder for the question, for many questions with the same instructions.
//!
//! The instructions are long and are encoded as JSON once; only the question changes. The result is byte for
//! byte what [`prepare`](super::prepare) would write.

use super::{Prepared, prepare};
use crate::endpoint::Endpoint;
use crate::failure::{Failure, FailureKind};
use crate::request::Request;

/// Placeholder for the question. It consists of letters, so that JSON does not escape it.
const MARK: &str = "QuestionGoesHere";

/// A request in the protocol of an endpoint, without the question.
#[derive(Debug, Clone)]
pub struct Template {
    /// The full address.
    pub url: String,
    before: String,
    after: String,
    left_out: Vec<&'static str>,
}

impl Template {
    /// Encodes everything but `request.user`, which is ignored.
    ///
    /// # Errors
    ///
    /// As [`prepare`], and if the placeholder does not occur exactly once, which `extra` may cause.
    pub fn new(endpoint: &Endpoint, request: &Request) -> Result<Self, Failure> {
        let mut mark = MARK.to_owned();
        // The placeholder grows until the instructions do not contain it.
        let empty = prepare(endpoint, &Request { user: String::new(), ..request.clone() })?;
        while empty.body.contains(&mark) {
            mark.push('X');
        }
        let marked = prepare(endpoint, &Request { user: mark.clone(), ..request.clone() })?;
        let Some((before, after)) =
            marked.body.split_once(&mark).filter(|(_, after)| !after.contains(&mark))
        else {
            return Err(Failure::new(
                FailureKind::BadRequest,
                "the request has no place for the question",
            ));
        };
        Ok(Self {
            before: before.to_owned(),
            after: after.to_owned(),
            url: marked.url,
            left_out: marked.left_out,
        })
    }

    /// The request with this question.
    ///
    /// # Errors
    ///
    /// [`FailureKind::BadRequest`] if the question cannot be written as JSON, which is true of no text.
    pub fn fill(&self, question: &str) -> Result<Prepared, Failure> {
        let quoted = super::to_text(&question).map_err(|_| {
            Failure::new(FailureKind::BadRequest, "the request cannot be written as JSON")
        })?;
        let inner = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
        let body = [&self.before, inner, &self.after].concat();
        Ok(Prepared { url: self.url.clone(), body, left_out: self.left_out.clone() })
    }

    /// Parts of the request that this endpoint has no field for.
    #[must_use]
    pub fn left_out(&self) -> &[&'static str] {
        &self.left_out
    }
}
