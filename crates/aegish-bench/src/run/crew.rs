//! The threads of a run: they fetch samples, solve them, and hand them to whoever writes them down.
//!
//! As many threads as the gate lets in, no more than there are samples, started when they are needed. A sample
//! is read when a thread has time for it, and what is done waits in a short line for the writer: memory does
//! not grow with the data. Threads are not waited for once a run is abandoned, because a call cannot be broken
//! off; they end with the process.

use std::io;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use aegish_judge::price::Price;

use super::budget::{Budget, Reserved};
use super::gate::Gate;
use super::progress::Progress;
use super::settings::Settings;
use super::solve::{Health, Solved, Solver};
use super::stop::{Reason, Stopper};
use crate::system::System;
use aegish_log::{Record, Sample};

/// Samples that wait to be written; so many are lost, and asked again, if the process is killed.
const WAITING: usize = 32;
/// How often the writer looks whether the run is over.
const GLANCE: Duration = Duration::from_millis(50);
/// How often others can see what was written.
const FLUSH: Duration = Duration::from_secs(1);

/// Where samples come from.
pub trait Work: Send {
    /// The next sample and its epoch.
    ///
    /// # Errors
    /// Why there is none, though there should be one.
    fn next(&mut self) -> Option<Result<(Sample, u32), String>>;
}

/// Where samples go when they are done.
pub trait Sink {
    /// Takes one.
    ///
    /// # Errors
    /// Why it is lost; that ends the run.
    fn take(&mut self, sample: &Sample, solved: &Solved) -> Result<(), String>;

    /// Makes what was taken visible to others.
    ///
    /// # Errors
    /// Why it is not; that ends the run.
    fn flush(&mut self) -> Result<(), String>;
}

/// Somebody else who asks: other machines.
pub trait Elsewhere: Send + Sync {
    /// Has one sample solved; nothing if the run ended before.
    fn solve(&self, sample: &Sample, epoch: u32) -> Option<Solved>;

    /// Takes note that a result is safe.
    fn written(&self, id: &str, epoch: u32);
}

/// All that the threads of one task share.
pub struct Crew {
    /// Whoever is asked.
    pub system: Arc<dyn System>,
    /// The door to its provider.
    pub gate: Arc<Gate>,
    /// The rules.
    pub settings: Settings,
    /// Ends the task.
    pub stop: Arc<Stopper>,
    /// The money of the whole run.
    pub budget: Arc<Budget>,
    /// What an answer costs, if that is known.
    pub price: Option<&'static Price>,
    /// What one is expected to cost before any has come.
    pub expected_cost: f64,
    /// How far it is.
    pub progress: Arc<Progress>,
}

/// The address space of a thread that only waits for others.
const WAITING_STACK: usize = 256 << 10;

struct Shared {
    crew: Crew,
    /// Who asks, if not the system here.
    elsewhere: Option<Arc<dyn Elsewhere>>,
    health: Health,
    work: Mutex<Box<dyn Work>>,
    most_threads: usize,
    threads: AtomicUsize,
    /// Threads that could not be started.
    refused: AtomicU32,
}

struct Done {
    sample: Sample,
    solved: Solved,
    reserved: Reserved,
}

impl Crew {
    /// Works until there is nothing left, or the run is over. `questions` is how many there are.
    ///
    /// Gives the reason if it ended early.
    pub fn run(self, work: Box<dyn Work>, questions: u64, sink: &mut dyn Sink) -> Option<Reason> {
        self.run_by(None, work, questions, sink)
    }

    /// The same, with the asking done elsewhere.
    pub fn run_by(
        self,
        elsewhere: Option<Arc<dyn Elsewhere>>,
        work: Box<dyn Work>,
        questions: u64,
        sink: &mut dyn Sink,
    ) -> Option<Reason> {
        let most_threads = usize::try_from(questions).unwrap_or(usize::MAX).max(1);
        let shared = Arc::new(Shared {
            crew: self,
            elsewhere,
            health: Health::default(),
            work: Mutex::new(work),
            most_threads,
            threads: AtomicUsize::new(0),
            refused: AtomicU32::new(0),
        });
        let (done, taken) = sync_channel(WAITING);
        let first = shared.crew.gate.traffic().limit as usize;
        let wanted = if questions > 0 { first.min(most_threads) } else { 0 };
        for _ in 0..wanted {
            Shared::hire(&shared, &done);
        }
        drop(done);
        let crew = &shared.crew;
        if wanted > 0 && shared.refused.load(Ordering::SeqCst) as usize == wanted {
            crew.stop.stop(Reason::Failed("this machine starts no further thread".to_owned()));
        }
        shared.collect(&taken, sink);
        crew.progress.end();
        crew.stop.reason()
    }
}

impl Shared {
    /// Starts one more thread, if the machine lets it.
    fn hire(shared: &Arc<Self>, done: &SyncSender<Done>) {
        let (own, done) = (Arc::clone(shared), done.clone());
        shared.threads.fetch_add(1, Ordering::SeqCst);
        let stack = match shared.elsewhere {
            Some(_) => WAITING_STACK,
            None => shared.crew.system.stack_bytes(),
        };
        let started: io::Result<_> =
            thread::Builder::new().stack_size(stack).spawn(move || Self::labour(&own, &done));
        if started.is_err() {
            shared.threads.fetch_sub(1, Ordering::SeqCst);
            shared.refused.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn labour(shared: &Arc<Self>, done: &SyncSender<Done>) {
        let crew = &shared.crew;
        let solver = Solver {
            system: &*crew.system,
            gate: &crew.gate,
            settings: &crew.settings,
            stop: &crew.stop,
            health: &shared.health,
        };
        while let Some((sample, epoch, reserved)) = shared.fetch() {
            crew.progress.begin_sample();
            let solved = match &shared.elsewhere {
                Some(elsewhere) => elsewhere.solve(&sample, epoch),
                None => solver.solve(&sample, epoch),
            };
            crew.progress.leave_sample();
            let Some(solved) = solved else {
                crew.budget.spend(reserved, 0.0);
                break;
            };
            if done.send(Done { sample, solved, reserved }).is_err() {
                break;
            }
            shared.grow(done);
        }
        shared.threads.fetch_sub(1, Ordering::SeqCst);
    }

    /// Hires one more if the gate has become wider than the crew.
    fn grow(self: &Arc<Self>, done: &SyncSender<Done>) {
        let threads = self.threads.load(Ordering::Relaxed);
        let wanted = self.crew.gate.traffic().limit as usize;
        if threads < wanted.min(self.most_threads) && self.refused.load(Ordering::Relaxed) == 0 {
            Self::hire(self, done);
        }
    }

    fn fetch(&self) -> Option<(Sample, u32, Reserved)> {
        let crew = &self.crew;
        // Held while money is set aside: whoever is refused must not have taken a sample.
        let mut work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        if crew.stop.is_over() {
            return None;
        }
        let usual = crew.progress.mean_cost().unwrap_or(crew.expected_cost);
        let Some(reserved) = crew.budget.reserve(usual) else {
            crew.stop.stop(Reason::CostLimit);
            return None;
        };
        match work.next() {
            Some(Ok((sample, epoch))) => Some((sample, epoch, reserved)),
            Some(Err(why)) => {
                crew.stop.stop(Reason::Failed(why));
                crew.budget.spend(reserved, 0.0);
                None
            }
            None => {
                crew.budget.spend(reserved, 0.0);
                None
            }
        }
    }

    /// Writes down what comes, until nothing more can come or is worth waiting for.
    fn collect(&self, taken: &Receiver<Done>, sink: &mut dyn Sink) {
        let crew = &self.crew;
        let mut flushed = Instant::now();
        let mut fresh = false;
        loop {
            let lost = match taken.recv_timeout(GLANCE) {
                Ok(done) => {
                    fresh = true;
                    self.write_down(done, sink)
                }
                Err(RecvTimeoutError::Timeout) => Ok(()),
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let lost = lost.and_then(|()| {
                if fresh && flushed.elapsed() >= FLUSH {
                    (flushed, fresh) = (Instant::now(), false);
                    return sink.flush();
                }
                Ok(())
            });
            if let Err(why) = lost {
                crew.stop.stop(Reason::Failed(why));
                return;
            }
            if crew.stop.is_over() && crew.stop.is_abandoned(crew.settings.grace) {
                return;
            }
        }
    }

    fn write_down(&self, done: Done, sink: &mut dyn Sink) -> Result<(), String> {
        let crew = &self.crew;
        let Done { sample, solved, reserved } = done;
        let cost = self.cost(&solved.record);
        crew.budget.spend(reserved, cost);
        crew.progress.add(&solved.record, cost);
        sink.take(&sample, &solved)?;
        if let Some(elsewhere) = &self.elsewhere {
            elsewhere.written(&sample.id, solved.record.epoch);
        }
        let errors = crew.progress.errors();
        if solved.record.error.is_some() && self.too_many(errors) {
            let share = crew.settings.fail_on_error * 100.0;
            let last = solved.record.error.unwrap_or_default();
            let why = format!("more than {share:.0} % of the samples failed; the last one: {last}");
            crew.stop.stop(Reason::Failed(why));
        }
        Ok(())
    }

    fn cost(&self, record: &Record) -> f64 {
        if record.error.is_some() || record.limit.is_some() {
            return 0.0;
        }
        self.crew.price.and_then(|price| price.cost(&record.usage)).unwrap_or(0.0)
    }

    #[expect(clippy::cast_precision_loss, reason = "a share")]
    fn too_many(&self, errors: u64) -> bool {
        let total = self.crew.progress.snapshot().total;
        errors as f64 > self.crew.settings.fail_on_error * total as f64
    }
}
