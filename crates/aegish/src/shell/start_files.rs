//! Start files of interactive sessions: `/etc/aegish/rc.bash`, then `~/.config/aegish/rc.bash`. Bash's own
//! start-up files are never read.

use aegish_config::{Config, SystemDirectory};
use std::fs;
use std::path::{Path, PathBuf};

use super::input;
use super::interactive::{InteractiveSession, PromptStep};
use super::prompt_command::{self, item_only_sets};
use aegish_terminal::{Failure, complain};
use rustyline::EditMode;
use rustyline::config::Configurer;

const NAME: &str = "rc.bash";
/// The start of the line that reads a file.
const READ: &str = " . '";

/// The files that exist, in the order in which they are read.
pub(crate) fn present(config: &Config) -> Vec<PathBuf> {
    let own = config.config_dir().map(|dir| dir.join(NAME));
    [Some(system()), own].into_iter().flatten().filter(|path| path.exists()).collect()
}

/// The start file of the system, whether there is one or not.
pub(crate) fn system() -> PathBuf {
    SystemDirectory::machine().dir().join(NAME)
}

/// The lines that read a start file: one, or its parts if some of its commands only set `PROMPT_COMMAND`. They begin
/// with a blank, so that they are not stored in the history.
pub(crate) fn lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let parts = parts(&text);
    if parts.is_empty() { vec![line(path)] } else { parts }
}

/// The commands that only set `PROMPT_COMMAND`, and what is between them; nothing if there are none.
fn parts(text: &str) -> Vec<String> {
    if !text.contains(prompt_command::NAME) {
        return Vec::new();
    }
    let script = aegish_syntax::parse(text);
    let setting = script.body.items.iter().filter(|item| item_only_sets(item));
    let spans: Vec<_> =
        setting.map(|item| item.span.start as usize..item.span.end as usize).collect();
    if spans.is_empty() || script.error.is_some() {
        return Vec::new();
    }
    let ends = std::iter::once(0).chain(spans.iter().map(|span| span.end));
    let starts = spans.iter().map(|span| span.start).chain([text.len()]);
    let between = ends.zip(starts).map(|(end, start)| end..start);
    let mut parts: Vec<_> = between.chain(spans.iter().cloned()).collect();
    parts.sort_by_key(|part| part.start);
    let parts = parts.into_iter().filter_map(|part| text.get(part));
    let code = parts.map(|part| part.trim_start_matches([';', ' ', '\t', '\n']));
    code.filter(|part| !part.is_empty()).map(|part| format!(" {part}")).collect()
}

/// Whether a line reads a start file as it is.
pub(super) fn reads_file(line: &str) -> bool {
    line.starts_with(READ)
}

/// The line that reads a start file as it is.
fn line(path: &Path) -> String {
    format!("{READ}{}'", path.to_string_lossy().replace('\'', "'\\''"))
}

impl InteractiveSession {
    /// Lets bash read the user's start files, each judged like a script. Returns the status if one of
    /// them ends the session.
    pub(super) fn read_start_files(&mut self) -> Result<Option<u8>, Failure> {
        for file in present(&self.settings.config) {
            for line in lines(&file) {
                let recalled = self.recall_start_line(&line)?;
                let step = recalled.map_or_else(|| self.turn(&line), Ok);
                self.start_key = None;
                match step? {
                    PromptStep::Next => {}
                    PromptStep::Refused => {
                        complain(&format!("{} was not read", file.display()));
                        break;
                    }
                    PromptStep::End(status) => return Ok(Some(status)),
                }
            }
        }
        if let Some(line) = self.settings.opening.take()
            && let PromptStep::End(status) = self.turn(&line)?
        {
            return Ok(Some(status));
        }
        self.status = 0;
        self.history.count_from_here();
        self.shell.borrow_mut().set_status(0);
        // A start file may have set them by code that was not read.
        if let mode @ EditMode::Vi = input::edit_mode(self.shell.borrow().last()) {
            self.editor.set_edit_mode(mode);
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::{line, parts};
    use std::path::Path;

    #[test]
    fn commands_that_only_set_prompt_command_are_lines_of_their_own() {
        let text =
            "x=1\nPROMPT_COMMAND=date; y=2\nif :; then PROMPT_COMMAND=z; fi\nunset PROMPT_COMMAND";
        let expected = [
            " x=1\n",
            " PROMPT_COMMAND=date",
            " y=2\nif :; then PROMPT_COMMAND=z; fi\n",
            " unset PROMPT_COMMAND",
        ];
        assert_eq!(parts(text), expected);
        assert!(parts("x=1\n").is_empty());
        assert!(parts("if :; then PROMPT_COMMAND=z; fi\n").is_empty());
    }

    #[test]
    fn a_name_stays_one_word() {
        assert_eq!(line(Path::new("/home/o'neill/rc.bash")), " . '/home/o'\\''neill/rc.bash'");
    }
}
