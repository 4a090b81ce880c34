//! Keys that need more than the line editor knows: `M-.` and `M-_` insert the last word of an earlier line, `^X ^E`
//! (`v` among the commands of vi) gives the line to an editor.

use super::editor::Known;
use super::input::LineEditor;
use rustyline::{
    Cmd, ConditionalEventHandler, EditMode, Event, EventContext, EventHandler, InputMode, KeyEvent,
    RepeatCount,
};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The last words of earlier lines.
#[derive(Debug, Clone, Default)]
pub(crate) struct LastWords(Arc<Mutex<WordList>>);

#[derive(Debug, Default)]
struct WordList {
    /// The oldest first.
    words: Vec<String>,
    /// A word that is to take the place of the one before.
    replacement: Option<Replacement>,
}

/// A word for the text between `start` and the cursor, at the end of `before`.
#[derive(Debug)]
pub(crate) struct Replacement {
    before: String,
    pub(crate) start: usize,
    pub(crate) word: String,
}

impl LastWords {
    /// Adds the last word of a line. A line that begins with a blank is not stored, as in bash.
    pub(crate) fn add(&self, line: &str) {
        if line.starts_with(' ') {
            return;
        }
        if let Some(word) = aegish_syntax::history::split(line).last() {
            self.list().words.push((*word).to_owned());
        }
    }

    /// The word that the key inserts in place of the one before. It comes as a completion, because only that replaces
    /// text and leaves the cursor behind it.
    pub(crate) fn replacement(&self, before_cursor: &str) -> Option<Replacement> {
        self.list().replacement.take().filter(|wanted| wanted.before == before_cursor)
    }

    fn list(&self) -> MutexGuard<'_, WordList> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The word that is so many lines back; 0 is the last line.
    fn back(&self, lines: usize) -> Option<String> {
        self.list().words.iter().rev().nth(lines).cloned()
    }
}

/// Set when the line was ended in order to edit it.
#[derive(Debug, Clone, Default)]
pub(crate) struct EditWanted(Arc<AtomicBool>);

impl EditWanted {
    /// Whether the line that was just read is to be edited.
    pub(crate) fn take(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }
}

/// Binds the keys.
pub(super) fn bind(editor: &mut LineEditor, known: &Known) {
    for key in ['.', '_'] {
        editor.bind_sequence(KeyEvent::alt(key), insert_last_word(known));
    }
    let keys = Event::KeySeq(vec![KeyEvent::ctrl('X'), KeyEvent::ctrl('E')]);
    editor.bind_sequence(keys, edit_line(known));
    let edit = EditLine { wanted: known.edit_wanted.clone(), place: EditKey::ViCommand };
    editor.bind_sequence(KeyEvent::from('v'), conditional(edit));
}

/// `insert-last-argument`
pub(super) fn insert_last_word(known: &Known) -> EventHandler {
    conditional(InsertLastWord { words: known.last_words.clone(), inserted: Mutex::default() })
}

/// `edit-and-execute-command`
pub(super) fn edit_line(known: &Known) -> EventHandler {
    conditional(EditLine { wanted: known.edit_wanted.clone(), place: EditKey::Anywhere })
}

fn conditional(handler: impl ConditionalEventHandler + 'static) -> EventHandler {
    EventHandler::Conditional(Box::new(handler))
}

/// `M-.`: the last word of the line before; pressed again, that of the line before that in its place.
struct InsertLastWord {
    words: LastWords,
    inserted: Mutex<Option<Inserted>>,
}

/// What the key inserted last. If line and cursor are still the same, the key was pressed again.
struct Inserted {
    line: String,
    cursor: usize,
    /// Where the word begins.
    start: usize,
    lines_back: usize,
}

impl ConditionalEventHandler for InsertLastWord {
    fn handle(
        &self,
        _: &Event,
        _: RepeatCount,
        _: bool,
        context: &EventContext<'_>,
    ) -> Option<Cmd> {
        let mut inserted = self.inserted.lock().unwrap_or_else(PoisonError::into_inner);
        let again = |last: &&Inserted| last.line == context.line() && last.cursor == context.pos();
        let (start, lines_back) = match inserted.as_ref().filter(again) {
            Some(last) => (last.start, last.lines_back + 1),
            None => (context.pos(), 0),
        };
        let Some(word) = self.words.back(lines_back) else { return Some(Cmd::Noop) };
        let before = format!("{}{word}", context.line().get(..start)?);
        let line = format!("{before}{}", context.line().get(context.pos()..)?);
        *inserted = Some(Inserted { line, cursor: before.len(), start, lines_back });
        if lines_back == 0 {
            return Some(Cmd::Insert(1, word));
        }
        let before = context.line().get(..context.pos())?.to_owned();
        self.words.list().replacement = Some(Replacement { before, start, word });
        Some(Cmd::Complete)
    }
}

/// Ends the line in order to edit it.
struct EditLine {
    wanted: EditWanted,
    place: EditKey,
}

/// Where a key means to edit the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EditKey {
    Anywhere,
    /// Among the commands of vi; otherwise it is a letter.
    ViCommand,
}

impl ConditionalEventHandler for EditLine {
    fn handle(
        &self,
        _: &Event,
        _: RepeatCount,
        _: bool,
        context: &EventContext<'_>,
    ) -> Option<Cmd> {
        let commands = context.mode() == EditMode::Vi && context.input_mode() == InputMode::Command;
        if self.place == EditKey::ViCommand && !commands {
            return None;
        }
        self.wanted.0.store(true, Ordering::Relaxed);
        Some(Cmd::AcceptLine)
    }
}
