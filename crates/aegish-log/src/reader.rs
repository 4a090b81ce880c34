//! Reads logs of aegish and of Inspect: `.eval`, `.json`, or lines of recorded completions.
//!
//! Gives the header, and the samples one at a time: memory does not grow with the log. Unknown fields are
//! ignored; missing or damaged parts are named. Completions are scored again while they are read.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use super::ending::Fields;
use super::error::LogError;
use super::frame::Frame;
use super::header::{self, Header};
use super::latest::Latest;
use super::names::{HEADER, START, is_sample};
use super::parse::{self, LoggedSample};
use super::store;
use super::zip::{Archive, Member, Scan};
use super::{json_log, recorded};
use crate::{Record, Tally};
use aegish_judge::Scoring;

/// A log that is open for reading.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    header: Header,
    format: LogFormat,
    /// The rules by which completions are scored.
    scoring: Scoring,
}

#[derive(Debug)]
enum LogFormat {
    /// A ZIP archive, and members that its writer has not moved into it yet.
    Archive(Box<Parts>),
    /// One JSON object.
    Json,
    /// A JSON object per line.
    Recorded,
}

#[derive(Debug)]
struct Parts {
    log: Archive,
    directory: DirectoryPresence,
    spool: Option<Archive>,
    latest: Latest,
}

/// Whether an archive has a directory of its members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DirectoryPresence {
    /// It has one.
    Present,
    /// The writer was killed before it wrote one. The file is scanned for members.
    Missing,
}

impl Log {
    /// Opens a log and reads its header.
    ///
    /// # Errors
    ///
    /// If it cannot be read or is not a log.
    pub fn open(path: &Path) -> Result<Self, LogError> {
        let complain = |error| LogError::unread(path, error);
        let mut file = File::open(path).map_err(complain)?;
        let mut start = [0; 4];
        let got = file.read(&mut start).map_err(complain)?;
        if start[..got].starts_with(b"PK") {
            return Self::open_archive(path, file).map_err(complain);
        }
        if path.extension().is_some_and(|ending| ending == "jsonl") {
            let header = recorded::header(path)?;
            return Ok(Self::with(path, header, LogFormat::Recorded));
        }
        if path.extension().is_some_and(|ending| ending == "eval") {
            return Err(LogError::broken(path, "it is no ZIP archive, so no `.eval` log"));
        }
        let header = json_log::header(path)?;
        Ok(Self::with(path, header, LogFormat::Json))
    }

    fn open_archive(path: &Path, file: File) -> io::Result<Self> {
        let spool = match File::open(store::spool_path(path)) {
            Ok(spool) => Some(Archive::without_directory(spool)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let (log, directory) = match Archive::open(file.try_clone()?) {
            Ok(archive) => (archive, DirectoryPresence::Present),
            // A spool exists if the writer was killed while it wrote the directory.
            Err(_) if spool.is_some() => {
                (Archive::without_directory(file), DirectoryPresence::Missing)
            }
            Err(error) => return Err(error),
        };
        let mut latest = Latest::new(log.entries());
        let mut parts = Parts { log, directory, spool, latest: Latest::new(0) };
        for (index, found) in parts.members().enumerate() {
            latest.note(&found?.1.name, index as u64);
        }
        parts.latest = latest;
        let header = parts.with_header(|content| header::read(BufReader::new(content)))?;
        Ok(Self::with(path, header, LogFormat::Archive(Box::new(parts))))
    }

    fn with(path: &Path, header: Header, format: LogFormat) -> Self {
        Self { path: path.to_owned(), scoring: header.scoring(), header, format }
    }

    /// The same log, scored by other rules than it names.
    #[must_use]
    pub fn scored_by(self, scoring: Scoring) -> Self {
        Self { scoring, ..self }
    }

    /// The rules by which completions are scored.
    #[must_use]
    pub fn scoring(&self) -> Scoring {
        self.scoring
    }

    /// Everything except the samples.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The data set's name: from the header, from the first sample, or from the task.
    ///
    /// # Errors
    /// If the first sample has to be read and cannot.
    pub fn dataset(&self) -> Result<String, LogError> {
        if let Some(name) = &self.header.eval.dataset.name {
            return Ok(name.clone());
        }
        let first = self.entries()?.next().transpose()?;
        let named = first
            .and_then(|entry| Some(entry.sample.metadata.get("dataset")?.as_str()?.to_owned()));
        let task = &self.header.eval.task;
        Ok(named.unwrap_or_else(|| task.rsplit('_').next().unwrap_or(task).to_owned()))
    }

    /// `eval` and `plan`, for resuming the log.
    pub(super) fn frame(&self) -> Result<Frame, LogError> {
        let LogFormat::Archive(parts) = &self.format else {
            return Err(LogError::broken(&self.path, "only `.eval` logs can be added to"));
        };
        let frame =
            parts.with_header(|content| Ok(serde_json::from_reader(BufReader::new(content))?));
        frame.map_err(|error| LogError::unread(&self.path, error))
    }

    /// The samples in the order of the file, each in its last version.
    ///
    /// # Errors
    ///
    /// If the log cannot be opened again. An invalid sample is returned as an error in its position.
    pub fn entries(&self) -> Result<Entries<'_>, LogError> {
        let entries = self.entries_as_by_the_seed()?;
        if self.scoring == Scoring::Seed {
            return Ok(entries);
        }
        Ok(Box::new(entries.map(|entry| {
            let mut entry = entry?;
            entry.record.score_by(self.scoring);
            Ok(entry)
        })))
    }

    fn entries_as_by_the_seed(&self) -> Result<Entries<'_>, LogError> {
        Ok(match &self.format {
            LogFormat::Archive(parts) => Box::new(self.texts(parts).map(|text| {
                let (name, content) = text?;
                parse::sample(&content).map_err(|what| LogError::sample(&self.path, &name, what))
            })),
            LogFormat::Json => Box::new(json_log::entries(&self.path)?),
            LogFormat::Recorded => Box::new(recorded::entries(&self.path)?),
        })
    }

    /// Name and text of each sample of an archive.
    fn texts<'a>(
        &'a self,
        parts: &'a Parts,
    ) -> impl Iterator<Item = Result<(String, Vec<u8>), LogError>> + 'a {
        parts.samples().map(|found| {
            let (archive, member) = found.map_err(|error| LogError::unread(&self.path, error))?;
            match archive.read(&member) {
                Ok(content) => Ok((member.name, content)),
                Err(error) => Err(LogError::sample(&self.path, &member.name, error.to_string())),
            }
        })
    }

    /// The header, unchanged.
    pub(super) fn raw_header(&self) -> Result<Fields, LogError> {
        match &self.format {
            LogFormat::Archive(parts) => parts
                .with_header(|content| Ok(serde_json::from_reader(BufReader::new(content))?))
                .map_err(|error| LogError::unread(&self.path, error)),
            LogFormat::Json => json_log::raw_header(&self.path),
            LogFormat::Recorded => {
                Err(LogError::broken(&self.path, "recorded completions have no header"))
            }
        }
    }

    /// The text of the samples in the order of the file, each in its last version.
    ///
    /// # Errors
    ///
    /// If the log cannot be opened again.
    pub fn raw_samples(&self) -> Result<RawSamples<'_>, LogError> {
        Ok(match &self.format {
            LogFormat::Archive(parts) => Box::new(self.texts(parts).map(|text| Ok(text?.1))),
            LogFormat::Json => Box::new(json_log::samples(&self.path)?),
            LogFormat::Recorded => Box::new(std::iter::empty()),
        })
    }

    /// Whether a process is writing the log, or its writer was killed.
    pub(super) fn is_open(&self) -> bool {
        matches!(&self.format, LogFormat::Archive(parts) if parts.spool.is_some())
    }

    /// The records of the samples.
    ///
    /// # Errors
    /// As [`entries`](Self::entries).
    pub fn records(&self) -> Result<impl Iterator<Item = Result<Record, LogError>> + '_, LogError> {
        Ok(self.entries()?.map(|entry| entry.map(|entry| entry.record)))
    }

    /// The tally of the records.
    ///
    /// # Errors
    ///
    /// If a sample cannot be read.
    pub fn tally(&self) -> Result<Tally, LogError> {
        let mut tally = Tally::of_epochs(self.header.epochs(), self.header.reducer());
        for record in self.records()? {
            tally.add(&record?);
        }
        Ok(tally)
    }
}

/// The samples of a log.
pub type Entries<'a> = Box<dyn Iterator<Item = Result<LoggedSample, LogError>> + 'a>;

/// The texts of the samples.
pub type RawSamples<'a> = Box<dyn Iterator<Item = Result<Vec<u8>, LogError>> + 'a>;

impl Parts {
    /// Reads the header, or the start record if there is no header yet.
    fn with_header<T>(&self, read: impl FnOnce(&mut dyn Read) -> io::Result<T>) -> io::Result<T> {
        let (mut header, mut start) = (None, None);
        for found in self.members() {
            let (archive, member) = found?;
            match member.name.as_str() {
                HEADER => header = Some((archive, member)),
                START => start = Some((archive, member)),
                _ => {}
            }
        }
        let (archive, member) = header.or(start).ok_or_else(|| {
            let what = format!("it has neither `{HEADER}` nor `{START}`, so it is no log");
            io::Error::new(io::ErrorKind::InvalidData, what)
        })?;
        read(&mut archive.open_member(&member)?)
    }

    /// The samples, each in its last version.
    fn samples(&self) -> impl Iterator<Item = io::Result<(&Archive, Member)>> {
        let members = self.members().enumerate();
        members.filter_map(|(index, found)| match found {
            Ok((_, member))
                if !is_sample(&member.name) || !self.latest.is_last(&member.name, index as u64) =>
            {
                None
            }
            found => Some(found),
        })
    }

    /// All members with their file; those not yet moved into the log come last.
    fn members(&self) -> impl Iterator<Item = io::Result<(&Archive, Member)>> {
        let log: Box<dyn Iterator<Item = io::Result<Member>>> = match self.directory {
            DirectoryPresence::Present => Box::new(self.log.directory()),
            DirectoryPresence::Missing => Box::new(Scan::new(self.log.file())),
        };
        let log = log.map(|member| Ok((&self.log, member?)));
        let spool = self.spool.iter().flat_map(|spool| {
            // After an incomplete member, the rest of the file cannot be trusted.
            let whole = |member: &io::Result<Member>| {
                member.as_ref().is_ok_and(|member| spool.checked_end(member).is_ok())
            };
            Scan::new(spool.file()).take_while(whole).map(move |member| Ok((spool, member?)))
        });
        log.chain(spool)
    }
}
