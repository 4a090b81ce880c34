//! What a program reads: standard input, files of the session, and lines of both.

use super::Interpreter;
use crate::effect::ANY_INPUT;
use crate::lines::{READINGS, lines_of};
use crate::value::{STDIN, Val, join, part_of};
use aegish_values::{Piece, Source, Taint, Value, origin};

impl Interpreter<'_> {
    /// Whether something is known of standard input.
    pub fn has_input(&self) -> bool {
        self.around.input.pieces() != [Piece::Unknown(ANY_INPUT)]
    }

    /// What is left of standard input.
    pub fn stdin(&self) -> Val {
        if self.attached {
            return self.received();
        }
        self.left_of(STDIN, Val::Text(self.around.input.clone()))
    }

    /// One line of standard input.
    pub fn stdin_line(&mut self, keep_end: bool, at_end: &Val) -> Val {
        self.file_line(STDIN, keep_end, at_end)
    }

    /// One line of an open file; at its end something else.
    pub fn file_line(&mut self, index: usize, keep_end: bool, at_end: &Val) -> Val {
        let again = !self.lines_read.insert(index) || !self.loops.is_empty();
        let whole = if index == STDIN && !self.attached {
            Val::Text(self.around.input.clone())
        } else {
            self.whole_content(index)
        };
        let items = lines_of(&whole, keep_end);
        let ends = again || items.rest.is_none() && items.list.len() != 1;
        let is_own = items.rest.is_none();
        let line = items.list.into_iter().chain(items.rest).reduce(|a, b| join(&a, &b));
        match line {
            Some(line) if ends && is_own => join(&line, at_end),
            Some(line) => line,
            None => at_end.clone(),
        }
    }

    /// What an option of the interpreter reads line by line: the files of the session that the arguments name, or the
    /// input.
    pub fn argument_input(&self) -> Val {
        let files = self.around.args.iter().filter_map(Value::as_known);
        let contents = files.filter_map(|path| self.around.files.content(path)).map(Val::Text);
        contents.reduce(|a, b| join(&a, &b)).unwrap_or_else(|| self.stdin())
    }

    /// One of the lines of a text.
    pub fn any_line(&self, content: &Val, keep_end: bool) -> Option<Val> {
        let lines = lines_of(content, keep_end);
        lines.list.into_iter().chain(lines.rest).reduce(|a, b| join(&a, &b))
    }

    /// What a file still gives if lines of it may have been read.
    pub(super) fn left_of(&self, index: usize, content: Val) -> Val {
        if !self.lines_read.contains(&index) {
            return content;
        }
        let Val::Text(text) = &content else { return content };
        let Some(known) = text.as_known() else {
            return if text.readings(READINGS).is_some() {
                Val::Text(part_of(text))
            } else {
                content
            };
        };
        let starts = known.match_indices('\n').map(|(at, _)| at + 1);
        // Bounded: if there are more, it is a part that is not known.
        let ends: Vec<String> = std::iter::once(0)
            .chain(starts)
            .take(READINGS + 1)
            .filter_map(|at| known.get(at..).map(str::to_owned))
            .collect();
        Val::Text(if ends.len() > READINGS {
            part_of(text)
        } else {
            Value::one_of(ends).tainted(text.taint())
        })
    }

    /// Content of a file that the program did not write: of one that the session wrote before, or unknown.
    pub(super) fn content_of(&self, path: &Value) -> Val {
        let taint = Taint::from(Source::File(path.to_string()));
        let written = path.as_known().and_then(|path| self.around.files.content(path));
        let content = written.unwrap_or_else(|| Value::unknown(origin::FILE_CONTENT));
        Val::Text(content.tainted(&taint))
    }
}
