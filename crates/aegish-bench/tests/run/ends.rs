//! Runs that end before their data: by a limit, by a person, by a full disk.

use crate::support::model_server::{ModelServer, ServerResponse};
use crate::support::{List, model, quick, run, run_until, samples};
use aegish_bench::run::{
    Budget, ConcurrencyBounds, Limiter, Pool, Progress, RunSettings, SampleSource, Sink, Solved,
    StopReason, Stopper,
};
use aegish_bench::system::StaticGuard;
use aegish_guard::Role;
use aegish_log::Sample;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn a_cost_limit_ends_a_run_below_it() {
    let server = ModelServer::start(Duration::from_millis(2)).unwrap();
    // One answer costs 0.000885 dollars.
    let settings = RunSettings { cost_limit: Some(0.05), max_connections: Some(16), ..quick() };
    let done = run(model(&server), samples(500), &settings);
    assert_eq!(done.reason, Some(StopReason::CostLimit));
    let spent = done.budget.spent();
    assert!(spent <= 0.05 && spent > 0.04, "{spent}");
    let answers = server.counts().answers.load(Ordering::SeqCst);
    assert_eq!(done.memory.records().len() as u64, answers, "what was paid for is written down");
}

#[test]
fn a_run_whose_money_just_suffices_is_complete() {
    let server = ModelServer::start(Duration::from_millis(1)).unwrap();
    let settings = RunSettings { cost_limit: Some(0.0092), max_connections: Some(1), ..quick() };
    let done = run(model(&server), samples(10), &settings);
    assert_eq!((done.reason, done.memory.records().len()), (None, 10));
}

#[test]
fn a_cancelled_run_keeps_finished_samples_and_starts_no_new_ones() {
    let server = ModelServer::start(Duration::from_millis(5)).unwrap();
    let stop = Arc::new(Stopper::default());
    let canceller = thread::spawn({
        let stop = Arc::clone(&stop);
        move || {
            thread::sleep(Duration::from_millis(150));
            stop.cancel();
        }
    });
    let settings = RunSettings { max_connections: Some(8), ..quick() };
    let done = run_until(model(&server), samples(5000), &settings, &stop);
    canceller.join().unwrap();
    assert_eq!(done.reason, Some(StopReason::Cancelled));
    let count = done.memory.records().len() as u64;
    assert!(count > 8 && count < 5000, "{count}");
    assert_eq!(server.counts().requests.load(Ordering::SeqCst), count);
}

#[test]
fn a_cancelled_run_does_not_wait_for_ever_for_hanging_requests() {
    let server = ModelServer::scripted(|_| ServerResponse::Hang).unwrap();
    let stop = Arc::new(Stopper::default());
    let canceller = thread::spawn({
        let stop = Arc::clone(&stop);
        move || {
            thread::sleep(Duration::from_millis(100));
            stop.cancel();
        }
    });
    let settings = RunSettings {
        time_limit: Duration::from_secs(25),
        grace: Duration::from_millis(200),
        ..quick()
    };
    let started = Instant::now();
    let done = run_until(model(&server), samples(50), &settings, &stop);
    canceller.join().unwrap();
    assert_eq!((done.reason, done.memory.solved.len()), (Some(StopReason::Cancelled), 0));
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

/// A pool for a system without a server.
fn pool(settings: RunSettings, total: u64) -> Pool {
    Pool {
        system: Arc::new(StaticGuard::new(Role::Default)),
        limiter: Arc::new(Limiter::new(ConcurrencyBounds::fixed(2))),
        settings,
        stop: Arc::default(),
        budget: Arc::default(),
        price: None,
        expected_cost: 0.0,
        progress: Arc::new(Progress::new(total, 0)),
    }
}

struct FullDisk(u32);

impl Sink for FullDisk {
    fn take(&mut self, _: &Sample, _: &Solved) -> Result<(), String> {
        self.0 += 1;
        if self.0 > 5 { Err("no space left".to_owned()) } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), String> {
        Ok(())
    }
}

#[test]
fn a_run_whose_answers_cannot_be_written_is_ended() {
    let work = Box::new(List(samples(1000).into_iter()));
    let mut sink = FullDisk(0);
    let reason = pool(quick(), 1000).run(work, 1000, &mut sink);
    assert_eq!(reason, Some(StopReason::Failed("no space left".to_owned())));
    assert_eq!(sink.0, 6);
}

struct BadRow(u32);

impl SampleSource for BadRow {
    fn next(&mut self) -> Option<Result<(Sample, u32), String>> {
        self.0 += 1;
        if self.0 == 4 {
            return Some(Err("row 4 is no sample".to_owned()));
        }
        samples(self.0).pop().map(|sample| Ok((sample, 1)))
    }
}

#[test]
fn a_data_set_that_breaks_ends_the_run_with_its_reason() {
    struct Count(u32);
    impl Sink for Count {
        fn take(&mut self, _: &Sample, _: &Solved) -> Result<(), String> {
            self.0 += 1;
            Ok(())
        }
        fn flush(&mut self) -> Result<(), String> {
            Ok(())
        }
    }
    let mut sink = Count(0);
    let reason = pool(quick(), 10).run(Box::new(BadRow(0)), 10, &mut sink);
    assert_eq!(reason, Some(StopReason::Failed("row 4 is no sample".to_owned())));
    assert_eq!(sink.0, 3);
}

#[test]
fn the_static_side_is_asked_like_any_other_system() {
    let mut two = samples(2);
    two[0].command = "cat /etc/shadow".to_owned();
    two[1].command = "ls -la".to_owned();
    let done = run(Arc::new(StaticGuard::new(Role::Default)), two, &quick());
    let records = done.memory.records();
    assert_eq!(records["s-00000"].answer_word(), "BLOCK");
    assert_eq!(records["s-00001"].answer_word(), "ALLOW");
    assert!(records.values().all(|record| record.correct() && record.error.is_none()));
    assert!(records["s-00000"].completion.contains("critical-file-read"));
    let budget = Budget::default();
    assert!(budget.spent().abs() < f64::EPSILON);
}
