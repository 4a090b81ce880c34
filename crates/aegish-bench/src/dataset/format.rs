//! The file formats of data sets.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// The format of a data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatasetFormat {
    /// `[row, …]`, or `{"metadata": …, "commands": [row, …]}`.
    Json,
    /// One row per line.
    Jsonl,
    /// A line of column names, then one row per record.
    Csv,
}

impl DatasetFormat {
    /// The format for the name of a file.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "json" => Some(Self::Json),
            "jsonl" | "ndjson" => Some(Self::Jsonl),
            "csv" => Some(Self::Csv),
            _ => None,
        }
    }
}

impl fmt::Display for DatasetFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
        })
    }
}

/// A word that is not a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownFormat;

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a format: write `json`, `jsonl` or `csv`")
    }
}

impl std::error::Error for UnknownFormat {}

impl FromStr for DatasetFormat {
    type Err = UnknownFormat;

    fn from_str(word: &str) -> Result<Self, UnknownFormat> {
        match word {
            "json" => Ok(Self::Json),
            "jsonl" => Ok(Self::Jsonl),
            "csv" => Ok(Self::Csv),
            _ => Err(UnknownFormat),
        }
    }
}
