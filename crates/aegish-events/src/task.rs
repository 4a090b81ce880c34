//! `aegish audit export` and `aegish audit send`.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use aegish_audit::{AuditLine, Since};
use aegish_terminal::{ExitKind, Failure, Screen, complain, grouped, quiet};
use aegish_wire::{HttpClient, TransportOptions};
use clap::{Args, ValueEnum};

use crate::host::Host;
use crate::reader::LogReader;
use crate::send::{Collector, LogSender, Told, Until};
use crate::{ecs, ocsf};

/// How often a log is looked at.
const PAUSE: Duration = Duration::from_millis(500);
/// Entries that are read at once.
const BATCH: usize = 512;

/// A schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EventFormat {
    /// Open Cybersecurity Schema Framework 1.9: Process Activity and Detection Finding
    Ocsf,
    /// Elastic Common Schema 9
    Ecs,
}

/// What is exported.
#[derive(Debug, Args)]
pub struct ExportOptions {
    /// The schema
    #[arg(long, value_enum)]
    pub format: EventFormat,
    /// Go on with entries that come
    #[arg(short, long)]
    pub follow: bool,
    /// Only from then on, e.g. `2h`, `7d`, `2026-02-08`
    #[arg(long, value_name = "TIME")]
    pub since: Option<Since>,
    /// The machine that the log is of [default: this one]
    #[arg(long, value_name = "NAME")]
    pub host: Option<String>,
}

/// What is sent.
#[derive(Debug, Args)]
pub struct SendOptions {
    /// The collector's address for OTLP over HTTP, without /v1/logs
    #[arg(long, value_name = "URL")]
    pub to: String,
    /// A file with the token that the collector wants
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// End when all that is there was sent, or at the first failure
    #[arg(long)]
    pub once: bool,
    /// The machine that the log is of [default: this one]
    #[arg(long, value_name = "NAME")]
    pub host: Option<String>,
}

/// Prints a log as events, one JSON object per line.
///
/// # Errors
///
/// If the log cannot be read, or the events cannot be written.
pub fn export(log: &Path, options: &ExportOptions) -> Result<ExitKind, Failure> {
    let failed = |error: io::Error| Failure::internal(format!("the export ended: {error}"));
    let host = Host::new(options.host.as_deref(), log);
    let mut output = BufWriter::new(io::stdout());
    let mut reader = LogReader::new(log, None);
    loop {
        let unsent = reader.next(BATCH).map_err(failed)?;
        for line in &unsent.lines {
            let time = line.entry.as_ref().map_or("", |entry| entry.timestamp.as_str());
            if options.since.as_ref().is_none_or(|since| since.holds(time))
                && let Err(error) = write(line, options.format, &host, &mut output)
            {
                return quiet(Err(error)).map(|()| ExitKind::Allow).map_err(failed);
            }
        }
        if unsent.lines.is_empty() {
            quiet(output.flush()).map_err(failed)?;
            if !options.follow {
                return Ok(ExitKind::Allow);
            }
            thread::sleep(PAUSE);
        }
    }
}

fn write(
    line: &AuditLine,
    format: EventFormat,
    host: &Host,
    output: &mut impl Write,
) -> io::Result<()> {
    let events = match format {
        EventFormat::Ocsf => ocsf(line, host),
        EventFormat::Ecs => ecs(line, host).into_iter().collect(),
    };
    for event in events {
        serde_json::to_writer(&mut *output, &event)?;
        output.write_all(b"\n")?;
    }
    Ok(())
}

/// Sends a log to a collector.
///
/// # Errors
///
/// If the collector does not take it. What was not taken is sent the next time.
pub fn send(
    log: &Path,
    options: &SendOptions,
    transport: TransportOptions,
    screen: &mut Screen,
) -> Result<ExitKind, Failure> {
    let unsent = |why: String| Failure::internal(format!("the log was not sent to its end: {why}"));
    if !options.to.starts_with("https://") && !is_local(&options.to) {
        let what = "a collector elsewhere is reached by https";
        return Err(Failure::usage(format!("nothing was sent: {}: {what}", options.to)));
    }
    let token = options.token_file.as_ref().map(|path| {
        let read = fs::read_to_string(path);
        read.map_err(|error| unsent(format!("{}: {error}", path.display())))
    });
    let token = token.transpose()?;
    let collector = Collector {
        client: HttpClient::new(transport),
        address: options.to.clone(),
        authorization: token.map(|token| format!("Bearer {}", token.trim())),
    };
    let host = Host::new(options.host.as_deref(), log);
    let sender = LogSender { collector: &collector, log: log.to_path_buf(), host, batch: BATCH };
    let until = if options.once { Until::Sent } else { Until::Forever(PAUSE) };
    let taken = sender.run(until, &mut Complaints).map_err(unsent)?;
    screen.put(format_args!("{} entries sent", grouped(taken))).end();
    Ok(ExitKind::Allow)
}

/// Whether an address is on this machine.
fn is_local(address: &str) -> bool {
    let Some(rest) = address.strip_prefix("http://") else { return false };
    let host = rest.split('/').next().unwrap_or_default();
    if host.contains('@') {
        return false;
    }
    ["127.0.0.1", "localhost", "[::1]"].iter().any(|name| {
        host == *name || host.strip_prefix(name).is_some_and(|rest| rest.starts_with(':'))
    })
}

/// Standard error.
struct Complaints;

impl Told for Complaints {
    fn tell(&mut self, what: &str) {
        complain(what);
    }
}
