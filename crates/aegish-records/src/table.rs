//! Verdicts as a table in Parquet, written group by group, so that memory does not grow with the log.

use crate::judging::RecordVerdict;
use crate::record::CommandRecord;
use aegish_guard::Action;
use aegish_redact::redact;
use parquet::basic::Compression;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, FloatType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Rows of a group.
const GROUP: usize = 65_536;

const SCHEMA: &str = "message verdict {
    required binary source (STRING);
    optional int64 line;
    optional int64 time (TIMESTAMP(MICROS,true));
    optional binary host (STRING);
    optional binary user (STRING);
    required binary session (STRING);
    optional int64 pid;
    optional binary cwd (STRING);
    required binary command (STRING);
    required binary action (STRING);
    required binary rule (STRING);
    required binary rule_name (STRING);
    required binary reason (STRING);
    required float confidence;
    required boolean open;
    optional binary program (STRING);
}";

/// A file that grows by groups of rows.
pub(crate) struct VerdictTable {
    writer: SerializedFileWriter<File>,
    at_least: Action,
    rows: Vec<Row>,
}

struct Row {
    source: ByteArray,
    line: Option<i64>,
    time: Option<i64>,
    host: Option<ByteArray>,
    user: Option<ByteArray>,
    session: ByteArray,
    pid: Option<i64>,
    cwd: Option<ByteArray>,
    command: ByteArray,
    action: &'static str,
    rule: (&'static str, &'static str),
    reason: ByteArray,
    confidence: f32,
    open: bool,
    program: Option<ByteArray>,
}

impl VerdictTable {
    /// A new file.
    ///
    /// # Errors
    ///
    /// If it cannot be made.
    pub(crate) fn create(path: &Path, at_least: Action) -> io::Result<Self> {
        let schema = Arc::new(parse_message_type(SCHEMA).map_err(io::Error::other)?);
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let file = File::create(path)?;
        let writer = SerializedFileWriter::new(file, schema, Arc::new(properties));
        Ok(Self { writer: writer.map_err(io::Error::other)?, at_least, rows: Vec::new() })
    }

    /// Adds a row, if the verdict is strict enough.
    ///
    /// # Errors
    ///
    /// If a group cannot be written.
    pub(crate) fn write(
        &mut self,
        source: &str,
        record: &CommandRecord,
        verdict: &RecordVerdict,
    ) -> io::Result<()> {
        if verdict.action < self.at_least {
            return Ok(());
        }
        let number = |number: u64| i64::try_from(number).ok();
        let text = |text: &str| ByteArray::from(text.as_bytes().to_vec());
        self.rows.push(Row {
            source: text(source),
            line: number(record.line).filter(|line| *line > 0),
            time: record.time.map(|time| time.as_microsecond()),
            host: record.host.as_deref().map(text),
            user: record.user.as_deref().map(text),
            session: text(&record.session),
            pid: record.pid.and_then(number),
            cwd: record.cwd.as_deref().filter(|cwd| !cwd.is_empty()).map(text),
            command: text(&redact(&record.command)),
            action: verdict.action.as_str(),
            rule: (verdict.rule.id, verdict.rule.name),
            reason: text(&redact(&verdict.reason)),
            confidence: (verdict.confidence * 100.0).round() / 100.0,
            open: verdict.open,
            program: record.program.as_deref().map(text),
        });
        if self.rows.len() >= GROUP { self.group() } else { Ok(()) }
    }

    /// Writes the last group and the end of the file.
    ///
    /// # Errors
    ///
    /// If they cannot be written.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.group()?;
        self.writer.close().map(drop).map_err(io::Error::other)
    }

    fn group(&mut self) -> io::Result<()> {
        let rows = std::mem::take(&mut self.rows);
        if rows.is_empty() {
            return Ok(());
        }
        let written = self.writer.next_row_group().and_then(|mut group| {
            columns(&rows, &mut group)?;
            group.close()
        });
        written.map(drop).map_err(io::Error::other)
    }
}

type Group<'a> = SerializedRowGroupWriter<'a, File>;

/// All columns, in the order of the schema.
fn columns(rows: &[Row], group: &mut Group<'_>) -> Result<(), ParquetError> {
    let word = |text: &'static str| ByteArray::from(text.as_bytes().to_vec());
    required::<ByteArrayType>(group, rows, |row| row.source.clone())?;
    optional::<Int64Type>(group, rows, |row| row.line)?;
    optional::<Int64Type>(group, rows, |row| row.time)?;
    optional::<ByteArrayType>(group, rows, |row| row.host.clone())?;
    optional::<ByteArrayType>(group, rows, |row| row.user.clone())?;
    required::<ByteArrayType>(group, rows, |row| row.session.clone())?;
    optional::<Int64Type>(group, rows, |row| row.pid)?;
    optional::<ByteArrayType>(group, rows, |row| row.cwd.clone())?;
    required::<ByteArrayType>(group, rows, |row| row.command.clone())?;
    required::<ByteArrayType>(group, rows, |row| word(row.action))?;
    required::<ByteArrayType>(group, rows, |row| word(row.rule.0))?;
    required::<ByteArrayType>(group, rows, |row| word(row.rule.1))?;
    required::<ByteArrayType>(group, rows, |row| row.reason.clone())?;
    required::<FloatType>(group, rows, |row| row.confidence)?;
    required::<BoolType>(group, rows, |row| row.open)?;
    optional::<ByteArrayType>(group, rows, |row| row.program.clone())
}

fn required<T: DataType>(
    group: &mut Group<'_>,
    rows: &[Row],
    value: impl Fn(&Row) -> T::T,
) -> Result<(), ParquetError> {
    let values: Vec<T::T> = rows.iter().map(value).collect();
    column::<T>(group, &values, None)
}

fn optional<T: DataType>(
    group: &mut Group<'_>,
    rows: &[Row],
    value: impl Fn(&Row) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let found: Vec<Option<T::T>> = rows.iter().map(value).collect();
    // 1 where there is a value.
    let levels: Vec<i16> = found.iter().map(|value| i16::from(value.is_some())).collect();
    let values: Vec<T::T> = found.into_iter().flatten().collect();
    column::<T>(group, &values, Some(&levels))
}

fn column<T: DataType>(
    group: &mut Group<'_>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let missing = || ParquetError::General("the schema has fewer columns".to_owned());
    let mut column = group.next_column()?.ok_or_else(missing)?;
    column.typed::<T>().write_batch(values, levels, None)?;
    column.close()
}

#[cfg(test)]
mod tests {
    use super::VerdictTable;
    use crate::judging::RecordJudge;
    use crate::record::CommandRecord;
    use aegish_guard::{Action, Role};
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    use parquet::record::RowAccessor as _;
    use std::fs::{self, File};

    #[test]
    fn rows_are_read_as_they_were_written() {
        let record = |command: &str, line| CommandRecord {
            command: command.to_owned(),
            session: "s".to_owned(),
            host: (line == 2).then(|| "web1".to_owned()),
            line,
            ..CommandRecord::default()
        };
        let records = [record("ls", 1), record("cat /etc/shadow", 2), record("mysql -phunter2", 0)];
        let verdicts = RecordJudge::new(Role::Default).judge(&records).unwrap();
        let path = std::env::temp_dir().join(format!("aegish-table-{}", std::process::id()));
        let mut table = VerdictTable::create(&path, Action::Allow).unwrap();
        for (record, verdict) in records.iter().zip(&verdicts) {
            table.write("history", record, verdict).unwrap();
        }
        table.finish().unwrap();
        let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
        let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        fs::remove_file(&path).unwrap();
        assert_eq!(rows.len(), 3);
        assert_eq!(rows[1].get_string(0).unwrap(), "history");
        assert_eq!(rows[1].get_long(1).unwrap(), 2);
        assert_eq!(rows[1].get_string(3).unwrap(), "web1");
        assert!(rows[0].get_string(3).is_err() && rows[2].get_long(1).is_err());
        assert_eq!(rows[1].get_string(9).unwrap(), "block");
        assert_eq!(rows[1].get_string(11).unwrap(), "critical-file-read");
        assert!(!rows[2].get_string(8).unwrap().contains("hunter2"));
        assert!(!rows[1].get_bool(14).unwrap());
    }
}
