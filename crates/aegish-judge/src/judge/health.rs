//! Who is there: all models at once, a harmless command, a few seconds.
//!
//! A model is healthy if its answer holds a verdict, whatever that is. The first healthy one of the chain is asked
//! first from then on. It may run on a thread of its own while questions are asked.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use aegish_policy::Role;
use aegish_wire::{Endpoint, Limits};

use super::exchange::{self, Asked};
use super::{Judge, Link};
use crate::price::Price;
use crate::state::{Admission, Gates, Kept};
use crate::{Evidence, Miss, Note, Opinion, Skip};

/// A model that needs longer is no help at a prompt.
const LONGEST: Duration = Duration::from_secs(5);
const HARMLESS: &str = "echo hello";

/// How one model of the chain is.
#[derive(Debug, Clone, PartialEq)]
pub struct Health {
    /// Its id, as it is set.
    pub model: String,
    /// What it costs, if that is known.
    pub price: Option<&'static Price>,
    /// Whether it answers.
    pub pulse: Pulse,
}

/// Whether a model answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Pulse {
    /// It does.
    Healthy {
        /// After so long.
        latency: Duration,
        /// What it thinks of a harmless command.
        opinion: Opinion,
    },
    /// It was not asked, or gave no opinion; the note says why.
    Not(Note),
}

impl Judge {
    /// Asks all models of the chain at once whether a harmless command is harmless.
    ///
    /// Takes at most five seconds, or the time-out if that is shorter. Models that are left alone for a while are
    /// asked too, so that an outage that is over is noticed; the budget holds.
    #[must_use]
    pub fn health(&self) -> Vec<Health> {
        let evidence = Evidence { command: HARMLESS, ..Evidence::default() };
        let asked = Asked::new(self.prompt(Role::Default), &evidence);
        let pulse = |link: &Link| match (&asked, &link.endpoint) {
            (_, Err(why)) => Pulse::Not(link.skipped(why.clone())),
            (Err(why), _) => Pulse::Not(Note::NotSent(*why)),
            (Ok(asked), Ok(endpoint)) => self.pulse(link, endpoint, asked),
        };
        let pulses: Vec<Pulse> = thread::scope(|scope| {
            let pulse = &pulse;
            let threads: Vec<_> =
                self.chain.iter().map(|link| (link, scope.spawn(move || pulse(link)))).collect();
            threads
                .into_iter()
                .map(|(link, thread)| {
                    let why = "the check broke off".to_owned();
                    thread.join().unwrap_or(Pulse::Not(link.skipped(Skip::NoWayOut(why))))
                })
                .collect()
        });
        if let Some(first) = pulses.iter().position(|p| matches!(p, Pulse::Healthy { .. })) {
            self.pinned.store(first, Ordering::Relaxed);
        }
        let links = self.chain.iter().zip(pulses);
        links
            .map(|(link, pulse)| Health { model: link.id.clone(), price: link.price, pulse })
            .collect()
    }

    fn pulse(&self, link: &Link, endpoint: &Endpoint, asked: &Asked<'_>) -> Pulse {
        let client = match &self.client {
            Ok(client) => client,
            Err(failure) => {
                return Pulse::Not(link.skipped(Skip::NoWayOut(failure.message.clone())));
            }
        };
        let bounds = self.bounds();
        let estimate = asked.estimate(link);
        let (admission, kept) = self.shared.admit(&link.target, Gates::Budget, &bounds, estimate);
        let (schema, reserved) = match (admission, kept) {
            (Admission::Spent { spent, budget }, _) => {
                return Pulse::Not(Note::BudgetSpent { spent, budget });
            }
            (_, Kept::Alone(why)) if bounds.budget.is_some() => {
                return Pulse::Not(Note::BudgetUnkept { why });
            }
            (Admission::Go { schema, reserved, .. }, _) => (schema, reserved),
            (Admission::Paused { left }, _) => {
                return Pulse::Not(link.skipped(Skip::Paused(left)));
            }
            (Admission::Crowded { wait }, _) => {
                return Pulse::Not(link.skipped(Skip::Crowded(wait)));
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
            Ok(completion) => exchange::opinion(&completion),
            Err(failure) => Err(Miss::Failure(failure)),
        };
        match opinion {
            Ok(opinion) => Pulse::Healthy { latency: started.elapsed(), opinion },
            Err(why) => Pulse::Not(Note::Failed { model: link.id.clone(), why }),
        }
    }
}
