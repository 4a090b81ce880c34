//! Health check: asks all models at once about a harmless command.
//!
//! A model is healthy if its answer has any verdict. The first healthy one of the chain is asked first from
//! then on. The check may run on its own thread while questions are asked.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use aegish_policy::Role;
use aegish_wire::{Endpoint, Limits};

use super::exchange::{self, PreparedQuestion};
use super::{Judge, Link};
use crate::price::Price;
use crate::state::{Admission, AdmissionChecks, StateSharing};
use crate::{Evidence, NoOpinion, Note, Opinion, SkipReason};

/// A slower model is useless at a prompt.
const LONGEST: Duration = Duration::from_secs(5);
const HARMLESS: &str = "echo hello";

/// The health of one model of the chain.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelHealth {
    /// Its id as configured.
    pub model: String,
    /// Its price, if it is known.
    pub price: Option<&'static Price>,
    /// Whether it answers.
    pub status: HealthStatus,
}

/// Whether a model answers.
#[derive(Debug, Clone, PartialEq)]
pub enum HealthStatus {
    /// It answers.
    Healthy {
        /// Time of its answer.
        latency: Duration,
        /// Its opinion of a harmless command.
        opinion: Opinion,
    },
    /// It was not asked, or gave no opinion; the note has the reason.
    Unhealthy(Note),
}

impl Judge {
    /// Asks all models of the chain at once about a harmless command.
    ///
    /// Takes at most five seconds, or the time-out if that is shorter. Paused models are asked too, so
    /// that the end of an outage is noticed. The budget applies.
    #[must_use]
    pub fn health(&self) -> Vec<ModelHealth> {
        let evidence = Evidence { command: HARMLESS, ..Evidence::default() };
        let asked = PreparedQuestion::new(self.prompt(Role::Default), &evidence);
        let status = |link: &Link| match (&asked, &link.endpoint) {
            (_, Err(why)) => HealthStatus::Unhealthy(link.skipped(why.clone())),
            (Err(why), _) => HealthStatus::Unhealthy(Note::NotSent(*why)),
            (Ok(asked), Ok(endpoint)) => self.status(link, endpoint, asked),
        };
        let statuses: Vec<HealthStatus> = thread::scope(|scope| {
            let status = &status;
            let threads: Vec<_> =
                self.chain.iter().map(|link| (link, scope.spawn(move || status(link)))).collect();
            threads
                .into_iter()
                .map(|(link, thread)| {
                    let why = "the check broke off".to_owned();
                    thread
                        .join()
                        .unwrap_or(HealthStatus::Unhealthy(link.skipped(SkipReason::NoWayOut(why))))
                })
                .collect()
        });
        if let Some(first) = statuses.iter().position(|p| matches!(p, HealthStatus::Healthy { .. }))
        {
            self.pinned.store(first, Ordering::Relaxed);
        }
        let links = self.chain.iter().zip(statuses);
        links
            .map(|(link, status)| ModelHealth { model: link.id.clone(), price: link.price, status })
            .collect()
    }

    fn status(
        &self,
        link: &Link,
        endpoint: &Endpoint,
        asked: &PreparedQuestion<'_>,
    ) -> HealthStatus {
        let client = match &self.client {
            Ok(client) => client,
            Err(failure) => {
                return HealthStatus::Unhealthy(
                    link.skipped(SkipReason::NoWayOut(failure.message.clone())),
                );
            }
        };
        let bounds = self.bounds();
        let estimate = asked.estimate(link);
        let (admission, sharing) =
            self.shared.admit(&link.target, AdmissionChecks::Budget, &bounds, estimate);
        let (schema, reserved) = match (admission, sharing) {
            (Admission::Spent { spent, budget }, _) => {
                return HealthStatus::Unhealthy(Note::BudgetSpent { spent, budget });
            }
            (_, StateSharing::Alone(why)) if bounds.budget.is_some() => {
                return HealthStatus::Unhealthy(Note::BudgetUnkept { why });
            }
            (Admission::Go { schema, reserved, .. }, _) => (schema, reserved),
            (Admission::Paused { left }, _) => {
                return HealthStatus::Unhealthy(link.skipped(SkipReason::Paused(left)));
            }
            (Admission::Crowded { wait }, _) => {
                return HealthStatus::Unhealthy(link.skipped(SkipReason::Crowded(wait)));
            }
        };
        let started = Instant::now();
        let longest = LONGEST.min(self.settings.timeout);
        let limits = Limits { max_retries: 0, ..Limits::default() };
        let time = || longest.saturating_sub(started.elapsed());
        let (outcome, told) = asked.put(client, endpoint, schema, limits, time);
        let billed = exchange::billed(link, &told, reserved);
        self.shared.settle(&link.target, outcome, reserved, billed);
        let opinion = match told {
            Ok(completion) => asked.opinion(&completion),
            Err(failure) => Err(NoOpinion::Failure(failure)),
        };
        match opinion {
            Ok(opinion) => HealthStatus::Healthy { latency: started.elapsed(), opinion },
            Err(why) => HealthStatus::Unhealthy(Note::Failed { model: link.id.clone(), why }),
        }
    }
}
