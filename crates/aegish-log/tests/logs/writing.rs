//! Logs that are written, killed, resumed and read.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use aegish_judge::{Answer, Stop};
use aegish_log::{Bodies, FinalStatus, Log, LogStatus, PromptCopies, Writer};
use aegish_log::{Limit, Record, Tally};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::support::{exchange, record, sample, spec, time};
use aegish_test_support::folder::Folder;

/// Appends samples with these numbers.
fn append(writer: &mut Writer, numbers: impl IntoIterator<Item = u64>) {
    for number in numbers {
        let sample = sample(number);
        let record = record(&sample, number);
        writer.append(&sample, &exchange(&sample, number), &record).unwrap();
    }
}

fn tally(records: &[Record]) -> Tally {
    let mut tally = Tally::default();
    tally.extend(records);
    tally
}

fn records(path: &Path) -> Vec<Record> {
    let log = Log::open(path).unwrap();
    let records: Result<Vec<_>, _> = log.records().unwrap().collect();
    records.unwrap()
}

fn expected(numbers: impl IntoIterator<Item = u64>) -> Vec<Record> {
    numbers.into_iter().map(|number| record(&sample(number), number)).collect()
}

/// The same records, in any order.
fn assert_same(mut found: Vec<Record>, mut expected: Vec<Record>) {
    let order = |record: &Record| (record.id.clone(), record.epoch);
    found.sort_by_key(order);
    expected.sort_by_key(order);
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found, expected);
    }
}

fn finished(folder: &Folder, count: u64) -> PathBuf {
    let path = folder.0.join("log.eval");
    let mut writer = Writer::create(&path, &spec(count)).unwrap();
    append(&mut writer, 0..count);
    let metrics = tally(&expected(0..count)).metrics(None);
    writer.finish(&FinalStatus::Success, &metrics, time(count)).unwrap();
    path
}

fn files(folder: &Folder) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(&folder.0)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn written_samples_are_read_back() {
    for count in [0, 1, 100, 1500] {
        let folder = Folder::new("writing-1");
        let path = finished(&folder, count);
        assert_same(records(&path), expected(0..count));
        let log = Log::open(&path).unwrap();
        let header = log.header();
        assert_eq!(header.status, LogStatus::Success);
        assert_eq!(header.eval.model, "openai/mock");
        assert_eq!(header.eval.dataset.name.as_deref(), Some("gtfobins"));
        assert_eq!(header.eval.metadata["dataset_sha256"], "0".repeat(64));
        assert_eq!(header.eval.metadata["prompt_sha256"], "1".repeat(64));
        assert_eq!(header.prompt, spec(0).prompt.map(|prompt| prompt.text));
        // Every eleventh ended in an error and has no score.
        let failed = (0..count).filter(|number| number % 11 == 9).count() as u64;
        let results = header.results.as_ref().unwrap();
        assert_eq!(results["completed_samples"], count - failed);
        assert_eq!(results["scores"][0]["unscored_samples"], failed);
        assert_eq!(files(&folder), ["log.eval"], "nothing is left beside a finished log");
    }
}

#[test]
fn equal_samples_give_equal_bytes() {
    let (one, two) = (Folder::new("writing-2"), Folder::new("writing-3"));
    assert_eq!(fs::read(finished(&one, 60)).unwrap(), fs::read(finished(&two, 60)).unwrap());
}

#[test]
fn every_final_status_is_read_back() {
    let folder = Folder::new("writing-4");
    let path = folder.0.join("log.eval");
    let mut writer = Writer::create(&path, &spec(4)).unwrap();
    let mut expected = Vec::new();
    let endings = [
        (Stop::ContentFilter, "", None),
        (Stop::MaxTokens, "{\"action\":", None),
        (Stop::Unknown("weird_reason".to_owned()), "nothing", None),
        (Stop::Unknown(String::new()), "", Some(Limit { kind: "time".to_owned(), value: 0.5 })),
        (Stop::ModelLength, "\u{1f600} \u{0} \u{2028} \"\\", None),
    ];
    for (number, (stop, completion, limit)) in endings.into_iter().enumerate() {
        let sample = sample(number as u64);
        let mut record = record(&sample, 0);
        record.completion = completion.to_owned();
        record.stop = stop;
        record.limit = limit;
        record.answer = Some(aegish_log::score(&record.completion, &record.stop));
        record.usage = Default::default();
        record.epoch = 3;
        record.id.clone_from(&sample.id);
        let mut exchange = exchange(&sample, 0);
        exchange.reasoning = Some("thought\n".to_owned());
        exchange.sent_as = Some("Think. ".to_owned() + &exchange.input);
        exchange.request_id = Some("req".to_owned());
        exchange.failures = vec!["HTTP 429".to_owned()];
        exchange.bodies = Some(Bodies {
            request: RawValue::from_string("{\"a\": [1]}".to_owned()).unwrap(),
            response: Some(RawValue::from_string("[]".to_owned()).unwrap()),
        });
        record.command.clone_from(&sample.command);
        record.category.clone_from(&sample.category);
        record.expected = sample.expected;
        writer.append(&sample, &exchange, &record).unwrap();
        expected.push(record);
    }
    let metrics = tally(&expected).metrics(None);
    writer.finish(&FinalStatus::Error("too many errors".to_owned()), &metrics, time(9)).unwrap();
    assert_same(records(&path), expected.clone());
    let log = Log::open(&path).unwrap();
    assert_eq!(log.header().status, LogStatus::Error);
    assert_eq!(log.header().error.as_deref(), Some("too many errors"));
    let answers: Vec<Option<Answer>> = expected.into_iter().map(|record| record.answer).collect();
    let kinds = [Answer::ContentFilter, Answer::TokenLimit, Answer::Format, Answer::Timeout];
    assert_eq!(answers[..4], kinds.map(Some));
}

#[test]
fn an_unfinished_log_can_be_read_and_contains_every_finished_sample() {
    for prompt in [PromptCopies::EverySample, PromptCopies::HeaderOnly] {
        let folder = Folder::new("writing-5");
        let path = folder.0.join("log.eval");
        let mut spec = spec(3000);
        spec.prompt.as_mut().unwrap().copies = prompt;
        let mut writer = Writer::create(&path, &spec).unwrap();
        assert_eq!(Log::open(&path).unwrap().header().status, LogStatus::Started);
        for number in 0..900 {
            append(&mut writer, [number]);
            if number % 50 == 49 {
                assert_eq!(records(&path).len() as u64, number + 1);
            }
        }
        assert_eq!(Log::open(&path).unwrap().header().status, LogStatus::Started);
    }
}

#[test]
fn without_its_spool_a_small_log_can_be_opened_at_every_instant() {
    let folder = Folder::new("writing-6");
    let (path, copy) = (folder.0.join("log.eval"), folder.0.join("copy.eval"));
    let mut writer = Writer::create(&path, &spec(3000)).unwrap();
    let mut seen = 0;
    for number in 0..100 {
        append(&mut writer, [number]);
        fs::copy(&path, &copy).unwrap();
        // The state that readers see if the writer is killed while it appends.
        for garbage in [0, 1000, 60_000] {
            let length = fs::metadata(&path).unwrap().len();
            OpenOptions::new().write(true).open(&copy).unwrap().set_len(length + garbage).unwrap();
            let found = records(&copy).len();
            assert!(found >= seen, "{found} after {seen}");
            seen = found;
        }
    }
    assert!(seen >= 80, "{seen}");
}

#[test]
fn a_killed_writer_loses_nothing_and_resuming_finishes_the_log() {
    let folder = Folder::new("writing-7");
    for killed_after in [0, 1, 17, 700] {
        let path = folder.0.join(format!("{killed_after}.eval"));
        let mut writer = Writer::create(&path, &spec(1500)).unwrap();
        append(&mut writer, 0..killed_after);
        // Dropping flushes nothing, so the files are in the state that a kill would leave.
        drop(writer);
        assert_same(records(&path), expected(0..killed_after));
        let mut writer = Writer::resume(&path).unwrap();
        assert_same(records(&path), expected(0..killed_after));
        append(&mut writer, killed_after..1300);
        let metrics = tally(&expected(0..1300)).metrics(None);
        writer.finish(&FinalStatus::Cancelled, &metrics, time(9)).unwrap();
        assert_same(records(&path), expected(0..1300));
        assert_eq!(listed(&path), 1300);
    }
}

/// The number of lines in the list of samples.
fn listed(path: &Path) -> usize {
    members(path, "summaries.json").last().unwrap().as_array().unwrap().len()
}

/// The members of a log with this name, read by an independent reader.
fn members(path: &Path, name: &str) -> Vec<Value> {
    let bytes = fs::read(path).unwrap();
    let mut found = Vec::new();
    let mut at = 0;
    let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let u16_at = |at: usize| usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
    while at + 4 <= bytes.len() {
        match u32_at(at) {
            0x0403_4b50 => {
                let (names, extra) = (u16_at(at + 26), u16_at(at + 28));
                let start = at + 30 + names + extra;
                let wide = u32_at(at + 18) == u32::MAX;
                let size =
                    if wide { u32_at(at + 30 + names + 12) } else { u32_at(at + 18) } as usize;
                if &bytes[at + 30..at + 30 + names] == name.as_bytes() {
                    let data = &bytes[start..start + size];
                    let text = miniz_oxide::inflate::decompress_to_vec(data).unwrap();
                    found.push(serde_json::from_slice(&text).unwrap());
                }
                at = start + size;
            }
            0x0201_4b50 => at += 46 + u16_at(at + 28) + u16_at(at + 30),
            0x0606_4b50 => at += 56,
            0x0706_4b50 => at += 20,
            _ => at += 22,
        }
    }
    found
}

#[test]
fn a_log_truncated_at_any_byte_is_restored_from_its_spool() {
    let folder = Folder::new("writing-8");
    let path = folder.0.join("log.eval");
    let mut writer = Writer::create(&path, &spec(1500)).unwrap();
    append(&mut writer, 0..600);
    writer.flush().unwrap();
    append(&mut writer, 600..603);
    drop(writer);
    let whole = fs::read(&path).unwrap();
    let spool = fs::read(folder.0.join("log.eval.spool")).unwrap();
    // Inside the directory, and between the members after the last directory.
    for cut in [1, 22, 23, 5000, 30_000, whole.len() / 3] {
        fs::write(&path, &whole[..whole.len() - cut]).unwrap();
        fs::write(folder.0.join("log.eval.spool"), &spool).unwrap();
        let found = records(&path);
        let mut writer = Writer::resume(&path).unwrap();
        assert_same(records(&path), found.clone());
        append(&mut writer, found.len() as u64 - 3..600);
        let metrics = tally(&expected(0..603)).metrics(None);
        writer.finish(&FinalStatus::Success, &metrics, time(9)).unwrap();
        assert_same(records(&path), expected(0..603));
        assert_eq!(listed(&path), 603);
    }
}

#[test]
fn samples_lost_in_a_power_failure_are_run_again() {
    let folder = Folder::new("writing-power");
    let path = folder.0.join("log.eval");
    let mut writer = Writer::create(&path, &spec(20)).unwrap();
    append(&mut writer, 0..5);
    drop(writer);
    let spool = folder.0.join("log.eval.spool");
    let mut bytes = fs::read(&spool).unwrap();
    let length = bytes.len();
    bytes[length - 100..].fill(0);
    fs::write(&spool, bytes).unwrap();
    assert_same(records(&path), expected(0..4));
    let mut writer = Writer::resume(&path).unwrap();
    assert_same(records(&path), expected(0..4));
    append(&mut writer, 4..20);
    let metrics = tally(&expected(0..20)).metrics(None);
    writer.finish(&FinalStatus::Success, &metrics, time(9)).unwrap();
    assert_same(records(&path), expected(0..20));
}

#[test]
fn a_sample_run_again_replaces_the_first_in_a_finished_log() {
    let folder = Folder::new("writing-9");
    let path = finished(&folder, 700);
    let mut writer = Writer::resume(&path).unwrap();
    assert_eq!(Log::open(&path).unwrap().header().status, LogStatus::Started);
    let mut wanted = expected(0..700);
    for number in [3, 699] {
        let sample = sample(number);
        let mut record = record(&sample, number);
        record.total_seconds = Some(99.0);
        writer.append(&sample, &exchange(&sample, 800), &record).unwrap();
        wanted[number as usize] = record;
    }
    let metrics = tally(&wanted).metrics(None);
    writer.finish(&FinalStatus::Success, &metrics, time(900)).unwrap();
    assert_same(records(&path), wanted);
    let lists = members(&path, "summaries.json");
    let list = lists.last().unwrap().as_array().unwrap();
    assert_eq!(list.len(), 700);
    assert_eq!(list.iter().filter(|line| line["total_time"] == 99.0).count(), 2);
    let headers = members(&path, "header.json");
    let ids = headers.last().unwrap()["eval"]["dataset"]["sample_ids"].as_array().unwrap();
    assert_eq!(ids.len(), 700);
}

#[test]
fn an_existing_log_is_not_overwritten() {
    let folder = Folder::new("writing-10");
    let path = finished(&folder, 2);
    let error = Writer::create(&path, &spec(2)).err().unwrap().to_string();
    assert!(error.contains("was not written"), "{error}");
    assert_eq!(records(&path).len(), 2);
}

#[test]
fn broken_logs_are_refused_with_a_reason() {
    let folder = Folder::new("writing-11");
    let path = finished(&folder, 20);
    let whole = fs::read(&path).unwrap();
    let broken = folder.0.join("broken.eval");
    let refused = |bytes: &[u8], what: &str| {
        fs::write(&broken, bytes).unwrap();
        let log = Log::open(&broken);
        let error = match log {
            Err(error) => error.to_string(),
            Ok(log) => log.records().unwrap().find_map(Result::err).unwrap().to_string(),
        };
        assert!(error.contains("was not read") && error.contains(what), "{error}");
    };
    refused(b"", "no ZIP archive");
    refused(b"hello", "no ZIP archive");
    refused(b"PK\x03\x04", "end is missing");
    let other = Folder::new("writing-12");
    let long = fs::read(finished(&other, 900)).unwrap();
    refused(&long[..long.len() - 1], "end is missing");
    let mut damaged = whole;
    let name = b"samples/tool_7";
    let at = damaged.windows(name.len()).position(|bytes| bytes == name).unwrap();
    damaged[at + 200..at + 240].fill(0xff);
    refused(&damaged, "damaged");
    let error = Log::open(&folder.0.join("missing.eval")).unwrap_err().to_string();
    assert!(error.contains("missing.eval was not read: No such file"), "{error}");
}

#[test]
fn no_damage_makes_a_reader_panic() {
    let folder = Folder::new("writing-13");
    let path = finished(&folder, 12);
    let whole = fs::read(&path).unwrap();
    let broken = folder.0.join("broken.eval");
    let mut state: u64 = 1;
    for _ in 0..600 {
        let mut bytes = whole.clone();
        for _ in 0..3 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let at = (state >> 33) as usize % bytes.len();
            bytes[at] = (state >> 20) as u8;
        }
        // The directory is the more interesting half.
        let cut = (state >> 40) as usize % 4;
        bytes.truncate(whole.len() - cut);
        fs::write(&broken, &bytes).unwrap();
        if let Ok(log) = Log::open(&broken) {
            let _ = log.records().unwrap().count();
        }
    }
}
