//! The coordinator of a run: sends questions to the queue and receives results.
//!
//! A thread of the pool waits for each question. One more thread reads the results of workers and passes each
//! to its waiting thread. A result stays in the queue until it is in the log. After a failure of the server,
//! or some time without results, the coordinator compares the questions it waits for with the queue and sends
//! missing ones again. A server that loses all data thus costs only time.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use aegish_redis::RedisServer;

use super::message::{AnswerMessage, Job, RunRequest, SampleKey};
use super::{
    Address, Entry, FIELD, GROUP, Keys, QueueError, RUNS, connection, entries, first_stream, retry,
};
use crate::run::{Finished, RemoteSolver, Solved, StopReason, Stopper};
use aegish_log::Sample;

/// Maximum number of unanswered questions.
pub const WINDOW: u32 = 256;

/// Timeout of one read of results, so that the reader can do other work in between.
const READ_TIMEOUT: Duration = Duration::from_millis(500);
/// How often a waiting thread checks whether the run is over.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Time without results after which missing questions are searched for.
const RESYNC_INTERVAL: Duration = Duration::from_secs(5);
/// How long results of an interrupted run are kept for resuming it.
const RESULT_TTL_SECONDS: &[u8] = b"604800";

/// A run whose questions are answered by workers.
pub struct Coordinator {
    shared: Arc<CoordinatorShared>,
    reader: Mutex<Option<JoinHandle<()>>>,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunEnd {
    /// All questions are answered.
    Complete,
    /// It can be resumed.
    Early,
}

struct CoordinatorShared {
    keys: Keys,
    run: String,
    request: String,
    sender: Mutex<RedisServer>,
    state: Mutex<CoordinatorState>,
    closed: AtomicBool,
    /// Whether no worker has joined this run yet.
    lonely: AtomicBool,
    stop: Arc<Stopper>,
}

#[derive(Default)]
struct CoordinatorState {
    waiting: HashMap<SampleKey, PendingJob>,
    /// Results that no thread waits for yet. They answer questions of an interrupted run.
    early: HashMap<SampleKey, (String, AnswerMessage)>,
    /// Questions that the interrupted run sent.
    queued: HashSet<SampleKey>,
    /// Entries of results that are not in the log yet.
    handed: HashMap<SampleKey, String>,
    done: Finished,
    /// Entries to remove: they are in the log, or are duplicates.
    removable: Vec<String>,
}

struct PendingJob {
    job: String,
    tell: SyncSender<AnswerMessage>,
}

impl Coordinator {
    /// Announces a run, and takes over the questions and results of an interrupted one.
    ///
    /// # Errors
    ///
    /// If the queue cannot be used.
    pub fn open(
        address: &Address,
        run: &str,
        request: &RunRequest,
        stop: Arc<Stopper>,
    ) -> Result<Self, QueueError> {
        let request = serde_json::to_string(request).map_err(|error| {
            QueueError::Refused(format!("the request cannot be written: {error}"))
        })?;
        let mut reader = connection(address);
        let shared = Arc::new(CoordinatorShared {
            keys: Keys::new(run),
            run: run.to_owned(),
            request,
            sender: Mutex::new(connection(address)),
            state: Mutex::default(),
            closed: AtomicBool::new(false),
            lonely: AtomicBool::new(true),
            stop,
        });
        shared.announce(&mut reader)?;
        // Questions are read before results, so that one that moves in between is seen twice and never
        // missed.
        let queued = shared.queued(&mut reader)?;
        let mut state = shared.lock();
        state.queued = queued;
        drop(state);
        let mut last = "0".to_owned();
        while shared.read(&mut reader, &mut last, Duration::ZERO)? > 0 {}
        let own = Arc::clone(&shared);
        let handle = thread::Builder::new()
            .spawn(move || own.serve(&mut reader, last))
            .map_err(|error| QueueError::Refused(format!("no thread: {error}")))?;
        Ok(Self { shared, reader: Mutex::new(Some(handle)) })
    }

    /// Ends the run in the queue. Late results are kept for resuming it.
    pub fn close(&self, ended: RunEnd) {
        self.shared.closed.store(true, Ordering::SeqCst);
        let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(reader) = reader {
            let _ = reader.join();
        }
        let CoordinatorShared { keys, run, .. } = &*self.shared;
        let (jobs, results) = (keys.jobs.as_bytes(), keys.results.as_bytes());
        let mut server = self.shared.sender.lock().unwrap_or_else(PoisonError::into_inner);
        // Errors are ignored: the results expire, and the next run replaces the rest.
        let _ = server.call::<()>(&[b"HDEL", RUNS.as_bytes(), run.as_bytes()]);
        let _ = server.call::<()>(&[b"DEL", jobs]);
        let _ = match ended {
            RunEnd::Complete => server.call::<()>(&[b"DEL", results]),
            RunEnd::Early => server.call::<()>(&[b"EXPIRE", results, RESULT_TTL_SECONDS]),
        };
    }
}

impl RemoteSolver for Coordinator {
    fn solve(&self, sample: &Sample, epoch: u32) -> Option<Solved> {
        self.shared.solve(sample, epoch)
    }

    fn written(&self, id: &str, epoch: u32) {
        let mut state = self.shared.lock();
        if let Some(entry) = state.handed.remove(&(id.to_owned(), epoch)) {
            state.removable.push(entry);
        }
    }

    fn waits_for(&self) -> Option<String> {
        let why = "no worker has joined yet; start one with `aegish bench worker --queue URL`";
        self.shared.lonely.load(Ordering::Relaxed).then(|| why.to_owned())
    }
}

impl CoordinatorShared {
    fn lock(&self) -> MutexGuard<'_, CoordinatorState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn solve(&self, sample: &Sample, epoch: u32) -> Option<Solved> {
        let job = Job::new(sample, epoch);
        let key = job.key();
        let text = match serde_json::to_string(&job) {
            Ok(text) => text,
            Err(error) => {
                self.fail(&format!("a question cannot be written: {error}"));
                return None;
            }
        };
        let (tell, told) = sync_channel(1);
        let mut state = self.lock();
        if let Some((entry, answered)) = state.early.remove(&key) {
            state.done.add(&key.0, key.1);
            state.handed.insert(key, entry);
            return Some(answered.into_solved(sample));
        }
        let known = state.queued.remove(&key);
        state.waiting.insert(key.clone(), PendingJob { job: text.clone(), tell });
        drop(state);
        if !known && let Err(error) = self.send(&[text]) {
            self.fail(&error.to_string());
        }
        loop {
            match told.recv_timeout(POLL_INTERVAL) {
                Ok(answered) => return Some(answered.into_solved(sample)),
                Err(RecvTimeoutError::Timeout) if self.stop.is_over() => {
                    self.lock().waiting.remove(&key);
                    // The result may have arrived in the meantime.
                    return told.try_recv().ok().map(|answered| answered.into_solved(sample));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }

    fn fail(&self, why: &str) {
        self.stop.stop(StopReason::Failed(why.to_owned()));
    }

    /// Sends questions to the queue.
    fn send(&self, jobs: &[String]) -> Result<(), QueueError> {
        let mut server = self.sender.lock().unwrap_or_else(PoisonError::into_inner);
        for job in jobs {
            let command: [&[u8]; 5] =
                [b"XADD", self.keys.jobs.as_bytes(), b"*", FIELD.as_bytes(), job.as_bytes()];
            retry(&mut server, &self.stop, |server| server.call::<()>(&command))?;
        }
        Ok(())
    }

    /// Creates the entry of the run and its group, if they do not exist.
    fn announce(&self, server: &mut RedisServer) -> Result<(), QueueError> {
        let (run, request) = (self.run.as_bytes(), self.request.as_bytes());
        server.call::<()>(&[b"HSET", RUNS.as_bytes(), run, request])?;
        let jobs = self.keys.jobs.as_bytes();
        let made =
            server.call::<()>(&[b"XGROUP", b"CREATE", jobs, GROUP.as_bytes(), b"0", b"MKSTREAM"]);
        match made {
            Err(QueueError::Refused(why)) if why.starts_with("BUSYGROUP") => Ok(()),
            other => other,
        }
    }

    /// The questions in the queue, claimed by workers or not.
    fn queued(&self, server: &mut RedisServer) -> Result<HashSet<SampleKey>, QueueError> {
        let reply = server.call(&[b"XRANGE", self.keys.jobs.as_bytes(), b"-", b"+"])?;
        let job = |(_, text): Entry| serde_json::from_str::<Job>(&text).ok();
        Ok(entries(reply).into_iter().filter_map(job).map(|job| job.key()).collect())
    }

    /// Reads results after `last`; returns their number.
    fn read(
        &self,
        server: &mut RedisServer,
        last: &mut String,
        wait: Duration,
    ) -> Result<usize, QueueError> {
        let millis = wait.as_millis().to_string();
        let results = self.keys.results.as_bytes();
        let mut command: Vec<&[u8]> = vec![b"XREAD", b"COUNT", b"256"];
        if !wait.is_zero() {
            command.extend([&b"BLOCK"[..], millis.as_bytes()]);
        }
        let from = last.clone();
        command.extend([&b"STREAMS"[..], results, from.as_bytes()]);
        let found = first_stream(server.call_waiting(&command, wait)?);
        let count = found.len();
        for (entry, text) in found {
            last.clone_from(&entry);
            match serde_json::from_str::<AnswerMessage>(&text) {
                Ok(answered) => self.route(entry, answered),
                Err(error) => {
                    self.fail(&format!("a worker sent something else than a result: {error}"));
                }
            }
        }
        Ok(count)
    }

    /// Passes a result to the thread that waits for it.
    fn route(&self, entry: String, answered: AnswerMessage) {
        let key = answered.key();
        let mut state = self.lock();
        if state.done.has(&key.0, key.1) {
            // After a failure of the server, the same entry may be read again.
            if state.handed.get(&key) != Some(&entry) {
                state.removable.push(entry);
            }
            return;
        }
        match state.waiting.remove(&key) {
            Some(waiting) => {
                state.done.add(&key.0, key.1);
                state.handed.insert(key, entry);
                // If the thread has just given up, the result is kept for resuming the run.
                let _ = waiting.tell.try_send(answered);
            }
            None => {
                state.early.insert(key, (entry, answered));
            }
        }
    }

    /// Reads results until the run is closed.
    fn serve(&self, server: &mut RedisServer, mut last: String) {
        let mut last_result = Instant::now();
        while !self.closed.load(Ordering::SeqCst) {
            let outcome = self.read(server, &mut last, READ_TIMEOUT).and_then(|count| {
                self.tidy(server)?;
                self.look_for_workers(server, count)?;
                Ok(count)
            });
            let compare = match outcome {
                Ok(0) => last_result.elapsed() >= RESYNC_INTERVAL,
                Ok(_) => {
                    last_result = Instant::now();
                    false
                }
                Err(QueueError::Unavailable(_) | QueueError::StreamLost) => true,
                Err(QueueError::Refused(why)) => return self.fail(&why),
            };
            if compare {
                last_result = Instant::now();
                let outcome = retry(server, &self.stop, |server| self.compare(server, &mut last));
                if let Err(error) = outcome {
                    return self.fail(&error.to_string());
                }
            }
        }
        // Removes results that reached the log at the end.
        let _ = self.tidy(server);
    }

    /// Checks whether a worker has joined, until one has.
    fn look_for_workers(&self, server: &mut RedisServer, results: usize) -> Result<(), QueueError> {
        if !self.lonely.load(Ordering::Relaxed) {
            return Ok(());
        }
        let (jobs, group) = (self.keys.jobs.as_bytes(), GROUP.as_bytes());
        let joined = results > 0
            || !server
                .call::<Vec<aegish_redis::Value>>(&[
                    b"XINFO".as_slice(),
                    b"CONSUMERS",
                    jobs,
                    group,
                ])?
                .is_empty();
        self.lonely.store(!joined, Ordering::Relaxed);
        Ok(())
    }

    /// Removes entries that are in the log.
    fn tidy(&self, server: &mut RedisServer) -> Result<(), QueueError> {
        let removable = std::mem::take(&mut self.lock().removable);
        if removable.is_empty() {
            return Ok(());
        }
        let mut command: Vec<&[u8]> = vec![b"XDEL", self.keys.results.as_bytes()];
        command.extend(removable.iter().map(String::as_bytes));
        let outcome = server.call(&command);
        if outcome.is_err() {
            self.lock().removable.extend(removable);
        }
        outcome
    }

    /// Sends questions again that are neither in the queue nor answered.
    fn compare(&self, server: &mut RedisServer, last: &mut String) -> Result<(), QueueError> {
        self.announce(server)?;
        let queued = self.queued(server)?;
        let waited: Vec<SampleKey> = self.lock().waiting.keys().cloned().collect();
        // A server that lost the stream may number its entries from the start.
        "0".clone_into(last);
        while self.read(server, last, Duration::ZERO)? > 0 {}
        let state = self.lock();
        let missing: Vec<String> = waited
            .iter()
            .filter(|key| !queued.contains(*key))
            .filter_map(|key| state.waiting.get(key).map(|waiting| waiting.job.clone()))
            .collect();
        drop(state);
        self.send(&missing)
    }
}
