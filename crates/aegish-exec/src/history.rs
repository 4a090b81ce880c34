//! Bash's own history: what `history` lists. Bash reads and writes no file of it by itself.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::ended::Ended;
use crate::shell::Shell;
use crate::text::single_quoted;

impl Shell {
    /// Has `history` list the lines in this file.
    ///
    /// # Errors
    /// If bash ended.
    pub fn read_history(&mut self, file: &Path) -> Result<(), Ended> {
        self.change_history("-r", file.as_os_str().as_bytes())
    }

    /// Has `history` list a line that bash does not get.
    ///
    /// # Errors
    /// If bash ended.
    pub fn add_to_history(&mut self, line: &str) -> Result<(), Ended> {
        self.change_history("-s", line.as_bytes())
    }

    fn change_history(&mut self, option: &str, argument: &[u8]) -> Result<(), Ended> {
        let mut text = format!("{{ \\builtin history {option} -- ").into_bytes();
        text.extend(single_quoted(argument));
        text.extend(b"; } 2>/dev/null\n");
        self.send(&text)
    }
}
