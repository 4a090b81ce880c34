//! The last decisions, for the page and for those who listen. Secrets are taken out when a decision is shown.

use aegish_guard::Decision;
use aegish_redact::redact;
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::broadcast;

/// Decisions that are remembered.
const REMEMBERED: usize = 500;
/// The longest command that is remembered, in bytes.
const LONGEST: usize = 4096;
/// Decisions that a slow listener may be behind.
const BEHIND: usize = 1024;

/// A decision that was made.
#[derive(Debug)]
pub(crate) struct Recorded {
    pub(crate) number: u64,
    time: jiff::Timestamp,
    pub(crate) command: String,
    pub(crate) cwd: Option<String>,
    action: &'static str,
    rule: &'static str,
    reason: String,
    micros: u64,
}

/// A decision as it is shown.
#[derive(Serialize)]
pub(crate) struct Shown {
    number: u64,
    time: String,
    command: String,
    cwd: Option<String>,
    action: &'static str,
    rule: &'static str,
    reason: String,
    micros: u64,
}

impl Recorded {
    pub(crate) fn shown(&self) -> Shown {
        Shown {
            number: self.number,
            time: self.time.to_string(),
            command: redact(&self.command).into_owned(),
            cwd: self.cwd.clone(),
            action: self.action,
            rule: self.rule,
            reason: redact(&self.reason).into_owned(),
            micros: self.micros,
        }
    }
}

/// The last decisions and the streams of new ones.
pub(crate) struct Recorder {
    last: Mutex<(u64, VecDeque<Arc<Recorded>>)>,
    /// None after the end: the streams end then.
    stream: Mutex<Option<broadcast::Sender<Arc<Recorded>>>>,
}

impl Recorder {
    pub(crate) fn new() -> Self {
        let (sender, _) = broadcast::channel(BEHIND);
        let last = Mutex::new((0, VecDeque::with_capacity(REMEMBERED)));
        Self { last, stream: Mutex::new(Some(sender)) }
    }

    pub(crate) fn add(&self, text: &str, cwd: Option<&str>, decision: &Decision, micros: u64) {
        let end = text.floor_char_boundary(text.len().min(LONGEST));
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let (number, list) = &mut *last;
        *number += 1;
        let recorded = Arc::new(Recorded {
            number: *number,
            time: jiff::Timestamp::now(),
            command: text.get(..end).unwrap_or_default().to_owned(),
            cwd: cwd.map(str::to_owned),
            action: decision.action().as_str(),
            rule: decision.rule().name,
            reason: decision.reason().to_owned(),
            micros,
        });
        if list.len() == REMEMBERED {
            list.pop_front();
        }
        list.push_back(recorded.clone());
        drop(last);
        let stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(stream) = stream.as_ref().filter(|stream| stream.receiver_count() > 0) {
            let _ = stream.send(recorded);
        }
    }

    /// The newest first.
    pub(crate) fn last(&self, most: usize) -> Vec<Arc<Recorded>> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.1.iter().rev().take(most).cloned().collect()
    }

    pub(crate) fn find(&self, number: u64) -> Option<Arc<Recorded>> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.1.iter().find(|recorded| recorded.number == number).cloned()
    }

    /// New decisions; none after the end.
    pub(crate) fn listen(&self) -> Option<broadcast::Receiver<Arc<Recorded>>> {
        let stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        stream.as_ref().map(broadcast::Sender::subscribe)
    }

    pub(crate) fn listeners(&self) -> usize {
        let stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        stream.as_ref().map_or(0, broadcast::Sender::receiver_count)
    }

    pub(crate) fn end(&self) {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}
