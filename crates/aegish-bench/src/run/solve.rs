//! One sample: ask, wait, ask again where that may help, and write down what came of it.
//!
//! The clock of the time limit runs while the system works. Waiting for a turn, or because a provider wants
//! fewer requests, is our doing and is counted apart: a limit that includes it measures the queue.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use aegish_judge::{Answer, Stop};
use aegish_wire::{Usage, retry_delay};

use super::gate::{Gate, Verdict};
use super::settings::Settings;
use super::stop::{Reason, Stopper};
use crate::system::{Fault, FaultKind, Reply, System};
use aegish_log::Exchange;
use aegish_log::{Limit, Record, Sample, score};

/// So many samples that fail as all will, and none that did not: then the run is over.
const HOPELESS: u64 = 3;
/// Reasons of failed attempts that are kept.
const KEPT_FAILURES: usize = 32;

/// Whether anything ever worked.
#[derive(Debug, Default)]
pub struct Health {
    answered: AtomicU64,
    hopeless: AtomicU64,
}

/// Everything one sample needs.
#[derive(Clone, Copy)]
pub struct Solver<'a> {
    /// Whoever is asked.
    pub system: &'a dyn System,
    /// The door to its provider.
    pub gate: &'a Gate,
    /// The rules.
    pub settings: &'a Settings,
    /// Ends it.
    pub stop: &'a Stopper,
    /// What is known about the provider.
    pub health: &'a Health,
}

/// A sample that is done.
#[derive(Debug, Clone)]
pub struct Solved {
    /// What passed.
    pub exchange: Exchange,
    /// What came of it.
    pub record: Record,
}

/// What happened to a sample so far.
struct Course {
    began: Instant,
    started: SystemTime,
    asked: Option<SystemTime>,
    /// What the system has worked on it.
    worked: Duration,
    /// Attempts that failed.
    failed: u32,
    /// Of these, in this try of the sample.
    in_this_try: u32,
    /// Tries of the sample that failed.
    tries: u32,
    failures: Vec<String>,
}

/// How a sample ended.
enum End {
    Answer(Box<Reply>),
    Error(Fault),
    OutOfTime(Duration),
}

/// What follows from a fault.
enum Next {
    Again(Duration),
    End(End),
}

impl Solver<'_> {
    /// Asks about one sample until there is an answer or no hope; nothing if the run ended before.
    #[must_use]
    pub fn solve(&self, sample: &Sample, epoch: u32) -> Option<Solved> {
        let mut course = Course {
            began: Instant::now(),
            started: SystemTime::now(),
            asked: None,
            worked: Duration::ZERO,
            failed: 0,
            in_this_try: 0,
            tries: 0,
            failures: Vec::new(),
        };
        loop {
            let pass = self.gate.enter(self.stop)?;
            course.asked = Some(SystemTime::now());
            let began = Instant::now();
            let left = self.settings.time_limit.saturating_sub(course.worked);
            let outcome = self.system.ask(sample, epoch, left);
            course.worked += began.elapsed();
            self.gate.leave(pass, verdict(&outcome));
            let next = match outcome {
                Ok(reply) => Next::End(End::Answer(Box::new(reply))),
                Err(fault) => self.after(fault, &mut course),
            };
            match next {
                Next::End(end) => return Some(self.done(sample, epoch, course, end)),
                Next::Again(wait) => self.stop.wait(wait).ok()?,
            }
        }
    }

    fn after(&self, fault: Fault, course: &mut Course) -> Next {
        let Settings { max_retries, retry_on_error, base_delay, max_delay, time_limit, .. } =
            *self.settings;
        course.failed += 1;
        course.in_this_try += 1;
        if course.failures.len() < KEPT_FAILURES {
            course.failures.push(fault.message.clone());
        }
        let out_of_time = fault.kind == FaultKind::OutOfTime || course.worked >= time_limit;
        if out_of_time {
            return Next::End(End::OutOfTime(fault.took));
        }
        let (again, wait) = match fault.kind {
            // The gate is closed for as long as the provider asks; this is only the spread.
            FaultKind::TooMany { retry_after: Some(_) } => {
                let asked = Some(Duration::ZERO);
                (true, retry_delay(course.failed, base_delay, max_delay, asked))
            }
            FaultKind::TooMany { retry_after: None } | FaultKind::Transient => {
                (true, retry_delay(course.failed, base_delay, max_delay, None))
            }
            FaultKind::Broken => {
                course.in_this_try = max_retries.saturating_add(1);
                (true, base_delay)
            }
            FaultKind::Sample | FaultKind::Everyone | FaultKind::OutOfTime => {
                (false, Duration::ZERO)
            }
        };
        if course.in_this_try > max_retries {
            course.tries += 1;
            course.in_this_try = 0;
        }
        if again && course.tries <= retry_on_error {
            Next::Again(wait)
        } else {
            Next::End(End::Error(fault))
        }
    }

    fn done(&self, sample: &Sample, epoch: u32, course: Course, end: End) -> Solved {
        self.learn(&end);
        let mut exchange = Exchange {
            asked: course.asked,
            failures: course.failures,
            ..Exchange::new(self.system.input(sample), course.started, SystemTime::now())
        };
        let mut record = Record {
            id: sample.id.clone(),
            epoch,
            command: sample.command.clone(),
            expected: sample.expected,
            category: sample.category.clone(),
            completion: String::new(),
            stop: Stop::Unknown(String::new()),
            answer: Answer::Timeout,
            usage: Usage::default(),
            reasoning_apart: 0,
            total_seconds: Some(course.began.elapsed().as_secs_f64()),
            working_seconds: Some(course.worked.as_secs_f64()),
            model_seconds: None,
            retries: course.failed,
            error: None,
            limit: None,
        };
        match end {
            End::Answer(reply) => {
                record.answer = score(&reply.completion, &reply.stop);
                record.completion = reply.completion;
                record.stop = reply.stop;
                record.usage = reply.usage;
                record.reasoning_apart = reply.reasoning_apart;
                record.model_seconds = Some(reply.took.as_secs_f64());
                exchange.sent_as = reply.sent_as;
                exchange.reasoning = reply.reasoning;
                exchange.model = reply.model;
                exchange.request_id = reply.request_id;
                exchange.bodies = reply.bodies.map(|kept| kept.0);
            }
            End::Error(fault) => {
                record.error = Some(fault.message);
                record.retries = record.retries.saturating_sub(1);
                // It stands in the record.
                exchange.failures.pop();
            }
            End::OutOfTime(took) => {
                let value = self.settings.time_limit.as_secs_f64();
                record.limit = Some(Limit { kind: "time".to_owned(), value });
                record.model_seconds = Some(took.as_secs_f64());
                record.retries = record.retries.saturating_sub(1);
            }
        }
        Solved { exchange, record }
    }

    /// Ends a run that cannot succeed: a wrong key is wrong for every sample.
    fn learn(&self, end: &End) {
        let Health { answered, hopeless } = self.health;
        match end {
            End::Answer(_) => {
                answered.fetch_add(1, Ordering::Relaxed);
            }
            End::Error(fault) if fault.kind == FaultKind::Everyone => {
                let failed = hopeless.fetch_add(1, Ordering::Relaxed) + 1;
                if failed >= HOPELESS && answered.load(Ordering::Relaxed) == 0 {
                    self.stop.stop(Reason::Failed(fault.message.clone()));
                }
            }
            End::Error(_) | End::OutOfTime(_) => {}
        }
    }
}

fn verdict(outcome: &Result<Reply, Fault>) -> Verdict {
    match outcome {
        Ok(_) => Verdict::Fine,
        Err(Fault { kind: FaultKind::TooMany { retry_after }, .. }) => {
            Verdict::TooMany(*retry_after)
        }
        Err(_) => Verdict::Unrelated,
    }
}
