//! Files: reading, writing, deleting, and opening by mode.

use super::interpreter::Interpreter;
use super::object::{Args, Object};
use crate::CodeEffect;
use aegish_code_effects::operand::{is_unnamed, is_url};
use aegish_profiles::Lang;
use aegish_values::{Piece, Value};

/// Why the text of a variable is not known after a pattern has changed it.
const CHANGED_TEXT: &str = "changed text";

impl Interpreter<'_> {
    /// A path seen from the directory that the code has changed to.
    pub(super) fn placed(&self, path: Value) -> Value {
        let absolute =
            path.known_prefix().starts_with(['/', '~']) || path.known_prefix().contains(':');
        if self.directory.pieces().is_empty() || absolute || is_unnamed(&path) {
            return path;
        }
        let mut placed = self.directory.clone();
        placed.push_str("/");
        placed.append(&path);
        placed
    }

    /// Reports code that was not followed if an own text was lost that names a file.
    fn lost_name(&mut self, path: &Value) {
        if matches!(path.pieces(), [Piece::Unknown(CHANGED_TEXT)]) && path.taint().is_none() {
            self.record(CodeEffect::Hidden);
        }
    }

    pub(super) fn read(&mut self, path: &Value) -> Object {
        self.lost_name(path);
        let path = &self.placed(path.clone());
        if is_url(path) {
            return self.fetch(path.clone(), None);
        }
        if matches!(path.as_known(), Some("/dev/stdin" | "-")) {
            return self.stdin();
        }
        if is_unnamed(path) {
            return Object::Other;
        }
        self.record(CodeEffect::Read(path.clone()));
        Self::content_of(path)
    }

    pub(super) fn write(&mut self, path: Value, content: Value, append: bool) -> Object {
        self.lost_name(&path);
        let path = self.placed(path);
        if is_unnamed(&path) || matches!(path.as_known(), Some("/dev/stdout" | "/dev/stderr")) {
            return Object::Other;
        }
        self.effects.push(CodeEffect::Write { path, content, append });
        Object::File(self.effects.len() - 1)
    }

    pub(super) fn delete(&mut self, path: Option<Value>, tree: bool) {
        if let Some(path) = path.filter(|p| !is_unnamed(p)) {
            let path = self.placed(path);
            self.record(CodeEffect::Delete { path, tree });
        }
    }

    /// The content of an open file.
    pub(super) fn file_content(&self, index: usize) -> Object {
        match self.opened(index) {
            Some((path, _)) => Self::content_of(&path),
            None => Object::Other,
        }
    }

    /// Opens a file by a mode.
    pub(super) fn open_call(&mut self, p: u8, m: u8, args: &Args) -> Object {
        let mut args = args.clone();
        args.list.retain(|item| !matches!(item, Object::Lambda(_)));
        let Some(target) = args.get(p) else {
            return Object::Other;
        };
        if matches!(target, Object::Num(_)) {
            return Object::Other;
        }
        if matches!(target, Object::Conn | Object::File(_) | Object::Proc(_)) {
            return target.clone();
        }
        let path = target.text();
        if let (Lang::R, Some(command)) = (self.dialect.lang, path.known_prefix().strip_prefix('|'))
        {
            let mut command = Value::known(command);
            path.pieces().iter().skip(1).for_each(|piece| command.push(piece.clone()));
            self.run_shell(&command);
            return Object::Proc(super::run::is_shell(&command));
        }
        if is_url(&path) {
            return self.fetch(path, None);
        }
        let mode = match args.get(m).or_else(|| args.option("mode")).or_else(|| args.option("open"))
        {
            Some(Object::Name(flags)) => flags_to_mode(flags),
            Some(other) => other.as_known().unwrap_or_else(|| "r".into()),
            None if args.truthy("write") || args.truthy("create") => "w".into(),
            None => "r".into(),
        };
        let mode = if args.truthy("append") { "a".to_owned() } else { mode };
        if let Ok(flags) = mode.parse::<i64>() {
            // Numeric flags: the two lowest bits are the access mode.
            return if flags & 3 == 0 {
                self.open_read(&path)
            } else {
                self.write(path, Value::empty(), flags & 0o2000 != 0)
            };
        }
        if mode.contains(['w', 'a', '+', 'x', 'c']) {
            return self.write(path, Value::empty(), mode.contains('a'));
        }
        self.open_read(&path)
    }

    pub(super) fn open_read(&mut self, path: &Value) -> Object {
        let path = &self.placed(path.clone());
        if is_unnamed(path) || path.as_known() == Some("/dev/stdin") {
            return self.read(path);
        }
        self.effects.push(CodeEffect::Read(path.clone()));
        Object::File(self.effects.len() - 1)
    }

    /// A method of an open file.
    pub(super) fn file_method(&mut self, index: usize, name: &str, args: &Args) -> Object {
        match name {
            "write" | "writelines" | "puts" | "print" | "printf" | "syswrite" | "Write"
            | "WriteString" | "println" | "end" | "append" | "say" | "<<" => {
                self.print_to(&Object::File(index), &args.list);
                Object::Other
            }
            "pipe" | "pipeTo" => {
                match args.list.first() {
                    Some(Object::Conn) => self.print_to(&Object::Conn, &[Object::File(index)]),
                    Some(Object::Text(value)) => {
                        if let (Some(to), Some((path, _))) =
                            (value.taint().network().map(str::to_owned), self.opened(index))
                        {
                            // The request was recorded as a download but sends the file.
                            self.effects.retain(|kind| !matches!(kind, CodeEffect::Fetch { url, .. } if url.to_string() == to));
                            self.record(CodeEffect::Send {
                                to: Value::known(to),
                                file: Some(path),
                            });
                        }
                    }
                    Some(Object::File(to)) => {
                        let text = self.file_content(index).text();
                        self.add_content(*to, &text);
                    }
                    Some(Object::Proc(true)) => {
                        let text = self.file_content(index).text();
                        self.run_shell(&text);
                    }
                    _ => {}
                }
                args.list.first().cloned().unwrap_or(Object::Other)
            }
            "close" | "flush" | "seek" | "on" | "once" => Object::Other,
            "chmod" => Object::Other,
            "chars" | "lines" | "decode" | "read" | "readline" | "readlines" | "gets"
            | "each_line" | "getline" | "getlines" | "sysread" | "readLine" | "Read"
            | "toString" | "text" | "getText" => self.file_content(index),
            _ => Object::File(index),
        }
    }
}

/// Flags of the C kind (`os.O_WRONLY|os.O_CREAT`) as a mode.
fn flags_to_mode(flags: &str) -> String {
    let upper = flags.to_ascii_uppercase();
    if upper.contains("APPEND") {
        "a".into()
    } else if ["WRONLY", "RDWR", "CREAT", "TRUNC", "WRITE"].iter().any(|flag| upper.contains(flag))
    {
        "w".into()
    } else {
        "r".into()
    }
}
