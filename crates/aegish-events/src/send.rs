//! Entries on their way to a collector: in order, each batch until it was taken, and only then noted as sent.

use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use aegish_audit::{AuditLine, Sent, read_sent, write_sent};
use aegish_wire::{HttpClient, HttpReply};
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceResponse;
use prost::Message as _;

use crate::host::Host;
use crate::metrics::Counters;
use crate::otlp;
use crate::reader::LogReader;

const CONTENT: &str = "application/x-protobuf";
const TIMEOUT: Duration = Duration::from_secs(10);
const REPLY_BYTES: u64 = 64 * 1024;
/// The first and the longest wait after a failure.
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// A collector.
pub(crate) struct Collector {
    pub(crate) client: HttpClient,
    /// Without `/v1/logs`.
    pub(crate) address: String,
    pub(crate) authorization: Option<String>,
}

/// How a batch was received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reception {
    Taken,
    /// Some records were not wanted, and will not be either when they come again.
    Partly(String),
    /// Later, perhaps after this time.
    Later(String, Option<Duration>),
    /// Never: the address or the login is wrong.
    Refused(String),
}

impl Collector {
    fn post(&self, path: &str, body: &[u8]) -> Result<HttpReply, Reception> {
        let url = format!("{}{path}", self.address.trim_end_matches('/'));
        let authorization = self.authorization.as_deref();
        let posted = self.client.post(&url, authorization, (CONTENT, body), TIMEOUT, REPLY_BYTES);
        let reply = posted.map_err(|failure| Reception::Later(failure.message, None))?;
        match reply.status {
            200..=299 => Ok(reply),
            // Those that the protocol calls retryable, and a proxy that has lost its server.
            408 | 429 | 500 | 502 | 503 | 504 => {
                let what = format!("the collector answered {}", reply.status);
                Err(Reception::Later(what, reply.retry_after))
            }
            status => Err(Reception::Refused(format!("the collector answered {status}"))),
        }
    }

    pub(crate) fn logs(&self, lines: &[AuditLine], host: &Host) -> Reception {
        let request = otlp::logs(lines, host).encode_to_vec();
        match self.post("/v1/logs", &request) {
            Err(reception) => reception,
            Ok(reply) => {
                let partial = ExportLogsServiceResponse::decode(reply.body.as_slice())
                    .ok()
                    .and_then(|reply| reply.partial_success)
                    .filter(|partial| partial.rejected_log_records > 0);
                partial.map_or(Reception::Taken, |partial| {
                    Reception::Partly(format!(
                        "{} records were not wanted: {}",
                        partial.rejected_log_records, partial.error_message
                    ))
                })
            }
        }
    }

    /// Metrics are sums: one that is lost is in the next.
    fn metrics(&self, counters: &Counters, host: &Host) {
        let _ = self.post("/v1/metrics", &counters.request(host).encode_to_vec());
    }
}

/// What is told about a run.
pub(crate) trait Told {
    fn tell(&mut self, what: &str);
}

/// Sends a log.
pub(crate) struct LogSender<'a> {
    pub(crate) collector: &'a Collector,
    pub(crate) log: PathBuf,
    pub(crate) host: Host,
    pub(crate) batch: usize,
}

/// When a run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Until {
    /// When all that is there was sent, or at the first failure.
    Sent,
    /// Never; looks for new entries after this pause.
    Forever(Duration),
}

impl LogSender<'_> {
    /// Sends; gives the number of entries that were taken.
    ///
    /// # Errors
    ///
    /// Why it stopped. What was not taken stays in the log and is sent the next time.
    pub(crate) fn run(&self, until: Until, told: &mut dyn Told) -> Result<u64, String> {
        let unread = |error: io::Error| format!("{}: {error}", self.log.display());
        let last = read_sent(&self.log).map_err(unread)?;
        if last.is_none() {
            // From now on rotation keeps what is not sent.
            begin(&self.log).map_err(unread)?;
        }
        let mut reader = LogReader::new(&self.log, last.filter(|last| last.seq > 0));
        let mut counters = Counters::new();
        let mut taken = 0;
        let mut unnoted = false;
        loop {
            let unsent = reader.next(self.batch).map_err(unread)?;
            if unsent.anew {
                told.tell("the log was begun anew; all of it is sent");
            }
            if unsent.missing > 0 {
                let missing = unsent.missing;
                told.tell(&format!("{missing} entries were removed before they were sent"));
            }
            for lines in unsent.lines.chunks(self.batch.max(1)) {
                self.deliver(lines, until, told)?;
                taken += lines.len() as u64;
                counters.add(lines);
                let noted = lines.last().map_or(Ok(()), |last| self.note(last));
                match noted.map_err(|error| format!("how far it was sent was not noted: {error}")) {
                    // A full disk is no reason to keep entries back. Whoever starts the next time sends them again.
                    Err(why) if until != Until::Sent => {
                        if !std::mem::replace(&mut unnoted, true) {
                            told.tell(&why);
                        }
                    }
                    noted => {
                        noted?;
                        unnoted = false;
                    }
                }
            }
            if !unsent.lines.is_empty() {
                self.collector.metrics(&counters, &self.host);
                continue;
            }
            match until {
                Until::Sent => return Ok(taken),
                Until::Forever(pause) => thread::sleep(pause),
            }
        }
    }

    /// Sends a batch until it is taken.
    fn deliver(
        &self,
        lines: &[AuditLine],
        until: Until,
        told: &mut dyn Told,
    ) -> Result<(), String> {
        let mut wait = FIRST_WAIT;
        loop {
            let (why, asked) = match self.collector.logs(lines, &self.host) {
                Reception::Taken => return Ok(()),
                Reception::Partly(what) => {
                    told.tell(&what);
                    return Ok(());
                }
                Reception::Refused(why) => return Err(why),
                Reception::Later(why, asked) => (why, asked),
            };
            if until == Until::Sent {
                return Err(why);
            }
            if wait == FIRST_WAIT {
                told.tell(&format!("{why}; entries wait in the log"));
            }
            thread::sleep(asked.unwrap_or(wait).min(LONGEST_WAIT));
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }

    fn note(&self, last: &AuditLine) -> io::Result<()> {
        let Some(entry) = &last.entry else { return Ok(()) };
        write_sent(&self.log, &Sent { seq: entry.seq, hash: last.hash() })
    }
}

/// Notes that nothing was sent yet.
fn begin(log: &Path) -> io::Result<()> {
    write_sent(log, &Sent { seq: 0, hash: "-".to_owned() })
}
