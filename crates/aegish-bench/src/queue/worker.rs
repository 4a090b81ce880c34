//! The side of a run that asks.
//!
//! A worker looks for runs, builds the system each one names, takes questions as long as there are any, and
//! sends results. While a question is being asked the worker says so every few seconds; one that fell silent
//! loses its questions to the others. It never decides whom to trust by what the queue says: programs are
//! started and files are read only if its own command line allows that system.

use std::collections::{HashMap, HashSet};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::address::Address;
use super::message::{Answered, Job, Key, Order};
use super::resp::Value;
use super::server::{QueueError, Server};
use super::{FIELD, GROUP, Keys, RUNS, entries, fingerprint, first_stream};
use crate::run::{
    Bounds, Budget, Crew, Gate, Progress, Reason, Settings, Sink, Solved, Stopper, Work,
};
use crate::system::System;
use aegish_log::Sample;

/// How long a worker waits for a question before it looks after other things.
const BLOCK: Duration = Duration::from_millis(500);
/// How often a worker looks for runs.
const LOOK: Duration = Duration::from_millis(500);
/// How long results of a run that nobody collects are kept, in seconds.
const KEPT: &[u8] = b"604800";

/// Makes the system that an order names, or says why not.
pub type Build<'a> = dyn Fn(&Order) -> Result<Arc<dyn System>, String> + Sync + 'a;

/// A machine that asks for others.
#[derive(Clone)]
pub struct Worker {
    /// The queue.
    pub address: Address,
    /// A name nobody else has.
    pub name: String,
    /// A worker that is silent for this long has lost its questions.
    pub lease: Duration,
    /// Requests at once; found out while running if not given.
    pub connections: Option<u32>,
    /// Ends when there is no run left, instead of waiting for one.
    pub until_done: bool,
}

/// What a worker reports.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// It works on a run.
    Began {
        /// The run.
        run: String,
        /// Whom it asks.
        system: String,
    },
    /// It is done with a run, with so many results sent.
    Ended {
        /// The run.
        run: String,
        /// How many questions it answered.
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
    /// The queue is away.
    Away(String),
}

impl Worker {
    /// Serves runs until it is stopped.
    ///
    /// `build` makes the system that an order names, or says why it does not.
    ///
    /// # Errors
    /// If the queue cannot be used.
    pub fn serve(
        &self,
        stop: &Arc<Stopper>,
        build: &Build<'_>,
        report: &(dyn Fn(Event) + Sync),
    ) -> Result<(), QueueError> {
        let mut server = Server::new(&self.address);
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
                let runs = match server.call(&[b"HGETALL", RUNS.as_bytes()]) {
                    Ok(reply) => pairs(&reply.into_list()),
                    Err(QueueError::Away(why)) => {
                        if !away {
                            report(Event::Away(why));
                        }
                        away = true;
                        let _ = stop.wait(LOOK);
                        continue;
                    }
                    Err(error) => {
                        stop.stop(Reason::Failed(error.to_string()));
                        return Err(error);
                    }
                };
                away = false;
                seen_any |= !runs.is_empty();
                if self.until_done && seen_any && runs.is_empty() && busy_now().is_empty() {
                    return Ok(());
                }
                for (run, order) in runs {
                    if refused.contains(&run) || busy_now().contains(&run) {
                        continue;
                    }
                    let prepared = serde_json::from_str::<Order>(&order)
                        .map_err(|error| format!("its order cannot be read: {error}"))
                        .and_then(|order| prepare(&order, build));
                    match prepared {
                        Ok((system, settings)) => {
                            busy_now().insert(run.clone());
                            report(Event::Began {
                                run: run.clone(),
                                system: system.about().model.clone(),
                            });
                            let busy = &busy;
                            scope.spawn(move || {
                                let (answered, why) = self.work(&run, system, settings, stop);
                                report(Event::Ended { run: run.clone(), answered, why });
                                busy.lock().unwrap_or_else(PoisonError::into_inner).remove(&run);
                            });
                        }
                        Err(why) => {
                            report(Event::Refused { run: run.clone(), why });
                            refused.insert(run);
                        }
                    }
                }
                let _ = stop.wait(LOOK);
            }
        })
    }

    /// Works on one run until it is over; gives how many questions were answered.
    fn work(
        &self,
        run: &str,
        system: Arc<dyn System>,
        settings: Settings,
        stop: &Arc<Stopper>,
    ) -> (u64, Option<String>) {
        let bounds = Bounds::of(self.connections, system.about().width);
        let stop = Arc::new(Stopper::part_of(stop));
        let bench = Arc::new(Workbench {
            keys: Keys::new(run),
            run: run.to_owned(),
            worker: self.clone(),
            stop: Arc::clone(&stop),
            held: Mutex::default(),
        });
        let crew = Crew {
            system,
            gate: Arc::new(Gate::new(bounds)),
            settings,
            stop: Arc::clone(&stop),
            budget: Arc::new(Budget::default()),
            price: None,
            expected_cost: 0.0,
            progress: Arc::new(Progress::new(u64::MAX, 0)),
        };
        let (finished, ended) = channel::<()>();
        let pulse = Arc::clone(&bench);
        let heart = thread::spawn(move || {
            let mut server = Server::new(&pulse.worker.address);
            while ended.recv_timeout(pulse.worker.lease / 3) == Err(RecvTimeoutError::Timeout) {
                // If the queue is away, nobody else can take the questions either.
                let _ = pulse.renew(&mut server);
            }
        });
        let work =
            Taking { bench: Arc::clone(&bench), server: Server::new(&self.address), looked: None };
        let mut sink = Sending { server: Server::new(&self.address), bench, answered: 0 };
        let reason = crew.run(Box::new(work), u64::MAX, &mut sink);
        drop(finished);
        let _ = heart.join();
        let why = match reason {
            Some(Reason::Failed(why)) => Some(why),
            Some(Reason::Cancelled | Reason::CostLimit) | None => None,
        };
        (sink.answered, why)
    }
}

/// The system of an order and the rules for it, if this machine would ask the same.
fn prepare(order: &Order, build: &Build<'_>) -> Result<(Arc<dyn System>, Settings), String> {
    let system = build(order)?;
    if fingerprint(system.about()) != order.fingerprint {
        return Err(format!(
            "this machine would not ask the same `{}`: version, address, prompt and settings must be those \
             of the machine that began the run",
            order.system
        ));
    }
    let settings = Settings {
        time_limit: Duration::try_from_secs_f64(order.time_limit)
            .map_err(|_| "its time limit is no time".to_owned())?,
        max_retries: order.max_retries,
        retry_on_error: order.retry_on_error,
        // Whoever began the run counts the failures of all workers.
        fail_on_error: f64::INFINITY,
        ..Settings::default()
    };
    Ok((system, settings))
}

/// Names and values, in turns.
fn pairs(list: &[Value]) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_text().map(str::to_owned);
    list.chunks_exact(2).filter_map(|pair| Some((text(&pair[0])?, text(&pair[1])?))).collect()
}

/// What taking, sending and the sign of life share.
struct Workbench {
    keys: Keys,
    run: String,
    worker: Worker,
    stop: Arc<Stopper>,
    /// The entries of the questions that are being asked.
    held: Mutex<HashMap<Key, String>>,
}

impl Workbench {
    fn held(&self) -> MutexGuard<'_, HashMap<Key, String>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that the questions taken are still being asked.
    fn renew(&self, server: &mut Server) -> Result<(), QueueError> {
        let held: HashSet<String> = self.held().values().cloned().collect();
        if held.is_empty() {
            return Ok(());
        }
        let (jobs, name) = (self.keys.jobs.as_bytes(), self.worker.name.as_bytes());
        let group = GROUP.as_bytes();
        // Only what still belongs to us: another worker may have taken over in the meantime.
        let pending = server.call(&[b"XPENDING", jobs, group, b"-", b"+", b"10000", name])?;
        let own: Vec<String> = pending
            .into_list()
            .into_iter()
            .filter_map(|entry| entry.into_list().first()?.as_text().map(str::to_owned))
            .filter(|entry| held.contains(entry))
            .collect();
        if own.is_empty() {
            return Ok(());
        }
        let mut command: Vec<&[u8]> = vec![b"XCLAIM", jobs, group, name, b"0"];
        command.extend(own.iter().map(String::as_bytes));
        command.push(b"JUSTID");
        server.call(&command).map(|_| ())
    }
}

/// Takes questions out of the queue.
struct Taking {
    bench: Arc<Workbench>,
    server: Server,
    /// When others' questions were last looked at.
    looked: Option<Instant>,
}

impl Work for Taking {
    fn next(&mut self) -> Option<Result<(Sample, u32), String>> {
        loop {
            if self.bench.stop.is_over() {
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
                        self.bench.held().insert(key, entry);
                    }));
                }
                Ok(None) => match self.is_over() {
                    Ok(true) => return None,
                    Ok(false) => {}
                    Err(error) => return Some(Err(error.to_string())),
                },
                Err(QueueError::Forgotten) => match self.is_over() {
                    Ok(true) => return None,
                    // Whoever began the run notices and puts its questions in again.
                    Ok(false) => drop(self.bench.stop.wait(BLOCK)),
                    Err(error) => return Some(Err(error.to_string())),
                },
                Err(QueueError::Away(_)) => drop(self.bench.stop.wait(BLOCK)),
                Err(error @ QueueError::Refused(_)) => return Some(Err(error.to_string())),
            }
        }
    }
}

fn unreadable(why: &str) -> String {
    format!("a question cannot be read: {why}")
}

impl Taking {
    /// A question of a worker that fell silent, or else a new one.
    fn take(&mut self) -> Result<Option<(String, String)>, QueueError> {
        let Workbench { keys, worker, .. } = &*self.bench;
        let (jobs, group, name) = (keys.jobs.as_bytes(), GROUP.as_bytes(), worker.name.as_bytes());
        let lease = worker.lease.as_millis().to_string();
        if self.looked.is_none_or(|at| at.elapsed() >= worker.lease / 4) {
            let claim: [&[u8]; 8] =
                [b"XAUTOCLAIM", jobs, group, name, lease.as_bytes(), b"0-0", b"COUNT", b"1"];
            let reply = self.server.call(&claim)?.into_list().into_iter().nth(1);
            if let Some(entry) = reply.map(entries).unwrap_or_default().pop() {
                // Ours, if it took us that long to get to it: then it is being asked already.
                let known = self.bench.held().values().any(|held| *held == entry.0);
                if !known {
                    return Ok(Some(entry));
                }
            }
            self.looked = Some(Instant::now());
        }
        let block = BLOCK.as_millis().to_string();
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
        Ok(first_stream(self.server.call_waiting(&read, BLOCK)?).pop())
    }

    /// Whether the run was ended by whoever began it.
    fn is_over(&mut self) -> Result<bool, QueueError> {
        let run = self.bench.run.clone();
        let command: [&[u8]; 3] = [b"HEXISTS", RUNS.as_bytes(), run.as_bytes()];
        let stop = Arc::clone(&self.bench.stop);
        let known = self.server.insist(&stop, |server| server.call(&command))?;
        Ok(known == Value::Number(0))
    }
}

/// Sends results.
struct Sending {
    bench: Arc<Workbench>,
    server: Server,
    answered: u64,
}

impl Sink for Sending {
    fn take(&mut self, sample: &Sample, solved: &Solved) -> Result<(), String> {
        let Workbench { keys, worker, stop, .. } = &*self.bench;
        let key = (sample.id.clone(), solved.record.epoch);
        let answered = Answered::new(solved, &worker.name);
        let text = serde_json::to_string(&answered).map_err(|error| error.to_string())?;
        let entry = self.bench.held().get(&key).cloned().unwrap_or_default();
        let (jobs, results) = (keys.jobs.as_bytes(), keys.results.as_bytes());
        let (entry, group) = (entry.as_bytes(), GROUP.as_bytes());
        // All or nothing: at any time a question is in one stream or its result in the other.
        let step: [Vec<&[u8]>; 4] = [
            vec![b"XADD", results, b"*", FIELD.as_bytes(), text.as_bytes()],
            vec![b"EXPIRE", results, KEPT],
            vec![b"XACK", jobs, group, entry],
            vec![b"XDEL", jobs, entry],
        ];
        let sent = self.server.insist(stop, |server| server.together(&step));
        self.bench.held().remove(&key);
        sent.map_err(|error| error.to_string())?;
        self.answered += 1;
        Ok(())
    }

    fn flush(&mut self) -> Result<(), String> {
        Ok(())
    }
}
