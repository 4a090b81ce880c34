//! A model that is asked in batches.

use std::collections::HashMap;
use std::time::Duration;

use aegish_judge::plain;
use aegish_log::Sample;
use aegish_wire::{
    BatchLimits, BatchStatus, Completion, Failure, FailureKind, Prepared, RowOutcome,
};

use super::model::{KeepBodies, ModelSystem, fault, refusal};
use super::{FaultKind, SystemReply};

/// Which of a system's requests is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestForm {
    /// The usual one.
    Usual,
    /// The one without a schema, after the provider has refused the usual one.
    WithoutSchema,
}

/// Why a request of a batch has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowFault {
    /// Another batch may help; this form of the request is to be sent.
    Again(RequestForm, String),
    /// The provider did not execute it before the batch ended. Nothing was charged.
    NotExecuted(String),
    /// Nothing helps.
    Failed(String),
}

/// The answer to a request of a batch.
pub type BatchReply = Result<Box<SystemReply>, RowFault>;

/// A system whose provider takes batches.
pub trait BatchSystem: Send + Sync {
    /// What a batch may hold.
    fn limits(&self) -> BatchLimits;

    /// The request for a sample.
    ///
    /// # Errors
    /// If it cannot be written.
    fn request(&self, sample: &Sample, form: RequestForm) -> Result<Prepared, Failure>;

    /// Hands in a batch; gives its id.
    ///
    /// # Errors
    /// [`Failure`]. If it is retryable, the batch may exist all the same.
    fn submit(&self, label: &str, rows: &[(String, Prepared)]) -> Result<String, Failure>;

    /// Batches that may be the one that was handed in under this label.
    ///
    /// # Errors
    /// [`Failure`] if the provider does not say.
    fn find(&self, label: &str, since: i64, requests: u64) -> Result<Vec<BatchStatus>, Failure>;

    /// How far a batch has come.
    ///
    /// # Errors
    /// [`Failure`] if the provider does not say.
    fn status(&self, id: &str) -> Result<BatchStatus, Failure>;

    /// The outcomes of a batch that has ended, by custom id.
    ///
    /// # Errors
    /// [`Failure`] if they cannot be read.
    fn outcomes(&self, files: &[String]) -> Result<HashMap<String, RowOutcome>, Failure>;

    /// The reply in an outcome.
    fn reply(&self, sample: &Sample, form: RequestForm, outcome: RowOutcome) -> BatchReply;
}

impl BatchSystem for ModelSystem {
    fn limits(&self) -> BatchLimits {
        self.endpoint.batch_limits().unwrap_or(BatchLimits { requests: 1, bytes: 0 })
    }

    fn request(&self, sample: &Sample, form: RequestForm) -> Result<Prepared, Failure> {
        let input = plain(&sample.command);
        let sent_as = self.sent_as(&input);
        let template = match (form, &self.plain) {
            (RequestForm::WithoutSchema, Some(plain)) => plain,
            (RequestForm::Usual | RequestForm::WithoutSchema, _) => &self.template,
        };
        template.fill(sent_as.as_deref().unwrap_or(&input))
    }

    fn submit(&self, label: &str, rows: &[(String, Prepared)]) -> Result<String, Failure> {
        self.client.submit_batch(&self.endpoint, label, rows)
    }

    fn find(&self, label: &str, since: i64, requests: u64) -> Result<Vec<BatchStatus>, Failure> {
        self.client.find_batches(&self.endpoint, label, since, requests)
    }

    fn status(&self, id: &str) -> Result<BatchStatus, Failure> {
        self.client.batch_status(&self.endpoint, id)
    }

    fn outcomes(&self, files: &[String]) -> Result<HashMap<String, RowOutcome>, Failure> {
        let rows = self.client.batch_rows(&self.endpoint, files)?;
        Ok(rows.into_iter().map(|row| (row.custom_id, row.outcome)).collect())
    }

    fn reply(&self, sample: &Sample, form: RequestForm, outcome: RowOutcome) -> BatchReply {
        let sent_as = self.sent_as(&plain(&sample.command));
        let failure = match outcome {
            RowOutcome::Answer(done) => {
                let sent = match self.bodies {
                    KeepBodies::No => None,
                    KeepBodies::Yes => self.request(sample, form).ok(),
                };
                let sent = sent.map(|prepared| prepared.body).unwrap_or_default();
                return Ok(Box::new(self.reply(Completion { sent, ..*done }, sent_as)));
            }
            RowOutcome::NotExecuted(why) => return Err(RowFault::NotExecuted(why.to_owned())),
            RowOutcome::Failed(failure) => failure,
        };
        if let Some(reply) = refusal(&failure, Duration::ZERO, sent_as) {
            return Ok(Box::new(reply));
        }
        let message = failure.to_string();
        if failure.kind == FailureKind::BadRequest
            && form == RequestForm::Usual
            && self.plain.is_some()
        {
            return Err(RowFault::Again(RequestForm::WithoutSchema, message));
        }
        Err(match fault(&failure, Duration::ZERO, Duration::MAX).kind {
            FaultKind::TooMany { .. } | FaultKind::Transient | FaultKind::Broken => {
                RowFault::Again(form, message)
            }
            FaultKind::OutOfTime | FaultKind::Sample | FaultKind::Fatal => {
                RowFault::Failed(message)
            }
        })
    }
}
