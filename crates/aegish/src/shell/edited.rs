//! `^X ^E`: a line is edited in `$VISUAL` or `$EDITOR`, shown, judged and run.
//!
//! The editor is started by a line of the session, so it is judged, asked about and recorded as any other program, and
//! has the session's environment.

use super::interactive::{InteractiveSession, PromptStep};
use super::{failed, random_hex};
use aegish_private_files::{Owner, read_trusted};
use aegish_terminal::{Failure, Screen, complain, visible};
use std::fs::{DirBuilder, OpenOptions, remove_dir_all};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::PathBuf;

/// The longest text that is read back; no longer one can be judged.
const MAX_TEXT: u64 = 1 << 20;

/// The editor if neither variable names one, as in bash.
const EDITOR: &str = "vi";

/// The result of editing a line.
pub(super) enum Edited {
    Line(String),
    /// There is nothing to run.
    Nothing,
    /// The session ended.
    End(u8),
}

impl InteractiveSession {
    /// Has the person edit a line.
    pub(super) fn edit(&mut self, line: &str) -> Result<Edited, Failure> {
        let file = match EditedFile::create(line) {
            Ok(file) => file,
            Err(error) => {
                complain(&format!("nothing was edited: {error}"));
                return Ok(Edited::Nothing);
            }
        };
        match self.turn(&file.line(&self.editor_command()))? {
            PromptStep::End(status) => return Ok(Edited::End(status)),
            PromptStep::Next if self.status == 0 => {}
            PromptStep::Next | PromptStep::Refused => {
                complain("nothing was run: the editor did not succeed");
                return Ok(Edited::Nothing);
            }
        }
        let text = match file.read() {
            Ok(text) => text,
            Err(problem) => {
                complain(&format!("nothing was run: {problem}"));
                return Ok(Edited::Nothing);
            }
        };
        let text = text.trim_end_matches('\n');
        if text.trim().is_empty() {
            return Ok(Edited::Nothing);
        }
        let mut screen = Screen::errors();
        for line in text.lines() {
            screen.put(visible(line)).end();
        }
        screen.finish().map_err(failed)?;
        Ok(Edited::Line(text.to_owned()))
    }

    /// The command that starts the editor.
    fn editor_command(&self) -> String {
        let shell = self.shell.borrow();
        let variables = &shell.last().variables;
        let set = |name: &str| variables.get(name).filter(|value| !value.trim().is_empty());
        set("VISUAL").or_else(|| set("EDITOR")).cloned().unwrap_or_else(|| EDITOR.to_owned())
    }
}

/// A file with the line in it, in a directory that only this user can enter. Both are removed with it.
struct EditedFile {
    directory: PathBuf,
}

impl EditedFile {
    fn create(line: &str) -> io::Result<Self> {
        let name = random_hex::<8>().map_err(|failure| io::Error::other(failure.message))?;
        let directory = std::env::temp_dir().join(format!("aegish-edit-{name}"));
        DirBuilder::new().mode(0o700).create(&directory)?;
        let file = Self { directory };
        let mut written =
            OpenOptions::new().write(true).create_new(true).mode(0o600).open(file.path())?;
        written.write_all(line.as_bytes())?;
        written.write_all(b"\n")?;
        Ok(file)
    }

    fn path(&self) -> PathBuf {
        self.directory.join("line.sh")
    }

    /// The line that starts the editor. It begins with a blank, so that it is not stored in the history.
    fn line(&self, editor: &str) -> String {
        let path = self.path().to_string_lossy().replace('\'', "'\\''");
        format!(" {editor} '{path}'")
    }

    fn read(&self) -> Result<String, String> {
        let own = Owner::user();
        let read = read_trusted(&self.path(), own, Some(own), MAX_TEXT);
        let bytes = read.map_err(|error| error.to_string())?.unwrap_or_default();
        String::from_utf8(bytes).map_err(|_| "the text is not UTF-8".to_owned())
    }
}

impl Drop for EditedFile {
    fn drop(&mut self) {
        let _ = remove_dir_all(&self.directory);
    }
}
