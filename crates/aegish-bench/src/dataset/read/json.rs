//! Reads the rows of a JSON document one by one, without holding the document.
//!
//! Finds the start and end of each row and parses it with `serde_json`. Accepts `[row, …]` and `{"metadata":
//! …, "commands": [row, …]}`; other members of the object are skipped.

use std::io::{self, BufRead};

use serde_json::{Map, Value};

use super::{LONGEST_ROW, RawRow, RowError};
use crate::dataset::error::Position;

/// The member with the rows.
const ROWS: &str = "commands";

pub(super) struct JsonRows<R> {
    input: R,
    part: DocumentPart,
    /// The line of the next byte, counted from 1.
    line: u64,
    row: u64,
    metadata: Map<String, Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DocumentPart {
    Start,
    /// In the rows, with or without an object around them.
    Rows {
        object: bool,
        first: bool,
    },
    /// After the rows, in the object around them.
    Rest,
    Done,
}

impl<R: BufRead> JsonRows<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, part: DocumentPart::Start, line: 1, row: 0, metadata: Map::new() }
    }

    /// The metadata of the document, as far as it was read.
    pub(super) fn metadata(&self) -> &Map<String, Value> {
        &self.metadata
    }

    pub(super) fn next(&mut self) -> Result<Option<RawRow>, RowError> {
        if self.part == DocumentPart::Start {
            self.skip_mark()?;
            self.part = match self.token()? {
                Some(b'[') => DocumentPart::Rows { object: false, first: true },
                Some(b'{') => self.members(true)?,
                _ => {
                    return Err(
                        self.wrong("neither a JSON list of rows nor an object with `commands`")
                    );
                }
            };
        }
        if let DocumentPart::Rows { object, first } = self.part {
            let next = self.peek()?;
            match (next, first) {
                (Some(b']'), _) => {
                    self.take()?;
                    self.part = if object { DocumentPart::Rest } else { DocumentPart::Done };
                    if !object {
                        self.end()?;
                    }
                }
                (Some(b','), false) => {
                    self.take()?;
                    return self.element().map(Some);
                }
                (Some(_), true) => {
                    self.part = DocumentPart::Rows { object, first: false };
                    return self.element().map(Some);
                }
                _ => return Err(self.wrong("the list of rows is cut off: `,` or `]` is missing")),
            }
        }
        if self.part == DocumentPart::Rest {
            self.members(false)?;
            self.end()?;
        }
        Ok(None)
    }

    /// Reads the members of the object, up to the rows or the end.
    fn members(&mut self, mut first: bool) -> Result<DocumentPart, RowError> {
        let searching = first;
        loop {
            let mut token = self.token()?;
            if token == Some(b'}') && searching {
                let what = "no `commands`: put the rows there, or write a plain list; \
                            one object per line is JSON Lines and ends in .jsonl";
                return Err(self.wrong(what));
            }
            if token == Some(b'}') {
                return Ok(DocumentPart::Done);
            }
            if !first {
                token = if token == Some(b',') { self.token()? } else { None };
            }
            first = false;
            if token != Some(b'"') {
                return Err(self.wrong("the object is cut off or not JSON"));
            }
            let key = self.key()?;
            if let Some(state) = self.member(&key, searching)? {
                return Ok(state);
            }
        }
    }

    /// Reads one member: the rows, metadata, or a value to skip.
    fn member(&mut self, key: &str, searching: bool) -> Result<Option<DocumentPart>, RowError> {
        if self.token()? != Some(b':') {
            return Err(self.wrong("the object is cut off or not JSON"));
        }
        if key == ROWS {
            if !searching {
                return Err(self.wrong("`commands` is there twice"));
            }
            return match self.token()? {
                Some(b'[') => Ok(Some(DocumentPart::Rows { object: true, first: true })),
                _ => Err(self.wrong("`commands` is not a list")),
            };
        }
        let (bytes, line) = self.value()?;
        let value: Value = serde_json::from_slice(&bytes)
            .map_err(|error| RowError::at(None, line, format!("`{key}` is not JSON: {error}")))?;
        if let ("metadata", Value::Object(members)) = (key, value) {
            self.metadata = members;
        }
        Ok(None)
    }

    /// Reads the name of a member after its opening quote.
    fn key(&mut self) -> Result<String, RowError> {
        let mut bytes = vec![b'"'];
        self.string(&mut bytes)?;
        serde_json::from_slice(&bytes).map_err(|error| self.wrong(error.to_string()))
    }

    fn element(&mut self) -> Result<RawRow, RowError> {
        self.row += 1;
        let row = self.row;
        let (bytes, line) = self.value().map_err(|wrong| RowError { row: Some(row), ..wrong })?;
        let position = Position { row, line };
        super::object(&bytes, position).map(|members| RawRow { members, position })
    }

    /// The bytes of one value and the line of its start.
    fn value(&mut self) -> Result<(Vec<u8>, u64), RowError> {
        let first = self.peek()?;
        let line = self.line;
        let mut bytes = Vec::new();
        match first {
            Some(b'"') => {
                bytes.extend(self.take()?);
                self.string(&mut bytes)?;
            }
            Some(b'{' | b'[') => self.nested(&mut bytes)?,
            _ => loop {
                // A number or word ends at the first byte that cannot be part of it.
                match self.look()? {
                    Some(byte) if byte.is_ascii_alphanumeric() || b"+-.".contains(&byte) => {
                        bytes.extend(self.take()?);
                    }
                    _ if bytes.is_empty() => return Err(self.wrong("a value is missing")),
                    _ => break,
                }
            },
        }
        Ok((bytes, line))
    }

    fn nested(&mut self, bytes: &mut Vec<u8>) -> Result<(), RowError> {
        let mut depth = 0_usize;
        loop {
            let byte = self.take()?.ok_or_else(|| self.wrong("the file ends within a row"))?;
            bytes.push(byte);
            if bytes.len() > LONGEST_ROW {
                return Err(self.wrong("the row is longer than 8 MiB"));
            }
            match byte {
                b'"' => self.string(bytes)?,
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Reads a string after its opening quote.
    fn string(&mut self, bytes: &mut Vec<u8>) -> Result<(), RowError> {
        let mut escaped = false;
        loop {
            let byte = self.take()?.ok_or_else(|| self.wrong("the file ends within a text"))?;
            bytes.push(byte);
            match byte {
                _ if bytes.len() > LONGEST_ROW => {
                    return Err(self.wrong("the row is longer than 8 MiB"));
                }
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => return Ok(()),
                _ => {}
            }
        }
    }

    /// Skips a byte order mark.
    fn skip_mark(&mut self) -> Result<(), RowError> {
        if self.look()? == Some(0xef) {
            for _ in 0..3 {
                self.take()?;
            }
        }
        Ok(())
    }

    /// Checks that nothing follows the document.
    fn end(&mut self) -> Result<(), RowError> {
        self.part = DocumentPart::Done;
        match self.peek()? {
            None => Ok(()),
            Some(_) => Err(self.wrong("something follows the end of the JSON document")),
        }
    }

    /// The next byte after white space, without consuming it.
    fn peek(&mut self) -> Result<Option<u8>, RowError> {
        loop {
            match self.look()? {
                Some(b' ' | b'\t' | b'\r' | b'\n') => {
                    self.take()?;
                }
                other => return Ok(other),
            }
        }
    }

    /// Consumes and returns the next byte after white space.
    fn token(&mut self) -> Result<Option<u8>, RowError> {
        self.peek()?;
        self.take()
    }

    fn look(&mut self) -> Result<Option<u8>, RowError> {
        loop {
            match self.input.fill_buf() {
                Ok(bytes) => return Ok(bytes.first().copied()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(RowError::at(None, self.line, error.to_string())),
            }
        }
    }

    fn take(&mut self) -> Result<Option<u8>, RowError> {
        let byte = self.look()?;
        if byte.is_some() {
            self.input.consume(1);
        }
        self.line += u64::from(byte == Some(b'\n'));
        Ok(byte)
    }

    fn wrong(&self, what: impl Into<String>) -> RowError {
        RowError::at(None, self.line, what)
    }
}
