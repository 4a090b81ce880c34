//! Where the meaning of JavaScript differs from that of the other languages.

mod builtins;
mod calls;
mod dialect;
mod events;
mod modules;
mod names;
mod objects;
mod programs;
mod properties;

pub use dialect::JavaScript;

use crate::value::{ClassValue, Val};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::TextMethods;
use aegish_values::Value;
use easy_ext::ext;
use std::collections::HashMap;
use std::rc::Rc;

/// Deepest nesting of lists and objects that a text is made of.
const NESTED_TEXTS: u32 = 12;

/// What is kept of a program of JavaScript.
#[derive(Default)]
struct ScriptState {
    /// Lists and objects whose text is being made.
    nested_texts: u32,
    /// Classes of the objects that functions make, by the function.
    made_by: HashMap<u32, Rc<ClassValue>>,
    /// Events of objects of libraries and the functions that hear them.
    listeners: Vec<(String, Val)>,
}

#[ext(ScriptValues)]
pub(super) impl Interpreter<'_> {
    /// Truth of a value: objects and lists are true even if they are empty.
    fn script_truth(&self, value: &Val) -> Option<bool> {
        match value {
            Val::List(_)
            | Val::Dict(_)
            | Val::Tuple(_)
            | Val::Bytes(_)
            | Val::Instance(_)
            | Val::Function(_)
            | Val::Class(_)
            | Val::Bound(_)
            | Val::Partial(_)
            | Val::Pattern(_) => Some(true),
            Val::OneOf(values) => {
                let first = self.script_truth(values.first()?)?;
                values.iter().all(|value| self.script_truth(value) == Some(first)).then_some(first)
            }
            other => other.truth(),
        }
    }

    /// A value as a text, as `String` gives it.
    fn script_text(&mut self, value: &Val) -> Value {
        // A list or an object may hold itself.
        if self.state.with(|script: &mut ScriptState| script.nested_texts) >= NESTED_TEXTS {
            return Value::unknown("a list");
        }
        self.state.with(|script: &mut ScriptState| script.nested_texts += 1);
        let text = self.text_inside(value);
        self.state.with(|script: &mut ScriptState| script.nested_texts -= 1);
        text
    }

    fn text_inside(&mut self, value: &Val) -> Value {
        match value {
            Val::Bool(true) => Value::known("true"),
            Val::Bool(false) => Value::known("false"),
            Val::None => Value::one_of(vec!["undefined".to_owned(), "null".to_owned()]),
            Val::List(_) | Val::Tuple(_) => self.join_text(&Value::known(","), value).to_text(),
            Val::Dict(_) | Val::Instance(_) => {
                let object = value.clone();
                for name in ["Symbol.toPrimitive", "toString", "valueOf"] {
                    let method = self.attribute(&object, &name.into());
                    if matches!(method, Val::Function(_) | Val::Bound(_) | Val::OneOf(_)) {
                        let args = crate::value::Args::default();
                        let made = self.call_with(&object, &method, args);
                        return if made == object {
                            Value::unknown("an object")
                        } else {
                            self.script_text(&made)
                        };
                    }
                }
                match value {
                    Val::Dict(_) if self.taint_of(value).is_none() => {
                        Value::known("[object Object]")
                    }
                    _ => Value::unknown("an object").tainted(&self.taint_of(value)),
                }
            }
            Val::File(index) => self.file_content(*index).to_text(),
            Val::OneOf(values) => {
                let values = values.clone();
                let mut all: Option<Value> = None;
                for value in values.iter() {
                    let one = self.script_text(value);
                    all = Some(match all {
                        None => one,
                        Some(all) => crate::value::join(&Val::Text(all), &Val::Text(one)).to_text(),
                    });
                }
                all.unwrap_or_else(|| Value::unknown("computed"))
            }
            other => other.to_text(),
        }
    }
}
