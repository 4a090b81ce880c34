//! A log whose samples timed out or failed: those again, with more time, and the rest as it is.
//!
//! The first original stays in `originals` beside the log. A sample is replaced only by an answer: what times
//! out or fails again leaves the log as it was. Metrics are those of the whole log afterwards.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use aegish_judge::Answer;

use super::crew::{Crew, Sink, Work};
use super::opened::{Outcome, count};
use super::progress::Progress;
use super::session::{Session, lock};
use super::settings::Settings;
use super::solve::Solved;
use super::stop::{Reason, Stopper};
use super::task::TaskError;
use crate::system::{Spends, System};
use aegish_log::{Header, Log, LogError, Progress as LogProgress, Status, Writer, keep_original};
use aegish_log::{Record, Sample};

/// A log and what is to be asked again.
pub struct Repair {
    path: PathBuf,
    header: Header,
    again: Vec<(Sample, u32)>,
    samples: u64,
    lock: File,
}

impl Repair {
    /// Looks for samples that timed out or failed.
    ///
    /// # Errors
    /// If the log cannot be read, or somebody writes to it.
    pub fn of(path: &Path) -> Result<Self, TaskError> {
        let lock = lock(path)?;
        let log = Log::open(path)?;
        let (mut again, mut samples) = (Vec::new(), 0);
        for entry in log.entries()? {
            let entry = entry?;
            samples += 1;
            if is_lost(&entry.record) {
                again.push((entry.sample, entry.record.epoch));
            }
        }
        Ok(Self { path: path.to_owned(), header: log.header().clone(), again, samples, lock })
    }

    /// What the log says of itself.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// How many samples are to be asked again.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.again.len() as u64
    }

    /// How many samples there are.
    #[must_use]
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// Counters for whoever looks on.
    #[must_use]
    pub fn progress(&self) -> Arc<Progress> {
        Arc::new(Progress::new(self.lost(), 0))
    }

    /// Asks again and merges the answers. Gives how it ended and how many samples were mended.
    ///
    /// # Errors
    /// If the original cannot be kept, or the log not be written.
    pub fn run(
        self,
        system: Arc<dyn System>,
        settings: &Settings,
        session: &Session,
        progress: Arc<Progress>,
    ) -> Result<(Outcome, u64), TaskError> {
        let Self { path, header, again, lock: _lock, .. } = self;
        keep_original(&path)?;
        let about = system.about();
        let price = about.price;
        let charged = price.filter(|_| about.spends == Spends::Money);
        let mut sink = Mender { writer: Writer::resume(&path)?, mended: 0 };
        let crew = Crew {
            gate: session.gate(&*system, settings.max_connections),
            system,
            // What fails again stays as it was; that is no reason to end.
            settings: Settings { fail_on_error: 1.0, ..settings.clone() },
            stop: Arc::new(Stopper::part_of(&session.stop)),
            budget: Arc::clone(&session.budget),
            price: charged,
            expected_cost: 0.0,
            progress,
        };
        let questions = again.len() as u64;
        let reason = crew.run(Box::new(Again(again.into_iter())), questions, &mut sink);
        let Mender { mut writer, mended } = sink;
        writer.flush()?;
        let metrics = count(&path)?.metrics(price);
        writer.finish(&status(&header, reason.as_ref()), &metrics, SystemTime::now())?;
        Ok((Outcome { path, metrics, reason }, mended))
    }
}

/// Timed out, failed, or nothing was said and nobody knows why.
fn is_lost(record: &Record) -> bool {
    record.error.is_some() || record.limit.is_some() || record.answer == Answer::Timeout
}

/// A log that had ended has ended again; one that had not is still to be continued.
fn status(header: &Header, reason: Option<&Reason>) -> Status {
    match (header.status, reason) {
        (_, Some(Reason::Failed(why))) => Status::Error(why.clone()),
        (LogProgress::Success, _) => Status::Success,
        (LogProgress::Error, None) => Status::Error(header.error.clone().unwrap_or_default()),
        (LogProgress::Started | LogProgress::Cancelled | LogProgress::Error, _) => {
            Status::Cancelled
        }
    }
}

struct Again(std::vec::IntoIter<(Sample, u32)>);

impl Work for Again {
    fn next(&mut self) -> Option<Result<(Sample, u32), String>> {
        self.0.next().map(Ok)
    }
}

/// Takes answers, and leaves everything else as it was.
struct Mender {
    writer: Writer,
    mended: u64,
}

impl Sink for Mender {
    fn take(&mut self, sample: &Sample, solved: &Solved) -> Result<(), String> {
        let Solved { exchange, record } = solved;
        if is_lost(record) {
            return Ok(());
        }
        self.mended += 1;
        let written: Result<(), LogError> = self.writer.append(sample, exchange, record);
        written.map_err(|error| error.to_string())
    }

    fn flush(&mut self) -> Result<(), String> {
        self.writer.flush().map_err(|error| error.to_string())
    }
}
