//! The end of a log: the list of its samples and its header.
//!
//! Both may exceed the memory, so they are read, compressed and written in pieces.

use std::collections::BTreeMap;
use std::io::{self, BufReader, Read};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use super::clock::{self, Digits};
use super::deflate::{Deflate, Then};
use super::frame::{Frame, VERSION, id_value};
use super::latest::Latest;
use super::names::{HEADER, SUMMARIES, is_sample, journal_number};
use super::results::{self, Results};
use super::split::Elements;
use super::store::{Store, Streamed};
use super::writer::FinalStatus;
use super::zip::Archive;
use crate::metrics::Metrics;

/// Content is compressed in pieces of this size.
const PIECE: usize = 1 << 18;

/// The fields of a header, as text.
pub(super) type Fields = BTreeMap<String, Box<RawValue>>;

/// Everything that ends a log.
pub(super) struct LogEnding<'a> {
    pub(super) frame: &'a Frame,
    /// The fields of the header except `eval`.
    pub(super) fields: Fields,
}

impl LogEnding<'_> {
    /// Adds the last members to the store of an archive.
    pub(super) fn write(self, archive: &Archive, store: &mut Store) -> io::Result<()> {
        let latest = Latest::of(archive.entries(), archive.directory())?;
        let mut replaced = false;
        for (index, member) in archive.directory().enumerate() {
            let name = member?.name;
            replaced |= is_sample(&name) && !latest.is_last(&name, index as u64);
        }
        if replaced {
            latest_summaries(archive, store)?;
        } else {
            summaries(archive, store)?;
        }
        self.header(archive, &latest, store)
    }

    fn header(self, archive: &Archive, latest: &Latest, store: &mut Store) -> io::Result<()> {
        let mut eval = self.frame.eval.clone();
        let mut dataset = match eval.remove("dataset") {
            Some(Value::Object(dataset)) => dataset,
            _ => Map::new(),
        };
        let known_ids = dataset.remove("sample_ids");
        // A first field, so that a comma may follow.
        dataset.entry("shuffled").or_insert_with(|| false.into());
        store.add_streamed(HEADER, |out| {
            let mut chunks = Chunks::new(out);
            // All other fields are written first, so that the ids can follow one by one.
            chunks.put(open_object(&self.fields)?.as_bytes())?;
            chunks.put(b",\"eval\":")?;
            chunks.put(open_object(&eval)?.as_bytes())?;
            chunks.put(b",\"dataset\":")?;
            chunks.put(open_object(&dataset)?.as_bytes())?;
            chunks.put(b",\"sample_ids\":")?;
            match known_ids {
                Some(ids) => chunks.put(&serde_json::to_vec(&ids)?)?,
                None => put_ids(archive, latest, &mut chunks)?,
            }
            chunks.put(b"}}}")?;
            chunks.end()
        })
    }
}

/// The fields of a new header except `eval`.
pub(super) fn fields(
    frame: &Frame,
    status: &FinalStatus,
    metrics: &Metrics,
    completed: SystemTime,
) -> io::Result<Fields> {
    let word = match status {
        FinalStatus::Success => "success",
        FinalStatus::Cancelled => "cancelled",
        FinalStatus::Error(_) => "error",
    };
    let started = frame.eval.get("created").cloned().unwrap_or_default();
    let model = frame.text(&["model"]).unwrap_or_default();
    let stats = json!({
        "started_at": started,
        "completed_at": clock::iso(completed, Digits::Seconds),
        "model_usage": { model: results::usage(metrics) },
    });
    let mut fields = Fields::from([
        ("version".to_owned(), to_raw_value(&VERSION)?),
        ("status".to_owned(), to_raw_value(word)?),
        ("plan".to_owned(), to_raw_value(&frame.plan)?),
        ("results".to_owned(), to_raw_value(&Results::new(frame, metrics))?),
        ("stats".to_owned(), to_raw_value(&stats)?),
    ]);
    if let FinalStatus::Error(message) = status {
        let error = json!({ "message": message, "traceback": "", "traceback_ansi": "" });
        fields.insert("error".to_owned(), to_raw_value(&error)?);
    }
    Ok(fields)
}

/// The list of all samples: the lists of the journal, one after the other.
fn summaries(archive: &Archive, store: &mut Store) -> io::Result<()> {
    store.add_streamed(SUMMARIES, |out| {
        let mut chunks = Chunks::new(out);
        let mut separator = b'[';
        each_list(archive, |list| {
            let mut content = Vec::new();
            list.read_to_end(&mut content)?;
            let inner =
                content.trim_ascii().strip_prefix(b"[").and_then(|rest| rest.strip_suffix(b"]"));
            let inner = inner.ok_or_else(|| invalid("a list of samples is damaged"))?.trim_ascii();
            if inner.is_empty() {
                return Ok(());
            }
            chunks.put(&[separator])?;
            separator = b',';
            chunks.put(inner)
        })?;
        chunks.put(if separator == b'[' { b"[]" } else { b"]" })?;
        chunks.end()
    })
}

/// The same, if samples were replaced.
fn latest_summaries(archive: &Archive, store: &mut Store) -> io::Result<()> {
    let mut latest = Latest::new(archive.entries());
    each_line(archive, |index, key, _| {
        latest.note(key, index);
        Ok(())
    })?;
    store.add_streamed(SUMMARIES, |out| {
        let mut chunks = Chunks::new(out);
        let mut separator = b'[';
        each_line(archive, |index, key, line| {
            if latest.is_last(key, index) {
                chunks.put(&[separator])?;
                separator = b',';
                chunks.put(line)?;
            }
            Ok(())
        })?;
        chunks.put(if separator == b'[' { b"[]" } else { b"]" })?;
        chunks.end()
    })
}

/// An object without its closing bracket.
fn open_object(fields: &impl Serialize) -> io::Result<String> {
    let mut text = serde_json::to_string(fields)?;
    text.pop();
    Ok(text)
}

/// The ids of the samples in the archive.
fn put_ids(archive: &Archive, latest: &Latest, chunks: &mut Chunks<'_, '_>) -> io::Result<()> {
    let mut separator = b'[';
    for (index, member) in archive.directory().enumerate() {
        let name = member?.name;
        let first =
            name.strip_prefix("samples/").and_then(|rest| rest.strip_suffix("_epoch_1.json"));
        let Some(id) = first.filter(|_| latest.is_last(&name, index as u64)) else { continue };
        chunks.put(&[separator])?;
        separator = b',';
        chunks.put(&serde_json::to_vec(&id_value(id))?)?;
    }
    chunks.put(if separator == b'[' { b"[]" } else { b"]" })
}

/// The lists of the journal, in order.
fn each_list(
    archive: &Archive,
    mut each: impl FnMut(&mut dyn Read) -> io::Result<()>,
) -> io::Result<()> {
    for member in archive.directory() {
        let member = member?;
        if journal_number(&member.name).is_some() {
            each(&mut archive.open_member(&member)?)?;
        }
    }
    Ok(())
}

/// Calls `each` for the lines of the lists, with their number and the id and epoch of the sample.
fn each_line(
    archive: &Archive,
    mut each: impl FnMut(u64, &str, &[u8]) -> io::Result<()>,
) -> io::Result<()> {
    #[derive(Deserialize)]
    struct SampleKey {
        id: Value,
        epoch: u64,
    }
    let mut index = 0;
    each_list(archive, |list| {
        let mut lines = Elements::new(BufReader::new(list));
        let mut line = Vec::new();
        while lines.next(&mut line)? {
            let key: SampleKey = serde_json::from_slice(&line)?;
            let id = key.id.as_str().map_or_else(|| key.id.to_string(), str::to_owned);
            each(index, &format!("{id} {}", key.epoch), &line)?;
            index += 1;
        }
        Ok(())
    })
}

/// Compresses content piece by piece.
struct Chunks<'a, 'b> {
    out: &'a mut Streamed<'b>,
    deflate: Deflate,
    content: Vec<u8>,
    deflated: Vec<u8>,
}

impl<'a, 'b> Chunks<'a, 'b> {
    fn new(out: &'a mut Streamed<'b>) -> Self {
        Self { out, deflate: Deflate::new(), content: Vec::new(), deflated: Vec::new() }
    }

    fn put(&mut self, content: &[u8]) -> io::Result<()> {
        self.content.extend_from_slice(content);
        if self.content.len() >= PIECE { self.write(Then::More) } else { Ok(()) }
    }

    fn end(mut self) -> io::Result<()> {
        self.write(Then::End)
    }

    fn write(&mut self, then: Then) -> io::Result<()> {
        self.deflated.clear();
        self.deflate.append(&self.content, then, &mut self.deflated);
        self.out.put(&self.content, &self.deflated)?;
        self.content.clear();
        Ok(())
    }
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}
