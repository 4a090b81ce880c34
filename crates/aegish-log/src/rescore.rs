//! New scores for an existing log, and conversion to the other format.
//!
//! Takes any log; writes the same log with the scores and results of this crate to a new file, which then
//! replaces the old one. The first original is kept in `originals` beside it. No model is asked, and only the
//! scores change.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use aegish_judge::Scoring;
use serde_json::value::to_raw_value;
use serde_json::{Map, Value, json};

use super::deflate::{Deflate, pack};
use super::ending::{Fields, LogEnding};
use super::error::LogError;
use super::frame::{Frame, SCORER};
use super::names::{JOURNAL, START};
use super::parse::{self, LoggedSample};
use super::reader::Log;
use super::results::Results;
use super::shapes::ScoreJson;
use super::store::Store;
use super::{json_log, summary};
use crate::Record;
use crate::metrics::Metrics;

/// Samples per list in the journal.
const LISTED_AT_ONCE: usize = 500;

/// The metrics of a log, scored again.
///
/// # Errors
///
/// If the log, or one of its samples, cannot be read.
pub fn measure(log: &Log) -> Result<Metrics, LogError> {
    Ok(log.tally()?.metrics(log.header().price()))
}

/// Writes new scores into a log. Returns its metrics and the path of the first original.
///
/// # Errors
///
/// If the log cannot be read or written, or is still being written.
pub fn rescore(log: &Log) -> Result<(Metrics, PathBuf), LogError> {
    let path = log.path();
    if log.is_open() {
        let what = "it is still being written, or its run was interrupted; continue the run first";
        return Err(LogError::broken(path, what));
    }
    let mut header = log.raw_header()?;
    let metrics = measure(log)?;
    let mut frame = frame(&header)
        .map_err(|error| LogError::broken(path, format!("its header makes no sense: {error}")))?;
    if log.scoring() != log.header().scoring() {
        let metadata = frame.eval.entry("metadata").or_insert_with(|| json!({}));
        metadata["scoring"] = log.scoring().name().into();
        let eval =
            to_raw_value(&frame.eval).map_err(|error| LogError::unwritten(path, error.into()))?;
        header.insert("eval".to_owned(), eval);
    }
    let results = to_raw_value(&Results::new(&frame, &metrics))
        .map_err(|error| LogError::unwritten(path, error.into()))?;
    header.insert("results".to_owned(), results);
    let original = keep_original(path)?;
    let new = beside(path);
    // A leftover of an interrupted attempt.
    let _ = fs::remove_file(&new);
    if path.extension().is_some_and(|ending| ending == "json") {
        let samples = log.raw_samples()?.map(|text| {
            let text = text?;
            scored(&text, log.scoring())
                .map(|(text, _)| text)
                .map_err(|what| LogError::broken(path, what))
        });
        json_log::write(&new, &header, samples)?;
    } else {
        write_archive(log, &new, &frame, header)?;
    }
    fs::rename(&new, path).map_err(|error| LogError::unwritten(path, error))?;
    Ok((metrics, original))
}

/// The log as one JSON object, in another file.
///
/// # Errors
/// If the log cannot be read, or there is such a file already.
pub fn write_json(log: &Log, to: &Path) -> Result<(), LogError> {
    json_log::write(to, &log.raw_header()?, log.raw_samples()?)
}

/// Copies a log to `originals` beside it, unless an original exists; returns the path of the copy.
///
/// # Errors
///
/// If it cannot be copied.
pub fn keep_original(path: &Path) -> Result<PathBuf, LogError> {
    let folder = path.parent().unwrap_or_else(|| Path::new("")).join("originals");
    let original = folder.join(path.file_name().unwrap_or_default());
    let complain = |error| LogError::unwritten(&original, error);
    if !original.exists() {
        fs::create_dir_all(&folder).map_err(complain)?;
        // Complete or not at all: a truncated copy would later count as the original.
        let copy = beside(&original);
        fs::copy(path, &copy).map_err(complain)?;
        fs::rename(&copy, &original).map_err(complain)?;
    }
    Ok(original)
}

fn frame(header: &Fields) -> serde_json::Result<Frame> {
    let part = |name: &str| header.get(name).map_or("{}", |text| text.get());
    Ok(Frame {
        eval: serde_json::from_str(part("eval"))?,
        plan: serde_json::from_str(part("plan"))?,
    })
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    PathBuf::from(name)
}

fn write_archive(log: &Log, new: &Path, frame: &Frame, mut header: Fields) -> Result<(), LogError> {
    let complain = |error| LogError::unwritten(new, error);
    let mut rewriting = Rewriting {
        store: Store::create(new).map_err(complain)?,
        deflate: Deflate::new(),
        lists: 0,
    };
    rewriting.add(START, &text(&frame.start())).map_err(complain)?;
    let mut lines = Vec::new();
    for sample in log.raw_samples()? {
        let (sample, entry) =
            scored(&sample?, log.scoring()).map_err(|what| LogError::broken(log.path(), what))?;
        let name = super::names::sample(&entry.record.id, entry.record.epoch);
        rewriting.add(&name, &sample).map_err(complain)?;
        lines.push(summary::line(&sample).map_err(complain)?);
        if lines.len() >= LISTED_AT_ONCE {
            rewriting.list(&mut lines).map_err(complain)?;
        }
    }
    rewriting.list(&mut lines).map_err(complain)?;
    header.remove("eval");
    rewriting.end(LogEnding { frame, fields: header }).map_err(complain)
}

struct Rewriting {
    store: Store,
    deflate: Deflate,
    lists: u64,
}

impl Rewriting {
    fn add(&mut self, name: &str, content: &[u8]) -> io::Result<()> {
        let mut bytes = Vec::new();
        let member = pack(&mut self.deflate, name, content, &mut bytes);
        self.store.add(member, &bytes)
    }

    fn list(&mut self, lines: &mut Vec<Vec<u8>>) -> io::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        self.lists += 1;
        let list = [&b"["[..], &lines.join(&b','), b"]"].concat();
        lines.clear();
        self.add(&format!("{JOURNAL}{}.json", self.lists), &list)
    }

    fn end(mut self, ending: LogEnding<'_>) -> io::Result<()> {
        self.store.publish()?;
        ending.write(&self.store.archive()?, &mut self.store)?;
        self.store.publish()?;
        self.store.close()
    }
}

/// A sample with this crate's score instead of an older one.
fn scored(text_of_sample: &[u8], scoring: Scoring) -> Result<(Vec<u8>, LoggedSample), String> {
    let mut entry = parse::sample(text_of_sample)?;
    entry.record.score_by(scoring);
    let clean = parse::without_nan(text_of_sample);
    let mut sample: Map<String, Value> =
        serde_json::from_slice(clean.as_deref().unwrap_or(text_of_sample))
            .map_err(|error| error.to_string())?;
    let Some(score) = score(&entry.record) else {
        sample.remove("scores");
        return Ok((text(&Value::Object(sample)), entry));
    };
    match sample.entry("scores").or_insert_with(|| json!({})) {
        Value::Object(scores) => {
            scores.insert(SCORER.to_owned(), score.clone());
        }
        other => *other = json!({ SCORER: score }),
    }
    if let Some(Value::Array(events)) = sample.get_mut("events") {
        for event in events.iter_mut().filter(|event| is_final_score(event)) {
            event["score"] = score.clone();
        }
    }
    Ok((text(&Value::Object(sample)), entry))
}

/// A score event of this crate's scorer, or of a log that does not name its scorers.
fn is_final_score(event: &Value) -> bool {
    event["event"] == "score"
        && event["intermediate"] != true
        && event.get("scorer").is_none_or(|scorer| scorer.is_null() || scorer == SCORER)
}

fn score(record: &Record) -> Option<Value> {
    serde_json::to_value(ScoreJson::new(record)?).ok()
}

fn text(value: &Value) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}
