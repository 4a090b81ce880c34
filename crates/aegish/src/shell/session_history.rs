//! The lines of a session: what bash's history lists, and what is kept for the next one.

use super::history::{History, LineOutcome};
use aegish_terminal::complain;

/// The history of a session.
pub(crate) struct SessionHistory {
    file: Option<History>,
    write: HistoryWrite,
    numbered: Vec<String>,
    /// The number of lines that ran.
    ran: usize,
}

/// The result of the last write to the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HistoryWrite {
    Succeeded,
    /// The failure was reported.
    Failed,
}

impl SessionHistory {
    /// Begins with the lines of the file.
    pub(crate) fn new(file: Option<History>) -> Self {
        let numbered = file.as_ref().and_then(|file| file.entries().ok()).unwrap_or_default();
        Self { file, write: HistoryWrite::Succeeded, numbered, ran: 0 }
    }

    /// The lines that bash's own history lists, for `!n`.
    pub(crate) fn numbered(&self) -> &[String] {
        &self.numbered
    }

    /// The number of the next line among those that run (`\\#`).
    pub(crate) fn next_command(&self) -> usize {
        self.ran + 1
    }

    /// The number of the next line in bash's history (`\\!`).
    pub(crate) fn next_number(&self) -> usize {
        self.numbered.len() + 1
    }

    /// Starts to count lines: those of start files do not count.
    pub(crate) fn count_from_here(&mut self) {
        self.ran = 0;
    }

    /// Adds a line. One that begins with a blank is not stored, as in bash.
    pub(crate) fn remember(&mut self, line: &str, fate: LineOutcome) {
        self.ran += usize::from(fate == LineOutcome::Ran);
        let kept = !line.is_empty() && !line.starts_with(' ');
        if kept && fate == LineOutcome::Ran {
            self.numbered.push(line.to_owned());
        }
        let Some(file) = self.file.as_ref().filter(|_| kept) else { return };
        self.write = match file.add(line, fate) {
            Ok(()) => HistoryWrite::Succeeded,
            Err(error) => {
                if self.write == HistoryWrite::Succeeded {
                    complain(&format!("the line was not kept in {error}"));
                }
                HistoryWrite::Failed
            }
        };
    }
}
