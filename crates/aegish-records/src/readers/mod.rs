//! Lines of a log → commands. One reader for each format; none holds more than what a command needs.

mod agents;
mod auditd;
mod cast;
mod history;
mod inspect;
mod process_events;
mod process_tree;

pub(crate) use agents::{ClaudeCode, Codex};
pub(crate) use auditd::Auditd;
pub(crate) use cast::Cast;
pub(crate) use history::{BashHistory, FishHistory, ZshHistory};
pub(crate) use inspect::samples;
pub(crate) use process_events::{Falco, Osquery, Tetragon};

use crate::record::CommandRecord;

/// What a line was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineKind {
    /// A part of the format.
    Known,
    /// No line of this format.
    Unreadable,
}

/// Reads one log from its first line to its last.
pub(crate) trait RecordReader: Send {
    /// Takes the next line, without its end.
    fn line(&mut self, line: &[u8], number: u64, records: &mut Vec<CommandRecord>) -> LineKind;

    /// Gives what is whole, when a log that is followed did not grow for a while.
    fn idle(&mut self, _records: &mut Vec<CommandRecord>) {}

    /// Gives what is still held, at the end of the log.
    fn finish(&mut self, _records: &mut Vec<CommandRecord>) {}
}
