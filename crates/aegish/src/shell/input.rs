//! Input from the keyboard: one command, on one or more lines.

use super::editor::{Known, LineHelper};
use super::failed;
use super::history::History;
use super::keys;
use super::prompt::without_escapes;
use super::settings::ShellSettings;
use aegish_exec::Report;
use aegish_guard::catch_panic;
use aegish_terminal::{Failure, complain};
use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{Cmd, Config, EditMode, Editor, KeyEvent};
use std::cell::RefCell;

/// The line editor.
pub(crate) type LineEditor = Editor<LineHelper, MemHistory>;

/// The prompt for further lines of an incomplete command.
pub(super) const CONTINUED: &str = "> ";

/// The prompts for a command.
pub(super) struct Prompts {
    /// For its first line: the text, and the same with colours.
    pub(super) first: (String, String),
    /// For further lines.
    pub(super) further: String,
}

/// The result of reading from the keyboard.
pub(crate) enum Typed {
    /// A command that is complete according to the parser.
    Command(String),
    /// A command, complete or not, that is to be edited first.
    ToEdit(String),
    /// `^C`
    Dropped,
    /// `^D` on an empty line.
    End,
    /// `^D` where the rest of a command was expected.
    Unfinished,
}

/// The editor, with the lines of earlier sessions.
pub(crate) fn editor(
    settings: &ShellSettings,
    helper: LineHelper,
    known: &Known,
    history: Option<&History>,
) -> Result<LineEditor, Failure> {
    let mode = if settings.vi { EditMode::Vi } else { EditMode::Emacs };
    let config = Config::builder()
        .max_history_size(settings.history_size)
        .map_err(failed)?
        .history_ignore_space(true)
        .completion_type(rustyline::CompletionType::List)
        .edit_mode(mode)
        .bracketed_paste(true)
        .build();
    let entries_kept = MemHistory::with_config(&config);
    let mut editor = Editor::with_history(config, entries_kept).map_err(failed)?;
    // `^\` is a signal for programs; at the prompt it does nothing.
    editor.bind_sequence(KeyEvent::ctrl('\\'), Cmd::Noop);
    keys::bind(&mut editor, known);
    editor.set_helper(Some(helper));
    let entries = history.map_or(Ok(Vec::new()), |history| {
        let _ = history.trim();
        history.entries()
    });
    match entries {
        Ok(entries) => {
            for entry in entries {
                known.last_words.add(&entry);
                let _ = editor.add_history_entry(entry);
            }
        }
        Err(error) => complain(&format!("the history was not read: {error}")),
    }
    Ok(editor)
}

/// Reads a command. Pasted text arrives as a whole; typed text line by line.
pub(super) fn read(
    editor: &mut LineEditor,
    known: &RefCell<Known>,
    prompts: &Prompts,
) -> Result<Typed, ReadlineError> {
    let typed = lines(editor, known, prompts);
    known.borrow_mut().before.clear();
    typed
}

fn lines(
    editor: &mut LineEditor,
    known: &RefCell<Known>,
    prompts: &Prompts,
) -> Result<Typed, ReadlineError> {
    let further = (without_escapes(&prompts.further), &prompts.further);
    let mut text = editor.readline(&prompts.first);
    loop {
        let first = known.borrow().before.is_empty();
        match text {
            Ok(line) => {
                let mut known = known.borrow_mut();
                known.before.push_str(&line);
                if known.edit_wanted.take() {
                    return Ok(Typed::ToEdit(std::mem::take(&mut known.before)));
                }
                // If the parser panics here, it panics again when the line is judged, which
                // blocks the line.
                let wants_more = catch_panic(|| aegish_syntax::wants_more(&known.before));
                if wants_more != Ok(true) {
                    return Ok(Typed::Command(std::mem::take(&mut known.before)));
                }
                known.before.push('\n');
            }
            Err(ReadlineError::Interrupted) => return Ok(Typed::Dropped),
            Err(ReadlineError::Eof) if first => return Ok(Typed::End),
            Err(ReadlineError::Eof) => return Ok(Typed::Unfinished),
            Err(error) => return Err(error),
        }
        text = editor.readline(&further);
    }
}

/// The keys that bash has been told to use.
pub(crate) fn edit_mode(report: &Report) -> EditMode {
    match report.keys() {
        Some("vi") => EditMode::Vi,
        _ => EditMode::Emacs,
    }
}

/// `logout` ends a login session. Bash itself is no login shell here, so the line becomes `exit`.
pub(crate) fn from_login(line: String) -> String {
    match line.trim().strip_prefix("logout") {
        Some("") => "exit".to_owned(),
        Some(status) if status.starts_with(' ') && status.trim().parse::<u32>().is_ok() => {
            format!("exit{status}")
        }
        _ => line,
    }
}
