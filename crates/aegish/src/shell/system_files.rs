//! Start files that read files of the system: what only root can write is not asked about.
//!
//! Bash's completion is warned of, and so is Debian's `.bashrc`. When a start file is warned of, it is judged once more
//! as if the files of the system were empty. If nothing is left to warn of, the warning is about root's files alone.

use super::interactive::InteractiveSession;
use super::start_files;
use aegish_guard::{Action, Decision, FileView, Machine, Session, StaticCheck};
use aegish_private_files::{Owner, read_trusted};
use std::path::Path;

/// The longest file of the system that is looked at.
const MAX_FILE: u64 = 1 << 20;
/// What new accounts get as `~/.bashrc`.
const BASHRC_OF_NEW_ACCOUNTS: &str = "/etc/skel/.bashrc";

impl InteractiveSession {
    /// Whether a line reads a start file and is warned of only because of files of the system.
    pub(super) fn only_system_files_warn(
        &self,
        line: &str,
        decision: &Decision,
        after: &Session,
    ) -> bool {
        let reads =
            |path: &std::path::PathBuf| start_files::lines(path).iter().any(|part| part == line);
        if decision.action() != Action::Warn
            || !start_files::present(&self.settings.config).iter().any(reads)
        {
            return false;
        }
        let line_context = self.line_context.borrow();
        let machine = WithoutSystemFiles {
            machine: &*line_context.machine,
            home: &line_context.surroundings.home,
            bashrc: of_root(BASHRC_OF_NEW_ACCOUNTS),
        };
        let context = line_context.surroundings.context(&machine);
        let request = line_context.request(line, &context);
        let (without, _) = StaticCheck::new(&line_context.session, &request).finish();
        // A function that only a file of the system defines may do what the start file asks of it.
        let calls_system = without.analysis().commands.iter().any(|command| {
            let name = command.argv.first().and_then(|name| name.as_known());
            command.program.is_none()
                && name.is_none_or(|name| after.functions().any(|(function, _)| function == name))
        });
        without.action() == Action::Allow && !calls_system
    }
}

/// The content of a file that only root can write.
fn of_root(path: &str) -> Option<Vec<u8>> {
    let root = Owner::Only(0);
    read_trusted(Path::new(path), root, Some(root), MAX_FILE).ok().flatten()
}

/// The machine with empty files in place of those of the system.
struct WithoutSystemFiles<'a> {
    machine: &'a dyn Machine,
    home: &'a str,
    bashrc: Option<Vec<u8>>,
}

impl WithoutSystemFiles<'_> {
    /// In the home directory nothing is the system's, except an unchanged copy of the file for new accounts.
    fn is_of_system(&self, path: &str, text: &str) -> bool {
        if self.bashrc.as_deref() == Some(text.as_bytes()) {
            return true;
        }
        !self.home.is_empty() && !Path::new(path).starts_with(self.home) && of_root(path).is_some()
    }
}

impl Machine for WithoutSystemFiles<'_> {
    fn read(&self, path: &str, limit: usize) -> FileView {
        match self.machine.read(path, limit) {
            FileView::Text(text) | FileView::Long(text) if self.is_of_system(path, &text) => {
                FileView::Text(String::new())
            }
            view => view,
        }
    }

    fn list(&self, dir: &str, limit: usize) -> Option<Vec<String>> {
        self.machine.list(dir, limit)
    }

    fn is_directory(&self, path: &str) -> bool {
        self.machine.is_directory(path)
    }
}
