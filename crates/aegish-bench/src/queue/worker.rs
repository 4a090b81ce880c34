//! The worker: asks the questions of runs that were started elsewhere.
//!
//! A worker finds runs in the queue, builds the system that each one names, takes questions and sends results.
//! It renews its claim on the questions in flight every third of the lease; questions that are not renewed go
//! to other workers. The queue is not trusted: programs are started and files are read only if the worker's
//! own command line allows that system.

use std::collections::{HashMap, HashSet};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use aegish_redis::RedisServer;

use super::message::{AnswerMessage, Job, RunRequest, SampleKey};
use super::{
    Address, FIELD, GROUP, Keys, QueueError, RUNS, connection, entries, fingerprint, first_stream,
    retry,
};
use crate::run::{
    Budget, ConcurrencyBounds, Limiter, Pool, Progress, RunSettings, SampleSource, Sink, Solved,
    StopReason, Stopper,
};
use crate::system::System;
use aegish_log::Sample;

/// How long one read of the queue waits for a question.
const READ_TIMEOUT: Duration = Duration::from_millis(500);
/// How often a worker looks for new runs.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Time after which uncollected results expire.
const RESULT_TTL_SECONDS: &[u8] = b"604800";

/// Builds the system that a request names, or returns why not.
pub type Build<'a> = dyn Fn(&RunRequest) -> Result<Arc<dyn System>, String> + Sync + 'a;

/// A worker of the queue.
#[derive(Clone)]
pub struct Worker {
    /// The queue.
    pub address: Address,
    /// A unique name.
    pub name: String,
    /// Questions whose claim is not renewed for this long go to other workers.
    pub lease: Duration,
    /// Number of concurrent requests; adapted during the run if not given.
    pub connections: Option<u32>,
    /// Exit if there is no run, instead of waiting for one.
    pub until_done: bool,
}

/// What a worker reports.
#[derive(Debug, Clone, PartialEq)]
pub enum WorkerEvent {
    /// It works on a run.
    Began {
        /// The run.
        run: String,
        /// The system that it asks.
        system: String,
    },
    /// It has finished its part of a run.
    Ended {
        /// The run.
        run: String,
        /// The number of questions that it answered.
        answered: u64,
        /// Why it ended before the run did.
        why: Option<String>,
    },
    /// It cannot take part in a run.
    Refused {
        /// The run.
        run: String,
        /// Why.
        why: String,
    },
    /// The queue is unavailable.
    Unavailable(String),
}

impl Worker {
    /// Serves runs until it is stopped.
    ///
    /// `build` builds the system that a request names, or returns why not.
    ///
    /// # Errors
    /// If the queue cannot be used.
    pub fn serve(
        &self,
        stop: &Arc<Stopper>,
        build: &Build<'_>,
        report: &(dyn Fn(WorkerEvent) + Sync),
    ) -> Result<(), QueueError> {
        let mut server = connection(&self.address);
        let mut refused: HashSet<String> = HashSet::new();
        let busy: Mutex<HashSet<String>> = Mutex::default();
        let busy_now = || busy.lock().unwrap_or_else(PoisonError::into_inner);
        let mut seen_any = false;
        let mut away = false;
        thread::scope(|scope| {
            loop {
                if stop.is_over() {
                    return Ok(());
                }
                let runs: Vec<(String, String)> = match server.call(&[b"HGETALL", RUNS.as_bytes()])
                {
                    Ok(runs) => runs,
                    Err(QueueError::Unavailable(why)) => {
                        if !away {
                            report(WorkerEvent::Unavailable(why));
                        }
                        away = true;
                        let _ = stop.wait(POLL_INTERVAL);
                        continue;
                    }
                    Err(error) => {
                        stop.stop(StopReason::Failed(error.to_string()));
                        return Err(error);
                    }
                };
                away = false;
                seen_any |= !runs.is_empty();
                if self.until_done && seen_any && runs.is_empty() && busy_now().is_empty() {
                    return Ok(());
                }
                for (run, request) in runs {
                    if refused.contains(&run) || busy_now().contains(&run) {
                        continue;
                    }
                    let prepared = serde_json::from_str::<RunRequest>(&request)
                        .map_err(|error| format!("its request cannot be read: {error}"))
                        .and_then(|request| prepare(&request, build));
                    match prepared {
                        Ok((system, settings)) => {
                            busy_now().insert(run.clone());
                            report(WorkerEvent::Began {
                                run: run.clone(),
                                system: system.info().model.clone(),
                            });
                            let busy = &busy;
                            scope.spawn(move || {
                                let (answered, why) = self.work(&run, system, settings, stop);
                                report(WorkerEvent::Ended { run: run.clone(), answered, why });
                                busy.lock().unwrap_or_else(PoisonError::into_inner).remove(&run);
                            });
                        }
                        Err(why) => {
                            report(WorkerEvent::Refused { run: run.clone(), why });
                            refused.insert(run);
                        }
                    }
                }
                let _ = stop.wait(POLL_INTERVAL);
            }
        })
    }

    /// Works on one run until it is over; returns the number of answered questions.
    fn work(
        &self,
        run: &str,
        system: Arc<dyn System>,
        settings: RunSettings,
        stop: &Arc<Stopper>,
    ) -> (u64, Option<String>) {
        let bounds = ConcurrencyBounds::of(self.connections, system.info().concurrency);
        let stop = Arc::new(Stopper::child_of(stop));
        let state = Arc::new(WorkerState {
            keys: Keys::new(run),
            run: run.to_owned(),
            worker: self.clone(),
            stop: Arc::clone(&stop),
            held: Mutex::default(),
        });
        let pool = Pool {
            system,
            limiter: Arc::new(Limiter::new(bounds)),
            settings,
            stop: Arc::clone(&stop),
            budget: Arc::new(Budget::default()),
            price: None,
            expected_cost: 0.0,
            progress: Arc::new(Progress::new(u64::MAX, 0)),
        };
        let (finished, ended) = channel::<()>();
        let shared = Arc::clone(&state);
        let heartbeat = thread::spawn(move || {
            let mut server = connection(&shared.worker.address);
            while ended.recv_timeout(shared.worker.lease / 3) == Err(RecvTimeoutError::Timeout) {
                // If the queue is unavailable, no other worker can take the questions either.
                let _ = shared.renew(&mut server);
            }
        });
        let work = QueueSource {
            state: Arc::clone(&state),
            server: connection(&self.address),
            looked: None,
        };
        let mut sink = QueueSink { server: connection(&self.address), state, answered: 0 };
        let reason = pool.run(Box::new(work), u64::MAX, &mut sink);
        drop(finished);
        let _ = heartbeat.join();
        let why = match reason {
            Some(StopReason::Failed(why)) => Some(why),
            Some(StopReason::Cancelled | StopReason::CostLimit) | None => None,
        };
        (sink.answered, why)
    }
}

/// The system of a request and its settings, if the fingerprints agree.
fn prepare(
    request: &RunRequest,
    build: &Build<'_>,
) -> Result<(Arc<dyn System>, RunSettings), String> {
    let system = build(request)?;
    if fingerprint(system.info()) != request.fingerprint {
        return Err(format!(
            "this machine would not ask the same `{}`: version, address, prompt and settings must be those \
             of the machine that began the run",
            request.system
        ));
    }
    let settings = RunSettings {
        time_limit: Duration::try_from_secs_f64(request.time_limit)
            .map_err(|_| "its time limit is no time".to_owned())?,
        max_retries: request.max_retries,
        retry_on_error: request.retry_on_error,
        // The coordinator counts the failures of all workers.
        fail_on_error: f64::INFINITY,
        ..RunSettings::default()
    };
    Ok((system, settings))
}

/// What the source, the sink and the heartbeat of one run share.
struct WorkerState {
    keys: Keys,
    run: String,
    worker: Worker,
    stop: Arc<Stopper>,
    /// The entries of the questions that are being asked.
    held: Mutex<HashMap<SampleKey, String>>,
}

impl WorkerState {
    fn held(&self) -> MutexGuard<'_, HashMap<SampleKey, String>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Renews the claim on the questions in flight.
    fn renew(&self, server: &mut RedisServer) -> Result<(), QueueError> {
        let held: HashSet<String> = self.held().values().cloned().collect();
        if held.is_empty() {
            return Ok(());
        }
        let (jobs, name) = (self.keys.jobs.as_bytes(), self.worker.name.as_bytes());
        let group = GROUP.as_bytes();
        // Only own entries: another worker may have taken some over.
        let pending: Vec<(String, aegish_redis::Value, aegish_redis::Value, aegish_redis::Value)> =
            server.call(&[b"XPENDING", jobs, group, b"-", b"+", b"10000", name])?;
        let own: Vec<String> = pending
            .into_iter()
            .map(|(entry, ..)| entry)
            .filter(|entry| held.contains(entry))
            .collect();
        if own.is_empty() {
            return Ok(());
        }
        let mut command: Vec<&[u8]> = vec![b"XCLAIM", jobs, group, name, b"0"];
        command.extend(own.iter().map(String::as_bytes));
        command.push(b"JUSTID");
        server.call(&command)
    }
}

/// Takes questions out of the queue.
struct QueueSource {
    state: Arc<WorkerState>,
    server: RedisServer,
    /// When expired claims were last looked for.
    looked: Option<Instant>,
}

impl SampleSource for QueueSource {
    fn next(&mut self) -> Option<Result<(Sample, u32), String>> {
        loop {
            if self.state.stop.is_over() {
                return None;
            }
            match self.take() {
                Ok(Some((entry, text))) => {
                    let job: Job = match serde_json::from_str(&text) {
                        Ok(job) => job,
                        Err(error) => return Some(Err(unreadable(&error.to_string()))),
                    };
                    let key = job.key();
                    return Some(job.into_sample().map_err(|why| unreadable(&why)).inspect(|_| {
                        self.state.held().insert(key, entry);
                    }));
                }
                Ok(None) => match self.is_over() {
                    Ok(true) => return None,
                    Ok(false) => {}
                    Err(error) => return Some(Err(error.to_string())),
                },
                Err(QueueError::StreamLost) => match self.is_over() {
                    Ok(true) => return None,
                    // The coordinator notices and queues the questions again.
                    Ok(false) => drop(self.state.stop.wait(READ_TIMEOUT)),
                    Err(error) => return Some(Err(error.to_string())),
                },
                Err(QueueError::Unavailable(_)) => drop(self.state.stop.wait(READ_TIMEOUT)),
                Err(error @ QueueError::Refused(_)) => return Some(Err(error.to_string())),
            }
        }
    }
}

fn unreadable(why: &str) -> String {
    format!("a question cannot be read: {why}")
}

impl QueueSource {
    /// A question with an expired claim, or else a new one.
    fn take(&mut self) -> Result<Option<(String, String)>, QueueError> {
        let WorkerState { keys, worker, .. } = &*self.state;
        let (jobs, group, name) = (keys.jobs.as_bytes(), GROUP.as_bytes(), worker.name.as_bytes());
        let lease = worker.lease.as_millis().to_string();
        if self.looked.is_none_or(|at| at.elapsed() >= worker.lease / 4) {
            let claim: [&[u8]; 8] =
                [b"XAUTOCLAIM", jobs, group, name, lease.as_bytes(), b"0-0", b"COUNT", b"1"];
            // The next place, the claimed entries, and, since Redis 7, those that no longer exist.
            let reply: Vec<aegish_redis::Value> = self.server.call(&claim)?;
            let claimed = reply.into_iter().nth(1).map(aegish_redis::from_redis_value);
            let claimed: Vec<aegish_redis::Value> =
                claimed.and_then(Result::ok).unwrap_or_default();
            if let Some(entry) = entries(claimed).pop() {
                // The expired claim may be our own; the question is then still in flight.
                let known = self.state.held().values().any(|held| *held == entry.0);
                if !known {
                    return Ok(Some(entry));
                }
            }
            self.looked = Some(Instant::now());
        }
        let block = READ_TIMEOUT.as_millis().to_string();
        let read: [&[u8]; 11] = [
            b"XREADGROUP",
            b"GROUP",
            group,
            name,
            b"COUNT",
            b"1",
            b"BLOCK",
            block.as_bytes(),
            b"STREAMS",
            jobs,
            b">",
        ];
        Ok(first_stream(self.server.call_waiting(&read, READ_TIMEOUT)?).pop())
    }

    /// Whether the coordinator has ended the run.
    fn is_over(&mut self) -> Result<bool, QueueError> {
        let run = self.state.run.clone();
        let command: [&[u8]; 3] = [b"HEXISTS", RUNS.as_bytes(), run.as_bytes()];
        let stop = Arc::clone(&self.state.stop);
        let known: bool = retry(&mut self.server, &stop, |server| server.call(&command))?;
        Ok(!known)
    }
}

/// Sends results.
struct QueueSink {
    state: Arc<WorkerState>,
    server: RedisServer,
    answered: u64,
}

impl Sink for QueueSink {
    fn take(&mut self, sample: &Sample, solved: &Solved) -> Result<(), String> {
        let WorkerState { keys, worker, stop, .. } = &*self.state;
        let key = (sample.id.clone(), solved.record.epoch);
        let answered = AnswerMessage::new(solved, &worker.name);
        let text = serde_json::to_string(&answered).map_err(|error| error.to_string())?;
        let entry = self.state.held().get(&key).cloned().unwrap_or_default();
        let (jobs, results) = (keys.jobs.as_bytes(), keys.results.as_bytes());
        let (entry, group) = (entry.as_bytes(), GROUP.as_bytes());
        // One transaction: at any time either the question or its result is in a stream.
        let step: [Vec<&[u8]>; 4] = [
            vec![b"XADD", results, b"*", FIELD.as_bytes(), text.as_bytes()],
            vec![b"EXPIRE", results, RESULT_TTL_SECONDS],
            vec![b"XACK", jobs, group, entry],
            vec![b"XDEL", jobs, entry],
        ];
        let sent = retry(&mut self.server, stop, |server| server.transaction(&step));
        self.state.held().remove(&key);
        sent.map_err(|error| error.to_string())?;
        self.answered += 1;
        Ok(())
    }

    fn flush(&mut self) -> Result<(), String> {
        Ok(())
    }
}
