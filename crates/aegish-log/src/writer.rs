//! Writes a log during a run.
//!
//! Takes a [`Spec`], then samples as they finish, then the final status; gives a `.eval` file that Inspect
//! can open at any time, and that this crate can resume after any interruption. Memory does not grow with the
//! number of samples. Refuses to overwrite a file, and refuses ids that are not valid as names of members.

use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::Value;

use super::deflate::{Deflate, pack};
use super::encode::Encoder;
use super::ending::{self, LogEnding};
use super::error::LogError;
use super::exchange::Exchange;
use super::frame::Frame;
use super::names::{HEADER, JOURNAL, REDUCTIONS, START, SUMMARIES, is_sample, journal_number};
use super::reader::Log;
use super::rescore::write_json;
use super::spec::Spec;
use super::split::Elements;
use super::store::Store;
use super::summary;
use super::zip::{Archive, Member};
use crate::metrics::Metrics;
use crate::{Record, Sample};

/// Samples per list in the journal.
const LISTED_AT_ONCE: u64 = 500;
/// Samples that other programs do not see yet: a minimum, and a share of the log.
const UNSEEN: u64 = 16;
const UNSEEN_SHARE: u64 = 8;
/// Longest id: the name of a member has at most 65,535 bytes.
const LONGEST_ID: usize = 1000;

/// How an evaluation ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FinalStatus {
    /// Every sample was run.
    Success,
    /// It was stopped early, by the user or by a cost limit.
    Cancelled,
    /// It failed, with the reason.
    Error(String),
}

/// A log that is being written.
pub struct Writer {
    path: PathBuf,
    /// The path of the log as one JSON object, written when it is finished.
    json: Option<PathBuf>,
    frame: Frame,
    encoder: Encoder,
    deflate: Deflate,
    store: Store,
    list: Vec<u8>,
    listed: u64,
    lists: u64,
    unseen: u64,
    bytes: Vec<u8>,
}

impl Writer {
    /// Starts a log. Creates its folder if it is missing.
    ///
    /// A name that ends in `.json` makes it one JSON object at the end. Until then it is a `.eval` log of
    /// the same name, which can be resumed.
    ///
    /// # Errors
    ///
    /// If there is such a file already, or it cannot be written.
    pub fn create(path: &Path, spec: &Spec) -> Result<Self, LogError> {
        let complain = |error| LogError::unwritten(path, error);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(complain)?;
        }
        let json = path.extension().is_some_and(|ending| ending == "json");
        if json && path.exists() {
            return Err(complain(io::ErrorKind::AlreadyExists.into()));
        }
        let eval = if json { path.with_extension("eval") } else { path.to_owned() };
        let store = Store::create(&eval).map_err(|error| LogError::unwritten(&eval, error))?;
        let mut writer = Self::with(&eval, Frame::new(spec), store);
        writer.json = json.then(|| path.to_owned());
        writer.add_json(START, &writer.frame.start()).map_err(complain)?;
        writer.store.publish().map_err(complain)?;
        Ok(writer)
    }

    fn with(path: &Path, frame: Frame, store: Store) -> Self {
        Self {
            path: path.to_owned(),
            json: None,
            encoder: Encoder::new(&frame),
            deflate: Deflate::new(),
            frame,
            store,
            list: Vec::new(),
            listed: 0,
            lists: 0,
            unseen: 0,
            bytes: Vec::new(),
        }
    }

    /// Opens a log to add to it: one whose writer was killed, or a finished one.
    ///
    /// A sample replaces one with the same id and epoch. Until [`finish`](Self::finish) the log counts as
    /// unfinished.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or written, or is not a log.
    pub fn resume(path: &Path) -> Result<Self, LogError> {
        let frame = Log::open(path)?.frame()?;
        Self::reopen(path, frame).map_err(|error| LogError::unwritten(path, error))
    }

    fn reopen(path: &Path, frame: Frame) -> io::Result<Self> {
        let (mut lists, mut list, mut late) = (0, None, Vec::new());
        let keep = |member: &Member| {
            lists = lists.max(journal_number(&member.name).unwrap_or(0));
            if member.name == SUMMARIES {
                list = Some(member.clone());
            }
            !matches!(member.name.as_str(), HEADER | SUMMARIES | REDUCTIONS)
        };
        let spooled = |archive: &Archive, member: &Member| {
            if is_sample(&member.name) {
                late.push(summary::line(&archive.read(member)?)?);
            } else if journal_number(&member.name).is_some() {
                // The list covers the samples before it.
                late.clear();
            }
            Ok(())
        };
        let store = Store::reopen(path, keep, spooled)?;
        let mut writer = Self::with(path, frame, store);
        writer.lists = lists;
        if lists == 0 {
            writer.list_again(list)?;
        } else {
            late.iter().try_for_each(|line| writer.add_line(line))?;
        }
        writer.publish()?;
        Ok(writer)
    }

    /// Creates the journal of a log without one, from its list of samples or from the samples.
    fn list_again(&mut self, list: Option<Member>) -> io::Result<()> {
        self.store.publish()?;
        let archive = self.store.archive()?;
        if let Some(list) = list {
            let mut lines = Elements::new(BufReader::new(archive.open_member(&list)?));
            let mut line = Vec::new();
            while lines.next(&mut line)? {
                self.add_line(&line)?;
            }
            return Ok(());
        }
        for member in archive.directory() {
            let member = member?;
            if is_sample(&member.name) {
                let line = summary::line(&archive.read(&member)?)?;
                self.add_line(&line)?;
            }
        }
        Ok(())
    }

    /// Updates the limits in the header to those of the resumed run: seconds per sample, dollars per run.
    pub fn set_limits(&mut self, time_limit: f64, cost_limit: Option<f64>) {
        self.frame.set_limits(time_limit, cost_limit);
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a sample. After this returns, it survives a kill of the process.
    ///
    /// # Errors
    ///
    /// If the sample cannot be written, or its id is too long.
    pub fn append(
        &mut self,
        sample: &Sample,
        exchange: &Exchange,
        record: &Record,
    ) -> Result<(), LogError> {
        if record.id.len() > LONGEST_ID {
            let start = &record.id[..record.id.floor_char_boundary(40)];
            return Err(LogError::sample(&self.path, start, "its id is longer than 1,000 bytes"));
        }
        self.write(sample, exchange, record).map_err(|error| LogError::unwritten(&self.path, error))
    }

    fn write(&mut self, sample: &Sample, exchange: &Exchange, record: &Record) -> io::Result<()> {
        self.bytes.clear();
        self.begin_line();
        let (bytes, list) = (&mut self.bytes, &mut self.list);
        let member = self.encoder.sample(sample, exchange, record, bytes, list);
        self.store.add(member, &self.bytes)?;
        self.unseen += 1;
        self.end_long_list()?;
        if self.store.is_full() || self.unseen >= UNSEEN.max(self.store.entries() / UNSEEN_SHARE) {
            self.publish()?;
        }
        Ok(())
    }

    fn begin_line(&mut self) {
        self.list.push(if self.listed == 0 { b'[' } else { b',' });
        self.listed += 1;
    }

    fn add_line(&mut self, line: &[u8]) -> io::Result<()> {
        self.begin_line();
        self.list.extend_from_slice(line);
        self.end_long_list()
    }

    fn end_long_list(&mut self) -> io::Result<()> {
        if self.listed >= LISTED_AT_ONCE { self.end_list() } else { Ok(()) }
    }

    fn end_list(&mut self) -> io::Result<()> {
        if self.listed == 0 {
            return Ok(());
        }
        self.list.push(b']');
        self.lists += 1;
        let list = std::mem::take(&mut self.list);
        self.add(&format!("{JOURNAL}{}.json", self.lists), &list)?;
        self.list = list;
        self.list.clear();
        self.listed = 0;
        Ok(())
    }

    fn publish(&mut self) -> io::Result<()> {
        self.end_list()?;
        self.unseen = 0;
        self.store.publish()
    }

    fn add(&mut self, name: &str, content: &[u8]) -> io::Result<()> {
        self.bytes.clear();
        let member = pack(&mut self.deflate, name, content, &mut self.bytes);
        self.store.add(member, &self.bytes)
    }

    fn add_json(&mut self, name: &str, content: &Value) -> io::Result<()> {
        self.add(name, &serde_json::to_vec(content)?)
    }

    /// Makes everything written so far visible to other programs. Also happens automatically at intervals.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn flush(&mut self) -> Result<(), LogError> {
        self.publish().map_err(|error| LogError::unwritten(&self.path, error))
    }

    /// Ends the log with its results. The metrics must cover all its samples.
    ///
    /// # Errors
    ///
    /// If the log cannot be written.
    pub fn finish(
        self,
        status: &FinalStatus,
        metrics: &Metrics,
        completed: SystemTime,
    ) -> Result<(), LogError> {
        let (path, json) = (self.path.clone(), self.json.clone());
        let complain = |error| LogError::unwritten(&path, error);
        self.close(status, metrics, completed).map_err(complain)?;
        if let Some(json) = json {
            write_json(&Log::open(&path)?, &json)?;
            std::fs::remove_file(&path).map_err(complain)?;
        }
        Ok(())
    }

    fn close(
        mut self,
        status: &FinalStatus,
        metrics: &Metrics,
        completed: SystemTime,
    ) -> io::Result<()> {
        self.publish()?;
        let archive = self.store.archive()?;
        let fields = ending::fields(&self.frame, status, metrics, completed)?;
        LogEnding { frame: &self.frame, fields }.write(&archive, &mut self.store)?;
        drop(archive);
        self.store.publish()?;
        self.store.close()
    }
}
