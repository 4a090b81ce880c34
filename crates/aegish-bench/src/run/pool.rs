//! The worker threads of a run: they fetch samples, solve them and send the results to one writer.
//!
//! There are as many threads as the limiter allows and at most one per sample, started on demand. A sample is
//! read when a thread is free, and results pass through a bounded channel, so memory does not grow with the
//! data. An abandoned run does not join its threads, because a blocking call cannot be cancelled; they end
//! with the process.

use std::io;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use aegish_judge::Scoring;
use aegish_judge::price::Price;

use super::budget::{Budget, Reserved};
use super::limiter::Limiter;
use super::progress::Progress;
use super::settings::RunSettings;
use super::solve::{FaultCounts, Solved, Solver};
use super::stop::{StopReason, Stopper};
use super::under_way::UnderWay;
use crate::system::System;
use aegish_log::{Record, Sample};

/// Capacity of the channel to the writer. Samples in it are lost, and asked again, if the process is killed.
const UNWRITTEN_SAMPLES: usize = 32;
/// Maximum ratio of threads to concurrent requests; the others have samples that wait.
const MOST_WAITING: usize = 4;
/// How often the writer checks whether the run is over.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// How often written samples become visible to other processes.
const FLUSH_INTERVAL: Duration = Duration::from_secs(1);

/// Where samples come from.
pub trait SampleSource: Send {
    /// The next sample and its epoch.
    ///
    /// # Errors
    /// Why there is none, though there should be one.
    fn next(&mut self) -> Option<Result<(Sample, u32), String>>;
}

/// Takes solved samples.
pub trait Sink {
    /// Takes one.
    ///
    /// # Errors
    /// Why it is lost; that ends the run.
    fn take(&mut self, sample: &Sample, solved: &Solved) -> Result<(), String>;

    /// Makes the samples taken so far visible to other processes.
    ///
    /// # Errors
    /// Why it is not; that ends the run.
    fn flush(&mut self) -> Result<(), String>;
}

/// Solves samples on other machines.
pub trait RemoteSolver: Send + Sync {
    /// Solves one sample; `None` if the run ended before.
    fn solve(&self, sample: &Sample, epoch: u32) -> Option<Solved>;

    /// Called when a result is in the log.
    fn written(&self, id: &str, epoch: u32);

    /// What it waits for before it can solve anything, if anything.
    fn waits_for(&self) -> Option<String> {
        None
    }
}

/// What the threads of one task share.
pub struct Pool {
    /// The system under test.
    pub system: Arc<dyn System>,
    /// Limits requests to its provider.
    pub limiter: Arc<Limiter>,
    /// Limits and retries.
    pub settings: RunSettings,
    /// Ends the task.
    pub stop: Arc<Stopper>,
    /// The budget of the whole run.
    pub budget: Arc<Budget>,
    /// The price of an answer, if it is known.
    pub price: Option<&'static Price>,
    /// Expected cost of an answer, used until the first one arrives.
    pub expected_cost: f64,
    /// Counters.
    pub progress: Arc<Progress>,
}

/// Stack of a thread that only waits for a remote solver.
const REMOTE_STACK_BYTES: usize = 256 << 10;

struct PoolShared {
    pool: Pool,
    /// Solves the samples instead of the local system, if set.
    remote_solver: Option<Arc<dyn RemoteSolver>>,
    under_way: Option<UnderWay>,
    health: FaultCounts,
    source: Mutex<Box<dyn SampleSource>>,
    most_threads: usize,
    threads: AtomicUsize,
    /// Threads whose sample waits for its next attempt. They send nothing, so other threads may.
    between_attempts: AtomicUsize,
    /// Threads that could not be started.
    refused: AtomicU32,
}

struct Done {
    sample: Sample,
    solved: Solved,
    reserved: Reserved,
}

impl Pool {
    /// Runs until the source is empty or the run is stopped. `questions` is the number of samples.
    ///
    /// Returns the reason if it ended early.
    pub fn run(
        self,
        source: Box<dyn SampleSource>,
        questions: u64,
        sink: &mut dyn Sink,
    ) -> Option<StopReason> {
        self.run_by(None, None, source, questions, sink)
    }

    /// Writes a solved sample, counts it and its cost, and stops the run after too many errors.
    pub(super) fn write(
        &self,
        sample: &Sample,
        solved: &Solved,
        reserved: Option<Reserved>,
        sink: &mut dyn Sink,
    ) -> Result<(), String> {
        let cost = self.cost(&solved.record);
        match reserved {
            // It may be billed all the same.
            Some(reserved) if solved.record.limit.is_some() => self.budget.spend_all(reserved),
            Some(reserved) => self.budget.spend(reserved, cost),
            None => self.budget.add_spent(cost),
        }
        self.progress.add(&solved.record, cost);
        sink.take(sample, solved)?;
        let errors = self.progress.errors();
        if let Some(last) = &solved.record.error
            && self.too_many(errors)
        {
            let share = self.settings.fail_on_error * 100.0;
            let why = format!("more than {share:.0} % of the samples failed; the last one: {last}");
            self.stop.stop(StopReason::Failed(why));
        }
        Ok(())
    }

    fn cost(&self, record: &Record) -> f64 {
        if record.error.is_some() || record.limit.is_some() {
            return 0.0;
        }
        self.price.and_then(|price| price.cost(&record.usage)).unwrap_or(0.0)
    }

    #[expect(clippy::cast_precision_loss, reason = "a share")]
    fn too_many(&self, errors: u64) -> bool {
        errors as f64 > self.settings.fail_on_error * self.progress.snapshot().total as f64
    }

    /// The same, with a remote solver if one is given. What is asked here is noted in `under_way`, if that is given.
    pub(super) fn run_by(
        self,
        remote_solver: Option<Arc<dyn RemoteSolver>>,
        under_way: Option<UnderWay>,
        source: Box<dyn SampleSource>,
        questions: u64,
        sink: &mut dyn Sink,
    ) -> Option<StopReason> {
        let most_threads = usize::try_from(questions).unwrap_or(usize::MAX).max(1);
        let shared = Arc::new(PoolShared {
            pool: self,
            remote_solver,
            under_way,
            health: FaultCounts::default(),
            source: Mutex::new(source),
            most_threads,
            threads: AtomicUsize::new(0),
            between_attempts: AtomicUsize::new(0),
            refused: AtomicU32::new(0),
        });
        let (done, results) = sync_channel(UNWRITTEN_SAMPLES);
        let first = shared.pool.limiter.status().limit as usize;
        let wanted = if questions > 0 { first.min(most_threads) } else { 0 };
        for _ in 0..wanted {
            PoolShared::spawn_worker(&shared, &done);
        }
        drop(done);
        let pool = &shared.pool;
        if wanted > 0 && shared.refused.load(Ordering::SeqCst) as usize == wanted {
            pool.stop.stop(StopReason::Failed("this machine starts no further thread".to_owned()));
        }
        shared.collect(&results, sink);
        if let Some(under_way) = &shared.under_way {
            under_way.close();
        }
        pool.progress.end();
        pool.stop.reason()
    }
}

impl PoolShared {
    /// Starts one more thread, if the system allows it.
    fn spawn_worker(shared: &Arc<Self>, done: &SyncSender<Done>) {
        let (own, done) = (Arc::clone(shared), done.clone());
        shared.threads.fetch_add(1, Ordering::SeqCst);
        let stack = match shared.remote_solver {
            Some(_) => REMOTE_STACK_BYTES,
            None => shared.pool.system.stack_bytes(),
        };
        let started: io::Result<_> =
            thread::Builder::new().stack_size(stack).spawn(move || Self::run_worker(&own, &done));
        if started.is_err() {
            shared.threads.fetch_sub(1, Ordering::SeqCst);
            shared.refused.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn run_worker(shared: &Arc<Self>, done: &SyncSender<Done>) {
        let pool = &shared.pool;
        let wait = |time: Duration, why: &str| {
            pool.progress.wait_because(why);
            shared.between_attempts.fetch_add(1, Ordering::SeqCst);
            shared.grow(done);
            let waited = pool.stop.wait(time);
            shared.between_attempts.fetch_sub(1, Ordering::SeqCst);
            waited
        };
        let solver = Solver {
            system: &*pool.system,
            limiter: &pool.limiter,
            settings: &pool.settings,
            stop: &pool.stop,
            health: &shared.health,
            wait: &wait,
        };
        while let Some((sample, epoch, reserved)) = shared.fetch() {
            if let Err(why) = shared.note(UnderWay::begin) {
                pool.stop.stop(StopReason::Failed(why));
                break;
            }
            pool.progress.begin_sample();
            let solved = match &shared.remote_solver {
                Some(remote_solver) => remote_solver.solve(&sample, epoch),
                None => solver.solve(&sample, epoch),
            };
            pool.progress.leave_sample();
            let Some(mut solved) = solved else {
                // It was not under way: it waited for its turn or its next attempt.
                let _ = shared.note(UnderWay::end);
                pool.budget.spend(reserved, 0.0);
                break;
            };
            if pool.settings.scoring != Scoring::Seed {
                solved.record.score_by(pool.settings.scoring);
            }
            if done.send(Done { sample, solved, reserved }).is_err() {
                break;
            }
            if shared.leave() {
                return;
            }
            shared.grow(done);
        }
        shared.threads.fetch_sub(1, Ordering::SeqCst);
    }

    /// Threads for all requests that the limiter allows, and for samples that wait for their next attempt.
    fn wanted(&self) -> usize {
        let limit = self.pool.limiter.status().limit as usize;
        let waiting = self.between_attempts.load(Ordering::SeqCst).min(limit * MOST_WAITING);
        (limit + waiting).min(self.most_threads)
    }

    /// Starts one more thread if there are too few.
    fn grow(self: &Arc<Self>, done: &SyncSender<Done>) {
        let threads = self.threads.load(Ordering::SeqCst);
        if threads < self.wanted() && self.refused.load(Ordering::Relaxed) == 0 {
            Self::spawn_worker(self, done);
        }
    }

    /// Whether this thread is superfluous; it is then no longer counted.
    fn leave(&self) -> bool {
        let wanted = self.wanted().max(1);
        let fewer = |threads: usize| (threads > wanted).then(|| threads - 1);
        self.threads.fetch_update(Ordering::SeqCst, Ordering::SeqCst, fewer).is_ok()
    }

    fn fetch(&self) -> Option<(Sample, u32, Reserved)> {
        let pool = &self.pool;
        // Held until the run is stopped, if the money does not suffice: no other thread takes a sample meanwhile.
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        if pool.stop.is_over() {
            return None;
        }
        let (sample, epoch) = match source.next()? {
            Ok(next) => next,
            Err(why) => {
                pool.stop.stop(StopReason::Failed(why));
                return None;
            }
        };
        let usual = pool.progress.mean_cost().unwrap_or(pool.expected_cost);
        match pool.budget.reserve(usual) {
            Some(reserved) => Some((sample, epoch, reserved)),
            None => {
                pool.stop.stop(StopReason::CostLimit);
                None
            }
        }
    }

    /// Notes the begin or end of a question.
    fn note(&self, step: fn(&UnderWay) -> io::Result<()>) -> Result<(), String> {
        self.under_way.as_ref().map_or(Ok(()), step).map_err(|error| {
            format!("the number of questions under way cannot be written: {error}")
        })
    }

    /// Writes results until all threads have ended or the run is abandoned.
    fn collect(&self, results: &Receiver<Done>, sink: &mut dyn Sink) {
        let pool = &self.pool;
        let mut flushed = Instant::now();
        let mut fresh = false;
        loop {
            if let Some(why) = self.remote_solver.as_ref().and_then(|remote| remote.waits_for()) {
                pool.progress.wait_because(&why);
            }
            let lost = match results.recv_timeout(POLL_INTERVAL) {
                Ok(done) => {
                    fresh = true;
                    self.write(done, sink)
                }
                Err(RecvTimeoutError::Timeout) => Ok(()),
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let lost = lost.and_then(|()| {
                if fresh && flushed.elapsed() >= FLUSH_INTERVAL {
                    (flushed, fresh) = (Instant::now(), false);
                    return sink.flush();
                }
                Ok(())
            });
            if let Err(why) = lost {
                pool.stop.stop(StopReason::Failed(why));
                return;
            }
            if pool.stop.is_over() && pool.stop.is_abandoned(pool.settings.grace) {
                return;
            }
        }
    }

    fn write(&self, done: Done, sink: &mut dyn Sink) -> Result<(), String> {
        let Done { sample, solved, reserved } = done;
        self.pool.write(&sample, &solved, Some(reserved), sink)?;
        self.note(UnderWay::end)?;
        if let Some(remote_solver) = &self.remote_solver {
            remote_solver.written(&sample.id, solved.record.epoch);
        }
        Ok(())
    }
}
