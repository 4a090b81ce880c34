//! History expansion: `!!`, `!$`, `!n`, `!-n`, `!text`, `!?text?`, `!^`, `!*`, `^old^new`, as bash has it.
//!
//! Bash's own is off in the session, because it would run what was not judged. Here a line is expanded before it is
//! judged, and shown.

use super::input::LineEditor;
use aegish_syntax::history::{NotFound, Recallable, expand};
use aegish_terminal::{Screen, complain, visible};

/// The expanded line, which is then shown; an error if it refers to a line that does not exist.
pub(super) fn recalled(line: String, editor: &LineEditor, numbered: &[String]) -> Option<String> {
    if !line.contains('!') && !line.starts_with('^') {
        return Some(line);
    }
    let typed: Vec<&str> = editor.history().into_iter().map(String::as_str).collect();
    let here_docs = aegish_syntax::parse(&line).here_docs;
    match expand(&line, &here_docs, &Recallable { typed: &typed, numbered }) {
        Ok(None) => Some(line),
        Ok(Some(expanded)) => {
            let mut screen = Screen::errors();
            screen.put(visible(&expanded)).end();
            let _ = screen.finish();
            Some(expanded)
        }
        Err(NotFound(what)) => {
            complain(&format!("{}: event not found", visible(&what)));
            None
        }
    }
}
