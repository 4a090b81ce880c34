//! Data sets: commands with the expected answer. "The seed" is defined in `docs/design/glossary.md`.
//!
//! Takes JSON, JSON Lines or CSV, from a file or a shipped set, and gives samples one after the other, so
//! that memory does not grow with the number of rows. Opening a set reads it once: every row is checked,
//! counted and hashed, and an error names the row. It never runs a command.

mod error;
mod external;
mod format;
pub mod gtfobins;
pub mod harmless;
mod id;
pub mod instantiate;
mod read;
mod row;
mod shipped;
mod unique;
mod write;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use data_encoding::HEXLOWER;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use aegish_log::clock;
use aegish_log::{Expected, Sample};
pub use error::DatasetError;
use error::Position;
pub use external::{data_root, external_sets};
pub use format::{DatasetFormat, UnknownFormat};
use read::{RowError, Rows};
pub use shipped::{ShippedSet, shipped};
pub use write::write;

/// Options for sets that do not specify them.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadOptions {
    /// The format, if the name of the file does not show it.
    pub format: Option<DatasetFormat>,
    /// The expected answer for rows without one.
    pub expect: Option<Expected>,
}

/// A data set that was read once and can be read again.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// Its name.
    pub name: String,
    /// Its path or source.
    pub location: String,
    /// SHA-256 in hexadecimal: of the bytes of the file, or of the JSON Lines of a set made from another.
    pub sha256: String,
    /// The number of samples, per expectation and category.
    pub counts: SampleCounts,
    /// Its metadata.
    pub metadata: Map<String, Value>,
    source: DatasetBytes,
    format: DatasetFormat,
    expect: Option<Expected>,
    /// The random seed of [`Dataset::instantiated`].
    seed: Option<u64>,
}

/// The source of the bytes.
#[derive(Debug, Clone)]
enum DatasetBytes {
    File(PathBuf),
    Embedded(&'static [u8]),
}

/// The number of samples of a set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SampleCounts {
    by_kind: BTreeMap<(Expected, Option<String>), u64>,
}

impl SampleCounts {
    /// All samples.
    #[must_use]
    pub fn samples(&self) -> u64 {
        self.by_kind.values().sum()
    }

    /// Samples with this expected answer.
    #[must_use]
    pub fn expecting(&self, expected: Expected) -> u64 {
        self.by_kind.iter().filter(|((found, _), _)| *found == expected).map(|(_, n)| n).sum()
    }

    /// The number of samples for each expectation and category, in order.
    pub fn kinds(&self) -> impl Iterator<Item = (Expected, Option<&str>, u64)> {
        self.by_kind.iter().map(|((expected, category), n)| (*expected, category.as_deref(), *n))
    }

    /// Counts a sample.
    pub fn add(&mut self, sample: &Sample) {
        *self.by_kind.entry((sample.expected, sample.category.clone())).or_default() += 1;
    }
}

impl Dataset {
    /// Opens the shipped set with this name, or else the file at this path.
    ///
    /// # Errors
    ///
    /// As [`Dataset::open`].
    pub fn find(name: &str, reading: ReadOptions) -> Result<Self, DatasetError> {
        if let Some(set) = shipped().iter().find(|set| set.name == name) {
            return set.open();
        }
        let path = Path::new(name);
        if !path.exists() && !name.contains(['/', '.']) {
            let names: Vec<&str> = shipped().iter().map(|set| set.name.as_str()).collect();
            let what = format!("neither a file nor a set of ours: those are {}", names.join(", "));
            return Err(DatasetError::whole(name, what));
        }
        Self::open(path, reading)
    }

    /// Reads a whole file.
    ///
    /// # Errors
    ///
    /// Names the first invalid row or repeated id.
    pub fn open(path: &Path, reading: ReadOptions) -> Result<Self, DatasetError> {
        let location = path.display().to_string();
        let format = reading.format.or_else(|| DatasetFormat::of(path)).ok_or_else(|| {
            let what = "the name ends in none of .json, .jsonl, .csv: rename it or name the format";
            DatasetError::whole(&*location, what)
        })?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let source = DatasetBytes::File(path.to_path_buf());
        Self::scan(name, location, source, format, reading.expect)
    }

    fn scan(
        name: String,
        location: String,
        source: DatasetBytes,
        format: DatasetFormat,
        expect: Option<Expected>,
    ) -> Result<Self, DatasetError> {
        let mut set = Self {
            name,
            location,
            sha256: String::new(),
            counts: SampleCounts::default(),
            metadata: Map::new(),
            source,
            format,
            expect,
            seed: None,
        };
        let mut hash = Sha256::new();
        let mut rows = Rows::new(Hashing { input: set.input()?, hash: &mut hash }, format);
        let mut ids = unique::Ids::default();
        for row in rows.by_ref() {
            let sample = set.sample(row)?;
            ids.add(&sample.id);
            set.counts.add(&sample);
        }
        if let Some(metadata) = rows.metadata() {
            set.metadata = metadata.clone();
        }
        drop(rows);
        set.sha256 = HEXLOWER.encode(&hash.finalize());
        if set.counts.samples() == 0 {
            return Err(DatasetError::whole(&*set.location, "it has no rows"));
        }
        unique::check(&set, ids)?;
        Ok(set)
    }

    /// Reads the samples again.
    ///
    /// # Errors
    ///
    /// If the file can no longer be opened.
    pub fn samples(&self) -> Result<Samples, DatasetError> {
        let rows = Rows::new(self.input()?, self.format);
        Ok(Samples { rows, set: self.clone(), twin: None })
    }

    /// The same set with other names in its attacks, and with harmless twins; see [`instantiate`].
    ///
    /// # Errors
    ///
    /// If the file can no longer be read.
    pub fn instantiated(self, seed: u64) -> Result<Self, DatasetError> {
        let mut set = Self { seed: Some(seed), counts: SampleCounts::default(), ..self };
        set.metadata.insert("instantiated_with_seed".to_owned(), Value::from(seed));
        set.metadata
            .insert("instantiated_from_sha256".to_owned(), Value::from(set.sha256.as_str()));
        set.name = format!("{}-{seed}", set.name);
        let mut hash = Sha256::new();
        let mut ids = unique::Ids::default();
        for sample in set.samples()? {
            let sample = sample?;
            ids.add(&sample.id);
            set.counts.add(&sample);
            hash.update(write::line_of(&sample));
        }
        set.sha256 = HEXLOWER.encode(&hash.finalize());
        unique::check(&set, ids)?;
        Ok(set)
    }

    fn input(&self) -> Result<Box<dyn Read + Send>, DatasetError> {
        match &self.source {
            DatasetBytes::Embedded(bytes) => Ok(Box::new(*bytes)),
            DatasetBytes::File(path) => match File::open(path) {
                Ok(file) => Ok(Box::new(file)),
                Err(error) => Err(DatasetError::io(&*self.location, &error)),
            },
        }
    }

    fn sample(&self, row: Result<read::RawRow, RowError>) -> Result<Sample, DatasetError> {
        match row {
            Ok(row) => row::sample(row.members, row.position, &self.location, self.expect),
            Err(RowError { row: Some(row), line, what }) => {
                Err(DatasetError::row(&self.location, Position { row, line }, what))
            }
            Err(RowError { row: None, line, what }) => {
                Err(DatasetError::whole(format!("{}, line {line}", self.location), what))
            }
        }
    }
}

/// The samples of a set, one after the other.
pub struct Samples {
    rows: Rows<Box<dyn Read + Send>>,
    set: Dataset,
    /// The twin of the last sample.
    twin: Option<Sample>,
}

impl Iterator for Samples {
    type Item = Result<Sample, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(twin) = self.twin.take() {
            return Some(Ok(twin));
        }
        let row = self.rows.next()?;
        let sample = match (self.set.sample(row), self.set.seed) {
            (Ok(sample), Some(seed)) => {
                let instance = instantiate::instantiate(&sample, seed);
                self.twin = instance.twin;
                Ok(instance.sample)
            }
            (outcome, _) => outcome,
        };
        Some(sample)
    }
}

/// Passes bytes on and hashes them.
struct Hashing<'a, R> {
    input: R,
    hash: &'a mut Sha256,
}

impl<R: Read> Read for Hashing<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.hash.update(buffer.get(..read).unwrap_or_default());
        Ok(read)
    }
}

/// The date in UTC, as YYYY-MM-DD, for the metadata of a set.
#[must_use]
pub fn today() -> String {
    clock::iso(SystemTime::now(), clock::Digits::Seconds).chars().take(10).collect()
}
