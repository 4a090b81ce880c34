//! Nothing is lost on the way, whatever becomes of the collector and of the log.

use crate::collector::Collector;
use crate::{ROOMY, all_kinds, allowed, log, read, recorder};
use aegish_audit::{Size, files, read_sent};
use aegish_events::{SendOptions, send};
use aegish_terminal::Screen;
use aegish_test_support::folder::Folder;
use aegish_wire::TransportOptions;
use opentelemetry_proto::tonic::collector::logs::v1::{
    ExportLogsPartialSuccess, ExportLogsServiceResponse,
};
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::number_data_point::Value;
use prost::Message as _;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

fn options(to: String) -> SendOptions {
    SendOptions { to, token_file: None, once: true, host: Some("h1".to_owned()) }
}

fn send_once(log: &Path, to: String) -> Result<(), String> {
    let sent = send(log, &options(to), TransportOptions::default(), &mut Screen::standard());
    sent.map(drop).map_err(|failure| failure.message)
}

fn texts(log: &Path) -> Vec<String> {
    let text = |line: aegish_audit::AuditLine| String::from_utf8(line.bytes).unwrap();
    read(log).into_iter().map(text).collect()
}

#[test]
fn every_entry_is_sent_once_and_the_sums_are_right() {
    let folder = Folder::new("events-once");
    let mut recorder = recorder(&folder, ROOMY);
    all_kinds(&mut recorder);
    let collector = Collector::new();
    let token = folder.write("token", "secret\n");
    let options = SendOptions { token_file: Some(token), ..options(collector.url()) };
    let transport = TransportOptions::default();
    send(&log(&folder), &options, transport, &mut Screen::standard()).unwrap();
    assert_eq!(collector.lines(), texts(&log(&folder)));
    assert_eq!(collector.authorization(), ["Bearer secret"]);
    // Nothing new.
    send_once(&log(&folder), collector.url()).unwrap();
    assert_eq!(collector.lines().len(), 9);
    recorder.record(&allowed(1)).unwrap();
    send_once(&log(&folder), collector.url()).unwrap();
    assert_eq!(collector.lines(), texts(&log(&folder)));
    let metrics = &collector.metrics()[0].resource_metrics[0].scope_metrics[0].metrics;
    let Some(Data::Sum(sum)) = &metrics[0].data else { panic!("no sum") };
    let count = |point: &opentelemetry_proto::tonic::metrics::v1::NumberDataPoint| match point.value
    {
        Some(Value::AsInt(count)) => count,
        _ => 0,
    };
    assert_eq!(sum.data_points.iter().map(count).sum::<i64>(), 5);
    let Some(Data::Histogram(times)) = &metrics[1].data else { panic!("no histogram") };
    assert_eq!((times.data_points[0].count, times.data_points[0].bucket_counts[0]), (5, 5));
}

#[test]
fn what_a_collector_that_is_gone_did_not_take_is_sent_later() {
    let folder = Folder::new("events-gone");
    let mut recorder = recorder(&folder, ROOMY);
    all_kinds(&mut recorder);
    let error = send_once(&log(&folder), "http://127.0.0.1:1".to_owned()).unwrap_err();
    assert!(error.contains("no connection to the server"), "{error}");
    let collector = Collector::new();
    for status in [503, 429, 400, 401] {
        collector.answer(status, Vec::new());
        let error = send_once(&log(&folder), collector.url()).unwrap_err();
        assert!(error.contains(&status.to_string()), "{error}");
    }
    assert_eq!(read_sent(&log(&folder)).unwrap().unwrap().seq, 0);
    collector.answer(200, Vec::new());
    send_once(&log(&folder), collector.url()).unwrap();
    assert_eq!(collector.lines(), texts(&log(&folder)));
}

/// The log may keep two old files and is rotated dozens of times while nobody takes anything.
#[test]
fn rotation_keeps_what_was_not_sent_and_removes_it_afterwards() {
    let folder = Folder::new("events-rotation");
    let small = Size { bytes: 2048, files: 2 };
    let mut recorder = recorder(&folder, small);
    recorder.record(&allowed(0)).unwrap();
    assert!(send_once(&log(&folder), "http://127.0.0.1:1".to_owned()).is_err());
    for number in 1..100 {
        recorder.record(&allowed(number)).unwrap();
    }
    assert!(files(&log(&folder)).unwrap().len() > 20);
    let all = texts(&log(&folder));
    assert_eq!(all.len(), 100);
    let collector = Collector::new();
    send_once(&log(&folder), collector.url()).unwrap();
    assert_eq!(collector.lines(), all);
    for number in 100..110 {
        recorder.record(&allowed(number)).unwrap();
    }
    let left = files(&log(&folder)).unwrap().len();
    assert!(left <= 8, "{left} files");
    send_once(&log(&folder), collector.url()).unwrap();
    assert_eq!(collector.lines().len(), 110);
}

/// A verdict does not wait: entries are written while the collector hangs, and arrive when it is back.
#[test]
fn entries_that_come_while_the_collector_is_gone_arrive_in_their_order() {
    let folder = Folder::new("events-follow");
    let mut recorder = recorder(&folder, Size { bytes: 4096, files: 2 });
    recorder.record(&allowed(0)).unwrap();
    let gone = Collector::new();
    gone.hang();
    let (path, to) = (log(&folder), gone.url());
    thread::spawn(move || {
        let options = SendOptions { once: false, ..options(to) };
        let ended = send(&path, &options, TransportOptions::default(), &mut Screen::standard());
        panic!("it never ends: {:?}", ended.map_err(|failure| failure.message));
    });
    // From then on rotation keeps what is not sent.
    wait(|| read_sent(&log(&folder)).unwrap().is_some());
    wait(|| gone.held() == 1);
    for number in 1..100 {
        recorder.record(&allowed(number)).unwrap();
    }
    // All of them were written while one request waited.
    assert_eq!(gone.held(), 1);
    gone.answer(503, Vec::new());
    for number in 100..300 {
        recorder.record(&allowed(number)).unwrap();
    }
    assert_eq!(gone.lines(), Vec::<String>::new());
    gone.answer(200, Vec::new());
    wait(|| gone.lines().len() >= 300);
    for number in 300..400 {
        recorder.record(&allowed(number)).unwrap();
        thread::sleep(Duration::from_millis(5));
    }
    wait(|| gone.lines().len() >= 400);
    let numbers: Vec<u64> = gone.lines().iter().map(|line| number_of(line)).collect();
    assert_eq!(numbers, (1..=400).collect::<Vec<u64>>());
}

fn number_of(line: &str) -> u64 {
    serde_json::from_str::<serde_json::Value>(line).unwrap()["seq"].as_u64().unwrap()
}

fn wait(done: impl Fn() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it takes too long");
        thread::sleep(Duration::from_millis(20));
    }
}

/// How far the collector took the log cannot be noted, as on a full disk: entries go on, and none is lost.
#[test]
fn a_note_that_cannot_be_written_does_not_stop_the_sending() {
    let folder = Folder::new("events-unnoted");
    let mut recorder = recorder(&folder, ROOMY);
    recorder.record(&allowed(0)).unwrap();
    let collector = Collector::new();
    let (path, to) = (log(&folder), collector.url());
    thread::spawn(move || {
        let options = SendOptions { once: false, ..options(to) };
        let ended = send(&path, &options, TransportOptions::default(), &mut Screen::standard());
        panic!("it never ends: {:?}", ended.map_err(|failure| failure.message));
    });
    let noted =
        |seq| read_sent(&log(&folder)).is_ok_and(|sent| sent.is_some_and(|sent| sent.seq == seq));
    wait(|| noted(1));
    // Not even root writes a file over a directory.
    let note = folder.0.join("own/audit.log.sent");
    std::fs::remove_file(&note).unwrap();
    std::fs::create_dir(&note).unwrap();
    for number in 1..20 {
        recorder.record(&allowed(number)).unwrap();
    }
    wait(|| collector.lines().len() == 20);
    std::fs::remove_dir(&note).unwrap();
    recorder.record(&allowed(20)).unwrap();
    wait(|| noted(21));
    assert_eq!(collector.lines(), texts(&log(&folder)));
}

#[test]
fn records_that_a_collector_does_not_want_do_not_come_again() {
    let folder = Folder::new("events-partial");
    all_kinds(&mut recorder(&folder, ROOMY));
    let collector = Collector::new();
    let partial =
        ExportLogsPartialSuccess { rejected_log_records: 2, error_message: "too long".to_owned() };
    let reply = ExportLogsServiceResponse { partial_success: Some(partial) };
    collector.answer(200, reply.encode_to_vec());
    send_once(&log(&folder), collector.url()).unwrap();
    send_once(&log(&folder), collector.url()).unwrap();
    assert_eq!(collector.lines().len(), 9);
}

#[test]
fn a_log_that_was_begun_anew_is_sent_from_its_beginning() {
    let folder = Folder::new("events-anew");
    let collector = Collector::new();
    for count in [3, 5, 2] {
        let mut recorder = recorder(&folder, ROOMY);
        for number in 0..count {
            recorder.record(&allowed(number)).unwrap();
        }
        send_once(&log(&folder), collector.url()).unwrap();
        std::fs::remove_file(log(&folder)).unwrap();
    }
    let numbers: Vec<u64> = collector.lines().iter().map(|line| number_of(line)).collect();
    assert_eq!(numbers, [1, 2, 3, 1, 2, 3, 4, 5, 1, 2]);
}

#[test]
fn a_collector_elsewhere_needs_tls() {
    let folder = Folder::new("events-plain");
    all_kinds(&mut recorder(&folder, ROOMY));
    for to in ["http://collector.example.org:4318", "http://localhost:1@example.org"] {
        let error = send_once(&log(&folder), to.to_owned()).unwrap_err();
        assert!(error.contains("by https"), "{error}");
    }
}
