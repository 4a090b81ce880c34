//! Where verdicts are written: lines of JSON, rows of a table. Secrets in commands and reasons are replaced.

use crate::judging::RecordVerdict;
use crate::options::JudgeLogOptions;
use crate::record::CommandRecord;
#[cfg(feature = "parquet")]
use crate::table::VerdictTable;
use aegish_guard::Action;
use aegish_redact::redact;
use aegish_terminal::quiet;
use serde::Serialize;
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

#[derive(Serialize)]
struct JsonRecord<'a> {
    source: &'a str,
    #[serde(skip_serializing_if = "is_unknown")]
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<&'a str>,
    session: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pid: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cwd: Option<&'a str>,
    command: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<&'a str>,
    action: &'static str,
    rule: &'static str,
    rule_name: &'static str,
    reason: Cow<'a, str>,
    confidence: f32,
    open: bool,
}

fn is_unknown(line: &u64) -> bool {
    *line == 0
}

/// Where verdicts are written.
#[derive(Default)]
pub(crate) struct VerdictOutputs {
    lines: Option<VerdictLines>,
    #[cfg(feature = "parquet")]
    table: Option<VerdictTable>,
}

impl VerdictOutputs {
    /// The outputs that the options name.
    ///
    /// # Errors
    ///
    /// If a file cannot be made.
    pub(crate) fn open(jsonl: Option<&Path>, options: &JudgeLogOptions) -> io::Result<Self> {
        let named = |path: &Path, error: io::Error| {
            io::Error::new(error.kind(), format!("{}: {error}", path.display()))
        };
        let mut outputs = Self::default();
        if let Some(path) = jsonl {
            let lines = VerdictLines::open(path, options.at_least);
            outputs.lines = Some(lines.map_err(|error| named(path, error))?);
        }
        #[cfg(feature = "parquet")]
        if let Some(path) = &options.parquet {
            let table = VerdictTable::create(path, options.at_least);
            outputs.table = Some(table.map_err(|error| named(path, error))?);
        }
        Ok(outputs)
    }

    /// Writes one verdict to all of them.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub(crate) fn write(
        &mut self,
        source: &str,
        record: &CommandRecord,
        verdict: &RecordVerdict,
    ) -> io::Result<()> {
        if let Some(lines) = &mut self.lines {
            lines.write(source, record, verdict)?;
        }
        #[cfg(feature = "parquet")]
        if let Some(table) = &mut self.table {
            table.write(source, record, verdict)?;
        }
        Ok(())
    }

    /// Hands on what is held. A reader that has gone away is no error.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.lines.as_mut().map_or(Ok(()), VerdictLines::flush)
    }

    /// Ends the files.
    ///
    /// # Errors
    ///
    /// If they cannot be written.
    pub(crate) fn finish(self) -> io::Result<()> {
        #[cfg(feature = "parquet")]
        if let Some(table) = self.table {
            table.finish()?;
        }
        Ok(())
    }
}

/// Lines of JSON.
struct VerdictLines {
    output: Box<dyn Write>,
    at_least: Action,
}

impl VerdictLines {
    /// A file, or standard output for `-`.
    ///
    /// # Errors
    ///
    /// If the file cannot be made.
    fn open(path: &Path, at_least: Action) -> io::Result<Self> {
        let output: Box<dyn Write> = if path == Path::new("-") {
            Box::new(BufWriter::new(io::stdout()))
        } else {
            Box::new(BufWriter::new(File::create(path)?))
        };
        Ok(Self { output, at_least })
    }

    /// Writes one verdict, if it is strict enough.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    fn write(
        &mut self,
        source: &str,
        record: &CommandRecord,
        verdict: &RecordVerdict,
    ) -> io::Result<()> {
        if verdict.action < self.at_least {
            return Ok(());
        }
        let line = JsonRecord {
            source,
            line: record.line,
            time: record.time.map(|time| time.to_string()),
            host: record.host.as_deref(),
            user: record.user.as_deref(),
            session: &record.session,
            pid: record.pid,
            cwd: record.cwd.as_deref().filter(|cwd| !cwd.is_empty()),
            command: redact(&record.command),
            program: record.program.as_deref(),
            action: verdict.action.as_str(),
            rule: verdict.rule.id,
            rule_name: verdict.rule.name,
            reason: redact(&verdict.reason),
            confidence: (verdict.confidence * 100.0).round() / 100.0,
            open: verdict.open,
        };
        serde_json::to_writer(&mut self.output, &line)?;
        self.output.write_all(b"\n")
    }

    /// Writes what is still held. A reader that has gone away is no error.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    fn flush(&mut self) -> io::Result<()> {
        quiet(self.output.flush())
    }
}
