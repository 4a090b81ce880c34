//! The part of a log that a comparison needs.

use std::path::Path;

use aegish_judge::price::Price;
use aegish_judge::{Answer, sha256_hex};

use aegish_log::Record;
use aegish_log::metrics::Reducer;
use aegish_log::{Header, Log, LogError, LogStatus};

/// Limit on a stored completion without a verdict, in characters.
const MOST_WORDS: usize = 1000;

/// One log: the system, the data set and the results.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The path it was read from.
    pub source: String,
    /// The system, as the log names it.
    pub model: String,
    /// How it was asked if that is unusual: `cot`, `batch`.
    pub variant: Option<String>,
    /// The data set.
    pub dataset: String,
    /// The hash of the data set.
    pub dataset_sha256: Option<String>,
    /// The hash of the system prompt.
    pub prompt_sha256: Option<String>,
    /// When it began, as the log writes it.
    pub created: String,
    /// The program that wrote it, with its version and revision.
    pub version: Option<String>,
    /// Whether it is complete.
    pub ending: RunEnding,
    /// How repetitions of a sample become one value.
    pub reducer: Reducer,
    /// The price of its answers, if it is known.
    pub price: Option<&'static Price>,
    /// The samples.
    pub records: Vec<Record>,
}

/// Whether a run is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunEnding {
    /// All samples are in.
    Complete,
    /// Samples are missing; the status in the log.
    Partial(String),
}

impl Run {
    /// Reads a log: `.eval`, `.json`, or recorded completions in `.jsonl`.
    ///
    /// Stores only the parts of each completion that a report shows.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or one of its samples cannot.
    pub fn read(path: &Path) -> Result<Self, LogError> {
        let log = Log::open(path)?;
        let records = log.records()?.map(|record| record.map(without_prose));
        let records = records.collect::<Result<Vec<Record>, LogError>>()?;
        let header = log.header();
        let text = |key: &str| Some(header.eval.metadata.get(key)?.as_str()?.to_owned());
        let prompt = || Some(sha256_hex(header.prompt.as_ref()?.as_bytes()));
        Ok(Self {
            source: path.display().to_string(),
            model: header.eval.model.clone(),
            variant: variant(header),
            dataset: dataset(header),
            dataset_sha256: text("dataset_sha256"),
            prompt_sha256: text("prompt_sha256").or_else(prompt),
            created: header.eval.created.clone(),
            version: version(header),
            ending: match header.status {
                LogStatus::Success => RunEnding::Complete,
                LogStatus::Started => RunEnding::Partial("started".to_owned()),
                LogStatus::Cancelled => RunEnding::Partial("cancelled".to_owned()),
                LogStatus::Error => RunEnding::Partial("error".to_owned()),
            },
            reducer: header.reducer(),
            price: header.price(),
            records,
        })
    }
}

fn variant(header: &Header) -> Option<String> {
    let asked = header.eval.task_args.get("cot").and_then(serde_json::Value::as_bool) == Some(true);
    let solved = header.solvers.iter().any(|solver| solver == "chain_of_thought");
    let parts = [(asked || solved, "cot"), (header.is_batch(), "batch")];
    let parts: Vec<&str> = parts.iter().filter(|(is, _)| *is).map(|(_, name)| *name).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// `aegish 0.1.0 (1a2b3c4)`; a `+` stands for changes that no revision has.
fn version(header: &Header) -> Option<String> {
    let packages = &header.eval.packages;
    let name = ["aegish", "inspect_ai"].into_iter().find(|name| packages.contains_key(*name))?;
    let number = packages.get(name)?.as_str()?;
    let revision = header.eval.revision.as_ref().and_then(|revision| {
        let commit = revision.get("commit")?.as_str()?;
        let dirty = revision.get("dirty").and_then(serde_json::Value::as_bool) == Some(true);
        Some(format!(" ({}{})", commit.get(..7).unwrap_or(commit), if dirty { "+" } else { "" }))
    });
    Some(format!("{name} {number}{}", revision.unwrap_or_default()))
}

/// The name of the data set, or the task's without the seed's prefix.
fn dataset(header: &Header) -> String {
    let eval = &header.eval;
    let task = eval.task.rsplit('/').next().unwrap_or(&eval.task);
    let named = eval.dataset.name.as_ref().filter(|name| !name.is_empty());
    named.cloned().unwrap_or_else(|| task.strip_prefix("aegish_").unwrap_or(task).to_owned())
}

/// Drops the text of an answer with a verdict, which has its reason. Without a verdict the text is kept.
fn without_prose(mut record: Record) -> Record {
    match record.answer {
        Some(Answer::Verdict(_)) => record.completion = String::new(),
        _ => {
            if let Some((end, _)) = record.completion.char_indices().nth(MOST_WORDS) {
                record.completion.truncate(end);
                record.completion.push('…');
            }
        }
    }
    record.completion.shrink_to_fit();
    record
}
