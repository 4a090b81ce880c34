//! Where the meaning of Tcl differs from that of the other languages: every value is a text, a command is looked up when
//! it is run, and its words are code, lists, numbers or names of variables as the command says.

mod assignments;
mod channels;
mod code;
mod dialect;
mod ensembles;
mod expressions;
mod files;
mod functions;
mod lists;
mod objects;
mod processes;
mod scripts;
mod texts;
mod variables;

pub use dialect::Tcl;

use crate::heap::Items;
use crate::scope::Scope;
use crate::value::{Forgotten, Val, join, part_of};
use aegish_code_interpreter::Interpreter;
use aegish_code_parsers::tcl::lists as list_texts;
use aegish_values::{Piece, Value};
use code::TclCode;
use easy_ext::ext;
use std::collections::HashMap;
use std::rc::Rc;
use variables::TclVariables;

/// Why a number is not known. As an expression it runs nothing, unlike an unknown text.
const NUMBER: &str = "a number";

/// What the evaluator keeps for Tcl.
#[derive(Default)]
struct TclState {
    /// The scopes of the calls around, innermost last.
    scopes: Vec<Rc<Scope>>,
    /// The namespaces of procedures, by the number of their function.
    namespaces: HashMap<u32, Rc<str>>,
    /// Namespaces that code is evaluated in, with the number of calls around it.
    inside: Vec<(usize, Rc<str>)>,
    /// The command whose words are being read again.
    reread: Option<String>,
    /// Namespaces whose commands are known without it, with the pattern of their names.
    imports: Vec<(String, String)>,
}

#[ext(TclNames)]
pub(super) impl Interpreter<'_> {
    /// A variable, or a command by its name.
    fn tcl_lookup(&mut self, name: &str) -> Val {
        if let Some(variable) = name.strip_prefix('$') {
            return self.tcl_get(variable);
        }
        match name {
            "AEGISH_UNKNOWN" => Val::Text(Value::unknown("part of the command")),
            _ if name.starts_with('<') => Val::Library(name.into()),
            _ => self.tcl_named(name),
        }
    }

    /// The namespace of the code that is followed, without colons around it.
    fn tcl_namespace(&self) -> Rc<str> {
        let Some(state) = self.state.get::<TclState>() else { return Rc::default() };
        match (state.inside.last(), self.frames.last()) {
            (Some((calls, space)), _) if *calls == self.frames.len() => Rc::clone(space),
            (_, Some(frame)) => state.namespaces.get(&frame.function).cloned().unwrap_or_default(),
            _ => Rc::default(),
        }
    }

    /// Calls a procedure.
    fn tcl_enter(&mut self, closure: &Rc<crate::value::Closure>, args: crate::value::Args) -> Val {
        self.state.with(|tcl: &mut TclState| tcl.scopes.push(Rc::clone(&self.scope)));
        let value = self.enter(closure, args);
        self.state.with(|tcl: &mut TclState| tcl.scopes.pop());
        value
    }

    /// A value as a text.
    fn tcl_text(&mut self, value: &Val) -> Value {
        match value {
            Val::Bool(value) => Value::known(if *value { "1" } else { "0" }),
            Val::None => Value::empty(),
            Val::Bytes(bytes) => {
                Value::known(bytes.iter().map(|byte| char::from(*byte)).collect::<String>())
            }
            Val::Unknown(taint, Forgotten::Data) if taint.is_none() => Value::unknown(NUMBER),
            Val::Tuple(_) | Val::List(_) => {
                let items = self.tcl_items(value);
                let mut text = Value::empty();
                for (place, item) in items.list.iter().enumerate() {
                    if place > 0 {
                        text.push_str(" ");
                    }
                    let item = self.tcl_text(item);
                    match item.as_known() {
                        Some(known) => text.push_str(&list_texts::quoted(known, place == 0)),
                        None => text.append(&item),
                    }
                }
                if let Some(rest) = &items.rest {
                    let rest = self.tcl_text(rest);
                    // A list of any length is used as a text if it has one item: `[glob …]`.
                    let only = items.list.is_empty();
                    text.append(&if only { rest } else { part_of(&rest) });
                }
                text
            }
            Val::OneOf(values) => {
                let values = Rc::clone(values);
                let texts: Vec<Val> =
                    values.iter().map(|value| Val::Text(self.tcl_text(value))).collect();
                match texts.into_iter().reduce(|a, b| join(&a, &b)) {
                    Some(Val::Text(text)) => text,
                    _ => Value::unknown("computed"),
                }
            }
            Val::Library(_) => Value::unknown("an object"),
            Val::File(_) | Val::Process(_) => Value::unknown("a channel"),
            other => other.to_text(),
        }
    }

    /// The items of a value that is a list.
    fn tcl_items(&mut self, value: &Val) -> Items {
        match value {
            Val::Tuple(items) => Items { list: items.to_vec(), rest: None },
            Val::List(place) => (*self.heap.items(*place)).clone(),
            Val::OneOf(values) => {
                let values = Rc::clone(values);
                let all: Vec<Items> = values.iter().map(|value| self.tcl_items(value)).collect();
                all.into_iter().reduce(|a, b| either(a, &b)).unwrap_or_default()
            }
            Val::Text(text) => match text.readings(8) {
                Some(readings) => readings
                    .iter()
                    .map(|reading| match list_texts::split(reading) {
                        Some(items) => {
                            self.burn(items.len() / 16);
                            Items { list: items.into_iter().map(Val::text).collect(), rest: None }
                        }
                        None => any(Val::Text(part_of(text))),
                    })
                    .reduce(|a, b| either(a, &b))
                    .unwrap_or_default(),
                None => words_of(text),
            },
            Val::File(_) | Val::Connection | Val::Process(_) | Val::Library(_) | Val::Int(_) => {
                Items { list: vec![value.clone()], rest: None }
            }
            Val::Unknown(..) => any(value.clone()),
            other => {
                let text = self.tcl_text(other);
                self.tcl_items(&Val::Text(text))
            }
        }
    }

    /// A list of items: a text if all of them are known.
    fn tcl_list(&mut self, items: Items) -> Val {
        if items.rest.is_none() {
            let texts: Option<Vec<String>> = items.list.iter().map(known).collect();
            if let Some(texts) = texts {
                return Val::text(list_texts::joined(texts.iter().map(String::as_str)));
            }
            if items.list.len() <= 64 {
                return Val::Tuple(items.list.into());
            }
        }
        self.heap.list(items)
    }

    /// Truth of a value, if it is known.
    fn tcl_truth(value: &Val) -> Option<bool> {
        match value {
            Val::Bool(value) => Some(*value),
            Val::Int(number) => Some(*number != 0),
            Val::Text(text) => {
                let texts = text.readings(8)?;
                let mut truths = texts.iter().map(|text| truth_of(text));
                let first = truths.next()??;
                truths.all(|truth| truth == Some(first)).then_some(first)
            }
            Val::OneOf(values) => {
                let first = Self::tcl_truth(values.first()?)?;
                values.iter().all(|value| Self::tcl_truth(value) == Some(first)).then_some(first)
            }
            _ => None,
        }
    }
}

/// The text of a value that is known.
fn known(value: &Val) -> Option<String> {
    match value {
        Val::Bool(value) => Some(if *value { "1" } else { "0" }.to_owned()),
        Val::None => Some(String::new()),
        other => other.as_known(),
    }
}

fn truth_of(text: &str) -> Option<bool> {
    let text = text.trim().to_ascii_lowercase();
    match text.as_str() {
        "true" | "tru" | "tr" | "t" | "yes" | "ye" | "y" | "on" => Some(true),
        "false" | "fals" | "fal" | "fa" | "f" | "no" | "n" | "off" | "of" => Some(false),
        _ => match aegish_code_library::tcl::texts::integer(&text) {
            Some(number) => Some(number != 0),
            None => text.parse::<f64>().ok().map(|number| number != 0.0),
        },
    }
}

fn any(value: Val) -> Items {
    Items { list: Vec::new(), rest: Some(value) }
}

/// Items that are those of one list or of another.
fn either(a: Items, b: &Items) -> Items {
    if a == *b {
        return a;
    }
    if a.list.len() == b.list.len() && a.rest.is_none() && b.rest.is_none() {
        let list = a.list.iter().zip(&b.list).map(|(a, b)| join(a, b)).collect();
        return Items { list, rest: None };
    }
    let common = a.list.iter().zip(&b.list).take_while(|(a, b)| a == b).count();
    let rest = a
        .list
        .iter()
        .skip(common)
        .chain(&a.rest)
        .chain(b.list.iter().skip(common))
        .chain(&b.rest)
        .cloned()
        .reduce(|a, b| join(&a, &b));
    Items { list: a.list.into_iter().take(common).collect(), rest }
}

/// The words of a text that is not fully known: those before the first unknown part, then any number of others.
fn words_of(text: &Value) -> Items {
    let prefix = text.known_prefix();
    let end = prefix.rfind([' ', '\t', '\n']).map_or(0, |at| at + 1);
    let head = prefix.get(..end).unwrap_or("");
    let list = match list_texts::split(head) {
        Some(items) => items.into_iter().map(Val::text).collect(),
        None => Vec::new(),
    };
    let mut rest = part_of(text);
    // One unknown part behind the last blank is one word or several.
    let tail = text.tail(end);
    if let [Piece::Text(start), Piece::Unknown(_)] = tail.pieces() {
        let mut longer = Value::known(start.clone());
        longer.append(&rest);
        rest = longer;
    }
    Items { list, rest: Some(Val::Text(rest)) }
}
