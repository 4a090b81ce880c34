//! What people type: one command, on as many lines as it takes.

use super::editor::{Known, LineHelper};
use rustyline::Editor;
use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use std::cell::RefCell;

/// Stands before each further line of a command that is not complete.
const CONTINUED: &str = "> ";

/// What came from the keyboard.
pub(crate) enum Typed {
    /// A command, as far as the parser can tell a complete one.
    Command(String),
    /// `^C`
    Dropped,
    /// `^D` where nothing was typed.
    End,
    /// `^D` where the rest of a command was expected.
    Unfinished,
}

/// Reads a command. What was pasted comes as a whole; what is typed is asked for line by line.
pub(crate) fn read(
    editor: &mut Editor<LineHelper, MemHistory>,
    known: &RefCell<Known>,
    prompt: &(String, String),
) -> Result<Typed, ReadlineError> {
    let typed = lines(editor, known, prompt);
    known.borrow_mut().before.clear();
    typed
}

fn lines(
    editor: &mut Editor<LineHelper, MemHistory>,
    known: &RefCell<Known>,
    prompt: &(String, String),
) -> Result<Typed, ReadlineError> {
    let mut text = editor.readline(prompt);
    loop {
        let first = known.borrow().before.is_empty();
        match text {
            Ok(line) => {
                let mut known = known.borrow_mut();
                known.before.push_str(&line);
                if !aegish_syntax::wants_more(&known.before) {
                    return Ok(Typed::Command(std::mem::take(&mut known.before)));
                }
                known.before.push('\n');
            }
            Err(ReadlineError::Interrupted) => return Ok(Typed::Dropped),
            Err(ReadlineError::Eof) if first => return Ok(Typed::End),
            Err(ReadlineError::Eof) => return Ok(Typed::Unfinished),
            Err(error) => return Err(error),
        }
        text = editor.readline(CONTINUED);
    }
}
