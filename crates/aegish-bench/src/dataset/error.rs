//! Errors of data sets, with their position.

use std::fmt;
use std::io;

/// Why a data set was not read: the position, the mistake, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatasetError {
    place: String,
    row: Option<Position>,
    what: String,
}

/// Position of a row in a file, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    /// The number of the row, without headings and blank lines.
    pub(crate) row: u64,
    /// The line it begins on.
    pub(crate) line: u64,
}

impl DatasetError {
    /// An error of the set as a whole.
    pub(crate) fn whole(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self { place: place.into(), row: None, what: what.into() }
    }

    /// An error of one row.
    pub(crate) fn row(place: &str, position: Position, what: impl Into<String>) -> Self {
        Self { place: place.to_owned(), row: Some(position), what: what.into() }
    }

    /// A file that could not be opened, read or written.
    pub(crate) fn io(place: impl Into<String>, error: &io::Error) -> Self {
        Self::whole(place, error.to_string())
    }

    /// The number of the row, counted from 1, if the error concerns one.
    #[must_use]
    pub fn row_number(&self) -> Option<u64> {
        self.row.map(|position| position.row)
    }
}

impl fmt::Display for DatasetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the data set was not read: {}", self.place)?;
        if let Some(Position { row, line }) = self.row {
            write!(f, ", row {row} (line {line})")?;
        }
        write!(f, ": {}", self.what)
    }
}

impl std::error::Error for DatasetError {}
