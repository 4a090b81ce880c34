//! Writes data sets in all formats that can be read.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Map, Value};

use super::DatasetFormat;
use super::row::{WrittenRow, word};
use aegish_log::Sample;

/// The columns that always come first.
const COLUMNS: [&str; 4] = ["id", "command", "expect", "category"];

/// Writes samples. `metadata` is written only in JSON, because other formats have no field for it.
///
/// # Errors
///
/// If the output cannot be written.
pub fn write(
    samples: &[Sample],
    metadata: &Map<String, Value>,
    format: DatasetFormat,
    output: &mut dyn Write,
) -> io::Result<()> {
    match format {
        DatasetFormat::Json => {
            #[derive(Serialize)]
            struct Document<'a> {
                metadata: &'a Map<String, Value>,
                commands: Vec<WrittenRow<'a>>,
            }
            let commands = samples.iter().map(WrittenRow::new).collect();
            serde_json::to_writer_pretty(&mut *output, &Document { metadata, commands })?;
            output.write_all(b"\n")
        }
        DatasetFormat::Jsonl => samples.iter().try_for_each(|sample| line(sample, output)),
        DatasetFormat::Csv => table(samples, output),
    }
}

/// One row of JSON Lines.
fn line(sample: &Sample, output: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *output, &WrittenRow::new(sample))?;
    output.write_all(b"\n")
}

/// All names in the metadata become columns. Values that are not text are written as JSON.
fn table(samples: &[Sample], output: &mut dyn Write) -> io::Result<()> {
    let mut names: Vec<&str> = Vec::new();
    for name in samples.iter().flat_map(|sample| sample.metadata.keys()) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let mut writer = csv::Writer::from_writer(output);
    writer.write_record(COLUMNS.iter().chain(&names)).map_err(plain)?;
    for sample in samples {
        let fixed = [
            &*sample.id,
            &*sample.command,
            word(sample.expected),
            sample.category.as_deref().unwrap_or(""),
        ];
        let cells = names.iter().map(|name| match sample.metadata.get(*name) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        });
        writer.write_record(fixed.map(str::to_owned).into_iter().chain(cells)).map_err(plain)?;
    }
    writer.flush()
}

/// The error of the output itself, so that the caller recognises a closed pipe.
fn plain(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// A sample as a line of JSON Lines. Sets that are not files are hashed in this form.
pub(super) fn line_of(sample: &Sample) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Writing to memory does not fail.
    let _ = line(sample, &mut bytes);
    bytes
}
