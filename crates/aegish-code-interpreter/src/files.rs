//! Calls that use files.

use super::{Interpreter, STDIN};
use crate::effect::CodeEffect;
use crate::heap::{Binding, Cell, Items};
use crate::operand::{flags_to_mode, globbed, is_unnamed, is_url};
use crate::value::{Args, Val};
use aegish_calls::{Effect, Role};
use aegish_code_library::given::Given;
use aegish_code_library::paths::join_paths;
use aegish_values::{Piece, Taint, Value};

impl Interpreter<'_> {
    /// The paths that an argument names: its items if it is a list.
    fn paths(&mut self, given: &Given<'_>, role: Role) -> Vec<Value> {
        let mut paths = Vec::new();
        let given_paths: Vec<Val> = match self.dialect.repeats_roles() {
            true => given.all(role).cloned().collect(),
            false => given.get(role).cloned().into_iter().collect(),
        };
        let several = given_paths.len() > 1;
        let splits = self.dialect.splits_paths();
        let given_paths = given_paths.into_iter().flat_map(|value| match &value {
            Val::OneOf(values) if splits => values.to_vec(),
            _ => vec![value],
        });
        for value in given_paths {
            // Options are among the paths of a function that is named after a program.
            if several && value.as_known().is_some_and(|text| text.starts_with('-')) {
                continue;
            }
            match &value {
                Val::List(_) | Val::Tuple(_) => {
                    let items = self.iterate(&value);
                    paths.extend(items.list.iter().chain(&items.rest).map(Val::to_text));
                }
                Val::Library(path) if self.is_fed(path) => paths.push(value.to_text()),
                Val::Instance(_) => paths.push(self.path_of_object(&value)),
                Val::Int(_) | Val::None | Val::Bool(_) | Val::Library(_) | Val::Function(_) => {}
                other => paths.push(other.to_text()),
            }
        }
        paths.iter().map(|path| self.resolved(path)).collect()
    }

    pub(super) fn file_call(&mut self, given: &Given<'_>) -> Val {
        match given.entry.effect {
            Effect::Open | Effect::Create => self.open(given),
            Effect::Read => self.read_call(given),
            Effect::Write | Effect::Append => {
                let content = given.text(Role::Content).unwrap_or_default();
                if let Some(Val::Int(number)) = given.get(Role::Path) {
                    self.print(content.as_known().filter(|_| *number == 1));
                    return Val::None;
                }
                if let Some(file @ Val::File(_)) = given.get(Role::Path) {
                    let file = file.clone();
                    self.write_to(&file, &[Val::Text(content)]);
                    return Val::None;
                }
                let append = given.entry.effect == Effect::Append;
                if let Some(Val::Int(bits)) = given.get(Role::Mode)
                    && let Some(path) = given.text(Role::Path)
                {
                    let mode = Value::known(format!("{bits:o}"));
                    self.record(CodeEffect::Mode { path, mode });
                }
                for path in self.paths(given, Role::Path) {
                    self.write_file(&path, content.clone(), append);
                }
                Val::None
            }
            Effect::Delete | Effect::DeleteTree => {
                let tree = given.entry.effect == Effect::DeleteTree
                    || given.get(Role::Tree).is_some_and(|tree| tree.truth() != Some(false));
                for path in self.paths(given, Role::Path) {
                    if !is_unnamed(&path) {
                        self.record(CodeEffect::Delete { path, tree });
                    }
                }
                Val::None
            }
            Effect::Mode => {
                let mode = match given.get(Role::Mode) {
                    Some(Val::Int(mode)) => Value::known(format!("{mode:o}")),
                    // `stat.S_ISUID | 0o755`
                    Some(Val::Library(flags)) if flags.contains("S_IS") => Value::known("u+s"),
                    Some(Val::Library(flags)) => Value::known(&**flags),
                    Some(other) => other.to_text(),
                    None => Value::unknown("mode"),
                };
                for path in self.paths(given, Role::Path) {
                    if !blank(&path) {
                        self.record(CodeEffect::Mode { path, mode: mode.clone() });
                    }
                }
                Val::None
            }
            Effect::Owner => {
                let part = |role| match given.get(role) {
                    Some(Val::None) | None => Value::empty(),
                    Some(other) => other.to_text(),
                };
                let mut owner = part(Role::User);
                owner.push_str(":");
                owner.append(&part(Role::Group));
                for path in self.paths(given, Role::Path) {
                    if !blank(&path) {
                        self.record(CodeEffect::Owner { path, owner: owner.clone() });
                    }
                }
                Val::None
            }
            Effect::Copy | Effect::Link => {
                if let (Some(Val::Int(mode)), Some(path)) =
                    (given.get(Role::Mode), given.text(Role::To))
                {
                    let mode = Value::known(format!("{mode:o}"));
                    self.record(CodeEffect::Mode { path, mode });
                }
                self.copy_call(given)
            }
            Effect::List | Effect::Metadata => {
                let mut any = Value::empty();
                any.push(Piece::AnyString);
                for path in self.paths(given, Role::Path) {
                    if !path.known_prefix().is_empty() {
                        self.record(CodeEffect::List(path));
                    }
                }
                match given.entry.effect {
                    Effect::Metadata => Val::unknown(),
                    _ => match given.get(Role::Path) {
                        // The names below a path object are paths.
                        Some(Val::Path(path)) => {
                            let below = join_paths(&[path.clone(), any]);
                            self.heap.list(Items { list: Vec::new(), rest: Some(Val::Path(below)) })
                        }
                        _ => self.heap.list(Items { list: Vec::new(), rest: Some(Val::Text(any)) }),
                    },
                }
            }
            Effect::Glob => {
                let object = given.get(Role::Directory).map(Val::to_text);
                let pattern = given.text(Role::Path).unwrap_or_default();
                let is_path = matches!(given.get(Role::Directory), Some(Val::Path(_)));
                let path = match object {
                    Some(object) => join_paths(&[object, pattern]),
                    None => pattern,
                };
                let path = self.resolved(&path);
                if !path.known_prefix().is_empty() {
                    let listed = given
                        .get(Role::Directory)
                        .map_or_else(|| path.clone(), |object| object.to_text());
                    self.record(CodeEffect::List(listed));
                }
                let found = globbed(&path);
                let found = if is_path { Val::Path(found) } else { Val::Text(found) };
                self.heap.list(Items { list: Vec::new(), rest: Some(found) })
            }
            Effect::Walk => {
                let mut paths = self.paths(given, Role::Path);
                let root = paths.pop().unwrap_or_else(|| Value::known("."));
                if !root.known_prefix().is_empty() {
                    self.record(CodeEffect::List(root.clone()));
                }
                let mut any = Value::empty();
                any.push(Piece::AnyString);
                let names = Items { list: Vec::new(), rest: Some(Val::Text(any.clone())) };
                let below = crate::value::join(
                    &Val::Text(root.clone()),
                    &Val::Text(join_paths(&[root, any])),
                );
                let row = [below, self.heap.list(names.clone()), self.heap.list(names)];
                self.heap.list(Items { list: Vec::new(), rest: Some(Val::Tuple(row.into())) })
            }
            _ => {
                if let Some(path) = given.text(Role::Path) {
                    self.change_directory(&path);
                }
                Val::None
            }
        }
    }

    pub fn change_directory(&mut self, path: &Value) {
        let path = self.resolved(path);
        self.set_directory(path);
    }

    pub fn set_directory(&mut self, path: Value) {
        let cell = Cell::Variable(Binding::Bound(Val::Text(path)));
        self.heap.write(self.directory, cell);
    }

    /// A path seen from the working directory, with links that the program made followed.
    pub fn resolved(&mut self, path: &Value) -> Value {
        if self.lacks_own_text(path) && (is_unnamed(path) || is_below_system(path)) {
            self.open = true;
        }
        let mut path = path.clone();
        if self.dialect.reads_file_urls() && path.known_prefix().starts_with("file://") {
            path = path.tail("file://".len());
        }
        path = self.dialect.file_name(self, path);
        if matches!(path.pieces().first(), Some(Piece::Unknown(aegish_code_library::given::HERE))) {
            let mut here = Value::known(".").tainted(path.taint());
            path.pieces().iter().skip(1).for_each(|piece| here.push(piece.clone()));
            path = here;
        }
        for (name, target) in &self.links {
            let prefix = path.known_prefix();
            if let Some(rest) = prefix.strip_prefix(name.as_str())
                && (rest.is_empty() && path.is_known() || rest.starts_with('/'))
            {
                let mut followed = target.clone();
                followed.append(&path.tail(name.len()));
                path = followed;
                break;
            }
        }
        let directory = self.working_directory();
        let relative = match path.pieces().first() {
            Some(Piece::Text(text)) => !text.starts_with(['/', '~']) && !text.contains("://"),
            Some(Piece::OneOf(texts)) => !texts.iter().any(|text| text.starts_with('/')),
            Some(Piece::AnyString | Piece::AnyChar) => true,
            _ => false,
        };
        if !relative || directory.pieces().is_empty() {
            return path;
        }
        join_paths(&[directory, path])
    }

    fn read_call(&mut self, given: &Given<'_>) -> Val {
        match given.get(Role::Path).cloned() {
            Some(Val::Int(0)) => self.stdin(),
            Some(Val::File(index)) => self.file_content(index),
            Some(Val::Connection) => self.received(),
            Some(_) => {
                let mut content: Option<Val> = None;
                for path in self.paths(given, Role::Path) {
                    let one = self.read_file(&path);
                    content =
                        Some(content.map_or(one.clone(), |known| crate::value::join(&known, &one)));
                }
                content.unwrap_or_else(Val::unknown)
            }
            None => Val::unknown(),
        }
    }

    pub fn read_file(&mut self, path: &Value) -> Val {
        if is_url(path) {
            return self.fetch(path.clone(), None);
        }
        if matches!(path.as_known(), Some("/dev/stdin" | "-")) {
            return self.stdin();
        }
        if is_unnamed(path) {
            return Val::tainted(path.taint().clone());
        }
        self.record(CodeEffect::Read(path.clone()));
        self.known_content(path).unwrap_or_else(|| self.content_of(path))
    }

    /// What the program wrote to a file before, or the command before it.
    fn known_content(&self, path: &Value) -> Option<Val> {
        if !path.is_known() {
            return None;
        }
        let written = self.effects.iter().rev().find_map(|effect| match effect {
            CodeEffect::Write { path: known, content, append: false } if known == path => {
                Some(content)
            }
            _ => None,
        })?;
        (self.uncertain == 0 && written.is_known() && !written.pieces().is_empty())
            .then(|| Val::Text(written.clone()))
    }

    /// Opens a file for writing; the same call opens the same file again.
    pub fn write_file(&mut self, path: &Value, content: Value, append: bool) -> Val {
        if is_unnamed(path) || matches!(path.as_known(), Some("/dev/stdout" | "/dev/stderr")) {
            return Val::unknown();
        }
        let key = (self.site, path.to_string(), append);
        if let Some(index) = self.opened.get(&key) {
            let index = *index;
            self.add_content(index, &content);
            return Val::File(index);
        }
        self.effects.push(CodeEffect::Write { path: path.clone(), content, append });
        let index = self.effects.len() - 1;
        self.opened.insert(key, index);
        Val::File(index)
    }

    /// A value as the name of a file: objects have a method for that.
    fn path_of_object(&mut self, value: &Val) -> Value {
        let methods = ["__fspath__", "to_path", "to_str"];
        match methods.iter().find_map(|name| self.special(value, name)) {
            Some(method) => self.call(&method, Args::default()).to_text(),
            None if matches!(value, Val::Instance(_)) => self.text_of(value),
            None => match value {
                Val::List(place) | Val::Dict(place) | Val::Scalar(place) => {
                    let made = self.dialect.overloaded_text(self, *place, value);
                    made.unwrap_or_else(|| value.to_text())
                }
                _ => value.to_text(),
            },
        }
    }

    fn open(&mut self, given: &Given<'_>) -> Val {
        let Some(target) = given.get(Role::Path).cloned() else { return Val::unknown() };
        match &target {
            Val::Int(0) => return Val::File(STDIN),
            Val::Int(_) | Val::None => return Val::unknown(),
            Val::Library(path) if !self.is_fed(path) => return Val::unknown(),
            Val::Connection | Val::File(_) | Val::Process(_) => return target,
            Val::OneOf(values) if values.iter().any(|v| matches!(v, Val::File(_))) => {
                return target;
            }
            _ => {}
        }
        let path = self.path_of_object(&target);
        let path = self.resolved(&path);
        if is_url(&path) {
            return self.fetch(path, None);
        }
        let mode = match given.get(Role::Mode) {
            Some(Val::Library(flags)) => flags_to_mode(flags),
            Some(Val::Int(flags)) => if flags & 3 == 0 {
                "r"
            } else if flags & 0o2000 != 0 {
                "a"
            } else {
                "w"
            }
            .into(),
            Some(other) => match other.to_text().readings(8) {
                Some(modes) => modes.concat(),
                None => "w".to_owned(),
            },
            None if given.entry.effect == Effect::Create => "w".to_owned(),
            None => "r".to_owned(),
        };
        if mode.contains(['w', 'a', '+', 'x', 'c']) {
            if mode.contains('r') && !is_unnamed(&path) {
                self.record(CodeEffect::Read(path.clone()));
            }
            return self.write_file(&path, Value::empty(), mode.contains('a'));
        }
        if is_unnamed(&path) || path.as_known() == Some("/dev/stdin") {
            return self.read_file(&path);
        }
        let key = (self.site, path.to_string(), false);
        if let Some(index) = self.opened.get(&key) {
            return Val::File(*index);
        }
        self.effects.push(CodeEffect::Read(path));
        let index = self.effects.len() - 1;
        self.opened.insert(key, index);
        Val::File(index)
    }

    fn copy_call(&mut self, given: &Given<'_>) -> Val {
        let (Some(from), Some(to)) = (given.get(Role::From).cloned(), given.get(Role::To).cloned())
        else {
            return Val::unknown();
        };
        match (&from, &to) {
            (Val::File(_) | Val::Connection, _) | (_, Val::File(_) | Val::Connection) => {
                let content = match &from {
                    Val::File(index) => self.file_content(*index),
                    Val::Connection => self.received(),
                    other => other.clone(),
                };
                self.write_to(&to, &[content]);
            }
            (Val::Text(text), _) if text.taint().network().is_some() && text.has_unknown() => {
                let path = self.resolved(&to.to_text());
                self.write_file(&path, text.clone(), false);
            }
            _ => {
                let (from, to) = (self.resolved(&from.to_text()), self.resolved(&to.to_text()));
                if is_url(&from) {
                    self.record(CodeEffect::Fetch { url: from, to: Some(to.clone()) });
                } else if !(blank(&from) && blank(&to)) {
                    if given.entry.effect == Effect::Link {
                        let name = to.as_known().map(str::to_owned);
                        self.links.extend(name.map(|name| (name, from.clone())));
                        self.record(CodeEffect::Link { target: from, name: to.clone() });
                    } else {
                        self.record(CodeEffect::Copy { from, to: to.clone() });
                    }
                }
                return Val::Text(to);
            }
        }
        Val::None
    }

    /// The path of an open file.
    fn path_of(&self, index: usize) -> Option<&Value> {
        match self.effects.get(index)? {
            CodeEffect::Read(path) | CodeEffect::Write { path, .. } => Some(path),
            _ => None,
        }
    }

    /// What is left of the content of an open file.
    pub fn file_content(&self, index: usize) -> Val {
        match index {
            STDIN => self.stdin(),
            _ => self.left_of(index, self.whole_content(index)),
        }
    }

    pub(super) fn whole_content(&self, index: usize) -> Val {
        match self.path_of(index) {
            Some(path) => self.known_content(path).unwrap_or_else(|| self.content_of(path)),
            None if index == STDIN => self.received(),
            None => Val::unknown(),
        }
    }

    pub fn file_taint(&self, index: usize) -> Taint {
        self.file_content(index).own_taint()
    }

    /// Adds to what is written to an open file.
    pub(super) fn add_content(&mut self, index: usize, more: &Value) {
        if let Some(CodeEffect::Write { content, .. }) = self.effects.get_mut(index)
            && content.pieces().len() < 64
            && content.known_prefix().len() < crate::decode::LIMIT
        {
            content.append(more);
        }
    }
}

/// Whether neither a part of the path nor its source is known.
fn blank(path: &Value) -> bool {
    is_unnamed(path) && path.taint().is_none()
}

/// Whether a path is known to be in a directory in which what is read or written matters.
pub(super) fn is_below_system(path: &Value) -> bool {
    let start = path.known_prefix();
    ["/etc/", "/root/", "/proc/", "/dev/", "/boot/"].iter().any(|place| start.starts_with(place))
}
