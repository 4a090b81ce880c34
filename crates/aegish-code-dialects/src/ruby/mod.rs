//! Where the meaning of Ruby differs from that of the other languages: everything is a call of a method.

mod calls;
mod classes;
mod dialect;
mod kernel;
mod objects;
mod streams;

pub use dialect::Ruby;

use crate::heap::{Attributes, Cell, Changes, Items};
use crate::value::{Args, ClassValue, Val, join};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::RubyTexts;
use aegish_values::Value;
use calls::RubyCalls;
use easy_ext::ext;
use std::rc::Rc;

/// The name of the variable that holds the class whose methods `def` defines.
const DEFINEE: &str = "<definee>";

/// The argument that a block is passed as.
const BLOCK: &str = "&";

/// What belongs to a program of Ruby alone.
#[derive(Default)]
struct RubyState {
    /// The class of all objects.
    object: Option<Rc<ClassValue>>,
    /// Calls with a block that `break` leaves: the depth of the memory, the states and the values.
    breaks: Vec<(usize, Vec<Changes>, Option<Val>)>,
}

#[ext(RubyValues)]
pub(super) impl Interpreter<'_> {
    /// Makes the object that a program of Ruby is a method of.
    fn start_ruby(&mut self) {
        let attributes = self.heap.alloc(Cell::Object(Rc::new(Attributes::default())));
        let class = Rc::new(ClassValue { name: "Object".into(), bases: Vec::new(), attributes });
        self.state.with(|ruby: &mut RubyState| ruby.object = Some(Rc::clone(&class)));
        let main = self.instance_of(&class);
        let scope = Rc::clone(&self.scope);
        self.bind_in(&scope, &"self".into(), main);
        self.bind_in(&scope, &DEFINEE.into(), Val::Class(class));
        let list: Vec<Val> = self.around.args.iter().cloned().map(Val::Text).collect();
        let rest = list.is_empty().then(|| Val::Text(Value::unknown("argument")));
        let arguments = self.heap.list(Items { list, rest });
        self.bind_in(&scope, &"ARGV".into(), arguments);
    }

    /// What the files that the arguments name hold, or the input.
    fn argument_files(&mut self) -> Val {
        let arguments = self.lookup(&"ARGV".into());
        let mut content: Option<Val> = None;
        let items = self.iterate(&arguments);
        // Names that the program added itself.
        let added = items.rest.filter(|rest| rest.to_text().has_text());
        for name in items.list.into_iter().chain(added) {
            let path = self.resolved(&name.to_text());
            let one = self.read_file(&path);
            content = Some(content.map_or(one.clone(), |known| join(&known, &one)));
        }
        content.unwrap_or_else(|| self.stdin())
    }

    /// One of the lines of the files that the arguments name, or of the input.
    fn argument_line(&mut self, content: &Val) -> Val {
        let line = self.any_line(content, true).unwrap_or(Val::None);
        if self.loops.is_empty() { line } else { join(&line, &Val::None) }
    }

    /// A value as `to_s` gives it.
    fn ruby_text(&mut self, value: &Val) -> Value {
        match value {
            Val::None => Value::empty(),
            Val::Bool(true) => Value::known("true"),
            Val::Bool(false) => Value::known("false"),
            Val::Instance(_) => match self.find_method(value, "to_s", false) {
                Some(method) => {
                    let made = self.call_method(value, &method, Args::default());
                    made.to_text()
                }
                None => Value::unknown("an object").tainted(&self.taint_of(value)),
            },
            Val::List(_) | Val::Dict(_) => Value::unknown("a list").tainted(&self.taint_of(value)),
            Val::File(index) => self.file_content(*index).to_text(),
            Val::OneOf(values) => {
                let values = values.clone();
                let mut all: Option<Val> = None;
                for value in values.iter() {
                    let one = Val::Text(self.ruby_text(value));
                    all = Some(all.map_or(one.clone(), |all| join(&all, &one)));
                }
                all.map_or_else(|| Value::unknown("computed"), |all| all.to_text())
            }
            other => other.to_text(),
        }
    }

    /// A name that the program does not define.
    fn ruby_builtin(&mut self, name: &str) -> Val {
        match name {
            "AEGISH_UNKNOWN" => Val::unknown(),
            "$*" => self.lookup(&"ARGV".into()),
            "$_" => {
                self.reads_line = true;
                let content = self.argument_input();
                let line = |kept| self.any_line(&content, kept).unwrap_or(Val::None);
                // `-l` takes the ends of lines away.
                join(&line(true), &line(false))
            }
            "$0" | "$PROGRAM_NAME" | "__FILE__" => Val::unknown(),
            "$stdin" | "STDIN" => Val::Library("STDIN".into()),
            "$<" | "ARGF" => Val::Library("ARGF".into()),
            "$stdout" | "STDOUT" | "$>" => Val::Library("STDOUT".into()),
            "$stderr" | "STDERR" => Val::Library("STDERR".into()),
            "$;" | "$," | "$!" | "$@" | "$?" | "$~" => Val::unknown(),
            "$/" => Val::text("\n"),
            _ if name.starts_with(['$', '@', '<', '&', '*']) && name != "<range>" => Val::None,
            _ => Val::Library(self.canonical(name)),
        }
    }

    /// A constant of a class or library, or a variable of an object.
    fn ruby_attribute(&mut self, object: &Val, name: &str) -> Val {
        if let Val::OneOf(values) = object {
            return values
                .iter()
                .map(|value| self.ruby_attribute(value, name))
                .reduce(|a, b| join(&a, &b))
                .unwrap_or_else(Val::unknown);
        }
        match object {
            Val::Instance(place) => {
                let attributes = self.heap.attributes(*place);
                attributes
                    .list
                    .iter()
                    .find(|(known, _)| &**known == name)
                    .map_or(Val::None, |(_, value)| value.clone())
            }
            Val::Class(_) => match self.class_attribute(object, name) {
                Some(value) => value,
                None if name.starts_with('@') => Val::None,
                None => self.lookup(&name.into()),
            },
            Val::Library(path) => self.library_attribute(&path.clone(), name),
            _ => Val::unknown(),
        }
    }

    fn ruby_set_attribute(&mut self, object: &Val, name: &str, value: Val) {
        if let Val::OneOf(values) = object {
            let values = values.clone();
            for one in values.iter() {
                self.maybe(|this| this.ruby_set_attribute(one, name, value.clone()));
            }
            return;
        }
        if !name.starts_with('@') && name.ends_with('=') {
            self.ruby_send(object, name, Args::of(vec![value]), true);
            return;
        }
        match object {
            Val::Instance(place) => self.put(*place, &name.into(), value),
            Val::Class(class) => self.put(class.attributes, &name.into(), value),
            Val::Library(path) => {
                let name = name.strip_prefix("self.").unwrap_or(name);
                let full = self.canonical(&format!("{path}.{name}"));
                self.override_library(full.to_string(), value);
            }
            _ => {}
        }
    }

    /// `object[index]` where it differs; a missing item is nil.
    fn ruby_index(&mut self, object: &Val, index: &Val) -> Option<Val> {
        if let Some((from, to, inclusive)) = aegish_code_library::ruby::range_of(index) {
            let end = match (to.as_int(), inclusive) {
                (_, _) if to == Val::None => Val::None,
                (Some(-1), true) => Val::None,
                (Some(end), true) => Val::Int(end.saturating_add(1)),
                (Some(end), false) => Val::Int(end),
                (None, _) => Val::unknown(),
            };
            return Some(self.slice(object, &[Some(from), Some(end), None]));
        }
        match object {
            Val::Text(text) if matches!(index, Val::Pattern(_) | Val::Text(_)) => match index {
                Val::Pattern(_) => {
                    let text = text.clone();
                    let args = Args::of(vec![index.clone()]);
                    Some(self.ruby_text_method(&text, "[]", &args, None))
                }
                // A part that is there, or nil. A text that is not known may be any data.
                _ if text.is_known() => Some(index.clone()),
                _ => Some(Val::Text(crate::value::part_of(text))),
            },
            Val::Function(_) | Val::Partial(_) | Val::Bound(_) | Val::Method(_) => {
                Some(self.call(object, Args::of(vec![index.clone()])))
            }
            Val::Instance(_) | Val::Class(_) => {
                Some(self.ruby_send(object, "[]", Args::of(vec![index.clone()]), false))
            }
            Val::Library(path) if &**path == "Dir" => {
                Some(self.library_send("Dir", "glob", Args::of(vec![index.clone()])))
            }
            Val::Dict(place) => {
                let entries = self.heap.entries(*place);
                let known = crate::heap::is_key(index)
                    && entries.rest.is_none()
                    && entries.list.iter().all(|(key, _)| crate::heap::is_key(key) && key != index);
                known.then_some(Val::None)
            }
            Val::List(place) => {
                let items = self.heap.items(*place);
                let place = usize::try_from(index.as_int()?).ok()?;
                (items.rest.is_none() && place >= items.list.len()).then_some(Val::None)
            }
            _ => None,
        }
    }

    /// Follows a call with a block; `break` in the block leaves the call.
    fn with_breaks(&mut self, follow: impl FnOnce(&mut Self) -> Val) -> Val {
        let base = self.heap.depth();
        self.state.with(|ruby: &mut RubyState| ruby.breaks.push((base, Vec::new(), None)));
        self.heap.push();
        let value = follow(self);
        match self.state.with(|ruby: &mut RubyState| ruby.breaks.pop()) {
            Some((_, mut states, given)) if !states.is_empty() => {
                states.push(self.heap.changes_since(base));
                self.heap.pop();
                self.heap.apply_one_of(states);
                given.map_or(value.clone(), |given| join(&given, &value))
            }
            _ => {
                self.heap.commit();
                value
            }
        }
    }

    /// `break` in a block.
    fn break_block(&mut self) {
        let given = self.lookup(&"<break>".into());
        self.state.with(|ruby: &mut RubyState| {
            if let Some((base, states, value)) = ruby.breaks.last_mut() {
                states.push(self.heap.changes_since(*base));
                *value = Some(value.take().map_or(given.clone(), |known| join(&known, &given)));
            }
        });
    }

    /// Whether a function of the program is a block.
    fn is_block(&self, id: u32) -> bool {
        self.functions
            .iter()
            .any(|known| known.code.id == id && known.code.receiver == crate::ir::Receiver::Lexical)
    }

    /// `return` in a block: the method around it ends.
    fn return_from_method(&mut self, value: &Val) {
        let Some(place) = self.frames.iter().rposition(|frame| !self.is_block(frame.function))
        else {
            return;
        };
        if let Some(frame) = self.frames.get_mut(place) {
            let changes = self.heap.changes_since(frame.base);
            frame.exits.push(changes);
            frame.returned =
                Some(frame.returned.take().map_or(value.clone(), |known| join(&known, value)));
        }
    }
}

/// The block of a call, and the arguments without it.
fn take_block(args: &mut Args) -> Option<Val> {
    let place = args.named.iter().position(|(name, _)| &**name == BLOCK)?;
    match args.named.remove(place).1 {
        Val::None => None,
        // `&:name` calls the method of its argument.
        Val::Text(name) => Some(Val::Partial(Rc::new(crate::value::Partial {
            function: Val::Library("<send>".into()),
            args: Args::of(vec![Val::Text(name)]),
        }))),
        other => Some(other),
    }
}
