//! Logs that are one JSON object.
//!
//! Read as a stream: the samples are one long list within the object.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write as _};
use std::path::Path;

use super::ending::Fields;
use super::error::LogError;
use super::header::{self, Header};
use super::parse::{self, LoggedSample};
use super::split::{Elements, copy_value, next_byte};

/// Fields that do not belong to the header and may be long.
const LONG: [&str; 2] = ["samples", "reductions"];

/// The header of such a log.
///
/// # Errors
///
/// If the file is not one.
pub(super) fn header(path: &Path) -> Result<Header, LogError> {
    header::read(short_fields(path)?.as_slice())
        .map_err(|error| LogError::broken(path, format!("its header makes no sense: {error}")))
}

/// The fields of the header, unchanged.
pub(super) fn raw_header(path: &Path) -> Result<Fields, LogError> {
    serde_json::from_slice(&short_fields(path)?)
        .map_err(|error| LogError::broken(path, format!("its header makes no sense: {error}")))
}

/// The text of everything except the long fields.
fn short_fields(path: &Path) -> Result<Vec<u8>, LogError> {
    let complain = |error: io::Error| match error.kind() {
        io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
            LogError::broken(path, format!("it is no log: {error}"))
        }
        _ => LogError::unread(path, error),
    };
    let mut fields = ObjectWalk::open(path).map_err(complain)?;
    let mut short = b"{".to_vec();
    let mut key = Vec::new();
    while fields.next(&mut key).map_err(complain)? {
        let name: String = serde_json::from_slice(&key)
            .map_err(|error| LogError::broken(path, format!("it is no log: {error}")))?;
        if LONG.contains(&name.as_str()) {
            fields.value(&mut Nowhere).map_err(complain)?;
            continue;
        }
        if short.len() > 1 {
            short.push(b',');
        }
        short.extend_from_slice(&key);
        short.push(b':');
        fields.value(&mut short).map_err(complain)?;
    }
    short.push(b'}');
    Ok(parse::without_nan(&short).unwrap_or(short))
}

/// The samples of such a log.
///
/// # Errors
/// If the file cannot be read.
pub(super) fn entries(
    path: &Path,
) -> Result<impl Iterator<Item = Result<LoggedSample, LogError>> + use<>, LogError> {
    let path = path.to_owned();
    let samples = samples(&path)?.enumerate();
    Ok(samples.map(move |(index, text)| {
        parse::sample(&text?)
            .map_err(|what| LogError::sample(&path, &format!("number {}", index + 1), what))
    }))
}

/// The text of the samples.
///
/// # Errors
/// If the file cannot be read.
pub(super) fn samples(
    path: &Path,
) -> Result<impl Iterator<Item = Result<Vec<u8>, LogError>> + use<>, LogError> {
    let path = path.to_owned();
    let complain = |error: io::Error| LogError::unread(&path, error);
    let mut fields = ObjectWalk::open(&path).map_err(complain)?;
    let mut key = Vec::new();
    let mut samples = None;
    while fields.next(&mut key).map_err(complain)? {
        if key == b"\"samples\"" {
            fields.colon().map_err(complain)?;
            samples = Some(Elements::new(fields.bytes));
            break;
        }
        fields.value(&mut Nowhere).map_err(complain)?;
    }
    Ok(std::iter::from_fn(move || {
        let mut text = Vec::new();
        match samples.as_mut()?.next(&mut text) {
            Ok(true) => Some(Ok(text)),
            Ok(false) => None,
            Err(error) => {
                samples = None;
                Some(Err(LogError::unread(&path, error)))
            }
        }
    }))
}

/// Writes such a log, in a stream.
///
/// # Errors
/// If a sample or the file fails.
pub(super) fn write(
    path: &Path,
    header: &Fields,
    samples: impl Iterator<Item = Result<Vec<u8>, LogError>>,
) -> Result<(), LogError> {
    let complain = |error: io::Error| LogError::unwritten(path, error);
    let mut out = BufWriter::new(File::create_new(path).map_err(complain)?);
    // The header comes first, so that Inspect can read it without the samples.
    let mut text = serde_json::to_string(header).map_err(|error| complain(error.into()))?;
    text.pop();
    out.write_all(text.as_bytes()).map_err(complain)?;
    out.write_all(b",\"samples\":[").map_err(complain)?;
    for (index, sample) in samples.enumerate() {
        if index > 0 {
            out.write_all(b",\n").map_err(complain)?;
        }
        out.write_all(&sample?).map_err(complain)?;
    }
    out.write_all(b"]}\n").map_err(complain)?;
    let file = out.into_inner().map_err(|error| complain(error.into_error()))?;
    file.sync_all().map_err(complain)
}

/// The fields of the object in a file.
struct ObjectWalk {
    bytes: BufReader<File>,
}

impl ObjectWalk {
    fn open(path: &Path) -> io::Result<Self> {
        let mut bytes = BufReader::with_capacity(1 << 16, File::open(path)?);
        match next_byte(&mut bytes)? {
            Some(b'{') => Ok(Self { bytes }),
            _ => Err(invalid("it does not begin with `{`")),
        }
    }

    /// The next key with its quotes; false after the last.
    fn next(&mut self, key: &mut Vec<u8>) -> io::Result<bool> {
        key.clear();
        let mut byte = next_byte(&mut self.bytes)?;
        if byte == Some(b',') {
            byte = next_byte(&mut self.bytes)?;
        }
        match byte {
            Some(b'}') => Ok(false),
            Some(b'"') => {
                key.push(b'"');
                copy_value(&mut self.bytes, b'"', key)?;
                Ok(true)
            }
            Some(_) => Err(invalid("a field has no name")),
            None => Err(invalid("it is cut off")),
        }
    }

    fn colon(&mut self) -> io::Result<()> {
        match next_byte(&mut self.bytes)? {
            Some(b':') => Ok(()),
            _ => Err(invalid("a field has no value")),
        }
    }

    /// The value of the current key.
    fn value(&mut self, out: &mut impl Extend<u8>) -> io::Result<()> {
        self.colon()?;
        let first = next_byte(&mut self.bytes)?.ok_or_else(|| invalid("it is cut off"))?;
        out.extend([first]);
        copy_value(&mut self.bytes, first, out)
    }
}

/// A sink for skipped values.
struct Nowhere;

impl Extend<u8> for Nowhere {
    fn extend<I: IntoIterator<Item = u8>>(&mut self, _: I) {}
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}
