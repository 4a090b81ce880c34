//! Keys that `bind` or `~/.inputrc` binds, for the guard's editor.
//!
//! Bash reads the bindings; here they are translated. `bind -x` is not followed: its command would run at a key press
//! without being judged.

use super::input::LineEditor;
use super::interactive::InteractiveSession;
use super::{failed, keys};
use aegish_exec::{Ended, KeyBindings};
use aegish_terminal::{Failure, complain, visible};
use rustyline::{
    Anchor, At, Cmd, Event, EventHandler, KeyCode, KeyEvent, Modifiers, Movement, Word,
};
use std::collections::HashMap;

/// The bindings that the editor has.
#[derive(Default)]
pub(super) struct EditorBindings {
    /// Those of a bash that reads no file; the editor has its own for them.
    usual: Option<HashMap<KeyIdentity, String>>,
    /// What differs from them, by key sequence.
    bound: HashMap<String, String>,
    /// What `bind -x` bound, which was reported.
    commands: HashMap<String, String>,
    /// How often `bind` had been called when they were read.
    calls: u64,
}

impl InteractiveSession {
    /// Takes over the bindings of `~/.inputrc`.
    pub(super) fn read_inputrc(&mut self) -> Result<(), Failure> {
        let own = self.settings.config.home().map(|home| home.join(".inputrc"));
        if own.is_some_and(|path| path.exists()) { self.take_bindings() } else { Ok(()) }
    }

    /// Takes over what lines have bound since the last time.
    pub(super) fn follow_bind(&mut self) -> Result<(), Failure> {
        let calls = self.shell.borrow().last().bind_calls();
        if calls == self.bindings.calls {
            return Ok(());
        }
        self.bindings.calls = calls;
        self.take_bindings()
    }

    fn take_bindings(&mut self) -> Result<(), Failure> {
        if self.bindings.usual.is_none() {
            let of_bash = KeyBindings::of_new(&self.settings.bash()?).unwrap_or_default();
            let usual = of_bash.functions.into_iter();
            self.bindings.usual =
                Some(usual.map(|(keys, function)| (identity(&keys), function)).collect());
        }
        let present = self.shell.borrow_mut().key_bindings();
        let present = match present {
            Ok(Some(present)) => present,
            // The end is reported with the next line.
            Ok(None) | Err(Ended::Gone(_)) => return Ok(()),
            Err(error) => return Err(failed(error)),
        };
        let Some(usual) = &self.bindings.usual else { return Ok(()) };
        let functions = present.functions.iter().filter(|(keys, function)| {
            usual.get(&identity(keys)).is_none_or(|usual| usual != *function)
        });
        let functions = functions.map(|(keys, name)| (keys.clone(), name.clone()));
        let texts = present.texts.iter().map(|(keys, text)| (keys.clone(), format!("\"{text}")));
        let now: HashMap<String, String> = functions.chain(texts).collect();
        let before = std::mem::replace(&mut self.bindings.bound, now);
        for keys in before.keys().filter(|keys| !self.bindings.bound.contains_key(*keys)) {
            if let Some(event) = event(keys) {
                self.editor.unbind_sequence(event);
            }
        }
        keys::bind(&mut self.editor, &self.known.borrow());
        for (keys, what) in &self.bindings.bound {
            if before.get(keys) != Some(what)
                && !bind(&mut self.editor, &self.known.borrow(), keys, what)
            {
                complain(&format!(
                    "{} is not bound: the editor has no {}",
                    visible(keys),
                    visible(what)
                ));
            }
        }
        let told = std::mem::replace(&mut self.bindings.commands, present.commands);
        for keys in self.bindings.commands.keys().filter(|keys| !told.contains_key(*keys)) {
            complain(&format!(
                "{} is not bound: the command of `bind -x` would run without being judged; make it a function or an alias",
                visible(keys)
            ));
        }
        Ok(())
    }
}

/// A key sequence, however it is written: one key sends several sequences, and `\M-x` is `\ex`.
#[derive(Debug, PartialEq, Eq, Hash)]
enum KeyIdentity {
    Known(Event),
    Other(String),
}

fn identity(keys: &str) -> KeyIdentity {
    match (event(keys), characters(keys)) {
        (Some(event), _) => KeyIdentity::Known(event),
        (None, Some(characters)) => KeyIdentity::Other(characters.into_iter().collect()),
        (None, None) => KeyIdentity::Other(keys.to_owned()),
    }
}

/// Binds keys to a function of readline, or to a text after `"`. Returns whether the editor can.
fn bind(editor: &mut LineEditor, known: &super::editor::Known, keys: &str, what: &str) -> bool {
    // Bash binds every capital letter behind Escape to its small one, and pastes by a key.
    if matches!(what, "do-lowercase-version" | "bracketed-paste-begin" | "digit-argument") {
        return true;
    }
    // A key that the editor cannot tell from others keeps its meaning.
    let Some(event) = event(keys) else { return true };
    let handler: Option<EventHandler> = match what.strip_prefix('"') {
        Some(text) => inserted(text).map(|text| Cmd::Insert(1, text).into()),
        None => match what {
            "insert-last-argument" | "yank-last-arg" => Some(keys::insert_last_word(known)),
            "edit-and-execute-command" => Some(keys::edit_line(known)),
            "self-insert" => characters(keys)
                .and_then(|keys| keys.first().copied())
                .map(|key| Cmd::SelfInsert(1, key).into()),
            function => command(function).map(EventHandler::from),
        },
    };
    let Some(handler) = handler else { return false };
    editor.bind_sequence(event, handler);
    true
}

/// The editor's command for a function of readline.
fn command(function: &str) -> Option<Cmd> {
    let forward_word = Movement::ForwardWord(1, At::AfterEnd, Word::Emacs);
    let backward_word = Movement::BackwardWord(1, Word::Emacs);
    Some(match function {
        "abort" => Cmd::Abort,
        "accept-line" => Cmd::AcceptLine,
        "backward-char" => Cmd::Move(Movement::BackwardChar(1)),
        "backward-delete-char" => Cmd::Kill(Movement::BackwardChar(1)),
        "backward-kill-line" | "unix-line-discard" => Cmd::Kill(Movement::BeginningOfLine),
        "backward-kill-word" | "shell-backward-kill-word" => Cmd::Kill(backward_word),
        "backward-word" | "shell-backward-word" => Cmd::Move(backward_word),
        "beginning-of-history" => Cmd::BeginningOfHistory,
        "beginning-of-line" => Cmd::Move(Movement::BeginningOfLine),
        "capitalize-word" => Cmd::CapitalizeWord,
        "clear-screen" | "clear-display" => Cmd::ClearScreen,
        "complete" | "menu-complete" => Cmd::Complete,
        "delete-char" | "delete-char-or-list" => Cmd::Kill(Movement::ForwardChar(1)),
        "downcase-word" => Cmd::DowncaseWord,
        "end-of-history" => Cmd::EndOfHistory,
        "end-of-line" => Cmd::Move(Movement::EndOfLine),
        "forward-char" => Cmd::Move(Movement::ForwardChar(1)),
        "forward-search-history" => Cmd::ForwardSearchHistory,
        "forward-word" | "shell-forward-word" => Cmd::Move(forward_word),
        "history-search-backward" => Cmd::HistorySearchBackward,
        "history-search-forward" => Cmd::HistorySearchForward,
        "kill-line" => Cmd::Kill(Movement::EndOfLine),
        "kill-whole-line" => Cmd::Kill(Movement::WholeLine),
        "kill-word" | "shell-kill-word" => Cmd::Kill(forward_word),
        "menu-complete-backward" => Cmd::CompleteBackward,
        "next-history" => Cmd::NextHistory,
        "previous-history" => Cmd::PreviousHistory,
        "quoted-insert" => Cmd::QuotedInsert,
        "redraw-current-line" => Cmd::Repaint,
        "reverse-search-history" => Cmd::ReverseSearchHistory,
        "tab-insert" => Cmd::SelfInsert(1, '\t'),
        "transpose-chars" => Cmd::TransposeChars,
        "transpose-words" => Cmd::TransposeWords(1),
        "undo" => Cmd::Undo(1),
        "unix-word-rubout" => Cmd::Kill(Movement::BackwardWord(1, Word::Big)),
        "upcase-word" => Cmd::UpcaseWord,
        "yank" => Cmd::Yank(1, Anchor::Before),
        "yank-pop" => Cmd::YankPop,
        _ => return None,
    })
}

/// The text that a key inserts. Enter at its end is left out, so that the person sees the line before it runs.
fn inserted(text: &str) -> Option<String> {
    let characters: String = characters(text)?.into_iter().collect();
    let text = characters.trim_end_matches(['\r', '\n']);
    (!text.chars().any(char::is_control)).then(|| text.to_owned())
}

/// The characters that a key sequence stands for: `\C-x`, `\M-x`, `\e`, `\nnn`, or themselves.
fn characters(keys: &str) -> Option<Vec<char>> {
    let mut found = Vec::new();
    let mut rest = keys;
    while let Some(c) = rest.chars().next() {
        let (c, behind) = match rest.strip_prefix("\\M-") {
            Some(behind) => {
                found.push('\u{1b}');
                (behind.chars().next()?, behind)
            }
            None => (c, rest),
        };
        let (character, behind) = match behind.strip_prefix('\\') {
            Some(escape) => escaped(escape)?,
            None => (c, behind.get(c.len_utf8()..)?),
        };
        found.push(character);
        rest = behind;
    }
    Some(found)
}

/// The character behind a backslash, and the rest.
fn escaped(text: &str) -> Option<(char, &str)> {
    if let Some(behind) = text.strip_prefix("C-") {
        let c = behind.chars().next()?;
        let control = match c {
            '?' => '\u{7f}',
            c if c.is_ascii() => char::from(u8::try_from(c).ok()? & 0x1f),
            _ => return None,
        };
        return Some((control, behind.get(c.len_utf8()..)?));
    }
    let digits = text.bytes().take(3).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
    if digits > 0 {
        let number = u32::from_str_radix(text.get(..digits)?, 8).ok()?;
        return Some((char::from_u32(number)?, text.get(digits..)?));
    }
    let c = text.chars().next()?;
    let character = match c {
        'e' => '\u{1b}',
        'a' => '\u{7}',
        'b' => '\u{8}',
        'd' => '\u{7f}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{b}',
        other => other,
    };
    Some((character, text.get(c.len_utf8()..)?))
}

/// The keys of a sequence as the editor sees them.
fn event(keys: &str) -> Option<Event> {
    let characters = characters(keys)?;
    let mut rest = characters.as_slice();
    let mut events = Vec::new();
    while let Some((first, behind)) = rest.split_first() {
        let (key, used) = match (first, behind) {
            ('\u{1b}', ['[' | 'O', sequence @ ..]) if !sequence.is_empty() => {
                let (key, used) = special(sequence)?;
                (key, 2 + used)
            }
            ('\u{1b}', [second, ..]) if *second != '\u{1b}' => {
                (KeyEvent::new(*second, Modifiers::ALT), 2)
            }
            ('\u{1b}', _) => return None,
            (c, _) => (KeyEvent::new(*c, Modifiers::NONE), 1),
        };
        events.push(key);
        rest = rest.get(used..)?;
    }
    (!events.is_empty()).then_some(Event::KeySeq(events))
}

/// A key that sends `ESC [ …` or `ESC O …`, and the length of what is behind these two.
fn special(sequence: &[char]) -> Option<(KeyEvent, usize)> {
    let end = sequence.iter().position(|c| !c.is_ascii_digit() && *c != ';')?;
    let numbers: String = sequence.get(..end)?.iter().collect();
    let mut numbers = numbers.split(';').map(|number| number.parse::<u8>().ok());
    let first = numbers.next().flatten();
    let code = match (sequence.get(end)?, first) {
        ('A', _) => KeyCode::Up,
        ('B', _) => KeyCode::Down,
        ('C', _) => KeyCode::Right,
        ('D', _) => KeyCode::Left,
        ('H', _) | ('~', Some(1 | 7)) => KeyCode::Home,
        ('F', _) | ('~', Some(4 | 8)) => KeyCode::End,
        ('Z', _) => KeyCode::BackTab,
        ('~', Some(2)) => KeyCode::Insert,
        ('~', Some(3)) => KeyCode::Delete,
        ('~', Some(5)) => KeyCode::PageUp,
        ('~', Some(6)) => KeyCode::PageDown,
        (letter @ 'P'..='S', _) => KeyCode::F(u8::try_from(*letter).ok()? - b'P' + 1),
        ('~', Some(number @ 11..=15)) => KeyCode::F(number - 10),
        ('~', Some(number @ 17..=21)) => KeyCode::F(number - 11),
        ('~', Some(number @ 23..=24)) => KeyCode::F(number - 12),
        _ => return None,
    };
    // `ESC [ 5 C` is `ESC [ 1 ; 5 C` on some terminals.
    let held =
        numbers.next().flatten().or_else(|| first.filter(|_| sequence.get(end) != Some(&'~')));
    let bits = held.unwrap_or(1).saturating_sub(1);
    let mut modifiers = Modifiers::NONE;
    for (bit, modifier) in [(1, Modifiers::SHIFT), (2, Modifiers::ALT), (4, Modifiers::CTRL)] {
        modifiers.set(modifier, bits & bit != 0);
    }
    Some((KeyEvent(code, modifiers), end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_sequences_are_read_as_bash_writes_them() {
        let keys = |keys: &[KeyEvent]| Some(Event::KeySeq(keys.to_vec()));
        assert_eq!(event("\\e[A"), keys(&[KeyEvent(KeyCode::Up, Modifiers::NONE)]));
        assert_eq!(event("\\e[1;5C"), keys(&[KeyEvent(KeyCode::Right, Modifiers::CTRL)]));
        assert_eq!(event("\\eOH"), keys(&[KeyEvent(KeyCode::Home, Modifiers::NONE)]));
        assert_eq!(event("\\e[15~"), keys(&[KeyEvent(KeyCode::F(5), Modifiers::NONE)]));
        assert_eq!(event("\\C-xg"), keys(&[KeyEvent::ctrl('X'), KeyEvent::from('g')]));
        assert_eq!(event("\\M-f"), keys(&[KeyEvent::alt('f')]));
        assert_eq!(event("\\ef"), keys(&[KeyEvent::alt('f')]));
        assert_eq!(event("\\\""), keys(&[KeyEvent::from('"')]));
        assert_eq!(event("\\e\\e[C"), None);
    }

    #[test]
    fn a_text_is_inserted_without_the_enter_behind_it() {
        assert_eq!(inserted("git status\\C-m").as_deref(), Some("git status"));
        assert_eq!(inserted("a\\C-ab"), None);
    }
}
