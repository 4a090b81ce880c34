//! The batches of a log that are out, in a file beside it, so that a restarted run finds them.
//!
//! A line is added before a batch is handed in, after it was, and when its outcomes are in the log. Each is on
//! disk before the next step. A file that ends in half a line lost only a step that was not taken.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::system::RequestForm;

/// A sample and its repetition.
pub(super) type Key = (String, u32);

/// What follows the name of a log in the name of its journal.
pub(in crate::run) const ENDING: &str = ".batches";

/// A batch that was, or may have been, handed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Batch {
    /// Our name for it; custom ids begin with it.
    pub(super) label: String,
    /// When it was handed in, in seconds since 1970.
    pub(super) since: i64,
    /// How many batches these samples were in before.
    pub(super) before: u32,
    /// Whether the requests have no schema, because the provider refused it.
    #[serde(default)]
    pub(super) without_schema: bool,
    /// Its samples, in the order of their custom ids.
    pub(super) samples: Vec<Key>,
    /// The provider's id, once it is known.
    #[serde(skip)]
    pub(super) id: Option<String>,
}

impl Batch {
    pub(super) fn custom_id(&self, index: usize) -> String {
        format!("{}-{index}", self.label)
    }

    pub(super) fn form(&self) -> RequestForm {
        if self.without_schema { RequestForm::WithoutSchema } else { RequestForm::Usual }
    }
}

/// A step.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Step {
    /// It is about to be handed in.
    Begin(Batch),
    /// The provider has it: label and id.
    Sent(String, String),
    /// Its outcomes are in the log, or it never was.
    Done(String),
}

/// The journal of a log.
#[derive(Debug)]
pub(in crate::run) struct Journal {
    path: PathBuf,
    file: File,
    pub(super) open: Vec<Batch>,
}

impl Journal {
    /// Opens the journal of a log, or begins one.
    pub(in crate::run) fn of(log: &Path) -> io::Result<Self> {
        let mut name = log.as_os_str().to_owned();
        name.push(ENDING);
        let path = PathBuf::from(name);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        let mut open: Vec<Batch> = Vec::new();
        let mut whole = 0;
        for line in text.split_inclusive('\n') {
            // Half a line: its writer was killed before it took the step.
            let Some(step) =
                line.ends_with('\n').then(|| serde_json::from_str(line).ok()).flatten()
            else {
                break;
            };
            whole += line.len() as u64;
            match step {
                Step::Begin(batch) => open.push(batch),
                Step::Sent(label, id) => {
                    for batch in open.iter_mut().filter(|batch| batch.label == label) {
                        batch.id = Some(id.clone());
                    }
                }
                Step::Done(label) => open.retain(|batch| batch.label != label),
            }
        }
        let file = OpenOptions::new().create(true).append(true).open(&path)?;
        file.set_len(whole)?;
        Ok(Self { path, file, open })
    }

    /// The samples of all open batches.
    pub(super) fn samples(&self) -> HashSet<Key> {
        self.open.iter().flat_map(|batch| batch.samples.iter().cloned()).collect()
    }

    pub(super) fn begin(&mut self, batch: &Batch) -> io::Result<()> {
        self.write(&Step::Begin(batch.clone()))?;
        self.open.push(batch.clone());
        Ok(())
    }

    pub(super) fn sent(&mut self, label: &str, id: &str) -> io::Result<()> {
        self.write(&Step::Sent(label.to_owned(), id.to_owned()))?;
        for batch in self.open.iter_mut().filter(|batch| batch.label == label) {
            batch.id = Some(id.to_owned());
        }
        Ok(())
    }

    pub(super) fn done(&mut self, label: &str) -> io::Result<()> {
        self.write(&Step::Done(label.to_owned()))?;
        self.open.retain(|batch| batch.label != label);
        Ok(())
    }

    /// Removes the file, once nothing is out.
    pub(super) fn close(self) {
        if self.open.is_empty() {
            let _ = fs::remove_file(&self.path);
        }
    }

    fn write(&mut self, step: &Step) -> io::Result<()> {
        let mut line = serde_json::to_vec(step)?;
        line.push(b'\n');
        self.file.write_all(&line)?;
        self.file.sync_data()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(label: &str) -> Batch {
        Batch {
            label: label.to_owned(),
            since: 1,
            before: 0,
            without_schema: false,
            samples: vec![("a".to_owned(), 1)],
            id: None,
        }
    }

    #[test]
    fn what_is_out_is_found_again_and_half_a_line_is_no_step() {
        let folder = std::env::temp_dir().join(format!("aegish-journal-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let log = folder.join("x.eval");
        let mut journal = Journal::of(&log).expect("a journal");
        journal.begin(&batch("one")).expect("written");
        journal.sent("one", "batch_1").expect("written");
        journal.begin(&batch("two")).expect("written");
        journal.done("one").expect("written");
        let path = journal.path.clone();
        drop(journal);
        let mut text = fs::read_to_string(&path).expect("a file");
        text.push_str("{\"sent\":[\"two\",\"bat");
        fs::write(&path, text).expect("written");
        let mut journal = Journal::of(&log).expect("a journal");
        assert_eq!(journal.open, [batch("two")]);
        journal.sent("two", "batch_2").expect("written");
        drop(journal);
        let mut journal = Journal::of(&log).expect("a journal");
        assert_eq!(journal.open[0].id.as_deref(), Some("batch_2"));
        journal.done("two").expect("written");
        journal.close();
        assert!(!path.exists());
        fs::remove_dir_all(&folder).expect("removed");
    }
}
