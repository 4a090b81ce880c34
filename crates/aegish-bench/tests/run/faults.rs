//! Servers that reject, hang, break off and come back: what is retried, and how it is counted.

use crate::support::model_server::{ModelRequest, ModelServer, ServerResponse};
use crate::support::{Run, model, quick, run, samples};
use aegish_bench::run::{RunSettings, StopReason};
use aegish_judge::Answer;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

fn complete(done: &Run, count: usize) {
    assert_eq!(done.reason, None);
    let records = done.memory.records();
    assert_eq!(records.len(), count);
    for record in records.values() {
        assert_eq!((record.error.as_deref(), &record.limit), (None, &None), "{record:?}");
        assert!(record.action().is_some());
    }
}

#[test]
fn many_rejections_are_waited_out_and_lower_the_limit() {
    let few = |asked: ModelRequest<'_>| {
        if asked.in_flight > 5 { ServerResponse::TooMany(Some(5)) } else { ServerResponse::Answer }
    };
    let delay = Duration::from_millis(4);
    let server = ModelServer::at("127.0.0.1:0", delay, Some(Box::new(few))).unwrap();
    let settings = RunSettings { max_connections: Some(64), ..quick() };
    let done = run(model(&server), samples(400), &settings);
    complete(&done, 400);
    let status = done.limiter.status();
    assert!(status.slowed > 0 && status.limit < 64, "{status:?}");
    let retries: u32 = done.memory.solved.iter().map(|solved| solved.record.retries).sum();
    assert_eq!(u64::from(retries), status.slowed);
}

#[test]
fn nothing_is_sent_while_the_provider_asks_to_wait_and_waiting_is_not_counted_as_work() {
    let told = Arc::new(Mutex::new(None::<Instant>));
    let (clock, early) = (Arc::clone(&told), Arc::new(Mutex::new(0)));
    let counted = Arc::clone(&early);
    let server = ModelServer::scripted(move |asked| {
        let mut told = clock.lock().unwrap();
        if asked.number == 0 {
            *told = Some(Instant::now());
            return ServerResponse::TooMany(Some(300));
        }
        if told.is_some_and(|at| at.elapsed() < Duration::from_millis(290)) {
            *counted.lock().unwrap() += 1;
        }
        ServerResponse::Answer
    })
    .unwrap();
    let settings = RunSettings { max_connections: Some(1), ..quick() };
    let done = run(model(&server), samples(3), &settings);
    complete(&done, 3);
    assert_eq!(*early.lock().unwrap(), 0);
    let rejected = done.memory.solved.iter().find(|solved| solved.record.retries == 1).unwrap();
    let first = &rejected.record;
    assert!(first.total_seconds.unwrap() >= 0.3, "{first:?}");
    assert!(first.working_seconds.unwrap() < 0.2, "{first:?}");
    assert!(rejected.exchange.failures[0].contains("429"));
}

#[test]
fn partial_replies_broken_connections_and_server_errors_are_retried() {
    let server = ModelServer::scripted(|asked| match (asked.before, asked.number % 4) {
        (0, 0) => ServerResponse::Truncate,
        (0, 1) => ServerResponse::Close,
        (0, 2) => ServerResponse::Status(500),
        (0, _) => ServerResponse::Garbage,
        _ => ServerResponse::Answer,
    })
    .unwrap();
    let done = run(model(&server), samples(200), &quick());
    complete(&done, 200);
    assert!(done.memory.solved.iter().all(|solved| solved.record.retries >= 1));
    assert!(server.asked().values().all(|times| *times >= 2));
}

#[test]
fn a_sample_is_given_up_after_all_retries_of_all_tries() {
    let server = ModelServer::scripted(|asked| {
        if asked.command.contains("sample 7\\\"") {
            ServerResponse::Status(500)
        } else {
            ServerResponse::Answer
        }
    })
    .unwrap();
    let settings = RunSettings { base_delay: Duration::ZERO, max_delay: Duration::ZERO, ..quick() };
    let done = run(model(&server), samples(20), &settings);
    assert_eq!(done.reason, None);
    let records = done.memory.records();
    let lost = &records["s-00007"];
    assert!(lost.error.as_deref().is_some_and(|error| error.contains("500")), "{lost:?}");
    assert_eq!(lost.answer, None, "a failure has no score");
    // Three retries of each request, five further tries of the sample.
    assert_eq!(lost.retries, 4 * 6 - 1);
    assert_eq!(records.values().filter(|record| record.error.is_some()).count(), 1);
    assert_eq!(server.asked().values().copied().max(), Some(24));
}

#[test]
fn a_hanging_request_is_ended_by_the_time_limit_and_kept_apart_from_errors() {
    let server = ModelServer::scripted(|asked| {
        if asked.number == 3 { ServerResponse::Hang } else { ServerResponse::Answer }
    })
    .unwrap();
    let settings = RunSettings { time_limit: Duration::from_millis(300), ..quick() };
    let started = Instant::now();
    let done = run(model(&server), samples(50), &settings);
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(done.reason, None);
    let records = done.memory.records();
    assert_eq!(records.len(), 50);
    let timed_out: Vec<_> = records.values().filter(|record| record.limit.is_some()).collect();
    assert_eq!(timed_out.len(), 1);
    let limit = timed_out[0].limit.as_ref().unwrap();
    assert_eq!((limit.kind.as_str(), limit.value), ("time", 0.3));
    assert_eq!((&timed_out[0].answer, &timed_out[0].error), (&Some(Answer::Timeout), &None));
    assert_eq!(done.progress.snapshot().timeouts, 1);
}

#[test]
fn a_server_that_restarts_loses_nothing() {
    let first = ModelServer::scripted(|asked| {
        thread::sleep(Duration::from_millis(5));
        if asked.number < 60 { ServerResponse::Answer } else { ServerResponse::Close }
    })
    .unwrap();
    let address = first.address.to_string();
    let system = model(&first);
    let running = thread::spawn(move || {
        let settings = RunSettings {
            max_connections: Some(8),
            base_delay: Duration::from_millis(20),
            max_delay: Duration::from_millis(200),
            ..quick()
        };
        run(system, samples(200), &settings)
    });
    while first.counts().requests.load(Ordering::SeqCst) < 70 {
        thread::sleep(Duration::from_millis(1));
    }
    drop(first);
    // No server runs for a moment.
    thread::sleep(Duration::from_millis(100));
    let mut second = None;
    for _ in 0..100 {
        second = ModelServer::at(&address, Duration::ZERO, None).ok();
        if second.is_some() {
            break;
        }
        thread::sleep(Duration::from_millis(20));
    }
    assert!(second.is_some(), "the port was not freed");
    complete(&running.join().unwrap(), 200);
}

#[test]
fn a_run_in_which_most_samples_fail_is_ended() {
    let server = ModelServer::scripted(|_| ServerResponse::Status(500)).unwrap();
    let settings = RunSettings {
        base_delay: Duration::ZERO,
        max_delay: Duration::ZERO,
        max_connections: Some(4),
        ..quick()
    };
    let done = run(model(&server), samples(100), &settings);
    let Some(StopReason::Failed(why)) = &done.reason else { panic!("{:?}", done.reason) };
    assert!(why.contains("50 %") && why.contains("500"), "{why}");
    let count = done.memory.solved.len();
    assert!((51..60).contains(&count), "{count}");
}

#[test]
fn a_wrong_key_is_not_tried_on_every_sample() {
    let server = ModelServer::scripted(|_| ServerResponse::Status(401)).unwrap();
    let settings = RunSettings { max_connections: Some(2), ..quick() };
    let done = run(model(&server), samples(500), &settings);
    let Some(StopReason::Failed(why)) = &done.reason else { panic!("{:?}", done.reason) };
    assert!(why.contains("401"), "{why}");
    assert!(server.counts().requests.load(Ordering::SeqCst) <= 6);
}

#[test]
fn one_refusal_among_answers_does_not_end_a_run() {
    let server = ModelServer::scripted(|asked| {
        if asked.number % 10 == 5 { ServerResponse::Status(403) } else { ServerResponse::Answer }
    })
    .unwrap();
    let settings = RunSettings { max_connections: Some(1), ..quick() };
    let done = run(model(&server), samples(100), &settings);
    assert_eq!(done.reason, None);
    let errors = done.memory.records().values().filter(|record| record.error.is_some()).count();
    assert_eq!((done.memory.solved.len(), errors), (100, 10));
}

#[test]
fn the_limit_rises_as_long_as_the_server_keeps_up() {
    let server = ModelServer::at("127.0.0.1:0", Duration::from_millis(4), None).unwrap();
    let done = run(model(&server), samples(1500), &quick());
    complete(&done, 1500);
    // Starts at 20. How close it comes to 100 depends on the load of this machine.
    assert!((50..=100).contains(&done.limiter.status().limit), "{:?}", done.limiter.status());
    let most = server.counts().most_in_flight.load(Ordering::SeqCst);
    assert!((30..=100).contains(&most), "{most}");
}
