//! Reads rows from a file: JSON, JSON Lines and CSV, one row at a time.
//!
//! Takes any reader, gives objects with their position. Does not check the fields of a row.

mod json;

use std::io::{self, BufRead, BufReader, Read};

use serde_json::{Map, Value};

use super::error::Position;
use super::format::DatasetFormat;
use json::JsonRows;

/// Longest row: the longest command with every byte escaped, plus the other fields.
const LONGEST_ROW: usize = 8 << 20;
/// Size of the read buffer.
const BLOCK: usize = 64 << 10;

/// An object and its position.
#[derive(Debug)]
pub(super) struct RawRow {
    pub(super) members: Map<String, Value>,
    pub(super) position: Position,
}

/// An invalid row.
#[derive(Debug)]
pub(super) struct RowError {
    pub(super) row: Option<u64>,
    pub(super) line: u64,
    pub(super) what: String,
}

impl RowError {
    fn at(row: Option<u64>, line: u64, what: impl Into<String>) -> Self {
        Self { row, line, what: what.into() }
    }
}

/// The rows of a file. After an error there are no more.
pub(super) struct Rows<R: Read> {
    reader: RowReader<R>,
    ended: bool,
}

enum RowReader<R: Read> {
    Json(Box<JsonRows<BufReader<R>>>),
    Jsonl(JsonLines<BufReader<R>>),
    Csv(Box<CsvRows<R>>),
}

impl<R: Read> Rows<R> {
    /// Rows with a command each.
    pub(super) fn new(input: R, format: DatasetFormat) -> Self {
        Self::with_column(input, format, "command")
    }

    /// Rows with a prompt and a response each.
    pub(super) fn of_responses(input: R, format: DatasetFormat) -> Self {
        Self::with_column(input, format, "response")
    }

    /// `column` is a required column of a table, so that a missing heading is noticed.
    fn with_column(input: R, format: DatasetFormat, column: &'static str) -> Self {
        let reader = match format {
            DatasetFormat::Json => {
                let input = BufReader::with_capacity(BLOCK, input);
                RowReader::Json(Box::new(JsonRows::new(input)))
            }
            DatasetFormat::Jsonl => {
                let input = BufReader::with_capacity(BLOCK, input);
                RowReader::Jsonl(JsonLines { input, line: 0, row: 0 })
            }
            DatasetFormat::Csv => RowReader::Csv(Box::new(CsvRows::new(input, column))),
        };
        Self { reader, ended: false }
    }

    /// The metadata of the file, as far as it was read.
    pub(super) fn metadata(&self) -> Option<&Map<String, Value>> {
        match &self.reader {
            RowReader::Json(rows) => Some(rows.metadata()),
            _ => None,
        }
    }
}

impl<R: Read> Iterator for Rows<R> {
    type Item = Result<RawRow, RowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let row = match &mut self.reader {
            RowReader::Json(rows) => rows.next(),
            RowReader::Jsonl(rows) => rows.next(),
            RowReader::Csv(rows) => rows.next(),
        };
        self.ended = !matches!(row, Ok(Some(_)));
        row.transpose()
    }
}

/// Parses the bytes as an object.
fn object(bytes: &[u8], position: Position) -> Result<Map<String, Value>, RowError> {
    let Position { row, line } = position;
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(RowError::at(Some(row), line, "not an object: write {\"command\": …}")),
        Err(error) => Err(RowError::at(Some(row), line, format!("not JSON: {error}"))),
    }
}

struct JsonLines<R> {
    input: R,
    line: u64,
    row: u64,
}

impl<R: BufRead> JsonLines<R> {
    fn next(&mut self) -> Result<Option<RawRow>, RowError> {
        loop {
            let mut bytes = Vec::new();
            let limit = LONGEST_ROW as u64 + 1;
            let read = (&mut self.input).take(limit).read_until(b'\n', &mut bytes);
            self.line += 1;
            let line = self.line;
            match read {
                Ok(0) => return Ok(None),
                Ok(_) if bytes.len() > LONGEST_ROW => {
                    let what = "the row is longer than 8 MiB";
                    return Err(RowError::at(Some(self.row + 1), line, what));
                }
                Ok(_) if bytes.trim_ascii().is_empty() => {}
                Ok(_) => {
                    self.row += 1;
                    let position = Position { row: self.row, line };
                    // Some programs write a byte order mark.
                    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
                    let members = object(text, position)?;
                    return Ok(Some(RawRow { members, position }));
                }
                Err(error) => return Err(RowError::at(None, line, error.to_string())),
            }
        }
    }
}

struct CsvRows<R> {
    reader: csv::Reader<R>,
    column: &'static str,
    names: Option<Vec<String>>,
    row: u64,
}

impl<R: Read> CsvRows<R> {
    fn new(input: R, column: &'static str) -> Self {
        let reader = csv::ReaderBuilder::new().buffer_capacity(BLOCK).from_reader(input);
        Self { reader, column, names: None, row: 0 }
    }

    fn next(&mut self) -> Result<Option<RawRow>, RowError> {
        if self.names.is_none() {
            let headers = self.reader.headers().map_err(|error| wrong_csv(&error, None))?;
            let names: Vec<String> = headers.iter().map(|name| name.trim().to_owned()).collect();
            if !names.iter().any(|name| name == self.column) {
                let what = format!(
                    "the first line names no column `{}`: it must hold the names",
                    self.column
                );
                return Err(RowError::at(None, 1, what));
            }
            self.names = Some(names);
        }
        let mut record = csv::StringRecord::new();
        let more = self.reader.read_record(&mut record);
        if !more.map_err(|error| wrong_csv(&error, Some(self.row + 1)))? {
            return Ok(None);
        }
        self.row += 1;
        let line = record.position().map_or(self.row + 1, csv::Position::line);
        let names = self.names.iter().flatten();
        // An empty cell is a missing value.
        let members = names
            .zip(record.iter())
            .filter(|(_, cell)| !cell.is_empty())
            .map(|(name, cell)| (name.clone(), Value::from(cell)))
            .collect();
        Ok(Some(RawRow { members, position: Position { row: self.row, line } }))
    }
}

fn wrong_csv(error: &csv::Error, row: Option<u64>) -> RowError {
    let line = error.position().map_or(1, csv::Position::line);
    let what = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => format!(
            "{len} cells instead of {expected_len}: put cells with `,` or line ends in quotes"
        ),
        csv::ErrorKind::Utf8 { .. } => "not UTF-8".to_owned(),
        csv::ErrorKind::Io(error) => io::Error::to_string(error),
        _ => error.to_string(),
    };
    RowError::at(row, line, what)
}

#[cfg(test)]
mod tests;
