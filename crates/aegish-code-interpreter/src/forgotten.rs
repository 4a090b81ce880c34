//! Values of the program that the analysis forgot: what a name of a file is then.

use super::Interpreter;
use crate::value::{Args, Val, is_own};
use aegish_values::{Piece, Value};

/// Deepest nesting of lists and maps that is looked at.
const NESTED: u32 = 3;

/// Libraries whose objects give back what they were given, or something made of it, and nothing from outside.
const BOXES: &[&str] = &[
    "AsyncLocalStorage",
    "BroadcastChannel",
    "Buffer",
    "CustomEvent",
    "Data",
    "Enumerator",
    "Event",
    "EventTarget",
    "Fiber",
    "Intl",
    "Map",
    "MessageChannel",
    "OpenStruct",
    "Proxy",
    "Psych",
    "Queue",
    "Ractor",
    "Reflect",
    "Set",
    "SizedQueue",
    "StringScanner",
    "Struct",
    "Thread",
    "WeakMap",
    "array",
    "async_hooks",
    "asyncio",
    "binascii",
    "bisect",
    "buffer",
    "bz2",
    "codecs",
    "collections",
    "configparser",
    "contextvars",
    "copy",
    "decimal",
    "difflib",
    "email",
    "enum",
    "events",
    "functools",
    "heapq",
    "html",
    "inspect",
    "itertools",
    "lzma",
    "marshal",
    "max",
    "min",
    "multiprocessing",
    "operator",
    "path",
    "plistlib",
    "querystring",
    "queue",
    "quopri",
    "string",
    "string_decoder",
    "struct",
    "textwrap",
    "tomllib",
    "types",
    "unicodedata",
    "url",
    "util",
    "weakref",
    "xml",
    "zlib",
];

impl Interpreter<'_> {
    /// Whether a text is unknown although nothing from outside is in it: the program made it in a way that is not
    /// followed.
    pub(super) fn is_forgotten(&self, text: &Value) -> bool {
        text.pieces().contains(&Piece::Unknown("computed"))
            && text.taint().is_none()
            && !self.guessed
            && !self.is_called_from_outside()
    }

    /// Whether a library calls the present function, or the program with arguments that it does not name.
    fn is_called_from_outside(&self) -> bool {
        self.uncalled
            || self.frames.iter().any(|frame| {
                let code = self.functions.iter().find(|known| known.code.id == frame.function);
                let lacks = code.is_some_and(|known| {
                    let given = frame.args.list.len() + frame.args.named.len();
                    known.code.positional.len() > given + known.defaults.len()
                });
                frame.args.rest.is_some() || lacks
            })
    }

    /// Whether a library that nothing is known of was given a text of the program, which its results may be.
    pub(super) fn is_fed(&self, path: &str) -> bool {
        self.fed.contains(root(path))
    }

    /// Remembers that a library was given texts of the program.
    pub(super) fn feed(&mut self, path: &str, args: &Args) {
        let root = root(path);
        if self.fed.contains(root) || !BOXES.contains(&root) {
            return;
        }
        let feeds = match path.rsplit('.').next().unwrap_or(path) {
            // The names of a class and its fields.
            "namedtuple" | "new" if args.list.len() > 1 => false,
            // Names of files.
            "read" => args.values().any(|value| {
                value.as_known().is_some_and(|path| self.around.files.content(&path).is_some())
            }),
            "get" | "getint" | "options" | "has_option" if root == "configparser" => false,
            _ => args.values().any(|value| self.holds_own(value, 0)),
        };
        if feeds {
            self.fed.insert(root.to_owned());
        }
    }

    fn holds_own(&self, value: &Val, depth: u32) -> bool {
        let holds = |value: &Val| self.holds_own(value, depth + 1);
        match value {
            Val::Text(text) | Val::Path(text) => !text.pieces().is_empty() && is_own(text),
            Val::Bytes(_) => true,
            _ if depth >= NESTED => false,
            Val::Tuple(items) | Val::OneOf(items) => items.iter().any(holds),
            Val::List(place) => self.heap.items(*place).list.iter().any(holds),
            Val::Dict(place) => self.heap.entries(*place).list.iter().any(|(_, one)| holds(one)),
            _ => false,
        }
    }
}

/// The library that a path is of.
fn root(path: &str) -> &str {
    path.split(['.', ':']).next().unwrap_or(path)
}
