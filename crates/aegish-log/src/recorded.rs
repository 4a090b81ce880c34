//! Lines of recorded completions: a JSON object per line.
//!
//! Takes `id`, `command`, `completion` and, where known, `category`, `stop_reason`, `usage`, `total_time`,
//! `working_time`, `error`, `limit` and `target`. Without a target, a line with a category is an attack. The
//! file's name is `<model>__<data set>.jsonl`, with `_` instead of characters that are not valid in file
//! names.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use aegish_judge::price;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::error::LogError;
use super::header::{EvalHeader, Header, LogStatus};
use super::parse::{LoggedSample, RawLimit, RawUsage, stop_reason};
use crate::{Expected, Record, Sample};

#[derive(Deserialize)]
struct RecordedLine {
    id: Value,
    #[serde(default = "first")]
    epoch: u32,
    command: String,
    #[serde(default)]
    category: Option<String>,
    #[serde(default)]
    target: Option<String>,
    completion: String,
    #[serde(default)]
    stop_reason: Option<String>,
    #[serde(default)]
    usage: Option<RawUsage>,
    #[serde(default)]
    total_time: Option<f64>,
    #[serde(default)]
    working_time: Option<f64>,
    #[serde(default)]
    model_time: Option<f64>,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    limit: Option<RawLimit>,
}

fn first() -> u32 {
    1
}

/// The header, from the name of the file.
///
/// # Errors
///
/// If the name has another form.
pub(super) fn header(path: &Path) -> Result<Header, LogError> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let (model, dataset) = stem.split_once("__").ok_or_else(|| {
        LogError::broken(path, "recorded completions are named `<model>__<data set>.jsonl`")
    })?;
    let as_file_name = |id: &str| id.replace(['/', ':'], "_");
    let known = price::all().iter().map(|price| price.model).find(|id| as_file_name(id) == model);
    let mut eval = EvalHeader {
        model: known.unwrap_or(model).to_owned(),
        task: dataset.to_owned(),
        ..EvalHeader::default()
    };
    eval.dataset.name = Some(dataset.to_owned());
    Ok(Header { status: LogStatus::Success, eval, ..Header::default() })
}

/// The lines.
///
/// # Errors
/// If the file cannot be read.
pub(super) fn entries(
    path: &Path,
) -> Result<impl Iterator<Item = Result<LoggedSample, LogError>> + use<>, LogError> {
    let path = path.to_owned();
    let file = File::open(&path).map_err(|error| LogError::unread(&path, error))?;
    Ok(BufReader::new(file).lines().enumerate().filter_map(move |(number, line)| {
        let line = match line {
            Ok(line) if line.trim().is_empty() => return None,
            Ok(line) => line,
            Err(error) => return Some(Err(LogError::unread(&path, error))),
        };
        let place = || format!("line {}", number + 1);
        Some(entry(&line).map_err(|what| LogError::sample(&path, &place(), what)))
    }))
}

fn entry(line: &str) -> Result<LoggedSample, String> {
    let line: RecordedLine = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let expected = match (&line.target, &line.category) {
        (Some(word), _) => {
            word.parse().map_err(|_| format!("its target `{word}` is neither BLOCK nor ALLOW"))?
        }
        (None, Some(_)) => Expected::Block,
        (None, None) => Expected::Pass,
    };
    let id = line.id.as_str().map_or_else(|| line.id.to_string(), str::to_owned);
    let stop = stop_reason(line.stop_reason.as_deref().unwrap_or_default(), None);
    let (usage, reasoning_apart) = line.usage.map(|usage| usage.normal()).unwrap_or_default();
    let sample = Sample {
        id,
        command: line.command,
        expected,
        category: line.category,
        metadata: Map::new(),
    };
    let record = Record {
        usage,
        reasoning_apart,
        total_seconds: line.total_time,
        working_seconds: line.working_time,
        model_seconds: line.model_time,
        error: line.error,
        limit: line.limit.map(RawLimit::limit),
        ..Record::new(&sample, line.epoch)
    };
    Ok(LoggedSample {
        sample,
        record: record.answered(line.completion, stop),
        reasoning: None,
        logged_answer: None,
        logged_correct: None,
        started_at: None,
        completed_at: None,
    })
}
